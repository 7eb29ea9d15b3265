"""People's ratings as arrays, and as a frame in which all annotators together are one source."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from editgauge.errors import UsageError
from editgauge.study.scales import RANGES, Question, Scale, direction_of, question_of
from editgauge.tables.metrics import declared_of
from editgauge.tables.results import HUMAN, PEOPLE, STATUSES, Cube, Key, Results
from editgauge.types import Direction, Status

Floats = NDArray[np.float64]
ALL = HUMAN
"""The source of the derived rows: the mean over annotators."""
_SCORED = STATUSES.index(Status.SCORED)


class Answers(NamedTuple):
    """What people said to one question on one scale.

    `values`: shape (annotators, repeats, editors, samples), NaN where nothing was said; ranks are
    as stored (1 = best). `editors` and samples are those of the frame. `ends`: what 1 and 5 are on
    the scale of the benchmark's metric of the question's name, where that does not end at 5.
    `label` is the heading of the answers: the question, followed by the scale where people answered
    the same question on several scales.
    """

    question: str
    scale: Scale
    metric: str
    annotators: tuple[str, ...]
    editors: tuple[str, ...]
    values: Floats
    ends: Sequence[float] = ()
    label: str = ""

    @property
    def direction(self) -> Direction:
        return direction_of(self.scale)

    @property
    def first(self) -> Floats:
        """What each annotator said first: (A, E, S). Repeats measure self-agreement and no more."""
        return np.asarray(self.values[:, 0])

    @property
    def mean(self) -> Floats:
        """The mean over annotators: (E, S), NaN where nobody said anything."""
        return mean_of(self.first)

    @property
    def each_as_metric(self) -> Floats:
        """`first` on the scale of the metric of the question's name (`ends`): (A, E, S)."""
        ends = self.ends
        return np.asarray(np.interp(self.first, RANGES["rate"], ends)) if ends else self.first

    @property
    def as_metric(self) -> Floats:
        """The mean over annotators of `each_as_metric`: (E, S)."""
        return mean_of(self.each_as_metric)

    @property
    def range(self) -> tuple[float, float]:
        """The ends of the scale that `as_metric` is on."""
        low, high = self.ends or RANGES[self.scale]
        return (low, high)

    @property
    def goodness(self) -> Floats:
        """`mean` with higher = better: ranks change their sign."""
        return self.mean if self.direction == "higher" else -self.mean


class Comparisons(NamedTuple):
    """Comparisons of one question: `wins` (samples, editors, editors), how often the line was
    preferred to the column, a tie and "both bad" as half a win for each; `annotators` who compared.
    """

    question: str
    annotators: int
    editors: tuple[str, ...]
    wins: Floats
    ties: int
    total: int


def mean_of(tables: Floats) -> Floats:
    """The mean over the first axis of what is not NaN; NaN where all of it is."""
    given = ~np.isnan(tables)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(given, tables, 0.0).sum(axis=0) / given.sum(axis=0))


def questions(frame: Results) -> dict[str, Question]:
    """Metric -> question of every kind of answer in the frame. Raises `UsageError` where one
    question was answered by 1-5 and by grades, which share a metric.
    """
    asked: dict[str, Question] = {}
    for metric, scorer in sorted({(key.metric, key.scorer) for key in frame.cubes}):
        one = question_of(metric, scorer)
        if one is not None and asked.setdefault(metric, one) != one:
            raise UsageError(
                f"question {one.name!r}: rated 1-5 by some and good/fair/poor by others, which "
                f"cannot be put together; give one of them another question name"
            )
    return asked


def answers(frame: Results) -> list[Answers]:
    """The answers to every question but comparisons, in the order of the metrics' names."""
    people = frame.only_people()
    every = []
    for metric, asked in questions(people).items():
        if asked.scale != "pairwise":
            every.append(_answers(people, metric, asked))
    scales = Counter(one.question for one in every)
    labelled = []
    for one in every:
        label = one.question
        if scales[one.question] > 1:
            label = f"{one.question} ({one.scale})"
        labelled.append(one._replace(label=label))
    return labelled


