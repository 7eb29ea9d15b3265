"""One judge asked for verdicts: look into the store; else ask; ask once more with more room where
the reply was cut off; ask once more, quoting the broken rule, where it cannot be read.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from editgauge.errors import BudgetExceeded, ImageError
from editgauge.judging.asking import FIRST, Asker, Attempt, Job, Stats, Unasked
from editgauge.judging.chat import Reply
from editgauge.judging.protocol import Call
from editgauge.judging.reading import ENDLESS, ExchangeResult, Verdict, read, to_scores
from editgauge.services.gate import Closed
from editgauge.types import Status

MORE_ROOM = 4
"""How many times its token limit a reply gets that was cut off."""
REPAIR = (
    "That answer cannot be read: {problem}. Judge the same pictures by the same criteria and give "
    "the complete answer again, as exactly this one JSON object and with nothing around it: {form}"
)
_PICTURES = (
    r"(?:(?:the|any|an|either|these|attached|provided|edited|original|input) ){0,3}"
    r"(?:image|picture)s?\b(?! (?:artifact|noise|defect|differ|change))"
)
_GIVEN = r"(?:provided|attached|included|supplied|uploaded|available)"
_UNSEEN = re.compile(
    rf"(?:image|picture)s? (?:was|were|is|are) not {_GIVEN}"
    rf"|no (?:image|picture)s? (?:(?:was|were|is|are) )?{_GIVEN}"
    r"|(?:can ?not|can't|(?:could|do|did)(?: not|n't)|(?:un|not )able to)"
    rf" (?:see|view|access|receive) {_PICTURES}"
    rf"|without (?:seeing|viewing|access to) {_PICTURES}",
    re.IGNORECASE,
)
"""Of a judge that says in so many words that it saw nothing: for a warning, never for a score."""
Done = Callable[[Job, ExchangeResult], None]
Progress = Callable[[Stats], None]


class Engine(Asker):
    """Asks one model. Make one for each command; `run` may be called several times."""

    stopping = False
    """Set it to take no further job; what is in flight is finished."""
    broke = ""
    """Why the budget ended the run, or empty."""

    def run(self, jobs: Iterable[Job], done: Done, progress: Progress | None = None) -> bool:
        """Do all jobs in order, `concurrency` at once, calling `done` with each as it ends (one at
        a time). True when none was left out; False with `broke` where the budget would be passed.

        Raises `RunError` when going on makes no sense: no server, a wrong key, another model
        answering, nothing but failures. What is in flight then is still waited for, stored and
        given to `done`: it is paid for. `KeyboardInterrupt` drops it.
        """
        left, taking, errors, complete = iter(jobs), threading.RLock(), list[BaseException](), True

        def do_next() -> bool:
            nonlocal complete
            with taking:
                job = None if self.stopping else next(left, None)
            if job is None:
                return False
            exchange = self.hear(job)
            with taking:
                if exchange is None:
                    complete = False
                elif not dropped.is_set():
                    self._count(job, exchange)
                    done(job, exchange)
                    if progress is not None:
                        progress(self.stats)
            return not dropped.is_set()

        def work() -> None:
            try:
                while do_next():
                    pass
                return
            except BudgetExceeded as error:
                self.broke = self.broke or str(error)
            except Closed:
                pass
            except BaseException as error:  # raised by whoever waits for the threads
                errors.append(error)
                self.paid.halt()
            self.stopping = True

        dropped = threading.Event()
        self._in_threads(work, dropped)
        if errors:
            raise errors[0]
        return complete and not self.stopping and next(left, None) is None

    def _in_threads(self, work: Callable[[], None], dropped: threading.Event) -> None:
        count = 1 if self.offline else self.concurrency
        threads = [threading.Thread(target=work, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():  # a join without a limit would hear no Ctrl-C
                    thread.join(0.5)
        except KeyboardInterrupt:
            dropped.set()
            self.paid.halt()
            raise
        finally:
            self._bring_up()

    def _count(self, job: Job, exchange: ExchangeResult) -> None:
        self.stats.done += 1
        self.stats.by_editor[str(job.about.get("editor", ""))] += 1
        self.stats.refused += exchange.status is Status.REFUSED
        self.stats.failed += exchange.status in (Status.FAILED, Status.UNREADABLE)
        self.stats.repaired += bool(exchange.detail.get("repaired"))
        self._bring_up()

    def _bring_up(self) -> None:
        self.stats.requests = self.paid.sent
        self.stats.dollars, self.stats.dollars_unbilled = self.ledger.spent, self.ledger.unbilled

    def warnings(self) -> list[str]:
        """What whoever reads the scores should know."""
        stats = self.stats
        lines = [
            f"{count} bills cannot be used ({why}); what these calls may cost at most stays booked"
            for why, count in stats.unusable.items()
            if count
        ]
        if stats.blind:
            lines.append(
                f"{stats.blind} of {stats.done} replies may come from a judge that saw no picture "
                f"(it says so, or its prompt tokens cannot hold them): probe it"
            )
        return lines

    def hear(self, job: Job) -> ExchangeResult | None:
        """What comes of one job; None where its reply is not stored and nothing may be asked."""
        try:
            replies, last = self._replies(job)
            result = self._result(job, replies, last)
            old = self.retry and not self.offline and replies[0].key not in self.asked
            if old and any(score.status in self.retry for score in to_scores(job.call, result)):
                self.replies.drop(*(reply.key for reply in replies))
                result = self._result(job, *self._replies(job))
            return result
        except ImageError as error:
            return ExchangeResult(status=Status.UNREADABLE, reason=str(error))
        except Unasked:
            with self._lock:
                self.stats.unasked += 1
            return None

    def _replies(self, job: Job) -> tuple[list[Reply], Reply]:
        """Every reply of one exchange, and the one that counts."""
        last = self.reply(job, FIRST)
        replies = [last]
        if job.call.as_released:  # a released script's request is sent once, as it is
            return replies, last
        room = 0
        if last.status == "ok" and last.finish == "length":
            room = self.room(job.call) * MORE_ROOM
            replies.append(self.reply(job, Attempt(name="room", room=room)))
            last = replies[-1] if replies[-1].status == "ok" else last
        problem = _verdict(job.call, last).problem if last.status == "ok" else ""
        if problem and last.finish != "length":
            words = (last.content or "", REPAIR.format(problem=problem, form=job.call.shape))
            replies.append(self.reply(job, Attempt(name="repair", repair=words, room=room)))
            if replies[-1].status == "ok" and not _verdict(job.call, replies[-1]).problem:
                last = replies[-1]
        return replies, last

    def _result(self, job: Job, replies: Sequence[Reply], last: Reply) -> ExchangeResult:
        detail = _detail(replies, last)
        if last.status != "ok":
            status = Status.REFUSED if last.status == "refused" else Status.FAILED
            if status is Status.REFUSED:
                self.notice("", last)
            return ExchangeResult(status=status, reason=last.reason, detail=detail)
        verdict, cut_off = _verdict(job.call, last), last.finish == "length"
        if rationale := self.client.secrets.text(verdict.rationale):
            detail["rationale"] = rationale[:1000]
        self.notice("cut" if cut_off or verdict.problem == ENDLESS else "", last)
        with self._lock:
            self.stats.blind += self._is_blind(job, replies[0], verdict)
        return ExchangeResult(
            first=replies[0].content, last=last.content, detail=detail, cut_off=cut_off
        )

    def _is_blind(self, job: Job, reply: Reply, verdict: Verdict) -> bool:
        """Whether a judge may have seen no picture: by its word, or a bill that cannot hold it."""
        if verdict.unseen or _UNSEEN.search(verdict.rationale):
            return True
        tokens = reply.usage.get("prompt_tokens")
        if not isinstance(tokens, int) or not job.call.pictures:
            return False
        sizes = [self.pictures.size(picture) for picture in job.call.pictures]
        shown = sum(max(1, min(64, width * height // 4096)) for width, height in sizes)
        return 0 < tokens < len(self.body(job)) / 6 + shown


def _verdict(call: Call, reply: Reply) -> Verdict:
    return read(call, reply.content, cut_off=reply.finish == "length")


def _detail(replies: Sequence[Reply], last: Reply) -> dict[str, Any]:
    """What a row says of its replies; `last` is the one that counts."""
    detail: dict[str, Any] = {"reply": last.key, "model": last.answered, "asked": last.asked}
    if last.system_fingerprint:
        detail["system_fingerprint"] = last.system_fingerprint
    if last.key != replies[0].key:
        detail["first_reply"] = replies[0].key
        detail["repaired" if last.request.get("attempt") == "repair" else "more_room"] = True
    elif len(replies) > 1:
        detail["attempts"] = len(replies)
    counts = {
        name: [n for one in replies if type(n := one.usage.get(name)) is int]
        for name in ("prompt_tokens", "completion_tokens")
    }
    detail["usage"] = {name: min(sum(of), 2**53) for name, of in counts.items() if of}
    if costs := [reply.cost for reply in replies if reply.cost is not None]:
        detail["cost"] = round(sum(costs), 8)
    return detail
