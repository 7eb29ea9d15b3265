"""Means with error bars, paired tests, ranks and judge noise: pure functions over arrays, seeded,
NumPy only.

The unit that is drawn again is always the *sample* (a picture with its instruction), never the row:
rows of one sample - repeats, several editors - stay together, or intervals come out too narrow. See
`resampling` for how.

Sources: Wilcoxon (1945); Davison & Hinkley, Bootstrap Methods (1997), section 4.3 (permutations);
Lugannani & Rice, Adv. Appl. Prob. 12 (1980), for tails of sums; Holm (1979); Cohen (1988) and
Guenther (1981) for sample sizes; Searle, Casella & McCulloch, Variance Components (1992), section
3.6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.tables.resampling import (
    CHUNK_BYTES,
    RESAMPLES,
    Floats,
    Intervals,
    Method,
    Moments,
    bca_limits,
    bootstrap,
    carried,
    enough,
    mean_of,
    percentile_limits,
    pooled,
    replicates,
    replicates_of,
    resample_counts,
    units,
)

__all__ = [
    "RESAMPLES", "Estimate", "Intervals", "Method", "Moments", "Noise", "Pair", "Paired",
    "RankStability",
    "WinTieLoss",
    "bca_limits", "bootstrap", "carried", "enough", "holm", "judge_noise", "mean_interval",
    "paired_difference", "paired_differences", "paired_values",
    "percentile_limits", "permutation_p", "pooled", "rank_stability", "ranks", "replicates",
    "resample_counts",
    "samples_needed", "units", "wilcoxon_p", "win_tie_loss",
]  # fmt: skip

Ints = NDArray[np.int64]

_EXACT_FLIPS = 32
_RESOLVED = 50
"""Random signs as extreme as the observed ones below which their share says too little."""
_PARTS = (1, 2, 3, 4, 5, 6, 10, 12, 20, 100)
"""Parts of 1 that differences may be multiples of: scores, means over a few repeats, tenths."""
_LATTICE = 3e8
"""Steps of work up to which a lattice is gone through."""
_EXACT_WILCOXON = 50
_NORMAL = NormalDist()


class Estimate(NamedTuple):
    """One mean: `value` (NaN when nothing was scored), interval, the number of scored units, and
    how many decimals of either limit the resampling carries (see `resampling.carried`).
    """

    value: float
    low: float
    high: float
    n: int
    digits: tuple[int, int] | None = None


def mean_interval(
    values: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int | None = None,
    method: Method = "bca",
    seed: int = 0,
) -> Estimate:
    """The mean of values (n,), NaN = no score, with its bootstrap interval.

    `clusters`: (n,) sample of each value (repeats of one sample are drawn together). `strata`: one
    label per cluster in order of first appearance, or per value where there are no clusters.
    `resamples`: None for as many as are cheap (`resampling.enough`).
    """
    data = units(np.asarray(values, dtype=np.float64), clusters)
    scored = data.count[:, 0] > 0
    labels = None if strata is None else np.asarray(strata)[scored]
    kept = data[scored]
    if not scored.any():
        return Estimate(math.nan, math.nan, math.nan, 0)
    made = resamples or enough(int(scored.sum()), 1)
    found = bootstrap(
        kept, strata=labels, confidence=confidence, resamples=made, method=method, seed=seed
    )
    return Estimate(
        float(found.estimate[0]),
        float(found.low[0]),
        float(found.high[0]),
        int(scored.sum()),
        carried(found.noise[0]),
    )


class WinTieLoss(NamedTuple):
    """How many samples A has better than, equal to, and worse than B."""

    win: int
    tie: int
    loss: int


def win_tie_loss(
    a: ArrayLike, b: ArrayLike, *, higher_is_better: bool = True, tolerance: float = 0.0
) -> WinTieLoss:
    """A against B on the samples both have (NaN in either is left out); closer than `tolerance` is
    a tie.
    """
    difference = paired_values(a, b)
    difference = difference if higher_is_better else -difference
    win = int(np.count_nonzero(difference > tolerance))
    loss = int(np.count_nonzero(difference < -tolerance))
    return WinTieLoss(win, len(difference) - win - loss, loss)


def paired_values(a: ArrayLike, b: ArrayLike) -> Floats:
    """a − b on the samples where both are finite, or both infinite (difference 0): shape (m,), m <=
    n.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape:
        raise ValueError(f"paired values need one shape, found {first.shape} and {second.shape}")
    both = ~np.isnan(first) & ~np.isnan(second)
    same = np.isinf(first) & np.isinf(second)
    finite = np.isfinite(first) & np.isfinite(second)
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, first - second)
    return np.asarray(difference[both & (finite | same)], dtype=np.float64)


