"""A table as a grid of text: what every format that is not for programs is drawn from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from editgauge.tables.table import OWN, Cell, Column, Table, TableRow, printed, standing

NOTHING = "–"
"""Where there is no number."""
Mark = Literal["", "best", "second", "count", "published", "part"]


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of a drawn table: its text, not yet escaped, and what it is."""

    text: str
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Headings and lines of text. `headings`: one tuple of levels for each column; `names`: the
    columns that hold names and are set to the left.
    """

    headings: list[tuple[str, ...]]
    lines: list[list[Item]]
    names: int
    breaks: set[int]
    """Line numbers before which a rule is drawn."""


_ARROWS = {"higher": " ↑", "lower": " ↓", None: ""}
EMPTY = Cell(value=None)


def number(value: float | None, digits: int) -> str:
    """A value as printed: fixed digits, ∞, or a dash where there is none."""
    if value is None:
        return NOTHING
    return "∞" if math.isinf(value) else printed(value, digits)


def cell_text(cell: Cell | None, column: Column) -> str:
    if cell is None:
        return NOTHING
    if cell.text is not None:
        return cell.text
    text = number(cell.value, column.digits)
    if cell.low is not None and cell.high is not None:
        text += f" [{number(cell.low, column.digits)}, {number(cell.high, column.digits)}]"
    if cell.floor is not None and cell.floor != cell.value:
        text += f" ({number(cell.floor, column.digits)})"
    return text


def _count_text(cell: Cell | None) -> str:
    return NOTHING if cell is None or cell.n is None else f"{cell.n}/{cell.of}"


def counted_runs(table: Table) -> list[list[Column]]:
    """Neighbouring columns under one heading with the same counts in every line: they share one
    column of counts.
    """
    runs: list[list[Column]] = []
    previous: tuple[object, ...] | None = None
    for column in table.columns:
        counts = [_count_text(row.cells.get(column.name)) for row in table.rows if row.kind in OWN]
        if (column.heading[:-1], counts) == previous:
            runs[-1].append(column)
        else:
            runs.append([column])
        previous = (column.heading[:-1], counts)
    return runs


def counted(table: Table, column: Column) -> bool:
    return any(row.cells.get(column.name, EMPTY).n is not None for row in table.rows)


def shared_counts(table: Table) -> dict[str, str]:
    """The first column of each run of columns whose own lines all have one count -> that count."""
    own = [row for row in table.rows if row.kind in ("run", "edited")]
    shared = {}
    for first, *_ in counted_runs(table):
        counts = {_count_text(row.cells.get(first.name)) for row in own}
        if len(counts) == 1 and counts != {NOTHING}:
            shared[first.name] = counts.pop()
    return shared


def _name(table: Table, row: TableRow) -> Item:
    """A line's name with its marks: † a paper's numbers, ‡ a part of the release. Under corrected
    numbers a paper's line says that its own are as released.
    """
    if row.kind in OWN:
        return Item(f"{row.name} ‡", "part") if row.part else Item(row.name)
    released = " (as released)" if table.variant == "corrected" else ""
    return Item(f"{row.name} †{released}", "published")


def grid(table: Table, without_counts: bool = False) -> Drawn:
    """The table as text. `without_counts`: but for counts that all lines share."""
    place = standing(table)
    named = [(table.by, [row.group for row in table.rows])] if table.by else []
    if any(row.section for row in table.rows):
        named.append(("", [row.section for row in table.rows]))
    headings: list[tuple[str, ...]] = [(title,) for title, _ in named]
    headings.append((str(table.meta.get("names", "model")),))
    lines = [
        [*(Item(texts[line]) for _, texts in named), _name(table, row)]
        for line, row in enumerate(table.rows)
    ]
    told = shared_counts(table) if without_counts else {}
    for run in counted_runs(table):
        for column in run:
            headings.append((*column.heading[:-1], column.heading[-1] + _ARROWS[column.direction]))
            for line, row in enumerate(table.rows):
                mark: Mark = place.mark(line, column.name) or ("part" if row.part else "")
                lines[line].append(Item(cell_text(row.cells.get(column.name), column), mark))
        if counted(table, run[0]) and run[0].name not in told:
            headings.append((*run[0].heading[:-1], "n"))
            for items, row in zip(lines, table.rows, strict=True):
                items.append(Item(_count_text(row.cells.get(run[0].name)), "count"))
    kinds = [(row.group, row.section, row.kind in OWN) for row in table.rows]
    breaks = {number for number in range(1, len(kinds)) if kinds[number] != kinds[number - 1]}
    drawn = Drawn(headings, lines, 1 + len(named), breaks)
    return _turned(drawn) if table.transposed else drawn


def _turned(drawn: Drawn) -> Drawn:
    """Columns down and editors across, as KRIS-Bench and MedEBench print theirs."""
    names = drawn.names
    levels = max((len(heading) for heading in drawn.headings[names:]), default=1)
    headings = [("",)] * levels
    across = [tuple(item.text for item in line[:names]) for line in drawn.lines]
    lines, breaks, before = [], set(), ""
    for place, heading in enumerate(drawn.headings[names:]):
        padded = (*heading[:1], *[""] * (levels - len(heading)), *heading[1:])
        if place and padded[0] != before:
            breaks.add(place)
        once = "" if padded[0] == before else padded[0]
        before = padded[0]
        left = [Item(once), *(Item(text) for text in padded[1:])]
        lines.append(left + [line[names + place] for line in drawn.lines])
    return Drawn([*headings, *across], lines, levels, breaks)
