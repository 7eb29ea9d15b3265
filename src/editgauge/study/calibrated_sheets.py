"""Corrected means and differences as tables: what `--calibrate` of `table` and `compare` shows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
_ANEW = (
    "The judge's weight is fitted anew for the difference: it is not the difference of the two "
    "corrected means."
)
_MORE = (
    "More ratings: samples to rate until a difference like this one is told from 0 with 80 % "
    "power; 'not possible here' where rating every sample would not do."
)


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


def means_table(benchmark: str, item: Calibrated, gold: str, strata: str = "") -> Table:
    """One metric of every editor: corrected, from the ratings alone, and the judge's own mean."""
    note = "share of draws in which the editor is best"
    columns = [
        Column(name="corrected", heading=("corrected",), digits=3, direction=item.direction),
        _column("alone", f"{gold} alone"),
        _column("judge", "judge alone"),
        _column("worth", "worth", 0),
        Column(name="first", heading=("first in",), digits=2, note=note),
        Column(name="ranks", heading=("ranks",)),
    ]
    lines = []
    for k, (editor, found) in enumerate(zip(item.editors, item.means, strict=True)):
        cells = {
            "corrected": _cell(found),
            "alone": _alone(found),
            "judge": Cell(value=_number(found.judge)),
            "worth": Cell(value=_number(found.effective)),
        }
        if item.ranks is not None:
            ends = dict.fromkeys((int(item.ranks.low[k]), int(item.ranks.high[k])))
            cells["first"] = Cell(value=float(item.ranks.first[k]))
            cells["ranks"] = Cell(value=None, text=" to ".join(map(str, ends)))
        lines.append(TableRow(name=editor, cells=cells))
    who = f"{item.annotators} annotators" if item.annotators else gold
    about = f"Gold: {who}; scores of every sample: {item.proxy} of {item.source or 'the run'}."
    return Table(
        name=f"{benchmark}.calibrated.{item.metric}",
        title=f"{benchmark}: {item.metric}, as if {gold} had rated everything",
        columns=columns,
        rows=lines,
        benchmark=benchmark,
        variant=item.variant,
        source=item.source,
        notes=[about, _HOW, _EFFECTIVE, *_strata(strata)],
        meta={"variants": [item.variant]},
    )


def differences_table(
    benchmark: str, a: str, b: str, found: Sequence[Difference], gold: str, strata: str = ""
) -> Table:
    """Every metric's difference B - A, corrected, and what it would take to decide it."""
    columns = [
        _column("a", a),
        _column("b", b),
        _column("difference", "B − A"),
        _column("alone", f"B − A, {gold} alone"),
        _column("worth", "worth", 0),
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
    about = f"A = {a}, B = {b}, on the samples both have; gold: {gold}."
    return Table(
        name=f"{benchmark}.calibrated.difference",
        title=f"{benchmark}: {b} against {a}, as if {gold} had rated everything",
        columns=columns,
        rows=lines,
        benchmark=benchmark,
        notes=[about, _HOW, _EFFECTIVE, _ANEW, _MORE, *_strata(strata)],
        meta={"names": "metric"},
    )


def _column(name: str, heading: str, digits: int = 3) -> Column:
    return Column(name=name, heading=(heading,), digits=digits)


def _strata(strata: str) -> list[str]:
    return [f"Strata: {strata}."] if strata else []


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _cell(found: Corrected) -> Cell:
    return _between(found.value, found.low, found.high)


def _alone(found: Corrected) -> Cell:
    cell = _between(found.alone, found.alone_low, found.alone_high)
    return cell if cell.value is None else replace(cell, n=found.rated, of=found.judged)


def _between(value: float, low: float, high: float) -> Cell:
    if math.isnan(value):
        return Cell(value=None)
    return Cell(value=value, low=_number(low), high=_number(high))


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
