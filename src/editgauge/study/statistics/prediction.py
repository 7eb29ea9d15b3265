"""Prediction-powered inference: a mean of few ratings, made sharper by many scores of a judge.

The estimate is  mean(y - w·f) over the rated samples + w · mean(f) over the others,  with y the
ratings and f the judge's scores. It is unbiased whatever the judge's bias, because the judge's
error is measured on the rated samples; w is tuned so that the variance is smallest, and is near 0
for a judge that knows nothing. A unit is a sample: all ratings of it are one value.

With strata (the rated samples were drawn per organ, per tier) each stratum is estimated by itself
and weighted by its share of all samples; one w is tuned for all.

Sources: Angelopoulos et al., Prediction-powered inference (arXiv 2301.09633); Angelopoulos, Duchi &
Zrnic, PPI++ (arXiv 2311.01453), section 6; Fisch et al., Stratified PPI (arXiv 2406.04291).
Intervals use Student's t with Satterthwaite's degrees of freedom, because few samples are rated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.tables.resampling import pooled
from editgauge.tables.stats import RankStability, rank_stability

Floats = NDArray[np.float64]
_NORMAL = NormalDist()
_LEAST = 5
"""Strata with fewer rated samples are put together."""
POWER = 0.8


class Part(NamedTuple):
    """One stratum: its share of all samples, and its ratings and scores."""

    share: float
    rated: Floats
    """The ratings, (n,)."""
    known: Floats
    """The judge's scores of the same samples, (n,)."""
    others: Floats
    """The judge's scores of the samples that nobody rated, (N,)."""


class Corrected(NamedTuple):
    """A mean as if people had rated every sample, with its 95 % interval.

    `weight`: how much of the judge's scores is used. `alone`, `alone_low`, `alone_high`: from the
    ratings alone. `judge`: the judge's own mean over all samples. `rated`, `judged`: samples with a
    rating and a score, and with a score. `effective`: the number of ratings that alone would give
    as narrow an interval.
    """

    value: float
    low: float
    high: float
    error: float
    weight: float
    alone: float
    alone_low: float
    alone_high: float
    judge: float
    rated: int
    judged: int
    effective: float


_NAN = math.nan
NOTHING = Corrected(_NAN, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN, _NAN, 0, 0, _NAN)


def parts_of(y: ArrayLike, f: ArrayLike, strata: ArrayLike | None = None) -> list[Part]:
    """The strata of ratings y (S,) and scores f (S,), NaN = none. Samples without a score are left
    out; strata with too few ratings are put together.
    """
    rating, score = np.asarray(y, dtype=np.float64), np.asarray(f, dtype=np.float64)
    known = np.isfinite(score)
    rated = known & np.isfinite(rating)
    codes = np.zeros(len(score), dtype=np.int64)
    if strata is not None:
        names = np.unique(np.asarray(strata), return_inverse=True)[1].ravel()
        groups = names.copy()
        groups[~rated] = -1
        pool = pooled(names[rated], _LEAST) if rated.any() else np.zeros(0, dtype=np.int64)
        rest = int(names.max(initial=0)) + 1
        target = {int(name): int(code) for name, code in zip(names[rated], pool, strict=True)}
        codes = np.array([target.get(int(name), rest) for name in names], dtype=np.int64)
        if not (rated & (codes == rest)).any():  # strata without any rating join the largest one
            counts = np.bincount(codes[rated]) if rated.any() else np.ones(1)
            codes[codes == rest] = int(np.argmax(counts))
    total = max(1, int(known.sum()))
    found = []
    for code in np.unique(codes[known]).tolist():
        mine = known & (codes == code)
        both, rest_of = mine & rated, mine & ~rated
        found.append(Part(int(mine.sum()) / total, rating[both], score[both], score[rest_of]))
    return found


