"""The numbers of a table: every cell with its counts, its mean with failures and its interval, and
how editors rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from editgauge.statistics.quantiles import is_yes_or_no, two_valued_limits
from editgauge.statistics.ranks import RankStability, rank_stability
from editgauge.statistics.resampling import Intervals, Moments, bootstrap, pooled, units
from editgauge.tables import spec
from editgauge.tables.plan import Field, Matrix, Plan, floor_of
from editgauge.tables.results import Results
from editgauge.tables.spec import Floats, PaperTable
from editgauge.tables.table import Cell, Column


class Ranks(NamedTuple):
    """How editors rank by one column, and how far that survives resampling."""

    column: Column
    ranks: RankStability

    def meta(self, editors: Sequence[str]) -> dict[str, Any]:
        """As `Table.meta["ranks"]` has it: the column, and ``{editor: [rank, lowest, highest, share
        of resamples in which it is first]}``.
        """
        found = self.ranks
        lines = zip(editors, found.rank, found.low, found.high, found.first, strict=True)
        told = {name: [int(r), int(low), int(high), float(f)] for name, r, low, high, f in lines}
        return {"column": self.column.name, "editors": told}


def moments(values: Floats) -> Moments:
    """(E, L, S) -> moments (E, L) over samples."""
    valid, infinite = ~np.isnan(values), np.isposinf(values)
    total = np.where(valid & ~infinite, values, 0.0).sum(axis=-1)
    counts = (part.sum(axis=-1).astype(np.float64) for part in (valid, infinite))
    return Moments(total, *counts)


def cells_of(
    results: Results, made: Plan, part: Matrix, *, intervals: bool, seed: int
) -> tuple[list[dict[str, Cell]], Ranks | None]:
    """The cells of each editor by the columns' names, and how the editors rank."""
    values = part.evaluate(made.fields, moments(part.values).mean)  # (E, F)
    floors = part.evaluate(made.fields, moments(part.filled).mean)
    counts = [part.scored(field) for field in made.fields]
    scored = np.stack([have.sum(axis=1) for have, _ in counts], axis=1)  # (E, F)
    low = high = np.full(values.shape, np.nan)
    ranks: Ranks | None = None
    if intervals and part.values.shape[2] and made.means:
        low, high, ranks = _bootstrap(results, made, part, scored, seed)
    lines: list[dict[str, Cell]] = [{} for _ in results.editors]
    for f, field in enumerate(made.fields):
        failures = any(floor_of(made.means[k][0], made.metrics) is not None for k in field.places)
        of_set = _set_cells(results, field) if field.whole_set else None
        for e, line in enumerate(lines):
            line[field.column.name] = of_set[e] if of_set is not None else Cell(
                value=_given(values[e, f]),
                n=int(scored[e, f]),
                of=int(counts[f][1].sum()),
                low=_given(low[e, f]),
                high=_given(high[e, f]),
                floor=_given(floors[e, f]) if failures else None,
            )  # fmt: skip
    return lines, ranks


def _bootstrap(
    results: Results, made: Plan, part: Matrix, scored: NDArray[np.int64], seed: int
) -> tuple[Floats, Floats, Ranks | None]:
    """Limits (E, F) twice, from one set of resamples for all editors, and how far the ranks survive
    them. Limits stay within the column's scale; yes or no have Wilson's.
    """
    e, means, s = part.values.shape
    fields = len(made.fields)

    def formula(summed: Moments) -> Floats:
        lead = summed.total.shape[:-1]
        cells = part.evaluate(made.fields, summed.mean.reshape(*lead, e, means))
        return cells.reshape(*lead, e * fields)

    data = units(part.values.reshape(e * means, s).T)
    strata = strata_of(results, made.table)
    found = bootstrap(data, formula, strata=strata, scored=scored.ravel(), seed=seed)
    low, high = found.low.reshape(e, fields), found.high.reshape(e, fields)
    for number, field in enumerate(made.fields):
        if (scale := _scale_of(made, field)) is None:
            continue
        low[:, number], high[:, number] = np.clip([low[:, number], high[:, number]], *scale)
        for editor, values in enumerate(part.values[:, field.places[0]]):
            given = values[~np.isnan(values)]
            if is_yes_or_no(given, *scale):
                low[editor, number], high[editor, number] = two_valued_limits(given, *scale)
    return low, high, _ranks(made, part, found)


def strata_of(results: Results, table: PaperTable) -> NDArray[np.int64] | None:
    """By what a table's samples are drawn again, (S,); None for all of them together."""
    if table.strata not in results.samples.names():
        return None
    return pooled(results.samples.labels(table.strata))


def _scale_of(made: Plan, field: Field) -> tuple[float, float] | None:
    """The scale of a column that is the plain mean of one metric; None for any other."""
    if len(field.places) != 1 or field.spec.formula is not spec.only:
        return None
    mean, _ = made.means[field.places[0]]
    metric = made.metrics.get(mean.metric)
    if mean.others or metric is None:
        return None
    ends = np.array([metric.low, metric.high])
    with np.errstate(all="ignore"):
        ends = ends if mean.shown is None else np.sort(mean.shown(ends))
    return float(ends[0]), float(ends[1])


def _ranks(made: Plan, part: Matrix, found: Intervals) -> Ranks | None:
    """By the headline; where it has no numbers, by the first column over all samples that has; else
    by the one with the most samples. None where no column ranks all of two or more editors on the
    same samples.
    """
    editors = len(part.values)
    headline = [f for f in made.fields if f.column.name == made.table.headline]
    whole = [field for field in made.fields if not field.spec.labels]
    largest = sorted(made.fields, key=lambda field: -int(part.scored(field)[1].sum()))
    for field in [*headline, *whole, *largest] if editors > 1 else ():
        chosen = np.arange(editors) * len(made.fields) + made.fields.index(field)
        have, _ = part.scored(field)
        same = bool((have == have[0]).all())
        known = np.isfinite(found.estimate[chosen]).all()
        if field.places and field.column.direction is not None and same and known:
            higher = field.column.direction == "higher"
            estimate, again = found.estimate[chosen], found.replicates[:, chosen]
            return Ranks(field.column, rank_stability(estimate, again, higher_is_better=higher))
    return None


def _set_cells(results: Results, field: Field) -> list[Cell]:
    """The cell of every editor for a metric of the whole set."""
    whole = results.of_set(field.spec.of[0].metric, field.variant)
    return [
        Cell(value=_given(value), n=count or None, of=len(results.samples) if count else None)
        for value, count in zip(whole.values.tolist(), whole.samples.tolist(), strict=True)
    ]


def _given(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
