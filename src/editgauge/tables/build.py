"""Rows into tables: a benchmark says what a table is made of (`spec.PaperTable`), `sheet` computes
its numbers, and here they become lines, with the papers' lines and notes beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from editgauge.tables import notes as told
from editgauge.tables.models import key_of
from editgauge.tables.results import Results
from editgauge.tables.sheet import Field, Sheet
from editgauge.tables.spec import PaperTable, Published
from editgauge.tables.table import Cell, Column, Table, TableRow, with_numbers
from editgauge.types import JsonObject, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is shown beside the means. `published`: the papers' lines. `intervals`: 95 % intervals
    over samples, stratified by the table's `strata`. `mean`: a line with the mean over the run's
    models. `by`: a group of lines for each value of a label of the samples. `only`: the table of
    this name alone, also one that is shown on demand only. `common`: only the samples that all of a
    table's models have (`Sheet.common`). `sections`: editor -> the section of the paper's table
    that it belongs to, with that of "" for those of which nothing else is known.
    """

    by: str = ""
    published: bool = False
    intervals: bool = False
    mean: bool = False
    only: str = ""
    common: bool = False
    sections: Mapping[str, str] = field(default_factory=dict)


MEANS = Shown()


def build(
    results: Results, paper: PaperTable, variant: Variant, shown: Shown = MEANS
) -> Table | None:
    """The table from current rows; None when no row belongs to it. Sources must have been chosen
    before (`Results.of_sources`).
    """
    published = paper.publication(results) if shown.published else None
    if paper.lines is not None and (lines := paper.lines(results, variant, shown.intervals)):
        return _of_lines(Sheet(results, paper, variant), lines, published, shown)
    if not (editors := _editors(results, paper)):
        alone = published if paper.alone else None
        if alone is None:
            return None
        return _published_alone(Sheet(results, paper, "faithful"), alone, shown)
    sheet = Sheet(results.of_editors(editors), paper, variant)
    notes: list[told.Note] = []
    if shown.common:
        whole = sheet
        sheet = Sheet(whole.results.of_samples(whole.common), paper, variant)
        notes.append(told.of_common(whole, sheet))
    cells = sheet.cells(sheet.intervals() if shown.intervals else None)
    rows = [TableRow(name=e, cells=mine) for e, mine in zip(editors, cells, strict=True)]
    foreign = told.not_the_papers(sheet)
    columns = [_marked(sheet, field, rows, foreign) for field in sheet.fields]
    notes += told.of_table(
        sheet,
        columns,
        size=len(results.samples),
        published=published,
        intervals=shown.intervals,
    )
    asked = [column for column in columns if rows[0].cell(column.name).of != 0]
    if shown.common:
        asked = [c for c, field in zip(columns, sheet.fields, strict=True) if not field.whole_set]
    there = with_numbers(columns, rows)
    if absent := [column.heading[-1] for column in asked if column not in there]:
        notes.append(told.Note(f"No score yet: {', '.join(dict.fromkeys(absent))}."))
    if published is not None:
        parts = zip(rows, told.parts_of_release(sheet), strict=True)
        rows = [replace(row, part=part) for row, part in parts]
        notes += [told.Note(text) for text in told.of_parts(rows, columns)]
    rows += _average(columns, rows) if shown.mean else []
    rows += published.rows() if published is not None else []
    meta = {"intervals": shown.intervals, "common": shown.common}
    return _table(sheet, columns, rows, notes, shown, meta=meta)


def _published_alone(sheet: Sheet, published: Published, shown: Shown) -> Table:
    columns = [field.column for field in sheet.fields]
    notes = [told.Note(told.NO_ROWS), told.Note(published.note)]
    return _table(sheet, columns, published.rows(), notes, shown, variant="", source="")


def _table(
    sheet: Sheet,
    columns: Sequence[Column],
    rows: Sequence[TableRow],
    notes: Sequence[told.Note],
    shown: Shown,
    **more: Any,
) -> Table:
    """The table: its columns that have a number in any line, and what is known of its models."""
    columns = with_numbers(columns, rows)
    columns, rows = _with_facts(sheet.results, sheet.paper, columns, rows, shown.sections)
    notes = [*notes, *told.in_no_section(sheet, rows)]
    facts: JsonObject = {
        "name": sheet.paper.name,
        "title": sheet.paper.title,
        "benchmark": sheet.results.benchmark,
        "variant": sheet.variant,
        "source": told.sources(sheet.results, sheet.paper),
        "size": len(sheet.results.samples),
        "transposed": sheet.paper.transposed,
        "halves": sheet.paper.halves,
        "notes": [note.text for note in notes],
        "warnings": [note.text for note in notes if note.warning],
    }
    return Table(columns=columns, rows=rows, **(facts | more))


