"""Rank and linear correlation, of all pairs or of each line of a table, and their intervals.

Intervals of coefficients between -1 and 1 are made on the scale of Fisher's z = artanh(r), which is
nearly normal where r is not, and whose limits never leave [-1, 1].

Sources:
    Spearman (1904).
    MedEBench (arXiv 2506.01921), equation 1.
    Fisher, Metron 1 (1921), 3-32 (variance 1/(n - 3) of z for normal scores).
    Efron & Tibshirani, An Introduction to the Bootstrap (1993), equation 11.5 (jackknife).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from editgauge.statistics.limits import Floats, Mask
from editgauge.statistics.quantiles import normal_quantile, student
from editgauge.statistics.resampling import Estimate

LEAST_COEFFICIENT = 10
"""Samples below which a coefficient has no interval: it would be as long as half of the scale."""
_PERFECT = 1 - 1e-9


def _both(a: ArrayLike, b: ArrayLike, *, finite: bool) -> tuple[Floats, Floats, Mask]:
    """Two tables of one shape (samples, models), 0 where they have not both a value."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    valid = ~np.isnan(first) & ~np.isnan(second)
    if finite:
        valid &= np.isfinite(first) & np.isfinite(second)
    return np.where(valid, first, 0.0), np.where(valid, second, 0.0), valid


def _row_ranks(table: Floats, valid: Mask) -> Floats:
    """Ranks within each line of (n, m), ties share their mean, less their mean; 0: not valid."""
    other = valid[:, None, :]
    less = ((table[:, None, :] < table[:, :, None]) & other).sum(axis=2)
    equal = ((table[:, None, :] == table[:, :, None]) & other).sum(axis=2)
    middle = (valid.sum(axis=1, keepdims=True) + 1) / 2
    return np.where(valid, less + (equal + 1) / 2 - middle, 0.0)


def spearman_rows(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return Spearman's rho of each line of two tables (n, m) over common models: (n,).

    Pearson's r of mean ranks, which is exact with ties. NaN where fewer than two models are
    common or one side has only ties: there is no order to agree with.
    """
    first, second, valid = _both(a, b, finite=False)
    x, y = _row_ranks(first, valid), _row_ranks(second, valid)
    scale = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = (x * y).sum(axis=1) / scale
    return np.asarray(np.where(scale > 0, np.clip(rho, -1.0, 1.0), np.nan))


def spearman_no_ties_rows(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the paper's 1 - 6·Σd²/(m(m² - 1)) of each line of two tables (n, m): (n,).

    It is Spearman's rho only where nothing is tied; d is the difference of mean ranks. NaN with
    fewer than two common models.
    """
    first, second, valid = _both(a, b, finite=False)
    d = _row_ranks(first, valid) - _row_ranks(second, valid)
    m = valid.sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = 1 - 6 * (d**2).sum(axis=1) / (m * (m**2 - 1))
    return np.asarray(np.where(m >= 2, rho, np.nan))


def pearson_parts(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the sums of each line of two tables (n, m) that make Pearson's r: (n, 6).

    They are Σx, Σy, Σx², Σy², Σxy and the number of finite pairs. Lines may be added.
    """
    x, y, is_finite = _both(a, b, finite=True)
    pairs = max(1, int(is_finite.sum()))
    # centred on the whole table first: r does not change, and large means cost no digits
    x = np.where(is_finite, x - x.sum() / pairs, 0.0)
    y = np.where(is_finite, y - y.sum() / pairs, 0.0)
    parts = [x, y, x * x, y * y, x * y, is_finite.astype(np.float64)]
    return np.stack([part.sum(axis=1) for part in parts], axis=1)


def pearson_of(parts: ArrayLike) -> Floats:
    """Return Pearson's r from summed `pearson_parts` (..., 6): (...,).

    NaN where one side is constant, or there are fewer than two pairs.
    """
    x, y, xx, yy, xy, n = np.moveaxis(np.asarray(parts, dtype=np.float64), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        s_xx = xx - x**2 / n
        s_yy = yy - y**2 / n
        s_xy = xy - x * y / n
        r = s_xy / np.sqrt(s_xx * s_yy)
    # a constant side has a sum of squares of rounding errors only
    varies = (s_xx > 1e-12 * xx) & (s_yy > 1e-12 * yy)
    return np.asarray(np.where((n >= 2) & varies, np.clip(r, -1.0, 1.0), np.nan))


def pearson_interval(a: ArrayLike, b: ArrayLike) -> Estimate:
    """Return Pearson's r of all pairs of two tables (n, m) with its 95 % interval over samples.

    The variance of z is the larger of the one for normal scores and the jackknife's, which also
    holds for ratings, skewed scores and several pairs of one sample. See `coefficient_interval` for
    where there is no interval.
    """
    parts = pearson_parts(a, b)
    r, z_variance, n = _on_z(parts, pearson_of)
    pairs = float(parts[:, -1].sum())
    normal_variance = 1 / max(pairs - 3, 1)
    half_width = normal_quantile(0.975) * math.sqrt(np.maximum(z_variance, normal_variance))
    return _back_from_z(r, half_width, n)


def coefficient_interval(parts: ArrayLike, statistic: Callable[[Floats], Floats]) -> Estimate:
    """Return a coefficient between -1 and 1 with its 95 % interval over samples.

    `parts`: (samples, k), the summands of each sample; the last column counts its pairs, and lines
    that count nothing are left out. `statistic`: summed parts (..., k) -> coefficients (...,).

    There is no interval (NaN) of fewer than `LEAST_COEFFICIENT` samples, where the coefficient is 1
    or -1 or not defined, and where it becomes so when a single sample is left out.
    """
    r, z_variance, n = _on_z(parts, statistic)
    half_width = float(student(0.975, max(n - 2, 1))) * math.sqrt(z_variance)
    return _back_from_z(r, half_width, n)


def _on_z(parts: ArrayLike, statistic: Callable[[Floats], Floats]) -> tuple[float, float, int]:
    """Return a coefficient, the jackknife's variance of its z (NaN: none), and the samples."""
    table = np.asarray(parts, dtype=np.float64)
    table = table[table[:, -1] > 0]
    n = len(table)
    if not n:
        return math.nan, math.nan, 0
    total = table.sum(axis=0)
    r = float(statistic(total))
    without_each = statistic(total - table)  # (n,)
    is_regular = bool((np.abs([r, *without_each]) < _PERFECT).all())
    if n < LEAST_COEFFICIENT or not is_regular:
        return r, math.nan, n
    return r, jackknife_variance(np.arctanh(without_each)), n


def _back_from_z(r: float, half_width: float, n: int) -> Estimate:
    """Return a coefficient with the limits that lie `half_width` from it on the scale of z."""
    if math.isnan(half_width):
        return Estimate(r, math.nan, math.nan, n)
    z = math.atanh(r)
    return Estimate(r, math.tanh(z - half_width), math.tanh(z + half_width), n)


def jackknife_variance(left_out: Floats) -> float:
    """Return the variance of a statistic from its n values without one sample each (n,).

    Source: Efron & Tibshirani (1993), equation 11.5.
    """
    n = len(left_out)
    return float((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
