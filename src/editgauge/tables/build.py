"""Rows into tables: a benchmark says what a table is made of (`spec.PaperTable`), `build` computes
it from `Results`.

Every cell is a formula over the means of metrics on some of the samples, so the number, its mean
with failures at the scale's minimum, and its interval all come from one definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from editgauge.statistics.quantiles import is_yes_or_no, two_valued_limits
from editgauge.statistics.ranks import RankStability, rank_stability
from editgauge.statistics.resampling import Moments, pooled, replicates, units
from editgauge.statistics.resampling import intervals as intervals_of
from editgauge.tables import notes as told
from editgauge.tables import spec
from editgauge.tables.models import key_of
from editgauge.tables.plan import Field, Matrix, Plan, floor_of, matrix, plan
from editgauge.tables.results import Results
from editgauge.tables.spec import Floats, PaperTable, Published
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import Variant


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

    `published`: add the papers' lines. `intervals`: 95 % intervals over samples, stratified by the
    table's `strata`; `seed` is that of the resamples by which ranks are tried. `mean`: a line with
    the mean over the run's models (`_average`). Sources must have been chosen before
    (`Results.of_sources`).
    """
    paper = table.publication(results) if published else None
    if table.lines is not None and (lines := table.lines(results, variant, intervals)):
        return _of_lines(results, plan(results, table, variant), lines, paper, intervals)
    editors = _editors(results, table)
    if not editors:
        return _published_alone(results, table, paper) if table.alone and paper else None
    results = results.of_editors(editors)
    plan_made = plan(results, table, variant)
    part = matrix(results, plan_made)
    uneven = told.uneven(results, plan_made, part)
    low, high, ranks = (
        _intervals(results, plan_made, part, seed) if intervals else (None, None, None)
    )
    cells = _cells(results, plan_made, part, low, high)
    rows = [TableRow(name=e, cells=mine) for e, mine in zip(results.editors, cells, strict=True)]
    columns = [_marked(field.column, uneven.get(field.column.name)) for field in plan_made.fields]
    complete = _complete(results, plan_made, rows, paper) and not uneven
    if paper is not None:
        parts = told.parts_of_release(results, plan_made, part)
        rows = [replace(row, part=one) for row, one in zip(rows, parts, strict=True)]
    notes = told.of_table(results, plan_made, uneven, published=paper, intervals=intervals)
    notes += told.of_ranks(results.editors, table, ranks) + told.of_parts(rows)
    rows += _average(columns, rows) if mean else []
    if paper is not None:
        rows += paper.rows()
    else:
        unscored = told.unscored(results, plan_made)
        columns = [column for column in columns if column.name not in unscored]
    columns, rows = _with_facts(results, table, drop_empty(columns, rows), rows)
    built = _table(results, plan_made, columns, rows, notes)
    meta = {"complete": complete, "intervals": intervals, "ranks": _told(ranks, results.editors)}
    return replace(built, meta=meta)


def _table(
    results: Results,
    made: Plan,
    columns: Sequence[Column],
    rows: Sequence[TableRow],
    notes: Sequence[str],
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
    )


def _published_alone(results: Results, table: PaperTable, paper: Published) -> Table:
    """The published lines of a table that the run has no rows of, with a note that says so."""
    rows, planned = list(paper.rows()), plan(results, table, "faithful")
    columns = drop_empty([field.column for field in planned.fields], rows)
    alone = _table(results, planned, columns, rows, [told.NO_ROWS, paper.note])
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

    def bare(name: str) -> str:
        """Without the model: ``m: Reconstruct ear.`` is the paper's ``Reconstruct ear``."""
        return name.rpartition(": ")[2].strip().rstrip(".").casefold()

    papers = {bare(row.name): row for row in (paper.rows() if paper is not None else ())}
    rows: list[TableRow] = []
    for row in lines:
        papers_row = papers.pop(bare(row.name), None)
        rows += [row] if papers_row is None else [row, papers_row]
    rows += papers.values()
    columns = [replace(field.column, comparable=False) for field in made.fields]
    notes = [*made.table.notes, *([told.INTERVALS] if intervals else [])]
    notes += [paper.note] if paper is not None else []
    return _table(results, made, drop_empty(columns, rows), rows, notes)


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
    order = [model(row.name) for row in (paper.rows() if paper else ())]
    there = [name for name, has in zip(results.editors, present, strict=True) if has]
    return sorted(there, key=lambda n: order.index(model(n)) if model(n) in order else len(order))


