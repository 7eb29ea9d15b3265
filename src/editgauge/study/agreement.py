"""How far people agree with each other, with themselves, and with every metric of a run.

A statistic "per sample" is computed over the editors of each sample and averaged, as MedEBench
does; samples in which one side puts all editors level have no order and are left out. Intervals are
drawn again by sample, so that all ratings of a sample stay together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from editgauge.statistics import agreement as alpha
from editgauge.statistics import correlation
from editgauge.statistics.agreement import Level
from editgauge.statistics.ranks import Strengths, bradley_terry
from editgauge.statistics.resampling import (
    NOTHING,
    RESAMPLES,
    Estimate,
    parts_interval,
    pooled_mean_interval,
    share_of_parts,
)
from editgauge.study.people import Answers, answers, comparisons
from editgauge.tables.metrics import metrics_of
from editgauge.tables.results import Results
from editgauge.types import Direction, Variant

Floats = NDArray[np.float64]
JUDGE = "judge"
"""The scorer of judges' rows."""
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
    variant: Variant
    source: str
    direction: Direction
    values: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """One metric against one question. `spearman`, `no_ties`, `kendall` are per sample, over the
    editors, averaged; `pearson` is over all outputs; `mae` only where the metric rates the question
    itself, on the scale on which people rated.
    """

    question: str
    metric: str
    variant: Variant
    source: str
    spearman: Estimate
    no_ties: Estimate
    kendall: Estimate
    pearson: Estimate
    mae: Estimate
    annotators: int
    rated: int
    """How many samples somebody rated: those that a statistic could be of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """A Bradley-Terry ranking of one question, the strongest editor first."""

    question: str
    editors: tuple[str, ...]
    strengths: Strengths
    annotators: int
    samples: int
    comparisons: int
    ties: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Everything that `editgauge study agree` prints of one benchmark."""

    benchmark: str
    between: tuple[Between, ...]
    against: tuple[Against, ...]
    rankings: tuple[Ranking, ...]
    left_out: tuple[str, ...] = ()
    """Metrics whose direction nobody knows: whether people agree with them cannot be said."""


