"""TextEditBench's tables: 3 (pixels) and 4 (judge), per split, and the judge's robustness over
repeated runs.

Per-sample values are rounded to 4 places before they are averaged (faithful MSE and PSNR), as the
released script does. One infinite PSNR makes the faithful mean infinite; the corrected PSNR is that
of the mean squared error.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
    made_with,
    psnr_of_mean,
    read_published,
)
from editgauge.tables.stats import Moments
from editgauge.tables.table import Cell, TableRow
from editgauge.types import VARIANTS, Metric, Variant

_BY_NAME = {metric.name: metric for metric in (*PIXEL, LPIPS, *REFERENCE_PIXEL, REFERENCE_LPIPS)}
_HERE = Path(__file__).parent
_AGAINST_REFERENCE = (
    "Paper, 4.1: synthetic samples against their reference edits. The released code, and with it "
    "the published Table 3, compares with the input."
)
_FORMULA = "½·(judged ÷ 25) + ½·(SSIM + 1 − LPIPS) ÷ 2, times 100"
_OWN_FORMULA = (
    "Judged: the sum of the five judged means ÷ 25; Kept: the mean of SSIM and 1 − LPIPS outside "
    "the masks. The paper (section 1) says that the two tracks can be put together and gives no "
    "formula: this one is ours."
)
JUDGED_SHARE, KEPT_SHARE, BOTH = (
    Metric(name, heading=heading, direction="higher", low=-math.inf, high=100.0, digits=2)
    for name, heading in (("judged_share", "Judged"), ("kept_share", "Kept"), ("both", "Both"))
)
"""Columns of the table of both tracks; no row has them."""
PAPERS_JUDGE = "GPT-4o"
_SOURCE = "Published: arXiv 2512.16270, Table {}; means over the full release."


def layouts(frame: Frame, variant: Variant) -> list[Layout]:
    """Tables 3 and 4, and beside Table 3 the comparison with the reference edits, for the rows
    there are.
    """
    found = [pixel(frame, variant), reference(frame, variant), judge(frame, variant)]
    names = [*(metric.name for metric in JUDGE if metric.name != "SE"), "ssim", "lpips"]
    if all(any(frame.has(name, made) for made in VARIANTS) for name in names):
        found.append(both(frame, variant))
    return found


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
        average=True,
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
        average=True,
        published=read_published(_HERE / "published_judge.csv", sheet.names),
        published_note=_SOURCE.format("4 (judge GPT-4o)"),
        published_with=made_with(frame, "IF", PAPERS_JUDGE),
        repeats=[f"{split}_overall" for split in SPLITS],
        published_repeats=_published_repeats(),
        published_repeats_note=_SOURCE.format(5),
    )


def _published_repeats() -> list[TableRow]:
    """The lines of Table 5, in columns ``<split>_overall_run<number>``."""
    lines: dict[str, dict[str, Cell]] = {}
    with (_HERE / "published_judge_repeats.csv").open(encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            for split in SPLITS:
                name = f"{split}_overall_run{record['run']}"
                lines.setdefault(record["model"], {})[name] = Cell(value=float(record[split]))
    return [TableRow(name=model, cells=cells, kind="published") for model, cells in lines.items()]


def both(frame: Frame, variant: Variant) -> Layout:
    """One score of the judge's and the pixels' track together, 0 to 100, with its two halves.

    Paper, section 1: the tracks "can be aggregated into an overall score"; it has no formula and no
    number. Ours is in `_FORMULA`. PSNR and MSE have no upper end and are left out.
    """
    sheet = Sheet()
    for split, title in SPLITS.items():
        judged, seen = [], []
        for metric in JUDGE:
            made, _ = choose(frame, metric.name, variant)
            asked = {"has_knowledge": "true"} if metric.name == "SE" else {}
            judged.append(f"{split}_{metric.name}")
            sheet.leaves[judged[-1]] = Leaf(
                metric=metric, variant=made, where={"split": split, **asked}
            )
        for name in ("ssim", "lpips"):
            made, _ = choose(frame, name, variant)
            seen.append(f"{split}_{name}")
            sheet.leaves[seen[-1]] = Leaf(
                metric=_BY_NAME[name], variant=made, where={"split": split}
            )
        for name, metric, keys, formula in (
            ("judged", JUDGED_SHARE, judged, share_of_judge),
            ("kept", KEPT_SHARE, seen, share_of_pixels),
            ("both", BOTH, [*judged, *seen], share_of_both),
        ):
            sheet.combine(f"{split}_{name}", metric, keys, formula, above=(title,), only_here=True)
    return Layout(
        name="texteditbench.both",
        title=f"TextEditBench, both tracks together: {_FORMULA}",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
        strata="split",
        size=SIZE,
        headline="real_both",
        average=True,
        notes=[_OWN_FORMULA],
        published=_published_both(),
        published_note="Published: computed by this formula from arXiv 2512.16270, Tables 3 and 4.",
        published_with=made_with(frame, "IF", PAPERS_JUDGE),
    )


def _published_both() -> list[TableRow]:
    """The formula on the lines that stand in Table 3 and in Table 4."""
    pixels = {
        row.name: row
        for row in read_published(
            _HERE / "published_pixel.csv",
            {
                f"{split}_{name}": f"{split}_{name}"
                for split in SPLITS
                for name in ("ssim", "lpips")
            },
        )
    }
    found = []
    for row in read_published(
        _HERE / "published_judge.csv", {f"{split}_overall": f"{split}_overall" for split in SPLITS}
    ):
        cells = {}
        for split in SPLITS:
            parts = (
                row.cells.get(f"{split}_overall"),
                pixels[row.name].cells.get(f"{split}_ssim") if row.name in pixels else None,
                pixels[row.name].cells.get(f"{split}_lpips") if row.name in pixels else None,
            )
            known = [part.value for part in parts if part is not None and part.value is not None]
            if len(known) == len(parts):
                judged = 100 * known[0] / OVERALL.metric.high
                kept = 50 * (known[1] + 1 - known[2])
                cells[f"{split}_judged"] = Cell(value=judged)
                cells[f"{split}_kept"] = Cell(value=kept)
                cells[f"{split}_both"] = Cell(value=(judged + kept) / 2)
        found.append(replace(row, cells=cells))
    return found


def share_of_judge(parts: Sequence[Moments]) -> Floats:
    """The sum of the five means as a share of 25, 0 to 100."""
    return np.asarray(100 * sum_of_means(parts) / OVERALL.metric.high)


def share_of_pixels(parts: Sequence[Moments]) -> Floats:
    """The mean of SSIM and 1 - LPIPS, times 100."""
    ssim, lpips = parts
    return np.asarray(50 * (ssim.mean + 1 - lpips.mean))


def share_of_both(parts: Sequence[Moments]) -> Floats:
    """The mean of the two shares; `parts` are the five dimensions, SSIM and LPIPS."""
    return np.asarray((share_of_judge(parts[:5]) + share_of_pixels(parts[5:])) / 2)


def four_places(values: Floats) -> Floats:
    """Rounded as the released script rounds each sample's value."""
    return np.round(values, 4)


def sum_of_means(parts: Sequence[Moments]) -> Floats:
    """The sum of the dimensions' means; nothing when one of them has no score."""
    return np.asarray(np.sum([part.mean for part in parts], axis=0))
