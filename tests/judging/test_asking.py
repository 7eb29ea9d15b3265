"""The engine against a server that breaks on command: every fault ends in a reply or a reason, and
nothing twice.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace
from typing import Any

import pytest
from tests.judging.conftest import Bench
from tests.judging.raw_server import saying
from tests.local_server import LocalServer

from editgauge.errors import RunError
from editgauge.judging.asking import Engine
from editgauge.judging.fakes import request_pictures
from editgauge.judging.reading import read
from editgauge.judging.scores import to_scores
from editgauge.services.prices import Price
from editgauge.store.paid import Paid
from editgauge.testing import FaultServer, ScriptedJudge
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


def test_the_body_holds_the_files_own_bytes_in_order(bench: Bench) -> None:
    """Original, reference, output; the rubric first; a schema with the reason before the scores."""
    with FaultServer() as server:
        bench.ask(server)
    (body,) = server.bodies
    call = bench.call()
    assert request_pictures(body) == [picture.path.read_bytes() for picture in call.pictures]
    texts = [part.get("text") for part in body["messages"][0]["content"]]
    assert texts[0] == call.parts[0]
    assert texts[1:6:2] == ["Original:", "Reference:", "Result of the editor:"]
    schema = body["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["pictures_visible", "reason", "score"]
    assert body["temperature"] == 0.0
    assert body["max_tokens"] == 1000


@pytest.mark.parametrize(
    "fault", ["500", "503", "drop", "cut", "truncated", "empty", "null", "html", "huge", "slow:3"]
)
def test_a_passing_fault_is_tried_again(bench: Bench, fault: str) -> None:
    """One fault, then an answer: the answer counts."""
    with FaultServer(["ok", fault]) as server:
        first, second = bench.ask(server, 2, concurrency=1, timeout=1.0)
    assert first.status is second.status is Status.SCORED
    assert server.requests == 3


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


def test_a_huge_reply_is_dropped_early(bench: Bench) -> None:
    """100 MB where a verdict was wanted: not read to the end."""
    with FaultServer(lambda number: "huge") as server:
        (heard,) = bench.ask(server)
    assert heard.status is Status.FAILED
    assert "larger than 8 MiB" in heard.reason


@pytest.mark.parametrize("fault", ["refusal", "filter"])
def test_a_refusal_is_refused_and_asked_once(bench: Bench, fault: str) -> None:
    with FaultServer([fault]) as server:
        (heard,) = bench.ask(server)
        assert server.requests == 1
    assert heard.status is Status.REFUSED
    assert {score.status for score in to_scores(bench.call(), heard)} == {Status.REFUSED}


def test_a_storm_of_refusals_loses_nothing(bench: Bench) -> None:
    """429 for the first eight requests, with and without Retry-After: all ten calls are
    answered.
    """
    script = ["429:0.05" if number % 2 else "429" for number in range(8)]
    with FaultServer(script) as server:
        heard = bench.ask(server, 10, concurrency=8)
    assert [h.status for h in heard] == [Status.SCORED] * 10
    assert server.seen["ok"] == 10


def test_retry_after_is_honoured(bench: Bench) -> None:
    """No request goes out while the server said to wait, from any task."""
    with FaultServer(["ok", "429:0.6"]) as server:
        began = time.monotonic()
        heard = bench.ask(server, 6, concurrency=1)
        waited = time.monotonic() - began
    assert all(h.status is Status.SCORED for h in heard)
    assert waited >= 0.6


def test_a_server_that_asks_for_hours_stops_the_run(bench: Bench) -> None:
    """Nobody waits a day in silence: the command ends, and says when to come back."""
    with (
        FaultServer(["ok", "429:86400"]) as server,
        pytest.raises(RunError, match="longer than"),
    ):
        bench.ask(server, 3, concurrency=1)


def test_cut_off_replies_get_more_room_once(bench: Bench) -> None:
    with FaultServer(["length"]) as server:
        (heard,) = bench.ask(server)
    assert heard.status is Status.SCORED
    assert [body["max_tokens"] for body in server.bodies] == [1000, 4000]
    assert heard.first != heard.last
    assert heard.detail["more_room"] is True


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
    assert "Invalid enum value 7 - at `$.score.Q1`" in server.bodies[1]["messages"][2]["content"]
    scores = {(s.metric, s.variant): s for s in to_scores(bench.call(), heard)}
    assert scores["Q1", "corrected"].value == 5
    assert scores["Q1", "faithful"].value == 7
    assert scores["Q1", "corrected"].detail["repaired"] is True


def test_a_repair_that_fails_leaves_no_score(bench: Bench) -> None:
    """Twice no Q1: scores are there all together or not at all; two requests and no third."""
    bad = GOOD.replace('"Q1": 5', '"Q1": "good"')
    with FaultServer(answer=ScriptedJudge(replies=(bad, bad))) as server:
        (heard,) = bench.ask(server)
        assert server.requests == 2
    readings = read(bench.call(), heard.last).readings
    assert {reading.status for reading in readings.values()} == {Status.UNPARSABLE}


def test_nothing_is_paid_twice(bench: Bench) -> None:
    """A second run over the same store asks nothing, not even with another number of workers."""
    with FaultServer() as server:
        first = bench.ask(server, 5)
        assert server.requests == 5
        second = bench.ask(server, 5, concurrency=2)
        assert server.requests == 5
        third = bench.ask(server, 6)
        assert server.requests == 6
    assert [h.last for h in first] == [h.last for h in second] == [h.last for h in third[:5]]
    offline = bench.ask(server, 6, offline=True)
    assert [h.status for h in offline] == [Status.SCORED] * 6


def test_a_repeat_is_another_call_and_another_rubric_too(bench: Bench) -> None:
    with FaultServer() as server:
        bench.ask(server, jobs=bench.jobs(1, repeats=3))
        assert server.requests == 3
        bench.ask(server, model="another")
        assert server.requests == 4


def test_failed_and_refused_are_asked_again_only_on_request(bench: Bench) -> None:
    with FaultServer(["ok", "refusal", "400"]) as server:
        jobs = bench.jobs(3)
        heard = bench.ask(server, jobs=jobs, concurrency=1)
        assert [h.status for h in heard] == [Status.SCORED, Status.REFUSED, Status.FAILED]
        heard = bench.ask(server, jobs=jobs)
        assert server.requests == 3
        heard = bench.ask(server, jobs=jobs, retry=frozenset({"failed"}))
        assert server.requests == 4
        assert heard[2].status is Status.SCORED
        heard = bench.ask(server, jobs=jobs, retry=frozenset({"refused"}))
        assert [h.status for h in heard] == [Status.SCORED] * 3


def test_unparsable_is_asked_again_on_request(bench: Bench) -> None:
    with FaultServer(answer=ScriptedJudge(replies=("no", "no"))) as server:
        (heard,) = bench.ask(server)
        assert read(bench.call(), heard.last).readings["Q1"].value is None
        (heard,) = bench.ask(server, retry=frozenset({"unparsable"}))
        assert read(bench.call(), heard.last).readings["Q1"].value is not None
        assert server.requests == 3


def test_a_server_without_schemas_is_found_out_once(bench: Bench) -> None:
    """Two forms are refused and the third is taken, once in the whole run; the finding is kept, and
    the keys stay the same after it.
    """
    with FaultServer(lambda number: "noschema") as server:
        heard = bench.ask(server, 4)
        assert ["response_format" in body for body in server.bodies] == [True, True] + [False] * 4
        bench.ask(server, 4)
        assert server.requests == 6
    assert all(h.status is Status.SCORED for h in heard)


def test_another_model_answering_stops_the_run(bench: Bench) -> None:
    """Two judges are never mixed, in one run or over two runs of one store."""
    with (
        FaultServer(["ok", "model:other-2026-02-02"]) as server,
        pytest.raises(RunError, match="other-2026-02-02"),
    ):
        bench.ask(server, 2, concurrency=1)
    with (
        FaultServer(model="other-2026-02-02") as server,
        pytest.raises(RunError, match="answered first"),
    ):
        bench.ask(server, 3, concurrency=1)


@pytest.mark.parametrize(
    ("word", "match"),
    [("401", "EDITGAUGE_JUDGE_KEY"), ("404", "--model"), ("quota", "quota is used up")],
)
def test_what_no_retry_can_help_stops_at_once(bench: Bench, word: str, match: str) -> None:
    """A wrong key, an unknown model, an empty account: one request, one clear error, no secret in
    it.
    """
    with FaultServer(lambda number: word) as server:
        with pytest.raises(RunError, match=match) as caught:
            bench.ask(server, 5)
        assert server.requests <= 4
    assert "sk-test" not in str(caught.value)


def test_no_server_is_one_clear_error(bench: Bench) -> None:
    server = FaultServer()
    server.url = "http://127.0.0.1:9/v1"
    with pytest.raises(RunError, match="start the server"):
        bench.ask(server, 3)


def test_a_budget_is_never_passed(bench: Bench) -> None:
    """Real cost 0.0015 a call at these prices; with 0.02 dollars the run stops below and can go
    on.
    """
    price = Price(input=1.0, output=10.0, images="gemini-crops")
    with FaultServer() as server:
        bench.ask(server, 12, price=price, budget=0.02, concurrency=2)
        assert bench.engine is not None
        assert bench.engine.broke
        assert not bench.complete
        assert 0 < bench.engine.ledger.spent <= 0.02
        done = server.requests
        bench.ask(server, 12, price=price, budget=1.0)
        assert server.requests == 12 > done
    assert bench.engine.ledger.spent == pytest.approx((12 - done) * 0.0015)


def test_stopping_keeps_what_is_in_flight(bench: Bench) -> None:
    """After `stop` nothing new is asked; what was asked is in the store."""

    def stop_after_two(engine: Engine) -> None:
        if engine.stats.done == 2:
            engine.stop()

    with FaultServer(latency=0.05) as server:
        heard = bench.ask(server, 15, concurrency=3, each=stop_after_two)
        asked = server.requests
        assert len(heard) == asked < 15
        assert not bench.complete
        bench.ask(server, 15)
        assert server.requests == 15


def test_the_same_pictures_in_flight_are_asked_about_once(bench: Bench) -> None:
    """Two editors that gave the same picture: one request, two results."""
    jobs = [replace(bench.jobs(1)[0], payload=(1, number)) for number in range(4)]
    with FaultServer(latency=0.05) as server:
        heard = bench.ask(server, jobs=[*bench.jobs(2), *jobs])
        assert server.requests == 2
    assert len({h.last for h in heard}) == 2


def test_a_picture_that_is_none_is_unreadable(bench: Bench) -> None:
    jobs = bench.jobs(1)
    jobs[0].call.pictures[0].path.write_bytes(b"not a picture")
    with FaultServer() as server:
        (heard,) = bench.ask(server, jobs=jobs)
        assert server.requests == 0
    assert heard.status is Status.UNREADABLE


# -- room ------------------------------------------------------------------------------------------


def test_judges_that_think_get_room(bench: Bench) -> None:
    """The model's own limit, and the user's; the room that a cut reply got is kept over a repair."""
    with FaultServer() as server:
        bench.ask(server, 1, room=16384)
    assert server.bodies[0]["max_tokens"] == 16384
    bad = GOOD.replace('"Q1": 5', '"Q1": 9')
    with FaultServer(["length"], answer=ScriptedJudge(replies=(bad, bad))) as server:
        bench.ask(server, jobs=bench.jobs(1, repeats=2)[1:], room=2000)
    assert [body["max_tokens"] for body in server.bodies] == [2000, 8000, 8000]


def test_judges_that_are_cut_off_again_and_again_stop_the_run(bench: Bench) -> None:
    with FaultServer(lambda number: "length") as server:
        with pytest.raises(RunError, match=r"--max-tokens \d+.*--reasoning-effort low") as caught:
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
    with saying(json.dumps(said).encode()) as url:
        server = SimpleNamespace(url=url)
        with pytest.raises(RunError, match=r"--max-tokens \d+.*--reasoning-effort low"):
            bench.ask(server, 12, concurrency=1, backoff=0.001)  # type: ignore[arg-type]
    assert bench.engine is not None
    assert bench.engine.stats.asked == 10
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
    with saying(json.dumps(said).encode()) as url:
        (heard,) = bench.ask(SimpleNamespace(url=url))  # type: ignore[arg-type]
    engine = bench.engine
    assert engine is not None
    assert engine.stats.blind == blind
    assert (f"{blind} of 1 replies" in " ".join(engine.warnings())) == bool(blind)
    statuses = {score.status for score in to_scores(bench.call(), heard)}
    assert statuses == {Status.SCORED} if seen == "true" else Status.FAILED in statuses


# -- money -----------------------------------------------------------------------------------------


class RisingPrices(LocalServer):
    """Bills each request more than the last one: from the published price up to ten times it."""

    def __init__(self) -> None:
        self.bill, self.requests = 0.0, 0
        self.open()

    def post(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        self.requests += 1
        times = min(10.0, 1.0 + 0.05 * self.requests)
        tokens = {"prompt_tokens": round(1500 * times), "completion_tokens": round(100 * times)}
        self.bill += (tokens["prompt_tokens"] * 1.0 + tokens["completion_tokens"] * 10.0) / 1e6
        choice = {"message": {"content": GOOD}, "finish_reason": "stop"}
        self.send(handler, 200, {"model": "m", "choices": [choice], "usage": tokens})


def test_rising_prices_pass_a_budget_by_no_more_than_a_tenth(bench: Bench) -> None:
    """Each bill is the dearest so far; what is under way when it comes is all that can pass."""
    price = Price(input=1.0, output=10.0, images="gemini-crops")
    with RisingPrices() as server:
        bench.ask(server, 60, price=price, budget=0.06, concurrency=4)  # type: ignore[arg-type]
        assert bench.engine is not None
        assert bench.engine.broke
        assert server.requests > 4
        assert server.bill <= 0.06 * 1.1
        assert bench.engine.ledger.spent >= server.bill - 1e-9
