"""What a report shows of runs: tables, agreement of judges, what people said, paper figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from editgauge.judging import compared
from editgauge.reports import drawing, figures
from editgauge.reports.part import Part, part
from editgauge.run.tables import published_lines
from editgauge.store.run import Run
from editgauge.study.agreement import agreement
from editgauge.study.means import means_of_people
from editgauge.tables import rows


def parts_of(runs: Sequence[Run], benchmark: str = "", *, published: bool = False) -> list[Part]:
    """What a report on these runs shows, a part for each benchmark (or for one alone): the
    benchmark's tables, how far its judges agree, and what people said of it. `published` adds the
    papers' lines.
    """

    parts = []
    for name in rows.benchmarks(runs, benchmark):
        one = part(runs, name, published=published, intervals=True)
        if (judges := compared.table(one.frame)) is not None:
            one = replace(one, tables=[*one.tables, judges])
        if len(one.frame.only_people()):
            agreed = agreement(one.frame, published_lines(name) if published else ())
            means = means_of_people(one.frame)
            people = [*agreed.tables] if means is None else [means, *agreed.tables]
            one = replace(one, tables=[*one.tables, *people], people=agreed.sentence)
        parts.append(one)
    return parts


def paper_figures(parts: Sequence[Part], to: Path) -> list[Path]:
    """Write the figures of every part as SVG, PNG and PDF into ``TO/papers/BENCHMARK``; the files.
    Raises `MissingExtra` without the extra `report`.
    """
    drawn: list[Path] = []
    for each in parts:
        folder = to / "papers" / each.frame.benchmark
        figures_drawn = figures.figures(
            each.frame, each.metrics, each.plots, published=each.published
        )
        drawn += drawing.write(figures_drawn, folder, ("svg", "png", "pdf"))
    return drawn
