"""Bootstrap by matrix products: what is drawn again, how often, and the interval that follows.

A statistic is a *formula* over `Moments` (totals and counts), so that one product of draws and
moments gives every resample of a whole table at once, and all its cells share their draws.

Sources: Efron & Tibshirani, An Introduction to the Bootstrap (1993), sections 13.3, 14.3 (BCa);
Davison & Hinkley, Bootstrap Methods (1997), 3.2 (strata), 5.3.2 (BCa with strata); Hesterberg, The
American Statistician 69 (2015), 371-386 (tails for few units).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.statistics.quantiles import NORMAL, is_yes_or_no, student, two_valued_limits

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RESAMPLES = 2000
LEAST = 6
"""Samples below which no interval is given: a bootstrap of fewer holds the truth too seldom."""
MEANT_FROM = 30
"""Samples from which 95 % intervals hold the truth in about 95 % of cases even of skewed values."""
SMALL_STRATUM = 10
_BLOCK_BYTES = 32 * 2**20
_AT_ONCE = 16_384
"""Draws that are counted at once: what counts them stays in the processor's cache."""


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

    def map(self, change: Callable[[Floats], Floats]) -> Moments:
        """Each array changed alike (a part of it, its sum, its product with draws)."""
        infinite = None if self.infinite is None else change(self.infinite)
        return Moments(change(self.total), change(self.count), infinite)

    def __getitem__(self, key: Any) -> Moments:
        """The same part of each array."""
        return self.map(lambda array: array[key])


Formula = Callable[[Moments], Floats]
"""Moments of shape (..., k) -> statistics of shape (..., c). Must work on any leading shape."""


def mean_of(moments: Moments) -> Floats:
    """The formula of a plain mean: (..., k) -> (..., k)."""
    return moments.mean


def units(values: ArrayLike) -> Moments:
    """One line of moments for each sample, which is drawn again as a whole: (n, k) of values (n, k)
    or (n,), NaN = no score, ``inf`` allowed.
    """
    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if np.isneginf(table).any():
        raise ValueError("values: minus infinity is not a score")
    valid, infinite = ~np.isnan(table), np.isposinf(table)
    total = np.where(valid & ~infinite, table, 0.0)
    ends = infinite.astype(np.float64) if infinite.any() else None
    return Moments(total, valid.astype(np.float64), ends)


