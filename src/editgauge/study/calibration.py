"""A judge's scores corrected by gold, people's ratings or a stronger judge's on a few samples, with
the scores of the judge that rates the same metric on everything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from editgauge.errors import UnknownName, UsageError
from editgauge.statistics.prediction import (
    RATED,
    Corrected,
    Scale,
    corrected_mean,
)
from editgauge.study.agreement import cell
from editgauge.study.people import ALL, Floats, answers
from editgauge.study.scales import RANGES
from editgauge.tables import rows
from editgauge.tables.metrics import choose, metrics_of
from editgauge.tables.results import Results
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import VARIANTS, Direction, Variant

_HOW = (
    "Corrected: prediction-powered inference (PPI++, arXiv 2311.01453) for the mean of these "
    "samples, 95 %; unbiased whatever the judge's bias, if the rated samples were drawn at random "
    "(within strata). No interval where all ratings are alike."
)
_ANEW = (
    "The judge's weight is fitted anew for the difference: it is not the difference of the two "
    "corrected means."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What corrects which scores.

    `gold` is ``human``, or ``JUDGE@N``: a stronger judge on a seeded draw of N of all samples,
    whether they have gold or not (choosing among those that have some would be no draw). `proxies`
    are words ``QUESTION=METRIC``: the metric that stands for a question where it is not the one of
    its name. `strata` is the attribute that the rated samples were drawn by. `sources` and `where`
    choose the scores that are corrected, as everywhere.
    """

    gold: str
    benchmark: str = ""
    where: Sequence[str] = ()
    sources: Sequence[str] = ()
    proxies: Sequence[str] = ()
    strata: str = ""
    seed: int = 0


class Gold(NamedTuple):
    """What is believed: `values` (E, S) of one metric, NaN where nothing was rated, within `scale`;
    and what stands for it on every sample: `scores` (E, S) of the metric `proxy` by `source`.
    """

    metric: str
    variant: Variant
    direction: Direction
    values: Floats
    proxy: str
    scale: Scale
    annotators: int = 0
    scores: Floats = np.empty((0, 0))
    source: str = ""


def mean_tables(
    runs: Sequence[Path], asked: Calibration, editors: Sequence[str] = ()
) -> list[Table]:
    """Corrected means of every metric that has gold, each as a table. Raises `UsageError` where
    nothing is rated, and what `gold_of` raises.
    """
    return [
        _means(frame, one, asked) for frame, gold in _golds(runs, asked, editors) for one in gold
    ]


def difference_tables(runs: Sequence[Path], asked: Calibration, a: str, b: str) -> list[Table]:
    """Corrected differences B - A, a table for each benchmark. Raises as `mean_tables` does."""
    return [_differences(frame, gold, a, b, asked) for frame, gold in _golds(runs, asked, [a, b])]


def _golds(
    runs: Sequence[Path], asked: Calibration, editors: Sequence[str]
) -> Iterator[tuple[Results, list[Gold]]]:
    """Each benchmark's frame, and its gold where it has any."""
    rated = False
    every = rows.read(rows.open_runs(runs), asked.benchmark)
    _need_sources(every, asked.sources)
    for whole in every:
        frame = rows.narrowed(whole, asked.where, editors)
        if gold := gold_of(frame, asked):
            rated = True
            yield frame, gold
    if not rated:
        raise UsageError(
            f"{asked.gold}: nobody has rated anything in this run; see: editgauge study import "
            f"--help",
            argument="calibrate",
        )


def _need_sources(frames: Sequence[Results], sources: Sequence[str]) -> None:
    """Raise `UnknownName` for a source that none of the runs has."""
    for source in sources:
        if not any(frame.sources_called(source) for frame in frames):
            known = {name for frame in frames for name in frame.sources if name}
            there = ", ".join(sorted(known)) or "none"
            raise UnknownName(f"{source}: no such source; there are: {there}", argument="source")


def gold_of(frame: Results, asked: Calibration) -> list[Gold]:
    """The gold of a frame, each with the scores that it corrects; nothing where nobody rated.

    Raises `UnknownName` for a judge without rows, and `UsageError` for a word that is none and
    where no scores stand for any gold.
    """
    name, sign, number = asked.gold.rpartition("@")
    if sign and (not number.isdigit() or int(number) < 3):
        raise UsageError(
            f"{asked.gold}: wanted a number of samples, 3 or more, after @", argument="calibrate"
        )
    rest = frame.without_people()
    if (name or asked.gold) == ALL:
        gold = [*_rated(frame)]
    else:
        judge = _judge(rest, name or asked.gold)
        gold = [*_judged(rest.of_source(judge))]
        rest = rest.where(lambda key: key.source != judge)
    rest = rest.of_sources([one for one in asked.sources if rest.sources_called(one)])
    drawn = np.zeros(len(frame.samples))
    if sign:
        drawn[np.random.default_rng(asked.seed).permutation(len(drawn))[int(number) :]] = np.nan
    proxies = dict(word.partition("=")[::2] for word in asked.proxies)
    wanted = [
        one._replace(proxy=proxies.get(one.proxy, one.proxy), values=one.values + drawn)
        for one in gold
    ]
    scored = [found for one in wanted if (found := _scored(rest, one)) is not None]
    if gold and not scored:
        raise _too_few(rest, wanted, asked)
    return scored


def _judge(rest: Results, name: str) -> str:
    sources = rest.sources_called(name)
    if len(sources) != 1:
        there = ", ".join(source for source in rest.sources if source) or "none"
        why = f"{name}: wanted human or one judge of this run; sources here: {there}"
        raise UnknownName(why, argument="calibrate")
    return sources[0]


