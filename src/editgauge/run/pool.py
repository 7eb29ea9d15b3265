"""Batches of work on processes that may die: a dead process costs time, and no result.

One supervisor owns the processes. It holds a pipe to each worker and waits on the pipes and on the
workers' sentinels at once, so that a death is seen when it happens and always belongs to one batch.
A batch whose worker died is done again item by item, after everything else. Only an item that has
killed a worker of its own twice is reported as `Done.died`.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar, cast

from editgauge.errors import RunError

Item = TypeVar("Item")
Result = TypeVar("Result")
DEATHS_ALONE = 2
"""After so many dead workers that had nothing but this item, the item is called failed."""
STARTS = 12
"""After so many workers in a row that died before they were ready, the call gives up."""
TOO_SLOW = "it took longer than the time limit"
_LOOK_EVERY = 1.0
"""Seconds between two looks at the time limits."""
_LAST_WORDS = 5.0
"""Seconds in which workers that have nothing left to do must have ended."""
_SUSPENDED = 5.0
"""A look that comes this many seconds late means that this process was stopped in between."""
_SAFE = "PYTHONSAFEPATH"
_WHILE_STARTING = {
    # Numeric libraries read these when they are imported.
    "OMP_NUM_THREADS": "{threads}",
    "OPENBLAS_NUM_THREADS": "{threads}",
    "MKL_NUM_THREADS": "{threads}",
    "NUMEXPR_NUM_THREADS": "{threads}",
    # The interpreter of a worker is started with `-c`, which would put the working directory first
    # on its path: a user's `signal.py` there would be imported instead of the library.
    _SAFE: "1",
}


@dataclass(frozen=True, slots=True)
class Done(Generic[Item, Result]):
    """What came of a batch: the worker's result, or for a single item the reason why there is none.

    With neither, these are items that a worker had finished before it died: only its result is
    lost.
    """

    items: Sequence[Item]
    result: Result | None
    died: str = ""


@dataclass(frozen=True, slots=True)
class _Batch(Generic[Item]):
    """A batch on its way, and how many workers a single item has killed before."""

    items: Sequence[Item]
    deaths: int = 0


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

    `work` and `start` must be importable by name. When a worker dies, or a batch takes longer than
    `seconds_an_item` for each of its items, `unfinished(batch)` tells what of it is still to be
    done, and that is done item by item when nothing else is left. A single item comes back with
    `died` when it has killed `DEATHS_ALONE` workers, or has once taken too long. The time that a
    worker takes to start, or that this process was stopped (SIGSTOP), is on no item's account. An
    exception that `work` or `start` raises is raised here, after the workers have ended. A worker
    has one batch at a time; no batch may be empty. `workers` 0 runs everything in this process.
    Raises `RunError` when `STARTS` workers in a row die before they are ready.
    """
    if workers <= 0:
        start(*start_args)
        for batch in batches:
            yield Done(batch, work(batch))
        return
    supervisor: _Supervisor[Item, Result] = _Supervisor(
        batches=batches,
        orders=pickle.dumps((work, start, start_args)),
        workers=workers,
        threads=threads,
        unfinished=unfinished,
        seconds_an_item=seconds_an_item,
    )
    try:
        yield from supervisor.run()
        supervisor.dismiss()
    finally:  # also Ctrl-C, a full disk, or a caller that has seen enough
        supervisor.stop()


class _Worker(Generic[Item]):
    """One process and the pipe to it. It is ready once it has answered its orders."""

    def __init__(self, orders: bytes, threads: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=_serve, args=(theirs, os.getpid(), _SAFE in os.environ), daemon=True
        )
        self.ready = False
        self.batch: _Batch[Item] | None = None
        self.deadline = float("inf")
        try:
            with _environment(threads), _without_interrupts():
                self.process.start()
        finally:
            theirs.close()  # or the death of the worker would not end the pipe
        self._send(orders)

    @property
    def idle(self) -> bool:
        return self.ready and self.batch is None

    def give(self, batch: _Batch[Item], seconds: float) -> None:
        self.batch = batch
        self.deadline = time.monotonic() + seconds
        self._send(pickle.dumps(batch.items))

    def _send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # it is dead: its sentinel says so next
            self.pipe.send_bytes(data)

    def answer(self) -> tuple[str, Any] | None:
        """What the worker has said: (``ready`` or ``result`` or ``error``, value); None when it is
        dead.
        """
        try:
            return cast("tuple[str, Any]", self.pipe.recv()) if self.pipe.poll() else None
        except (EOFError, OSError, pickle.UnpicklingError):
            return None

    def end(self) -> None:
        """Kill it, if it still lives, and give back what it holds."""
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.join()
        self.pipe.close()

    def why_dead(self) -> str:
        code = self.process.exitcode or 0
        if code >= 0:
            return f"the worker died on this picture: exit code {code}"
        memory = ", perhaps out of memory" if -code == signal.SIGKILL else ""
        return f"the worker died on this picture: killed by signal {-code}{memory}"


