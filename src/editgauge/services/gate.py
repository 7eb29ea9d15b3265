"""One gate for all calls in flight of a service: how many, how fast, and how many bytes.

Every refusal (429, or 503 with Retry-After) closes the gate for everybody, so that one server limit
is met once and not sixty times. Two things are learned from refusals: a concurrency (x 0.7 at a
refusal, slow growth after) and a rate. The rate is exact for a token bucket: at two refusals the
bucket is empty, so what got through between them is what flowed into it. Calls are let through at a
hair above that rate, which keeps the bucket drained and costs a refusal every few seconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PROBE = 1.006
"""How far above the learned rate calls are let through, and how much that grows in each second
without a refusal.
"""
LONGEST = 8.0
"""Seconds that the gate is closed at most where the server does not say for how long."""


class Closed(Exception):
    """Nothing further is let through."""


class Gate:
    """Admission for threads: `concurrency` calls at most, and `max_bytes` of bodies."""

    def __init__(self, concurrency: int, max_bytes: int = 512 << 20) -> None:
        self.concurrency, self.limit = concurrency, float(concurrency)
        self.rate: float | None = None
        """Calls a second that the server was seen to take; None until it has refused twice."""
        self.refusals = self.in_flight = self.bytes_in_flight = 0
        self._max_bytes = max_bytes
        self._changed = threading.Condition()
        self._closed = False
        self._open_at = self._filled_at = self._shrunk_at = self._last_refusal = 0.0
        self._first_refusal: float | None = None
        self._tokens = 0.0
        self._passed = self._waves = 0

    def close(self) -> None:
        """Let nobody in any more: who waits gets `Closed`."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @contextmanager
    def enter(self, size: int = 0) -> Iterator[float]:
        """Wait for a place for a body of `size` bytes; gives the time of admission, for
        `refused`. Raises `Closed`.
        """
        with self._changed:
            while (wait := self._wait(size)) is None or wait > 0:
                self._changed.wait(wait)
            self.in_flight += 1
            self.bytes_in_flight += size
            self._tokens -= 1.0
        try:
            yield time.monotonic()
        finally:
            with self._changed:
                self.in_flight -= 1
                self.bytes_in_flight -= size
                self._changed.notify_all()

    def _wait(self, size: int) -> float | None:
        """Seconds until a call may be sent; None where another one must end first."""
        if self._closed:
            raise Closed
        now = time.monotonic()
        if now < self._open_at:
            return self._open_at - now
        full = self.bytes_in_flight + size > self._max_bytes
        if self.in_flight >= max(1, int(self.limit)) or (self.in_flight and full):
            return None
        if self.rate is None:
            return 0.0
        quiet = now - self._last_refusal
        speed = self.rate * PROBE * (1 + (PROBE - 1) * quiet)
        most = max(2.0, float(self.concurrency))
        self._tokens = min(self._tokens + speed * (now - self._filled_at), most)
        self._filled_at = now
        return 0.0 if self._tokens >= 1.0 else (1.0 - self._tokens) / speed

    def succeeded(self) -> None:
        """A call was answered: the concurrency grows by one for each full round."""
        with self._changed:
            self._passed += 1
            self._waves = 0
            self.limit = min(float(self.concurrency), self.limit + 1 / self.limit)

    def refused(self, admitted: float, retry_after: float | None) -> None:
        """A call admitted at that time was refused: the gate is closed for as long as the server
        said, else for a while that doubles from refusal to refusal.
        """
        with self._changed:
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
                self._waves += 1
            pause = retry_after
            if pause is None:
                pause = min(LONGEST, 0.1 * 2 ** min(self._waves, 7))
                if self.rate:
                    pause = max(1.0 / self.rate, 0.02)
            self._open_at = max(self._open_at, now + pause)
