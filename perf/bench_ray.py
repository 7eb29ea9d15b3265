"""A Ray cluster of nodes of one core, on this machine, beside processes.

    python perf/bench_ray.py            a machine with 2 cores, as quiet as can be

overhead  batches of a fixed computation, turn by turn: one process, and one node
nodes     the same on two processes, and on two nodes

Prints wall time, and the processor time of this process with all that it has started. On a busy
machine only the latter tells something.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import numpy as np

from editgauge.run.ray import Cluster
from editgauge.run.workers import Workers
from editgauge.scoring.scorer import Needs

TURNS = 5
BATCHES = 60


def nothing() -> None:
    """A start without anything to prepare."""


def spin(batch: Sequence[int]) -> list[int]:
    """Some 30 ms of one core an item, the same every time."""
    began, total = time.process_time(), np.float64(0)
    for item in batch:
        field = np.full((400, 400), float(item + 1))
        for _ in range(60):
            total += np.sqrt(field).sum()
    return [int(1e6 * (time.process_time() - began)), int(total) % 7]


def measured(workers: Workers) -> tuple[float, float]:
    """Wall seconds, and seconds that the workers were at work."""

    def batches() -> Iterator[list[int]]:
        yield from ([number] * 8 for number in range(BATCHES))

    began, busy = time.perf_counter(), 0.0
    settings: dict[str, Any] = {"start": nothing, "seconds": 600.0, "needs": Needs()}
    list(workers.batches([[0]] * 4, spin, **settings))  # all are awake
    began = time.perf_counter()
    for outcome in workers.batches(batches(), spin, **settings):
        assert outcome.result is not None
        busy += outcome.result[0] / 1e6
    return time.perf_counter() - began, busy


def main() -> None:
    from ray.cluster_utils import Cluster as Nodes

    small: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100 << 20}
    for number in (1, 2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nodes = Nodes(
                initialize_head=True, head_node_args={**small, "include_dashboard": False}
            )
            for _ in range(number - 1):
                nodes.add_node(**small)
        ratios = []
        try:
            with Cluster(nodes.address) as cluster:
                for _ in range(TURNS):
                    local, worked = measured(Workers(number))
                    away, worked_away = measured(Workers(cluster=cluster))
                    ratios.append((away / worked_away) / (local / worked))
                    print(
                        f"{number} of each: processes {local:.2f} s for {worked:.2f} s of work, "
                        f"Ray {away:.2f} s for {worked_away:.2f} s of work",
                        flush=True,
                    )
        finally:
            nodes.shutdown()
        print(f"{number}: wall time a second of work, Ray to processes: {median(ratios):.3f}")


if __name__ == "__main__":
    main()