def pooled(strata: ArrayLike, least: int = SMALL_STRATUM) -> Ints:
    """Labels (n,) as numbers, with the strata of fewer than `least` units put together.

    A stratum of k units drawn again shows only (k - 1)/k of its variance: many small strata make an
    interval too narrow. What is put together and is still small joins the smallest of the others.
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


def draws(strata: ArrayLike, resamples: int = RESAMPLES, *, seed: int = 0) -> Iterator[Floats]:
    """How often each unit is drawn in each bootstrap resample, in blocks of shape (b, n).

    `strata`: (n,) labels, equal ones beside each other; each stratum is drawn with replacement to
    its own size. The blocks hold `resamples` lines in all, the same for the same `strata` and
    `seed`; they share their memory, so a block is good until the next one is asked for.
    """
    labels = np.asarray(strata)
    n = len(labels)
    ends = np.flatnonzero(np.r_[labels[1:] != labels[:-1], True]) + 1 if n else np.zeros(0, int)
    starts = [0, *ends[:-1].tolist()] if n else []
    generator = np.random.default_rng(seed)
    size = max(1, _BLOCK_BYTES // max(1, 8 * n))
    block = np.zeros((min(size, resamples), n))
    for done in range(0, resamples, size):
        counts = block[: min(size, resamples - done)]
        for start, end in zip(starts, ends.tolist(), strict=True):
            narrow = np.uint16 if end - start <= 2**16 else np.int32
            drawn = generator.integers(0, end - start, (len(counts), end - start), dtype=narrow)
            _tally(drawn, counts[:, start:end])
        yield counts


def _tally(drawn: NDArray[Any], counts: Floats) -> None:
    """How often each of k numbers was drawn in each line: (lines, k) draws -> (lines, k) counts."""
    lines, k = drawn.shape
    step = max(1, _AT_ONCE // max(1, k))
    first = np.arange(step)[:, None] * k
    for start in range(0, lines, step):
        some = drawn[start : start + step]
        numbers = (some + first[: len(some)]).ravel()
        found = np.bincount(numbers, minlength=len(some) * k)
        counts[start : start + step] = found.reshape(some.shape)


def _replicates(
    data: Moments, formula: Formula, labels: NDArray[Any], resamples: int, seed: int
) -> Floats:
    """The statistics of every resample, (resamples, c)."""
    order = np.argsort(labels, kind="stable")
    parts = (data.total, data.count, data.infinite)
    products = [_product(part[order]) for part in parts if part is not None]
    return np.concatenate([
        formula(Moments(*(product(counts) for product in products)))
        for counts in draws(labels[order], resamples, seed=seed)
    ])  # fmt: skip


def _product(whole: Floats) -> Callable[[Floats], Floats]:
    """The product of draws (b, n) with `whole` (n, k) as a function of the draws. Columns that are
    alike, as counts are where every editor has every score, are multiplied once.
    """
    places: dict[bytes, int] = {}
    column = [places.setdefault(one.tobytes(), len(places)) for one in whole.T]
    apart = np.ascontiguousarray(whole[:, [column.index(k) for k in range(len(places))]])
    return lambda counts: (counts @ apart)[:, column]


class Intervals(NamedTuple):
    """`estimate`, `low`, `high`: shape (c,), NaN where there is no statistic, or no interval.
    `replicates`: (resamples, c).
    """

    estimate: Floats
    low: Floats
    high: Floats
    replicates: Floats


def bootstrap(
    data: Moments,
    formula: Formula = mean_of,
    *,
    strata: ArrayLike | None = None,
    scored: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Intervals:
    """BCa intervals of every statistic of a formula, from one set of resamples.

    `data`: moments of (units, k) from `units`. `strata`: (units,) labels, default one stratum.
    `scored`: (c,) how many units each statistic is made of, default all. No interval (NaN) is given
    of fewer than `LEAST` units, of an infinite or missing statistic, and where all resamples are
    equal, which says nothing about other samples. With few units the tails are widened as Student's
    t is (Hesterberg, section 5.1).
    """
    n = len(data.total)
    labels = np.zeros(n, dtype=np.int64) if strata is None else np.asarray(strata)
    if labels.shape != (n,):
        raise ValueError(f"strata: one label for each of {n} units wanted, found {labels.shape}")
    estimate = formula(data.map(lambda part: part.sum(axis=0)))
    found = _replicates(data, formula, labels, resamples, seed)
    left_out = formula(data.map(lambda part: part.sum(axis=0) - part))
    known = np.broadcast_to(n if scored is None else np.asarray(scored), estimate.shape)
    groups = len(np.unique(labels))
    skew = acceleration(left_out, labels)
    low, high = np.full(estimate.shape, np.nan), np.full(estimate.shape, np.nan)
    for c in np.flatnonzero(np.isfinite(estimate) & (known >= max(LEAST, groups + 1))):
        column = found[:, c]
        column = column[np.isfinite(column)]
        if len(column) < resamples * 0.9 or np.ptp(column) <= 1e-12 * abs(float(estimate[c])):
            continue
        tail = few_units_tail(int(known[c]), groups, confidence)
        low[c], high[c] = bca_limits(column, float(estimate[c]), float(skew[c]), tail)
    return Intervals(estimate, low, high, found)


def few_units_tail(n: int, strata: int = 1, confidence: float = 0.95) -> float:
    """The share that is cut off at each end of the resamples of `n` units, so that the interval of
    a mean is as wide as Student's: below (1 - confidence) / 2, and near it from 100 units on.
    """
    quantile = student((1 + confidence) / 2, n - strata) * math.sqrt(n / (n - strata))
    return NORMAL.cdf(-quantile)


def bca_limits(found: Floats, estimate: float, skew: float, tail: float) -> tuple[float, float]:
    """The bias-corrected and accelerated limits of resamples (m,); `skew` is the acceleration."""
    hair = 1e-12 * (abs(estimate) + float(np.ptp(found)))  # sums in another order are equal still
    below = np.count_nonzero(found < estimate - hair) / 2
    below += np.count_nonzero(found <= estimate + hair) / 2
    if not 0 < below < len(found):
        low, high = np.quantile(found, [tail, 1 - tail])
        return float(low), float(high)
    shift = NORMAL.inv_cdf(below / len(found))
    tails = []
    for z in (shift + NORMAL.inv_cdf(tail), shift - NORMAL.inv_cdf(tail)):
        tails.append(NORMAL.cdf(shift + z / max(1 - skew * z, 1e-3)))
    low, high = np.quantile(found, tails)
    return float(low), float(high)


def acceleration(left_out: Floats, strata: ArrayLike) -> Floats:
    """How the standard errors of statistics change with them, (c,), from jackknife values (n, c); 0
    where these are all equal.
    """
    labels = np.asarray(strata)
    cubes, squares = np.zeros(left_out.shape[1]), np.zeros(left_out.shape[1])
    for label in np.unique(labels):
        part = left_out[labels == label]
        known = np.isfinite(part)
        count = np.maximum(known.sum(axis=0), 1)
        part = np.where(known, part, 0.0)
        mean = part.sum(axis=0) / count
        influence = np.where(known, (count - 1) * (mean - part) / count, 0.0)
        squared = influence**2
        cubes += (squared * influence).sum(axis=0)
        squares += squared.sum(axis=0)
    some = squares > 1e-300
    return np.where(some, cubes / (6 * np.where(some, squares, 1.0) ** 1.5), 0.0)


class Estimate(NamedTuple):
    """A statistic (NaN where it is not defined) with its 95 % interval (NaN where there is none),
    and how many samples it is made of.
    """

    value: float
    low: float
    high: float
    n: int


NOTHING = Estimate(math.nan, math.nan, math.nan, 0)


def mean_interval(
    values: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    scale: tuple[float, float] = (-math.inf, math.inf),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """The mean of values (n,), NaN = no score, with its 95 % interval.

    `strata`: a label for each value. `scale`: the range of the values; limits stay within it, and
    answers of two kinds (`quantiles.is_yes_or_no`) have Wilson's interval.
    """
    table = np.asarray(values, dtype=np.float64)
    known = ~np.isnan(table)
    given = table[known]
    if not len(given):
        return NOTHING
    if is_yes_or_no(given, *scale):
        return Estimate(float(given.mean()), *two_valued_limits(given, *scale), len(given))
    labels = None if strata is None else np.asarray(strata)[known]
    found = bootstrap(units(given), strata=labels, resamples=resamples, seed=seed)
    low, high = np.clip([found.low[0], found.high[0]], *scale)
    return Estimate(float(found.estimate[0]), float(low), float(high), len(given))


def parts_interval(
    parts: ArrayLike,
    statistic: Callable[[Floats], Floats],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """A statistic of summed parts, with its interval over samples.

    `parts`: (samples, k), one line for each sample with everything that belongs to it, the last
    column counting what is in it; lines that count nothing are left out. `statistic`: (..., k) ->
    (...,).
    """
    table = np.asarray(parts, dtype=np.float64)
    table = table[table[:, -1] > 0]
    if not len(table):
        return NOTHING

    def formula(moments: Moments) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):  # a resample may have no value
            return statistic(moments.total)[..., None]

    data = Moments(table, np.ones_like(table))
    found = bootstrap(data, formula, resamples=resamples, seed=seed)
    return Estimate(float(found.estimate[0]), float(found.low[0]), float(found.high[0]), len(table))


def pooled_mean_interval(
    values: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """The mean over all values of (samples, k) or (samples,), NaN = not defined, drawn again by
    sample.
    """
    table = np.asarray(values, dtype=np.float64).reshape(len(np.asarray(values)), -1)
    given = np.isfinite(table)
    parts = np.stack([np.where(given, table, 0.0).sum(axis=1), given.sum(axis=1)], axis=1)
    return parts_interval(parts, share_of_parts, resamples=resamples, seed=seed)


def share_of_parts(parts: ArrayLike) -> Floats:
    """total / count of parts of shape (..., 2): (...,); NaN where nothing was counted."""
    total, count = np.moveaxis(np.asarray(parts, dtype=np.float64), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(count > 0, total / count, np.nan))
