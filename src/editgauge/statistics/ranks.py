"""Who is ahead, and how sure that is: ranks under resampling, and strengths from comparisons.

Sources of the strengths: Bradley & Terry (1952); Newman, Efficient computation of rankings from
pairwise comparisons (2023), equation 26. A tie is half a win for each side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.statistics.resampling import LEAST, RESAMPLES, Floats, Ints, draws

_STEPS = 10_000
_ENOUGH = 1e-10


class RankStability(NamedTuple):
    """`rank` (E,): 1 = best, equal values share the better rank. `kept` (E,): share of resamples in
    which the editor has the same rank; `first` (E,): share in which it is best; `low`, `high` (E,):
    95 % of its ranks lie between.
    """

    rank: Ints
    kept: Floats
    first: Floats
    low: Ints
    high: Ints


def rank_stability(
    estimate: ArrayLike, found: ArrayLike, *, higher_is_better: bool = True
) -> RankStability:
    """How often ranks survive resampling: `estimate` (E,), `found` (resamples, E) from the *same*
    resamples.

    A resample in which an editor has no value ranks nobody; where every resample is one, any rank
    is possible. Raises ValueError where an editor has no estimate: a rank among different samples
    means nothing.
    """
    values = np.asarray(estimate, dtype=np.float64)
    again = np.asarray(found, dtype=np.float64)
    if np.isnan(values).any():
        raise ValueError("a rank needs an estimate of every editor")
    sign = -1.0 if higher_is_better else 1.0
    rank = _competition_ranks(sign * values[None, :])[0]
    again = again[~np.isnan(again).any(axis=1)]
    none = np.zeros(len(values))
    if not len(again):
        some = np.ones(len(values), np.int64)
        return RankStability(rank, none, none, some, some * len(values))
    drawn = _competition_ranks(sign * again)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0, method="inverted_cdf")
    kept, first = np.mean(drawn == rank, axis=0), np.mean(drawn == 1, axis=0)
    return RankStability(rank, kept, first, low.astype(np.int64), high.astype(np.int64))


def _competition_ranks(values: Floats) -> Ints:
    """1 + how many are smaller, for each line of (m, E)."""
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
        for counts in draws(np.zeros(len(table)), resamples, seed=seed)
    ]
    found = np.concatenate(drawn) if drawn else np.zeros((0, size))
    found = found[~np.isnan(found).any(axis=1)]
    low, high = np.full(size, np.nan), np.full(size, np.nan)
    sure = len(table) >= LEAST and len(found) >= 0.9 * resamples
    if sure and not np.isnan(estimate).any():
        low, high = np.quantile(found, [0.025, 0.975], axis=0)
    return Strengths(estimate, low, high, len(found) / max(1, resamples))
