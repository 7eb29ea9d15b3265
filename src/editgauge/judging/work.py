"""Many calls to one judge at once, on threads: jobs are taken in order, and end in any order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from editgauge.errors import BudgetExceeded
from editgauge.judging.asking import Engine
from editgauge.judging.replies import Job, Unasked
from editgauge.judging.scores import ExchangeResult
from editgauge.judging.stats import Stats
from editgauge.services.gate import Closed
from editgauge.types import Status


def do_all(
    engine: Engine,
    jobs: Iterable[Job],
    done: Callable[[Job, ExchangeResult], None],
    progress: Callable[[Stats], None] | None = None,
) -> bool:
    """Do all jobs, calling `done` with each as it ends (one at a time). True when none was left
    out.

    Raises `RunError` when going on makes no sense: no server, a wrong key, another model answering,
    nothing but failures. What is in flight then is still waited for, stored and given to `done`: it
    is paid for. A budget that would be passed ends the run with `Engine.broke` set and False.
    `KeyboardInterrupt` drops what is in flight.
    """
    work = _Work(engine=engine, jobs=iter(jobs), done=done, progress=progress)
    count = 1 if engine.settings.offline else engine.settings.concurrency
    threads = [threading.Thread(target=work.go, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():  # a join without a limit would hear no Ctrl-C
                thread.join(0.5)
    except KeyboardInterrupt:
        work.dropped = True
        engine.paid.halt()
        raise
    finally:
        engine.count()
    if work.error is not None:
        raise work.error
    return work.complete and next(work.jobs, None) is None


@dataclass(slots=True, kw_only=True)
class _Work:
    """The jobs of one run, taken by several threads."""

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
            job = None if self.engine.stopping else next(self.jobs, None)
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
