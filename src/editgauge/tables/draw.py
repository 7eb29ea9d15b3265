"""A `table.Table` drawn: terminal, markdown, csv, LaTeX, JSON.

In every format a mean comes with its count (``n scored / n in the benchmark``), an infinite mean is
∞, the papers' lines are marked, the best number of a column is bold and the second underlined -
unless the editors were not scored on the same samples, in which case a note says so. Text from
outside is escaped by `escape`.
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
from typing import Any, Literal

import orjson
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from editgauge import escape
from editgauge.tables.grid import Grid, Item, Mark, cell_text, grid, has_number, number
from editgauge.tables.latex import latex
from editgauge.tables.table import Cell, Standing, Table, TableRow, standing

Format = Literal["terminal", "markdown", "csv", "latex", "json"]
Failures = Literal["out", "floor", "both"]

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
    table = _once(_scored(table))
    if form == "latex":
        return latex(table, _notes(table))
    if form == "markdown":
        return _markdown(table, every_note=every_note)
    lines = _terminal(table, width, every_note=every_note)
    return "\n".join(line.plain.rstrip() for line in lines) + "\n"


def show(
    table: Table, console: Console, *, failures: Failures = "out", every_note: bool = False
) -> None:
    """Print the table to a console: in as many parts as a terminal's width asks for; to a file as
    wide as ``COLUMNS`` says, in full length where that says nothing.
    """
    asked = os.environ.get("COLUMNS", "")
    width = console.width if console.is_terminal else int(asked) if asked.isdigit() else None
    table = _once(_scored(with_failures(table, failures)))
    for line in _terminal(table, None if width is None else max(40, width), every_note=every_note):
        line.rstrip()
        console.print(line, soft_wrap=True)


# -- what is drawn ---------------------------------------------------------------------------------


def merged(tables: Sequence[Table]) -> list[Table]:
    """The tables with each line once: of a corrected table without the lines that its faithful one
    prints alike; where no own line is left, without the table.
    """
    kept: list[Table] = []
    first: dict[tuple[str, str], int] = {}
    for table in tables:
        place = first.setdefault((table.name, table.source), len(kept))
        if place == len(kept) or kept[place].variant == table.variant:
            kept.append(table)
            continue
        before = {*_lines(kept[place])}
        new = [number for number, line in enumerate(_lines(table)) if line not in before]
        if any(table.rows[number].own for number in new):
            kept.append(_part(table, new))
        else:
            kept[place] = replace(kept[place], variant="faithful and corrected")
    return kept


def _lines(table: Table) -> list[tuple[str, ...]]:
    """Each line as it is printed."""

    def texts(row: TableRow) -> Iterator[str]:
        return (f"{c.name} {cell_text(row.cell(c.name), c)}" for c in table.columns)

    return [(row.name, row.group, *texts(row)) for row in table.rows]


def _part(table: Table, lines: Sequence[int]) -> Table:
    """These lines of a table, with the places that they have in the whole of it."""
    if len(lines) == len(table.rows):
        return table
    new = {line: number for number, line in enumerate(lines)}
    places = Standing(
        *(frozenset((new[n], name) for n, name in of if n in new) for of in standing(table))
    )
    notes = ["Lines that are alike in both variants stand in the faithful table.", *table.notes]
    rows, meta = [table.rows[line] for line in lines], {**table.meta, "places": places}
    return replace(table, rows=rows, notes=notes, meta=meta)


def _once(table: Table) -> Table:
    """A sliced table of one name, which its title says once; places stay those of the slices."""
    names = {row.name for row in table.rows}
    if not table.by or len(names) > 1:
        return table
    rows = [replace(row, name=row.group, group="") for row in table.rows]
    meta = {**table.meta, "places": standing(table), "names": table.by}
    return replace(table, title=f"{table.title}: {names.pop()}", rows=rows, by="", meta=meta)


def with_failures(table: Table, failures: Failures) -> Table:
    """The table with means over scored samples (``out``), with failures at the scale's minimum
    (``floor``), or with the second in brackets where it differs (``both``).
    """
    if failures == "both":
        note = "In brackets: the mean with failures at the scale's minimum, where it is another."
        return replace(table, notes=[*table.notes, note])

    def changed(cell: Cell) -> Cell:
        if failures == "floor" and cell.floor is not None:
            return replace(cell, value=cell.floor, low=None, high=None, floor=None)
        return replace(cell, floor=None)

    notes = ["Failures are counted at the scale's minimum."] if failures == "floor" else []
    rows = [replace(r, cells={n: changed(c) for n, c in r.cells.items()}) for r in table.rows]
    return replace(table, rows=rows, notes=[*table.notes, *notes])


def of_papers(tables: Sequence[Table]) -> list[Table]:
    """The tables that have a paper's lines and the run's; all where none has."""
    both = [table for table in tables if len({row.own for row in table.rows}) == 2]
    return both or list(tables)


def _scored(table: Table) -> Table:
    """The table without the columns that have no number in any line, named in a note."""
    there = [column for column in table.columns if has_number(table.rows, column)]
    if not there or len(there) == len(table.columns):
        return table
    lacking = ", ".join(dict.fromkeys(c.heading[-1] for c in table.columns if c not in there))
    notes = [*table.notes, f"Columns without any score: {lacking}."]
    return replace(table, columns=there, notes=notes)


def _notes(table: Table) -> list[str]:
    notes = list(table.notes)
    if not all(row.own for row in table.rows):
        released = ", from outputs scored as released" if table.variant == "corrected" else ""
        notes.append(f"† published: the paper's number{released}, not computed here.")
    if any(row.part for row in table.rows):
        notes.append("‡ made from a part of the release.")
    by_note: dict[str, list[str]] = {}
    for column in table.columns:
        if column.note and column.comparable:
            by_note.setdefault(column.note, []).append(" ".join(column.heading))
    return notes + [f"{', '.join(headings)}: {note}" for note, headings in by_note.items()]


def _some(table: Table, every: bool, width: int = SCREEN) -> list[str]:
    """The notes that fit into `NOTE_LINES` lines of a screen, and how many more there are."""
    notes, lines, shown = _notes(table), 0, 0
    for note in notes:
        lines += -(-len(note) // width)
        shown += lines < NOTE_LINES
    left = len(notes) - shown
    if every or left == 0:
        return notes
    return [*notes[:shown], f"{left} more notes: --notes" if left > 1 else notes[-1]]


def _title(table: Table) -> str:
    extra = [part for part in (table.variant, table.source) if part]
    return f"{table.title} ({'; '.join(extra)})" if extra else table.title


# -- formats ---------------------------------------------------------------------------------------

_STYLES: dict[Mark, str] = {
    "": "", "best": "bold", "second": "underline", "count": "dim", "published": "italic",
    "part": "dim",
}  # fmt: skip


def _terminal(table: Table, width: int | None, *, every_note: bool) -> Iterator[Text]:
    """The lines of a terminal of this width (None: of any): columns that do not fit go into further
    parts below, words into further lines.
    """

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
    """Which columns of numbers are drawn together: as many as fit into the width beside the names;
    columns below one broad heading stay together where they fit.
    """
    columns = zip(*drawn.lines, strict=True)
    texts = [
        (*heading, *(item.text for item in column))
        for heading, column in zip(drawn.headings, columns, strict=True)
    ]
    sizes = [2 + max(cell_len(escape.plain(text)) for text in column) for column in texts]
    room = math.inf if width is None else width + 2 - sum(sizes[: drawn.names])
    parts: list[list[int]] = [[]]
    places = range(drawn.names, len(sizes))
    for _, group in groupby(places, lambda place: drawn.headings[place][0]):
        block = list(group)
        taken, whole = (sum(sizes[place] for place in some) for some in (parts[-1], block))
        if taken and taken + whole > room >= whole:
            parts.append([])
        for place in block:
            if parts[-1] and sum(sizes[p] for p in parts[-1]) + sizes[place] > room:
                parts.append([])
            parts[-1].append(place)
    return parts


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


def _markdown(table: Table, *, every_note: bool = True) -> str:
    drawn = grid(table)

    def set_cell(item: Item) -> str:
        text = escape.markdown(item.text)
        return {"best": f"**{text}**", "second": f"<u>{text}</u>"}.get(item.mark, text)

    head = [escape.markdown(" ".join(filter(None, heading))) for heading in drawn.headings]
    rule = [":---" if place < drawn.names else "---:" for place in range(len(head))]
    lines = [head, rule, *([set_cell(item) for item in line] for line in drawn.lines)]
    text = [f"**{escape.markdown(_title(table), None)}**", ""]
    text += [f"| {' | '.join(cells)} |" for cells in lines]
    notes = [f"- {escape.markdown(note, None)}" for note in _some(table, every_note)]
    return "\n".join([*text, "", *notes]).rstrip("\n") + "\n"


def _csv(table: Table) -> str:
    """One line a row; of each column its value, counts, bounds, and mean with failures. A number is
    as printed, but empty where there is none and ``inf`` for ∞.
    """
    parts = ("value", "n", "of", "low", "high", "floor")

    def text(cell: Cell, part: str, digits: int) -> str:
        value = getattr(cell, part)
        if part == "value" and cell.text is not None:
            return escape.csv_text(cell.text) if value is None else f"{value:.6g}"
        if value is None or part in ("n", "of"):
            return "" if value is None else str(value)
        return number(value, digits).replace("∞", "inf")

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    titles = [f"{c.name}_{part}".removesuffix("_value") for c in table.columns for part in parts]
    named = ("table", "variant", "by", "model", "kind", "section")
    writer.writerow(map(escape.csv_text, (*named, *titles)))
    for row in table.rows:
        words = (table.name, table.variant, row.group, row.name, row.kind, row.section)
        numbers = (text(row.cell(c.name), p, c.digits) for c in table.columns for p in parts)
        writer.writerow([*map(escape.csv_text, words), *numbers])
    return stream.getvalue()


def as_json(table: Table) -> dict[str, Any]:
    """The table as JSON values: an infinite value is None with ``"infinite": true``."""
    place = standing(table)

    def cell_json(line: int, name: str, cell: Cell) -> dict[str, Any]:
        facts = {name: None if value in (math.inf, -math.inf) else value
                 for name, value in asdict(cell).items() if value is not None}  # fmt: skip
        infinite = cell.value is not None and math.isinf(cell.value)
        facts = {"value": None, **facts} | ({"infinite": True} if infinite else {})
        for rank, lines in enumerate(place, start=1):
            facts |= {"place": rank} if (line, name) in lines else {}
        return facts

    def row_json(line: int, row: TableRow) -> dict[str, Any]:
        facts: dict[str, Any] = {"name": row.name, "kind": row.kind, "group": row.group}
        facts |= {"section": row.section} if row.section else {}
        facts |= {"part": list(row.part)} if row.part else {}
        facts |= {"as_released": True} if not row.own and table.variant == "corrected" else {}
        facts["cells"] = {name: cell_json(line, name, cell) for name, cell in row.cells.items()}
        return facts

    plain = ("name", "title", "benchmark", "variant", "source", "size", "by", "transposed")
    parts = ("name", "heading", "digits", "direction", "comparable", "note")
    return {
        **{name: getattr(table, name) for name in plain},
        "columns": [{part: getattr(column, part) for part in parts} for column in table.columns],
        "rows": [row_json(line, row) for line, row in enumerate(table.rows)],
        "notes": _notes(table),
        "meta": dict(table.meta),
    }
