"""Two editors on the samples both have: the sign-flip test, its correction, and its power.

The test of a mean paired difference is *one*: under the null hypothesis the differences are
symmetric about zero, so each may change its sign (Fisher 1935; Davison & Hinkley, Bootstrap Methods
(1997), 4.3). Its p is exact up to 32 differences that are not 0; above that it is the saddlepoint
approximation of the same distribution (Lugannani & Rice, Adv. Appl. Prob. 12 (1980); for values on
a lattice Daniels, Int. Stat. Rev. 55 (1987), second correction). It needs no random numbers and is
never 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from editgauge.statistics.quantiles import NORMAL
from editgauge.statistics.resampling import RESAMPLES, Floats, bootstrap, units

_EXACT = 32
_LATTICE = 60
"""Parts of 1 that scores may be multiples of: means over up to six repeats, tenths, twentieths."""


class WinTieLoss(NamedTuple):
    """How many samples A has better than, equal to, and worse than B."""

    win: int
    tie: int
    loss: int


class Pair(NamedTuple):
    """What is compared: a, b of shape (n,), aligned by sample, NaN = no score."""

    a: ArrayLike
    b: ArrayLike
    higher_is_better: bool = True


class Paired(NamedTuple):
    """A − B on the samples both have: mean difference with its 95 % interval and sign-flip p.

    `effect` is Cohen's d of the differences (mean / sd), NaN where they do not vary; `needed` the
    number of samples with which a difference like this one is found with 80 % power at 5 %.
    """

    n: int
    difference: float
    low: float
    high: float
    p: float
    effect: float
    needed: int | None
    counts: WinTieLoss


def paired_values(a: ArrayLike, b: ArrayLike) -> Floats:
    """a − b on the samples where both are finite, or both infinite (difference 0): shape (m,), m <=
    n.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"paired values need one shape, found {first.shape} and {second.shape}")
    same = np.isinf(first) & np.isinf(second)
    finite = np.isfinite(first) & np.isfinite(second)
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, first - second)
    return np.asarray(difference[finite | same], dtype=np.float64)


def paired_difference(a: ArrayLike, b: ArrayLike, *, higher_is_better: bool = True) -> Paired:
    """`paired_differences` of one pair."""
    return paired_differences([Pair(a, b, higher_is_better)])[0]


def paired_differences(
    pairs: Sequence[Pair],
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Paired]:
    """Each pair of editors compared; pairs with as many samples share their draws.

    Below two common samples there is no p, below `resampling.LEAST` no interval (NaN). Correct p
    over a table with `holm`.
    """
    differences = [paired_values(pair.a, pair.b) for pair in pairs]
    limits = [(math.nan, math.nan)] * len(pairs)
    for n in sorted({len(one) for one in differences if len(one)}):
        places = [number for number, one in enumerate(differences) if len(one) == n]
        data = units(np.stack([differences[number] for number in places], axis=1))
        made = bootstrap(data, confidence=confidence, resamples=resamples, seed=seed)
        for column, number in enumerate(places):
            limits[number] = float(made.low[column]), float(made.high[column])
    found = []
    for pair, difference, (low, high) in zip(pairs, differences, limits, strict=True):
        n = len(difference)
        mean = float(difference.mean()) if n else math.nan
        spread = float(difference.std(ddof=1)) if n > 1 else 0.0
        effect = mean / spread if spread > 1e-12 * abs(mean) else math.nan
        better = difference if pair.higher_is_better else -difference
        signs = np.sign(better).tolist()
        counts = WinTieLoss(signs.count(1), signs.count(0), signs.count(-1))
        p = sign_flip_p(difference) if n > 1 else math.nan
        found.append(Paired(n, mean, low, high, p, effect, samples_needed(effect), counts))
    return found


def sign_flip_p(difference: ArrayLike) -> float:
    """Two-sided p of the mean of paired differences (n,), in (0, 1]; 1 where all are 0."""
    values = np.asarray(difference, dtype=np.float64)
    observed = abs(float(values.sum()))
    sizes = np.abs(values[values != 0])
    if not len(sizes) or observed <= 1e-12 * float(sizes.sum()):
        return 1.0
    if len(sizes) <= _EXACT:
        return min(1.0, 2 * _exact_tail(sizes, observed * (1 - 1e-12)))
    least = 0.5 ** min(len(sizes), 1000)
    return min(1.0, 2 * max(least, _saddlepoint_tail(sizes, observed)))


def _exact_tail(sizes: Floats, observed: float) -> float:
    """P(sum of ±sizes >= observed), from all sums of each half of them."""
    half = len(sizes) // 2
    left, right = (_all_sums(part) for part in (sizes[:half], sizes[half:]))
    right.sort()
    above = len(right) - np.searchsorted(right, observed - left, side="left")
    return float(above.sum()) / 2.0 ** len(sizes)


def _all_sums(values: Floats) -> Floats:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _saddlepoint_tail(sizes: Floats, observed: float) -> float:
    """P(sum of ±sizes >= observed) by Lugannani and Rice; the cumulant function of the sum is the
    sum of log cosh(size·t).
    """
    step = _lattice_step(sizes)  # the sum moves in steps of 2·step
    point = observed - step
    if point <= 0:
        return 0.5
    if observed >= float(sizes.sum()) * (1 - 1e-9):
        return 0.0  # one of all signs, which the caller knows exactly
    low, high = 0.0, 1.0 / math.sqrt(float((sizes**2).sum()))
    while float((sizes * np.tanh(sizes * high)).sum()) < point:
        high *= 2
    for _ in range(100):
        t = (low + high) / 2
        below = float((sizes * np.tanh(sizes * t)).sum()) < point
        low, high = (t, high) if below else (low, t)
    x = sizes * t
    cumulant = float((np.logaddexp(x, -x) - math.log(2)).sum())
    curvature = float((sizes**2 / np.cosh(np.minimum(x, 350)) ** 2).sum())
    w = math.sqrt(max(0.0, 2 * (t * point - cumulant)))
    slope = math.sinh(t * step) / step if step else t
    u = slope * math.sqrt(curvature)
    if w < 1e-4 or u == 0:
        return 0.5
    density = math.exp(-w * w / 2) / math.sqrt(2 * math.pi)
    return max(0.0, math.erfc(w / math.sqrt(2)) / 2 + density * (1 / u - 1 / w))


def _lattice_step(sizes: Floats) -> float:
    """The largest number that all sizes are multiples of, where they are scores; 0 where not."""
    scaled = sizes * _LATTICE
    whole = np.rint(scaled)
    if scaled.max() > 1e9 or np.abs(scaled - whole).max() > 1e-6:
        return 0.0
    return float(np.gcd.reduce(whole.astype(np.int64))) / _LATTICE


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down correction (1979): p values (m,) -> adjusted (m,); NaN stays NaN and is not
    counted.
    """
    values = np.asarray(p, dtype=np.float64)
    out = np.full(values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    steps = np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1))
    out[order] = np.minimum(steps, 1.0)
    return out


def samples_needed(effect: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """How many pairs a two-sided paired t test needs to see an effect of this size (mean / sd of
    differences); None for an effect of 0 or of nobody knows.

    The normal formula with Guenther's correction (1981), z²/2: within one of the exact answer.
    """
    if effect == 0 or math.isnan(effect):
        return None
    z = NORMAL.inv_cdf(1 - alpha / 2)
    return max(2, math.ceil(((z + NORMAL.inv_cdf(power)) / effect) ** 2 + z * z / 2))
