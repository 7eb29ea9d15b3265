"""MedEBench's tables: 2 (EA, CP, VQ per organ and overall, FID) and the other metrics over the
whole set.

EA and VQ are the judge's 0-10 divided by 10; CP is the SSIM outside the region's mask. Means are
over samples, so the overall numbers weigh an organ by its samples.
"""

from __future__ import annotations

from pathlib import Path

from editgauge.benchmarks.medebench.facts import HIGH, ORGANS, SIZE
from editgauge.benchmarks.medebench.metrics import EMBEDDING, JUDGE, LPIPS, PIXEL
from editgauge.scoring.metrics import FID
from editgauge.tables.frame import Frame
from editgauge.tables.spec import Floats, Layout, Leaf, Sheet, choose, read_published
from editgauge.types import Variant

BY_ORGAN = (JUDGE["D"][0], PIXEL[0], JUDGE["D"][1])
"""EA, CP and VQ."""
WHOLE = (*PIXEL[1:], LPIPS, *EMBEDDING, JUDGE["D"][2], *JUDGE["P"])
"""The metrics with one number an editor."""
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
        for metric in BY_ORGAN:
            made, note = choose(frame, metric.name, variant)
            shown = tenth if metric.high == HIGH else None
            leaf = Leaf(metric=metric, variant=made, where=where, shown=shown)
            sheet.add(f"{organ}_{metric.title}", leaf, above=(organ,), note=note)
    fid, note = choose(frame, FID.name, variant)
    sheet.add("overall_FID", Leaf(metric=FID, variant=fid), above=("Overall",), note=note)
    return Layout(
        name="medebench.organs",
        title="MedEBench by organ",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
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
    """PSNR, full SSIM, LPIPS against the reference, CLIP similarities, ImageReward, the judged
    Context, and what is judged by the prompt (0 to 1): one number an editor.
    """
    sheet = Sheet()
    for metric in WHOLE:
        made, note = choose(frame, metric.name, variant)
        if frame.has(metric.name, made):
            shown = tenth if metric.high == HIGH else None
            sheet.add(metric.name, Leaf(metric=metric, variant=made, shown=shown), note=note)
    return Layout(
        name="medebench.metrics",
        title="MedEBench, the metrics of its Table 3",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
        strata="organ",
        size=SIZE,
    )


def tenth(values: Floats) -> Floats:
    """The judge's 0-10 as the paper's 0-1."""
    return values / HIGH


def _printed() -> set[str]:
    with (_HERE / "published_organs.csv").open(encoding="utf-8") as file:
        return set(file.readline().strip().split(","))
