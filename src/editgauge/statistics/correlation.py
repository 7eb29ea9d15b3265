"""Rank and linear correlation, of all pairs or of each line of a table.

Sources: Spearman (1904); MedEBench (arXiv 2506.01921), equation 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.statistics.resampling import Floats

Mask = NDArray[np.bool_]


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
    """Spearman's rho of each line of two tables (n, m), over the models that both have: (n,).

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
    """The paper's formula, 1 - 6·Σd²/(m(m² - 1)), of each line of two tables (n, m): (n,).

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
    """What Pearson's r is made of, for each line of two tables (n, m): Σx, Σy, Σx², Σy², Σxy, and
    how many pairs are finite: (n, 6). Lines may be added.
    """
    x, y, valid = _both(a, b, finite=True)
    total = max(1, int(valid.sum()))
    # centred on the whole table first: r does not change, and large means cost no digits
    x, y = (np.where(valid, side - side.sum() / total, 0.0) for side in (x, y))
    parts = [x, y, x * x, y * y, x * y, valid.astype(np.float64)]
    return np.stack([part.sum(axis=1) for part in parts], axis=1)


def pearson_of(parts: ArrayLike) -> Floats:
    """Pearson's r from summed `pearson_parts` (..., 6): (...,); NaN where one side is constant."""
    x, y, xx, yy, xy, n = np.moveaxis(np.asarray(parts, dtype=np.float64), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        a, b = xx - x * x / n, yy - y * y / n
        r = (xy - x * y / n) / np.sqrt(a * b)
    good = (n >= 2) & (a > 1e-12 * xx) & (b > 1e-12 * yy)
    return np.asarray(np.where(good, np.clip(r, -1.0, 1.0), np.nan))


def error_parts(a: ArrayLike, b: ArrayLike) -> Floats:
    """Σ|a - b| and the number of finite pairs, for each line of two tables (n, m): (n, 2)."""
    first, second, valid = _both(a, b, finite=True)
    off = np.abs(first - second)
    return np.stack([off.sum(axis=1), valid.sum(axis=1).astype(np.float64)], axis=1)
