"""The sign-flip test: against all signs, SciPy's numbers frozen, and the null."""

from __future__ import annotations

import math

import numpy as np
import pytest

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
    assert sign_flip_p(np.full(500, 1.0)) == 2.0**-14
    assert sign_flip_p(np.zeros(50)) == 1.0
    assert sign_flip_p([1.0, -1.0] * 30) == 1.0


def test_a_great_difference_stays_sure_however_many_tests_are_corrected_for() -> None:
    assert sign_flip_p(np.full(50, 1.0), tests=5000) * 5000 < 0.05


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
    assert (found.n, found.difference, found.counts) == (2, 1.0, (2, 0, 0))
    lower = paired_difference([1, 2, 3, math.inf], [2, 2, 2, math.inf], higher_is_better=False)
    assert lower.counts == (1, 2, 1)


def test_a_sample_with_one_infinite_score_is_won_or_lost_and_in_no_difference() -> None:
    found = paired_difference([36.0, 2.0, math.inf], [math.inf, 1.0, math.inf])
    assert (found.n, found.difference, found.counts) == (2, 0.5, (1, 1, 1))


def test_fewer_than_six_samples_have_no_interval_and_one_has_no_p() -> None:
    found = paired_difference([1.0, 2.0, 3.5, 2.0, 4.0], [0.0] * 5)
    assert math.isnan(found.low)
    assert found.p == 2 / 2**5
    assert math.isnan(paired_difference([1.0], [0.0]).p)
