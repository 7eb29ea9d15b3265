"""Means of scores, and what is made of means, with intervals; and resamples of the samples.

A statistic is a *formula* over `Moments` (totals and counts), so that all cells of a table share
one computation. Its interval is Student's, with Satterthwaite's degrees of freedom over strata and
a longer tail for skewed scores (`limits.student_limits`).

Sources:
    Efron & Tibshirani, An Introduction to the Bootstrap (1993), chapter 11 (jackknife).
    Cochran, Sampling Techniques (1977), 5.3 to 5.5 (strata), 5A.12 (a stratum of one).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.statistics.limits import (
    LEAST,
    UNBOUNDED,
    Floats,
    Scale,
    is_two_valued,
    least_samples,
    satterthwaite,
    student_limits,
    two_valued_limits,
)

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

RESAMPLES = 2000
SMALL_STRATUM = 10
_AT_ONCE = 16_384
"""Draws that are counted at once: what counts them stays in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Moments:
    """The parts of means, of any leading shape.

    `total` is of the finite values, `count` of all values, and `infinite` counts the infinite ones
    (None where there are none).
    """

    total: Floats
    count: Floats
    infinite: Floats | None = None

    @property
    def mean(self) -> Floats:
        """The means: ``inf`` where an infinite value is in it, NaN where nothing is."""
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = self.total / self.count
        if self.infinite is not None:
            mean = np.where(self.infinite > 0, np.inf, mean)
        return np.asarray(np.where(self.count > 0, mean, np.nan), dtype=np.float64)

    def map(self, change: Callable[[Floats], Floats]) -> Moments:
        """Return moments with each array changed alike, such as by a sum or a product."""
        infinite = None if self.infinite is None else change(self.infinite)
        return Moments(change(self.total), change(self.count), infinite)


Formula = Callable[[Moments], Floats]
"""Moments of shape (..., k) -> statistics of shape (..., c). Must work on any leading shape."""


def mean_of(moments: Moments) -> Floats:
    """The formula of a plain mean: (..., k) -> (..., k)."""
    return moments.mean


def units(values: ArrayLike) -> Moments:
    """Return moments (n, k) with a line for each sample.

    `values`: (n, k) or (n,); NaN means no score, and ``inf`` is allowed.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    is_given = ~np.isnan(table)
    is_infinite = np.isposinf(table)
    total = np.where(is_given & ~is_infinite, table, 0.0)
    infinite = None
    if is_infinite.any():
        infinite = is_infinite.astype(np.float64)
    return Moments(total, is_given.astype(np.float64), infinite)


def pooled(strata: ArrayLike, least: int = SMALL_STRATUM) -> Ints:
    """Return labels (n,) as numbers, with the strata of fewer than `least` units put together.

    Many small strata would make an interval too narrow. What is still small joins the smallest of
    the others.
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
    """Statistics (c,) with their limits (c,). NaN: there is no statistic, or no interval of it."""

    estimate: Floats
    low: Floats
    high: Floats


def intervals(
    data: Moments,
    formula: Formula = mean_of,
    *,
    strata: ArrayLike | None = None,
    scored: ArrayLike | None = None,
    least: ArrayLike = LEAST,
    of_differences: bool = False,
    confidence: float = 0.95,
) -> Intervals:
    """Return every statistic of a formula with its confidence interval.

    `data`: moments of (units, k), see `units`. `strata`: (units,), the stratum of each unit; by
    default there is one. `scored`: (units, c), the units that each statistic is made of; by default
    all. `least`: (c,) or a number, the units below which a statistic has no interval.
    `of_differences`: the scores are differences of two scores of one sample. They are nearly
    symmetric, so that no tail is made longer.

    No interval (NaN) is given of an infinite or missing statistic, and where no unit changes the
    statistic, which says nothing about other samples.
    """
    units_in_all = len(data.total)
    labels = np.zeros(units_in_all, dtype=np.int64) if strata is None else np.asarray(strata)
    estimate = formula(data.map(lambda part: part.sum(axis=0)))  # (c,)
    left_out = formula(data.map(lambda part: part.sum(axis=0) - part))  # (units, c)
    made_of = np.broadcast_to(True if scored is None else np.asarray(scored), left_out.shape)
    spread = _jackknife(estimate, left_out, made_of, labels)

    smallest_variance = (1e-12 * np.abs(estimate)) ** 2  # rounding errors of equal scores
    with np.errstate(invalid="ignore"):
        is_given = np.isfinite(estimate) & (spread.variance > smallest_variance)
        is_given &= (spread.n >= np.asarray(least)) & (spread.n > spread.strata)
    low = np.full(estimate.shape, np.nan)
    high = np.full(estimate.shape, np.nan)
    third_moment = np.zeros(estimate.shape) if of_differences else spread.third_moment
    limits = student_limits(
        estimate[is_given],
        spread.variance[is_given],
        spread.nu[is_given],
        third_moment=third_moment[is_given],
        confidence=confidence,
    )
    low[is_given] = limits.low
    high[is_given] = limits.high
    return Intervals(estimate, low, high)


class _Spread(NamedTuple):
    """The jackknife of statistics, all of shape (c,)."""

    n: Ints
    strata: Ints
    variance: Floats
    nu: Floats
    third_moment: Floats


