"""TextEdit's tables: classic (OCR, CLIP, AES) and judge (cut-off on and off), Real and Virtual,
full set and miniset.

The judge's raw 1-5 becomes 0-1 by a table, not a line; with the cut-off, Q1 below 4 sets the other
four to 0. An answer that lacks a score it needs is dropped from all means, as in the released
script.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from editgauge.benchmarks.textedit.facts import (
    CUT_OFF,
    HIGH,
    LOW,
    NORMALISED,
    SIZES,
    SPLITS,
    WEIGHTS,
)
from editgauge.benchmarks.textedit.metrics import (
    AES,
    AVERAGE,
    AVERAGE_NO_CUT_OFF,
    CLIP,
    JUDGE,
    OCR,
)
from editgauge.tables.frame import Frame
from editgauge.tables.spec import Floats, Layout, Leaf, Sheet, choose, read_published
from editgauge.tables.stats import Moments
from editgauge.types import Variant

CLASSIC = (*OCR, CLIP, AES)
_SCALE = np.array([np.nan, *(NORMALISED[raw] for raw in range(LOW, HIGH + 1))])
"""`NORMALISED` by position."""
_HERE = Path(__file__).parent
_SOURCE = "Published: arXiv 2603.09877 and its repository, {}set; means over the whole {}set."


def layouts(frame: Frame, variant: Variant) -> list[Layout]:
    """Classic table, and the judge's with and without the cut-off."""
    return [
        classic(frame, variant),
        judge(frame, variant, cut_off=True),
        judge(frame, variant, cut_off=False),
    ]


def part_of(frame: Frame) -> str:
    """``mini`` when the samples say so or are no more than the miniset's 500, else ``full``."""
    if "set" in frame.samples.names():
        found = set(frame.samples.labels("set").tolist())
        if len(found) == 1:
            return "mini" if "mini" in found.pop() else "full"
    return "mini" if len(frame.samples) <= SIZES["mini"] else "full"


def classic(frame: Frame, variant: Variant) -> Layout:
    """OA, OP, OR, F1, NED, CLIP, AES as plain means."""
    sheet, part = Sheet(), part_of(frame)
    for split, title in SPLITS.items():
        for metric in CLASSIC:
            made, note = choose(frame, metric.name, variant)
            leaf = Leaf(metric=metric, variant=made, where={"split": title})
            sheet.add(f"{split}_{metric.title}", leaf, above=(title,), note=note)
    return Layout(
        name="textedit.classic",
        title=f"TextEdit, classic metrics, {part}set",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
        strata="category",
        size=SIZES[part],
        headline="real_F1",
        published=read_published(_HERE / f"published_{part}_classic.csv", sheet.names),
        published_note=_SOURCE.format(part, part),
    )


def judge(frame: Frame, variant: Variant, *, cut_off: bool) -> Layout:
    """The five judged questions on the 0-1 scale, and their weighted mean (.4 .3 .1 .1 .1)."""
    sheet, part = Sheet(), part_of(frame)
    for split, title in SPLITS.items():
        for number, metric in enumerate(JUDGE):
            made, note = choose(frame, metric.name, variant)
            leaf = Leaf(
                metric=metric,
                variant=made,
                others=tuple(other for other in JUDGE if other is not metric),
                where={"split": title},
                shown=partial(normalise, number=number, cut_off=cut_off),
            )
            sheet.add(f"{split}_{metric.title}", leaf, above=(title,), note=note)
        keys = [f"{split}_{metric.title}" for metric in JUDGE]
        average = AVERAGE if cut_off else AVERAGE_NO_CUT_OFF
        sheet.combine(f"{split}_avg", average.metric, keys, weighted, above=(title,))
    name = (
        "with the cut-off (TA below 4 sets the others to 0)" if cut_off else "without the cut-off"
    )
    return Layout(
        name=f"textedit.judge{'' if cut_off else '_no_cutoff'}",
        title=f"TextEdit, judged, {part}set, {name}",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
        strata="category",
        size=SIZES[part],
        headline="real_avg",
        published=read_published(_HERE / f"published_{part}_judge.csv", sheet.names)
        if cut_off
        else (),
        published_note=_SOURCE.format(part, part) + " Columns in the order that is consistent, not "
        "as printed"
        " (see editgauge audit)."
        if cut_off
        else "",
    )


def normalise(first: Floats, *others: Floats, number: int, cut_off: bool) -> Floats:
    """One question's raw scores on the 0-1 scale, NaN where the answer is dropped.

    `first` is question `number` (from 0), `others` the other four in order, all of one shape, raw
    1-5 or NaN.
    """
    raw = list(others)
    raw.insert(number, first)
    scaled = [_SCALE[np.where(np.isnan(values), 0, values).astype(np.int64)] for values in raw]
    complete = ~np.isnan(np.stack(scaled)).any(axis=0)
    if not cut_off:
        return np.where(complete, scaled[number], np.nan)
    stopped = raw[0] < CUT_OFF
    shown = scaled[number] if number == 0 else np.where(stopped, 0.0, scaled[number])
    return np.where(complete | (stopped & ~np.isnan(scaled[0])), shown, np.nan)


def weighted(parts: Sequence[Moments]) -> Floats:
    """The weighted mean of the five questions."""
    return np.asarray(
        sum(weight * part.mean for weight, part in zip(WEIGHTS.values(), parts, strict=True))
    )