def agreement(
    frame: Results,
    directions: Mapping[str, Direction],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Agreement:
    """All of it, from a frame that still has the annotators' rows."""
    found = answers(frame)
    machines = machines_of(frame, directions)
    pairs = [(one, machine) for one in found for machine in machines]
    lines = [compared(one, machine, resamples=resamples, seed=seed) for one, machine in pairs]
    lines += _means(frame, found, machines, resamples=resamples, seed=seed)
    return Agreement(
        frame.benchmark,
        tuple(line for one in found for line in between(one, resamples=resamples, seed=seed)),
        tuple(line for line in lines if line.spearman.n or line.pearson.n),
        tuple(rankings(frame, resamples=resamples, seed=seed)),
        _without_direction(frame, directions),
    )


def _without_direction(frame: Results, directions: Mapping[str, Direction]) -> tuple[str, ...]:
    known = {*directions, *(m.name for m in metrics_of(frame).values() if m.of_sample)}
    return tuple(name for name in frame.without_people().metrics if name not in known)


# -- people among themselves -----------------------------------------------------------------------


def between(one: Answers, *, resamples: int = RESAMPLES, seed: int = 0) -> Iterator[Between]:
    """How far the annotators agree with each other, and with themselves where they saw a sample
    twice.
    """
    first = one.first
    pairs = list(combinations(range(len(one.annotators)), 2))
    if pairs:
        a = np.stack([first[i] for i, _ in pairs])
        b = np.stack([first[j] for _, j in pairs])
        for name, interval in _pairwise(a, b, resamples, seed):
            yield Between(one.question, name, interval, len(one.annotators))
        for name, interval in _alphas(first, resamples, seed):
            yield Between(one.question, name, interval, len(one.annotators))
    if one.values.shape[1] > 1:
        again = ~np.isnan(one.values[:, 1]).all(axis=(1, 2))
        a, b = one.values[again, 0], one.values[again, 1]
        for name, interval in _pairwise(a, b, resamples, seed):
            yield Between(one.question, f"self: {name}", interval, int(again.sum()))


def _pairwise(a: Floats, b: Floats, resamples: int, seed: int) -> Iterator[tuple[str, Estimate]]:
    """Statistics of pairs of tables (P, E, S), pooled over pairs and clustered by sample."""
    count, editors, samples = a.shape
    x, y = (np.moveaxis(t, 2, 1).reshape(count * samples, editors) for t in (a, b))
    for name, function in PER_SAMPLE.items():
        rows = function(x, y).reshape(count, samples).T
        yield name, pooled_mean_interval(rows, resamples=resamples, seed=seed)
    parts = alpha.kappa_parts(x, y).reshape(count, samples, -1).sum(axis=0)
    yield "quadratic kappa", parts_interval(parts, alpha.kappa_of, resamples=resamples, seed=seed)
    both = ~np.isnan(x) & ~np.isnan(y)
    equal = np.stack([((x == y) & both).sum(axis=1), both.sum(axis=1)], axis=1).astype(np.float64)
    summed = equal.reshape(count, samples, 2).sum(axis=0)
    share = parts_interval(summed, share_of_parts, resamples=resamples, seed=seed)
    yield "equal answers", share


PER_SAMPLE = {
    "Spearman per sample": correlation.spearman_rows,
    "Spearman, formula without ties": correlation.spearman_no_ties_rows,
    "Kendall tau-b per sample": correlation.kendall_rows,
}
"""Name -> statistic of two tables (samples, editors)."""


LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def _alphas(first: Floats, resamples: int, seed: int) -> Iterator[tuple[str, Estimate]]:
    count, editors, samples = first.shape
    units = np.moveaxis(first, 2, 1).reshape(count, samples * editors)
    values, parts = alpha.coincidences(units)
    if not len(values):
        return
    size = len(values)
    summed = parts.reshape(samples, editors, size, size).sum(axis=1).reshape(samples, -1)
    lines = np.concatenate([summed, summed.sum(axis=1, keepdims=True)], axis=1)
    for level in LEVELS:

        def statistic(total: Floats, level: Level = level) -> Floats:
            matrix = total[..., :-1].reshape(*total.shape[:-1], size, size)
            return alpha.alpha_of(values, matrix, level)

        name = f"Krippendorff's alpha ({level})"
        yield name, parts_interval(lines, statistic, resamples=resamples, seed=seed)


# -- metrics against people ------------------------------------------------------------------------


def machines_of(frame: Results, directions: Mapping[str, Direction]) -> list[Machine]:
    """Every metric, variant and source that machines made rows of, where its direction is known."""
    machines = frame.without_people()
    found = []
    for metric, variant, source in sorted({key[:3] for key in machines.cubes}):
        grid = machines.of_source(source).grid(metric, variant)
        if np.isnan(grid.values).all():
            continue
        direction = directions.get(metric)
        if direction is None:  # nobody knows which way people should agree with it
            continue
        sign = 1.0 if direction == "higher" else -1.0
        found.append(
            Machine(
                metric,
                "faithful" if variant == "faithful" else "corrected",
                source,
                direction,
                sign * grid.values,
            )
        )
    return found


def compared(
    one: Answers, machine: Machine, *, resamples: int = RESAMPLES, seed: int = 0
) -> Against:
    """One metric against the mean of the annotators."""
    people, values = one.goodness.T, machine.values.T
    rows = {name: function(people, values) for name, function in PER_SAMPLE.items()}
    made = [pooled_mean_interval(found, resamples=resamples, seed=seed) for found in rows.values()]
    parts = correlation.pearson_parts(people, values)
    same = machine.metric == one.metric and one.scale in ("rate", "grade")
    errors = correlation.error_parts(people, values)
    return Against(
        question=one.question,
        metric=machine.metric,
        variant=machine.variant,
        source=machine.source,
        spearman=made[0],
        no_ties=made[1],
        kendall=made[2],
        pearson=parts_interval(parts, correlation.pearson_of, resamples=resamples, seed=seed),
        mae=parts_interval(errors, share_of_parts, resamples=resamples, seed=seed)
        if same
        else NOTHING,
        annotators=len(one.annotators),
        rated=int((~np.isnan(people)).any(axis=1).sum()),
    )


def _means(
    frame: Results,
    found: Sequence[Answers],
    machines: Sequence[Machine],
    *,
    resamples: int,
    seed: int,
) -> Iterator[Against]:
    """TextEditBench's Figure 11: the mean of all questions against that of a judge's metrics."""
    scores = [one for one in found if one.scale in ("rate", "grade")]
    if not scores:
        return
    people = _mean_of([one.mean for one in scores])
    most = max(scores, key=lambda one: len(one.annotators))
    names = {key.metric for key in frame.cubes if key.scorer == JUDGE}
    groups: dict[tuple[str, Variant], list[Machine]] = {}
    for machine in machines:
        if machine.metric in names:
            groups.setdefault((machine.source, machine.variant), []).append(machine)
    for (source, variant), group in groups.items():
        if len(group) < 2 and len(scores) < 2:
            continue
        whole = Machine(
            MEAN_OF_ALL, variant, source, "higher", _mean_of([item.values for item in group])
        )
        line = Answers(MEAN_OF_ALL, "rate", "", most.annotators, most.editors, most.samples,
                       people[None, None])  # fmt: skip
        yield compared(line, whole, resamples=resamples, seed=seed)


def _mean_of(tables: Sequence[Floats]) -> Floats:
    stack = np.stack(tables)
    given = ~np.isnan(stack)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(given, stack, 0.0).sum(axis=0) / given.sum(axis=0)
    return np.asarray(mean)


def contested(one: Answers, top: int = 20) -> list[tuple[str, float]]:
    """The samples on which annotators differ most, with the mean absolute difference of two
    annotators' answers, on the question's scale; samples that one person rated are left out.
    """
    first = one.first
    pairs = combinations(range(len(one.annotators)), 2)
    gaps = [np.abs(first[i] - first[j]) for i, j in pairs]
    if not gaps:
        return []
    stack = np.concatenate(gaps)
    given = ~np.isnan(stack)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(given, stack, 0.0).sum(axis=0) / given.sum(axis=0)
    order = np.argsort(-np.nan_to_num(mean, nan=-1.0), kind="stable")
    return [(one.samples[k], float(mean[k])) for k in order[:top].tolist() if mean[k] > 0]


def rankings(frame: Results, *, resamples: int = RESAMPLES, seed: int = 0) -> Iterator[Ranking]:
    """A Bradley-Terry ranking for each question that was answered by comparisons."""
    for one in comparisons(frame):
        found = bradley_terry(one.wins, resamples=resamples, seed=seed)
        order = np.argsort(-found.strength, kind="stable")
        yield Ranking(
            question=one.question,
            editors=tuple(one.editors[k] for k in order.tolist()),
            strengths=Strengths(
                found.strength[order], found.low[order], found.high[order], found.connected
            ),
            annotators=len(one.annotators),
            samples=int((one.wins.sum(axis=(1, 2)) > 0).sum()),
            comparisons=one.total,
            ties=one.ties,
        )
