"""Ray: batches as tasks on the processors of a cluster, networks as actors that keep their weights.

Workers compute and hand back what they found; this process alone writes. A result that does not
arrive was not written, so that a worker or a node that is lost costs its running batches, and
nothing is written twice: not even by a node that is only cut off. Ray repeats nothing by itself;
`run.supervisor` does, as it does for processes of this machine. Never more batches are on their way
than the cluster has room for, and a few.

The run folder and the data lie on a file system that every node sees under the same path: a worker
that does not find them says so.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import secrets
import socket
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, cast

from editgauge import confinement
from editgauge.environment import VARIABLES
from editgauge.errors import MissingExtra, RunError, Unavailable, UsageError
from editgauge.run.engine import TOGETHER, Job
from editgauge.run.needs import Needs
from editgauge.run.pace import Pace
from editgauge.run.pool import run_apart
from editgauge.run.supervisor import (
    DEATHS_ALONE,
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
from editgauge.store.run_folder import versions

TASK = 0.5
"""Seconds that a task should last: handing one over takes milliseconds of everybody's time."""
SPARE = 2
"""Tasks that wait beside those that run, so that a node never waits for this process."""
PATIENCE = 60.0
"""Seconds without any node that has room for a worker, after which the call gives up."""
ANSWER = 10.0
"""Seconds in which a cluster's address must answer."""
_LOOK = 2.0
"""Seconds for which the list of nodes is believed."""
_THREADS = "EDITGAUGE_THREADS"


class Ray:
    """A Ray cluster as an engine.

    `address` is ``HOST:PORT`` of a cluster (else the environment's ``RAY_ADDRESS``, else a Ray on
    this machine that ends with this process); `workers` bounds how many work at once. Raises
    `MissingExtra` without Ray, `UsageError` for an address that cannot work, and `Unavailable` when
    nothing answers.
    """

    away = True

    def __init__(self, *, address: str = "", workers: int | None = None) -> None:
        if workers == 0:
            raise UsageError("--workers 0 (everything in this process) and --engine ray: one only")
        given, address = address, address or os.environ.get("RAY_ADDRESS", "")
        if address.startswith("ray://"):
            raise UsageError(
                f"--address {address}: wanted HOST:PORT, found the address of a Ray client; run "
                f"the command on a node of the cluster, for example by `ray job submit`"
            )
        if address and address != "local":
            _need_answer(address)
        self._workers = workers
        self._ray = _ray()
        self._ours = not self._ray.is_initialized()
        if self._ours:
            _connect(self._ray, address, workers)
        elif given:
            raise UsageError("--address: this process is connected to a Ray cluster already")

    def workers(self, job: Job[Any, Any]) -> int:
        return 1 if job.alone else max(1, _Room(self._ray, job.needs, self._workers).now())

    def outcomes(
        self, job: Job[Item, Result], batches: Iterator[Sequence[Item]]
    ) -> Iterator[Done[Item, Result]]:
        force: _Nodes[Item] = _Nodes(self._ray, job, self._workers)
        pace: Pace[Item] = Pace(batches, TOGETHER if job.alone else TASK)
        supervisor: Supervisor[Item, Result] = Supervisor(
            force,
            pace if job.joinable else batches,
            unfinished=lambda items: items,  # what did not arrive is not written
            seconds_an_item=job.seconds_an_item,
            took=pace.took if job.joinable else None,
        )
        return supervisor.outcomes()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._ours:
            self._ray.shutdown()


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("--engine ray", "ray", "ray") from error
    return ray


def _connect(ray: Any, address: str, workers: int | None) -> None:
    here = not address or address == "local"
    own: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if here else {}
    try:
        # Ray has its workers look for modules in the working directory first: not in the user's.
        with warnings.catch_warnings(), contextlib.chdir(os.sep):
            warnings.simplefilter("ignore")  # advice to Ray's own users
            ray.init(
                address="local" if here else address,
                namespace="editgauge",
                log_to_driver=False,
                configure_logging=False,
                logging_level=logging.ERROR,
                **own,
            )
        _hush(ray)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        said = str(error).strip().splitlines()
        raise Unavailable(
            f"--engine ray: {address or 'a Ray on this machine'}: {said[0] if said else error!r}"
        ) from error


