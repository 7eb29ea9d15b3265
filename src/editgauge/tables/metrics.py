"""What is known of the metrics that a run has rows of, and the scale and the name under which they
are shown: the same in tables, figures, grids and the report.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from editgauge import catalog
from editgauge.errors import UnknownName
from editgauge.tables.results import Results
from editgauge.types import Benchmark, Direction, Metric, Variant


def benchmark_of(name: str) -> Benchmark | None:
    """The benchmark of a name; None when it is not installed here: its rows can still be read."""
    try:
        benchmark: Benchmark = catalog.find("benchmarks", name)
    except UnknownName:
        return None
    return benchmark


def unknown(name: str) -> Metric:
    """The metric of rows of which nobody here knows anything: without a direction and a range."""
    return Metric(name, direction=None, low=-math.inf, high=math.inf)


def declared_of(results: Results) -> dict[str, Metric]:
    """Every metric that the benchmark declares or a run describes, in the order of declaration. The
    runs' word counts; how a metric is shown is the benchmark's, where the range is the same.
    """
    benchmark = benchmark_of(results.benchmark)
    ours: Mapping[str, Metric] = {} if benchmark is None else benchmark.every_metric
    every = {**ours, **results.described}
    for name, declared in ours.items():
        metric = every[name]
        if (metric.low, metric.high) == (declared.low, declared.high):
            every[name] = replace(
                metric, printed=declared.printed, keeps=declared.keeps, plain=declared.plain
            )
    return every


def metrics_of(results: Results) -> dict[str, Metric]:
    """What is known of every metric that has rows, in the order in which the benchmark declares
    them and then by name. A metric that nobody describes has no direction.
    """
    every, there = declared_of(results), results.metrics
    sampled = {key.metric for key in results.cubes}
    ours = benchmark_of(results.benchmark)
    order = dict.fromkeys([*(ours.every_metric if ours else ()), *there])
    return {
        name: every.get(name) or replace(unknown(name), whole_set=name not in sampled)
        for name in order
        if name in there
    }


def directions(results: Results) -> dict[str, Direction | None]:
    """By which way of each metric editors are compared; without what says something of the samples
    alone (`Metric.of_sample`).
    """
    known = metrics_of(results)
    return {name: one.direction for name, one in known.items() if not one.of_sample}


def choose(results: Results, metric: str, variant: Variant) -> tuple[Variant, str]:
    """The variant to read (the wanted one if it has rows or none has, else the other), a note."""
    other: Variant = "corrected" if variant == "faithful" else "faithful"
    if results.has(metric, other) and not results.has(metric, variant):
        return other, f"{other} ({metric} has no {variant} values here)"
    return variant, ""


def on_scale(metric: Metric, values: Any) -> Any:
    """Stored values, of any shape, NaN = none, on the scale on which the metric is printed
    (`Metric.printed`). Beyond the ends of a scale of two pairs the line goes on; a scale of more is
    held at its ends.
    """
    pairs = metric.printed
    if not pairs:
        return values
    values = np.asarray(values, np.float64)
    if len(pairs) > 2:
        stored, printed = zip(*pairs, strict=True)
        return np.where(np.isnan(values), np.nan, np.interp(values, stored, printed))
    (low, shown_low), (high, shown_high) = pairs
    stored_span, shown_span = high - low, shown_high - shown_low
    if shown_span >= stored_span:  # by the larger through the smaller: 7 on a scale of 10 is 0.7
        return (values - low) * (shown_span / stored_span) + shown_low
    return (values - low) / (stored_span / shown_span) + shown_low


def range_text(low: float, high: float) -> str:
    """A range in a few signs: ``0–10``, ``-1 to 1``, ``from 1``; "" where it has no end."""
    if math.isinf(low):
        return ""
    if math.isinf(high):
        return f"from {low:g}"
    return f"{low:g} to {high:g}" if low < 0 else f"{low:g}–{high:g}"


def bounded(metric: Metric) -> bool:
    """Whether a value says by itself how good it is: a share, a percentage, a judge's score."""
    ends = (float(on_scale(metric, metric.low)), float(on_scale(metric, metric.high)))
    return all(math.isfinite(end) and abs(end) <= 100 for end in ends)


def titles(metrics: Mapping[str, Metric]) -> dict[str, str]:
    """What each metric of a benchmark is called: its heading; where an earlier one has the same,
    with its name behind it.
    """
    names: dict[str, str] = {}
    for name, metric in metrics.items():
        names[name] = f"{metric.title} ({name})" if metric.title in names.values() else metric.title
    return names
