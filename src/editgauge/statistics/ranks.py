"""Ranks under resampling, and strengths from comparisons.

Sources of the strengths: Bradley & Terry (1952); Newman, Efficient computation of rankings from
pairwise comparisons (2023), equation 26. A tie is half a win for each side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.statistics.limits import LEAST, Floats
from editgauge.statistics.resampling import RESAMPLES, Ints, Moments, replicates

_STEPS = 10_000
_ENOUGH = 1e-10


class RankStability(NamedTuple):
    """`rank` (E,): 1 = best, equal values share the better rank. `low`, `high` (E,): 95 % of its
    ranks under resampling lie between.
    """

    rank: Ints
    low: Ints
    high: Ints


def rank_stability(
    estimate: ArrayLike, again: ArrayLike, *, higher_is_better: bool = True
) -> RankStability:
    """Return ranks, and between which ranks they stay under resampling.

    `estimate`: (E,), without NaN. `again`: (resamples, E), all editors from the *same* resamples. A
    resample in which an editor has no value ranks nobody; where every resample is one, any rank
    is possible.
    """
    sign = -1.0 if higher_is_better else 1.0
    values = np.asarray(estimate, np.float64)
    drawn = np.asarray(again, np.float64)
    rank = _competition_ranks(sign * values[None])[0]
    drawn = drawn[~np.isnan(drawn).any(axis=1)]
    if not len(drawn):
        return RankStability(rank, np.ones_like(rank), np.full_like(rank, len(rank)))
    ranks = _competition_ranks(sign * drawn)
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")
    return RankStability(rank, low.astype(np.int64), high.astype(np.int64))


def _competition_ranks(values: Floats) -> Ints:
    """Return 1 and the number of smaller values, for each line of (m, E)."""
    return np.asarray(1 + (values[:, None, :] < values[:, :, None]).sum(axis=2), dtype=np.int64)


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
    """Return where strengths exist, for tables of wins (..., E, E): (...,).

    For every split of the editors into two sides, each side must have beaten the other once.
    """
    reach = np.asarray(wins) > 0
    reach = reach | np.eye(reach.shape[-1], dtype=np.bool_)
    for _ in range(max(1, (reach.shape[-1] - 1).bit_length())):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    return np.asarray(reach.all(axis=(-2, -1)))


def strengths(wins: ArrayLike) -> Floats:
    """Return the maximum-likelihood log strengths of tables of wins (m, E, E): (m, E), mean 0.

    NaN where they do not exist (see `connected`). Source: Newman (2023), equation 26.
    """
    table = np.asarray(wins, dtype=np.float64)
    exists = connected(table)
    out = np.full(table.shape[:-1], np.nan)
    w = table[exists]
    p = np.ones((len(w), table.shape[-1]))
    for _ in range(_STEPS if len(w) else 0):
        new = p.copy()
        for k in range(p.shape[1]):  # one after the other: all at once would swing to and fro
            both = new[:, [k]] + new
            gain = (w[:, k] * new / both).sum(axis=1)
            new[:, k] = gain / (w[:, :, k] / both).sum(axis=1)
        new /= np.exp(np.log(new).mean(axis=1, keepdims=True))
        change = np.abs(np.log(new) - np.log(p)).max()
        p = new
        if change < _ENOUGH:
            break
    out[exists] = np.log(p)
    return out


def bradley_terry(wins: ArrayLike, *, resamples: int = RESAMPLES) -> Strengths:
    """Return strengths from comparisons by sample, `wins` (S, E, E).

    Intervals are over samples: all comparisons of a sample stay together.
    """
    table = np.asarray(wins, dtype=np.float64)
    table = table[table.sum(axis=(1, 2)) > 0]
    size = int(table.shape[-1])
    estimate: Floats = strengths(table.sum(axis=0, keepdims=True))[0]
    low = np.full(size, np.nan)
    high = np.full(size, np.nan)
    share = 0.0
    if len(table):
        flat = table.reshape(len(table), -1)
        data = Moments(flat, np.ones_like(flat))
        again = replicates(
            data, lambda m: strengths(m.total.reshape(-1, size, size)), None, resamples
        )
        again = again[~np.isnan(again).any(axis=1)]
        share = len(again) / resamples
        if len(table) >= LEAST and share >= 0.9 and not np.isnan(estimate).any():
            low, high = np.quantile(again, [0.025, 0.975], axis=0)
    return Strengths(estimate, low, high, share)
