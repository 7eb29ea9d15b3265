"""Batches of work on workers that may die: a dead worker costs time, and no result.

One supervisor hands batches to workers and hears of every death, so that it always belongs to one
batch. What a worker is, a `Force` decides: a process of this machine (`run.pool`), or a task or an
actor of a cluster (`run.cluster`). A batch whose worker died is done again item by item, after
everything else. Only an item that has killed a worker of its own twice is reported as `Done.died`.

Somebody may kill workers from outside, and hit one item twice by chance. That shows elsewhere: by
deaths of which no item can be guilty, since all that the worker had came to a result later. Each of
them excuses a death of every item, up to `EXCUSED`. What is then in doubt is done again at the very
end, one by one, while nothing else runs.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from editgauge.errors import RunError

Item = TypeVar("Item")
Result = TypeVar("Result")
DEATHS_ALONE = 2
"""After so many dead workers that had nothing but this item, the item is called failed, unless
deaths of others show that workers are killed from outside."""
EXCUSED = 4
"""So many deaths of an item more are excused at most, where others show kills from outside."""
QUIET_DEATHS = 24
"""After so many deaths in a row while items in doubt are done one by one, all of them are called
failed: it bounds the time that many items take which do kill their workers."""
STARTS = 12
"""After so many workers in a row that died before they were ready, the call gives up."""
TOO_SLOW = "it took longer than the time limit"
_LOOK_EVERY = 1.0
"""Seconds between two looks at the time limits."""
_PAUSE = 0.25
"""Seconds of rest before an item in doubt is done again, for each death that it was excused."""
_SUSPENDED = 5.0
"""A look that comes this many seconds late means that this process was stopped in between."""


@dataclass(frozen=True, slots=True)
class Done(Generic[Item, Result]):
    """What came of a batch: the worker's result, or for a single item the reason why there is none.

    With neither, these are items that a worker had finished before it died: only its result is
    lost.
    """

    items: Sequence[Item]
    result: Result | None
    died: str = ""


@dataclass(slots=True)
class Death:
    """The death of a worker, and how many of the items that it had have no result since."""

    suspects: int


@dataclass(frozen=True, slots=True)
class Batch(Generic[Item]):
    """A batch on its way, how many workers a single item has killed before, and the deaths, also
    of workers that had more, of which it may be guilty.
    """

    items: Sequence[Item]
    deaths: int = 0
    suspected: tuple[Death, ...] = ()


class Said(NamedTuple):
    """What a worker has said: ``ready``; ``result`` with its value; ``error`` with an exception;
    ``dead`` with the reason; or ``lost`` with the reason, when its machine is gone and no item is
    to blame.
    """

    kind: str
    value: Any = None
    seconds: float = 0.0
    """For which it worked on a result."""


def sendable(kind: str, value: Any, seconds: float = 0.0) -> Said:
    """What a worker says, checked that it can be handed over; else a `RunError` that says why."""
    try:
        pickle.loads(pickle.dumps(value))  # an exception may be written and not be readable
    except Exception as error:
        why = f"{type(value).__name__}: {value} (cannot be handed over: {error})"
        return Said("error", RunError(why))
    return Said(kind, value, seconds)


def done(work: Callable[[Sequence[Item]], Any], items: Sequence[Item]) -> Said:
    """Do a batch; what the worker then says of it."""
    began = time.perf_counter()
    try:
        result = work(items)
    except Exception as error:  # raised again by the supervisor
        return sendable("error", error)
    return sendable("result", result, time.perf_counter() - began)


class Worker(Protocol[Item]):
    """Somebody who does one batch at a time."""

    ready: bool
    """It takes batches, or has taken one: a death before that is the machine's fault."""
    batch: Batch[Item] | None
    deadline: float
    """When its batch is over the time limit, by `time.monotonic`; endless while it has none."""

    def give(self, batch: Batch[Item], seconds: float) -> None:
        """Hand it a batch that may take so many seconds from when the work begins."""

    def listen(self) -> Said | None:
        """What it has said since, once; None when nothing."""

    def has_news(self) -> bool:
        """Whether `listen` has something to give."""

    def end(self) -> None:
        """Stop it, whatever it does, and give back what it holds."""


class Force(Protocol[Item]):
    """Where workers come from."""

    @property
    def most(self) -> int:
        """How many workers there may be now, at least 1."""

    def hire(self) -> Worker[Item]:
        """A new worker, perhaps not yet ready."""

    def wait(self, workers: Sequence[Worker[Item]], seconds: float) -> None:
        """Until a worker has news, and never longer than so many seconds."""

    def dismiss(self, workers: Sequence[Worker[Item]]) -> None:
        """Let workers without work end by themselves."""


