"""TextEditBench's metrics: pixels outside the edited area, LPIPS, and the judge's five
dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from editgauge.benchmarks.texteditbench.facts import DIMENSIONS, HIGH, LOW
from editgauge.scoring.metrics import WORST_SQUARED_ERROR
from editgauge.types import VARIANTS, Derived, Metric

PIXEL = (
    Metric(
        "mse",
        heading="MSE",
        direction="lower",
        low=0.0,
        high=WORST_SQUARED_ERROR,
        unit="8-bit levels²",
        variants=VARIANTS,
        failure=WORST_SQUARED_ERROR,
        note="After alignment, outside the masks. Faithful applies EXIF orientations, corrected "
        "does not; the means differ.",
    ),
    Metric(
        "psnr",
        heading="PSNR",
        direction="higher",
        low=0.0,
        high=math.inf,
        unit="dB",
        variants=VARIANTS,
        failure=0.0,
        note="Of that mean squared error; infinite at 0.",
    ),
    Metric(
        "ssim",
        heading="SSIM",
        direction="higher",
        low=-1.0,
        high=1.0,
        variants=VARIANTS,
        failure=0.0,
        note="Faithful: whole frame, masked area black. Corrected: windows that touch no masked "
        "pixel, other sizes resized.",
    ),
)
LPIPS = Metric(
    "lpips",
    heading="LPIPS",
    direction="lower",
    low=0.0,
    high=math.inf,
    variants=VARIANTS,
    failure=1.0,
    note="SqueezeNet, v0.1 heads, masked area black. Faithful averages the whole frame, so that "
    "the black area counts as preserved, and has no value for another size; corrected averages "
    "unmasked positions and resizes (Lanczos).",
)
REFERENCE = "reference_"
"""What the names of the metrics begin with that compare with the reference edit, not the input."""


def _against_reference(metric: Metric) -> Metric:
    note = f"As {metric.name}, against the reference edit (paper, 4.1). {metric.note}"
    return replace(metric, name=f"{REFERENCE}{metric.name}", note=note)


REFERENCE_PIXEL = tuple(_against_reference(metric) for metric in PIXEL)
REFERENCE_LPIPS = _against_reference(LPIPS)
JUDGE = tuple(
    Metric(
        name,
        direction="higher",
        low=LOW,
        high=HIGH,
        digits=2,
        variants=VARIANTS,
        failure=LOW,
        note="faithful counts a failed call or a reply that is no JSON as 0, as the released script "
        "does",
    )
    for name in DIMENSIONS
)


def _overall(values: Mapping[str, float]) -> float:
    return len(DIMENSIONS) * sum(values.values()) / len(values)


def _all_full(values: Mapping[str, float]) -> float:
    return float(all(value == HIGH for value in values.values()))


OVERALL = Derived(
    Metric(
        "overall",
        heading="Overall",
        direction="higher",
        low=LOW * len(DIMENSIONS),
        high=HIGH * len(DIMENSIONS),
        digits=2,
        variants=VARIANTS,
        failure=LOW * len(DIMENSIONS),
        note="Of a sample: five times the mean of the dimensions that it is asked, so that samples "
        "with and without SE share the scale of 25. The paper's number is the sum of five means.",
    ),
    DIMENSIONS,
    _overall,
    optional=("SE",),
)
ALL_FULL = Derived(
    Metric(
        "all_full",
        heading="All full",
        direction="higher",
        low=0.0,
        high=1.0,
        variants=VARIANTS,
        failure=0.0,
        note="1 where every dimension that the sample is asked is 5, else 0: its mean is the share "
        "of flawless edits. Not a metric of the paper.",
    ),
    DIMENSIONS,
    _all_full,
    optional=("SE",),
)
