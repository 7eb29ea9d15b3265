"""Engines: where the batches of `score` and `edit` are done. One interface, two implementations:
processes of this machine (`Local`) and a Ray cluster (`run.cluster.Ray`).

The rows do not depend on the engine. Who is called with what, in which batches, is decided before
an engine sees it; an engine decides only where and when.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Protocol, Self

from editgauge import machine
from editgauge.errors import UsageError
from editgauge.networks.runtime import torch_for
from editgauge.run.needs import Needs
from editgauge.run.pace import Pace
from editgauge.run.pool import VISIBLE, Share, run_batches
from editgauge.run.supervisor import Done, Item, Result

NAMES = ("local", "ray")
TOGETHER = 2.0
"""Seconds that a batch of a network's should last: its pictures are read ahead, batch by batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Generic[Item, Result]):
    """What is done with every batch. `work` and `start` must be importable by name.

    `start(*start_args)` prepares a worker once, then `work(batch)` is called on batch after batch,
    in any order. `unfinished(batch)` tells what of a dead worker's batch is not yet written; it is
    asked only where workers write for themselves (`Engine.away` is False).
    """

    work: Callable[[Sequence[Item]], Result]
    start: Callable[..., None]
    start_args: tuple[Any, ...]
    unfinished: Callable[[Sequence[Item]], Sequence[Item]]
    seconds_an_item: float
    alone: bool = False
    """One worker has the whole machine (a network), instead of one core."""
    needs: Needs = field(default_factory=Needs)
    """What one worker takes of its machine."""
    joinable: bool = False
    """Whether an engine may join batches (`run.pace`): what comes of an item is the same in any."""
    places: tuple[Path, ...] = ()
    """Files and folders that every worker must see under the same path."""


class Engine(Protocol):
    """Does jobs. A context manager: leaving it gives back what it holds."""

    @property
    def away(self) -> bool:
        """Workers may be on other machines: they hand their results to this process, which alone
        writes rows and records. Otherwise each writes a segment of its own.
        """

    def workers(self, job: Job[Any, Any]) -> int:
        """How many workers a job has now: batches are cut so that all have something to do."""

    def outcomes(
        self, job: Job[Item, Result], batches: Iterator[Sequence[Item]]
    ) -> Iterator[Done[Item, Result]]:
        """The outcomes of all batches, as they end; see `run.supervisor`. Batches are drawn as
        workers want them. Raises what `work` and `start` raise.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Local:
    """Processes of this machine: `processes` of them (0: everything in this process), fewer where a
    job needs more than one processor for each, or more memory than there is. What wants the whole
    machine (`Job.alone`) gets a process for each of `gpus`, as ``CUDA_VISIBLE_DEVICES`` names them;
    without any, one.
    """

    processes: int
    gpus: tuple[str, ...] = ()
    away: bool = field(default=False, init=False)

    def workers(self, job: Job[Any, Any]) -> int:
        if job.alone and self.processes:
            own = replace(job.needs, num_cpus=1)  # each has its share of all
            return own.workers(max(1, len(self.gpus)), machine.memory())
        return job.needs.workers(self.processes, machine.memory())

    def _share(self, job: Job[Any, Any]) -> Share:
        if not job.alone:
            return Share(max(1, int(job.needs.num_cpus)))
        return Share(max(1, (os.cpu_count() or 1) // max(1, len(self.gpus))), self.gpus)

    def outcomes(
        self, job: Job[Item, Result], batches: Iterator[Sequence[Item]]
    ) -> Iterator[Done[Item, Result]]:
        return run_batches(
            Pace(batches, TOGETHER) if job.alone and job.joinable else batches,
            job.work,
            workers=self.workers(job),
            start=job.start,
            start_args=job.start_args,
            unfinished=job.unfinished,
            seconds_an_item=job.seconds_an_item,
            share=self._share(job),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is held between two jobs."""


def engine_of(workers: int | Engine) -> Engine:
    """An engine as it is; a number as so many processes of this machine."""
    return Local(workers) if isinstance(workers, int) else workers


def gpus_of(text: str) -> tuple[str, ...]:
    """``0,1`` or ``cuda:0,cuda:1`` as ``CUDA_VISIBLE_DEVICES`` names these GPUs; () for "".

    Raises `UsageError` for other words, one GPU twice, and one that is not there; `MissingExtra`
    without torch.
    """
    if not text.strip():
        return ()
    words = [word.strip().removeprefix("cuda:") for word in text.split(",")]
    if not all(word.isdecimal() for word in words) or len(set(words)) < len(words):
        raise UsageError(f"--devices {text!r}: wanted GPUs by number, each once, such as 0,1")
    there = torch_for("--devices").cuda.device_count()
    if missing := [word for word in words if int(word) >= there]:
        raise UsageError(
            f"--devices {text!r}: no GPU {missing[0]}; torch finds {there} here"
            + ("; leave it out to score on the processor" if not there else "")
        )
    seen = [one.strip() for one in os.environ.get(VISIBLE, "").split(",") if one.strip()]
    return tuple(seen[int(word)] if seen else word for word in words)


def open_engine(
    name: str, *, workers: int | None, cores: int, address: str = "", devices: str = ""
) -> Engine:
    """The engine of a name. `workers` bounds it (None: `cores` processes here, the whole cluster
    there); `address` is a Ray cluster's; `devices` are GPUs of this machine (`gpus_of`).
    Raises `UsageError` for an unknown name or words that do
    not go together, `MissingExtra` without Ray, `Unavailable` when no cluster answers.
    """
    if name not in NAMES:
        raise UsageError(f"--engine {name!r}: wanted one of {', '.join(NAMES)}")
    if name == "local":
        if address:
            raise UsageError("--address: belongs to --engine ray; leave it out or add that")
        processes = cores if workers is None else workers
        gpus = gpus_of(devices)
        if len(gpus) > 1 and not processes:
            raise UsageError("--workers 0 (everything in this process) and several --devices: one")
        return Local(processes, gpus)
    if devices:
        raise UsageError("--devices: GPUs of this machine; Ray knows those of its nodes itself")
    from editgauge.run.cluster import Ray

    return Ray(address=address, workers=workers)
