"""KRIS-Bench's Tables 2 and 3, judged by GPT-4o and by Qwen2.5-VL (docs/protocols/krisbench.md).
What an editor cannot take (several pictures) gets the lowest score (faithful) or none (corrected).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from editgauge.benchmarks.krisbench import facts
from editgauge.tables.results import STATUSES, Results
from editgauge.tables.spec import (
    Column,
    Floats,
    Formula,
    Mean,
    PaperTable,
    Published,
    Sizes,
    read_published_turned,
)
from editgauge.tables.table import TableRow
from editgauge.types import JsonObject, Status, Variant

KNOWLEDGE, DIMENSION = "category1", "category2"
"""The labels of the samples that name the type of knowledge and the dimension."""
GPT, QWEN = "GPT-4o", "Qwen2.5-VL-72B"


@cache
def published(file: str) -> Sequence[TableRow]:
    """The lines of a published table."""
    return read_published_turned(Path(__file__).parent / file)


def average(means: Floats, sizes: Sizes = ()) -> Floats:
    """The mean of metrics on the 0-100 scale, each rounded to 2 places before it is put there.

    The arithmetic is in whole hundredths: 49.625 is exactly that, and prints as 49.63.
    """
    del sizes
    hundredths = np.rint(np.round(means, 2) * 100)
    scaled = (hundredths - 100 * facts.LOW) * facts.STEP
    return np.asarray(scaled.sum(axis=-1) / (100 * means.shape[-1]))


def unrounded(means: Floats, sizes: Sizes = ()) -> Floats:
    """The mean of metrics on the 0-100 scale."""
    del sizes
    return np.asarray(((means - facts.LOW) * facts.STEP).mean(axis=-1))


def half_up(hundredths: Floats) -> Floats:
    """Rounded to whole numbers, an exact half upwards, as the paper rounds its averages."""
    return np.asarray(np.floor(hundredths + 0.5))


def weighted(means: Floats, sizes: Sizes, *, widths: Sequence[int]) -> Floats:
    """Dimension averages weighted by samples. `widths`: how many metrics each dimension has.

    A dimension without samples in the data is left out; one that has samples but no scores leaves
    no average.
    """
    averages = _averages(means, sizes, widths, unrounded)
    if not averages:
        return np.full(means.shape[:-1], np.nan)
    total = sum(size * value for size, value in averages)
    return np.asarray(total / sum(size for size, _ in averages))


def weighted_as_printed(means: Floats, sizes: Sizes, *, widths: Sequence[int]) -> Floats:
    """As `weighted`, from the dimension averages as the paper prints them, and rounded as they are:
    to 2 places, an exact half upwards. Everything is in whole hundredths, because the number that a
    computer has for 54.165 lies below it.
    """
    averages = _averages(means, sizes, widths, average)
    if not averages:
        return np.full(means.shape[:-1], np.nan)
    total = sum(size * half_up(value * 100) for size, value in averages)
    return half_up(np.asarray(total / sum(size for size, _ in averages))) / 100


def _averages(
    means: Floats, sizes: Sizes, widths: Sequence[int], formula: Formula
) -> list[tuple[int, Floats]]:
    """How many samples each dimension in the data has, and its average."""
    averages = []
    start = 0
    for width in widths:
        if sizes[start]:
            averages.append((sizes[start], formula(means[..., start : start + width], ())))
        start += width
    return averages


def _columns(variant: Variant) -> list[Column]:
    """Every dimension's metrics and average, the three types' and the overall average. The faithful
    ones round as the paper does, the corrected ones do not.
    """
    faithful, shown = variant == "faithful", facts.AVERAGE.metric.name
    floor = facts.LOW if faithful else None
    means = {
        dimension: tuple(
            Mean(name, {DIMENSION: dimension}, not_applicable=floor)
            for name in facts.metrics_of(dimension)
        )
        for dimensions in facts.TAXONOMY.values()
        for dimension in dimensions
    }
    of_dimension: JsonObject = {"formula": average if faithful else unrounded, "smooth": unrounded}
    of_several = weighted_as_printed if faithful else weighted

    def above(title: str, dimensions: Sequence[str], where: dict[str, str]) -> Column:
        widths = [len(means[dimension]) for dimension in dimensions]
        formula = partial(of_several, widths=widths)
        every = tuple(mean for dimension in dimensions for mean in means[dimension])
        smooth = partial(weighted, widths=widths)
        return Column(f"{title}/avg", every, (title,), shown, formula, where, smooth=smooth)

    columns = []
    for kind, dimensions in facts.TAXONOMY.items():
        for dimension in dimensions:
            alike: JsonObject = {"above": (dimension,), **of_dimension}
            columns += [
                Column(f"{dimension}/{mean.metric}", (mean,), **alike) for mean in means[dimension]
            ]
            columns.append(Column(f"{dimension}/avg", means[dimension], shows=shown, **alike))
        columns.append(above(facts.title_of(kind), [*dimensions], {KNOWLEDGE: kind}))
    return [*columns, above("Overall", [*means], {})]


JUDGED = PaperTable(
    name="krisbench.judge",
    title="KRIS-Bench, judged, 0–100",
    columns=_columns("faithful"),
    corrected=_columns("corrected"),
    strata="category",
    size=facts.SIZE,
    transposed=True,
    headline="Overall/avg",
    sections=True,
    published=[
        Published(
            rows=partial(published, file),
            note=f"Published: arXiv 2505.16707, Table {number} (judge {judge}).",
            made_with=judge,
            metric="VC",
        )
        for judge, file, number in (
            (GPT, "published_gpt4o.csv", 2),
            (QWEN, "published_qwen2.5-vl-72b.csv", 3),
        )
    ],
)


def tables(frame: Results) -> list[PaperTable]:
    """The one table, with a note on editors that take one picture only."""
    table = replace(JUDGED, notes=_one_picture(frame))
    judges = " ".join(frame.sources_of("VC")).lower()
    return [replace(table, published=table.published[::-1]) if "qwen" in judges else table]


def _one_picture(frame: Results) -> list[str]:
    """Notes on editors with no output for several pictures: the paper may count that as 0."""
    if "multi_image" not in frame.samples.names():
        return []
    several = frame.samples.labels("multi_image") == "true"
    status = frame.grid("VC", "faithful").status[:, several]
    missing = (status == STATUSES.index(Status.MISSING)).all(axis=1) & several.any()
    notes = []
    for editor, none in zip(frame.editors, missing, strict=True):
        if none:
            known = frame.models.of(editor).several_images is False
            notes.append((_KNOWN if known else _UNKNOWN).format(editor, int(several.sum())))
    return notes


_KNOWN = (
    "{} takes one picture only: the {} samples with several pictures count as the lowest score, as "
    "in the paper (faithful)."
)
_UNKNOWN = (
    "{} has no output for any of the {} samples with several pictures: left out. If it cannot take "
    "several, say so in models.toml (several_images = false): the paper then gives it the lowest "
    "score there."
)
