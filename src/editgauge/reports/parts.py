"""What a report shows of one benchmark: rows, tables with what their cells open, plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editgauge.reports.benchmark import Part
from editgauge.reports.overview import link
from editgauge.store.run_folder import RunFolder
from editgauge.tables import failures
from editgauge.tables.frame import Frame
from editgauge.tables.layouts import (
    benchmark_of,
    every_layout,
    metrics_of,
    papers_first,
    tables,
)
from editgauge.tables.table import Table
from editgauge.types import VARIANTS, Variant


def part(runs: Sequence[RunFolder], name: str, *, published: bool, intervals: bool) -> Part:
    """A benchmark's part of a report on these runs. `published` adds the papers' lines,
    `intervals` bootstrap intervals.
    """
    frame = Frame.of_runs(runs, name)
    benchmark = benchmark_of(name)
    found: list[Table] = []
    for side in frame.without_people().sides():
        source = "" if side.side is None else side.side.source
        for variant in VARIANTS:
            for table in _tables(side, variant, published, intervals):
                found.append(replace(table, meta={**table.meta, "made_by": source}))
    if frame.makers():
        found = papers_first(found)
    found += failures.tables(frame, failures.recorded(runs, name), intervals=intervals)
    return Part(
        frame,
        _unlike(found),
        metrics_of(frame),
        title=name if benchmark is None else benchmark.title,
        about="" if benchmark is None else benchmark.about,
        plots=() if benchmark is None else benchmark.figures,
    )


def _tables(frame: Frame, variant: Variant, published: bool, intervals: bool) -> list[Table]:
    """The benchmark's tables, each with where its numbers come from: column -> metric, variant,
    labels of samples.
    """
    links: dict[str, dict[str, object]] = {}
    for layout in every_layout(frame, variant):
        for field in layout.fields:
            if not field.leaves:  # published numbers alone: there is nothing to open
                continue
            links.setdefault(layout.name, {})[field.column.name] = link(frame, layout, field)
    return [
        replace(table, meta={**table.meta, "links": links.get(table.name, {})})
        for table in tables(frame, variant, published=published, intervals=intervals)
    ]


def _unlike(tables: list[Table]) -> list[Table]:
    """Without tables that say the same twice (a track that has one variant only)."""
    kept: list[Table] = []
    for table in tables:
        same = (other for other in kept if (other.name, other.source) == (table.name, table.source))
        if not any(other.rows == table.rows for other in same):
            kept.append(table)
    return kept