def corrected_mean(
    y: ArrayLike,
    f: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    confidence: float = 0.95,
    weight: float | None = None,
) -> Corrected:
    """The mean of y as if all samples with a score f had been rated. NaN with fewer than three
    rated samples. `weight` None tunes it (PPI++); 1 is plain PPI, 0 the ratings alone.
    """
    parts = parts_of(y, f, strata)
    rated = sum(len(part.rated) for part in parts)
    judged = rated + sum(len(part.others) for part in parts)
    if rated < 3 or any(len(part.rated) < 2 for part in parts):
        return NOTHING._replace(rated=rated, judged=judged)
    tuned = tuned_weight(parts) if weight is None else weight
    value, pieces = _estimate(parts, tuned, fitted=weight is None and tuned != 0.0)
    alone, lone = _estimate(parts, 0.0, fitted=False)
    error, half = _half_width(pieces, confidence)
    lone_error, lone_half = _half_width(lone, confidence)
    judge = sum(part.share * _mean(np.append(part.known, part.others)) for part in parts)
    effective = rated * (lone_error / error) ** 2 if error > 0 else float(judged)
    return Corrected(
        value,
        value - half,
        value + half,
        error,
        tuned,
        alone,
        alone - lone_half,
        alone + lone_half,
        judge,
        rated,
        judged,
        min(effective, float(judged)),
    )


def tuned_weight(parts: Sequence[Part]) -> float:
    """The weight with the smallest variance: PPI++ (arXiv 2311.01453), equation 9, over strata."""
    above = below = 0.0
    for part in parts:
        n, others = len(part.rated), len(part.others)
        if n < 2 or not others:
            continue
        scale = part.share**2
        above += scale * float(np.cov(part.rated, part.known)[0, 1]) / n
        spread = float(np.append(part.known, part.others).var(ddof=1))
        below += scale * spread * (1 / n + 1 / others)
    return above / below if below > 0 else 0.0


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0


def _variance(values: Floats) -> float:
    return float(values.var(ddof=1)) if len(values) > 1 else 0.0


_Piece = tuple[float, float]
"""A part of the variance and its degrees of freedom."""


def _estimate(parts: Sequence[Part], weight: float, *, fitted: bool) -> tuple[float, list[_Piece]]:
    value, pieces = 0.0, []
    rated = sum(len(part.rated) for part in parts)
    free = rated - len(parts)
    # a weight that was fitted to the same ratings takes one degree of freedom, and its own error
    # adds to that of the mean (as in regression estimators, Cochran, Sampling Techniques, 7.7)
    more = free / (free - 1) * (1 + 1 / (free - 2)) if fitted and free > 2 else 1.0
    for part in parts:
        used = weight if len(part.others) else 0.0
        rest = part.rated - used * part.known
        value += part.share * (_mean(rest) + used * _mean(part.others))
        n, others, scale = len(rest), len(part.others), part.share**2
        pieces.append((more * scale * _variance(rest) / n, max(1.0, n - 1 - float(fitted))))
        if others > 1 and used:
            pieces.append((scale * used**2 * _variance(part.others) / others, others - 1.0))
    return value, pieces


def _half_width(pieces: Sequence[_Piece], confidence: float) -> tuple[float, float]:
    """The standard error, and half the interval's width."""
    variance = sum(piece for piece, _ in pieces)
    if variance <= 0:
        return 0.0, 0.0
    free = variance**2 / sum(piece**2 / degrees for piece, degrees in pieces)
    error = math.sqrt(variance)
    return error, student(1 - (1 - confidence) / 2, free) * error


def student(share: float, degrees: float) -> float:
    """The quantile of Student's t (Hill's expansion; within 1e-3 for 3 degrees and more, better
    above).
    """
    z = _NORMAL.inv_cdf(share)
    n = max(degrees, 1.0)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / n ** (power + 1) for power, term in enumerate(terms))


