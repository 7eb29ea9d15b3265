"""A table as data: built by benchmarks from rows, drawn by `reports.table` in any format. Pure;
imports only types.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Literal, NamedTuple

from editgauge.types import Direction


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a table, with its count.

    `value` is None when nothing was scored; it may be ``inf`` (a PSNR of identical pictures). `n`
    pictures have a score, of `of` in the benchmark; a published number has neither. `low` and
    `high` bound the interval, when there is one; `floor` is the mean with failures at the scale's
    minimum, where that is asked for.
    """

    value: float | None
    n: int | None = None
    of: int | None = None
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    text: str | None = None
    """What is printed instead of the number (a name, a date)."""
    interval_digits: int | None = None
    """How many decimals of `low` and `high` are more than the noise of resampling: no more are
    printed. Below 0: tens, hundreds. None: as many as the column has.
    """


@dataclass(frozen=True, slots=True)
class Column:
    """A column: a heading of one or more levels, how its numbers are printed, and which direction
    is better.
    """

    name: str
    """Machine name, unique in the table: ``real_ssim``."""
    heading: tuple[str, ...]
    """Broad to narrow: ``("Real", "SSIM")``."""
    digits: int = 3
    direction: Direction | None = None
    note: str = ""
    comparable: bool = True
    """False where the run's editors were not scored on the same samples: no best, no rank; `note`
    says why.
    """


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line: an editor, or a paper's model.

    `kind` tells a run's own numbers (``run``, and ``edited`` without the inputs that were handed
    back) from a paper's.
    """

    name: str
    cells: Mapping[str, Cell]
    kind: Literal["run", "edited", "published", "mean"] = "run"
    group: str = ""
    """The slice that the line belongs to; lines are compared within a group only."""
    section: str = ""
    """The paper's heading over the line (``Closed-Source Models``): best and second are told in
    each.
    """


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table with notes below it. `size` is the number of samples in the benchmark (or
    slice).
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
    by: str = ""
    """What `TableRow.group` is a value of, in a sliced table."""
    transposed: bool = False
    """Draw editors across and columns down, as the paper does."""
    meta: Mapping[str, Any] = field(default_factory=dict)


OWN = ("run", "edited")
"""The kinds of lines that are a run's own numbers."""


def printed(value: float, digits: int) -> str:
    """A number as the papers print it: fixed digits, an exact half rounded up (49.625 -> 49.63, as
    in KRIS-Bench).

    Python's own formatting rounds such a half to the even digit. Infinite values are ``inf``.
    """
    if not math.isfinite(value) or abs(value) >= 1e15:
        return f"{value:.{digits}f}"
    text = str(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
    return text.lstrip("-") if not text.strip("-0.") else text


class Standing(NamedTuple):
    """Which lines are best and second in each column: sets of (line number, column name)."""

    best: frozenset[tuple[int, str]]
    second: frozenset[tuple[int, str]]


def standing(table: Table) -> Standing:
    """The best and second best of each column, by the numbers as they are printed; equal ones share
    the place.

    Lines are compared within their group and section. A run's lines are compared only where all of
    them were scored on the same samples (`Column.comparable`, and equal counts). Published lines
    join them only where the run covers the whole release and was made as the paper says
    (`meta["complete"]`); else they are left out. One line alone is neither best nor second.
    """
    best: set[tuple[int, str]] = set()
    second: set[tuple[int, str]] = set()
    complete = bool(table.meta.get("complete"))
    own = any(row.kind == "run" for row in table.rows)
    groups = dict.fromkeys((row.group, row.section) for row in table.rows)
    for column in table.columns:
        if column.direction is None or not column.comparable:
            continue
        for group in groups:
            found: dict[int, float] = {}
            counts = set()
            for number, row in enumerate(table.rows):
                cell = row.cells.get(column.name)
                wanted = row.kind == "run" or (row.kind == "published" and (complete or not own))
                here = (row.group, row.section) == group and wanted
                if here and cell is not None and cell.value is not None:
                    found[number] = float(printed(cell.value, column.digits))
                    if row.kind == "run":
                        counts.add(cell.n)
            if len(found) < 2 or len(counts) > 1:
                continue
            order = sorted(set(found.values()), reverse=column.direction == "higher")
            best |= {(number, column.name) for number, value in found.items() if value == order[0]}
            if len(order) > 1:
                second |= {
                    (number, column.name) for number, value in found.items() if value == order[1]
                }
    return Standing(frozenset(best), frozenset(second))
