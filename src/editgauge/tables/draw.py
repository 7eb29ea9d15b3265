"""A `table.Table` in each format: with counts, ∞, the papers' lines marked, best bold and second
underlined – unless editors were scored on other samples. Text from outside is escaped.
"""

from __future__ import annotations

import csv
import io
import math
import os
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from typing import Literal

import orjson
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from editgauge import escape
from editgauge.tables.grid import Grid, Item, Mark, cell_text, grid, number, only_name, shown_lines
from editgauge.tables.latex import latex
from editgauge.tables.table import Cell, Table, TableRow, notes_of_columns, standing, with_numbers
from editgauge.types import JsonObject

Format = Literal["terminal", "markdown", "csv", "latex", "json"]
Failures = Literal["out", "floor"]

NOTE_LINES = 5
"""Lines of notes below a table, where not all are asked for."""
SCREEN = 100
"""Columns of a screen."""


def draw(
    table: Table,
    form: Format,
    *,
    failures: Failures = "out",
    width: int | None = None,
    every_note: bool = True,
) -> str:
    """The table as text, ending in a newline.

    `failures`: see `with_failures`. `width`: for the terminal; None = as wide as it needs.
    `every_note`: all notes in the terminal and in markdown, else those that fit into `NOTE_LINES`.
    """
    table = with_failures(table, failures)
    if form == "json":
        return orjson.dumps(as_json(table), option=orjson.OPT_INDENT_2).decode() + "\n"
    if form == "csv":
        return _csv(table)
    if form == "latex":
        return latex(table, _notes(table))
    if form == "markdown":
        return _markdown(table, every_note)
    lines = _terminal(table, width, every_note)
    return "\n".join(line.plain.rstrip() for line in lines) + "\n"


def show(
    table: Table, console: Console, *, failures: Failures = "out", every_note: bool = False
) -> None:
    """Print the table to a console: in as many parts as a terminal's width asks for; to a file as
    wide as ``COLUMNS`` says, in full length where that says nothing.
    """
    asked = os.environ.get("COLUMNS", "")
    width = console.width if console.is_terminal else int(asked) if asked.isdigit() else None
    width = None if width is None else max(40, width)
    for line in _terminal(with_failures(table, failures), width, every_note):
        line.rstrip()
        console.print(line, soft_wrap=True)


# -- what is drawn ---------------------------------------------------------------------------------


def merged(tables: Sequence[Table]) -> list[Table]:
    """The tables with each line once: of a corrected table the lines are hidden that its faithful
    one prints alike; where no own line is left, the table is.
    """
    kept: list[Table] = []
    faithful: dict[tuple[str, str], int] = {}
    for table in tables:
        place = faithful.setdefault((table.name, table.source), len(kept))
        before = {*_lines(kept[place])} if place < len(kept) else set()
        alike = [n for n, line in enumerate(_lines(table)) if line in before]
        left = [row for n, row in enumerate(table.rows) if n not in alike]
        if not alike or kept[place].variant == table.variant:
            kept.append(table)
        elif not any(row.own for row in left):
            kept[place] = replace(kept[place], variant="faithful and corrected")
        else:
            note = "Lines that are alike in both variants stand in the faithful table."
            meta, columns = {**table.meta, "hidden": alike}, with_numbers(table.columns, left)
            kept.append(replace(table, columns=columns, notes=[note, *table.notes], meta=meta))
    return kept


def _lines(table: Table) -> list[tuple[str, ...]]:
    """Each line as it is printed."""

    def texts(row: TableRow) -> Iterator[str]:
        return (f"{c.name} {cell_text(row.cell(c.name), c)}" for c in table.columns)

    return [(row.name, row.group, *texts(row)) for row in table.rows]


def with_failures(table: Table, failures: Failures) -> Table:
    """The table with means over scored samples (``out``), or failures at minimum (``floor``)."""
    if failures == "out":
        return table

    def changed(cell: Cell) -> Cell:
        return cell if cell.floor is None else replace(cell, value=cell.floor, low=None, high=None)

    rows = [replace(r, cells={n: changed(c) for n, c in r.cells.items()}) for r in table.rows]
    note = "Failures are counted at the scale's minimum."
    return replace(table, rows=rows, notes=[*table.notes, note], warnings=[*table.warnings, note])


