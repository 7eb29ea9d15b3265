"""Ray: the same rows as on this machine, whatever is lost on the way.

One test of two nodes runs by default; starting Ray takes most of its time.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from editgauge.errors import RunError, Unavailable, UsageError
from editgauge.run import cluster
from editgauge.run.edit import edit
from editgauge.run.engine import Job, Local, open_engine
from editgauge.run.needs import Needs
from editgauge.run.supervisor import TOO_SLOW, Done
from editgauge.store.run_folder import RunFolder
from tests.run.fakes import BatchMean, MeanScorer, Painter, Spread
from tests.run.nodes import nodes_of_one_core
from tests.run.test_pool import hangs, nothing, slowly, square_or_die
from tests.run.test_score import Bench

pytest.importorskip("ray")
slow = pytest.mark.slow


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[cluster.Ray]:
    with (
        warnings.catch_warnings(),
        nodes_of_one_core(2) as nodes,
        cluster.Ray(address=nodes.address) as engine,
    ):
        warnings.simplefilter("ignore")
        yield engine


def job(work: Any, **more: Any) -> Job[Any, Any]:
    settings: dict[str, Any] = {"start": nothing, "start_args": (), "seconds_an_item": 600.0}
    return Job(work=work, unfinished=list, **{**settings, **more})


def outcomes(engine: cluster.Ray, one: Job[Any, Any], batches: Any) -> list[Done[Any, Any]]:
    return list(engine.outcomes(one, iter(batches)))


def values(done: Sequence[Done[Any, Any]]) -> list[Any]:
    return sorted(value for outcome in done for value in outcome.result or ())


def test_two_nodes_give_the_rows_and_edits_of_this_machine(
    two_nodes: cluster.Ray, tmp_path: Path
) -> None:
    """Scorers of one output, of batches and of sets, traps among them; then an editor's outputs."""
    bench = Bench(tmp_path)
    scorers = (MeanScorer(trap={"s000": "raise", "s001": "no value"}), BatchMean(), Spread())
    local, _ = bench.score("local", *scorers, workers=1)
    away, summary = bench.score("away", *scorers, workers=two_nodes)
    assert away.rows() == local.rows()
    assert summary.computed == len(local.rows())
    again = bench.score("away", *scorers, workers=0)[1]
    assert (again.computed, again.kept) == (0, summary.computed), "local finds nothing left to do"
    for how in ("process", "serial"):
        run = RunFolder.create(tmp_path / how)
        edit(run, "fake", bench.samples, Painter(parallel=how), workers=two_nodes)
        there = RunFolder.create(tmp_path / f"{how}-local")
        edit(there, "fake", bench.samples, Painter(parallel=how), workers=Local(0))
        assert [(r.sample, r.fingerprint) for r in run.edits()] == [
            (r.sample, r.fingerprint) for r in there.edits()
        ]


@slow
@pytest.mark.parametrize("alone", [False, True])
def test_only_the_item_that_kills_its_worker_is_failed(two_nodes: cluster.Ray, alone: bool) -> None:
    """With the exit code, of a task and of an actor."""
    one = job(square_or_die, alone=alone)
    done = outcomes(two_nodes, one, [[1, 2, -10, 4], [5, 6]])
    assert [(list(o.items), o.died) for o in done if o.died] == [
        ([-10], "the worker died on this picture: exit code 9")
    ]
    assert values(done) == [1, 4, 16, 25, 36]


@slow
@pytest.mark.parametrize("alone", [False, True])
def test_an_item_over_the_time_limit_is_found(two_nodes: cluster.Ray, alone: bool) -> None:
    one = job(hangs, seconds_an_item=1.0, alone=alone)
    done = outcomes(two_nodes, one, [[11, 12, 13], [14]])
    assert [(list(o.items), o.died) for o in done if o.died] == [([13], TOO_SLOW)]
    assert values(done) == [11, 12, 14]


@slow
def test_short_batches_are_joined(two_nodes: cluster.Ray) -> None:
    """20 ms each: fewer tasks than batches, every item once."""
    one = job(slowly, joinable=True)
    done = outcomes(two_nodes, one, ([number] for number in range(120)))
    assert values(done) == list(range(120))
    assert len(done) < 60


@slow
def test_never_more_batches_are_drawn_than_there_is_room_for(two_nodes: cluster.Ray) -> None:
    drawn = 0

    def batches() -> Iterator[list[int]]:
        nonlocal drawn
        for number in range(60):
            drawn += 1
            yield [number]

    most = 0
    for ended, _ in enumerate(two_nodes.outcomes(job(slowly), batches())):
        most = max(most, drawn - ended)
    assert drawn == 60
    assert most <= 2 * (2 + cluster.SPARE) + 1


@slow
def test_what_cannot_work_is_said(two_nodes: cluster.Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RunError, match="not there on the node"):
        outcomes(two_nodes, job(slowly, places=(Path("/nowhere"),)), [[1]])
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with pytest.raises(RunError, match=r"no node with room for a worker.*2 GPUs"):
        outcomes(two_nodes, job(slowly, needs=Needs(num_gpus=2)), [[1]])
    with pytest.raises(UsageError, match="cannot be sent"):
        outcomes(two_nodes, job(slowly, start_args=(threading.Lock(),)), [[1]])
    with pytest.raises(RunError, match="no good"):
        outcomes(two_nodes, job(slowly, start=fails), [[1]])


def fails() -> None:
    raise RunError("no good")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"name": "slurm"}, "wanted one of local, ray"),
        ({"name": "local", "address": "a:1"}, "belongs to --engine ray"),
        ({"name": "ray", "workers": 0}, "one only"),
        ({"name": "ray", "address": "ray://a:1"}, "wanted HOST:PORT"),
        ({"name": "ray", "address": "head"}, "wanted HOST:PORT"),
    ],
)
def test_words_that_do_not_go_together(words: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_engine(**{"workers": None, "cores": 1, **words})


def test_a_cluster_that_does_not_answer_is_named() -> None:
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1: no Ray cluster answers"):
        open_engine("ray", workers=None, cores=1, address="127.0.0.1:1")
