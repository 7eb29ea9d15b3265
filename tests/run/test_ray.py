"""Ray: the same rows as on this machine, whatever is lost on the way."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from editgauge.errors import RunError, Unavailable, UsageError
from editgauge.run.edit import edit
from editgauge.run.processes import Done
from editgauge.run.ray import Cluster
from editgauge.run.workers import Workers
from editgauge.scoring.scorer import Needs
from editgauge.store.run import Run
from tests.run import work
from tests.run.fakes import BatchMean, MeanScorer, Painter, Spread
from tests.run.test_processes import died, values
from tests.run.test_score import Bench

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
pytest.importorskip("ray")
slow = pytest.mark.slow


@contextlib.contextmanager
def nodes_of_one_core(number: int) -> Iterator[Any]:
    """A `ray.cluster_utils.Cluster` of nodes on this machine."""
    from ray.cluster_utils import Cluster as Nodes

    small: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nodes = Nodes(initialize_head=True, head_node_args={**small, "include_dashboard": False})
        try:
            for _ in range(number - 1):
                nodes.add_node(**small)
            yield nodes
        finally:
            nodes.shutdown()


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[Cluster]:
    with nodes_of_one_core(2) as nodes, closing(Cluster(nodes.address)) as cluster:
        yield cluster


def run(cluster: Cluster, batches: Any, what: Any, **more: Any) -> list[Done[Any, Any]]:
    settings = {"start": work.nothing, "seconds": 600.0, "needs": Needs(), **more}
    return list(cluster.batches(batches, what, **settings))


def test_two_nodes_give_the_rows_and_edits_of_this_machine(
    two_nodes: Cluster, tmp_path: Path
) -> None:
    bench = Bench(tmp_path)
    there = Workers(cluster=two_nodes)
    scorers = (MeanScorer(trap={"s000": "raise", "s001": "no value"}), BatchMean(), Spread())
    local, _ = bench.score("local", *scorers, workers=1)
    away, summary = bench.score("away", *scorers, workers=there)
    assert away.rows() == local.rows()
    assert summary.computed == len(local.rows())
    again = bench.score("away", *scorers, workers=0)[1]
    assert (again.computed, again.kept) == (0, summary.computed), "local finds nothing left to do"
    for how in ("process", "serial"):
        made = [Run.create(tmp_path / f"{how}-{place}") for place in ("away", "here")]
        for folder, workers in zip(made, (there, 0), strict=True):
            edit(folder, "fake", bench.samples, Painter(parallel=how), workers=workers)
        marks = [[(r.sample, r.fingerprint) for r in folder.edits()] for folder in made]
        assert marks[0] == marks[1]


def test_only_the_item_that_kills_its_worker_is_failed(two_nodes: Cluster) -> None:
    outcomes = run(two_nodes, [[1, 2, -10, 4], [5, 6]], work.square_or_die)
    assert died(outcomes) == [([-10], "the worker died on this picture: WorkerCrashedError")]
    assert values(outcomes) == [1, 4, 16, 25, 36]


def test_what_cannot_work_is_said(two_nodes: Cluster) -> None:
    with pytest.raises(RunError, match="not there on the node"):
        run(two_nodes, [[1]], work.slowly, places=[Path("/nowhere")])
    with pytest.raises(UsageError, match="cannot be sent"):
        run(two_nodes, [[1]], work.slowly, start_args=(threading.Lock(),))
    with pytest.raises(LookupError, match="no weights here"):
        run(two_nodes, [[1]], work.slowly, start=work.fails_at_start)
    with pytest.raises(LookupError, match="no 7"):
        run(two_nodes, [[7]], work.fails)


def test_a_cluster_that_does_not_answer_is_named() -> None:
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1: no Ray cluster answers"):
        Cluster("127.0.0.1:1")


@slow
def test_no_node_with_room_ends_the_call_after_a_while(two_nodes: Cluster) -> None:
    with pytest.raises(RunError, match=r"no node with room for a worker .*GPU.: 2"):
        run(two_nodes, [[1]], work.slowly, needs=Needs(num_gpus=2))


@slow
def test_a_lost_node_costs_no_row_and_doubles_none(tmp_path: Path) -> None:
    bench = Bench(tmp_path, number=30)
    local = bench.score("local", MeanScorer(), workers=0)[0].rows()
    log = tmp_path / "calls"
    with nodes_of_one_core(1) as nodes:
        other = nodes.add_node(num_cpus=1, object_store_memory=80 << 20)

        def lose() -> None:
            while not log.exists() or len(log.read_text().splitlines()) < 20:
                time.sleep(0.05)
            nodes.remove_node(other, allow_graceful=False)

        with closing(Cluster(nodes.address)) as cluster:
            thread = threading.Thread(target=lose)
            thread.start()
            scorer = MeanScorer(pause=0.1, log=log)
            folder, summary = bench.score("away", scorer, workers=Workers(cluster=cluster))
            thread.join()
    assert folder.rows() == local
    assert summary.computed == len(local)
