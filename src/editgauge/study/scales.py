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
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, get_args

from editgauge.store.schema import digest
from editgauge.tables.results import PEOPLE
from editgauge.types import Direction, JsonMapping, Metric, Row, Status

Scale = Literal["rank", "rate", "grade", "pairwise"]
SCALES: tuple[Scale, ...] = get_args(Scale)
GRADES: Mapping[str, float] = {"good": 5.0, "fair": 3.0, "poor": 1.0}
"""KRIS-Bench's grades and what they count as."""
OUTCOMES: Mapping[str, float] = {"a": 1.0, "b": 0.0, "tie": 0.5, "both_bad": 0.5}
"""Outcomes of a comparison, as the share of a win that goes to the first editor."""
ENDS: Mapping[Scale, str] = {"rank": "1 = best", "rate": "1 = worst, 5 = best"}
"""Which end of the scale is good, in the words that annotators read."""
RANGES: Mapping[Scale, tuple[float, float]] = {
    "rank": (1.0, math.inf), "rate": (1.0, 5.0), "grade": (1.0, 5.0), "pairwise": (0.0, 1.0),
}  # fmt: skip
SCALE_WORDS: Mapping[Scale, str] = {
    "rank": "rank, 1 = best",
    "rate": "1 to 5",
    "grade": "good 5, fair 3, poor 1",
    "pairwise": "share of wins",
}
"""What a mean of people's answers is a mean of, for the heading of its column."""
SCORERS: Mapping[str, Scale] = {f"human.{scale}": scale for scale in SCALES}
"""Scorer of people's rows -> scale."""
_RANK, _OVER = ".rank", ".over."


class Question(NamedTuple):
    """What a person's metric stands for. `against`: the other editor of a comparison, else ""."""

    name: str
    scale: Scale
    against: str = ""


def rating_row(
    *, editor: str, question: str, annotator: str, scale: Scale, value: float | None,
    against: str = "", detail: JsonMapping | None = None, **facts: Any,
) -> Row:  # fmt: skip
    """One thing that one person said about one output (or about a pair of them, stored under the
    editor whose name comes first) as a row: scorer ``human.<scale>``, source ``human:<annotator>``.

    `value` has the scale's stored form; None where the person skipped. `detail` holds JSON values
    (comment, outcome). `facts` are the row's benchmark, sample, repeat (how often the person had
    seen the sample), reason (of a skip) and origin (where the rating comes from).
    """
    detail = dict(detail or {})
    if scale == "pairwise" and against < editor:
        editor, against, value = against, editor, None if value is None else 1.0 - value
        if outcome := detail.get("outcome"):
            detail["outcome"] = {"a": "b", "b": "a"}.get(outcome, outcome)
    metric = question + {"rank": _RANK, "pairwise": f"{_OVER}{against}"}.get(scale, "")
    source, repeat = PEOPLE + annotator, facts.get("repeat", 0)
    reason = facts.pop("reason", "") or "skipped" if value is None else ""
    key = (facts["benchmark"], facts["sample"], editor, scale, metric, source, repeat)
    return Row(
        **{**facts, "reason": reason},
        editor=editor,
        scorer=f"human.{scale}",
        metric=metric,
        variant="faithful",
        value=value,
        status=Status.NOT_APPLICABLE if value is None else Status.SCORED,
        fingerprint=digest(*key, value, reason, detail),
        source=source,
        detail=detail,
    )


def question_of(metric: str, scorer: str) -> Question | None:
    """What a person's row is about, from its metric and scorer; None for rows of anything else."""
    scale = SCORERS.get(scorer)
    if scale is None:
        return None
    name, _, other = metric.partition(_OVER) if scale == "pairwise" else (metric, "", "")
    return Question(name.removesuffix(_RANK) if scale == "rank" else name, scale, other)


def metrics_of(rows: Iterable[Row]) -> list[Metric]:
    """What the metrics of people's rows are: direction and range follow from the scale."""
    scales = {row.metric: SCORERS[row.scorer] for row in rows if row.scorer in SCORERS}
    return [
        Metric(name, direction=direction_of(scale), low=RANGES[scale][0], high=RANGES[scale][1])
        for name, scale in scales.items()
    ]


def direction_of(scale: Scale) -> Direction:
    """Which way is better: a rank is better when lower, everything else when higher."""
    return "lower" if scale == "rank" else "higher"


def shown(row: Row) -> str:
    """A rating's value as people write it, "" for one that was skipped."""
    value, scale, outcome = row.value, SCORERS[row.scorer], row.detail.get("outcome")
    if value is None:
        return ""
    if scale == "pairwise":
        return str(outcome) if outcome in OUTCOMES else {1.0: "a", 0.0: "b"}.get(value, "tie")
    words = {number: word for word, number in GRADES.items()} if scale == "grade" else {}
    return words.get(value, f"{value:g}")


def value_of(scale: Scale, text: str, editors: int) -> float:
    """The stored value of what a person wrote; a rank goes from 1 in halves to `editors`, which
    were rated together. Raises `ValueError` that says what was wanted.
    """
    word = text.strip().casefold().replace(" ", "_").replace("-", "_")
    named: Mapping[str, float] = {"grade": GRADES, "pairwise": OUTCOMES}.get(scale, {})
    if word in named:
        return named[word]
    wanted = {
        "grade": "good, fair or poor",
        "pairwise": "a, b, tie or both_bad",
        "rate": "a whole number from 1 to 5",
        "rank": f"a rank from 1 to {editors}, the number of outputs",
    }[scale]
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    step, most = (2, editors) if scale == "rank" else (1, 5)
    good = 1 <= number <= most and (number * step).is_integer() and scale != "pairwise"
    if not good or (scale == "grade" and number not in named.values()):
        raise ValueError(f"wanted {wanted}, found {text!r}")
    return number
