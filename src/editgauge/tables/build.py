"""Rows into tables: a benchmark says what a table is made of (`spec.PaperTable`), `sheet` computes
its numbers, and here they become lines, with the papers' lines and notes beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from editgauge.tables import notes as told
from editgauge.tables.models import key_of
from editgauge.tables.results import Results
from editgauge.tables.sheet import Sheet
from editgauge.tables.spec import PaperTable, Published
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is shown beside the means. `published`: the papers' lines. `intervals`: 95 % intervals
    over samples, stratified by the table's `strata`; `seed` is that of the resamples by which ranks
    are tried. `mean`: a line with the mean over the run's models. `by`: a group of lines for each
    value of a label of the samples. `only`: the table of this name alone, also one that is shown on
    demand only.
    """

    by: str = ""
    published: bool = False
    intervals: bool = False
    mean: bool = False
    only: str = ""
    seed: int = 0


MEANS = Shown()


def build(
    results: Results, paper: PaperTable, variant: Variant, shown: Shown = MEANS
) -> Table | None:
    """The table from current rows; None when no row belongs to it. Sources must have been chosen
    before (`Results.of_sources`).
    """
    published = paper.publication(results) if shown.published else None
    if paper.lines is not None and (lines := paper.lines(results, variant, shown.intervals)):
        return _of_lines(Sheet(results, paper, variant), lines, published, shown.intervals)
    if not (editors := _editors(results, paper)):
        return _published_alone(results, paper, published) if paper.alone and published else None
    sheet = Sheet(results.of_editors(editors), paper, variant)
    uneven = told.uneven(sheet)
    limits, ranks = None, None
    if shown.intervals and (found := sheet.intervals()) is not None:
        estimate, limits = found
        ranks = sheet.ranks(estimate, shown.seed)
    rows = [TableRow(name=e, cells=c) for e, c in zip(editors, sheet.cells(limits), strict=True)]
    columns = [_marked(field.column, uneven.get(field.column.name)) for field in sheet.fields]
    complete = not uneven and _complete(sheet, rows, published)
    if published is not None:
        parts = zip(rows, told.parts_of_release(sheet), strict=True)
        rows = [replace(row, part=part) for row, part in parts]
    notes = told.of_table(sheet, uneven, published=published, intervals=shown.intervals)
    notes += told.of_ranks(editors, paper, ranks) + told.of_parts(rows)
    rows += _average(columns, rows) if shown.mean else []
    if published is not None:
        rows += published.rows()
    else:
        unscored = told.unscored(sheet)
        columns = [column for column in columns if column.name not in unscored]
    columns, rows = _with_facts(results, paper, drop_empty(columns, rows), rows)
    meta: dict[str, Any] = {"complete": complete, "intervals": shown.intervals, "ranks": {}}
    if ranks is not None:
        column, one = ranks
        lines_of = zip(
            *(part.tolist() for part in (one.rank, one.low, one.high, one.first)), strict=True
        )
        places = dict(zip(editors, map(list, lines_of), strict=True))
        meta["ranks"] = {"column": column.name, "editors": places}
    return _table(sheet, columns, rows, notes, meta=meta)


def _table(
    sheet: Sheet,
    columns: Sequence[Column],
    rows: Sequence[TableRow],
    notes: Sequence[str],
    **more: Any,
) -> Table:
    facts: dict[str, Any] = {
        "name": sheet.paper.name,
        "title": sheet.paper.title,
        "benchmark": sheet.results.benchmark,
        "variant": sheet.variant,
        "source": told.sources(sheet.results, sheet.paper),
        "size": len(sheet.results.samples),
        "transposed": sheet.paper.transposed,
    }
    return Table(columns=columns, rows=rows, notes=notes, **(facts | more))


def _published_alone(results: Results, table: PaperTable, paper: Published) -> Table:
    """The published lines of a table that the run has no rows of, with a note that says so."""
    rows, sheet = list(paper.rows()), Sheet(results, table, "faithful")
    columns = drop_empty([field.column for field in sheet.fields], rows)
    return _table(sheet, columns, rows, [told.NO_ROWS, paper.note], variant="", source="")


