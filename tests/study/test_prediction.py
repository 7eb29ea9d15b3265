"""Prediction-powered inference: by hand, against the reference, and 2,000 simulated studies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editgauge.study.statistics.prediction import (
    corrected_mean,
    corrected_ranks,
    more_ratings,
    student,
)

SAMPLES, RATED, STUDIES = 500, 50, 2000
TRUTH = 3.0
"""By symmetry: ratings are 3 plus something symmetric, rounded and cut off at 1 and 5."""


def study(
    random: np.random.Generator, *, knows: float, bias: float, samples: int = SAMPLES
) -> tuple[np.ndarray, np.ndarray]:
    """True ratings and a judge's scores of all samples, integers from 1 to 5."""
    truth = random.normal(size=samples)
    seen = knows * truth + math.sqrt(1 - knows**2) * random.normal(size=samples)
    ratings = np.clip(np.round(3 + 1.1 * truth + 0.4 * random.normal(size=samples)), 1, 5)
    return ratings, np.clip(np.round(3 + bias + 1.2 * seen), 1, 5)


def some(random: np.random.Generator, values: np.ndarray, count: int = RATED) -> np.ndarray:
    out = np.full(len(values), np.nan)
    drawn = random.permutation(len(values))[:count]
    out[drawn] = values[drawn]
    return out


@pytest.mark.parametrize(("knows", "bias"), [(0.7, 0.0), (0.9, 1.0)])
def test_intervals_hold_the_truth_as_often_as_they_say(knows: float, bias: float) -> None:
    random = np.random.default_rng(1)
    held, width, alone = 0, 0.0, 0.0
    for _ in range(STUDIES):
        ratings, scores = study(random, knows=knows, bias=bias)
        found = corrected_mean(some(random, ratings), scores)
        held += found.low <= TRUTH <= found.high
        width += found.high - found.low
        alone += found.alone_high - found.alone_low
    assert 0.935 <= held / STUDIES <= 0.965
    assert width < 0.9 * alone, "the judge helps"


def test_a_judge_that_favours_one_model_misleads_nobody() -> None:
    """Two models of the same quality; the judge gives one of them a point more."""
    random = np.random.default_rng(2)
    held = judged = 0
    for _ in range(STUDIES):
        a, scores_a = study(random, knows=0.8, bias=0.0)
        b, scores_b = study(random, knows=0.8, bias=1.0)
        drawn = some(random, b - a)
        found = corrected_mean(drawn, scores_b - scores_a)
        held += found.low <= 0 <= found.high
        judged += found.judge > 0.5
    assert judged == STUDIES, "the judge alone is wrong each time"
    assert 0.935 <= held / STUDIES <= 0.965


