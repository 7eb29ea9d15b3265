"""A `tables.Table` drawn: terminal, markdown, csv, LaTeX, JSON.

In every format a mean comes with its count (``n scored / n in the benchmark``), an infinite mean is
∞, the papers' lines are marked, the best number of a column is bold and the second underlined -
unless the editors were not scored on the same samples, in which case a note says so. Text from
outside is escaped by `reports.escape`.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Literal

import orjson
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from editgauge import escape
from editgauge.tables import latex
from editgauge.tables.drawn import NOTHING, Drawn, Item, Mark
from editgauge.tables.table import OWN, Cell, Column, Table, TableRow, printed, standing

Format = Literal["terminal", "markdown", "csv", "latex", "json"]
Failures = Literal["out", "floor", "both"]
FORMATS: tuple[Format, ...] = ("terminal", "markdown", "csv", "latex", "json")

NOTE_LINES = 5
"""Lines of notes below a table, where not all are asked for."""
SCREEN = 100
"""Columns of a screen."""
_ARROWS = {"higher": " ↑", "lower": " ↓", None: ""}


def draw(
    table: Table,
    form: Format,
    *,
    failures: Failures = "out",
    width: int | None = None,
    place: latex.Place = "auto",
    every_note: bool = True,
) -> str:
    """The table as text, ending in a newline.

    `failures`: ``out`` prints means over scored samples, ``floor`` means with failures at the
    scale's minimum, ``both`` the second in brackets where it differs. `width`: for the terminal;
    None = as wide as it needs. `place`: for LaTeX, see `latex.latex`. `every_note`: all notes in
    the terminal and in markdown, else those that fit into `NOTE_LINES`.
    """
    table = with_failures(table, failures)
    if form == "latex":
        return _latex(table, place)
    if form == "terminal":
        stream = io.StringIO()
        to_terminal(
            table,
            Console(file=stream, width=width or 10_000, no_color=True, highlight=False),
            fit=bool(width),
            every_note=every_note,
        )
        return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"
    if form == "markdown":
        return _markdown(table, every_note=every_note)
    return _csv(table) if form == "csv" else _json(table)


def show(
    table: Table, console: Console, *, failures: Failures = "out", every_note: bool = False
) -> None:
    """Print the table to a console: in as many parts as a terminal's width asks for; to a file as
    wide as ``COLUMNS`` says, in full length where that says nothing.
    """
    asked = os.environ.get("COLUMNS", "")
    if console.is_terminal or asked.isdigit():
        width = console.width if console.is_terminal else int(asked)
        console.width = max(40, width)
        to_terminal(with_failures(table, failures), console, every_note=every_note)
    else:
        text = draw(table, "terminal", failures=failures, every_note=every_note)
        console.out(text, end="", highlight=False)


def merged(tables: Sequence[Table]) -> list[Table]:
    """The tables, without the corrected one of two whose own lines are printed alike."""
    kept: list[Table] = []
    for table in tables:
        name = (table.name, table.source)
        same = [k for k, one in enumerate(kept) if (one.name, one.source) == name]
        alike = next((k for k in same if _own(kept[k]) == _own(table)), None)
        if alike is None or kept[alike].variant == table.variant:
            kept.append(table)
        else:
            kept[alike] = replace(kept[alike], variant="faithful and corrected")
    return kept


def _own(table: Table) -> list[list[str]]:
    """What is printed of the run's own lines, in the columns that any of them has a number in."""
    own = [row for row in table.rows if row.kind in OWN]
    return [
        [row.name, row.group, *(_cell_text(row.cells.get(c.name), c) for c in table.columns)]
        for row in own
    ]


def with_failures(table: Table, failures: Failures) -> Table:
    if failures == "out":
        stripped = [_each(row, lambda cell: replace(cell, floor=None)) for row in table.rows]
        return replace(table, rows=stripped)
    if failures == "floor":
        rows = [_each(row, _floored) for row in table.rows]
        return replace(
            table, rows=rows, notes=[*table.notes, "Failures are counted at the scale's minimum."]
        )
    note = "In brackets: the mean with failures at the scale's minimum, where it is another."
    return replace(table, notes=[*table.notes, note])


