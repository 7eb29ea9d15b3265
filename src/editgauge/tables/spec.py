"""What a table is made of: leaves (a metric on some samples), fields (columns made of leaves), the
papers' rows.

Benchmarks write layouts; `tabulate` computes tables from them.
"""

from __future__ import annotations

import contextlib
import csv
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from editgauge.metrics import PEAK
from editgauge.tables import stats
from editgauge.tables.frame import Frame
from editgauge.tables.table import Cell, Column, TableRow
from editgauge.types import Metric, Variant

Floats = NDArray[np.float64]
Formula = Callable[[Sequence[stats.Moments]], Floats]
"""The moments of a field's leaves, each of any shape (...), to the cell's value (...)."""


def plain_mean(parts: Sequence[stats.Moments]) -> Floats:
    """The mean of the field's only leaf."""
    return parts[0].mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """Numbers that are averaged: one metric on the samples that have the labels in `where`.

    `shown` turns raw values (any shape, NaN = none) into the table's scale before they are
    averaged; it is given the values of `metric` and, where a score depends on others of the same
    answer, of each of `others`. A failure counts as `Metric.failure`, put on that scale.
    `not_applicable` is the raw value that a sample counts as which the editor cannot take
    (KRIS-Bench gives it the lowest score); None leaves it out.
    """

    metric: Metric
    variant: Variant
    others: tuple[Metric, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    shown: Callable[..., Floats] | None = None
    not_applicable: float | None = None

    @property
    def parts(self) -> tuple[Metric, ...]:
        """Every metric that the leaf is made of, its own first."""
        return (self.metric, *self.others)

    @property
    def failure(self) -> float | None:
        """What a failure counts as on the table's scale; None where the scale has no minimum."""
        raw = [metric.failure for metric in self.parts]
        known = [np.asarray(value, np.float64) for value in raw if value is not None]
        if len(known) < len(raw):
            return None
        return float(known[0] if self.shown is None else self.shown(*known))


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One column: which metric it shows, which leaves it is made of, and how.

    `metric` is what the numbers are one value of, sample by sample: for a column of several leaves
    a derived metric. `where` are the labels of the samples behind the numbers.
    """

    column: Column
    metric: Metric
    leaves: tuple[str, ...]
    formula: Formula = plain_mean
    where: Mapping[str, str] = field(default_factory=dict)
    only_here: bool = False
    """Whether `metric` is one of this table alone, which no row has: what feeds the column are its
    leaves.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
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
    published_with: str = ""
    """What the published lines were made with (a judge), where the run's rows were made with
    something else: they are shown, a note says so, and nothing is compared with them.
    """
    sections: bool = False
    """Put each line under the heading that the paper has for its model (`models.ModelFacts`)."""
    params: bool = False
    """Print each model's number of parameters."""
    published_alone: bool = False
    """Show the published lines where they are asked for and the run has no rows of the table."""
    average: bool = False
    """Add a line with the mean of the run's models, as the papers' Mean rows are made."""
    said_of_slices: Mapping[str, str] = field(default_factory=dict)
    """An attribute -> what is said below the table where it is sliced by it."""
    repeats: Sequence[str] = ()
    """The columns that are put beside each other, run by run, where a judge ran several times."""
    published_repeats: Sequence[TableRow] = ()
    """The paper's lines of that table; its columns are called ``<column>_run<number>``."""
    published_repeats_note: str = ""
    lines: Callable[[Frame, Variant, bool, int], Sequence[TableRow]] | None = None
    """Makes the run's lines where they are none of one editor each, from the frame, the variant,
    and with which seed intervals are made, if at all.
    """

    @property
    def metrics(self) -> frozenset[str]:
        """The names of every metric that the table shows or is made of."""
        made = {part.name for leaf in self.leaves.values() for part in leaf.parts}
        return frozenset(made | {item.metric.name for item in self.fields})


class Sheet:
    """Collects the leaves and fields of a layout.

    Heading, digits and direction of a column are those of the metric that it shows.
    """

    def __init__(self) -> None:
        self.leaves: dict[str, Leaf] = {}
        self.fields: list[Field] = []

    def add(
        self,
        name: str,
        leaf: Leaf,
        *,
        above: tuple[str, ...] = (),
        shows: Metric | None = None,
        note: str = "",
        formula: Formula = plain_mean,
    ) -> None:
        """A column made of one leaf, which gets the column's name. `above` are the headings over
        the metric's own; `shows` is the metric of the column where it is not the leaf's (a PSNR
        made from squared errors).
        """
        self.leaves[name] = leaf
        metric = shows or leaf.metric
        column = _column(name, (*above, metric.title), metric, note)
        self.fields.append(
            Field(column=column, metric=metric, leaves=(name,), formula=formula, where=leaf.where)
        )

    def combine(
        self,
        name: str,
        metric: Metric,
        leaves: Sequence[str],
        formula: Formula,
        *,
        above: tuple[str, ...] = (),
        where: Mapping[str, str] | None = None,
        note: str = "",
        only_here: bool = False,
    ) -> None:
        """A column made of leaves of other columns, for a derived `metric` or one of this table
        (`only_here`).

        `where` are the labels of its samples; by default those that all of the leaves share.
        """
        if where is None:
            shared = [self.leaves[leaf].where.items() for leaf in leaves]
            where = dict(set(shared[0]).intersection(*shared[1:])) if shared else {}
        self.fields.append(
            Field(
                column=_column(name, (*above, metric.title), metric, note),
                metric=metric,
                leaves=tuple(leaves),
                formula=formula,
                where=where,
                only_here=only_here,
            )
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


def generic(
    frame: Frame,
    variant: Variant,
    *,
    metrics: Mapping[str, Metric] | None = None,
    without: Collection[str] = (),
) -> list[Layout]:
    """One table with a mean for every metric that has rows, but for those in `without`; none when
    there is none.

    `metrics` is what is known of them, by default what the frame's runs say.
    """
    sheet = Sheet()
    known = frame.described if metrics is None else metrics
    for name in frame.metrics:
        made, note = choose(frame, name, variant)
        if name in without or not frame.has(name, made):
            continue
        sheet.add(name, Leaf(metric=_of_rows(frame, known, name, made), variant=made), note=note)
    if not sheet.fields:
        return []
    return [
        Layout(
            name=f"{frame.benchmark}.metrics",
            title=frame.benchmark,
            leaves=sheet.leaves,
            fields=sheet.fields,
            variant=variant,
            strata="split",
        )
    ]


def unknown(name: str) -> Metric:
    """The metric of rows of which nobody here knows anything: without a direction and a range."""
    return Metric(name, direction=None, low=-math.inf, high=math.inf)


def _of_rows(frame: Frame, known: Mapping[str, Metric], name: str, made: Variant) -> Metric:
    """What is known of a metric, or, from its rows, whether it is one of the whole set."""
    if name in known:
        return known[name]
    whole = (
        not (~np.isnan(frame.grid(name, made).values)).any()
        and (~np.isnan(frame.of_set(name, made))).any()
    )
    return replace(unknown(name), whole_set=bool(whole))


def _column(name: str, heading: tuple[str, ...], metric: Metric, note: str) -> Column:
    return Column(
        name=name, heading=heading, digits=metric.digits, direction=metric.direction, note=note
    )


_WORD = "(?:instruct|preview|latest)"
_VERSION = re.compile(rf"(?:-(?:{_WORD}|\d(?:[\d-](?!{_WORD}))*+))*+(?:\[.*\])?")
"""What may follow a model's name in that of one of its versions, asked with some prompt set."""


def is_model(source: str, model: str) -> bool:
    """Whether a source is a version of a model: ``gpt-4o-2024-11-20#1f`` is one of ``GPT-4o``, and
    ``gpt-4o-mini`` is none.
    """
    name = source.partition("#")[0].rpartition("/")[2].casefold()
    rest = name.removeprefix(model.casefold())
    return rest != name and _VERSION.fullmatch(rest) is not None


def made_with(frame: Frame, metric: str, model: str) -> str:
    """The judge or engine that a paper's lines were made with, where another made the frame's rows
    of the metric: for `Layout.published_with`. "" where it made them, or nobody is named.
    """
    named = [source for source in frame.sources_of(metric) if source]
    return model if any(not is_model(source, model) for source in named) else ""


def psnr_of_mean(parts: Sequence[stats.Moments]) -> Floats:
    """The PSNR in dB of a mean squared error; infinite where that is 0 (protocols: conventions for
    all).
    """
    with np.errstate(divide="ignore"):
        return np.asarray(10 * np.log10(PEAK**2 / parts[0].mean))


def squared_error(psnr: Floats) -> Floats:
    """The mean squared errors behind PSNRs in dB; 0 behind an infinite one."""
    return np.asarray(PEAK**2 * 10.0 ** (-psnr / 10.0))


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
                    cells[column] = Cell(value=float(record[heading]))
            rows.append(
                TableRow(
                    name=record[name],
                    cells=cells,
                    kind="mean" if record[name] == "Mean" else "published",
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
            name=model,
            cells={
                columns[record[keys[0]], record[keys[1]]]: Cell(value=float(record[model]))
                for record in records
                if (record[keys[0]], record[keys[1]]) in columns
            },
            kind="published",
        )
        for model in models
    ]
