"""A judge protocol of another package: on any benchmark, with its version in rows and manifest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.fault_server import FaultServer, ScriptedJudge
from tests.judging.commands import command
from tests.plugins import install

from editgauge import Metric, Question, Questions, catalog
from editgauge.errors import BenchmarkError
from editgauge.store.run import Run
from editgauge.types import Row

TRACK = """
from pathlib import Path
from editgauge import JudgeTrack, Metric, Question, Questions

TIDY = Metric("tidy", direction="higher", low=1, high=5, failure=1)
TRACK = JudgeTrack(
    name="tidiness",
    about="How tidy the picture is.",
    judging=lambda: Questions(
        metrics=(TIDY,), questions=(Question(rubric="tidy", metrics=("tidy",)),), version="VERSION"
    ),
    rubrics=Path(__file__).parent / "tidy_rubrics",
)
"""


@pytest.mark.parametrize("name", ["reasoning", "pictures_visible"])
def test_a_metric_is_not_called_as_a_field_of_every_reply(name: str) -> None:
    metric = Metric(name, direction="higher", low=1, high=5, failure=1)
    with pytest.raises(ValueError, match=f"cannot be called {name}, which is a field of every"):
        Questions(metrics=(metric,), questions=(Question(rubric="tidy", metrics=(name,)),))


def put(
    place: Path, patch: pytest.MonkeyPatch, source: str, name: str = "tidiness", version: str = "1"
) -> None:
    """Install a package with a judge track."""
    points = {"editgauge.judges": {name: "tidy_track:TRACK"}}
    source = source.replace("VERSION", version)
    folder = install(place, patch, "some-judge", points, version=f"{version}.0",
                     modules={"tidy_track.py": source})  # fmt: skip
    (folder / "tidy_rubrics").mkdir()
    (folder / "tidy_rubrics" / "tidy.md").write_text("{{instruction}} {{warning}} Tidy?")


def rows(run: Path) -> list[Row]:
    return [row for row in Run.open(run).rows() if row.metric == "tidy"]


def judge(run: Path, url: str) -> int:
    """How many rows it makes."""
    done = command("judge", "mini", "--run", str(run), "--limit", "2", "--prompts", "tidiness",
                   "--json", url=url)  # fmt: skip
    return int(json.loads(done.stdout)["rows_made"])


def test_it_asks_about_any_benchmark_and_a_new_version_reads_the_replies_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    command("edit", "mini", "--editor", "copy", "--run", str(run), "--limit", "2", "--workers", "0")
    with FaultServer(answer=ScriptedJudge(score=4)) as server:
        with monkeypatch.context() as older:
            put(tmp_path / "1", older, TRACK)
            entries = json.loads(command("list", "judges", "--json").stdout)["judges"]
            (entry,) = [entry for entry in entries if entry["name"] == "tidiness"]
            assert "tidy. How tidy the picture is." in entry["about"]
            assert (judge(run, server.url), judge(run, server.url)) == (4, 0)
            first, asked = rows(run), server.requests
        put(tmp_path / "2", monkeypatch, TRACK, version="2")
        assert judge(run, server.url) == 4
        assert server.requests == asked, "the replies were stored"
    assert {row.value for row in rows(run)} == {4.0}
    assert {row.fingerprint for row in rows(run)}.isdisjoint(row.fingerprint for row in first)
    assert len(rows(run)) == len(first)
    assert {row.origin["package"] for row in first} == {"some-judge"}
    assert {row.origin["protocol_version"] for row in rows(run)} == {"2"}
    package: Any = {"kind": "judge", "name": "tidiness", "package": "some-judge", "version": "2.0"}
    assert Run.open(run).manifest()["entries"][-1]["plugins"] == [package]
    assert "tidy" in command("table", str(run)).stdout


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("TRACK = 3", "wanted an editgauge.JudgeTrack, found int"),
        (TRACK.replace("tidy_rubrics", "nowhere"), "rubrics: wanted a folder"),
        (TRACK.replace('"higher"', "None"), "direction: wanted 'higher' or 'lower'"),
        (TRACK.replace('metrics=("tidy",)', 'metrics=("x",)'), "ValueError: question"),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    put(tmp_path, monkeypatch, source, "odd")
    with pytest.raises(BenchmarkError) as error:
        catalog.find("judges", "odd")
    assert "some-judge" in str(error.value)
    assert said in str(error.value)