class Paired(NamedTuple):
    """A − B on the samples both have. `effect` is Cohen's d of the differences (mean / sd),
    `needed` the number of samples with which a difference like this one is found with 80 % power at
    5 %, None when it is zero. `digits`: how many decimals of either limit the resampling carries.
    """

    n: int
    difference: float
    low: float
    high: float
    p_permutation: float
    p_wilcoxon: float
    effect: float
    needed: int | None
    counts: WinTieLoss
    digits: tuple[int, int] | None = None


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    higher_is_better: bool = True,
    confidence: float = 0.95,
    resamples: int | None = None,
    permutations: int = 10_000,
    seed: int = 0,
) -> Paired:
    """Two editors on the samples both have: a, b of shape (n,), aligned by sample, NaN = no score.

    The p values test that the differences are symmetric about zero (two-sided); correct them over a
    table with `holm`. With fewer than two common samples everything but the counts is NaN.
    """
    pair = Pair(a, b, higher_is_better)
    (found,) = paired_differences(
        [pair],
        confidence=confidence,
        resamples=resamples,
        permutations=permutations,
        seed=seed,
    )
    return found


class Pair(NamedTuple):
    """What `paired_difference` compares: a, b of shape (n,)."""

    a: ArrayLike
    b: ArrayLike
    higher_is_better: bool = True


def paired_differences(
    pairs: Sequence[Pair],
    *,
    confidence: float = 0.95,
    resamples: int | None = None,
    permutations: int = 10_000,
    seed: int = 0,
) -> list[Paired]:
    """`paired_difference` of each pair, to the bit: pairs with as many samples share their draws,
    which take most of the time.
    """
    differences = [paired_values(pair.a, pair.b) for pair in pairs]
    intervals = _mean_intervals(differences, confidence, resamples, seed)
    chances = _permutation_ps(differences, permutations, seed)
    found = []
    for pair, difference, interval, chance in zip(
        pairs, differences, intervals, chances, strict=True
    ):
        counts = win_tie_loss(pair.a, pair.b, higher_is_better=pair.higher_is_better)
        n = len(difference)
        if interval is None:
            value = float(difference[0]) if n else math.nan
            found.append(
                Paired(n, value, math.nan, math.nan, math.nan, math.nan, math.nan, None, counts)
            )
            continue
        spread = float(difference.std(ddof=1))
        mean = float(difference.mean())
        effect = (
            mean / spread if spread > 0 else (0.0 if mean == 0 else math.copysign(math.inf, mean))
        )
        found.append(
            Paired(
                n,
                mean,
                interval.low,
                interval.high,
                chance,
                wilcoxon_p(difference),
                effect,
                samples_needed(effect),
                counts,
                interval.digits,
            )
        )
    return found


def _mean_intervals(
    every: Sequence[Floats], confidence: float, resamples: int | None, seed: int
) -> list[Estimate | None]:
    """The intervals of the means of differences; None where there are fewer than two."""
    found: list[Estimate | None] = [None] * len(every)
    for n in sorted({len(one) for one in every if len(one) > 1}):
        places = [number for number, one in enumerate(every) if len(one) == n]
        data = [units(every[number]) for number in places]
        made = resamples or enough(n, 1)
        drawn = replicates_of(data, mean_of, np.zeros(n), made, seed=seed)
        for number, moments, replicated in zip(places, data, drawn, strict=True):
            one = bootstrap(moments, confidence=confidence, found=replicated)
            found[number] = Estimate(
                float(one.estimate[0]),
                float(one.low[0]),
                float(one.high[0]),
                n,
                carried(one.noise[0]),
            )
    return found


def permutation_p(difference: ArrayLike, *, permutations: int = 10_000, seed: int = 0) -> float:
    """Two-sided p of the mean of paired differences (n,) under random signs, in (0, 1].

    Exact, over all 2^n signs, up to n = 32, and for any n where the differences are multiples of a
    common step (scores of a judge). Else estimated by `permutations` random signs, the observed one
    counted in (Davison & Hinkley, section 4.3); where fewer than 50 of them are as extreme, they
    cannot resolve p, and the tail is computed by the saddlepoint approximation of the same
    distribution (Lugannani & Rice 1980; within 15 % for n above 20, and less with n). So p has no
    floor that the number of permutations would set, and a correction over many lines can still find
    one.
    """
    return _permutation_ps([np.asarray(difference, dtype=np.float64)], permutations, seed)[0]


