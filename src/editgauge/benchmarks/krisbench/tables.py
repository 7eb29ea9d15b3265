"""KRIS-Bench's Tables 2 and 3: seven dimensions of three types of knowledge, as judged by GPT-4o
and by Qwen2.5-VL.

The mean of a metric over a dimension's samples is rounded to 2 places and then put on the 0-100
scale, (m - 1)·25; a dimension's average is the mean of its metrics; averages above are weighted by
samples. An editor that cannot take several pictures gets the lowest score on samples that have
several (faithful); corrected leaves those out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from editgauge.benchmarks.krisbench.facts import (
    LOW,
    SAMPLES,
    SIZE,
    STEP,
    TAXONOMY,
    metrics_of,
    title_of,
)
from editgauge.benchmarks.krisbench.metrics import AVERAGE, BY_NAME
from editgauge.tables.frame import STATUSES, Frame
from editgauge.tables.spec import (
    Floats,
    Layout,
    Leaf,
    Sheet,
    choose,
    made_with,
    read_published_turned,
)
from editgauge.tables.stats import Moments
from editgauge.types import Status, Variant

KNOWLEDGE, DIMENSION = "category1", "category2"
"""The labels of the samples that name the type of knowledge and the dimension (tasks are
``category3``).
"""
_HERE = Path(__file__).parent
GPT, QWEN = "GPT-4o", "Qwen2.5-VL-72B"
_PAPERS = {GPT: ("published_gpt4o.csv", 2), QWEN: ("published_qwen2.5-vl-72b.csv", 3)}
"""Judge -> the file of its published table, and the table's number."""


def layouts(frame: Frame, variant: Variant) -> list[Layout]:
    """The one table, with the published numbers of the judge that is nearest to the rows' own."""
    return [judge(frame, variant)]


def judge(frame: Frame, variant: Variant) -> Layout:
    """Every dimension's metrics and average, the three types' and the overall average."""
    sheet = Sheet()
    made, note = choose(frame, "VC", variant)
    sizes = _sizes(frame)
    spans: list[tuple[str, int]] = []
    keys: list[str] = []
    for knowledge, dimensions in TAXONOMY.items():
        kind = title_of(knowledge)
        inside: list[str] = []
        widths: list[tuple[str, int]] = []
        for dimension in dimensions:
            where = {DIMENSION: dimension}
            names = [f"{dimension}/{metric}" for metric in metrics_of(dimension)]
            for name, metric in zip(names, metrics_of(dimension), strict=True):
                leaf = Leaf(
                    metric=BY_NAME[metric],
                    variant=made,
                    where=where,
                    not_applicable=LOW if variant == "faithful" else None,
                )
                sheet.add(name, leaf, above=(dimension,), formula=rescaled, note=note)
            sheet.combine(f"{dimension}/avg", AVERAGE.metric, names, average, above=(dimension,))
            inside += names
            widths.append((dimension, len(names)))
        sheet.combine(
            f"{kind}/avg",
            AVERAGE.metric,
            inside,
            _weighted(widths, sizes),
            above=(kind,),
            where={KNOWLEDGE: knowledge},
        )
        keys += inside
        spans += widths
    sheet.combine("Overall/avg", AVERAGE.metric, keys, _weighted(spans, sizes), above=("Overall",))
    file, source, other = _published(frame)
    return Layout(
        name="krisbench.judge",
        title="KRIS-Bench, judged, 0–100",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
        strata="category",
        size=SIZE,
        transposed=True,
        headline="Overall/avg",
        notes=_one_picture(frame, made),
        published=read_published_turned(
            _HERE / file, {(n.split("/")[0], n.split("/")[1]): n for n in sheet.names}
        ),
        published_note=source,
        published_with=other,
        sections=True,
    )


def _published(frame: Frame) -> tuple[str, str, str]:
    """The published file of the judge that made the rows, its note, and the file's judge where the
    rows have another.
    """
    judges = " ".join(frame.sources_of("VC")).lower()
    judge = QWEN if "qwen" in judges else GPT
    file, number = _PAPERS[judge]
    return (
        file,
        f"Published: arXiv 2505.16707, Table {number} (judge {judge}).",
        made_with(frame, "VC", judge),
    )


def _one_picture(frame: Frame, variant: Variant) -> list[str]:
    """A note for each editor that gave nothing for any sample with several pictures: the paper may
    count that as 0.
    """
    if "multi_image" not in frame.samples.names():
        return []
    several = frame.samples.labels("multi_image") == "true"
    status = frame.grid("VC", variant).status[:, several]
    missing = (status == STATUSES.index(Status.MISSING)).all(axis=1) & several.any()
    notes = []
    for editor, none in zip(frame.editors, missing, strict=True):
        if none and frame.models.of(editor).several_images is not False:
            notes.append(
                f"{editor} has no output for any of the {int(several.sum())} samples with several "
                f"pictures: left out. If it cannot take several, say so in models.toml "
                f"(several_images = false): the paper then gives it the lowest score there."
            )
        elif none and variant == "faithful":
            notes.append(
                f"{editor} takes one picture only: the {int(several.sum())} samples with several "
                f"count as the lowest score, as in the paper."
            )
    return notes


def rescaled(parts: Sequence[Moments]) -> Floats:
    """The mean of raw 1-5 scores, rounded to 2 places, on the 0-100 scale."""
    return np.asarray((np.round(parts[0].mean, 2) - LOW) * STEP)


def average(parts: Sequence[Moments]) -> Floats:
    """The mean of a dimension's metrics."""
    return np.asarray(np.mean([rescaled([part]) for part in parts], axis=0))


def _sizes(frame: Frame) -> dict[str, int]:
    names = frame.samples.names()
    labels = frame.samples.labels(DIMENSION).tolist() if DIMENSION in names else []
    return {dimension: labels.count(dimension) for dimension in SAMPLES}


def _weighted(
    spans: Sequence[tuple[str, int]], sizes: dict[str, int]
) -> Callable[[Sequence[Moments]], Floats]:
    return partial(
        weighted, widths=[width for _, width in spans], weights=[sizes[name] for name, _ in spans]
    )


def weighted(parts: Sequence[Moments], *, widths: Sequence[int], weights: Sequence[int]) -> Floats:
    """Dimension averages weighted by samples. `widths`: how many metrics each dimension has,
    `weights`: its samples.

    A dimension without samples in the data is left out; one that has samples but no scores leaves
    no average.
    """
    found, start = [], 0
    for width, weight in zip(widths, weights, strict=True):
        if weight:
            found.append((weight, average(parts[start : start + width])))
        start += width
    if not found:
        return np.full(parts[0].total.shape, np.nan)
    total = sum(weight for weight, _ in found)
    return np.asarray(sum(weight * value for weight, value in found) / total)
