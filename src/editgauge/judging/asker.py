"""One request to a judge and its retries: booked before it is sent, waited for where the server
says so, counted whatever comes of it.
"""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from editgauge.errors import RunError
from editgauge.judging.cache import Reply
from editgauge.judging.client import KEY_NAMES, Dialect, Outcome, build, wanted_dialect
from editgauge.services import policy
from editgauge.services.cost import CAUTIOUS, estimate_input
from editgauge.services.ledger import NO_BILL, Entry
from editgauge.services.prices import told_cost, usage_of

if TYPE_CHECKING:
    from editgauge.judging.engine import Engine, Job

SAME_REFUSALS = 3
"""Requests turned down for one reason, before any was answered, after which nothing further is
asked: the fault is the command's, and every call would end the same way.
"""
_PICTURES = re.compile(r"image|picture|decode|media|mime|webp", re.IGNORECASE)
_MOST_BYTES_A_TOKEN = 20.0
"""A bill that counts fewer tokens than the words' bytes over this is no bill."""


class Unasked(Exception):
    """The reply is not in the store, and nothing may be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One attempt of a job: ``first``, ``room`` (with a larger token limit) or ``repair``."""

    job: Job
    attempt: str = "first"
    repair: tuple[str, str] | None = None
    room: int = 0
    dialect: Dialect | None = None


@dataclass(slots=True)
class _Tries:
    """What was tried for one request so far."""

    began: float = field(default_factory=time.monotonic)
    failures: int = 0
    paid: int = 0
    """Failures that may have been billed."""


