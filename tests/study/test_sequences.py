"""Confidence sequences: errors over simulated studies, exactness at the end, and what they save."""

from __future__ import annotations

import numpy as np
import pytest

from editgauge.study.statistics.sequences import Betting, stopping_times

STUDIES, SAMPLES = 1000, 300


def shuffled(seed: int) -> np.ndarray:
    """Streams of integers from -10 to 10, each in a random order; their means are exactly 0."""
    random = np.random.default_rng(seed)
    half = np.clip(np.round(random.normal(0, 2, (STUDIES, SAMPLES // 2))), -10, 10)
    whole = np.concatenate([half, -half], axis=1)
    return random.permuted(whole, axis=1)


def test_no_difference_is_hardly_ever_called_one() -> None:
    values = shuffled(1)
    _, verdicts = stopping_times(values, -10, 10)
    assert np.mean(np.abs(verdicts) == 1) <= 0.05


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


@pytest.mark.parametrize(("effect", "saved"), [(0.5, 0.7), (1.0, 0.85)])
def test_a_clear_difference_is_found_early(effect: float, saved: float) -> None:
    random = np.random.default_rng(3)
    values = np.clip(np.round(random.normal(effect * 2, 2, (300, SAMPLES))), -10, 10)
    times, verdicts = stopping_times(values, -10, 10)
    assert (verdicts == 1).mean() > 0.99
    assert np.median(1 - times / SAMPLES) > saved


def test_equal_editors_are_equivalent_within_a_margin() -> None:
    times, verdicts = stopping_times(shuffled(4), -10, 10, margin=1.0)
    assert (verdicts == 0).mean() >= 0.95
    assert np.median(times) < SAMPLES


def test_an_unusual_stream_is_no_trap() -> None:
    """All ones first, then all minus ones, is what a shuffled set hardly ever looks like: the final
    interval is exact all the same.
    """
    test = Betting(40, -1, 1)
    for value in [1.0] * 20 + [-1.0] * 20:
        test.observe([value])
    assert float(test.interval()[0][0]) == pytest.approx(0.0)


def test_values_out_of_range_and_too_many_are_refused() -> None:
    test = Betting(1, 0, 5)
    with pytest.raises(ValueError, match=r"values in \[0, 5\]"):
        test.observe([6.0])
    test.observe([5.0])
    with pytest.raises(ValueError, match="all 1 values"):
        test.observe([5.0])
