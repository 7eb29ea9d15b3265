"""Correlation of each line of a table: against SciPy, and by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from editgauge.study.statistics import correlation

stats = pytest.importorskip("scipy.stats")
FUNCTIONS = [
    (correlation.spearman_rows, "spearmanr"),
    (correlation.kendall_rows, "kendalltau"),
]


def tables(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two tables (100, 6) with many ties and some missing values."""
    random = np.random.default_rng(seed)
    a = random.integers(1, 6, (100, 6)).astype(float)
    b = a + random.integers(-1, 2, a.shape)
    b[random.random(b.shape) < 0.15] = np.nan
    return a, b


@pytest.mark.parametrize(("ours", "theirs"), FUNCTIONS)
def test_each_line_is_what_scipy_gives(ours, theirs) -> None:  # type: ignore[no-untyped-def]
    a, b = tables()
    found = ours(a, b)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns about constant input
        wanted = [
            getattr(stats, theirs)(x[~np.isnan(y)], y[~np.isnan(y)])[0]
            for x, y in zip(a, b, strict=True)
        ]
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    assert np.isnan(found).any(), "the tables have a line without an order"


def test_pearson_and_mae_over_all_outputs() -> None:
    a, b = tables(1)
    keep = ~np.isnan(b)
    assert correlation.pearson(a, b) == pytest.approx(
        stats.pearsonr(a[keep], b[keep])[0], abs=1e-12
    )
    parts = correlation.error_parts(a, b).sum(axis=0)
    assert correlation.mean_of_parts(parts) == pytest.approx(np.abs(a[keep] - b[keep]).mean())


def test_pearson_keeps_its_digits_far_from_zero() -> None:
    a, b = tables(2)
    assert correlation.pearson(a + 1e9, b - 1e9) == pytest.approx(
        correlation.pearson(a, b), abs=1e-6
    )


def test_the_papers_formula_by_hand() -> None:
    # ranks 1 2 3 4 against 2 1 4 3: d² = 1+1+1+1 = 4, 1 - 6·4/(4·15) = 0.6
    assert correlation.spearman_no_ties_rows([[1, 2, 3, 4]], [[2, 1, 4, 3]])[0] == pytest.approx(
        0.6
    )
    # a tie: mean ranks 1.5 1.5 3 against 1 2 3: d² = 0.5, 1 - 6·0.5/(3·8) = 0.875; rho = sqrt(3)/2
    assert correlation.spearman_no_ties_rows([[1, 1, 2]], [[1, 2, 3]])[0] == pytest.approx(0.875)
    assert correlation.spearman_rows([[1, 1, 2]], [[1, 2, 3]])[0] == pytest.approx(3**0.5 / 2)


def test_what_has_no_order_has_no_correlation() -> None:
    for function in (correlation.spearman_rows, correlation.kendall_rows):
        assert np.isnan(function([[1, 1, 1], [1, np.nan, np.nan]], [[1, 2, 3], [1, 2, 3]])).all()


def test_an_infinite_score_is_the_best_of_its_line() -> None:
    assert correlation.spearman_rows([[np.inf, 20, 30]], [[3, 1, 2]])[0] == pytest.approx(1)
    assert correlation.kendall_rows([[np.inf, np.inf, 3]], [[2, 2, 1]])[0] == pytest.approx(1)


def test_tables_of_two_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"one shape"):
        correlation.spearman_rows([[1, 2]], [[1, 2, 3]])