def _need_answer(address: str) -> None:
    """Raises `Unavailable` when nothing listens: Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise UsageError(f"--address {address}: wanted HOST:PORT, such as 10.0.0.1:6379")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER).close()
    except (OSError, OverflowError) as error:
        raise Unavailable(
            f"--address {address}: no Ray cluster answers ({error}); is it up (`ray status`), and "
            f"this its address?"
        ) from error


def _hush(ray: Any) -> None:
    """Keep what nodes say off standard output, where it would stand between the lines of a command.
    There is no public switch for it; a death reaches us as an error of its task.
    """
    inside = getattr(getattr(ray, "_private", None), "worker", None)
    if inside is not None and hasattr(inside, "print_to_stdstream"):
        inside.print_to_stdstream = lambda *_, **__: None


# -- room ------------------------------------------------------------------------------------------


class _Room:
    """How many workers of one kind the living nodes have room for. Looks every `_LOOK` seconds."""

    def __init__(self, ray: Any, needs: Needs, bound: int | None) -> None:
        self._ray = ray
        self._needs = needs
        self._bound = bound
        self._looked = float("-inf")
        self._room = 0
        self._since: float | None = None
        self._nodes: list[dict[str, float]] = []
        self.gpus = 0.0

    def now(self) -> int:
        """Workers that fit now, at most the bound."""
        moment = time.monotonic()
        if moment - self._looked >= _LOOK:
            self._looked = moment
            self._nodes = [n["Resources"] for n in self._ray.nodes() if n["Alive"]]
            any_gpu = any(node.get("GPU", 0) >= 1 for node in self._nodes)
            wanted = self._needs.num_gpus
            self.gpus = float(any_gpu) if wanted is None else wanted
            self._room = sum(self._on(node) for node in self._nodes)
        return self._room if self._bound is None else min(self._room, self._bound)

    def wait_for_any(self) -> int:
        """As `now`, and at least 1: what no node has room for now is waited for. Raises `RunError`
        after `PATIENCE` seconds of that.
        """
        room = self.now()
        if room:
            self._since = None
            return room
        self._since = self._since or time.monotonic()
        if time.monotonic() - self._since > PATIENCE:
            raise RunError(
                f"the Ray cluster has no node with room for a worker ({self._words()}; nodes: "
                f"{self._those()}); what was done is kept: start such a node, or go on with "
                f"--engine local"
            )
        return 1

    def _on(self, node: dict[str, float]) -> int:
        wanted = {"CPU": self._needs.num_cpus, "GPU": self.gpus, "memory": self._needs.memory}
        return int(min(node.get(name, 0) // size for name, size in wanted.items() if size))

    def _words(self) -> str:
        return (
            f"wanted: {self._needs.num_cpus:g} processors, {self.gpus:g} GPUs, "
            f"{self._needs.memory / 1e9:.1f} GB"
        )

    def _those(self) -> str:
        shown = [
            f"{n.get('CPU', 0):g} processors, {n.get('GPU', 0):g} GPUs, "
            f"{n.get('memory', 0) / 1e9:.1f} GB"
            for n in self._nodes
        ]
        return "; ".join(shown[:8]) or "none"


def _pickled(ray: Any, orders: tuple[Any, ...]) -> bytes:
    """Orders as bytes; classes and functions of a user's own script go with them."""
    try:
        return cast(bytes, ray.cloudpickle.dumps(orders))
    except Exception as error:  # a lock, an open file: whatever somebody's class holds
        raise UsageError(
            f"--engine ray: what is to be done cannot be sent to another machine ({error}); use "
            f"--engine local"
        ) from error


# -- workers ---------------------------------------------------------------------------------------


class _Nodes(Generic[Item]):
    """The workers of one job: slots for tasks, or actors."""

    def __init__(self, ray: Any, job: Job[Item, Any], bound: int | None) -> None:
        self._ray = ray
        self._alone = job.alone
        self._room = _Room(ray, job.needs, bound)
        self._spare = 0 if job.alone or bound is not None else SPARE
        self._room.now()
        token = secrets.token_hex(8)
        orders = _Orders(
            token=token,
            job=_pickled(ray, (job.work, job.start, job.start_args)),
            places=job.places,
            versions=versions(),
            environment=_environment(),
            path=tuple(sys.path),
            folder=os.getcwd(),
        )
        self._orders = (token, [ray.put(orders)])  # in a list, or each task would be given a copy
        self._options = {
            "num_cpus": job.needs.num_cpus,
            "num_gpus": self._room.gpus,
            **({"memory": job.needs.memory} if job.needs.memory else {}),
        }
        self._task = ray.remote(_do).options(
            **self._options, max_retries=0, num_returns="streaming"
        )
        self._actor = ray.remote(_Actor).options(**self._options, max_restarts=0)

    @property
    def most(self) -> int:
        return self._room.wait_for_any() + self._spare

    def hire(self) -> Worker[Item]:
        if self._alone:
            return _Keeper(self._ray, self._task, self._actor, self._orders)
        return _Slot(self._ray, self._task, self._orders)

    def wait(self, workers: Sequence[Worker[Item]], seconds: float) -> None:
        mine = cast("Sequence[_Remote[Item]]", workers)
        pending = [worker.pending for worker in mine if worker.pending is not None]
        if pending:
            self._ray.wait(pending, timeout=seconds, fetch_local=False)

    def dismiss(self, workers: Sequence[Worker[Item]]) -> None:
        """Tasks have ended by themselves, and actors have nothing to write down."""


