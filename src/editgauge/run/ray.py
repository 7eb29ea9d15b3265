"""Batches on a Ray cluster: the only code that knows Ray. The relay, a process of its own, can be
given up when it hangs, and its death is seen. What a dead worker had is done again by item.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import math
import os
import pickle
import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from editgauge import machine
from editgauge.errors import CutShort, MissingExtra, RunError, Unavailable, UsageError
from editgauge.run import processes
from editgauge.run.processes import DIED, TOO_SLOW, Done, Item, Line, Part, Result
from editgauge.scoring.scorer import Needs
from editgauge.store.schema import versions

SPARE = 2
"""Tasks that wait beside those that run, so that a node never waits for this process."""
PATIENCE, ANSWER, CONNECT = 60.0, 10.0, 60.0
"""Seconds without any node that has room for a worker; in which an address must answer; in which a
connection must stand.
"""
_LOOK, _TICK = 2.0, 0.02
"""Seconds for which the list of nodes is believed, and between two looks at the pipe."""
_KEPT = "what is done is kept; run the same command again to go on"


def library() -> Any:
    """The module `ray`. Raises `MissingExtra` without it."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise MissingExtra("Ray", "ray", "ray") from error


class Cluster:
    """A connection to a Ray cluster. `address` is ``HOST:PORT`` of a node of the cluster that runs
    on this machine, ``local`` for a Ray on this machine that ends with this process; `workers`
    bounds how many tasks run at once (None: as many as there is room for).

    Raises `MissingExtra` without Ray, `UsageError` for an address that cannot work, `Unavailable`
    when nothing answers, or no connection stands after `CONNECT` seconds.
    """

    def __init__(self, address: str = "local", workers: int | None = None) -> None:
        if address != "local":
            _need_answer(address)
        self._dumps: Callable[[Any], bytes] = library().cloudpickle.dumps
        self._numbers = itertools.count()
        self._process, self._pipe = processes.begin(_serve, address, workers, environment={})
        try:
            if not self._pipe.poll(CONNECT):
                raise Unavailable(
                    f"address {address}: something answers there, but no connection to a Ray "
                    f"cluster stands after {CONNECT:.0f} s; is this machine a node of that cluster "
                    f"(`ray status`), and the address the one that `ray start` has printed?"
                )
            kind, value = self._receive()
            if kind == "error":
                raise Unavailable(f"address {address}: {value}")
            self.room = int(value)
        except BaseException:
            self._process.kill()
            self.close()
            raise

    def batches(
        self,
        batches: Iterable[Sequence[Item]],
        work: Callable[[Sequence[Item]], Result],
        *,
        start: Callable[..., None],
        start_args: tuple[Any, ...] = (),
        seconds: float,
        needs: Needs,
        places: Sequence[Path] = (),
    ) -> Iterator[Done[Item, Result]]:
        """As `processes.run_batches`. `needs`: what a task takes of its node; `places`: files and
        folders that every worker must see under the same path.

        Raises `RunError` where a worker does not see `places` or has other versions, or where no
        node has room for a worker; `CutShort` when the connection is lost.
        """
        try:
            job = self._dumps((work, start, start_args))
        except Exception as error:  # a lock, an open file: whatever somebody's class holds
            why = f"cannot be sent to another machine ({error}); work on this machine instead"
            raise UsageError(f"Ray: what is to be done {why}") from error
        self._send("job", Orders(job, tuple(places)), needs)
        try:
            yield from self._outcomes(Line(batches), seconds)
        finally:
            self._send("stop")

    def _outcomes(self, line: Line[Item], seconds: float) -> Iterator[Done[Item, Any]]:
        flight, room = dict[int, Part[Item]](), 1
        while True:
            while len(flight) < room and (part := line.next()) is not None:
                flight[number := next(self._numbers)] = part
                self._send("batch", number, self._dumps(part.items), seconds * len(part.items))
            if not flight:
                return
            kind, number, value = self._receive()
            if kind == "room":
                room = number
            elif kind == "error" and (number in flight or number < 0):
                raise pickle.loads(value)
            elif (part := flight.pop(number, None)) is not None:  # else of an earlier call
                if kind == "result":
                    yield Done(part.items, pickle.loads(value))
                elif kind == "dead":
                    yield from line.died(part, value)
                else:
                    line.again.append(part)

    def _send(self, *words: Any) -> None:
        with contextlib.suppress(OSError):  # it is dead: the next answer says so
            self._pipe.send(words)

    def _receive(self) -> Any:
        try:
            return self._pipe.recv()
        except (EOFError, OSError) as error:
            self._process.join(5)
            raise CutShort(
                f"the connection to the Ray cluster is lost (exit code {self._process.exitcode}): "
                f"Ray's own processes on this machine have ended, perhaps for want of memory; "
                f"{_KEPT}"
            ) from error

    def close(self) -> None:
        """End the connection, and with it every task."""
        self._pipe.close()
        self._process.join(10)
        self._process.kill()
        self._process.join()


