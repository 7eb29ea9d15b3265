"""Intervals of means and of what is made of means, and resamples for what has no interval.

A statistic is a *formula* over `Moments` (totals and counts), so that all cells of a table share
one computation. Sources: Hall, J. R. Statist. Soc. B 54 (1992), 221-228 (removal of skewness);
Efron & Tibshirani, An Introduction to the Bootstrap (1993), chapter 11 (jackknife).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.statistics.quantiles import is_yes_or_no, student, two_valued_limits

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RESAMPLES = 2000
LEAST = 6
"""Samples below which no interval is given: it would hold the truth too seldom."""
MEANT_FROM = 30
"""Samples from which 95 % intervals hold the truth in about 95 % of cases even of skewed values."""
SMALL_STRATUM = 10
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
        """total / count; ``inf`` where an infinite value is in it, NaN where nothing is."""
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = self.total / self.count
        if self.infinite is not None:
            mean = np.where(self.infinite > 0, np.inf, mean)
        return np.asarray(np.where(self.count > 0, mean, np.nan), dtype=np.float64)

    def map(self, change: Callable[[Floats], Floats]) -> Moments:
        """Each array changed alike (a part of it, its sum, its product with draws)."""
        infinite = None if self.infinite is None else change(self.infinite)
        return Moments(change(self.total), change(self.count), infinite)


Formula = Callable[[Moments], Floats]
"""Moments of shape (..., k) -> statistics of shape (..., c). Must work on any leading shape."""


def mean_of(moments: Moments) -> Floats:
    """The formula of a plain mean: (..., k) -> (..., k)."""
    return moments.mean


def units(values: ArrayLike) -> Moments:
    """A line of moments a sample: (n, k) of (n, k) or (n,), NaN = no score, ``inf`` allowed."""
    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    valid, infinite = ~np.isnan(table), np.isposinf(table)
    total = np.where(valid & ~infinite, table, 0.0)
    ends = infinite.astype(np.float64) if infinite.any() else None
    return Moments(total, valid.astype(np.float64), ends)


def pooled(strata: ArrayLike, least: int = SMALL_STRATUM) -> Ints:
    """Labels (n,) as numbers, with the strata of fewer than `least` units put together, as many
    small strata make an interval too narrow. What is still small joins the smallest of the others.
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


# -- intervals -------------------------------------------------------------------------------------


class Intervals(NamedTuple):
    """`estimate`, `low`, `high`: shape (c,), NaN where there is no statistic, or no interval."""

    estimate: Floats
    low: Floats
    high: Floats