class _Supervisor(Generic[Item, Result]):
    """Hands batches to workers, takes results, and replaces the workers that die."""

    def __init__(
        self,
        *,
        batches: Iterator[Sequence[Item]],
        orders: bytes,
        workers: int,
        threads: int,
        unfinished: Callable[[Sequence[Item]], Sequence[Item]],
        seconds_an_item: float,
    ) -> None:
        self._fresh = (_Batch(items) for items in batches)
        self._again: deque[_Batch[Item]] = deque()
        self._orders = orders
        self._most = workers
        self._threads = threads
        self._unfinished = unfinished
        self._seconds = seconds_an_item
        self._workers: list[_Worker[Item]] = []
        self._failed_starts = 0
        self._line: deque[_Batch[Item]] = deque()
        self._looked = time.monotonic()

    def run(self) -> Iterator[Done[Item, Result]]:
        """Until every batch has ended."""
        while True:
            self._queue()
            self._hand_out()
            if not self._line and not any(worker.batch for worker in self._workers):
                return
            self._wait()
            for worker in list(self._workers):
                yield from self._listen(worker)
            yield from self._stop_slow_ones()

    def dismiss(self) -> None:
        """Let the workers end by themselves: their temporary folders are then removed."""
        for worker in self._workers:
            worker.pipe.close()
        deadline = time.monotonic() + _LAST_WORDS
        for worker in self._workers:
            worker.process.join(max(0.0, deadline - time.monotonic()))

    def stop(self) -> None:
        """Kill the workers that are left. What they had is not done."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()

    def _queue(self) -> None:
        """Keep a batch for each worker in line. Those to be done again come last."""
        while len(self._line) < self._most:
            batch = next(self._fresh, None)
            if batch is None and self._again:
                batch = self._again.popleft()
            if batch is None:
                return
            self._line.append(batch)

    def _hand_out(self) -> None:
        for worker in self._workers:
            if worker.idle and self._line:
                batch = self._line.popleft()
                worker.give(batch, self._seconds * max(1, len(batch.items)))
        starting = sum(not worker.ready for worker in self._workers)
        more = min(len(self._line) - starting, self._most - len(self._workers))
        for _ in range(more):
            self._workers.append(_Worker(self._orders, self._threads))

    def _wait(self) -> None:
        """Until a worker says something or dies, and never longer than a look takes.

        A look that comes much too late means that this process stood still, and the workers
        perhaps with it: that time is given back to them.
        """
        until = min([_LOOK_EVERY, *(w.deadline - time.monotonic() for w in self._workers)])
        wait([x for w in self._workers for x in (w.pipe, w.process.sentinel)], max(0.0, until))
        now = time.monotonic()
        if (late := now - self._looked - _LOOK_EVERY) > _SUSPENDED:
            for worker in self._workers:
                worker.deadline += late
        self._looked = now

    def _listen(self, worker: _Worker[Item]) -> Iterator[Done[Item, Result]]:
        dead = not worker.process.is_alive()  # asked first: what it said before is still read
        answer = worker.answer()
        if answer is None:
            if dead:
                yield from self._bury(worker, worker.why_dead())
            return
        kind, value = answer
        if kind == "error":
            raise value
        if kind == "ready":
            worker.ready = True
            self._failed_starts = 0
            return
        batch, worker.batch, worker.deadline = worker.batch, None, float("inf")
        assert batch is not None
        yield Done(batch.items, value)

    def _stop_slow_ones(self) -> Iterator[Done[Item, Result]]:
        now = time.monotonic()
        for worker in [w for w in self._workers if w.deadline <= now]:
            if worker.pipe.poll():
                continue  # it has answered just now
            yield from self._bury(worker, TOO_SLOW)

    def _bury(self, worker: _Worker[Item], why: str) -> Iterator[Done[Item, Result]]:
        """Take a dead worker, or one to be killed, off the list; put what it had in line again."""
        worker.end()
        self._workers.remove(worker)
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= STARTS:
                raise RunError(
                    f"worker processes die before they have done anything ({why}); is there "
                    f"enough memory? Run the same command again with fewer --workers, or with "
                    f"--workers 0 to see what happens"
                )
        if worker.batch is None:
            return
        items = worker.batch.items
        left = self._unfinished(items)
        if len(left) < len(items):
            names = {id(item) for item in left}
            yield Done([item for item in items if id(item) not in names], None)
        alone = len(items) == 1
        deaths = worker.batch.deaths + 1 if alone else 0
        if alone and left and (why == TOO_SLOW or deaths >= DEATHS_ALONE):
            yield Done(left, None, why)
        else:
            self._again.extend(_Batch([item], deaths) for item in left)


# -- in the worker ---------------------------------------------------------------------------------


def _serve(pipe: Connection, parent: int, safe: bool) -> None:
    """What a worker process runs: its orders first, then batch after batch, until the pipe ends."""
    _follow(parent)
    if not safe:  # the programs that it starts look for their modules as ever
        os.environ.pop(_SAFE, None)
    with contextlib.suppress(EOFError, OSError):
        try:
            work, start, start_args = pickle.loads(pipe.recv_bytes())
            start(*start_args)
        except Exception as error:  # it would be replaced for ever: the caller is told why
            _say(pipe, "error", error)
            return
        _say(pipe, "ready", None)
        while True:
            batch = pickle.loads(pipe.recv_bytes())
            try:
                result = work(batch)
            except Exception as error:  # raised again by the supervisor
                _say(pipe, "error", error)
            else:
                _say(pipe, "result", result)


def _say(pipe: Connection, kind: str, value: Any) -> None:
    try:
        data = pickle.dumps((kind, value))
        pickle.loads(data)  # an exception may be written and not be readable
    except Exception as error:
        said = RunError(f"{type(value).__name__}: {value} (cannot be handed over: {error})")
        data = pickle.dumps(("error", said))
    pipe.send_bytes(data)


def _follow(parent: int) -> None:
    """Die with the parent, and leave Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)


@contextlib.contextmanager
def _environment(threads: int) -> Iterator[None]:
    """The environment in which the interpreter of a worker starts."""
    before = {name: os.environ.get(name) for name in _WHILE_STARTING}
    os.environ.update({n: v.format(threads=threads) for n, v in _WHILE_STARTING.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Start a process with Ctrl-C blocked, or it would die of it while it imports its libraries."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
