"""People's ratings as arrays, and as a frame in which all annotators together are one source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from editgauge.errors import UsageError
from editgauge.study.scales import Question, Scale, direction_of, question_of
from editgauge.tables.frame import PEOPLE, STATUSES, Columns, Frame
from editgauge.tables.layouts import metrics_of
from editgauge.types import Direction, Status

Floats = NDArray[np.float64]
ALL = "human"
"""The source of the derived rows: the mean over annotators."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What people said to one question on one scale.

    `values`: shape (annotators, repeats, editors, samples), NaN where nothing was said; ranks are
    as stored (1 = best). `samples` and `editors` are those of the frame.
    """

    question: str
    scale: Scale
    metric: str
    annotators: tuple[str, ...]
    editors: tuple[str, ...]
    samples: tuple[str, ...]
    values: Floats

    @property
    def direction(self) -> Direction:
        return direction_of(self.scale)

    @property
    def first(self) -> Floats:
        """What each annotator said the first time: (A, E, S). Repeats measure self-agreement and
        count nowhere else.
        """
        return np.asarray(self.values[:, 0])

    @property
    def mean(self) -> Floats:
        """The mean over annotators: (E, S), NaN where nobody said anything."""
        given = ~np.isnan(self.first)
        total = np.where(given, self.first, 0.0).sum(axis=0)
        count = given.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(count > 0, total / count, np.nan))

    @property
    def goodness(self) -> Floats:
        """`mean` with higher = better: ranks change their sign."""
        return self.mean if self.direction == "higher" else -self.mean

    @property
    def rated(self) -> int:
        """How many samples somebody rated."""
        return int((~np.isnan(self.mean)).any(axis=0).sum())


class Comparisons(NamedTuple):
    """Comparisons of one question: `wins` (samples, editors, editors), how often the line was
    preferred to the column, a tie and "both bad" as half a win for each; `annotators` who compared.
    """

    question: str
    annotators: tuple[str, ...]
    editors: tuple[str, ...]
    wins: Floats
    ties: int
    total: int


def directions_of(frame: Frame) -> dict[str, Direction]:
    """Metric -> which way is better, for the metrics whose direction is known."""
    found = metrics_of(frame.without_people())
    return {name: item.direction for name, item in found.items() if item.direction is not None}


def annotators_of(frame: Frame) -> tuple[str, ...]:
    """The annotators that have rows."""
    return tuple(
        name.removeprefix(PEOPLE)
        for code, name in enumerate(frame.sources)
        if name.startswith(PEOPLE) and (frame.columns.source == code).any()
    )


def questions(frame: Frame) -> list[tuple[str, Question]]:
    """(metric, question) of every kind of answer in the frame.

    Raises `UsageError` where one question was answered by 1-5 and by grades, which share a metric.
    """
    columns = frame.columns
    pairs = np.unique(np.stack([columns.metric, columns.scorer]), axis=1).T
    found: dict[str, Question] = {}
    for metric_code, scorer_code in pairs.tolist():
        metric = frame.metrics[metric_code]
        asked = question_of(metric, frame.scorers[scorer_code])
        if asked is None:
            continue
        if metric in found and found[metric] != asked:
            raise UsageError(
                f"question {asked.name!r}: rated 1-5 by some and good/fair/poor by others, which "
                f"cannot be put together; give one of them another question name"
            )
        found[metric] = asked
    return list(found.items())


def answers(frame: Frame) -> list[Answers]:
    """The answers to every question but comparisons, in the order of the metrics' names."""
    people = frame.only_people()
    names = annotators_of(people)
    return [
        _answers(people, metric, asked, names)
        for metric, asked in questions(people)
        if asked.scale != "pairwise"
    ]


