"""Prediction-powered inference: a mean of few ratings, made sharper by many scores of a judge.

What is estimated is the mean of *these* samples as if people had rated each of them:
mean(y) + w·(mean of f over all samples - mean of f over the rated ones), with y the ratings and f
the judge's scores. It is unbiased whatever the judge's bias; w is fitted to the rated samples, and
is near 0 for a judge that knows nothing. With strata (the rated samples were drawn per organ, per
tier) each is estimated by itself and weighted by its share of all samples; one w is fitted for all.

Few samples are rated, so intervals use Student's t with Satterthwaite's degrees of freedom, and the
finite-population correction: rated samples are known, not estimated. Ratings at the two ends of
their scale (yes or no), fewer than `ENOUGH_OF_EACH` at one of them, have Wilson's interval, without
the judge. Of 95 % intervals of 3 rated samples on a scale of 1 to 5 about 99 % hold the truth.

Sources: Angelopoulos et al., Prediction-powered inference (arXiv 2301.09633), PPI++ (2311.01453);
Fisch et al., Stratified PPI (2406.04291); Cochran, Sampling Techniques (1977), 5.3, 7.3-7.10 (the
same estimator of a finite population's mean, its variance and its slope's).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from editgauge.statistics.quantiles import is_yes_or_no, student, two_valued_limits, wilson
from editgauge.statistics.resampling import UNBOUNDED, Floats, pooled

RATED = 3
"""Rated samples below which nothing is estimated."""
FITTED_FROM = 10
"""Rated samples below which the judge's scores are not used: a weight cannot be fitted."""
ENOUGH_OF_EACH = 10
"""Answers at either end of a scale of two below which Student's t would not hold."""
_SMALL_STRATUM = 5
Scale = tuple[float, float]


class Part(NamedTuple):
    """One stratum: its share of all samples, the ratings and the judge's scores of the rated
    samples, (n,), and the judge's scores of all of its samples, (N,).
    """

    share: float
    rated: Floats
    known: Floats
    scores: Floats

    @property
    def left(self) -> float:
        """The share of its samples that nobody rated: the finite-population correction."""
        return 1 - len(self.rated) / len(self.scores)


class Corrected(NamedTuple):
    """A mean as if people had rated every sample, with its 95 % interval (NaN: none is given).

    `weight`: how much of the judge's scores is used. `alone`, `alone_low`, `alone_high`: from the
    ratings alone. `judge`: the judge's own mean over all samples. `rated`, `judged`: samples with a
    rating and a score, and with a score.
    """

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    error: float = math.nan
    weight: float = math.nan
    alone: float = math.nan
    alone_low: float = math.nan
    alone_high: float = math.nan
    judge: float = math.nan
    rated: int = 0
    judged: int = 0


def parts_of(y: ArrayLike, f: ArrayLike, strata: ArrayLike | None = None) -> list[Part]:
    """The strata of ratings y (S,) and scores f (S,), NaN = none. Samples without a score are left
    out; strata with too few ratings are put together, those without any join the largest.
    """
    rating, score = np.asarray(y, dtype=np.float64), np.asarray(f, dtype=np.float64)
    keep = np.isfinite(score)
    rating, score = rating[keep], score[keep]
    rated = np.isfinite(rating)
    codes = np.zeros(len(score), dtype=np.int64)
    if strata is not None and rated.any():
        names = np.unique(np.asarray(strata)[keep], return_inverse=True)[1].ravel()
        joined = pooled(names[rated], _SMALL_STRATUM)
        largest = np.bincount(joined).argmax()
        target = dict(zip(names[rated].tolist(), joined.tolist(), strict=True))
        codes = np.array([target.get(name, largest) for name in names.tolist()], dtype=np.int64)
    parts = []
    for code in np.unique(codes).tolist():
        mine = codes == code
        both = mine & rated
        parts.append(Part(mine.sum() / len(score), rating[both], score[both], score[mine]))
    return parts


