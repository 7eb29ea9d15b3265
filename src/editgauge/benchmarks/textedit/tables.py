"""TextEdit's tables: classic (OCR, CLIP, AES) and judge (cut-off on and off), Real and Virtual,
full set and miniset.

The judge's raw 1-5 becomes 0-1 by a table, not a line; with the cut-off, Q1 below 4 sets the other
four to 0. An answer that lacks a score it needs, or has one that is none of 1 to 5, is dropped from
all means, as in the released script.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from editgauge.benchmarks.textedit.facts import (
    AES,
    AVERAGE,
    AVERAGE_NO_CUT_OFF,
    CLIP,
    CUT_OFF,
    HIGH,
    JUDGE,
    LOW,
    NORMALISED,
    QUESTIONS,
    SIZES,
    SPLITS,
    WEIGHTS,
)
from editgauge.errors import UsageError
from editgauge.scoring.metrics import OCR
from editgauge.tables.metrics import on_scale
from editgauge.tables.results import SCORED, STATUSES, Cube, Results
from editgauge.tables.spec import (
    Column,
    Floats,
    Mean,
    PaperTable,
    Published,
    Sizes,
    read_published,
)
from editgauge.tables.table import TableRow
from editgauge.types import Status

CLASSIC = (*OCR, CLIP, AES)
PAPERS_WEIGHTS = tuple(WEIGHTS.values())
PAPERS_JUDGE = "gemini-3-pro"
_SOURCE = "Published: arXiv 2603.09877 and its repository, {0}set; means over the whole {0}set."
_PERMUTED = " Columns in the order that is consistent, not as printed (see editgauge audit)."
_NUMBERED = {
    "category": "The release numbers its 18 categories and nowhere names them: 1.1.1 to 1.4.4 are "
    "Virtual, 2.1 to 2.7 Real."
}
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
    """Raw scores as the table has them, NaN for one that is no number of the scale.

    Between two integers, where a mean over repeated judgements can lie, on the line between their
    values.
    """
    inside = (values >= LOW) & (values <= HIGH)
    return np.where(inside, on_scale(JUDGE[0], np.where(inside, values, LOW)), np.nan)


def weighted(means: Floats, sizes: Sizes, *, weights: Sequence[float] = PAPERS_WEIGHTS) -> Floats:
    """The weighted mean of the five questions."""
    del sizes
    return np.asarray(sum(weight * means[..., k] for k, weight in enumerate(weights)))


def _classic_columns() -> list[Column]:
    """OA, OP, OR, F1, NED, CLIP, AES as plain means."""
    return [
        Column(f"{split}_{metric.title}", (Mean(metric.name, {"split": title}),), (title,))
        for split, title in SPLITS.items()
        for metric in CLASSIC
    ]


def judged(
    threshold: float | None = CUT_OFF, weights: Sequence[float] = PAPERS_WEIGHTS
) -> list[Column]:
    """The five judged questions on the 0-1 scale, and their weighted mean (paper: .4 .3 .1 .1 .1,
    cut-off at 4).
    """
    average = AVERAGE_NO_CUT_OFF if threshold is None else AVERAGE
    found: list[Column] = []
    for split, title in SPLITS.items():
        means = tuple(
            Mean(
                metric.name,
                {"split": title},
                partial(normalise, number=number, threshold=threshold),
                tuple(other.name for other in JUDGE if other is not metric),
            )
            for number, metric in enumerate(JUDGE)
        )
        found += [
            Column(f"{split}_{metric.title}", (mean,), (title,))
            for metric, mean in zip(JUDGE, means, strict=True)
        ]
        formula = partial(weighted, weights=weights)
        found.append(Column(f"{split}_avg", means, (title,), average.metric.name, formula))
    return found


def _titled(what: str, part: str) -> str:
    return f"{what}, {part}set" if part else what


def classic(part: str) -> PaperTable:
    """The classic table of the full set or the miniset; without published lines where the samples
    are of no one set ("").
    """
    return PaperTable(
        name="textedit.classic",
        title=_titled("TextEdit, classic metrics", part),
        columns=_classic_columns(),
        strata="category",
        said_of_slices=_NUMBERED,
        headline="real_F1",
        sections=True,
        params=True,
        size=SIZES.get(part),
        notes=() if part else (_TWO_SETS,),
        published=[
            Published(
                rows=partial(published, part, "classic"),
                note=_SOURCE.format(part),
                made_with="PaddleOCR",
                metric=OCR[0].name,
                is_it=lambda source: source.startswith(("paddleocr", "classic_metrics_eval.py")),
            )
        ]
        if part
        else (),
    )


def judge(
    part: str, threshold: float | None = CUT_OFF, weights: Sequence[float] = PAPERS_WEIGHTS
) -> PaperTable:
    """The judged table with a cut-off (None: without). Published lines stand beside the paper's
    weights and cut-off only.
    """
    name = (
        "without the cut-off"
        if threshold is None
        else f"with the cut-off (TA below {threshold:g} sets the others to 0)"
    )
    if tuple(weights) != PAPERS_WEIGHTS:
        told = " ".join(f"{weight:g}".removeprefix("0") for weight in weights)
        name = f"{name}, weighted {told}"
    as_paper = tuple(weights) == PAPERS_WEIGHTS and threshold == CUT_OFF
    return PaperTable(
        name=f"textedit.judge{'_no_cutoff' if threshold is None else ''}",
        title=f"{_titled('TextEdit, judged', part)}, {name}",
        columns=judged(threshold, weights),
        strata="category",
        said_of_slices=_NUMBERED,
        headline="real_avg",
        sections=True,
        params=True,
        size=SIZES.get(part),
        notes=() if part else (_TWO_SETS,),
        published=[
            Published(
                rows=partial(published, part, "judge"),
                note=_SOURCE.format(part) + _PERMUTED,
                made_with=PAPERS_JUDGE,
                metric=JUDGE[0].name,
            )
        ]
        if part and as_paper
        else (),
    )


def tables(
    frame: Results, *, threshold: float = CUT_OFF, weights: Sequence[float] = PAPERS_WEIGHTS
) -> list[PaperTable]:
    """Classic table, and the judge's with and without the cut-off."""
    part = part_of(frame)
    return [classic(part), judge(part, threshold, weights), judge(part, None, weights)]