def _of_lines(
    sheet: Sheet, lines: Sequence[TableRow], paper: Published | None, shown: Shown
) -> Table:
    """A layout's own lines, each with the published one; of different samples: none is best."""

    def bare(row: TableRow) -> str:
        """Without the model: ``m: Reconstruct ear.`` is the paper's ``Reconstruct ear``."""
        return row.name.rpartition(": ")[2].strip().rstrip(".").casefold()

    papers = {bare(row): row for row in (paper.rows() if paper is not None else ())}
    rows: list[TableRow] = []
    for row in lines:
        rows += filter(None, [row, papers.pop(bare(row), None)])
    columns = [replace(field.column, comparable=False) for field in sheet.fields]
    notes = [told.Note(text, warning=True) for text in sheet.paper.notes]
    if shown.intervals:
        notes.append(told.Note(told.INTERVALS, warning=True))
    if paper is not None:
        notes.append(told.Note(paper.note))
    return _table(sheet, columns, [*rows, *papers.values()], notes, shown)


def _editors(results: Results, table: PaperTable) -> list[str]:
    """Editors with any row for the table: models of the paper in its order, then the others."""
    parts = table.parts
    there = {name for key, one in results.sets.items() if key.metric in parts for name in one}
    there |= {results.editors[at] for at in np.flatnonzero(results.tried(parts).any(axis=1))}

    def model(name: str) -> str:
        return key_of(results.models.of(name).name or name)

    paper = table.publication(results)
    order = [model(row.name) for row in (paper.rows() if paper else ())]
    mine = [name for name in results.editors if name in there]
    return sorted(mine, key=lambda n: order.index(model(n)) if model(n) in order else len(order))


def _marked(sheet: Sheet, field: Field, rows: Sequence[TableRow], foreign: Set[str]) -> Column:
    """The column: not comparable where editors were scored on different samples, complete where it
    is ranked with the published lines. The heading of people's ratings says their scale.
    """
    column = field.column
    scale = sheet.scale_of_people(field)
    if scale:
        column = replace(column, heading=(*column.heading[:-1], f"{column.heading[-1]} ({scale})"))
    if not told.is_uneven(sheet, field):
        return replace(column, complete=_is_complete(sheet, field, rows, foreign))
    note = "; ".join(filter(None, (column.note, told.UNEVEN)))
    return replace(column, comparable=False, note=note)


def _is_complete(sheet: Sheet, field: Field, rows: Sequence[TableRow], foreign: Set[str]) -> bool:
    """Whether a column's numbers are of the whole release and made as the paper's, faithfully.
    `foreign`: the sources whose rows were made otherwise.
    """
    results, size = sheet.results, sheet.paper.size
    if size is None or len(results.samples) < size:
        return False
    variants = {sheet.means[place][1] for place in field.places} or {field.variant}
    for mean in field.spec.of:
        if "corrected" in variants and results.has(mean.metric, "corrected"):
            return False
        for part in mean.parts:
            if foreign & set(results.sources_of(part)):
                return False
    cells = [row.cell(field.column.name) for row in rows]
    counted = [cell for cell in cells if cell.n]
    return bool(counted) and all(cell.n == cell.of for cell in counted)


def _average(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[TableRow]:
    """The models' means, in columns where all have the same samples; none of one model alone."""
    cells = {}
    for column in columns if len(rows) > 1 else ():
        mine = [row.cell(column.name) for row in rows]
        values = [cell.value for cell in mine if cell.value is not None]
        if column.comparable and len(values) == len(rows):
            cells[column.name] = Cell(value=float(np.mean(values)), n=mine[0].n, of=mine[0].of)
    return [TableRow(name=f"Mean of {len(rows)}", cells=cells, kind="average")] if cells else []


def _with_facts(
    results: Results,
    table: PaperTable,
    columns: list[Column],
    rows: Sequence[TableRow],
    sections: Mapping[str, str],
) -> tuple[list[Column], list[TableRow]]:
    """Lines with section and size if wanted and known, by the paper's sections; own lines first."""
    facts = [results.models.of(row.name) for row in rows]
    if table.params and any(known.params for known in facts):
        columns = [Column(name="params", heading=("# Params",), digits=0), *columns]
        sizes = [{"params": Cell(text=known.params or "-")} for known in facts]
        rows = [replace(r, cells=one | dict(r.cells)) for r, one in zip(rows, sizes, strict=True)]
    if table.sections:
        groups = [known.group.get(results.benchmark, "") for known in facts]
        papers = {group.casefold(): group for group in groups}
        for place, row in enumerate(rows):
            if row.kind == "run":
                section = sections.get(row.name) or groups[place] or sections.get("", "")
                groups[place] = papers.get(section.casefold(), section)
        rows = [replace(row, section=group) for row, group in zip(rows, groups, strict=True)]
        order = ["", *(row.section for row in rows if not row.own), *sorted(groups)]
        means = ("average", "mean")
        rows.sort(key=lambda row: (not row.own, row.kind in means, order.index(row.section)))
    return columns, [*rows]
