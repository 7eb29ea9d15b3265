"""MedEBench's tables: 2 (EA, CP, VQ per organ and overall, FID) and the other metrics over the
whole set.

EA and VQ are the judge's 0-10 divided by 10; CP is the SSIM outside the region's mask. Means are
over samples, so the overall numbers weigh an organ by its samples.
"""

from __future__ import annotations

from pathlib import Path

from editgauge.benchmarks.medebench.organs import ORGANS
from editgauge.tables.frame import Frame
from editgauge.tables.spec import Floats, Layout, Leaf, Sheet, choose, read_published
from editgauge.types import Direction, Variant

SIZE = 1182
METRICS = {"EA": "EA", "CP": "masked_ssim", "VQ": "VQ"}
WHOLE: dict[str, tuple[str, Direction, int, float | None]] = {
    "psnr": ("PSNR", "higher", 2, 0.0),
    "ssim_full": ("SSIM", "higher", 3, 0.0),
    "lpips": ("LPIPS", "lower", 3, 1.0),
    "isim": ("ISim", "higher", 3, None),
    "talign_p": ("TAlign P", "higher", 3, None),
    "talign_d": ("TAlign D", "higher", 3, None),
    "dalign_p": ("DAlign P", "higher", 3, None),
    "dalign_d": ("DAlign D", "higher", 3, None),
    "medclip_p": ("MedCLIP P", "higher", 3, None),
    "medclip_d": ("MedCLIP D", "higher", 3, None),
    "imagereward_p": ("ImageReward P", "higher", 3, None),
    "imagereward_d": ("ImageReward D", "higher", 3, None),
}
"""Metric -> heading, direction, digits, and what a failure counts as (None: the scale has no
minimum).
"""
_HERE = Path(__file__).parent


def layouts(frame: Frame, variant: Variant) -> list[Layout]:
    """The table of organs, and that of the metrics with one number an editor."""
    return [organs(frame, variant), metrics(frame, variant)]


def organs(frame: Frame, variant: Variant) -> Layout:
    """Table 2: EA, CP and VQ for each organ, overall, and the Fréchet distance of the whole set."""
    sheet = Sheet()
    present = (
        set(frame.samples.labels("organ").tolist()) if "organ" in frame.samples.names() else set()
    )
    known = [organ for organ in ORGANS if organ in present or not present]
    others = sorted(present - set(ORGANS) - {""})
    for organ in (*known, *others, "Overall"):
        where = {} if organ == "Overall" else {"organ": organ}
        for heading, metric in METRICS.items():
            made, note = choose(frame, metric, variant)
            leaf = Leaf(
                metric, made, where=where, shown=None if heading == "CP" else tenth, worst=0.0
            )
            sheet.add(f"{organ}_{heading}", (organ, heading), leaf, digits=2, note=note)
    fid, note = choose(frame, "fid", variant)
    whole = Leaf("fid", fid, whole_set=True)
    sheet.add("overall_FID", ("Overall", "FID"), whole, digits=2, direction="lower", note=note)
    return Layout(
        "medebench.organs",
        "MedEBench by organ",
        sheet.leaves,
        sheet.fields,
        variant,
        strata="organ",
        size=SIZE,
        transposed=True,
        headline="Overall_EA",
        published=read_published(
            _HERE / "published_organs.csv",
            {heading: heading for heading in sheet.names if heading in _printed()},
        ),
        published_note="Published: arXiv 2506.01921, Table 2; means over the full release.",
    )


def metrics(frame: Frame, variant: Variant) -> Layout:
    """PSNR, full SSIM, LPIPS against the reference, CLIP similarities and ImageReward: one number
    an editor.
    """
    sheet = Sheet()
    for metric, (heading, direction, digits, worst) in WHOLE.items():
        made, note = choose(frame, metric, variant)
        if frame.has(metric, made):
            leaf = Leaf(metric, made, worst=worst)
            sheet.add(metric, (heading,), leaf, digits=digits, direction=direction, note=note)
    return Layout(
        "medebench.metrics",
        "MedEBench, against the reference",
        sheet.leaves,
        sheet.fields,
        variant,
        strata="organ",
        size=SIZE,
    )


def tenth(values: Floats) -> Floats:
    """The judge's 0-10 as the paper's 0-1."""
    return values / 10


def _printed() -> set[str]:
    with (_HERE / "published_organs.csv").open(encoding="utf-8") as file:
        return set(file.readline().strip().split(","))
