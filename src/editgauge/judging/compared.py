"""Judges compared: agreement of each two that judged the same edits of a run, as a table. They are
two models, one model with two prompt sets, or two runs of one of them (`judge --repeat`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from editgauge.statistics import correlation
from editgauge.statistics.agreement import kappa_of, kappa_parts
from editgauge.statistics.resampling import parts_interval, share_of_parts
from editgauge.tables.results import Results
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import JUDGE_SCORER, Variant

Floats = NDArray[np.float64]
_COLUMNS = (
    Column(name="n", heading=("edits",), digits=0),
    Column(name="equal", heading=("equal",), digits=2, direction="higher"),
    Column(name="kappa", heading=("quadratic kappa",), digits=3, direction="higher"),
    Column(name="spearman", heading=("Spearman",), digits=3, direction="higher"),
    Column(name="bias", heading=("bias",), digits=3),
)
_NOTE = (
    "Bias is the second judge's mean less the first one's. Intervals: 95 %, bootstrap over samples."
)


def table(frame: Results, variant: Variant = "corrected") -> Table | None:
    """The agreement table of a benchmark's judges; None where no metric has two.

    A line for each two judges of each metric on the edits that both scored, repeats averaged; then
    for each two runs of a judge that judged repeatedly, called ``MODEL run 1#…``. `equal` is the
    share of equal scores. A measure that is not defined (one value throughout) is left out.
    Intervals draw several editors' outputs for one sample together.
    """
    judged = frame.where(lambda key: key.scorer == JUDGE_SCORER)
    rows: list[TableRow] = []
    for metric, sources in sorted(judged.makers().items()):
        rows += _rows(metric, variant, {one: judged.of_source(one) for one in sources})
    for metric in judged.metrics:
        for source in judged.sources_of(metric):
            mine = judged.of_source(source)
            model, mark, settings = source.partition("#")
            names = (f"{model} run {run + 1}{mark}{settings}" for run in range(mine.repeats))
            of = {name: mine.of_repeat(run) for run, name in enumerate(names)}
            rows += _rows(metric, variant, of)
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
    """Each two of some named parts of the rows, on the edits that both have a score of."""
    grids = {name: one.grid(metric, variant).values for name, one in of.items()}
    rows = []
    for first, second in combinations(grids, 2):
        both = ~np.isnan(grids[first]) & ~np.isnan(grids[second])
        if not both.any():
            continue
        sample = np.broadcast_to(np.arange(both.shape[1]), both.shape)[both]
        a, b = grids[first][both], grids[second][both]
        cells = {"n": Cell(value=float(len(a)))}
        for name, (of_each, measure) in _MEASURES.items():
            parts = np.zeros((int(sample.max()) + 1, of_each(a, b).shape[1]))
            np.add.at(parts, sample, of_each(a, b))
            ends = parts_interval(parts, measure)[:3]
            value, low, high = (None if math.isnan(end) else end for end in ends)
            cells[name] = Cell(value=value, low=low, high=high)
        rows.append(TableRow(name=f"{first} : {second}", cells=cells, group=metric))
    return rows


def _shares(each: Floats) -> Floats:
    return np.stack([each, np.ones_like(each)], axis=1)


def _ranked(a: Floats, b: Floats) -> Floats:
    return correlation.pearson_parts(*(correlation.ranks(each)[:, None] for each in (a, b)))


_MEASURES: dict[str, tuple[Callable[[Floats, Floats], Floats], Callable[[Floats], Floats]]] = {
    "equal": (lambda a, b: _shares((a == b).astype(np.float64)), share_of_parts),
    "kappa": (lambda a, b: kappa_parts(a[:, None], b[:, None]), kappa_of),
    "spearman": (_ranked, correlation.pearson_of),
    "bias": (lambda a, b: _shares(b - a), share_of_parts),
}
"""Measure -> what each edit adds to it, (n, k), and the measure of summed parts. Ranks are those
among all edits, also where samples are drawn again.
"""
