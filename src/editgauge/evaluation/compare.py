"""Two editors compared on every benchmark of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict, Unpack

from editgauge.store.selection import one_of
from editgauge.tables import compare as frames_compared
from editgauge.tables import given_back
from editgauge.tables.compare import Comparison
from editgauge.tables.frame import Frame
from editgauge.tables.layouts import metrics_of
from editgauge.types import VARIANTS, Variant


class Settings(TypedDict, total=False):
    """Arguments that go on to `tables.compare.compare`, which says what they mean."""

    by: str
    top: int
    alpha: float
    seed: int


def compare(
    frames: Sequence[Frame],
    a: str,
    b: str,
    *,
    metrics: Sequence[str] = (),
    variants: Sequence[Variant] = VARIANTS,
    **settings: Unpack[Settings],
) -> list[Comparison]:
    """The comparison of B with A on each frame (`tables.rows.frames`) in which both have a score.

    Directions are those of the run's metrics; a metric without one gets no verdict. Notes say how
    many of the outputs are the input handed back. `metrics`: only these. Raises `UsageError` for a
    metric that a frame has no rows of, `UnknownName` for an editor without rows.
    """
    comparisons = []
    for frame in frames:
        for name in metrics:
            one_of("--metric", name, frame.metrics)
        directions = {
            name: metric.direction
            for name, metric in metrics_of(frame).items()
            if not metrics or name in metrics
        }
        item = frames_compared.compare(frame, a, b, directions, variants=variants, **settings)
        if item.lines:
            comparisons.append(replace(item, notes=tuple(given_back.compared(frame, item))))
    return comparisons
