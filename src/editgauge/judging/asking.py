"""One reply of one judge: from the store, or asked for in the server's words, paid for and stored.

What a server takes is found out with the first calls; waiting, retries and money are
`services.paid`'s. What comes of a whole call is `engine`'s.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Literal

import orjson

from editgauge.errors import RunError
from editgauge.judging.chat import (
    FAMILY,
    KEY_NAMES,
    Client,
    Completion,
    messages,
    parameters,
    pieces,
)
from editgauge.judging.dialect import Dialect
from editgauge.judging.jobs import FIRST, Attempt, Job, Settings, Stats
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Call
from editgauge.judging.store import Reply, ReplyStore
from editgauge.services import policy
from editgauge.services.booking import Ledger
from editgauge.services.gate import Gate
from editgauge.services.http import Response
from editgauge.services.paid import Outcome, PaidCalls, Spend
from editgauge.services.prices import CAUTIOUS, Price, estimate_input, told_cost, usage_of

FIRST_WAIT = 0.3
"""Seconds for which other calls wait for the first one's answer: a server that refuses a request's
form does so at once, and an answer that takes longer is a verdict.
"""
Trouble = Literal["", "cut", "bad", "failed"]
"""What a call ended with: cut off twice before its verdict, its request turned down, no answer."""
IN_A_ROW: Mapping[Trouble, int] = {"cut": 5, "bad": 3, "failed": policy.HOPELESS}
"""Calls in a row with one trouble after which nothing further is asked: every other call would end
the same way.
"""
_MOST_BYTES_A_TOKEN = 20.0
"""A bill that counts fewer tokens than the words' bytes over this is no bill."""


class Unasked(Exception):
    """The reply is not in the store, and nothing may be asked."""


