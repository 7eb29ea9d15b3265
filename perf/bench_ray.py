"""What does a Ray cluster cost beside processes: one node of one core, and two, on this machine?

    python perf/bench_ray.py [--batches 60] [--turns 5]      2 cores, as quiet as can be

Batches of a fixed computation, turn by turn. On a busy machine only seconds of work tell something.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Sequence
from contextlib import closing
from statistics import median
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import numpy as np
import support  # noqa: F401  (finds the package)

from editgauge.run.ray import Cluster
from editgauge.run.workers import Workers
from editgauge.scoring.scorer import Needs

SETTINGS: dict[str, Any] = {"seconds": 600.0, "needs": Needs()}
NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100 << 20}


def nothing() -> None:
    """A start without anything to prepare."""


def spin(batch: Sequence[int]) -> float:
    """Some 30 ms of one core an item, the same every time; the processor seconds it took."""
    began = time.process_time()
    for item in batch:
        field = np.full((400, 400), float(item + 1))
        for _ in range(60):
            np.sqrt(field).sum()
    return time.process_time() - began


def measured(workers: Workers, batches: int) -> tuple[float, float]:
    """Wall seconds, and seconds that the workers were at work."""
    list(workers.batches([[0]] * 4, spin, start=nothing, **SETTINGS))  # all are awake
    began, work = time.perf_counter(), 0.0
    for outcome in workers.batches(
        ([number] * 8 for number in range(batches)), spin, start=nothing, **SETTINGS
    ):
        assert outcome.result is not None, outcome.died
        work += outcome.result
    return time.perf_counter() - began, work


def compare(number: int, batches: int, turns: int) -> None:
    from ray.cluster_utils import Cluster as Nodes

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        head = {**NODE, "include_dashboard": False}
        nodes = Nodes(initialize_head=True, head_node_args=head)
        for _ in range(number - 1):
            nodes.add_node(**NODE)
    ratios = []
    try:
        with closing(Cluster(nodes.address)) as cluster:
            for _ in range(turns):
                local, work = measured(Workers(number), batches)
                away, work_away = measured(Workers(cluster=cluster), batches)
                ratios.append((away / work_away) / (local / work))
                print(
                    f"{number} of each: processes {local:.2f} s for {work:.2f} s of work, "
                    f"Ray {away:.2f} s for {work_away:.2f} s",
                    flush=True,
                )
    finally:
        nodes.shutdown()
    print(f"{number}: wall time a second of work, Ray to processes: {median(ratios):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=60)
    parser.add_argument("--turns", type=int, default=5)
    given = parser.parse_args()
    for number in (1, 2):
        compare(number, given.batches, given.turns)
