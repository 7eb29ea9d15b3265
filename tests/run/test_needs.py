"""What scorers declare for a cluster."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from editgauge.errors import UsageError
from editgauge.run.needs import Needs


def test_one_processor_when_nothing_is_declared() -> None:
    assert Needs.of(object()) == Needs(num_cpus=1, num_gpus=0, memory=0)


def test_enough_for_both_is_the_larger_of_each() -> None:
    both = Needs(2, 0, 5).with_(Needs(1, 0.5, 9))
    assert both == Needs(2, 0.5, 9)


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
     {"num_cpus": float("nan")}, {"num_cpus": True}],
)  # fmt: skip
def test_what_is_no_amount_is_an_error_that_names_the_scorer(declared: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=f"'odd': {next(iter(declared))}"):
        Needs.of(SimpleNamespace(name="odd", **declared))
