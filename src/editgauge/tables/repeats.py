"""Repeated runs of a judge beside each other, and how far apart (TextEditBench's Table 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from editgauge.tables.build import MEANS, Shown, build
from editgauge.tables.results import HUMAN, Results
from editgauge.tables.spec import PaperTable
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import Variant

_NOTE = (
    "SD of runs: their standard deviation (n - 1). ± of runs: the largest distance of a run from "
    "the mean of the runs."
)
_SPREAD = {"mean": "Mean", "sd": "SD of runs", "most": "± of runs"}


def beside(
    results: Results, paper: PaperTable, variant: Variant, shown: Shown = MEANS
) -> Table | None:
    """A column for each run of a judge beside those of the others, for the table's `repeats` (its
    headline, where it names none), with how far the runs lie from each other; None without repeats.
    """
    wanted = paper.repeats or [paper.headline]
    mine = results.where(lambda key: key.metric in paper.metrics and key.source != HUMAN)
    plain = replace(paper, size=None, published=(), sections=False, params=False)
    alone = Shown(common=shown.common)
    built = (build(mine.of_repeat(number), plain, variant, alone) for number in range(mine.repeats))
    runs = [*filter(None, built)]
    columns = [*_columns(runs, wanted)] if len(runs) > 1 else []
    if not columns:
        return None
    papers = paper.published_repeats if shown.published else None
    rows = [*_lines(runs, wanted), *(papers.rows() if papers else ())]
    rows = [replace(row, cells={**row.cells, **_spread(row.cells, wanted)}) for row in rows]
    return replace(
        runs[0],
        name=f"{paper.name}.beside",
        title=f"{paper.title}: runs of the judge beside each other",
        columns=columns,
        rows=rows,
        notes=[_NOTE, *runs[0].warnings, *([papers.note] if papers else [])],
    )


def _columns(runs: Sequence[Table], wanted: Sequence[str]) -> Iterator[Column]:
    """A column for each run, and how far they lie from each other."""
    for number, table in enumerate(runs, start=1):
        for c in table.columns:
            if c.name in wanted:
                heading = (f"Run {number}", " ".join(c.heading))
                yield replace(c, name=f"{c.name}_run{number}", heading=heading)
    for c in runs[0].columns:
        for name, title in _SPREAD.items() if c.name in wanted else ():
            heading = (title, " ".join(c.heading))
            yield Column(name=f"{c.name}_{name}", heading=heading, digits=c.digits)


def _lines(runs: Sequence[Table], wanted: Sequence[str]) -> Iterator[TableRow]:
    """A line for each editor, with its numbers of every run."""
    lines: dict[str, dict[str, Cell]] = {}
    for number, row in ((n, row) for n, table in enumerate(runs, start=1) for row in table.rows):
        cells = {f"{name}_run{number}": row.cell(name) for name in wanted}
        lines.setdefault(row.name, {}).update(cells)
    return (TableRow(name=name, cells=cells) for name, cells in lines.items())


def _spread(cells: Mapping[str, Cell], wanted: Sequence[str]) -> dict[str, Cell]:
    more: dict[str, Cell] = {}
    for column in wanted:
        mine = [cell.value for name, cell in cells.items() if name.startswith(f"{column}_run")]
        known = np.array([value for value in mine if value is not None])
        if len(known) > 1:  # none of one run alone
            mean = known.mean()
            spread = (mean, known.std(ddof=1), np.abs(known - mean).max())
            names = (f"{column}_{name}" for name in _SPREAD)
            more |= {n: Cell(value=float(v)) for n, v in zip(names, spread, strict=True)}
    return more
