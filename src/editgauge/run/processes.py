"""Batches of work on processes of this machine.

A worker that dies costs time and no result: what it had is done again item by item, after all
else. An item whose worker dies twice while it has nothing else is given up, with the exit code or
the signal.

A slot is a process, a pipe, and a thread that waits for both; it is no `ProcessPoolExecutor` of
one, which waits for ever for the rest of a result whose sender was killed.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as first_of
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
_LAST_WORDS = 5.0
"""Seconds in which a worker that has nothing left to do must have ended."""
_SAFE = "PYTHONSAFEPATH"
_OURS = "while-starting"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
_ONE_AT_A_TIME = threading.Lock()
"""The environment while a process starts, and the list of children, are this whole process's."""


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
    slots = [_Slot(orders, own) for own in environments or [{}] * workers]
    with ThreadPoolExecutor(len(slots)) as threads:
        try:
            yield from _outcomes(Line(batches), slots, seconds, threads)
            for slot in slots:
                slot.dismiss()
        finally:  # also Ctrl-C, a full disk, or a caller that has seen enough
            for slot in slots:
                slot.close()


def _outcomes(
    line: Line[Item], slots: Sequence[_Slot], seconds: float, threads: ThreadPoolExecutor
) -> Iterator[Done[Item, Any]]:
    idle, failed_starts = list(slots), 0
    busy: dict[Future[tuple[str, Any]], tuple[_Slot, Part[Item]]] = {}
    while True:
        while idle and (part := line.next()) is not None:
            slot = idle.pop()
            given = threads.submit(slot.do, part.items, seconds * len(part.items))
            busy[given] = slot, part
        if not busy:
            return
        for ended in first_of(busy, return_when=FIRST_COMPLETED).done:
            slot, part = busy.pop(ended)
            idle.append(slot)
            kind, value = ended.result()
            failed_starts = failed_starts + 1 if kind == "lost" else 0
            if kind == "error":
                raise value
            if kind == "result":
                yield Done(part.items, value)
            elif kind == "dead":
                yield from line.died(part, value)
            elif failed_starts < STARTS:
                line.put_back(part)
            else:
                raise RunError(
                    f"workers die before they have done anything ({value}); is there enough "
                    f"memory? Try again with fewer workers, or with 0 workers to see what happens"
                )


class _Slot:
    """Room for one process at a time. It is started when there is something to do, and again when
    it has died.
    """

    def __init__(self, orders: bytes, environment: Mapping[str, str]) -> None:
        self._orders = orders
        self._environment = {**dict.fromkeys(_THREADS, "1"), **environment}
        self._pipe: Connection | None = None
        self._process: BaseProcess | None = None
        self._closed = False

    def do(self, items: Sequence[Any], seconds: float) -> tuple[str, Any]:
        """Have items done: ``result`` or ``error`` with their value; ``dead`` or, before it was
        ready, ``lost`` with the reason. For a thread: it waits.
        """
        kind, value = ("ready", None) if self._alive() else self._start()
        if kind == "ready":
            kind, value = self._ask(pickle.dumps(items), seconds)
            kind = "dead" if kind == "lost" else kind
        return kind, value

    def _alive(self) -> bool:
        with _ONE_AT_A_TIME:
            return self._process is not None and self._process.is_alive()

    def _start(self) -> tuple[str, Any]:
        self._end()
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True)
        try:
            with _ONE_AT_A_TIME:
                if not self._closed:
                    spawn(process, self._environment)
                    self._process, self._pipe = process, ours
        finally:
            theirs.close()  # or the death of the worker would not end the pipe
        return self._ask(self._orders, float("inf"))

    def _ask(self, data: bytes, seconds: float) -> tuple[str, Any]:
        """What the worker answers; ``lost`` and why where it dies or takes too long."""
        pipe, process = self._pipe, self._process
        if pipe is None or process is None:
            return "lost", "the work was ended"
        with contextlib.suppress(EOFError, OSError):
            pipe.send_bytes(data)
            # Looks are counted, not the clock: a process that is stopped does not look.
            while not (said := wait([pipe, process.sentinel], min(1.0, max(0.0, seconds)))):
                seconds -= 1.0
                if seconds <= 0:
                    self._end()
                    return "lost", TOO_SLOW
            if pipe not in said and not pipe.poll(_LAST_WORDS):
                raise EOFError
            kind, value = pipe.recv()
            return kind, value
        with _ONE_AT_A_TIME:
            process.join(_LAST_WORDS)
        return "lost", f"{DIED}: {_ending(process.exitcode)}"

    def dismiss(self) -> None:
        """Let the process end by the end of its pipe: its temporary folders are then removed."""
        if self._pipe is not None and self._process is not None:
            self._pipe.close()
            self._process.join(_LAST_WORDS)

    def close(self) -> None:
        """End the process; none is started any more."""
        with _ONE_AT_A_TIME:
            self._closed = True
        self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._pipe = self._process = None


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
