"""A table as a grid of text: what every format that is not for programs is drawn from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Literal, NamedTuple

from editgauge.tables.table import Cell, Column, Table, TableRow, printed, standing

NOTHING = "–"
"""Where there is no number."""
BESIDE = 7
"""How many groups of columns stand beside each other in a table that is drawn in halves."""
Mark = Literal["", "best", "second", "count", "published", "part"]
_ARROWS = {"higher": " ↑", "lower": " ↓", None: ""}


class Item(NamedTuple):
    """A piece of a drawn table: its text, not yet escaped, and what it is."""

    text: str
    mark: Mark = ""


class Grid(NamedTuple):
    """Headings and lines of text. `headings`: one tuple of levels for each column, of which the
    first `names` hold names and are set to the left; `blocks`: lines that belong together;
    `halves`: see `Table.halves`.
    """

    headings: list[tuple[str, ...]]
    blocks: list[list[list[Item]]]
    names: int
    halves: bool = False

    @property
    def lines(self) -> list[list[Item]]:
        return [line for block in self.blocks for line in block]

    @property
    def numbers(self) -> list[list[int]]:
        """The places of the columns of numbers, of each half by itself."""
        groups: list[list[int]] = []
        above = None
        for place in range(self.names, len(self.headings)):
            if self.headings[place][0] != above:
                groups.append([])
            above = self.headings[place][0]
            groups[-1].append(place)
        middle = len(groups)
        if self.halves and len(groups) > BESIDE:
            middle = (len(groups) + 1) // 2
        halves = [groups[:middle], groups[middle:]]
        return [[place for group in half for place in group] for half in halves if half]

    @property
    def parts(self) -> list[Grid]:
        """Each half as a grid by itself."""
        return [self._of([*range(self.names), *places]) for places in self.numbers]

    def _of(self, places: Sequence[int]) -> Grid:
        """The grid with these columns only."""
        blocks = [[[line[place] for place in places] for line in block] for block in self.blocks]
        return Grid([self.headings[place] for place in places], blocks, self.names)


_Column = tuple[tuple[str, ...], list[Item]]
"""A heading, and an item for each row of the table and for the line of counts."""


def number(value: float | None, digits: int) -> str:
    """A value as printed: fixed digits, ∞, or a dash where there is none."""
    if value is None:
        return NOTHING
    return "∞" if math.isinf(value) else printed(value, digits)


def cell_text(cell: Cell, column: Column) -> str:
    """``0.950 [0.900, 0.990]``: value and interval."""
    if cell.text is not None:
        return cell.text
    text = number(cell.value, column.digits)
    if cell.low is not None and cell.high is not None:
        text += f" [{number(cell.low, column.digits)}, {number(cell.high, column.digits)}]"
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


def shown_lines(table: Table) -> list[int]:
    """The places of the lines that are drawn: see `draw.merged`."""
    return [n for n in range(len(table.rows)) if n not in table.meta.get("hidden", ())]


def only_name(table: Table) -> str:
    """The name of all lines of a table by slices, which then stands in its title."""
    names = {row.name for row in table.rows}
    return names.pop() if table.by and len(names) == 1 else ""


def _name(table: Table, row: TableRow) -> Item:
    """A line's name: † a paper's numbers (as released, if ours are corrected), ‡ a part."""
    if row.own:
        return Item(f"{row.name} ‡", "part") if row.part else Item(row.name)
    released = " (as released)" if table.variant == "corrected" else ""
    return Item(f"{row.name} †{released}", "published")


def grid(table: Table, *, count_line: bool = True) -> Grid:
    """The table as text. Counts that all own lines share stand once, in a line below these
    (`count_line`, else nowhere); others have columns of their own, one for neighbours below one
    heading that are alike.
    """
    titles: list[tuple[str, Callable[[TableRow], Item]]] = []
    if table.by:
        titles.append((table.by, lambda row: Item(row.group)))
    if any(row.section for row in table.rows):
        titles.append(("", lambda row: Item(row.section)))
    if not only_name(table):
        title = str(table.meta.get("names", "model"))
        titles.append((title, lambda row: _name(table, row)))
    names: list[_Column] = [
        ((title,), [*map(item, table.rows), Item("n" if title == titles[-1][0] else "", "count")])
        for title, item in titles
    ]
    numbers, below = list(_numbers(table)), count_line and bool(shared_counts(table))
    shown = shown_lines(table)
    if table.transposed:
        return _across(names, numbers, [*([-1] if below else ()), *shown])
    lines = [list(line) for line in zip(*(items for _, items in names + numbers), strict=True)]
    blocks, own = [], 0
    kinds = [(row.own, row.group, row.section, row.kind) for row in table.rows]
    for kind, places in groupby(shown, kinds.__getitem__):
        blocks.append([lines[place] for place in places])
        own = len(blocks) if kind[0] else own
    if below:
        blocks[own - 1].append(lines[-1])
    headings = [heading for heading, _ in names + numbers]
    return Grid(headings, blocks, len(names), table.halves)


def _numbers(table: Table) -> Iterator[_Column]:
    """The columns of numbers, each with its shared count or before a column of counts."""
    best, shared = standing(table), shared_counts(table)
    counts = {c.name: [] if c.name in shared else _counts(table, c) for c in table.columns}
    for column, after in pairwise([*table.columns, None]):
        assert column is not None
        name, above, items = column.name, column.heading[:-1], []
        for line, row in enumerate(table.rows):
            mark: Mark = "part" if row.part else ""
            mark = "second" if (line, name) in best.second else mark
            mark = "best" if (line, name) in best.best else mark
            items.append(Item(cell_text(row.cell(name), column), mark))
        heading = (*above, column.heading[-1] + _ARROWS[column.direction])
        yield heading, [*items, Item(shared.get(name, ""), "count")]
        count = counts[name]
        alike = after is not None and above == after.heading[:-1] and count == counts[after.name]
        if not alike and set(count) - {NOTHING}:
            yield (*above, "n"), [Item(text, "count") for text in (*count, "")]


def _across(names: Sequence[_Column], numbers: Sequence[_Column], order: Sequence[int]) -> Grid:
    """Columns down and editors across, as KRIS-Bench and MedEBench print theirs."""
    levels = max((len(heading) for heading, _ in numbers), default=1)
    blocks = []
    for above, group in groupby(numbers, lambda column: column[0][0]):
        block: list[list[Item]] = []
        for heading, items in group:
            left = [above if not block else "", *[""] * (levels - len(heading)), *heading[1:]]
            block.append([*map(Item, left), *(items[line] for line in order)])
        blocks.append(block)
    across = [tuple(items[line].text for _, items in names) for line in order]
    return Grid([*[("",)] * levels, *across], blocks, levels)
