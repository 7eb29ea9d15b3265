"""A judge's scores corrected by gold, people's ratings or a stronger judge's on a few samples, with
the scores of the judge that rates the same metric on everything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
from editgauge.study.people import ALL, Floats, answers, mean_of
from editgauge.tables import rows
from editgauge.tables.grid import NOTHING
from editgauge.tables.metrics import choose, declared_of, metrics_of, on_scale, range_text, unknown
from editgauge.tables.results import Results
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import JUDGE_SCORER, VARIANTS, Direction, Metric, Variant

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
    and what stands for it on every sample: `scores` (E, S) of the metric `proxy` by `source`,
    within `proxy_scale`. `by_judge`: a judge gave these scores.
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
    proxy_scale: Scale = (-math.inf, math.inf)
    by_judge: bool = True


def mean_tables(
    runs: Sequence[Path], asked: Calibration, editors: Sequence[str] = ()
) -> list[Table]:
    """Corrected means of every metric that has gold, each as a table. Raises `UsageError` where
    nothing is rated, and what `gold_of` raises.
    """
    golds = _golds(runs, asked, editors, printed=True)
    return [_means(frame, one, asked) for frame, gold in golds for one in gold]


def difference_tables(runs: Sequence[Path], asked: Calibration, a: str, b: str) -> list[Table]:
    """Corrected differences B - A, a table for each benchmark, on the scale of the stored scores,
    as all of `compare` is. Raises as `mean_tables` does.
    """
    golds = _golds(runs, asked, [a, b], printed=False)
    return [_differences(frame, gold, a, b, asked) for frame, gold in golds]


def _golds(
    runs: Sequence[Path], asked: Calibration, editors: Sequence[str], *, printed: bool
) -> Iterator[tuple[Results, list[Gold]]]:
    """Each benchmark's frame, and its gold where it has any."""
    rated = False
    for whole in rows.read(rows.open_runs(runs), asked.benchmark):
        frame = rows.narrowed(whole, asked.where, editors)
        if gold := gold_of(frame, asked, printed=printed):
            rated = True
            yield frame, gold
    if not rated:
        raise UsageError(
            f"{asked.gold}: nobody has rated anything in this run; see: editgauge study import "
            f"--help",
            argument="calibrate",
        )


def gold_of(frame: Results, asked: Calibration, *, printed: bool = False) -> list[Gold]:
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
        gold = [*_rated(frame, printed)]
    else:
        judge = _judge(rest, name or asked.gold)
        gold = [*_judged(rest.of_source(judge), printed)]
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
    scored = [found for one in wanted if (found := _scored(rest, one, printed)) is not None]
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


def _scale(metric: Metric, printed: bool) -> Callable[[Floats], Floats]:
    """From a metric's stored values to those that its benchmark prints, or to themselves."""
    return partial(on_scale, metric) if printed else lambda values: values


def _ends(metric: Metric, printed: bool, low: float, high: float) -> Scale:
    """Two values of a metric on the scale of `_scale`, the smaller one first."""
    ends = _scale(metric, printed)(np.array([low, high]))
    return float(ends.min()), float(ends.max())


def _rated(frame: Results, printed: bool) -> Iterator[Gold]:
    """People's ratings on the scale of the metric that the question is named after, where the
    benchmark has one; else on their own.
    """
    declared = declared_of(frame)
    for one in answers(frame):
        metric = declared.get(one.metric) or unknown(one.metric)
        yield Gold(
            metric=one.metric,
            variant="faithful",
            direction=one.direction,
            values=mean_of(_scale(metric, printed)(one.each_as_metric)),
            proxy=one.question,
            scale=_ends(metric, printed, *one.range),
            annotators=len(one.annotators),
        )


def _judged(frame: Results, printed: bool) -> Iterator[Gold]:
    for (metric, one), variant in product(metrics_of(frame).items(), VARIANTS):
        if frame.has(metric, variant):
            values = frame.grid(metric, variant, _scale(one, printed)).values
            scale = _ends(one, printed, one.low, one.high)
            given = values[np.isfinite(values)].tolist()  # faithful scores may leave their scale
            scale = (min([scale[0], *given]), max([scale[1], *given]))
            yield Gold(metric, variant, one.direction or "higher", values, metric, scale)


def _scored(rest: Results, one: Gold, printed: bool) -> Gold | None:
    """Gold with its metric's scores, in its own variant if any; None without enough samples."""
    variant, _ = choose(rest, one.proxy, one.variant)
    if not rest.has(one.proxy, variant):
        return None
    metric = declared_of(rest).get(one.proxy) or unknown(one.proxy)
    scores = rest.grid(one.proxy, variant, _scale(metric, printed)).values
    rated = (np.isfinite(scores) & np.isfinite(one.values)).sum(axis=1)
    source = ", ".join(filter(None, rest.sources_of(one.proxy)))
    if rated.max() < RATED:
        return None
    ends = _ends(metric, printed, metric.low, metric.high)
    by_judge = any(k.metric == one.proxy and k.scorer == JUDGE_SCORER for k in rest.cubes)
    return one._replace(scores=scores, source=source, proxy_scale=ends, by_judge=by_judge)


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
    scale, proxy_scale = _told(one.scale), _told(one.proxy_scale)
    headings = {
        "corrected": f"corrected{scale}",
        "alone": f"{asked.gold} alone{scale}",
        "judge": f"{'judge' if one.by_judge else one.proxy} alone{proxy_scale}",
    }
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


def _told(scale: Scale) -> str:
    """A scale as headings say it; "" where it is not known."""
    text = range_text(*scale)
    return f" ({text})" if text else ""


def _differences(frame: Results, gold: Sequence[Gold], a: str, b: str, asked: Calibration) -> Table:
    """Every metric's difference B - A, corrected, and what it would take to decide it."""
    labels = frame.samples.labels(asked.strata) if asked.strata else None
    lines = [line for one in gold if (line := _difference(one, labels)) is not None]
    if not lines:
        raise _too_few(frame, gold, asked)
    headings = {
        "scale": "scale",
        "a": a,
        "b": b,
        "difference": "B − A",
        "alone": f"B − A, {asked.gold} alone",
        "verdict": "B is",
    }
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
        "scale": Cell(text=range_text(*one.scale) or NOTHING),
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
