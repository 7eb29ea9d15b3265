"""What can be checked in TextEdit's published tables: the weighted mean of the judge's five
questions, and OCR's F1.

When the printed averages do not follow from the printed columns, the columns may have been
permuted: every way to give the ten columns of scores to the two averages is tried, and the ways
that explain all of them are reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from editgauge.benchmarks.textedit.facts import QUESTIONS, SPLITS, WEIGHTS
from editgauge.tables.audit import Audit, Report, Sheet, models, weighted_sum, within

_HERE = Path(__file__).parent
_QUESTIONS = tuple(QUESTIONS.values())
_WEIGHTS = tuple(WEIGHTS.values())
_COLUMNS = [f"{split}_{name}" for split in SPLITS for name in _QUESTIONS]
_INTERLEAVED = (0, 5, 1, 6, 2, 7, 3, 8, 4, 9)
"""Place k of Real's five and then Virtual's five, when ten values in that order stand under a
header that alternates Real and Virtual: the k-th value is printed in the column with this number.
"""


def classic(sheet: Sheet, report: Report) -> None:
    """OCR scores: their scale; and that a mean of F1s is not above the F1 of the means (Jensen)."""
    for line in models(sheet, report, []):
        for split in SPLITS:
            within(
                sheet, report, line, [f"{split}_{m}" for m in ("OA", "OP", "OR", "F1", "NED")], 0, 1
            )
            parts = sheet.numbers(line, [f"{split}_OP", f"{split}_OR"])
            printed = sheet.number(line, f"{split}_F1")
            if parts is not None and printed is not None:
                high, other = (part.value + part.half for part in parts)
                most = 2 * high * other / (high + other)
                rule = "a mean of F1s cannot be above the harmonic mean of OP and OR"
                report.between(sheet.title(line), f"{split}_F1", printed, 0, most, rule)


def judge(sheet: Sheet, report: Report) -> None:
    """Each average is .4 TA + .3 TP + .1 SI + .1 LR + .1 VC; where not, which order of the columns
    is consistent.
    """
    lines = list(models(sheet, report, []))
    for line in lines:
        within(sheet, report, line, _COLUMNS, 0, 1)
        for split in SPLITS:
            parts = sheet.numbers(line, [f"{split}_{name}" for name in _QUESTIONS])
            printed = sheet.number(line, f"{split}_avg")
            if parts is not None and printed is not None:
                value, room = weighted_sum(parts, _WEIGHTS)
                rule = "the weighted mean .4 TA + .3 TP + .1 (SI + LR + VC)"
                report.equal(sheet.title(line), f"{split}_avg", printed, value, room, rule)
    if report.findings:
        report.remarks += _explain(sheet, lines)


def _explain(sheet: Sheet, lines: Sequence[Mapping[str, str]]) -> list[str]:
    """Which order of the columns would make every average follow, in words."""
    scores, averages, room = [], [], 0.0
    for line in lines:
        cells = sheet.numbers(line, _COLUMNS)
        means = sheet.numbers(line, [f"{split}_avg" for split in SPLITS])
        if cells is not None and means is not None:
            scores.append([cell.value for cell in cells])
            averages.append([mean.value for mean in means])
            room = max(room, *(cell.half + mean.half for cell in cells for mean in means))
    if not scores:
        return []
    found = consistent_orders(np.array(scores), np.array(averages), room)
    if not found:
        return [
            (
                "No order of the ten columns makes every average follow: the numbers themselves "
                "are at "
                "fault."
            )
        ]
    others = (
        f"{len(found) - 1} other orders would do" if len(found) > 1 else "no other order would do"
    )
    equal = f"Up to the order of SI, LR and VC, which have one weight, {others}."
    if _as_sets(_INTERLEAVED) in {_as_sets(order) for order in found}:
        why = "the header alternates Real and Virtual, the lines do not"
        return [
            f"The columns are permuted: {why}. Consistent in every line: {_named(_INTERLEAVED)}.",
            equal,
        ]
    return [
        f"The columns are permuted. An order that is consistent in every line: {_named(found[0])}.",
        equal,
    ]


def consistent_orders(
    scores: NDArray[np.float64], averages: NDArray[np.float64], room: float
) -> list[tuple[int, ...]]:
    """Every way to take Real's and Virtual's five scores from ten columns so that all weighted
    means are as printed.

    `scores` (lines, 10), `averages` (lines, 2), `room`: how far rounding may move a weighted mean.
    Returns tuples of ten column numbers in the order TA, TP, SI, LR, VC of Real, then of Virtual;
    SI, LR, VC in ascending order.
    """
    found = []
    for real in _choices(range(10)):
        if _follows(scores, averages[:, 0], real, room):
            rest = [column for column in range(10) if column not in real]
            found += [
                (*real, *v) for v in _choices(rest) if _follows(scores, averages[:, 1], v, room)
            ]
    return found


def _choices(columns: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for accuracy in columns:
        for preserved in columns:
            if preserved != accuracy:
                rest = [column for column in columns if column not in (accuracy, preserved)]
                yield from ((accuracy, preserved, *three) for three in combinations(rest, 3))


def _follows(
    scores: NDArray[np.float64], averages: NDArray[np.float64], order: Sequence[int], room: float
) -> bool:
    return bool(
        (np.abs(scores[:, list(order)] @ np.array(_WEIGHTS) - averages) <= room + 1e-9).all()
    )


def _as_sets(order: Sequence[int]) -> tuple[object, ...]:
    return (order[0], order[1], frozenset(order[2:5]), order[5], order[6], frozenset(order[7:10]))


def _named(order: Sequence[int]) -> str:
    pairs = zip(_COLUMNS, (_COLUMNS[place] for place in order), strict=True)
    return ", ".join(
        f"{true} is printed under {printed}" for true, printed in pairs if true != printed
    )


AUDITS = (
    Audit(
        "textedit, classic",
        frozenset({"model", "real_OA", "virtual_NED"}),
        classic,
        (_HERE / "published_full_classic.csv", _HERE / "published_mini_classic.csv"),
    ),
    Audit(
        "textedit, judge",
        frozenset({"model", "real_TA", "virtual_avg"}),
        judge,
        tuple(
            _HERE / f"published_{part}_judge{kind}.csv"
            for part in ("full", "mini")
            for kind in ("", "_as_printed")
        ),
    ),
)
