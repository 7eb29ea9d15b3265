"""Who is ahead in a table, where its editors were not all scored on the same samples: they are
ranked on those that all of them have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from editgauge.statistics.limits import LEAST, Floats
from editgauge.statistics.ranks import rank_stability
from editgauge.statistics.resampling import Estimate, Moments, intervals, replicates
from editgauge.tables.build import Shown, build
from editgauge.tables.results import Results
from editgauge.tables.sheet import Field, Sheet
from editgauge.tables.spec import PaperTable
from editgauge.tables.table import Table
from editgauge.types import Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """`table` has one column, with intervals, over the `n` samples of the column's `of` that all of
    its editors have. `ranks`: of each editor its rank (1 = best), and between which ranks 95 % of
    resamples leave it. `left_out`: editor -> on how many samples it was scored, too few to rank it,
    or such that the column has no number of it. `uneven`: some editors have more than the `n`.
    `ahead`: by how much the first is better than the second, with its interval.
    """

    table: Table
    field: Field
    n: int
    of: int
    ranks: Mapping[str, tuple[int, int, int]]
    left_out: Mapping[str, int]
    uneven: bool
    ahead: Estimate


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
    if paper.lines is not None:
        return None
    sheet = Sheet(results, paper, variant)
    first = [field for field in sheet.fields if field.column.name == paper.headline]
    first += [field for field in sheet.fields if not field.spec.labels]
    for field in first:
        wanted = keeps is None or field.metric.keeps is keeps
        wanted = wanted and field.column.direction is not None and bool(field.places)
        if wanted and (ranked := _by(sheet, field)) is not None:
            return ranked
    return None


def _by(sheet: Sheet, field: Field) -> Ranking | None:
    results, one, column = sheet.results, sheet.paper.of_one(field.spec), field.column
    have, belongs = sheet.scored(field)
    counts = dict(zip(results.editors, have.sum(axis=1).tolist(), strict=True))
    known = [name for name, n in counts.items() if n and n * 2 >= max(counts.values())]
    while True:
        names = known
        common = belongs & have[[results.editors.index(name) for name in names]].all(axis=0)
        if len(names) < 2 or common.sum() < 2:
            return None
        part = results.of_samples(common).of_editors(names)
        table = build(part, one, sheet.variant, Shown(intervals=True))
        if table is None:
            return None
        values = {row.name: row.cells[column.name].value for row in table.rows}
        known = [name for name in names if np.isfinite(np.float64(values.get(name)))]
        if known == names:
            break
    ranks, ahead = _ranks(Sheet(part, one, sheet.variant), higher=column.direction == "higher")
    return Ranking(
        table=table,
        field=field,
        n=int(common.sum()),
        of=int(belongs.sum()),
        ranks=ranks,
        left_out={editor: n for editor, n in counts.items() if editor not in names},
        uneven=any(counts[editor] > common.sum() for editor in names),
        ahead=ahead,
    )


def _ranks(sheet: Sheet, *, higher: bool) -> tuple[dict[str, tuple[int, int, int]], Estimate]:
    """The ranks of a sheet of one column, and by how much the first editor is ahead."""
    names, n = sheet.results.editors, len(sheet.results.samples)
    again = replicates(sheet.units, sheet.formula, sheet.strata)
    again = again[: None if n >= LEAST else 0]  # of none, every rank is possible
    estimate = sheet.formula(sheet.units.map(lambda each: each.sum(axis=0)))
    stability = rank_stability(estimate, again, higher_is_better=higher)
    ends = zip(*(each.tolist() for each in stability), strict=True)
    first, second = stability.rank.argsort(kind="stable")[:2].tolist()

    def formula(summed: Moments) -> Floats:
        cells = sheet.formula(summed, smooth=True) * (1 if higher else -1)
        return np.asarray(cells[..., [first]] - cells[..., [second]])

    found = intervals(sheet.units, formula, strata=sheet.strata, of_differences=True)
    ahead = Estimate(float(found.estimate[0]), float(found.low[0]), float(found.high[0]), n)
    return dict(zip(names, ends, strict=True)), ahead
