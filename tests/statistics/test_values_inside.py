"""Every value lies within its own interval, whatever the scores, the strata and the scale."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editgauge.statistics.agreement import kappa_of, kappa_parts
from editgauge.statistics.correlation import coefficient_interval, pearson_interval
from editgauge.statistics.limits import UNBOUNDED, Scale
from editgauge.statistics.paired import paired_difference
from editgauge.statistics.prediction import corrected_mean
from editgauge.statistics.resampling import mean_interval, pooled_mean_interval

SCALES: list[Scale] = [(0.0, 1.0), (1.0, 5.0), (-1.0, 1.0), (0.0, math.inf), UNBOUNDED]


def inside(value: float, low: float, high: float) -> bool:
    return math.isnan(low) or low - 1e-9 <= value <= high + 1e-9


def scores_of(random: np.random.Generator, n: int) -> np.ndarray:
    """Scores of some kind, also beyond the scale, with gaps."""
    kinds = [
        random.integers(0, 2, n) * 1.0,
        random.integers(1, 6, n) * 1.0,
        random.choice([1.0, 5.0], n),
        random.normal(size=n),
        random.lognormal(0, 2, n),
        np.full(n, 0.7),
    ]
    chosen = kinds[int(random.integers(len(kinds)))]
    return np.where(random.random(n) < 0.1, np.nan, chosen)


@pytest.mark.parametrize("scale", SCALES)
def test_every_value_lies_within_its_interval(scale: Scale) -> None:
    random = np.random.default_rng(0)
    for _ in range(150):
        n = int(random.integers(0, 40))
        scores = scores_of(random, n)
        noise = random.normal(size=n)
        mean = mean_interval(scores, scale)
        assert inside(mean.value, mean.low, mean.high)
        repeats = pooled_mean_interval(np.stack([scores, scores + noise], axis=1), scale)
        assert inside(repeats.value, repeats.low, repeats.high)
        ratings = np.where(random.random(n) < 0.5, np.nan, scores)
        for strata in (None, random.integers(0, 4, n)):
            found = corrected_mean(ratings, noise, strata=strata, scale=scale)
            assert inside(found.value, found.low, found.high)
            assert inside(found.alone.value, found.alone.low, found.alone.high)
        paired = paired_difference(scores, random.permutation(scores), scale=scale)
        assert inside(paired.difference, paired.low, paired.high)
        a = random.integers(1, 4, (n, 2)) * 1.0
        b = np.clip(a + random.integers(-1, 2, (n, 2)), 1, 5)
        for one in (pearson_interval(a, b), coefficient_interval(kappa_parts(a, b), kappa_of)):
            assert inside(one.value, one.low, one.high)
            assert math.isnan(one.low) or -1 <= one.low <= one.high <= 1
