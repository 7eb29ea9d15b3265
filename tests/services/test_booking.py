"""One paid call: every fault ends in an answer or a reason, booked at what it may have cost."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from tests.contract.server import Answer, Judge, chat, error, sensible

from editgauge.errors import BudgetExceeded
from editgauge.services.booking import Ledger
from editgauge.services.gate import Gate
from editgauge.services.http import Http, Response, json_request
from editgauge.services.paid import Outcome, PaidCalls, Spend, decoded
from editgauge.services.secrets import Secrets
from editgauge.store.paid import Paid


def calls_to(server: Judge, **options: Any) -> PaidCalls:
    budget = options.pop("budget", None)
    timeout, concurrency = options.pop("timeout", 5.0), options.pop("concurrency", 8)
    ledger = Ledger(options.pop("paid", None), purpose="judge", budget=budget)
    return PaidCalls(
        http=Http(secrets=Secrets(["sk-secret-key"]), timeout=timeout),
        gate=Gate(concurrency),
        ledger=ledger,
        host="127.0.0.1",
        backoff=0.01,
        **options,
    )


def read(response: Response) -> Outcome:
    """Billed at a dollar where the reply is one of JSON."""
    value = decoded(response.data)
    if not isinstance(value, dict) or not value.get("choices"):
        return Outcome(kind="again", reason="no reply", http=200, booked=True, lost=True)
    return Outcome(kind="ok", value=value, cost=1.0, http=200)


def ask(server: Judge, calls: PaidCalls, most: float = 2.0) -> Outcome:
    request = json_request(f"{server.url}/chat/completions", {"messages": []})
    return calls.call(request, read, Spend(model="m", most=most))


def at_once(number: int, work: Callable[[], None]) -> None:
    with ThreadPoolExecutor(number) as pool:
        for future in [pool.submit(work) for _ in range(number)]:
            future.result()


LOST = {
    "dropped": Answer(drop=True),
    "cut": replace(chat("x"), cut=True),
    "half": Answer(b'{"choices": [{"message": '),
    "a page": Answer(b"<html>Bad gateway</html>", kind="text/html"),
    "huge": Answer(bytes(200 << 20), cut=True),
    "late": chat("x", seconds=3),
    "dripping": replace(chat("x"), pause=0.2),
}


@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
def test_an_answer_that_was_lost_counts_at_its_most(fault: Answer) -> None:
    with Judge(lambda asked: sensible(asked) if asked.number else fault) as server:
        calls = calls_to(server, timeout=1.5)
        assert ask(server, calls).kind == "ok"
    assert calls.ledger.totals == (3.0, 1.0, 2)


@pytest.mark.parametrize("budget", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("since", [0, 3, 12])
def test_a_service_that_bills_ten_times_as_much_in_the_middle_stays_within_the_budget(
    budget: float, since: int
) -> None:
    ledger, billed = Ledger(purpose="judge", budget=budget), list[float]()

    def work() -> None:
        with contextlib.suppress(BudgetExceeded):
            while True:
                entry = ledger.book(0.002, "m")
                time.sleep(0.02)  # as many are under way as may be
                billed.append(0.02 if len(billed) >= since else 0.001)
                ledger.settle(entry, billed[-1])

    at_once(16, work)
    assert len(billed) > since
    assert sum(billed) <= budget + 1e-9
    assert ledger.totals.booked == pytest.approx(sum(billed))


def test_a_bill_above_what_was_booked_makes_the_next_calls_as_dear() -> None:
    ledger = Ledger(purpose="judge", budget=1.0)
    ledger.settle(ledger.book(0.002, "m"), 0.02)
    assert ledger.book(0.0005, "m").booked == 0.02


def test_what_another_command_left_without_a_bill_counts_against_the_budget() -> None:
    paid = Paid(None)
    Ledger(paid, purpose="judge", budget=1.0).book(0.6, "m")
    with pytest.raises(BudgetExceeded):
        Ledger(paid, purpose="judge", budget=1.0).book(0.6, "m")


def test_the_gate_bounds_calls_and_narrows_where_a_server_refuses() -> None:
    gate, peak = Gate(3), 0
    lock = threading.Lock()

    def work() -> None:
        nonlocal peak
        with gate.enter():
            with lock:
                peak = max(peak, gate.in_flight)
            time.sleep(0.01)

    at_once(8, work)
    assert peak == 3
    with gate.enter() as admitted:
        gate.refused(admitted, 0.0)
    peak = 0
    at_once(8, work)
    assert peak == 2


THINKING = 0.17
"""The most of a call of a judge that thinks: 16,384 tokens at 10 US dollars a million, and input."""


@pytest.mark.parametrize(("budget", "together"), [(5.0, 16), (1.0, 3)])
def test_judges_that_think_are_not_throttled_once_their_bills_are_known(
    budget: float, together: int
) -> None:
    """They are booked at 16,384 tokens and bill about 1,000."""
    ledger = Ledger(purpose="judge", budget=budget)
    ledger.settle(ledger.book(THINKING, "m"), 0.0125)
    under_way, all_there = list[int](), threading.Event()

    def work() -> None:
        entry = ledger.book(THINKING, "m")
        under_way.append(entry.number)
        if len(under_way) == together:
            all_there.set()
        all_there.wait(5)  # where not all may go at once, this ends without them
        ledger.settle(entry, 0.0125)
        assert all_there.is_set()

    at_once(together, work)


@pytest.mark.parametrize(("budget", "since"), [(1.0, 1), (1.0, 5), (5.0, 1), (5.0, 5), (5.0, 20)])
def test_a_judge_that_thinks_and_bills_ten_times_as_much_in_the_middle_stays_within_the_budget(
    budget: float, since: int
) -> None:
    ledger, billed = Ledger(purpose="judge", budget=budget), list[float]()

    def work() -> None:
        with contextlib.suppress(BudgetExceeded):
            while True:
                entry = ledger.book(THINKING, "m")
                time.sleep(0.01)
                billed.append(0.3 if len(billed) >= since else 0.03)
                ledger.settle(entry, billed[-1])

    at_once(16, work)
    assert len(billed) > since
    assert sum(billed) <= budget + 1e-9


def test_the_stop_tells_of_no_sum_below_zero() -> None:
    """Sums of binary numbers have rests on both sides of 0."""
    ledger = Ledger(purpose="judge", budget=0.7)
    with contextlib.suppress(BudgetExceeded):
        for _ in range(20):
            ledger.settle(ledger.book(0.1, "m"), 0.1)
    said = str(ledger.exceeded(0.1, "m"))
    assert "-0.0" not in said
    assert "without a bill" not in said, "every call has its bill"


@pytest.mark.parametrize("status", [429, 500])
def test_a_server_that_asks_for_no_pause_is_not_asked_without_one(status: int) -> None:
    """``Retry-After: 0`` with every refusal: each pause is longer than the last one."""
    times: list[float] = []

    def answer(asked: Any) -> Answer:
        times.append(time.monotonic())
        return error(status, "busy", **{"Retry-After": "0"})

    with Judge(answer) as server:
        calls = calls_to(server, deadline=1.5)
        assert ask(server, calls).kind in ("busy", "again")
    assert len(times) <= 6
