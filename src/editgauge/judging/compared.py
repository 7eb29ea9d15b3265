"""Agreement of each two judges (models, prompt sets, runs of one) that judged the same edits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from editgauge.statistics.agreement import kappa_of, kappa_parts
from editgauge.statistics.resampling import (
    CORRELATION,
    SHARE,
    UNBOUNDED,
    parts_interval,
    share_of_parts,
)
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
        n, bias = both.sum(axis=1), np.where(both, b - a, 0.0).sum(axis=1)
        cells = {"n": Cell(value=float(n.sum()))}
        for name, parts, measure, scale in (
            ("equal", np.stack([(both & (a == b)).sum(axis=1), n], axis=1), share_of_parts, SHARE),
            ("kappa", kappa_parts(a, b), kappa_of, CORRELATION),
            ("bias", np.stack([bias, n], axis=1), share_of_parts, UNBOUNDED),
        ):
            ends = parts_interval(parts[n > 0].astype(np.float64), measure, scale)[:3]
            value, low, high = (None if math.isnan(end) else end for end in ends)
            cells[name] = Cell(value=value, low=low, high=high)
        rows.append(TableRow(name=f"{first} : {second}", cells=cells, group=metric))
    return rows
