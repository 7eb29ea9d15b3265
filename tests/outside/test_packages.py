"""Two benchmarks, a metric and an editor of other packages: every command works on them, and they
use names of the public API alone.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import editgauge
from editgauge.images import write_png
from editgauge.store.parquet import fetch_tuples
from editgauge.store.run import Run
from editgauge.testing import FaultServer, check_benchmark, make_picture
from editgauge.types import Benchmark, Row, Status
from tests.command_line import Result, invoke
from tests.outside import fullmarks, plugins, viescore
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


SEEN = {"pictures_visible": True, "reasoning": "made"}


def answer(body: dict[str, Any]) -> str:
    """Consistency 9 and 9, quality 4 and 9; full marks but for one sample's restraint."""
    words = json.dumps(body)
    if "obeys" in words:
        return json.dumps({**SEEN, "obeys": 3, "keeps": 3, "fits": 3})
    return json.dumps({**SEEN, "score": [4, 9] if "natural" in words else [9, 9]})


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


@pytest.fixture(params=["viescore", "fullmarks"])
def made(request: pytest.FixtureRequest, installed: None, tmp_path: Path) -> tuple[str, Path, Path]:
    """A benchmark's name, its data, and a run with outputs of three editors."""
    data = (vie_data if request.param == "viescore" else full_data)(tmp_path / "data")
    run = tmp_path / "run"
    for editor in ("copy", "mirror", "blank"):
        type_("edit", request.param, data, "--editor", editor, "--run", run, "--workers", 0)
    return request.param, data, run


@pytest.fixture
def judge() -> Iterator[tuple[object, ...]]:
    with FaultServer(answer=answer) as server:
        yield ("--model", "made-2026-01-01", "--base-url", server.url)


def rows(run: Path, **wanted: Any) -> list[Row]:
    found = Run.open(run).rows()
    return [r for r in found if all(getattr(r, name) == value for name, value in wanted.items())]


