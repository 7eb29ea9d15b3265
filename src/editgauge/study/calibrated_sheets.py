"""Corrected means and differences as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from editgauge.study.calibration import Calibrated, Difference
from editgauge.study.statistics.prediction import Corrected
from editgauge.tables.table import Cell, Column, Table, TableRow

_HOW = (
    "Corrected: prediction-powered inference (PPI++, arXiv 2311.01453) over samples, 95 %; "
    "unbiased whatever the judge's bias, if the rated samples were drawn at random (within strata)."
)
_EFFECTIVE = "Worth: how many ratings alone would give as narrow an interval."


def _cell(found: Corrected) -> Cell:
    if math.isnan(found.value):
        return Cell(None)
    return Cell(found.value, low=found.low, high=found.high)


def _alone(found: Corrected) -> Cell:
    if math.isnan(found.alone):
        return Cell(None)
    return Cell(found.alone, n=found.rated, of=found.judged, low=found.alone_low,
                high=found.alone_high)  # fmt: skip


def means_table(benchmark: str, item: Calibrated, gold: str, strata: str = "") -> Table:
    """One metric of every editor: corrected, from the ratings alone, and the judge's own mean."""
    columns = [
        Column("corrected", ("corrected",), 3, item.direction),
        Column("alone", (f"{gold} alone",), 3),
        Column("judge", ("judge alone",), 3),
        Column("worth", ("worth",), 0),
        Column("first", ("first in",), 2, note="share of draws in which the editor is best"),
        Column("ranks", ("ranks",)),
    ]
    rows = []
    for k, (editor, found) in enumerate(zip(item.editors, item.means, strict=True)):
        cells = {
            "corrected": _cell(found),
            "alone": _alone(found),
            "judge": Cell(None if math.isnan(found.judge) else found.judge),
            "worth": Cell(None if math.isnan(found.effective) else found.effective),
        }
        if item.ranks is not None:
            low, high = int(item.ranks.low[k]), int(item.ranks.high[k])
            cells["first"] = Cell(float(item.ranks.first[k]))
            cells["ranks"] = Cell(None, text=f"{low}" if low == high else f"{low} to {high}")
        rows.append(TableRow(editor, cells))
    who = f"{item.annotators} annotators" if item.annotators else gold
    notes = [
        f"Gold: {who}; scores of every sample: {item.proxy} of {item.source or 'the run'}.",
        _HOW,
        _EFFECTIVE,
    ]
    notes += [f"Strata: {strata}."] if strata else []
    return Table(
        f"{benchmark}.calibrated.{item.metric}",
        f"{benchmark}: {item.metric}, as if {gold} had rated everything",
        columns,
        rows,
        benchmark=benchmark,
        variant=item.variant,
        source=item.source,
        notes=notes,
        meta={"variants": [item.variant]},
    )


def differences_table(
    benchmark: str, a: str, b: str, found: Sequence[Difference], gold: str, strata: str = ""
) -> Table:
    """Every metric's difference B - A, corrected, and what it would take to decide it."""
    columns = [
        Column("a", (a,), 3),
        Column("b", (b,), 3),
        Column("difference", ("B − A",), 3),
        Column("alone", (f"B − A, {gold} alone",), 3),
        Column("worth", ("worth",), 0),
        Column("verdict", ("B is",)),
        Column("more", ("more ratings",)),
    ]
    rows = []
    for item in found:
        told = "not possible here" if item.more is None else str(item.more)
        cells = {
            "a": _cell(item.a),
            "b": _cell(item.b),
            "difference": _cell(item.difference),
            "alone": _alone(item.difference),
            "worth": Cell(item.difference.effective),
            "verdict": Cell(None, text=item.verdict),
            "more": Cell(None, text=told),
        }
        rows.append(TableRow(item.metric, cells))
    notes = [
        f"A = {a}, B = {b}, on the samples both have; gold: {gold}.",
        _HOW,
        _EFFECTIVE,
        (
            "More ratings: samples to rate until a difference like this one is told from 0 with "
            "80 % power; 'not possible here' where rating every sample would not do."
        ),
    ]
    notes += [f"Strata: {strata}."] if strata else []
    return Table(
        f"{benchmark}.calibrated.difference",
        f"{benchmark}: {b} against {a}, as if {gold} had rated everything",
        columns,
        rows,
        benchmark=benchmark,
        notes=notes,
        meta={"names": "metric"},
    )