def of_papers(tables: Sequence[Table]) -> list[Table]:
    """The tables that have a paper's lines and the run's; all where none has."""
    both = [table for table in tables if len({row.own for row in table.rows}) == 2]
    return both or list(tables)


def _notes(table: Table) -> list[str]:
    notes, shown = list(table.notes), [table.rows[n] for n in shown_lines(table)]
    if not all(row.own for row in shown):
        released = ", from outputs scored as released" if table.variant == "corrected" else ""
        notes.append(f"† published: the paper's number{released}, not computed here.")
    if any(row.part for row in shown):
        notes.append("‡ made from a part of the release.")
    return notes + notes_of_columns(table)


def _some(table: Table, every: bool, width: int = SCREEN) -> list[str]:
    """The notes that fit into `NOTE_LINES` lines of a screen, and how many more there are."""
    notes, lines, shown = _notes(table), 0, 0
    for note in notes:
        lines += -(-len(note) // width)
        shown += lines < NOTE_LINES
    if every or shown == len(notes):
        return notes
    return [*notes[:shown], f"{escape.counted(len(notes) - shown, 'more note')}: --notes"]


def _title(table: Table) -> str:
    title = ": ".join(filter(None, (table.title, only_name(table))))
    extra = [part for part in (table.variant, table.source) if part]
    return f"{title} ({'; '.join(extra)})" if extra else title


# -- formats ---------------------------------------------------------------------------------------

_STYLES: dict[Mark, str] = {
    "": "", "best": "bold", "second": "underline", "count": "dim", "published": "italic",
    "part": "dim",
}  # fmt: skip


def _terminal(table: Table, width: int | None, every_note: bool) -> Iterator[Text]:
    """The lines of a terminal of this width (None: any); columns that do not fit go below."""

    def words(text: str, style: str) -> Iterator[Text]:
        line = escape.plain(text, None)
        parts = [line] if width is None else textwrap.wrap(line, width, break_on_hyphens=False)
        yield from (Text(part, style) for part in parts)

    yield from words(_title(table), "bold")
    drawn = grid(table)
    for places in _fitting(drawn, width):
        yield from _set(drawn, [*range(drawn.names), *places])
    for note in _some(table, every_note, width or SCREEN):
        yield from words(note, "dim")


def _fitting(drawn: Grid, width: int | None) -> list[list[int]]:
    """Which columns of numbers are drawn together; those below one heading where they fit."""
    sizes = []
    for heading, column in zip(drawn.headings, zip(*drawn.lines, strict=True), strict=True):
        texts = (*heading, *(item.text for item in column))
        sizes.append(2 + max(cell_len(escape.plain(text)) for text in texts))
    room = math.inf if width is None else width + 2 - sum(sizes[: drawn.names])
    parts: list[list[int]] = []
    for half in drawn.numbers:
        parts.append([])
        left = room
        for _, group in groupby(half, lambda at: drawn.headings[at][0]):
            block = list(group)
            whole = sum(sizes[place] for place in block)
            for place in block:
                if parts[-1] and (sizes[place] > left or left < whole <= room):
                    parts.append([])
                    left = room
                parts[-1].append(place)
                left, whole = left - sizes[place], 0
    return parts or [[]]


def _set(drawn: Grid, places: Sequence[int]) -> Iterator[Text]:
    """The headings and lines of some columns, one below the other."""
    last = drawn.names - 1  # a line of counts that other columns have is left out
    lines = [
        line
        for line in drawn.lines
        if line[last].mark != "count" or any(line[p].text for p in places[drawn.names :])
    ]
    height, above, columns = max(len(drawn.headings[place]) for place in places), "", []
    for place in places:
        levels = list(drawn.headings[place])
        if levels[1:] and levels[0] == above:  # a heading over several columns stands once
            levels[0] = ""
        above = drawn.headings[place][0]
        cells = [(text, "bold") for text in [*[""] * (height - len(levels)), *levels]]
        cells += [(line[place].text, _STYLES[line[place].mark]) for line in lines]
        texts = [Text.assemble((escape.plain(text), style)) for text, style in cells]
        size = max(text.cell_len for text in texts)
        for text in texts:
            text.align("left" if place < drawn.names else "right", size)
        columns.append(texts)
    yield from map(Text("  ").join, zip(*columns, strict=True))


def _markdown(table: Table, every_note: bool) -> str:
    drawn = grid(table)

    def set_cell(item: Item) -> str:
        text = escape.markdown(item.text)
        return {"best": f"**{text}**", "second": f"<u>{text}</u>"}.get(item.mark, text)

    text = [f"**{escape.markdown(_title(table), None)}**"]
    for part in drawn.parts:
        head = [escape.markdown(" ".join(filter(None, heading))) for heading in part.headings]
        rule = [":---" if place < part.names else "---:" for place in range(len(head))]
        lines = [head, rule, *([set_cell(item) for item in line] for line in part.lines)]
        text += ["", *(f"| {' | '.join(cells)} |" for cells in lines)]
    notes = [f"- {escape.markdown(note, None)}" for note in _some(table, every_note)]
    return "\n".join([*text, "", *notes]).rstrip("\n") + "\n"


_PARTS = ("value", "n", "of", "low", "high", "floor")


def _csv(table: Table) -> str:
    """Numbers as printed ("" of none, ``inf`` for ∞): value, counts, bounds, failures' mean."""

    def text(cell: Cell, part: str, digits: int) -> str:
        value = getattr(cell, part)
        if part == "value" and cell.text is not None:
            return escape.csv_text(cell.text) if value is None else f"{value:.6g}"
        if value is None or part in ("n", "of"):
            return "" if value is None else str(value)
        return number(value, digits).replace("∞", "inf")

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    titles = [f"{c.name}_{part}".removesuffix("_value") for c in table.columns for part in _PARTS]
    named = ("table", "variant", "by", "model", "kind", "section")
    writer.writerow(map(escape.csv_text, (*named, *titles)))
    for row in table.rows:
        words = (table.name, table.variant, row.group, row.name, row.kind, row.section)
        numbers = (text(row.cell(c.name), p, c.digits) for c in table.columns for p in _PARTS)
        writer.writerow([*map(escape.csv_text, words), *numbers])
    return stream.getvalue()


def as_json(table: Table) -> JsonObject:
    """The table as JSON values: an infinite value is None with ``"infinite": true``."""
    best, second = standing(table)

    def cell_json(place: tuple[int, str], cell: Cell) -> JsonObject:
        known = {part: getattr(cell, part) for part in (*_PARTS, "text")}
        facts = {part: None if value == math.inf else value for part, value in known.items()
                 if part == "value" or value is not None}  # fmt: skip
        facts |= {"infinite": True} if cell.value == math.inf else {}
        return facts | ({"place": 1 + (place in second)} if place in best | second else {})

    def row_json(line: int, row: TableRow) -> JsonObject:
        facts: JsonObject = {"name": row.name, "kind": row.kind, "group": row.group}
        facts |= {"section": row.section} if row.section else {}
        facts |= {"part": list(row.part)} if row.part else {}
        facts |= {"as_released": True} if not row.own and table.variant == "corrected" else {}
        cells = {name: cell_json((line, name), cell) for name, cell in row.cells.items()}
        return {**facts, "cells": cells}

    plain = (
        "name",
        "title",
        "benchmark",
        "variant",
        "source",
        "size",
        "by",
        "transposed",
        "halves",
    )
    return {
        **{name: getattr(table, name) for name in plain},
        "columns": [asdict(column) for column in table.columns],
        "rows": [row_json(line, row) for line, row in enumerate(table.rows)],
        "notes": _notes(table),
        "meta": dict(table.meta),
    }
