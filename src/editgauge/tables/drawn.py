"""A table as a grid of text: what every format that is not for programs is drawn from."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Literal, NamedTuple

from editgauge.tables.table import Cell, Column, Table, TableRow, printed, standing

NOTHING = "–"
"""Where there is no number."""
Mark = Literal["", "best", "second", "count", "published", "part"]
_ARROWS = {"higher": " ↑", "lower": " ↓", None: ""}


class Item(NamedTuple):
    """A piece of a drawn table: its text, not yet escaped, and what it is."""

    text: str
    mark: Mark = ""


class Drawn(NamedTuple):
    """Headings and lines of text. `headings`: one tuple of levels for each column; `names`: the
    columns that hold names and are set to the left; `breaks`: lines before which a rule is drawn.
    """

    headings: list[tuple[str, ...]]
    lines: list[list[Item]]
    names: int
    breaks: set[int]


def number(value: float | None, digits: int) -> str:
    """A value as printed: fixed digits, ∞, or a dash where there is none."""
    if value is None:
        return NOTHING
    return "∞" if math.isinf(value) else printed(value, digits)


def cell_text(cell: Cell, column: Column) -> str:
    if cell.text is not None:
        return cell.text
    text = number(cell.value, column.digits)
    if cell.low is not None and cell.high is not None:
        text += f" [{number(cell.low, column.digits)}, {number(cell.high, column.digits)}]"
    if cell.floor is not None and cell.floor != cell.value:
        text += f" ({number(cell.floor, column.digits)})"
    return text


def _counts(table: Table, column: Column) -> list[str]:
    cells = [row.cell(column.name) for row in table.rows]
    return [NOTHING if cell.n is None else f"{cell.n}/{cell.of}" for cell in cells]


def shared_counts(table: Table) -> dict[str, str]:
    """The columns in which all own lines have one count -> that count."""
    shared = {}
    for column in table.columns:
        rows = zip(table.rows, _counts(table, column), strict=True)
        counts = {count for row, count in rows if row.kind == "run"}
        if len(counts) == 1 and counts != {NOTHING}:
            shared[column.name] = counts.pop()
    return shared


def _name(table: Table, row: TableRow) -> Item:
    """A line's name with its marks: † a paper's numbers, ‡ a part of the release. Under corrected
    numbers a paper's line says that its own are as released.
    """
    if row.own:
        return Item(f"{row.name} ‡", "part") if row.part else Item(row.name)
    released = " (as released)" if table.variant == "corrected" else ""
    return Item(f"{row.name} †{released}", "published")


def grid(table: Table, *, count_line: bool = True) -> Drawn:
    """The table as text. Counts that all own lines share stand once, in a line below these
    (`count_line`, else nowhere); others have columns of their own, one for neighbours below one
    heading that are alike.
    """
    place, shared = standing(table), shared_counts(table)
    named = [(table.by, [row.group for row in table.rows])] if table.by else []
    if any(row.section for row in table.rows):
        named.append(("", [row.section for row in table.rows]))
    headings: list[tuple[str, ...]] = [(title,) for title, _ in named]
    headings.append((str(table.meta.get("names", "model")),))
    lines = [[*(Item(texts[line]) for _, texts in named), _name(table, row)]
             for line, row in enumerate(table.rows)]  # fmt: skip
    below = [*(Item("") for _ in named), Item("n", "count")]
    counts = {c.name: [] if c.name in shared else _counts(table, c) for c in table.columns}
    for column, after in pairwise([*table.columns, None]):
        assert column is not None
        headings.append((*column.heading[:-1], column.heading[-1] + _ARROWS[column.direction]))
        below.append(Item(shared.get(column.name, ""), "count"))
        for line, row in enumerate(table.rows):
            mark: Mark = "part" if row.part else ""
            mark = "second" if (line, column.name) in place.second else mark
            mark = "best" if (line, column.name) in place.best else mark
            lines[line].append(Item(cell_text(row.cell(column.name), column), mark))
        count, above = counts[column.name], column.heading[:-1]
        alike = after is not None and above == after.heading[:-1] and count == counts[after.name]
        if not alike and set(count) - {NOTHING}:
            headings.append((*above, "n"))
            below.append(Item("", "count"))
            for items, text in zip(lines, count, strict=True):
                items.append(Item(text, "count"))
    kinds = [(row.group, row.section, row.own, row.kind) for row in table.rows]
    breaks = {number for number in range(1, len(kinds)) if kinds[number] != kinds[number - 1]}
    if count_line and shared:
        height = max(line + 1 for line, row in enumerate(table.rows) if row.own)
        height = 0 if table.transposed else height  # a column beside the names, which always fits
        lines.insert(height, below)
        breaks = {number + (number >= height) for number in breaks if number != height}
        breaks |= {height + 1} if 0 < height + 1 < len(lines) else set()
    drawn = Drawn(headings, lines, 1 + len(named), breaks)
    return _turned(drawn) if table.transposed else drawn


def _turned(drawn: Drawn) -> Drawn:
    """Columns down and editors across, as KRIS-Bench and MedEBench print theirs."""
    names = drawn.names
    levels = max((len(heading) for heading in drawn.headings[names:]), default=1)
    across = [tuple(item.text for item in line[:names]) for line in drawn.lines]
    lines, breaks, before = [], set(), ""
    for place, heading in enumerate(drawn.headings[names:]):
        padded = (*heading[:1], *[""] * (levels - len(heading)), *heading[1:])
        if place and padded[0] != before:
            breaks.add(place)
        left = [Item("" if padded[0] == before else padded[0]), *map(Item, padded[1:])]
        before = padded[0]
        lines.append(left + [line[names + place] for line in drawn.lines])
    return Drawn([*[("",)] * levels, *across], lines, levels, breaks)
