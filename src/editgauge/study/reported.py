"""What a report shows of a study: the tables of agreement, and what its page draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from editgauge.study.agreement import Machine, agreement, machines_of
from editgauge.study.people import Answers, answers, mean_of
from editgauge.tables.results import Results
from editgauge.tables.table import Table, TableRow


def reported(
    frame: Results, published: Sequence[TableRow] = ()
) -> tuple[list[Table], dict[str, Any]] | None:
    """The tables of agreement on one benchmark, and the facts that the study page draws, as JSON
    values; None where nobody rated anything. `published` as `agreement` has it.

    In ``questions`` one item for each question that was answered with values: its ``outputs`` are
    ``[editor, sample, mean of the annotators]`` (positions in the frame's editors and samples),
    ``metrics`` what machines said of the same outputs in the same order, None where they have no
    finite value, and ``contested`` the samples on which annotators differ most, with every answer.
    """
    if not frame.only_people().cubes:
        return None
    agreed, machines = agreement(frame, published), machines_of(frame)
    return agreed.tables, {
        "summary": agreed.sentence,
        "tables": [table.name for table in agreed.tables],
        "questions": [_question(one, machines) for one in answers(frame)],
    }


def _question(one: Answers, machines: Sequence[Machine]) -> dict[str, Any]:
    people = one.mean
    rated = np.nonzero(np.isfinite(people))

    def values(machine: Machine) -> list[float | None]:
        # as its rows have them: a `Machine` turns those that are better when lower
        own = machine.values[rated] * (1 if machine.direction == "higher" else -1)
        return [value if math.isfinite(value) else None for value in own.tolist()]

    return {
        "question": one.question,
        "scale": one.scale,
        "direction": one.direction,
        "outputs": [
            *zip(*(place.tolist() for place in rated), people[rated].tolist(), strict=True)
        ],
        "metrics": [{**m._asdict(), "values": values(m)} for m in machines],
        "contested": [
            {"sample": name, "difference": gap, "answers": _answers(one, one.samples.index(name))}
            for name, gap in contested(one)
        ],
    }


def contested(one: Answers) -> list[tuple[str, float]]:
    """The samples on which annotators differ most, with the mean absolute difference of two
    annotators' answers, on the question's scale; samples that one person rated are left out.
    """
    if len(one.annotators) < 2:
        return []
    mean = mean_of(np.concatenate([np.abs(a - b) for a, b in combinations(one.first, 2)]))
    order = np.argsort(-np.nan_to_num(mean, nan=-1.0), kind="stable")
    return [(one.samples[k], float(mean[k])) for k in order[:20].tolist() if mean[k] > 0]


def _answers(one: Answers, sample: int) -> list[list[Any]]:
    """``[editor, annotator, value]`` of every first answer about a sample."""
    return [
        [editor, who, float(value)]
        for editor, given in zip(one.editors, one.first[:, :, sample].T, strict=True)
        for who, value in zip(one.annotators, given, strict=True)
        if np.isfinite(value)
    ]