def _need_answer(address: str) -> None:
    """Raises `Unavailable` when nothing listens: Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal():
        why = "wanted HOST:PORT of a node, such as 10.0.0.1:6379"
        raise UsageError(f"address {address} (RAY_ADDRESS): {why}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER).close()
    except (OSError, OverflowError) as error:
        raise Unavailable(
            f"address {address}: no Ray cluster answers ({error}); is it up (`ray status`), and "
            f"this its address?"
        ) from error


# -- the relay -------------------------------------------------------------------------------------


def _serve(pipe: Connection, address: str, workers: int | None) -> None:
    """What the relay runs. Ray writes to standard output what nodes say: it goes nowhere."""
    processes.begin_process()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.chdir(os.sep)  # where Ray's workers look for modules first: not in the user's folder
    ray, here = library(), address == "local"
    settings = {"num_cpus": workers, "include_dashboard": False} if here else {}
    try:
        ray.init(address=address, namespace="editgauge", log_to_driver=False, **settings)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        pipe.send(("error", (str(error).strip().splitlines() or [repr(error)])[0]))
        return
    relay = _Relay(ray, pipe, None if here else workers)
    with contextlib.suppress(EOFError, OSError):  # the caller has ended
        pipe.send(("room", ray.cluster_resources().get("CPU", 1)))
        while True:
            try:
                relay.turn()
            except ray.exceptions.RayError as error:
                relay.fail(f"Ray: {type(error).__name__}: {error}")
    ray.shutdown()


@dataclass(slots=True)
class _Sent:
    """A batch on its way: its number, its seconds, and until when it may take from its begin."""

    number: int
    seconds: float
    until: float = math.inf


class _Relay:
    """Gives batches to Ray as they come down the pipe, and answers (kind, number, value)."""

    _task: Any = None
    _room, _looked, _without = -1, 0.0, 0.0

    def __init__(self, ray: Any, pipe: Connection, bound: int | None) -> None:
        self._ray, self._pipe, self._bound = ray, pipe, bound
        self._flight: dict[Any, _Sent] = {}
        self._orders: list[Any] = []
        self._wanted: dict[str, float] = {}

    def turn(self) -> None:
        """Take what is asked, and give what there is."""
        while self._pipe.poll(0 if self._flight else _LOOK / 10):
            kind, *words = self._pipe.recv()
            getattr(self, f"_{kind}")(*words)
        if self._task is not None and time.monotonic() > self._looked + _LOOK:
            self._look()
        if self._flight:
            for stream in self._ray.wait(list(self._flight), timeout=_TICK)[0]:
                self._hear(stream, *self._next(stream))
        for stream in [s for s, sent in self._flight.items() if sent.until < time.monotonic()]:
            self._ray.cancel(stream, force=True)
            self._hear(stream, "dead", TOO_SLOW)

    def fail(self, why: str) -> None:
        self._task = None
        self._pipe.send(("error", -1, pickle.dumps(RunError(why))))

    def _job(self, orders: Orders, needs: Needs) -> None:
        gpus = needs.num_gpus
        if gpus is None:
            gpus = float(any(node.get("GPU", 0) >= 1 for node in self._nodes()))
        wanted = {"CPU": needs.num_cpus, "GPU": gpus, "memory": needs.memory}
        self._wanted = {name: size for name, size in wanted.items() if size}
        self._room, self._looked, self._without = -1, 0.0, 0.0
        self._orders = [self._ray.put(orders)]  # in a list, or each task would be given a copy
        self._task = self._ray.remote(
            num_cpus=needs.num_cpus,
            num_gpus=gpus,
            max_calls=0,  # a worker stays, with all that it has loaded
            max_retries=0,
            num_returns="streaming",
            scheduling_strategy="SPREAD",  # the default lets a free node wait for seconds
            memory=needs.memory or None,
        )(do)

    def _batch(self, number: int, items: bytes, seconds: float) -> None:
        if self._task is not None:  # else it was said why
            self._flight[self._task.remote(self._orders, items)] = _Sent(number, seconds)

    def _stop(self) -> None:
        for stream in self._flight:
            self._ray.cancel(stream, force=True)
        self._flight, self._task = {}, None

    def _nodes(self) -> list[dict[str, float]]:
        return [node["Resources"] for node in self._ray.nodes() if node["Alive"]]

    def _look(self) -> None:
        nodes, self._looked = self._nodes(), time.monotonic()
        fits = [min(n.get(name, 0) // size for name, size in self._wanted.items()) for n in nodes]
        room = int(sum(fits))
        self._without = 0.0 if room else self._without + _LOOK
        if self._without > PATIENCE:
            self.fail(
                f"the Ray cluster has no node with room for a worker (wanted: {self._wanted}; "
                f"nodes: {nodes[:8]}); {_KEPT}: start such a node, or work on processes of this "
                f"machine"
            )
        room = max(1, room + SPARE if self._bound is None else min(room, self._bound))
        if room != self._room:
            self._pipe.send(("room", room, None))
            self._room = room

    def _hear(self, stream: Any, kind: str, value: Any) -> None:
        sent = self._flight[stream]
        if kind == "begun":
            sent.until = time.monotonic() + sent.seconds
        else:
            self._pipe.send((kind, sent.number, value))
            del self._flight[stream]

    def _next(self, stream: Any) -> tuple[str, Any]:
        """What a task says next; of Ray's errors what they mean, and whose fault it is."""
        known = self._ray.exceptions
        try:
            kind, value = self._ray.get(next(stream))
            return kind, value
        except (known.OutOfMemoryError, known.WorkerCrashedError) as error:
            return "dead", f"{DIED}: {type(error).__name__}"
        except known.RayTaskError as error:  # in our own code there, not in a scorer's
            return "error", pickle.dumps(RunError(f"a worker of the Ray cluster: {error.cause!r}"))
        except (known.RayError, StopIteration) as error:
            return "lost", type(error).__name__


