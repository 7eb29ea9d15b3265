"""Judges compared: agreement of each two that judged the same edits of a run, as a table.

Two judges are two models, one model with two prompt sets, or two runs of one of them
(`judge run --repeat`). Intervals are 95 %, from a bootstrap
over samples: several editors' outputs for one sample are drawn together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
_MEASURES = (
    Column(name="n", heading=("edits",), digits=0),
    Column(name="equal", heading=("equal",), digits=2, direction="higher"),
    Column(name="kappa", heading=("quadratic kappa",), digits=3, direction="higher"),
    Column(name="spearman", heading=("Spearman",), digits=3, direction="higher"),
    Column(name="pearson", heading=("Pearson",), digits=3, direction="higher"),
    Column(name="mae", heading=("MAE",), digits=3, direction="lower"),
    Column(name="bias", heading=("bias",), digits=3),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two judges' scores of one metric: arrays of shape (n,), with the sample of each edit."""

    metric: str
    first: str
    second: str
    a: Floats
    b: Floats
    sample: NDArray[np.int64]


def pairs(frame: Results, variant: Variant = "corrected") -> Iterator[Pair]:
    """Each two judges of each metric on the edits that both scored, repeats averaged; then each two
    runs of a judge that judged repeatedly, called ``MODEL run 1#…``.
    """
    judged = frame.where(lambda key: key.scorer == JUDGE_SCORER)
    for metric, sources in sorted(judged.makers().items()):
        yield from _pairs(metric, variant, {one: judged.of_source(one) for one in sources})
    for metric in judged.metrics:
        for source in judged.sources_of(metric):
            mine = judged.of_source(source)
            model, mark, settings = source.partition("#")
            of = {
                f"{model} run {run + 1}{mark}{settings}": mine.of_repeat(run)
                for run in range(mine.repeats)
            }
            yield from _pairs(metric, variant, of)


def _pairs(metric: str, variant: Variant, of: Mapping[str, Results]) -> Iterator[Pair]:
    """Each two of some named parts of the rows, on the edits that both have a score of."""
    grids = {name: one.grid(metric, variant).values for name, one in of.items()}
    for first, second in combinations(grids, 2):
        both = ~np.isnan(grids[first]) & ~np.isnan(grids[second])
        sample = np.broadcast_to(np.arange(both.shape[1]), both.shape)[both]
        yield Pair(
            metric=metric,
            first=first,
            second=second,
            a=grids[first][both],
            b=grids[second][both],
            sample=sample,
        )


def table(frame: Results, variant: Variant = "corrected", *, seed: int = 0) -> Table | None:
    """The agreement table of a benchmark's judges; None where no metric has two.

    `equal` is the share of equal scores, `bias` the mean of second minus first, MAE the mean
    absolute difference. A measure that is not defined (one value throughout) is left out.
    """
    rows = []
    for pair in pairs(frame, variant):
        if len(pair.a):
            cells = {column.name: _cell(pair, column.name, seed) for column in _MEASURES}
            rows.append(
                TableRow(name=f"{pair.first} : {pair.second}", cells=cells, group=pair.metric)
            )
    if not rows:
        return None
    return Table(
        name=f"{frame.benchmark}.judges",
        title=f"{frame.benchmark}: agreement of judges",
        columns=_MEASURES,
        rows=rows,
        benchmark=frame.benchmark,
        variant=variant,
        by="metric",
        notes=[
            (
                "Bias is the second judge's mean less the first one's. Intervals: 95 %, bootstrap "
                "over samples."
            )
        ],
        meta={"names": "judges"},
    )


# -- measures --------------------------------------------------------------------------------------


def _shares(each: Floats) -> Floats:
    """(n,) numbers that are averaged -> parts (n, 2)."""
    return np.stack([each, np.ones_like(each)], axis=1)


def _ranked(a: Floats, b: Floats) -> Floats:
    first, second = correlation.ranks(a), correlation.ranks(b)
    return correlation.pearson_parts(first[:, None], second[:, None])


_Parts = Callable[[Floats, Floats], Floats]
_OF: dict[str, tuple[_Parts, Callable[[Floats], Floats]]] = {
    "equal": (lambda a, b: _shares((a == b).astype(np.float64)), share_of_parts),
    "kappa": (lambda a, b: kappa_parts(a[:, None], b[:, None]), kappa_of),
    "spearman": (_ranked, correlation.pearson_of),
    "pearson": (
        lambda a, b: correlation.pearson_parts(a[:, None], b[:, None]),
        correlation.pearson_of,
    ),
    "mae": (lambda a, b: _shares(np.abs(a - b)), share_of_parts),
    "bias": (lambda a, b: _shares(b - a), share_of_parts),
}
"""Measure -> what each edit adds to it, (n, k), and the measure of summed parts. Ranks are those
among all edits, also where samples are drawn again.
"""


def _cell(pair: Pair, name: str, seed: int) -> Cell:
    if name == "n":
        return Cell(value=float(len(pair.a)))
    of, measure = _OF[name]
    each = of(pair.a, pair.b)
    parts = np.zeros((int(pair.sample.max(initial=-1)) + 1, each.shape[1]))
    np.add.at(parts, pair.sample, each)
    found = parts_interval(parts, measure, seed=seed)
    value, low, high = (None if math.isnan(end) else end for end in found[:3])
    return Cell(value=value, low=low, high=high)
