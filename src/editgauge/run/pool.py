"""Batches of work on processes that may die: a dead process costs the item it died on, nothing
else.

Built on `pebble`, which replaces dead workers and stops those that take too long. A batch whose
worker died is split: its unfinished items go out again one by one, so that the item that kills is
found and reported, not retried for ever.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from editgauge.errors import RunError

Item = TypeVar("Item")
Result = TypeVar("Result")
RESTARTS = 3
"""How often the workers are started anew when one dies before any has begun a batch, without a
batch in between.
"""
_LOOK_EVERY = 1.0
"""Seconds between two looks at whether a worker died unnoticed."""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Done(Generic[Item, Result]):
    """What came of a batch: the worker's result, or for a single item the reason why there is
    none.
    """

    items: Sequence[Item]
    result: Result | None
    died: str = ""


def run_batches(
    batches: Iterator[Sequence[Item]],
    work: Callable[[Sequence[Item]], Result],
    *,
    workers: int,
    start: Callable[..., None],
    start_args: tuple[Any, ...],
    unfinished: Callable[[Sequence[Item]], Sequence[Item]],
    seconds_an_item: float,
    threads: int = 1,
) -> Iterator[Done[Item, Result]]:
    """Call `work(batch)` on `workers` processes, each prepared by `start(*start_args)`; yield as
    batches end.

    `work` and `start` must be importable by name. When a worker dies or a batch takes longer than
    `seconds_an_item` for each of its items, `unfinished(batch)` tells what of it is still to be
    done; a single item that kills its worker comes back with `died`. An exception that `work`
    raises is raised here, after the pool has stopped. At most four batches a worker wait in memory;
    no batch may be empty. `workers` 0 runs everything in this process. Raises `RunError` when
    workers die again and again before they have begun anything.
    """
    if workers <= 0:
        start(*start_args)
        for batch in batches:
            yield Done(batch, work(batch))
        return
    from pebble import ProcessPool

    again: deque[Sequence[Item]] = deque()
    running: dict[Future[Result], Sequence[Item]] = {}
    restarts = 0
    with _thread_limit(threads):
        while True:
            pool = ProcessPool(
                max_workers=workers,
                context=multiprocessing.get_context("spawn"),
                initializer=_prepare,
                initargs=(os.getpid(), start, start_args),
            )
            dead = _Dead(pool)
            try:
                most = 4 * workers
                for outcome in _on_pool(
                    pool, dead, batches, work, again, running, unfinished, seconds_an_item, most
                ):
                    restarts = 0
                    yield outcome
                pool.close()
                return
            except BrokenProcessPool as error:
                pool.stop()
                restarts += 1
                if restarts > RESTARTS:
                    raise RunError(
                        f"worker processes die before they have done anything ({error}); is there "
                        f"enough memory? Run "
                        "the same command again with fewer --workers, or with --workers 0 to see "
                        "what happens"
                    ) from error
            except (
                BaseException
            ):  # Ctrl-C, a full disk, or a caller that has seen enough: nothing more is started
                pool.stop()
                raise
            finally:
                pool.join()
            for (
                future,
                batch,
            ) in running.items():  # no worker lives any more: what is unfinished now stays so
                if future.done() and future.exception() is None:
                    yield Done(batch, future.result())
                elif left := unfinished(batch):
                    again.append(left)
            running.clear()


class _Dead:
    """Ends the batches of dead workers that pebble has missed.

    A worker says that it has taken a batch, then begins it. Where the batch kills it at once,
    pebble may notice the death before it has read that message: it then looks for the worker's
    task, finds none, forgets the worker, and waits for the batch until its time limit. So exit
    codes are kept here, and a task whose worker is dead is ended.
    """

    def __init__(self, pool: Any) -> None:
        self._manager = pool._pool_manager
        self._codes: dict[int, int] = {}
        workers = self._manager.worker_manager
        inspect = workers.inspect_workers

        def noting() -> Any:
            for worker in list(workers.workers.values()):
                if not worker.is_alive():  # pebble passes over one that ended with code 0
                    self._codes[worker.pid] = worker.exitcode
            return inspect()

        workers.inspect_workers = noting

    def bury(self) -> None:
        """End every task that is with a dead worker as pebble itself would have."""
        if not self._codes:
            return
        from pebble import ProcessExpired
        from pebble.common import Result, ResultStatus

        for task in list(self._manager.task_manager.tasks.values()):
            code = self._codes.get(task.worker_id)
            if code is not None and not task.future.done():
                error = ProcessExpired("Abnormal termination", code=code, pid=task.worker_id)
                self._manager.task_manager.task_done(task.id, Result(ResultStatus.ERROR, error))


def _on_pool(
    pool: Any,
    dead: _Dead,
    batches: Iterator[Sequence[Item]],
    work: Callable[[Sequence[Item]], Result],
    again: deque[Sequence[Item]],
    running: dict[Future[Result], Sequence[Item]],
    unfinished: Callable[[Sequence[Item]], Sequence[Item]],
    seconds_an_item: float,
    most: int,
) -> Iterator[Done[Item, Result]]:
    """`run_batches` on one pool, at most `most` batches at once; raises `BrokenProcessPool` when
    the pool gives up.

    It does so when a worker dies before any of them has begun a batch. `running` then holds what
    was given to it.
    """
    while True:
        while len(running) < most:
            batch = again.popleft() if again else next(batches, ())
            if not batch:
                break
            try:
                future = pool.schedule(
                    _call, args=(work, batch), timeout=seconds_an_item * max(1, len(batch))
                )
            except (
                RuntimeError
            ) as error:  # pebble's word for a pool that has given up in the meantime
                again.appendleft(batch)
                raise BrokenProcessPool(str(error)) from error
            running[future] = batch
        if not running:
            return
        ended, _ = wait(running, timeout=_LOOK_EVERY, return_when=FIRST_COMPLETED)
        dead.bury()
        for future in ended:
            if isinstance(given_up := future.exception(), BrokenProcessPool):
                raise given_up
            batch = running.pop(future)
            died = _why_it_died(future)
            if not died:
                yield Done(batch, future.result())
            elif len(left := unfinished(batch)) == 1 and len(batch) == 1:
                yield Done(left, None, died)
            else:
                again.extend([item] for item in left)


def _why_it_died(future: Future[Any]) -> str:
    """Empty when the batch came to an end of its own (with a result or an ordinary exception)."""
    from pebble import ProcessExpired

    error = future.exception()
    if isinstance(error, ProcessExpired):
        return f"the worker process died (exit code {error.exitcode})"
    if isinstance(error, FutureTimeout | TimeoutError):
        return "it took longer than the time limit"
    return ""


def _prepare(parent: int, start: Callable[..., None], start_args: tuple[Any, ...]) -> None:
    """In a new worker: die with the parent, leave Ctrl-C to it, one thread for OpenCV, then the
    caller's own start.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)
    try:
        start(*start_args)
    except (
        Exception
    ) as error:  # a worker that cannot start would be replaced for ever: its first call says why
        global _broken  # noqa: PLW0603 - a worker process is one worker
        _broken = error


_broken: Exception | None = None


def _call(work: Callable[[Sequence[Item]], Result], batch: Sequence[Item]) -> Result:
    if _broken is not None:
        raise _broken
    return work(batch)


@contextlib.contextmanager
def _thread_limit(threads: int) -> Iterator[None]:
    """Numeric libraries read these when they are imported, so they are set while workers are being
    started.
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, str(threads)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
