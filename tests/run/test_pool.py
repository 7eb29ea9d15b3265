"""The pool: workers that die at once, at any moment, with any exit code, cost time and no result."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from editgauge.run import pool
from editgauge.run.pool import TOO_SLOW, Done, run_batches

ROOT = Path(__file__).resolve().parents[2]


def nothing() -> None:
    """A start without anything to prepare."""


def square_or_die(batch: Sequence[int]) -> list[int]:
    """Negative numbers end the process at once, with their absolute value (less one) as exit
    code.
    """
    for item in batch:
        if item < 0:
            os._exit(-item - 1)
    return [item * item for item in batch]


def killed_once(batch: Sequence[str]) -> list[str]:
    """The first worker that takes a batch is killed on it, as by the system; the next is not."""
    for item in batch:
        marker = Path(item)
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return list(batch)


def slowly(batch: Sequence[int]) -> list[int]:
    time.sleep(0.02 * len(batch))
    return list(batch)


def hangs(batch: Sequence[int]) -> list[int]:
    if 13 in batch:
        time.sleep(600)
    return list(batch)


def where_from(batch: Sequence[str]) -> list[str]:
    """The files of modules that are imported in the worker."""
    import importlib

    return [str(importlib.import_module(name).__file__) for name in batch]


def run(batches: list[list[int]], work: object, workers: int = 2, **more: object) -> list[Done]:  # type: ignore[type-arg]
    settings = {"start": nothing, "start_args": (), "unfinished": list, "seconds_an_item": 600}
    return list(run_batches(iter(batches), work, workers=workers, **{**settings, **more}))  # type: ignore[arg-type]


@pytest.mark.parametrize("code", [0, 1, 11])
def test_workers_that_die_at_once_are_all_found(code: int) -> None:
    """Each killer comes back as such, long before the time limit of ten minutes an item; the others
    have results.
    """
    items = [number if number % 3 else -(code + 1) for number in range(1, 16)]
    done, died = [], []
    for outcome in run([[item] for item in items], square_or_die):
        if outcome.died:
            died.append((list(outcome.items), outcome.died))
        else:
            done += outcome.result or []
    assert sorted(done) == [number * number for number in range(1, 16) if number % 3]
    assert died == [([-(code + 1)], f"the worker died on this picture: exit code {code}")] * 5


def test_a_batch_of_one_whose_worker_was_killed_is_done_again(tmp_path: Path) -> None:
    outcomes = run([[str(tmp_path / str(number))] for number in range(4)], killed_once)
    assert [outcome.died for outcome in outcomes] == [""] * 4
    assert sum(len(outcome.result or ()) for outcome in outcomes) == 4


def test_only_the_item_that_kills_in_a_batch_is_failed() -> None:
    outcomes = run([[1, 2, -10, 4], [5, 6]], square_or_die)
    died = [outcome for outcome in outcomes if outcome.died]
    assert [list(outcome.items) for outcome in died] == [[-10]]
    done = [value for outcome in outcomes for value in outcome.result or ()]
    assert sorted(done) == [1, 4, 16, 25, 36]


def test_a_signal_is_named_and_memory_is_guessed() -> None:
    def reason(outcomes: list[Done]) -> str:  # type: ignore[type-arg]
        (outcome,) = outcomes
        return outcome.died

    text = reason(run([["no"]], die_of_kill, workers=1))  # type: ignore[list-item]
    assert text == "the worker died on this picture: killed by signal 9, perhaps out of memory"


def die_of_kill(batch: Sequence[str]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _is_worker(process: psutil.Process) -> bool:
    """Not the other children that a process of tests may have (a tracker, a browser)."""
    try:
        return "multiprocessing.spawn" in " ".join(process.cmdline())
    except psutil.Error:  # it has ended meanwhile
        return False


@pytest.mark.parametrize("seed", range(3))
def test_workers_killed_from_outside_cost_nothing(seed: int) -> None:
    """Ten single workers are killed at any moment, also while they start; every item has its
    result once.
    """
    batches = [list(range(start, start + 8)) for start in range(0, 320, 8)]
    stop, kills = threading.Event(), []

    def killer() -> None:
        me = psutil.Process()
        while len(kills) < 10 and not stop.wait(0.25 + 0.05 * seed):
            workers = [child for child in me.children() if _is_worker(child)]
            for child in workers[-1:]:
                kills.append(child.pid)
                child.kill()

    thread = threading.Thread(target=killer)
    thread.start()
    try:
        outcomes = run(batches, slowly)
    finally:
        stop.set()
        thread.join()
    assert not [outcome.died for outcome in outcomes if outcome.died]
    assert sorted(v for outcome in outcomes for v in outcome.result or ()) == list(range(320))
    assert kills


def test_an_item_over_the_time_limit_is_found_in_its_batch() -> None:
    outcomes = run([[11, 12, 13], [14]], hangs, seconds_an_item=1.0)
    assert [(list(o.items), o.died) for o in outcomes if o.died] == [([13], TOO_SLOW)]
    assert sorted(v for o in outcomes for v in o.result or ()) == [11, 12, 14]


def slow_start() -> None:
    time.sleep(2)


def test_the_time_limit_does_not_count_the_start() -> None:
    (outcome,) = run([[1]], slowly, start=slow_start, seconds_an_item=1.0, workers=1)
    assert outcome.result == [1]


def test_nothing_beside_the_call_is_imported_by_a_worker(tmp_path: Path) -> None:
    """Files of the user's that are named like libraries are passed over, at the very start too."""
    for name in ("signal", "socket", "colorsys", "selectors", "struct"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the folder')")
    (tmp_path / "http").write_text("a list of addresses")
    script = tmp_path / "apart" / "call.py"
    script.parent.mkdir()
    script.write_text(
        textwrap.dedent(f"""
        import sys
        sys.path[0] = {str(ROOT)!r}
        sys.path.insert(1, {str(ROOT / "src")!r})
        from tests.run.test_pool import run, where_from
        if __name__ == "__main__":
            (outcome,) = run([["colorsys", "http.server"]], where_from, workers=1)
            print(*outcome.result, sep="\\n")
        """)
    )
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 2
    assert str(tmp_path) not in done.stdout


def test_no_worker_outlives_the_call() -> None:
    before = set(psutil.Process().children())
    assert len(run([[n] for n in range(6)], slowly, workers=3)) == 6
    assert not {
        p
        for p in set(psutil.Process().children()) - before
        if "spawn_main" in " ".join(p.cmdline())
    }


def seen_gpus(batch: Sequence[int]) -> list[str]:
    """Which GPU the process sees; -1 ends it."""
    if batch[0] == -1:
        os._exit(3)
    return [os.environ.get("CUDA_VISIBLE_DEVICES", "none")]


def test_each_process_sees_a_gpu_of_its_own_and_a_new_one_that_of_the_dead() -> None:
    done = list(
        run_batches(
            iter([[n] for n in (*range(20), -1, *range(20))]),
            seen_gpus,
            workers=8,
            start=nothing,
            start_args=(),
            unfinished=list,
            seconds_an_item=60.0,
            share=pool.Share(1, ("4", "6")),
        )
    )
    seen = {gpu for one in done if one.result for gpu in one.result}
    assert seen <= {"4", "6"}
    assert [one.died for one in done if one.died] == [
        "the worker died on this picture: exit code 3"
    ]
    assert len([one for one in done if one.result]) == 40


def test_hired_processes_share_no_gpu() -> None:
    force: pool._Processes[int] = pool._Processes(
        pickle.dumps((seen_gpus, nothing, ())), 5, pool.Share(1, ("0", "1"))
    )
    assert force.most == 2
    first, second = force.hire(), force.hire()
    assert [one.gpu for one in (first, second)] == ["0", "1"]  # type: ignore[attr-defined]
    first.end()
    third = force.hire()
    assert third.gpu == "0", "the dead one's is free again"  # type: ignore[attr-defined]
    for one in (second, third):
        one.end()
