"""The variants of a sweep read as one model: the mean over them, the best of N, the spread over
seeds.

Which editors are variants of which model is what their edits' records say (`store.variants`). A
best-of-N number is made with the scores known: it is an upper bound of what choosing can reach, not
what a model gives. It never stands in a line with an ordinary name: each line here says what it is
made of, in every format.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

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
Groups = Mapping[str, Sequence[str]]
"""Model -> its variants."""


def models(results: Results) -> dict[str, list[str]]:
    """Model -> its variants among the editors, in the order of their values (numbers by size before
    words); only models with two or more.
    """
    swept = results.variants_of.swept

    def place(editor: str) -> list[tuple[bool, float, str]]:
        values = swept[editor].values.values()
        numbers = [isinstance(value, int | float) for value in values]
        return [
            (not number, float(value) if number and value is not None else 0.0, str(value))
            for value, number in zip(values, numbers, strict=True)
        ]

    groups: dict[str, list[str]] = {}
    for editor in sorted((e for e in results.editors if e in swept), key=place):
        groups.setdefault(swept[editor].of, []).append(editor)
    order = [swept[editor].of for editor in results.editors if editor in swept]
    return {of: groups[of] for of in dict.fromkeys(order) if len(groups[of]) > 1}


def tables(
    every: Sequence[Results],
    variants: Sequence[Variant],
    *,
    best_by: str = "",
    intervals: bool = False,
    seed: int = 0,
) -> list[Table]:
    """`together` for all results that have variants of a model. Raises `UsageError` where none has,
    and for a `best_by` that none has rows of or that has no direction.
    """
    mine = [results for results in every if models(results)]
    if not mine:
        names = ", ".join(dict.fromkeys(results.benchmark for results in every)) or "nothing"
        raise UsageError(
            f"--sweep: {names} has no variants of one model here; make some with: editgauge edit "
            f"BENCHMARK DATA --editor NAME --sweep NAME=V,V --sweep seed=0..3"
        )
    known = {name: metric for results in mine for name, metric in metrics_of(results).items()}
    if best_by and best_by not in known:
        raise UsageError(f"best_by {best_by}: no rows of it; there are: {', '.join(known)}")
    if best_by and (known[best_by].direction is None or known[best_by].whole_set):
        told = "wanted a metric of single outputs with a better and a worse end"
        raise UsageError(f"best_by {best_by}: {told}")
    return [
        table
        for results in mine
        for variant in variants
        for paper in every_table(results)
        for table in together(
            results,
            paper,
            variant,
            best_by=known[best_by] if best_by in metrics_of(results) else None,
            intervals=intervals,
            seed=seed,
        )
    ]


def together(
    results: Results,
    paper: PaperTable,
    variant: Variant,
    *,
    best_by: Metric | None = None,
    intervals: bool = False,
    seed: int = 0,
) -> list[Table]:
    """Two tables for one of the benchmark's that has rows: mean over variants and best of N; the
    spread over seeds.

    The oracle of best of N is the table's own first metric; `best_by` is a further one.
    """
    groups = models(results)
    results = results.of_editors([editor for group in groups.values() for editor in group])
    plain = replace(paper, size=None, published=(), alone=False)
    make = partial(build, table=plain, variant=variant, intervals=intervals, seed=seed)
    parts = [(MEAN, make(averaged(results, groups)))]
    for metric in _oracles(results, plain, variant, best_by):
        label = f"best of N by {metric.title}, chosen with the scores known"
        parts.append((label, make(best(results, groups, metric, variant))))
    there = [(label, table) for label, table in parts if table is not None]
    if not there:
        return []
    whole = stacked("outputs", there, len(results.samples))
    both = replace(
        whole,
        name=f"{plain.name}.sweep",
        title=f"{plain.title}: the variants of each model together",
        notes=[_MEAN_NOTE, _BEST_NOTE, *_lacking(results, groups), *whole.notes],
    )
    spread = _spread(results, groups, plain, variant)
    return [both] if spread is None else [both, spread]


def averaged(results: Results, groups: Groups) -> Results:
    """Results with one editor for each model, ``<model>, mean of N``: the rows of its variants are
    repeats of one another, which `Results.grid` averages. Rows of whole sets go.
    """
    most = max(map(len, groups.values()))

    def one(cube: Cube, group: Sequence[str]) -> Cube:
        """Variants (R, N, S) as repeats of one editor, (R * most, 1, S)."""
        part = cube.part(slice(None), _places(results, group))
        repeats, count, samples = part.values.shape
        shape = (repeats * count, 1, samples)
        flat = Cube(part.values.reshape(shape), part.status.reshape(shape))
        return padded(flat, repeats * most)

    def together(cube: Cube) -> Cube:
        values, status = zip(*(one(cube, group) for group in groups.values()), strict=True)
        return Cube(np.concatenate(values, axis=1), np.concatenate(status, axis=1))

    names = tuple(f"{model}, mean of {len(group)}" for model, group in groups.items())
    return replace(results.mapped(together), editors=names, sets={}, deliveries={})


def best(results: Results, groups: Groups, metric: Metric, variant: Variant) -> Results:
    """Results with one editor for each model, ``<model>, best of N by M``: of each sample the rows
    of the variant with the best value of the metric, the first of equal ones. Where none has a
    value the first variant stands, so that what it lacks is counted. Rows of whole sets go.
    """
    values = results.grid(metric.name, choose(results, metric.name, variant)[0]).values  # (E, S)
    values = values if metric.direction == "higher" else -values
    values = np.where(np.isnan(values), -np.inf, values)
    places = [_places(results, group) for group in groups.values()]
    picked = np.array([codes[values[codes].argmax(axis=0)] for codes in places])  # (models, S)
    every = np.arange(len(results.samples))
    names = tuple(f"{of}, best of {len(group)} by {metric.title}" for of, group in groups.items())
    chosen = results.mapped(lambda cube: cube.part(slice(None), picked, every))
    return replace(chosen, editors=names, sets={}, deliveries={})


def _places(results: Results, group: Sequence[str]) -> NDArray[np.int64]:
    return np.array([results.editors.index(editor) for editor in group])


def _oracles(
    results: Results, paper: PaperTable, variant: Variant, best_by: Metric | None
) -> list[Metric]:
    """The metrics by which the best output is chosen: the layout's headline, or its first column
    that has values and a direction; and the wanted one.
    """
    known = metrics_of(results)
    first = sorted(paper.columns, key=lambda column: column.name != paper.headline)
    own = (known[column.metric] for column in first if column.metric in known)
    fit = (
        metric
        for metric in own
        if metric.direction and not metric.whole_set
        and results.has(metric.name, choose(results, metric.name, variant)[0])
    )  # fmt: skip
    oracles = filter(None, (next(fit, None), best_by))
    return list({metric.name: metric for metric in oracles}.values())


def _lacking(results: Results, groups: Groups) -> list[str]:
    """How many outputs of each model were never made, by the records of what was delivered."""
    told = []
    for model, group in groups.items():
        known = [results.deliveries[editor] for editor in group if editor in results.deliveries]
        counts = [len(one.edited | one.given_back) for one in known]
        most = max(counts, default=0)
        if lacking := most * len(group) - sum(counts):
            told.append(
                f"{model}: {lacking} outputs fewer than {most} for each of {len(group)} variants; "
                f"means and choices are over those that are there."
            )
    return told


def _spread(results: Results, groups: Groups, paper: PaperTable, variant: Variant) -> Table | None:
    """The table of standard deviations over seeds; None where nothing differs in its seed alone."""
    table = build(results, paper, variant)
    if table is None:
        return None
    cells = {row.name: row.cells for row in table.rows}
    rows = []
    for model, group in groups.items():
        alike = _but_for_seed(results, group)
        spread: dict[str, Cell] = {}
        for column in table.columns:
            values = [[cells[e][column.name].value for e in mine if e in cells] for mine in alike]
            if (value := _pooled(values)) is not None:
                spread[column.name] = Cell(value=value)
        if spread:
            over = f", {len(alike)} settings" if len(alike) > 1 else ""
            name = f"{model}, SD over {max(map(len, alike))} seeds{over}"
            rows.append(TableRow(name=name, cells=spread))
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


def _but_for_seed(results: Results, group: Sequence[str]) -> list[list[str]]:
    """The variants that differ in nothing but their seed, in lists of two and more."""
    alike: dict[str, list[str]] = {}
    for editor in group:
        values = dict(results.variants_of.swept[editor].values)
        if values.pop("seed", None) is not None:
            alike.setdefault(repr(sorted(values.items())), []).append(editor)
    return [seeds for seeds in alike.values() if len(seeds) > 1]


def _pooled(groups: Sequence[Sequence[float | None]]) -> float | None:
    """The pooled standard deviation of several lists; None where none has two finite numbers."""
    known = [np.array([v for v in group if v is not None and math.isfinite(v)]) for group in groups]
    known = [values for values in known if len(values) > 1]
    squares = sum(float(((values - values.mean()) ** 2).sum()) for values in known)
    degrees = sum(len(values) - 1 for values in known)
    return math.sqrt(squares / degrees) if degrees else None
