"""The metrics of the scorers that benchmarks share, declared without importing what computes them.

A benchmark whose paper prints one of them otherwise (another digit, another heading) declares its
own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import partial

from editgauge.metrics import PEAK
from editgauge.types import VARIANTS, Metric, Variant

WORST_SQUARED_ERROR = PEAK**2
"""The squared error of black against white, which a failure counts as."""
higher = partial(Metric, direction="higher")
"""A metric of which more is better."""
lower = partial(Metric, direction="lower", low=0.0, high=math.inf)
"""A distance."""
corrected: tuple[Variant, ...] = ("corrected",)
mse = partial(
    lower, "mse", heading="MSE", high=WORST_SQUARED_ERROR, unit="8-bit levels²",
    failure=WORST_SQUARED_ERROR,
)  # fmt: skip
psnr = partial(higher, low=0.0, high=math.inf, unit="dB", failure=0.0)
ssim = partial(higher, low=-1.0, high=1.0, failure=0.0)
SAME_COLOURS = (
    "how {} the colours outside the region to be edited moved ({} is unchanged)"  # of MSE and PSNR
)
SAME_PICTURE = (
    "how much of the picture outside the region to be edited looks the same as before (1 is "
    "unchanged)"
)

BACKGROUND = (
    mse(
        digits=1,
        variants=corrected,
        keeps=True,
        plain=SAME_COLOURS.format("far", 0),
        note="After alignment, outside the masks.",
    ),
    psnr(
        "psnr",
        heading="PSNR",
        digits=2,
        variants=corrected,
        keeps=True,
        plain=SAME_COLOURS.format("little", "∞"),
        note="Of that mean squared error.",
    ),
    ssim(
        "ssim",
        heading="SSIM",
        variants=corrected,
        keeps=True,
        plain=SAME_PICTURE,
        note="Over windows that touch no masked pixel.",
    ),
)
"""What stayed as it was outside the masks."""
_OURS = "Not a metric of the paper"
REFERENCE = (
    psnr(
        "reference_psnr", heading="PSNR to reference", digits=2, variants=corrected,
        note=f"{_OURS}.",
    ),
    ssim(
        "reference_ssim", heading="SSIM to reference", variants=corrected,
        note=f"{_OURS}; Gaussian.",
    ),
)  # fmt: skip
"""How near the output comes to the reference."""
LPIPS = lower(
    "lpips",
    heading="LPIPS",
    variants=corrected,
    failure=1.0,
    note="SqueezeNet, v0.1 heads, against the input, over the positions outside the masks; other "
    "sizes are resized.",
)
FID = lower(
    "fid",
    heading="FID",
    digits=2,
    whole_set=True,
    note="Fréchet distance of Inception-v3 features (2,048) between outputs and references, "
    "pytorch-fid's network and preprocessing; biased upwards for few samples: compare at equal "
    "numbers only (Heusel et al. 2017).",
)
KID = lower(
    "kid",
    heading="KID",
    low=-math.inf,
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
    higher(
        name, low=0.0, high=1.0, digits=2, variants=VARIANTS, failure=0.0,
        note=f"{meaning}; {_OCR_NOTE}",
    )
    for name, meaning in {
        "OA": "target text read in the edited region",
        "OP": "precision over the target and the other lines",
        "OR": "recall over the target and the other lines",
        "F1": "harmonic mean of OP and OR",
        "NED": "text at the source's place against the target",
    }.items()
)  # fmt: skip
"""What is scored by reading: TextEdit's five scores."""


def judged(
    plain: Mapping[str, str],
    low: float,
    high: float,
    note: str,
    *,
    headings: Mapping[str, str] | None = None,
    keeps: Collection[str] = (),
    printed: tuple[tuple[float, float], ...] = (),
) -> tuple[Metric, ...]:
    """A judge's metrics. `plain`: name -> what it says of a picture, "as a model judged"; `{}` in
    `note` is the heading; `keeps` names those that say how much was kept.
    """
    known = headings or {}
    return tuple(
        higher(
            name, low=low, high=high, digits=2, variants=VARIANTS, failure=low,
            heading=known.get(name, ""), printed=printed, keeps=name in keeps, plain=said,
            note=note.format(known.get(name, name)),
        )
        for name, said in plain.items()
    )  # fmt: skip
