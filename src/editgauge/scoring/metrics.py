"""The metrics of the scorers that benchmarks share, declared without importing what computes them.

A benchmark whose paper prints one of them otherwise (another digit, another heading) declares its
own.
"""

from __future__ import annotations

import math

from editgauge.metrics import PEAK
from editgauge.types import VARIANTS, Metric

WORST_SQUARED_ERROR = PEAK**2
"""The squared error of black against white, which a failure counts as."""

BACKGROUND = (
    Metric(
        "mse",
        heading="MSE",
        direction="lower",
        low=0.0,
        high=WORST_SQUARED_ERROR,
        digits=1,
        unit="8-bit levels²",
        variants=("corrected",),
        failure=WORST_SQUARED_ERROR,
        keeps=True,
        plain="how far the colours outside the region to be edited moved (0 is unchanged)",
        note="After alignment, outside the masks.",
    ),
    Metric(
        "psnr",
        heading="PSNR",
        direction="higher",
        low=0.0,
        high=math.inf,
        digits=2,
        unit="dB",
        variants=("corrected",),
        failure=0.0,
        keeps=True,
        plain="how little the colours outside the region to be edited moved (∞ is unchanged)",
        note="Of that mean squared error.",
    ),
    Metric(
        "ssim",
        heading="SSIM",
        direction="higher",
        low=-1.0,
        high=1.0,
        variants=("corrected",),
        failure=0.0,
        keeps=True,
        plain="how much of the picture outside the region to be edited looks the same as before "
        "(1 is unchanged)",
        note="Over windows that touch no masked pixel.",
    ),
)
"""What stayed as it was outside the masks."""
REFERENCE = (
    Metric(
        "reference_psnr",
        heading="PSNR to reference",
        direction="higher",
        low=0.0,
        high=math.inf,
        digits=2,
        unit="dB",
        variants=("corrected",),
        failure=0.0,
        note="Not a metric of the paper.",
    ),
    Metric(
        "reference_ssim",
        heading="SSIM to reference",
        direction="higher",
        low=-1.0,
        high=1.0,
        variants=("corrected",),
        failure=0.0,
        note="Not a metric of the paper; Gaussian.",
    ),
)
"""How near the output comes to the reference."""
LPIPS = Metric(
    "lpips",
    heading="LPIPS",
    direction="lower",
    low=0.0,
    high=math.inf,
    variants=("corrected",),
    failure=1.0,
    note="SqueezeNet, v0.1 heads, against the input, over the positions outside the masks; other "
    "sizes are resized.",
)
FID = Metric(
    "fid",
    heading="FID",
    direction="lower",
    low=0.0,
    high=math.inf,
    digits=2,
    whole_set=True,
    note="Fréchet distance of Inception-v3 features (2,048) between outputs and references, "
    "pytorch-fid's network and preprocessing; biased upwards for few samples: compare at equal "
    "numbers only (Heusel et al. 2017).",
)
KID = Metric(
    "kid",
    heading="KID",
    direction="lower",
    low=-math.inf,
    high=math.inf,
    whole_set=True,
    note="Squared maximum mean discrepancy, cubic kernel, all pairs, unbiased: the one to read for "
    "small sets (Bińkowski et al. 2018).",
)
_OCR_NOTE = (
    "corrected: lines by text height, right-to-left lines, case and punctuation seen, whole words "
    "for short texts, the penalty by region, dataset_fault where OCR does not find the source, "
    "invented text counted; TextEdit classic track"
)
OCR = tuple(
    Metric(
        name,
        direction="higher",
        low=0.0,
        high=1.0,
        digits=2,
        variants=VARIANTS,
        failure=0.0,
        note=f"{meaning}; {_OCR_NOTE}",
    )
    for name, meaning in {
        "OA": "target text read in the edited region",
        "OP": "precision over the target and the other lines",
        "OR": "recall over the target and the other lines",
        "F1": "harmonic mean of OP and OR",
        "NED": "text at the source's place against the target",
    }.items()
)
"""What is scored by reading: TextEdit's five scores."""
PRESENCE = tuple(
    Metric(
        name,
        direction="higher",
        low=0.0,
        high=1.0,
        variants=("corrected",),
        failure=0.0,
        note=f"{meaning}; ours",
    )
    for name, meaning in {
        "deleted": "source no longer read at its place",
        "inserted": "target read, more often than before",
        "kept": "the original's other lines still read",
    }.items()
)
"""Ours, for deleted and inserted text."""
