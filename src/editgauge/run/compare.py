"""Two editors compared on every benchmark of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypedDict, Unpack

from editgauge.store.selection import one_of
from editgauge.tables import compare as frames_compared
from editgauge.tables import given_back, spec
from editgauge.tables.compare import Comparison
from editgauge.tables.layouts import every_table
from editgauge.tables.metrics import directions as directions_of
from editgauge.tables.metrics import metrics_of
from editgauge.tables.results import Results
from editgauge.types import VARIANTS, Variant


class Settings(TypedDict, total=False):
    """Arguments that go on to `tables.compare.compare`, which says what they mean."""

    one_variant: bool
    by: str
    top: int
    alpha: float
    seed: int


def compare(
    frames: Sequence[Results],
    a: str,
    b: str,
    *,
    metrics: Sequence[str] = (),
    variants: Sequence[Variant] = VARIANTS,
    **settings: Unpack[Settings],
) -> list[Comparison]:
    """The comparison of B with A on each frame (`tables.rows.frames`) in which both have a score.

    Directions are those of the run's metrics; a metric without one gets no verdict. A note says how
    many of the outputs are the input handed back. Metrics of one scale stand together.
    `metrics`: only these. Raises `UsageError` for a metric that a frame has no rows of,
    `UnknownName` for an editor without rows.
    """
    comparisons = []
    for frame in frames:
        for name in metrics:
            one_of("--metric", name, frame.metrics)
        known, ways = metrics_of(frame), directions_of(frame)
        scales = [(one.low, one.high) for one in known.values()]
        wanted = [name for name in ways if not metrics or name in metrics]
        wanted.sort(key=lambda name: scales.index((known[name].low, known[name].high)))
        directions = {name: ways[name] for name in wanted}
        item = frames_compared.compare(frame, a, b, directions, variants=variants, **settings)
        if item.lines:
            back = given_back.note(frame.of_editors([a, b]))
            notes = (back,) if back else ()
            comparisons.append(replace(item, notes=notes, of_samples=_otherwise_shown(frame)))
    return comparisons


def _otherwise_shown(frame: Results) -> frozenset[str]:
    """Metrics under whose name a table prints something else than the mean over samples."""
    columns = [column for table in every_table(frame) for column in table.every_column]
    return frozenset(c.metric for c in columns if c.of and c.formula is not spec.only)
