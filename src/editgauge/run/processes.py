"""Batches of work on processes of this machine, each watched by its pipe and by its sentinel.

A worker that dies costs time and no result: what it had is done again item by item, after all
else. An item whose worker dies twice while it has nothing else is given up, with the exit code or
the signal.

A slot is a process and a pipe, not a `ProcessPoolExecutor` of one: an executor whose worker is
killed while it sends a result waits for the rest of it for ever.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from editgauge import confinement
from editgauge.errors import RunError

Item = TypeVar("Item")
Result = TypeVar("Result")
DEATHS_ALONE = 2
"""After so many dead workers that had nothing but this item, it is given up."""
STARTS = 12
"""After so many workers in a row that died before they were ready, the call gives up."""
TOO_SLOW = "it took longer than the time limit"
DIED = "the worker died on this picture"
_LOOK_EVERY = 1.0
"""Seconds between two looks at the time limits."""
_SUSPENDED = 5.0
"""A look that comes this many seconds late means that this process was stopped in between."""
_LAST_WORDS = 5.0
"""Seconds in which workers that have nothing left to do must have ended."""
_SAFE = "PYTHONSAFEPATH"
_OURS = "while-starting"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Done(Generic[Item, Result]):
    """What came of a batch: the worker's result, or for a single item the reason why there is
    none.
    """

    items: Sequence[Item]
    result: Result | None
    died: str = ""


@dataclass(slots=True)
class Part(Generic[Item]):
    """Items on their way to a worker, and how many workers a single one has killed alone."""

    items: Sequence[Item]
    again: bool = False
    deaths: int = 0


class Line(Generic[Item]):
    """Which items are next. Batches are drawn as they are wanted; what is done again comes last."""

    def __init__(self, batches: Iterable[Sequence[Item]]) -> None:
        self._fresh = iter(batches)
        self._again: deque[Part[Item]] = deque()

    def next(self) -> Part[Item] | None:
        batch = next(self._fresh, None)
        if batch is not None:
            return Part(batch)
        return self._again.popleft() if self._again else None

    def put_back(self, part: Part[Item]) -> None:
        """Its worker was lost before it had begun: no item is to blame."""
        self._again.append(part)

    def died(self, part: Part[Item], why: str) -> Iterator[Done[Item, Any]]:
        """Put the items of a dead worker in line again, one by one, or give one up."""
        part.deaths += part.again
        if len(part.items) == 1 and (why == TOO_SLOW or part.deaths >= DEATHS_ALONE):
            yield Done(part.items, None, why)
        else:
            self._again.extend(Part([item], True, part.deaths) for item in part.items)


def run_batches(
    batches: Iterable[Sequence[Item]],
    work: Callable[[Sequence[Item]], Result],
    *,
    workers: int,
    start: Callable[..., None],
    start_args: tuple[Any, ...] = (),
    seconds: float,
    environments: Sequence[Mapping[str, str]] | None = None,
) -> Iterator[Done[Item, Result]]:
    """Call `work(batch)` on `workers` processes, each prepared by `start(*start_args)`; yield as
    batches end.

    `work` and `start` must be importable by name; no batch may be empty. A batch may take `seconds`
    for each of its items; one item that takes longer is given up. The time that a worker takes to
    start, or that this process was stopped (SIGSTOP), is on no item's account. With `environments`
    there are as many workers as these, each started with one of them (a GPU for each, for example).
    Numeric libraries get one thread unless an environment says otherwise. An exception that `work`
    or `start` raises is raised here, after the workers have ended. `workers` 0 does everything in
    this process, without a time limit. Raises `RunError` when `STARTS` workers in a row die before
    they are ready.
    """
    if workers <= 0:
        start(*start_args)
        for batch in batches:
            yield Done(batch, work(batch))
        return
    orders = pickle.dumps((work, start, start_args))
    slots: list[_Slot[Item]] = [_Slot(orders, own) for own in environments or [{}] * workers]
    try:
        yield from _outcomes(Line(batches), slots, seconds)
        _dismiss(slots)
    finally:  # also Ctrl-C, a full disk, or a caller that has seen enough
        for slot in slots:
            slot.end()


def _outcomes(
    line: Line[Item], slots: Sequence[_Slot[Item]], seconds: float
) -> Iterator[Done[Item, Any]]:
    failed_starts = 0
    looked = time.monotonic()
    while True:
        for slot in slots:
            if slot.part is None and (part := line.next()) is not None:
                slot.give(part, seconds * len(part.items))
        busy = [slot for slot in slots if slot.part is not None]
        if not busy:
            return
        looked = _wait(busy, looked)
        for slot in busy:
            kind, value = slot.listen()
            if kind == "error":
                raise value
            if kind == "ready":
                failed_starts = 0
            elif kind == "result":
                yield Done(slot.take().items, value)
            elif kind == "dead":
                yield from line.died(slot.take(), value)
            elif kind == "lost":
                line.put_back(slot.take())
                failed_starts += 1
                if failed_starts >= STARTS:
                    raise _never_ready(value)


def _wait(busy: Sequence[_Slot[Any]], looked: float) -> float:
    """Until a worker says something, dies, or is over its time limit; the time of this look."""
    until = min([_LOOK_EVERY, *(slot.deadline - time.monotonic() for slot in busy)])
    wait([thing for slot in busy for thing in slot.watched()], max(0.0, until))
    now = time.monotonic()
    if (late := now - looked - _LOOK_EVERY) > _SUSPENDED:
        for slot in busy:
            slot.deadline += late
    return now


def _never_ready(why: str) -> RunError:
    return RunError(
        f"workers die before they have done anything ({why}); is there enough memory? Try again "
        f"with fewer workers, or with 0 workers to see what happens"
    )


def _dismiss(slots: Sequence[_Slot[Any]]) -> None:
    """Let workers end by the end of their pipes: their temporary folders are then removed."""
    processes = [slot.process for slot in slots if slot.process is not None]
    for slot in slots:
        slot.hang_up()
    deadline = time.monotonic() + _LAST_WORDS
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))


class _Slot(Generic[Item]):
    """Room for one process at a time. It is started when there is something to do, and again when
    it has died.
    """

    def __init__(self, orders: bytes, environment: Mapping[str, str]) -> None:
        self._orders = orders
        self._environment = environment
        self._pipe: Connection | None = None
        self._seconds = 0.0
        self.process: BaseProcess | None = None
        self.part: Part[Item] | None = None
        self.ready = False
        self.deadline = float("inf")

    def give(self, part: Part[Item], seconds: float) -> None:
        """Hand it items that may take so many seconds from when it is ready."""
        self.part, self._seconds = part, seconds
        if self.process is None or not self.process.is_alive():
            self.end()
            self._start()
        if self.ready:
            self._hand_over()

    def take(self) -> Part[Item]:
        """The items that it had."""
        part, self.part = self.part, None
        assert part is not None
        self.deadline = float("inf")
        return part

    def watched(self) -> list[Any]:
        assert self.process is not None
        return [self._pipe, self.process.sentinel]

    def listen(self) -> tuple[str, Any]:
        """What it has said since: ``ready``, ``result`` or ``error`` with their value; ``dead`` or,
        before it was ready, ``lost`` with the reason; "" for nothing.
        """
        assert self.process is not None
        assert self._pipe is not None
        dead = not self.process.is_alive()  # asked first: what it said before is still read
        with contextlib.suppress(EOFError, OSError):
            if self._pipe.poll():
                return self._heard(*self._pipe.recv())
            if not dead and self.deadline > time.monotonic():
                return "", None
            if not dead:
                self.end()
                return "dead", TOO_SLOW
        self.process.join(_LAST_WORDS)
        kind = "dead" if self.ready else "lost"
        return kind, f"{DIED}: {_ending(self.process.exitcode)}"

    def _heard(self, kind: str, value: Any) -> tuple[str, Any]:
        if kind == "ready":
            self.ready = True
            self._hand_over()
        return kind, value

    def hang_up(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None

    def end(self) -> None:
        """Kill its process, if there is one, and give back what it holds."""
        self.hang_up()
        if self.process is not None:
            with contextlib.suppress(OSError):
                self.process.kill()
            self.process.join()
        self.process, self.ready = None, False

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        try:
            spawn(self.process, {**dict.fromkeys(_THREADS, "1"), **self._environment})
        finally:
            theirs.close()  # or the death of the worker would not end the pipe
        self._send(self._orders)

    def _hand_over(self) -> None:
        assert self.part is not None
        self.deadline = time.monotonic() + self._seconds
        self._send(pickle.dumps(self.part.items))

    def _send(self, data: bytes) -> None:
        assert self._pipe is not None
        with contextlib.suppress(OSError):  # it is dead: its sentinel says so next
            self._pipe.send_bytes(data)


def _ending(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    memory = ", perhaps out of memory" if -code == signal.SIGKILL else ""
    return f"killed by signal {-code}{memory}"


def spawn(process: BaseProcess, environment: Mapping[str, str]) -> None:
    """Start a process in this environment; its function must call `begin_process` first.

    Its interpreter is started with `-c`, which would put the working directory first on its path: a
    user's `signal.py` would be imported. Ctrl-C is blocked, or it would die of it while it imports.
    """
    wanted = {**({} if _SAFE in os.environ else {_SAFE: _OURS}), **environment}
    before = {name: os.environ.get(name) for name in wanted}
    masks = hasattr(signal, "pthread_sigmask")
    os.environ.update(wanted)
    try:
        if masks:
            resource_tracker.ensure_running()  # to start it unblocks Ctrl-C
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        with confinement.starting():
            process.start()
    finally:
        for name in wanted:
            del os.environ[name]
        os.environ.update({name: value for name, value in before.items() if value is not None})
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


# -- in the worker ---------------------------------------------------------------------------------


def _serve(pipe: Connection) -> None:
    """What a worker process runs: its orders first, then batch after batch, until the pipe ends."""
    begin_process()
    confinement.enable()
    with contextlib.suppress(EOFError, OSError):
        try:
            work, start, start_args = pickle.loads(pipe.recv_bytes())
            start(*start_args)
        except Exception as error:  # raised again where the work is wanted
            pipe.send(("error", sendable(error)))
            return
        pipe.send(("ready", None))
        while True:
            pipe.send(attempt(work, pickle.loads(pipe.recv_bytes())))


def attempt(work: Callable[[Any], Any], items: Any) -> tuple[str, Any]:
    """(``result``, its value), or (``error``, the exception)."""
    try:
        return "result", work(items)
    except Exception as error:  # raised again where the work is wanted
        return "error", sendable(error)


def sendable(error: Exception) -> Exception:
    """An exception that another process can read: itself, or a `RunError` with its words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception as why:  # it may be written and not be readable
        return RunError(f"{type(error).__name__}: {error} (cannot be handed over: {why})")
    return error


def begin_process() -> None:
    """Leave Ctrl-C to the process that started this one, and end when that one has."""
    if os.environ.get(_SAFE) == _OURS:  # programs started from here look for modules as ever
        del os.environ[_SAFE]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    if not sys.is_finalizing():
        os._exit(1)