def _floored(cell: Cell) -> Cell:
    return (
        replace(cell, value=cell.floor, low=None, high=None, floor=None)
        if cell.floor is not None
        else cell
    )


def _each(row: TableRow, change: Callable[[Cell], Cell]) -> TableRow:
    return replace(row, cells={name: change(cell) for name, cell in row.cells.items()})


# -- one grid of text for all formats --------------------------------------------------------------


def number(value: float | None, digits: int) -> str:
    """A value as printed: fixed digits, ∞, or a dash where there is none."""
    if value is None:
        return NOTHING
    return "∞" if math.isinf(value) else printed(value, digits)


def _cell_text(cell: Cell | None, column: Column) -> str:
    if cell is None:
        return NOTHING
    if cell.text is not None:
        return cell.text
    text = number(cell.value, column.digits)
    if cell.low is not None and cell.high is not None:
        low, high = _limits(cell, column)
        text += f" [{low}, {high}]"
    if cell.floor is not None and cell.floor != cell.value:
        text += f" ({number(cell.floor, column.digits)})"
    return text


def _limits(cell: Cell, column: Column) -> tuple[str, str]:
    """The limits of a cell's interval, with the column's digits; a dash where there is none."""
    return number(cell.low, column.digits), number(cell.high, column.digits)


def _count_text(cell: Cell | None) -> str:
    return NOTHING if cell is None or cell.n is None else f"{cell.n}/{cell.of}"


def _counted_runs(table: Table) -> list[list[Column]]:
    """Neighbouring columns under one heading with the same counts in every line: they share one
    column of counts.
    """
    runs: list[list[Column]] = []
    previous: tuple[object, ...] | None = None
    for column in table.columns:
        counts = [_count_text(row.cells.get(column.name)) for row in table.rows if row.kind in OWN]
        shared = (column.heading[:-1], counts)
        if shared == previous:
            runs[-1].append(column)
        else:
            runs.append([column])
        previous = shared
    return runs


_NAMED: dict[bool, Mark] = {True: "", False: "published"}


def _name(table: Table, row: TableRow) -> str:
    """A line's name with its marks: † a paper's numbers, ‡ a part of the release. Under corrected
    numbers a paper's line says that its own are as released.
    """
    if row.kind in OWN:
        return f"{row.name} ‡" if row.part else row.name
    return f"{row.name} † (as released)" if table.variant == "corrected" else f"{row.name} †"


def _shared_counts(table: Table) -> dict[str, str]:
    """The first column of each run of columns whose own lines all have one count -> that count."""
    found = {}
    for run in _counted_runs(table):
        own = [row for row in table.rows if row.kind in ("run", "edited")]
        counts = {_count_text(row.cells.get(run[0].name)) for row in own}
        if len(counts) == 1 and counts != {NOTHING}:
            found[run[0].name] = counts.pop()
    return found


def _grid(table: Table, without_counts: Collection[str] = ()) -> Drawn:
    """The table as text. `without_counts`: the first columns of runs whose counts are told
    elsewhere.
    """
    place = standing(table)
    grouped = bool(table.by)
    sectioned = any(row.section for row in table.rows)
    headings: list[tuple[str, ...]] = [(table.by,)] if grouped else []
    headings += [("",)] if sectioned else []
    headings.append((str(table.meta.get("names", "model")),))
    lines: list[list[Item]] = []
    for row in table.rows:
        lines.append(
            [Item(row.group)] * grouped
            + [Item(row.section)] * sectioned
            + [Item(_name(table, row), "part" if row.part else _NAMED[row.kind in OWN])]
        )
    runs = _counted_runs(table)
    for run in runs:
        for column in run:
            headings.append((*column.heading[:-1], column.heading[-1] + _ARROWS[column.direction]))
            for line, row in enumerate(table.rows):
                key = (line, column.name)
                mark: Mark = (
                    "best" if key in place.best else "second" if key in place.second else ""
                )
                mark = "part" if row.part and not mark else mark
                lines[line].append(Item(_cell_text(row.cells.get(column.name), column), mark))
        counted = any(
            row.cells.get(run[0].name, Cell(value=None)).n is not None for row in table.rows
        )
        if counted and run[0].name not in without_counts:
            headings.append((*run[0].heading[:-1], "n"))
            for line, row in enumerate(table.rows):
                lines[line].append(Item(_count_text(row.cells.get(run[0].name)), "count"))
    breaks = {
        number
        for number, (before, after) in enumerate(
            zip(table.rows, table.rows[1:], strict=False), start=1
        )
        if (before.group, before.section, before.kind in OWN)
        != (after.group, after.section, after.kind in OWN)
    }
    return Drawn(headings, lines, 1 + grouped + sectioned, breaks)