class _Remote(Generic[Item]):
    """What a slot for tasks and an actor have in common: something that is waited for, tasks, and
    what Ray's errors mean.
    """

    def __init__(self, ray: Any, task: Any, orders: tuple[str, list[Any]]) -> None:
        self._ray = ray
        self._task = task
        self._orders = orders
        self._seconds = 0.0
        self.pending: Any = None
        self.ready = False
        self.batch: Batch[Item] | None = None
        self.deadline = float("inf")
        self._node = ""

    def has_news(self) -> bool:
        if self.pending is None:
            return False
        return bool(self._ray.wait([self.pending], timeout=0, fetch_local=False)[0])

    def _give_task(self, batch: Batch[Item], seconds: float) -> None:
        """A task first says that it begins, then what it found."""
        self.batch = batch
        self._seconds = seconds
        self._node = ""
        apart = seconds if batch.deaths else None
        if apart is not None:  # its own time is watched there; this is for the processes around it
            self._seconds = (DEATHS_ALONE + 1) * seconds + PATIENCE
        self.pending = self._task.remote(*self._orders, batch.items, apart)

    def _hear_task(self) -> Said:
        try:
            said = self._answer(next(self.pending))
        except StopIteration:
            said = Said("lost", "its task ended without a word")
        if said.kind == "ready":
            self._begun(said)
            self.deadline = time.monotonic() + self._seconds
        elif said.kind == "result":
            self.pending = None
        elif said.kind in ("dead", "lost"):
            self.ready = bool(self._node)  # it had begun, or this is the machine's fault
            said = said if self.ready else Said("lost", said.value)
        return said

    def _cancel_task(self) -> None:
        if self.pending is not None:
            with contextlib.suppress(Exception):  # it has ended, or its node has
                self._ray.cancel(self.pending, force=True)
            self.pending = None

    def _answer(self, reference: Any) -> Said:
        """What a finished reference holds. Whatever Ray raises is a death, and says whose fault."""
        known = self._ray.exceptions
        try:
            return cast(Said, self._ray.get(reference))
        except known.OutOfMemoryError:
            return Said("dead", "the worker died on this picture: out of memory")
        except (known.WorkerCrashedError, known.ActorDiedError, known.ActorUnavailableError):
            if self.ready and self._node in _living(self._ray):
                return Said("dead", "the worker died on this picture")
            return Said("lost", "its worker was lost")
        except known.RayTaskError as error:  # in our own code there, not in a scorer's
            return Said("error", RunError(f"a worker of the Ray cluster: {error.cause!r}"))
        except known.RayError as error:
            return Said("lost", f"its node was lost ({type(error).__name__})")

    def _begun(self, said: Said) -> None:
        self.ready = True
        self._node = said.value


class _Slot(_Remote[Item]):
    """Room for one task after the other."""

    def __init__(self, ray: Any, task: Any, orders: tuple[str, list[Any]]) -> None:
        super().__init__(ray, task, orders)
        self.ready = True

    def give(self, batch: Batch[Item], seconds: float) -> None:
        self._give_task(batch, seconds)

    def listen(self) -> Said | None:
        if self.batch is None or not self.has_news():
            return None
        return self._hear_task()

    def end(self) -> None:
        self._cancel_task()


