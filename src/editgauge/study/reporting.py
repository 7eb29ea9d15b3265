"""What a report shows of a study: agreement, contested samples, metrics against people, marked
regions. Data only; the report draws them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from editgauge.study import sheets
from editgauge.study.agreement import (
    Agreement,
    Machine,
    agreement,
    contested,
    machines_of,
)
from editgauge.study.people import Answers, answers, directions_of
from editgauge.study.ratings import REGIONS, REGIONS_METRIC
from editgauge.tables.results import Results
from editgauge.tables.table import Table, TableRow

RESAMPLES = 1000
MOST = 20
"""Contested samples of a question that are shown."""


class Reported(NamedTuple):
    """What a report shows of a study.

    `tables`: of agreement.

    `facts`: what the study page draws, as JSON values. `questions` has one item for each question
    that was answered with values. In it `outputs` are ``[editor, sample, mean of the annotators]``:
    positions in the frame's editors and samples, and a mean on the question's scale. `metrics` are
    what machines said of the same outputs in the same order, None where they have no finite value.
    `contested` are the samples on which annotators differ most, with every answer. `tables` are the
    names of the tables, `regions` the numbers of marked regions, `regions_metric` the metric of
    their rows.
    """

    tables: list[Table]
    facts: dict[str, Any]


def reported(frame: Results, published: Sequence[TableRow] = ()) -> Reported | None:
    """What a report shows of the ratings of one benchmark; None where nobody rated anything.
    `published`: the lines of the paper's rank correlations.
    """
    if not len(frame.only_people()):
        return None
    found = agreed(frame)
    tables = sheets.tables(found, published)
    machines = machines_of(frame, directions_of(frame))
    facts = {
        "agreement": sheets.as_dict(found),
        "tables": [table.name for table in tables],
        "questions": [_question(one, machines) for one in answers(frame)],
        "regions": _regions(frame),
        "regions_metric": REGIONS_METRIC,
    }
    return Reported(tables, facts)


def agreed(frame: Results) -> Agreement:
    """The agreement that a report shows."""
    return agreement(frame, directions_of(frame), resamples=RESAMPLES)


def _question(one: Answers, machines: Sequence[Machine]) -> Mapping[str, Any]:
    people = one.mean
    editor, sample = (found.tolist() for found in np.nonzero(np.isfinite(people)))
    rated = list(zip(editor, sample, strict=True))
    return {
        "question": one.question,
        "scale": one.scale,
        "direction": one.direction,
        "outputs": [[e, s, float(people[e, s])] for e, s in rated],
        "metrics": [
            {
                "metric": machine.metric,
                "source": machine.source,
                "variant": machine.variant,
                "direction": machine.direction,
                "values": _own_values(machine, rated),
            }
            for machine in machines
        ],
        "contested": [
            {"sample": name, "difference": gap, "answers": _said(one, one.samples.index(name))}
            for name, gap in contested(one, MOST)
        ],
    }


def _own_values(machine: Machine, rated: Sequence[tuple[int, int]]) -> list[float | None]:
    """A metric's own values, as its rows have them: a `Machine` turns those that are better when
    lower.
    """
    sign = 1.0 if machine.direction == "higher" else -1.0
    values = [sign * float(machine.values[place]) for place in rated]
    return [value if np.isfinite(value) else None for value in values]


def _said(one: Answers, sample: int) -> list[list[Any]]:
    """``[editor, annotator, value]`` of every first answer about a sample."""
    given = one.first[:, :, sample].T  # (E, A)
    places = zip(*(found.tolist() for found in np.nonzero(~np.isnan(given))), strict=True)
    return [[one.editors[e], one.annotators[a], float(given[e, a])] for e, a in places]


def _regions(frame: Results) -> list[dict[str, Any]]:
    """Marked regions by editor and sample; the boxes are in the rows' details."""
    return [
        {
            "editor": frame.editors[editor],
            "sample": frame.samples.ids[sample],
            "annotator": key.source,
            "regions": int(cube.values[repeat, editor, sample]),
        }
        for key, cube in frame.cubes.items()
        if key.scorer == REGIONS
        for repeat, editor, sample in np.argwhere(cube.status >= 0).tolist()
    ]
