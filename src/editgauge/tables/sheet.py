"""A paper's table settled for some results: columns, their means on every sample, numbers. A cell,
its mean with failures at the scale's minimum and its interval come from one formula.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from editgauge.statistics.limits import Limits, is_two_valued, least_samples, two_valued_limits
from editgauge.statistics.resampling import Moments, intervals, pooled, units, within
from editgauge.tables import spec
from editgauge.tables.metrics import choose, declared_of, metrics_of, range_text, unknown
from editgauge.tables.results import HUMAN, STATUSES, Codes, Cube, Floats, Mask, Results, Whole
from editgauge.tables.spec import Mean, PaperTable
from editgauge.tables.table import Cell, Column
from editgauge.types import JUDGE_SCORER, Metric, Status, Variant


class Field(NamedTuple):
    """A settled column: what is drawn, whose metric it shows, and the places of its means among
    those of the sheet, all of one variant.
    """

    column: Column
    spec: spec.Column
    metric: Metric
    places: list[int]
    variant: Variant

    @property
    def whole_set(self) -> bool:
        return not self.places and bool(self.spec.of)


class Matrix(NamedTuple):
    """The means of a sheet: `values` (E, L, S), NaN = no score; `filled` the same with failures at
    the minimum; `defined` (L, S): the samples that belong to the mean; `sizes` (L,): how many
    samples of the data it is about.
    """

    values: Floats
    filled: Floats
    defined: Mask
    sizes: NDArray[np.int64]


class Sheet:
    """A table, some results, and a variant: `fields` are its columns, `means` what they are made
    of, with the variant that each is read in: the wanted one where it has rows, else the other,
    with a note.
    """

    def __init__(self, results: Results, paper: PaperTable, variant: Variant) -> None:
        self.results, self.paper = results, paper
        self.variant: Variant = paper.fixed or variant
        self.known: Mapping[str, Metric] = {**declared_of(results), **metrics_of(results)}
        self.means: list[tuple[Mean, Variant]] = []
        self._places: dict[int, int] = {}
        self.fields = [self._field(column) for column in paper.of_variant(self.variant)]

    def _field(self, column: spec.Column) -> Field:
        known = self.known.get(column.metric) or unknown(column.metric)
        metric = column.shows if isinstance(column.shows, Metric) else known
        note, variant, places = column.note, self.variant, []
        for mean in column.of:
            variant, other = choose(self.results, mean.metric, self.variant)
            note = note or ("" if column.shows else other)
            if not self.known.get(mean.metric, metric).whole_set:
                places.append(self._places.setdefault(id(mean), len(self.means)))
                self.means += [(mean, variant)] if places[-1] == len(self.means) else []
        heading, digits = (*column.above, metric.title), metric.digits
        drawn = Column(
            name=column.name, heading=heading, digits=digits, direction=metric.direction, note=note
        )
        return Field(drawn, column, metric, places, variant)

    # -- the means on every sample -----------------------------------------------------------------

    @cached_property
    def matrix(self) -> Matrix:
        results = self.results
        shape = (len(results.editors), len(self.means), len(results.samples))
        values, filled = np.full(shape, np.nan), np.full(shape, np.nan)
        defined, sizes = np.zeros(shape[1:], np.bool_), np.zeros(shape[1], np.int64)

        for number, (mean, variant) in enumerate(self.means):
            here = results.labelled(mean.where)
            sizes[number] = here.sum()
            defined[number] = here
            lowest = mean.not_applicable
            if lowest is None:
                defined[number] &= results.grid(mean.metric, variant).defined
            replies = _together([results.replies(part, variant) for part in mean.parts])
            raw = [reply.values for reply in replies]
            if lowest is not None:
                raw = [np.where(_cannot(results, r.status), lowest, r.values) for r in replies]
            # each reply by itself: a cut-off, a cap or a floor of a mean is another number
            shown = np.where(here, mean.scaled(raw), np.nan)
            failed = np.logical_or.reduce([reply.failed for reply in replies])
            floored = np.where(failed & here & np.isnan(shown), self._end(mean, "failure"), shown)
            values[:, number] = _over_repeats(shown)
            filled[:, number] = _over_repeats(floored)
        return Matrix(values, filled, defined, sizes)

    def scored(self, field: Field) -> tuple[Mask, Mask]:
        """(E, S): samples with a score of every mean of the field that they belong to; (S,):
        samples of the field.
        """
        belongs = self.matrix.defined[field.places]  # (l, S)
        given = ~np.isnan(self.matrix.values[:, field.places])  # (E, l, S)
        anywhere = np.asarray(belongs.any(axis=0))
        return np.asarray((given | ~belongs).all(axis=1) & anywhere), anywhere

    @property
    def common(self) -> Mask:
        """(S,): the samples on which no editor lacks a score of a mean that it has any score of,
        and every editor has a score at all.
        """
        given = ~np.isnan(self.matrix.values)  # (E, L, S)
        asked = given.any(axis=-1, keepdims=True)
        lacking = (asked & self.matrix.defined & ~given).any(axis=(0, 1))
        return np.asarray(given.any(axis=1).all(axis=0) & ~lacking)

    def wholes(self, field: Field) -> dict[str, Whole]:
        """The values of a metric of the whole set, by editors."""
        mean = field.spec.of[0].metric if field.whole_set else ""
        return self.results.of_set(mean, field.variant)

    def evaluate(self, means: Floats, *, smooth: bool = False) -> Floats:
        """Means (..., L) -> cells (..., F); NaN for a metric of the whole set. `smooth`: without
        the rounding that a formula may have.
        """
        none = np.full(means.shape[:-1], np.nan)
        cells = (
            self._value(f, means[..., f.places], smooth=smooth) if f.places else none
            for f in self.fields
        )
        return np.stack([*cells], axis=-1)

    def _value(self, field: Field, means: Floats, *, smooth: bool = False) -> Floats:
        formula = (field.spec.smooth if smooth else None) or field.spec.formula
        return formula(means, self.matrix.sizes[field.places].tolist())

    def cells(self, limits: Floats | None = None) -> list[dict[str, Cell]]:
        """The cells of each editor by the columns' names, with these `limits`, (2, E, F)."""
        values = self.evaluate(_means(self.matrix.values))
        floors = self.evaluate(_means(self.matrix.filled))
        low, high = np.full((2, *values.shape), np.nan) if limits is None else limits
        lines: list[dict[str, Cell]] = [{} for _ in self.results.editors]
        for f, field in enumerate(self.fields):
            wholes, (have, belongs) = self.wholes(field), self.scored(field)
            fails = not np.isnan(self._ends(field, "failure")).all()
            for e, (editor, line) in enumerate(zip(self.results.editors, lines, strict=True)):
                cell = Cell(
                    value=_given(values[e, f]),
                    n=int(have[e].sum()),
                    of=int(belongs.sum()),
                    low=_given(low[e, f]),
                    high=_given(high[e, f]),
                    floor=_given(floors[e, f]) if fails else None,
                )
                if field.whole_set:
                    value, n = wholes.get(editor, (None, 0))
                    of = len(self.results.samples) if n else None
                    cell = Cell(value=value, n=n or None, of=of)
                line[field.column.name] = cell
        return lines

    def _end(self, mean: Mean, name: Literal["failure", "low", "high"]) -> float:
        """What a failure counts as, or an end of the range, on the table's scale; NaN: unknown."""
        known = [self.known.get(part) or unknown(part) for part in mean.parts]
        return float(mean.scaled([np.float64(getattr(metric, name)) for metric in known]))

    def _ends(self, field: Field, name: Literal["failure", "low", "high"]) -> Floats:
        return np.array([self._end(self.means[place][0], name) for place in field.places])

    # -- how sure they are -------------------------------------------------------------------------

    @property
    def units(self) -> Moments:
        """What is drawn again: (S, E·L)."""
        values = self.matrix.values
        return units(values.reshape(-1, values.shape[-1]).T)

    def formula(self, summed: Moments, *, smooth: bool = False) -> Floats:
        """Moments (..., E·L) -> cells (..., E·F); `smooth`: see `evaluate`."""
        lead, editors = summed.total.shape[:-1], len(self.results.editors)
        means = summed.mean.reshape(*lead, editors, len(self.means))
        cells = self.evaluate(means, smooth=smooth)
        return cells.reshape(*lead, editors * len(self.fields))

    @property
    def strata(self) -> NDArray[np.int64] | None:
        """By what samples are drawn again, (S,); None for all of them together."""
        if self.paper.strata not in self.results.samples.names():
            return None
        return pooled(self.results.samples.labels(self.paper.strata))

    def intervals(self) -> Floats | None:
        """Return the cells' limits (2, E, F), within scales; None without samples.

        Means of yes-or-no scores have the interval of a share.
        """
        editors, means, samples = self.matrix.values.shape
        if not samples or not means:
            return None
        scored = np.stack([self.scored(field)[0] for field in self.fields], axis=1)  # (E, F, S)
        scales = [self._scale(field) for field in self.fields]
        least = [least_samples(scale) for scale in scales]
        strata = self.strata
        found = intervals(
            self.units,
            partial(self.formula, smooth=True),
            strata=strata,
            scored=scored.reshape(-1, samples).T,
            least=np.tile(least, editors),
        )
        estimate = found.estimate.reshape(editors, -1)
        limits = np.stack([found.low.reshape(editors, -1), found.high.reshape(editors, -1)])
        for number, field in enumerate(self.fields):
            if not field.places:
                continue
            scale = scales[number]
            low, high = limits[:, :, number]
            cut = within(estimate[:, number], low, high, scale)
            for editor in range(editors):
                if self._leaves_its_scale(field, editor):
                    continue  # an end of the scale would cut the mean off its own interval
                limits[:, editor, number] = [cut.low[editor], cut.high[editor]]
                if not field.spec.is_mean:
                    continue
                values = self.matrix.values[editor, field.places[0]]
                is_given = ~np.isnan(values)
                enough = is_given.sum() >= least[number]
                if enough and is_two_valued(values[is_given], scale):
                    labels = None if strata is None else strata[is_given]
                    limits[:, editor, number] = _limits_of_answers(values[is_given], labels, scale)
        return limits

    def _leaves_its_scale(self, field: Field, editor: int) -> bool:
        """Whether an editor has a value outside of the range of its metric, as released code
        records it of a judge.
        """
        for place in field.places:
            mean, _ = self.means[place]
            ends = sorted([self._end(mean, "low"), self._end(mean, "high")])
            values = self.matrix.values[editor, place]
            if bool((values < ends[0]).any() or (values > ends[1]).any()):
                return True
        return False

    def outside(self) -> dict[str, tuple[int, int]]:
        """Metric -> how many of a judge's scores lie outside of its scale, and how many there are;
        of metrics that have any.
        """
        found = {}
        for mean, variant in self.means:
            known = self.known.get(mean.metric) or unknown(mean.metric)
            of_judge = any(
                key.metric == mean.metric and key.scorer == JUDGE_SCORER
                for key in self.results.cubes
            )
            if not of_judge or mean.metric in found:
                continue
            values = self.results.replies(mean.metric, variant).values
            count = int(((values < known.low) | (values > known.high)).sum())
            if count:
                found[mean.metric] = (count, int((~np.isnan(values)).sum()))
        return found

    def scale_of_people(self, field: Field) -> str:
        """The range of a column of people's ratings, as a text; "" for a column of machines."""
        parts = {part for mean in field.spec.of for part in mean.parts}
        of_people = {key.metric for key in self.results.cubes if key.source == HUMAN}
        if not parts & of_people:
            return ""
        return range_text(*self._scale(field))

    def _scale(self, field: Field) -> tuple[float, float]:
        """The column's range: its formula at its metrics' ends; infinite where unknown."""
        if not field.places:
            return (-np.inf, np.inf)
        with np.errstate(all="ignore"):
            low, high = (
                float(self._value(field, self._ends(field, name))) for name in ("low", "high")
            )
        return (-np.inf, np.inf) if np.isnan(low + high) else (min(low, high), max(low, high))


