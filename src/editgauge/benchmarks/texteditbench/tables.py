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

from editgauge.benchmarks.texteditbench.facts import SIZE, SPLITS
from editgauge.benchmarks.texteditbench.metrics import JUDGE, LPIPS, OVERALL, PIXEL
from editgauge.tables.frame import Frame
from editgauge.tables.spec import (
    Floats,
    Layout,
    Leaf,
    Sheet,
    choose,
    psnr_of_mean,
    read_published,
)
from editgauge.tables.stats import Moments
from editgauge.types import Variant

_BY_NAME = {metric.name: metric for metric in PIXEL}
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
    mse_metric, psnr_metric, ssim_metric = (_BY_NAME[name] for name in ("mse", "psnr", "ssim"))
    for split, title in SPLITS.items():
        where, above = {"split": split}, (title,)
        ssim, ssim_note = choose(frame, "ssim", variant)
        lpips, lpips_note = choose(frame, "lpips", variant)
        mse, _ = choose(frame, "mse", variant)
        psnr, _ = choose(frame, "psnr", variant)
        similar = Leaf(metric=ssim_metric, variant=ssim, where=where)
        sheet.add(f"{split}_ssim", similar, above=above, note=ssim_note)
        perceived = Leaf(metric=LPIPS, variant=lpips, where=where)
        sheet.add(f"{split}_lpips", perceived, above=above, note=lpips_note)
        if variant == "faithful":
            leaf = Leaf(metric=psnr_metric, variant=psnr, where=where, shown=four_places)
            sheet.add(f"{split}_psnr", leaf, above=above)
            squared = Leaf(metric=mse_metric, variant=mse, where=where, shown=four_places)
        else:
            squared = Leaf(metric=mse_metric, variant=mse, where=where)
            sheet.add(
                f"{split}_psnr",
                squared,
                above=above,
                shows=psnr_metric,
                formula=psnr_of_mean,
                note="PSNR of the mean squared error",
            )
        sheet.add(f"{split}_mse", squared, above=above)
    return Layout(
        name="texteditbench.pixel",
        title="TextEditBench, pixels outside the edited area",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
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
        for metric in JUDGE:
            made, note = choose(frame, metric.name, variant)
            asked = {"has_knowledge": "true"} if metric.name == "SE" else {}
            leaf = Leaf(metric=metric, variant=made, where={"split": split, **asked})
            sheet.add(f"{split}_{metric.name}", leaf, above=(title,), note=note)
        keys = [f"{split}_{metric.name}" for metric in JUDGE]
        sheet.combine(f"{split}_overall", OVERALL.metric, keys, sum_of_means, above=(title,))
    return Layout(
        name="texteditbench.judge",
        title="TextEditBench, judged 0–5 (Overall: the sum)",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
        strata="split",
        size=SIZE,
        headline="real_overall",
        published=read_published(_HERE / "published_judge.csv", sheet.names),
        published_note=_SOURCE.format(4),
    )


def four_places(values: Floats) -> Floats:
    """Rounded as the released script rounds each sample's value."""
    return np.round(values, 4)


def sum_of_means(parts: Sequence[Moments]) -> Floats:
    """The sum of the dimensions' means; nothing when one of them has no score."""
    return np.asarray(np.sum([part.mean for part in parts], axis=0))
