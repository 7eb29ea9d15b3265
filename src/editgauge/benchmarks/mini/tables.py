"""The built-in benchmark's tables, of the corrected variant: no released code to reproduce. A PSNR
is that of the mean squared error: one identical picture does not make a mean infinite.
"""

from __future__ import annotations

from dataclasses import replace

from editgauge.benchmarks.mini.facts import COUNTS
from editgauge.scoring.metrics import BACKGROUND, REFERENCE
from editgauge.tables.results import Results
from editgauge.tables.spec import Column, Mean, PaperTable, generic, psnr_of_mean, squared_error

PURPOSE = (
    "The built-in benchmark is for trying the tool: no number here says anything about a model."
)
ALIGNMENT = (
    "MSE and PSNR come after an alignment that can follow what was edited instead of the rest: a "
    "reference may then "
    "score below an unchanged copy, and a picture without detail has no value."
)
_PIXEL = {metric.name for metric in (*BACKGROUND, *REFERENCE)}
_MSE, _PSNR, _SSIM = (metric.name for metric in BACKGROUND)
_REFERENCE_PSNR, _REFERENCE_SSIM = (metric.name for metric in REFERENCE)
_SQUARED = Mean(_REFERENCE_PSNR, {}, squared_error)
_OUTSIDE, _WHOLE = ("Outside masks",), ("Whole picture",)
PIXEL = PaperTable(
    name="mini.pixel",
    title="mini, the built-in benchmark: pixels",
    columns=[
        Column("ssim", (Mean(_SSIM),), _OUTSIDE),
        Column("psnr", (Mean(_MSE),), _OUTSIDE, _PSNR, psnr_of_mean),
        Column("mse", (Mean(_MSE),), _OUTSIDE),
        Column("reference_ssim", (Mean(_REFERENCE_SSIM),), _WHOLE),
        Column("reference_psnr", (_SQUARED,), _WHOLE, formula=psnr_of_mean),
    ],
    fixed="corrected",
    size=COUNTS[""],
    notes=(PURPOSE, ALIGNMENT),
    headline="ssim",
)


def tables(frame: Results) -> list[PaperTable]:
    """The pixel table, and the other metrics in a table of plain means."""
    title = "mini, the built-in benchmark: other tracks"
    others = generic(frame, name="mini.others", title=title, without=_PIXEL)
    return [PIXEL, *(replace(one, size=COUNTS[""], notes=(PURPOSE,), strata="") for one in others)]