class Asker:
    """Asks one model for replies, each key once. Thread-safe."""

    def __init__(
        self,
        client: Client,
        store: ReplyStore,
        pictures: PictureStore,
        settings: Settings,
        *,
        price: Price | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.client, self.store, self.pictures, self.settings = client, store, pictures, settings
        self.price, self.ledger = price, ledger or Ledger(purpose="judge")
        self.stats = Stats()
        self.paid = PaidCalls(
            http=client.http,
            gate=Gate(settings.concurrency),
            ledger=self.ledger,
            host=client.host,
            deadline=settings.deadline,
            backoff=settings.backoff,
            advice=lambda status: policy.advice(status, KEY_NAMES),
        )
        noted = store.note(f"dialect {settings.model}")
        self.dialect = Dialect.of(client.host, noted)
        self.answered = store.note(f"answered {settings.model}") or ""
        self._proven = noted is not None
        self._lock, self._first = threading.RLock(), threading.Lock()
        self._trouble: tuple[str, int] = ("", 0)
        self._asked_now: set[str] = set()
        self._flying: dict[str, Future[Reply]] = {}

    # -- keys --------------------------------------------------------------------------------------

    def key(self, job: Job, attempt: Attempt = FIRST, dialect: Dialect | None = None) -> str:
        """The key of a reply: 32 hexadecimal digits over endpoint family, rubric, repeat, attempt,
        picture bytes and body (model, parameters, schema, text). Raises `ImageError` for a picture
        that cannot be read.
        """
        marks = [self.pictures.identity(picture) for picture in job.call.pictures]
        state = hashlib.blake2b(digest_size=16)
        for part in (FAMILY, job.call.rubric, str(job.repeat), attempt.name, *marks):
            state.update(part.encode())
            state.update(b"\0")
        state.update(self.body(job, attempt, dialect))
        return state.hexdigest()

    def body(self, job: Job, attempt: Attempt = FIRST, dialect: Dialect | None = None) -> bytes:
        """The body of a job with slots in place of its pictures."""
        model, asking = self.settings.model, self.settings.asking
        room = attempt.room or self.room(job.call)
        words = parameters(job.call, model, dialect or self.dialect, asking, room)
        return orjson.dumps({**words, "messages": messages(job.call, attempt.repair)})

    def room(self, call: Call) -> int:
        """The token limit of a call's first reply."""
        least = 0 if call.as_released else self.settings.room
        return int(self.settings.asking.get("max_tokens") or max(call.max_tokens, least))

    # -- one reply ---------------------------------------------------------------------------------

    def reply(self, job: Job, attempt: Attempt, *, force: bool) -> Reply:
        """The reply of one attempt: from the store, or asked for, stored, and then given."""
        with self._lock:
            key = self.key(job, attempt)
            stored = self.store.get(key)
            flying = self._flying.get(key)
            if stored is not None and (not force or key in self._asked_now):
                self.stats.from_store += attempt == FIRST
                return stored
            if self.settings.offline:
                raise Unasked
            if flying is None:
                future = self._flying[key] = Future[Reply]()
                self._asked_now.add(key)
            else:  # two editors gave the same picture: one call serves both
                self.stats.from_store += attempt == FIRST
        if flying is not None:
            return flying.result()
        try:
            reply = self._ask(job, attempt)
        except BaseException as error:
            future.set_exception(error if isinstance(error, Exception) else RunError("stopped"))
            raise
        finally:
            with self._lock:
                del self._flying[key]
        future.set_result(reply)
        return reply

    def _ask(self, job: Job, attempt: Attempt) -> Reply:
        """Ask in the server's words, which are learned on the way."""
        while True:
            alone = not self._proven and self._first.acquire(timeout=FIRST_WAIT)
            try:
                reply = self._ask_once(job, attempt)
            finally:
                if alone:
                    self._first.release()
            if reply is not None:
                return reply

    def _ask_once(self, job: Job, attempt: Attempt) -> Reply | None:
        """Ask in the words that are known now; None where an answer taught others."""
        dialect = self.dialect
        body = self.body(job, attempt, dialect)
        encoded = [self.pictures.encode(picture) for picture in job.call.pictures]
        request = self.client.request(pieces(body, encoded))
        spend = Spend(model=self.settings.model, most=self.most(job, attempt, len(body)))

        def heard(response: Response) -> Outcome:
            return self.billed(self.client.read(response), len(body))

        outcome = self.paid.call(request, heard, spend)
        if self._learned(dialect, outcome):
            return None
        if outcome.unreachable and not self.answered:
            raise RunError(
                f"{self.client.address.base}: {outcome.reason}; start the server, or correct "
                f"--base-url"
            )
        return self._keep(job, attempt, dialect, outcome)

    # -- money -------------------------------------------------------------------------------------

    def most(self, job: Job, attempt: Attempt, text_bytes: int, *, batch: bool = False) -> float:
        """The most that a request can cost, in US dollars; 0 where there is no price. `text_bytes`
        is the length of its body without pictures.
        """
        if self.price is None or self.price.free:
            return 0.0
        sizes = [self.pictures.size(picture) for picture in job.call.pictures]
        tokens = estimate_input(text_bytes, sizes, self.price, bytes_a_token=CAUTIOUS)
        return self.price.of(tokens, attempt.room or self.room(job.call), batch=batch)

    def billed(self, outcome: Outcome, text_bytes: int, *, batch: bool = False) -> Outcome:
        """An answer with its bill, by its own usage record where that can be believed; its tokens
        are counted on the way.
        """
        reply = outcome.value if isinstance(outcome.value, Completion) else Completion()
        cost = told = told_cost(reply.usage)
        usage = usage_of(
            reply.usage,
            least=text_bytes / _MOST_BYTES_A_TOKEN,
            least_out=len((reply.content or "").encode()) / _MOST_BYTES_A_TOKEN,
        )
        if self.price is not None:
            cost = None
            if usage is not None:
                cost = self.price.of(usage.tokens_in, usage.tokens_out, usage.cached, batch=batch)
                cost = max(cost, told or 0.0)
        if usage is not None:
            with self._lock:
                self.stats.tokens_in += usage.tokens_in
                self.stats.tokens_out += usage.tokens_out
                self.stats.tokens_cached += usage.cached
        return replace(outcome, cost=cost)

    # -- what an answer teaches --------------------------------------------------------------------

    def _learned(self, sent: Dialect, outcome: Outcome) -> bool:
        """Whether the request is to be sent again in other words; they are learned."""
        if outcome.kind != "bad" or self._proven:  # this server has answered in this form before
            return False
        with self._lock:
            if sent == self.dialect:
                self.dialect = sent.after(outcome.reason) or sent
            return sent != self.dialect  # perhaps another call has found it out in the meantime

    def prove(self, dialect: Dialect) -> None:
        """Keep a dialect that was answered, so that the next command begins with it."""
        if not self._proven and dialect == self.dialect:
            self._proven = True
            self.store.note(f"dialect {self.settings.model}", dialect.note)

    def answer_of(self, model: str) -> bool:
        """Remember which model answered first; False when this is another one."""
        if model and not self.answered:
            self.answered = model
            self.store.note(f"answered {self.settings.model}", model)
        return not model or model == self.answered

    def _keep(self, job: Job, attempt: Attempt, dialect: Dialect, outcome: Outcome) -> Reply:
        """Store what an attempt ended with. Raises `RunError` where going on makes no sense."""
        said = outcome.value if isinstance(outcome.value, Completion) else Completion()
        key = self.key(job, attempt, dialect)
        fine = outcome.kind in ("ok", "refused")
        with self._lock:
            if outcome.kind == "ok":
                self.prove(dialect)
            ours = not fine or self.answer_of(said.model)
        # another judge's reply is paid for: kept, under a key that no call of ours has
        key = key if ours else f"{key} {said.model}"
        reply = self.put(key, outcome, self._about(job, attempt, dialect))
        if not ours:
            raise RunError(
                f"{self.client.host}: {said.model} answers now, {self.answered} answered first "
                f"under the name {self.settings.model}; two judges are not mixed: name the one you "
                f"want, or use another --replies"
            )
        if not fine:
            trouble: Trouble = "bad" if outcome.kind == "bad" and not self.answered else "failed"
            # of a reply of thinking alone, all that was allowed went into it
            self.notice("cut" if said.thought else trouble, reply)
        return reply

    def _about(self, job: Job, attempt: Attempt, dialect: Dialect) -> dict[str, Any]:
        """What a reply's request was about, without its words and pictures."""
        return {
            "call": job.call.name,
            "repeat": job.repeat,
            "attempt": attempt.name,
            **job.about,
            "room": attempt.room or self.room(job.call),
            "rubric": job.call.rubric,
            "pictures": [self.pictures.identity(picture) for picture in job.call.pictures],
            "parameters": orjson.loads(dialect.note),
        }

    def put(self, key: str, outcome: Outcome, about: Mapping[str, Any]) -> Reply:
        """Write an outcome into the store, as a reply."""
        said = outcome.value if isinstance(outcome.value, Completion) else Completion()
        reply = Reply(
            key=key,
            status={"ok": "ok", "refused": "refused"}.get(outcome.kind, "failed"),
            content=said.content,
            reason=outcome.reason,
            finish=said.finish,
            asked=self.settings.model,
            answered=said.model,
            system_fingerprint=said.system_fingerprint,
            usage=said.usage,
            request={**about, "thought": True} if said.thought else about,
            seconds=round(outcome.seconds, 4),
            cost=outcome.cost,
        )
        self.store.put(reply)
        return reply

    def notice(self, trouble: Trouble, reply: Reply) -> None:
        """Count how many calls in a row ended with the same trouble. Raises `RunError` with advice
        where another one makes no sense.
        """
        if self.settings.offline:
            return
        # a wrong option is turned down for one reason; a server that breaks down has many
        what = f"{trouble}: {reply.reason}" if trouble == "bad" else trouble
        with self._lock:
            self.stats.cut_off += trouble == "cut"
            last, count = self._trouble
            self._trouble = (what, count + 1 if what == last else 1)
            count = self._trouble[1]
        if trouble and count >= IN_A_ROW[trouble]:
            room = int(reply.request.get("room") or 0)
            thinks = " while it was still thinking" if reply.request.get("thought") else ""
            advice = _ADVICE[trouble].format(thinks=thinks, room=room, more=max(16384, 2 * room))
            raise RunError(
                f"{self.client.host}: {count} calls in a row without a verdict, the last one: "
                f"{reply.reason}{advice}; what was done is kept"
            )


_ADVICE: Mapping[Trouble, str] = {
    "cut": (
        "cut off{thinks} at {room} tokens. Give more with --set max_tokens={more}, or ask for less "
        "thinking with --set reasoning_effort=low"
    ),
    "bad": ". Correct the command: every call is turned down for this",
    "failed": ". Run the same command with --retry failed later",
}
