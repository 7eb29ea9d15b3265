"""What can be checked in TextEdit's published tables: the weighted mean of the judge's five
questions, and OCR's F1 (Jensen: a mean of F1s is not above the F1 of the means).

Where the printed averages do not follow from the printed columns, the columns may stand under
another header: it is tried whether the order that the README's header suggests explains them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from editgauge.benchmarks.textedit.facts import QUESTIONS, SPLITS, WEIGHTS
from editgauge.tables.audit import Audit, Line, Printed, Report, limits, scale, total, weighted_sum

_HERE = Path(__file__).parent
_QUESTIONS = tuple(QUESTIONS.values())
_WEIGHTS = tuple(WEIGHTS.values())
_ASKED = {split: tuple(f"{split}_{name}" for name in _QUESTIONS) for split in SPLITS}
_COLUMNS = tuple(name for asked in _ASKED.values() for name in asked)
_INTERLEAVED = (0, 5, 1, 6, 2, 7, 3, 8, 4, 9)
"""Place k of Real's five and then Virtual's five, when ten values in that order stand under a
header that alternates Real and Virtual: the k-th value is printed in the column with this number.
"""
_OCR = {split: tuple(f"{split}_{m}" for m in ("OA", "OP", "OR", "F1", "NED")) for split in SPLITS}


def _f1(precision: Printed, recall: Printed) -> tuple[float, float]:
    """Between which F1s a mean F1 lies beside the means of precision and recall."""
    most, other = precision.value + precision.half, recall.value + recall.half
    return 0.0, 2 * most * other / (most + other)


def permuted(lines: Sequence[Line], report: Report) -> None:
    """Remarks on the order of the columns, where averages do not follow from them as they stand."""
    if not report.findings:
        return
    where = dict(zip(_COLUMNS, (_COLUMNS[place] for place in _INTERLEAVED), strict=True))
    for line in lines:
        for split, asked in _ASKED.items():
            parts = line.numbers([where[name] for name in asked])
            printed = line.cells.get(f"{split}_avg")
            if parts is not None and printed is not None:
                value, room = weighted_sum(parts, _WEIGHTS)
                if abs(value - printed.value) > room + printed.half + 1e-9:
                    told = "the numbers themselves, or another order of the columns, are at fault"
                    report.remarks.append(f"Averages do not follow from the columns: {told}.")
                    return
    named = ", ".join(f"{true} is printed under {place}" for true, place in where.items()
                      if true != place)  # fmt: skip
    report.remarks.append(
        "The columns are permuted: the header alternates Real and Virtual, the lines do not. "
        f"Consistent in every line: {named}."
    )
    report.remarks.append("SI, LR and VC have one weight: their order cannot be told from means.")


AUDITS = (
    Audit(
        "textedit, classic",
        frozenset({"model", "real_OA", "virtual_NED"}),
        tuple(name for names in _OCR.values() for name in names),
        (
            scale(0, 1, *(name for names in _OCR.values() for name in names)),
            *(
                limits(
                    f"{split}_F1",
                    (f"{split}_OP", f"{split}_OR"),
                    _f1,
                    "a mean of F1s cannot be above the harmonic mean of OP and OR",
                )
                for split in SPLITS
            ),
        ),
        (_HERE / "published_full_classic.csv", _HERE / "published_mini_classic.csv"),
    ),
    Audit(
        "textedit, judge",
        frozenset({"model", "real_TA", "virtual_avg"}),
        (*_COLUMNS, *(f"{split}_avg" for split in SPLITS)),
        (
            scale(0, 1, *_COLUMNS),
            *(
                total(f"{split}_avg", asked, _WEIGHTS,
                      "the weighted mean .4 TA + .3 TP + .1 (SI + LR + VC)")
                for split, asked in _ASKED.items()
            ),
            permuted,
        ),
        tuple(
            _HERE / f"published_{part}_judge{kind}.csv"
            for part in ("full", "mini")
            for kind in ("", "_as_printed")
        ),
    ),
)  # fmt: skip
