"""What a table is made of: means (a metric on some samples), columns made of means, the paper's
rows. Benchmarks write `PaperTable` constants; `build` computes tables from them.
"""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from editgauge.metrics import PEAK
from editgauge.tables.results import Results
from editgauge.tables.table import Cell, TableRow
from editgauge.types import Metric, Variant

Floats = NDArray[np.float64]
Sizes = Sequence[int]
Formula = Callable[[Floats, Sizes], Floats]
"""Means (..., means), and how many samples each is about, to the column's value (...)."""


def only(means: Floats, sizes: Sizes) -> Floats:
    """The column's only mean."""
    del sizes
    return np.asarray(means[..., 0])


def total(means: Floats, sizes: Sizes) -> Floats:
    """The sum of the column's means; nothing when one of them has no score."""
    del sizes
    return np.asarray(means.sum(axis=-1))


def psnr_of_mean(means: Floats, sizes: Sizes) -> Floats:
    """PSNR in dB of a mean squared error, infinite for 0 (protocols: conventions for all)."""
    with np.errstate(divide="ignore"):
        return np.asarray(10 * np.log10(PEAK**2 / only(means, sizes)))


def squared_error(psnr: Floats) -> Floats:
    """The mean squared errors behind PSNRs in dB; 0 behind an infinite one."""
    return np.asarray(PEAK**2 * 10.0 ** (-psnr / 10.0))


@dataclass(frozen=True, slots=True)
class Mean:
    """Numbers that are averaged: one metric, by its name, on the samples with the labels in
    `where`.

    `shown` turns the raw values of single replies (any shape, NaN = none) into the table's scale,
    before they are averaged over repeats and samples; it is given the values of `metric` and, where
    a score depends on others of the same answer, of each of `others`. A failure counts as
    `Metric.failure`, put on that scale.
    `not_applicable` is the raw value that a sample counts as which the editor cannot take; None
    leaves it out.
    """

    metric: str
    where: Mapping[str, str] = field(default_factory=dict)
    shown: Callable[..., Floats] | None = None
    others: tuple[str, ...] = ()
    not_applicable: float | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """Every metric that the mean is made of, its own first."""
        return (self.metric, *self.others)

    def scaled(self, raw: Sequence[Any]) -> Any:
        """Raw values of `parts` on the table's scale."""
        return raw[0] if self.shown is None else self.shown(*raw)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: a formula over means. `above` are the headings over its own.

    `shows` says whose heading, digits and direction it has: the metric's of its first mean where it
    is empty; else another metric's of the benchmark, or a `Metric` of this table alone, which no
    row has. `where` are the labels of the samples behind it, by default those that all its means
    share. `on_demand`: shown only where its table is asked for by name. `smooth`: a formula that
    rounds without its rounding; intervals are made of it.
    """

    name: str
    of: tuple[Mean, ...] = ()
    above: tuple[str, ...] = ()
    shows: str | Metric = ""
    formula: Formula = only
    where: Mapping[str, str] | None = None
    note: str = ""
    on_demand: bool = False
    smooth: Formula | None = None

    @property
    def labels(self) -> dict[str, str]:
        """The labels of the samples behind the column."""
        if self.where is not None:
            return dict(self.where)
        shared = [mean.where.items() for mean in self.of]
        return dict(set(shared[0]).intersection(*shared[1:])) if shared else {}

    @property
    def is_mean(self) -> bool:
        """Whether it is one mean as it is."""
        return len(self.of) == 1 and self.formula is only

    @property
    def metric(self) -> str:
        """The name of the metric that it shows."""
        shown = self.shows or (self.of[0].metric if self.of else "")
        return shown.name if isinstance(shown, Metric) else shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The paper's lines: `rows` reads them, `note` says where they stand. `made_with` is the judge
    or engine that made the paper's values of `metric` (`is_it`: whether a source is that one, by
    default by its name); beside rows of another nothing is compared.
    """

    rows: Callable[[], Sequence[TableRow]]
    note: str
    made_with: str = ""
    metric: str = ""
    is_it: Callable[[str], bool] | None = None

    def other_maker(self, frame: Results) -> str:
        """`made_with`, where something else made the frame's rows; else ""."""
        named = [source for source in frame.sources_of(self.metric) if source]
        same = self.is_it or (lambda source: is_model(source, self.made_with))
        return "" if all(same(source) for source in named) else self.made_with


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable:
    """A table of a paper.

    `columns`, and `corrected` those of the corrected variant where they are made otherwise;
    `fixed`: the only variant that it has. `strata`: the label by which intervals keep the table's
    weighting. `transposed`: editors across and columns down; `halves`: the columns in two halves,
    the second below the first. `size`: samples in the full release. `headline`: the column that
    says who is best.
    `published`: the first is taken, or the one whose judge made the run's rows; `alone`: show it on
    demand where the run has no rows of the table. `sections`: put each line under the heading that
    the paper has for its model (`models.ModelFacts`); `params`: print its number of parameters.
    `repeats`: the columns (else the headline) that are put beside each other, run by run, where a
    judge ran several times; in `published_repeats` they are called ``<column>_run<number>``.
    `lines` makes the run's lines where they are none of one editor each, from the frame, the
    variant and whether intervals are made.
    """

    name: str
    title: str
    columns: Sequence[Column]
    corrected: Sequence[Column] = ()
    strata: str = ""
    size: int | None = None
    headline: str = ""
    transposed: bool = False
    halves: bool = False
    notes: Sequence[str] = ()
    published: Sequence[Published] = ()
    alone: bool = False
    sections: bool = False
    params: bool = False
    repeats: Sequence[str] = ()
    published_repeats: Published | None = None
    fixed: Variant | None = None
    lines: Callable[[Results, Variant, bool], Sequence[TableRow]] | None = None

    def of_variant(self, variant: Variant) -> Sequence[Column]:
        """The columns of a variant."""
        return self.corrected if variant == "corrected" and self.corrected else self.columns

    def always(self) -> PaperTable:
        """The table without the columns that are shown on demand."""
        columns = [column for column in self.columns if not column.on_demand]
        corrected = [column for column in self.corrected if not column.on_demand]
        return replace(self, columns=columns, corrected=corrected)

    def of_one(self, column: Column) -> PaperTable:
        """A table of this column alone, without the paper's lines and facts."""
        return replace(
            self, columns=(column,), corrected=(), published=(), params=False, sections=False
        )

    @property
    def every_column(self) -> Sequence[Column]:
        return [*self.columns, *self.corrected]

    @property
    def parts(self) -> frozenset[str]:
        """The names of every metric that the table is made of."""
        means = (mean for column in self.every_column for mean in column.of)
        return frozenset(part for mean in means for part in mean.parts)

    @property
    def metrics(self) -> frozenset[str]:
        """The names of every metric that the table shows or is made of."""
        return self.parts | {column.metric for column in self.every_column}

    def publication(self, frame: Results) -> Published | None:
        """The published lines that belong beside the frame's rows; None where there are none."""
        fitting = [one for one in self.published if not one.other_maker(frame)]
        return next(iter([*fitting, *self.published]), None)


