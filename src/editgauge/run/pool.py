"""Batches of work on processes of this machine, each watched by its pipe and by its sentinel at
once: see `run.supervisor`.
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
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, NamedTuple, cast

from editgauge import confinement
from editgauge.run.pace import Pace
from editgauge.run.supervisor import (
    TOO_SLOW,
    Batch,
    Done,
    Item,
    Result,
    Said,
    Supervisor,
    Worker,
    done,
    sendable,
)

__all__ = ["TOO_SLOW", "Done", "run_batches"]
_LAST_WORDS = 5.0
"""Seconds in which workers that have nothing left to do must have ended."""
_SAFE = "PYTHONSAFEPATH"
VISIBLE = "CUDA_VISIBLE_DEVICES"
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


class Share(NamedTuple):
    """What of this machine a worker gets: so many threads for its numeric libraries, and one of
    these GPUs, by the names of ``CUDA_VISIBLE_DEVICES`` (none: whatever it sees).
    """

    threads: int = 1
    gpus: tuple[str, ...] = ()


def run_batches(
    batches: Iterator[Sequence[Item]],
    work: Callable[[Sequence[Item]], Result],
    *,
    workers: int,
    start: Callable[..., None],
    start_args: tuple[Any, ...],
    unfinished: Callable[[Sequence[Item]], Sequence[Item]],
    seconds_an_item: float,
    share: Share | None = None,
) -> Iterator[Done[Item, Result]]:
    """Call `work(batch)` on `workers` processes, each prepared by `start(*start_args)`; yield as
    batches end.

    `work` and `start` must be importable by name. There are no more workers than `share` has GPUs,
    where it has any. When a worker dies, or a batch takes longer than `seconds_an_item` for each of
    its items, `unfinished(batch)` tells what of it is still to be done, and that is done item by
    item when nothing else is left. A single item comes back with `died` when it has killed
    `DEATHS_ALONE` workers (up to `EXCUSED` more where other deaths show that somebody kills workers
    from outside), or has once taken too long. The time that a worker takes to start, or that this
    process was stopped (SIGSTOP), is on no item's account. An exception that `work` or `start`
    raises is raised here, after the workers have ended. A worker has one batch at a time; no batch
    may be empty. A `Pace` is told how long each has taken. `workers` 0 runs everything in this
    process.
    Raises `RunError` when `STARTS` workers in a row die before they are ready.
    """
    took = batches.took if isinstance(batches, Pace) else None
    if workers <= 0:
        start(*start_args)
        for batch in batches:
            began = time.perf_counter()
            result = work(batch)
            if took is not None:
                took(len(batch), time.perf_counter() - began)
            yield Done(batch, result)
        return
    orders = pickle.dumps((work, start, start_args))
    force: _Processes[Item] = _Processes(orders, workers, share or Share())
    supervisor: Supervisor[Item, Result] = Supervisor(
        force, batches, unfinished=unfinished, seconds_an_item=seconds_an_item, took=took
    )
    yield from supervisor.outcomes()


def run_apart(orders: bytes, items: Sequence[Item], *, seconds_an_item: float) -> Done[Item, Any]:
    """Do one item in a process of its own, as `run_batches` does; `orders` is the pickled (work,
    start, start_args). For an item that may kill whoever does it: its end is known to the exit
    code.
    """
    force: _Processes[Item] = _Processes(orders, 1, Share())
    supervisor: Supervisor[Item, Any] = Supervisor(
        force, iter([items]), unfinished=list, seconds_an_item=seconds_an_item
    )
    (outcome,) = supervisor.outcomes()
    return outcome


class _Process(Generic[Item]):
    """One process and the pipe to it. It is ready once it has answered its orders."""

    def __init__(self, orders: bytes, threads: int, gpu: str = "") -> None:
        self.gpu = gpu
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=_serve, args=(theirs, os.getpid(), _SAFE in os.environ), daemon=True
        )
        self.ready = self.ended = False
        self.batch: Batch[Item] | None = None
        self.deadline = float("inf")
        try:
            with _environment(threads, gpu), _without_interrupts(), confinement.starting():
                self.process.start()
        finally:
            theirs.close()  # or the death of the worker would not end the pipe
        self._send(orders)

    def give(self, batch: Batch[Item], seconds: float) -> None:
        self.batch = batch
        self.deadline = time.monotonic() + seconds
        self._send(pickle.dumps(batch.items))

    def _send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # it is dead: its sentinel says so next
            self.pipe.send_bytes(data)

    def listen(self) -> Said | None:
        dead = not self.process.is_alive()  # asked first: what it said before is still read
        try:
            if self.pipe.poll():
                said = Said(*self.pipe.recv())
                self.ready = self.ready or said.kind == "ready"
                return said
        except (EOFError, OSError, pickle.UnpicklingError):
            pass
        return Said("dead", self._why_dead()) if dead else None

    def has_news(self) -> bool:
        return self.pipe.poll()

    def end(self) -> None:
        """Kill it, if it still lives, and give back what it holds."""
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.join()
        self.pipe.close()
        self.ended = True

    def _why_dead(self) -> str:
        code = self.process.exitcode or 0
        if code >= 0:
            return f"the worker died on this picture: exit code {code}"
        memory = ", perhaps out of memory" if -code == signal.SIGKILL else ""
        return f"the worker died on this picture: killed by signal {-code}{memory}"


class _Processes(Generic[Item]):
    """Workers that are processes of this machine."""

    def __init__(self, orders: bytes, most: int, share: Share) -> None:
        self.most = min(most, len(share.gpus)) if share.gpus else most
        self._orders = orders
        self._share = share
        self._hired: list[_Process[Item]] = []

    def hire(self) -> Worker[Item]:
        self._hired = [worker for worker in self._hired if not worker.ended]
        taken = {worker.gpu for worker in self._hired}
        gpu = next((gpu for gpu in self._share.gpus if gpu not in taken), "")
        self._hired.append(_Process(self._orders, self._share.threads, gpu))
        return self._hired[-1]

    def wait(self, workers: Sequence[Worker[Item]], seconds: float) -> None:
        mine = cast("Sequence[_Process[Item]]", workers)
        wait([x for worker in mine for x in (worker.pipe, worker.process.sentinel)], seconds)

    def dismiss(self, workers: Sequence[Worker[Item]]) -> None:
        """By the end of their pipes: their temporary folders are then removed."""
        mine = cast("Sequence[_Process[Item]]", workers)
        for worker in mine:
            worker.pipe.close()
        deadline = time.monotonic() + _LAST_WORDS
        for worker in mine:
            worker.process.join(max(0.0, deadline - time.monotonic()))


# -- in the worker ---------------------------------------------------------------------------------


def _serve(pipe: Connection, parent: int, safe: bool) -> None:
    """What a worker process runs: its orders first, then batch after batch, until the pipe ends."""
    _follow(parent)
    confinement.enable()
    if not safe:  # the programs that it starts look for their modules as ever
        os.environ.pop(_SAFE, None)
    with contextlib.suppress(EOFError, OSError):
        try:
            work, start, start_args = pickle.loads(pipe.recv_bytes())
            start(*start_args)
        except Exception as error:  # it would be replaced for ever: the caller is told why
            _say(pipe, sendable("error", error))
            return
        _say(pipe, Said("ready"))
        while True:
            _say(pipe, done(work, pickle.loads(pipe.recv_bytes())))


def _say(pipe: Connection, said: Said) -> None:
    pipe.send_bytes(pickle.dumps(tuple(said)))


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
def _environment(threads: int, gpu: str) -> Iterator[None]:
    """The environment in which the interpreter of a worker starts."""
    wanted = {n: v.format(threads=threads) for n, v in _WHILE_STARTING.items()}
    wanted |= {VISIBLE: gpu} if gpu else {}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
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
    resource_tracker.ensure_running()  # to start it unblocks Ctrl-C
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
