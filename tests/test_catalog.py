"""Dotted names: each part of a built-in benchmark is there, and a wrong name says what is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import partial

import pytest

from editgauge import catalog
from editgauge.catalog import Parts, part
from editgauge.errors import BenchmarkError
from editgauge.types import TRACKS

parts = Parts("editgauge.metrics")


def named(name: str) -> Iterator[tuple[str, str]]:
    """The dotted names of a benchmark, with their package."""
    benchmark = catalog.find("benchmarks", name)
    for field in fields(benchmark):
        value = getattr(benchmark, field.name)
        if isinstance(value, partial):
            target, package = value.args
            yield target, package


@pytest.mark.parametrize("name", catalog.BENCHMARKS)
def test_each_part_of_a_built_in_benchmark_is_there(name: str) -> None:
    targets = list(named(name))
    assert {target.partition(":")[2] for target, _ in targets} >= {"load", "tables", "JUDGING"}
    for target, package in targets:
        assert part(target, package) is not None
    assert catalog.find("benchmarks", name).scorers([t for t in TRACKS if t != "embedding"])


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (".nowhere:x", r"'.nowhere:x': there is no module editgauge.metrics.nowhere"),
        ("nowhere.at.all:x", r"'nowhere.at.all:x': there is no module nowhere"),
        (".text:nothing", r"has no attribute 'nothing'"),
    ],
)
def test_a_name_that_leads_nowhere_says_what_is_not_there(target: str, message: str) -> None:
    with pytest.raises(BenchmarkError, match=message):
        parts(target)()
