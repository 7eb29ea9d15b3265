"""The only code that spends: one call to a paid service, its retries, and its booking.

An attempt is gate → book → send → settle. What an answer means is read by whoever asks (a judge's
verdict, an editor's picture); what is done about it is decided here, once: a busy server is waited
for, a fault that may pass is tried again a few times, one that may have been paid for twice at
most, and an answer after which no request makes sense raises `Hopeless`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from editgauge.errors import RunError
from editgauge.services import policy
from editgauge.services.booking import Entry, Ledger
from editgauge.services.gate import Closed, Gate
from editgauge.services.http import Http, Lost, Request, Response
from editgauge.services.policy import Kind
from editgauge.services.secrets import Secrets
from editgauge.services.waiting import retry_after


class Hopeless(RunError):
    """An answer after which no request to this service makes sense."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one exchange gave. `kind` says what is done about it: see `policy.Kind`."""

    kind: Kind
    reason: str = ""
    value: Any = None
    """What was read out of a good answer, by whoever asked."""
    cost: float | None = None
    """US dollars by the answer's own bill, None where it has none that can be believed."""
    retry_after: float | None = None
    http: int = 0
    lost: bool = False
    """Whether an answer may have been made and lost, so that asking again may pay twice."""
    booked: bool = False
    """Whether the exchange counts although no bill came: what was sent and never answered."""
    unreachable: bool = False
    """No connection could be made."""
    seconds: float = 0.0


Read = Callable[[Response], Outcome]
"""What a successful HTTP answer means; other statuses are read here."""


@dataclass(slots=True, kw_only=True)
class Spend:
    """What a call may cost at most, and under which name it is booked. `most` 0: nothing is."""

    model: str
    most: float = 0.0
    key: str = ""


@dataclass(slots=True, kw_only=True)
class PaidCalls:
    """Calls to one service. Thread-safe: one object for all threads.

    `deadline`: seconds for one answer, all waiting and retries together; `backoff`: seconds before
    the first retry. `advice(status)` says what to do where no request makes sense.
    """

    http: Http
    gate: Gate
    ledger: Ledger
    host: str = ""
    deadline: float = 900.0
    backoff: float = 0.5
    advice: Callable[[int], str] = field(default=lambda status: policy.advice(status, ()))
    sent: int = 0
    """Exchanges that reached the service."""
    _halted: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def call(self, request: Request, read: Read, spend: Spend) -> Outcome:
        """One answer, or the last fault after all retries (`kind` ``busy``, ``again`` or ``bad``).

        Raises `BudgetExceeded` before the budget would be passed, `Hopeless` where no request makes
        sense, and `gate.Closed` once `halt` was called.
        """
        began, failures, lost = time.monotonic(), 0, 0
        while True:
            outcome = self.attempt(request, read, spend)
            left = self.deadline - (time.monotonic() - began)
            if outcome.kind == "busy" and left > 0:
                continue  # the gate is closed for as long as the server said
            if outcome.kind != "again":
                return outcome
            failures, lost = failures + 1, lost + outcome.lost
            pause = outcome.retry_after
            if pause is None:
                pause = policy.pause_before(failures, self.backoff)
            enough = failures >= policy.ATTEMPTS or lost >= policy.PAID_ATTEMPTS
            if enough or left <= pause or self._halted.wait(pause):
                return outcome

    def attempt(self, request: Request, read: Read, spend: Spend) -> Outcome:
        """One exchange, booked before it is sent. Raises as `call` does."""
        with self.gate.enter(request.size) as admitted:
            entry = self.ledger.book(spend.most, spend.model, key=spend.key) if spend.most else None
            outcome: Outcome | None = None
            if self._halted.is_set():
                self._settle(entry, Outcome(kind="stop"))
                raise Closed
            try:
                outcome = self._exchange(request, read)
            finally:
                self._settle(entry, outcome)
            with self._lock:
                self.sent += not outcome.unreachable
            if outcome.kind == "busy":
                self.gate.refused(admitted, outcome.retry_after)
            elif outcome.http:
                self.gate.succeeded()
        self._stop_where_hopeless(outcome)
        return outcome

    def halt(self) -> None:
        """Let nothing further be sent; what is under way is finished."""
        self._halted.set()
        self.gate.close()

    def _exchange(self, request: Request, read: Read) -> Outcome:
        began = time.monotonic()
        try:
            response = self.http.send(request)
        except Lost as error:
            return Outcome(
                kind="again",
                reason=error.reason,
                lost=error.sent,
                booked=error.sent,
                unreachable=not error.sent and not error.late,
                seconds=time.monotonic() - began,
            )
        if 200 <= response.status < 300:
            return replace(read(response), seconds=time.monotonic() - began)
        return failed(response, self.http.secrets, self.host)

    def _settle(self, entry: Entry | None, outcome: Outcome | None) -> None:
        if entry is None:
            return
        if outcome is None:
            self.ledger.keep(entry, "dropped while under way")
        elif outcome.cost is not None:
            self.ledger.bill(entry, outcome.cost)
        elif outcome.booked:
            self.ledger.keep(entry, outcome.reason or "no usable bill")
        else:
            self.ledger.release(entry, outcome.reason)

    def _stop_where_hopeless(self, outcome: Outcome) -> None:
        if outcome.kind == "stop":
            raise Hopeless(
                f"{self.host}: {outcome.reason}; nothing further was asked. "
                f"{self.advice(outcome.http)}"
            )
        if outcome.kind == "busy" and (outcome.retry_after or 0) > self.deadline:
            raise Hopeless(
                f"{self.host}: {outcome.reason}; it asks to wait {outcome.retry_after:.0f} s, "
                f"longer than {self.deadline:.0f}. What was done is kept; run the same command "
                f"again later."
            )


def failed(response: Response, secrets: Secrets, host: str = "") -> Outcome:
    """An HTTP status other than success as an outcome; an error is free."""
    error = policy.error_of(decoded(response.data, secrets))
    said = secrets.line(str(error.get("message") or response.data[:300].decode("utf-8", "replace")))
    meant = policy.meaning(response.status, response.headers, error, host)
    reason = f"HTTP {response.status}: {said}" if said else f"HTTP {response.status}"
    if meant.kind == "stop" and response.status not in (401, 403, 404, 407):
        reason += " (the account's quota is used up, or its billing is refused)"
    return Outcome(
        kind=meant.kind,
        reason=reason,
        retry_after=retry_after(response.headers, error),
        http=response.status,
        lost=meant.lost,
    )


def decoded(data: bytes, secrets: Secrets) -> Any:
    """A JSON reply as a value that every store takes; None where it is none. Never raises."""
    try:
        value = orjson.loads(data)
    except ValueError:
        return None
    return secrets.value(value)


__all__ = [
    "Closed", "Hopeless", "Http", "Outcome", "PaidCalls", "Read", "Request", "Response", "Spend",
    "decoded", "failed",
]  # fmt: skip