def more_ratings(
    y: ArrayLike,
    f: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    target: float | None = None,
    power: float = POWER,
) -> int | None:
    """How many more samples would have to be rated until the mean of y is told from 0.

    y and f are differences of two editors. 0 where it is told already; with 80 % power for a
    difference as large as the estimate. With `target`: until half the interval is that wide. None
    where rating every sample would not do.
    """
    parts = parts_of(y, f, strata)
    found = corrected_mean(y, f, strata=strata)
    if math.isnan(found.value):
        return None
    if target is None:
        if found.low > 0 or found.high < 0:
            return 0
        wanted = abs(found.value) / (_NORMAL.inv_cdf(0.975) + _NORMAL.inv_cdf(power))
    else:
        wanted = target / _NORMAL.inv_cdf(0.975)
    if _planned_error(parts, found.judged) > wanted:
        return None
    low, high = found.rated, found.judged
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _planned_error(parts, middle) <= wanted else (middle + 1, high)
    return low - found.rated


def _planned_error(parts: Sequence[Part], rated: int) -> float:
    """The standard error with so many rated samples, shared out over the strata as they are now."""
    now = sum(len(part.rated) for part in parts)
    variance = 0.0
    for part in parts:
        whole = len(part.rated) + len(part.others)
        n = min(whole, max(len(part.rated), round(len(part.rated) * rated / now)))
        spread = _variance(part.rated)
        covered = _variance(np.append(part.known, part.others))
        shared = float(np.cov(part.rated, part.known)[0, 1])
        gain = shared**2 / covered * (whole - n) / whole if covered > 0 else 0.0
        variance += part.share**2 * max(spread - gain, 0.0) / n
    return math.sqrt(variance)


class Ranks(NamedTuple):
    """Corrected means of several editors, (E,), and how sure their order is."""

    means: tuple[Corrected, ...]
    stability: RankStability | None


def corrected_ranks(
    y: ArrayLike,
    f: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    higher_is_better: bool = True,
    draws: int = 4000,
    seed: int = 0,
) -> Ranks:
    """Corrected means of editors, y and f of shape (E, S), and their ranks' stability.

    Ranks are drawn from the joint normal distribution of the estimates, whose covariance comes from
    the samples (so editors that are rated on the same samples move together). None where an editor
    has no mean.
    """
    ratings, scores = np.asarray(y, dtype=np.float64), np.asarray(f, dtype=np.float64)
    means = [corrected_mean(a, b, strata=strata) for a, b in zip(ratings, scores, strict=True)]
    values = np.array([item.value for item in means])
    if len(values) < 2 or np.isnan(values).any():
        return Ranks(tuple(means), None)
    moves = np.stack(
        [_influence(a, b, m, strata) for a, b, m in zip(ratings, scores, means, strict=True)]
    )
    covariance = moves @ moves.T
    errors = np.array([item.error for item in means])
    own = np.sqrt(np.diag(covariance))
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.where(own > 0, errors / own, 0.0)
    covariance = covariance * scale[:, None] * scale[None, :]
    generator = np.random.default_rng(seed)
    found = generator.multivariate_normal(values, covariance, size=draws, method="eigh")
    return Ranks(tuple(means), rank_stability(values, found, higher_is_better=higher_is_better))


def _influence(y: Floats, f: Floats, found: Corrected, strata: ArrayLike | None) -> Floats:
    """How each sample moves the estimate: (S,), 0 for samples without a score."""
    known = np.isfinite(f)
    rated = known & np.isfinite(y)
    labels = np.zeros(len(f), dtype=np.int64)
    if strata is not None:
        labels = np.unique(np.asarray(strata), return_inverse=True)[1].ravel()
    out = np.zeros(len(f))
    total = max(1, int(known.sum()))
    for label in np.unique(labels[known]).tolist():
        mine = labels == label
        a, b = mine & rated, mine & known & ~rated
        share = (mine & known).sum() / total
        if a.any():
            rest = y[a] - (found.weight if b.any() else 0.0) * f[a]
            out[a] = share * (rest - rest.mean()) / a.sum()
        if b.any():
            out[b] = share * found.weight * (f[b] - f[b].mean()) / b.sum()
    return out
