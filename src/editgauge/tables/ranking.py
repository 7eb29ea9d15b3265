"""Who is ahead in a table, where its editors were not all scored on the same samples: they are
ranked on those that all of them have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from editgauge.statistics.resampling import NOTHING, Estimate, Floats, Moments, intervals, units
from editgauge.tables.build import build, strata_of
from editgauge.tables.plan import Field, matrix, plan
from editgauge.tables.results import Results
from editgauge.tables.spec import PaperTable
from editgauge.tables.table import Table
from editgauge.types import Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """`table` has one column, with intervals and with ``meta["ranks"]``, over the `n` samples of
    the column's `of` that all of its editors have. `left_out`: editor -> on how many samples it was
    scored, too few to rank it, or such that the column has no number of it. `uneven`: some editors
    have more than the `n`. `ahead`: by how much the first is better than the second, with its
    interval.
    """

    table: Table
    field: Field
    n: int
    of: int
    left_out: Mapping[str, int]
    uneven: bool = False
    ahead: Estimate = NOTHING


def ranking(
    results: Results, paper: PaperTable, variant: Variant, *, keeps: bool | None = None
) -> Ranking | None:
    """The editors by the table's headline, or by its first column over all samples.

    `keeps`: only by a score that tells what was kept (`Metric.keeps`), or only by another; None: by
    either.

    An editor that was scored on less than half of the samples that the others have, or that has no
    number in the column there, is left out by its name. None where fewer than two editors, or two
    samples, are left, and for a table that makes its lines itself.
    """
    fields = () if paper.lines is not None else plan(results, paper, variant).fields
    first = [field for field in fields if field.column.name == paper.headline]
    first += [field for field in fields if not field.spec.labels]
    for field in first:
        wanted = keeps is None or field.metric.keeps is keeps
        if wanted and field.column.direction is not None and field.places:
            alone = replace(paper, columns=(field.spec,), corrected=(), published=(),
                            params=False, sections=False)  # fmt: skip
            if (field_found := _by(results, alone, variant, field)) is not None:
                return field_found
    return None


def _by(results: Results, one: PaperTable, variant: Variant, field: Field) -> Ranking | None:
    planned = plan(results, one, variant)
    have, belongs = matrix(results, planned).scored(planned.fields[0])
    counts = have.sum(axis=1)
    names = [
        editor
        for editor, count in zip(results.editors, counts.tolist(), strict=True)
        if count and count * 2 >= counts.max()
    ]
    table = None
    while len(names) > 1:
        common = belongs & have[[results.editors.index(name) for name in names]].all(axis=0)
        part = results.of_samples(common).of_editors(names)
        table = build(part, one, variant, intervals=True) if common.sum() > 1 else None
        if table is None:
            return None
        values = {row.name: row.cells[field.column.name].value for row in table.rows}
        known = [name for name in names if np.isfinite(np.float64(values.get(name)))]
        if known == names:
            break
        names = known
    if len(names) < 2 or table is None or not table.meta["ranks"]:
        return None
    left = list(zip(results.editors, counts.tolist(), strict=True))
    return Ranking(
        table=table,
        field=field,
        n=int(common.sum()),
        of=int(belongs.sum()),
        left_out={editor: count for editor, count in left if editor not in names},
        uneven=any(count > common.sum() for editor, count in left if editor in names),
        ahead=_ahead(part, one, variant, table.meta["ranks"]["editors"]),
    )


def _ahead(
    results: Results, one: PaperTable, variant: Variant, ranks: Mapping[str, list[float]]
) -> Estimate:
    """The first editor's number less the second's, turned so that more is better."""
    pair = results.of_editors(sorted(ranks, key=lambda name: ranks[name][0])[:2])
    planned = plan(pair, one, variant)
    part = matrix(pair, planned)
    sign = 1.0 if planned.fields[0].column.direction == "higher" else -1.0
    e, means, samples = part.values.shape

    def formula(summed: Moments) -> Floats:
        lead = summed.total.shape[:-1]
        cells = part.evaluate(planned.fields, summed.mean.reshape(*lead, e, means))[..., 0]
        return np.asarray(sign * (cells[..., :1] - cells[..., 1:2]))

    each = units(part.values.reshape(e * means, samples).T)
    value, low, high = (float(v[0]) for v in intervals(each, formula, strata=strata_of(pair, one)))
    return Estimate(value, low, high, samples)
