"""Paired differences and the sign-flip test: all signs, SciPy's numbers frozen, and the null."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from editgauge.statistics import paired
from editgauge.statistics.paired import holm, paired_difference, sign_flip_p


def test_p_equals_scipys_permutation_test() -> None:
    """scipy.stats.permutation_test(permutation_type="samples", n_resamples=inf), 1.17."""
    values = [-0.4, -0.92, 0.15, 0.82, 1.54, 0.51, -0.15, -0.38, 1.15, 2.03, 0.67, -0.83]
    assert sign_flip_p(values) == pytest.approx(0.2236328125, rel=1e-12)
    assert sign_flip_p([-2, 1, 1, 0, 3, 1, 2, -1, 1, 2]) == pytest.approx(0.17578125, rel=1e-12)


def test_p_is_uniform_under_the_null() -> None:
    random = np.random.default_rng(0)
    for n in (12, 80):
        found = np.array([sign_flip_p(random.normal(size=n)) for _ in range(1000)])
        for share in (0.05, 0.25, 0.5, 0.75):
            assert np.mean(found <= share) == pytest.approx(share, abs=0.04)


def test_p_is_never_0_and_1_where_nothing_differs() -> None:
    assert sign_flip_p(np.full(500, 1.0)) == pytest.approx(2.0**-499)
    assert 0 < sign_flip_p(np.full(5000, 0.1)) < 1e-300
    assert 0 < sign_flip_p(np.random.default_rng(0).random(5000)) < 1e-300
    assert sign_flip_p(np.zeros(50)) == 1.0
    assert sign_flip_p([1.0, -1.0] * 30) == 1.0


@pytest.mark.parametrize("n", [16, 40, 300])
def test_p_goes_below_any_alpha(n: int) -> None:
    """Drawn signs ended at 1 in 16,384, so that 266 lines at alpha 0.001 could never fail."""
    random = np.random.default_rng(1)
    for differences in (np.full(n, 1.0), random.random(n), random.integers(1, 4, n) / 3):
        assert sign_flip_p(differences) == pytest.approx(2.0 ** (1 - n), rel=1e-9)


def by_all_signs(differences: np.ndarray) -> float:
    signs = np.array(list(itertools.product((-1, 1), repeat=len(differences))))
    sums = np.abs(signs @ differences)
    return float((sums >= abs(differences.sum()) - 1e-9).mean())


def test_every_way_to_count_gives_the_same_p() -> None:
    random = np.random.default_rng(2)
    for n in (3, 8, 15):
        for differences in (random.normal(0.4, 1, n), random.integers(1, 4, n) / 3 - 0.5):
            assert sign_flip_p(differences) == pytest.approx(by_all_signs(differences), rel=1e-12)
    ratings = random.choice([-2.0, -1.0, 1.0, 2.0], 28)
    steps = paired._p_from_steps(ratings, np.abs(ratings).astype(np.int64))
    assert sign_flip_p(ratings) == pytest.approx(steps, rel=1e-9)
    scores = random.normal(0.25, 1, 28)
    rounded = paired._p_from_steps(scores, paired._rounded_steps(np.abs(scores)))
    assert sign_flip_p(scores) == pytest.approx(rounded, rel=1e-3)
    many = random.normal(0.15, 1, 200)
    assert sign_flip_p(many) == pytest.approx(paired._p_by_saddlepoint(many), rel=0.01)


def test_holm_equals_statsmodels() -> None:
    """multipletests(method="holm"), 0.15."""
    p = [0.001, 0.04, 0.03, 0.2, 0.5, 0.012]
    assert holm(p) == pytest.approx([0.006, 0.12, 0.12, 0.4, 0.5, 0.06])
    assert holm([0.01, 0.02, 0.03]) == pytest.approx([0.03, 0.04, 0.04])
    found = holm([0.01, math.nan, 0.04])
    assert math.isnan(found[1])
    assert found[0] == 0.02


def test_only_common_samples_are_compared() -> None:
    found = paired_difference([1.0, 2.0, math.nan, 4.0], [0.0, 1.0, 1.0, math.nan])
    assert (found.n, found.difference) == (2, 1.0)
    assert (found.won, found.tied, found.lost) == (2, 0, 0)
    lower = paired_difference([1, 2, 3, math.inf], [2, 2, 2, math.inf], higher_is_better=False)
    assert (lower.won, lower.tied, lower.lost) == (1, 2, 1)


def test_a_sample_with_one_infinite_score_is_won_or_lost_and_in_no_difference() -> None:
    found = paired_difference([36.0, 2.0, math.inf], [math.inf, 1.0, math.inf])
    assert (found.n, found.difference) == (2, 0.5)
    assert (found.won, found.tied, found.lost) == (1, 1, 1)
    assert (found.infinitely_won, found.infinitely_lost) == (0, 1)


def test_fewer_than_six_samples_have_no_interval_and_one_has_no_p() -> None:
    found = paired_difference([1.0, 2.0, 3.5, 2.0, 4.0], [0.0] * 5)
    assert math.isnan(found.low)
    assert found.p == 2 / 2**5
    assert math.isnan(paired_difference([1.0], [0.0]).p)


@pytest.mark.parametrize("n", [10, 30, 100])
def test_intervals_of_differences_of_skewed_scores_hold_the_truth(n: int) -> None:
    """With its skewness removed (Hall 1992) the interval held it in 90 to 92 %."""
    random = np.random.default_rng(3)
    held = 0
    for _ in range(600):
        sample, factor = random.normal(size=n), random.lognormal(-0.125, 0.5, n)
        found = paired_difference(np.exp(sample) * factor, np.exp(sample))
        held += found.low <= 0 <= found.high
    assert 0.93 <= held / 600 <= 0.98


def test_paired_shares_have_an_interval_within_minus_1_and_1() -> None:
    """Bonett & Price (2012): one pair won and one lost are added."""
    first, second = [1.0] * 9 + [0.0], [0.0] * 4 + [1.0] * 5 + [0.0]
    found = paired_difference(first, second, scale=(0.0, 1.0))
    p_12, p_21 = 5 / 12, 1 / 12
    half = 1.959963984540054 * math.sqrt((p_12 + p_21 - (p_12 - p_21) ** 2) / 12)
    assert (found.low, found.high) == pytest.approx((p_12 - p_21 - half, p_12 - p_21 + half))
    every = paired_difference([1.0] * 8, [0.0] * 8, scale=(0.0, 1.0))
    assert 0 < every.low < every.difference == every.high == 1.0
