"""TextEditBench's tables: 3 (pixels) and 4 (judge), per split, and the judge's robustness over
repeated runs.

Per-sample values are rounded to 4 places before they are averaged (faithful MSE and PSNR), as the
released script does. One infinite PSNR makes the faithful mean infinite; the corrected PSNR is that
of the mean squared error.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.benchmarks.texteditbench.words import PREFIX
from editgauge.tables.frame import Frame
from editgauge.tables.spec import Floats, Layout, Leaf, Sheet, choose, read_published
from editgauge.tables.stats import Moments
from editgauge.types import Variant

SIZE = 1196
SPLITS = {"synthetic": "Synthetic", "real": "Real"}
DIMENSIONS = ("IF", "TA", "VC", "LP", "SE")
PEAK = 255.0
_HERE = Path(__file__).parent
_AGAINST_REFERENCE = (
    "Paper, 4.1: synthetic samples against their reference edits. The released code, and with it "
    "the published Table 3, compares with the input."
)
_SOURCE = "Published: arXiv 2512.16270, Table {}; means over the full release."


def layouts(frame: Frame, variant: Variant) -> list[Layout]:
    """Tables 3 and 4, and beside Table 3 the comparison with the reference edits, for the rows there
    are.
    """
    return [pixel(frame, variant), reference(frame, variant), judge(frame, variant)]


def pixel(frame: Frame, variant: Variant) -> Layout:
    """Table 3: SSIM, LPIPS, PSNR, MSE, for synthetic and real samples.

    In the mean with failures a failure counts as SSIM 0, LPIPS 1, PSNR 0, MSE 255².
    """
    sheet = Sheet()
    for split, title in SPLITS.items():
        _four(sheet, frame, variant, name=split, title=title, where={"split": split})
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


def reference(frame: Frame, variant: Variant) -> Layout:
    """The same for synthetic samples against their reference edits, as the paper's text (4.1) has
    it: of all, of those whose reference keeps to its masks, and of the others.

    No published number belongs to it: Table 3 was made by the released code.
    """
    sheet = Sheet()
    where = {"split": "synthetic"}
    _four(sheet, frame, variant, name="all", title="Synthetic", where=where, prefix=PREFIX)
    for value, title in (("false", "Reference within masks"), ("true", "Reference outside masks")):
        if "reference_outside" in frame.samples.names():
            part = {**where, "reference_outside": value}
            name = "within" if value == "false" else "outside"
            _four(sheet, frame, variant, name=name, title=title, where=part, prefix=PREFIX)
    return Layout(
        "texteditbench.reference",
        "TextEditBench, pixels outside the edited area, against the reference edit",
        sheet.leaves,
        sheet.fields,
        variant,
        size=SIZE,
        headline="all_reference_ssim",
        notes=[_AGAINST_REFERENCE],
    )


def _four(
    sheet: Sheet,
    frame: Frame,
    variant: Variant,
    *,
    name: str,
    title: str,
    where: dict[str, str],
    prefix: str = "",
) -> None:
    """The columns SSIM, LPIPS, PSNR, MSE of some samples. `prefix` of the metrics' names: against
    the input (none) or the reference edit.
    """
    metrics = {metric: f"{prefix}{metric}" for metric in ("ssim", "lpips", "psnr", "mse")}
    made = {metric: choose(frame, full, variant) for metric, full in metrics.items()}

    def leaf(metric: str, **more: Any) -> Leaf:
        return Leaf(metrics[metric], made[metric][0], where=where, **more)

    sheet.add(
        f"{name}_{metrics['ssim']}",
        (title, "SSIM"),
        leaf("ssim", worst=0.0),
        note=made["ssim"][1],
    )
    sheet.add(
        f"{name}_{metrics['lpips']}",
        (title, "LPIPS"),
        leaf("lpips", worst=1.0),
        direction="lower",
        note=made["lpips"][1],
    )
    psnr, mse = f"{name}_{metrics['psnr']}", f"{name}_{metrics['mse']}"
    if variant == "faithful":
        sheet.add(psnr, (title, "PSNR"), leaf("psnr", shown=four_places, worst=0.0))
        squared = leaf("mse", shown=four_places, worst=PEAK**2)
    else:
        squared = leaf("mse", worst=PEAK**2)
        note = "PSNR of the mean squared error"
        sheet.add(psnr, (title, "PSNR"), squared, formula=psnr_of_mean, note=note)
    sheet.add(mse, (title, "MSE"), squared, direction="lower")


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
