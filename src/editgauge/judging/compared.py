"""Agreement of each two judges (models, prompt sets, runs of one) that judged the same edits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from editgauge.statistics.agreement import kappa_of, kappa_parts
from editgauge.statistics.correlation import coefficient_interval
from editgauge.statistics.limits import SHARE
from editgauge.statistics.resampling import Estimate, pooled_mean_interval
from editgauge.tables.results import Results
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import JUDGE_SCORER, Variant

_COLUMNS = (
    Column(name="n", heading=("edits",), digits=0),
    Column(name="equal", heading=("equal",), digits=2, direction="higher"),
    Column(name="kappa", heading=("quadratic kappa",), digits=2, direction="higher"),
    Column(name="bias", heading=("bias",), digits=2),
)
_NOTE = "Bias is the second judge's mean less the first one's. Intervals: 95 %, over samples."


def table(frame: Results, variant: Variant = "corrected") -> Table | None:
    """The agreement table of a benchmark's judges; None where no metric has two.

    A line for each two judges of each metric on the edits that both scored, repeats averaged. A
    measure that is not defined is left out. Intervals draw outputs for one sample together.
    """
    judged = frame.where(lambda key: key.scorer == JUDGE_SCORER)
    rows: list[TableRow] = []
    for metric, sources in sorted(judged.makers().items()):
        rows += _rows(metric, variant, {one: judged.of_source(one) for one in sources})
    if not rows:
        return None
    return Table(
        name=f"{frame.benchmark}.judges",
        title=f"{frame.benchmark}: agreement of judges",
        columns=_COLUMNS,
        rows=rows,
        benchmark=frame.benchmark,
        variant=variant,
        by="metric",
        notes=[_NOTE],
        meta={"names": "judges"},
    )


def _rows(metric: str, variant: Variant, of: Mapping[str, Results]) -> list[TableRow]:
    grids = {name: one.grid(metric, variant).values.T for name, one in of.items()}
    rows = []
    for first, second in combinations(grids, 2):
        a, b = grids[first], grids[second]
        both = ~np.isnan(a) & ~np.isnan(b)
        if not both.any():
            continue
        equal = np.where(both, a == b, np.nan)
        bias = np.where(both, b - a, np.nan)
        cells = {
            "n": Cell(value=float(both.sum())),
            "equal": _cell(pooled_mean_interval(equal, SHARE)),
            "kappa": _cell(coefficient_interval(kappa_parts(a, b), kappa_of)),
            "bias": _cell(pooled_mean_interval(bias, of_differences=True)),
        }
        rows.append(TableRow(name=f"{first} : {second}", cells=cells, group=metric))
    return rows


def _cell(found: Estimate) -> Cell:
    value, low, high = (None if math.isnan(end) else end for end in found[:3])
    return Cell(value=value, low=low, high=high)