class _Keeper(_Remote[Item]):
    """An actor: it prepares itself once and keeps what it has loaded.

    Ray does not tell how an actor's process ended. What has killed one is therefore done by a task,
    in the actor's room, which tells (`_do`); the next item has a new actor.
    """

    def __init__(self, ray: Any, task: Any, make_actor: Any, orders: tuple[str, list[Any]]) -> None:
        super().__init__(ray, task, orders)
        self._make_actor = make_actor
        self._actor: Any = None
        self._start()

    def _start(self) -> None:
        self.ready = False
        self._actor = self._make_actor.remote(*self._orders)
        self.pending = self._actor.begin.remote()

    def give(self, batch: Batch[Item], seconds: float) -> None:
        if batch.deaths:
            self._stop()
            self._give_task(batch, seconds)
            return
        self.batch = batch
        self._seconds = seconds
        if self._actor is None:
            self._start()  # the batch is handed over when it is ready
        else:
            self._hand_over()

    def _hand_over(self) -> None:
        assert self.batch is not None
        self.deadline = time.monotonic() + self._seconds
        self.pending = self._actor.do.remote(self.batch.items)

    def listen(self) -> Said | None:
        if not self.has_news():
            return None
        if self._actor is None:
            return self._hear_task()
        pending, self.pending = self.pending, None
        said = self._answer(pending)
        if said.kind == "ready":
            self._begun(said)
            if self.batch is not None:
                self._hand_over()
        return said

    def _stop(self) -> None:
        with contextlib.suppress(Exception):
            self._ray.kill(self._actor)
        self._actor = None

    def end(self) -> None:
        if self._actor is None:
            self._cancel_task()
        else:
            self._stop()


def _living(ray: Any) -> set[str]:
    return {node["NodeID"] for node in ray.nodes() if node["Alive"]}


# -- in the worker ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Orders:
    """What a worker is told once."""

    token: str
    job: bytes
    places: tuple[Path, ...]
    versions: dict[str, str]
    environment: dict[str, str]
    path: tuple[str, ...]
    """Where modules are looked for by who asks."""
    folder: str
    """The working directory of who asks: paths may be relative to it."""

    def begin(self) -> Any:
        """Prepare this process; returns the function for batches. Raises as `arrive`."""
        self.arrive()
        work, start, start_args = pickle.loads(self.job)
        start(*start_args)
        confinement.enable()
        return work

    def arrive(self) -> None:
        """Make this process like the one that asks. Raises `RunError` where this node is not like
        its own.
        """
        with contextlib.suppress(OSError):  # what is not seen from here is said below
            os.chdir(self.folder)
        sys.path += [place for place in self.path if place not in sys.path]
        host = os.uname().nodename
        for place in self.places:
            if not place.exists():
                raise RunError(
                    f"{place}: not there on the node {host}; put the run and the data on a file "
                    f"system that every node of the cluster sees under the same path"
                )
        mine = versions()
        other = [f"{k} {mine.get(k)}" for k, v in self.versions.items() if mine.get(k) != v]
        if other:
            raise RunError(
                f"the node {host} has {', '.join(other)}, this one "
                f"{', '.join(f'{k.split()[0]} {self.versions[k.split()[0]]}' for k in other)}: "
                f"scores would not be the same; install the same versions everywhere"
            )
        os.environ.update(self.environment)
        os.environ.setdefault(_THREADS, os.environ.get("OMP_NUM_THREADS") or "1")


_prepared: tuple[str, Any] = ("", None)


def _prepare(token: str, orders: list[Any]) -> Any:
    """The function for batches, prepared once in a process."""
    global _prepared  # noqa: PLW0603 - a worker process is one worker
    if _prepared[0] != token:
        _prepared = (token, _ray().get(orders[0]).begin())
    return _prepared[1]


def _do(
    token: str, orders: list[Any], items: Sequence[Any], apart: float | None = None
) -> Iterator[Said]:
    """A task: says that it begins, and where; then what came of the batch. With `apart`, the
    seconds that an item may take, a process of its own does it: Ray does not tell how a worker
    ended, and that one's end is seen.
    """
    try:
        if apart is not None:
            whole: _Orders = _ray().get(orders[0])
            whole.arrive()
            yield Said("ready", _ray().get_runtime_context().get_node_id())
            alone = run_apart(whole.job, items, seconds_an_item=apart)
            yield Said("dead", alone.died) if alone.died else Said("result", alone.result)
            return
        work = _prepare(token, orders)
    except Exception as error:  # it would be tried for ever: the caller is told why
        yield sendable("error", error)
        return
    yield Said("ready", _ray().get_runtime_context().get_node_id())
    yield done(work, items)


class _Actor:
    """A worker that stays."""

    def __init__(self, token: str, orders: list[Any]) -> None:
        self._orders = (token, orders)
        self._work: Any = None

    def begin(self) -> Said:
        try:
            self._work = _prepare(*self._orders)
        except Exception as error:
            return sendable("error", error)
        return Said("ready", _ray().get_runtime_context().get_node_id())

    def do(self, items: Sequence[Any]) -> Said:
        return done(self._work, items)


def _environment() -> dict[str, str]:
    """Our own variables as they are set here, but for secrets."""
    names = [name for one in VARIABLES if not one.secret for name in one.names]
    return {
        name: os.environ[name]
        for name in names
        if name.startswith("EDITGAUGE_") and name in os.environ
    }
