"""Confidence sequences: errors over simulated studies, exactness at the end, and what they save."""

from __future__ import annotations

import numpy as np
import pytest

from editgauge.statistics.sequences import Betting

SAMPLES = 300


def test_the_interval_holds_the_mean_at_every_look() -> None:
    random = np.random.default_rng(2)
    values = np.clip(np.round(random.normal(1, 3, (200, SAMPLES))), -10, 10)
    test = Betting(SAMPLES, -10, 10, streams=200)
    missed = np.zeros(200, dtype=bool)
    for column in values.T:
        test.observe(column)
        low, high = test.interval()
        missed |= (values.mean(axis=1) < low - 1e-9) | (values.mean(axis=1) > high + 1e-9)
    assert missed.mean() <= 0.05
    low, high = test.interval()
    np.testing.assert_allclose(low, values.mean(axis=1))
    np.testing.assert_allclose(high, low)


def test_a_clear_difference_is_found_early_and_none_hardly_ever() -> None:
    """200 studies with a mean of half a deviation, and 200 shuffled so that it is exactly 0."""
    random = np.random.default_rng(3)
    clear = np.clip(np.round(random.normal(1, 2, (200, SAMPLES))), -10, 10)
    half = np.clip(np.round(random.normal(0, 2, (200, SAMPLES // 2))), -10, 10)
    level = random.permuted(np.concatenate([half, -half], axis=1), axis=1)
    test = Betting(SAMPLES, -10, 10, streams=400, candidates=[0.0])
    for number in range(SAMPLES - 1):
        test.observe(np.r_[clear[:, number], level[:, number]])
        if number == SAMPLES * 3 // 10:
            assert test.out[:200].mean() > 0.5
    assert test.out[:200].mean() > 0.99
    assert test.out[200:].mean() <= 0.05


def test_values_out_of_range_and_too_many_are_refused() -> None:
    test = Betting(1, 0, 5)
    with pytest.raises(ValueError, match=r"values in \[0, 5\]"):
        test.observe([6.0])
    test.observe([5.0])
    with pytest.raises(ValueError, match="all 1 values"):
        test.observe([5.0])
