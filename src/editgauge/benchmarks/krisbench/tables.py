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


def average(means: Floats, sizes: Sizes = (), *, rounded: bool = True) -> Floats:
    """The mean of metrics, each rounded to 2 places (or not), on the 0-100 scale."""
    del sizes
    means = np.round(means, 2) if rounded else means
    return np.asarray(((means - facts.LOW) * facts.STEP).mean(axis=-1))


_unrounded = partial(average, rounded=False)


def half_up(values: Floats) -> Floats:
    """Rounded to 2 places, halves up, as the paper prints its numbers."""
    return np.asarray(np.floor(values * 100 + 0.5 + 1e-7) / 100)


def weighted(
    means: Floats, sizes: Sizes, *, widths: Sequence[int], printed: bool, rounded: bool = True
) -> Floats:
    """Dimension averages weighted by samples. `widths`: how many metrics each dimension has;
    `printed`: of the averages as they are printed; `rounded`: see `average`.

    A dimension without samples in the data is left out; one that has samples but no scores leaves
    no average.
    """
    averages, start = [], 0
    for width in widths:
        if sizes[start]:
            one = average(means[..., start : start + width], rounded=rounded)
            averages.append((sizes[start], half_up(one) if printed else one))
        start += width
    if not averages:
        return np.full(means.shape[:-1], np.nan)
    return np.asarray(sum(n * value for n, value in averages) / sum(n for n, _ in averages))


def _columns(variant: Variant) -> list[Column]:
    """Every dimension's metrics and average, the three types' and the overall average."""
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

    def above(title: str, dimensions: Sequence[str], where: dict[str, str]) -> Column:
        widths = [len(means[dimension]) for dimension in dimensions]
        formula = partial(weighted, widths=widths, printed=faithful)
        every = tuple(mean for dimension in dimensions for mean in means[dimension])
        smooth = partial(weighted, widths=widths, printed=False, rounded=False)
        return Column(f"{title}/avg", every, (title,), shown, formula, where, smooth=smooth)

    columns = []
    for kind, dimensions in facts.TAXONOMY.items():
        for dimension in dimensions:
            alike: JsonObject = {"above": (dimension,), "formula": average, "smooth": _unrounded}
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
