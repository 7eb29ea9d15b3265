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
