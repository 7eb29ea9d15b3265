"""What is known of the metrics that a run has rows of: from the run, and from its benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from editgauge import catalog
from editgauge.errors import UnknownName
from editgauge.tables.results import Results
from editgauge.tables.spec import unknown
from editgauge.types import Benchmark, Direction, Metric


def benchmark_of(name: str) -> Benchmark | None:
    """The benchmark of a name; None when it is not installed here: its rows can still be read."""
    try:
        found: Benchmark = catalog.find("benchmarks", name)
    except UnknownName:
        return None
    return found


def metrics_of(frame: Results) -> dict[str, Metric]:
    """What is known of every metric that has rows, in the order in which the benchmark declares
    them and then by name.

    As the runs say; for a run that says nothing of a metric, as the benchmark declares it where it
    is installed. A metric of neither has no direction.
    """
    benchmark = benchmark_of(frame.benchmark)
    declared: Mapping[str, Metric] = {} if benchmark is None else benchmark.every_metric
    order = dict.fromkeys([*declared, *frame.metrics])
    known = {**declared, **frame.described}
    return {
        name: _presented(known.get(name) or _undescribed(frame, name), declared.get(name))
        for name in order
        if name in frame.metrics
    }


def _undescribed(frame: Results, name: str) -> Metric:
    """A metric of which nobody says anything; its rows tell whether it is one of the whole set."""
    return replace(unknown(name), whole_set=all(key.metric != name for key in frame.cubes))


def _presented(metric: Metric, declared: Metric | None) -> Metric:
    """The metric with how it is shown as its benchmark declares it: that is no fact of the rows.
    Not where the rows have another range.
    """
    if declared is None or (metric.low, metric.high) != (declared.low, declared.high):
        return metric
    return replace(metric, printed=declared.printed, keeps=declared.keeps, plain=declared.plain)


def directions(frame: Results) -> dict[str, Direction | None]:
    """By which way of each metric editors are compared; without what says something of the samples
    alone (`Metric.of_sample`).
    """
    known = metrics_of(frame)
    return {name: one.direction for name, one in known.items() if not one.of_sample}
