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
        return Cell(value=None)
    return Cell(value=found.value, low=found.low, high=found.high)


def _alone(found: Corrected) -> Cell:
    if math.isnan(found.alone):
        return Cell(value=None)
    return Cell(value=found.alone, n=found.rated, of=found.judged, low=found.alone_low,
                high=found.alone_high)  # fmt: skip


def means_table(benchmark: str, item: Calibrated, gold: str, strata: str = "") -> Table:
    """One metric of every editor: corrected, from the ratings alone, and the judge's own mean."""
    columns = [
        Column(name="corrected", heading=("corrected",), digits=3, direction=item.direction),
        Column(name="alone", heading=(f"{gold} alone",), digits=3),
        Column(name="judge", heading=("judge alone",), digits=3),
        Column(name="worth", heading=("worth",), digits=0),
        Column(
            name="first",
            heading=("first in",),
            digits=2,
            note="share of draws in which the editor is best",
        ),
        Column(name="ranks", heading=("ranks",)),
    ]
    rows = []
    for k, (editor, found) in enumerate(zip(item.editors, item.means, strict=True)):
        cells = {
            "corrected": _cell(found),
            "alone": _alone(found),
            "judge": Cell(value=None if math.isnan(found.judge) else found.judge),
            "worth": Cell(value=None if math.isnan(found.effective) else found.effective),
        }
        if item.ranks is not None:
            low, high = int(item.ranks.low[k]), int(item.ranks.high[k])
            cells["first"] = Cell(value=float(item.ranks.first[k]))
            cells["ranks"] = Cell(value=None, text=f"{low}" if low == high else f"{low} to {high}")
        rows.append(TableRow(name=editor, cells=cells))
    who = f"{item.annotators} annotators" if item.annotators else gold
    notes = [
        f"Gold: {who}; scores of every sample: {item.proxy} of {item.source or 'the run'}.",
        _HOW,
        _EFFECTIVE,
    ]
    notes += [f"Strata: {strata}."] if strata else []
    return Table(
        name=f"{benchmark}.calibrated.{item.metric}",
        title=f"{benchmark}: {item.metric}, as if {gold} had rated everything",
        columns=columns,
        rows=rows,
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
        Column(name="a", heading=(a,), digits=3),
        Column(name="b", heading=(b,), digits=3),
        Column(name="difference", heading=("B − A",), digits=3),
        Column(name="alone", heading=(f"B − A, {gold} alone",), digits=3),
        Column(name="worth", heading=("worth",), digits=0),
        Column(name="verdict", heading=("B is",)),
        Column(name="more", heading=("more ratings",)),
    ]
    rows = []
    for item in found:
        told = "not possible here" if item.more is None else str(item.more)
        cells = {
            "a": _cell(item.a),
            "b": _cell(item.b),
            "difference": _cell(item.difference),
            "alone": _alone(item.difference),
            "worth": Cell(value=item.difference.effective),
            "verdict": Cell(value=None, text=item.verdict),
            "more": Cell(value=None, text=told),
        }
        rows.append(TableRow(name=item.metric, cells=cells))
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
        name=f"{benchmark}.calibrated.difference",
        title=f"{benchmark}: {b} against {a}, as if {gold} had rated everything",
        columns=columns,
        rows=rows,
        benchmark=benchmark,
        notes=notes,
        meta={"names": "metric"},
    )
