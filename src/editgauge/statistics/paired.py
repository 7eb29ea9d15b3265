"""Two editors on the samples that both have: the mean difference and an exact test.

Differences are nearly symmetric even where the scores are skewed. Student's interval covers them;
the extension for skewed scores is not needed.

The test flips signs: if the editors do not differ, each difference may change its sign (Fisher
1935). Its p value is counted over all 2^n patterns and not drawn, so that it may be as small as
2^(1 - n) and is the same in every call. Of more than `MOST_COUNTED` differences that have no common
step it is a saddlepoint approximation, whose relative error is about 0.1 %.

Sources:
    Fisher, The Design of Experiments (1935), section 21.
    Horowitz & Sahni, J. ACM 21 (1974), 277-292 (all sums, by two halves).
    Pagano & Tritchler, J. Am. Stat. Assoc. 78 (1983), 435-440 (counting all patterns).
    Robinson, J. R. Stat. Soc. B 44 (1982), 91-101 (saddlepoint approximation).
    Bonett & Price, J. Educ. Behav. Stat. 37 (2012), 479-488 (paired shares).
    Holm, Scand. J. Stat. 6 (1979), 65-70.
"""

from __future__ import annotations

import math
import sys
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.statistics.limits import (
    LEAST,
    UNBOUNDED,
    Floats,
    Limits,
    Scale,
    is_two_valued,
)
from editgauge.statistics.quantiles import NORMAL, normal_quantile
from editgauge.statistics.resampling import intervals, units, within

Ints = NDArray[np.int64]

MOST_COUNTED = 200
"""Differences without a common step up to which all patterns of signs are counted. Of more, the
rounding to steps would move p by more than the approximation does."""
_MOST_IN_HALVES = 30
"""Differences up to which the sums of all patterns are computed without rounding."""
_STEPS = 2**16
"""Steps into which the sum of all absolute differences is divided, where they have none."""
_MOST_PARTS = 60
"""Parts of the smallest difference that are tried as the step."""
_MOST_WORK = 2**28
"""Number of additions up to which differences with a common step are counted."""
_ROUNDING = 1e-9
"""Part of the sum of all absolute differences by which equal sums may seem to differ."""


class Paired(NamedTuple):
    """A - B on the samples that both have.

    `n`: the samples without an infinite difference. `difference`: their mean difference, with its
    limits (NaN: no interval) and the p value of the sign-flip test (NaN: no test). `won`, `tied`,
    `lost`: of all samples that both have, those of which A has a better, equal or worse score.
    `infinitely_won`, `infinitely_lost`: of these, the samples with one infinite score, which are in
    no mean difference.
    """

    n: int
    difference: float
    low: float
    high: float
    p: float
    won: int
    tied: int
    lost: int
    infinitely_won: int
    infinitely_lost: int


def paired_values(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return a - b, (m,), on the samples that both have.

    It is 0 where both are infinite, and infinite where one is.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        difference = np.where(first == second, 0.0, first - second)
    return np.asarray(difference[~np.isnan(difference)], dtype=np.float64)


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    higher_is_better: bool = True,
    scale: Scale = UNBOUNDED,
    confidence: float = 0.95,
) -> Paired:
    """Compare A with B on the samples that both have.

    `a`, `b`: (S,), the scores; NaN means no score. `scale`: the range of a score, within which the
    limits stay; scores at its two ends alone have the interval of paired shares.

    There is no p below two samples, and no interval below `limits.LEAST` nor where all differences
    are equal. Correct p over a table of lines with `holm`.
    """
    d = paired_values(a, b)
    better = d if higher_is_better else -d
    won = int((better > 0).sum())
    lost = int((better < 0).sum())
    finite = d[np.isfinite(d)]
    n = len(finite)
    difference = float(finite.mean()) if n else math.nan
    low, high = _limits(a, b, finite, scale, confidence)
    return Paired(
        n=n,
        difference=difference,
        low=low,
        high=high,
        p=sign_flip_p(finite) if n > 1 else math.nan,
        won=won,
        tied=len(d) - won - lost,
        lost=lost,
        infinitely_won=int(np.isposinf(better).sum()),
        infinitely_lost=int(np.isneginf(better).sum()),
    )


def _limits(
    a: ArrayLike, b: ArrayLike, finite: Floats, scale: Scale, confidence: float
) -> tuple[float, float]:
    """Return the limits of the mean of the finite differences (n,) of scores a, b (S,)."""
    if len(finite) < LEAST:
        return math.nan, math.nan
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    both = ~np.isnan(first) & ~np.isnan(second)
    extent = scale[1] - scale[0]
    if is_two_valued(np.concatenate([first[both], second[both]]), scale):
        limits = share_difference_limits(finite / extent, confidence)
        return extent * limits.low.item(), extent * limits.high.item()
    found = intervals(units(finite), of_differences=True, confidence=confidence)
    cut = within(found.estimate, found.low, found.high, (-extent, extent))
    return float(cut.low[0]), float(cut.high[0])


def share_difference_limits(d: Floats, confidence: float = 0.95) -> Limits:
    """Return the limits of a difference of paired shares.

    `d`: (n,), each -1, 0 or 1. One pair won and one pair lost are added (Bonett & Price 2012).
    """
    n = len(d)
    p_12 = ((d > 0).sum() + 1) / (n + 2)
    p_21 = ((d < 0).sum() + 1) / (n + 2)
    difference = p_12 - p_21
    variance = (p_12 + p_21 - difference**2) / (n + 2)
    z = normal_quantile((1 + confidence) / 2)
    half_width = z * math.sqrt(variance)
    estimate = float(d.mean())
    low = min(max(difference - half_width, -1.0), estimate)
    high = max(min(difference + half_width, 1.0), estimate)
    return Limits(np.asarray(low), np.asarray(high))