def part_of(frame: Results) -> str:
    """``full`` or ``mini``, as the samples say; "" where they do not, or say both. It is never
    guessed from their number.
    """
    known = frame.samples.labels("set").tolist() if "set" in frame.samples.names() else []
    found = {name.removesuffix("set") for name in known}
    return found.pop() if len(found) == 1 and found <= set(SIZES) else ""


def scheme(
    *, weights: Sequence[float] | None = None, cutoff: float | None = None
) -> Callable[[Results], list[PaperTable]]:
    """`tables` with other weights and another threshold than the paper's. Raises `UsageError` for
    weights that are not five numbers from 0 that add up to 1, or a threshold outside the scale.
    """
    if weights is not None:
        good = len(weights) == len(QUESTIONS) and all(weight >= 0 for weight in weights)
        if not good or abs(sum(weights) - 1) > 1e-6:
            raise UsageError(
                f"weights {','.join(f'{weight:g}' for weight in weights)}: wanted "
                f"{len(QUESTIONS)} numbers from 0 ({', '.join(QUESTIONS.values())}) that add up to "
                f"1, such as {','.join(f'{weight:g}' for weight in PAPERS_WEIGHTS)}"
            )
    if cutoff is not None and not LOW <= cutoff <= HIGH:
        raise UsageError(f"cutoff {cutoff:g}: wanted a score from {LOW} to {HIGH}")
    return partial(
        tables,
        threshold=CUT_OFF if cutoff is None else cutoff,
        weights=PAPERS_WEIGHTS if weights is None else tuple(weights),
    )


def settled(results: Results) -> Results:
    """Results without the judged scores that the released second step drops: those that are none of
    1, 2, 3, 4, 5.

    The released first step stores whatever integer a judge gives, and so do faithful rows. Such a
    score is read as ``unparsable``; with it the answer has no score (see `normalise`).
    """
    cubes = dict(results.cubes)
    for key, (values, status) in results.cubes.items():
        if key.metric in QUESTIONS:
            odd = (status == SCORED) & ~np.isin(values, list(NORMALISED))
            cubes[key] = Cube(np.where(odd, np.nan, values), np.where(odd, _UNPARSABLE, status))
    return replace(results, cubes=cubes)


_UNPARSABLE = np.int8(STATUSES.index(Status.UNPARSABLE))