class Supervisor(Generic[Item, Result]):
    """Hands batches to workers, takes results, and replaces the workers that die.

    `unfinished(batch)` tells what of a dead worker's batch is still to be done. A batch may take
    `seconds_an_item` for each of its items. Batches are drawn as workers want them: never more than
    ``2 * force.most`` are held. `took(items, seconds)` is told how long each result was worked on.
    """

    def __init__(
        self,
        force: Force[Item],
        batches: Iterator[Sequence[Item]],
        *,
        unfinished: Callable[[Sequence[Item]], Sequence[Item]],
        seconds_an_item: float,
        took: Callable[[int, float], None] | None = None,
    ) -> None:
        self._force = force
        self._took = took
        self._fresh = (Batch(items) for items in batches)
        self._again: deque[Batch[Item]] = deque()
        self._doubtful: deque[tuple[Batch[Item], str]] = deque()
        self._from_outside = 0
        """Deaths of which no item is guilty."""
        self._quiet_deaths = 0
        """How many of the items in doubt have died since the last of them had a result."""
        self._unfinished = unfinished
        self._seconds = seconds_an_item
        self._workers: list[Worker[Item]] = []
        self._failed_starts = 0
        self._line: deque[Batch[Item]] = deque()
        self._looked = time.monotonic()

    def outcomes(self) -> Iterator[Done[Item, Result]]:
        """The outcomes of all batches as they end; then, or when the caller has seen enough, no
        worker is left. Raises what a worker's function raised, and `RunError` when `STARTS` workers
        in a row die before they are ready.
        """
        try:
            yield from self._run()
            self._force.dismiss(self._workers)
        finally:  # also Ctrl-C, a full disk, or a caller that has seen enough
            for worker in self._workers:
                worker.end()
            self._workers.clear()

    def _run(self) -> Iterator[Done[Item, Result]]:
        while True:
            self._queue()
            if not self._line and not any(worker.batch for worker in self._workers):
                yield from self._settle()
                if not self._line:
                    return
            self._hand_out()
            self._wait()
            for worker in list(self._workers):
                yield from self._listen(worker)
            yield from self._stop_slow_ones()

    def _queue(self) -> None:
        """Keep a batch for each worker in line. Those to be done again come last."""
        while len(self._line) < self._force.most:
            batch = next(self._fresh, None)
            if batch is None and self._again:
                batch = self._again.popleft()
            if batch is None:
                return
            self._line.append(batch)

    def _settle(self) -> Iterator[Done[Item, Result]]:
        """Nothing else is left: put one item in doubt in line, and report those that are in none
        any more.
        """
        while self._doubtful:
            batch, why = self._doubtful.popleft()
            excused = batch.deaths - DEATHS_ALONE
            if excused < min(self._from_outside, EXCUSED) and self._quiet_deaths < QUIET_DEATHS:
                time.sleep(_PAUSE * (excused + 1))
                self._line.append(batch)
                return
            yield Done(batch.items, None, why)

    def _hand_out(self) -> None:
        free = sum(worker.batch is None for worker in self._workers)  # idle, or starting
        more = min(len(self._line) - free, self._force.most - len(self._workers))
        for _ in range(more):
            self._workers.append(self._force.hire())
        for worker in self._workers:
            if worker.ready and worker.batch is None and self._line:
                batch = self._line.popleft()
                worker.give(batch, self._seconds * max(1, len(batch.items)))

    def _wait(self) -> None:
        """Until a worker says something or dies, and never longer than a look takes.

        A look that comes much too late means that this process stood still, and the workers
        perhaps with it: that time is given back to them.
        """
        until = min([_LOOK_EVERY, *(w.deadline - time.monotonic() for w in self._workers)])
        self._force.wait(self._workers, max(0.0, until))
        now = time.monotonic()
        if (late := now - self._looked - _LOOK_EVERY) > _SUSPENDED:
            for worker in self._workers:
                worker.deadline += late
        self._looked = now

    def _listen(self, worker: Worker[Item]) -> Iterator[Done[Item, Result]]:
        said = worker.listen()
        if said is None:
            return
        if said.kind == "error":
            raise said.value
        if said.kind in ("dead", "lost"):
            yield from self._bury(worker, said.value, blamed=said.kind == "dead")
            return
        self._failed_starts = 0
        if said.kind == "result":
            batch, worker.batch, worker.deadline = worker.batch, None, float("inf")
            assert batch is not None
            if self._took is not None:
                self._took(len(batch.items), said.seconds)
            self._acquit(batch)
            yield Done(batch.items, said.value)

    def _stop_slow_ones(self) -> Iterator[Done[Item, Result]]:
        now = time.monotonic()
        for worker in [w for w in self._workers if w.deadline <= now]:
            if worker.has_news():
                continue  # it has answered just now
            yield from self._bury(worker, TOO_SLOW, blamed=True)

    def _bury(
        self, worker: Worker[Item], why: str, *, blamed: bool
    ) -> Iterator[Done[Item, Result]]:
        """Take a dead worker, or one to be killed, off the list; put what it had in line again."""
        worker.end()
        self._workers.remove(worker)
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= STARTS:
                raise RunError(
                    f"workers die before they have done anything ({why}); is there "
                    f"enough memory? Run the same command again with fewer --workers, or with "
                    f"--workers 0 to see what happens"
                )
        killed = blamed and why != TOO_SLOW
        if worker.batch is None:
            self._from_outside += killed
            return
        items = worker.batch.items
        left = self._unfinished(items)
        if len(left) < len(items):
            names = {id(item) for item in left}
            yield Done([item for item in items if id(item) not in names], None)
        if not left:
            self._acquit(worker.batch)
            self._from_outside += killed
            return
        suspected = worker.batch.suspected
        if killed:
            suspected += (Death(len(left)),)
        if len(items) > 1:
            self._again.extend(Batch([item], 0, suspected) for item in left)
            return
        deaths = worker.batch.deaths
        self._quiet_deaths += killed and deaths >= DEATHS_ALONE
        again = Batch(left, deaths + (blamed and worker.ready), suspected)
        if why == TOO_SLOW:
            yield Done(left, None, why)
        elif again.deaths < DEATHS_ALONE:
            self._again.append(again)
        else:
            self._doubtful.append((again, why))

    def _acquit(self, batch: Batch[Item]) -> None:
        """A batch has a result: a death of which it was the last suspect came from outside."""
        if batch.deaths >= DEATHS_ALONE:
            self._quiet_deaths = 0
        for death in batch.suspected:
            death.suspects -= 1
            self._from_outside += death.suspects == 0
