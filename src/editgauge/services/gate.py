"""One gate for all calls of a service: every refusal (429, or 503 with Retry-After) closes it for
everybody, so that a limit is met once, and lowers the calls at once (x 0.7; slow growth).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST = 8.0
"""Seconds that the gate is closed at most where the server does not say for how long."""


class Closed(Exception):
    """Nothing further is let through."""


class Gate:
    """Admission for threads, `concurrency` at once at most."""

    def __init__(self, concurrency: int) -> None:
        self.concurrency, self.limit = concurrency, float(concurrency)
        self.in_flight = 0
        self._changed = threading.Condition()
        self._closed = False
        self._open_at = self._shrunk_at = 0.0
        self._waves = 0

    def close(self) -> None:
        """Let nobody in any more: who waits gets `Closed`."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @contextmanager
    def enter(self) -> Iterator[float]:
        """Wait for a place; gives the time of admission, for `refused`. Raises `Closed`."""
        with self._changed:
            while not self._closed:
                pause = self._open_at - time.monotonic()
                if pause <= 0 and self.in_flight < max(1, int(self.limit)):
                    break
                self._changed.wait(pause if pause > 0 else None)
            if self._closed:
                raise Closed
            self.in_flight += 1
        try:
            yield time.monotonic()
        finally:
            with self._changed:
                self.in_flight -= 1
                self._changed.notify_all()

    def succeeded(self) -> None:
        """A call was answered: the concurrency grows by one for each full round."""
        with self._changed:
            self._waves = 0
            self.limit = min(float(self.concurrency), self.limit + 1 / self.limit)

    def refused(self, admitted: float, retry_after: float | None) -> None:
        """Close the gate after a call admitted at that time was refused.

        It stays closed for a pause that doubles from wave to wave of refusals, up to `LONGEST`,
        or for as long as the server said where that is longer.
        """
        with self._changed:
            if admitted > self._shrunk_at:  # one step for all refusals of one wave
                self.limit = max(1.0, self.limit * 0.7)
                self._shrunk_at = time.monotonic()
                self._waves += 1
            pause = min(LONGEST, 0.1 * 2 ** min(self._waves, 7))
            # a server that says 0, and refuses again, is not asked without a pause
            pause = max(pause, retry_after or 0.0)
            self._open_at = max(self._open_at, time.monotonic() + pause)
