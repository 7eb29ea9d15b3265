"""Prediction-powered means: by hand, and simulated studies of 3, 5, 10, 30 and 50 rated samples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editgauge.statistics.prediction import SMALLEST_P, corrected_mean, p_of_no_difference

SAMPLES = 200


def some(random: np.random.Generator, values: np.ndarray, count: int) -> np.ndarray:
    out = np.full(len(values), np.nan)
    drawn = random.permutation(len(values))[:count]
    out[drawn] = values[drawn]
    return out


def study(random: np.random.Generator, *, knows: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    """True ratings and a judge's scores of all samples, correlated as `knows` says."""
    truth = random.normal(size=SAMPLES)
    return 3 + truth, knows * truth + math.sqrt(1 - knows**2) * random.normal(size=SAMPLES)


@pytest.mark.parametrize("rated", [3, 5, 10, 30])
def test_intervals_hold_the_mean_of_all_samples(rated: int) -> None:
    random = np.random.default_rng(1)
    held = 0
    for _ in range(500):
        ratings, scores = study(random)
        found = corrected_mean(some(random, ratings, rated), scores)
        held += found.low <= ratings.mean() <= found.high
    assert 0.925 <= held / 500 <= 0.98


@pytest.mark.parametrize("rated", [3, 10, 30])
def test_intervals_of_yes_and_no_hold_the_mean(rated: int) -> None:
    """Three of ten said 1.0 of [1.0, 1.0] half the time; the interval of a share does not."""
    random = np.random.default_rng(2)
    held = 0
    for _ in range(500):
        ratings, scores = study(random)
        answers = (ratings > 2.2).astype(float)
        found = corrected_mean(some(random, answers, rated), scores, scale=(0, 1))
        assert 0 <= found.low < found.high <= 1
        held += found.low <= answers.mean() <= found.high
    assert held / 500 >= 0.925


STRATA = {
    2: (160, 40),
    4: (140, 30, 20, 10),
    13: (60, 50, 40, 35, 30, 25, 20, 18, 16, 14, 12, 11, 10),
}
ANSWERS = {
    "yes 79 %": (lambda t: (t > -0.8) * 1.0, (0.0, 1.0)),
    "yes 95 %": (lambda t: (t > -1.645) * 1.0, (0.0, 1.0)),
    "1 to 5": (lambda t: np.clip(np.round(3 + 1.1 * t), 1, 5), (1.0, 5.0)),
}


@pytest.mark.parametrize("count", [*STRATA])
@pytest.mark.parametrize("kind", [*ANSWERS])
def test_intervals_over_strata_hold_the_mean_and_their_value(kind: str, count: int) -> None:
    """Answers of unequal strata had an interval of the pooled answers, without the value in it:
    48 % of them held the mean.
    """
    answer, scale = ANSWERS[kind]
    labels = np.repeat(np.arange(count), STRATA[count])
    level = (labels - labels.mean()) * (1.6 / count)
    for rated in (5, 30):
        random = np.random.default_rng(11)
        held = 0
        for _ in range(200):
            truth = random.normal(size=len(labels)) + level
            scores = 0.7 * truth + 0.71 * random.normal(size=len(labels))
            y = np.full(len(labels), np.nan)
            for label in range(count):
                inside = np.flatnonzero(labels == label)
                chosen = random.permutation(inside)[:rated]
                y[chosen] = answer(truth)[chosen]
            found = corrected_mean(y, scores, strata=labels, scale=scale)
            assert found.low <= found.value <= found.high
            held += found.low <= answer(truth).mean() <= found.high
        assert held / 200 >= 0.91


def test_a_weighted_value_lies_within_its_interval() -> None:
    """0.55 [0.667, 0.926]."""
    y = np.full(1000, np.nan)
    y[:5], y[5:10], y[900:920] = 1, 0, 1
    strata = np.arange(1000) >= 900
    found = corrected_mean(y, np.arange(1000.0), strata=strata, scale=(0, 1))
    assert found.value == pytest.approx(0.9 * 0.5 + 0.1 * 1.0)
    assert found.low < 0.5 < 0.6 < found.high


def test_the_error_of_a_fitted_mean_is_that_of_a_regression() -> None:
    """The slope's own error is in it, and residuals are divided by their leverage (HC2)."""
    random = np.random.default_rng(9)
    ratings, scores = study(random)
    y = some(random, ratings, 12)
    rated, known = y[~np.isnan(y)], scores[~np.isnan(y)]
    found, spread = corrected_mean(y, scores), known - known.mean()
    slope = spread @ rated / (spread @ spread)
    residual = rated - rated.mean() - slope * spread
    leverage = 1 / 12 + spread**2 / (spread @ spread)
    shift = scores.mean() - known.mean()
    counts = math.sqrt(1 - 12 / SAMPLES) / 12 + shift * spread / (spread @ spread)
    error = math.sqrt((counts**2 * residual**2 / (1 - leverage)).sum())
    assert (found.weight, found.error) == pytest.approx((slope, error))


