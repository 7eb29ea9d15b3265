"""Who does a step's work: this process, processes here, or a Ray cluster. The rows are the same."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from editgauge import machine
from editgauge.errors import UsageError
from editgauge.networks.runtime import torch_for
from editgauge.run.processes import Done, Item, Result, run_batches
from editgauge.scoring.scorer import Needs

if TYPE_CHECKING:
    from editgauge.run.ray import Cluster

ENGINES = ("local", "ray")
VISIBLE = "CUDA_VISIBLE_DEVICES"


class Workers:
    """`count` processes of this machine (0: this process does everything), and for work that wants
    the whole machine one for each of `gpus`, as ``CUDA_VISIBLE_DEVICES`` names them (none: one). Or
    those of a `cluster`, the connection to which ends when this context manager is left.
    """

    def __init__(
        self, count: int = 0, *, gpus: Sequence[str] = (), cluster: Cluster | None = None
    ) -> None:
        self._count, self._gpus, self._cluster = count, tuple(gpus), cluster
        self.away = cluster is not None
        """Whether they may be on other machines."""
        self.here = cluster is None and not count
        """Whether this process does everything."""

    def number(self, needs: Needs, *, alone: bool) -> int:
        """How many there are for work with these needs. `alone`: one worker has the whole machine,
        or a GPU, instead of one core.
        """
        if self._cluster is not None:
            return 1 if alone else self._cluster.room
        most = self._count
        if alone and most:
            most, needs = max(1, len(self._gpus)), replace(needs, num_cpus=1)
        return needs.workers(most, machine.memory())

    def batches(
        self,
        batches: Iterable[Sequence[Item]],
        work: Callable[[Sequence[Item]], Result],
        *,
        needs: Needs,
        alone: bool = False,
        gpus: Sequence[str] = (),
        places: Sequence[Path] = (),
        **job: Any,
    ) -> Iterator[Done[Item, Result]]:
        """What comes of each batch: see `processes.run_batches`, to which `job` goes on. `needs`:
        what one worker takes of its machine; `gpus`: those that work which is `alone` was told, as
        ``CUDA_VISIBLE_DEVICES`` names them, where these workers have none of their own; `places`:
        what every worker must see.
        """
        if self._cluster is not None:
            return self._cluster.batches(batches, work, needs=needs, places=places, **job)
        workers = self.number(needs, alone=alone)
        threads = max(1, (os.cpu_count() or 1) // workers if alone and workers else needs.num_cpus)
        share = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(int(threads)))
        seen = (self._gpus or gpus)[:workers] if alone else ()
        environments = [share | {VISIBLE: gpu} for gpu in seen] or [share] * workers
        return run_batches(batches, work, workers=workers, environments=environments, **job)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._cluster is not None:
            self._cluster.close()


def workers_of(workers: int | Workers) -> Workers:
    return Workers(workers) if isinstance(workers, int) else workers


def gpus_of(text: str) -> tuple[str, ...]:
    """``0,1`` or ``cuda:0,cuda:1`` as ``CUDA_VISIBLE_DEVICES`` names these GPUs; () for "".

    Raises `UsageError` for other words, one GPU twice, and one that is not there; `MissingExtra`
    without torch.
    """
    if not text.strip():
        return ()
    words = [word.strip().removeprefix("cuda:") for word in text.split(",")]
    there = [str(number) for number in range(torch_for("devices").cuda.device_count())]
    if len({*words} & {*there}) < len(words):
        why = f"{text!r}: wanted GPUs by number, each once, such as 0,1; torch finds {len(there)}"
        raise UsageError(why, argument="devices")
    seen = [one.strip() for one in os.environ.get(VISIBLE, "").split(",") if one.strip()]
    return tuple(seen[int(word)] if seen else word for word in words)


def open_workers(
    engine: str,
    *,
    workers: int | None,
    cores: int,
    devices: str = "",
    say: Callable[[str], None] = lambda _: None,
) -> Workers:
    """The workers of an engine, one of `ENGINES`. `workers` bounds them (None: `cores` processes
    here, the whole cluster there); `devices` are GPUs of this machine (`gpus_of`); `say` is told
    what is waited for. The Ray cluster is that of ``RAY_ADDRESS``, else one on this machine.

    Raises `UsageError` for an unknown name or words that do not go together, `MissingExtra` without
    Ray, `Unavailable` when no cluster answers.
    """
    if engine not in ENGINES:
        raise UsageError(f"{engine!r}: wanted one of {', '.join(ENGINES)}", argument="engine")
    if workers == 0 and (engine == "ray" or "," in devices):
        why = "0 (everything in this process), and Ray or several devices: one only"
        raise UsageError(why, argument="workers")
    if engine == "local":
        return Workers(cores if workers is None else workers, gpus=gpus_of(devices))
    if devices:
        why = f"{devices}: GPUs of this machine; Ray knows those of its nodes itself"
        raise UsageError(why, argument="devices")
    from editgauge.run.ray import CONNECT, Cluster

    place = os.environ.get("RAY_ADDRESS") or "local"
    what = f"connecting to Ray at {place}" if place != "local" else "starting Ray here"
    say(f"{what} (given up after {CONNECT:.0f} s)")
    return Workers(cluster=Cluster(place, workers))