def generic(
    frame: Results, *, name: str = "", title: str = "", without: Collection[str] = ()
) -> list[PaperTable]:
    """A table with a mean for every metric with rows, but those in `without`; or none."""
    shown = [metric for metric in frame.metrics if metric not in without and frame.has(metric)]
    table = PaperTable(
        name=name or f"{frame.benchmark}.metrics",
        title=title or frame.benchmark,
        columns=[Column(metric, (Mean(metric),)) for metric in shown],
        strata="split",
    )
    return [table] if shown else []


def is_model(source: str, model: str) -> bool:
    """Whether a source is a version of a model: ``gpt-4o-2024-11-20#1f`` is one of ``GPT-4o``, and
    ``gpt-4o-mini`` is none.
    """
    name = source.partition("#")[0].rpartition("/")[2].partition("[")[0]
    version = r"(-(\d+|instruct|preview|latest))*"
    return re.fullmatch(re.escape(model) + version, name, re.IGNORECASE) is not None


# -- the papers' numbers ---------------------------------------------------------------------------


def records(path: Path) -> list[dict[str, str]]:
    """The lines of a csv file by their headings."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_published(path: Path, columns: Collection[str]) -> list[TableRow]:
    """The lines of a published table with the headings ``model`` and `columns`; a line called Mean
    is of kind ``mean``. Cells that are not numbers ("-") are left out.
    """
    rows = []
    for record in records(path):
        cells = {}
        for column in columns:
            with contextlib.suppress(ValueError, KeyError):
                cells[column] = Cell(value=float(record[column]))
        name = record["model"]
        kind: Literal["mean", "published"] = "mean" if name == "Mean" else "published"
        rows.append(TableRow(name=name, cells=cells, kind=kind))
    return rows


def read_published_turned(path: Path) -> list[TableRow]:
    """As `read_published`, of a file with models across and columns ``<dimension>/<metric>``."""
    cells: dict[str, dict[str, Cell]] = {}
    for record in records(path):
        name = f"{record.pop('dimension')}/{record.pop('metric')}"
        for model, value in record.items():
            cells.setdefault(model, {})[name] = Cell(value=float(value))
    return published_rows(cells)


def published_rows(cells: Mapping[str, Mapping[str, Cell]]) -> list[TableRow]:
    """A paper's lines from the cells of each model."""
    return [TableRow(name=model, cells=mine, kind="published") for model, mine in cells.items()]
