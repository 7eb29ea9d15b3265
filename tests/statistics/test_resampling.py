"""Intervals of means and of what is made of them: coverage by simulation, and when none is given."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from editgauge.statistics import agreement
from editgauge.statistics.correlation import coefficient_interval
from editgauge.statistics.limits import SHARE
from editgauge.statistics.resampling import (
    intervals,
    mean_interval,
    mean_of,
    pooled,
    pooled_mean_interval,
    replicates,
    units,
)


@pytest.mark.parametrize(
    ("draw", "n", "truth"),
    [
        (np.random.Generator.normal, 6, 0),
        (np.random.Generator.normal, 40, 0),
        (np.random.Generator.exponential, 10, 1),
        (np.random.Generator.exponential, 30, 1),
        (np.random.Generator.exponential, 100, 1),
    ],
)
def test_intervals_of_means_hold_the_truth_also_of_skewed_scores(
    draw: Callable[..., np.ndarray], n: int, truth: float
) -> None:
    """Student's interval of ten exponential values holds it in 90 %, a BCa bootstrap's in 93."""
    values = draw(np.random.default_rng(1), size=(n, 2000))
    found = intervals(units(values))
    assert 0.935 <= np.mean((found.low <= truth) & (truth <= found.high)) <= 0.975


def test_limits_of_a_mean_stay_within_the_scale() -> None:
    values, scale = [5.0] * 9 + [4.0, 1.0], (0.0, 5.0)
    assert mean_interval(values).high > mean_interval(values, scale).high == 5.0


def test_intervals_of_repeated_judgements_hold_the_truth() -> None:
    """Three judgements a sample, averaged; as 120 samples of their own they would not."""
    random = np.random.default_rng(2)
    held = apart = 0
    for _ in range(1000):
        values = random.normal(size=(40, 1)) + random.normal(size=(40, 3)) / 2
        found, plain = pooled_mean_interval(values), mean_interval(values.ravel())
        held += found.low <= 0 <= found.high
        apart += plain.low <= 0 <= plain.high
    assert 0.935 <= held / 1000 <= 0.965
    assert apart / 1000 < 0.85


@pytest.mark.parametrize(
    "values", [[0.0], [0.0, 1.0], range(5), [0.7] * 50, [math.inf, *range(20)]]
)
def test_few_or_equal_or_infinite_scores_have_a_mean_and_no_interval(values: list[float]) -> None:
    found = mean_interval(values)
    assert (found.value, found.n) == (pytest.approx(np.mean(values)), len(values))
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_strata_alone_do_not_widen_an_interval() -> None:
    random = np.random.default_rng(3)
    values = np.r_[random.normal(0, 0.1, 30), random.normal(10, 0.1, 30)]
    (kept,), (plain,) = (
        high - low
        for _, low, high in (
            intervals(units(values), strata=s) for s in ([0] * 30 + [1] * 30, None)
        )
    )
    assert kept < 0.1 < plain


def test_small_strata_are_put_together() -> None:
    labels = ["a"] * 12 + ["b"] * 3 + ["c"] * 4
    assert len(set(pooled(labels).tolist())) == 1, "7 join the 12"
    assert len(set(pooled([*labels, *"ddd"]).tolist())) == 2


@pytest.mark.parametrize("strata", [None, np.arange(40) // 10])
def test_a_column_of_some_units_has_the_interval_of_these_alone(strata: Any) -> None:
    """Ten samples of one of four strata had seven degrees of freedom, of one of 13 none."""
    values = np.random.default_rng(5).normal(size=(40, 2))
    values[10:, 1] = np.nan
    found = intervals(units(values), strata=strata, scored=~np.isnan(values))
    alone = mean_interval(values[:10, 1])
    assert (found.low[1], found.high[1]) == pytest.approx((alone.low, alone.high))
    values[4:, 1] = np.nan
    found = intervals(units(values), strata=strata, scored=~np.isnan(values))
    assert np.isnan(found.low).tolist() == [False, True]


def test_every_resample_keeps_the_size_of_each_stratum() -> None:
    labels = np.array([0, 1, 0, 1, 1])
    once = replicates(units(labels), mean_of, labels, 50)
    assert (once == 0.6).all(), "three of five are of stratum 1 in every resample"
    values = np.random.default_rng(7).normal(size=200)
    again = replicates(units(values), mean_of, resamples=4000)
    assert again.std() == pytest.approx(values.std() / math.sqrt(200), rel=0.05)


@pytest.mark.parametrize("editors", [1, 3])
def test_coefficients_of_ratings_stay_within_their_scale(editors: int) -> None:
    """Of samples that agree well, kappa's interval once ended at 1.2."""
    random = np.random.default_rng(1)
    for _ in range(40):
        a = random.integers(1, 6, (12, editors)).astype(float)
        b = np.clip(a + (random.random(a.shape) < 0.2), 1, 5)
        found = coefficient_interval(agreement.kappa_parts(a, b), agreement.kappa_of)
        assert math.isnan(found.low) or -1 < found.low < found.value < found.high < 1
        equal = pooled_mean_interval((a == b) * 1.0, SHARE)
        assert math.isnan(equal.low) or 0 <= equal.low <= equal.value <= equal.high <= 1


def test_a_value_beyond_its_scale_lies_within_its_interval() -> None:
    """Five replies out of the scale gave 6.75 [2.92, 5.00]."""
    values = [5.0] * 90 + [50.0] * 9
    found = mean_interval(values, (0.0, 5.0))
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("n", [10, 30, 100])
@pytest.mark.parametrize("sign", [1, -1])
def test_intervals_of_means_of_skewed_scores_hold_the_truth(n: int, sign: int) -> None:
    """Log-normal, as squared errors are: 88 to 92 % with the skewness removed (Hall 1992)."""
    values = sign * np.random.default_rng(1).lognormal(size=(n, 2000))
    found = intervals(units(values))
    truth = sign * math.exp(0.5)
    assert 0.925 <= np.mean((found.low <= truth) & (truth <= found.high)) <= 0.97


def test_a_scale_without_ends_needs_ten_samples() -> None:
    values = np.random.default_rng(1).random(9)
    assert math.isnan(mean_interval(values, (0.0, math.inf)).low)
    assert mean_interval(values, (0.0, 1.0)).low < values.mean()
    assert math.isnan(mean_interval(values[:5], (0.0, 1.0)).low)
    assert mean_interval([*values, 0.5], (0.0, math.inf)).low < 0.5
