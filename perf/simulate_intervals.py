"""How often 95 % intervals hold the truth, and p-values of no difference: the table of the docs.

Run: python perf/simulate_intervals.py [STUDIES]
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from editgauge.statistics.paired import paired_difference, sign_flip_p
from editgauge.statistics.prediction import UNBOUNDED, Scale, corrected_mean
from editgauge.statistics.resampling import mean_interval, pooled_mean_interval

Floats = NDArray[np.float64]
Random = np.random.Generator


def mean(draw: Callable[[Random], Floats], truth: float, scale: Scale = UNBOUNDED):  # type: ignore[no-untyped-def]
    def study(random: Random) -> bool:
        found = mean_interval(draw(random), scale=scale)
        return found.low <= truth <= found.high

    return study


def clusters(random: Random) -> bool:
    values = random.normal(size=(40, 1)) + random.normal(size=(40, 3)) / 2
    found = pooled_mean_interval(values)
    return found.low <= 0 <= found.high


def paired(random: Random) -> bool:
    a = random.normal(size=50)
    found = paired_difference(a + random.normal(size=50) / 2, a)
    return found.low <= 0 <= found.high


def predicted(rated: int, answer: Callable[[Floats], Floats], scale: Scale):  # type: ignore[no-untyped-def]
    def study(random: Random) -> bool:
        truth = random.normal(size=200)
        scores = 0.7 * truth + 0.71 * random.normal(size=200)
        ratings, drawn = answer(truth), np.full(200, np.nan)
        chosen = random.permutation(200)[:rated]
        drawn[chosen] = ratings[chosen]
        found = corrected_mean(drawn, scores, scale=scale)
        return found.low <= ratings.mean() <= found.high

    return study


def main(studies: int) -> None:
    lines = {f"mean of {n}": mean(lambda r, n=n: r.normal(size=n), 0) for n in (6, 10, 30, 100)}
    lines |= {
        f"mean of {n}, skewed": mean(lambda r, n=n: r.exponential(size=n), 1) for n in (10, 30, 100)
    }
    lines["share of 12, yes or no"] = mean(lambda r: (r.random(12) < 0.8) * 1.0, 0.8, (0.0, 1.0))
    lines |= {"40 samples, 3 repeats each": clusters, "difference, 50 pairs": paired}
    scales = {
        "any number": (lambda t: 3 + t, UNBOUNDED),
        "1 to 5": (lambda t: np.clip(np.round(3 + 1.1 * t), 1, 5), (1.0, 5.0)),
        "yes or no": (lambda t: (t > -0.8) * 1.0, (0.0, 1.0)),
    }
    for name, (answer, scale) in scales.items():
        for rated in (3, 5, 10, 30):
            lines[f"{rated} of 200 rated, {name}"] = predicted(rated, answer, scale)
    print(f"{studies} studies each\n| 95 % interval | holds the truth |\n| --- | --- |")
    for name, study in lines.items():
        random = np.random.default_rng(1)
        print(f"| {name} | {np.mean([study(random) for _ in range(studies)]):.1%} |", flush=True)
    print("| p of no difference | at most 0.05 |\n| --- | --- |")
    for n in (12, 40, 200):
        random = np.random.default_rng(2)
        found = [sign_flip_p(random.normal(size=n)) for _ in range(studies)]
        print(f"| {n} pairs | {np.mean(np.array(found) <= 0.05):.1%} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
