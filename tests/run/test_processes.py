"""Batches on processes: workers that die at any moment cost time and no result."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from editgauge.errors import RunError
from editgauge.run.processes import TOO_SLOW, Done, run_batches
from tests.run import work

ROOT = Path(__file__).resolve().parents[2]


def run(batches: Sequence[Sequence[Any]], what: Any, workers: int = 2, **more: Any) -> list[Any]:
    settings = {"start": work.nothing, "seconds": 600.0, **more}
    return list(run_batches(batches, what, workers=workers, **settings))


def values(outcomes: Sequence[Done[Any, Any]]) -> list[Any]:
    return sorted(value for outcome in outcomes for value in outcome.result or ())


def died(outcomes: Sequence[Done[Any, Any]]) -> list[tuple[list[Any], str]]:
    return [(list(outcome.items), outcome.died) for outcome in outcomes if outcome.died]


def children(caller: int | None = None) -> list[psutil.Process]:
    """Workers of a process (this one), and not what else its tests may have started."""
    found = []
    for child in psutil.Process(caller).children():
        try:
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
        except psutil.Error:  # it has ended meanwhile
            continue
    return found


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_every_batch_has_its_result_once(workers: int) -> None:
    outcomes = run([[1, 2], [3], [4, 5, 6]], work.square_or_die, workers)
    assert values(outcomes) == [1, 4, 9, 16, 25, 36]
    assert sorted(len(outcome.items) for outcome in outcomes) == [1, 2, 3]


@pytest.mark.parametrize("workers", [0, 2])
def test_what_work_or_start_raises_is_raised(workers: int) -> None:
    with pytest.raises(LookupError, match="no 7"):
        run([[7]], work.fails, workers)
    with pytest.raises(LookupError, match="no weights here"):
        run([[7]], work.slowly, workers, start=work.fails_at_start)
    assert not children()


@pytest.mark.parametrize("code", [0, 1, 11])
def test_only_the_item_that_ends_its_worker_is_failed_with_the_exit_code(code: int) -> None:
    outcomes = run([[1, 2, -(code + 1), 4], [5, 6]], work.square_or_die)
    why = f"the worker died on this picture: exit code {code}"
    assert died(outcomes) == [([-(code + 1)], why)]
    assert values(outcomes) == [1, 4, 16, 25, 36]


def test_an_item_whose_worker_was_killed_once_is_done_again(tmp_path: Path) -> None:
    outcomes = run([[str(tmp_path / str(number))] for number in range(4)], work.killed_once)
    assert not died(outcomes)
    assert len(values(outcomes)) == 4


def test_an_item_over_the_time_limit_is_found_in_its_batch() -> None:
    outcomes = run([[11, 12, 13], [14]], work.hangs, seconds=1.0)
    assert died(outcomes) == [([13], TOO_SLOW)]
    assert values(outcomes) == [11, 12, 14]


def test_workers_that_never_come_up_end_the_call() -> None:
    with pytest.raises(RunError, match=r"die before they have done anything.*exit code 5"):
        run([[1]], work.slowly, start=work.dies_at_start)


def test_workers_killed_from_outside_cost_nothing() -> None:
    stop, kills = threading.Event(), list[int]()

    def kill() -> None:
        while len(kills) < 10 and not stop.wait(0.27):
            for child in children()[-1:]:
                kills.append(child.pid)
                child.kill()

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        outcomes = run([list(range(s, s + 8)) for s in range(0, 320, 8)], work.slowly)
    finally:
        stop.set()
        thread.join()
    assert kills
    assert not died(outcomes)
    assert values(outcomes) == list(range(320))


def test_no_worker_outlives_the_call_nor_a_caller_that_has_seen_enough() -> None:
    assert len(run([[n] for n in range(6)], work.slowly, workers=3)) == 6
    assert not children()
    some = run_batches([[1], [13]], work.hangs, workers=2, start=work.nothing, seconds=600.0)
    next(some)
    some.close()  # type: ignore[attr-defined]
    assert not children()


DRIVER = """
import sys
sys.path[:0] = [{root!r}, {src!r}]
from tests.run.test_processes import run, work
if __name__ == "__main__":
    print("go", flush=True)
    run([[13], [13]], work.hangs)
"""


def test_workers_end_with_a_caller_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "driver.py"
    script.write_text(DRIVER.format(root=str(ROOT), src=str(ROOT / "src")))
    caller = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE)
    assert caller.stdout is not None
    assert caller.stdout.readline()
    caller.stdout.close()
    workers: list[psutil.Process] = []
    while len(workers) < 2:
        workers = children(caller.pid)
    caller.kill()
    caller.wait()
    gone, alive = psutil.wait_procs(workers, timeout=30)
    assert len(gone) == 2
    assert not alive
