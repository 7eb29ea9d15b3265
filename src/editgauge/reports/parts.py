"""What a report shows of one benchmark: rows, tables with what their cells open, plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editgauge.diagnosis import failures
from editgauge.reports.benchmark import Part
from editgauge.reports.overview import link
from editgauge.store.run import Run
from editgauge.tables import reading
from editgauge.tables.layouts import Shown, every_table, papers_first, tables
from editgauge.tables.metrics import benchmark_of, metrics_of
from editgauge.tables.plan import plan
from editgauge.tables.results import Results
from editgauge.tables.rows import without_training
from editgauge.tables.table import Table
from editgauge.types import VARIANTS, Variant


def part(runs: Sequence[Run], name: str, *, published: bool, intervals: bool) -> Part:
    """A benchmark's part of a report on these runs. `published` adds the papers' lines,
    `intervals` bootstrap intervals.
    """
    frame = without_training(reading.of_runs(runs, name), runs)
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


def _tables(frame: Results, variant: Variant, published: bool, intervals: bool) -> list[Table]:
    """The benchmark's tables, each with where its numbers come from: column -> metric, variant,
    labels of samples.
    """
    links: dict[str, dict[str, object]] = {}
    for paper in every_table(frame):
        made = plan(frame, paper, variant)
        for field in made.fields:
            if field.spec.of:  # else published numbers alone: there is nothing to open
                links.setdefault(paper.name, {})[field.column.name] = link(frame, field)
    return [
        replace(table, meta={**table.meta, "links": links.get(table.name, {})})
        for table in tables(
            frame, variant, Shown(published=published, intervals=intervals), among=VARIANTS
        )
    ]


def _unlike(tables: list[Table]) -> list[Table]:
    """Without tables that say the same twice (a track that has one variant only)."""
    kept: list[Table] = []
    for table in tables:
        same = (other for other in kept if (other.name, other.source) == (table.name, table.source))
        if not any(other.rows == table.rows for other in same):
            kept.append(table)
    return kept
