"""KRIS-Bench's metrics: the judge's four scores, and their average for a sample."""

from __future__ import annotations

from collections.abc import Mapping

from editgauge.benchmarks.krisbench.facts import HIGH, LOW, scaled
from editgauge.types import VARIANTS, Derived, Metric

PLAIN = {
    "VC": "how well everything that should not change was kept, as a model that looked at it "
    "judged (100 is unchanged)",
    "VQ": "how natural and clean the picture looks, as a model that looked at it judged",
    "IF": "how well the instruction was followed, as a model that looked at it judged",
    "KP": "whether the result agrees with what is known of the world, as a model judged",
}
JUDGE = tuple(
    Metric(
        name,
        direction="higher",
        low=LOW,
        high=HIGH,
        digits=2,
        variants=VARIANTS,
        failure=LOW,
        printed=((LOW, scaled(LOW)), (HIGH, scaled(HIGH))),
        keeps=name == "VC",
        plain=PLAIN[name],
        note=f"{meaning}; faithful: the released parser, which may take any digit of the reply; "
        "corrected: an integer in range, by name",
    )
    for name, meaning in {
        "VC": "visual consistency",
        "VQ": "visual quality",
        "IF": "instruction following",
        "KP": "knowledge plausibility",
    }.items()
)
BY_NAME = {metric.name: metric for metric in JUDGE}


def _average(values: Mapping[str, float]) -> float:
    return scaled(sum(values.values()) / len(values))


AVERAGE = Derived(
    Metric(
        "average",
        heading="Avg",
        direction="higher",
        low=scaled(LOW),
        high=scaled(HIGH),
        digits=2,
        variants=VARIANTS,
        failure=scaled(LOW),
        note="Of a sample: the mean of the scores that it is asked, (m - 1)·25. The paper's number "
        "averages means that were rounded to 2 places, dimension by dimension.",
    ),
    tuple(BY_NAME),
    _average,
    optional=("KP",),
)
