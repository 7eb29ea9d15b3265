"""The engine: many calls to one judge at once, each paid for once, each ending in a reply or a
reason.

For one call: look into the store; else ask, waiting where the server says so; ask once more with
more room where the reply was cut off; ask once more, showing the judge its own reply, where that
cannot be read. Every reply is in the store before anybody hears of it, so that the same steps over
a stored call give the same result and cost nothing.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from editgauge.errors import BudgetExceeded, ImageError, RunError
from editgauge.judging.answers import read_reason
from editgauge.judging.cache import Reply, ReplyStore
from editgauge.judging.calls import Call, ExchangeResult, strict
from editgauge.judging.client import Client, Dialect, Outcome, build, wanted_dialect
from editgauge.judging.keys import dialect_note, read_dialect, reply_key, skeleton_of
from editgauge.judging.pictures import PictureStore
from editgauge.services.cost import Budget, Price, estimate_input
from editgauge.services.throttle import Gate
from editgauge.types import Status

ATTEMPTS = 5
"""Requests for one reply when a server breaks down; refusals for being busy are not counted."""
HOPELESS = 30
"""Calls in a row without a single answer after which the engine gives up."""
MORE_ROOM = 4
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


@dataclass(slots=True)
class Stats:
    """What has happened so far: for the live line, the manifest and the summary."""

    total: int | None = None
    done: int = 0
    asked: int = 0
    """Requests that were answered in this command."""
    stored: int = 0
    """Calls that were served from the store without any request."""
    refused: int = 0
    failed: int = 0
    unparsable: int = 0
    repaired: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    spent: float = 0.0
    began: float = field(default_factory=time.monotonic)


@dataclass(slots=True)
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
    seed: int | None = None
    offline: bool = False
    """Only the store is looked at; what is not there fails with that reason."""


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
        budget: Budget | None = None,
    ) -> None:
        self.client, self.store, self.pictures, self.gate, self.settings = (
            client,
            store,
            pictures,
            gate,
            settings,
        )
        self.price, self.budget = price, budget or Budget()
        self.stats = Stats()
        self.dialect = read_dialect(store.note(f"dialect {settings.model}")) or Dialect()
        self.answered = store.note(f"answered {settings.model}") or ""
        self.broke = False
        self._proven = bool(store.note(f"dialect {settings.model}"))
        self._tried = self._proven
        self._trying = False
        self._first = asyncio.Event()
        self._stopping = False
        self._in_a_row = 0
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
        answering, nothing but failures. A budget that would be passed ends the run with `broke` set
        and False.
        """
        waiting: Iterator[Job] = iter(jobs)
        complete = True

        async def work() -> None:
            nonlocal complete
            while not self._stopping:
                job = next(waiting, None)
                if job is None:
                    return
                try:
                    heard = await self._hear(job)
                except BudgetExceeded:
                    self.broke, self._stopping, complete = True, True, False
                    return
                self._count(heard)
                done(job, heard)
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
        return complete and next(waiting, None) is None

    def key(
        self, job: Job, attempt: str = "first", repair: tuple[str, str] | None = None, room: int = 0
    ) -> str:
        """The reply key of a job under the current dialect. Raises `ImageError` for a picture that
        cannot be read.
        """
        skeleton = self._skeleton(job, repair, room)
        marks = [self.pictures.identity(picture) for picture in job.call.pictures]
        return reply_key(
            skeleton,
            marks,
            self.client.family,
            rubric=job.call.rubric,
            repeat=job.repeat,
            attempt=attempt,
        )

    # -- one job -----------------------------------------------------------------------------------

    async def _hear(self, job: Job) -> ExchangeResult:
        try:
            first = await self._reply(job)
        except ImageError as error:
            return ExchangeResult(None, None, Status.UNREADABLE, str(error))
        replies = [first]
        ours = not job.call.as_released  # a released script's request is sent once, as it is
        if ours and first.status == "ok" and first.finish == "length":
            replies.append(await self._reply(job, "room", room=job.call.max_tokens * MORE_ROOM))
        last = next((reply for reply in reversed(replies) if reply.status == "ok"), first)
        if ours and last.status == "ok" and self.settings.repair:
            problems = self._problems(job.call, last)
            if problems and "unparsable" in self.settings.retry:
                last = replies[-1] = await self._reply(
                    job, self._attempt_of(replies), force=True, room=self._room(replies)
                )
                problems = self._problems(job.call, last) if last.status == "ok" else ""
            if problems:
                said = (last.content or "", REPAIR.format(problems=problems))
                repaired = await self._reply(
                    job, "repair", repair=said, force="unparsable" in self.settings.retry
                )
                replies.append(repaired)
                if repaired.status == "ok" and not self._problems(job.call, repaired):
                    last = repaired
        return self._heard(job, replies, last)

    @staticmethod
    def _attempt_of(replies: list[Reply]) -> str:
        return "room" if len(replies) > 1 else "first"

    def _room(self, replies: list[Reply]) -> int:
        return 0 if len(replies) < 2 else int(replies[-1].request.get("room", 0))

    def _heard(self, job: Job, replies: list[Reply], last: Reply) -> ExchangeResult:
        detail: dict[str, Any] = {"reply": last.key, "model": last.answered, "asked": last.asked}
        if last.system_fingerprint:
            detail["system_fingerprint"] = last.system_fingerprint
        if last.key != replies[0].key:
            detail["first_reply"] = replies[0].key
            detail["repaired" if last.request.get("attempt") == "repair" else "more_room"] = True
        elif len(replies) > 1:
            detail["attempts"] = len(replies)
        detail["usage"] = _sum_usage(replies)
        costs = [reply.cost for reply in replies if reply.cost is not None]
        if costs:
            detail["cost"] = round(sum(costs), 8)
        if last.status != "ok":
            status = Status.REFUSED if last.status == "refused" else Status.FAILED
            return ExchangeResult(None, None, status, last.reason, detail)
        if rationale := read_reason(
            last.content, (*job.call.reasons, "reason", "reasoning", "rationale")
        ):
            detail["rationale"] = rationale[:1000]
        return ExchangeResult(
            replies[0].content,
            last.content,
            Status.SCORED,
            "",
            detail,
            cut_off=last.finish == "length",
        )

    @staticmethod
    def _problems(call: Call, reply: Reply) -> str:
        readings = strict(call, reply.content, cut_off=reply.finish == "length")
        return "; ".join(
            f"{name}: {reading.reason}"
            for name, reading in readings.items()
            if reading.status is Status.UNPARSABLE
        )

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
        if not self._tried and not self.settings.offline:
            if not self._trying:  # the first call finds out what the server takes, alone
                self._trying = True
                try:
                    return await self._reply_now(job, attempt, repair, room, force)
                finally:
                    self._trying = self._tried
                    self._first.set()
            await self._first.wait()
        return await self._reply_now(job, attempt, repair, room, force)

    async def _reply_now(
        self, job: Job, attempt: str, repair: tuple[str, str] | None, room: int, force: bool
    ) -> Reply:
        key = self.key(job, attempt, repair, room)
        stored = self.store.get(key)
        again = (
            stored is not None
            and key not in self._reasked
            and (force or stored.status in self.settings.retry)
        )
        if stored is not None and not again:
            self.stats.stored += attempt == "first"
            return stored
        if self.settings.offline:
            return Reply(
                key, "failed", reason="not in the reply store, and nothing may be asked (--offline)"
            )
        if key in self._flying:  # two editors gave the same picture: one call serves both
            self.stats.stored += attempt == "first"
            return await asyncio.shield(self._flying[key])
        self._reasked.add(key)
        flying = self._flying[key] = asyncio.get_running_loop().create_future()
        try:
            outcome, last_key = await self._ask(job, key, attempt, repair, room)
            reply = self._stored_reply(job, last_key, attempt, room, outcome)
            self.store.put(reply)
        except BaseException as error:
            flying.set_exception(error if isinstance(error, Exception) else RunError("stopped"))
            flying.exception()  # whoever waits hears of it; nobody has to
            raise
        finally:
            del self._flying[key]
        flying.set_result(reply)
        return reply

    async def _ask(
        self, job: Job, key: str, attempt: str, repair: tuple[str, str] | None, room: int
    ) -> tuple[Outcome, str]:
        began, failures = time.monotonic(), 0
        while True:
            sent = self.dialect
            outcome = await self._send(job, repair, room)
            if outcome.kind == "bad" and not self._proven:
                self.dialect = wanted_dialect(sent, outcome.reason) or self.dialect
                if self.dialect != sent:
                    key = self.key(job, attempt, repair, room)
                    continue
            self._tried = True
            self._first.set()
            if outcome.kind == "stop":
                raise RunError(
                    f"{self.client.host}: {outcome.reason}; nothing further was asked. "
                    f"{_advice(outcome)}"
                )
            left = self.settings.deadline - (time.monotonic() - began)
            if outcome.kind == "busy" and (outcome.retry_after or 0) > self.settings.deadline:
                raise RunError(
                    f"{self.client.host}: {outcome.reason}; it asks to wait "
                    f"{outcome.retry_after:.0f} s, longer than "
                    f"--deadline {self.settings.deadline:.0f}. What was done is kept; run the same "
                    f"command again later."
                )
            if outcome.kind == "busy" and left > 0:
                continue  # the gate is closed for as long as the server said
            if outcome.kind == "again":
                failures += 1
                pause = outcome.retry_after or random.uniform(
                    1, 2
                ) * self.settings.backoff * 2 ** min(failures - 1, 6)
                if failures < ATTEMPTS and left > pause:
                    await asyncio.sleep(pause)
                    continue
            self._learn(outcome)
            return outcome, key

    async def _send(self, job: Job, repair: tuple[str, str] | None, room: int) -> Outcome:
        skeleton = self._skeleton(job, repair, room)
        sizes = [self.pictures.size(picture) for picture in job.call.pictures]
        estimate = 0.0
        if self.price is not None:
            tokens = estimate_input(len(skeleton), sizes, self.price)
            estimate = self.price.of(tokens, room or job.call.max_tokens)
        reserved = self.budget.reserve(estimate)
        if reserved is None:
            raise BudgetExceeded("the next call could pass the budget")
        cost: float | None = None
        try:
            length = len(skeleton) + sum(
                self.pictures.length(picture) for picture in job.call.pictures
            )
            async with self.gate.enter(length) as admitted:
                encoded = [
                    await self.pictures.encode_aside(picture) for picture in job.call.pictures
                ]
                outcome = await self.client.post(build(skeleton, encoded))
                if outcome.kind == "busy":
                    self.gate.refused(admitted, outcome.retry_after)
                elif outcome.http:
                    self.gate.succeeded()
            if self.price is not None and outcome.usage:
                cost = self.price.of_usage(outcome.usage)
        finally:
            self.budget.settle(reserved, estimate, cost)
        return outcome

    def _learn(self, outcome: Outcome) -> None:
        """Remember what the first answer taught, and stop where going on makes no sense."""
        if outcome.kind in ("ok", "refused"):
            self._in_a_row = 0
            if outcome.kind == "ok" and not self._proven:
                self._proven = True
                self.store.note(f"dialect {self.settings.model}", dialect_note(self.dialect))
            if outcome.model and not self.answered:
                self.answered = outcome.model
                self.store.note(f"answered {self.settings.model}", outcome.model)
            if outcome.model and outcome.model != self.answered:
                raise RunError(
                    f"{self.client.host}: {outcome.model} answers now, {self.answered} answered "
                    f"first under the name "
                    f"{self.settings.model}; two judges are not mixed: name the one you want, or "
                    f"use another --replies"
                )
            return
        self._in_a_row += 1
        if not self.answered and outcome.http == 0 and "ConnectError" in outcome.reason:
            raise RunError(
                f"{self.client.base_url}: {outcome.reason}; start the server, or correct --base-url"
            )
        if self._in_a_row >= HOPELESS:
            raise RunError(
                f"{self.client.host}: {self._in_a_row} calls in a row without an answer, the last "
                f"one: "
                f"{outcome.reason}; what was done is kept, run the same command with --retry "
                f"failed later"
            )

    def _stored_reply(self, job: Job, key: str, attempt: str, room: int, outcome: Outcome) -> Reply:
        status = {"ok": "ok", "refused": "refused"}.get(outcome.kind, "failed")
        cost = (
            self.price.of_usage(outcome.usage) if self.price is not None and outcome.usage else None
        )
        usage = outcome.usage
        self.stats.asked += outcome.http > 0
        self.stats.tokens_in += int(usage.get("prompt_tokens") or 0)
        self.stats.tokens_out += int(usage.get("completion_tokens") or 0)
        cached = usage.get("prompt_tokens_details")
        self.stats.tokens_cached += (
            int(cached.get("cached_tokens") or 0) if isinstance(cached, dict) else 0
        )
        self.stats.spent = self.budget.spent
        about: dict[str, Any] = {
            "call": job.call.name,
            "repeat": job.repeat,
            "attempt": attempt,
            **job.about,
        }
        if room:
            about["room"] = room
        about["rubric"] = job.call.rubric
        about["pictures"] = [self.pictures.identity(picture) for picture in job.call.pictures]
        about["parameters"] = orjson.loads(dialect_note(self.dialect))
        return Reply(
            key,
            status,
            outcome.content,
            outcome.reason,
            outcome.finish,
            self.settings.model,
            outcome.model,
            outcome.system_fingerprint,
            outcome.usage,
            about,
            round(outcome.seconds, 4),
            cost,
        )

    def _skeleton(self, job: Job, repair: tuple[str, str] | None, room: int) -> bytes:
        return skeleton_of(
            job.call,
            self.settings.model,
            self.dialect,
            max_tokens=room or None,
            seed=self.settings.seed,
            repair=repair,
        )

    def _count(self, heard: ExchangeResult) -> None:
        self.stats.done += 1
        self.stats.refused += heard.status is Status.REFUSED
        self.stats.failed += heard.status in (Status.FAILED, Status.UNREADABLE)
        self.stats.repaired += bool(heard.detail.get("repaired"))


def _sum_usage(replies: list[Reply]) -> dict[str, int]:
    total: dict[str, int] = {}
    for reply in replies:
        for name in ("prompt_tokens", "completion_tokens"):
            value = reply.usage.get(name)
            if isinstance(value, int):
                total[name] = total.get(name, 0) + value
    return total


def _advice(outcome: Outcome) -> str:
    if outcome.http in (401, 403):
        return "Set EDITGAUGE_JUDGE_KEY (or OPENAI_API_KEY) to a key of this server."
    if outcome.http == 404:
        return "Correct --model or --base-url (it should end in /v1)."
    return "What was done is kept; run the same command again later."
