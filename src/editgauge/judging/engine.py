"""The engine: many calls to one judge at once, each paid for once, each ending in a reply or a
reason.

For one call: look into the store; else ask, waiting where the server says so; ask once more with
more room where the reply was cut off; ask once more, showing the judge its own reply, where that
cannot be read. Every reply is in the store before anybody hears of it, so that the same steps over
a stored call give the same result and cost nothing. One request and its retries are `Asker`'s.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from editgauge.errors import BudgetExceeded, EditgaugeError, ImageError, RunError
from editgauge.judging.answers import read_reason
from editgauge.judging.asker import Asker, Request, Unasked
from editgauge.judging.cache import Reply, ReplyStore
from editgauge.judging.calls import Call, ExchangeResult, strict
from editgauge.judging.client import Asking, Client, Dialect, Outcome
from editgauge.judging.keys import dialect_note, read_dialect, reply_key, skeleton_of
from editgauge.judging.pictures import PictureStore
from editgauge.judging.thinking import without_thinking
from editgauge.services.ledger import Ledger
from editgauge.services.prices import Price, usage_of
from editgauge.services.throttle import Gate
from editgauge.types import Status

MORE_ROOM = 4
"""How many times its token limit a reply gets that was cut off."""
CUT_OFFS = 5
"""Calls in a row whose reply was cut off twice, after which the engine stops with advice."""
FIRST_WAIT = 0.3
"""Seconds for which other calls wait for the first one's answer: a server that refuses a request's
form does so at once, and an answer that takes longer is a verdict.
"""
REPAIR = (
    "I could not read that answer: {problems}. Judge the same pictures by the same criteria and "
    "give the complete "
    "answer again, in exactly the form that was asked for and with nothing around it. Every score "
    "must be one whole "
    "number inside its range."
)


@dataclass(frozen=True, slots=True)
class Job:
    """A call and what it belongs to. `about` (benchmark, sample, editor…) is kept beside the
    reply.
    """

    call: Call
    repeat: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)
    payload: Any = None
    """For the caller; the engine does not look at it."""


@dataclass(slots=True, kw_only=True)
class Stats:
    """What has happened so far: for the live line, the manifest and the summary."""

    total: int | None = None
    done: int = 0
    asked: int = 0
    """Requests that were sent in this command, those that failed or were repeated included."""
    stored: int = 0
    """Calls that were served from the store without any request."""
    unasked: int = 0
    """Calls that are not in the store and were not to be asked (offline): they leave no row."""
    refused: int = 0
    failed: int = 0
    unparsable: int = 0
    repaired: int = 0
    cut_off: int = 0
    """Replies that ended at their token limit."""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    spent: float = 0.0
    """US dollars of this command: bills, and estimates of what was sent and never billed."""
    unbilled: float = 0.0
    """The part of `spent` that is estimated, because the server sent no usable bill."""
    began: float = field(default_factory=time.monotonic)


@dataclass(slots=True, kw_only=True)
class Settings:
    """How an engine asks. `retry` holds what is asked again: ``failed``, ``refused``,
    ``unparsable``.
    """

    model: str
    retry: frozenset[str] = frozenset()
    repair: bool = True
    deadline: float = 900.0
    """Seconds for one reply, all waiting and retries together."""
    backoff: float = 0.5
    """Seconds before the first retry after a breakdown; doubled each time, with some chance in it.
    """
    asking: Asking = field(default_factory=Asking)
    room: int = 0
    """The least token limit of a reply: judges that think need more than the protocols give."""
    thinking: int = 0
    """Tokens that this judge usually thinks for one reply: for estimates."""
    offline: bool = False
    """Only the store is looked at; what is not there is left out."""


class Engine:
    """Asks one model. Make one for each command; `run` may be called several times."""

    def __init__(
        self,
        client: Client,
        store: ReplyStore,
        pictures: PictureStore,
        gate: Gate,
        settings: Settings,
        *,
        price: Price | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.client, self.store, self.pictures, self.settings = client, store, pictures, settings
        self.price, self.ledger = price, ledger if ledger is not None else Ledger()
        self.stats = Stats()
        self.gate = gate
        self.dialect = read_dialect(store.note(f"dialect {settings.model}")) or Dialect()
        self.answered = store.note(f"answered {settings.model}") or ""
        self.broke = ""
        """Why the budget ended the run, or empty."""
        self.halted = False
        """Nothing further may be asked: an answer came after which no request makes sense."""
        self.asker = Asker(self)
        self.noted = read_dialect(store.note(f"dialect {settings.model}"))
        self._tried = self.proven = self.noted is not None
        self._trying = False
        self._first = asyncio.Event()
        self._stopping = False
        self._cut_in_a_row = 0
        self._uncut = False
        self._one_room = asyncio.Lock()
        self._reasked: set[str] = set()
        self._flying: dict[str, asyncio.Future[Reply]] = {}

    def stop(self) -> None:
        """Take no further job; what is in flight is finished."""
        self._stopping = True

    async def run(
        self,
        jobs: Iterable[Job],
        done: Callable[[Job, ExchangeResult], None],
        progress: Callable[[Stats], None] | None = None,
    ) -> bool:
        """Do all jobs, calling `done` with each as it ends (in any order). True when none was left
        out.

        Raises `RunError` when going on makes no sense: no server, a wrong key, another model
        answering, nothing but failures. What is in flight then is still waited for, stored and
        given to `done`: it is paid for. A budget that would be passed ends the run with `broke` set
        and False. Cancelling drops what is in flight.
        """
        waiting: Iterator[Job] = iter(jobs)
        complete = True
        stopped: list[EditgaugeError] = []

        async def work() -> None:
            nonlocal complete
            while not self._stopping:
                job = next(waiting, None)
                if job is None:
                    return
                try:
                    exchange = await self._hear(job)
                    self._count(exchange)
                    done(job, exchange)
                except Unasked:
                    self.stats.unasked += 1
                    complete = False
                    continue
                except BudgetExceeded as error:
                    self.broke, self._stopping, complete = str(error), True, False
                    return
                except EditgaugeError as error:
                    stopped.append(error)
                    self.halted, self._stopping, complete = True, True, False
                    self._first.set()
                    return
                if progress:
                    progress(self.stats)
                if self.stats.done % 16 == 0:
                    await asyncio.sleep(0)  # stored calls never wait: let the others breathe

        workers = [asyncio.create_task(work()) for _ in range(max(1, self.gate.concurrency))]
        try:
            await asyncio.gather(*workers)
        finally:
            self._first.set()
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        if stopped:
            raise stopped[0]
        return complete and next(waiting, None) is None

    def key(
        self,
        job: Job,
        attempt: str = "first",
        repair: tuple[str, str] | None = None,
        room: int = 0,
        dialect: Dialect | None = None,
    ) -> str:
        """The reply key of a job under the current dialect. Raises `ImageError` for a picture that
        cannot be read.
        """
        dialect = dialect or self.dialect
        skeleton = self.skeleton(job, repair, room, dialect)
        marks = [self.pictures.identity(picture, dialect.webp) for picture in job.call.pictures]
        return reply_key(
            skeleton,
            marks,
            self.client.family,
            rubric=job.call.rubric,
            repeat=job.repeat,
            attempt=attempt,
        )

    def skeleton(
        self,
        job: Job,
        repair: tuple[str, str] | None = None,
        room: int = 0,
        dialect: Dialect | None = None,
    ) -> bytes:
        """The body of a job with slots in place of its pictures."""
        return skeleton_of(
            job.call,
            self.settings.model,
            dialect or self.dialect,
            max_tokens=room or self.room(job.call),
            asking=self.settings.asking,
            repair=repair,
        )

    def room(self, call: Call) -> int:
        """The token limit of a call's first reply."""
        least = 0 if call.as_released else self.settings.room
        return self.settings.asking.max_tokens or max(call.max_tokens, least)

    # -- one job -----------------------------------------------------------------------------------

    async def _hear(self, job: Job) -> ExchangeResult:
        try:
            replies, last = await self._replies(job)
            return self._result(job, replies, last)
        except ImageError as error:
            return ExchangeResult(
                first=None, last=None, status=Status.UNREADABLE, reason=str(error)
            )
        except (EditgaugeError, Unasked):
            raise
        except Exception as error:  # whatever one reply holds, the others are not at fault
            reason = f"the reply could not be handled ({type(error).__name__})"
            return ExchangeResult(first=None, last=None, status=Status.FAILED, reason=reason)

    async def _replies(self, job: Job) -> tuple[list[Reply], Reply]:
        """All replies to a job, and the one that counts."""
        room = 0
        first = await self._reply(job)
        replies = [first]
        if job.call.as_released:  # a released script's request is sent once, as it is
            return replies, first
        if first.status == "ok" and first.finish == "length":
            room = self.room(job.call) * MORE_ROOM
            replies.append(await self._with_room(job, room))
        last = next((reply for reply in reversed(replies) if reply.status == "ok"), first)
        if last.status != "ok" or not self.settings.repair:
            return replies, last
        problems = self._problems(job.call, last)
        force = "unparsable" in self.settings.retry
        if problems and force:
            attempt = "room" if room else "first"
            last = replies[-1] = await self._reply(job, attempt, force=True, room=room)
            problems = self._problems(job.call, last) if last.status == "ok" else ""
        if problems and last.finish != "length":
            said = (last.content or "", REPAIR.format(problems=problems))
            repaired = await self._reply(job, "repair", repair=said, force=force, room=room)
            replies.append(repaired)
            if repaired.status == "ok" and not self._problems(job.call, repaired):
                last = repaired
        return replies, last

    async def _with_room(self, job: Job, room: int) -> Reply:
        """The reply with more room. It is the dearest there is: until any reply was not cut off,
        only one is asked for at once.
        """
        async with self._one_room:
            if not self._uncut:
                reply = await self._reply(job, "room", room=room)
                self._uncut = self._uncut or reply.finish != "length"
                return reply
        return await self._reply(job, "room", room=room)

    def _result(self, job: Job, replies: list[Reply], last: Reply) -> ExchangeResult:
        detail: dict[str, Any] = {"reply": last.key, "model": last.answered, "asked": last.asked}
        if last.system_fingerprint:
            detail["system_fingerprint"] = last.system_fingerprint
        if last.key != replies[0].key:
            detail["first_reply"] = replies[0].key
            detail["repaired" if last.request.get("attempt") == "repair" else "more_room"] = True
        elif len(replies) > 1:
            detail["attempts"] = len(replies)
        if last.request.get("as_png"):
            detail["as_png"] = last.request["as_png"]
        detail["usage"] = _sum_usage(replies)
        costs = [reply.cost for reply in replies if reply.cost is not None]
        if costs:
            detail["cost"] = round(sum(costs), 8)
        if last.status != "ok":
            status = Status.REFUSED if last.status == "refused" else Status.FAILED
            return ExchangeResult(
                first=None, last=None, status=status, reason=last.reason, detail=detail
            )
        names = (*job.call.reasons, "reason", "reasoning", "rationale")
        if rationale := self.client.secrets.value(read_reason(last.content, names)):
            detail["rationale"] = rationale[:1000]
        cut_off = last.finish == "length"
        endless = not cut_off and without_thinking(last.content or "") is None
        self.notice_cut(cut_off or endless, last.request)
        return ExchangeResult(
            first=replies[0].content,
            last=last.content,
            status=Status.SCORED,
            reason="",
            detail=detail,
            cut_off=cut_off,
        )

    def notice_cut(self, cut: bool, request: Mapping[str, Any]) -> None:
        """Stop with advice when one call after the other ends before its verdict, with more room as
        well. `request` says of the last reply how much room it had, and whether it was thinking.
        """
        if self.settings.offline:
            return
        self.stats.cut_off += cut
        self._cut_in_a_row = self._cut_in_a_row + 1 if cut else 0
        self._uncut = self._uncut or not cut
        if self._cut_in_a_row >= CUT_OFFS:
            room = request.get("room") or 0
            thinks = " while it was still thinking" if request.get("thought") else ""
            raise RunError(
                f"{self.settings.model}: {CUT_OFFS} calls in a row were cut off{thinks}, the last "
                f"one at {room} tokens, before a verdict. Give more with --max-tokens "
                f"{max(16384, 2 * int(room))}, or ask for less thinking with --reasoning-effort "
                f"low; what was done is kept"
            )

    @staticmethod
    def _problems(call: Call, reply: Reply) -> str:
        readings = strict(call, reply.content, cut_off=reply.finish == "length")
        return "; ".join(
            f"{name}: {reading.reason}"
            for name, reading in readings.items()
            if reading.status is Status.UNPARSABLE
        )

    # -- one reply ---------------------------------------------------------------------------------

    async def _reply(
        self,
        job: Job,
        attempt: str = "first",
        *,
        repair: tuple[str, str] | None = None,
        room: int = 0,
        force: bool = False,
    ) -> Reply:
        """The reply of one attempt: from the store, or asked for, stored, and then given."""
        request = Request(job=job, attempt=attempt, repair=repair, room=room)
        if not self._tried and not self.settings.offline:
            if not self._trying:  # the first call finds out what the server takes
                self._trying = True
                try:
                    return await self._reply_now(request, force)
                finally:
                    self._trying = self._tried
                    self._first.set()
            # With a budget the first bill is waited for: it says how far estimates can be trusted.
            await self._first_answer(None if self.ledger.budget is not None else FIRST_WAIT)
        return await self._reply_now(request, force)

    async def _first_answer(self, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._first.wait()
        except TimeoutError:
            return

    async def _reply_now(self, request: Request, force: bool) -> Reply:
        job, first = request.job, request.attempt == "first"
        key = self.key(job, request.attempt, request.repair, request.room)
        stored = self.store.get(key)
        again = (
            stored is not None
            and key not in self._reasked
            and (force or stored.status in self.settings.retry)
        )
        if stored is not None and not again:
            self.stats.stored += first
            return stored
        if self.settings.offline:
            raise Unasked
        if key in self._flying:  # two editors gave the same picture: one call serves both
            self.stats.stored += first
            return await asyncio.shield(self._flying[key])
        self._reasked.add(key)
        flying = self._flying[key] = asyncio.get_running_loop().create_future()
        try:
            reply = await self.asker.ask(request)
        except BaseException as error:
            flying.set_exception(error if isinstance(error, Exception) else RunError("stopped"))
            flying.exception()  # whoever waits hears of it; nobody has to
            raise
        finally:
            del self._flying[key]
        flying.set_result(reply)
        return reply

    # -- what the asker reports --------------------------------------------------------------------

    def tried(self) -> None:
        """An answer came that is about the call, not about its form."""
        self._tried = True
        self._first.set()

    def prove(self, dialect: Dialect) -> None:
        """Keep a dialect that was answered, so that the next command begins with it."""
        self.proven = True
        if dialect == self.dialect != self.noted:
            self.noted = dialect
            self.store.note(f"dialect {self.settings.model}", dialect_note(dialect))

    def answer_of(self, model: str) -> bool:
        """Remember which model answered first; False when this is another one."""
        if model and not self.answered:
            self.answered = model
            self.store.note(f"answered {self.settings.model}", model)
        return not model or model == self.answered

    def keep(self, request: Request, key: str, outcome: Outcome, cost: float | None) -> Reply:
        """Store what an attempt ended with."""
        call, dialect = request.job.call, request.dialect or self.dialect
        about: dict[str, Any] = {
            "call": call.name,
            "repeat": request.job.repeat,
            "attempt": request.attempt,
            **request.job.about,
            "room": request.room or self.room(call),
            "rubric": call.rubric,
            "pictures": [self.pictures.identity(p, dialect.webp) for p in call.pictures],
            "parameters": orjson.loads(dialect_note(dialect)),
        }
        if outcome.thought:
            about["thought"] = True
        if not dialect.webp:
            as_png = [p.name for p in call.pictures if self.pictures.is_webp(p)]
            about |= {"as_png": as_png} if as_png else {}
        reply = Reply(
            key=key,
            status={"ok": "ok", "refused": "refused"}.get(outcome.kind, "failed"),
            content=outcome.content,
            reason=outcome.reason,
            finish=outcome.finish,
            asked=self.settings.model,
            answered=outcome.model,
            system_fingerprint=outcome.system_fingerprint,
            usage=outcome.usage,
            request=about,
            seconds=round(outcome.seconds, 4),
            cost=cost,
        )
        self.store.put(reply)
        return reply

    def count_request(self, outcome: Outcome) -> None:
        """Count one request and the tokens that it was billed for, kept or thrown away."""
        self.stats.asked += not outcome.unreachable
        if usage := usage_of(outcome.usage):
            self.stats.tokens_in += usage.tokens_in
            self.stats.tokens_out += usage.tokens_out
            self.stats.tokens_cached += usage.cached
        self.stats.spent, self.stats.unbilled = self.ledger.made, self.ledger.unbilled

    def _count(self, exchange: ExchangeResult) -> None:
        self.stats.done += 1
        self.stats.refused += exchange.status is Status.REFUSED
        self.stats.failed += exchange.status in (Status.FAILED, Status.UNREADABLE)
        self.stats.repaired += bool(exchange.detail.get("repaired"))


def _sum_usage(replies: list[Reply]) -> dict[str, int]:
    total: dict[str, int] = {}
    for reply in replies:
        for name in ("prompt_tokens", "completion_tokens"):
            value = reply.usage.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                total[name] = min(total.get(name, 0) + value, 2**53)
    return total
