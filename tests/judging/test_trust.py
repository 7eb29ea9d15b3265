"""The probe of a judge: sight and finished edits."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from tests.fault_server import FaultServer, ScriptedJudge, request_pictures, request_words
from tests.judging.commands import opened

from editgauge.images import write_png
from editgauge.judging import command, trust


def digits_of(body: dict[str, Any], folder: Path) -> list[int]:
    """The digits that a request shows, known by the bytes of their pictures."""
    known = {}
    for digit in range(10):
        write_png(folder / f"{digit}.png", trust.digit_picture(digit))
        known[hashlib.sha256((folder / f"{digit}.png").read_bytes()).digest()] = digit
    return [known[hashlib.sha256(data).digest()] for data in request_pictures(body)]


def seeing(folder: Path, score: int | None = None) -> Any:
    """A judge that reads the digits, and gives every verdict the same score."""
    judge = ScriptedJudge(score=score)

    def answer(body: dict[str, Any]) -> str:
        if "shows one digit" not in request_words(body):
            return judge(body)
        names = [f'"picture_{n}": {d}' for n, d in enumerate(digits_of(body, folder), start=1)]
        return '{"pictures_visible": true, ' + ", ".join(names) + "}"

    return answer


def probed(run: Path, server: FaultServer) -> trust.Probe:
    with opened(run, server.url) as session:
        return command.probe(session)


def test_a_judge_that_sees_is_told_from_one_that_guesses(made: Path, tmp_path: Path) -> None:
    with FaultServer(answer=seeing(tmp_path, score=3)) as server:
        found = probed(made, server)
        asked = server.requests
        again = probed(made, server)
        assert server.requests == asked, "the same day is not paid for again"
    assert found.sees
    assert found.as_json() == again.as_json()
    assert "it reads the digits 7 2 4" in found.lines()[0]
    with FaultServer(model="blind", answer=ScriptedJudge(score=3)) as server:
        store = tmp_path / "replies.sqlite"
        with opened(made, server.url, replies=store) as session:
            blind = command.probe(session)
    assert not blind.sees
    assert blind.lines()[0].startswith("sight: FAILED: pictures show 7 2 4, it read 3 3 3")
    assert blind.as_json()["sees"] is False


def test_a_judge_that_gives_everybody_the_same_tells_no_finished_edit(
    made: Path, tmp_path: Path
) -> None:
    with FaultServer(answer=seeing(tmp_path, score=3)) as server:
        found = probed(made, server)
    assert found.finished.better == found.finished.worse == 0
    assert found.finished.passed is False


def test_finished_edits_by_hand() -> None:
    """Six pairs, five better and one equal: p = 1 / 2^5."""
    scores: dict[str, float] = {}
    for number in range(6):
        scores[f"s{number}/untouched/IF"] = 0.0
        scores[f"s{number}/perfect/IF"] = 1.0 if number else 0.0
    found = trust.finished(scores)
    assert found == (6, 5, 1, 0, 1 / 32, pytest.approx(5 / 6))
    assert found.passed
    few = trust.finished({"s/untouched/IF": 0.0, "s/perfect/IF": 1.0, "t/perfect/IF": 1.0})
    assert (few.n, few.passed) == (1, None)
