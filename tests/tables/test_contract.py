"""A benchmark's declaration is checked, and what is wrong is named by package and member."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from editgauge import catalog
from editgauge.diagnosis.attention import AttentionScorer
from editgauge.errors import BenchmarkError, EditgaugeError
from editgauge.tables.contract import specimen, verify
from editgauge.tables.sheet import Sheet
from editgauge.tables.spec import Column, Mean, PaperTable
from editgauge.testing import check_benchmark
from editgauge.types import Benchmark, Derived, Metric

ONE = Metric("one", direction="higher", low=0.0, high=1.0)
TWO = Metric("two", direction="lower", low=0.0, high=9.0)


def papers(*metrics: Metric, headline: str = "") -> list[PaperTable]:
    columns = [Column(metric.name, (Mean(metric.name),)) for metric in metrics]
    return [PaperTable(name="t", title="T", columns=columns, headline=headline)]


def made(**changes: Any) -> Benchmark:
    whole = Benchmark(
        name="outside",
        title="Outside",
        citation="none",
        metrics=(ONE, TWO),
        load=lambda root, *, split=None: [],  # type: ignore[arg-type, return-value]
    )
    return replace(whole, **changes)


@pytest.mark.parametrize("name", catalog.BENCHMARKS)
def test_the_built_in_benchmarks_are_complete(name: str) -> None:
    check_benchmark(catalog.find("benchmarks", name))


@pytest.mark.parametrize("name", catalog.BENCHMARKS)
def test_every_column_is_fed_by_a_scorer_a_judge_or_a_derived_metric(name: str) -> None:
    benchmark = catalog.find("benchmarks", name)
    scorers = [*benchmark.scorers(("pixel", "ocr", "embedding", "diagnosis")), AttentionScorer()]
    given = {metric.name for scorer in scorers for metric in scorer.metrics}
    given |= {metric.name for metric in benchmark.judging().metrics}
    given |= {derived.metric.name for derived in benchmark.derived}
    frame = specimen(benchmark)
    columns = 0
    for variant in ("faithful", "corrected"):
        for paper in benchmark.tables(frame):
            for field in Sheet(frame, paper, variant).fields:
                columns += 1
                assert isinstance(field.spec.shows, Metric) or field.metric.name in given
                assert {mean.metric for mean in field.spec.of} <= given
    assert columns > 10


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"title": ""}, "title: wanted a text"),
        ({"metrics": ()}, "metrics: none is declared"),
        ({"metrics": (ONE, ONE)}, "metrics: one is declared twice"),
        ({"metrics": ("one",)}, "AttributeError"),
        ({"metrics": (replace(ONE, direction=None),)}, "one: direction: wanted 'higher' or"),
        ({"metrics": (replace(ONE, low=2.0),)}, "one: low, high: wanted a range, found 2.0 to 1.0"),
        ({"metrics": (replace(ONE, high=float("nan")),)}, "one: low, high: wanted a range"),
        ({"metrics": (replace(ONE, failure=7.0),)}, "one: failure: 7.0 lies outside"),
        ({"metrics": (replace(ONE, variants=("best",)),)}, "one: variants: wanted some of"),
        ({"derived": (Derived(replace(ONE, name="d"), ("one", "x"), min),)}, "found 'x'"),
        ({"derived": (Derived(replace(ONE, name="d"), (), min),)}, "of: wanted the names"),
        ({"tables": papers(ONE)}, "tables: two: in none of them"),
        (
            {"tables": lambda f: papers(ONE, TWO, replace(ONE, name="clip"))},
            "tables: t, column clip: 'clip' is no declared metric",
        ),
        ({"tables": papers(ONE, TWO, headline="x")}, "there is no column 'x'"),
        ({"tables": lambda f: 1 // 0}, "ZeroDivisionError"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_package_and_member(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchmarkError) as error:
        verify(made(**changes), "some-package")
    assert said in str(error.value)
    assert str(error.value).startswith("benchmark outside (package some-package): ")
    assert isinstance(error.value, EditgaugeError)


def test_a_metric_that_nothing_gives_or_that_is_given_otherwise_is_named() -> None:
    class Scorer:
        metrics = (replace(ONE, high=2.0), replace(ONE, name="three"))

    benchmark = made(scorers=lambda tracks, **options: [Scorer()])
    with pytest.raises(BenchmarkError) as error:
        check_benchmark(benchmark)
    assert "one is scored as another metric than the declared one" in str(error.value)
    assert "three is scored and not declared" in str(error.value)
    assert "two is declared, and neither a scorer nor the judge gives it" in str(error.value)
    check_benchmark(benchmark, make=False)
