"""MedEBench's tables: 2 (EA, CP, VQ per organ and overall, FID) and the other metrics over the
whole set.

EA and VQ are the judge's 0-10 divided by 10; CP is the SSIM outside the region's mask. Means are
over samples, so the overall numbers weigh an organ by its samples.
"""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

from editgauge.benchmarks.medebench.facts import ORGANS, SIZE
from editgauge.benchmarks.medebench.metrics import EMBEDDING, JUDGE, LPIPS, PIXEL
from editgauge.diagnosis.metrics import ATTENTION, CHANGE
from editgauge.scoring.metrics import FID
from editgauge.tables import learning
from editgauge.tables.frame import Frame
from editgauge.tables.scale import on_scale
from editgauge.tables.spec import (
    Layout,
    Leaf,
    Sheet,
    choose,
    made_with,
    plain_mean,
    read_published,
)
from editgauge.tables.table import Cell, TableRow
from editgauge.types import VARIANTS, Variant

BY_ORGAN = (JUDGE["D"][0], PIXEL[0], JUDGE["D"][1])
"""EA, CP and VQ."""
WHOLE = (*PIXEL[1:], LPIPS, *EMBEDDING)
"""The metrics with one number an editor that no judge gives."""
PAPERS_JUDGE = "GPT-4o"
TEXTS = {"D": "By description", "P": "By prompt"}
"""What the judge is told of the edit -> its heading."""
_TABLE = "Published: arXiv 2506.01921, Table {}."
_LEARNING = (
    "A line is over the test samples of its task that every number of samples was tried on; the "
    "paper's 30 images a task are not named, so that its lines are of other samples."
)
_BONES = {"Bones": "Spine"}
"""Table 4's name of an organ -> Table 2's."""
_HERE = Path(__file__).parent


def layouts(frame: Frame, variant: Variant) -> list[Layout]:
    """The table of organs, those of the metrics with one number an editor, and the layouts of
    Tables 4 and 7.
    """
    more = (JUDGE["D"][2], *JUDGE["P"])
    found = [organs(frame, variant), metrics(frame, variant)]
    if any(frame.has(metric.name, made) for metric in more for made in VARIANTS):
        found.append(judged(frame, variant))  # EA and VQ by description stand in Table 2, too
    more_of = (*grounding(frame, variant), *paradigms(frame, variant))
    return [*found, attention(frame, variant), *more_of]


def organs(frame: Frame, variant: Variant) -> Layout:
    """Table 2: EA, CP and VQ for each organ, overall, and the Fréchet distance of the whole set."""
    sheet = Sheet()
    present = set(frame.samples.labels("organ").tolist()) if _has_organs(frame) else set()
    known = [organ for organ in ORGANS if organ in present or not present]
    others = sorted(present - set(ORGANS) - {""})
    for organ in (*known, *others, "Overall"):
        where = {} if organ == "Overall" else {"organ": organ}
        for metric in BY_ORGAN:
            made, note = choose(frame, metric.name, variant)
            shown = partial(on_scale, metric) if metric.printed else None
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
        published_note="Published: arXiv 2506.01921, Table 2 (judge GPT-4o); means over the full "
        "release.",
        published_with=made_with(frame, BY_ORGAN[0].name, PAPERS_JUDGE),
    )


def metrics(frame: Frame, variant: Variant) -> Layout:
    """PSNR, full SSIM, LPIPS against the reference, CLIP similarities, ImageReward: one number an
    editor. What the judge gives is in `judged`.
    """
    sheet = Sheet()
    for metric in WHOLE:
        made, note = choose(frame, metric.name, variant)
        if frame.has(metric.name, made):
            sheet.add(metric.name, Leaf(metric=metric, variant=made), note=note)
    return Layout(
        name="medebench.metrics",
        title="MedEBench, the metrics of its Table 3",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
        strata="organ",
        size=SIZE,
    )


def judged(frame: Frame, variant: Variant) -> Layout:
    """EA, VQ and Context, judged by the change description and by the prompt (Table 3's judge, H.2),
    all on the scale of 0 to 1. How they go with people's ranks is what `agree` prints.
    """
    sheet = Sheet()
    for kind, title in TEXTS.items():
        for metric in JUDGE[kind]:
            made, note = choose(frame, metric.name, variant)
            leaf = Leaf(metric=metric, variant=made, shown=partial(on_scale, metric))
            sheet.add(metric.name, leaf, above=(title,), note=note)
    return Layout(
        name="medebench.judged",
        title="MedEBench, judged by change description and by prompt, 0–1",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
        strata="organ",
        size=SIZE,
        headline="EA",
    )


