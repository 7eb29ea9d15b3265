"""The package that `editgauge new benchmark` writes, and packages that are broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.benchmarks import skeleton
from editgauge.errors import EditgaugeError, UsageError
from editgauge.images import write_png
from editgauge.store.parquet import fetch_tuples
from editgauge.store.run import Run
from editgauge.testing import check_benchmark, make_picture
from editgauge.types import Status
from tests.command_line import Result, did
from tests.contract.packages import installed
from tests.contract.server import Judge, chat


def type_(*words: object, code: int = 0) -> Result:
    done = did(words)
    assert done.exit_code == code, done.output
    return done


def test_a_sub_score_that_is_missing_leaves_the_combined_one_without_a_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journey of such a package is `tests/contract/test_journeys_tools.py`."""
    project, data, run = tmp_path / "project", tmp_path / "data", tmp_path / "run"
    files = json.loads(type_("new", "benchmark", "garden", "--to", project, "--json").stdout)
    assert not any("mybench" in (project / name).read_text() for name in files["files"])
    points = {"editgauge.benchmarks": {"garden": "garden:BENCHMARK"}}
    installed(project, monkeypatch, points, {})
    check_benchmark(catalog.find("benchmarks", "garden"))
    write_png(data / "a.png", make_picture())
    (data / "samples.json").write_text('[{"id": "a", "image": "a.png", "instruction": "prune"}]')
    type_("edit", "garden", data, "--editor", "copy", "--run", run, "--workers", 0)
    with pytest.raises(UsageError, match="a judge's; ask one: editgauge judge garden"):
        type_("score", "garden", data, "--run", run)
    with Judge(lambda asked: chat('{"reasoning": "x", "follows": 4}')) as server:
        words = ("--model", "made-2026-01-01", "--base-url", server.url)
        type_("judge", "garden", data, "--run", run, *words, code=1)
    query = "SELECT value, status, reason FROM rows WHERE metric = 'overall'"
    (value, status, reason), *_ = fetch_tuples(Run.open(run).parquet(), query)
    assert (value, status) == (None, Status.UNPARSABLE)
    assert reason.startswith("follows: ")


TORN = """
from dataclasses import replace
from editgauge.benchmarks.mini import BENCHMARK as MINI
BENCHMARK = replace(MINI, name="failing", scorers=lambda *words, **more: 1 / 0)
"""


def test_a_broken_benchmark_costs_its_own_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("torn", "odd", "failing")
    points = {"editgauge.benchmarks": {name: f"{name}:BENCHMARK" for name in names}}
    odd = "class Odd: name = 'odd'\nBENCHMARK = Odd()"
    modules = {"torn.py": "import no_such_library", "odd.py": odd, "failing.py": TORN}
    installed(tmp_path / "bad", monkeypatch, points, modules)
    entries = {
        e["name"]: e["about"] for e in json.loads(type_("list", "--json").stdout)["benchmarks"]
    }
    assert "package bad): cannot be imported: ModuleNotFoundError" in entries["torn"]
    assert "package bad): wanted an editgauge.Benchmark, found Odd" in entries["odd"]
    assert entries["mini"]
    type_("audit", code=1)
    for name, said in (("odd", "bad"), ("failing", "bad.*ZeroDivisionError")):
        with pytest.raises(EditgaugeError, match=said):
            type_("score", name, "--run", tmp_path / "run")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *dict.fromkeys(
            ["My-Bench", "class", "ünder", "9lives", "", "../up"], "wanted a name of small letters"
        ).items(),
        ("mini", "there is one of this name"),
        ("garden", "not an empty folder"),
    ],
)
def test_another_name_and_a_folder_that_is_not_empty_are_refused(
    tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=said):
        skeleton.write(name, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
