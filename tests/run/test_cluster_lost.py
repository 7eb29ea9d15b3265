"""Ray with nodes and drivers that are lost in the middle: what was done is kept, and nothing is
done twice.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from editgauge.run import cluster
from editgauge.run.engine import Job
from tests.run.fakes import MeanScorer
from tests.run.nodes import nodes_of_one_core
from tests.run.test_pool import nothing, where_from
from tests.run.test_score import Bench

pytest.importorskip("ray")
pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


def noted(batch: Sequence[int]) -> list[int]:
    """Writes down where it runs before it does."""
    import ray

    with Path(os.environ["EDITGAUGE_CACHE"]).joinpath("places").open("a") as file:
        file.write(f"{ray.get_runtime_context().get_node_id()} {batch[0]}\n")
    time.sleep(0.3)
    return list(batch)


def test_a_node_that_is_lost_costs_its_running_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other node does the rest; each batch is counted once, and only those that ran on the lost
    node are done again.
    """
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path))
    places = tmp_path / "places"
    job = Job(work=noted, start=nothing, start_args=(), unfinished=list, seconds_an_item=600.0)
    with nodes_of_one_core(1) as nodes:
        other = nodes.add_node(num_cpus=1, object_store_memory=80 << 20)

        def lose() -> None:
            while not places.exists() or other.node_id not in places.read_text():
                time.sleep(0.02)
            nodes.remove_node(other, allow_graceful=False)

        with cluster.Ray(address=nodes.address) as engine:
            thread = threading.Thread(target=lose)
            thread.start()
            done = list(engine.outcomes(job, iter([n] for n in range(60))))
            thread.join()
    assert sorted(value for one in done for value in one.result or ()) == list(range(60))
    assert not [one.died for one in done if one.died]
    calls = [line.split() for line in places.read_text().splitlines()]
    twice = [n for n in range(60) if [call[1] for call in calls].count(str(n)) > 1]
    there = [int(n) for place, n in calls if place == other.node_id]
    assert set(twice) <= set(there[-1:]), "at most the batch that ran there is done again"


def test_rows_do_not_tell_that_a_node_was_lost(tmp_path: Path) -> None:
    bench = Bench(tmp_path, number=30)
    local = bench.score("local", MeanScorer(), workers=0)[0].rows()
    log = tmp_path / "calls"
    with nodes_of_one_core(1) as nodes:
        other = nodes.add_node(num_cpus=1, object_store_memory=80 << 20)

        def lose() -> None:
            while not log.exists() or len(log.read_text().splitlines()) < 20:
                time.sleep(0.05)
            nodes.remove_node(other, allow_graceful=False)

        with cluster.Ray(address=nodes.address) as engine:
            thread = threading.Thread(target=lose)
            thread.start()
            run, summary = bench.score("away", MeanScorer(pause=0.1, log=log), workers=engine)
            thread.join()
    assert run.rows() == local
    assert summary.computed == len(local)
    texts = [path.read_text() for path in run.path.glob("rows/segments/*.jsonl")]
    assert sum(text.count("\n") for text in texts) == len(local), "no row is written twice"


DRIVER = """
import sys
sys.path[:0] = [{root!r}, {src!r}]
from pathlib import Path
from tests.run.test_score import Bench
from tests.run.fakes import MeanScorer
from editgauge.run.engine import open_engine
if __name__ == "__main__":
    bench = Bench.__new__(Bench)
    bench.__init__(Path({place!r}), number=30)
    with open_engine("ray", workers=2, cores=2) as engine:
        bench.score("away", MeanScorer(pause=0.1, log=Path({log!r})), workers=engine)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_driver_that_is_stopped_leaves_a_run_for_this_machine(tmp_path: Path, how: int) -> None:
    place, log = tmp_path / "place", tmp_path / "calls"
    script = tmp_path / "driver.py"
    script.write_text(
        textwrap.dedent(DRIVER).format(
            root=str(ROOT), src=str(ROOT / "src"), place=str(place), log=str(log)
        )
    )
    process = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.DEVNULL)
    while not log.exists() or len(log.read_text().splitlines()) < 30:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(how)
    process.wait(30)
    time.sleep(3)  # what Ray has left must be gone by then: nobody writes into the run
    before = sorted((p, p.stat().st_size) for p in (place / "away" / "rows").rglob("*.jsonl"))
    calls = len(log.read_text().splitlines())
    time.sleep(1)
    assert len(log.read_text().splitlines()) == calls
    assert (
        sorted((p, p.stat().st_size) for p in (place / "away" / "rows").rglob("*.jsonl")) == before
    )
    bench = Bench(tmp_path / "again", number=30)
    whole = bench.score("whole", MeanScorer(), workers=0)[0].rows()
    bench.place = place
    run, summary = bench.score("away", MeanScorer(), workers=0)
    assert run.rows() == whole
    assert 0 < summary.kept < len(whole)


def test_nothing_of_the_working_directory_is_imported_by_a_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "colorsys.py").write_text("raise SystemExit('imported from the folder')")
    monkeypatch.chdir(tmp_path)
    job = Job(work=where_from, start=nothing, start_args=(), unfinished=list, seconds_an_item=60.0)
    with nodes_of_one_core(1) as nodes, cluster.Ray(address=nodes.address) as engine:
        (done,) = engine.outcomes(job, iter([["colorsys"]]))
    assert done.result is not None
    assert not done.result[0].startswith(str(tmp_path))