def test_ratings_that_are_alike_have_no_interval_of_width_0() -> None:
    """Three ratings of 2, once 2.000 [2.000, 2.000]; at an end of the scale one end is open."""
    found = corrected_mean([2, 2, 2, np.nan, np.nan], [1, 2, 3, 2, 5], scale=(1, 5))
    assert found.value == 2
    assert 1 <= found.low < 2 < found.high <= 5
    assert math.isnan(corrected_mean([2, 2, 2, np.nan], [1, 2, 3, 2]).low), "no scale, no interval"
    many = corrected_mean([2] * 60 + [np.nan] * 40, [1.0] * 100, scale=(1, 5))
    assert many.high - many.low < (found.high - found.low) / 3
    ends = corrected_mean([1, 1, 1, np.nan, np.nan], [1, 2, 3, 2, 5], scale=(1, 5))
    assert ends.low == 1 < ends.high <= 5


def test_all_rated_is_known_and_most_rated_nearly() -> None:
    random = np.random.default_rng(3)
    ratings, scores = study(random)
    whole = corrected_mean(ratings, scores)
    assert (whole.value, whole.low, whole.high) == pytest.approx((ratings.mean(),) * 3)
    few, most = (corrected_mean(some(random, ratings, n), scores) for n in (20, 190))
    assert most.high - most.low < (few.high - few.low) * math.sqrt(20 / 190) / 2


def test_a_judge_that_favours_one_model_misleads_nobody() -> None:
    random = np.random.default_rng(4)
    held = 0
    for _ in range(300):
        (a, scores_a), (b, scores_b) = study(random), study(random)
        found = corrected_mean(some(random, b - a, 30), scores_b + 1 - scores_a)
        held += found.low <= (b - a).mean() <= found.high
        assert found.judge > 0.5, "the judge alone is wrong each time"
    assert held / 300 >= 0.915


def test_strata_that_were_not_drawn_in_proportion() -> None:
    random = np.random.default_rng(5)
    strata = np.arange(SAMPLES) < SAMPLES // 10
    held = plain = 0
    for _ in range(300):
        base, scores = study(random)
        ratings = base - 2.0 * strata
        drawn = np.full(SAMPLES, np.nan)
        for mine in (strata, ~strata):
            some_of = random.permutation(np.flatnonzero(mine))[:10]
            drawn[some_of] = ratings[some_of]
        found = corrected_mean(drawn, scores, strata=strata)
        held += found.low <= ratings.mean() <= found.high
        whole = corrected_mean(drawn, np.zeros(SAMPLES))
        plain += whole.low <= ratings.mean() <= whole.high
    assert 0.915 <= held / 300 <= 0.985
    assert plain / 300 < 0.7, "without strata such a draw is biased"


def test_the_definition_by_hand() -> None:
    # rated: y = 1 2 3 with f = 1 2 4; all f: 1 2 4 3 5. Weight 1: 2 + 3 - 7/3
    y, f = [1, 2, 3, np.nan, np.nan], [1, 2, 4, 3, 5]
    found = corrected_mean(y, f, weight=1.0)
    assert found.value == pytest.approx(2 + 3 - 7 / 3)
    # variance of (0, 0, -1) is 1/3, over 3, of which 2 in 5 are left
    assert found.error == pytest.approx(math.sqrt(1 / 9 * 2 / 5))
    assert (found.rated, found.judged, found.judge) == (3, 5, 3.0)
    assert corrected_mean(y, f).weight == 0, "three ratings fit no weight"


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.6, 1.0, 3.0])
def test_p_is_the_smallest_alpha_whose_interval_leaves_0_out(shift: float) -> None:
    random = np.random.default_rng(12)
    ratings, scores = study(random)
    y = some(random, ratings - 3 + shift, 20)
    p = p_of_no_difference(y, scores)
    if p > SMALLEST_P:
        inside = corrected_mean(y, scores, confidence=1 - p * 0.999)
        outside = corrected_mean(y, scores, confidence=1 - p * 1.001)
        assert inside.low <= 0 <= inside.high
        assert not outside.low <= 0 <= outside.high
    else:
        assert shift == 3.0
    assert math.isnan(p_of_no_difference(y[:2], scores[:2]))
