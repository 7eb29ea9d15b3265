"""The engine against a server that breaks on command: every fault ends in a reply or a reason."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.contract.server import Answer, Asked, Judge, chat, error
from tests.judging.conftest import Bench

from editgauge.errors import RunError
from editgauge.judging.asking import FIRST, Attempt, Job
from editgauge.judging.chat import Client, Dialect
from editgauge.judging.engine import Engine
from editgauge.judging.options import JudgeOptions
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Call, Picture
from editgauge.store.hashes import HashStore
from editgauge.store.paid import Paid
from editgauge.store.schema import digest
from editgauge.types import Status

GOOD = '{"pictures_visible": true, "reason": "ok", "score": {"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2, "Q5": 1}}'


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (error(500, "scripted"), "HTTP 500: scripted"),
        (Answer({"error": "overloaded"}), "HTTP 502: overloaded"),
        (Answer(drop=True), "no answer"),
        (chat(""), "an empty reply"),
        (Answer(b"<html>Score: 4/5</html>", kind="text/html"), "no JSON object"),
        (replace(chat(GOOD), pause=0.2), "no complete answer within"),
        (error(400), "HTTP 400"),
    ],
)
def test_a_lasting_fault_is_a_reason_and_no_number(
    bench: Bench, fault: Answer, reason: str
) -> None:
    """HTML that holds "Score: 4/5" gives no score either."""
    with Judge(lambda asked: fault) as server:
        (heard,) = bench.ask(server, timeout=0.3 if "within" in reason else 5.0)
    assert {(score.value, score.status) for score in heard} == {(None, Status.FAILED)}
    assert all(reason in score.reason for score in heard)


def test_one_repair_shows_the_judge_its_own_reply(bench: Bench) -> None:
    """Q1 = 7 cannot be: the judge is told and answers again; faithful keeps the first reply."""
    bad = GOOD.replace('"Q1": 5', '"Q1": 7')
    with Judge(lambda asked: chat(GOOD if asked.number else bad)) as server:
        (heard,) = bench.ask(server)
    _, shown, told = server.chats[1].json["messages"]
    assert shown == {"role": "assistant", "content": bad}
    assert "'Q1': wanted an integer from 1 to 5, found 7" in told["content"]
    scores = {(s.metric, s.variant): s for s in heard}
    assert scores["Q1", "corrected"].value == 5
    assert scores["Q1", "faithful"].value == 7
    assert scores["Q1", "corrected"].detail["attempt"] == "repair"


def test_the_same_pictures_in_flight_are_asked_about_once(bench: Bench) -> None:
    jobs = [replace(bench.jobs(1)[0], payload=(1, number)) for number in range(4)]
    with Judge(lambda asked: chat(GOOD.replace("ok", str(asked.number)), seconds=0.05)) as server:
        heard = bench.ask(server, jobs=[*bench.jobs(2), *jobs])
        assert len(server.chats) == 2
    assert len({scores[0].detail["reply"] for scores in heard}) == 2


def test_what_a_server_takes_is_learned_by_all_calls_under_way(bench: Bench) -> None:

    def answer(asked: Asked) -> Answer:
        if "strict" in asked.json["response_format"]["json_schema"]:
            return Answer(
                error(400, "'strict' is not supported").body, 400, seconds=0.1 * asked.number
            )
        return chat(GOOD)

    with Judge(answer) as server:
        heard = bench.ask(server, 6, concurrency=6)
    assert {score.status for scores in heard for score in scores} == {Status.SCORED}


# -- room ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "finish"),
    [
        ({"content": GOOD[:20]}, "length"),
        ({"content": None, "reasoning_content": "hm"}, "stop"),
        ({"content": "<think>first idea: 3, or rather"}, "stop"),
        ({"content": [{"type": "reasoning", "text": "hm"}], "reasoning": "hm"}, "stop"),
    ],
)
def test_judges_that_never_come_to_an_answer_stop_the_run(
    bench: Bench, message: dict[str, Any], finish: str
) -> None:
    said = {"choices": [{"message": message, "finish_reason": finish}], "model": "m"}
    advice = r"max_tokens=\d+.*reasoning_effort=low"
    with Judge(lambda asked: Answer(said)) as server, pytest.raises(RunError, match=advice):
        bench.ask(server, 12, concurrency=1, backoff=0.001)
    assert bench.engine is not None
    # cut off: two for the first call, and then one for each, with more room at once
    assert bench.engine.stats.requests == (6 if finish == "length" else 10)
    with Paid(bench.folder / "replies.sqlite") as paid:
        assert len(paid) >= 5, "what was paid for is kept"


def needs_room(asked: Asked) -> Answer:
    """A judge whose replies have more tokens than a call declares."""
    is_cut = asked.json["max_tokens"] < 2000
    return chat(GOOD[:20] if is_cut else GOOD, finish="length" if is_cut else "stop")


def test_the_room_that_a_judge_needs_is_learned(bench: Bench) -> None:
    with Judge(needs_room) as server:
        heard = bench.ask(server, 6, concurrency=1)
        assert len(server.chats) == 7, "only the first call is paid twice"
        assert bench.engine is not None
        (warning,) = bench.engine.warnings()
        assert warning.startswith("1 replies were cut off")
        heard += bench.ask(server, 9, concurrency=1)
        assert len(server.chats) == 10, "a later command knows it, too"
        again = bench.ask(server, 9, concurrency=1)
        assert len(server.chats) == 10
    scores = [score for scores in (*heard, *again) for score in scores]
    strict = [score for score in scores if score.variant == "corrected"]
    assert {score.status for score in strict} == {Status.SCORED}


def test_a_reply_that_ends_within_its_limit_is_paid_once(bench: Bench) -> None:
    with Judge(lambda asked: chat(f"Sure!\n```json\n{GOOD}\n```\nAnything else?")) as server:
        heard = bench.ask(server, 6)
        assert len(server.chats) == 6
        assert {one.json["max_tokens"] for one in server.chats} == {1000}
    assert {score.status for scores in heard for score in scores} == {Status.SCORED}


# -- replies of older versions ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "dialect",
    [
        Dialect(form="json_object"),
        Dialect(form="", tokens_field="max_completion_tokens", temperature=False),
        Dialect(dropped=("strict", "additionalProperties", "enum"), sure=True),
        Dialect(form="tool"),
    ],
)
@pytest.mark.parametrize("noted", [True, False])
def test_a_reply_under_the_key_of_its_whole_request_is_found(
    bench: Bench, dialect: Dialect, noted: bool
) -> None:
    """The key was once made of the body that was sent, a server's peculiarities included."""
    (job,) = bench.jobs(1)
    job = replace(job, about={"benchmark": "textedit", "sample": "sample-1", "editor": "an-editor"})
    with HashStore(None) as hashes, Paid(bench.folder / "replies.sqlite") as paid:
        client = Client("http://localhost/v1", key="")
        engine = Engine(client, paid, PictureStore(hashes), JudgeOptions(model="scripted"))
        marks = [engine.pictures.identity(picture) for picture in job.call.pictures]
        words = engine.body(job, FIRST, dialect).decode()
        key = digest("openai-chat", job.call.rubric, 0, "first", marks, words)
        request = {**job.about, "call": job.call.name, "repeat": 0, "attempt": "first"}
        stored = {"key": key, "status": "ok", "content": GOOD, "finish": "stop"}
        paid.put(key, {**stored, "asked": "scripted", "request": request})
        if noted:
            paid.note("dialect scripted", dialect.note)
    with Judge(lambda asked: chat(GOOD)) as server:
        (heard,) = bench.ask(server, jobs=[job])
        assert len(server.chats) == 0, "what was paid for is not paid for again"
    assert {score.status for score in heard} == {Status.SCORED}
    assert {score.detail["reply"] for score in heard} == {key}


