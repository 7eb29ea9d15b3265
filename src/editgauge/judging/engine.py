"""One judge asked for verdicts: look into the store; else ask; ask once more with more room where
the reply was cut off, and all later calls with that room at once; ask once more, quoting the broken
rule, where it cannot be read.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from editgauge.errors import BudgetExceeded, ImageError
from editgauge.images import read_header
from editgauge.judging.asking import Asker, Attempt, Job, Stats, Unasked
from editgauge.judging.chat import Reply
from editgauge.judging.protocol import Call
from editgauge.judging.reading import ENDLESS, Verdict, no_verdict, read, to_scores
from editgauge.services.gate import Closed
from editgauge.types import JsonObject, Score, Status

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
Scores = tuple[Score, ...]
Done = Callable[[Job, Scores], None]
Progress = Callable[[Stats], None]
Say = Callable[[str], None]


class Exchange(NamedTuple):
    """Every reply to one job, the one that counts, and what it says."""

    replies: list[Reply]
    last: Reply
    verdict: Verdict


class Engine(Asker):
    """Asks one model. Make one for each command; `run` may be called several times. `broke`: why
    the budget ended the run.
    """

    broke = ""
    interrupted = False

    def run(
        self,
        jobs: Iterable[Job],
        done: Done,
        progress: Progress = lambda stats: None,
        say: Say = lambda text: None,
    ) -> bool:
        """Do all jobs in order, `concurrency` at once, calling `done` with each as it ends (one at
        a time). True when none was left out; False with `broke` where the budget would be passed.

        Raises `RunError` when going on makes no sense: no server, a wrong key, another model
        answering, nothing but failures. What is in flight then is still waited for, stored and
        given to `done`: it is paid for. So it is after Ctrl-C; a second one drops it.
        """
        tasks = (Task(self, job, done) for job in jobs)
        return run_together([self], tasks, progress, say)

    def count(self, job: Job, scores: Scores) -> None:
        """Count a job that has ended."""
        stats, statuses = self.stats, {one.status for one in scores if one.variant == "corrected"}
        stats.done += 1
        stats.refused += Status.REFUSED in statuses
        stats.failed += bool({Status.FAILED, Status.UNREADABLE} & statuses)
        stats.unparsable += Status.UNPARSABLE in statuses
        self.bring_up()

    def bring_up(self) -> None:
        """Bring the counts of requests and dollars up to date."""
        self.stats.requests = self.paid.sent
        spent = self.ledger.spent_on(self.model)
        self.stats.dollars, self.stats.dollars_unbilled = spent.dollars, spent.unbilled

    def warnings(self) -> list[str]:
        """What whoever reads the scores should know."""
        stats = self.stats
        lines = [
            f"{count} of the bills cannot be used ({why}); the most of these calls stays booked"
            for why, count in stats.unusable.items()
            if count
        ]
        if stats.cut:
            lines.append(
                f"{stats.cut} replies were cut off and asked for again with more room: these were "
                f"paid for twice"
            )
        if stats.repaired:
            lines.append(
                f"{stats.repaired} replies could not be read and were asked for again: these were "
                f"paid for twice"
            )
        if stats.blind:
            lines.append(
                f"{stats.blind} of {stats.done} replies may come from a judge that saw no picture "
                f"(it says so, or its prompt tokens cannot hold them): probe it"
            )
        return lines

    def hear(self, job: Job) -> Scores | None:
        """What comes of one job; None where its reply is not stored and nothing may be asked."""
        try:
            said = self._exchange(job)
            stored = said.replies[0].key not in self.asked
            if stored and not self.offline and self._is_retried(said.verdict):
                self.replies.drop(*(reply.key for reply in said.replies))
                said, stored = self._exchange(job), False
            with self._lock:
                self.stats.from_store += stored
            return self._scores(job, said)
        except ImageError as error:
            status = Status.DATASET_FAULT if _output_reads(job.call) else Status.UNREADABLE
            return to_scores(job.call, no_verdict(job.call, status, str(error), ended=status))
        except Unasked:
            with self._lock:
                self.stats.unasked += 1
            return None

    def stands(self, job: Job) -> bool:
        """Whether a job will not be asked about: its replies are stored, and none is to be asked
        for again, or it waits in a batch. Not while jobs are done. Raises `ImageError`.
        """
        offline, self.offline = self.offline, True
        try:
            return self.waits(job) or not self._is_retried(self._exchange(job).verdict)
        except Unasked:
            return False
        finally:
            self.offline = offline

    def _is_retried(self, verdict: Verdict) -> bool:
        return any(reading.status in self.retry for reading in verdict.readings.values())

    def _exchange(self, job: Job) -> Exchange:
        last = self.reply(job)
        replies, verdict = [last], _verdict(job.call, last)
        room = self.room(job.call) * MORE_ROOM if last.finish == "length" else 0
        had = last.request.get("room")
        has_less = not isinstance(had, int) or had < room
        if room and has_less and last.status == "ok" and not job.call.as_released:
            replies.append(self.reply(job, Attempt("room", room)))
            with self._lock:
                self.stats.cut += replies[-1].key in self.asked
            if replies[-1].status == "ok":
                last, verdict = replies[-1], _verdict(job.call, replies[-1])
                if not self.offline:
                    self.learn_room(MORE_ROOM)
        # a released script's request is sent once, as it is
        if verdict.problem and last.finish != "length" and not job.call.as_released:
            told = REPAIR.format(problem=verdict.problem, form=job.call.shape)
            replies.append(self.reply(job, Attempt("repair", room, (last.content or "", told))))
            with self._lock:
                self.stats.repaired += replies[-1].key in self.asked
            repaired = _verdict(job.call, replies[-1])
            if replies[-1].status == "ok" and not repaired.problem:
                last, verdict = replies[-1], repaired
        return Exchange(replies, last, verdict)

    def _scores(self, job: Job, said: Exchange) -> Scores:
        replies, last, verdict = said
        detail = _detail(replies, last)
        if rationale := self.client.secrets.text(verdict.rationale):
            detail["rationale"] = rationale[:1000]
        if last.status != "failed":
            cut = last.finish == "length" or verdict.problem == ENDLESS
            self.notice("cut" if cut and last.status == "ok" else "", last)
            with self._lock:
                self.stats.blind += self._is_blind(job, replies[0], verdict)
        return to_scores(job.call, verdict, replies[0].content, detail)

    def _is_blind(self, job: Job, reply: Reply, verdict: Verdict) -> bool:
        """Whether a judge may have seen no picture: by its word, or a bill that cannot hold it."""
        if verdict.unseen or _UNSEEN.search(verdict.rationale):
            return True
        tokens = reply.usage.get("prompt_tokens")
        if not isinstance(tokens, int) or not job.call.pictures or reply.status != "ok":
            return False
        sizes = map(self.pictures.size, job.call.pictures)
        shown = sum(max(1, min(64, width * height // 4096)) for width, height in sizes)
        return 0 < tokens < len(self.body(job)) / 6 + shown


class Task(NamedTuple):
    """One job of one judge, and who gets what comes of it."""

    engine: Engine
    job: Job
    done: Done


def run_together(
    engines: Sequence[Engine],
    tasks: Iterable[Task],
    progress: Progress = lambda stats: None,
    say: Say = lambda text: None,
) -> bool:
    """Do the tasks of all `engines` in order, as many at once as the engines allow together. As
    `Engine.run`; where one engine must end, all do.
    """
    return _Crew(engines, tasks, progress, say).work()


class _Crew:
    """The threads that do the tasks of one command."""

    def __init__(
        self, engines: Sequence[Engine], tasks: Iterable[Task], progress: Progress, say: Say
    ) -> None:
        self.engines, self.left = engines, iter(tasks)
        self.progress, self.say = progress, say
        self.taking = threading.RLock()
        self.stopping = self.dropped = False
        self.error: BaseException | None = None
        for engine in engines:
            engine.say = say

    def work(self) -> bool:
        """Do all tasks; True when none was left out. Raises as `Engine.run`."""
        self._in_threads()
        if self.error is not None:
            raise self.error
        unasked = any(engine.stats.unasked for engine in self.engines)
        return not self.stopping and not unasked

    def _do_next(self) -> bool:
        with self.taking:
            task = None if self.stopping else next(self.left, None)
        if task is None:
            return False
        scores = task.engine.hear(task.job)
        with self.taking:
            if scores is not None and not self.dropped:
                task.engine.count(task.job, scores)
                task.done(task.job, scores)
                self.progress(task.engine.stats)
        return True

    def _work(self) -> None:
        try:
            while self._do_next():
                pass
        except BaseException as error:
            self.stopping = True
            if isinstance(error, BudgetExceeded):
                for engine in self.engines:
                    engine.broke = engine.broke or str(error)
            elif not isinstance(error, Closed):  # raised by whoever waits for the threads
                self.error = self.error or error
                self._halt()

    def _halt(self) -> None:
        for engine in self.engines:
            engine.paid.halt()

    def _in_threads(self) -> None:
        count = sum(1 if engine.offline else engine.concurrency for engine in self.engines)
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            try:
                time.sleep(0.02)  # Ctrl-C in a `join` would call a thread that works a dead one
            except KeyboardInterrupt:
                if self.stopping and any(engine.interrupted for engine in self.engines):
                    self.dropped = True
                    self._halt()
                    raise
                self.stopping = True
                for engine in self.engines:
                    engine.interrupted = True
                self.say("stopping: waiting for calls in flight (Ctrl-C again drops them)")
        for engine in self.engines:
            engine.bring_up()


def _verdict(call: Call, reply: Reply) -> Verdict:
    if reply.status == "ok":
        return read(call, reply.content, cut_off=reply.finish == "length")
    status = Status.REFUSED if reply.status == "refused" else Status.FAILED
    return no_verdict(call, status, reply.reason, ended=status)


def _output_reads(call: Call) -> bool:
    """Whether the editor's own picture can be opened: then the fault is the data's."""
    try:
        return all(read_header(one.path) for one in call.pictures if one.name == "output")
    except ImageError:
        return False


def _detail(replies: Sequence[Reply], last: Reply) -> JsonObject:
    """What a row says of its replies; `last` is the one that counts."""
    detail: JsonObject = {
        "reply": last.key,
        "attempt": last.request.get("attempt", "first"),
        "model": last.answered,
        "asked": last.asked,
        "system_fingerprint": last.system_fingerprint,
    }
    detail |= {"first_reply": replies[0].key} if len(replies) > 1 else {}
    detail["usage"] = {
        name: sum(n for one in replies if type(n := one.usage.get(name)) is int and n < 2**53)
        for name in ("prompt_tokens", "completion_tokens")
    }
    if costs := [reply.cost for reply in replies if reply.cost is not None]:
        detail["cost"] = round(sum(costs), 8)
    return detail
