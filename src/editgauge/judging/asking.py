"""One reply of one judge: from the store, or asked for, paid for and stored under its key."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import msgspec
import orjson

from editgauge.errors import RunError
from editgauge.judging.chat import (
    KEY_NAMES,
    Client,
    Dialect,
    Reply,
    messages,
    pieces,
    read_completion,
)
from editgauge.judging.old_keys import OldKeys
from editgauge.judging.options import ROOM, JudgeOptions, thinks
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Call
from editgauge.services import policy
from editgauge.services.booking import Ledger
from editgauge.services.gate import Gate
from editgauge.services.http import Request, Response
from editgauge.services.paid import Outcome, PaidCalls, Spend
from editgauge.services.prices import CAUTIOUS, Price, estimate_input, told_cost, usage_of
from editgauge.store.paid import Paid
from editgauge.store.schema import digest
from editgauge.types import JsonMapping, JsonObject

_MOST_BYTES_A_TOKEN = 20.0
"""A bill that counts fewer tokens than the words' bytes over this is no bill."""
TROUBLES: Mapping[str, tuple[int, str]] = {
    "cut": (5, "cut off at {room} tokens; set max_tokens={more}, or reasoning_effort=low"),
    "bad": (3, ". Correct the command: every call is turned down for this"),
    "failed": (policy.HOPELESS, ". Run the same command later and retry what failed"),
}
"""What a call ended with, after how many in a row all would end so, and what to do then."""


@dataclass(frozen=True, slots=True)
class Job:
    """A call, and what is kept beside its reply (`about`) or is the caller's (`payload`)."""

    call: Call
    repeat: int = 0
    about: JsonMapping = field(default_factory=dict)
    payload: Any = None


class Attempt(NamedTuple):
    """``first``, ``room`` (a larger limit) or ``repair`` (a reply, and what is said to it)."""

    name: str = "first"
    room: int = 0
    repair: tuple[str, str] | None = None


FIRST = Attempt()


class Used(NamedTuple):
    """The parts of a dialect that a request uses: those are refused, or proven by its answer."""

    schema: bool = False
    temperature: bool = False


@dataclass(slots=True, kw_only=True)
class Stats:
    """What has happened so far. `unasked`: not stored, and not to be asked; `blind`: perhaps from a
    judge that saw no picture; `cut` and `repaired`: replies that were paid for twice, since they
    were cut off or could not be read; `unusable`: bills, by what is wrong with them; `dollars`:
    bills, and estimates of what was never billed.
    """

    done: int = 0
    requests: int = 0
    from_store: int = 0
    unasked: int = 0
    refused: int = 0
    failed: int = 0
    unparsable: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float = 0.0
    dollars_unbilled: float = 0.0
    blind: int = 0
    cut: int = 0
    repaired: int = 0
    unusable: Counter[str] = field(default_factory=Counter)

    def facts(self) -> JsonObject:
        """The counts as JSON."""
        return {name: round(max(0, getattr(self, name)), 6) for name in self.__slots__[:-1]}


class Unasked(Exception):
    """The reply is not in the store, and nothing may be asked."""


