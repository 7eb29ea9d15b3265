"""The only code that spends: a call is gate → book → send → settle. A busy server is waited for, a
passing fault tried again a few times, one that may have been paid for twice at most.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import orjson

from editgauge.errors import ServiceStopped
from editgauge.services import policy
from editgauge.services.booking import Entry, Ledger
from editgauge.services.gate import Closed, Gate
from editgauge.services.http import Http, Lost, Request, Response
from editgauge.services.policy import Kind
from editgauge.services.secrets import Secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one exchange gave. `kind` says what is done about it: see `policy.Kind`."""

    kind: Kind
    reason: str = ""
    value: Any = None
    """What was read out of a good answer, by whoever asked; `error`: the JSON of another one."""
    error: Any = None
    cost: float | None = None
    """US dollars by the answer's own bill, None where it has none that can be believed."""
    retry_after: float | None = None
    http: int = 0
    lost: bool = False
    """An answer may have been made and lost, so that asking again may pay twice."""
    booked: bool = False
    """The exchange counts although no bill came: it was sent and never answered."""
    pending: bool = False
    """The bill comes later (a job that was begun): what is booked (`entry`) is left open."""
    entry: Entry | None = None
    unreachable: bool = False
    seconds: float = 0.0
    attempts: int = 1
    """Exchanges of the whole call, and (`spent`) the US dollars that they have cost, lost ones
    included, a pending one not.
    """
    spent: float = 0.0


Build = Callable[[], Request]
"""Makes a request when its turn comes, by what is known of the service by then."""
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
    """Calls to one service. Thread-safe. `deadline`: seconds for one answer, all waiting and
    retries together; `backoff`: seconds before the first retry; `attempts`: see `policy`; `keys`:
    variables that hold the key, for advice; `sent`: questions that reached it.
    """

    http: Http
    gate: Gate
    ledger: Ledger
    host: str = ""
    deadline: float = 900.0
    backoff: float = 0.5
    attempts: int = policy.ATTEMPTS
    keys: tuple[str, ...] = ()
    sent: int = 0
    _stopped: str = ""
    _halted: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def call(self, request: Request | Build, read: Read, spend: Spend) -> Outcome:
        """One answer, or the last fault after all retries (`kind` ``busy``, ``again`` or ``bad``).

        Raises `BudgetExceeded` before the budget would be passed, `ServiceStopped` where no request
        makes sense, then and for every later call, and `gate.Closed` once `halt` was called.
        """
        began, failures, lost, tries, spent = time.monotonic(), 0, 0, 0, 0.0
        while True:
            outcome = self.attempt(request, read, spend)
            tries, spent = tries + 1, spent + outcome.spent
            outcome = replace(outcome, attempts=tries, spent=spent)
            left = self.deadline - (time.monotonic() - began)
            if outcome.kind == "busy" and left > 0:
                continue  # the gate is closed for as long as the server said
            if outcome.kind != "again":
                return outcome
            failures, lost = failures + 1, lost + outcome.lost
            pause = policy.pause_before(failures, self.backoff)
            if outcome.retry_after is not None:  # a server that says 0 gets its pause all the same
                pause = max(pause, outcome.retry_after)
            enough = failures >= self.attempts or lost >= policy.PAID_ATTEMPTS
            if enough or left <= pause or self._halted.wait(pause):
                return outcome

    def attempt(self, request: Request | Build, read: Read, spend: Spend) -> Outcome:
        """One exchange, booked before it is sent. Raises as `call` does."""
        if self._stopped:
            raise ServiceStopped(self._stopped)
        with self.gate.enter() as admitted:
            entry = self.ledger.book(spend.most, spend.model, key=spend.key) if spend.most else None
            outcome = Outcome(kind="bad")  # it costs nothing while nothing was sent
            halted = self._halted.is_set()
            try:
                sent = request if isinstance(request, Request) else request()
                if not halted:
                    outcome = Outcome(kind="again", reason="dropped while under way", booked=True)
                    outcome = self._exchange(sent, read)
            finally:
                spent = self._settle(entry, spend, outcome)
            if halted:
                raise Closed
            outcome = replace(outcome, spent=spent, entry=entry if outcome.pending else None)
            with self._lock:
                self.sent += sent.method == "POST" and not outcome.unreachable
            if outcome.kind == "busy":
                self.gate.refused(admitted, outcome.retry_after)
            elif outcome.http:
                self.gate.succeeded()
        wait = outcome.retry_after or 0.0
        if outcome.kind == "stop":
            then = f"nothing further was asked. {policy.advice(outcome.http, self.keys)}"
            self.stop(f"{self.host}: {outcome.reason}; {then}")
        if outcome.kind == "busy" and wait > self.deadline:
            then = f"longer than {self.deadline:.0f}. {policy.advice(0, ())}"
            self.stop(f"{self.host}: {outcome.reason}; it asks to wait {wait:.0f} s, {then}")
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
            outcome = Outcome(
                kind="again",
                reason=error.reason,
                lost=error.sent,
                booked=error.sent,
                unreachable=not error.sent and not error.late,
            )
        else:
            fine = 200 <= response.status < 300
            outcome = read(response) if fine else failed(response, self.http.secrets)
            if response.status == 404 and request.method == "GET":
                outcome = replace(outcome, kind="bad")  # it says nothing of other calls
        return replace(outcome, seconds=time.monotonic() - began)

    def _settle(self, entry: Entry | None, spend: Spend, outcome: Outcome) -> float:
        """Bring what an exchange cost into the ledger; how many US dollars stand for it now."""
        if outcome.pending:
            return 0.0
        if entry is not None:
            booked, why = outcome.booked, outcome.reason
            return self.ledger.settle(entry, outcome.cost, booked=booked, why=why)
        bill = outcome.cost
        return self.ledger.charge(bill, spend.model, key=spend.key) if bill else 0.0

    def stop(self, why: str) -> NoReturn:
        """Raise `ServiceStopped`, now and for every later call."""
        self._stopped = why
        raise ServiceStopped(why)


def failed(response: Response, secrets: Secrets) -> Outcome:
    """An HTTP status other than success as an outcome; an error is free."""
    value = decoded(response.data)
    error = policy.error_of(value)
    words = str(error.get("message") or response.data[:300].decode("utf-8", "replace"))
    meant = policy.meaning(response.status, response.headers, error)
    reason = f"HTTP {response.status}: {secrets.line(words)}".removesuffix(": ")
    if response.status in policy.REDIRECTS and (target := response.headers.get("location")):
        reason += f" (the server names another address: {secrets.line(target, 200)})"
    if meant.kind == "stop" and response.status in (402, 429, 503):
        reason += " (the account's quota is used up, or its billing is refused)"
    return Outcome(
        kind=meant.kind,
        reason=reason,
        error=value,
        retry_after=policy.retry_after(response.headers, error),
        http=response.status,
        lost=meant.lost,
        booked=meant.lost,
    )


def decoded(data: bytes) -> Any:
    """A JSON reply, which `Http` has cleaned, as a value; None where it is none. Half a letter, as
    a model's tokens can leave it, becomes a question mark.
    """
    with contextlib.suppress(ValueError):
        return orjson.loads(data)
    with contextlib.suppress(ValueError, RecursionError):
        text = json.dumps(json.loads(data), ensure_ascii=False)
        return orjson.loads(text.encode("utf-8", "replace"))
    return None