def _turned(drawn: Drawn) -> Drawn:
    """Columns down and editors across, as KRIS-Bench and MedEBench print theirs."""
    names = drawn.names
    levels = max((len(heading) for heading in drawn.headings[names:]), default=1)
    headings: list[tuple[str, ...]] = [("",)] * levels
    for line in drawn.lines:
        headings.append(tuple(item.text for item in line[:names]))
    lines, breaks, before = [], set(), ""
    for number, heading in enumerate(drawn.headings[names:]):
        padded = (
            (*heading[:1], *("",) * (levels - len(heading)), *heading[1:])
            if heading
            else ("",) * levels
        )
        if number and padded[0] != before:
            breaks.add(number)
        left = [
            Item("" if level == 0 and padded[0] == before else text)
            for level, text in enumerate(padded)
        ]
        before = padded[0]
        lines.append(left + [line[names + number] for line in drawn.lines])
    return Drawn(headings, lines, levels, breaks)


def _oriented(table: Table) -> Drawn:
    drawn = _grid(table)
    return _turned(drawn) if table.transposed else drawn


def _notes(table: Table) -> list[str]:
    notes = list(table.notes)
    if any(row.kind not in OWN for row in table.rows):
        released = ", from outputs scored as released" if table.variant == "corrected" else ""
        notes.append(f"† published: the paper's number{released}, not computed here.")
    if any(row.part for row in table.rows):
        notes.append("‡ made from a part of the release.")
    said: dict[str, list[str]] = {}
    for column in table.columns:
        if column.note and column.comparable:
            said.setdefault(column.note, []).append(" ".join(column.heading))
    notes += [f"{', '.join(headings)}: {note}" for note, headings in said.items()]
    return notes


