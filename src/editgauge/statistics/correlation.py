"""Rank and linear correlation, of all pairs or of each line of a table.

Sources: Spearman (1904); Kendall (1945), tau-b; MedEBench (arXiv 2506.01921), equation 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.statistics.resampling import Floats

Mask = NDArray[np.bool_]


def _both(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats, Mask]:
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 2:
        raise ValueError(
            f"two tables (samples, models) of one shape wanted, found {first.shape} and "
            f"{second.shape}"
        )
    return first, second, ~np.isnan(first) & ~np.isnan(second)


def ranks(values: ArrayLike) -> Floats:
    """Ranks from 1 upwards, ties sharing their mean rank: (n,) -> (n,)."""
    _, codes, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[codes.ravel()], dtype=np.float64)


def row_ranks(values: ArrayLike, valid: ArrayLike) -> Floats:
    """`ranks` within each line of (n, m), NaN where not `valid` (n, m)."""
    table, keep = np.asarray(values, dtype=np.float64), np.asarray(valid, dtype=np.bool_)
    other = keep[:, None, :]
    less = ((table[:, None, :] < table[:, :, None]) & other).sum(axis=2)
    equal = ((table[:, None, :] == table[:, :, None]) & other).sum(axis=2)
    return np.asarray(np.where(keep, less + (equal + 1) / 2, np.nan))


def spearman_rows(a: ArrayLike, b: ArrayLike) -> Floats:
    """Spearman's rho of each line of two tables (n, m), over the models that both have: (n,).

    Pearson's r of mean ranks, which is exact with ties. NaN where fewer than two models are
    common or one side has only ties: there is no order to agree with.
    """
    first, second, valid = _both(a, b)
    x, y = row_ranks(first, valid), row_ranks(second, valid)
    with np.errstate(invalid="ignore", divide="ignore"):
        mid = ((valid.sum(axis=1) + 1) / 2)[:, None]
        dx, dy = np.where(valid, x - mid, 0.0), np.where(valid, y - mid, 0.0)
        scale = np.sqrt((dx**2).sum(axis=1) * (dy**2).sum(axis=1))
        rho = (dx * dy).sum(axis=1) / scale
    return np.asarray(np.where(scale > 0, np.clip(rho, -1.0, 1.0), np.nan))


def spearman_no_ties_rows(a: ArrayLike, b: ArrayLike) -> Floats:
    """The paper's formula, 1 - 6·Σd²/(m(m² - 1)), of each line of two tables (n, m): (n,).

    It is Spearman's rho only where nothing is tied; d is the difference of mean ranks. NaN with
    fewer than two common models.
    """
    first, second, valid = _both(a, b)
    d = np.where(valid, row_ranks(first, valid) - row_ranks(second, valid), 0.0)
    m = valid.sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = 1 - 6 * (d**2).sum(axis=1) / (m * (m**2 - 1))
    return np.asarray(np.where(m >= 2, rho, np.nan))


def pearson_parts(a: ArrayLike, b: ArrayLike) -> Floats:
    """What Pearson's r is made of, for each line of two tables (n, m): Σx, Σy, Σx², Σy², Σxy, and
    how many pairs are finite: (n, 6). Lines may be added, so a bootstrap may draw them.
    """
    first, second, valid = _both(a, b)
    valid &= np.isfinite(first) & np.isfinite(second)
    total = max(1, int(valid.sum()))
    # centred on the whole table first: r does not change, and large means cost no digits
    x, y = np.where(valid, first, 0.0), np.where(valid, second, 0.0)
    x = np.where(valid, x - x.sum() / total, 0.0)
    y = np.where(valid, y - y.sum() / total, 0.0)
    parts = [x, y, x * x, y * y, x * y, valid.astype(np.float64)]
    return np.stack([part.sum(axis=1) for part in parts], axis=1)


def pearson_of(parts: ArrayLike) -> Floats:
    """Pearson's r from summed `pearson_parts` of shape (..., 6): (...,); NaN where one side does
    not vary.
    """
    x, y, xx, yy, xy, n = np.moveaxis(np.asarray(parts, dtype=np.float64), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        a, b = xx - x * x / n, yy - y * y / n
        r = (xy - x * y / n) / np.sqrt(a * b)
    floor = 1e-12
    good = (n >= 2) & (a > floor * xx) & (b > floor * yy) & (a > 0) & (b > 0)
    return np.asarray(np.where(good, np.clip(r, -1.0, 1.0), np.nan))


def pearson(a: ArrayLike, b: ArrayLike) -> float:
    """Pearson's r over all finite pairs of two arrays of one shape."""
    first, second = (np.asarray(side, dtype=np.float64).reshape(1, -1) for side in (a, b))
    return float(pearson_of(pearson_parts(first, second)[0]))


def spearman(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's rho over all pairs of two arrays (n,), NaN left out."""
    first, second = (np.asarray(side, dtype=np.float64) for side in (a, b))
    both = ~np.isnan(first) & ~np.isnan(second)
    return pearson(ranks(first[both]), ranks(second[both]))


def error_parts(a: ArrayLike, b: ArrayLike) -> Floats:
    """Σ|a - b| and the number of finite pairs, for each line of two tables (n, m): (n, 2)."""
    first, second, valid = _both(a, b)
    valid &= np.isfinite(first) & np.isfinite(second)
    off = np.abs(np.where(valid, first, 0.0) - np.where(valid, second, 0.0))
    return np.stack([off.sum(axis=1), valid.sum(axis=1).astype(np.float64)], axis=1)