def _answers(people: Results, metric: str, asked: Question) -> Answers:
    cubes = {key.source: cube for key, cube in people.cubes.items() if key.metric == metric}
    cubes = {who: cube for who, cube in sorted(cubes.items()) if (cube.status == _SCORED).any()}
    repeats = max((len(cube.values) for cube in cubes.values()), default=1)
    shape = (len(cubes), repeats, len(people.editors), len(people.samples))
    values = np.full(shape, np.nan)
    for mine, cube in zip(values, cubes.values(), strict=True):
        mine[: len(cube.values)] = _said(cube)
    who = tuple(name.removeprefix(PEOPLE) for name in cubes)
    one = declared_of(people).get(metric)
    ends = (one.low, one.high) if one and one.high not in (5, math.inf) else ()
    return Answers(asked.name, asked.scale, metric, who, people.editors, values, ends)


def _said(cube: Cube) -> Floats:
    """What was said of each output, the first time first, even where a file counts from 1."""
    values = np.where(cube.status == _SCORED, cube.values, np.nan)
    order = np.isnan(values).argsort(axis=0, kind="stable")
    return np.asarray(np.take_along_axis(values, order, axis=0))


def comparisons(frame: Results) -> list[Comparisons]:
    """The comparisons of every question, first times only."""
    people = frame.only_people()
    asked: dict[str, dict[str, str]] = {}
    for metric, one in questions(people).items():
        if one.scale == "pairwise":
            asked.setdefault(one.name, {})[metric] = one.against
    return [_compared(people, question, against) for question, against in asked.items()]


def _compared(people: Results, question: str, against: Mapping[str, str]) -> Comparisons:
    """`against`: metric -> the editor that a row's own is compared with."""
    editors = sorted({*people.editors, *against.values()})
    places = [editors.index(name) for name in people.editors]
    wins = np.zeros((len(people.samples), len(editors), len(editors)))
    ties, total, who = 0, 0, set()
    for key, cube in people.cubes.items():
        if key.metric in against:
            given = _said(cube)[0].T  # (S, E)
            other = editors.index(against[key.metric])
            wins[:, places, other] += np.nan_to_num(given)
            wins[:, other, places] += np.nan_to_num(1.0 - given)
            ties += int((given == 0.5).sum())
            total += int((~np.isnan(given)).sum())
            who |= {key.source} if not np.isnan(given).all() else set()
    kept = np.flatnonzero((wins + wins.transpose(0, 2, 1)).sum(axis=(0, 1)))
    names = tuple(editors[k] for k in kept.tolist())
    return Comparisons(question, len(who), names, wins[:, kept][:, :, kept], ties, total)


def averaged(frame: Results) -> Results:
    """The frame with all annotators together as one source, ``human``, in which each annotator is a
    repeat: tables apply their scales and cut-offs to each annotator's answer and average them
    afterwards. What an annotator said a second time is left out; the rows of machines are kept as
    they are. So ``--source human`` fills a benchmark's own tables with people's ratings, on its own
    scale (`Answers.each_as_metric`).
    """
    machines = frame.without_people()
    cubes = dict(machines.cubes)
    described = dict(machines.described)
    declared = declared_of(frame)
    given = answers(frame)
    everybody = sorted({name for one in given for name in one.annotators})
    for one in given:
        if one.metric in declared:
            low, high = one.range
            described[one.metric] = replace(declared[one.metric], low=low, high=high)
        values = np.full((len(everybody), *one.first.shape[1:]), np.nan)
        values[[everybody.index(name) for name in one.annotators]] = one.each_as_metric
        status = np.where(np.isnan(values), -1, _SCORED).astype(np.int8)
        cubes[Key(one.metric, "faithful", ALL, f"{ALL}.{one.scale}")] = Cube(values, status)
    return replace(machines, cubes=cubes, described=described)
