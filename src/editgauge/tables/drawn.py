"""A table as a grid of text: what every format that is not for programs is drawn from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from editgauge.tables.table import OWN, Cell, Column, Table, TableRow, printed, standing

NOTHING = "–"
"""Where there is no number."""
Mark = Literal["", "best", "second", "count", "published", "part"]
_ARROWS = {"higher": " ↑", "lower": " ↓", None: ""}
EMPTY = Cell(value=None)


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


def shared_counts(table: Table) -> dict[str, str]:
    """The columns in which all own lines have one count -> that count."""
    own = [row for row in table.rows if row.kind == "run"]
    shared = {}
    for column in table.columns:
        counts = {_count_text(row.cells.get(column.name)) for row in own}
        if len(counts) == 1 and counts != {NOTHING}:
            shared[column.name] = counts.pop()
    return shared


def _counted_runs(table: Table, shared: dict[str, str]) -> list[tuple[list[Column], list[str]]]:
    """Neighbouring columns under one heading with the same counts, which they share: one column of
    counts behind them. No counts where all lines have one.
    """
    runs: list[tuple[list[Column], list[str]]] = []
    for column in table.columns:
        own = [_count_text(row.cells.get(column.name)) for row in table.rows]
        counts = [] if column.name in shared or set(own) == {NOTHING} else own
        same = runs and counts == runs[-1][1]
        if same and column.heading[:-1] == runs[-1][0][-1].heading[:-1]:
            runs[-1][0].append(column)
        else:
            runs.append(([column], counts))
    return runs


def _name(table: Table, row: TableRow) -> Item:
    """A line's name with its marks: † a paper's numbers, ‡ a part of the release. Under corrected
    numbers a paper's line says that its own are as released.
    """
    if row.kind in OWN:
        return Item(f"{row.name} ‡", "part") if row.part else Item(row.name)
    released = " (as released)" if table.variant == "corrected" else ""
    return Item(f"{row.name} †{released}", "published")


def grid(table: Table, *, count_line: bool = True) -> Drawn:
    """The table as text. Counts that all own lines share stand once, in a line below these
    (`count_line`, else nowhere); others have columns of their own.
    """
    place, shared = standing(table), shared_counts(table)
    named = [(table.by, [row.group for row in table.rows])] if table.by else []
    if any(row.section for row in table.rows):
        named.append(("", [row.section for row in table.rows]))
    headings: list[tuple[str, ...]] = [(title,) for title, _ in named]
    headings.append((str(table.meta.get("names", "model")),))
    lines = [
        [*(Item(texts[line]) for _, texts in named), _name(table, row)]
        for line, row in enumerate(table.rows)
    ]
    below = [*(Item("") for _ in named), Item("n", "count")]
    for run, counts in _counted_runs(table, shared):
        for column in run:
            headings.append((*column.heading[:-1], column.heading[-1] + _ARROWS[column.direction]))
            below.append(Item(shared.get(column.name, ""), "count"))
            for line, row in enumerate(table.rows):
                mark: Mark = place.mark(line, column.name) or ("part" if row.part else "")
                lines[line].append(Item(cell_text(row.cells.get(column.name), column), mark))
        if counts:
            headings.append((*run[0].heading[:-1], "n"))
            below.append(Item("", "count"))
            for items, text in zip(lines, counts, strict=True):
                items.append(Item(text, "count"))
    kinds = [(row.group, row.section, row.kind in OWN) for row in table.rows]
    breaks = {number for number in range(1, len(kinds)) if kinds[number] != kinds[number - 1]}
    if count_line and shared:
        own = max(line + 1 for line, row in enumerate(table.rows) if row.kind in OWN)
        own = 0 if table.transposed else own  # a column beside the names, which always fits
        lines.insert(own, below)
        breaks = {number + (number > own) for number in breaks}
        breaks |= {own + 1} if own + 1 < len(lines) else set()
        breaks -= {own}
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
