"""Many calls to one judge at once, each paid for once, each ending in a reply or a reason.

For one call: look into the store; else ask; ask once more with more room where the reply was cut
off; ask once more, quoting the broken rule, where it cannot be read. Every reply is in the store
before anybody hears of it, so that the same steps over a stored call give the same result and cost
nothing. What a server takes is found out with the first calls; waiting, retries and money are
`services.paid`'s.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import orjson

from editgauge.errors import BudgetExceeded, ImageError, RunError
from editgauge.judging.cache import Reply, ReplyStore
from editgauge.judging.chat import FAMILY, KEY_NAMES, Asking, Client, Completion, pieces, skeleton
from editgauge.judging.dialect import Dialect
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Call
from editgauge.judging.reading import ENDLESS, Verdict, read
from editgauge.judging.scores import ExchangeResult, to_scores
from editgauge.judging.stats import Stats
from editgauge.services import policy
from editgauge.services.booking import Ledger
from editgauge.services.gate import Closed, Gate
from editgauge.services.http import Response
from editgauge.services.paid import Outcome, PaidCalls, Spend
from editgauge.services.prices import CAUTIOUS, Price, estimate_input, told_cost, usage_of
from editgauge.types import Status

MORE_ROOM = 4
"""How many times its token limit a reply gets that was cut off."""
CUT_OFFS = 5
"""Calls in a row whose reply was cut off twice, after which the engine stops with advice."""
SAME_REFUSALS = 3
"""Requests turned down for one reason, before any was answered, after which nothing further is
asked: the fault is the command's, and every call would end the same way.
"""
FIRST_WAIT = 0.3
"""Seconds for which other calls wait for the first one's answer: a server that refuses a request's
form does so at once, and an answer that takes longer is a verdict.
"""
REPAIR = (
    "That answer cannot be read: {problem}. Judge the same pictures by the same criteria and give "
    "the complete answer again, as exactly this one JSON object and with nothing around it: {form}"
)
UNSEEN_WORDS = (
    "no image was", "no images were", "image was not provided", "images were not provided",
    "no picture was", "no pictures were", "cannot see the image", "can't see the image",
    "unable to see the image", "unable to view", "cannot view the image", "without seeing the",
    "do not see any image", "don't see any image", "did not receive any image",
)  # fmt: skip
"""Of a judge that says in so many words that it saw nothing: for a warning, never for a score."""
_BLAMED = re.compile(r"image|picture|decode|media|mime|webp", re.IGNORECASE)
_MOST_BYTES_A_TOKEN = 20.0
"""A bill that counts fewer tokens than the words' bytes over this is no bill."""


class Unasked(Exception):
    """The reply is not in the store, and nothing may be asked."""


