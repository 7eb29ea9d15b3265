"""An estimate with its interval by bootstrap over samples, for every statistic of agreement."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.tables.resampling import RESAMPLES, Moments, bootstrap

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """A statistic with its 95 % interval, over `samples` samples; NaN where it is not defined."""

    value: float
    low: float
    high: float
    samples: int


NOTHING = Interval(math.nan, math.nan, math.nan, 0)


def of_parts(
    parts: ArrayLike,
    statistic: Callable[[Floats], Floats],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The statistic of summed parts, with its BCa bootstrap interval.

    `parts`: (samples, k), one line for each sample with everything that belongs to it, the last
    column counting what is in it; lines that count nothing are left out. `statistic`: (..., k) ->
    (...,).
    """
    table = np.asarray(parts, dtype=np.float64)
    table = table[table[:, -1] > 0]
    if not len(table):
        return NOTHING
    data = Moments(table, np.ones_like(table))
    found = bootstrap(
        data, lambda moments: statistic(moments.total)[..., None], resamples=resamples, seed=seed
    )
    return Interval(float(found.estimate[0]), float(found.low[0]), float(found.high[0]), len(table))


def of_means(values: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> Interval:
    """The mean of values (samples, k) or (samples,), NaN = not defined, drawn again by sample.

    A sample's values count each, as in a mean over all of them.
    """
    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    given = np.isfinite(table)
    parts = np.stack([np.where(given, table, 0.0).sum(axis=1), given.sum(axis=1)], axis=1)

    def mean(summed: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(summed[..., 0] / summed[..., 1])

    return of_parts(parts, mean, resamples=resamples, seed=seed)
