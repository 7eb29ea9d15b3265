"""What a table is made of: leaves (a metric on some samples), fields (columns made of leaves), the
papers' rows.

Benchmarks write layouts; `tabulate` computes tables from them.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from editgauge.tables import stats
from editgauge.tables.frame import Frame
from editgauge.tables.table import Cell, Column, TableRow
from editgauge.types import Direction, Variant

Floats = NDArray[np.float64]
Formula = Callable[[Sequence[stats.Moments]], Floats]
"""The moments of a field's leaves, each of any shape (...), to the cell's value (...)."""


def plain_mean(parts: Sequence[stats.Moments]) -> Floats:
    """The mean of the field's only leaf."""
    return parts[0].mean


@dataclass(frozen=True, slots=True)
class Leaf:
    """Numbers that are averaged: one metric on the samples that have the labels in `where`.

    `shown` turns raw values (any shape, NaN = none) into the table's scale before they are
    averaged; it is given the values of `metric` and, where a score depends on others of the same
    answer, of each of `others`. `worst` is what a failure counts as in the mean with failures, on
    that scale. `not_applicable` is the raw value that a sample counts as which the editor cannot
    take (KRIS-Bench gives it the lowest score); None leaves it out.
    """

    metric: str
    variant: Variant
    others: tuple[str, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    shown: Callable[..., Floats] | None = None
    worst: float | None = None
    not_applicable: float | None = None
    whole_set: bool = False
    """One value for the whole set (FID): it has no count and no interval, and no slices."""


@dataclass(frozen=True, slots=True)
class Field:
    """One column: how it looks, which leaves it is made of, and how."""

    column: Column
    leaves: tuple[str, ...]
    formula: Formula = plain_mean


@dataclass(frozen=True, slots=True)
class Layout:
    """What a table is made of. `strata` is the label by which the bootstrap keeps the table's
    weighting; `size` the number of samples in the full release; `published` the papers' lines.
    """

    name: str
    title: str
    leaves: Mapping[str, Leaf]
    fields: Sequence[Field]
    variant: Variant
    strata: str = ""
    size: int | None = None
    transposed: bool = False
    notes: Sequence[str] = ()
    headline: str = ""
    """The column that says who is best, for rank stability."""
    published: Sequence[TableRow] = ()
    published_note: str = ""


class Sheet:
    """Collects the leaves and fields of a layout."""

    def __init__(self) -> None:
        self.leaves: dict[str, Leaf] = {}
        self.fields: list[Field] = []

    def add(
        self,
        name: str,
        heading: tuple[str, ...],
        leaf: Leaf,
        *,
        digits: int = 3,
        direction: Direction | None = "higher",
        note: str = "",
        formula: Formula = plain_mean,
    ) -> None:
        """A column made of one leaf, which gets the column's name."""
        self.leaves[name] = leaf
        self.fields.append(Field(Column(name, heading, digits, direction, note), (name,), formula))

    def combine(
        self,
        name: str,
        heading: tuple[str, ...],
        leaves: Sequence[str],
        formula: Formula,
        *,
        digits: int = 3,
        direction: Direction | None = "higher",
        note: str = "",
    ) -> None:
        """A column made of leaves of other columns."""
        self.fields.append(
            Field(Column(name, heading, digits, direction, note), tuple(leaves), formula)
        )

    @property
    def names(self) -> dict[str, str]:
        """Every column's name to itself: for published files whose headings are the columns'
        names.
        """
        return {item.column.name: item.column.name for item in self.fields}


def choose(frame: Frame, metric: str, variant: Variant) -> tuple[Variant, str]:
    """The variant to read a metric in, and a note: the wanted one where it has rows or nothing has,
    else the other.
    """
    other: Variant = "corrected" if variant == "faithful" else "faithful"
    if frame.has(metric, other) and not frame.has(metric, variant):
        return other, f"{other} ({metric} has no {variant} values here)"
    return variant, ""


_KNOWN: dict[str, tuple[str, Direction, int, float | None]] = {
    "ssim": ("SSIM", "higher", 3, 0.0), "masked_ssim": ("CP", "higher", 3, 0.0),
    "ssim_full": ("SSIM", "higher", 3, 0.0), "psnr": ("PSNR", "higher", 3, 0.0),
    "reference_ssim": ("SSIM to reference", "higher", 3, 0.0),
    "reference_psnr": ("PSNR to reference", "higher", 2, 0.0),
    "mse": ("MSE", "lower", 3, 65025.0), "lpips": ("LPIPS", "lower", 3, 1.0),
    "fid": ("FID", "lower", 2, None),
}  # fmt: skip
"""Metric -> heading, direction, digits, what a failure counts as: for layouts that nobody wrote."""


def generic(frame: Frame, variant: Variant, *, without: Collection[str] = ()) -> list[Layout]:
    """One table with a mean for every metric that has rows, but for those in `without`; none when
    there is none.
    """
    sheet = Sheet()
    for metric in frame.metrics:
        made, note = choose(frame, metric, variant)
        if metric in without or not frame.has(metric, made):
            continue
        heading, direction, digits, worst = _KNOWN.get(metric, (metric, None, 3, None))
        whole = (
            not (~np.isnan(frame.grid(metric, made).values)).any()
            and (~np.isnan(frame.of_set(metric, made))).any()
        )
        leaf = Leaf(metric, made, worst=worst, whole_set=bool(whole))
        sheet.add(metric, (heading,), leaf, digits=digits, direction=direction, note=note)
    if not sheet.fields:
        return []
    return [
        Layout(
            f"{frame.benchmark}.metrics",
            frame.benchmark,
            sheet.leaves,
            sheet.fields,
            variant,
            strata="split",
        )
    ]


# -- the papers' numbers ---------------------------------------------------------------------------


def read_published(
    path: Path, columns: Mapping[str, str], *, name: str = "model"
) -> list[TableRow]:
    """The lines of a published table: `columns` maps its headings to names of columns; a line
    called Mean is of kind ``mean``. Cells that are not numbers ("-") are left out.
    """
    rows = []
    with path.open(encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            cells = {}
            for heading, column in columns.items():
                with contextlib.suppress(ValueError):
                    cells[column] = Cell(float(record[heading]))
            rows.append(
                TableRow(
                    record[name], cells, kind="mean" if record[name] == "Mean" else "published"
                )
            )
    return rows


def read_published_turned(
    path: Path,
    columns: Mapping[tuple[str, str], str],
    *,
    keys: tuple[str, str] = ("dimension", "metric"),
) -> list[TableRow]:
    """As `read_published`, of a file with models across: `columns` maps the texts in the `keys`
    columns to names.
    """
    with path.open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    models = [heading for heading in (records[0] if records else {}) if heading not in keys]
    return [
        TableRow(
            model,
            {
                columns[record[keys[0]], record[keys[1]]]: Cell(float(record[model]))
                for record in records
                if (record[keys[0]], record[keys[1]]) in columns
            },
            kind="published",
        )
        for model in models
    ]
