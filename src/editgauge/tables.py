"""A table as data: built by benchmarks from rows, drawn by `reports.table` in any format. Pure; imports only types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from editgauge.types import Direction


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a table, with its count.

    `value` is None when nothing was scored; it may be ``inf`` (a PSNR of identical pictures). `n` pictures have a
    score, of `of` in the benchmark; a published number has neither. `low` and `high` bound the interval, when there
    is one; `floor` is the mean with failures at the scale's minimum, where that is asked for.
    """

    value: float | None
    n: int | None = None
    of: int | None = None
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    text: str | None = None
    """What is printed instead of the number (a name, a date)."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: a heading of one or more levels, how its numbers are printed, and which direction is better."""

    name: str
    """Machine name, unique in the table: ``real_ssim``."""
    heading: tuple[str, ...]
    """Broad to narrow: ``("Real", "SSIM")``."""
    digits: int = 3
    direction: Direction | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line: an editor, or a paper's model. `kind` tells a run's own numbers from a paper's."""

    name: str
    cells: Mapping[str, Cell]
    kind: Literal["run", "published", "mean"] = "run"


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table with notes below it. `size` is the number of samples in the benchmark (or slice)."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[TableRow]
    benchmark: str = ""
    variant: str = ""
    source: str = ""
    size: int | None = None
    notes: Sequence[str] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
