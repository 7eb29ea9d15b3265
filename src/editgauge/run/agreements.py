"""How far judges agree with each other, and metrics with people, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from editgauge.judging import compared
from editgauge.study import agreement, sheets
from editgauge.study.people import directions_of
from editgauge.tables.metrics import benchmark_of
from editgauge.tables.results import Results
from editgauge.tables.table import Table, TableRow
from editgauge.types import Variant


def agreements(
    frame: Results, variants: Sequence[Variant], *, published: bool = False, seed: int = 0
) -> list[Table]:
    """Agreement of each two judges, of every variant, and of every metric with people.

    `frame` has the rows of every source and annotator. `published` adds the lines of the paper's
    rank correlations, which stand alone where nobody rated anything.
    """
    judges = [compared.table(frame, variant, seed=seed) for variant in variants]
    tables = [table for table in judges if table is not None]
    lines = published_lines(frame.benchmark) if published else []
    if len(frame.only_people()):
        rated = agreement.agreement(frame, directions_of(frame))
        return [*tables, *sheets.tables(rated, lines)]
    return [*tables, *([sheets.published_alone(frame.benchmark, lines)] if lines else [])]


def published_lines(benchmark: str) -> Sequence[TableRow]:
    """The paper's rank correlations of metrics with people; none where it prints none."""
    known = benchmark_of(benchmark)
    return [] if known is None else list(known.agreement())
