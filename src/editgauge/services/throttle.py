"""One gate for all calls in flight: how many, how fast, and how many bytes.

`Pace` decides, `ThreadGate` waits on threads: for the editors that are not on `gate` yet.

Every refusal (429, or 503 with Retry-After) closes the gate for everybody, so that one server limit
is met once and not sixty times. Two things are learned from refusals: a concurrency (x 0.7 at a
refusal, slow growth after) and a rate. The rate is exact for a token bucket: at two refusals the
bucket is empty, so what got through between them is what flowed into it. Calls are let through at a
hair above that rate, which keeps the bucket drained and costs a refusal every few seconds; tokens
that flow in while the gate is closed may be used at once when it opens.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

RAMP = 0.35
"""Seconds over which the first full wave of calls is spread. A fast server is not sent a bucketful
at once, all refused together when the bucket is empty; a slow one does not notice.
"""
LEAST_RAMP = 100.0
"""Calls a second, or twice the concurrency if that is more, at which calls follow the first wave.
"""
DOUBLING = 2.0
"""Seconds in which that speed doubles."""
FAST = 100.0
"""Answers a second from which no more calls are sent at once than twice what that speed needs.
More would only wait in line, and all of them are refused when a bucket turns out to be empty. A
judge with pictures to read is never as fast.
"""
FEW = 12.0
"""Calls at once that are always sent."""
STEEPEST = 4000.0
"""Calls a second at which the ramp has ended."""
EASING = 4.0
"""Seconds within which the gate opens fully after a refusal."""
PROBE = 1.006
"""How far above the learned rate calls are let through, and how much that grows in each second
without a refusal.
"""


class Pace:
    """Who may be sent when: what `Gate` and `ThreadGate` share. Not thread-safe by itself."""

    def __init__(self, concurrency: int, max_bytes: int = 512 << 20) -> None:
        self.concurrency = concurrency
        self.limit = float(concurrency)
        self.rate: float | None = None
        """Calls a second that the server was seen to take; None until it has refused twice."""
        self.refusals = 0
        self.in_flight = 0
        self.bytes_in_flight = 0
        self.peak_bytes = 0
        self._max_bytes = max_bytes
        self._open_at = 0.0
        self._tokens = 0.0
        self._filled_at = 0.0
        self._first_refusal: float | None = None
        self._last_refusal = 0.0
        self._sent = 0
        self._ended = 0
        self._first_end = 0.0
        self._quickest = math.inf
        self._passed = 0
        self._shrunk_at = 0.0
        self._consecutive = 0
        self._eased_at: float | None = None
        self._told: float | None = None
        """Seconds that the server last asked for."""
        self._began: float | None = None

    def succeeded(self) -> None:
        """A call was answered: the concurrency grows by one for each full round."""
        self._passed += 1
        self._consecutive = 0
        self.limit = min(float(self.concurrency), self.limit + 1 / self.limit)

    def refused(self, admitted: float, retry_after: float | None) -> float:
        """A call admitted at that time was refused; returns the seconds for which the gate is
        closed.
        """
        now = time.monotonic()
        self.refusals += 1
        if self._first_refusal is None:
            self._first_refusal, self._passed = now, 0
        elif now - self._first_refusal >= 1.0 and self._passed:
            self.rate = self._passed / (now - self._first_refusal)
        self._tokens, self._filled_at, self._last_refusal = 0.0, now, now
        if admitted > self._shrunk_at:  # one step for all refusals of one wave
            self.limit = max(1.0, self.limit * 0.7)
            self._shrunk_at = now
            self._consecutive += 1
        pause = (
            retry_after
            if retry_after is not None
            else min(8.0, 0.1 * 2 ** min(self._consecutive, 7))
        )
        if self.rate and retry_after is None:
            pause = max(1.0 / self.rate, 0.02)
        self._open_at = max(self._open_at, now + pause)
        self._eased_at = self._open_at
        self._told = retry_after or self._told
        return self._open_at - now

    def admits(self, size: int = 0) -> bool:
        """Whether a call with a body of `size` bytes may be sent now."""
        now = time.monotonic()
        if now < self._open_at or self.in_flight >= max(1, int(self.limit)):
            return False
        if self.in_flight and self.bytes_in_flight + size > self._max_bytes:
            return False
        if self.rate is None and self.in_flight >= min(self._eased(now), self._useful(now)):
            return False
        self._fill(now)
        return self._tokens >= 1.0

    def _eased(self, now: float) -> float:
        """Calls at once while the rate is not known yet and the gate has just opened again: a few,
        then more within `EASING` seconds. A full wave would only be refused once more.
        """
        if self._eased_at is None:
            return math.inf
        return 2.0 + max(0.0, now - self._eased_at) * self.concurrency / EASING

    def _useful(self, now: float) -> float:
        """Calls at once that a fast server can work on; more than any number for a slow one."""
        age = now - self._first_end
        if self.refusals or self._ended < FEW or age <= 0 or self._ended / age < FAST:
            return math.inf
        return max(FEW, 2.0 * self._quickest * self._ended / age)

    def delay(self) -> float | None:
        """Seconds until time alone may let the next call in; None where a call has to end first."""
        now = time.monotonic()
        delay = self._open_at - now
        if delay > 0:
            return delay
        if self.rate is None and self.in_flight >= self._eased(now):
            return EASING / self.concurrency
        if self._tokens < 1.0 and (speed := self._speed(now)) < math.inf:
            return max(0.001, (1.0 - self._tokens) / speed)
        # The gate may have opened since `admits` was asked: with no call under way nobody would
        # wake the one who waits.
        return None if self.in_flight else 0.001

    def take(self, size: int = 0) -> None:
        """A call is sent."""
        self.in_flight += 1
        self.bytes_in_flight += size
        self.peak_bytes = max(self.peak_bytes, self.bytes_in_flight)
        if self._began is None:
            self._began = self._filled_at = time.monotonic()
        self._sent += 1
        self._tokens -= 1.0

    def leave(self, size: int = 0, admitted: float | None = None) -> None:
        """A call has ended that was admitted then."""
        self.in_flight -= 1
        self.bytes_in_flight -= size
        if admitted is not None:
            now = time.monotonic()
            self._ended += 1
            self._first_end = self._first_end or now
            self._quickest = min(self._quickest, now - admitted)

    def _speed(self, now: float) -> float:
        """Calls a second that are let through: a hair above the learned rate, else the ramp of the
        beginning, else as many as there are places.
        """
        if self.rate is not None:
            speed = self.rate * (PROBE + 0.006 * (now - self._last_refusal))
            # A server that refuses at random has no bucket: what is learned from it falls without
            # end. It says itself when the next call may come.
            return max(speed, 1.0 / self._told) if self._told else speed
        if self.refusals or self._began is None:
            return math.inf
        if self._sent < self.concurrency:
            return max(self.concurrency / RAMP, LEAST_RAMP)
        steep = max(2.0 * self.concurrency, LEAST_RAMP) * 2.0 ** min(
            20.0, (now - self._began) / DOUBLING
        )
        return steep if steep < STEEPEST else math.inf

    def _fill(self, now: float) -> None:
        speed = self._speed(now)
        most = max(2.0, float(self.concurrency)) if self.rate is not None else 4.0
        if speed == math.inf:
            self._tokens = most
        else:
            self._tokens = min(self._tokens + speed * (now - self._filled_at), most)
        self._filled_at = now


class ThreadGate(Pace):
    """Admission for threads."""

    def __init__(self, concurrency: int) -> None:
        super().__init__(concurrency)
        self._changed = threading.Condition()

    @contextmanager
    def enter(self, size: int = 0) -> Iterator[float]:
        """Wait for a place; gives the time of admission, for `refused`."""
        with self._changed:
            while not self.admits(size):
                self._changed.wait(self.delay())
            self.take(size)
        admitted = time.monotonic()
        try:
            yield admitted
        finally:
            with self._changed:
                self.leave(size, admitted)
                self._changed.notify_all()

    def succeeded(self) -> None:
        with self._changed:
            super().succeeded()

    def refused(self, admitted: float, retry_after: float | None) -> float:
        with self._changed:
            return super().refused(admitted, retry_after)
