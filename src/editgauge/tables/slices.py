"""One layout, many tables: a group of lines for each slice of the samples, for each run of a judge;
and judge noise.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from editgauge.statistics.agreement import judge_noise
from editgauge.tables.build import build, drop_empty
from editgauge.tables.notes import NO_RANK
from editgauge.tables.results import Results
from editgauge.tables.spec import PaperTable
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import Variant


def sliced(
    frame: Results,
    by: str,
    every: Callable[[Results], Sequence[PaperTable]],
    variant: Variant,
    *,
    intervals: bool = False,
    seed: int = 0,
) -> list[Table]:
    """One table for each of the benchmark's, with a group of lines for each value of the label
    `by`.

    `every` is asked anew for each slice. Columns in which no slice has a sample are left out, and
    so are metrics of the whole set.
    """
    labels = frame.samples.labels(by)
    found: dict[str, list[tuple[str, Table]]] = {}
    for value in in_order(labels.tolist()):
        part = frame.of_samples(labels == value)
        for item in every(part):
            said = [*item.notes, *filter(None, [item.said_of_slices.get(by, "")])]
            sliced_one = replace(item, size=None, notes=said)
            table = build(part, sliced_one, variant, intervals=intervals, seed=seed)
            if table is not None:
                found.setdefault(item.name, []).append((value or "(none)", table))
    return [folded(stacked(by, parts, len(frame.samples))) for parts in found.values()]


def folded(table: Table) -> Table:
    """A sliced table without half-empty columns: those of one narrow heading (SSIM of Real and of
    Virtual) of which each slice has samples in one only become one column. Where one of them has
    samples in every slice (Overall), the others are left out.
    """
    alike: dict[tuple[str, ...], list[Column]] = {}
    for column in table.columns:
        alike.setdefault(column.heading[-1:], []).append(column)
    groups = list(dict.fromkeys(row.group for row in table.rows))
    instead: dict[str, Column | None] = {}
    for heading, columns in alike.items():
        there = {c.name: {g for g in groups if _has(table, c.name, g)} for c in columns}
        full = [name for name, mine in there.items() if len(mine) == len(groups)]
        part = [name for name, mine in there.items() if len(mine) < len(groups)]
        if full:
            instead |= dict.fromkeys(part)
        elif len(part) > 1 and all(sum(g in there[n] for n in part) < 2 for g in groups):
            worst = next((c for c in columns if not c.comparable), columns[0])
            instead |= dict.fromkeys(part, replace(worst, name=heading[0], heading=heading))
    if not instead:
        return table
    kept = list(dict.fromkeys(instead.get(c.name, c) for c in table.columns))
    rows = [replace(row, cells=_folded(table, row, instead)) for row in table.rows]
    return replace(table, columns=[c for c in kept if c is not None], rows=rows)


def _has(table: Table, column: str, group: str) -> bool:
    cells = [row.cells.get(column, Cell(value=None)) for row in table.rows if row.group == group]
    return any(cell.of or cell.value is not None for cell in cells)


def _folded(table: Table, row: TableRow, instead: Mapping[str, Column | None]) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for name, cell in row.cells.items():
        column = instead.get(name)
        if name not in instead:
            cells[name] = cell
        elif column is not None and _has(table, name, row.group):
            cells[column.name] = cell
    return cells


def repeated(frame: Results, paper: PaperTable, variant: Variant) -> Table | None:
    """The table of each repeat of a judge's run by itself (the papers' robustness tables); None
    without repeats.
    """
    mine = frame.where(lambda key: key.metric in paper.metrics)
    parts = []
    for number in range(mine.repeats):
        table = build(mine.of_repeat(number), replace(paper, size=None), variant)
        if table is not None:
            parts.append((str(number + 1), table))
    if len(parts) < 2:
        return None
    made = stacked("run", parts, len(frame.samples))
    return replace(made, name=f"{paper.name}.runs", title=f"{paper.title}: each run of the judge")


_DEVIATIONS = (
    "SD of runs: their standard deviation (n - 1). ± of runs: the largest distance of a run from "
    "the mean of the runs."
)


def beside(
    frame: Results, paper: PaperTable, variant: Variant, *, published: bool = False
) -> Table | None:
    """A column for each run of a judge beside those of the others (TextEditBench's Table 5), for
    the table's `repeats`, with how far the runs lie from each other; None without repeats.

    SD is that of the runs (n - 1); ± the largest distance of a run from the runs' mean.
    """
    runs = repeated(frame, paper, variant) if paper.repeats else None
    if runs is None:
        return None
    wanted = [column for column in runs.columns if column.name in paper.repeats]
    numbers = list(dict.fromkeys(row.group for row in runs.rows))
    columns = [
        replace(
            column,
            name=f"{column.name}_run{number}",
            heading=(f"Run {number}", column.heading[0]),
        )
        for number in numbers
        for column in wanted
    ]
    for column in wanted:
        for name, title in (("sd", "SD of runs"), ("most", "± of runs")):
            columns.append(
                Column(
                    name=f"{column.name}_{name}",
                    heading=(title, column.heading[0]),
                    digits=2,
                    direction=None,
                )
            )
    lines: dict[str, dict[str, Cell]] = {}
    for row in runs.rows:
        if row.kind == "run":
            cells = {
                f"{c.name}_run{row.group}": row.cells.get(c.name, Cell(value=None)) for c in wanted
            }
            lines.setdefault(row.name, {}).update(cells)
    rows = [TableRow(name=name, cells=cells) for name, cells in lines.items()]
    papers = paper.published_repeats if published else None
    rows += papers.rows() if papers else []
    return replace(
        runs,
        name=f"{paper.name}.beside",
        title=f"{paper.title}: runs of the judge beside each other",
        columns=columns,
        rows=[_with_deviations(row, paper.repeats) for row in rows],
        by="",
        notes=[
            _DEVIATIONS,
            *([papers.note] if papers else []),
        ],
    )


def _with_deviations(row: TableRow, columns: Sequence[str]) -> TableRow:
    """A line with SD and largest distance of its runs; neither of one run alone."""
    more = {}
    for column in columns:
        runs = [cell for name, cell in row.cells.items() if name.startswith(f"{column}_run")]
        known = np.array([cell.value for cell in runs if cell.value is not None])
        if len(known) > 1:
            more[f"{column}_sd"] = Cell(value=float(known.std(ddof=1)))
            more[f"{column}_most"] = Cell(value=float(np.abs(known - known.mean()).max()))
    return replace(row, cells={**row.cells, **more})


def noise(frame: Results, variant: Variant) -> Table | None:
    """How much of a score's spread is the judge's own: variance components for each metric that was
    judged repeatedly.

    Raw scores, not the tables' scales. None where nothing was repeated.
    """
    columns = [
        Column(name="mean", heading=("mean",), digits=3),
        Column(
            name="sd_judge",
            heading=("SD within a sample",),
            digits=3,
            note="how repeated judgements of one sample differ",
        ),
        Column(
            name="sd_samples",
            heading=("SD of samples",),
            digits=3,
            note="how the samples' true scores differ",
        ),
        Column(
            name="reliability",
            heading=("reliability",),
            digits=3,
            note="share of a judgement's variance that is the sample's (ICC)",
        ),
        Column(
            name="se_samples",
            heading=("SE: samples",),
            digits=4,
            note="what the choice of samples adds to the mean's standard error",
        ),
        Column(
            name="se_judge",
            heading=("SE: judge",),
            digits=4,
            note="what the judge's noise adds to it",
        ),
        Column(name="judgements", heading=("judgements",), digits=0),
    ]
    rows = []
    for metric in frame.metrics:
        cubes = [c for k, c in frame.cubes.items() if (k.metric, k.variant) == (metric, variant)]
        if not cubes or len(cubes[0].values) < 2:
            continue
        cube = cubes[0]
        for number, editor in enumerate(frame.editors):
            found = judge_noise(cube.values[:, number].T)
            if np.isnan(found.within):
                continue
            grid = frame.grid(metric, variant)
            mean = float(np.nanmean(grid.values[frame.editors.index(editor)]))
            numbers = (
                mean,
                found.within**0.5,
                found.between**0.5,
                found.reliability,
                found.from_samples,
                found.from_judge,
                float(found.judgements),
            )
            cells = {c.name: Cell(value=value) for c, value in zip(columns, numbers, strict=True)}
            cells["mean"] = replace(cells["mean"], n=found.n, of=int(grid.defined.sum()))
            rows.append(TableRow(name=editor, cells=cells, group=metric))
    if not rows:
        return None
    note = (
        "One-way variance components (analysis of variance); raw scores; repeats count as one "
        "sample elsewhere."
    )
    return Table(
        name=f"{frame.benchmark}.noise",
        title=f"{frame.benchmark}: noise of the judge and of the samples",
        columns=columns,
        rows=rows,
        benchmark=frame.benchmark,
        variant=variant,
        size=len(frame.samples),
        by="metric",
        notes=[note],
        meta={"variants": [variant]},
    )


def stacked(by: str, parts: Sequence[tuple[str, Table]], size: int) -> Table:
    """Tables of slices as one; a column that cannot be compared in one slice is marked so, with the
    reason.
    """
    columns: dict[str, Column] = {}
    rows: list[TableRow] = []
    notes: dict[str, None] = {}
    for value, table in parts:
        for column in table.columns:
            known = columns.get(column.name)
            columns[column.name] = column if known is None or not column.comparable else known
        rows += [replace(row, group=value) for row in table.rows]
        for note in table.notes:
            if all(note in other.notes for _, other in parts):
                notes[note] = None
            elif note.startswith(NO_RANK):
                notes[f"{value}: {note}"] = None
    first = parts[0][1]
    return replace(
        first,
        columns=drop_empty(list(columns.values()), rows),
        rows=rows,
        by=by,
        size=size,
        notes=list(notes),
        title=f"{first.title} by {by}",
        meta={"variants": sorted({v for _, table in parts for v in table.meta["variants"]})},
    )


_TIERS = ("easy", "medium", "hard")
_NUMBERED = re.compile(r"[0-9]+(\.[0-9]+)*")


def in_order(labels: Iterable[str]) -> list[str]:
    """Each label once: numbers by size, tiers by difficulty, then texts by name; the empty one
    last. Where one is numbered like a chapter (``1.4.2``), the others are, too (``2.10`` after
    ``2.9``).
    """
    found = set(labels)
    given = [label for label in found if label]
    chapters = bool(given) and all(_NUMBERED.fullmatch(label) for label in given)
    chapters &= any(label.count(".") > 1 for label in given)

    def place(label: str) -> tuple[int, float, list[tuple[int, str]], str]:
        if not label:
            return (3, 0, [], "")
        if chapters:
            digits = (part.lstrip("0") for part in label.split("."))  # too many for `int`, perhaps
            return (0, 0, [(len(part), part) for part in digits], label)
        if label in _TIERS:
            return (1, _TIERS.index(label), [], "")
        try:
            number = float(label)
        except ValueError:
            number = math.nan
        return (0, number, [], label) if math.isfinite(number) else (2, 0, [], label)

    return sorted(found, key=place)
