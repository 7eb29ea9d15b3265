"""A table as data: built from rows, drawn by `draw` in any format; which of its lines are best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal, NamedTuple

from editgauge.types import Direction, JsonMapping, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One number of a table, with its count.

    `value` is None when nothing was scored; it may be ``inf`` (a PSNR of identical pictures). `n`
    pictures have a score, of `of` in the benchmark; a published number has neither. `low` and
    `high` bound the interval, when there is one; `floor` is the mean with failures at the scale's
    minimum. `text` is printed instead of the number (a name, a date).
    """

    value: float | None = None
    n: int | None = None
    of: int | None = None
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    text: str | None = None


EMPTY = Cell()


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: a machine name, unique in the table (``real_ssim``), a heading from broad to narrow
    (``("Real", "SSIM")``), how its numbers are printed, and which direction is better.

    `comparable` is false where the run's editors were not scored on the same samples: no best, no
    rank; `note` says why. `complete` is true where the run's numbers are of the whole release and
    made as the paper's: they are ranked together with the published lines.
    """

    name: str
    heading: tuple[str, ...]
    digits: int = 3
    direction: Direction | None = None
    note: str = ""
    comparable: bool = True
    complete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One line: an editor, or a paper's model.

    `kind` tells a run's own numbers (``run``, and their ``average``) from a paper's (``published``,
    and its ``mean``). `group`: the slice that the line
    belongs to; lines are compared within a group only. `section`: the paper's heading over the line
    (``Closed-Source Models``); best and second are told in each. `part`: beside the papers' lines,
    how many samples have every score that the line shows, and how many the release has; None: all,
    or nothing to compare.
    """

    name: str
    cells: Mapping[str, Cell]
    kind: Literal["run", "average", "published", "mean"] = "run"
    group: str = ""
    section: str = ""
    part: tuple[int, int] | None = None

    @property
    def own(self) -> bool:
        return self.kind in ("run", "average")

    def cell(self, column: str) -> Cell:
        return self.cells.get(column, EMPTY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A titled table with notes below it.

    `warnings`: those of the notes without which the numbers mislead; a paper's table has them, too.
    `size`: samples in the benchmark (or slice). `by`: what `TableRow.group` is a value of, in a
    sliced table. `transposed`: editors are drawn across and columns down, as the paper does.
    `halves`: the columns are drawn in two halves, one below the other, where their broad headings
    are more than `grid.BESIDE`.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[TableRow]
    benchmark: str = ""
    variant: str = ""
    source: str = ""
    size: int | None = None
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    by: str = ""
    transposed: bool = False
    halves: bool = False
    meta: JsonMapping = field(default_factory=dict)

    def __repr__(self) -> str:
        variant = f", {self.variant}" if self.variant else ""
        size = f"{len(self.rows)} x {len(self.columns)}"
        return f"<Table {self.name}{variant}: {size}: {', '.join(row.name for row in self.rows)}>"

    def to_dicts(self) -> list[JsonObject]:
        """One mapping a line: model, kind, group, and for each column its number under the column's
        name and its count under the name with ``_n``. A number that is not there is None, a PSNR of
        identical pictures ``inf``.
        """
        lines = []
        for row in self.rows:
            line: JsonObject = {"model": row.name, "kind": row.kind, "group": row.group}
            for column in self.columns:
                cell = row.cell(column.name)
                line[column.name] = cell.value if cell.text is None else cell.text
                if cell.n is not None:
                    line[f"{column.name}_n"] = cell.n
            lines.append(line)
        return lines

    def _repr_markdown_(self) -> str:
        from editgauge.tables.draw import draw

        return draw(self, "markdown")


def printed(value: float, digits: int) -> str:
    """A number as the papers print it: fixed digits, an exact half rounded up (49.625 -> 49.63, as
    in KRIS-Bench), where Python's own formatting rounds to the even digit.
    """
    if not math.isfinite(value) or abs(value) >= 1e15:
        return f"{value:.{digits}f}"
    text = str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
    return text.lstrip("-") if not text.strip("-0.") else text


def notes_of_columns(table: Table) -> list[str]:
    """The columns' own notes, each once, behind the headings of the columns that have it."""
    by_note: dict[str, list[str]] = {}
    for column in table.columns:
        if column.note and column.comparable:
            by_note.setdefault(column.note, []).append(" ".join(column.heading))
    return [f"{', '.join(headings)}: {note}" for note, headings in by_note.items()]


def with_numbers(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[Column]:
    """The columns that have a number in any line; all of them where none has."""

    def there(cell: Cell) -> bool:
        return any(one is not None for one in (cell.value, cell.floor, cell.text))

    kept = [c for c in columns if any(there(row.cell(c.name)) for row in rows)]
    return kept or list(columns)


class Standing(NamedTuple):
    """Which lines are best and second in each column: sets of (line number, column name)."""

    best: frozenset[tuple[int, str]]
    second: frozenset[tuple[int, str]]


def standing(table: Table) -> Standing:
    """The best and second best of each column, by the numbers as they are printed. A place that
    several share is nobody's: neither of two equal bests is marked, and the one behind them is
    third. The worst is never second.

    Each column is ranked by itself, and lines are compared within their group and section. A run's
    lines are compared only where all of them were scored on the same samples
    (`Column.comparable`, and equal counts). Published lines join them only in columns that are
    complete (`Column.complete`); else they are left out. One line alone is neither best nor second.
    """
    best: set[tuple[int, str]] = set()
    second: set[tuple[int, str]] = set()
    only_published = all(row.kind != "run" for row in table.rows)
    for column in table.columns:
        ranked = {"run", "published"} if column.complete or only_published else {"run"}
        groups: dict[tuple[str, str], list[int]] = {}
        for line, row in enumerate(table.rows):
            if row.kind in ranked:
                groups.setdefault((row.group, row.section), []).append(line)
        for lines in groups.values():
            first, next_one = _first_two(table, column, lines)
            if first is not None:
                best.add((first, column.name))
            if next_one is not None:
                second.add((next_one, column.name))
    return Standing(frozenset(best), frozenset(second))


def _first_two(table: Table, column: Column, lines: Sequence[int]) -> tuple[int | None, int | None]:
    """The best and the second best of some lines in a column; None for a place that is nobody's."""
    if not column.comparable or column.direction is None:
        return None, None
    sign = -1 if column.direction == "higher" else 1
    numbers: dict[int, float] = {}
    counts: set[int | None] = set()
    for line in lines:
        cell = table.rows[line].cell(column.name)
        if cell.value is None:
            continue
        numbers[line] = sign * float(printed(cell.value, column.digits))
        if table.rows[line].kind == "run":
            counts.add(cell.n)
    if len(counts) > 1:
        return None, None  # of other samples
    order = sorted(numbers, key=numbers.__getitem__)
    values = list(numbers.values())
    places: list[int | None] = []
    for line in order[:2]:
        alone = values.count(numbers[line]) == 1 and numbers[line] != max(values)
        places.append(line if alone else None)
    places += [None, None]
    return places[0], places[1]