def test_every_command_works_on_them(
    made: tuple[str, Path, Path], judge: tuple[object, ...], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    name, data, run = made
    assert name in type_("list", "benchmarks")
    assert "brightness_gap" in type_("list", "scorers")
    assert "mirror" in type_("list", "editors")
    type_("check", name, data, fine=(0, 1))
    type_("score", name, data, "--run", run)
    told = type_("judge", name, data, "--run", run, *judge, "--repeat", 2)
    assert "next:" in told
    headline = {"viescore": "O", "fullmarks": "all_full"}[name]
    value = {"viescore": 6.0, "fullmarks": 1.0}[name]
    derived = fetch_tuples(
        Run.open(run).parquet(),
        "SELECT value, scorer, origin ->> 'package' FROM rows WHERE metric = ? "
        "AND variant = 'faithful'",
        [headline],
    )
    assert len(derived) == 4 * 3 * 2, "each sample, editor and repeat"
    assert set(derived) == {(value, "derived", f"bench-{name}")}
    gaps = rows(run, metric="brightness_gap", editor="mirror")
    assert {round(row.value or 0.0, 9) for row in gaps} == {0.0}
    assert {row.origin["package"] for row in gaps} == {"some-plugins"}

    tables = json.loads(type_("table", run, "--format", "json", "--intervals"))["tables"]
    columns = {c["name"]: c for table in tables for c in table["columns"]}
    assert columns[headline]["direction"] == "higher"
    assert columns["brightness_gap"]["direction"] == "lower"
    if name == "viescore":
        assert "add" in type_("table", run, "--by", "kind")
        assert type_("judge", name, data, "--run", run, *judge, "--show", "pair-0", "--repeat", 2)
    (found,) = json.loads(type_("compare", run, "blank", "copy", "--format", "json"))["comparisons"]
    lines = {line["metric"]: line["direction"] for line in found["lines"]}
    assert lines[headline] == "higher"
    assert lines["brightness_gap"] == "lower"

    type_("report", run, "--no-thumbnails")
    meta = (run / "report" / "data" / "meta.js").read_text()
    benchmark = json.loads(meta[meta.index(",") + 1 : meta.rindex(")")])["benchmarks"][0]
    assert (
        benchmark["title"] == {"viescore": viescore, "fullmarks": fullmarks}[name].BENCHMARK.title
    )
    links = [table["meta"]["links"] for table in benchmark["tables"] if headline in str(table)]
    assert links[0][headline]["metric"] == headline

    type_("merge", run, "--to", tmp_path / "merged")
    assert len(rows(tmp_path / "merged")) == len(rows(run))
    assert json.loads(type_("score", name, data, "--run", run, "--json"))["computed"] == 0
    entries = Run.open(run).manifest()["entries"]
    recorded = {e["command"]: e.get("plugins", []) for e in entries}
    kinds = {(p["kind"], p["package"], p["version"]) for p in recorded["score"]}
    assert kinds == {("benchmark", f"bench-{name}", "0.3"), ("scorer", "some-plugins", "1.0")}
    assert ("benchmark", f"bench-{name}") in {(p["kind"], p["package"]) for p in recorded["edit"]}
    type_("audit", fine=(1,))


def test_a_sub_score_that_is_missing_leaves_the_combined_one_without_a_value(
    installed: None, tmp_path: Path
) -> None:
    data, run = vie_data(tmp_path / "data"), tmp_path / "run"
    type_("edit", "viescore", data, "--editor", "copy", "--run", run, "--workers", 0)
    with FaultServer(answer=lambda body: '{"reasoning": "x", "score": [7]}') as server:
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


def test_a_benchmark_in_a_plain_module_is_one_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It crashed `score`, `table` and `report`, which looked for modules beside its class."""
    source = (HERE / "fullmarks" / "__init__.py").read_text()
    source = source.replace('Path(__file__).parent / "rubrics"', repr(None))
    points = {"editgauge.benchmarks": {"fullmarks": "flat:BENCHMARK"}}
    install(tmp_path, monkeypatch, "plain", points, modules={"flat.py": source})
    data, run = full_data(tmp_path / "data"), tmp_path / "run"
    type_("edit", "fullmarks", data, "--editor", "copy", "--run", run, "--workers", 0)
    type_("score", "fullmarks", data, "--run", run)
    (first, *_) = json.loads(type_("table", run, "--format", "json"))["tables"]
    assert first["name"] == "fullmarks.all"
    type_("report", run, "--no-thumbnails")


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
    """It ended `list` and `score` with a traceback that blamed us."""
    source = (HERE / "fullmarks" / "__init__.py").read_text()
    source = source.replace('Path(__file__).parent / "rubrics"', repr(None))
    torn = "\nfrom dataclasses import replace\nBENCHMARK = replace(BENCHMARK, scorers=lambda *a, **o: 1 / 0)"
    points = {"editgauge.benchmarks": {"fullmarks": "torn_scorers:BENCHMARK"}}
    modules = {"torn_scorers.py": source + torn}
    install(tmp_path, monkeypatch, "torn-scorers", points, modules=modules)
    listed = json.loads(type_("list", "scorers", "--json"))["scorers"]
    abouts = {entry["about"] for entry in listed if entry.get("benchmark") == "fullmarks"}
    assert abouts == {
        "benchmark fullmarks (package torn-scorers): scorers: ZeroDivisionError: division by zero"
    }
    data, run = full_data(tmp_path / "data"), tmp_path / "run"
    with pytest.raises(editgauge.EditgaugeError, match=r"torn-scorers.*ZeroDivisionError"):
        type_("score", "fullmarks", data, "--run", run)


def test_a_maker_may_give_one_scorer() -> None:
    plugin = plugins.brightness_gap
    scorers = editgauge.by_track({"pixel": [lambda **_: plugin], "ocr": [lambda **_: (plugin,)]})
    assert list(scorers(["pixel"])) == list(scorers(["ocr"])) == [plugin]


@pytest.mark.slow
def test_pip_installs_them(tmp_path: Path) -> None:
    """A real installation in a folder of its own, read by a program of its own."""
    project = tmp_path / "project"
    (project / "viescore").mkdir(parents=True)
    (project / "viescore" / "__init__.py").write_text(
        (HERE / "viescore" / "__init__.py").read_text()
    )
    (project / "viescore" / "rubrics").mkdir()
    for file in (HERE / "viescore" / "rubrics").iterdir():
        (project / "viescore" / "rubrics" / file.name).write_text(file.read_text())
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "bench-viescore"\nversion = "0.3"\n'
        '[project.entry-points."editgauge.benchmarks"]\nviescore = "viescore:BENCHMARK"\n'
        '[tool.setuptools]\npackages = ["viescore"]\n'
        '[tool.setuptools.package-data]\nviescore = ["rubrics/*.md"]\n'
    )
    place = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--quiet",
         "--target", str(place), str(project)],
        check=True,
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "editgauge", "list", "benchmarks", "--json"],
        env={**os.environ, "PYTHONPATH": f"{Path(editgauge.__file__).parents[1]}:{place}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "viescore" in {entry["name"] for entry in json.loads(done.stdout)["benchmarks"]}
