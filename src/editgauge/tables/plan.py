"""A table settled for some results: which columns it has, which means they are made of, and those
means on every sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editgauge.tables import spec
from editgauge.tables.metrics import choose, declared_of, metrics_of, unknown
from editgauge.tables.results import STATUSES, Codes, Mask, Results, excused
from editgauge.tables.spec import Floats, Mean, PaperTable
from editgauge.tables.table import Column
from editgauge.types import Metric, Status, Variant


@dataclass(frozen=True, slots=True)
class Field:
    """A column that is settled for some results: what is drawn, which means it is made of (places
    among those of the table), and of which variant.
    """

    column: Column
    spec: spec.Column
    metric: Metric
    places: tuple[int, ...]
    variant: Variant

    @property
    def whole_set(self) -> bool:
        return not self.places and bool(self.spec.of)


@dataclass(frozen=True, slots=True)
class Plan:
    """A table settled for results and a variant: its columns, and the means behind them with the
    variant that each is read in.
    """

    table: PaperTable
    variant: Variant
    fields: tuple[Field, ...]
    means: tuple[tuple[Mean, Variant], ...]
    metrics: Mapping[str, Metric]


def plan(results: Results, table: PaperTable, variant: Variant) -> Plan:
    """The table's columns for the rows: metrics read in the wanted variant where they have rows of
    it, with a note where they have not.
    """
    known, declared = metrics_of(results), declared_of(results)
    wanted = table.fixed or variant
    places: dict[int, int] = {}
    means: list[tuple[Mean, Variant]] = []
    fields = []
    for column in table.of_variant(wanted):
        metric = column.shows if isinstance(column.shows, Metric) else known.get(column.metric)
        metric = metric or declared.get(column.metric) or unknown(column.metric)
        note, variant_made = column.note, wanted
        for mean in column.of:
            variant_made, note_made = choose(results, mean.metric, wanted)
            note = note or ("" if column.shows else note_made)
            if id(mean) not in places and not known.get(mean.metric, metric).whole_set:
                places[id(mean)] = len(means)
                means.append((mean, variant_made))
        drawn = Column(
            name=column.name,
            heading=(*column.above, metric.title),
            digits=metric.digits,
            direction=metric.direction,
            note=note,
        )
        at = tuple(places[id(mean)] for mean in column.of if id(mean) in places)
        fields.append(Field(drawn, column, metric, at, variant_made))
    return Plan(table, wanted, tuple(fields), tuple(means), known)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The means of a plan on a set of samples: `values` (E, L, S), NaN = no score; `filled` the
    same with failures at the minimum; `out` (E, L, S): the protocol or the data give no score;
    `defined` (L, S): the samples that belong to the mean; `sizes` (L,): how many samples of the
    data it is about.
    """

    values: Floats
    filled: Floats
    out: Mask
    defined: Mask
    sizes: NDArray[np.int64]

    def scored(self, field: Field) -> tuple[Mask, Mask]:
        """(E, S): samples with a score of every mean of the field that they belong to; (S,):
        samples of the field.
        """
        places = list(field.places)
        belongs = self.defined[places]  # (l, S)
        given = ~np.isnan(self.values[:, places])  # (E, l, S)
        anywhere = np.asarray(belongs.any(axis=0))
        return np.asarray((given | ~belongs).all(axis=1) & anywhere), anywhere

    def evaluate(self, fields: Sequence[Field], means: Floats) -> Floats:
        """Means (..., L) -> cells (..., F); NaN for a metric of the whole set."""
        cells = [np.full(means.shape[:-1], np.nan)] * len(fields)
        for number, field in enumerate(fields):
            if field.places:
                places = list(field.places)
                cells[number] = field.spec.formula(means[..., places], self.sizes[places].tolist())
        return np.stack(cells, axis=-1)


def matrix(results: Results, made: Plan) -> Matrix:
    """Every mean of the plan that is one over samples, on all samples of the results."""
    shape = (len(results.editors), len(made.means), len(results.samples))
    values, filled = np.full(shape, np.nan), np.full(shape, np.nan)
    out, defined = np.zeros(shape, dtype=np.bool_), np.zeros(shape[1:], dtype=np.bool_)
    for number, (mean, variant) in enumerate(made.means):
        here = labelled(results, mean.where)
        grids = [results.grid(part, variant) for part in mean.parts]
        raw = [grid.values for grid in grids]
        defined[number] = here & grids[0].defined
        if (lowest := mean.not_applicable) is not None:
            defined[number] = here
            raw = [np.where(_cannot(results, g.status), lowest, g.values) for g in grids]
        shown = raw[0] if mean.shown is None else mean.shown(*raw)
        failed = np.isnan(shown) & np.logical_or.reduce([grid.failed for grid in grids])
        floor = floor_of(mean, made.metrics)
        worst = np.where(failed, np.nan if floor is None else floor, shown)
        values[:, number] = np.where(here, shown, np.nan)
        filled[:, number] = np.where(here, worst, np.nan)
        out[:, number] = excused(grids[0].status)
    sizes = [labelled(results, mean.where).sum() for mean, _ in made.means]
    return Matrix(values, filled, out, defined, np.array(sizes, np.int64))


def _cannot(results: Results, status: Codes) -> Mask:
    """(E, S): the editor cannot take the sample: not applicable, or missing where the sample has
    several pictures and the editor is known to take one only.
    """
    cannot = status == STATUSES.index(Status.NOT_APPLICABLE)
    if "multi_image" in results.samples.names():
        several = results.samples.labels("multi_image") == "true"
        single = np.array([results.models.of(e).several_images is False for e in results.editors])
        missing = status == STATUSES.index(Status.MISSING)
        cannot = cannot | (missing & single[:, None] & several[None, :])
    return np.asarray(cannot)


def floor_of(mean: Mean, metrics: Mapping[str, Metric]) -> float | None:
    """What a failure counts as on the table's scale; None where the scale has no minimum."""
    raw = [metrics[part].failure if part in metrics else None for part in mean.parts]
    known = [np.asarray(value, np.float64) for value in raw if value is not None]
    if len(known) < len(raw):
        return None
    return float(known[0] if mean.shown is None else mean.shown(*known))


def labelled(results: Results, where: Mapping[str, str]) -> Mask:
    """(S,): the samples with these labels; none where no sample has a label of that name."""
    if set(where) <= set(results.samples.names()):
        return results.samples.where(where)
    return np.zeros(len(results.samples), dtype=np.bool_)
