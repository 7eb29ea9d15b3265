"""Bootstrap by matrix products: what is drawn again, how often, and the interval that follows.

The unit that is drawn again is a sample with everything that belongs to it. A statistic is a
*formula* over `Moments` (totals and counts), so one product of draws and moments gives every
resample of a whole table at once.

Sources: Efron & Tibshirani, An Introduction to the Bootstrap (1993), chapters 6, 13, 14
(percentile, BCa); Davison & Hinkley, Bootstrap Methods (1997), sections 3.2 (strata) and 5.3.2 (BCa
with strata).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Method = Literal["bca", "percentile"]

RESAMPLES = 10_000
"""The least that intervals are made of; see `enough`."""
MOST = 100_000
WORK = 5e8
"""Additions up to which more resamples than the least are made."""
BATCHES = 10
"""Parts of the resamples from whose limits the noise of a limit is estimated."""
LEAST = 10
"""Strata of fewer units are put together."""
CHUNK_BYTES = 32 * 2**20
"""Draws are made in blocks of about this size."""
AT_ONCE = 16_384
"""About so many draws are counted at once: what counts them stays in the processor's cache."""
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Moments:
    """What a mean is made of, for any leading shape: `total` of the finite values, `count` of all
    values, and how many of those are `infinite` (None where there are none).
    """

    total: Floats
    count: Floats
    infinite: Floats | None = None

    @property
    def mean(self) -> Floats:
        """total / count; ``inf`` where an infinite value is in it, NaN where nothing is. Same shape
        as `total`.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = self.total / self.count
        if self.infinite is not None:
            mean = np.where(self.infinite > 0, np.inf, mean)
        return np.asarray(np.where(self.count > 0, mean, np.nan), dtype=np.float64)

    def __getitem__(self, key: Any) -> Moments:
        """The same part of each array."""
        return Moments(
            self.total[key], self.count[key], None if self.infinite is None else self.infinite[key]
        )


def enough(units: int, leaves: int) -> int:
    """How many resamples of so many units, each with so many numbers, are made: as many as are
    cheap, because their noise is what limits an interval's digits.
    """
    return int(min(MOST, max(RESAMPLES, WORK / max(1, units * (leaves + 20)))))


Formula = Callable[[Moments], Floats]
"""Moments of shape (..., k) -> statistics of shape (..., c). Must work on any leading shape."""


def mean_of(moments: Moments) -> Floats:
    """The formula of a plain mean: (..., k) -> (..., k)."""
    return moments.mean


def units(values: ArrayLike, clusters: ArrayLike | None = None) -> Moments:
    """One line of moments for each unit that is drawn again.

    `values`: (n, k) or (n,), NaN = no score, ``inf`` allowed. `clusters`: (n,) labels; lines with
    one label become one unit (in order of first appearance), None = each line is its own. Returns
    moments of shape (units, k).
    """
    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    valid = ~np.isnan(table)
    infinite = np.isposinf(table)
    if np.isneginf(table).any():
        raise ValueError("values: minus infinity is not a score")
    total = np.where(valid & ~infinite, table, 0.0)
    parts = [total, valid.astype(np.float64), infinite.astype(np.float64)]
    if clusters is not None:
        _, first, codes = np.unique(np.asarray(clusters), return_index=True, return_inverse=True)
        order = np.argsort(np.argsort(first))[codes.ravel()]
        summed = []
        for part in parts:
            out = np.zeros((len(first), part.shape[1]))
            np.add.at(out, order, part)
            summed.append(out)
        parts = summed
    return Moments(parts[0], parts[1], parts[2] if infinite.any() else None)


def pooled(strata: ArrayLike, least: int = LEAST) -> NDArray[np.int64]:
    """Labels (n,) as numbers, with the strata of fewer than `least` units put together.

    A stratum of k units drawn again shows only (k - 1)/k of its variance, and one of a single unit
    none: many small strata make an interval too narrow. What is put together and is still small
    joins the smallest of the others.
    """
    _, codes, counts = np.unique(np.asarray(strata), return_inverse=True, return_counts=True)
    codes = codes.ravel().astype(np.int64)
    small = counts < least
    if not small.any():
        return codes
    rest = len(counts)
    if counts[small].sum() < least and not small.all():
        rest = int(np.flatnonzero(~small)[np.argmin(counts[~small])])
    return np.where(small[codes], rest, codes)


def resample_counts(
    strata: ArrayLike, resamples: int = RESAMPLES, *, seed: int = 0
) -> Iterator[Floats]:
    """How often each unit is drawn in each bootstrap resample, in blocks of shape (b, n) that fit
    in memory.

    `strata`: (n,) labels; each stratum is drawn with replacement to its own size, so that a table's
    weighting by category is kept. The blocks hold `resamples` lines in all, the same for the same
    `strata` and `seed`. A block is good until the next one is asked for: they share their memory,
    since fresh memory would take longer than what is done in it.
    """
    codes = np.unique(np.asarray(strata), return_inverse=True)[1].ravel()
    n = len(codes)
    groups = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)] if n else []
    generator = np.random.default_rng(seed)
    size = max(1, CHUNK_BYTES // max(1, 8 * n))
    block = np.zeros((min(size, resamples), n))
    for start in range(0, resamples, size):
        counts = block[: min(size, resamples - start)]
        for members in groups:
            # the same draws as with int64 (`test_draws_do_not_depend_on_their_width`)
            wanted = (len(counts), len(members))
            drawn = generator.integers(0, len(members), size=wanted, dtype=np.int32)
            if len(groups) == 1:  # its members are in their places
                _tally(drawn, counts)
            else:
                part = np.empty(wanted)
                _tally(drawn, part)
                counts[:, members] = part
        yield counts


def _tally(drawn: NDArray[np.int32], counts: Floats) -> None:
    """How often each of k numbers was drawn in each line: (lines, k) draws -> (lines, k) counts."""
    lines, k = drawn.shape
    step = max(1, AT_ONCE // max(1, k))
    first = np.arange(step)[:, None] * k
    for start in range(0, lines, step):
        some = drawn[start : start + step]
        numbers = (some + first[: len(some)]).ravel()
        found = np.bincount(numbers, minlength=len(some) * k)
        counts[start : start + step] = found.reshape(some.shape)


def replicates(
    data: Moments, formula: Formula, strata: ArrayLike, resamples: int, *, seed: int = 0
) -> Floats:
    """The statistics of every bootstrap resample: shape (resamples, c)."""
    (found,) = replicates_of([data], formula, strata, resamples, seed=seed)
    return found


def replicates_of(
    every: Sequence[Moments],
    formula: Formula,
    strata: ArrayLike,
    resamples: int,
    *,
    seed: int = 0,
) -> list[Floats]:
    """`replicates` of several moments of as many units, to the bit: the draws are made once."""
    found: list[list[Floats]] = [[] for _ in every]
    count = [_drawn(data.count) for data in every]
    infinite = [None if data.infinite is None else _drawn(data.infinite) for data in every]
    for counts in resample_counts(strata, resamples, seed=seed):
        for data, made, counted, ends in zip(every, found, count, infinite, strict=True):
            drawn = Moments(counts @ data.total, counted(counts), ends and ends(counts))
            made.append(formula(drawn))
    return [np.concatenate(made) for made in found]


def _drawn(whole: Floats) -> Callable[[Floats], Floats]:
    """The product of draws (b, n) with `whole` (n, k), whole numbers, as a function of the draws.

    Columns that are alike, as counts are where every editor has every score, are multiplied once:
    sums of whole numbers are exact in any order.
    """
    places: dict[bytes, int] = {}
    column = [places.setdefault(one.tobytes(), len(places)) for one in whole.T]
    apart = whole[:, [column.index(place) for place in places.values()]]
    return lambda counts: (counts @ apart)[:, column]


def jackknife(data: Moments, formula: Formula) -> Floats:
    """The statistics with each unit left out in turn: shape (n, c)."""
    infinite = None if data.infinite is None else data.infinite.sum(axis=0) - data.infinite
    return formula(
        Moments(data.total.sum(axis=0) - data.total, data.count.sum(axis=0) - data.count, infinite)
    )


class Intervals(NamedTuple):
    """`estimate`, `low`, `high`: shape (c,), NaN where there is no statistic or no finite interval.
    `replicates`: (resamples, c). `noise`: (c, 2), the standard error that resampling leaves in
    either limit, NaN without an interval.
    """

    estimate: Floats
    low: Floats
    high: Floats
    replicates: Floats
    noise: Floats


def carried(noise: ArrayLike) -> tuple[int, int] | None:
    """How many decimals of each limit are more than noise (2,): the most for which two standard
    errors are within half a unit of the last; below 0 for tens and hundreds, None where nothing is
    known.

    Another seed then moves the printed limit by one unit of its last digit at most, and seldom.
    """
    first, second = np.asarray(noise, dtype=np.float64).tolist()
    if math.isnan(first) or math.isnan(second):
        return None
    return _decimals(first), _decimals(second)


def _decimals(noise: float) -> int:
    return 15 if noise == 0 else min(15, math.floor(-math.log10(4 * noise)))


def bootstrap(
    data: Moments,
    formula: Formula = mean_of,
    *,
    strata: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    method: Method = "bca",
    seed: int = 0,
    found: Floats | None = None,
) -> Intervals:
    """Bootstrap intervals of every statistic of a formula, from one set of resamples (so that they
    can be compared).

    `data`: moments of (units, k) from `units`. `strata`: (units,) labels, default one stratum.
    `method`: ``bca`` (bias-corrected and accelerated; falls back to the percentiles where all
    replicates are equal) or ``percentile``. A statistic whose estimate is infinite or missing has
    no interval (NaN). `found`: what `replicates` gives for these data, where it is known.
    """
    n = data.total.shape[0]
    labels = np.zeros(n, dtype=np.int64) if strata is None else np.asarray(strata)
    if labels.shape != (n,):
        raise ValueError(
            f"strata: one label for each of {n} units is needed, found shape {labels.shape}"
        )
    whole = Moments(
        data.total.sum(axis=0),
        data.count.sum(axis=0),
        None if data.infinite is None else data.infinite.sum(axis=0),
    )
    estimate = formula(whole)
    if found is None:
        found = replicates(data, formula, labels, resamples, seed=seed)
    left_out = jackknife(data, formula) if method == "bca" else None
    low, high = np.full(estimate.shape, np.nan), np.full(estimate.shape, np.nan)
    noise = np.full((*estimate.shape, 2), np.nan)
    for c in np.flatnonzero(np.isfinite(estimate)):
        column = found[:, c]
        column = column[np.isfinite(column)]
        if len(column) < 2:
            continue
        middle = float(estimate[c])
        skew = None if left_out is None else _acceleration(left_out[:, c], labels)
        limits = partial(_limits, estimate=middle, acceleration=skew, confidence=confidence)
        low[c], high[c] = limits(column)
        noise[c] = _noise(column, limits)
    return Intervals(estimate, low, high, found, noise)


def _noise(column: Floats, limits: Callable[[Floats], tuple[float, float]]) -> Floats:
    """The standard errors of both limits, from the limits of `BATCHES` parts of the replicates
    (method of batch means): shape (2,), NaN with too few of them.
    """
    size = len(column) // BATCHES
    if size < 20:
        return np.full(2, np.nan)
    parts = np.array([limits(column[i * size : (i + 1) * size]) for i in range(BATCHES)])
    return np.asarray(parts.std(axis=0, ddof=1) / math.sqrt(BATCHES), dtype=np.float64)


def percentile_limits(found: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """The percentile interval of replicates (m,): Efron & Tibshirani, section 13.3."""
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.asarray(found, dtype=np.float64), [tail, 1 - tail])
    return float(low), float(high)


def bca_limits(
    found: ArrayLike,
    estimate: float,
    left_out: ArrayLike,
    confidence: float = 0.95,
    *,
    strata: ArrayLike | None = None,
) -> tuple[float, float]:
    """The BCa interval: Efron & Tibshirani, section 14.3; several strata as in Davison & Hinkley,
    section 5.3.2.

    `found`: replicates (m,), `left_out`: jackknife values (n,), `strata`: (n,) labels of the units.
    Where every replicate lies on one side of the estimate, or the jackknife values are all equal,
    the percentiles are used.
    """
    accelerated = _acceleration(np.asarray(left_out, dtype=np.float64), strata)
    values = np.asarray(found, dtype=np.float64)
    return _limits(values, estimate=estimate, acceleration=accelerated, confidence=confidence)


def _limits(
    values: Floats, *, estimate: float, acceleration: float | None, confidence: float
) -> tuple[float, float]:
    """The BCa limits of replicates; without an acceleration the percentiles."""
    below = (np.count_nonzero(values < estimate) + np.count_nonzero(values <= estimate)) / (
        2 * len(values)
    )
    if not 0 < below < 1 or acceleration is None:
        return percentile_limits(values, confidence)
    shift = _NORMAL.inv_cdf(below)
    tails = []
    for tail in ((1 - confidence) / 2, (1 + confidence) / 2):
        z = shift + _NORMAL.inv_cdf(tail)
        tails.append(_NORMAL.cdf(shift + z / (1 - acceleration * z)))
    low, high = np.quantile(values, tails)
    return float(low), float(high)


def _acceleration(left_out: Floats, strata: ArrayLike | None) -> float | None:
    """How the standard error changes with the statistic; None when the jackknife says nothing."""
    labels = np.zeros(len(left_out), dtype=np.int64) if strata is None else np.asarray(strata)
    cubes = squares = 0.0
    for label in np.unique(labels):
        part = left_out[labels == label]
        part = part[np.isfinite(part)]
        if len(part) < 2:
            continue
        influence = (len(part) - 1) * (part.mean() - part)
        cubes += float(np.sum(influence**3)) / len(part) ** 3
        squares += float(np.sum(influence**2)) / len(part) ** 2
    return cubes / (6 * squares**1.5) if squares > 0 else None