@dataclass(frozen=True, slots=True)
class Job:
    """A call and what it belongs to. `about` (benchmark, sample, editor…) is kept beside the
    reply; `payload` is the caller's.
    """

    call: Call
    repeat: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)
    payload: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt of a job: ``first``, ``room`` (with a larger token limit) or ``repair``."""

    name: str = "first"
    repair: tuple[str, str] | None = None
    room: int = 0


FIRST = Attempt()


@dataclass(slots=True, kw_only=True)
class Settings:
    """How an engine asks. `retry` holds what is asked again: ``failed``, ``refused``,
    ``unparsable``.
    """

    model: str
    retry: frozenset[str] = frozenset()
    repair: bool = True
    concurrency: int = 16
    deadline: float = 1800.0
    """Seconds for one reply, all waiting and retries together."""
    backoff: float = 0.5
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
        self.broke = ""
        """Why the budget ended the run, or empty."""
        self._noted = None if noted is None else self.dialect
        self._proven = self._noted is not None
        self._first = threading.Event()
        if self._proven:
            self._first.set()
        self._lock = threading.RLock()
        self._one_room = threading.Lock()
        self._led = self._stopping = self._uncut = False
        self._cut_in_a_row = self._unanswered = 0
        self._turned_down: dict[str, int] = {}
        self._asked_now: set[str] = set()
        self._flying: dict[str, Future[Reply]] = {}

    # -- many jobs ---------------------------------------------------------------------------------

    def stop(self) -> None:
        """Take no further job; what is in flight is finished."""
        self._stopping = True

    def run(
        self,
        jobs: Iterable[Job],
        done: Callable[[Job, ExchangeResult], None],
        progress: Callable[[Stats], None] | None = None,
    ) -> bool:
        """Do all jobs, calling `done` with each as it ends (in any order, one at a time). True when
        none was left out.

        Raises `RunError` when going on makes no sense: no server, a wrong key, another model
        answering, nothing but failures. What is in flight then is still waited for, stored and
        given to `done`: it is paid for. A budget that would be passed ends the run with `broke` set
        and False. `KeyboardInterrupt` drops what is in flight.
        """
        work = _Work(engine=self, jobs=iter(jobs), done=done, progress=progress)
        count = 1 if self.settings.offline else self.settings.concurrency
        threads = [threading.Thread(target=work.go, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():  # a join without a limit would hear no Ctrl-C
                    thread.join(0.5)
        except KeyboardInterrupt:
            work.dropped = True
            self.paid.halt()
            raise
        finally:
            self.count()
        if work.error is not None:
            raise work.error
        return work.complete and next(work.jobs, None) is None

    def count(self) -> None:
        """Bring requests and money in `stats` up to date."""
        self.stats.asked = self.paid.sent
        self.stats.spent, self.stats.unbilled = self.ledger.spent, self.ledger.unbilled

    # -- keys --------------------------------------------------------------------------------------

    def key(self, job: Job, attempt: Attempt = FIRST, dialect: Dialect | None = None) -> str:
        """The key of a reply: 32 hexadecimal digits over endpoint family, rubric, repeat, attempt,
        picture bytes and body (model, parameters, schema, text). Raises `ImageError` for a picture
        that cannot be read.
        """
        dialect = dialect or self.dialect
        marks = [self.pictures.identity(picture, dialect.webp) for picture in job.call.pictures]
        state = hashlib.blake2b(digest_size=16)
        for part in (FAMILY, job.call.rubric, str(job.repeat), attempt.name, *marks):
            state.update(part.encode())
            state.update(b"\0")
        state.update(self.body(job, attempt, dialect))
        return state.hexdigest()

    def body(self, job: Job, attempt: Attempt = FIRST, dialect: Dialect | None = None) -> bytes:
        """The body of a job with slots in place of its pictures."""
        return skeleton(
            job.call,
            self.settings.model,
            dialect or self.dialect,
            max_tokens=attempt.room or self.room(job.call),
            asking=self.settings.asking,
            repair=attempt.repair,
        )

    def room(self, call: Call) -> int:
        """The token limit of a call's first reply."""
        least = 0 if call.as_released else self.settings.room
        return self.settings.asking.max_tokens or max(call.max_tokens, least)

    # -- one job -----------------------------------------------------------------------------------

    def hear(self, job: Job) -> ExchangeResult:
        """What comes of one job. Raises `Unasked`, and `EditgaugeError` where going on makes no
        sense.
        """
        try:
            exchange = self._exchange(job)
            if self._is_to_be_asked_again(job, exchange):
                exchange = self._exchange(job, force=True)
            return exchange
        except ImageError as error:
            return ExchangeResult(
                first=None, last=None, status=Status.UNREADABLE, reason=str(error)
            )

    def _is_to_be_asked_again(self, job: Job, exchange: ExchangeResult) -> bool:
        retry = self.settings.retry
        if not retry or self.settings.offline or self.key(job) in self._asked_now:
            return False
        return any(score.status in retry for score in to_scores(job.call, exchange))

    def _exchange(self, job: Job, *, force: bool = False) -> ExchangeResult:
        first = last = self._reply(job, FIRST, force=force)
        replies = [first]
        if job.call.as_released:  # a released script's request is sent once, as it is
            return self._result(job, replies, first)
        room = 0
        if first.status == "ok" and first.finish == "length":
            room = self.room(job.call) * MORE_ROOM
            replies.append(self._with_room(job, Attempt(name="room", room=room), force=force))
            last = replies[-1] if replies[-1].status == "ok" else first
        problem = self._verdict(job.call, last).problem if last.status == "ok" else ""
        if problem and self.settings.repair and last.finish != "length":
            words = (last.content or "", REPAIR.format(problem=problem, form=job.call.shape))
            repair = Attempt(name="repair", repair=words, room=room)
            replies.append(self._reply(job, repair, force=force))
            mended = replies[-1]
            if mended.status == "ok" and not self._verdict(job.call, mended).problem:
                last = mended
        return self._result(job, replies, last)

    def _with_room(self, job: Job, attempt: Attempt, *, force: bool) -> Reply:
        """The reply with more room. It is the dearest there is: until any reply was not cut off,
        only one is asked for at once.
        """
        if self._uncut:
            return self._reply(job, attempt, force=force)
        with self._one_room:
            reply = self._reply(job, attempt, force=force)
            self._uncut = self._uncut or reply.finish != "length"
            return reply

    @staticmethod
    def _verdict(call: Call, reply: Reply) -> Verdict:
        return read(call, reply.content, cut_off=reply.finish == "length")

    def _result(self, job: Job, replies: Sequence[Reply], last: Reply) -> ExchangeResult:
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
        verdict = self._verdict(job.call, last)
        if rationale := self.client.secrets.value(verdict.rationale):
            detail["rationale"] = rationale[:1000]
        cut_off = last.finish == "length"
        self._notice_cut(cut_off or verdict.problem == ENDLESS, last.request)
        self._notice_blindness(job, replies[0], verdict)
        return ExchangeResult(
            first=replies[0].content,
            last=last.content,
            status=Status.SCORED,
            detail=detail,
            cut_off=cut_off,
        )

    def _notice_cut(self, cut: bool, request: Mapping[str, Any]) -> None:
        """Stop with advice when one call after the other ends before its verdict, with more room as
        well.
        """
        if self.settings.offline:
            return
        with self._lock:
            self.stats.cut_off += cut
            self._cut_in_a_row = self._cut_in_a_row + 1 if cut else 0
            self._uncut = self._uncut or not cut
            if self._cut_in_a_row < CUT_OFFS:
                return
        room = int(request.get("room") or 0)
        thinks = " while it was still thinking" if request.get("thought") else ""
        raise RunError(
            f"{self.settings.model}: {CUT_OFFS} calls in a row were cut off{thinks}, the last one "
            f"at {room} tokens, before a verdict. Give more with --max-tokens "
            f"{max(16384, 2 * room)}, or ask for less thinking with --reasoning-effort low; what "
            f"was done is kept"
        )

    def _notice_blindness(self, job: Job, reply: Reply, verdict: Verdict) -> None:
        """Count a reply whose judge may have seen no picture: its own word, or a bill whose tokens
        cannot hold the words and the pictures.
        """
        said = verdict.rationale.lower()
        tokens = reply.usage.get("prompt_tokens")
        unseen = verdict.unseen or any(words in said for words in UNSEEN_WORDS)
        if not unseen and isinstance(tokens, int) and job.call.pictures:
            sizes = [self.pictures.size(picture) for picture in job.call.pictures]
            shown = sum(max(1, min(64, width * height // 4096)) for width, height in sizes)
            unseen = 0 < tokens < len(self.body(job)) / 6 + shown
        with self._lock:
            self.stats.blind += unseen

    def warnings(self) -> list[str]:
        """What whoever reads the scores should know."""
        if not self.stats.blind:
            return []
        said = (
            f"{self.stats.blind} of {self.stats.done} replies may come from a judge that saw no "
            f"picture (it says so, or its prompt tokens cannot hold them): look with "
            f"`editgauge judge probe`"
        )
        return [said]

    # -- one reply ---------------------------------------------------------------------------------

    def _reply(self, job: Job, attempt: Attempt, *, force: bool) -> Reply:
        """The reply of one attempt: from the store, or asked for, stored, and then given."""
        first = attempt.name == "first"
        with self._lock:
            wait = self._led and not self._first.is_set()
            key = self.key(job, attempt)
            stored = self.store.get(key)
            if stored is not None and (not force or key in self._asked_now):
                self.stats.stored += first
                return stored
            if self.settings.offline:
                raise Unasked
            flying = self._flying.get(key)
            if flying is None:
                self._led = True
                future: Future[Reply] = Future()
                self._flying[key] = future
                self._asked_now.add(key)
        if flying is not None:  # two editors gave the same picture: one call serves both
            with self._lock:
                self.stats.stored += first
            return flying.result()
        if wait:
            self._first.wait(FIRST_WAIT)
        try:
            reply = self._ask(job, attempt)
        except BaseException as error:
            future.set_exception(error if isinstance(error, Exception) else RunError("stopped"))
            raise
        finally:
            with self._lock:
                del self._flying[key]
                self._first.set()
        future.set_result(reply)
        return reply

    def _ask(self, job: Job, attempt: Attempt) -> Reply:
        """Ask in the server's words, which are learned on the way."""
        while True:
            dialect = self.dialect
            body = self.body(job, attempt, dialect)
            encoded = [self.pictures.encode(p, dialect.webp) for p in job.call.pictures]
            request = self.client.request(pieces(body, encoded))
            spend = Spend(model=self.settings.model, most=self.most(job, attempt, len(body)))

            def heard(response: Response, size: int = len(body)) -> Outcome:
                return self.billed(self.client.read(response), size)

            outcome = self.paid.call(request, heard, spend)
            if self._learned(job, dialect, outcome):
                continue
            self._stop_where_hopeless(outcome)
            return self._keep(job, attempt, dialect, outcome)

    def most(self, job: Job, attempt: Attempt, text_bytes: int, *, batch: bool = False) -> float:
        """The most that a request can cost, in US dollars; 0 where there is no price. `text_bytes`
        is the length of its body without pictures.
        """
        if self.price is None or self.price.free:
            return 0.0
        sizes = [self.pictures.size(picture) for picture in job.call.pictures]
        rule, factor = self.price.images, self.price.factor
        tokens = estimate_input(text_bytes, sizes, rule, factor, bytes_a_token=CAUTIOUS)
        return self.price.of(tokens, attempt.room or self.room(job.call), batch=batch)

    def billed(self, outcome: Outcome, text_bytes: int, *, batch: bool = False) -> Outcome:
        """An answer with its bill, by its own usage record where that can be believed; requests
        and tokens are counted on the way.
        """
        reply = outcome.value if isinstance(outcome.value, Completion) else Completion()
        told = told_cost(reply.usage)
        usage = usage_of(
            reply.usage,
            least=text_bytes / _MOST_BYTES_A_TOKEN,
            least_out=len((reply.content or "").encode()) / _MOST_BYTES_A_TOKEN,
        )
        cost = told
        if self.price is not None:
            cost = None
            if usage is not None:
                cost = max(self.price.of_usage(usage, batch=batch), told or 0.0)
        if usage is not None:
            with self._lock:
                self.stats.tokens_in += usage.tokens_in
                self.stats.tokens_out += usage.tokens_out
                self.stats.tokens_cached += usage.cached
        return replace(outcome, cost=cost)

    # -- what an answer teaches --------------------------------------------------------------------

    def _learned(self, job: Job, sent: Dialect, outcome: Outcome) -> bool:
        """Whether the request is to be sent again in other words; they are learned."""
        if outcome.kind not in ("bad", "again"):
            return False
        with self._lock:
            if outcome.kind == "bad" and sent != self.dialect:
                return True  # another call has found out in the meantime
            webp = any(self.pictures.is_webp(picture) for picture in job.call.pictures)
            blamed = outcome.kind == "bad" or bool(_BLAMED.search(outcome.reason))
            wanted = sent.after(outcome.reason, webp=webp and blamed and outcome.http >= 400)
            if wanted is None:
                if webp and not sent.webp and (self._noted is None or self._noted.webp):
                    # WebP was not the fault
                    self.dialect = msgspec.structs.replace(self.dialect, webp=True)
                return False
            if wanted.webp == sent.webp and (self._proven or outcome.kind == "again"):
                return False  # this server has answered in this form before
            self.dialect = wanted
            return True

    def prove(self, dialect: Dialect) -> None:
        """Keep a dialect that was answered, so that the next command begins with it."""
        self._proven = True
        if dialect == self.dialect != self._noted:
            self._noted = dialect
            self.store.note(f"dialect {self.settings.model}", dialect.note)

    def answer_of(self, model: str) -> bool:
        """Remember which model answered first; False when this is another one."""
        if model and not self.answered:
            self.answered = model
            self.store.note(f"answered {self.settings.model}", model)
        return not model or model == self.answered

    def _stop_where_hopeless(self, outcome: Outcome) -> None:
        """Raise `RunError` for an answer after which no request makes sense."""
        if outcome.unreachable and not self.answered:
            raise RunError(
                f"{self.client.address.shown}: {outcome.reason}; start the server, or correct "
                f"--base-url"
            )
        if outcome.kind == "bad" and not self.answered:
            with self._lock:
                count = self._turned_down.get(outcome.reason, 0) + 1
                self._turned_down[outcome.reason] = count
            if count >= SAME_REFUSALS:
                raise RunError(
                    f"{self.client.host}: {outcome.reason}; {count} requests were turned down for "
                    f"this, and none was answered. Correct the command; what was done is kept"
                )

    def _keep(self, job: Job, attempt: Attempt, dialect: Dialect, outcome: Outcome) -> Reply:
        """Store what an attempt ended with. Raises `RunError` where going on makes no sense."""
        answered = outcome.value.model if isinstance(outcome.value, Completion) else ""
        key = self.key(job, attempt, dialect)
        fine = outcome.kind in ("ok", "refused")
        with self._lock:
            if outcome.kind == "ok":
                self.prove(dialect)
            ours = not fine or self.answer_of(answered)
            self._unanswered = 0 if fine else self._unanswered + 1
            hopeless = self._unanswered >= policy.HOPELESS
        # another judge's reply is paid for: kept, under a key that no call of ours has
        reply = self.put(job, attempt, dialect, outcome, key if ours else f"{key} {answered}")
        if not ours:
            raise RunError(
                f"{self.client.host}: {answered} answers now, {self.answered} answered first under "
                f"the name {self.settings.model}; two judges are not mixed: name the one you want, "
                f"or use another --replies"
            )
        if hopeless:
            raise RunError(
                f"{self.client.host}: {policy.HOPELESS} calls in a row without an answer, the last "
                f"one: {outcome.reason}; what was done is kept, run the same command with --retry "
                f"failed later"
            )
        if not fine and reply.request.get("thought"):  # all that was allowed went into thinking
            self._notice_cut(True, reply.request)
        return reply

    def put(
        self, job: Job, attempt: Attempt, dialect: Dialect, outcome: Outcome, key: str
    ) -> Reply:
        """Write an outcome into the store, as a reply."""
        call, value = job.call, outcome.value
        said = value if isinstance(value, Completion) else Completion()
        about: dict[str, Any] = {
            "call": call.name,
            "repeat": job.repeat,
            "attempt": attempt.name,
            **job.about,
            "room": attempt.room or self.room(call),
            "rubric": call.rubric,
            "pictures": [self.pictures.identity(p, dialect.webp) for p in call.pictures],
            "parameters": orjson.loads(dialect.note),
        }
        if said.thought:
            about["thought"] = True
        if not dialect.webp:
            as_png = [p.name for p in call.pictures if self.pictures.is_webp(p)]
            about |= {"as_png": as_png} if as_png else {}
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
            request=about,
            seconds=round(outcome.seconds, 4),
            cost=outcome.cost,
        )
        self.store.put(reply)
        return reply


@dataclass(slots=True, kw_only=True)
class _Work:
    """The jobs of one `Engine.run`, taken by several threads."""

    engine: Engine
    jobs: Iterator[Job]
    done: Callable[[Job, ExchangeResult], None]
    progress: Callable[[Stats], None] | None
    complete: bool = True
    dropped: bool = False
    """Whether what is in flight is no longer waited for."""
    error: BaseException | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)

    def go(self) -> None:
        try:
            while self._one():
                pass
        except BudgetExceeded as error:
            self.engine.broke = self.engine.broke or str(error)
            self._end()
        except Closed:
            self._end()
        except BaseException as error:  # raised by whoever waits for the threads
            self.error = self.error or error
            self._end()
            self.engine.paid.halt()

    def _end(self) -> None:
        self.engine.stop()
        self.complete = False

    def _one(self) -> bool:
        """Do the next job; False when there is none."""
        with self.lock:
            job = None if self.engine._stopping else next(self.jobs, None)
        if job is None:
            return False
        stats = self.engine.stats
        try:
            exchange = self.engine.hear(job)
        except Unasked:
            with self.lock:
                stats.unasked += 1
                self.complete = False
            return True
        with self.lock:
            if self.dropped:
                return False
            stats.done += 1
            stats.by_editor[str(job.about.get("editor", ""))] += 1
            stats.refused += exchange.status is Status.REFUSED
            stats.failed += exchange.status in (Status.FAILED, Status.UNREADABLE)
            stats.repaired += bool(exchange.detail.get("repaired"))
            self.engine.count()
            self.done(job, exchange)
            if self.progress:
                self.progress(stats)
        return True


def _sum_usage(replies: Sequence[Reply]) -> dict[str, int]:
    total: dict[str, int] = {}
    for reply in replies:
        for name in ("prompt_tokens", "completion_tokens"):
            value = reply.usage.get(name)
            if isinstance(value, int) and not isinstance(value, bool):
                total[name] = min(total.get(name, 0) + value, 2**53)
    return total
