"""A judge protocol of another package: on any benchmark, with its version in rows and manifest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Result, invoke
from tests.fault_server import FaultServer, ScriptedJudge
from tests.plugins import install

from editgauge import catalog
from editgauge.errors import BenchmarkError
from editgauge.store.run import Run
from editgauge.types import Row

TRACK = """
from pathlib import Path
from editgauge import JudgeTrack, Metric, Question, Questions

TIDY = Metric("NAME", direction="higher", low=1, high=5, failure=1)
TRACK = JudgeTrack(
    name="tidiness",
    about="How tidy the picture is.",
    judging=lambda: Questions(
        metrics=(TIDY,), questions=(Question(rubric="tidy", metrics=("NAME",)),), version="VERSION"
    ),
    rubrics=Path(__file__).parent / "tidy_rubrics",
)
"""


def type_(*words: object) -> Result:
    done = invoke([str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.fixture
def put(tmp_path: Path) -> Any:
    def made(
        patch: pytest.MonkeyPatch, where: str = "1", *, name: str = "tidy", version: str = "1"
    ) -> None:
        source = TRACK.replace("NAME", name).replace("VERSION", version)
        points = {"editgauge.judges": {"tidiness": "tidy_track:TRACK"}}
        folder = install(tmp_path / where, patch, "some-judge", points, version=f"{version}.0",
                         modules={"tidy_track.py": source})  # fmt: skip
        (folder / "tidy_rubrics").mkdir()
        (folder / "tidy_rubrics" / "tidy.md").write_text("{{instruction}} {{warning}} Tidy?")

    return made


def rows(run: Path) -> list[Row]:
    return [row for row in Run.open(run).rows() if row.metric == "tidy"]


def judge(run: Path, url: str) -> dict[str, Any]:
    done = type_("judge", "mini", "--run", run, "--limit", 2, "--prompts", "tidiness",
                 "--model", "made-2026-01-01", "--base-url", url, "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_it_asks_about_any_benchmark_and_a_new_version_reads_the_replies_again(
    put: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    run = tmp_path / "run"
    type_("edit", "mini", "--editor", "copy", "--run", run, "--limit", 2, "--workers", 0)
    with FaultServer(answer=ScriptedJudge(score=4)) as server:
        with monkeypatch.context() as older:
            put(older)
            entries = json.loads(type_("list", "judges", "--json").stdout)["judges"]
            (entry,) = [entry for entry in entries if entry["name"] == "tidiness"]
            assert "tidy. How tidy the picture is." in entry["about"]
            assert judge(run, server.url)["rows_made"] == 4
            assert judge(run, server.url)["rows_made"] == 0
            first = rows(run)
            asked = server.requests
        put(monkeypatch, "2", version="2")
        assert judge(run, server.url)["rows_made"] == 4
        assert server.requests == asked, "the replies were stored"
    assert {row.value for row in rows(run)} == {4.0}
    assert {row.fingerprint for row in rows(run)}.isdisjoint(row.fingerprint for row in first)
    assert len(rows(run)) == len(first)
    assert {row.origin["package"] for row in first} == {"some-judge"}
    assert {row.origin["protocol_version"] for row in rows(run)} == {"2"}
    (*_, entry) = Run.open(run).manifest()["entries"]
    assert entry["plugins"] == [
        {"kind": "judge", "name": "tidiness", "package": "some-judge", "version": "2.0"}
    ]
    assert Run.open(run).metrics("mini")["tidy"].direction == "higher"
    assert "tidy" in type_("table", run).stdout


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("TRACK = 3", "wanted an editgauge.JudgeTrack, found int"),
        (TRACK.replace("tidy_rubrics", "nowhere"), "rubrics: wanted a folder"),
        (TRACK.replace('"higher"', "None"), "direction: wanted 'higher' or 'lower'"),
        (TRACK.replace('metrics=("NAME",)', 'metrics=("x",)'), "ValueError: question"),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    points = {"editgauge.judges": {"odd": "odd_track:TRACK"}}
    folder = install(tmp_path, monkeypatch, "odd-judge", points, modules={"odd_track.py": source})
    (folder / "tidy_rubrics").mkdir()
    with pytest.raises(BenchmarkError) as error:
        catalog.find("judges", "odd")
    assert "odd-judge" in str(error.value)
    assert said in str(error.value)
