"""Rows into tables: a benchmark says what a table is made of (`spec.PaperTable`), `build` computes
it from `Results`.

Every cell is a formula over the means of metrics on some of the samples, so the number, its mean
with failures at the scale's minimum, and its interval all come from one definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from editgauge.statistics.quantiles import is_yes_or_no, two_valued_limits
from editgauge.statistics.ranks import RankStability, rank_stability
from editgauge.statistics.resampling import Moments, mean_of, pooled, replicates, units
from editgauge.statistics.resampling import intervals as intervals_of
from editgauge.tables import notes as told
from editgauge.tables import spec
from editgauge.tables.models import key_of
from editgauge.tables.plan import Field, Matrix, Plan, floor_of, matrix, plan
from editgauge.tables.results import Results
from editgauge.tables.spec import Floats, PaperTable, Published
from editgauge.tables.table import OWN, Cell, Column, Table, TableRow
from editgauge.types import Variant

NOTHING = Cell(value=None)


def build(
    results: Results,
    table: PaperTable,
    variant: Variant,
    *,
    published: bool = False,
    intervals: bool = False,
    mean: bool = False,
    seed: int = 0,
) -> Table | None:
    """The table from current rows; None when no row belongs to it.

    `published`: add the papers' lines. `intervals`: 95 % bootstrap intervals, clustered by sample,
    stratified by the table's `strata`. `mean`: a line with the mean over the run's models, where
    all of them were scored on the same samples. Sources must have been chosen before
    (`Results.of_sources`).
    """
    paper = table.publication(results) if published else None
    if table.lines is not None and (lines := table.lines(results, variant, intervals, seed)):
        return _of_lines(results, plan(results, table, variant), lines, paper, intervals)
    editors = _editors(results, table)
    if not editors:
        return _published_alone(results, table, paper) if table.alone and paper else None
    results = results.of_editors(editors)
    made = plan(results, table, variant)
    part = matrix(results, made)
    uneven = told.uneven(results, made, part)
    cells, ranks = _cells(results, made, part, intervals=intervals, seed=seed)
    rows = [TableRow(name=e, cells=mine) for e, mine in zip(results.editors, cells, strict=True)]
    columns = [_marked(field.column, uneven) for field in made.fields]
    complete = _complete(results, made, rows, paper) and not uneven
    if paper is not None:
        parts = told.parts_of_release(results, made, part)
        rows = [replace(row, part=one) for row, one in zip(rows, parts, strict=True)]
    notes = told.of_table(results, made, uneven, published=paper, intervals=intervals)
    notes += told.of_ranks(results.editors, table, ranks) + told.of_parts(rows)
    rows += _mean_row(columns, rows) if mean else []
    if paper is not None:
        rows += paper.rows()
    else:
        unscored = told.unscored(results, made)
        columns = [column for column in columns if column.name not in unscored]
    columns, rows = _with_facts(results, table, drop_empty(columns, rows), rows)
    meta = {
        "complete": complete,
        "intervals": intervals,
        "ranks": {} if ranks is None else ranks.meta(results.editors),
    }
    return _table(results, made, columns, rows, notes, meta)


def _table(
    results: Results,
    made: Plan,
    columns: Sequence[Column],
    rows: Sequence[TableRow],
    notes: Sequence[str],
    meta: Mapping[str, Any],
) -> Table:
    return Table(
        name=made.table.name,
        title=made.table.title,
        columns=columns,
        rows=rows,
        benchmark=results.benchmark,
        variant=made.variant,
        source=told.sources(results, made.table),
        size=len(results.samples),
        transposed=made.table.transposed,
        notes=notes,
        meta=meta,
    )


def _published_alone(results: Results, table: PaperTable, paper: Published) -> Table:
    """The published lines of a table that the run has no rows of, with a note that says so."""
    rows, made = list(paper.rows()), plan(results, table, "faithful")
    columns = drop_empty([field.column for field in made.fields], rows)
    alone = _table(results, made, columns, rows, [told.NO_ROWS, paper.note], {})
    return replace(alone, variant="", source="")


def _of_lines(
    results: Results,
    made: Plan,
    lines: Sequence[TableRow],
    paper: Published | None,
    intervals: bool,
) -> Table:
    """The table of a layout that makes its lines itself, each with the published line of its name
    below it. Lines are of different samples: none is best.
    """
    papers = {_bare(row.name): row for row in (paper.rows() if paper is not None else ())}
    rows: list[TableRow] = []
    for row in lines:
        own = papers.pop(_bare(row.name), None)
        rows += [row] if own is None else [row, own]
    rows += papers.values()
    columns = [replace(field.column, comparable=False) for field in made.fields]
    notes = [*made.table.notes, *([told.INTERVALS] if intervals else [])]
    notes += [paper.note] if paper is not None else []
    return _table(results, made, drop_empty(columns, rows), rows, notes, {})


def _bare(name: str) -> str:
    """A line's name without its model, for comparing with a paper's: ``Reconstruct ear.`` is the
    paper's ``Reconstruct ear``.
    """
    return name.rpartition(": ")[2].strip().rstrip(".").casefold()


def _editors(results: Results, table: PaperTable) -> list[str]:
    """The editors that have any row for the table: models of the paper in its order, then the
    others as they are.
    """
    wanted = {part for column in table.every_column for mean in column.of for part in mean.parts}
    present = np.asarray(results.tried(wanted).any(axis=1))
    for key, whole in results.sets.items():
        if key.metric in wanted:
            present |= ~np.isnan(whole.values)

    def model(name: str) -> str:
        return key_of(results.models.of(name).name or name)

    paper = table.publication(results)
    order: dict[str, int] = {}
    for row in paper.rows() if paper else ():
        order.setdefault(model(row.name), len(order))
    there = [name for name, has in zip(results.editors, present, strict=True) if has]
    return sorted(there, key=lambda name: order.get(model(name), len(order)))


def _marked(column: Column, uneven: Mapping[str, str]) -> Column:
    """The column, not comparable where editors were not scored on the same samples."""
    if column.name not in uneven:
        return column
    note = "; ".join(filter(None, (column.note, uneven[column.name])))
    return replace(column, comparable=False, note=note)


def _complete(
    results: Results, made: Plan, rows: Sequence[TableRow], paper: Published | None
) -> bool:
    """Whether the run's numbers are of the whole release and made as the paper's: every sample
    scored, by its judge, with its prompts, faithfully.
    """
    size = made.table.size
    cells = [cell for row in rows for cell in row.cells.values() if cell.n is not None]
    whole = size is not None and len(results.samples) >= size and bool(cells)
    read = {(part, variant) for mean, variant in made.means for part in mean.parts}
    corrected = any(v == "corrected" and results.has(m, v) for m, v in read)
    other = paper.other_maker(results) if paper else ""
    as_released = not corrected and not other and not told.other_prompts(results, made.table)
    return whole and all(cell.n == cell.of for cell in cells) and as_released


def _mean_row(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[TableRow]:
    """The line of the models' means, in the columns where all were scored on the same samples; none
    of one model alone.
    """
    cells = {}
    for column in columns if len(rows) > 1 else ():
        mine = [row.cells[column.name] for row in rows]
        values = [cell.value for cell in mine if cell.value is not None]
        if column.comparable and len(values) == len(rows):
            cells[column.name] = Cell(value=float(np.mean(values)), n=mine[0].n, of=mine[0].of)
    return [TableRow(name=f"Mean of {len(rows)}", cells=cells, kind="average")] if cells else []


def _with_facts(
    results: Results, table: PaperTable, columns: list[Column], rows: list[TableRow]
) -> tuple[list[Column], list[TableRow]]:
    """Lines with their model's section and size, where the table wants them and any is known.

    Lines of one section stand together, in the paper's order of sections, those without one first;
    the run's own before the papers'.
    """
    facts = [results.models.of(row.name) for row in rows]
    if table.params and any(known.params for known in facts):
        columns = [Column(name="params", heading=("# Params",), digits=0), *columns]
        rows = [
            replace(row, cells={"params": Cell(value=None, text=known.params or "-"), **row.cells})
            for row, known in zip(rows, facts, strict=True)
        ]
    if table.sections:
        groups = [known.group.get(results.benchmark, "") for known in facts]
        rows = [replace(row, section=group) for row, group in zip(rows, groups, strict=True)]
        published = [row.section for row in rows if row.kind not in OWN]
        order = list(dict.fromkeys(["", *published, *sorted(groups)]))
        rows.sort(key=lambda row: (row.kind not in OWN, order.index(row.section)))
    return columns, rows


def drop_empty(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[Column]:
    """Without the columns that have no sample in the data and no number in any line."""

    def there(column: Column) -> bool:
        cells = (row.cells.get(column.name, NOTHING) for row in rows)
        return any(cell.of or cell.value is not None for cell in cells)

    return [column for column in columns if there(column)]


# -- the numbers -----------------------------------------------------------------------------------


class Ranks(NamedTuple):
    """How editors rank by one column, and how far that survives resampling."""

    column: Column
    ranks: RankStability

    def meta(self, editors: Sequence[str]) -> dict[str, Any]:
        """As `Table.meta["ranks"]` has it: the column, and ``{editor: [rank, lowest, highest, share
        of resamples in which it is first]}``.
        """
        found = self.ranks
        lines = zip(editors, found.rank, found.low, found.high, found.first, strict=True)
        told = {name: [int(r), int(low), int(high), float(f)] for name, r, low, high, f in lines}
        return {"column": self.column.name, "editors": told}


def _moments(values: Floats) -> Moments:
    """(E, L, S) -> moments (E, L) over samples."""
    valid, infinite = ~np.isnan(values), np.isposinf(values)
    total = np.where(valid & ~infinite, values, 0.0).sum(axis=-1)
    counts = (part.sum(axis=-1).astype(np.float64) for part in (valid, infinite))
    return Moments(total, *counts)


def _cells(
    results: Results, made: Plan, part: Matrix, *, intervals: bool, seed: int
) -> tuple[list[dict[str, Cell]], Ranks | None]:
    """The cells of each editor by the columns' names, and how the editors rank."""
    values = part.evaluate(made.fields, _moments(part.values).mean)  # (E, F)
    floors = part.evaluate(made.fields, _moments(part.filled).mean)
    counts = [part.scored(field) for field in made.fields]
    scored = np.stack([have.sum(axis=1) for have, _ in counts], axis=1)  # (E, F)
    low = high = np.full(values.shape, np.nan)
    ranks: Ranks | None = None
    if intervals and part.values.shape[2] and made.means:
        low, high, ranks = _bootstrap(results, made, part, scored, seed)
    lines: list[dict[str, Cell]] = [{} for _ in results.editors]
    for f, field in enumerate(made.fields):
        failures = any(floor_of(made.means[k][0], made.metrics) is not None for k in field.places)
        of_set = _set_cells(results, field) if field.whole_set else None
        for e, line in enumerate(lines):
            line[field.column.name] = of_set[e] if of_set is not None else Cell(
                value=_given(values[e, f]),
                n=int(scored[e, f]),
                of=int(counts[f][1].sum()),
                low=_given(low[e, f]),
                high=_given(high[e, f]),
                floor=_given(floors[e, f]) if failures else None,
            )  # fmt: skip
    return lines, ranks


