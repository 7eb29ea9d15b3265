"""Rows into tables: a benchmark says what a table is made of (`spec.PaperTable`), `build` computes
it from `Results`.

Every cell is a formula over the means of metrics on some of the samples, so the number, its mean
with failures at the scale's minimum, and its interval all come from one definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from editgauge.tables import notes as told
from editgauge.tables.cells import cells_of
from editgauge.tables.models import key_of
from editgauge.tables.plan import Plan, matrix, plan
from editgauge.tables.results import Results
from editgauge.tables.spec import PaperTable, Published
from editgauge.tables.table import OWN, Cell, Column, Table, TableRow
from editgauge.types import Variant


def build(
    results: Results,
    table: PaperTable,
    variant: Variant,
    *,
    published: bool = False,
    intervals: bool = False,
    mean: bool = False,
    seed: int = 0,
) -> Table | None:
    """The table from current rows; None when no row belongs to it.

    `published`: add the papers' lines. `intervals`: 95 % bootstrap intervals, clustered by sample,
    stratified by the table's `strata`. `mean`: a line with the mean over the run's models, where
    all of them were scored on the same samples. Sources must have been chosen before
    (`Results.of_sources`).
    """
    paper = table.publication(results) if published else None
    if table.lines is not None and (lines := table.lines(results, variant, intervals, seed)):
        return _of_lines(results, table, variant, lines, paper, intervals)
    editors = _editors(results, table)
    if not editors:
        return _published_alone(results, table, paper) if table.alone and paper else None
    results = results.of_editors(editors)
    made = plan(results, table, variant)
    part = matrix(results, made)
    uneven = told.uneven(results, made, part)
    cells, ranks = cells_of(results, made, part, intervals=intervals, seed=seed)
    rows = [TableRow(name=e, cells=mine) for e, mine in zip(results.editors, cells, strict=True)]
    columns = [_marked(field.column, uneven) for field in made.fields]
    complete = _complete(results, made, rows, paper) and not uneven
    if paper is not None:
        parts = told.parts_of_release(results, made, part)
        rows = [replace(row, part=one) for row, one in zip(rows, parts, strict=True)]
    notes = told.of_table(results, made, uneven, published=paper, intervals=intervals)
    notes += told.of_ranks(results, table, ranks) + told.of_parts(rows)
    rows += _mean_row(columns, rows) if mean else []
    rows += paper.rows() if paper is not None else []
    if paper is None:
        unscored = told.unscored(results, made)
        columns = [column for column in columns if column.name not in unscored]
    columns, rows = _with_facts(results, table, drop_empty(columns, rows), rows)
    meta = {
        "complete": complete,
        "intervals": intervals,
        "statuses": told.statuses(results, made),
        "variants": made.fed(results),
        "ranks": {} if ranks is None else ranks.meta(results.editors),
    }
    return _table(results, made, columns, rows, notes, meta)


def _table(
    results: Results,
    made: Plan,
    columns: Sequence[Column],
    rows: Sequence[TableRow],
    notes: Sequence[str],
    meta: Mapping[str, Any],
) -> Table:
    return Table(
        name=made.table.name,
        title=made.table.title,
        columns=columns,
        rows=rows,
        benchmark=results.benchmark,
        variant=made.variant,
        source=told.sources(results, made.table),
        size=len(results.samples),
        transposed=made.table.transposed,
        notes=notes,
        meta=meta,
    )


def _published_alone(results: Results, table: PaperTable, paper: Published) -> Table:
    """The published lines of a table that the run has no rows of, with a note that says so."""
    rows, made = list(paper.rows()), plan(results, table, "faithful")
    columns = drop_empty([field.column for field in made.fields], rows)
    meta = {"complete": False, "statuses": {}, "variants": []}
    alone = _table(results, made, columns, rows, [told.NO_ROWS, paper.note], meta)
    return replace(alone, variant="", source="")


def _of_lines(
    results: Results,
    table: PaperTable,
    variant: Variant,
    lines: Sequence[TableRow],
    paper: Published | None,
    intervals: bool,
) -> Table:
    """The table of a layout that makes its lines itself, each with the published line of its name
    below it. Lines are of different samples: none is best.
    """
    papers = {_bare(row.name): row for row in (paper.rows() if paper is not None else ())}
    rows: list[TableRow] = []
    for row in lines:
        own = papers.pop(_bare(row.name), None)
        rows += [row] if own is None else [row, own]
    rows += papers.values()
    made = plan(results, table, variant)
    columns = [replace(field.column, comparable=False) for field in made.fields]
    notes = [*table.notes, *([told.INTERVALS] if intervals else [])]
    notes += [paper.note] if paper is not None else []
    variants = sorted({key.variant for key in results.keys})
    meta = {"complete": False, "statuses": {}, "variants": variants}
    return _table(results, made, drop_empty(columns, rows), rows, notes, meta)


def _bare(name: str) -> str:
    """A line's name without its model, for comparing with a paper's: ``Reconstruct ear.`` is the
    paper's ``Reconstruct ear``.
    """
    return name.rpartition(": ")[2].strip().rstrip(".").casefold()


def _editors(results: Results, table: PaperTable) -> list[str]:
    """The editors that have any row for the table: models of the paper in its order, then the
    others as they are.
    """
    wanted = {part for column in table.every_column for mean in column.of for part in mean.parts}
    present = np.asarray(results.tried(wanted).any(axis=1))
    for key, whole in results.sets.items():
        if key.metric in wanted:
            present |= ~np.isnan(whole.values)
    paper = table.publication(results)
    order: dict[str, int] = {}
    for row in paper.rows() if paper else ():
        order.setdefault(_model(results, row.name), len(order))
    there = [name for name, has in zip(results.editors, present, strict=True) if has]
    return sorted(there, key=lambda name: order.get(_model(results, name), len(order)))


def _model(results: Results, name: str) -> str:
    return key_of(results.models.of(name).name or name)


def _marked(column: Column, uneven: Mapping[str, str]) -> Column:
    """The column, not comparable where editors were not scored on the same samples."""
    if column.name not in uneven:
        return column
    note = "; ".join(filter(None, (column.note, uneven[column.name])))
    return replace(column, comparable=False, note=note)


def _complete(
    results: Results, made: Plan, rows: Sequence[TableRow], paper: Published | None
) -> bool:
    """Whether the run's numbers are of the whole release and made as the paper's: every sample
    scored, by its judge, with its prompts, faithfully.
    """
    size = made.table.size
    cells = [cell for row in rows for cell in row.cells.values() if cell.n is not None]
    whole = size is not None and len(results.samples) >= size and bool(cells)
    corrected = any(v == "corrected" and results.has(m, v) for m, v in made.parts())
    other = paper.other_maker(results) if paper else ""
    as_released = not corrected and not other and not told.other_prompts(results, made.table)
    return whole and all(cell.n == cell.of for cell in cells) and as_released


def _mean_row(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[TableRow]:
    """The line of the models' means, in the columns where all were scored on the same samples; none
    of one model alone.
    """
    cells = {}
    for column in columns if len(rows) > 1 else ():
        mine = [row.cells[column.name] for row in rows]
        values = [cell.value for cell in mine if cell.value is not None]
        if column.comparable and len(values) == len(rows):
            counts = {cell.n for cell in mine}
            n = counts.pop() if len(counts) == 1 else None
            cells[column.name] = Cell(value=float(np.mean(values)), n=n, of=mine[0].of)
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
            replace(row, cells={"params": Cell(value=None, text=known.params or "-"), **row.cells})
            for row, known in zip(rows, facts, strict=True)
        ]
    if table.sections:
        groups = [known.group.get(results.benchmark, "") for known in facts]
        rows = [replace(row, section=group) for row, group in zip(rows, groups, strict=True)]
        published = [row.section for row in rows if row.kind not in OWN]
        order = list(dict.fromkeys(["", *published, *sorted(groups)]))
        rows.sort(key=lambda row: (row.kind not in OWN, order.index(row.section)))
    return columns, rows


def drop_empty(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[Column]:
    """Without the columns that have no sample in the data and no number in any line."""

    def there(column: Column) -> bool:
        cells = (row.cells.get(column.name, Cell(value=None)) for row in rows)
        return any(cell.of or cell.value is not None for cell in cells)

    return [column for column in columns if there(column)]
