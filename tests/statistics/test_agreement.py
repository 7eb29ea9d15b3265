"""Krippendorff's alpha, quadratic kappa and repeats: the published example, references frozen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editgauge.statistics import agreement

# Krippendorff (2011), section C: 4 observers, 12 units, missing data
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
    [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
]


def alpha(ratings: object) -> float:
    return float(agreement.alpha_of(agreement.coincidences(ratings).sum(axis=0)))  # type: ignore[arg-type]


def test_ordinal_alpha_equals_the_paper_and_the_reference_package() -> None:
    """The reference: krippendorff 0.9.0, of ratings with a third missing."""
    assert alpha(PUBLISHED) == pytest.approx(0.815, abs=5e-4)
    random = np.random.default_rng(3)
    ratings = random.integers(1, 6, (4, 60)).astype(float)
    ratings[1] = np.clip(ratings[0] + random.integers(-1, 2, 60), 1, 5)
    ratings[random.random(ratings.shape) < 0.3] = np.nan
    assert alpha(ratings) == pytest.approx(0.19964735135662237, abs=1e-12)


@pytest.mark.parametrize("ratings", [[[1, 1], [1, 1]], [[1, np.nan], [np.nan, 2]], [[np.nan]]])
def test_alpha_is_not_defined_without_two_values_and_two_ratings(
    ratings: list[list[float]],
) -> None:
    assert math.isnan(alpha(ratings))


def test_quadratic_kappa_equals_scikit_learn() -> None:
    """cohen_kappa_score(weights="quadratic"), 1.9; the same from parts of samples."""
    random = np.random.default_rng(4)
    a = random.integers(1, 6, 150).astype(float)
    b = np.clip(a + random.integers(-1, 2, 150), 1, 5)
    parts = agreement.kappa_parts(a.reshape(50, 3), b.reshape(50, 3))
    assert agreement.kappa_of(parts.sum(axis=0)) == pytest.approx(0.8871224165341812, abs=1e-12)
    same = agreement.kappa_parts([[2.0, 2.0]], [[2.0, 2.0]])
    assert np.isnan(agreement.kappa_of(same[0]))


def test_noise_of_a_judge_by_hand() -> None:
    # samples (1,3) and (5,7): within 4/2 = 2; mean square between 2·(4+4)/1 = 16 -> (16-2)/2 = 7
    assert agreement.judge_noise([[1.0, 3.0], [5.0, 7.0]]) == (7.0, 2.0)
    assert agreement.judge_noise([[1.0, 1.0, np.nan], [4.0, 4.0, 4.0]])[1] == 0.0
    assert agreement.judge_noise([[1.0, 5.0], [2.0, 4.0], [3.0, 3.0]])[0] == 0.0
    assert math.isnan(agreement.judge_noise([[1.0], [2.0]])[1])
