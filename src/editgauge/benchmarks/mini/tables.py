"""The built-in benchmark's tables: pixels, and one mean for each metric of another track. They
publish nothing.

All pixel values are of the corrected variant: there is no released code that a faithful one could
reproduce.
"""

from __future__ import annotations

from dataclasses import replace

from editgauge.benchmarks.mini.metrics import METRICS
from editgauge.benchmarks.mini.records import COUNTS
from editgauge.scoring.metrics import BACKGROUND, REFERENCE
from editgauge.tables.frame import Frame
from editgauge.tables.spec import Layout, Leaf, Sheet, generic, psnr_of_mean, squared_error
from editgauge.types import Variant

PURPOSE = (
    "The built-in benchmark is for trying the tool: no number here says anything about a model."
)
ALIGNMENT = (
    "MSE and PSNR come after an alignment that can follow what was edited instead of the rest: a "
    "reference may then "
    "score below an unchanged copy, and a picture without detail has no value."
)
_PIXEL = {metric.name for metric in (*BACKGROUND, *REFERENCE)}


def layouts(frame: Frame, variant: Variant) -> list[Layout]:
    """The pixel table, and the other metrics in a table of plain means."""
    known = {**{metric.name: metric for metric in METRICS}, **frame.described}
    others = [_others(layout) for layout in generic(frame, variant, metrics=known, without=_PIXEL)]
    return [pixel(), *(layout for layout in others if layout.fields)]


def pixel() -> Layout:
    """SSIM, PSNR and MSE to the input outside the masks; SSIM and PSNR to the reference,
    everywhere.

    A PSNR is that of the mean squared error, so that one identical picture does not make a mean
    infinite. In the mean with failures a failure counts as SSIM 0 and MSE 255².
    """
    sheet = Sheet()
    outside, whole = ("Outside masks",), ("Whole picture",)
    made: Variant = "corrected"
    mse, psnr, ssim = BACKGROUND
    reference_psnr, reference_ssim = REFERENCE
    squared = Leaf(metric=mse, variant=made)
    from_psnr = Leaf(metric=reference_psnr, variant=made, shown=squared_error)
    sheet.add("ssim", Leaf(metric=ssim, variant=made), above=outside)
    sheet.add("psnr", squared, above=outside, shows=psnr, formula=psnr_of_mean)
    sheet.add("mse", squared, above=outside)
    sheet.add("reference_ssim", Leaf(metric=reference_ssim, variant=made), above=whole)
    sheet.add("reference_psnr", from_psnr, above=whole, formula=psnr_of_mean)
    return Layout(
        name="mini.pixel",
        title="mini, the built-in benchmark: pixels",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=made,
        size=COUNTS[""],
        notes=(PURPOSE, ALIGNMENT),
        headline="ssim",
    )


def _others(layout: Layout) -> Layout:
    return replace(
        layout,
        name="mini.others",
        title="mini, the built-in benchmark: other tracks",
        size=COUNTS[""],
        notes=(PURPOSE,),
        strata="",
    )