def _marked(column: Column, reason: str | None) -> Column:
    """The column, not comparable where there is a reason: editors scored on different samples."""
    if reason is None:
        return column
    return replace(column, comparable=False, note="; ".join(filter(None, (column.note, reason))))


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


def _average(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[TableRow]:
    """The line of the models' means, in the columns where all were scored on the same samples; none
    of one model alone.
    """
    cells = {}
    for column in columns if len(rows) > 1 else ():
        mine = [row.cell(column.name) for row in rows]
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
            replace(row, cells={"params": Cell(text=known.params or "-"), **row.cells})
            for row, known in zip(rows, facts, strict=True)
        ]
    if table.sections:
        groups = [known.group.get(results.benchmark, "") for known in facts]
        rows = [replace(row, section=group) for row, group in zip(rows, groups, strict=True)]
        published = [row.section for row in rows if not row.own]
        order = list(dict.fromkeys(["", *published, *sorted(groups)]))
        rows.sort(
            key=lambda row: (not row.own, row.kind in ("average", "mean"), order.index(row.section))
        )
    return columns, rows


def drop_empty(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[Column]:
    """Without the columns that have no sample in the data and no number in any line."""

    def there(column: Column) -> bool:
        cells = (row.cell(column.name) for row in rows)
        return any(cell.of or cell.value is not None for cell in cells)

    return [column for column in columns if there(column)]


# -- the numbers -----------------------------------------------------------------------------------


def _means(values: Floats) -> Floats:
    """(E, L, S) -> means (E, L) over samples; infinite where a value is, NaN for none."""
    valid, infinite = ~np.isnan(values), np.isposinf(values)
    total = np.where(valid & ~infinite, values, 0.0).sum(axis=-1)
    counts = (part.sum(axis=-1).astype(np.float64) for part in (valid, infinite))
    return Moments(total, *counts).mean


def _cells(
    results: Results, made: Plan, part: Matrix, low: Floats | None, high: Floats | None
) -> list[dict[str, Cell]]:
    """The cells of each editor by the columns' names."""
    values = part.evaluate(made.fields, _means(part.values))  # (E, F)
    floors = part.evaluate(made.fields, _means(part.filled))
    lines: list[dict[str, Cell]] = [{} for _ in results.editors]
    for f, field in enumerate(made.fields):
        if field.whole_set:
            whole = results.of_set(field.spec.of[0].metric, field.variant)
            counts, of = whole.samples, len(results.samples)
            for e, line in enumerate(lines):
                n = int(counts[e]) or None
                value = _given(whole.values[e])
                line[field.column.name] = Cell(value=value, n=n, of=of if n else None)
            continue
        failures = any(floor_of(made.means[k][0], made.metrics) is not None for k in field.places)
        have, belongs = part.scored(field)
        for e, line in enumerate(lines):
            line[field.column.name] = Cell(
                value=_given(values[e, f]),
                n=int(have[e].sum()),
                of=int(belongs.sum()),
                low=None if low is None else _given(low[e, f]),
                high=None if high is None else _given(high[e, f]),
                floor=_given(floors[e, f]) if failures else None,
            )
    return lines


def _given(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


Ranks = tuple[Column, RankStability]
"""How editors rank by one column, and how far that survives resampling."""


def _told(ranks: Ranks | None, editors: Sequence[str]) -> dict[str, object]:
    """As `Table.meta["ranks"]` has it: the column, and ``{editor: [rank, lowest, highest, share of
    resamples in which it is first]}``.
    """
    if ranks is None:
        return {}
    column, rank = ranks
    parts = (rank.rank.tolist(), rank.low.tolist(), rank.high.tolist(), rank.first.tolist())
    lines = dict(zip(editors, map(list, zip(*parts, strict=True)), strict=True))
    return {"column": column.name, "editors": lines}


def _intervals(
    results: Results, made: Plan, part: Matrix, seed: int
) -> tuple[Floats | None, Floats | None, Ranks | None]:
    """Limits (E, F) twice, and how far the ranks survive resampling. Limits stay within the
    column's scale; yes or no have Wilson's.
    """
    e, means, s = part.values.shape
    fields = len(made.fields)
    if not s or not means:
        return None, None, None

    def formula(summed: Moments) -> Floats:
        lead = summed.total.shape[:-1]
        cells = part.evaluate(made.fields, summed.mean.reshape(*lead, e, means))
        return cells.reshape(*lead, e * fields)

    strata = strata_of(results, made.table)
    scored = np.stack([part.scored(field)[0].sum(axis=1) for field in made.fields], axis=1)
    data = units(part.values.reshape(e * means, s).T)
    interval = intervals_of(data, formula, strata=strata, scored=scored.ravel())
    estimate, low, high = (ends.reshape(e, fields) for ends in interval)
    for number, field in enumerate(made.fields):
        if not field.places:
            continue
        scale = _scale_of(made, part, field)
        low[:, number], high[:, number] = np.clip([low[:, number], high[:, number]], *scale)
        plain = len(field.places) == 1 and field.spec.formula is spec.only
        for editor, values in enumerate(part.values[:, field.places[0]] if plain else ()):
            given = values[~np.isnan(values)]
            if is_yes_or_no(given, *scale):
                low[editor, number], high[editor, number] = two_valued_limits(given, *scale)
    return low, high, _ranks(made, part, estimate, strata, seed)


def strata_of(results: Results, table: PaperTable) -> NDArray[np.int64] | None:
    """By what a table's samples are drawn again, (S,); None for all of them together."""
    if table.strata not in results.samples.names():
        return None
    return pooled(results.samples.labels(table.strata))


def _scale_of(made: Plan, part: Matrix, field: Field) -> tuple[float, float]:
    """Between which numbers a column lies: its formula at the ends of its metrics' scales, infinite
    where they are not known.
    """
    ends = []
    for end in ("low", "high"):
        means = []
        for mean, _ in (made.means[place] for place in field.places):
            known = (made.metrics.get(name) for name in mean.parts)
            raw = [np.float64(getattr(one, end, np.nan)) for one in known]
            means.append(raw[0] if mean.shown is None else mean.shown(*raw))
        with np.errstate(all="ignore"):
            sizes = part.sizes[list(field.places)].tolist()
            ends.append(float(field.spec.formula(np.array(means), sizes)))
    if np.isnan(ends).any():
        return -np.inf, np.inf
    return min(ends), max(ends)


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
        mine, (have, _) = estimate[:, made.fields.index(field)], part.scored(field)
        same = bool((have == have[0]).all()) and bool(np.isfinite(mine).all())
        if field.places and field.column.direction is not None and same:
            higher, places = field.column.direction == "higher", list(field.places)
            sizes = part.sizes[places].tolist()

            def formula(summed: Moments, one: Field = field, sizes: list[int] = sizes) -> Floats:
                return one.spec.formula(summed.mean.reshape(-1, editors, len(sizes)), sizes)

            data = units(part.values[:, places].reshape(editors * len(places), -1).T)
            again = replicates(data, formula, strata, seed=seed)
            return field.column, rank_stability(mine, again, higher_is_better=higher)
    return None
