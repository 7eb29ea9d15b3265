"""The bootstrap: an interval of SciPy's frozen, coverage by simulation, and when none is given."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editgauge.statistics import resampling
from editgauge.statistics.resampling import (
    bootstrap,
    mean_interval,
    parts_interval,
    pooled,
    pooled_mean_interval,
    share_of_parts,
    units,
)

SKEWED = [
    0.691, 0.183, 0.603, 0.536, 0.735, 1.393, 1.106, 0.253, 0.137, 0.141, 1.442, 0.011, 2.241,
    1.193, 0.255, 0.037, 0.098, 0.341, 3.761, 0.46, 0.367, 0.286, 1.879, 0.778, 0.929, 0.264, 2.138,
    0.293, 0.66, 1.127, 0.541, 0.069, 0.452, 0.495, 1.968, 2.909, 1.788, 0.666, 0.228, 0.326,
]  # fmt: skip


def test_bca_limits_equal_scipys_of_200000_resamples() -> None:
    """scipy.stats.bootstrap(method="BCa") gives [0.62695, 1.16019]; without widened tails."""
    data = units(SKEWED)
    drawn = bootstrap(data, resamples=100_000).replicates
    left_out = (sum(SKEWED) - np.array(SKEWED)[:, None]) / 39
    (skew,) = resampling.acceleration(left_out, np.zeros(40)).tolist()
    found = resampling.bca_limits(drawn[:, 0], float(np.mean(SKEWED)), skew, 0.025)
    assert found == pytest.approx((0.62695, 1.16019), abs=0.004)


@pytest.mark.parametrize("n", [10, 40])
def test_intervals_of_means_hold_the_truth(n: int) -> None:
    random = np.random.default_rng(1)
    found = [mean_interval(random.normal(2, 1, n), resamples=500, seed=k) for k in range(400)]
    assert 0.92 <= np.mean([one.low <= 2 <= one.high for one in found]) <= 0.98


def test_intervals_of_repeated_judgements_hold_the_truth() -> None:
    """Three judgements a sample, averaged; as 120 samples of their own they would not."""
    random = np.random.default_rng(2)
    held = apart = 0
    for seed in range(300):
        values = random.normal(size=(40, 1)) + random.normal(size=(40, 3)) / 2
        found = pooled_mean_interval(values, resamples=500, seed=seed)
        plain = mean_interval(values.ravel(), resamples=500, seed=seed)
        held += found.low <= 0 <= found.high
        apart += plain.low <= 0 <= plain.high
    assert 0.915 <= held / 300 <= 0.985
    assert apart / 300 < 0.85


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_too_few_samples_have_no_interval(n: int) -> None:
    found = mean_interval(np.arange(n, dtype=float))
    assert (found.value, found.n) == ((n - 1) / 2, n)
    assert math.isnan(found.low)
    assert math.isnan(found.high)


def test_equal_scores_have_no_interval_of_width_0() -> None:
    found = mean_interval([0.7] * 50)
    assert found.value == pytest.approx(0.7)
    assert math.isnan(found.low)


def test_limits_stay_within_the_scale() -> None:
    found = mean_interval([5, 5, 5, 5, 5, 5, 1.5], scale=(1, 5))
    assert found.high <= 5


def test_an_infinite_score_makes_the_mean_infinite_and_takes_its_interval() -> None:
    found = mean_interval([math.inf, *range(20)])
    assert math.isinf(found.value)
    assert math.isnan(found.low)
    assert units([math.inf, 3.0]).infinite is not None


def test_strata_alone_do_not_widen_an_interval() -> None:
    random = np.random.default_rng(3)
    values = np.r_[random.normal(0, 0.1, 30), random.normal(10, 0.1, 30)]
    kept = mean_interval(values, strata=[0] * 30 + [1] * 30)
    assert kept.high - kept.low < 0.1 < mean_interval(values).high - mean_interval(values).low


def test_small_strata_are_put_together() -> None:
    labels = ["a"] * 12 + ["b"] * 3 + ["c"] * 4
    codes = pooled(labels)
    assert len(set(codes[12:].tolist()) | set(codes[:12].tolist())) == 1, "7 join the 12"
    assert len(set(pooled([*labels, *"ddd"]).tolist())) == 2


def test_fewer_scored_units_of_one_column_take_its_interval_alone() -> None:
    values = np.random.default_rng(5).normal(size=(40, 2))
    values[4:, 1] = np.nan
    found = bootstrap(units(values), scored=[40, 4])
    assert not math.isnan(found.low[0])
    assert math.isnan(found.low[1])


def test_parts_are_drawn_by_sample() -> None:
    parts = np.array([[2.0, 4.0]] * 10 + [[0.0, 0.0]])
    assert parts_interval(parts, share_of_parts)[::3] == (0.5, 10)
    pairs = np.random.default_rng(6).normal(size=(30, 4))
    pairs[3, 1:] = np.nan
    found = pooled_mean_interval(pairs)
    assert found.value == pytest.approx(np.nanmean(pairs))
    assert found.low < found.value < found.high