def _set_cells(results: Results, field: Field) -> list[Cell]:
    """The cell of every editor for a metric of the whole set."""
    whole = results.of_set(field.spec.of[0].metric, field.variant)
    return [
        Cell(value=_given(value), n=count or None, of=len(results.samples) if count else None)
        for value, count in zip(whole.values.tolist(), whole.samples.tolist(), strict=True)
    ]


def _given(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _bootstrap(
    results: Results, made: Plan, part: Matrix, scored: NDArray[np.int64], seed: int
) -> tuple[Floats, Floats, Ranks | None]:
    """Limits (E, F) twice, from one set of resamples for all editors, and how far the ranks survive
    them. Limits stay within the column's scale; yes or no have Wilson's.
    """
    e, means, s = part.values.shape
    fields = len(made.fields)

    def formula(summed: Moments) -> Floats:
        lead = summed.total.shape[:-1]
        cells = part.evaluate(made.fields, summed.mean.reshape(*lead, e, means))
        return cells.reshape(*lead, e * fields)

    data = units(part.values.reshape(e * means, s).T)
    strata = strata_of(results, made.table)
    found = intervals_of(data, formula, strata=strata, scored=scored.ravel())
    low, high = found.low.reshape(e, fields), found.high.reshape(e, fields)
    for number, field in enumerate(made.fields):
        if (scale := _scale_of(made, field)) is None:
            continue
        low[:, number], high[:, number] = np.clip([low[:, number], high[:, number]], *scale)
        for editor, values in enumerate(part.values[:, field.places[0]]):
            given = values[~np.isnan(values)]
            if is_yes_or_no(given, *scale):
                low[editor, number], high[editor, number] = two_valued_limits(given, *scale)
    return low, high, _ranks(made, part, found.estimate.reshape(e, fields), strata, seed)


def strata_of(results: Results, table: PaperTable) -> NDArray[np.int64] | None:
    """By what a table's samples are drawn again, (S,); None for all of them together."""
    if table.strata not in results.samples.names():
        return None
    return pooled(results.samples.labels(table.strata))


def _scale_of(made: Plan, field: Field) -> tuple[float, float] | None:
    """The scale of a column that is the plain mean of one metric; None for any other."""
    if len(field.places) != 1 or field.spec.formula is not spec.only:
        return None
    mean, _ = made.means[field.places[0]]
    metric = made.metrics.get(mean.metric)
    if mean.others or metric is None:
        return None
    ends = np.array([metric.low, metric.high])
    with np.errstate(all="ignore"):
        ends = ends if mean.shown is None else np.sort(mean.shown(ends))
    return float(ends[0]), float(ends[1])


def _ranks(
    made: Plan, part: Matrix, estimate: Floats, strata: NDArray[np.int64] | None, seed: int
) -> Ranks | None:
    """By the headline; where it has no numbers, by the first column over all samples that has; else
    by the one with the most samples. None where no column ranks all of two or more editors on the
    same samples.
    """
    editors = len(part.values)
    headline = [f for f in made.fields if f.column.name == made.table.headline]
    whole = [field for field in made.fields if not field.spec.labels]
    largest = sorted(made.fields, key=lambda field: -int(part.scored(field)[1].sum()))
    for field in [*headline, *whole, *largest] if editors > 1 else ():
        mine = estimate[:, made.fields.index(field)]
        have, _ = part.scored(field)
        same = bool((have == have[0]).all())
        known = np.isfinite(mine).all()
        if field.places and field.column.direction is not None and same and known:
            higher = field.column.direction == "higher"
            places = list(field.places)
            values = part.values[:, places]
            sizes = part.sizes[places].tolist()

            def formula(summed: Moments, one: Field = field, sizes: list[int] = sizes) -> Floats:
                return one.spec.formula(mean_of(summed).reshape(-1, editors, len(sizes)), sizes)

            data = units(values.reshape(-1, values.shape[2]).T)
            again = replicates(data, formula, strata, seed=seed)
            return Ranks(field.column, rank_stability(mine, again, higher_is_better=higher))
    return None