def test_strata_that_were_not_drawn_in_proportion() -> None:
    """Half the ratings come from a tenth of the samples, which are two points worse."""
    random = np.random.default_rng(3)
    held = plain = 0
    strata = np.arange(SAMPLES) < SAMPLES // 10
    truth = 3.0 - 0.1 * 2.0
    for _ in range(STUDIES // 4):
        base, _ = study(random, knows=0.7, bias=0.0)
        ratings = base - 2.0 * strata
        scores = ratings + random.normal(size=SAMPLES)
        drawn = np.full(SAMPLES, np.nan)
        for mine in (strata, ~strata):
            some_of = random.permutation(np.flatnonzero(mine))[:25]
            drawn[some_of] = ratings[some_of]
        found = corrected_mean(drawn, scores, strata=strata)
        held += found.low <= truth <= found.high
        whole = corrected_mean(drawn, np.zeros(SAMPLES))
        plain += whole.low <= truth <= whole.high
    assert 0.92 <= held / (STUDIES // 4) <= 0.98
    assert plain / (STUDIES // 4) < 0.5, "without strata such a draw is biased"


def test_the_definition_by_hand() -> None:
    # rated: y = 1 2 3 with f = 1 2 4; others f = 3 5. Weight 1: mean(y - f) + mean(3, 5) = -1/3 + 4
    y = [1, 2, 3, np.nan, np.nan]
    f = [1, 2, 4, 3, 5]
    found = corrected_mean(y, f, weight=1.0)
    assert found.value == pytest.approx(4 - 1 / 3)
    # variance of (0, 0, -1) is 1/3, over 3; variance of (3, 5) is 2, over 2
    assert found.error == pytest.approx(math.sqrt(1 / 9 + 1))
    assert (found.rated, found.judged) == (3, 5)
    assert found.judge == pytest.approx(3.0)
    assert corrected_mean(y, f, weight=0.0).value == pytest.approx(2.0)


def test_against_the_reference() -> None:
    ppi = pytest.importorskip("ppi_py", reason="only compared in development")
    random = np.random.default_rng(4)
    ratings, scores = study(random, knows=0.7, bias=0.5)
    drawn = some(random, ratings, 100)
    rated = ~np.isnan(drawn)
    y, f, others = drawn[rated], scores[rated], scores[~rated]
    for weight in (1.0, 0.6):
        found = corrected_mean(drawn, scores, weight=weight)
        wanted = ppi.ppi_mean_pointestimate(y, f, others, lam=weight)
        assert found.value == pytest.approx(float(wanted[0]), abs=1e-12)
        low, high = ppi.ppi_mean_ci(y, f, others, alpha=0.05, lam=weight)
        # the reference divides by n, not n - 1, and takes normal quantiles
        assert (high[0] - low[0]) / 2 / 1.96 == pytest.approx(found.error, rel=0.01)
    tuned = corrected_mean(drawn, scores)
    assert tuned.value == pytest.approx(
        float(ppi.ppi_mean_pointestimate(y, f, others)[0]), abs=5e-3
    )


def test_a_judge_that_knows_nothing_costs_little_and_one_that_knows_all_is_worth_all() -> None:
    random = np.random.default_rng(5)
    ratings, _ = study(random, knows=0.5, bias=0)
    drawn = some(random, ratings)
    noise = corrected_mean(drawn, random.normal(size=SAMPLES))
    assert noise.effective > 0.85 * RATED
    assert abs(noise.value - noise.alone) < noise.error
    perfect = corrected_mean(drawn, ratings)
    assert perfect.effective > 0.9 * SAMPLES
    constant = corrected_mean(drawn, np.ones(SAMPLES))
    assert (constant.value, constant.effective) == pytest.approx((constant.alone, RATED))


def test_the_scale_of_the_judge_does_not_matter() -> None:
    random = np.random.default_rng(6)
    ratings, scores = study(random, knows=0.8, bias=0)
    drawn = some(random, ratings)
    first, second = corrected_mean(drawn, scores), corrected_mean(drawn, -20 * scores + 7)
    assert second.value == pytest.approx(first.value)
    assert second.error == pytest.approx(first.error)


def test_too_few_ratings_have_no_interval() -> None:
    found = corrected_mean([1, 2, np.nan], [1, 2, 3])
    assert math.isnan(found.value)
    assert found.rated == 2


def test_more_ratings_are_what_it_takes() -> None:
    random = np.random.default_rng(7)
    y = random.normal(0.15, 1, 5000)
    f = y + random.normal(0, 1, 5000)
    drawn = some(random, y, 60)
    assert corrected_mean(drawn, f).low < 0
    more = more_ratings(drawn, f)
    assert more is not None
    assert more > 0
    told = [
        corrected_mean(some(np.random.default_rng(seed), y, 60 + more), f).low > 0
        for seed in range(60)
    ]
    # the estimate of the first 60 is itself uncertain: it is the order of magnitude that holds
    assert np.mean(told) > 0.3
    assert more_ratings(some(random, y + 3, 60), f) == 0


def test_ranks_move_together_on_the_same_samples() -> None:
    random = np.random.default_rng(8)
    base, scores = study(random, knows=0.8, bias=0)
    ratings = np.stack([base, base + 0.2, base - 3])
    drawn = np.stack([some(np.random.default_rng(9), line) for line in ratings])
    found = corrected_ranks(drawn, np.stack([scores, scores, scores]))
    assert found.stability is not None
    assert found.stability.rank.tolist() == [2, 1, 3]
    # the same samples, the same scores: a constant lead is certain, however wide the intervals are
    assert found.stability.first[1] > 0.99
    assert found.means[1].low < found.means[0].high


def test_students_quantiles() -> None:
    stats = pytest.importorskip("scipy.stats")
    for degrees in (5, 10, 30, 200):
        assert student(0.975, degrees) == pytest.approx(stats.t.ppf(0.975, degrees), abs=1e-3)