def _answers(frame: Frame, metric: str, asked: Question, names: Sequence[str]) -> Answers:
    columns = frame.columns
    mine = frame.only(
        (columns.metric == frame.metrics.index(metric)) & (columns.status == _SCORED)
    ).columns
    place = {PEOPLE + name: number for number, name in enumerate(names)}
    annotator = np.array([place.get(name, -1) for name in frame.sources], dtype=np.int64)
    repeats = int(mine.repeat.max(initial=0)) + 1
    values = np.full((len(names), repeats, len(frame.editors), len(frame.samples)), np.nan)
    values[annotator[mine.source], mine.repeat, mine.editor, mine.sample] = mine.value
    said = ~np.isnan(values).all(axis=(1, 2, 3))
    who = tuple(name for name, keep in zip(names, said, strict=True) if keep)
    return Answers(
        asked.name, asked.scale, metric, who, frame.editors, frame.samples.ids, values[said]
    )


_SCORED = STATUSES.index(Status.SCORED)


def comparisons(frame: Frame) -> list[Comparisons]:
    """The comparisons of every question, first times only."""
    people = frame.only_people()
    columns = people.columns
    found: dict[str, list[tuple[str, str]]] = {}
    for metric, asked in questions(people):
        if asked.scale == "pairwise":
            found.setdefault(asked.name, []).append((metric, asked.against))
    made = []
    for question, metrics in found.items():
        against = dict(metrics)
        editors = sorted({*people.editors, *against.values()})
        wins = np.zeros((len(people.samples), len(editors), len(editors)))
        codes = [people.metrics.index(metric) for metric in against]
        keep = np.isin(columns.metric, codes) & (columns.status == _SCORED) & (columns.repeat == 0)
        mine = people.only(keep).columns
        first = np.array([editors.index(name) for name in people.editors], dtype=np.int64)
        second = np.array(
            [editors.index(against[m]) if m in against else -1 for m in people.metrics],
            dtype=np.int64,
        )
        a, b = first[mine.editor], second[mine.metric]
        np.add.at(wins, (mine.sample, a, b), mine.value)
        np.add.at(wins, (mine.sample, b, a), 1.0 - mine.value)
        who = sorted({people.sources[code].removeprefix(PEOPLE) for code in mine.source.tolist()})
        compared = wins.sum(axis=(0, 2)) > 0
        compared |= wins.sum(axis=(0, 1)) > 0
        kept = np.flatnonzero(compared)
        made.append(
            Comparisons(
                question,
                tuple(who),
                tuple(editors[k] for k in kept.tolist()),
                wins[:, kept][:, :, kept],
                int((mine.value == 0.5).sum()),
                len(mine.value),
            )
        )
    return made


def averaged_for(sources: Sequence[str] | None) -> Callable[[Frame], Frame] | None:
    """What ``--source`` does with annotators' rows: `averaged` where people are asked for, else
    nothing (they are left out).
    """
    return averaged if ALL in (sources or ()) else None


def averaged(frame: Frame) -> Frame:
    """The frame with all annotators' rows replaced by their mean over annotators, per sample and
    editor: source ``human``. Repeats beyond the first time are left out.

    This is how ``--source human`` fills a benchmark's own tables with people's ratings. The rows of
    machines are kept as they are.
    """
    machines = frame.without_people()
    found = answers(frame)
    if not found:
        return machines
    sources = (*frame.sources, ALL)
    parts = [machines.columns]
    for one in found:
        editor, sample = np.nonzero(~np.isnan(one.mean))
        size = len(editor)
        scale = frame.scorers.index(f"{ALL}.{one.scale}")

        def fill(value: int, size: int = size) -> NDArray[np.int32]:
            return np.full(size, value, dtype=np.int32)

        parts.append(
            Columns(
                sample.astype(np.int32),
                editor.astype(np.int32),
                fill(scale),
                fill(frame.metrics.index(one.metric)),
                fill(frame.variants.index("faithful")),
                fill(len(sources) - 1),
                fill(_SCORED),
                fill(0),
                one.mean[editor, sample],
            )
        )
    joined = Columns(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return replace(machines, sources=sources, columns=joined)