def _permutation_ps(every: Sequence[Floats], permutations: int, seed: int) -> list[float]:
    """`permutation_p` of each; those of one length share their random signs."""
    found = [math.nan] * len(every)
    rest: dict[int, list[tuple[int, Floats, float]]] = {}
    for number, difference in enumerate(every):
        values = np.abs(difference)
        observed = abs(float(np.sum(difference))) * (1 - 1e-12)
        values = values[values != 0]
        if len(values) == 0 or observed == 0:
            found[number] = 1.0
        elif len(values) <= _EXACT_FLIPS:
            found[number] = min(1.0, 2 * _exact_tail(values, observed))
        elif (steps := _on_lattice(values)) is not None:
            whole, step = steps
            found[number] = min(1.0, 2 * _lattice_tail(whole, observed / step))
        else:
            rest.setdefault(len(values), []).append((number, values, observed))
    for alike in rest.values():
        hits = _random_signs([(v, o) for _, v, o in alike], permutations, seed)
        for (number, values, observed), count in zip(alike, hits, strict=True):
            if count >= _RESOLVED:
                found[number] = (count + 1) / (permutations + 1)
                continue
            tail = max(_saddlepoint_tail(values, observed), 0.5 ** min(len(values), 1000))
            found[number] = min(1.0, 2 * tail)
    return found


def _random_signs(every: Sequence[tuple[Floats, float]], permutations: int, seed: int) -> list[int]:
    """How many of so many random signs give a sum of the values, (n,) each, as far from 0 as the
    observed one.
    """
    generator = np.random.default_rng(seed)
    n = len(every[0][0])
    hits, size = [0] * len(every), max(1, CHUNK_BYTES // (8 * n))
    block = np.empty((min(size, permutations), n))  # fresh memory takes longer to get
    for start in range(0, permutations, size):
        signs = block[: min(size, permutations - start)]
        np.multiply(generator.integers(0, 2, size=signs.shape, dtype=np.int8), -2.0, out=signs)
        signs += 1.0
        for number, (values, observed) in enumerate(every):
            hits[number] += int(np.count_nonzero(np.abs(signs @ values) >= observed))
    return hits


def _exact_tail(values: Floats, observed: float) -> float:
    """P(sum of +-values >= observed), by the sums of each half of them."""
    half = len(values) // 2
    left, right = (_all_sums(part) for part in (values[:half], values[half:]))
    right.sort()
    above = len(right) - np.searchsorted(right, observed - left, side="left")
    return float(above.sum()) / 2.0 ** len(values)


def _all_sums(values: Floats) -> Floats:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _on_lattice(values: Floats) -> tuple[Ints, float] | None:
    """The values as whole numbers of a step, and the step; None where there is none, or where there
    are too many to go through all sums.
    """
    for parts in _PARTS:
        scaled = values * parts
        if scaled.max() > _LATTICE:
            return None
        whole = np.rint(scaled)
        if np.abs(scaled - whole).max() < 1e-9:
            numbers = whole.astype(np.int64)
            common = int(np.gcd.reduce(numbers))
            numbers //= common
            return (numbers, common / parts) if numbers.sum() * len(numbers) <= _LATTICE else None
    return None


def _lattice_tail(whole: Ints, observed: float) -> float:
    """P(sum of +-whole >= observed), exactly: the distribution is built up number by number."""
    top = int(whole.sum())
    chance = np.zeros(top + 1)
    chance[0] = 1.0
    for number in whole.tolist():  # the sum of those with a plus; the whole sum is 2 x it - top
        chance[number:] = (chance[number:] + chance[: top + 1 - number]) / 2
        chance[:number] /= 2
    least = math.ceil((observed + top) / 2 - 1e-9)
    return max(float(chance[least:].sum()), float(np.finfo(np.float64).tiny))


def _saddlepoint_tail(values: Floats, observed: float) -> float:
    """P(sum of +-values >= observed) by Lugannani and Rice; the sum's cumulant function is the sum
    of log cosh(value x t).
    """
    if observed >= values.sum() * (1 - 1e-9):
        return float(0.5 ** min(len(values), 1000))
    low, high = 0.0, 1.0 / math.sqrt(float(np.sum(values**2)))
    while float(np.sum(values * np.tanh(values * high))) < observed:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        below = float(np.sum(values * np.tanh(values * middle))) < observed
        low, high = (middle, high) if below else (low, middle)
    x = values * high
    cumulant = float(np.sum(np.logaddexp(x, -x) - math.log(2)))
    curvature = float(np.sum(values**2 / np.cosh(np.minimum(x, 350)) ** 2))
    w = math.sqrt(max(0.0, 2 * (high * observed - cumulant)))
    u = high * math.sqrt(curvature)
    if w < 1e-6 or u == 0:
        return 0.5 if w < 1e-6 else 0.0
    density = math.exp(-w * w / 2) / math.sqrt(2 * math.pi)
    return max(0.0, math.erfc(w / math.sqrt(2)) / 2 + density * (1 / u - 1 / w))


def ranks(values: ArrayLike) -> Floats:
    """Ranks from 1 upwards, ties sharing their mean rank: (n,) -> (n,)."""
    _, codes, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[codes.ravel()], dtype=np.float64)