def corrected_mean(
    y: ArrayLike,
    f: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    scale: Scale = UNBOUNDED,
    weight: float | None = None,
) -> Corrected:
    """The mean of ratings y (S,), NaN = not rated, with the scores f (S,) of a judge.

    `scale`: the range of the ratings, within which limits stay. `weight` None fits it from
    `FITTED_FROM` rated samples on; 1 is plain PPI, 0 the ratings alone. Nothing is estimated below
    `RATED` rated samples. Where ratings do not differ from the weighted scores, no interval is
    given without a bounded scale.
    """
    parts = parts_of(y, f, strata)
    rated = sum(len(part.rated) for part in parts)
    judged = sum(len(part.scores) for part in parts)
    if rated < RATED or any(len(part.rated) < 2 for part in parts):
        return Corrected(rated=rated, judged=judged)
    ratings = np.concatenate([part.rated for part in parts])
    highest = int((ratings == ratings.max()).sum())
    few = is_yes_or_no(ratings, *scale) and min(highest, rated - highest) < ENOUGH_OF_EACH
    fitted = weight is None and rated - len(parts) >= FITTED_FROM - 1 and not few
    used = fitted_weight(parts) if fitted else (weight or 0.0)
    value, error, low, high = _estimate(parts, used, fitted=fitted and used != 0, scale=scale)
    alone, _, alone_low, alone_high = _estimate(parts, 0.0, fitted=False, scale=scale)
    if few:
        low, high = two_valued_limits(ratings, *scale, size=judged)
        alone_low, alone_high = low, high
    judge = sum(part.share * float(part.scores.mean()) for part in parts)
    return Corrected(
        value, low, high, error, used, alone, alone_low, alone_high, judge, rated, judged
    )


def fitted_weight(parts: Sequence[Part]) -> float:
    """The slope of ratings on scores within strata, which makes the variance smallest (PPI++,
    equation 9, for these samples; Cochran, 7.10).
    """
    above = below = 0.0
    for part in parts:
        n, factor = len(part.rated), part.share**2 * part.left
        if n > 1 and factor:
            both = np.cov(part.rated, part.known)
            above += factor * float(both[0, 1]) / n
            below += factor * float(both[1, 1]) / n
    return above / below if below > 1e-12 * (1 + abs(above)) else 0.0


def _estimate(
    parts: Sequence[Part], weight: float, *, fitted: bool, scale: Scale
) -> tuple[float, float, float, float]:
    """Value, standard error, and limits of the estimate with a weight."""
    value = shift = squares = residual = 0.0
    pieces: list[tuple[float, float]] = []  # of the variance, each with its degrees of freedom
    for part in parts:
        n, rest = len(part.rated), part.rated - weight * part.known
        move = float(part.scores.mean() - part.known.mean())
        value += part.share * (float(part.rated.mean()) + weight * move)
        shift += part.share * move
        squares += float(part.known.var()) * n
        residual += float(rest.var()) * n
        pieces.append((part.share**2 * part.left * float(rest.var(ddof=1)) / n, n - 1.0))
    if fitted:  # the slope takes a degree of freedom, and its own error adds to that of the mean
        free = sum(degrees for _, degrees in pieces)
        more = free / (free - 1)
        pieces = [(more * piece, degrees / more) for piece, degrees in pieces]
        pieces.append((residual / (free - 1) * shift**2 / squares, free - 1))
    variance = sum(piece for piece, _ in pieces)
    error, (low, high) = math.sqrt(variance), scale
    if error <= 1e-12 * (1 + abs(value)):
        return value, 0.0, *_alike_limits(parts, value, scale)
    degrees = variance**2 / sum(piece**2 / degrees for piece, degrees in pieces)
    half = student(0.975, max(1.0, degrees)) * error
    return value, error, max(low, value - half), min(high, value + half)


def _alike_limits(parts: Sequence[Part], value: float, scale: Scale) -> tuple[float, float]:
    """Where ratings do not vary: all samples that may differ (Wilson's limit of none among the
    rated ones) lie at one end of the scale; the value itself where all samples are rated.
    """
    n, size = sum(len(part.rated) for part in parts), sum(len(part.scores) for part in parts)
    if n == size:
        return value, value
    _, others = wilson(0.0, n * (size - 1) / (size - n))
    ends = [value + others * (end - value) for end in scale]
    return (ends[0], ends[1]) if all(map(math.isfinite, ends)) else (math.nan, math.nan)
