"""Which way is better, for every metric that a frame has rows of."""

from __future__ import annotations

from editgauge import catalog
from editgauge.errors import EditgaugeError, UnknownName
from editgauge.tables.frame import RANK, Frame
from editgauge.tables.layouts import layouts_of
from editgauge.types import TRACKS, Direction


def directions(frame: Frame) -> dict[str, Direction]:
    """Metric -> direction, in the order of the benchmark's tables and then by name.

    From the tables' columns, and for a metric that is in none of them from the scorers. A metric of
    neither (rows of a package that is not installed) is taken to be better when higher.
    """
    found: dict[str, Direction] = {}
    for layout in layouts_of(frame.benchmark)(frame, "faithful"):
        for item in layout.fields:
            for key in item.leaves:
                leaf = layout.leaves[key]
                if (
                    not leaf.whole_set
                    and item.column.direction is not None
                    and len(item.leaves) == 1
                ):
                    known = (
                        "psnr" not in leaf.metric and "psnr" in item.column.name
                    )  # a PSNR made from errors
                    found.setdefault(leaf.metric, "lower" if known else item.column.direction)
    promised = _promised(frame.benchmark)
    for metric in frame.metrics:
        found.setdefault(metric, promised.get(metric, "higher"))
        found[metric] = promised.get(metric, found[metric])
        if metric.endswith(RANK):
            found[metric] = "lower"
    return {metric: found[metric] for metric in found if metric in frame.metrics}


def _promised(benchmark: str) -> dict[str, Direction]:
    """What the benchmark's scorers say of their metrics."""
    try:
        scorers = catalog.find("benchmarks", benchmark).scorers(TRACKS)
    except (UnknownName, EditgaugeError):
        return {}
    return {metric.name: metric.direction for scorer in scorers for metric in scorer.metrics}
