"""A test is found from what it is about: ``tests/<room>/test_<module>.py``, or with a word more,
``test_<module>_<aspect>.py``.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "editgauge"
EXCEPTIONS = {
    "test_dependencies.py": "the project: what it declares and imports",
    "test_docs.py": "docs/ and examples/",
    "test_layers.py": "imports between all rooms",
    "test_test_names.py": "the names of tests",
    "cli/test_pages.py": "docs/how-to/, run as written",
    "test_workflows.py": "the workflows of the repository and the example of one",
    "test_wheel.py": "the built wheel",
    "benchmarks/test_judge_rubrics.py": "the rubrics of all benchmarks against their papers",
    "benchmarks/test_layout.py": "the files that all benchmarks write, read again",
    "benchmarks/test_tables.py": "the tables of all benchmarks against their papers",
    "judging/test_real_server.py": "the whole room against a server that somebody else wrote",
}
"""Tests of no one module, and what they are about. The list only shrinks."""
ELSEWHERE = ("contract", "outside", "fuzz")
"""Folders of tests that go through everything: the contract, packages of others, generated input."""


def files() -> list[str]:
    every = (path.relative_to(TESTS) for path in TESTS.rglob("test_*.py"))
    return sorted(path.as_posix() for path in every if path.parts[0] not in ELSEWHERE)


def modules_for(room: Path) -> set[str]:
    """The names that a test of this folder may begin with: modules and folders of the room, and
    those of the folders in it with their folder's name in front, which is left out where no other
    has the name (`benchmarks/krisbench/judge`, but `krisbench_judge`). The room `cli` has a module for
    each command. For helpers of the tests (`oracles`) those beside the test.
    """
    home = SOURCE / room if (SOURCE / room).is_dir() else TESTS / room
    paths = [path for path in home.rglob("*") if path.suffix == ".py" or path.is_dir()]
    parts = [path.relative_to(home).with_suffix("").parts for path in paths]
    last = Counter(names[-1] for names in parts)
    names = {"_".join(one) for one in parts} | {name for name, count in last.items() if count == 1}
    return {name for name in names if not name.startswith(("_", "test_"))}


def is_of(name: str, modules: set[str]) -> bool:
    return any(name == module or name.startswith(f"{module}_") for module in modules)


@pytest.mark.parametrize("name", files())
def test_a_test_is_named_after_its_module(name: str) -> None:
    path = Path(name)
    found = is_of(path.stem.removeprefix("test_"), modules_for(path.parent))
    if name in EXCEPTIONS:
        assert not found, f"{name}: has a module of its name now; take it out of EXCEPTIONS"
    else:
        assert found, f"tests/{name}: no module of {path.parent} has this name; rename it"


def test_every_exception_is_there() -> None:
    assert set(EXCEPTIONS) <= set(files())


def test_no_two_files_are_one_module() -> None:
    """Without an ``__init__.py`` a file's module is its bare name, for all folders together."""
    bare = [
        path.name for path in TESTS.rglob("test_*.py") if not (path.parent / "__init__.py").exists()
    ]
    assert [name for name, count in Counter(bare).items() if count > 1] == []
