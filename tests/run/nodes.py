"""Nodes of a Ray cluster, all on this machine."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
Nodes = Any
"""A `ray.cluster_utils.Cluster`."""


@contextlib.contextmanager
def nodes_of_one_core(number: int) -> Iterator[Nodes]:
    from ray.cluster_utils import Cluster

    small: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nodes = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
        try:
            for _ in range(number - 1):
                nodes.add_node(**small)
            yield nodes
        finally:
            nodes.shutdown()
