"""MedEBench's Table 7: one model on one task by the number of samples it learned from (by its
edits' records; 0: none), over samples that every number has an output or a reason for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from editgauge.tables.build import Shown, build
from editgauge.tables.results import Results
from editgauge.tables.spec import Column, Mean, PaperTable
from editgauge.tables.table import TableRow
from editgauge.types import Metric, Variant

Series = tuple[str, Mapping[int, str], Results]
"""One model on one task: what it is called, number of samples learned from -> editor, and the
results of these editors on the samples of its line alone.
"""


def series(frame: Results, kind: str) -> Iterator[Series]:
    """The series of a frame, of editors that learned in one way (``tuned``, ``shots``): those with
    two numbers of samples at least, by model and then by task (a label of the samples). A number
    that was not tried on a task is none of its series.
    """
    models: dict[str, dict[int, str]] = {}
    for editor, one in frame.learned.items():
        if one.kind == kind and editor in frame.editors:
            models.setdefault(one.of, {})[one.samples] = editor
    known = "task" in frame.samples.names()
    tasks = frame.samples.labels("task") if known else np.full(len(frame.samples), "")
    tried = dict(zip(frame.editors, frame.tried(), strict=True))
    for model, points in sorted(models.items()):
        mine = {0: model, **points} if model in frame.editors else points
        for task in sorted({*tasks.tolist()}):
            there = {n: tried[mine[n]] & (tasks == task) for n in sorted(mine)}
            editors = {n: mine[n] for n, mask in there.items() if mask.any()}
            shared = np.logical_and.reduce([there[n] for n in editors])
            if len(editors) > 1 and shared.any():
                part = frame.of_samples(shared).of_editors([*editors.values()])
                yield f"{model}: {task}" if task else model, editors, part


def counts(frame: Results, kind: str) -> list[int]:
    """The numbers of samples that editors of the frame learned from."""
    return sorted({number for _, editors, _ in series(frame, kind) for number in editors})


def lines(
    kind: str, metrics: Sequence[Metric], mean_of: Callable[[Metric], Mean]
) -> Callable[[Results, Variant, bool], list[TableRow]]:
    """What `spec.PaperTable.lines` wants: a line for each series, its cells called
    ``<number>_<metric's title>``. `mean_of`: the mean behind a metric's columns.
    """
    columns = [Column(metric.title, (mean_of(metric),)) for metric in metrics]
    table = PaperTable(name=kind, title=kind, columns=columns)

    def made(frame: Results, variant: Variant, intervals: bool) -> list[TableRow]:
        rows = []
        for name, editors, part in series(frame, kind):
            built = build(part, table, variant, Shown(intervals=intervals))
            lines = {} if built is None else {row.name: row.cells for row in built.rows}
            cells = {
                f"{number}_{title}": cell
                for number, editor in editors.items()
                for title, cell in lines.get(editor, {}).items()
            }
            rows += [TableRow(name=name, cells=cells)] if cells else []
        return rows

    return made
