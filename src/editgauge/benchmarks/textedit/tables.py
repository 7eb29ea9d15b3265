"""TextEdit's tables: classic (OCR, CLIP, AES) and judge (cut-off on and off), Real and Virtual,
full set and miniset.

The judge's raw 1-5 becomes 0-1 by a table, not a line; with the cut-off, Q1 below 4 sets the other
four to 0. An answer that lacks a score it needs, or has one that is none of 1 to 5, is dropped from
all means, as in the released script.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.benchmarks.textedit.facts import (
    CUT_OFF,
    HIGH,
    LOW,
    NORMALISED,
    QUESTIONS,
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
from editgauge.errors import UsageError
from editgauge.tables.frame import STATUSES, Frame
from editgauge.tables.scale import on_scale
from editgauge.tables.spec import (
    Floats,
    Layout,
    Leaf,
    Sheet,
    choose,
    made_with,
    read_published,
)
from editgauge.tables.stats import Moments
from editgauge.types import Status, Variant

CLASSIC = (*OCR, CLIP, AES)


@dataclass(frozen=True, slots=True)
class Scheme:
    """How the five questions become one number: their weights in order, which add up to 1, and the
    score of Q1 below which the other four count as 0.
    """

    weights: tuple[float, ...] = tuple(WEIGHTS.values())
    threshold: float = CUT_OFF

    @property
    def named(self) -> str:
        """What a title says of a scheme that is not the paper's."""
        told = " ".join(f"{weight:g}".removeprefix("0") for weight in self.weights)
        return "" if self.weights == PAPER.weights else f", weighted {told}"


PAPER = Scheme()
PAPERS_JUDGE = "gemini-3-pro"
_HERE = Path(__file__).parent
_SOURCE = "Published: arXiv 2603.09877 and its repository, {}set; means over the whole {}set."
_PERMUTED = " Columns in the order that is consistent, not as printed (see editgauge audit)."
_NUMBERED = {
    "category": "The release numbers its 18 categories and nowhere names them: 1.1.1 to 1.4.4 are "
    "Virtual, 2.1 to 2.7 Real."
}
_UNKNOWN_SET = (
    "Which set these samples are of is not known: the run was made by an earlier version, or holds "
    "both. No published lines; score again with this version to have them."
)


def layouts(frame: Frame, variant: Variant, scheme: Scheme = PAPER) -> list[Layout]:
    """Classic table, and the judge's with and without the cut-off."""
    return [
        classic(frame, variant),
        judge(frame, variant, cut_off=True, scheme=scheme),
        judge(frame, variant, cut_off=False, scheme=scheme),
    ]


def scheme(
    *, weights: Sequence[float] | None = None, cutoff: float | None = None
) -> Callable[[Frame, Variant], list[Layout]]:
    """`layouts` with other weights and another threshold than the paper's. Raises `UsageError` for
    weights that are not five numbers from 0 that add up to 1, or a threshold outside the scale.
    """
    if weights is not None:
        good = len(weights) == len(QUESTIONS) and all(weight >= 0 for weight in weights)
        if not good or abs(sum(weights) - 1) > 1e-6:
            raise UsageError(
                f"--weights {','.join(f'{weight:g}' for weight in weights)}: wanted "
                f"{len(QUESTIONS)} numbers from 0 ({', '.join(QUESTIONS.values())}) that add up to "
                f"1, such as {','.join(f'{weight:g}' for weight in PAPER.weights)}"
            )
    if cutoff is not None and not LOW <= cutoff <= HIGH:
        raise UsageError(f"--cutoff {cutoff:g}: wanted a score from {LOW} to {HIGH}")
    chosen = Scheme(
        PAPER.weights if weights is None else tuple(weights),
        PAPER.threshold if cutoff is None else cutoff,
    )
    return partial(layouts, scheme=chosen)


def part_of(frame: Frame) -> str:
    """``full`` or ``mini``, as the samples say that were read from its files; "" where they do not
    say (a run of an earlier version) or say both. It is never guessed from their number.
    """
    known = frame.samples.labels("set").tolist() if "set" in frame.samples.names() else []
    found = {name.removesuffix("set") for name in known}
    return found.pop() if len(found) == 1 and found <= set(SIZES) else ""


def _published(part: str, table: str, names: Mapping[str, str], note: str = "") -> dict[str, Any]:
    """A layout's fields that follow from the set: its size, its published lines, or why there are
    none.
    """
    if not part:
        return {"notes": [_UNKNOWN_SET]}
    return {
        "size": SIZES[part],
        "published": read_published(_HERE / f"published_{part}_{table}.csv", names),
        "published_note": _SOURCE.format(part, part) + note,
    }


