"""Small pictures in MedEBench's layout, to be learned from."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.releases import organ_record, organ_set

TASK = "Reconstruct ear."


def write_data(root: Path, count: int = 8, *, other_task: int = 0) -> Path:
    """`count` samples of one task, and some of a second one. No two pictures are the same."""
    numbers = tuple(range(1, count + other_task + 1))
    facts = {"Organ": "Ears", "prompt": "make it green"}
    tasks = {number: TASK if number <= count else "Reconstruct nose." for number in numbers}
    records = [organ_record(number, Task=task, **facts) for number, task in tasks.items()]
    organ_set(root, records, numbers=numbers)
    return root
