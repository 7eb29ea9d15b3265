"""What repeated runs of a judge say: the table of each run, the runs beside each other, and how
much of the spread is the judge's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from editgauge.statistics.agreement import judge_noise
from editgauge.tables.build import build
from editgauge.tables.results import Results
from editgauge.tables.slices import stacked
from editgauge.tables.spec import PaperTable
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import Variant


def repeated(results: Results, paper: PaperTable, variant: Variant) -> Table | None:
    """The table of each repeat of a judge's run by itself (the papers' robustness tables); None
    without repeats.
    """
    mine = results.where(lambda key: key.metric in paper.metrics)
    parts = []
    for number in range(mine.repeats):
        table = build(mine.of_repeat(number), replace(paper, size=None), variant)
        if table is not None:
            parts.append((str(number + 1), table))
    if len(parts) < 2:
        return None
    whole = stacked("run", parts, len(results.samples))
    return replace(whole, name=f"{paper.name}.runs", title=f"{paper.title}: each run of the judge")


_DEVIATIONS = (
    "SD of runs: their standard deviation (n - 1). ± of runs: the largest distance of a run from "
    "the mean of the runs."
)


def beside(
    results: Results, paper: PaperTable, variant: Variant, *, published: bool = False
) -> Table | None:
    """A column for each run of a judge beside those of the others (TextEditBench's Table 5), for
    the table's `repeats`, with how far the runs lie from each other; None without repeats.
    """
    runs = repeated(results, paper, variant) if paper.repeats else None
    if runs is None:
        return None
    wanted = [column for column in runs.columns if column.name in paper.repeats]
    numbers = list(dict.fromkeys(row.group for row in runs.rows))
    columns = [
        replace(c, name=f"{c.name}_run{number}", heading=(f"Run {number}", c.heading[0]))
        for number in numbers
        for c in wanted
    ]
    for c in wanted:
        for name, title in (("sd", "SD of runs"), ("most", "± of runs")):
            columns.append(Column(name=f"{c.name}_{name}", heading=(title, c.heading[0]), digits=2))
    lines: dict[str, dict[str, Cell]] = {}
    for row in runs.rows:
        if row.kind == "run":
            cells = {
                f"{c.name}_run{row.group}": row.cells.get(c.name, Cell(value=None)) for c in wanted
            }
            lines.setdefault(row.name, {}).update(cells)
    papers = paper.published_repeats if published else None
    rows = [TableRow(name=name, cells=cells) for name, cells in lines.items()]
    rows += papers.rows() if papers else []
    return replace(
        runs,
        name=f"{paper.name}.beside",
        title=f"{paper.title}: runs of the judge beside each other",
        columns=columns,
        rows=[_with_deviations(row, paper.repeats) for row in rows],
        by="",
        notes=[_DEVIATIONS, *([papers.note] if papers else [])],
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


_NOISE = (
    Column(name="mean", heading=("mean",)),
    Column(name="sd_judge", heading=("SD within a sample",),
           note="how repeated judgements of one sample differ"),
    Column(name="sd_samples", heading=("SD of samples",),
           note="how the samples' true scores differ"),
    Column(name="reliability", heading=("reliability",),
           note="share of a judgement's variance that is the sample's (ICC)"),
    Column(name="se_samples", heading=("SE: samples",), digits=4,
           note="what the choice of samples adds to the mean's standard error"),
    Column(name="se_judge", heading=("SE: judge",), digits=4,
           note="what the judge's noise adds to it"),
    Column(name="judgements", heading=("judgements",), digits=0),
)  # fmt: skip


def noise(results: Results, variant: Variant) -> Table | None:
    """How much of a score's spread is the judge's own: variance components for each metric that was
    judged repeatedly.

    Raw scores, not the tables' scales. None where nothing was repeated.
    """
    rows = []
    for key, cube in results.cubes.items():
        if key.variant != variant or len(cube.values) < 2:
            continue
        defined = int(results.grid(key.metric, variant).defined.sum())
        for number, editor in enumerate(results.editors):
            each = cube.values[:, number].T  # (S, R)
            found = judge_noise(each)
            if np.isnan(found.within):
                continue
            given = ~np.isnan(each)
            there = given.any(axis=1)
            means = np.where(given, each, 0.0).sum(axis=1)[there] / given.sum(axis=1)[there]
            numbers = (
                float(means.mean()), found.within**0.5, found.between**0.5, found.reliability,
                found.from_samples, found.from_judge, float(found.judgements),
            )  # fmt: skip
            cells = {c.name: Cell(value=value) for c, value in zip(_NOISE, numbers, strict=True)}
            cells["mean"] = replace(cells["mean"], n=found.n, of=defined)
            rows.append(TableRow(name=editor, cells=cells, group=key.metric))
    if not rows:
        return None
    note = (
        "One-way variance components (analysis of variance); raw scores; repeats count as one "
        "sample elsewhere."
    )
    return Table(
        name=f"{results.benchmark}.noise",
        title=f"{results.benchmark}: noise of the judge and of the samples",
        columns=_NOISE,
        rows=rows,
        benchmark=results.benchmark,
        variant=variant,
        size=len(results.samples),
        by="metric",
        notes=[note],
        meta={"variants": [variant]},
    )