class Asker:
    """Sends the requests of one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._in_a_row = 0
        self._turned_down: dict[str, int] = {}
        self._settled = asyncio.Event()

    async def ask(self, request: Request) -> Reply:
        """The stored reply of an attempt that is not in the store yet.

        Raises `BudgetExceeded` before it would be passed, and `RunError` when going on makes no
        sense.
        """
        engine, tries = self._engine, _Tries()
        while True:
            if engine.halted:
                raise Unasked
            request = replace(request, dialect=engine.dialect)
            outcome, cost = await self._send(request)
            if self._try_another(request, outcome):
                continue
            engine.tried()
            self._stop_where_hopeless(outcome)
            if await self._wait_to_retry(outcome, tries):
                continue
            key = engine.key(
                request.job, request.attempt, request.repair, request.room, request.dialect
            )
            self._learn(request, outcome, key, cost)
            return engine.keep(request, key, outcome, cost)

    # -- the request's form ------------------------------------------------------------------------

    def _try_another(self, request: Request, outcome: Outcome) -> bool:
        """Whether the request is to be sent again in another form; the form is learned."""
        engine, sent = self._engine, request.dialect
        assert sent is not None
        if outcome.kind not in ("bad", "again"):
            return False
        if outcome.kind == "bad" and sent != engine.dialect:
            return True  # another call has found out in the meantime
        webp = any(engine.pictures.is_webp(picture) for picture in request.job.call.pictures)
        blamed = outcome.kind == "bad" or bool(_PICTURES.search(outcome.reason))
        wanted = wanted_dialect(sent, outcome.reason, webp=webp and blamed and outcome.http >= 400)
        if wanted is None:
            if webp and not sent.webp and (engine.noted is None or engine.noted.webp):
                engine.dialect = replace(engine.dialect, webp=True)  # WebP was not the fault
            return False
        if wanted.webp == sent.webp and (engine.proven or outcome.kind == "again"):
            return False  # this server has answered in this form before
        engine.dialect = wanted
        return True

    # -- sending -----------------------------------------------------------------------------------

    async def _send(self, request: Request) -> tuple[Outcome, float | None]:
        engine, dialect = self._engine, request.dialect or self._engine.dialect
        call = request.job.call
        skeleton = engine.skeleton(request.job, request.repair, request.room, dialect)
        pictures, webp = engine.pictures, dialect.webp
        length = len(skeleton) + sum(pictures.length(p, webp) for p in call.pictures)
        estimate = self.estimate(request, len(skeleton))
        async with engine.gate.enter(length) as admitted:
            encoded = [await pictures.encode_aside(p, webp) for p in call.pictures]
            body = build(skeleton, encoded)
            entry = await self._reserve(estimate)
            outcome: Outcome | None = None
            try:
                outcome = await engine.client.post(body)
            finally:
                cost = self._book(entry, outcome, len(skeleton))
                self._settled.set()
            if outcome.kind == "busy":
                engine.gate.refused(admitted, outcome.retry_after)
            elif outcome.http:
                engine.gate.succeeded()
        engine.count_request(outcome)
        return outcome, cost

    def estimate(self, request: Request, text_bytes: int, *, batch: bool = False) -> float:
        """The most that a request can cost, in US dollars; 0 where there is no price.

        `text_bytes` is the length of its body without pictures.
        """
        engine, price = self._engine, self._engine.price
        if price is None or price.free:
            return 0.0
        call = request.job.call
        sizes = [engine.pictures.size(picture) for picture in call.pictures]
        tokens = estimate_input(
            text_bytes, sizes, price.images, price.factor, bytes_a_token=CAUTIOUS
        )
        return price.of(tokens, request.room or engine.room(call), batch=batch)

    async def _reserve(self, estimate: float) -> Entry | None:
        """Book the request, waiting while calls under way may still give something back."""
        engine = self._engine
        if not estimate:
            return None
        ledger, model = engine.ledger, engine.settings.model
        while (entry := ledger.reserve(estimate, model, beside=True)) is None:
            if not ledger.under_way:
                raise ledger.exceeded(estimate, model)
            self._settled.clear()
            await self._settled.wait()
        return entry

    def _book(self, entry: Entry | None, outcome: Outcome | None, text_bytes: int) -> float | None:
        """Settle a request in the ledger; returns what it cost, None where that is not known."""
        engine = self._engine
        cost = None if outcome is None else self.bill(outcome, text_bytes)
        if entry is None:
            return cost
        if cost is not None:
            engine.ledger.bill(entry, cost)
        elif outcome is None:
            engine.ledger.keep(entry, "dropped while under way")
        elif outcome.billed:
            return engine.ledger.keep(entry, outcome.reason or NO_BILL, reported=not outcome.lost)
        else:
            engine.ledger.release(entry, outcome.reason)
        return cost

    def bill(self, outcome: Outcome, text_bytes: int, *, batch: bool = False) -> float | None:
        """US dollars by a reply's own usage record, to a body of `text_bytes` without pictures: by
        its tokens, or as much as it names itself where that is more or where there is no price.
        None where no record can be believed.
        """
        told = told_cost(outcome.usage)
        price, said = self._engine.price, len((outcome.content or "").encode())
        usage = usage_of(
            outcome.usage,
            least=text_bytes / _MOST_BYTES_A_TOKEN,
            least_out=said / _MOST_BYTES_A_TOKEN,
        )
        if price is None or usage is None:
            return told if price is None else None
        return max(price.of_usage(usage, batch=batch), told or 0.0)

    # -- what to make of it ------------------------------------------------------------------------

    def _stop_where_hopeless(self, outcome: Outcome) -> None:
        """Raise `RunError` for an answer after which no request makes sense."""
        engine = self._engine
        host, deadline = engine.client.host, engine.settings.deadline
        if outcome.kind == "stop":
            advice = policy.advice(outcome.http, KEY_NAMES)
            raise RunError(f"{host}: {outcome.reason}; nothing further was asked. {advice}")
        if outcome.kind == "busy" and (outcome.retry_after or 0) > deadline:
            raise RunError(
                f"{host}: {outcome.reason}; it asks to wait {outcome.retry_after:.0f} s, longer "
                f"than --deadline {deadline:.0f}. What was done is kept; run the same command "
                f"again later."
            )
        if outcome.unreachable and not engine.answered:
            raise RunError(
                f"{engine.client.address.shown}: {outcome.reason}; start the server, or correct "
                f"--base-url"
            )
        if outcome.kind == "bad" and not engine.answered:
            count = self._turned_down.get(outcome.reason, 0) + 1
            self._turned_down[outcome.reason] = count
            if count >= SAME_REFUSALS:
                raise RunError(
                    f"{host}: {outcome.reason}; {count} requests were turned down for this, and "
                    f"none was answered. Correct the command; what was done is kept"
                )

    async def _wait_to_retry(self, outcome: Outcome, tries: _Tries) -> bool:
        """Wait as long as is right before another try; False when there is none."""
        settings = self._engine.settings
        left = settings.deadline - (time.monotonic() - tries.began)
        if outcome.kind == "busy":
            return left > 0  # the gate is closed for as long as the server said
        if outcome.kind != "again":
            return False
        tries.failures += 1
        tries.paid += outcome.lost
        pause = outcome.retry_after
        if pause is None:
            pause = policy.pause_before(tries.failures, settings.backoff)
        enough = tries.failures >= policy.ATTEMPTS or tries.paid >= policy.PAID_ATTEMPTS
        if enough or left <= pause:
            return False
        await asyncio.sleep(pause)
        return True

    def _learn(self, request: Request, outcome: Outcome, key: str, cost: float | None) -> None:
        """Remember what an answer taught, and stop where going on makes no sense."""
        engine = self._engine
        if outcome.kind in ("ok", "refused"):
            self._in_a_row = 0
            if outcome.kind == "ok" and request.dialect is not None:
                engine.prove(request.dialect)
            if not engine.answer_of(outcome.model):
                # It is paid for: kept, under a key that no call of the other judge has.
                engine.keep(request, f"{key} {outcome.model}", outcome, cost)
                raise RunError(
                    f"{engine.client.host}: {outcome.model} answers now, {engine.answered} "
                    f"answered first under the name {engine.settings.model}; two judges are not "
                    f"mixed: name the one you want, or use another --replies"
                )
            return
        if outcome.thought:  # an empty answer: all that was allowed went into thinking
            engine.notice_cut(True, engine.keep(request, key, outcome, cost).request)
        self._in_a_row += 1
        if self._in_a_row >= policy.HOPELESS:
            raise RunError(
                f"{engine.client.host}: {self._in_a_row} calls in a row without an answer, the "
                f"last one: {outcome.reason}; what was done is kept, run the same command with "
                f"--retry failed later"
            )
