"""The package that `editgauge new benchmark` writes: short, complete, and the manual's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.benchmarks import skeleton
from editgauge.errors import UsageError
from editgauge.images import write_png
from editgauge.store.parquet import fetch_tuples
from editgauge.store.run import Run
from editgauge.testing import check_benchmark, make_picture
from tests.command_line import Result, invoke
from tests.contract.server import Judge, chat
from tests.plugins import install

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "extend.md"
REPLY = '{"pictures_visible": true, "reasoning": "x", "follows": 4, "keeps": 9}'


def type_(*words: object) -> Result:
    done = invoke([str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def test_it_runs_from_edit_to_table_under_a_name_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    done = type_("new", "benchmark", "garden", "--to", tmp_path / "project", "--json")
    told = json.loads(done.stdout)
    assert told["files"] == [
        "garden/__init__.py", "garden/rubrics/judge.md", "pyproject.toml", "test_garden.py"
    ]  # fmt: skip
    assert not any("mybench" in (tmp_path / "project" / f).read_text() for f in told["files"])
    install(
        tmp_path,
        monkeypatch,
        "garden",
        {"editgauge.benchmarks": {"garden": "garden:BENCHMARK"}},
        package=tmp_path / "project" / "garden",
    )
    check_benchmark(catalog.find("benchmarks", "garden"))
    data, run = tmp_path / "data", tmp_path / "run"
    write_png(data / "a.png", make_picture())
    (data / "samples.json").write_text('[{"id": "a", "image": "a.png", "instruction": "prune"}]')
    assert "or editgauge judge" in type_("check", "garden", data).stdout
    edited = type_("edit", "garden", data, "--editor", "copy", "--run", run, "--workers", 0)
    assert "next:    editgauge judge garden" in edited.stdout
    with pytest.raises(UsageError, match="a judge's; ask one: editgauge judge garden"):
        type_("score", "garden", data, "--run", run)
    with Judge(lambda asked: chat(REPLY)) as server:
        words = ("--model", "made-2026-01-01", "--base-url", server.url)
        type_("judge", "garden", data, "--run", run, *words)
    query = "SELECT metric, value FROM rows WHERE variant = 'faithful'"
    values = dict(fetch_tuples(Run.open(run).parquet(), query))
    assert values == {"follows": 4.0, "keeps": 9.0, "overall": 4.0}
    assert "overall" in type_("table", run).stdout


@pytest.mark.parametrize("name", ["My-Bench", "class", "ünder", "9lives", "", "a b", "../up"])
def test_a_name_that_no_module_may_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="wanted a name of small letters"):
        skeleton.write(name, tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_what_is_there_stays(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is one of this name"):
        skeleton.write("mini", tmp_path / "x")
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="not an empty folder"):
        skeleton.write("garden", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
