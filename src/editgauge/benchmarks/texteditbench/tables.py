"""TextEditBench's tables: 3 (pixels) and 4 (judge), per split, and the judge's robustness over
repeated runs.

Per-sample values are rounded to 4 places before they are averaged (faithful MSE and PSNR), as the
released script does. One infinite PSNR makes the faithful mean infinite; the corrected PSNR is that
of the mean squared error.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from editgauge.tables.frame import Frame
from editgauge.tables.spec import Floats, Layout, Leaf, Sheet, choose, read_published
from editgauge.tables.stats import Moments
from editgauge.types import Variant

SIZE = 1196
SPLITS = {"synthetic": "Synthetic", "real": "Real"}
DIMENSIONS = ("IF", "TA", "VC", "LP", "SE")
PEAK = 255.0
_HERE = Path(__file__).parent
_SOURCE = "Published: arXiv 2512.16270, Table {}; means over the full release."


def layouts(frame: Frame, variant: Variant) -> list[Layout]:
    """Tables 3 and 4, for the rows there are."""
    return [pixel(frame, variant), judge(frame, variant)]


def pixel(frame: Frame, variant: Variant) -> Layout:
    """Table 3: SSIM, LPIPS, PSNR, MSE, for synthetic and real samples.

    In the mean with failures a failure counts as SSIM 0, LPIPS 1, PSNR 0, MSE 255².
    """
    sheet = Sheet()
    for split, title in SPLITS.items():
        where = {"split": split}
        ssim, ssim_note = choose(frame, "ssim", variant)
        lpips, lpips_note = choose(frame, "lpips", variant)
        mse, _ = choose(frame, "mse", variant)
        psnr, _ = choose(frame, "psnr", variant)
        sheet.add(
            f"{split}_ssim",
            (title, "SSIM"),
            Leaf("ssim", ssim, where=where, worst=0.0),
            note=ssim_note,
        )
        perceived = Leaf("lpips", lpips, where=where, worst=1.0)
        sheet.add(f"{split}_lpips", (title, "LPIPS"), perceived, direction="lower", note=lpips_note)
        if variant == "faithful":
            leaf = Leaf("psnr", psnr, where=where, shown=four_places, worst=0.0)
            sheet.add(f"{split}_psnr", (title, "PSNR"), leaf)
            squared = Leaf("mse", mse, where=where, shown=four_places, worst=PEAK**2)
        else:
            squared = Leaf("mse", mse, where=where, worst=PEAK**2)
            note = "PSNR of the mean squared error"
            sheet.add(f"{split}_psnr", (title, "PSNR"), squared, formula=psnr_of_mean, note=note)
        sheet.add(f"{split}_mse", (title, "MSE"), squared, direction="lower")
    return Layout(
        "texteditbench.pixel",
        "TextEditBench, pixels outside the edited area",
        sheet.leaves,
        sheet.fields,
        variant,
        strata="split",
        size=SIZE,
        headline="real_ssim",
        published=read_published(_HERE / "published_pixel.csv", sheet.names),
        published_note=_SOURCE.format(3),
    )


def judge(frame: Frame, variant: Variant) -> Layout:
    """Table 4: the five judged dimensions, each a mean over its own samples, and their sum out of
    25.
    """
    sheet = Sheet()
    for split, title in SPLITS.items():
        for dimension in DIMENSIONS:
            made, note = choose(frame, dimension, variant)
            where = {"split": split, **({"has_knowledge": "true"} if dimension == "SE" else {})}
            leaf = Leaf(dimension, made, where=where, worst=0.0)
            sheet.add(f"{split}_{dimension}", (title, dimension), leaf, digits=2, note=note)
        keys = [f"{split}_{dimension}" for dimension in DIMENSIONS]
        sheet.combine(f"{split}_overall", (title, "Overall"), keys, sum_of_means, digits=2)
    return Layout(
        "texteditbench.judge",
        "TextEditBench, judged 0–5 (Overall: the sum)",
        sheet.leaves,
        sheet.fields,
        variant,
        strata="split",
        size=SIZE,
        headline="real_overall",
        published=read_published(_HERE / "published_judge.csv", sheet.names),
        published_note=_SOURCE.format(4),
    )


def four_places(values: Floats) -> Floats:
    """Rounded as the released script rounds each sample's value."""
    return np.round(values, 4)


def psnr_of_mean(parts: Sequence[Moments]) -> Floats:
    """PSNR of the mean squared error, in dB; infinite where it is 0 (protocols: conventions for
    all).
    """
    with np.errstate(divide="ignore"):
        return np.asarray(10 * np.log10(PEAK**2 / parts[0].mean))


def sum_of_means(parts: Sequence[Moments]) -> Floats:
    """The sum of the dimensions' means; nothing when one of them has no score."""
    return np.asarray(np.sum([part.mean for part in parts], axis=0))
