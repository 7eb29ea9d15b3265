"""The engine against a server that breaks on command: every fault ends in a reply or a reason, and
nothing twice.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.contract.server import Answer, Judge
from tests.fault_server import FaultServer, ScriptedJudge
from tests.judging.conftest import Bench

from editgauge.errors import RunError
from editgauge.judging.asking import FIRST, Attempt, Job
from editgauge.judging.chat import Client, Dialect
from editgauge.judging.engine import Engine
from editgauge.judging.options import JudgeOptions
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Call, Picture
from editgauge.judging.reading import to_scores
from editgauge.store.hashes import HashStore
from editgauge.store.paid import Paid
from editgauge.types import Status

GOOD = '{"pictures_visible": true, "reason": "ok", "score": {"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2, "Q5": 1}}'


def test_a_reply_becomes_scores_of_both_variants(bench: Bench) -> None:
    """Five integers from one call, the judge's words and identity beside them."""
    with FaultServer(answer=ScriptedJudge(replies=(GOOD,))) as server:
        (heard,) = bench.ask(server)
    scores = to_scores(bench.call(), heard)
    assert [s.value for s in scores if s.variant == "corrected"] == [5, 4, 3, 2, 1]
    assert [s.value for s in scores if s.variant == "faithful"] == [5, 4, 3, 2, 1]
    detail = scores[0].detail
    assert detail["rationale"] == "ok"
    assert detail["model"] == "scripted-2026-01-01"
    assert detail["system_fingerprint"] == "fp_scripted"
    assert detail["usage"] == {"prompt_tokens": 1000, "completion_tokens": 50}


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("500", "HTTP 500: scripted 500"),
        ("drop", "no answer"),
        ("cut", "no answer"),
        ("truncated", "no JSON object"),
        ("empty", "an empty reply"),
        ("null", "without a choice"),
        ("html", "no JSON object"),
        ("slow:5", "no complete answer within"),
        ("drip:0.2", "no complete answer within"),
        ("400", "HTTP 400"),
    ],
)
def test_a_lasting_fault_is_a_reason_and_no_number(bench: Bench, fault: str, reason: str) -> None:
    """Every fault ends as failed with its reason; HTML that holds "Score: 4/5" gives no score
    either.
    """
    with FaultServer(lambda number: fault) as server:
        (heard,) = bench.ask(server, timeout=0.3)
    assert heard.status is Status.FAILED
    assert reason in heard.reason
    scores = to_scores(bench.call(), heard)
    assert {score.value for score in scores} == {None}
    assert {score.status for score in scores} == {Status.FAILED}


def test_one_repair_shows_the_judge_its_own_reply(bench: Bench) -> None:
    """Q1 = 7 cannot be: the judge is told, answers again, and the row says so. Faithful keeps the
    first reply.
    """
    bad = GOOD.replace('"Q1": 5', '"Q1": 7')
    with FaultServer(answer=ScriptedJudge(replies=(bad, GOOD))) as server:
        (heard,) = bench.ask(server)
    roles = [message["role"] for message in server.bodies[1]["messages"]]
    assert roles == ["user", "assistant", "user"]
    assert server.bodies[1]["messages"][1]["content"] == bad
    assert (
        "'Q1': wanted an integer from 1 to 5, found 7" in server.bodies[1]["messages"][2]["content"]
    )
    scores = {(s.metric, s.variant): s for s in to_scores(bench.call(), heard)}
    assert scores["Q1", "corrected"].value == 5
    assert scores["Q1", "faithful"].value == 7
    assert scores["Q1", "corrected"].detail["repaired"] is True


def test_the_same_pictures_in_flight_are_asked_about_once(bench: Bench) -> None:
    """Two editors that gave the same picture: one request, two results."""
    jobs = [replace(bench.jobs(1)[0], payload=(1, number)) for number in range(4)]
    with FaultServer(latency=0.05) as server:
        heard = bench.ask(server, jobs=[*bench.jobs(2), *jobs])
        assert server.requests == 2
    assert len({h.last for h in heard}) == 2


# -- room ------------------------------------------------------------------------------------------


