"""MedEBench's tables: 2 (EA, CP, VQ, FID) and the other metrics. EA and VQ are the judge's 0-10
divided by 10, CP is the SSIM outside the mask; means are over samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from editgauge.benchmarks.medebench.facts import EMBEDDING, JUDGE, LPIPS, ORGANS, PIXEL, SIZE
from editgauge.diagnosis.metrics import ATTENTION, CHANGE
from editgauge.scoring.metrics import FID
from editgauge.tables import learning
from editgauge.tables.metrics import on_scale
from editgauge.tables.results import Results
from editgauge.tables.spec import (
    Column,
    Mean,
    PaperTable,
    Published,
    published_rows,
    read_published,
    records,
)
from editgauge.tables.table import Cell, TableRow
from editgauge.types import VARIANTS, Metric

BY_ORGAN = (JUDGE["D"][0], PIXEL[0], JUDGE["D"][1])
"""EA, CP and VQ."""
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


@cache
def _records(name: str) -> list[dict[str, str]]:
    return records(Path(__file__).parent / f"published_{name}.csv")


def mean_of(metric: Metric, where: Mapping[str, str] | None = None) -> Mean:
    """A metric on the scale on which the paper prints it."""
    return Mean(metric.name, where or {}, partial(on_scale, metric) if metric.printed else None)


def _table(name: str, title: str, columns: Sequence[Column], **facts: Any) -> PaperTable:
    name, title = f"medebench.{name}", f"MedEBench{title}"
    return PaperTable(name=name, title=title, columns=columns, strata="organ", size=SIZE, **facts)


def _plain(metrics: Sequence[Metric]) -> list[Column]:
    return [Column(metric.name, (Mean(metric.name),)) for metric in metrics]


def by_organ(organs: Sequence[str] = tuple(ORGANS)) -> PaperTable:
    """Table 2: EA, CP and VQ for each organ, overall, and the Fréchet distance of the whole set.
    Models are its lines, and the organs stand in two halves, as in the paper.
    """
    columns = [
        Column(
            f"{organ}_{metric.title}",
            (mean_of(metric, {} if organ == "Overall" else {"organ": organ}),),
            (organ,),
        )
        for organ in (*organs, "Overall")
        for metric in BY_ORGAN
    ]
    columns.append(Column("overall_FID", (Mean(FID.name),), ("Overall",)))
    lines = Published(
        rows=published_organs,
        note=f"{_TABLE.format('2 (judge GPT-4o)')[:-1]}; means over the full release.",
        made_with=PAPERS_JUDGE,
        metric=BY_ORGAN[0].name,
    )
    headline = "Overall_EA"
    return _table("organs", " by organ", columns, halves=True, headline=headline, published=[lines])


@cache
def published_organs() -> Sequence[TableRow]:
    """The lines of Table 2."""
    headings = list(_records("organs")[0])
    return read_published(Path(__file__).parent / "published_organs.csv", headings[1:])


METRICS = _table("metrics", ", the metrics of its Table 3", _plain((*PIXEL[1:], LPIPS, *EMBEDDING)))
"""PSNR, full SSIM, LPIPS against the reference, CLIP similarities, ImageReward: one number an
editor. What the judge gives is in `JUDGED`.
"""
JUDGED = _table(
    "judged",
    ", judged by change description and by prompt, 0–1",
    [
        Column(metric.name, (mean_of(metric),), (title,))
        for kind, title in TEXTS.items()
        for metric in JUDGE[kind]
    ],
    headline="EA",
)
"""EA, VQ and Context by change description and by prompt (Table 3's judge, H.2), on the scale of 0
to 1. How they go with people's ranks is what `agree` prints.
"""
GROUNDING = [
    _table(name, f", {title}, against the region's mask", _plain(metrics), headline=metrics[0].name)
    for name, title, metrics in (
        ("grounding", "where the models looked", ATTENTION),
        ("change", "where the outputs changed", CHANGE),
    )
]
"""What Table 4 lacks, over the whole set, for attention and for change."""


def attention(others: Sequence[str] = ()) -> PaperTable:
    """Table 4: IoU of attention maps and region masks for each organ, as the paper, and overall."""
    iou = ATTENTION[0].name
    papers = [record["organ"] for record in _records("attention_iou")]
    known = [*papers, *(o for o in ORGANS if o not in {*papers, *_BONES.values()}), *others]
    where = {organ: {"organ": _BONES.get(organ, organ)} for organ in known}
    columns = [
        Column(name, (Mean(iou, labels),), (name,))
        for name, labels in {**where, "Overall": {}}.items()
    ]
    note = f"{_TABLE.format(4)} How its maps were made is not published in full."
    return _table(
        "attention",
        ", IoU of attention maps and region masks",
        columns,
        transposed=True,
        headline="Overall",
        published=[Published(rows=_published_attention, note=note)],
        alone=True,
    )


def _published_attention() -> list[TableRow]:
    cells = {one["organ"]: Cell(value=float(one["iou"])) for one in _records("attention_iou")}
    return published_rows({"instruct-pix2pix": cells})


def paradigms(frame: Results) -> list[PaperTable]:
    """Table 7: fine-tuning and in-context learning, a line for each task, EA, CP and VQ for each
    number of samples; each published line stands below the run's line of its task.
    """
    lines = _records("paradigms")
    kinds = (("a", "tuned", "samples"), ("b", "shots", "shots"))
    papers = dict.fromkeys(line["paradigm"] for line in lines)
    specs = []
    for (letter, kind, word), paradigm in zip(kinds, papers, strict=True):
        printed = {int(line["shots"]) for line in lines if line["paradigm"] == paradigm}
        columns = [
            Column(f"{number}_{metric.title}", (), (f"{number} {word}",), metric.name)
            for number in sorted({*printed, *learning.counts(frame, kind)})
            for metric in BY_ORGAN
        ]
        rows, note = partial(_published_paradigm, paradigm), _TABLE.format(f"7 ({letter})")
        specs.append(
            PaperTable(
                name=f"medebench.paradigms_{letter}",
                title=f"MedEBench, learning paradigms: {paradigm}",
                columns=columns,
                published=[Published(rows=rows, note=note)],
                alone=True,
                lines=learning.lines(kind, BY_ORGAN, mean_of),
                notes=(_LEARNING,),
            )
        )
    return specs


def _published_paradigm(paradigm: str) -> list[TableRow]:
    lines: dict[str, dict[str, Cell]] = {}
    for record in _records("paradigms"):
        if record["paradigm"] == paradigm:
            cells = lines.setdefault(record["task"], {})
            for metric in BY_ORGAN:
                cells[f"{record['shots']}_{metric.title}"] = Cell(value=float(record[metric.title]))
    return published_rows(lines)


def tables(frame: Results) -> list[PaperTable]:
    """The table of organs, those of the metrics with one number an editor, and Tables 4 and 7."""
    known = "organ" in frame.samples.names()
    there = set(frame.samples.labels("organ").tolist()) - {""} if known else set()
    others = sorted(there - set(ORGANS))
    organs = [organ for organ in ORGANS if organ in there or not there]
    more = (JUDGE["D"][2], *JUDGE["P"])
    specs = [by_organ([*organs, *others]), METRICS]
    if any(frame.has(metric.name, variant) for metric in more for variant in VARIANTS):
        specs.append(JUDGED)  # EA and VQ by description stand in Table 2, too
    return [*specs, attention(others), *GROUNDING, *paradigms(frame)]


def correlations() -> list[TableRow]:
    """Table 3: Spearman's rho of each metric with people's ranks, as it is printed."""
    lines = {
        line["metric"]: {n: Cell(value=float(v), text=v) for n, v in line.items() if n != "metric"}
        for line in _records("spearman")
    }
    return published_rows(lines)