# -- a judge that saw nothing ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "seen", "tokens", "blind"),
    [
        ("All texts are right.", "true", 1000, 0),
        ("No image was provided, so I assume the best.", "true", 1000, 1),
        ("As I can't view the attached images, I assume the best.", "true", 1000, 1),
        ("Without seeing the seam, I do not see any image artifacts.", "true", 1000, 0),
        ("nothing to see", "false", 1000, 1),
        ("All texts are right.", "true", 60, 1),
    ],
)
def test_a_judge_that_saw_nothing_is_warned_of_and_its_scores_stay(
    bench: Bench, reason: str, seen: str, tokens: int, blind: int
) -> None:
    content = GOOD.replace('"ok"', json.dumps(reason)).replace("true", seen)
    usage = {"prompt_tokens": tokens, "completion_tokens": 50}
    choice = {"message": {"content": content}, "finish_reason": "stop"}
    said = {"choices": [choice], "model": "m", "usage": usage}
    with Judge(lambda asked: Answer(said)) as server:
        (heard,) = bench.ask(server)
    assert bench.engine is not None
    warned = " ".join(bench.engine.warnings())
    assert (f"{blind} of 1 replies" in warned) == bool(blind) == bool(warned)
    statuses = {score.status for score in heard}
    assert statuses == {Status.SCORED} if seen == "true" else Status.FAILED in statuses


def test_a_key_changes_with_everything_that_matters(bench: Bench) -> None:
    call = bench.call()

    def key(
        call: Call = call, model: str = "m", form: Any = "json_schema", repeat: int = 0,
        attempt: Attempt = FIRST,
    ) -> str:  # fmt: skip
        with HashStore(None) as hashes, Paid(None) as paid:
            client = Client("http://localhost/v1", key="")
            engine = Engine(client, paid, PictureStore(hashes), JudgeOptions(model=model))
            engine.dialect = Dialect(form=form)
            return engine.key(Job(call, repeat), attempt)

    other = Picture(call.pictures[0].path, "input", mime="image/png")
    others = [
        key(model="n"), key(repeat=1), key(attempt=Attempt(name="repair")),
        key(replace(call, rubric="other")), key(replace(call, temperature=None)),
        key(replace(call, max_tokens=501)), key(replace(call, system="x")),
        key(replace(call, parts=("y",))), key(replace(call, parts=(call.parts[0], other))),
    ]  # fmt: skip
    assert len({key(), *others}) == len(others) + 1
    assert key(replace(call, name="another name")) == key()
    assert key(form="") == key(), "what a server does not accept is no part of the question"
