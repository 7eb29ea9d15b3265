"""TextEditBench's tables: 3 (pixels) and 4 (judge), per split, and the judge's robustness over
repeated runs.

Per-sample values are rounded to 4 places before they are averaged (faithful MSE and PSNR), as the
released script does. One infinite PSNR makes the faithful mean infinite; the corrected PSNR is that
of the mean squared error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.benchmarks.texteditbench.facts import SIZE, SPLITS
from editgauge.benchmarks.texteditbench.metrics import (
    JUDGE,
    LPIPS,
    OVERALL,
    PIXEL,
    REFERENCE,
    REFERENCE_LPIPS,
    REFERENCE_PIXEL,
)
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

_BY_NAME = {metric.name: metric for metric in (*PIXEL, LPIPS, *REFERENCE_PIXEL, REFERENCE_LPIPS)}
_HERE = Path(__file__).parent
_AGAINST_REFERENCE = (
    "Paper, 4.1: synthetic samples against their reference edits. The released code, and with it "
    "the published Table 3, compares with the input."
)
_SOURCE = "Published: arXiv 2512.16270, Table {}; means over the full release."


def layouts(frame: Frame, variant: Variant) -> list[Layout]:
    """Tables 3 and 4, and beside Table 3 the comparison with the reference edits, for the rows
    there are.
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


def reference(frame: Frame, variant: Variant) -> Layout:
    """The same for synthetic samples against their reference edits, as the paper's text (4.1) has
    it: of all, of those whose reference keeps to its masks, and of the others.

    No published number belongs to it: Table 3 was made by the released code.
    """
    sheet = Sheet()
    where = {"split": "synthetic"}
    title = SPLITS["synthetic"]
    _four(sheet, frame, variant, name="all", title=title, where=where, prefix=REFERENCE)
    if "reference_outside" in frame.samples.names():
        for name, value in (("within", "false"), ("outside", "true")):
            part, title = {**where, "reference_outside": value}, f"Reference {name} masks"
            _four(sheet, frame, variant, name=name, title=title, where=part, prefix=REFERENCE)
    return Layout(
        name="texteditbench.reference",
        title="TextEditBench, pixels outside the edited area, against the reference edit",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
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
    where: Mapping[str, str],
    prefix: str = "",
) -> None:
    """The columns SSIM, LPIPS, PSNR, MSE of some samples. `prefix` of the metrics' names: against
    the input (none) or the reference edit.
    """

    def leaf(metric: str, shown: Callable[[Floats], Floats] | None = None) -> Leaf:
        made, _ = choose(frame, f"{prefix}{metric}", variant)
        return Leaf(metric=_BY_NAME[f"{prefix}{metric}"], variant=made, where=where, shown=shown)

    def add(metric: str, found: Leaf, **more: Any) -> None:
        sheet.add(f"{name}_{prefix}{metric}", found, above=(title,), **more)

    for metric in ("ssim", "lpips"):
        add(metric, leaf(metric), note=choose(frame, f"{prefix}{metric}", variant)[1])
    if variant == "faithful":
        add("psnr", leaf("psnr", four_places))
        squared = leaf("mse", four_places)
    else:
        squared = leaf("mse")
        note = "PSNR of the mean squared error"
        shows = _BY_NAME[f"{prefix}psnr"]
        add("psnr", squared, shows=shows, formula=psnr_of_mean, note=note)
    add("mse", squared)


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
