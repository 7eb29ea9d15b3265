"""How far people agree with each other, with themselves, and with every metric of a run.

A statistic "per sample" is computed over the editors of each sample and averaged, as MedEBench
does; samples in which one side puts all editors level have no order and are left out. Intervals are
over samples, so that all ratings of a sample stay together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from editgauge.statistics import agreement as alpha
from editgauge.statistics import correlation
from editgauge.statistics.ranks import bradley_terry
from editgauge.statistics.resampling import (
    CORRELATION,
    NOTHING,
    SHARE,
    Estimate,
    parts_interval,
    pooled_mean_interval,
    share_of_parts,
)
from editgauge.study.people import Answers, Floats, answers, comparisons, directions_of, mean_of
from editgauge.tables.metrics import metrics_of
from editgauge.tables.results import Results
from editgauge.types import Direction

ALPHA = "Krippendorff's alpha (ordinal)"
MEAN_OF_ALL = "mean of all"


class Between(NamedTuple):
    """One statistic of annotators among themselves: how many annotators, over how many samples."""

    question: str
    statistic: str
    interval: Estimate
    annotators: int


class Machine(NamedTuple):
    """A metric of the run as something that rates: its values (E, S), higher = better."""

    metric: str
    variant: str
    source: str
    direction: Direction
    values: Floats


class Against(NamedTuple):
    """One metric against one question. `spearman` and `no_ties` are per sample, over the editors,
    averaged; `pearson` is over all outputs; `mae` only where the metric rates the question itself,
    on the scale on which people rated. `rated`: samples that somebody rated.
    """

    question: str
    metric: str
    variant: str
    source: str
    spearman: Estimate
    no_ties: Estimate
    pearson: Estimate
    mae: Estimate
    annotators: int
    rated: int


class Ranking(NamedTuple):
    """A Bradley-Terry ranking of one question: editor -> log strength, the strongest first.
    `connected`: the share of resamples in which nobody always won or lost.
    """

    question: str
    editors: dict[str, Estimate]
    connected: float
    annotators: int
    samples: int
    comparisons: int
    ties: int


class Agreement(NamedTuple):
    """Everything that `editgauge study agree` prints of one benchmark. `left_out`: metrics whose
    direction nobody knows: whether people agree with them cannot be said.
    """

    benchmark: str
    between: list[Between]
    against: list[Against]
    rankings: list[Ranking]
    left_out: list[str]


def agreement(frame: Results) -> Agreement:
    """All of it, from a frame that still has the annotators' rows."""
    given, machines = answers(frame), machines_of(frame)
    pairs = [
        *((one, machine) for one in given for machine in machines),
        *_means(frame, given, machines),
    ]
    lines = [_compared(one, machine) for one, machine in pairs]
    known = {*directions_of(frame), *(m.name for m in metrics_of(frame).values() if m.of_sample)}
    return Agreement(
        frame.benchmark,
        [line for one in given for line in between(one)],
        [line for line in lines if line.spearman.n or line.pearson.n],
        list(_rankings(frame)),
        [name for name in frame.without_people().metrics if name not in known],
    )


def between(one: Answers) -> Iterator[Between]:
    """How far the annotators agree with each other, and with themselves where they saw a sample
    twice.
    """
    first, count = one.first, len(one.annotators)
    if count > 1:
        yield Between(one.question, ALPHA, _alpha(first), count)
        a, b = (np.stack(side) for side in zip(*combinations(first, 2), strict=True))
        for name, interval in _of_pairs(a, b):
            yield Between(one.question, name, interval, count)
    if one.values.shape[1] > 1:
        again = ~np.isnan(one.values[:, 1]).all(axis=(1, 2))
        for name, interval in _of_pairs(one.values[again, 0], one.values[again, 1]):
            yield Between(one.question, f"self: {name}", interval, int(again.sum()))


def _of_pairs(a: Floats, b: Floats) -> Iterator[tuple[str, Estimate]]:
    """Statistics of pairs of tables (P, E, S), pooled over pairs and clustered by sample."""
    count, editors, samples = a.shape
    x, y = (np.moveaxis(t, 2, 1).reshape(count * samples, editors) for t in (a, b))
    rows = correlation.spearman_rows(x, y).reshape(count, samples).T
    yield "Spearman per sample", pooled_mean_interval(rows, CORRELATION)
    parts = alpha.kappa_parts(x, y).reshape(count, samples, -1).sum(axis=0)
    yield "quadratic kappa", parts_interval(parts, alpha.kappa_of, CORRELATION)
    both = ~np.isnan(x) & ~np.isnan(y)
    equal = np.stack([((x == y) & both).sum(axis=1), both.sum(axis=1)], axis=1).astype(np.float64)
    summed = equal.reshape(count, samples, 2).sum(axis=0)
    yield "equal answers", parts_interval(summed, share_of_parts, SHARE)


