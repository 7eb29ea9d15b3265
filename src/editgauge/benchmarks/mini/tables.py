"""The built-in benchmark's tables: pixels, and one mean for each metric of another track. They
publish nothing.

All pixel values are of the corrected variant: there is no released code that a faithful one could
reproduce.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from editgauge.benchmarks.mini.records import COUNTS
from editgauge.tables.frame import Frame
from editgauge.tables.spec import Floats, Layout, Leaf, Sheet, generic
from editgauge.tables.stats import Moments
from editgauge.types import Variant

PEAK = 255.0
PURPOSE = (
    "The built-in benchmark is for trying the tool: no number here says anything about a model."
)
ALIGNMENT = (
    "MSE and PSNR come after an alignment that can follow what was edited instead of the rest: a "
    "reference may then "
    "score below an unchanged copy, and a picture without detail has no value."
)
_PIXEL = ("ssim", "psnr", "mse", "reference_ssim", "reference_psnr")


def layouts(frame: Frame, variant: Variant) -> list[Layout]:
    """The pixel table, and the other metrics in a table of plain means."""
    others = [_others(layout) for layout in generic(frame, variant)]
    return [pixel(), *(layout for layout in others if layout.fields)]


def pixel() -> Layout:
    """SSIM, PSNR and MSE to the input outside the masks; SSIM and PSNR to the reference,
    everywhere.

    A PSNR is that of the mean squared error, so that one identical picture does not make a mean
    infinite. In the mean with failures a failure counts as SSIM 0 and MSE 255².
    """
    sheet = Sheet()
    outside, whole = "Outside masks", "To reference"
    made: Variant = "corrected"
    squared = Leaf("mse", made, worst=PEAK**2)
    from_psnr = Leaf("reference_psnr", made, shown=squared_error, worst=PEAK**2)
    sheet.add("ssim", (outside, "SSIM"), Leaf("ssim", made, worst=0.0))
    sheet.add("psnr", (outside, "PSNR"), squared, digits=2, formula=psnr_of_mean)
    sheet.add("mse", (outside, "MSE"), squared, digits=1, direction="lower")
    sheet.add("reference_ssim", (whole, "SSIM"), Leaf("reference_ssim", made, worst=0.0))
    sheet.add("reference_psnr", (whole, "PSNR"), from_psnr, digits=2, formula=psnr_of_mean)
    return Layout(
        "mini.pixel",
        "mini, the built-in benchmark: pixels",
        sheet.leaves,
        sheet.fields,
        made,
        size=COUNTS[""],
        notes=(PURPOSE, ALIGNMENT),
        headline="ssim",
    )


def _others(layout: Layout) -> Layout:
    fields = [item for item in layout.fields if item.column.name not in _PIXEL]
    leaves = {name: layout.leaves[name] for item in fields for name in item.leaves}
    return replace(
        layout,
        name="mini.others",
        title="mini, the built-in benchmark: other tracks",
        fields=fields,
        leaves=leaves,
        size=COUNTS[""],
        notes=(PURPOSE,),
        strata="",
    )


def squared_error(psnr: Floats) -> Floats:
    """The mean squared errors behind PSNRs in dB; 0 behind an infinite one."""
    return np.asarray(PEAK**2 * 10.0 ** (-psnr / 10.0))


def psnr_of_mean(parts: Sequence[Moments]) -> Floats:
    """PSNR in dB of the mean squared error; infinite where that is 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(10 * np.log10(PEAK**2 / parts[0].mean))