def test_judges_that_think_get_room(bench: Bench) -> None:
    """The model's own limit, and the user's; the room that a cut reply got is kept over a repair."""
    with FaultServer() as server:
        bench.ask(server, 1, model="scripted-thinking")
    assert server.bodies[0]["max_tokens"] == 16384
    bad = GOOD.replace('"Q1": 5', '"Q1": 9')
    with FaultServer(["length"], answer=ScriptedJudge(replies=(bad, bad))) as server:
        bench.ask(server, jobs=bench.jobs(1, repeats=2)[1:], set=["max_tokens=2000"])
    assert [body["max_tokens"] for body in server.bodies] == [2000, 8000, 8000]


def test_judges_that_are_cut_off_again_and_again_stop_the_run(bench: Bench) -> None:
    with FaultServer(lambda number: "length") as server:
        with pytest.raises(RunError, match=r"max_tokens=\d+.*reasoning_effort=low") as caught:
            bench.ask(server, 15, concurrency=1)
        assert server.requests == 10, "five calls, each with more room once"
    assert "cut off" in str(caught.value)


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "reasoning_content": "hm"},
        {"content": "<think>first idea: 3, or rather"},
        {"content": [{"type": "reasoning", "text": "hm"}], "reasoning": "hm"},
    ],
)
def test_judges_that_think_and_never_answer_stop_the_run(
    bench: Bench, message: dict[str, Any]
) -> None:
    """Whatever the server calls it: here it says that the reply ended by itself."""
    said = {"choices": [{"message": message, "finish_reason": "stop"}], "model": "m"}
    advice = r"max_tokens=\d+.*reasoning_effort=low"
    with Judge(lambda asked: Answer(said)) as server, pytest.raises(RunError, match=advice):
        bench.ask(server, 12, concurrency=1, backoff=0.001)
    assert bench.engine is not None
    assert bench.engine.stats.requests == 10
    with Paid(bench.folder / "replies.sqlite") as paid:
        assert len(paid) >= 5, "what was paid for is kept"


# -- a judge that saw nothing ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "seen", "tokens", "blind"),
    [
        ("All texts are right.", "true", 1000, 0),
        ("No image was provided, so I assume the best.", "true", 1000, 1),
        ("nothing to see", "false", 1000, 1),
        ("All texts are right.", "true", 60, 1),
    ],
)
def test_a_judge_that_saw_nothing_is_warned_of_and_its_scores_stay(
    bench: Bench, reason: str, seen: str, tokens: int, blind: int
) -> None:
    """`pictures_visible: false` alone is no score; words and bills are a warning with a count."""
    content = GOOD.replace('"ok"', json.dumps(reason)).replace("true", seen)
    usage = {"prompt_tokens": tokens, "completion_tokens": 50}
    choice = {"message": {"content": content}, "finish_reason": "stop"}
    said = {"choices": [choice], "model": "m", "usage": usage}
    with Judge(lambda asked: Answer(said)) as server:
        (heard,) = bench.ask(server)
    engine = bench.engine
    assert engine is not None
    assert engine.stats.blind == blind
    assert (f"{blind} of 1 replies" in " ".join(engine.warnings())) == bool(blind)
    statuses = {score.status for score in to_scores(bench.call(), heard)}
    assert statuses == {Status.SCORED} if seen == "true" else Status.FAILED in statuses


# -- keys ------------------------------------------------------------------------------------------


def test_a_key_changes_with_everything_that_matters(bench: Bench) -> None:
    """Model, parameters, words, pictures, rubric, form, repeat and attempt each give another key;
    nothing else.
    """
    call = bench.call()

    def key(
        call: Call = call,
        model: str = "m",
        form: Any = "json_schema",
        repeat: int = 0,
        attempt: Attempt = FIRST,
    ) -> str:
        with HashStore(None) as hashes, Paid(None) as paid:
            client = Client("http://localhost/v1", key="")
            engine = Engine(client, paid, PictureStore(hashes), JudgeOptions(model=model))
            return engine.key(Job(call, repeat), attempt, Dialect(form=form))

    other = Picture(call.pictures[0].path, "input", mime="image/png")
    others = [
        key(model="n"), key(form=""), key(repeat=1), key(attempt=Attempt(name="repair")),
        key(replace(call, rubric="other")), key(replace(call, temperature=None)),
        key(replace(call, max_tokens=501)), key(replace(call, system="x")),
        key(replace(call, parts=("y",))), key(replace(call, parts=(call.parts[0], other))),
    ]  # fmt: skip
    assert len({key(), *others}) == len(others) + 1
    assert key(replace(call, name="another name")) == key()