def _alpha(first: Floats) -> Estimate:
    count, editors, samples = first.shape
    units = np.moveaxis(first, 2, 1).reshape(count, samples * editors)
    parts = alpha.coincidences(units)
    if not (size := parts.shape[-1]):
        return NOTHING
    summed = parts.reshape(samples, editors, size * size).sum(axis=1)
    lines = np.concatenate([summed, summed.sum(axis=1, keepdims=True)], axis=1)

    def statistic(total: Floats) -> Floats:
        matrix = total[..., :-1].reshape(*total.shape[:-1], size, size)
        return alpha.alpha_of(matrix)

    return parts_interval(lines, statistic, CORRELATION)


def machines_of(frame: Results) -> list[Machine]:
    """Every metric, variant and source that machines made rows of, where its direction is known."""
    machines, directions, listed = frame.without_people(), directions_of(frame), []
    for metric, variant, source in sorted({key[:3] for key in machines.cubes}):
        direction = directions.get(metric)
        values = machines.of_source(source).grid(metric, variant).values
        if direction is not None and not np.isnan(values).all():
            better = values if direction == "higher" else -values
            listed.append(Machine(metric, variant, source, direction, better))
    return listed


def _compared(one: Answers, machine: Machine) -> Against:
    """One metric against the mean of the annotators."""
    people, values = one.goodness.T, machine.values.T
    same = machine.metric == one.metric and one.scale in ("rate", "grade")
    errors = parts_interval(
        correlation.error_parts(people, values), share_of_parts, (0.0, math.inf)
    )
    parts = correlation.pearson_parts(people, values)
    return Against(
        one.question,
        *machine[:3],
        pooled_mean_interval(correlation.spearman_rows(people, values), CORRELATION),
        pooled_mean_interval(correlation.spearman_no_ties_rows(people, values), CORRELATION),
        parts_interval(parts, correlation.pearson_of, CORRELATION),
        errors if same else NOTHING,
        annotators=len(one.annotators),
        rated=int((~np.isnan(people)).any(axis=1).sum()),
    )


def _means(
    frame: Results, said: Sequence[Answers], machines: Sequence[Machine]
) -> Iterator[tuple[Answers, Machine]]:
    """TextEditBench's Figure 11: the mean of all questions against that of a judge's metrics."""
    scores = [one for one in said if one.scale in ("rate", "grade")]
    names = {key.metric for key in frame.cubes if key.scorer == "judge"}
    judged = [one for one in machines if one.metric in names]
    if not scores:
        return
    people = mean_of(np.stack([one.mean for one in scores]))
    most = max(scores, key=lambda one: len(one.annotators))
    whole = most._replace(question=MEAN_OF_ALL, metric="", values=people[None, None])
    for source, variant in dict.fromkeys((one.source, one.variant) for one in judged):
        group = [one.values for one in judged if (one.source, one.variant) == (source, variant)]
        if len(group) > 1 or len(scores) > 1:
            values = mean_of(np.stack(group))
            yield whole, Machine(MEAN_OF_ALL, variant, source, "higher", values)


def contested(one: Answers, top: int = 20) -> list[tuple[str, float]]:
    """The samples on which annotators differ most, with the mean absolute difference of two
    annotators' answers, on the question's scale; samples that one person rated are left out.
    """
    if len(one.annotators) < 2:
        return []
    gaps = [np.abs(a - b) for a, b in combinations(one.first, 2)]
    mean = mean_of(np.concatenate(gaps))
    order = np.argsort(-np.nan_to_num(mean, nan=-1.0), kind="stable")
    return [(one.samples[k], float(mean[k])) for k in order[:top].tolist() if mean[k] > 0]


def _rankings(frame: Results) -> Iterator[Ranking]:
    for one in comparisons(frame):
        fit = bradley_terry(one.wins)
        rated = int((one.wins.sum(axis=(1, 2)) > 0).sum())
        editors = {
            one.editors[k]: Estimate(
                float(fit.strength[k]), float(fit.low[k]), float(fit.high[k]), rated
            )
            for k in np.argsort(-fit.strength, kind="stable").tolist()
        }
        yield Ranking(
            one.question, editors, fit.connected, one.annotators, rated, one.total, one.ties
        )
