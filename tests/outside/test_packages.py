"""Two benchmarks, a metric and an editor of other packages: every command works on them, and they
use names of the public API alone.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import editgauge
from editgauge.images import write_png
from editgauge.store.parquet import fetch_tuples
from editgauge.store.run import Run
from editgauge.testing import check_benchmark, make_picture
from editgauge.types import Benchmark, Status
from tests.command_line import Result, invoke
from tests.contract.server import Judge, chat
from tests.outside import fullmarks, viescore
from tests.plugins import install

HERE = Path(__file__).parent
PACKAGES = ("viescore", "fullmarks", "plugins")


def type_(*words: object, fine: tuple[int, ...] = (0,)) -> str:
    done: Result = invoke([str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in fine, done.output
    return done.stdout


def vie_data(folder: Path) -> Path:
    pairs = []
    for number in range(4):
        write_png(folder / f"{number}.png", make_picture(seed=number))
        kind = "add" if number % 2 else "remove"
        pairs.append({"id": f"pair-{number}", "file": f"{number}.png", "kind": kind,
                      "instruction": f"{kind} a thing"})  # fmt: skip
    (folder / "pairs.json").write_text(json.dumps(pairs))
    return folder


def full_data(folder: Path) -> Path:
    for number in range(4):
        place = folder / f"task-{number}"
        write_png(place / "before.png", make_picture(seed=number))
        write_png(place / "wanted.png", 255 - make_picture(seed=number))
        (place / "task.txt").write_text("invert it\n")
    return folder


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("viescore", "fullmarks"):
        install(
            tmp_path,
            monkeypatch,
            f"bench-{name}",
            {"editgauge.benchmarks": {name: f"{name}:BENCHMARK"}},
            package=HERE / name,
            version="0.3",
        )
    points = {
        "editgauge.scorers": {"brightness_gap": "plugins:brightness_gap"},
        "editgauge.editors": {"mirror": "plugins:mirror"},
    }
    install(tmp_path, monkeypatch, "some-plugins", points, package=HERE / "plugins")


def test_a_sub_score_that_is_missing_leaves_the_combined_one_without_a_value(
    installed: None, tmp_path: Path
) -> None:
    data, run = vie_data(tmp_path / "data"), tmp_path / "run"
    type_("edit", "viescore", data, "--editor", "copy", "--run", run, "--workers", 0)
    with Judge(lambda asked: chat('{"reasoning": "x", "success": 7}')) as server:
        words = ("--model", "made-2026-01-01", "--base-url", server.url)
        type_("judge", "viescore", data, "--run", run, *words, fine=(0, 1))
    query = "SELECT value, status, reason FROM rows WHERE metric = 'O'"
    (value, status, reason), *_ = fetch_tuples(Run.open(run).parquet(), query)
    assert (value, status) == (None, Status.UNPARSABLE)
    assert reason.startswith("success: ")


@pytest.mark.parametrize("benchmark", [viescore.BENCHMARK, fullmarks.BENCHMARK])
def test_their_declarations_are_complete(benchmark: Benchmark) -> None:
    check_benchmark(benchmark)


@pytest.mark.parametrize("name", PACKAGES)
def test_they_use_the_public_api_alone_and_are_short(name: str) -> None:
    text = (HERE / name / "__init__.py").read_text()
    assert len(text.splitlines()) < 150
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith("editgauge."), node.module
            if node.module == "editgauge":
                assert {alias.name for alias in node.names} <= set(editgauge.__all__)
        elif isinstance(node, ast.Import):
            assert "editgauge" not in {alias.name.partition(".")[0] for alias in node.names}


def test_a_broken_benchmark_costs_its_own_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = {"editgauge.benchmarks": {"torn": "torn:BENCHMARK", "odd": "odd:BENCHMARK"}}
    odd = "class Odd: name = 'odd'\nBENCHMARK = Odd()"
    modules = {"torn.py": "import no_such_library", "odd.py": odd}
    install(tmp_path, monkeypatch, "bad", points, modules=modules)
    entries = {e["name"]: e["about"] for e in json.loads(type_("list", "--json"))["benchmarks"]}
    assert "package bad): cannot be imported: ModuleNotFoundError" in entries["torn"]
    assert "package bad): wanted an editgauge.Benchmark, found Odd" in entries["odd"]
    assert entries["mini"]
    type_("audit", fine=(1,))
    with pytest.raises(editgauge.EditgaugeError, match="bad"):
        type_("score", "odd", tmp_path)


def test_a_benchmark_whose_scorers_fail_costs_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (HERE / "fullmarks" / "__init__.py").read_text()
    source = source.replace('Path(__file__).parent / "rubrics"', repr(None))
    torn = "\nfrom dataclasses import replace\nBENCHMARK = replace(BENCHMARK, scorers=lambda *a, **o: 1 / 0)"
    points = {"editgauge.benchmarks": {"fullmarks": "torn_scorers:BENCHMARK"}}
    modules = {"torn_scorers.py": source + torn}
    install(tmp_path, monkeypatch, "torn-scorers", points, modules=modules)
    data, run = full_data(tmp_path / "data"), tmp_path / "run"
    with pytest.raises(editgauge.EditgaugeError, match=r"torn-scorers.*ZeroDivisionError"):
        type_("score", "fullmarks", data, "--run", run)
