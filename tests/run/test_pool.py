"""The pool: workers that die at once, at any moment, with any exit code, cost the item they died on
and no time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from editgauge.run.pool import _Dead, run_batches


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


@pytest.mark.parametrize("code", [0, 1, 11])
def test_workers_that_die_at_once_are_all_found(code: int) -> None:
    """Each killer comes back as such, long before the time limit of ten minutes an item; the others
    have results.
    """
    items = [number if number % 3 else -(code + 1) for number in range(1, 16)]
    done, died = [], []
    for outcome in run_batches(
        iter([item] for item in items),
        square_or_die,
        workers=2,
        start=nothing,
        start_args=(),
        unfinished=list,
        seconds_an_item=600,
    ):
        if outcome.died:
            died.append((list(outcome.items), outcome.died))
        else:
            done += outcome.result or []
    assert sorted(done) == [number * number for number in range(1, 16) if number % 3]
    assert died == [([-(code + 1)], f"the worker process died (exit code {code})")] * 5


def test_a_task_whose_worker_died_before_its_message_was_read_is_ended() -> None:
    """What pebble misses: the death is noticed first, the message that names the worker comes
    after.
    """
    worker = SimpleNamespace(pid=77, exitcode=11, is_alive=lambda: False)
    ended: list[tuple[int, Any]] = []
    task = SimpleNamespace(id=5, worker_id=0, future=SimpleNamespace(done=lambda: bool(ended)))
    workers = SimpleNamespace(workers={77: worker}, inspect_workers=lambda: ((77, 11),))
    tasks = SimpleNamespace(
        tasks={5: task}, task_done=lambda number, result: ended.append((number, result.value))
    )
    dead = _Dead(
        SimpleNamespace(_pool_manager=SimpleNamespace(worker_manager=workers, task_manager=tasks))
    )
    assert workers.inspect_workers() == ((77, 11),)  # the death
    dead.bury()
    assert ended == []
    task.worker_id = 77  # the message
    dead.bury()
    dead.bury()
    assert [(number, error.exitcode) for number, error in ended] == [(5, 11)]
