"""The documentation cannot drift: generated pages are current, examples parse or run, links lead
somewhere.
"""

from __future__ import annotations

import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType

import pytest

from editgauge import catalog
from editgauge.cli.main import COMMANDS, application, every
from editgauge.cli.main import run as run_command
from editgauge.judging.prompts import track_of as judging_of
from editgauge.types import TRACKS, Status

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(
    [p for p in DOCS.rglob("*.md") if p.parent.name != "reference"] + [ROOT / "README.md"]
)
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ONE_SESSION = {"docs/how-to/from-python.md"}
"""Pages whose Python examples go on from one another."""
OTHER_PROGRAMS = {"pip", "zip", "make", "python", "export", "docker", "hf"}


def blocks(page: Path, language: str) -> Iterator[str]:
    """The fenced blocks of one language, but those after a comment that says they are not run."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        if (
            match[1] == language
            and "<!-- not run" not in text[: match.start()].rstrip().rpartition("\n")[2]
        ):
            yield match[2]


def commands(page: Path) -> list[list[str]]:
    """The command lines of a page's ``sh`` blocks, split as a shell splits them, without
    redirections.
    """
    found = []
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                found.append(words[: words.index(">")] if ">" in words else words)
    return found


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    specification = importlib.util.spec_from_file_location(
        "make_reference", DOCS / "make_reference.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_every_command_benchmark_editor_and_metric_is_documented(reference: ModuleType) -> None:
    text = reference.pages()
    for name in every():
        assert f"\n## editgauge {name}\n" in text["commands.md"]
    for name in catalog.BENCHMARKS:
        assert f"\n## {name}\n" in text["benchmarks.md"]
        for scorer in catalog.find("benchmarks", name).scorers(TRACKS):
            assert f"\n### {name}: {scorer.name} (" in text["scorers.md"]
            for metric in scorer.metrics:
                assert f"\n| `{metric.name}` | {metric.direction or ''} |" in text["scorers.md"]
                assert metric.note or metric.unit or len(metric.variants) == 1, (
                    f"{name}/{metric.name}: say what it is"
                )
    for name in set(catalog.BENCHMARKS) - {"mini"}:
        for metric in judging_of(catalog.find("benchmarks", name)).metrics:
            assert f"\n| `{metric.name}` | {metric.direction or ''} |" in text["scorers.md"]
    for name in catalog.EDITORS:
        assert f"\n## {name}\n" in text["editors.md"]
    for name in catalog.OCR_ENGINES:
        assert f"\n### {name}\n" in text["scorers.md"]


def test_every_published_benchmark_has_a_protocol_page() -> None:
    pages = {path.stem for path in (DOCS / "protocols").glob("*.md")}
    assert pages == set(catalog.BENCHMARKS) - {"mini"}


def test_every_page_is_listed() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {page.removeprefix("docs/") for page in NAMES if page.startswith("docs/")}
    pages.discard("docs/README.md")
    pages.discard("README.md")
    assert sorted(page for page in pages if f"]({page})" not in index) == []


def test_every_status_is_explained() -> None:
    start = (DOCS / "start.md").read_text(encoding="utf-8")
    assert [status for status in Status if f"- `{status.value}`: " not in start] == []


@pytest.mark.parametrize("name", NAMES)
def test_shell_examples_parse(name: str) -> None:
    targets = set(
        re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    for program, *words in commands(ROOT / name):
        if program == "make":
            assert {word for word in words if "=" not in word} <= targets
        if program in OTHER_PROGRAMS:
            continue
        assert program == "editgauge", f"{program}: not a program that the pages use"
        words = [word for word in words if word not in ("-q", "-v", "--json")]
        assert words[0] in COMMANDS, f"editgauge {words[0]}: no such command"
        try:
            application(words[0]).parse_args(words)
        except Exception as error:  # the parser's own exceptions say what is wrong
            pytest.fail(f"{shlex.join([program, *words])}: {type(error).__name__}: {error}")


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        built = there.parent == DOCS / "reference"  # by `make site`
        assert built or there.exists(), target
        if fragment:
            headings = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {
                re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings
            }
            assert fragment in anchors, target


@pytest.mark.parametrize("name", NAMES)
def test_no_page_names_this_machine(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert re.findall(r"/(?:work|root|home|tmp|opt|Users)/\S*", text) == []


@pytest.fixture(scope="module")
def beginner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which somebody typed the first examples of the start page, on a few samples."""
    folder = tmp_path_factory.mktemp("beginner")
    before = Path.cwd()
    os.chdir(folder)
    try:
        typed = [words[1:] for words in commands(DOCS / "start.md") if words[:1] == ["editgauge"]]
        first = typed[
            : next(number for number, words in enumerate(typed) if words[0] == "table") + 1
        ]
        assert [words[0] for words in first] == ["edit", "edit", "edit", "score", "table"]
        for words in first:
            few = [] if words[0] == "table" else ["--limit", "3", "--workers", "0"]
            with redirect_stdout(io.StringIO()) as out:
                run_command([*words, *few])
            assert out.getvalue().strip(), f"{words[0]} says nothing"
        yield folder
    finally:
        os.chdir(before)


@pytest.mark.parametrize("name", [name for name in NAMES if list(blocks(ROOT / name, "python"))])
def test_python_examples_run(name: str, beginner: Path) -> None:
    before: dict[str, object] = {}
    for number, block in enumerate(blocks(ROOT / name, "python")):
        module = ModuleType(f"example_{number}")
        if name in ONE_SESSION:
            module.__dict__.update(before)
        before = module.__dict__
        module.__file__ = str(ROOT / name)  # an example names the files beside it
        sys.modules[module.__name__] = module  # dataclasses look their module up
        try:
            with redirect_stdout(io.StringIO()):
                exec(compile(block, f"{name}, example {number + 1}", "exec"), module.__dict__)
        finally:
            del sys.modules[module.__name__]


def test_the_notebook_is_the_page(reference: ModuleType) -> None:
    path = ROOT / "examples" / "from-python.ipynb"
    assert path.read_text(encoding="utf-8") == reference.notebook(), "run docs/make_reference.py"


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="the site needs the extra docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    place = {"NO_MKDOCS_2_WARNING": "1", "EDITGAUGE_SCREENSHOTS": str(tmp_path)}
    done = subprocess.run(
        [*command, "--config-file", ROOT / "mkdocs.yml", "--site-dir", tmp_path / "site"],
        capture_output=True, text=True, check=False, env={**os.environ, **place},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
