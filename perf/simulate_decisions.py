"""How many calls `judge --decide` saves, and how often it is wrong: the table of the docs.

Run: python perf/simulate_decisions.py [STUDIES]
Differences of two editors' scores on a scale from 0 to 10, rounded, standard deviation 2.
"""

from __future__ import annotations

import sys

import numpy as np

from editgauge.study.statistics.sequences import stopping_times

SPREAD, SAMPLES = 2.0, 500


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
