"""Bradley-Terry strengths from comparisons; a tie is half a win for each side.

Sources: Bradley & Terry (1952); Hunter, MM algorithms for generalized Bradley-Terry models (2004);
Newman, Efficient computation of rankings from pairwise comparisons (2023), equation 26.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.tables.resampling import RESAMPLES, percentile_limits, resample_counts

Floats = NDArray[np.float64]
_STEPS = 10_000
_ENOUGH = 1e-10


class Strengths(NamedTuple):
    """Log strengths with mean 0, (E,): a difference of d means that the stronger one wins with
    probability 1/(1 + exp(-d)). `low`, `high`: 95 % percentile intervals over samples, NaN where
    too few resamples connect all editors; `connected` is the share that does.
    """

    strength: Floats
    low: Floats
    high: Floats
    connected: float


def connected(wins: ArrayLike) -> NDArray[np.bool_]:
    """Whether strengths exist: for every split of the editors, each side beat the other at least
    once. `wins`: (..., E, E) -> (...,).
    """
    reach = np.asarray(wins) > 0
    size = reach.shape[-1]
    reach = reach | np.eye(size, dtype=np.bool_)
    for _ in range(max(1, (size - 1).bit_length())):
        step = reach.astype(np.int64)
        reach = (step @ step) > 0
    return np.asarray(reach.all(axis=(-2, -1)))


def strengths(wins: ArrayLike) -> Floats:
    """The maximum-likelihood log strengths of tables of wins (..., E, E): (..., E), mean 0.

    NaN where they do not exist (see `connected`).
    """
    table = np.asarray(wins, dtype=np.float64)
    shape = table.shape[:-1]
    flat = table.reshape(-1, *table.shape[-2:])
    exists = connected(flat)
    out = np.full((len(flat), shape[-1]), np.nan)
    w = flat[exists]
    p = np.ones((len(w), shape[-1]))
    for _ in range(_STEPS if len(w) else 0):
        new = p.copy()
        for k in range(shape[-1]):  # one after the other: all at once would swing to and fro
            both = new[:, [k]] + new
            gain = (w[:, k] * new / both).sum(axis=1)
            new[:, k] = gain / (w[:, :, k] / both).sum(axis=1)
        new /= np.exp(np.log(new).mean(axis=1, keepdims=True))
        change = np.abs(np.log(new) - np.log(p)).max()
        p = new
        if change < _ENOUGH:
            break
    out[exists] = np.log(p)
    return out.reshape(shape)


def bradley_terry(wins: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> Strengths:
    """Strengths from comparisons by sample, `wins` (S, E, E); intervals are clustered by sample."""
    table = np.asarray(wins, dtype=np.float64)
    table = table[table.sum(axis=(1, 2)) > 0]
    estimate = strengths(table.sum(axis=0))
    size = len(estimate)
    flat = table.reshape(len(table), -1)
    drawn = [
        strengths((counts @ flat).reshape(-1, size, size))
        for counts in resample_counts(np.zeros(len(table)), resamples, seed=seed)
    ]
    found = np.concatenate(drawn) if drawn else np.zeros((0, size))
    found = found[~np.isnan(found).any(axis=1)]
    low, high = np.full(size, np.nan), np.full(size, np.nan)
    if len(found) >= 0.9 * resamples and not np.isnan(estimate).any():
        limits = [percentile_limits(found[:, k]) for k in range(size)]
        low, high = np.array(limits).T
    return Strengths(estimate, low, high, len(found) / max(1, resamples))
