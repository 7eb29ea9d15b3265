"""Correlations: SciPy's numbers frozen, and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import ArrayLike

from editgauge.statistics import correlation

X, Y = [1.0, 2, 2, 4, 5, 3], [2.0, 1, 4, 4, 3, 5]


def pearson(first: ArrayLike, second: ArrayLike) -> float:
    return float(correlation.pearson_of(correlation.pearson_parts([first], [second])[0]))


def test_correlations_equal_scipy() -> None:
    """spearmanr, pearsonr of SciPy 1.17, with ties, and with a missing pair."""
    for first, second in ((X, Y), ([*X, math.nan], [*Y, 1.0])):
        assert correlation.spearman_rows([first], [second])[0] == pytest.approx(0.3970588235294118)
        assert pearson(first, second) == pytest.approx(0.3846153846153845)
    assert pearson([*X, math.inf], [*Y, 1.0]) == pytest.approx(0.3846153846153845)


def test_the_papers_formula_without_ties_by_hand() -> None:
    # ranks 1 2 3 4 against 2 1 4 3: d² = 4, 1 - 6·4/(4·15) = 0.6
    formula = correlation.spearman_no_ties_rows
    assert formula([[1, 2, 3, 4]], [[2, 1, 4, 3]])[0] == pytest.approx(0.6)
    # a tie: mean ranks 1.5 1.5 3 against 1 2 3: d² = 0.5, 1 - 6·0.5/(3·8) = 0.875; rho = sqrt(3)/2
    assert formula([[1, 1, 2]], [[1, 2, 3]])[0] == pytest.approx(0.875)
    assert correlation.spearman_rows([[1, 1, 2]], [[1, 2, 3]])[0] == pytest.approx(3**0.5 / 2)


def test_what_has_no_order_has_no_correlation() -> None:
    flat = [[1, 1, 1], [1, np.nan, np.nan]]
    assert np.isnan(correlation.spearman_rows(flat, [[1, 2, 3], [1, 2, 3]])).all()
    assert math.isnan(pearson([1, 1], [1, 2]))


def test_an_infinite_score_is_the_best_of_its_line() -> None:
    assert correlation.spearman_rows([[np.inf, 20, 30]], [[3, 1, 2]])[0] == pytest.approx(1)


def bootstrap_of(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    random = np.random.default_rng(0)
    drawn = random.integers(0, len(a), (2000, len(a)))
    found = [np.corrcoef(a[places], b[places])[0, 1] for places in drawn]
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


@pytest.mark.parametrize("n", [12, 30, 100])
def test_the_interval_of_a_high_correlation_is_no_longer_than_a_bootstrap_says(n: int) -> None:
    """r of 0.844 had [-0.108, 0.900] where a bootstrap has [0.789, 0.923]."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        a = random.lognormal(size=n)
        b = a + 0.6 * random.normal(size=n)
        found = correlation.pearson_interval(a[:, None], b[:, None])
        low, high = bootstrap_of(a, b)
        assert found.low < found.value < found.high < 1
        assert found.low > low - 3 * (high - low) - 0.2


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("n", [10, 30])
def test_intervals_of_correlations_hold_the_truth(n: int, rho: float) -> None:
    random = np.random.default_rng(4)
    held = 0
    for _ in range(600):
        a = random.normal(size=(n, 1))
        b = rho * a + math.sqrt(1 - rho**2) * random.normal(size=(n, 1))
        found = correlation.pearson_interval(a, b)
        held += found.low <= rho <= found.high
    assert 0.93 <= held / 600 <= 0.985


def test_few_samples_and_a_perfect_coefficient_have_no_interval() -> None:
    few = correlation.pearson_interval(np.c_[X], np.c_[Y])
    assert few.value == pytest.approx(0.3846153846153845)
    assert math.isnan(few.low)
    line = np.arange(20.0)[:, None]
    perfect = correlation.pearson_interval(line, 2 * line)
    assert perfect.value == 1
    assert math.isnan(perfect.low)
