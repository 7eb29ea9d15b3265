"""Agreement of raters: quadratic kappa, Krippendorff's alpha, and the variance of repeats.

Kappa and alpha are made of parts that can be summed, so that a jackknife may leave samples out.

Sources: Cohen (1968); Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), sections C
and D; Searle, Casella & McCulloch, Variance Components (1992), section 3.6.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from editgauge.statistics.limits import Floats


def kappa_parts(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the sums of each line of two tables (n, m) that make quadratic kappa: (n, 6).

    They are Σ(a - b)², Σa, Σb, Σa², Σb² and the number of pairs. Lines may be added.
    """
    first = np.asarray(a, dtype=np.float64)
    second = np.asarray(b, dtype=np.float64)
    both = ~np.isnan(first) & ~np.isnan(second)
    x = np.where(both, first, 0.0)
    y = np.where(both, second, 0.0)
    parts = [(x - y) ** 2, x, y, x * x, y * y, both.astype(np.float64)]
    return np.stack([part.sum(axis=1) for part in parts], axis=1)


def kappa_of(parts: ArrayLike) -> Floats:
    """Return Cohen's kappa with quadratic weights from summed `kappa_parts` (..., 6): (...,).

    The weights' scale cancels, so the range of the scores need not be known. NaN where both gave
    one and the same value throughout.
    """
    d, x, y, xx, yy, n = np.moveaxis(np.asarray(parts, dtype=np.float64), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = d / n
        expected = (xx + yy - 2 * x * y / n) / n
        kappa = 1 - observed / expected
    return np.asarray(np.where((n > 0) & (expected > 1e-12), kappa, np.nan))


def coincidences(ratings: ArrayLike) -> Floats:
    """Each unit's coincidence matrix, (units, v, v): how often the values c and k, of the v that
    occur, were given to it by two annotators, each unit weighted by 1/(m - 1).

    `ratings`: (annotators, units), NaN where an annotator did not rate the unit. Units with fewer
    than two ratings have a matrix of zeros.
    """
    table = np.asarray(ratings, dtype=np.float64)
    values = np.unique(table[~np.isnan(table)])
    counts = (table[:, :, None] == values).sum(axis=0).astype(np.float64)
    m = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(values))
    weight = np.where(m >= 2, 1 / np.maximum(m - 1, 1), 0.0)
    return np.asarray(pairs * weight[:, None, None])


def alpha_of(coincidence: ArrayLike) -> Floats:
    """Krippendorff's ordinal alpha from summed coincidences of shape (..., v, v): (...,).

    1 is perfect agreement, 0 that of chance, below 0 worse. NaN where everybody gave one and the
    same value, or nothing was rated twice.
    """
    o = np.asarray(coincidence, dtype=np.float64)
    n = o.sum(axis=-1)
    rank = np.cumsum(n, axis=-1) - n / 2  # the middle rank of each value
    d = (rank[..., :, None] - rank[..., None, :]) ** 2
    observed = (o * d).sum(axis=(-2, -1))
    expected = ((n[..., :, None] * n[..., None, :]) * d).sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha = 1 - (n.sum(axis=-1) - 1) * observed / expected
    return np.asarray(np.where(expected > 0, alpha, np.nan))


def judge_noise(scores: ArrayLike) -> tuple[float, float]:
    """The variance of the samples' true scores, and that of repeated judgements of one sample:
    scores of shape (samples, repeats), NaN = none.

    One-way random effects by analysis of variance (unbalanced repeats allowed); a negative
    component is 0. NaN when no sample was judged twice or there is only one sample.
    """
    table = np.asarray(scores, dtype=np.float64)
    given = (~np.isnan(table)).sum(axis=1)
    table, given = table[given > 0], given[given > 0]
    n, total = len(table), int(given.sum())
    if n < 2 or total == n:
        return math.nan, math.nan
    means = np.nanmean(table, axis=1)
    grand = float((means * given).sum() / total)
    within = float(np.nansum((table - means[:, None]) ** 2)) / (total - n)
    spread = float((given * (means - grand) ** 2).sum()) / (n - 1)
    size = (total - float((given**2).sum()) / total) / (n - 1)
    return max(0.0, (spread - within) / size), within
