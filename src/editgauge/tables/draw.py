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
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import orjson
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from editgauge import escape
from editgauge.tables import latex
from editgauge.tables.drawn import Drawn, Item, Mark, cell_text, grid, number, shared_counts
from editgauge.tables.table import Cell, Column, Standing, Table, TableRow, standing

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
    table = _scored(table)
    if form == "latex":
        return _latex(table, _notes(table))
    if form == "markdown":
        return _markdown(table, every_note=every_note)
    stream = io.StringIO()
    console = Console(file=stream, width=width or 10_000, no_color=True, highlight=False)
    _terminal(table, console, fit=bool(width), every_note=every_note)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def show(
    table: Table, console: Console, *, failures: Failures = "out", every_note: bool = False
) -> None:
    """Print the table to a console: in as many parts as a terminal's width asks for; to a file as
    wide as ``COLUMNS`` says, in full length where that says nothing.
    """
    asked = os.environ.get("COLUMNS", "")
    if console.is_terminal or asked.isdigit():
        console.width = max(40, console.width if console.is_terminal else int(asked))
        table = _scored(with_failures(table, failures))
        _terminal(table, console, fit=True, every_note=every_note)
    else:
        text = draw(table, "terminal", failures=failures, every_note=every_note)
        console.out(text, end="", highlight=False)


# -- what is drawn ---------------------------------------------------------------------------------


def merged(tables: Sequence[Table]) -> list[Table]:
    """The tables with each line once: of a corrected table without the lines that its faithful one
    prints alike; where no own line is left, without the table.
    """
    kept: list[Table] = []
    for table in tables:
        key = (table.name, table.source)
        place = next((n for n, one in enumerate(kept) if (one.name, one.source) == key), -1)
        if place < 0 or kept[place].variant == table.variant:
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
    return [
        (
            row.name,
            row.group,
            *(f"{c.name} {cell_text(row.cell(c.name), c)}" for c in table.columns),
        )
        for row in table.rows
    ]


def _part(table: Table, lines: Sequence[int]) -> Table:
    """These lines of a table, with the places that they have in the whole of it."""
    if len(lines) == len(table.rows):
        return table
    number = {line: new for new, line in enumerate(lines)}
    places = (
        frozenset((number[line], name) for line, name in place if line in number)
        for place in standing(table)
    )
    notes = ["Lines that are alike in both variants stand in the faithful table.", *table.notes]
    rows, meta = [table.rows[line] for line in lines], {**table.meta, "places": Standing(*places)}
    return replace(table, rows=rows, notes=notes, meta=meta)


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


def _hasnumber(rows: Sequence[TableRow], column: Column) -> bool:
    cells = [row.cell(column.name) for row in rows]
    return any(cell.value is not None or cell.text is not None for cell in cells)


def _scored(table: Table) -> Table:
    """The table without the columns that have no number in any line, named in a note."""
    there = [column for column in table.columns if _hasnumber(table.rows, column)]
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


def _terminal(table: Table, console: Console, *, fit: bool, every_note: bool) -> None:
    """Print to a console; columns that do not fit its width go into further parts below (`fit`
    False: never), and notes are wrapped between words.
    """
    drawn, whole = grid(table), not fit
    console.print(Text(escape.plain(_title(table), None), style="bold"), soft_wrap=whole)
    for chosen in _parts(drawn, console.width if fit else None):
        console.print(_rich(drawn, chosen), soft_wrap=not fit, crop=fit)
    for note in _some(table, every_note, console.width if fit else SCREEN):
        console.print(Text(escape.plain(note, None), style="dim"), soft_wrap=whole)


def _rich(drawn: Drawn, chosen: Sequence[int]) -> RichTable:
    drawing = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    places = [*range(drawn.names), *chosen]
    above: tuple[str, ...] = ()
    for place in places:
        levels = drawn.headings[place]
        once = ("" if levels[:1] == above and len(levels) > 1 else levels[0], *levels[1:])
        above = levels[:1]  # a heading over several columns stands once
        heading = Text("\n".join(escape.plain(level) for level in once), overflow="fold")
        side: Literal["left", "right"] = "left" if place < drawn.names else "right"
        drawing.add_column(heading, justify=side, no_wrap=True, vertical="bottom")
    for last, line in enumerate(drawn.lines, start=1):
        items = [line[place] for place in places]
        if items[drawn.names - 1].mark == "count" and not any(
            one.text for one in items[drawn.names :]
        ):
            continue  # counts that other columns have
        drawing.add_row(
            *(Text.assemble((escape.plain(item.text), _STYLES[item.mark])) for item in items),
            end_section=last in drawn.breaks,
        )
    return drawing


