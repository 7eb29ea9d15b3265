"""Krippendorff's alpha and quadratic kappa: the published example, references, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from editgauge.judging.agreement import quadratic_kappa
from editgauge.study.statistics import alpha

# Krippendorff (2011), section C: 4 observers, 12 units, missing data
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
        [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
    ]
)


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_the_published_example(level, value) -> None:  # type: ignore[no-untyped-def]
    assert alpha.krippendorff_alpha(PUBLISHED, level) == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_against_the_reference(level) -> None:  # type: ignore[no-untyped-def]
    reference = pytest.importorskip("krippendorff", reason="GPL: only compared in development")
    random = np.random.default_rng(3)
    ratings = random.integers(1, 6, (4, 60)).astype(float)
    ratings[1] = np.clip(ratings[0] + random.integers(-1, 2, 60), 1, 5)
    ratings[random.random(ratings.shape) < 0.3] = np.nan
    wanted = reference.alpha(reliability_data=ratings, level_of_measurement=level)
    assert alpha.krippendorff_alpha(ratings, level) == pytest.approx(wanted, abs=1e-9)


def test_agreement_that_is_not_defined() -> None:
    assert np.isnan(alpha.krippendorff_alpha([[1, 1], [1, 1]], "nominal"))
    assert np.isnan(alpha.krippendorff_alpha([[1, np.nan], [np.nan, 2]], "nominal"))
    assert np.isnan(alpha.krippendorff_alpha([[np.nan], [np.nan]], "nominal"))


def test_kappa_is_that_of_two_judges() -> None:
    random = np.random.default_rng(4)
    a = random.integers(1, 6, (50, 3)).astype(float)
    b = np.clip(a + random.integers(-1, 2, a.shape), 1, 5)
    found = alpha.kappa_of(alpha.kappa_parts(a, b).sum(axis=0))
    assert found == pytest.approx(
        quadratic_kappa(a.ravel().tolist(), b.ravel().tolist()), abs=1e-12
    )
    assert np.isnan(alpha.kappa_of(alpha.kappa_parts([[2.0, 2.0]], [[2.0, 2.0]]).sum(axis=0)))
