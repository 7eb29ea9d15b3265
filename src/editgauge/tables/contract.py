"""Is a benchmark complete? The check that the catalog makes when it first hands one out, and that
`editgauge.testing.check_benchmark` makes in tests of other packages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from editgauge.errors import BenchmarkError
from editgauge.store.labels import Samples
from editgauge.tables.results import SCORED, Cube, Key, Results, Whole
from editgauge.tables.spec import generic
from editgauge.types import VARIANTS, Benchmark, Metric


def verify(benchmark: Any, package: str = "") -> None:
    """Check a benchmark's declaration; see `problems`. Raises `BenchmarkError` with all that is
    wrong, each named by its member; `package` is where it comes from.
    """
    name = getattr(benchmark, "name", None) or type(benchmark).__name__
    try:
        faults = list(problems(benchmark)) if isinstance(benchmark, Benchmark) else [
            f"wanted an editgauge.Benchmark, found {type(benchmark).__name__}"
        ]  # fmt: skip
    except Exception as error:  # somebody's function: whatever it raises is what is wrong
        faults = [f"{type(error).__name__}: {error}"]
    if faults:
        where = f" (package {package})" if package else ""
        raise BenchmarkError(f"benchmark {name}{where}: {'; '.join(faults)}")


def problems(benchmark: Benchmark) -> Iterator[str]:
    """What is wrong with a declaration, a text each that begins with the member's name.

    Metrics have a direction, a range and a known variant, and no name stands for two. Every table
    column shows a declared metric; every declared metric is in a table or named in `not_in_tables`.
    Parents of derived metrics are declared. Scorers are not made: that may need an extra; see
    `fed`.
    """
    every = (*benchmark.metrics, *(derived.metric for derived in benchmark.derived))
    early = [*_metrics(every)]
    known = {metric.name for metric in benchmark.metrics}
    for derived in benchmark.derived:
        of = {*derived.of, *derived.optional}
        if not derived.of or of - known:
            named = ", ".join(map(repr, sorted(of - known))) or "none"
            message = f"of: wanted the names of declared metrics, found {named}"
            early.append(f"derived: {derived.metric.name}: {message}")
    early += [f"{m}: wanted a text" for m in ("title", "citation") if not getattr(benchmark, m)]
    yield from early or _tables(benchmark)  # tables of wrong metrics would only repeat it


def fed(benchmark: Benchmark, metrics: Iterable[Metric]) -> Iterator[str]:
    """What is wrong with the metrics that a benchmark's scorers and judge hand out, and with
    declared ones that none of them feeds.
    """
    declared = {metric.name: metric for metric in benchmark.metrics}
    given = {metric.name: metric for metric in metrics}
    for name in sorted({*declared, *given}):
        if name not in declared:
            yield f"metrics: {name} is scored and not declared"
        elif name not in given:
            yield f"metrics: {name} is declared, and neither a scorer nor the judge gives it"
        elif given[name] != declared[name]:
            yield f"metrics: {name} is scored as another metric than the declared one"


def _metrics(metrics: Sequence[Metric]) -> Iterator[str]:
    names = [metric.name for metric in metrics]
    if not names:
        yield "metrics: none is declared"
    for metric in metrics:
        where, ends = f"metrics: {metric.name}", f"{metric.low} to {metric.high}"
        if names.count(metric.name) > 1:
            yield f"{where} is declared twice"
        if metric.direction not in ((None,) if metric.of_sample else ("higher", "lower")):
            yield f"{where}: direction: wanted 'higher' or 'lower', found {metric.direction!r}"
        if not metric.low < metric.high:
            yield f"{where}: low, high: wanted a range, found {ends}"
        elif metric.failure is not None and not metric.low <= metric.failure <= metric.high:
            yield f"{where}: failure: {metric.failure} lies outside of {ends}"
        if not metric.variants or {*metric.variants} - {*VARIANTS}:
            wanted = ", ".join(VARIANTS)
            yield f"{where}: variants: wanted some of {wanted}, found {metric.variants}"


def _tables(benchmark: Benchmark) -> Iterator[str]:
    every = benchmark.every_metric
    source = benchmark.tables or generic
    shown: set[str] = set()
    for paper in source(specimen(benchmark)) if callable(source) else source:
        for column in paper.every_column:
            names = {part for mean in column.of for part in mean.parts}
            names |= set() if isinstance(column.shows, Metric) else {column.metric}
            shown |= names
            for name in sorted(names - {*every}):
                where = f"tables: {paper.name}, column {column.name}"
                yield f"{where}: {name!r} is no declared metric"
        if paper.headline and paper.headline not in {one.name for one in paper.every_column}:
            yield f"tables: {paper.name}: headline: there is no column {paper.headline!r}"
    if lost := sorted({*every} - shown - {*benchmark.not_in_tables}):
        yield f"tables: {', '.join(lost)}: in none of them; show it, or name it in not_in_tables"


def specimen(benchmark: Benchmark) -> Results:
    """Results with one score of every declared metric, to look at tables without a run."""
    cubes, sets = {}, {}
    for metric in benchmark.every_metric.values():
        value = metric.low if math.isfinite(metric.low) else 0.0
        for variant in metric.variants:
            key = Key(metric.name, variant)
            if metric.whole_set:
                sets[key] = {"specimen": Whole(value, 1)}
            else:
                cubes[key] = Cube(np.full((1, 1, 1), value), np.full((1, 1, 1), SCORED, np.int8))
    samples, described = Samples([{"id": "specimen"}]), benchmark.every_metric
    return Results(benchmark.name, samples, ("specimen",), cubes, sets, described=described)