def _jackknife(estimate: Floats, left_out: Floats, made_of: Mask, labels: ArrayLike) -> _Spread:
    """Return the spread of statistics (c,) from their values without each unit (units, c).

    `made_of`: (units, c), the units that each statistic is made of. `labels`: (units,), strata. A
    stratum of one unit has no variance of its own: the unit is measured from the whole, which makes
    the variance too large rather than too small.

    Sources: Efron & Tibshirani (1993), 11.5; Cochran (1977), 5.3.
    """
    n = made_of.sum(axis=0)
    shape = estimate.shape
    count_of_strata = np.zeros(shape, dtype=np.int64)
    third_moment = np.zeros(shape)
    variances = []
    degrees = []
    with np.errstate(invalid="ignore", divide="ignore"):
        shrink = (n - 1) / n
        whole = shrink * estimate
        for label in np.unique(labels):
            inside = np.flatnonzero(np.asarray(labels) == label)
            scored = made_of[inside]
            moved = shrink * left_out[inside]
            n_h = scored.sum(axis=0)
            mean_h = np.where(scored, moved, 0.0).sum(axis=0) / n_h
            centre = np.where(n_h > 1, mean_h, whole)
            # u: how much each unit moves the statistic, (n_h, c)
            u = np.where(scored, centre - moved, 0.0)
            squares = u * u
            unbiased = n_h / np.maximum(n_h - 1, 1)
            variances.append(unbiased * squares.sum(axis=0))
            degrees.append(n_h - 1)
            third_moment += (squares * u).sum(axis=0)
            count_of_strata += n_h > 0
    variance = np.sum(variances, axis=0) if variances else np.zeros(shape)
    nu = satterthwaite(variances, degrees) if variances else np.ones(shape)
    return _Spread(n, count_of_strata, variance, nu, third_moment)


class Estimate(NamedTuple):
    """A statistic (NaN where it is not defined) with its 95 % interval (NaN where there is none),
    and how many samples it is made of.
    """

    value: float
    low: float
    high: float
    n: int


NOTHING = Estimate(math.nan, math.nan, math.nan, 0)


def within(value: ArrayLike, low: ArrayLike, high: ArrayLike, scale: Scale) -> Intervals:
    """Return a statistic with its limits cut at the ends of its scale.

    A value beyond an end (a released script takes any number that a judge writes) stays inside.
    """
    level = np.asarray(value, dtype=np.float64)
    lowest = np.fmin(scale[0], level)
    highest = np.fmax(scale[1], level)
    return Intervals(level, np.maximum(low, lowest), np.minimum(high, highest))


def mean_interval(values: ArrayLike, scale: Scale = UNBOUNDED) -> Estimate:
    """Return the mean of values (n,), NaN = no score, with its 95 % interval.

    `scale`: the range of the values, within which limits stay. Values at its two ends alone
    (`limits.is_two_valued`) have the interval of a share. There is no interval of fewer values than
    `limits.least_samples` says, nor of values that are alike; see `intervals`.
    """
    scores = np.asarray(values, dtype=np.float64)
    scores = scores[~np.isnan(scores)]
    n = len(scores)
    if not n:
        return NOTHING
    least = least_samples(scale)
    if n >= least and is_two_valued(scores, scale):
        value = float(scores.mean())
        limits = two_valued_limits([value], [n], [1.0], scale)
        return Estimate(value, float(limits.low), float(limits.high), n)
    found = intervals(units(scores), least=least)
    cut = within(found.estimate, found.low, found.high, scale)
    return Estimate(float(cut.estimate[0]), float(cut.low[0]), float(cut.high[0]), n)


def pooled_mean_interval(
    values: ArrayLike, scale: Scale = UNBOUNDED, *, of_differences: bool = False
) -> Estimate:
    """Return the mean of all finite values (samples, k) or (samples,) with its interval.

    All values of a sample stay together: the interval is over samples. `of_differences`: see
    `intervals`; such means have an interval from `limits.LEAST` samples on.
    """
    table = np.asarray(values, dtype=np.float64)
    if not table.size:
        return NOTHING
    table = table.reshape(len(table), -1)
    table = table[np.isfinite(table).any(axis=1)]
    if not len(table):
        return NOTHING
    is_finite = np.isfinite(table)
    if is_finite.sum() == len(table) and not of_differences:
        return mean_interval(table[is_finite], scale)
    total = np.where(is_finite, table, 0.0).sum(axis=1, keepdims=True)
    count = is_finite.sum(axis=1, keepdims=True).astype(np.float64)
    least = LEAST if of_differences else least_samples(scale)
    found = intervals(Moments(total, count), least=least, of_differences=of_differences)
    cut = within(found.estimate, found.low, found.high, scale)
    return Estimate(float(cut.estimate[0]), float(cut.low[0]), float(cut.high[0]), len(table))


# -- resamples -------------------------------------------------------------------------------------


def replicates(
    data: Moments, formula: Formula, strata: ArrayLike | None = None, resamples: int = RESAMPLES
) -> Floats:
    """Return the statistics of a formula in every bootstrap resample of units: (resamples, c).

    Every stratum keeps its size. The draws are the same for the same `strata`.
    """
    n = len(data.total)
    labels = np.zeros(n) if strata is None else np.asarray(strata)
    parts = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    generator = np.random.default_rng(0)
    blocks: list[Moments] = []
    size = max(1, _AT_ONCE // max(1, n))
    for done in range(0, resamples if n else 0, size):
        lines = min(size, resamples - done)
        drawn = [part[generator.integers(0, len(part), (lines, len(part)))] for part in parts]
        places = np.concatenate(drawn, axis=1) + n * np.arange(lines)[:, None]
        counts = np.bincount(places.ravel(), minlength=lines * n).reshape(lines, n)
        blocks.append(data.map(counts.astype(np.float64).__matmul__))
    total = np.concatenate([block.total for block in blocks])
    count = np.concatenate([block.count for block in blocks])
    infinite = [block.infinite for block in blocks if block.infinite is not None]
    return formula(Moments(total, count, np.concatenate(infinite) if infinite else None))
