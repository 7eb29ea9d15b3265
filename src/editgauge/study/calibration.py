"""A judge's scores corrected by gold: by people's ratings, or by a stronger judge on a few samples.

`--calibrate human` takes the mean of the annotators as gold; `--calibrate gpt-4o@50` takes the
scores of that judge on a seeded draw of 50 samples. The other scores come from the judge that rates
the same metric on everything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from editgauge.errors import EditgaugeError, UnknownName, UsageError
from editgauge.statistics.prediction import Corrected, Scale, corrected_mean, more_ratings
from editgauge.statistics.resampling import UNBOUNDED
from editgauge.study.people import ALL, Floats, answers, directions_of
from editgauge.tables import rows
from editgauge.tables.metrics import metrics_of
from editgauge.tables.results import Results
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import VARIANTS, Direction

_HOW = (
    "Corrected: prediction-powered inference (PPI++, arXiv 2311.01453) for the mean of these "
    "samples, 95 %; unbiased whatever the judge's bias, if the rated samples were drawn at random "
    "(within strata). No interval where all ratings are alike. Worth: how many ratings alone would "
    "give as narrow an interval."
)
_ANEW = (
    "The judge's weight is fitted anew for the difference: it is not the difference of the two "
    "corrected means. More ratings: samples to rate until a difference like this one is told from "
    "0 with 80 % power; 'not possible here' where rating every sample would not do."
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


class Gold(NamedTuple):
    """What is believed: `values` (E, S) of one metric, NaN where nothing was rated, within `scale`;
    and what stands for it on every sample: `scores` (E, S) of the metric `proxy` by `source`.
    """

    metric: str
    proxy: str
    variant: str
    direction: Direction
    values: Floats
    annotators: int = 0
    scale: Scale = UNBOUNDED
    scores: Floats = np.empty((0, 0))
    source: str = ""


class Difference(NamedTuple):
    """B - A of one metric on the samples both have, corrected. `more`: how many more samples would
    have to be rated to tell it from 0; None where even all would not do.
    """

    metric: str
    direction: Direction
    a: Corrected
    b: Corrected
    difference: Corrected
    more: int | None

    @property
    def verdict(self) -> str:
        """``better``, ``worse`` (B than A), ``no significant difference``, or ``too few to tell``
        where there is no interval.
        """
        if math.isnan(self.difference.low):
            return "too few to tell"
        if self.difference.low <= 0 <= self.difference.high:
            return "no significant difference"
        up = self.difference.value > 0
        return "better" if up == (self.direction == "higher") else "worse"


def mean_tables(
    runs: Sequence[Path], asked: Calibration, editors: Sequence[str] = ()
) -> list[Table]:
    """Corrected means of every metric that has gold, each as a table. Raises `UsageError` where
    nothing is rated, and what `gold_of` raises where no gold is of use.
    """
    return [
        _means(frame, one, asked)
        for frame, gold in _golds(runs, asked, editors)
        for one in scored(frame, gold)
    ]


def difference_tables(runs: Sequence[Path], asked: Calibration, a: str, b: str) -> list[Table]:
    """Corrected differences B - A of two editors, a table for each benchmark. Raises as
    `mean_tables` does.
    """
    return [
        _differences(frame, differences(frame, gold, a, b, asked.strata), a, b, asked)
        for frame, gold in _golds(runs, asked, [a, b])
    ]


def gold_of(
    frame: Results, word: str, *, proxies: Mapping[str, str] | None = None, seed: int = 0
) -> tuple[Results, list[Gold]]:
    """The frame of the scores that are to be corrected, and the gold that `word` names.

    `word` is ``human``, ``human@N``, ``JUDGE`` or ``JUDGE@N``: a seeded draw of N of all samples,
    whether they have gold or not, for choosing among those that have some would not be a draw.
    `proxies` maps a question to the metric that stands for it, by default the metric of the same
    name. Raises `UnknownName` for a judge without rows and `UsageError` for a word that is none.
    """
    name, sign, number = word.rpartition("@")
    if sign and (not number.isdigit() or int(number) < 3):
        raise UsageError(
            f"{word}: wanted a number of samples, 3 or more, after @", argument="calibrate"
        )
    name = name or word
    rest = frame.without_people()
    if name == ALL:
        gold = [
            Gold(one.metric, one.question, "faithful", one.direction, one.mean,
                 len(one.annotators), (1.0, 5.0) if one.scale in ("rate", "grade") else UNBOUNDED)
            for one in answers(frame)
        ]  # fmt: skip
    else:
        sources = rest.sources_called(name)
        if len(sources) != 1:
            there = ", ".join(source for source in rest.sources if source) or "none"
            why = f"{word}: wanted human or one judge of this run; sources here: {there}"
            raise UnknownName(why, argument="calibrate")
        gold = list(_judged(rest.of_source(sources[0])))
        rest = rest.where(lambda key: key.source != sources[0])
    known = proxies or {}
    gold = [one._replace(proxy=known.get(one.proxy, one.proxy)) for one in gold]
    return rest, _drawn(gold, len(frame.samples), int(number), seed) if sign else gold


def _judged(frame: Results) -> Iterator[Gold]:
    known, directions = metrics_of(frame), directions_of(frame)
    for metric in frame.metrics:
        scale, way = (known[metric].low, known[metric].high), directions.get(metric, "higher")
        for variant in VARIANTS:
            if frame.has(metric, variant):
                values = frame.grid(metric, variant).values
                yield Gold(metric, metric, variant, way, values, scale=scale)


def _drawn(gold: Sequence[Gold], samples: int, count: int, seed: int) -> list[Gold]:
    chosen = np.random.default_rng(seed).permutation(samples)[:count]
    there = sum(any(np.isfinite(one.values[:, k]).any() for one in gold) for k in chosen)
    if there < min(3, len(chosen)):
        raise UsageError(
            f"of the {len(chosen)} samples drawn with seed {seed}, {len(chosen) - there} have no "
            f"gold; leave @{count} out to use every sample that has some, if those were drawn at "
            f"random"
        )
    out = np.full(samples, np.nan)
    out[chosen] = 0.0
    return [one._replace(values=one.values + out) for one in gold]


def scored(frame: Results, gold: Sequence[Gold]) -> list[Gold]:
    """The gold that a metric of the frame stands for, with its scores; `frame` has one source for
    each metric. Raises `UsageError` where nothing can be corrected.
    """
    items = []
    for one in gold:
        variants = [one.variant, *({*VARIANTS} - {one.variant})]
        variant = next((v for v in variants if frame.has(one.proxy, v)), None)
        if variant is not None:
            scores = frame.grid(one.proxy, variant).values
            if (np.isfinite(scores).any(axis=1) & np.isfinite(one.values).any(axis=1)).any():
                source = ", ".join(filter(None, frame.sources_of(one.proxy)))
                items.append(one._replace(scores=scores, source=source))
    if items:
        return items
    if not gold:
        raise UsageError(f"{frame.benchmark}: nothing to calibrate with: no rating of scores")
    raise _too_few(frame, gold)


def _too_few(frame: Results, gold: Sequence[Gold]) -> UsageError:
    wanted = ", ".join(sorted({item.proxy for item in gold}))
    here = ", ".join(sorted(metric for metric in frame.metrics if frame.has(metric))) or "none"
    return UsageError(
        f"{frame.benchmark}: too few rated samples (3 at least), or no metric of the run stands "
        f"for {wanted}; say so by the setting proxy=QUESTION=METRIC, with one of: {here}"
    )


def corrected(frame: Results, one: Gold, strata: str = "") -> dict[str, Corrected]:
    """The corrected mean of every editor that has gold and scores. `strata`: the label by which
    the rated samples were drawn.
    """
    labels = frame.samples.labels(strata) if strata else None
    return {
        editor: corrected_mean(y, f, strata=labels, scale=one.scale)
        for editor, y, f in zip(frame.editors, one.values, one.scores, strict=True)
        if np.isfinite(y).any() and np.isfinite(f).any()
    }


def differences(
    frame: Results, gold: Sequence[Gold], a: str, b: str, strata: str = ""
) -> list[Difference]:
    """B - A of every metric that has gold and a proxy. Raises as `scored`."""
    frame.of_editors([a, b])  # both are there
    ends = [frame.editors.index(name) for name in (a, b)]
    labels = frame.samples.labels(strata) if strata else None
    lines = []
    for one in scored(frame, gold):
        rated, judged = (np.subtract(*values[ends[::-1]]) for values in (one.values, one.scores))
        both, span = np.isfinite(judged), one.scale[1] - one.scale[0]
        estimate = corrected_mean(rated, judged, strata=labels, scale=(-span, span))
        if not math.isnan(estimate.value):
            first, second = (
                corrected_mean(one.values[k], np.where(both, one.scores[k], np.nan),
                               strata=labels, scale=one.scale)
                for k in ends
            )  # fmt: skip
            more = more_ratings(rated, judged, strata=labels)
            lines.append(Difference(one.metric, one.direction, first, second, estimate, more))
    if not lines:
        raise _too_few(frame, gold)
    return lines


def _golds(
    runs: Sequence[Path], asked: Calibration, editors: Sequence[str]
) -> Iterator[tuple[Results, list[Gold]]]:
    """Each benchmark's frame of scores and its gold. Raises the first error where none has any."""
    given = dict(word.partition("=")[::2] for word in asked.proxies)
    if not all(given.values()):
        raise UsageError("proxy: wanted QUESTION=METRIC, such as proxy=CP=masked_ssim")
    rated = False
    first: EditgaugeError = UsageError(
        f"{asked.gold}: nobody has rated anything in this run; see: editgauge study import --help",
        argument="calibrate",
    )
    for whole in rows.read(rows.open_runs(runs), asked.benchmark):
        frame = rows.narrowed(whole, asked.where, editors)
        try:
            rest, gold = gold_of(frame, asked.gold, proxies=given, seed=asked.seed)
            rest = rest.of_sources([name for name in asked.sources if rest.sources_called(name)])
        except EditgaugeError as error:
            first = error
            continue
        if gold:
            rated = True
            yield rest, gold
    if not rated:
        raise first


