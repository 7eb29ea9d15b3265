"""The four ways in which people rate, and what a rating is as a row.

========== ============================== ================== ==========================
scale      what is said                   stored value       metric of the row
========== ============================== ================== ==========================
rank       1 = best, equal numbers = tie  the rank           ``<question>.rank``
rate       1, 2, 3, 4, 5                  the number         ``<question>``
grade      good, fair, poor               5, 3, 1            ``<question>``
pairwise   A, B, tie, both bad            1, 0, 0.5, 0.5     ``<question>.over.<other>``
========== ============================== ================== ==========================

Ranks and comparisons have metrics of their own, because a mean of them is no mean of scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from editgauge.store.schema import digest
from editgauge.tables.results import PEOPLE
from editgauge.types import Direction, Metric, Row, Status

Scale = Literal["rank", "rate", "grade", "pairwise"]

SCALES: tuple[Scale, ...] = ("rank", "rate", "grade", "pairwise")
GRADES: Mapping[str, float] = {"good": 5.0, "fair": 3.0, "poor": 1.0}
"""KRIS-Bench's grades and what they count as."""
OUTCOMES: Mapping[str, float] = {"a": 1.0, "b": 0.0, "tie": 0.5, "both_bad": 0.5}
"""Outcomes of a comparison, as the share of a win that goes to the first editor."""
ENDS: Mapping[Scale, str] = {
    "rank": "1 = best",
    "rate": "1 = worst, 5 = best",
    "grade": "",
    "pairwise": "",
}
"""Which end of the scale is good, in the words that annotators read."""
SCORER = "human"
RANK = ".rank"
"""How the metric of a rank ends."""
OVER = ".over."


class Question(NamedTuple):
    """What the metric of a person's row stands for. `against` is the other editor of a
    comparison, "" otherwise.
    """

    name: str
    scale: Scale
    against: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One thing that one person said about one output (or about one pair of outputs).

    `value` is on the scale's stored form; None with a `reason` where the person skipped. `repeat`
    counts the times that the person saw this sample, from 0. `detail` holds JSON values (comment,
    outcome, marked regions); `origin` says where the rating comes from.
    """

    benchmark: str
    sample: str
    editor: str
    question: str
    annotator: str
    scale: Scale
    value: float | None
    against: str = ""
    repeat: int = 0
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metric(self) -> str:
        """The metric of the row: see the module's table."""
        if self.scale == "rank":
            return self.question + RANK
        if self.scale == "pairwise":
            return f"{self.question}{OVER}{self.against}"
        return self.question

    def row(self) -> Row:
        """The rating as a row of the track ``human``: scorer ``human.<scale>``, source
        ``human:<annotator>``.

        A comparison is stored once, under the editor whose name comes first.
        """
        if self.scale == "pairwise" and self.against < self.editor:
            return self._turned().row()
        source = PEOPLE + self.annotator
        status = Status.SCORED if self.value is not None else Status.NOT_APPLICABLE
        reason = "" if self.value is not None else self.reason or "skipped"
        key = (self.benchmark, self.sample, self.editor, self.scale, self.metric, source)
        mark = digest(*key, self.repeat, self.value, reason, dict(self.detail))
        return Row(
            benchmark=self.benchmark,
            sample=self.sample,
            editor=self.editor,
            scorer=f"{SCORER}.{self.scale}",
            metric=self.metric,
            variant="faithful",
            value=self.value,
            status=status,
            reason=reason,
            fingerprint=mark,
            source=source,
            repeat=self.repeat,
            detail=dict(self.detail),
            origin=dict(self.origin),
        )

    def _turned(self) -> Rating:
        outcome = self.detail.get("outcome")
        swapped = {"a": "b", "b": "a"}.get(str(outcome), outcome)
        return Rating(
            benchmark=self.benchmark,
            sample=self.sample,
            editor=self.against,
            question=self.question,
            annotator=self.annotator,
            scale=self.scale,
            value=None if self.value is None else 1.0 - self.value,
            against=self.editor,
            repeat=self.repeat,
            reason=self.reason,
            detail={**self.detail, "outcome": swapped},
            origin=self.origin,
        )


def is_rating(row: Row) -> bool:
    """Whether a row is a person's answer to a question (not a marked region)."""
    kind, _, scale = row.scorer.partition(".")
    return kind == SCORER and scale in SCALES


def question_of(metric: str, scorer: str) -> Question | None:
    """What a person's row is about, from its metric and scorer; None for rows of anything else."""
    kind, _, scale = scorer.partition(".")
    if kind != SCORER or scale not in SCALES:
        return None
    if scale == "pairwise":
        name, _, other = metric.partition(OVER)
        return Question(name, "pairwise", other)
    if scale == "rank":
        return Question(metric.removesuffix(RANK), "rank")
    return Question(metric, "rate" if scale == "rate" else "grade")


RANGES: Mapping[Scale, tuple[float, float]] = {
    "rank": (1.0, math.inf),
    "rate": (1.0, 5.0),
    "grade": (1.0, 5.0),
    "pairwise": (0.0, 1.0),
}


def metrics_of(rows: Iterable[Row]) -> list[Metric]:
    """What the metrics of people's rows are: direction and range follow from the scale."""
    found: dict[str, Metric] = {}
    for row in rows:
        asked = question_of(row.metric, row.scorer)
        if asked is not None:
            low, high = RANGES[asked.scale]
            found[row.metric] = Metric(
                row.metric, direction=direction_of(asked.scale), low=low, high=high
            )
    return list(found.values())


def direction_of(scale: Scale) -> Direction:
    """Which way is better: a rank is better when lower, everything else when higher."""
    return "lower" if scale == "rank" else "higher"


def shown(scale: Scale, value: float, outcome: object = None) -> str:
    """A stored value as people wrote it."""
    if scale == "grade":
        return next((word for word, number in GRADES.items() if number == value), f"{value:g}")
    if scale == "pairwise":
        return str(outcome) if outcome in OUTCOMES else {1.0: "a", 0.0: "b"}.get(value, "tie")
    return f"{value:g}"


def value_of(scale: Scale, text: str, editors: int) -> float | str:
    """The stored value of what a person wrote, or what is wrong with it in a few words.

    `editors`: how many outputs were rated together, the largest possible rank.
    """
    word = text.strip().casefold()
    if scale == "grade":
        return GRADES.get(word) or _number_among(word, (1.0, 3.0, 5.0), "good, fair or poor")
    if scale == "pairwise":
        known = OUTCOMES.get(word.replace(" ", "_").replace("-", "_"))
        return "wanted a, b, tie or both_bad" if known is None else known
    if scale == "rate":
        return _number_among(word, (1.0, 2.0, 3.0, 4.0, 5.0), "a whole number from 1 to 5")
    halves = tuple(half / 2 for half in range(2, 2 * editors + 1))
    return _number_among(word, halves, f"a rank from 1 to {editors}, the number of outputs")


def _number_among(word: str, allowed: Sequence[float], wanted: str) -> float | str:
    try:
        number = float(word)
    except ValueError:
        return f"wanted {wanted}"
    return number if number in allowed else f"wanted {wanted}"