def _limits_of_answers(
    values: Floats, strata: NDArray[np.int64] | None, scale: tuple[float, float]
) -> Limits:
    """Return the limits of the mean of values (n,) at the two ends of a scale, in strata (n,)."""
    labels = np.zeros(len(values), dtype=np.int64) if strata is None else strata
    sizes = np.bincount(labels)
    totals = np.bincount(labels, weights=values)
    is_there = sizes > 0
    sizes = sizes[is_there]
    means = totals[is_there] / sizes
    return two_valued_limits(means, sizes, sizes / len(values), scale)


def _means(values: Floats) -> Floats:
    """Means over the last axis; infinite where a value is, NaN for none."""
    valid, infinite = ~np.isnan(values), np.isposinf(values)
    total = np.where(valid & ~infinite, values, 0.0).sum(axis=-1)
    counts = (part.sum(axis=-1).astype(np.float64) for part in (valid, infinite))
    return Moments(total, *counts).mean


def _together(cubes: Sequence[Cube]) -> list[Cube]:
    """Cubes (R, E, S) with as many repeats each as the longest has. One that was never repeated
    goes with every repeat of the others.
    """
    most = max(len(cube.values) for cube in cubes)
    alike = []
    for cube in cubes:
        repeats = len(cube.values)
        if repeats == 1:
            cube = cube.part([0] * most)
        elif repeats < most:
            missing = (most - repeats, *cube.values.shape[1:])
            values = np.concatenate([cube.values, np.full(missing, np.nan)])
            status = np.concatenate([cube.status, np.full(missing, -1, np.int8)])
            cube = Cube(values, status)
        alike.append(cube)
    return alike


def _over_repeats(values: Floats) -> Floats:
    """Values (R, E, S) -> their mean over the repeats that have one (E, S); NaN for none."""
    if len(values) == 1:
        return np.asarray(values[0])
    return _means(np.moveaxis(values, 0, -1))


def _given(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _cannot(results: Results, status: Codes) -> Mask:
    """(R, E, S): not applicable, or missing: several pictures, and the editor takes one only."""
    cannot = status == STATUSES.index(Status.NOT_APPLICABLE)
    single = np.array([results.models.of(e).several_images is False for e in results.editors], bool)
    several = results.labelled({"multi_image": "true"})
    missing = status == STATUSES.index(Status.MISSING)
    return np.asarray(cannot | (missing & single[:, None] & several))