def _means(frame: Results, one: Gold, asked: Calibration) -> Table:
    """One metric of every editor: corrected, from the ratings alone, and the judge's own mean."""
    who = f"{one.annotators} annotators" if one.annotators else asked.gold
    about = f"Gold: {who}; scores of every sample: {one.proxy} of {one.source or 'the run'}."
    columns = {"corrected": "corrected", "alone": f"{asked.gold} alone", "judge": "judge alone"}
    return Table(
        name=f"{frame.benchmark}.calibrated.{one.metric}",
        title=f"{frame.benchmark}: {one.metric}, as if {asked.gold} had rated everything",
        columns=_columns({**columns, "worth": "worth"}, corrected=one.direction),
        rows=[
            TableRow(name=editor, cells={
                "corrected": _cell(*estimates[:3]),
                "alone": _alone(estimates),
                "judge": _cell(estimates.judge),
                "worth": _cell(estimates.effective),
            })
            for editor, estimates in corrected(frame, one, asked.strata).items()
        ],
        benchmark=frame.benchmark,
        variant=one.variant,
        source=one.source,
        notes=[about, _HOW, *_strata(asked)],
        meta={"variants": [one.variant]},
    )  # fmt: skip


def _differences(
    frame: Results, found: Sequence[Difference], a: str, b: str, asked: Calibration
) -> Table:
    """Every metric's difference B - A, corrected, and what it would take to decide it."""
    headings = {
        "a": a, "b": b, "difference": "B − A", "alone": f"B − A, {asked.gold} alone",
        "worth": "worth", "verdict": "B is", "more": "more ratings",
    }  # fmt: skip
    about = f"A = {a}, B = {b}, on the samples both have; gold: {asked.gold}."
    return Table(
        name=f"{frame.benchmark}.calibrated.difference",
        title=f"{frame.benchmark}: {b} against {a}, as if {asked.gold} had rated everything",
        columns=_columns(headings),
        rows=[
            TableRow(name=item.metric, cells={
                "a": _cell(*item.a[:3]),
                "b": _cell(*item.b[:3]),
                "difference": _cell(*item.difference[:3]),
                "alone": _alone(item.difference),
                "worth": _cell(item.difference.effective),
                "verdict": Cell(value=None, text=item.verdict),
                "more": Cell(value=None, text=str(
                    "not possible here" if item.more is None else item.more
                )),
            })
            for item in found
        ],
        benchmark=frame.benchmark,
        notes=[about, _HOW, _ANEW, *_strata(asked)],
        meta={"names": "metric"},
    )  # fmt: skip


def _columns(headings: Mapping[str, str], **directions: Direction) -> list[Column]:
    return [
        Column(name=name, heading=(meaning,), digits=0 if name == "worth" else 3,
               direction=directions.get(name))
        for name, meaning in headings.items()
    ]  # fmt: skip


def _strata(asked: Calibration) -> list[str]:
    return [f"Strata: {asked.strata}."] if asked.strata else []


def _alone(found: Corrected) -> Cell:
    cell = _cell(found.alone, found.alone_low, found.alone_high)
    return cell if cell.value is None else replace(cell, n=found.rated, of=found.judged)


def _cell(value: float, low: float = math.nan, high: float = math.nan) -> Cell:
    ends = [None if math.isnan(number) else number for number in (value, low, high)]
    return Cell(value=ends[0], low=ends[1], high=ends[2])