def wilcoxon_p(difference: ArrayLike) -> float:
    """Two-sided p of the Wilcoxon signed-rank test; zeros are left out.

    Exact up to 50 differences without ties, else the normal approximation with the tie correction
    and without a continuity correction (as SciPy's ``wilcoxon``).
    """
    values = np.asarray(difference, dtype=np.float64)
    values = values[values != 0]
    n = len(values)
    if n == 0:
        return 1.0
    ranked = ranks(np.abs(values))
    positive = float(ranked[values > 0].sum())
    ties = np.unique(np.abs(values), return_counts=True)[1]
    if n <= _EXACT_WILCOXON and (ties == 1).all():
        ways = np.ones(1)
        for k in range(1, n + 1):
            longer = np.zeros(len(ways) + k)
            longer[: len(ways)] += ways
            longer[k:] += ways
            ways = longer
        ways /= 2.0**n
        smaller = round(min(positive, n * (n + 1) / 2 - positive))
        return min(1.0, 2 * float(ways[: smaller + 1].sum()))
    variance = n * (n + 1) * (2 * n + 1) / 24 - float(np.sum(ties**3 - ties)) / 48
    z = (positive - n * (n + 1) / 4) / math.sqrt(variance)
    return min(1.0, 2 * _NORMAL.cdf(-abs(z)))


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down correction: p values (m,) -> adjusted (m,); NaN stays NaN and is not
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
    differences).

    The normal formula with Guenther's correction (z²/2), within one of the exact answer; None for
    an effect of 0.
    """
    if effect == 0 or math.isnan(effect):
        return None
    if math.isinf(effect):
        return 2
    z = _NORMAL.inv_cdf(1 - alpha / 2)
    needed = ((z + _NORMAL.inv_cdf(power)) / effect) ** 2 + z * z / 2
    return max(2, math.ceil(needed))


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

    A resample in which an editor has no value (none of a small group's samples was drawn) ranks
    nobody; where every resample is one, any rank is possible. Raises ValueError where an editor has
    no estimate: a rank among different samples means nothing.
    """
    values = np.asarray(estimate, dtype=np.float64)
    draws = np.asarray(found, dtype=np.float64)
    if np.isnan(values).any():
        raise ValueError("a rank needs an estimate of every editor")
    sign = -1.0 if higher_is_better else 1.0
    rank = _competition_ranks(sign * values[None, :])[0]
    draws = draws[~np.isnan(draws).any(axis=1)]
    if not len(draws):
        some = np.ones(len(values), np.int64)
        return RankStability(
            rank, np.zeros(len(values)), np.zeros(len(values)), some, some * len(values)
        )
    drawn = _competition_ranks(sign * draws)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0, method="inverted_cdf")
    return RankStability(
        rank,
        np.mean(drawn == rank, axis=0),
        np.mean(drawn == 1, axis=0),
        low.astype(np.int64),
        high.astype(np.int64),
    )


def _competition_ranks(values: Floats) -> Ints:
    """1 + how many are smaller, for each line of (m, E)."""
    return np.asarray(1 + (values[:, None, :] < values[:, :, None]).sum(axis=2), dtype=np.int64)


class Noise(NamedTuple):
    """Where the spread of judged scores comes from. `between`: variance of the samples' true
    scores; `within`: variance of repeated judgements of one sample; `reliability`: between /
    (between + within), the intraclass correlation of one judgement; `from_samples` and
    `from_judge`: the two parts of the mean's standard error.
    """

    between: float
    within: float
    reliability: float
    from_samples: float
    from_judge: float
    n: int
    judgements: int


def judge_noise(scores: ArrayLike) -> Noise:
    """Variance components of repeated judgements: scores of shape (samples, repeats), NaN = none.

    One-way random effects by analysis of variance (Searle et al.; unbalanced repeats allowed); a
    negative component is 0. NaN everywhere when no sample was judged twice or there is only one
    sample.
    """
    table = np.asarray(scores, dtype=np.float64)
    given = (~np.isnan(table)).sum(axis=1)
    table, given = table[given > 0], given[given > 0]
    n, total = len(table), int(given.sum())
    if n < 2 or total == n:
        return Noise(math.nan, math.nan, math.nan, math.nan, math.nan, n, total)
    means = np.nanmean(table, axis=1)
    grand = float((means * given).sum() / total)
    within = float(np.nansum((table - means[:, None]) ** 2)) / (total - n)
    spread = float((given * (means - grand) ** 2).sum()) / (n - 1)
    size = (total - float((given**2).sum()) / total) / (n - 1)
    between = max(0.0, (spread - within) / size)
    whole = between + within
    reliability = between / whole if whole > 0 else 1.0
    judge = math.sqrt(within * float((1 / given).sum())) / n
    return Noise(between, within, reliability, math.sqrt(between / n), judge, n, total)