def _some(notes: Sequence[str], every: bool, width: int = SCREEN) -> list[str]:
    """The notes that fit into `NOTE_LINES` lines of a screen, and how many more there are."""
    if every:
        return list(notes)
    room, shown = NOTE_LINES - 1, []
    for note in notes:
        room -= -(-len(note) // width)
        if room < 0:
            break
        shown.append(note)
    left = len(notes) - len(shown)
    return [*shown, *([f"{left} more notes: --notes" if left > 1 else notes[-1]] if left else [])]


def _title(table: Table) -> str:
    extra = [part for part in (table.variant, table.source) if part]
    return f"{table.title} ({'; '.join(extra)})" if extra else table.title


# -- formats ---------------------------------------------------------------------------------------

_STYLES: dict[Mark, str] = {
    "": "",
    "best": "bold",
    "second": "underline",
    "count": "dim",
    "published": "italic",
    "part": "dim",
}


def to_terminal(
    table: Table, console: Console, *, fit: bool = True, every_note: bool = True
) -> None:
    """Print to a console; columns that do not fit its width go into further parts below (`fit`
    False: never). `every_note`: else only as many notes as fit into `NOTE_LINES`.
    """
    drawn = _oriented(table)
    console.print(Text(escape.plain(_title(table), None), style="bold"), soft_wrap=True)
    for chosen in _parts(drawn, console.width if fit else None):
        console.print(_rich(drawn, chosen), soft_wrap=not fit, crop=fit)
    for note in _some(_notes(table), every_note, console.width if fit else SCREEN):
        console.print(Text(escape.plain(note, None), style="dim"), soft_wrap=True)


def _rich(drawn: Drawn, chosen: Sequence[int]) -> RichTable:
    drawing = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    above: tuple[str, ...] = ()
    for number in [*range(drawn.names), *chosen]:
        levels = drawn.headings[number]
        once = ("" if levels[:1] == above and len(levels) > 1 else levels[0], *levels[1:])
        above = levels[:1]  # a heading over several columns stands once
        heading = Text("\n".join(escape.plain(level) for level in once), overflow="fold")
        drawing.add_column(
            heading,
            justify="left" if number < drawn.names else "right",
            no_wrap=True,
            vertical="bottom",
        )
    for number, line in enumerate(drawn.lines):
        items = [line[place] for place in [*range(drawn.names), *chosen]]
        drawing.add_row(
            *(Text.assemble((escape.plain(item.text), _STYLES[item.mark])) for item in items),
            end_section=number + 1 in drawn.breaks,
        )
    return drawing


def _parts(drawn: Drawn, width: int | None) -> list[list[int]]:
    """Which columns of numbers are drawn together: as many as fit into the width beside the
    names.
    """
    places = list(range(drawn.names, len(drawn.headings)))
    if width is None:
        return [places]
    sizes = [
        2
        + max(
            [len(escape.plain(level)) for level in heading]
            + [len(escape.plain(line[n].text)) for line in drawn.lines]
        )
        for n, heading in enumerate(drawn.headings)
    ]
    room = width - sum(sizes[: drawn.names])
    parts: list[list[int]] = [[]]
    used = 0
    for place in places:
        if parts[-1] and used + sizes[place] > room:
            parts.append([])
            used = 0
        parts[-1].append(place)
        used += sizes[place]
    return parts


def _markdown(table: Table, *, every_note: bool = True) -> str:
    drawn = _oriented(table)

    def set_cell(item: Item) -> str:
        text = escape.markdown(item.text)
        return {"best": f"**{text}**", "second": f"<u>{text}</u>"}.get(item.mark, text)

    head = [escape.markdown(" ".join(filter(None, heading))) for heading in drawn.headings]
    rule = [":---" if number < drawn.names else "---:" for number in range(len(head))]
    lines = [f"**{escape.markdown(_title(table), None)}**", ""]
    lines += ["| " + " | ".join(cells) + " |" for cells in (head, rule)]
    lines += ["| " + " | ".join(set_cell(item) for item in line) + " |" for line in drawn.lines]
    notes = [f"- {escape.markdown(note, None)}" for note in _some(_notes(table), every_note)]
    return "\n".join([*lines, "", *notes]).rstrip("\n") + "\n"


def _csv(table: Table) -> str:
    """One line a row; a column of counts and, where there are any, of bounds and of means with
    failures.
    """
    cells = [cell for row in table.rows for cell in row.cells.values()]
    bounds = any(cell.low is not None for cell in cells)
    floors = any(cell.floor is not None for cell in cells)
    sectioned = any(row.section for row in table.rows)
    head = ["table", "variant", *(["by"] if table.by else []), "model", "kind"]
    head += ["section"] if sectioned else []
    for column in table.columns:
        head += [column.name, f"{column.name}_n", f"{column.name}_of"]
        head += [f"{column.name}_low", f"{column.name}_high"] if bounds else []
        head += [f"{column.name}_floor"] if floors else []
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(escape.csv_text(name) for name in head)
    for row in table.rows:
        line = [table.name, table.variant, *([row.group] if table.by else []), row.name, row.kind]
        line += [row.section] if sectioned else []
        values: list[str] = [escape.csv_text(text) for text in line]
        for column in table.columns:
            cell = row.cells.get(column.name, Cell(value=None))
            values.append(
                escape.csv_text(cell.text)
                if cell.text is not None
                else _exact(cell.value, column.digits)
            )
            values += ["" if count is None else str(count) for count in (cell.n, cell.of)]
            limits = (text.replace("∞", "inf") for text in _limits(cell, column))
            values += ["" if text == NOTHING else text for text in limits] if bounds else []
            values += [_exact(cell.floor, column.digits)] if floors else []
        writer.writerow(values)
    return stream.getvalue()


def _exact(value: float | None, digits: int) -> str:
    """As printed, but empty where there is none and ``inf`` for ∞: what programs read."""
    return "" if value is None else "inf" if math.isinf(value) else printed(value, digits)


def paper(table: Table) -> str:
    """A published table with the run's lines in it, as LaTeX for a paper: the columns that have
    numbers, one sentence of notes, no variant in the caption, and counts only where they differ.
    """
    shown = [
        column
        for column in table.columns
        if any(_has_number(row, column) for row in table.rows if row.kind in OWN)
    ]
    table = replace(table, columns=[replace(column, note="") for column in shown], variant="")
    source = next((note for note in table.notes if note.startswith("Published")), "")
    marked = bool(source) and any(row.kind not in OWN for row in table.rows)
    told = [f"†: {source.rstrip('.')}"] if marked else []
    told += [f"{row.name} ‡: {row.part[0]} of {row.part[1]}" for row in table.rows if row.part]
    notes = [f"{'; '.join(told)}."] if told else []
    return _latex(replace(table, notes=notes), bare=True)


def _has_number(row: TableRow, column: Column) -> bool:
    cell = row.cells.get(column.name)
    return cell is not None and (cell.value is not None or cell.text is not None)


def _latex(table: Table, place: latex.Place = "auto", *, bare: bool = False) -> str:
    """`latex.latex` of the table. Counts that all lines share stand in the caption, or below the
    table where columns differ; the others keep their columns.
    """
    shared = _shared_counts(table)
    drawn = _grid(table, without_counts=shared)
    counts = list(dict.fromkeys(shared.values()))
    whole = len(counts) == 1 and not any("n" in heading[-1:] for heading in drawn.headings)
    headings = {column.name: " ".join(column.heading) for column in table.columns}
    each = "; ".join(f"{headings[name]} {count}" for name, count in shared.items())
    judge = table.source.partition("#")[0]
    caption = [
        f"{table.title} ({table.variant})." if table.variant else f"{table.title}.",
        *([f"Scored by {judge}."] if judge else []),
        *([f"n = {counts[0].replace('/', ' of ')}."] if whole else []),
    ]
    words = latex.Words(
        label="-".join(filter(None, (table.name, table.variant, judge))),
        caption=" ".join(caption),
        notes=list(table.notes)
        if bare
        else [*([] if whole or not each else [f"n: {each}."]), *_notes(table)],
        origin=table.source,
    )
    return latex.latex(_turned(drawn) if table.transposed else drawn, words, place)


def as_json(table: Table) -> dict[str, Any]:
    """The table as JSON values: an infinite value is None with ``"infinite": true``."""
    place = standing(table)

    def cell_json(number: int, name: str, cell: Cell) -> dict[str, Any]:
        infinite = cell.value is not None and math.isinf(cell.value)
        found: dict[str, Any] = {"value": None if infinite else cell.value}
        found |= {"infinite": True} if infinite else {}
        for part in ("n", "of", "low", "high", "floor", "text"):
            value = getattr(cell, part)
            if value is not None:
                found[part] = None if isinstance(value, float) and math.isinf(value) else value
        here = (number, name)
        return found | (
            {"place": 1} if here in place.best else {"place": 2} if here in place.second else {}
        )

    return {
        "name": table.name,
        "title": table.title,
        "benchmark": table.benchmark,
        "variant": table.variant,
        "source": table.source,
        "size": table.size,
        "by": table.by,
        "transposed": table.transposed,
        "columns": [
            {
                "name": c.name,
                "heading": list(c.heading),
                "digits": c.digits,
                "direction": c.direction,
                "comparable": c.comparable,
                "note": c.note,
            }
            for c in table.columns
        ],
        "rows": [
            {
                "name": row.name,
                "kind": row.kind,
                "group": row.group,
                **({"section": row.section} if row.section else {}),
                **({"part": list(row.part)} if row.part else {}),
                **(
                    {"as_released": True}
                    if row.kind not in OWN and table.variant == "corrected"
                    else {}
                ),
                "cells": {name: cell_json(number, name, cell) for name, cell in row.cells.items()},
            }
            for number, row in enumerate(table.rows)
        ],
        "notes": _notes(table),
        "meta": dict(table.meta),
    }


def _json(table: Table) -> str:
    return orjson.dumps(as_json(table), option=orjson.OPT_INDENT_2).decode() + "\n"
