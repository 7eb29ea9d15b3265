"""What a report shows of a study: agreement, contested samples, judge against people by category,
marked regions. Data only; the report draws them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from editgauge.study import sheets
from editgauge.study.agreement import (
    Agreement,
    Machine,
    agreement,
    by_category,
    contested,
    machines_of,
)
from editgauge.study.people import Answers, answers, directions_of
from editgauge.study.taking import REGIONS
from editgauge.tables.frame import Frame
from editgauge.tables.table import Cell, Column, Table, TableRow

RESAMPLES = 1000
MOST = 20
"""Contested samples of a question that are shown."""
_LABELS = ("category1", "category", "split")


def study_tables(frame: Frame) -> list[Table]:
    """The tables of a benchmark that people rated: of agreement, of the samples on which they
    differ most, and of each judge against them by category. None where nobody rated anything.
    """
    if not len(frame.only_people()):
        return []
    found = agreed(frame)
    made = [*sheets.tables(found), _contested(frame), _categories(frame)]
    return [table for table in made if table is not None]


def study_facts(frame: Frame) -> dict[str, Any] | None:
    """The same as JSON values, with the points of a scatter plot for each pair of a question and
    the metric of its name, and the number of marked regions; None where nobody rated anything.
    """
    if not len(frame.only_people()):
        return None
    found = answers(frame)
    return {
        "agreement": sheets.as_dict(agreed(frame)),
        "contested": {
            one.question: [
                {"sample": name, "difference": gap} for name, gap in contested(one, MOST)
            ]
            for one in found
        },
        "scatter": [_points(frame, one, machine) for one, machine in _same(frame)],
        "regions": _regions(frame),
    }


def agreed(frame: Frame) -> Agreement:
    """The agreement that a report shows."""
    return agreement(frame, directions_of(frame), resamples=RESAMPLES)


def _same(frame: Frame) -> list[tuple[Answers, Machine]]:
    """Questions with the metrics of their names: what rates the very thing."""
    machines = machines_of(frame, directions_of(frame))
    return [
        (one, machine)
        for one in answers(frame)
        for machine in machines
        if machine.metric == one.question
    ]


def _points(frame: Frame, one: Answers, machine: Machine) -> Mapping[str, Any]:
    people, values = one.mean, machine.values
    keep = np.isfinite(people) & np.isfinite(values)
    editor, sample = np.nonzero(keep)
    return {
        "question": one.question,
        "metric": machine.metric,
        "source": machine.source,
        "variant": machine.variant,
        "points": [
            [frame.editors[e], frame.samples.ids[s], float(people[e, s]), float(values[e, s])]
            for e, s in zip(editor.tolist(), sample.tolist(), strict=True)
        ],
    }


def _regions(frame: Frame) -> list[dict[str, Any]]:
    """Marked regions by editor and sample; the boxes are in the rows' details."""
    if REGIONS not in frame.scorers:
        return []
    columns = frame.columns
    mine = np.flatnonzero(columns.scorer == frame.scorers.index(REGIONS))
    return [
        {
            "editor": frame.editors[columns.editor[row]],
            "sample": frame.samples.ids[columns.sample[row]],
            "annotator": frame.sources[columns.source[row]],
            "regions": int(columns.value[row]),
        }
        for row in mine.tolist()
    ]


def _contested(frame: Frame) -> Table | None:
    rows = [
        TableRow(name, {"difference": Cell(gap)}, group=one.question)
        for one in answers(frame)
        for name, gap in contested(one, MOST)
    ]
    if not rows:
        return None
    note = "Mean absolute difference of two annotators' answers, over annotators and editors."
    return Table(
        "study.contested",
        f"{frame.benchmark}: samples on which people differ most",
        [Column("difference", ("difference",), 2)],
        rows,
        benchmark=frame.benchmark,
        by="question",
        notes=[note],
        meta={"names": "sample"},
    )


def _categories(frame: Frame) -> Table | None:
    label = next((by for by in _LABELS if by in frame.samples.names()), None)
    if label is None:
        return None
    labels = frame.samples.labels(label).tolist()
    rows = []
    for one, machine in _same(frame):
        for name, line in by_category(one, machine, labels, resamples=RESAMPLES):
            cells = {
                "spearman": sheets.cell(line.spearman, of=line.rated),
                "pearson": sheets.cell(line.pearson),
                "mae": sheets.cell(line.mae),
            }
            rows.append(TableRow(name, cells, group=f"{one.question}: {sheets.name_of(line)}"))
    if not rows:
        return None
    columns = [
        Column("spearman", ("Spearman per sample",), 3),
        Column("pearson", ("Pearson r",), 3),
        Column("mae", ("MAE",), 3),
    ]
    return Table(
        "study.categories",
        f"{frame.benchmark}: judge against people by {label}",
        columns,
        rows,
        benchmark=frame.benchmark,
        by="question",
        meta={"names": label},
    )
