"""What a report shows of a study: agreement, contested samples, metrics against people. Data only;
the report draws them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from editgauge.study import sheets
from editgauge.study.agreement import Machine, agreement, contested, machines_of
from editgauge.study.people import Answers, answers, directions_of
from editgauge.tables.results import Results
from editgauge.tables.table import Table, TableRow


class Reported(NamedTuple):
    """What a report shows of a study.

    `tables`: of agreement.

    `facts`: what the study page draws, as JSON values. `questions` has one item for each question
    that was answered with values. In it `outputs` are ``[editor, sample, mean of the annotators]``:
    positions in the frame's editors and samples, and a mean on the question's scale. `metrics` are
    what machines said of the same outputs in the same order, None where they have no finite value.
    `contested` are the samples on which annotators differ most, with every answer. `tables` are the
    names of the tables.
    """

    tables: list[Table]
    facts: dict[str, Any]


def reported(frame: Results, published: Sequence[TableRow] = ()) -> Reported | None:
    """What a report shows of the ratings of one benchmark; None where nobody rated anything.
    `published`: the lines of the paper's rank correlations.
    """
    if not len(frame.only_people()):
        return None
    directions = directions_of(frame)
    found = agreement(frame, directions)
    tables = sheets.tables(found, published)
    machines = machines_of(frame, directions)
    facts = {
        "agreement": sheets.as_dict(found),
        "tables": [table.name for table in tables],
        "questions": [_question(one, machines) for one in answers(frame)],
    }
    return Reported(tables, facts)


def _question(one: Answers, machines: Sequence[Machine]) -> Mapping[str, Any]:
    people = one.mean
    editor, sample = (places.tolist() for places in np.nonzero(np.isfinite(people)))
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
            for name, gap in contested(one)
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