def intervals(
    data: Moments,
    formula: Formula = mean_of,
    *,
    strata: ArrayLike | None = None,
    scored: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Intervals:
    """Student's interval of every statistic of a formula, with its skewness removed (Hall's cubic
    transformation); standard error and skewness are the jackknife's.

    `data`: moments of (units, k) from `units`. `strata`: (units,) labels, default one stratum.
    `scored`: (units, c) which units each statistic is made of, default all; strata without any cost
    it no degree of freedom. No interval (NaN) is given of fewer than `LEAST` units, of an infinite
    or missing statistic, and where no unit changes the statistic, which says nothing about other
    samples.
    """
    n = len(data.total)
    labels = np.zeros(n, dtype=np.int64) if strata is None else np.asarray(strata)
    estimate = formula(data.map(lambda part: part.sum(axis=0)))
    left_out = formula(data.map(lambda part: part.sum(axis=0) - part))
    made_of = np.broadcast_to(True if scored is None else np.asarray(scored), left_out.shape)
    known, (groups, squares, cubes) = made_of.sum(axis=0), np.zeros((3, *estimate.shape))
    with np.errstate(invalid="ignore", divide="ignore"):
        moved = left_out * (known - 1) / known
        for mine in (labels == label for label in np.unique(labels)):
            groups += made_of[mine].any(axis=0)
            part = moved[mine].mean(axis=0) - moved[mine]
            squares += (part**2).sum(axis=0)
            cubes += (part**3).sum(axis=0)
        sure = known >= np.maximum(LEAST, groups + 1)
        sure &= np.isfinite(estimate) & (squares > (1e-12 * np.abs(estimate)) ** 2 / n)
        free = np.where(sure, known - groups, 1)
        error = np.sqrt(np.where(sure, squares * known / free, np.nan))
        skew = np.where(sure, cubes / squares**1.5, 0.0)
    each, of = np.unique(free, return_inverse=True)
    quantile = np.array([student((1 + confidence) / 2, int(one)) for one in each])[of.ravel()]
    low, high = (estimate - error * _skewed(end, skew) for end in (quantile, -quantile))
    return Intervals(estimate, low, high)


def _skewed(quantile: Floats, skew: Floats) -> Floats:
    """Hall's (1992) inverse of t + k t²/3 + k² t³/27 + k/6 at Student's quantile; k: skewness."""
    k = np.where(np.abs(skew) < 1e-6, 1e-6, skew)
    return np.asarray(3 / k * (np.cbrt(1 + k * (quantile - k / 6)) - 1))


class Estimate(NamedTuple):
    """A statistic (NaN where it is not defined) with its 95 % interval (NaN where there is none),
    and how many samples it is made of.
    """

    value: float
    low: float
    high: float
    n: int


NOTHING = Estimate(math.nan, math.nan, math.nan, 0)
UNBOUNDED = (-math.inf, math.inf)
CORRELATION, SHARE = (-1.0, 1.0), (0.0, 1.0)
"""Scales, within which limits stay."""
_EDGE = 1 - 1e-9


def mean_interval(values: ArrayLike, scale: tuple[float, float] = UNBOUNDED) -> Estimate:
    """The mean of values (n,), NaN = no score, with its 95 % interval; see `intervals`.

    `scale`: the range of the values; limits stay within it, and answers of two kinds
    (`quantiles.is_yes_or_no`) have Wilson's interval; fewer than `LEAST` none.
    """
    given = np.asarray(values, dtype=np.float64)
    given = given[~np.isnan(given)]
    if not len(given):
        return NOTHING
    if len(given) >= LEAST and is_yes_or_no(given, *scale):
        return Estimate(float(given.mean()), *two_valued_limits(given, *scale), len(given))
    value, *ends = (float(end[0]) for end in intervals(units(given)))
    low, high = np.clip(ends, *scale)
    return Estimate(value, float(low), float(high), len(given))


def parts_interval(
    parts: ArrayLike,
    statistic: Callable[[Floats], Floats],
    scale: tuple[float, float] = UNBOUNDED,
) -> Estimate:
    """A statistic of summed parts, with its interval over samples, within the statistic's scale;
    that of a `CORRELATION` is made on the scale of Fisher's z, its inverse hyperbolic tangent.

    `parts`: (samples, k), one line for each sample with everything that belongs to it, the last
    column counting what is in it; lines that count nothing are left out. `statistic`: (..., k) ->
    (...,).
    """
    table = np.asarray(parts, dtype=np.float64)
    table = table[table[:, -1] > 0]
    if not len(table):
        return NOTHING

    def formula(moments: Moments) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):  # without a sample: maybe no value
            value = statistic(moments.total)[..., None]
        return np.arctanh(np.clip(value, -_EDGE, _EDGE)) if turned else value

    turned, value = scale == CORRELATION, float(statistic(table.sum(axis=0)))
    _, (low, *_), (high, *_) = intervals(Moments(table, np.ones_like(table)), formula)
    low, high = np.tanh([low, high]) if turned else np.clip([low, high], *scale)
    return Estimate(value, float(low), float(high), len(table))


def pooled_mean_interval(values: ArrayLike, scale: tuple[float, float] = UNBOUNDED) -> Estimate:
    """The mean of all values (samples, k) or (samples,), NaN = none; interval over samples."""
    table = np.asarray(values, dtype=np.float64).reshape(len(np.asarray(values)), -1)
    given = np.isfinite(table)
    parts = np.stack([np.where(given, table, 0.0).sum(axis=1), given.sum(axis=1)], axis=1)
    return parts_interval(parts, share_of_parts, scale)


def share_of_parts(parts: ArrayLike) -> Floats:
    """total / count of parts of shape (..., 2): (...,); NaN where nothing was counted."""
    total, count = np.moveaxis(np.asarray(parts, dtype=np.float64), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(count > 0, total / count, np.nan))


# -- resamples -------------------------------------------------------------------------------------


def replicates(
    data: Moments, formula: Formula, strata: ArrayLike | None = None, resamples: int = RESAMPLES
) -> Floats:
    """The statistics of a formula in every bootstrap resample of units: (resamples, c). Every
    stratum keeps its size; the draws are the same for the same `strata`.
    """
    n = len(data.total)
    labels = np.zeros(n) if strata is None else np.asarray(strata)
    parts = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    generator, blocks = np.random.default_rng(0), list[Moments]()
    size = max(1, _AT_ONCE // max(1, n))
    for done in range(0, resamples if n else 0, size):
        lines = min(size, resamples - done)
        drawn = [part[generator.integers(0, len(part), (lines, len(part)))] for part in parts]
        places = np.concatenate(drawn, axis=1) + n * np.arange(lines)[:, None]
        counts = np.bincount(places.ravel(), minlength=lines * n).reshape(lines, n)
        blocks.append(data.map(counts.astype(np.float64).__matmul__))
    infinite = [block.infinite for block in blocks if block.infinite is not None]
    total, count = (
        np.concatenate([getattr(b, name) for b in blocks]) for name in ("total", "count")
    )
    return formula(Moments(total, count, np.concatenate(infinite) if infinite else None))
