"""Prediction-powered means: few ratings of people, sharpened by many scores of a judge.

The mean of *these* N samples is estimated as if people had rated each of them. Notation, as in
Fisch et al. (2024), with h for a stratum (the rated samples were drawn per organ, per tier):

    theta = sum over h of W_h (mean y_h + lambda (mean F_h - mean f_h))

W_h is N_h / N, y_h are the n_h ratings, f_h the judge's scores of the same samples, and F_h the
judge's scores of all N_h samples. The estimate has no bias, however biased the judge; lambda is
fitted to the rated samples, and is near 0 for a judge that knows nothing.

Sources:
    Angelopoulos et al., Prediction-powered inference (arXiv 2301.09633).
    Angelopoulos et al., PPI++ (arXiv 2311.01453) (the fitted weight lambda).
    Fisch et al., Stratified Prediction-Powered Inference (arXiv 2406.04291).
    Cochran, Sampling Techniques (1977), 5.4 (strata), 7.3 and 7.10 (the combined slope).
    MacKinnon & White, J. Econometrics 29 (1985), 305-325 (residuals divided by 1 - h_ii).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from editgauge.statistics.limits import (
    UNBOUNDED,
    Floats,
    Limits,
    Mask,
    Scale,
    constant_limits,
    effective_size,
    is_two_valued,
    satterthwaite,
    student_limits,
    two_valued_limits,
)
from editgauge.statistics.resampling import Ints

RATED = 3
"""Rated samples below which nothing is estimated."""
LEAST_IN_STRATUM = 2
"""Rated samples below which a stratum has no variance and is merged with others."""
LEAST_FOR_WEIGHT = 9
"""Degrees of freedom (rated samples less strata) from which lambda is fitted."""
LEAST_OF_EACH = 10
"""Answers of either kind below which yes-or-no ratings are used without the judge."""

SMALLEST_P = 1e-5
"""The smallest p value that is given for a corrected mean."""
_HALVINGS = 40


class Stratum(NamedTuple):
    """One stratum: ratings y and scores f of its rated samples (n_h,), scores F of all (N_h,)."""

    weight: float
    y: Floats
    f: Floats
    F: Floats

    @property
    def n(self) -> int:
        return len(self.y)

    @property
    def N(self) -> int:
        return len(self.F)

    @property
    def unrated(self) -> float:
        """The finite-population correction 1 - n_h / N_h: rated samples are known."""
        return 1 - self.n / self.N


class Predicted(NamedTuple):
    """A mean with its standard error and its limits. NaN means that there is none."""

    value: float = math.nan
    error: float = math.nan
    low: float = math.nan
    high: float = math.nan


class Corrected(NamedTuple):
    """A mean as if people had rated every sample, with its standard error and its limits.

    NaN: there is no mean, or no interval. `alone`: the mean from the ratings alone. `judge`: the
    judge's own mean over all samples. `weight`: lambda, the part of the judge's scores that is
    used. `rated`, `judged`: the samples with a rating and a score, and those with a score.
    """

    value: float
    error: float
    low: float
    high: float
    alone: Predicted
    judge: float
    weight: float
    rated: int
    judged: int


def corrected_mean(
    ratings: ArrayLike,
    scores: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    scale: Scale = UNBOUNDED,
    weight: float | None = None,
    confidence: float = 0.95,
) -> Corrected:
    """Return the mean as if people had rated every sample, with its interval.

    `ratings`: (S,), NaN where nobody rated. `scores`: (S,), the judge's; samples without a score
    are left out. `strata`: (S,), labels within which the rated samples were drawn at random.
    `scale`: the range of a rating, within which limits stay; a rating beyond it makes it wider.
    `weight`: lambda; by default it is fitted from `LEAST_FOR_WEIGHT` degrees of freedom on, and 0
    below.

    Below `RATED` rated samples all estimates are NaN. Yes-or-no ratings with fewer than
    `LEAST_OF_EACH` answers of either kind are estimated without the judge. Where ratings do not
    differ from the weighted scores, there is no interval without a bounded scale.
    """
    groups = strata_of(ratings, scores, strata)
    rated = sum(group.n for group in groups)
    is_too_thin = any(group.n < LEAST_IN_STRATUM for group in groups)
    if rated < RATED or is_too_thin:
        return _corrected(Predicted(), Predicted(), math.nan, math.nan, groups)
    y = np.concatenate([group.y for group in groups])
    scale = (min(scale[0], float(y.min())), max(scale[1], float(y.max())))
    judge = sum(group.weight * float(group.F.mean()) for group in groups)
    alone = _estimate(groups, 0.0, is_fitted=False, scale=scale, confidence=confidence)
    are_answers = is_two_valued(y, scale)
    if are_answers:
        limits = _limits_of_answers(groups, scale, confidence)
        alone = alone._replace(low=float(limits.low), high=float(limits.high))
    used = _weight(groups, y, weight, are_answers=are_answers)
    with_judge = alone
    if used:
        is_fitted = weight is None
        with_judge = _estimate(
            groups, used, is_fitted=is_fitted, scale=scale, confidence=confidence
        )
    return _corrected(with_judge, alone, judge, used, groups)


def _corrected(
    with_judge: Predicted, alone: Predicted, judge: float, weight: float, groups: Sequence[Stratum]
) -> Corrected:
    return Corrected(
        value=with_judge.value,
        error=with_judge.error,
        low=with_judge.low,
        high=with_judge.high,
        alone=alone,
        judge=judge,
        weight=weight,
        rated=sum(group.n for group in groups),
        judged=sum(group.N for group in groups),
    )


def p_of_no_difference(
    ratings: ArrayLike,
    scores: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    scale: Scale = UNBOUNDED,
) -> float:
    """Return the two-sided p value of a corrected mean of 0.

    It is the smallest alpha whose interval, of confidence 1 - alpha, leaves 0 out; an alpha below
    `SMALLEST_P` is not tried. NaN where there is no interval. The arguments are those of
    `corrected_mean`, for the differences of two editors.
    """

    def leaves_0_out(alpha: float) -> bool:
        found = corrected_mean(ratings, scores, strata=strata, scale=scale, confidence=1 - alpha)
        return found.low > 0 or found.high < 0

    if math.isnan(corrected_mean(ratings, scores, strata=strata, scale=scale).low):
        return math.nan
    if leaves_0_out(SMALLEST_P):
        return SMALLEST_P
    low = SMALLEST_P
    high = 1.0
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high)
        if leaves_0_out(middle):
            high = middle
        else:
            low = middle
    return high


def strata_of(
    ratings: ArrayLike, scores: ArrayLike, strata: ArrayLike | None = None
) -> list[Stratum]:
    """Return the strata of ratings and scores (S,), NaN = none.

    Strata with fewer than `LEAST_IN_STRATUM` rated samples are merged. If these are still too few,
    they join the smallest other stratum. The rated samples of merged strata count as one random
    draw, so that the estimate is without bias only if the strata are alike.
    """
    y = np.asarray(ratings, dtype=np.float64)
    f = np.asarray(scores, dtype=np.float64)
    is_judged = np.isfinite(f)
    y = y[is_judged]
    f = f[is_judged]
    is_rated = np.isfinite(y)
    codes: Ints = np.zeros(len(f), dtype=np.int64)
    if strata is not None:
        labels = np.asarray(strata)[is_judged]
        codes = np.unique(labels, return_inverse=True)[1].ravel().astype(np.int64)
        codes = _merge_thin(codes, is_rated)
    groups = []
    for code in np.unique(codes):
        inside = codes == code
        both = inside & is_rated
        groups.append(Stratum(float(inside.mean()), y=y[both], f=f[both], F=f[inside]))
    return groups


def _merge_thin(codes: Ints, is_rated: Mask) -> Ints:
    """Return stratum numbers (S,) of which each, where possible, has enough ratings."""
    if not len(codes):
        return codes
    rated = np.bincount(codes, weights=is_rated)
    is_thin = rated < LEAST_IN_STRATUM
    if not is_thin.any():
        return codes
    merged = len(rated)
    if rated[is_thin].sum() < LEAST_IN_STRATUM and not is_thin.all():
        sizes = np.bincount(codes)
        sizes[is_thin] = len(codes) + 1
        merged = int(sizes.argmin())
    return np.where(is_thin[codes], merged, codes)


def _weight(
    groups: Sequence[Stratum], y: Floats, weight: float | None, *, are_answers: bool
) -> float:
    """Return the lambda to use for ratings y (n,): the given or the fitted one, or 0."""
    if are_answers:
        at_top = int((y == y.max()).sum())
        if min(at_top, len(y) - at_top) < LEAST_OF_EACH:
            return 0.0
    if weight is not None:
        return weight
    if len(y) - len(groups) < LEAST_FOR_WEIGHT:
        return 0.0
    return _pooled_slope(groups)


def _pooled_slope(groups: Sequence[Stratum]) -> float:
    """Return the slope of ratings on scores, pooled within strata.

    PPI++ weighs the strata by W_h^2 / n_h. That is best for many ratings. For few it lets one large
    stratum decide alone, and the interval covers too little. Here every rated sample counts the
    same. The slope is 0 where the judge's scores do not vary.
    """
    s_fy = 0.0
    s_ff = 0.0
    for group in groups:
        if group.unrated:
            f = group.f - group.f.mean()
            s_fy += float(f @ group.y)
            s_ff += float(f @ f)
    if s_ff <= 1e-12 * (1 + abs(s_fy)):
        return 0.0
    return s_fy / s_ff


def _estimate(
    groups: Sequence[Stratum], weight: float, *, is_fitted: bool, scale: Scale, confidence: float
) -> Predicted:
    """Return theta for a given lambda, with its standard error and limits.

    A fitted slope adds its own error. theta is linear in the ratings: a rating counts
    g_i = W_h / n_h + D (f_i - mean f_h) / S_ff, where D is how far the rated samples' scores lie
    from those of all. Residuals are too small by the leverage h_ii (HC2).
    """
    theta = 0.0
    distance = 0.0  # D
    s_ff = 0.0
    for group in groups:
        move = float(group.F.mean() - group.f.mean())
        theta += group.weight * (float(group.y.mean()) + weight * move)
        distance += group.weight * move
        if group.unrated:
            s_ff += float(((group.f - group.f.mean()) ** 2).sum())

    variances = []
    degrees = []
    third_moment = 0.0
    for group in groups:
        if not group.unrated:
            continue
        f = group.f - group.f.mean()
        residual = group.y - group.y.mean() - weight * f
        g = np.full(group.n, group.weight / group.n * math.sqrt(group.unrated))
        leverage = np.full(group.n, 1 / group.n)
        if is_fitted:
            g = g + distance * f / s_ff
            leverage = leverage + f**2 / s_ff
        remaining = np.maximum(1 - leverage, 1e-3)
        variances.append(float((g**2 * residual**2 / remaining).sum()))
        degrees.append(float(remaining.sum()))
        third_moment += float(((g * residual) ** 3).sum())

    variance = sum(variances)
    if variance <= (1e-12 * (1 + abs(theta))) ** 2:
        error = 0.0
        limits = _constant(groups, theta, scale, confidence)
    else:
        error = math.sqrt(variance)
        nu = satterthwaite(variances, degrees)
        limits = student_limits(
            theta, variance, nu, third_moment=third_moment, confidence=confidence
        )
    # The judge's part may carry the value beyond the end of the scale.
    value, low, high = np.clip([theta, float(limits.low), float(limits.high)], *scale).tolist()
    return Predicted(value=value, error=error, low=low, high=high)


def _limits_of_answers(groups: Sequence[Stratum], scale: Scale, confidence: float) -> Limits:
    """Return the limits of the mean of yes-or-no ratings, without the judge.

    The value is the same weighted sum over strata, so that it lies within them.
    """
    return two_valued_limits(
        [float(group.y.mean()) for group in groups],
        [effective_size(group.n, group.N) for group in groups],
        [group.weight for group in groups],
        scale,
        confidence=confidence,
    )


def _constant(groups: Sequence[Stratum], theta: float, scale: Scale, confidence: float) -> Limits:
    """Return the limits where ratings do not differ from the weighted scores."""
    if not any(group.unrated for group in groups):
        return Limits(np.asarray(theta), np.asarray(theta))
    return constant_limits(
        theta,
        [effective_size(group.n, group.N) for group in groups],
        [group.weight for group in groups],
        scale,
        confidence=confidence,
    )