def attention(frame: Frame, variant: Variant) -> Layout:
    """Table 4: IoU of attention maps and region masks for each organ, in the paper's order and
    names, and overall.
    """
    with (_HERE / "published_attention_iou.csv").open(encoding="utf-8", newline="") as file:
        numbers = {record["organ"]: float(record["iou"]) for record in csv.DictReader(file)}
    iou = ATTENTION[0]
    made, note = choose(frame, iou.name, variant)
    known = [*numbers, *(organ for organ in ORGANS if organ not in {*numbers, *_BONES.values()})]
    present = set(frame.samples.labels("organ").tolist()) if _has_organs(frame) else set()
    sheet = Sheet()
    for organ in [*known, *sorted(present - set(ORGANS) - {""})]:
        own = _BONES.get(organ, organ)
        leaf = Leaf(metric=iou, variant=made, where={"organ": own})
        if organ in numbers or own in present:
            sheet.add(organ, leaf, above=(organ,), note=note)
    sheet.add("Overall", Leaf(metric=iou, variant=made), above=("Overall",), note=note)
    cells = {organ: Cell(value=number) for organ, number in numbers.items()}
    return Layout(
        name="medebench.attention",
        title="MedEBench, IoU of attention maps and region masks",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
        strata="organ",
        size=SIZE,
        transposed=True,
        headline="Overall",
        published=[TableRow(name="instruct-pix2pix", cells=cells, kind="published")],
        published_note=f"{_TABLE.format(4)} How its maps were made is not published in full.",
        published_alone=True,
    )


def correlations() -> list[TableRow]:
    """Table 3: Spearman's rho of each metric with people's ranks, as it is printed."""
    with (_HERE / "published_spearman.csv").open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    return [
        TableRow(
            name=record.pop("metric"),
            cells={name: Cell(value=float(text), text=text) for name, text in record.items()},
            kind="published",
        )
        for record in records
    ]


def grounding(frame: Frame, variant: Variant) -> list[Layout]:
    """What Table 4 lacks, over the whole set: chance, pointing, mass and AUC, for attention and for
    change.
    """
    found = []
    for name, title, metrics in (
        ("grounding", "where the models looked", ATTENTION),
        ("change", "where the outputs changed", CHANGE),
    ):
        sheet = Sheet()
        for metric in metrics:
            made, note = choose(frame, metric.name, variant)
            sheet.add(metric.name, Leaf(metric=metric, variant=made), note=note)
        found.append(
            Layout(
                name=f"medebench.{name}",
                title=f"MedEBench, {title}, against the region's mask",
                leaves=sheet.leaves,
                fields=sheet.fields,
                variant=variant,
                strata="organ",
                size=SIZE,
                headline=metrics[0].name,
            )
        )
    return found


def _has_organs(frame: Frame) -> bool:
    return "organ" in frame.samples.names()


def paradigms(frame: Frame, variant: Variant) -> list[Layout]:
    """Table 7: fine-tuning and in-context learning, a line for each task, EA, CP and VQ for each
    number of samples. The published lines stand alone until a run has such rows; then each stands
    below the run's line of its task.
    """
    with (_HERE / "published_paradigms.csv").open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    found = []
    for letter, paradigm in zip("ab", dict.fromkeys(r["paradigm"] for r in records), strict=True):
        kind, word = {"a": ("tuned", "samples"), "b": ("shots", "shots")}[letter]
        mine = [record for record in records if record["paradigm"] == paradigm]
        papers = {int(record["shots"]) for record in mine}
        sheet = Sheet()
        lines: dict[str, dict[str, Cell]] = {}
        for number in sorted({*papers, *learning.counts(frame, kind)}):
            for metric in BY_ORGAN:
                name = f"{number}_{metric.title}"
                sheet.combine(name, metric, (), plain_mean, above=(f"{number} {word}",))
        for record in mine:
            cells = lines.setdefault(record["task"], {})
            for metric in BY_ORGAN:
                cells[f"{record['shots']}_{metric.title}"] = Cell(value=float(record[metric.title]))
        leaves = [
            Leaf(metric=m, variant=variant, shown=partial(on_scale, m) if m.printed else None)
            for m in BY_ORGAN
        ]
        found.append(
            Layout(
                name=f"medebench.paradigms_{letter}",
                title=f"MedEBench, learning paradigms: {paradigm}",
                leaves={},
                fields=sheet.fields,
                variant=variant,
                published=[
                    TableRow(name=n, cells=cells, kind="published") for n, cells in lines.items()
                ],
                published_note=_TABLE.format(f"7 ({letter})"),
                published_alone=True,
                lines=learning.lines(kind, leaves),
                notes=(_LEARNING,),
            )
        )
    return found


def _printed() -> set[str]:
    with (_HERE / "published_organs.csv").open(encoding="utf-8") as file:
        return set(file.readline().strip().split(","))