# -- the test --------------------------------------------------------------------------------------


def sign_flip_p(differences: ArrayLike) -> float:
    """Return the two-sided p value of the mean of differences (n,), in (0, 1].

    It is the share of all 2^n patterns of signs whose sum is at least as far from 0. Where all
    differences are 0 it is 1. It is never 0: below 2e-308 it is given as that number.
    """
    return max(_share_of_patterns(differences), sys.float_info.min)


def _share_of_patterns(differences: ArrayLike) -> float:
    d = np.asarray(differences, dtype=np.float64)
    d = d[d != 0]
    if not len(d) or abs(d.sum()) <= _ROUNDING * np.abs(d).sum():
        return 1.0
    if len(d) <= _MOST_IN_HALVES:
        return _p_from_halves(d)
    steps = _common_steps(np.abs(d))
    if steps is None and len(d) <= MOST_COUNTED:
        steps = _rounded_steps(np.abs(d))
    if steps is None:
        return _p_by_saddlepoint(d)
    return _p_from_steps(d, steps)


def _p_from_halves(d: Floats) -> float:
    """Count all patterns of differences (n,): each sum of one half with each sum of the other."""
    middle = len(d) // 2
    first = np.sort(_all_sums(d[:middle]))
    second = _all_sums(d[middle:])
    farthest = abs(float(d.sum())) - _ROUNDING * float(np.abs(d).sum())
    # The distribution is symmetric: patterns at the upper end are as many as at the lower one.
    too_low = np.searchsorted(first, farthest - second, side="left")
    at_upper_end = int((len(first) - too_low).sum())
    return min(1.0, float(2 * at_upper_end / 2 ** len(d)))


def _all_sums(d: Floats) -> Floats:
    """Return the sums of all patterns of signs of differences (n,): (2^n,)."""
    sums = np.zeros(1)
    for one in d.tolist():
        sums = np.concatenate([sums - one, sums + one])
    return sums


def _p_from_steps(d: Floats, steps: Ints) -> float:
    """Count all patterns of differences (n,) whose absolute values are whole steps (n,)."""
    total = int(steps.sum())
    observed = int((np.sign(d) * steps).sum())
    # chance[s]: the share of patterns in which the positive differences sum to s steps
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    reached = 0
    for step in np.sort(steps).tolist():
        flipped = chance[: reached + 1] / 2
        chance[: reached + 1] = flipped
        chance[step : reached + step + 1] += flipped
        reached += step
    # A sum of s positive steps is 2 s - total in all; the distribution is symmetric.
    farthest = (total - abs(observed)) // 2
    tail = float(chance[: farthest + 1].sum())
    return min(1.0, 2 * tail)


def _common_steps(size: Floats) -> Ints | None:
    """Return positive numbers (n,) as whole multiples of a common step; None where there is none.

    Ratings and their means over repeats are multiples of a part of the smallest number: of 2 and 3,
    the step is 2 / 2. Such numbers must not be rounded, because equal sums would become unequal.
    """
    smallest = size.min()
    for parts in range(1, _MOST_PARTS + 1):
        multiples = size / smallest * parts
        whole = np.rint(multiples)
        work = len(size) * float(whole.sum())
        if work > _MOST_WORK:
            return None
        if np.abs(multiples - whole).max() < 1e-6:
            return np.asarray(whole.astype(np.int64))
    return None


def _rounded_steps(size: Floats) -> Ints:
    """Return positive numbers (n,) rounded to whole steps.

    The test stays exact, since any function of the differences may be tested by flipping signs.
    """
    return np.asarray(np.rint(size / size.sum() * _STEPS).astype(np.int64))


def _p_by_saddlepoint(d: Floats) -> float:
    """Approximate p of many differences (n,).

    K is the cumulant generating function of the sum of all differences with random signs, x the
    observed sum. Source: Robinson (1982); Davison & Hinkley, Bootstrap Methods (1997), 9.5.
    """
    size = np.abs(d) / np.sqrt((d**2).sum())  # the variance of the sum is 1
    x = abs(float((np.sign(d) * size).sum()))
    if size.sum() - x <= _ROUNDING * size.sum():
        return math.ldexp(2.0, -len(d))  # all have one sign: the pattern found and its reverse
    s = _saddlepoint(size, x)
    k = float((np.logaddexp(s * size, -s * size) - math.log(2)).sum())
    k_second = float((size**2 / np.cosh(np.minimum(s * size, 300.0)) ** 2).sum())
    w = math.sqrt(max(0.0, 2 * (s * x - k)))
    u = s * math.sqrt(k_second)
    if w < 1e-4:
        return 1.0
    density = math.exp(-(w**2) / 2) / math.sqrt(2 * math.pi)
    tail = NORMAL.cdf(-w) + density * (1 / u - 1 / w)
    return min(1.0, max(2 * tail, math.ldexp(2.0, -len(d))))


def _saddlepoint(size: Floats, x: float) -> float:
    """Return s with K'(s) = x, where K'(s) is the sum of size tanh(s size), by bisection."""
    low = 0.0
    high = 1.0
    while float((size * np.tanh(high * size)).sum()) < x:
        low = high
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        if float((size * np.tanh(middle * size)).sum()) < x:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def holm(p: ArrayLike) -> Floats:
    """Return Holm's adjusted p values (m,); NaN stays NaN and is not counted."""
    values = np.asarray(p, dtype=np.float64)
    adjusted = np.full(values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    remaining = np.arange(len(order), 0, -1)
    stepped = np.maximum.accumulate(values[order] * remaining)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