def _parts(drawn: Drawn, width: int | None) -> list[list[int]]:
    """Which columns of numbers are drawn together: as many as fit into the width beside the names;
    columns below one broad heading stay together where they fit.
    """
    places = range(drawn.names, len(drawn.headings))
    if width is None:
        return [list(places)]
    sizes = [
        2
        + max(
            len(escape.plain(text)) for text in (*heading, *(line[n].text for line in drawn.lines))
        )
        for n, heading in enumerate(drawn.headings)
    ]
    room = width + 2 - sum(sizes[: drawn.names])
    parts: list[list[int]] = [[]]
    for place in places:
        broad = drawn.headings[place][0]
        block = [p for p in places if p >= place and drawn.headings[p][0] == broad]
        first = place == drawn.names or drawn.headings[place - 1][0] != broad
        taken, whole = (sum(sizes[p] for p in some) for some in (parts[-1], block))
        if taken and taken + (whole if first and whole <= room else sizes[place]) > room:
            parts.append([])
        parts[-1].append(place)
    return parts


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
    """One line a row; a column of counts and, where there are any, of bounds and of means with
    failures. A number is as printed, but empty where there is none and ``inf`` for ∞.
    """
    cells = [cell for row in table.rows for cell in row.cells.values()]
    parts = ["", "n", "of"]
    parts += ["low", "high"] if any(cell.low is not None for cell in cells) else []
    parts += ["floor"] if any(cell.floor is not None for cell in cells) else []
    named = ["table", "variant", *(["by"] if table.by else []), "model", "kind"]
    named += ["section"] if any(row.section for row in table.rows) else []

    def text(cell: Cell, part: str, digits: int) -> str:
        value = getattr(cell, part or "value")
        if not part and cell.text is not None:
            return escape.csv_text(cell.text) if value is None else f"{value:.6g}"
        if value is None or part in ("n", "of"):
            return "" if value is None else str(value)
        return number(value, digits).replace("∞", "inf")

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    titles = ["_".join(filter(None, (c.name, part))) for c in table.columns for part in parts]
    writer.writerow(map(escape.csv_text, (*named, *titles)))
    for row in table.rows:
        words = {"table": table.name, "variant": table.variant, "by": row.group,
                 "model": row.name, "kind": row.kind, "section": row.section}  # fmt: skip
        numbers = (text(row.cell(c.name), p, c.digits) for c in table.columns for p in parts)
        writer.writerow([*(escape.csv_text(words[name]) for name in named), *numbers])
    return stream.getvalue()


def of_papers(tables: Sequence[Table]) -> list[Table]:
    """The tables that have a paper's lines and the run's; all where none has."""
    kinds = [{row.own for row in table.rows} for table in tables]
    alike = [table for table, kind in zip(tables, kinds, strict=True) if len(kind) == 2]
    return alike or list(tables)


def paper(table: Table) -> str:
    """A published table with the run's lines in it, as LaTeX for a paper: the columns that have
    numbers, one sentence of notes, no variant in the caption, and counts only where they differ.
    """
    rows = [row for row in table.rows if row.own]
    lines = rows or table.rows
    shown = [replace(column, note="") for column in table.columns if _hasnumber(lines, column)]
    source = next((note for note in table.notes if note.startswith("Published")), "")
    source_notes = [f"†: {source.rstrip('.')}"] if source and len(rows) < len(table.rows) else []
    parts = dict.fromkeys(row.part for row in table.rows if row.part is not None)
    for scored, size in parts:
        names = [row.name for row in table.rows if row.part == (scored, size)]
        source_notes.append(
            f"‡{'' if len(parts) == 1 else ' ' + ', '.join(names)}: {scored:,} of {size:,}"
        )
    notes = [f"{'; '.join(source_notes)}."] if source_notes else []
    return _latex(replace(table, columns=shown, variant=""), notes, bare=True)


def _latex(table: Table, notes: list[str], *, bare: bool = False) -> str:
    """`latex.latex` of the table. Counts that all lines share stand in the caption, or below the
    table where columns differ (not when `bare`); the others keep their columns.
    """
    drawn, shared = grid(table, count_line=False), shared_counts(table)
    counts = list(dict.fromkeys(shared.values()))
    whole = len(counts) == 1 and not any("n" in heading for heading in drawn.headings)
    titles = {c.name: c.heading[0] if len(c.heading) > 1 else c.heading[-1] for c in table.columns}
    given = {name: count for name, count in shared.items() if not count.startswith("0/")}
    each = dict.fromkeys(f"{titles[name]} {count}" for name, count in given.items())
    if each and not whole and not bare:
        notes = [f"n: {'; '.join(each)}.", *notes]
    judge = table.source.partition("#")[0]
    caption = [
        f"{table.title} ({table.variant})." if table.variant else f"{table.title}.",
        *([f"Scored by {judge}."] if judge else []),
        *([f"n = {counts[0].replace('/', ' of ')}."] if whole else []),
    ]
    label = "-".join(filter(None, (table.name, table.variant, judge)))
    return latex.latex(drawn, label, " ".join(caption), notes, origin=table.source)


def as_json(table: Table) -> dict[str, Any]:
    """The table as JSON values: an infinite value is None with ``"infinite": true``."""
    place = standing(table)

    def cell_json(line: int, name: str, cell: Cell) -> dict[str, Any]:
        infinite = cell.value is not None and math.isinf(cell.value)
        facts: dict[str, Any] = {"value": None if infinite else cell.value}
        facts |= {"infinite": True} if infinite else {}
        for part in ("n", "of", "low", "high", "floor", "text"):
            value = getattr(cell, part)
            if value is not None:
                facts[part] = None if isinstance(value, float) and math.isinf(value) else value
        for rank, lines in enumerate(place, start=1):
            facts |= {"place": rank} if (line, name) in lines else {}
        return facts

    def row_json(line: int, row: TableRow) -> dict[str, Any]:
        facts: dict[str, Any] = {"name": row.name, "kind": row.kind, "group": row.group}
        facts |= {"section": row.section} if row.section else {}
        facts |= {"part": list(row.part)} if row.part else {}
        if not row.own and table.variant == "corrected":
            facts["as_released"] = True
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
