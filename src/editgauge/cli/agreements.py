"""How far judges agree with each other, and metrics with people, as tables: for `table` and for
`report`. No command of its own; `agree` prints more of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editgauge.tables.frame import Frame
    from editgauge.tables.table import Table, TableRow
    from editgauge.types import Variant


def tables(frame: Frame, variants: Sequence[Variant], *, published: bool, seed: int) -> list[Table]:
    """Agreement of each two judges, of every variant, and of every metric with people.

    `frame` has the rows of every source and annotator. `published` adds the lines of the paper's
    rank correlations, which stand alone where nobody rated anything.
    """
    from editgauge.judging import compared
    from editgauge.study import agreement, sheets
    from editgauge.study.people import directions_of

    found = [compared.table(frame, variant, seed=seed) for variant in variants]
    made = [table for table in found if table is not None]
    lines = published_lines(frame.benchmark) if published else []
    if len(frame.only_people()):
        rated = agreement.agreement(frame, directions_of(frame), seed=seed)
        return [*made, *sheets.tables(rated, lines)]
    return [*made, *([sheets.published_alone(frame.benchmark, lines)] if lines else [])]


def published_lines(benchmark: str) -> Sequence[TableRow]:
    """The paper's rank correlations of metrics with people; none where it prints none."""
    from editgauge.tables.layouts import benchmark_of

    known = benchmark_of(benchmark)
    return [] if known is None else list(known.agreement())
