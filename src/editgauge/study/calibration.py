"""A judge's scores corrected by gold, people's ratings or a stronger judge's on a few samples, with
the scores of the judge that rates the same metric on everything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from editgauge.errors import UnknownName, UsageError
from editgauge.escape import counted
from editgauge.statistics.limits import Scale
from editgauge.statistics.paired import holm
from editgauge.statistics.prediction import (
    RATED,
    Corrected,
    corrected_mean,
    p_of_no_difference,
)
from editgauge.store.selection import draw
from editgauge.study.agreement import cell
from editgauge.study.people import ALL, Floats, answers, mean_of
from editgauge.tables import rows
from editgauge.tables.compare import NO_DIFFERENCE, NOT_CLEAR, TOO_FEW
from editgauge.tables.grid import NOTHING
from editgauge.tables.metrics import choose, declared_of, metrics_of, on_scale, range_text, unknown
from editgauge.tables.results import Results
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import JUDGE_SCORER, VARIANTS, Direction, Metric, Variant

_HOW = (
    "Corrected: prediction-powered inference (PPI++, arXiv 2311.01453) for the mean of these "
    "samples, 95 %; unbiased whatever the judge's bias, if the rated samples were drawn at random "
    "(within strata)."
)
_ANEW = (
    "The judge's weight is fitted anew for the difference: it is not the difference of the two "
    "corrected means."
)


ALPHA = 0.05
"""Below which p, corrected over all lines, a difference is said to be better or worse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What corrects which scores.

    `gold` is ``human``, or ``JUDGE@N``: a stronger judge on a draw of N of all samples, those that
    ``judge --limit N`` judges, whether they have gold or not (choosing among those that have some
    would be no draw). `proxies`
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One metric's difference B - A, corrected.

    `scale`: that of the stored scores, as all of `compare` is. `a`, `b`: the corrected means on the
    samples that both have. `p` is of no difference, `holm` the
    same corrected over all lines of the command (NaN: no interval). `only_a`, `only_b`: the samples
    of which only one has a score.
    """

    metric: str
    direction: Direction
    scale: Scale
    a: Corrected
    b: Corrected
    difference: Corrected
    p: float
    holm: float
    only_a: int
    only_b: int

    @property
    def verdict(self) -> str:
        """``better``, ``worse`` (B than A), or why neither is said."""
        found = self.difference
        if math.isnan(found.low):
            return TOO_FEW
        if found.low <= 0 <= found.high:
            return NO_DIFFERENCE
        if self.holm >= ALPHA:
            return NOT_CLEAR
        if (found.value > 0) == (self.direction == "higher"):
            return "better"
        return "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedComparison:
    """B compared with A on one benchmark, as if the gold had rated everything. `tests`: how many
    lines p is corrected for, those of other benchmarks with it.
    """

    frame: Results
    asked: Calibration
    a: str
    b: str
    lines: tuple[Difference, ...]
    tests: int

    @property
    def regressions(self) -> list[Difference]:
        """The lines that stop a release: B is worse, or lacks scores that A has."""
        return [line for line in self.lines if line.verdict == "worse" or line.only_a > line.only_b]

    def table(self) -> Table:
        """Return the lines as a table: metrics down, A, B and their difference across."""
        gold = self.asked.gold
        headings = {
            "scale": "scale",
            "a": self.a,
            "b": self.b,
            "difference": "B − A",
            "alone": f"B − A, {gold} alone",
            "p": "p",
            "verdict": "B is",
        }
        about = f"A = {self.a}, B = {self.b}, on the samples both have; gold: {gold}."
        test = (
            "p: the smallest alpha whose interval leaves 0 out, corrected (Holm) for "
            f"{counted(self.tests, 'test')} of this command."
        )
        return Table(
            name=f"{self.frame.benchmark}.calibrated.difference",
            title=f"{self.frame.benchmark}: {self.b} against {self.a}, as if {gold} had rated "
            "everything",
            columns=_columns(headings),
            rows=[_row(line) for line in self.lines],
            benchmark=self.frame.benchmark,
            notes=[about, _HOW, _ANEW, test, f"Strata: {self.asked.strata or 'none'}."],
            meta={"names": "metric"},
        )


def compare_calibrated(
    runs: Sequence[Path], asked: Calibration, a: str, b: str
) -> list[CalibratedComparison]:
    """Return B compared with A on each benchmark that has gold.

    Holm's correction is over the lines of all of them. Raises as `mean_tables` does.
    """
    comparisons = []
    for frame, golds in _golds(runs, asked, [a, b], printed=False):
        labels = frame.samples.labels(asked.strata) if asked.strata else None
        lines = [_difference(gold, labels) for gold in golds]
        known = tuple(line for line in lines if line is not None)
        if not known:
            raise _too_few(frame, golds, asked)
        comparisons.append(
            CalibratedComparison(frame=frame, asked=asked, a=a, b=b, lines=known, tests=0)
        )
    return _decided(comparisons)


def _decided(comparisons: Sequence[CalibratedComparison]) -> list[CalibratedComparison]:
    """Return the comparisons with p corrected over the lines of all of them."""
    p = np.array([line.p for comparison in comparisons for line in comparison.lines])
    corrected = iter(holm(p).tolist())
    tests = int((~np.isnan(p)).sum())
    decided = []
    for comparison in comparisons:
        lines = tuple(replace(line, holm=next(corrected)) for line in comparison.lines)
        decided.append(replace(comparison, lines=lines, tests=tests))
    return decided


def _golds(
    runs: Sequence[Path], asked: Calibration, editors: Sequence[str], *, printed: bool
) -> Iterator[tuple[Results, list[Gold]]]:
    """Each benchmark's frame, and its gold where it has any."""
    rated = False
    every = rows.read(rows.open_runs(runs), asked.benchmark)
    _need_sources(every, asked.sources)
    for whole in every:
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


