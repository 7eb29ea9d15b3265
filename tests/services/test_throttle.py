"""The gates: how many, how fast; `Pace` against a token bucket in simulated time."""

from __future__ import annotations

import heapq
import random
import threading
import time

import pytest

from editgauge.services import throttle
from editgauge.services.throttle import Pace, ThreadGate


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


def simulate(
    clock: Clock, pace: Pace, calls: int, *, rate: float, saved: float, latency: float
) -> tuple[float, int]:
    """Seconds and refusals of `calls` against a bucket of `rate` calls a second and `saved` tokens.

    An answer takes `latency`, a refusal a tenth of it.
    """
    began, tokens, filled = clock.now, saved, clock.now
    waiting, done = calls, 0
    events: list[tuple[float, float, str]] = []
    while done < calls:
        while waiting and pace.admits():
            pace.take()
            waiting -= 1
            tokens = min(saved, tokens + (clock.now - filled) * rate)
            filled = clock.now
            fine = tokens >= 1
            tokens -= fine
            after = latency if fine else latency / 10
            heapq.heappush(events, (clock.now + after, clock.now, "ok" if fine else "refused"))
        wake = clock.now + (pace.delay() or 1e9) if waiting else 1e9
        if events and events[0][0] <= wake:
            clock.now, admitted, what = heapq.heappop(events)
            if what == "ok":
                pace.succeeded()
                done += 1
            else:
                pace.refused(admitted, None)
                waiting += 1
            pace.leave(0, admitted)
        else:
            assert wake < 1e9, "nothing will ever happen again"
            clock.now = wake
    return clock.now - began, pace.refusals


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(throttle.time, "monotonic", made.monotonic)
    return made


@pytest.mark.parametrize("concurrency", [4, 16, 64])
def test_a_token_bucket_is_met_with_few_refusals(clock: Clock, concurrency: int) -> None:
    """800 calls at 20 a second with 200 saved up: 30 s at best; under 60 refusals, within 2 %."""
    seconds, refusals = simulate(clock, Pace(concurrency), 800, rate=20, saved=200, latency=0.05)
    assert refusals < 60
    assert seconds < 30 * 1.02 + 0.35


def test_a_server_without_limits_is_used_to_the_full(clock: Clock) -> None:
    """64 at once at a second each: 640 calls take ten seconds and the ramp of the beginning."""
    seconds, refusals = simulate(clock, Pace(64), 640, rate=1e9, saved=1e9, latency=1.0)
    assert refusals == 0
    assert seconds <= 10.0 + throttle.RAMP


def test_a_fast_server_is_sent_no_more_than_it_can_work_on(clock: Clock) -> None:
    """Eight places of 40 ms answer 200 calls a second: of 64 allowed calls at once the rest would
    wait in line, and all be refused when a bucket turns out to be empty.
    """
    pace, places, ends, most = Pace(64), [clock.now] * 8, [], 0
    for _ in range(600):
        while not pace.admits():
            end, admitted = heapq.heappop(ends)
            wake = clock.now + (pace.delay() or 1e9)
            if wake < end:
                heapq.heappush(ends, (end, admitted))
                clock.now = wake
                continue
            clock.now = max(clock.now, end)
            pace.succeeded()
            pace.leave(0, admitted)
        pace.take()
        begins = max(clock.now, heapq.heappop(places))
        heapq.heappush(places, begins + 0.04)
        heapq.heappush(ends, (begins + 0.04, clock.now))
        if clock.now > 101.0:
            most = max(most, pace.in_flight)
    assert 8 <= most <= 24
    assert clock.now - 100.0 < 600 / 200 + 0.5


def test_threads_wait_while_the_gate_is_closed() -> None:
    gate = ThreadGate(2)
    with gate.enter() as admitted:
        assert gate.refused(admitted, 0.05) >= 0.04
    began = time.monotonic()
    with gate.enter():
        assert time.monotonic() - began >= 0.04


def test_never_more_threads_than_places() -> None:
    gate = ThreadGate(3)
    most: list[int] = []

    def one() -> None:
        with gate.enter():
            most.append(gate.in_flight)
            time.sleep(0.005)
            gate.succeeded()

    threads = [threading.Thread(target=one) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(most) == 12
    assert max(most) <= 3
    assert gate.in_flight == 0


def test_a_server_that_refuses_at_random_is_not_asked_ever_more_slowly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It has no bucket that could be learned, and says when the next call may come."""
    clock = Clock()
    monkeypatch.setattr(throttle, "time", clock)
    pace, chance, done, began = Pace(4), random.Random(1), 0, clock.now
    while done < 400:
        if not pace.admits():
            clock.now += pace.delay() or 0.001
            continue
        admitted = clock.now
        pace.take()
        clock.now += 0.02
        if chance.random() < 0.5:
            pace.refused(admitted, 0.05)
        else:
            pace.succeeded()
            done += 1
        pace.leave(0, admitted)
    assert clock.now - began < 800 * (0.02 + 2 * 0.05)
