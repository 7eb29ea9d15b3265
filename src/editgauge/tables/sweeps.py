"""The variants of a sweep read as one model: the mean over them, the best of N, the spread over
seeds.

Which editors are variants of which model is what their edits' records say (`store.variants`). A
best-of-N number is made with the scores known: it is an upper bound of what choosing can reach, not
what a model gives. It never stands in a line with an ordinary name: each line here says what it is
made of, in every format.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from editgauge.errors import UsageError
from editgauge.tables.build import build
from editgauge.tables.layouts import every_table
from editgauge.tables.metrics import choose, metrics_of
from editgauge.tables.results import Cube, Results, padded
from editgauge.tables.slices import stacked
from editgauge.tables.spec import PaperTable
from editgauge.tables.table import Cell, Table, TableRow
from editgauge.types import Metric, Variant

MEAN = "mean of the variants"
_MEAN_NOTE = (
    "mean of N: of each sample the mean over its N outputs, then the mean over samples as usual."
)
_BEST_NOTE = (
    "best of N by M: of each sample the output with the best M; all columns are of that output. It "
    "was chosen with the scores known (an oracle): an upper bound, not comparable with a line of "
    "one output a sample."
)
_SPREAD = (
    "Standard deviation (n − 1) over seeds of the table's number, all other settings equal; pooled "
    "over settings where several were swept. In the column's unit; no seed is left out."
)


def models(frame: Results) -> dict[str, list[str]]:
    """Model -> its variants among the frame's editors, in the order of their values; only models
    with two or more.
    """
    found: dict[str, list[str]] = {}
    for editor in frame.editors:
        if (one := frame.variants_of.swept.get(editor)) is not None:
            found.setdefault(one.of, []).append(editor)
    return {of: sorted(mine, key=_order(frame)) for of, mine in found.items() if len(mine) > 1}


def tables(
    frames: Sequence[Results],
    variants: Sequence[Variant],
    *,
    best_by: str = "",
    intervals: bool = False,
    seed: int = 0,
) -> list[Table]:
    """`together` for every frame that has variants of a model. Raises `UsageError` where none has,
    and for a `best_by` that none has rows of or that has no direction.
    """
    mine = [frame for frame in frames if models(frame)]
    if not mine:
        names = ", ".join(dict.fromkeys(frame.benchmark for frame in frames)) or "nothing"
        raise UsageError(
            f"--sweep: {names} has no variants of one model here; make some with: editgauge edit "
            f"BENCHMARK DATA --editor NAME --sweep NAME=V,V --seeds 0..3"
        )
    known = {name: metric for frame in mine for name, metric in metrics_of(frame).items()}
    if best_by:
        _check(known, best_by)
    return [
        table
        for frame in mine
        for variant in variants
        for table in together(
            frame,
            every_table(frame),
            variant,
            best_by=known[best_by] if best_by in metrics_of(frame) else None,
            intervals=intervals,
            seed=seed,
        )
    ]


def together(
    frame: Results,
    papers: Sequence[PaperTable],
    variant: Variant,
    *,
    best_by: Metric | None = None,
    intervals: bool = False,
    seed: int = 0,
) -> list[Table]:
    """Two tables for each of the benchmark's that has rows: mean over variants and best of N; the
    spread over seeds. None where the frame has no variants.

    The oracle of best of N is the table's own first metric; `best_by` is a further one.
    """
    mine = models(frame)
    frame = frame.of_editors([editor for group in mine.values() for editor in group])
    found: list[Table | None] = []
    for paper in papers if mine else ():
        plain = replace(paper, size=None, published=(), alone=False)
        make = _maker(plain, variant, intervals, seed)
        parts = [(MEAN, make(averaged(frame, mine)))]
        for metric in _oracles(frame, plain, variant, best_by):
            label = f"best of N by {metric.title}, chosen with the scores known"
            parts.append((label, make(best(frame, mine, metric, variant))))
        there = [(label, table) for label, table in parts if table is not None]
        if there:
            whole = stacked("outputs", there, len(frame.samples))
            found.append(
                replace(
                    whole,
                    name=f"{plain.name}.sweep",
                    title=f"{plain.title}: the variants of each model together",
                    notes=[_MEAN_NOTE, _BEST_NOTE, *_lacking(frame, mine), *whole.notes],
                )
            )
        found.append(_spread(frame, mine, plain, variant))
    return [table for table in found if table is not None]


def averaged(frame: Results, mine: Mapping[str, Sequence[str]]) -> Results:
    """A frame with one editor for each model, ``<model>, mean of N``: the rows of its variants are
    repeats of one another, which `Results.grid` averages. Rows of whole sets go.
    """

    def together(cube: Cube) -> Cube:
        most = max(map(len, mine.values()))
        parts = [
            _repeated(cube.part(slice(None), _places(frame, group)), most)
            for group in mine.values()
        ]
        values, status = zip(*parts, strict=True)
        return Cube(np.concatenate(values, axis=1), np.concatenate(status, axis=1))

    names = tuple(f"{model}, mean of {len(group)}" for model, group in mine.items())
    return replace(frame.mapped(together), editors=names, sets={}, deliveries={})


def _repeated(cube: Cube, most: int) -> Cube:
    """Variants (R, N, S) as repeats of one editor, (R * most, 1, S)."""
    repeats, count, samples = cube.values.shape
    shape = (repeats * count, 1, samples)
    flat = Cube(cube.values.reshape(shape), cube.status.reshape(shape))
    return padded(flat, repeats * most)


def best(
    frame: Results, mine: Mapping[str, Sequence[str]], metric: Metric, variant: Variant
) -> Results:
    """A frame with one editor for each model, ``<model>, best of N by M``: of each sample the rows
    of the variant with the best value of the metric, the first of equal ones. Where none has a
    value the first variant stands, so that what it lacks is counted. Rows of whole sets go.
    """
    made, _ = choose(frame, metric.name, variant)
    values = frame.grid(metric.name, made).values  # (E, S)
    chosen = []
    for group in mine.values():
        codes = _places(frame, group)
        part = values[codes] if metric.direction == "higher" else -values[codes]
        chosen.append(codes[np.where(np.isnan(part), -np.inf, part).argmax(axis=0)])
    picked = np.array(chosen)  # (models, S)
    names = tuple(f"{of}, best of {len(group)} by {metric.title}" for of, group in mine.items())
    of_best = frame.mapped(
        lambda cube: cube.part(slice(None), picked, np.arange(len(frame.samples)))
    )
    return replace(of_best, editors=names, sets={}, deliveries={})


def _places(frame: Results, group: Sequence[str]) -> NDArray[np.int64]:
    return np.array([frame.editors.index(editor) for editor in group])


def _maker(
    paper: PaperTable, variant: Variant, intervals: bool, seed: int
) -> Callable[[Results], Table | None]:
    return lambda frame: build(frame, paper, variant, intervals=intervals, seed=seed)


def _oracles(
    frame: Results, paper: PaperTable, variant: Variant, best_by: Metric | None
) -> list[Metric]:
    """The metrics by which the best output is chosen: the layout's headline, or its first column
    that has values and a direction; and the wanted one.
    """
    found: dict[str, Metric] = {}
    known = metrics_of(frame)
    for item in sorted(paper.columns, key=lambda item: item.name != paper.headline):
        if (metric := known.get(item.metric)) is None:
            continue
        made, _ = choose(frame, metric.name, variant)
        if metric.direction and not metric.whole_set and frame.has(metric.name, made):
            found[metric.name] = metric
            break
    if best_by is not None:
        found[best_by.name] = best_by
    return list(found.values())


def _check(known: Mapping[str, Metric], name: str) -> None:
    if name not in known:
        raise UsageError(f"--best-by {name}: no rows of it; there are: {', '.join(known)}")
    if known[name].direction is None or known[name].whole_set:
        raise UsageError(
            f"--best-by {name}: wanted a metric of single outputs with a better and a worse end"
        )


def _lacking(frame: Results, mine: Mapping[str, Sequence[str]]) -> list[str]:
    """How many outputs of each model were never made, by the records of what was delivered."""
    told = []
    for model, group in mine.items():
        there = {
            editor: len(one.edited | one.given_back)
            for editor in group
            if (one := frame.deliveries.get(editor)) is not None
        }
        most = max(there.values(), default=0)
        lacking = sum(most - count for count in there.values()) + most * (len(group) - len(there))
        if lacking:
            told.append(
                f"{model}: {lacking} outputs fewer than {most} for each of {len(group)} variants; "
                f"means and choices are over those that are there."
            )
    return told


def _spread(
    frame: Results, mine: Mapping[str, Sequence[str]], paper: PaperTable, variant: Variant
) -> Table | None:
    """The table of standard deviations over seeds; None where nothing differs in its seed alone."""
    table = build(frame, paper, variant)
    if table is None:
        return None
    cells = {row.name: row.cells for row in table.rows if row.kind == "run"}
    rows = []
    for model, group in mine.items():
        alike = _but_for_seed(frame, group)
        spread: dict[str, Cell] = {}
        for column in table.columns:
            value = _pooled(
                [
                    [cell.value for e in seeds if (cell := cells.get(e, {}).get(column.name))]
                    for seeds in alike
                ]
            )
            if value is not None:
                spread[column.name] = Cell(value=value)
        if spread:
            seeds = max(map(len, alike))
            over = f", {len(alike)} settings" if len(alike) > 1 else ""
            rows.append(TableRow(name=f"{model}, SD over {seeds} seeds{over}", cells=spread))
    if not rows:
        return None
    shown = {name for row in rows for name in row.cells}
    return replace(
        table,
        name=f"{paper.name}.seeds",
        title=f"{paper.title}: spread over seeds (standard deviation)",
        columns=[
            replace(column, direction=None, digits=column.digits + 1, comparable=True, note="")
            for column in table.columns
            if column.name in shown
        ],
        rows=rows,
        notes=[_SPREAD],
    )


def _but_for_seed(frame: Results, group: Sequence[str]) -> list[list[str]]:
    """The variants that differ in nothing but their seed, in lists of two and more."""
    found: dict[str, list[str]] = {}
    for editor in group:
        values = dict(frame.variants_of.swept[editor].values)
        if "seed" in values:
            del values["seed"]
            found.setdefault(repr(sorted(values.items())), []).append(editor)
    return [seeds for seeds in found.values() if len(seeds) > 1]


def _pooled(groups: Sequence[Sequence[float | None]]) -> float | None:
    """The pooled standard deviation of several lists; None where none has two finite numbers."""
    squares, degrees = 0.0, 0
    for group in groups:
        known = np.array([v for v in group if v is not None and math.isfinite(v)])
        if len(known) > 1:
            squares += float(((known - known.mean()) ** 2).sum())
            degrees += len(known) - 1
    return math.sqrt(squares / degrees) if degrees else None


def _order(frame: Results) -> Callable[[str], tuple[tuple[bool, float, str], ...]]:
    """Sorts variants by their values: numbers by size before words."""

    def key(editor: str) -> tuple[tuple[bool, float, str], ...]:
        values = frame.variants_of.swept[editor].values.values()
        return tuple(
            (False, float(v), "") if isinstance(v, int | float) else (True, 0.0, str(v))
            for v in values
        )

    return key