class Asker:
    """Asks one model for replies, each key once. Thread-safe. `limits`: `deadline` (seconds for one
    reply, 1,800) and `backoff` of `PaidCalls`. `answered`: the model that answered first; `asked`:
    keys whose replies came in this command; `waiting`: those whose replies wait in a batch.
    `adapted`: one line about what the server does not take, once it has answered; `say` gets it.
    """

    def __init__(
        self,
        client: Client,
        replies: Paid,
        pictures: PictureStore,
        options: JudgeOptions,
        *,
        price: Price | None = None,
        ledger: Ledger | None = None,
        **limits: float,
    ) -> None:
        self.client, self.replies, self.pictures = client, replies, pictures
        self.model, self.asking, self.retry = options.model, options.asking, options.retried
        self.offline = options.offline
        self.concurrency = int(options.settings.get("concurrency", 16))
        self.price, self.ledger = price, ledger or Ledger(purpose="judge")
        self.stats, self._lock = Stats(), threading.RLock()
        self.paid = PaidCalls(
            http=client.http,
            gate=Gate(self.concurrency),
            ledger=self.ledger,
            host=client.host,
            keys=KEY_NAMES,
            **{"deadline": 1800.0, **limits},  # type: ignore[arg-type]
        )
        noted = replies.note(f"dialect {self.model}")
        self.dialect = Dialect.of(client.host, noted, self.model)
        self.say: Callable[[str], None] = lambda text: None
        self._first, self._heard_of = threading.RLock(), set[Used]()
        self.adapted, self._refused = "", 0
        self.answered = replies.note(f"answered {self.model}") or ""
        room = replies.note(f"room {self.model}") or ""
        self._times_room = int(room) if room.isdigit() else 1
        self.asked, self.waiting = set[str](), set[str]()
        self._old = OldKeys(replies, self.dialect)
        self._of_key, self._trouble = dict[str, threading.Lock](), ("", 0)

    # -- what is sent ------------------------------------------------------------------------------

    def key(self, job: Job, attempt: Attempt = FIRST) -> str:
        """32 hexadecimal digits over the question: all that a reply depends on, but for what this
        server happens not to accept and for the room that it was found to need. Raises
        `ImageError`.
        """
        return self._key_in(job, attempt, Dialect())

    def _key_in(self, job: Job, attempt: Attempt, dialect: Dialect) -> str:
        """The key of a question in a dialect; the neutral one's counts."""
        marks = [self.pictures.identity(picture) for picture in job.call.pictures]
        room = attempt.room or self.room(job.call)
        words = self.body(job, attempt._replace(room=room), dialect).decode()
        return digest("openai-chat", job.call.rubric, job.repeat, attempt.name, marks, words)

    def body(self, job: Job, attempt: Attempt = FIRST, dialect: Dialect | None = None) -> bytes:
        """The body of a job with slots in place of its pictures."""
        words = self.parameters(job.call, attempt, dialect)
        return orjson.dumps({**words, "messages": messages(job.call, attempt.repair)})

    def parameters(
        self, call: Call, attempt: Attempt = FIRST, dialect: Dialect | None = None
    ) -> JsonObject:
        """Everything of a body but the messages."""
        dialect, room = dialect or self.dialect, attempt.room or self.room_needed(call)
        asking = {"temperature": call.temperature, **call.parameters, **self.asking}
        asking.pop("max_tokens", None)
        # one that was set is part of the judge's name: it is sent, or the call turned down
        sent = dialect.temperature or "temperature" in self.asking
        if asking["temperature"] is None or not sent:
            del asking["temperature"]
        form = dialect.asks_for(call.schema())
        return {"model": self.model, dialect.tokens_field: room, **asking, **form}

    def room(self, call: Call) -> int:
        """The token limit that a call declares for its first reply."""
        least = ROOM if thinks(self.model) and not call.as_released else 0
        return int(self.asking.get("max_tokens") or max(call.max_tokens, least))

    def room_needed(self, call: Call) -> int:
        """The token limit that a first reply is asked for with: more than the call declares, once
        a reply of this judge was cut off. A released script's request is sent as it is.
        """
        times = 1 if call.as_released else self._times_room
        return self.room(call) * times

    def learn_room(self, times: int) -> None:
        """Ask with so many times the declared token limit from now on, in later commands, too."""
        with self._lock:
            if times > self._times_room:
                self._times_room = times
                self.replies.note(f"room {self.model}", str(times))

    def most(self, job: Job, attempt: Attempt, text_bytes: int, *, batch: bool = False) -> float:
        """The most that a request can cost, in US dollars; `text_bytes`: without pictures."""
        if self.price is None or self.price.free:
            return 0.0
        sizes = [self.pictures.size(picture) for picture in job.call.pictures]
        tokens = estimate_input(text_bytes, sizes, self.price, bytes_a_token=CAUTIOUS)
        return self.price.of(tokens, attempt.room or self.room_needed(job.call), batch=batch)

    # -- a reply -----------------------------------------------------------------------------------

    def stored(self, key: str) -> Reply | None:
        """The reply under a key, or None. One that is damaged is none: it is asked for again."""
        facts = self.replies.get(key)
        try:
            return None if facts is None else msgspec.convert(facts, Reply)
        except msgspec.ValidationError:  # a file may come from anybody
            return None

    def reply(self, job: Job, attempt: Attempt = FIRST) -> Reply:
        """The reply of one attempt: from the store, or asked for, stored, and then given. Raises
        `Unasked` where neither is possible.
        """
        key = self.key(job, attempt)
        # two editors gave the same picture: one call serves both
        with self._of_key.setdefault(key, threading.Lock()):
            reply = self.stored(key) or self._stored_before(job, attempt)
            if reply is None and (self.offline or self.waits(job, attempt)):
                raise Unasked
            while reply is None:  # the server's words are learned on the way
                reply = self._ask(job, attempt)
            return reply

    def _stored_before(self, job: Job, attempt: Attempt) -> Reply | None:
        """The reply that an older version stored, or None."""
        facts = {**job.about, "call": job.call.name, "repeat": job.repeat, "attempt": attempt.name}
        key = self._old.find(facts, lambda dialect: self._key_in(job, attempt, dialect))
        return None if key is None else self.stored(key)

    def waits(self, job: Job, attempt: Attempt = FIRST) -> bool:
        """Whether the reply waits in a batch, of an older version perhaps."""
        if not self.waiting:
            return False
        keys = self._old.likely(lambda dialect: self._key_in(job, attempt, dialect))
        return not self.waiting.isdisjoint({*keys, self.key(job, attempt)})

    def _ask(self, job: Job, attempt: Attempt) -> Reply | None:
        """Ask in the words that are known now; None where an answer taught others.

        Until the server has answered, calls go one after the other: the refusal of the first one
        teaches all that wait, before their pictures are sent.
        """
        if self._knows(job):
            return self._ask_now(job, attempt)
        with self._first:
            if not self._knows(job):
                reply = self._ask_now(job, attempt)
                if reply is not None:  # any end but a refusal of the form lets the others go
                    self._heard_of.add(self.used(job.call))
                return reply
        return self._ask_now(job, attempt)

    def _knows(self, job: Job) -> bool:
        """Tell if a call like this one has come to an end before."""
        dialect = self.dialect
        if dialect.proven and dialect.warm and dialect.sure:
            return True
        used = self.used(job.call)
        if used in self._heard_of:
            return True
        if used.temperature and not dialect.warm:
            return False
        if used.schema and not dialect.sure:
            return False
        return dialect.proven

    def used(self, call: Call) -> Used:
        """Return the parts of the dialect that a request of this call uses."""
        has_temperature = "temperature" in self.parameters(call)
        return Used(schema=call.schema() is not None, temperature=has_temperature)

    def _ask_now(self, job: Job, attempt: Attempt) -> Reply | None:
        """Ask without waiting for others; None where an answer taught other words."""
        key = self.key(job, attempt)
        attempt = attempt._replace(room=attempt.room or self.room_needed(job.call))
        dialect = self.dialect
        body = self.body(job, attempt, dialect)
        encoded = [self.pictures.encode(picture) for picture in job.call.pictures]

        def build() -> Request:
            """Make the request when its turn comes: others may have learned until then."""
            nonlocal dialect, body
            if not dialect.asks_like(self.dialect):
                dialect = self.dialect
                body = self.body(job, attempt, dialect)
            return self.client.request(pieces(body, encoded))

        spend = Spend(model=self.model, most=self.most(job, attempt, len(body)))
        outcome = self.paid.call(build, lambda answer: self.heard(answer, len(body)), spend)
        if outcome.kind == "bad":  # perhaps it is the form that it refuses
            if self.learn(dialect, outcome.reason):
                return None
        if outcome.unreachable and not self.paid.sent:
            raise RunError(
                f"{self.client.address}: {outcome.reason}; start the server, or correct its address"
            )
        return self._kept(key, job, attempt, dialect, outcome)

    def heard(self, response: Response, text_bytes: int, *, batch: bool = False) -> Outcome:
        """A successful answer with its bill, where its usage record can be believed."""
        outcome = read_completion(response, self.client.secrets)
        reply = outcome.value or Reply()
        cost = told_cost(reply.usage)
        out = len((reply.content or "").encode()) / _MOST_BYTES_A_TOKEN
        try:
            usage = usage_of(reply.usage, least=text_bytes / _MOST_BYTES_A_TOKEN, least_out=out)
        except ValueError as error:
            if self.price is None or self.price.free:
                return replace(outcome, cost=cost)
            with self._lock:
                self.stats.unusable[str(error)] += outcome.booked
            return replace(outcome, reason=outcome.reason or f"no usable bill ({error})")
        with self._lock:
            self.stats.tokens_in += usage.tokens_in
            self.stats.tokens_out += usage.tokens_out
        if self.price is not None:
            cost = max(self.price.of(*usage, batch=batch), cost or 0.0)
        return replace(outcome, cost=cost)

    def learn(self, dialect: Dialect, reason: str) -> bool:
        """Learn from a refusal how the server wants to be asked. True where a request that is made
        anew may be taken. `dialect` is the one that was refused, `reason` the server's words.
        """
        with self._lock:
            if not dialect.asks_like(self.dialect):  # another call has found it out before
                self._refused += 1
                return True
            taught = self.dialect.after(reason)
            if taught is None:
                return False
            self._refused += 1
            self.dialect = taught
            return True

    def prove(self, dialect: Dialect, call: Call | None = None) -> None:
        """Keep a dialect in which a call was answered, so that the next command begins with it. The
        first time in a command, say what the server does not take.
        """
        if not dialect.asks_like(self.dialect):
            return
        used = Used()  # of a batch's line nobody knows
        if call is not None:
            used = self.used(call)
        proven = msgspec.structs.replace(
            self.dialect,
            proven=True,
            warm=self.dialect.warm or used.temperature,
            sure=self.dialect.sure or used.schema,
        )
        if proven != self.dialect:
            self.dialect = proven
            self.keep_dialect()
        if call is not None and not self.adapted:
            self.adapted = self._adapted(call.temperature, schema=used.schema)
            if self.adapted:
                self.say(self.adapted)

    def keep_dialect(self) -> None:
        """Note what was learned of the server, for the next command."""
        self.replies.note(f"dialect {self.model}", self.dialect.note)

    def _adapted(self, declared: float | None, *, schema: bool) -> str:
        """Return one line about what the server does not take and what that costs; "" where it
        takes everything. `declared` is the temperature of the protocol.
        """
        temperature = "" if declared is None or "temperature" in self.asking else f"{declared:g}"
        phrases = self.dialect.lacks(temperature=temperature, schema=schema)
        if not phrases:
            return ""
        refused = ""
        if self._refused:
            times = "once" if self._refused == 1 else f"{self._refused} times"
            refused = f"; it refused {times} before that was learned, which cost nothing"
        return f"{self.model} at {self.client.host} takes {' and '.join(phrases)}{refused}"

    def is_ours(self, model: str) -> bool:
        """Whether this model answered first; the first one is remembered."""
        if model and not self.answered:
            self.answered = model
            self.replies.note(f"answered {self.model}", model)
        return not model or model == self.answered

    def _kept(
        self, key: str, job: Job, attempt: Attempt, dialect: Dialect, outcome: Outcome
    ) -> Reply:
        """Store what an attempt ended with. Raises `RunError` where going on makes no sense."""
        call, model = job.call, (outcome.value or Reply()).answered
        fine = outcome.kind in ("ok", "refused")
        with self._lock:
            if outcome.kind == "ok":
                self.prove(dialect, call)
            ours = not fine or self.is_ours(model)
        about = {**job.about, "call": call.name, "repeat": job.repeat, "attempt": attempt.name}
        about |= {"room": attempt.room, "rubric": call.rubric, "dialect": dialect.note}
        # another judge's reply is paid for: kept, under a key that no call of ours has
        reply = self.put(key if ours else f"{key} {model}", outcome, about)
        self.asked.add(reply.key)
        if not ours:
            raise RunError(
                f"{self.client.host}: {model} answers now, {self.answered} first under the name "
                f"{self.model}; two judges are not mixed: name the one you want, or keep its "
                f"replies in another store"
            )
        if not fine:
            trouble = "bad" if outcome.kind == "bad" and not self.answered else "failed"
            # of a reply of thinking alone, all that was allowed went into it
            self.notice("cut" if reply.thought else trouble, reply)
        return reply

    def put(self, key: str, outcome: Outcome, about: JsonMapping) -> Reply:
        """Write an outcome into the store, as a reply; it is on disk when this returns."""
        reply = msgspec.structs.replace(
            outcome.value or Reply(),
            key=key,
            status=outcome.kind if outcome.kind in ("ok", "refused") else "failed",
            reason=outcome.reason,
            asked=self.model,
            request=about,
            seconds=round(outcome.seconds, 4),
            cost=outcome.cost,
        )
        self.replies.put(key, msgspec.structs.asdict(reply))
        return reply

    def notice(self, trouble: str, reply: Reply) -> None:
        """Count calls in a row with the same of `TROUBLES` ("": none). Raises `RunError`."""
        # a wrong option is turned down for one reason; a server that breaks down has many
        what = f"{trouble}: {reply.reason}" if trouble == "bad" else trouble
        with self._lock:
            last, count = self._trouble
            self._trouble = (what, count := count + 1 if what == last else 1)
        if self.offline or not trouble or count < TROUBLES[trouble][0]:
            return
        room = int(reply.request.get("room") or 0)
        advice = TROUBLES[trouble][1].format(room=room, more=max(ROOM, 2 * room))
        raise RunError(
            f"{self.client.host}: {count} calls in a row without a verdict, the last one: "
            f"{reply.reason}{advice}; what was done is kept"
        )
