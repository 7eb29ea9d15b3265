"""TextEdit's tables: classic (OCR, CLIP, AES) and judge (cut-off on and off), Real and Virtual. The
judge's 1-5 becomes 0-1 by a table; with the cut-off Q1 below 4 sets the others to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from editgauge.benchmarks.textedit import facts
from editgauge.scoring.metrics import OCR
from editgauge.tables.metrics import on_scale
from editgauge.tables.results import SCORED, STATUSES, Cube, Results
from editgauge.tables.spec import Column, Floats, Mean, PaperTable, Published, Sizes, read_published
from editgauge.tables.table import TableRow
from editgauge.types import Status

PAPERS_JUDGE = "gemini-3-pro"
_SOURCE = "Published: arXiv 2603.09877 and its repository, {0}set; means over the whole {0}set."
_JUDGE = " (judge {}; columns in the order that is consistent, not as printed: editgauge audit)."
_TWO_SETS = "These samples are not those of one set: no published lines."


@cache
def published(part: str, table: str) -> Sequence[TableRow]:
    """The lines of a published table of the full set or the miniset."""
    names = [column.name for column in (_classic_columns() if table == "classic" else judged())]
    return read_published(Path(__file__).parent / f"published_{part}_{table}.csv", names)


def normalise(first: Floats, *others: Floats, number: int, threshold: float | None) -> Floats:
    """One question's raw scores on the 0-1 scale, NaN where the answer is dropped; 0 for Q2 to Q5
    of an answer whose Q1 is below the threshold (None: no cut-off).

    `first` is question `number` (from 0), `others` the other four in order, all of one shape, raw
    1-5 or NaN.
    """
    raw = list(others)
    raw.insert(number, first)
    scaled = [on_table_scale(values) for values in raw]
    complete = ~np.isnan(np.stack(scaled)).any(axis=0)
    if threshold is None:
        return np.where(complete, scaled[number], np.nan)
    stopped = raw[0] < threshold
    shown = scaled[number] if number == 0 else np.where(stopped, 0.0, scaled[number])
    return np.where(complete | (stopped & ~np.isnan(scaled[0])), shown, np.nan)


def on_table_scale(values: Floats) -> Floats:
    """Raw scores of single answers as the table has them, NaN for one outside of the scale."""
    inside = (values >= facts.LOW) & (values <= facts.HIGH)
    return np.where(inside, on_scale(facts.JUDGE[0], np.where(inside, values, facts.LOW)), np.nan)


def weighted(means: Floats, sizes: Sizes) -> Floats:
    """The weighted mean of the five questions."""
    del sizes
    return np.asarray(
        sum(weight * means[..., k] for k, weight in enumerate(facts.WEIGHTS.values()))
    )


def _classic_columns() -> list[Column]:
    """OA, OP, OR, F1, NED, CLIP, AES as plain means."""
    return [
        Column(f"{split}_{metric.title}", (Mean(metric.name, {"split": title}),), (title,))
        for split, title in facts.SPLITS.items()
        for metric in (*OCR, facts.CLIP, facts.AES)
    ]


def judged(threshold: float | None = facts.CUT_OFF) -> list[Column]:
    """The five judged questions on the 0-1 scale, and their weighted mean."""
    average = facts.AVERAGE_NO_CUT_OFF if threshold is None else facts.AVERAGE
    columns: list[Column] = []
    for split, title in facts.SPLITS.items():
        means = tuple(
            Mean(
                metric.name,
                {"split": title},
                partial(normalise, number=number, threshold=threshold),
                tuple(other.name for other in facts.JUDGE if other is not metric),
            )
            for number, metric in enumerate(facts.JUDGE)
        )
        columns += [
            Column(f"{split}_{metric.title}", (mean,), (title,))
            for metric, mean in zip(facts.JUDGE, means, strict=True)
        ]
        columns.append(Column(f"{split}_avg", means, (title,), average.metric.name, weighted))
    return columns


def _table(
    part: str,
    name: str,
    title: str,
    columns: list[Column],
    headline: str,
    lines: Published | None = None,
) -> PaperTable:
    """The table of a set ("full", "mini"); of "" without published lines."""
    return PaperTable(
        name=f"textedit.{name}",
        title=title.format(f", {part}set" if part else ""),
        columns=columns,
        strata="category",
        headline=headline,
        sections=True,
        params=True,
        size=facts.SIZES.get(part),
        notes=() if part else (_TWO_SETS,),
        published=[lines] if part and lines else (),
    )


def tables(frame: Results) -> list[PaperTable]:
    """Classic table, and the judge's with and without the cut-off."""
    part = part_of(frame)
    classic = Published(
        rows=partial(published, part, "classic"),
        note=_SOURCE.format(part),
        made_with="PaddleOCR",
        metric=OCR[0].name,
        is_it=lambda source: source.startswith(("paddleocr", "classic_metrics_eval.py")),
    )
    judge = Published(
        rows=partial(published, part, "judge"),
        note=_SOURCE.format(part)[:-1] + _JUDGE.format(PAPERS_JUDGE),
        made_with=PAPERS_JUDGE,
        metric=facts.JUDGE[0].name,
    )
    cut_off = f"with the cut-off (TA below {facts.CUT_OFF} sets the others to 0)"
    title, asked = "TextEdit, classic metrics{}", f"TextEdit, judged{{}}, {cut_off}"
    without = "TextEdit, judged{}, without the cut-off"
    return [
        _table(part, "classic", title, _classic_columns(), "real_F1", classic),
        _table(part, "judge", asked, judged(), "real_avg", judge),
        _table(part, "judge_no_cutoff", without, judged(None), "real_avg"),
    ]


def part_of(frame: Results) -> str:
    """``full`` or ``mini``, as the samples say; "" where they do not, or say both. It is never
    guessed from their number.
    """
    known = frame.samples.labels("set").tolist() if "set" in frame.samples.names() else []
    halves = {name.removesuffix("set") for name in known}
    return halves.pop() if len(halves) == 1 and halves <= set(facts.SIZES) else ""


def settled(results: Results) -> Results:
    """Results without the judged scores that the released second step drops: those that are none of
    1, 2, 3, 4, 5.

    The released first step stores whatever integer a judge gives, and so do faithful rows. Such a
    score is read as ``unparsable``; with it the answer has no score (see `normalise`).
    """
    unparsable = np.int8(STATUSES.index(Status.UNPARSABLE))
    cubes = dict(results.cubes)
    for key, (values, status) in results.cubes.items():
        if key.metric in facts.QUESTIONS:
            odd = (status == SCORED) & ~np.isin(values, list(facts.NORMALISED))
            cubes[key] = Cube(np.where(odd, np.nan, values), np.where(odd, unparsable, status))
    return replace(results, cubes=cubes)
