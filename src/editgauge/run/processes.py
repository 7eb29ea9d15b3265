"""Batches of work on processes. What a dead worker had is done again item by item; an item whose
worker dies twice alone is given up. (A `ProcessPoolExecutor` waits for a killed one's result.)
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

from editgauge import machine
from editgauge.errors import RunError

Item = TypeVar("Item")
Result = TypeVar("Result")
DEATHS_ALONE, STARTS = 2, 12
"""After so many dead workers that had nothing but an item, it is given up; after so many in a row
that died before they were ready, the call is.
"""
TOO_SLOW = "it took longer than the time limit"
DIED = "the worker died on this picture"
_LAST_WORDS = 5.0
"""Seconds in which a worker that has nothing left to do must have ended."""
_ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that end a command; schedulers send them to all its processes. Its workers end with it.
"""
_SAFE, _OURS = "PYTHONSAFEPATH", "while-starting"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Done(Generic[Item, Result]):
    """A batch's result, or for a single item the reason why there is none."""

    items: Sequence[Item]
    result: Result | None
    died: str = ""


@dataclass(slots=True)
class Part(Generic[Item]):
    """Items on their way to a worker, and how many workers a single one has killed alone."""

    items: Sequence[Item]
    deaths: int = -1


class Line(Generic[Item]):
    """Which items are next: batches drawn as they are wanted; what is done `again` comes last."""

    def __init__(self, batches: Iterable[Sequence[Item]]) -> None:
        self._fresh = map(Part, batches)
        self.again: deque[Part[Item]] = deque()

    def next(self) -> Part[Item] | None:
        return next(self._fresh, None) or (self.again.popleft() if self.again else None)

    def died(self, part: Part[Item], why: str) -> Iterator[Done[Item, Any]]:
        """Put the items of a dead worker in line again, one by one, or give one up."""
        deaths = part.deaths + 1
        if len(part.items) == 1 and (why == TOO_SLOW or deaths >= DEATHS_ALONE):
            yield Done(part.items, None, why)
        else:
            self.again.extend(Part([item], deaths) for item in part.items)


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
    batches end. `workers` 0 does everything in this process, without a time limit.

    `work` and `start` must be importable by name; no batch may be empty. A batch may take `seconds`
    for each of its items, not counting the start and the time for which this process was stopped;
    one item that takes longer is given up. With `environments` there are as many workers as these,
    each started with one of them; numeric libraries get one thread unless it says otherwise. What
    `work` or `start` raises is raised here, after the workers have ended. Raises `RunError` when
    `STARTS` workers in a row die before they are ready.
    """
    if workers <= 0:
        start(*start_args)
        yield from (Done(batch, work(batch)) for batch in batches)
        return
    orders = pickle.dumps((work, start, start_args))
    slots = [_Slot(orders, environment) for environment in environments or [{}] * workers]
    try:
        yield from _outcomes(Line(batches), slots, seconds)
        for slot in slots:
            slot.dismiss()
    finally:  # also Ctrl-C, a full disk, or a caller that has seen enough
        for slot in slots:
            slot.end()


def _outcomes(
    line: Line[Item], slots: Sequence[_Slot], seconds: float
) -> Iterator[Done[Item, Any]]:
    failed_starts = 0
    while True:
        for slot in slots:
            if slot.part is None and (part := line.next()) is not None:
                slot.take(part, seconds * len(part.items))
        busy = [slot for slot in slots if slot.part is not None]
        if not busy:
            return
        for slot, (kind, value) in _answers(busy):
            part, slot.part = slot.part, None
            failed_starts = failed_starts + 1 if kind == "lost" else 0
            if kind == "error":
                raise value
            if kind == "result":
                yield Done(part.items, value)
            elif kind == "dead":
                yield from line.died(part, value)
            elif failed_starts < STARTS:
                line.again.append(part)  # lost before it was begun: no item is to blame
            else:
                raise RunError(
                    f"workers die before they have done anything ({value}); is there enough "
                    f"memory? Try again with fewer workers, or with 0 workers to see what happens"
                )


def _answers(busy: Sequence[_Slot]) -> list[tuple[_Slot, tuple[str, Any]]]:
    """Wait for a second at most: a process that is stopped does not look, and counts no time."""
    began, most = time.monotonic(), min(1.0, *(slot.left for slot in busy))
    wait([one for slot in busy for one in slot.waited_for], max(0.0, most))
    passed = min(1.0, time.monotonic() - began)
    return [(slot, answer) for slot in busy if (answer := slot.look(passed)) is not None]


class _Slot:
    """Room for one process at a time, started when there is work, and again when it has died."""

    _pipe: Connection
    _process: BaseProcess | None = None
    _ready = False
    part: Any = None
    left = 0.0
    """Seconds that the part may still take."""
    waited_for: Sequence[Any] = ()

    def __init__(self, orders: bytes, environment: Mapping[str, str]) -> None:
        self._orders = orders
        self._environment = {**dict.fromkeys(_THREADS, "1"), **environment}

    def take(self, part: Part[Any], seconds: float) -> None:
        self.part, self.left = part, seconds
        if self._process is not None and self._process.is_alive():
            self._send(pickle.dumps(part.items))
            return
        self.end()
        self._process, self._pipe = begin(_serve, environment=self._environment)
        self.waited_for = [self._pipe, self._process.sentinel]

    def _send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # it is dead: the next look says so
            self._pipe.send_bytes(data)

    def look(self, passed: float) -> tuple[str, Any] | None:
        """``result``/``error`` + value; ``dead``/``lost`` (never ready) + reason; None: at work."""
        assert self._process is not None
        alive, working = self._process.is_alive(), self._ready
        with contextlib.suppress(EOFError, OSError):
            while self._pipe.poll():
                kind, value = self._pipe.recv()
                if kind not in ("started", "ready"):
                    return kind, value
                self._ready = kind == "ready"
                self._send(pickle.dumps(self.part.items) if self._ready else self._orders)
            self.left -= passed * working
            if alive and self.left > 0:
                return None
            if alive:
                self.end()
                return "dead", TOO_SLOW
        self._process.join(_LAST_WORDS)
        code = self._process.exitcode or 0
        why = f"exit code {code}" if code >= 0 else f"killed by signal {-code}"
        memory = ", perhaps out of memory" if -code == signal.SIGKILL else ""
        return "dead" if self._ready else "lost", f"{DIED}: {why}{memory}"

    def dismiss(self) -> None:
        """Let the process end by itself: its temporary folders are then removed."""
        if self._process is not None:
            self._pipe.close()
            self._process.join(_LAST_WORDS)

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
        self._process, self._ready = None, False


def begin(
    serve: Callable[..., None], *args: Any, environment: Mapping[str, str]
) -> tuple[BaseProcess, Connection]:
    """Start a process that calls `serve(pipe, *args)` in this environment, and our end of its pipe;
    `serve` must call `begin_process` first.

    Its interpreter is started with `-c`, which would put the working directory first on its path: a
    user's `signal.py` would be imported. Ctrl-C is blocked, or it would die of it while it imports.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, *args), daemon=True)
    before, masks = dict(os.environ), hasattr(signal, "pthread_sigmask")
    os.environ.update({_SAFE: os.environ.get(_SAFE, _OURS), **environment})
    try:
        if masks:
            resource_tracker.ensure_running()  # to start it unblocks Ctrl-C
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *_ENDINGS})
        process.start()
    finally:
        theirs.close()  # or the death of the worker would not end the pipe
        for name in (_SAFE, *environment):
            os.environ.pop(name, None)
        os.environ.update(before)
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    return process, ours


# -- in the worker ---------------------------------------------------------------------------------


def _serve(pipe: Connection) -> None:
    """What a worker process runs: its orders first, then batch after batch, until the pipe ends."""
    begin_process()
    machine.limit_memory()
    with contextlib.suppress(EOFError, OSError):
        pipe.send(("started", None))
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


def _leave_it(*_: object) -> None:
    """Do nothing about a signal."""


def begin_process() -> None:
    """Leave Ctrl-C, SIGTERM and SIGHUP to the process that started this one, and end when that one
    has.
    """
    if os.environ.get(_SAFE) == _OURS:  # programs started from here look for modules as ever
        del os.environ[_SAFE]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in _ENDINGS:
        # not SIG_IGN: programs that are started from here would ignore it, too
        signal.signal(number, _leave_it)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, *_ENDINGS})
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    if not sys.is_finalizing():
        os._exit(1)