def _need_sources(frames: Sequence[Results], sources: Sequence[str]) -> None:
    """Raise `UnknownName` for a source that none of the runs has."""
    for source in sources:
        if not any(frame.sources_called(source) for frame in frames):
            known = {name for frame in frames for name in frame.sources if name}
            there = ", ".join(sorted(known)) or "none"
            raise UnknownName(f"{source}: no such source; there are: {there}", argument="source")


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
        drawn = _drawn(frame, int(number), asked.seed)
    proxies = dict(word.partition("=")[::2] for word in asked.proxies)
    wanted = [
        one._replace(proxy=proxies.get(one.proxy, one.proxy), values=one.values + drawn)
        for one in gold
    ]
    scored = [found for one in wanted if (found := _scored(rest, one, printed)) is not None]
    if gold and not scored:
        raise _too_few(rest, wanted, asked)
    return scored


def _drawn(frame: Results, count: int, seed: int) -> Floats:
    """0 for the `count` samples that a judge with this limit judges, NaN for the others: (S,)."""
    ids = frame.samples.ids
    delivered = {name for one in frame.deliveries.values() for part in one for name in part}
    kept = draw(ids, count, delivered, seed)
    return np.array([0.0 if name in kept else np.nan for name in ids])


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
                "corrected": _estimate(found),
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


def _difference(one: Gold, labels: ArrayLike | None) -> Difference | None:
    """Of A and B, to which the frame was narrowed; None where nothing can be said."""
    rated = one.values[1] - one.values[0]
    judged = one.scores[1] - one.scores[0]
    extent = one.scale[1] - one.scale[0]
    scale = (-extent, extent)
    found = corrected_mean(rated, judged, strata=labels, scale=scale)
    if math.isnan(found.value):
        return None
    both = np.isfinite(judged)
    has_a, has_b = np.isfinite(one.scores)
    a, b = (
        corrected_mean(y, np.where(both, f, np.nan), strata=labels, scale=one.scale)
        for y, f in zip(one.values, one.scores, strict=True)
    )
    return Difference(
        metric=one.metric,
        direction=one.direction,
        scale=one.scale,
        a=a,
        b=b,
        difference=found,
        p=p_of_no_difference(rated, judged, strata=labels, scale=scale),
        holm=math.nan,
        only_a=int((has_a & ~has_b).sum()),
        only_b=int((has_b & ~has_a).sum()),
    )


def _row(line: Difference) -> TableRow:
    cells = {
        "scale": Cell(text=range_text(*line.scale) or NOTHING),
        "a": _estimate(line.a),
        "b": _estimate(line.b),
        "difference": _estimate(line.difference),
        "alone": _alone(line.difference),
        "p": _p(line.holm),
        "verdict": Cell(text=line.verdict),
    }
    return TableRow(name=line.metric, cells=cells)


def _estimate(found: Corrected) -> Cell:
    return cell(found.value, found.low, found.high)


def _alone(found: Corrected) -> Cell:
    """Return the mean from the ratings alone."""
    alone = found.alone
    return cell(alone.value, alone.low, alone.high, found.rated, found.judged)


def _p(value: float) -> Cell:
    if math.isnan(value):
        return Cell()
    is_tiny = value < 5e-4  # three decimals would print 0
    return Cell(value=value, text=f"{value:.1e}" if is_tiny else None)


def _number(value: float) -> Cell:
    return cell(value, math.nan, math.nan)


def _columns(headings: Mapping[str, str], **directions: Direction) -> list[Column]:
    return [
        Column(name=name, heading=(meaning,), direction=directions.get(name))
        for name, meaning in headings.items()
    ]
