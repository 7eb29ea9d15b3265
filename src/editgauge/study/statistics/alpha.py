"""Krippendorff's alpha with missing data, and quadratic kappa, from parts that can be summed.

A unit's part is its coincidence matrix: how often the values c and k were given to it by two
different annotators, each unit weighted by 1/(m - 1). Parts of a sample's units are added, so a
bootstrap may draw samples.

Source: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), sections C and D.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.study.scales import Level

Floats = NDArray[np.float64]


def coincidences(ratings: ArrayLike) -> tuple[Floats, Floats]:
    """The values that occur, (v,), and each unit's coincidence matrix, (units, v, v).

    `ratings`: (annotators, units), NaN where an annotator did not rate the unit. Units with fewer
    than two ratings have a matrix of zeros.
    """
    table = np.asarray(ratings, dtype=np.float64)
    given = ~np.isnan(table)
    values = np.unique(table[given])
    counts = (
        np.stack([((table == value) & given).sum(axis=0) for value in values], axis=1)
        if len(values)
        else np.zeros((table.shape[1], 0))
    )
    counts = counts.astype(np.float64)
    m = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs -= counts[:, :, None] * np.eye(len(values))
    weight = np.where(m >= 2, 1 / np.maximum(m - 1, 1), 0.0)
    return values, pairs * weight[:, None, None]


def distances(values: ArrayLike, totals: ArrayLike, level: Level) -> Floats:
    """Squared differences between the values (v,) at a level of measurement: (..., v, v).

    `totals`: how often each value occurs, (..., v), which ordinal distances depend on.
    """
    known, n = np.asarray(values, dtype=np.float64), np.asarray(totals, dtype=np.float64)
    if level == "nominal":
        return np.broadcast_to(1 - np.eye(len(known)), (*n.shape, len(known))).copy()
    if level == "interval":
        plain = (known[:, None] - known[None, :]) ** 2
        return np.broadcast_to(plain, (*n.shape, len(known))).copy()
    middle = np.cumsum(n, axis=-1) - n / 2
    # the ratings between two values, each end counted by half: the difference of middle ranks
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)


def alpha_of(values: ArrayLike, coincidence: ArrayLike, level: Level) -> Floats:
    """Alpha from summed coincidences of shape (..., v, v): (...,).

    1 is perfect agreement, 0 that of chance, below 0 worse. NaN where everybody gave one and the
    same value, or nothing was rated twice.
    """
    o = np.asarray(coincidence, dtype=np.float64)
    n = o.sum(axis=-1)
    total = n.sum(axis=-1)
    d = distances(values, n, level)
    observed = (o * d).sum(axis=(-2, -1))
    expected = ((n[..., :, None] * n[..., None, :]) * d).sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha = 1 - (total - 1) * observed / expected
    return np.asarray(np.where(expected > 0, alpha, np.nan))


def krippendorff_alpha(ratings: ArrayLike, level: Level) -> float:
    """Alpha of ratings (annotators, units), NaN = not rated."""
    values, parts = coincidences(ratings)
    return float(alpha_of(values, parts.sum(axis=0), level)) if len(values) else float("nan")


def kappa_parts(a: ArrayLike, b: ArrayLike) -> Floats:
    """What quadratic kappa is made of, for each line of two tables (n, m): Σ(a - b)², Σa, Σb, Σa²,
    Σb², pairs: (n, 6).
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    valid = ~np.isnan(first) & ~np.isnan(second)
    x, y = np.where(valid, first, 0.0), np.where(valid, second, 0.0)
    parts = [(x - y) ** 2, x, y, x * x, y * y, valid.astype(np.float64)]
    return np.stack([part.sum(axis=1) for part in parts], axis=1)


def kappa_of(parts: ArrayLike) -> Floats:
    """Cohen's kappa with quadratic weights from summed `kappa_parts` (..., 6): (...,).

    The same number as `judging.agreement.quadratic_kappa` of the pairs; NaN where both gave one and
    the same value throughout.
    """
    d, x, y, xx, yy, n = np.moveaxis(np.asarray(parts, dtype=np.float64), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (xx + yy - 2 * x * y / n) / n
        kappa = 1 - d / n / expected
    return np.asarray(np.where((n > 0) & (expected > 1e-12), kappa, np.nan))