def _rated(frame: Results) -> Iterator[Gold]:
    for one in answers(frame):
        yield Gold(
            one.metric, "faithful", one.direction, one.mean, one.question, RANGES[one.scale],
            len(one.annotators),
        )  # fmt: skip


def _judged(frame: Results) -> Iterator[Gold]:
    for (metric, one), variant in product(metrics_of(frame).items(), VARIANTS):
        if frame.has(metric, variant):
            values, way = frame.grid(metric, variant).values, one.direction or "higher"
            yield Gold(metric, variant, way, values, metric, (one.low, one.high))


def _scored(rest: Results, one: Gold) -> Gold | None:
    """Gold with its metric's scores, in its own variant if any; None without enough samples."""
    variant, _ = choose(rest, one.proxy, one.variant)
    if not rest.has(one.proxy, variant):
        return None
    scores = rest.grid(one.proxy, variant).values
    rated = (np.isfinite(scores) & np.isfinite(one.values)).sum(axis=1)
    source = ", ".join(filter(None, rest.sources_of(one.proxy)))
    return one._replace(scores=scores, source=source) if rated.max() >= RATED else None


def _too_few(frame: Results, gold: Sequence[Gold], asked: Calibration) -> UsageError:
    wanted = ", ".join(sorted({item.proxy for item in gold}))
    here = ", ".join(sorted(metric for metric in frame.metrics if frame.has(metric))) or "none"
    return UsageError(
        f"{frame.benchmark}: too few samples rated by {asked.gold} ({RATED} at least), or no "
        f"metric of the run stands for {wanted}; say so by the setting proxy=QUESTION=METRIC, with "
        f"one of: {here}"
    )


def _means(frame: Results, one: Gold, asked: Calibration) -> Table:
    """One metric of every editor: corrected, from the ratings alone, and the judge's own mean."""
    labels = frame.samples.labels(asked.strata) if asked.strata else None
    lines = []
    for editor, y, f in zip(frame.editors, one.values, one.scores, strict=True):
        if np.isfinite(y).any() and np.isfinite(f).any():
            found = corrected_mean(y, f, strata=labels, scale=one.scale)
            cells = {
                "corrected": cell(*found[:3]),
                "alone": _alone(found),
                "judge": _number(found.judge),
            }
            lines.append(TableRow(name=editor, cells=cells))
    who = f"{one.annotators} annotators" if one.annotators else asked.gold
    about = f"Gold: {who}; scores of every sample: {one.proxy} of {one.source or 'the run'}."
    alone = f"{asked.gold} alone"
    headings = {"corrected": "corrected", "alone": alone, "judge": "judge alone"}
    return Table(
        name=f"{frame.benchmark}.calibrated.{one.metric}",
        title=f"{frame.benchmark}: {one.metric}, as if {asked.gold} had rated everything",
        columns=_columns(headings, corrected=one.direction),
        rows=lines,
        benchmark=frame.benchmark,
        variant=one.variant,
        source=one.source,
        notes=[about, _HOW, f"Strata: {asked.strata or 'none'}."],
        meta={"variants": [one.variant]},
    )


def _differences(frame: Results, gold: Sequence[Gold], a: str, b: str, asked: Calibration) -> Table:
    """Every metric's difference B - A, corrected, and what it would take to decide it."""
    labels = frame.samples.labels(asked.strata) if asked.strata else None
    lines = [line for one in gold if (line := _difference(one, labels)) is not None]
    if not lines:
        raise _too_few(frame, gold, asked)
    headings = {
        "a": a, "b": b, "difference": "B − A", "alone": f"B − A, {asked.gold} alone",
        "verdict": "B is",
    }  # fmt: skip
    about = f"A = {a}, B = {b}, on the samples both have; gold: {asked.gold}."
    return Table(
        name=f"{frame.benchmark}.calibrated.difference",
        title=f"{frame.benchmark}: {b} against {a}, as if {asked.gold} had rated everything",
        columns=_columns(headings),
        rows=lines,
        benchmark=frame.benchmark,
        notes=[about, _HOW, _ANEW, f"Strata: {asked.strata or 'none'}."],
        meta={"names": "metric"},
    )


def _difference(one: Gold, labels: ArrayLike | None) -> TableRow | None:
    """Of A and B, to which the frame was narrowed; None where nothing can be said."""
    rated, judged = (values[1] - values[0] for values in (one.values, one.scores))
    both, span = np.isfinite(judged), one.scale[1] - one.scale[0]
    found = corrected_mean(rated, judged, strata=labels, scale=(-span, span))
    if math.isnan(found.value):
        return None
    first, second = (
        corrected_mean(y, np.where(both, f, np.nan), strata=labels, scale=one.scale)
        for y, f in zip(one.values, one.scores, strict=True)
    )
    cells = {
        "a": cell(*first[:3]),
        "b": cell(*second[:3]),
        "difference": cell(*found[:3]),
        "alone": _alone(found),
        "verdict": Cell(text=verdict(found, one.direction)),
    }
    return TableRow(name=one.metric, cells=cells)


def verdict(found: Corrected, direction: Direction) -> str:
    """``better``, ``worse`` (B than A), ``no significant difference``, or ``too few to tell`` where
    there is no interval.
    """
    if math.isnan(found.low):
        return "too few to tell"
    if found.low <= 0 <= found.high:
        return "no significant difference"
    return "better" if (found.value > 0) == (direction == "higher") else "worse"


def _alone(found: Corrected) -> Cell:
    """What the ratings alone say."""
    return cell(found.alone, found.alone_low, found.alone_high, found.rated, found.judged)


def _number(value: float) -> Cell:
    return cell(value, math.nan, math.nan)


def _columns(headings: Mapping[str, str], **directions: Direction) -> list[Column]:
    return [
        Column(name=name, heading=(meaning,), direction=directions.get(name))
        for name, meaning in headings.items()
    ]