def _of_lines(
    sheet: Sheet, lines: Sequence[TableRow], paper: Published | None, intervals: bool
) -> Table:
    """The table of a layout that makes its lines itself, each with the published line of its name
    below it. Lines are of different samples: none is best.
    """

    def bare(name: str) -> str:
        """Without the model: ``m: Reconstruct ear.`` is the paper's ``Reconstruct ear``."""
        return name.rpartition(": ")[2].strip().rstrip(".").casefold()

    papers = {bare(row.name): row for row in (paper.rows() if paper is not None else ())}
    rows: list[TableRow] = []
    for row in lines:
        papers_row = papers.pop(bare(row.name), None)
        rows += [row] if papers_row is None else [row, papers_row]
    rows += papers.values()
    columns = [replace(field.column, comparable=False) for field in sheet.fields]
    notes = [*sheet.paper.notes, *([told.INTERVALS] if intervals else [])]
    notes += [paper.note] if paper is not None else []
    return _table(sheet, drop_empty(columns, rows), rows, notes)


def _editors(results: Results, table: PaperTable) -> list[str]:
    """The editors that have any row for the table: models of the paper in its order, then the
    others as they are.
    """
    parts = table.parts
    there = {name for key, one in results.sets.items() if key.metric in parts for name in one}
    there |= {results.editors[at] for at in np.flatnonzero(results.tried(parts).any(axis=1))}

    def model(name: str) -> str:
        return key_of(results.models.of(name).name or name)

    paper = table.publication(results)
    order = [model(row.name) for row in (paper.rows() if paper else ())]
    mine = [name for name in results.editors if name in there]
    return sorted(mine, key=lambda n: order.index(model(n)) if model(n) in order else len(order))


def _marked(column: Column, reason: str | None) -> Column:
    """The column, not comparable where there is a reason: editors scored on different samples."""
    if reason is None:
        return column
    return replace(column, comparable=False, note="; ".join(filter(None, (column.note, reason))))


def _complete(sheet: Sheet, rows: Sequence[TableRow], paper: Published | None) -> bool:
    """Whether the run's numbers are of the whole release and made as the paper's: every sample
    scored, by its judge, with its prompts, faithfully.
    """
    results, size = sheet.results, sheet.paper.size
    cells = [cell for row in rows for cell in row.cells.values() if cell.n is not None]
    whole = size is not None and len(results.samples) >= size and bool(cells)
    read = {(part, variant) for mean, variant in sheet.means for part in mean.parts}
    corrected = any(v == "corrected" and results.has(m, v) for m, v in read)
    other = paper.other_maker(results) if paper else ""
    as_released = not corrected and not other and not told.other_prompts(results, sheet.paper)
    return whole and all(cell.n == cell.of for cell in cells) and as_released


def _average(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[TableRow]:
    """The line of the models' means, in the columns where all were scored on the same samples; none
    of one model alone.
    """
    cells = {}
    for column in columns if len(rows) > 1 else ():
        mine = [row.cell(column.name) for row in rows]
        values = [cell.value for cell in mine if cell.value is not None]
        if column.comparable and len(values) == len(rows):
            cells[column.name] = Cell(value=float(np.mean(values)), n=mine[0].n, of=mine[0].of)
    return [TableRow(name=f"Mean of {len(rows)}", cells=cells, kind="average")] if cells else []


def _with_facts(
    results: Results, table: PaperTable, columns: list[Column], rows: list[TableRow]
) -> tuple[list[Column], list[TableRow]]:
    """Lines with their model's section and size, where the table wants them and any is known.

    Lines of one section stand together, in the paper's order of sections, those without one first;
    the run's own before the papers'.
    """
    facts = [results.models.of(row.name) for row in rows]
    if table.params and any(known.params for known in facts):
        columns = [Column(name="params", heading=("# Params",), digits=0), *columns]
        rows = [
            replace(row, cells={"params": Cell(text=known.params or "-"), **row.cells})
            for row, known in zip(rows, facts, strict=True)
        ]
    if table.sections:
        groups = [known.group.get(results.benchmark, "") for known in facts]
        rows = [replace(row, section=group) for row, group in zip(rows, groups, strict=True)]
        published = [row.section for row in rows if not row.own]
        order = list(dict.fromkeys(["", *published, *sorted(groups)]))
        rows.sort(
            key=lambda row: (not row.own, row.kind in ("average", "mean"), order.index(row.section))
        )
    return columns, rows


def drop_empty(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[Column]:
    """Without the columns that have no sample in the data and no number in any line."""

    def there(column: Column) -> bool:
        cells = (row.cell(column.name) for row in rows)
        return any(cell.of or cell.value is not None for cell in cells)

    return [column for column in columns if there(column)]
