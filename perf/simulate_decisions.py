"""How many calls `judge --decide` saves, and how often it is wrong: the table of the docs.

Run: python perf/simulate_decisions.py [STUDIES]
Differences of two editors' scores on a scale from 0 to 10, rounded, standard deviation 2.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.statistics.sequences import Betting

SPREAD, SAMPLES = 2.0, 500


def stopping_times(
    values: ArrayLike,
    low: float,
    high: float,
    *,
    alpha: float = 0.05,
    margin: float = 0.0,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """When each stream would be decided, and how: values (streams, n) in the order of drawing.

    Returns the number of draws, (streams,), and the verdict: 1 above 0, -1 below, 0 equivalent
    within the margin, -2 not decided by all draws (a mean of exactly 0 without a margin).
    """
    table = np.asarray(values, dtype=np.float64)
    streams, size = table.shape
    points = [0.0] if margin <= 0 else [-margin, 0.0, margin]
    test = Betting(size, low, high, alpha=alpha, streams=streams, candidates=points)
    times = np.full(streams, size, dtype=np.int64)
    verdicts = np.full(streams, -2, dtype=np.int64)
    for column in range(size):
        test.observe(table[:, column])
        open_ = verdicts == -2
        middle = test.out[:, len(points) // 2]
        sign = np.sign(test.mean).astype(np.int64)
        told = np.where(middle & (sign != 0), sign, -2)
        if margin > 0:
            level = test.out[:, 0] & test.out[:, 2] & (np.abs(test.mean) < margin)
            told = np.where((told == -2) & level, 0, told)
        new = open_ & (told != -2)
        verdicts[new] = told[new]
        times[new] = column + 1
        if (verdicts != -2).all():
            break
    if margin > 0:
        level = np.abs(table.mean(axis=1)) < margin
        verdicts[(verdicts == -2) & level] = 0
    return times, verdicts


def main(studies: int) -> None:
    random = np.random.default_rng(0)
    print(f"{studies} studies of {SAMPLES} samples, alpha 0.05")
    print("| effect (SD) | margin (SD) | median share saved | decided | wrong |")
    print("| --- | --- | --- | --- | --- |")
    for effect, margin in ((0.0, 0.0), (0.0, 0.2), (0.2, 0.0), (0.5, 0.0), (1.0, 0.0)):
        drawn = np.round(random.normal(effect * SPREAD, SPREAD, (studies, SAMPLES)))
        # the finite set's own mean is the truth that is decided about
        values = np.clip(drawn, -10, 10)
        times, verdicts = stopping_times(values, -10, 10, margin=margin * SPREAD)
        early = times < SAMPLES
        truth = np.sign(values.mean(axis=1))
        wrong = early & (verdicts != truth) & (verdicts != 0)
        wrong |= early & (verdicts == 0) & (np.abs(values.mean(axis=1)) > margin * SPREAD)
        saved = np.median(1 - times / SAMPLES)
        print(
            f"| {effect:g} | {margin:g} | {saved:.0%} | {early.mean():.0%} | {wrong.mean():.1%} |"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
