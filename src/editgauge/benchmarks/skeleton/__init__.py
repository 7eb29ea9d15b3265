"""The files that `editgauge new benchmark NAME` writes: a complete judge benchmark as a package."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from pathlib import Path

from editgauge import catalog
from editgauge.errors import UsageError
from editgauge.images import write_bytes

NAME = "mybench"
"""The name that stands in the templates, for the one that is wanted."""
_FILES = {
    "module.txt": "{name}/__init__.py",
    "rubric.txt": "{name}/rubrics/judge.md",
    "project.txt": "pyproject.toml",
    "test.txt": "test_{name}.py",
}


def text(template: str, name: str = NAME) -> str:
    """A template with the name filled in."""
    source = files(__package__).joinpath(template).read_text(encoding="utf-8")
    return source.replace(NAME, name)


def write(name: str, to: Path) -> list[Path]:
    """Write a package `name` below the folder `to`, which must not be there or be empty; returns
    its files.

    Raises `UsageError` for a name that is no module's or is taken, and for a folder that holds
    something.
    """
    if not re.fullmatch("[a-z_][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise UsageError(
            f"new benchmark {name!r}: wanted a name of small letters, digits and _, as a module has"
        )
    if name in catalog.names("benchmarks"):
        raise UsageError(f"new benchmark {name}: there is one of this name; choose another")
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise UsageError(f"{to}: not an empty folder; name another one")
    written = []
    for template, place in _FILES.items():
        path = to / place.format(name=name)
        write_bytes(path, text(template, name).encode())
        written.append(path)
    return written
