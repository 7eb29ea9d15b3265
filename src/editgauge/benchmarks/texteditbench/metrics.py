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
        keeps=True,
        plain="how far the colours outside the region to be edited moved (0 is unchanged)",
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
        keeps=True,
        plain="how little the colours outside the region to be edited moved (∞ is unchanged)",
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
        keeps=True,
        plain="how much of the picture outside the region to be edited looks the same as before "
        "(1 is unchanged)",
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
    keeps=True,
    plain="how different the picture outside the region to be edited looks (0 is unchanged)",
    note="SqueezeNet, v0.1 heads, masked area black. Faithful averages the whole frame, so that "
    "the black area counts as preserved, and has no value for another size; corrected averages "
    "unmasked positions and resizes (Lanczos).",
)
REFERENCE = "reference_"
"""What the names of the metrics begin with that compare with the reference edit, not the input."""


def _against_reference(metric: Metric) -> Metric:
    note = f"As {metric.name}, against the reference edit (paper, 4.1). {metric.note}"
    plain = "how close the picture outside the region to be edited is to the reference's"
    return replace(
        metric,
        name=f"{REFERENCE}{metric.name}",
        heading=f"{metric.title} to reference",
        note=note,
        keeps=False,
        plain=plain,
    )


REFERENCE_PIXEL = tuple(_against_reference(metric) for metric in PIXEL)
REFERENCE_LPIPS = _against_reference(LPIPS)
PLAIN = {
    "IF": "how well the instruction was followed, as a model that looked at it judged",
    "TA": "whether the new text is right, as a model that looked at it judged",
    "VC": "whether the new text looks like the old one's neighbours, as a model judged",
    "LP": "whether everything around the text stayed in its place, as a model judged",
    "SE": "whether what follows from the new text was drawn as well, as a model judged",
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
        keeps=name == "LP",
        plain=PLAIN[name],
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