# -- a worker --------------------------------------------------------------------------------------


def _environment() -> dict[str, str]:
    """Our own variables as they are set here, but for secrets."""
    ours = (name for name in os.environ if name.startswith("EDITGAUGE_"))
    return {name: os.environ[name] for name in ours if not name.endswith("_KEY")}


@dataclass(frozen=True, slots=True)
class Orders:
    """What a worker is told once, and what the process is like that asks."""

    job: bytes
    places: tuple[Path, ...]
    token: str = field(default_factory=lambda: secrets.token_hex(8))
    versions: dict[str, str] = field(default_factory=versions)
    environment: dict[str, str] = field(default_factory=_environment)
    path: tuple[str, ...] = field(default_factory=lambda: tuple(sys.path))
    folder: str = field(default_factory=os.getcwd)

    def begin(self) -> Any:
        """Make this process like the one that asks, and prepare it; returns the function for
        batches. Raises `RunError` where this node is not like the other.
        """
        with contextlib.suppress(OSError):  # what is not seen from here is said below
            os.chdir(self.folder)
        sys.path += [place for place in self.path if place not in sys.path]
        host, mine = os.uname().nodename, versions()
        if missing := [place for place in self.places if not place.exists()]:
            raise RunError(
                f"{missing[0]}: not there on the node {host}; put the run and the data on a file "
                f"system that every node of the cluster sees under the same path"
            )
        if other := [n for n, version in self.versions.items() if mine.get(n) != version]:
            raise RunError(
                f"the node {host} has another version of {', '.join(other)} than this one: scores "
                f"would not be the same; install the same versions everywhere"
            )
        os.environ.update(self.environment)
        os.environ.setdefault("EDITGAUGE_THREADS", os.environ.get("OMP_NUM_THREADS") or "1")
        work, start, start_args = pickle.loads(self.job)
        start(*start_args)
        machine.limit_memory()
        return work


_prepared: tuple[str, Any] = ("", None)


def do(orders: list[Any], items: bytes) -> Iterator[tuple[str, Any]]:
    """A task: says that it begins, then what came of the batch."""
    global _prepared  # noqa: PLW0603 - a worker process is one worker
    try:
        wanted: Orders = library().get(orders[0])
        if _prepared[0] != wanted.token:
            _prepared = (wanted.token, wanted.begin())
    except Exception as error:  # it would be tried for ever: the caller is told why
        yield "error", pickle.dumps(processes.sendable(error))
        return
    yield "begun", None
    kind, value = processes.attempt(_prepared[1], pickle.loads(items))
    yield kind, pickle.dumps(value)
