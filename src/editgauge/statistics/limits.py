"""Limits of 95 % intervals that the other modules share.

Notation: n is a number of samples, p a share, q a quantile, nu are degrees of freedom, h is a
stratum and W_h its weight. H is the number of strata.

Sources:
    Satterthwaite, Biometrics Bulletin 2 (1946), 110-114.
    Johnson, J. Am. Stat. Assoc. 73 (1978), 536-544 (t statistic of a skewed population).
    Agresti & Coull, Am. Statistician 52 (1998), 119-126 (interval of a share).
    Price & Bonett, Comput. Stat. Data Anal. 45 (2004), 449-456 (sum of shares).
    Cochran, Sampling Techniques (1977), chapters 2 and 5 (finite populations, strata).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.statistics.quantiles import normal_quantile, student

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Scale = tuple[float, float]
"""The lowest and the highest possible value."""

UNBOUNDED: Scale = (-math.inf, math.inf)
SHARE: Scale = (0.0, 1.0)
CORRELATION: Scale = (-1.0, 1.0)

LEAST = 6
"""Samples below which there is no interval on a bounded scale, nor of a paired difference."""
LEAST_UNBOUNDED = 10
"""Samples below which there is no interval of a mean on a scale without two ends, such as that of a
mean squared error. Such scores may be very skewed, and fewer samples do not show it."""

_LARGEST_SKEW_FACTOR = 5.0


class Limits(NamedTuple):
    """The lower and the upper limit. NaN means that no interval is given."""

    low: Floats
    high: Floats


def is_bounded(scale: Scale) -> bool:
    """Return whether a scale has two finite ends."""
    return math.isfinite(scale[0]) and math.isfinite(scale[1])


def least_samples(scale: Scale) -> int:
    """Return the number of samples below which the mean of values on a scale has no interval."""
    if is_bounded(scale):
        return LEAST
    return LEAST_UNBOUNDED


def satterthwaite(variances: ArrayLike, degrees: ArrayLike) -> Floats:
    """Return the degrees of freedom of a sum of independent variances, at least 1.

    `variances`, `degrees`: (H, ...), a value for each stratum. Returns shape (...,).
    Source: Satterthwaite (1946).
    """
    v = np.asarray(variances, dtype=np.float64)
    total = v.sum(axis=0)
    squares = (v**2 / np.maximum(degrees, 1)).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        nu = total**2 / squares
    return np.asarray(np.maximum(np.nan_to_num(nu, nan=1.0), 1.0), dtype=np.float64)


def student_limits(
    estimate: ArrayLike,
    variance: ArrayLike,
    nu: ArrayLike,
    *,
    third_moment: ArrayLike = 0.0,
    confidence: float = 0.95,
) -> Limits:
    """Return Student's limits, with the longer tail extended for a skewed population.

    `estimate`, `variance`, `third_moment`: the estimate, its variance and its third central moment,
    of any common shape. `nu`: degrees of freedom. The shorter side is Student's, so that the
    interval is never narrower than Student's.

    Johnson (1978) moves both limits by k (1/6 + q^2/3), with k the skewness of the estimate. Small
    samples show too little of the skewness of their population: of ten log-normal values (sigma 1)
    it is 1.2 where the population has 6.2. The shift is therefore multiplied by 1 + 40/n, at most
    5. This factor was chosen by simulation; see perf/simulate_intervals.py.
    """
    value = np.asarray(estimate, dtype=np.float64)
    se = np.sqrt(np.asarray(variance, dtype=np.float64))
    q = student((1 + confidence) / 2, nu)
    with np.errstate(invalid="ignore", divide="ignore"):
        k = np.nan_to_num(np.asarray(third_moment) / se**3)
    n = np.asarray(nu) + 1
    factor = np.minimum(1 + 40 / n, _LARGEST_SKEW_FACTOR)
    shift = factor * k * (1 / 6 + q**2 / 3)
    lower_shift = np.minimum(shift, 0.0)
    upper_shift = np.maximum(shift, 0.0)
    low = value - (q - lower_shift) * se
    high = value + (q + upper_shift) * se
    return Limits(low, high)


def effective_size(n: float, population: float) -> float:
    """Return how many independent draws tell as much as n of a finite population.

    n (N - 1) / (N - n), which is infinite where all are drawn. Source: Cochran (1977), 3.2.
    """
    if n >= population:
        return math.inf
    return n * (population - 1) / (population - n)


def share_limits(
    shares: ArrayLike, sizes: ArrayLike, weights: ArrayLike, *, confidence: float = 0.95
) -> Limits:
    """Return the limits of a weighted sum of shares, within [0, 1].

    `shares`, `sizes`, `weights`: (..., H), the share of "yes" in each stratum, its number of
    independent draws (which may be infinite), and its weight W_h. The weights sum to 1.

    Agresti & Coull (1998) add z^2/2 answers of either kind. Price & Bonett (2004) divide the added
    answers equally between the strata; here they are divided by weight, which covers better where
    sizes are unequal. With one stratum this is Agresti and Coull's interval.
    """
    p = np.asarray(shares, dtype=np.float64)
    n = np.asarray(sizes, dtype=np.float64)
    w = np.asarray(weights, dtype=np.float64)
    z = normal_quantile((1 + confidence) / 2)
    added = w * z**2
    with np.errstate(invalid="ignore"):
        mixed = (n * p + added / 2) / (n + added)
    p_tilde = np.where(np.isinf(n), p, mixed)
    with np.errstate(invalid="ignore", divide="ignore"):
        variances = w**2 * p_tilde * (1 - p_tilde) / (n + added)
    variances = np.where(w > 0, variances, 0.0)
    p_tilde = np.where(w > 0, p_tilde, 0.0)
    centre = (w * p_tilde).sum(axis=-1)
    half_width = z * np.sqrt(variances.sum(axis=-1))
    estimate = (w * p).sum(axis=-1)
    low = np.minimum(centre - half_width, estimate)
    high = np.maximum(centre + half_width, estimate)
    return Limits(np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0))


def share_interval(share: float, n: float) -> tuple[float, float]:
    """Return the 95 % interval of one share in [0, 1] that was found in n independent draws."""
    limits = share_limits([share], [n], [1.0])
    return float(limits.low), float(limits.high)


def two_valued_limits(
    means: ArrayLike,
    sizes: ArrayLike,
    weights: ArrayLike,
    scale: Scale,
    *,
    confidence: float = 0.95,
) -> Limits:
    """Return the limits of a weighted mean of values that lie at the two ends of a scale.

    `means`, `sizes`, `weights`: (..., H), the mean of each stratum, its number of independent
    draws, and its weight. See `share_limits`.
    """
    low_end, high_end = scale
    extent = high_end - low_end
    shares = (np.asarray(means, dtype=np.float64) - low_end) / extent
    limits = share_limits(shares, sizes, weights, confidence=confidence)
    return Limits(low_end + extent * limits.low, low_end + extent * limits.high)


def constant_limits(
    value: float,
    sizes: ArrayLike,
    weights: ArrayLike,
    scale: Scale,
    *,
    confidence: float = 0.95,
) -> Limits:
    """Return the limits of a mean where no value differs from what was expected of it.

    `sizes`, `weights`: (H,), the number of independent draws of each stratum, and its weight. At
    most a share u of the population differs, where u is the upper limit of a share of 0 (see
    `share_limits`). All of these may lie at one end of the scale. Without a bounded scale there is
    no interval (NaN).
    """
    if not is_bounded(scale):
        return Limits(np.asarray(math.nan), np.asarray(math.nan))
    none = np.zeros(np.shape(sizes))
    u = share_limits(none, sizes, weights, confidence=confidence).high
    low_end, high_end = scale
    return Limits(value - u * (value - low_end), value + u * (high_end - value))


def is_two_valued(values: ArrayLike, scale: Scale) -> bool:
    """Return whether values are answers of two kinds, such as yes and no.

    All of them lie at the two ends of a bounded scale. On a scale other than 0 to 1 both ends must
    occur: a rating of 5 throughout does not show that the scale has two steps. False for no values.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not is_bounded(scale) or not numbers.size:
        return False
    at_low = numbers == scale[0]
    at_high = numbers == scale[1]
    if not (at_low | at_high).all():
        return False
    both_occur = bool(at_low.any() and at_high.any())
    return both_occur or scale == SHARE
