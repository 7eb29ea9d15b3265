"""What scorers declare of the machine."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from editgauge.errors import UsageError
from editgauge.run.needs import Needs


def test_one_processor_when_nothing_is_declared() -> None:
    assert Needs.of(object()) == Needs(num_cpus=1, num_gpus=0, memory=0)


def test_enough_for_both_is_the_larger_of_each_and_memory_for_what_both_have_loaded() -> None:
    both = Needs(2, 0, 5).with_(Needs(1, 0.5, 9))
    assert both == Needs(2, 0.5, 14)


def test_memory_grows_with_the_largest_picture() -> None:
    declared = SimpleNamespace(memory=1000, pixel_memory=450)
    assert Needs.of(declared, 100).memory == 46_000
    assert Needs.of(SimpleNamespace(pixel_memory=450), 0).memory == 0


@pytest.mark.parametrize(
    ("needs", "most", "memory", "workers"),
    [
        (Needs(), 4, 0, 4),
        (Needs(2), 4, 0, 2),
        (Needs(3), 4, 0, 1),
        (Needs(8), 4, 0, 1),
        (Needs(0.5), 4, 0, 4),
        (Needs(memory=3), 4, 7, 2),
        (Needs(memory=9), 4, 7, 1),
        (Needs(memory=9), 4, 0, 4),
        (Needs(2, memory=3), 4, 100, 2),
        (Needs(2), 0, 0, 0),
    ],
)
def test_fewer_workers_where_each_takes_more(
    needs: Needs, most: int, memory: int, workers: int
) -> None:
    assert needs.workers(most, memory) == workers


@pytest.mark.parametrize(
    ("one", "other", "both"), [(None, 0, None), (None, 1, 1), (2, None, 2), (None, None, None)]
)
def test_a_gpu_where_there_is_one(
    one: float | None, other: float | None, both: float | None
) -> None:
    assert Needs(1, one).with_(Needs(1, other)).num_gpus == both


@pytest.mark.parametrize(
    "declared",
    [{"num_cpus": -1}, {"num_cpus": None}, {"num_gpus": 1.5}, {"memory": 0.5}, {"memory": "2GB"},
     {"pixel_memory": 0.5},
     {"num_cpus": float("nan")}, {"num_cpus": True}],
)  # fmt: skip
def test_what_is_no_amount_is_an_error_that_names_the_scorer(declared: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=f"'odd': {next(iter(declared))}"):
        Needs.of(SimpleNamespace(name="odd", **declared))
