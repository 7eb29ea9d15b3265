"""Corrected means and differences as tables: what `--calibrate` of `table` and `compare` shows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from editgauge.errors import EditgaugeError, UsageError
from editgauge.statistics.prediction import Corrected
from editgauge.study.calibration import (
    Calibrated,
    Difference,
    Gold,
    calibrated,
    differences,
    gold_of,
)
from editgauge.study.people import directions_of
from editgauge.tables import rows
from editgauge.tables.results import Results
from editgauge.tables.table import Cell, Column, Table, TableRow

_HOW = (
    "Corrected: prediction-powered inference (PPI++, arXiv 2311.01453) for the mean of these "
    "samples, 95 %; unbiased whatever the judge's bias, if the rated samples were drawn at random "
    "(within strata). No interval where all ratings are alike."
)
_EFFECTIVE = "Worth: how many ratings alone would give as narrow an interval."


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What corrects which scores.

    `gold` is ``human``, or ``JUDGE@N``: a stronger judge on N samples. `proxies` are words
    ``QUESTION=METRIC``: the metric that stands for a question where it is not the one of its name.
    `strata` is the attribute that the rated samples were drawn by. `sources` and `where` choose the
    scores that are corrected, as everywhere.
    """

    gold: str
    benchmark: str = ""
    where: Sequence[str] = ()
    sources: Sequence[str] = ()
    proxies: Sequence[str] = ()
    strata: str = ""
    seed: int = 0


def mean_tables(
    runs: Sequence[Path], calibration: Calibration, editors: Sequence[str] = ()
) -> list[Table]:
    """Corrected means of every metric that has gold, each as a table. Raises `UsageError` where
    nothing is rated, and what `gold_of` raises where no gold is of use.
    """
    asked = calibration
    sheets: list[Table] = []
    for frame, items in _golds(runs, asked, editors):
        made = calibrated(frame, items, strata=asked.strata, seed=asked.seed)
        sheets += [means_table(frame.benchmark, item, asked.gold, asked.strata) for item in made]
    return sheets


def difference_tables(
    runs: Sequence[Path], calibration: Calibration, a: str, b: str
) -> list[Table]:
    """Corrected differences B - A of two editors, a table for each benchmark. Raises as
    `mean_tables` does.
    """
    asked = calibration
    sheets: list[Table] = []
    for frame, items in _golds(runs, asked, [a, b]):
        made = differences(frame, items, a, b, strata=asked.strata)
        sheets.append(differences_table(frame.benchmark, a, b, made, asked.gold, asked.strata))
    return sheets


def _cell(found: Corrected) -> Cell:
    if math.isnan(found.value):
        return Cell(value=None)
    return Cell(value=found.value, low=_limit(found.low), high=_limit(found.high))


def _alone(found: Corrected) -> Cell:
    if math.isnan(found.alone):
        return Cell(value=None)
    return Cell(value=found.alone, n=found.rated, of=found.judged,
                low=_limit(found.alone_low), high=_limit(found.alone_high))  # fmt: skip


def _limit(value: float) -> float | None:
    return None if math.isnan(value) else value


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
    lines = []
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
        lines.append(TableRow(name=editor, cells=cells))
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
        rows=lines,
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
    lines = []
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
        lines.append(TableRow(name=item.metric, cells=cells))
    notes = [
        f"A = {a}, B = {b}, on the samples both have; gold: {gold}.",
        _HOW,
        _EFFECTIVE,
        (
            "The judge's weight is fitted anew for the difference: it is not the difference of the "
            "two corrected means."
        ),
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
        rows=lines,
        benchmark=benchmark,
        notes=notes,
        meta={"names": "metric"},
    )


def _golds(
    runs: Sequence[Path], asked: Calibration, editors: Sequence[str]
) -> Iterator[tuple[Results, list[Gold]]]:
    """Each benchmark's frame of scores and its gold. Raises the first error where none has any."""
    given = dict(word.partition("=")[::2] for word in asked.proxies)
    if not all(given.values()):
        raise UsageError("proxy: wanted QUESTION=METRIC, such as --set proxy=CP=masked_ssim")
    every = rows.read(rows.open_runs(runs), asked.benchmark, editors)
    frames = [rows.narrowed(frame, asked.where, editors) for frame in every]
    errors: list[EditgaugeError] = []
    rated = 0
    for frame in frames:
        try:
            rest, items = gold_of(
                frame, asked.gold, directions_of(frame), proxies=given, seed=asked.seed
            )
            known = [name for name in asked.sources if rest.sources_called(name)]
            rest = rest.of_sources(known)
        except EditgaugeError as error:
            errors.append(error)
            continue
        if items:
            rated += 1
            yield rest, items
    if not rated:
        nobody = UsageError(
            f"--calibrate {asked.gold}: nobody has rated anything in this run; see: editgauge "
            f"study import --help"
        )
        raise errors[0] if errors else nobody
