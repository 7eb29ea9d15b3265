"""Who is ahead in a table, where its editors were not all scored on the same samples: they are
ranked on those that all of them have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from editgauge.statistics.resampling import (
    NOTHING,
    Estimate,
    Floats,
    Moments,
    bootstrap,
    pooled,
    units,
)
from editgauge.tables.build import Field, build, matrix, plan
from editgauge.tables.results import Results
from editgauge.tables.spec import PaperTable
from editgauge.tables.table import Table
from editgauge.types import Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """`table` has one column, with intervals and with ``meta["ranks"]``, over the `n` samples of
    the column's `of` that all of its editors have. `left_out`: editor -> on how many samples it was
    scored, too few to rank it, or such that the column has no number of it.
    """

    table: Table
    field: Field
    n: int
    of: int
    left_out: Mapping[str, int]
    ahead: Estimate = NOTHING
    """By how much the first is better than the second, with its interval from paired resamples."""


def ranking(
    frame: Results, paper: PaperTable, variant: Variant, *, keeps: bool | None = None
) -> Ranking | None:
    """The frame's editors by the table's headline, or by its first column over all samples.

    `keeps`: only by a score that tells what was kept (`Metric.keeps`), or only by another; None: by
    either.

    An editor that was scored on less than half of the samples that the others have, or that has no
    number in the column there, is left out by its name. None where fewer than two editors, or two
    samples, are left, and for a table that makes its lines itself.
    """
    if paper.lines is not None:
        return None
    made = plan(frame, paper, variant)
    first = [item for item in made.fields if item.column.name == paper.headline]
    first += [item for item in made.fields if not item.spec.labels]
    if keeps is not None:
        first = [item for item in first if item.metric.keeps is keeps]
    return next(filter(None, (_by(frame, paper, variant, item) for item in first)), None)


def _by(frame: Results, paper: PaperTable, variant: Variant, item: Field) -> Ranking | None:
    if item.column.direction is None or not item.places:
        return None
    one = replace(paper, columns=(item.spec,), corrected=(), published=(), params=False,
                  sections=False)  # fmt: skip
    have, belongs = matrix(frame, made := plan(frame, one, variant)).scored(made.fields[0])
    counts = have.sum(axis=1)
    enough = (counts > 0) & (counts * 2 >= counts.max(initial=0))
    while enough.sum() > 1:
        common = have[enough].all(axis=0) & belongs
        if common.sum() < 2:
            return None
        ranked = [editor for editor, keep in zip(frame.editors, enough, strict=True) if keep]
        part = frame.of_editors(ranked).of_samples(np.asarray(common))
        table = build(part, one, variant, intervals=True)
        if table is None:
            return None
        known = {row.name for row in table.rows if _has_number(row.cells[item.column.name].value)}
        if len(known) == len(ranked):
            left = zip(frame.editors, counts.tolist(), enough.tolist(), strict=True)
            return Ranking(
                table=table,
                field=item,
                n=int(common.sum()),
                of=int(belongs.sum()),
                left_out={editor: count for editor, count, keep in left if not keep},
                ahead=_ahead(part, one, variant, table),
            ) if table.meta["ranks"] else None  # fmt: skip
        if not known:
            return None
        enough &= np.array([editor in known for editor in frame.editors])
    return None


def _ahead(frame: Results, one: PaperTable, variant: Variant, table: Table) -> Estimate:
    """The first editor's number less the second's, turned so that more is better."""
    ranks = table.meta["ranks"].get("editors", {}) if table.meta["ranks"] else {}
    if len(ranks) < 2:
        return NOTHING
    first, second = sorted(ranks, key=lambda name: ranks[name][0])[:2]
    pair = frame.of_editors([first, second])
    made = plan(pair, one, variant)
    values = matrix(pair, made)
    sign = 1.0 if made.fields[0].column.direction == "higher" else -1.0
    e, means, samples = values.values.shape

    def formula(summed: Moments) -> Floats:
        lead = summed.total.shape[:-1]
        found = values.evaluate(made.fields, summed.mean.reshape(*lead, e, means))[..., 0]
        return np.asarray(sign * (found[..., :1] - found[..., 1:2]))

    there = one.strata in pair.samples.names()
    strata = pooled(pair.samples.labels(one.strata)) if there else None
    found = bootstrap(units(values.values.reshape(e * means, samples).T), formula, strata=strata)
    value, low, high = (float(part[0]) for part in found[:3])
    return Estimate(value, low, high, samples)


def _has_number(value: float | None) -> bool:
    return value is not None and bool(np.isfinite(value))
