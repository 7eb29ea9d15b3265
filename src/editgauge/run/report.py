"""What a report shows of runs: tables, agreement of judges, what people said, paper figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from editgauge.judging import compared
from editgauge.reports import drawing, plots
from editgauge.reports.benchmark import Part
from editgauge.reports.parts import part
from editgauge.run.tables import published_lines
from editgauge.store.run import Run
from editgauge.study.reporting import reported
from editgauge.tables import rows


def parts_of(
    runs: Sequence[Run],
    benchmark: str = "",
    *,
    published: bool = False,
    intervals: bool = True,
) -> list[Part]:
    """What a report on these runs shows, a part for each benchmark (or for one alone): the
    benchmark's tables, how far its judges agree, and what people said of it.

    `published` adds the papers' lines, `intervals` 95 % bootstrap intervals.
    """
    names = rows.benchmarks(runs, benchmark)
    made = (part(runs, name, published=published, intervals=intervals) for name in names)
    return [_with_study(each, published) for each in made]


def paper_figures(parts: Sequence[Part], to: Path) -> list[Path]:
    """Write the figures of every part as SVG, PNG and PDF into ``TO/papers/BENCHMARK``; the files.
    Raises `MissingExtra` without the extra `report`.
    """
    drawn: list[Path] = []
    for each in parts:
        folder = to / "papers" / each.frame.benchmark
        drawn += drawing.for_papers(plots.figures(each.frame, each.metrics, each.plots), folder)
    return drawn


def _with_study(part: Part, published: bool) -> Part:
    """The part with how far its judges agree, and with what people said of it."""
    agreement = compared.table(part.frame)
    if agreement is not None:
        part = replace(part, tables=[*part.tables, agreement])
    ratings = reported(part.frame, published_lines(part.frame.benchmark) if published else ())
    if ratings is None:
        return part
    return replace(part, tables=[*part.tables, *ratings.tables], study=ratings.facts)
