"""Does learning help? Lines of one model on one task, a column for each number of samples that it
learned from (MedEBench's Table 7), and the same as a curve.

Which editors are one model that learned from 0, 4, 8… samples is what their edits' records say
(`store.variants`); 0 is the editor that learned from none. All numbers of a line are over the same
samples: those that every number of training samples has an output or a reason for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from editgauge.tables.build import build
from editgauge.tables.results import Floats, Mask, Results
from editgauge.tables.spec import Column, Mean, PaperTable
from editgauge.tables.table import Cell, TableRow
from editgauge.types import Metric, Variant

LABEL = "task"
"""The label of samples whose values are lines."""


@dataclass(frozen=True, slots=True)
class Series:
    """One model on one task: `frame` has its editors and the samples of its lines alone;
    `editors`: number of samples learned from -> editor.
    """

    model: str
    task: str
    editors: Mapping[int, str]
    frame: Results

    @property
    def name(self) -> str:
        return f"{self.model}: {self.task}" if self.task else self.model


def series(frame: Results, kind: str) -> Iterator[Series]:
    """The series of a frame, of editors that learned in one way (``tuned``, ``shots``): those with
    two numbers of samples at least, by model and then by task. A number that was not tried on a
    task is none of its series.
    """
    models: dict[str, dict[int, str]] = {}
    for editor in frame.editors:
        one = frame.learned.get(editor)
        if one is not None and one.kind == kind:
            models.setdefault(one.of, {})[one.samples] = editor
    tasks = _tasks(frame)
    for model, found in sorted(models.items()):
        mine = {0: model, **found} if model in frame.editors else found
        for task in sorted(set(tasks)):
            part = frame.of_samples(np.array([label == task for label in tasks], dtype=bool))
            tried = part.tried()
            at = {n: part.editors.index(editor) for n, editor in sorted(mine.items())}
            at = {n: place for n, place in at.items() if tried[place].any()}
            there: Mask = np.asarray(tried[list(at.values())].all(axis=0))
            if len(at) > 1 and there.any():
                editors = {n: part.editors[place] for n, place in at.items()}
                chosen = part.of_samples(there).of_editors(list(editors.values()))
                yield Series(model, task, editors, chosen)


def counts(frame: Results, kind: str) -> list[int]:
    """The numbers of samples that editors of the frame learned from."""
    return sorted({number for one in series(frame, kind) for number in one.editors})


def lines(
    kind: str, metrics: Sequence[Metric], mean_of: Callable[[Metric], Mean]
) -> Callable[[Results, Variant, bool, int], list[TableRow]]:
    """What `spec.PaperTable.lines` wants: a line for each series, its cells called
    ``<number>_<metric's title>``. `mean_of`: the mean behind a metric's columns.
    """
    columns = [Column(metric.title, (mean_of(metric),)) for metric in metrics]
    table = PaperTable(name=kind, title=kind, columns=columns)

    def made(frame: Results, variant: Variant, intervals: bool, seed: int) -> list[TableRow]:
        rows = []
        for one in series(frame, kind):
            built = build(one.frame, table, variant, intervals=intervals, seed=seed)
            of = {editor: number for number, editor in one.editors.items()}
            cells: dict[str, Cell] = {}
            for row in built.rows if built is not None else ():
                cells |= {f"{of[row.name]}_{name}": cell for name, cell in row.cells.items()}
            if cells:
                rows.append(TableRow(name=one.name, cells=cells))
        return rows

    return made


def values(one: Series, metric: Metric, variant: Variant) -> list[Floats]:
    """Of each number of samples, in order, the stored values (S,); NaN = none; all finite."""
    grid = one.frame.grid(metric.name, variant).values
    return [np.where(np.isinf(line), np.nan, line) for line in grid]


def _tasks(frame: Results) -> list[str]:
    """The task of each sample, "" where there is none."""
    if LABEL in frame.samples.names():
        return [str(label) for label in frame.samples.labels(LABEL).tolist()]
    return [""] * len(frame.samples)