def _titled(what: str, part: str) -> str:
    return f"{what}, {part}set" if part else what


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
        title=_titled("TextEdit, classic metrics", part),
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
        strata="category",
        said_of_slices=_NUMBERED,
        headline="real_F1",
        sections=True,
        params=True,
        published_with=_other_engine(frame),
        **_published(part, "classic", sheet.names),
    )


def _other_engine(frame: Frame) -> str:
    """The released OCR engine, where another one read the run's outputs."""
    made = [source for source in frame.sources_of(OCR[0].name) if source]
    same = all(source.startswith(("paddleocr", "classic_metrics_eval.py")) for source in made)
    return "" if same else "PaddleOCR"


def judge(frame: Frame, variant: Variant, *, cut_off: bool, scheme: Scheme = PAPER) -> Layout:
    """The five judged questions on the 0-1 scale, and their weighted mean (paper: .4 .3 .1 .1 .1,
    cut-off at 4). Published lines stand beside the paper's scheme only.
    """
    threshold = scheme.threshold if cut_off else None
    as_paper = scheme.weights == PAPER.weights and threshold == PAPER.threshold
    sheet, part = Sheet(), part_of(frame)
    for split, title in SPLITS.items():
        for number, metric in enumerate(JUDGE):
            made, note = choose(frame, metric.name, variant)
            leaf = Leaf(
                metric=metric,
                variant=made,
                others=tuple(other for other in JUDGE if other is not metric),
                where={"split": title},
                shown=partial(normalise, number=number, threshold=threshold),
            )
            sheet.add(f"{split}_{metric.title}", leaf, above=(title,), note=note)
        keys = [f"{split}_{metric.title}" for metric in JUDGE]
        average = AVERAGE if cut_off else AVERAGE_NO_CUT_OFF
        formula = partial(weighted, weights=scheme.weights)
        sheet.combine(f"{split}_avg", average.metric, keys, formula, above=(title,))
    name = (
        f"with the cut-off (TA below {threshold:g} sets the others to 0)"
        if cut_off
        else "without the cut-off"
    )
    shown_beside = _published(part, "judge", sheet.names, _PERMUTED)
    shown_beside["published_with"] = made_with(frame, JUDGE[0].name, PAPERS_JUDGE)
    if not as_paper or not part:
        shown_beside |= {"published": (), "published_note": "", "published_with": ""}
    return Layout(
        name=f"textedit.judge{'' if cut_off else '_no_cutoff'}",
        title=f"{_titled('TextEdit, judged', part)}, {name}{scheme.named}",
        leaves=sheet.leaves,
        fields=sheet.fields,
        variant=variant,
        strata="category",
        said_of_slices=_NUMBERED,
        headline="real_avg",
        sections=True,
        params=True,
        **shown_beside,
    )


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
    """Raw scores as the table has them, NaN for one that is no number of the scale.

    Between two integers, where a mean over repeated judgements can lie, on the line between their
    values.
    """
    inside = (values >= LOW) & (values <= HIGH)
    return np.where(inside, on_scale(JUDGE[0], np.where(inside, values, LOW)), np.nan)


def settled(frame: Frame) -> Frame:
    """A frame without the judged scores that the released second step drops: those that are none of
    1, 2, 3, 4, 5.

    The released first step stores whatever integer a judge gives, and so do faithful rows. Such a
    score is read as ``unparsable``; with it the answer has no score (see `normalise`).
    """
    columns = frame.columns
    codes = [frame.metrics.index(name) for name in QUESTIONS if name in frame.metrics]
    odd = (
        np.isin(columns.metric, codes)
        & (columns.status == STATUSES.index(Status.SCORED))
        & ~np.isin(columns.value, list(NORMALISED))
    )
    if not odd.any():
        return frame
    unparsable = np.int32(STATUSES.index(Status.UNPARSABLE))
    return frame.with_columns(
        columns._replace(
            value=np.where(odd, np.nan, columns.value),
            status=np.where(odd, unparsable, columns.status).astype(np.int32),
        )
    )


def weighted(parts: Sequence[Moments], *, weights: Sequence[float] = PAPER.weights) -> Floats:
    """The weighted mean of the five questions."""
    return np.asarray(sum(weight * part.mean for weight, part in zip(weights, parts, strict=True)))
