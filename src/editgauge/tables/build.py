"""Rows into tables: a benchmark says what a table is made of (`spec.PaperTable`), `build` computes
it from a `Results`.

Every cell is a formula over the means of metrics on some of the samples, so the number, its mean
with failures at the scale's minimum, and its interval all come from one definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editgauge.statistics.quantiles import is_yes_or_no, two_valued_limits
from editgauge.statistics.ranks import RankStability, rank_stability
from editgauge.statistics.resampling import Intervals, Moments, bootstrap, pooled, units
from editgauge.tables import notes as told
from editgauge.tables import spec
from editgauge.tables.metrics import benchmark_of, choose, metrics_of, unknown
from editgauge.tables.models import key_of
from editgauge.tables.results import STATUSES, Codes, Results, excused
from editgauge.tables.spec import Floats, Mean, PaperTable
from editgauge.tables.table import OWN, Cell, Column, Table, TableRow
from editgauge.types import Metric, Status, Variant

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Field:
    """A column that is settled for a frame: what is drawn, which means it is made of (places among
    those of the table), and of which variant.
    """

    column: Column
    spec: spec.Column
    metric: Metric
    places: tuple[int, ...]
    variant: Variant

    @property
    def whole_set(self) -> bool:
        return not self.places and bool(self.spec.of)


@dataclass(frozen=True, slots=True)
class Plan:
    """A table settled for a frame and a variant: its columns, and the means behind them with the
    variant that each is read in.
    """

    table: PaperTable
    variant: Variant
    fields: tuple[Field, ...]
    means: tuple[tuple[Mean, Variant], ...]
    metrics: Mapping[str, Metric]

    def parts(self) -> list[tuple[str, Variant]]:
        """Every metric and variant that is read, whole sets included."""
        found = [(part, made) for mean, made in self.means for part in mean.parts]
        found += [(f.spec.of[0].metric, f.variant) for f in self.fields if f.whole_set]
        return list(dict.fromkeys(found))


def plan(frame: Results, table: PaperTable, variant: Variant) -> Plan:
    """The table's columns for the frame's rows: metrics read in the wanted variant where they have
    rows of it, with a note where they have not.
    """
    known = metrics_of(frame)
    wanted = table.fixed or variant
    places: dict[int, int] = {}
    means: list[tuple[Mean, Variant]] = []
    fields = []
    for column in table.of_variant(wanted):
        metric = column.shows if isinstance(column.shows, Metric) else known.get(column.metric)
        metric = _declared(frame, column.metric) if metric is None else metric
        note, made = column.note, wanted
        for mean in column.of:
            made, said = choose(frame, mean.metric, wanted)
            note = note or ("" if column.shows else said)
            whole = known[mean.metric].whole_set if mean.metric in known else metric.whole_set
            if id(mean) not in places and not whole:
                places[id(mean)] = len(means)
                means.append((mean, made))
        drawn = Column(
            name=column.name,
            heading=(*column.above, metric.title),
            digits=metric.digits,
            direction=metric.direction,
            note=note,
        )
        at = tuple(places[id(mean)] for mean in column.of if id(mean) in places)
        fields.append(Field(drawn, column, metric, at, made))
    return Plan(table, wanted, tuple(fields), tuple(means), known)


def _declared(frame: Results, name: str) -> Metric:
    """A metric that has no rows here."""
    benchmark = benchmark_of(frame.benchmark)
    known = {**(benchmark.every_metric if benchmark else {}), **frame.described}
    return known.get(name) or unknown(name)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The means of a plan on a set of samples: `values` (E, L, S), NaN = no score; `filled` the
    same with failures at the minimum; `defined` (L, S): the samples that belong to the mean;
    `sizes` (L,): how many samples of the data it is about.
    """

    values: Floats
    filled: Floats
    defined: Mask
    sizes: NDArray[np.int64]

    def scored(self, field: Field) -> tuple[Mask, Mask]:
        """(E, S): samples with a score of every mean of the field that they belong to; (S,):
        samples of the field.
        """
        places = list(field.places)
        belongs = self.defined[places]  # (l, S)
        given = ~np.isnan(self.values[:, places])  # (E, l, S)
        anywhere = np.asarray(belongs.any(axis=0))
        return np.asarray((given | ~belongs).all(axis=1) & anywhere), anywhere

    def evaluate(self, fields: Sequence[Field], means: Floats) -> Floats:
        """Means (..., L) -> cells (..., F); NaN for a metric of the whole set."""
        found = [
            field.spec.formula(
                means[..., list(field.places)], self.sizes[list(field.places)].tolist()
            )
            if field.places
            else np.full(means.shape[:-1], np.nan)
            for field in fields
        ]
        return np.stack(found, axis=-1)


def matrix(frame: Results, made: Plan) -> Matrix:
    """Every mean of the plan that is one over samples, on all samples of the frame."""
    shape = (len(frame.editors), len(made.means), len(frame.samples))
    values, filled = np.full(shape, np.nan), np.full(shape, np.nan)
    defined, sizes = np.zeros(shape[1:], dtype=np.bool_), np.zeros(shape[1], dtype=np.int64)
    for number, (mean, variant) in enumerate(made.means):
        here = labelled(frame, mean.where)
        grids = [frame.grid(part, variant) for part in mean.parts]
        raw = [grid.values for grid in grids]
        defined[number] = here & grids[0].defined
        if mean.not_applicable is not None:
            defined[number] = here
            raw = [
                np.where(_cannot(frame, grid.status), mean.not_applicable, grid.values)
                for grid in grids
            ]
        shown = raw[0] if mean.shown is None else mean.shown(*raw)
        failed = np.isnan(shown) & np.logical_or.reduce([grid.failed for grid in grids])
        floor = floor_of(mean, made.metrics)
        values[:, number] = np.where(here, shown, np.nan)
        worst = np.where(failed, np.nan if floor is None else floor, shown)
        filled[:, number] = np.where(here, worst, np.nan)
        sizes[number] = here.sum()
    return Matrix(values, filled, defined, sizes)


def _cannot(frame: Results, status: Codes) -> Mask:
    """(E, S): the editor cannot take the sample: not applicable, or missing where the sample has
    several pictures and the editor is known to take one only.
    """
    cannot = status == STATUSES.index(Status.NOT_APPLICABLE)
    if "multi_image" in frame.samples.names():
        several = frame.samples.labels("multi_image") == "true"
        single = np.array([frame.models.of(e).several_images is False for e in frame.editors])
        missing = status == STATUSES.index(Status.MISSING)
        cannot = cannot | (missing & single[:, None] & several[None, :])
    return np.asarray(cannot)


def floor_of(mean: Mean, metrics: Mapping[str, Metric]) -> float | None:
    """What a failure counts as on the table's scale; None where the scale has no minimum."""
    raw = [metrics[part].failure if part in metrics else None for part in mean.parts]
    known = [np.asarray(value, np.float64) for value in raw if value is not None]
    if len(known) < len(raw):
        return None
    return float(known[0] if mean.shown is None else mean.shown(*known))


def labelled(frame: Results, where: Mapping[str, str]) -> Mask:
    """(S,): the samples with these labels; none where no sample has a label of that name."""
    known = set(frame.samples.names())
    if any(name not in known for name in where):
        return np.zeros(len(frame.samples), dtype=np.bool_)
    return frame.samples.where(where)


# -- one table -------------------------------------------------------------------------------------


def build(
    frame: Results,
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
    paper = table.publication(frame) if published else None
    papers = list(paper.rows()) if paper else []
    if table.lines is not None and (lines := table.lines(frame, variant, intervals, seed)):
        return _of_lines(frame, table, variant, lines, papers, paper, intervals=intervals)
    editors = _editors(frame, table)
    if not editors:
        return _published_alone(frame, table, papers, paper) if table.alone and papers else None
    frame = frame.of_editors(_in_papers_order(frame, table, editors))
    made = plan(frame, table, variant)
    part = matrix(frame, made)
    uneven = told.uneven(frame, made, part)
    found = _cells(frame, made, part, intervals=intervals, seed=seed)
    rows = [
        TableRow(name=name, cells=cells)
        for name, cells in zip(frame.editors, found.lines, strict=True)
    ]
    columns = [_told_uneven(field.column, uneven) for field in made.fields]
    whole = table.size is not None and len(frame.samples) >= table.size
    complete = whole and not uneven and _covered(rows) and _as_released(frame, made, paper)
    if papers:
        parts = told.parts_of_release(frame, made, part)
        rows = [replace(row, part=one) for row, one in zip(rows, parts, strict=True)]
    notes = told.of_table(
        frame, made, uneven, published=paper if papers else None, intervals=intervals
    )
    notes += told.of_ranks(frame, table, found.ranks) + told.of_parts(rows)
    rows += _mean_row(columns, rows) if mean else []
    rows += papers
    if not papers:
        columns = [column for column in columns if column.name not in told.unscored(frame, made)]
    columns, rows = _with_facts(frame, table, drop_empty(columns, rows), rows)
    return Table(
        name=table.name,
        title=table.title,
        columns=columns,
        rows=rows,
        benchmark=frame.benchmark,
        variant=variant if table.fixed is None else table.fixed,
        source=told.sources(frame, table),
        size=len(frame.samples),
        transposed=table.transposed,
        notes=notes,
        meta={
            "complete": complete,
            "intervals": intervals,
            "statuses": told.statuses(frame, made),
            "variants": fed_variants(frame, made),
            "ranks": {} if found.ranks is None else found.ranks.meta(frame.editors),
        },
    )


def _published_alone(
    frame: Results, table: PaperTable, rows: Sequence[TableRow], paper: spec.Published | None
) -> Table:
    """The published lines of a table that the run has no rows of, with a note that says so."""
    made = plan(frame, table, "faithful")
    return Table(
        name=table.name,
        title=table.title,
        columns=drop_empty([field.column for field in made.fields], rows),
        rows=rows,
        benchmark=frame.benchmark,
        size=len(frame.samples),
        transposed=table.transposed,
        notes=[told.NO_ROWS, *([paper.note] if paper else [])],
        meta={"complete": False, "statuses": {}, "variants": []},
    )


def _of_lines(
    frame: Results,
    table: PaperTable,
    variant: Variant,
    lines: Sequence[TableRow],
    published: Sequence[TableRow],
    paper: spec.Published | None,
    *,
    intervals: bool,
) -> Table:
    """The table of a layout that makes its lines itself, each with the published line of its name
    below it. Lines are of different samples: none is best.
    """
    papers = {_bare(row.name): row for row in published}
    rows: list[TableRow] = []
    for row in lines:
        own = papers.pop(_bare(row.name), None)
        rows += [row] if own is None else [row, own]
    rows += papers.values()
    made = plan(frame, table, variant)
    columns = [replace(field.column, comparable=False) for field in made.fields]
    notes = [*table.notes, *([told.INTERVALS] if intervals else [])]
    return Table(
        name=table.name,
        title=table.title,
        columns=drop_empty(columns, rows),
        rows=rows,
        benchmark=frame.benchmark,
        variant=variant,
        source=told.sources(frame, table),
        size=len(frame.samples),
        transposed=table.transposed,
        notes=[*notes, *([paper.note] if paper else [])],
        meta={
            "complete": False,
            "statuses": {},
            "variants": sorted({key.variant for key in frame.keys}),
        },
    )


def _bare(name: str) -> str:
    """A line's name without its model, for comparing with a paper's: ``Reconstruct ear.`` is the
    paper's ``Reconstruct ear``.
    """
    return name.rpartition(": ")[2].strip().rstrip(".").casefold()


def _editors(frame: Results, table: PaperTable) -> list[str]:
    """The editors that have any row for the table."""
    wanted = {part for column in table.every_column for mean in column.of for part in mean.parts}
    present = np.asarray(frame.tried(wanted).any(axis=1))
    for key, whole in frame.sets.items():
        if key.metric in wanted:
            present |= ~np.isnan(whole.values)
    return [name for name, has in zip(frame.editors, present, strict=True) if has]


def _in_papers_order(frame: Results, table: PaperTable, editors: Sequence[str]) -> list[str]:
    """Models of the paper in its order, then the others as they are."""
    paper = table.publication(frame)
    order: dict[str, int] = {}
    for row in paper.rows() if paper else ():
        order.setdefault(key_of(frame.models.of(row.name).name or row.name), len(order))

    def place(editor: str) -> int:
        return order.get(key_of(frame.models.of(editor).name or editor), len(order))

    return sorted(editors, key=place)


def _told_uneven(column: Column, uneven: Mapping[str, str]) -> Column:
    if column.name not in uneven:
        return column
    note = "; ".join(filter(None, (column.note, uneven[column.name])))
    return replace(column, comparable=False, note=note)


def _covered(rows: Sequence[TableRow]) -> bool:
    cells = [cell for row in rows for cell in row.cells.values() if cell.n is not None]
    return bool(cells) and all(cell.n == cell.of for cell in cells)


def _as_released(frame: Results, made: Plan, paper: spec.Published | None) -> bool:
    """Whether the numbers were made as the paper's: by its judge, with its prompts, faithfully."""
    corrected = any(made == "corrected" and frame.has(m, made) for m, made in made.parts())
    other = paper.other_maker(frame) if paper else ""
    return not corrected and not other and not told.other_prompts(frame, made.table)


def fed_variants(frame: Results, made: Plan) -> list[str]:
    """The variants in which the table's metrics have rows."""
    return sorted({variant for metric, variant in made.parts() if frame.has(metric, variant)})


def _mean_row(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[TableRow]:
    """The line of the models' means, in the columns where all were scored on the same samples; none
    of one model alone.
    """
    cells = {}
    for column in columns if len(rows) > 1 else ():
        found = [row.cells[column.name] for row in rows]
        values = [cell.value for cell in found if cell.value is not None]
        if column.comparable and len(values) == len(rows):
            n = {cell.n for cell in found}
            cells[column.name] = Cell(
                value=float(np.mean(values)), n=n.pop() if len(n) == 1 else None, of=found[0].of
            )
    return [TableRow(name=f"Mean of {len(rows)}", cells=cells, kind="average")] if cells else []


def _with_facts(
    frame: Results, table: PaperTable, columns: list[Column], rows: list[TableRow]
) -> tuple[list[Column], list[TableRow]]:
    """Lines with their model's section and size, where the table wants them and any is known.

    Lines of one section stand together, in the paper's order of sections, those without one first;
    the run's own before the papers'.
    """
    facts = [frame.models.of(row.name) for row in rows]
    if table.params and any(known.params for known in facts):
        columns = [Column(name="params", heading=("# Params",), digits=0), *columns]
        rows = [
            replace(row, cells={"params": Cell(value=None, text=known.params or "-"), **row.cells})
            for row, known in zip(rows, facts, strict=True)
        ]
    if table.sections:
        groups = [known.group.get(frame.benchmark, "") for known in facts]
        rows = [replace(row, section=group) for row, group in zip(rows, groups, strict=True)]
        published = [row.section for row in rows if row.kind not in OWN]
        order = list(dict.fromkeys(["", *published, *sorted(groups)]))
        rows.sort(key=lambda row: (row.kind not in OWN, order.index(row.section)))
    return columns, rows


def drop_empty(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[Column]:
    """Without the columns that have no sample in the data and no number in any line."""
    found = []
    for column in columns:
        cells = [row.cells.get(column.name, Cell(value=None)) for row in rows]
        if any(cell.of or cell.value is not None for cell in cells):
            found.append(column)
    return found


# -- numbers ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ranks:
    """How editors rank by one column, and how far that survives resampling."""

    column: Column
    ranks: RankStability

    def meta(self, editors: Sequence[str]) -> dict[str, Any]:
        """As `Table.meta["ranks"]` has it: the column, and ``{editor: [rank, lowest, highest, share
        of resamples in which it is first]}``.
        """
        found = self.ranks
        lines = zip(found.rank, found.low, found.high, found.first, strict=True)
        return {
            "column": self.column.name,
            "editors": {
                name: [int(rank), int(low), int(high), float(first)]
                for name, (rank, low, high, first) in zip(editors, lines, strict=True)
            },
        }


@dataclass(frozen=True, slots=True)
class _Found:
    lines: list[dict[str, Cell]]
    ranks: Ranks | None


def moments(values: Floats) -> Moments:
    """(E, L, S) -> moments (E, L) over samples."""
    valid, infinite = ~np.isnan(values), np.isposinf(values)
    total = np.where(valid & ~infinite, values, 0.0).sum(axis=-1)
    return Moments(
        total, valid.sum(axis=-1).astype(np.float64), infinite.sum(axis=-1).astype(np.float64)
    )


def _cells(frame: Results, made: Plan, part: Matrix, *, intervals: bool, seed: int) -> _Found:
    values = part.evaluate(made.fields, moments(part.values).mean)  # (E, F)
    floors = part.evaluate(made.fields, moments(part.filled).mean)
    counts = [part.scored(field) for field in made.fields]
    scored = np.stack([have.sum(axis=1) for have, _ in counts], axis=1)  # (E, F)
    low = high = np.full(values.shape, np.nan)
    ranks: Ranks | None = None
    if intervals and part.values.shape[2] and made.means:
        low, high, ranks = _bootstrap(frame, made, part, scored, seed)
    lines: list[dict[str, Cell]] = [{} for _ in frame.editors]
    for f, field in enumerate(made.fields):
        if field.whole_set:
            for line, cell in zip(lines, _set_cells(frame, field), strict=True):
                line[field.column.name] = cell
            continue
        failures = any(floor_of(made.means[k][0], made.metrics) is not None for k in field.places)
        for e, line in enumerate(lines):
            line[field.column.name] = Cell(
                value=_given(values[e, f]),
                n=int(scored[e, f]),
                of=int(counts[f][1].sum()),
                low=_given(low[e, f]),
                high=_given(high[e, f]),
                floor=_given(floors[e, f]) if failures else None,
            )
    return _Found(lines, ranks)


def _bootstrap(
    frame: Results, made: Plan, part: Matrix, scored: NDArray[np.int64], seed: int
) -> tuple[Floats, Floats, Ranks | None]:
    """Limits (E, F) twice, from one set of resamples for all editors, and how far the ranks survive
    them. Limits stay within the column's scale; yes or no have Wilson's.
    """
    e, means, s = part.values.shape
    fields = len(made.fields)
    strata = made.table.strata
    labels = pooled(frame.samples.labels(strata)) if strata in frame.samples.names() else None

    def formula(summed: Moments) -> Floats:
        lead = summed.total.shape[:-1]
        found = part.evaluate(made.fields, summed.mean.reshape(*lead, e, means))
        return found.reshape(*lead, e * fields)

    data = units(part.values.reshape(e * means, s).T)
    found = bootstrap(data, formula, strata=labels, scored=scored.ravel(), seed=seed)
    low, high = found.low.reshape(e, fields), found.high.reshape(e, fields)
    for number, field in enumerate(made.fields):
        if (scale := _scale_of(made, field)) is None:
            continue
        low[:, number], high[:, number] = np.clip([low[:, number], high[:, number]], *scale)
        for editor, values in enumerate(part.values[:, field.places[0]]):
            given = values[~np.isnan(values)]
            if is_yes_or_no(given, *scale):
                low[editor, number], high[editor, number] = two_valued_limits(given, *scale)
    return low, high, _ranks(made, part, found)


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


def _ranks(made: Plan, part: Matrix, found: Intervals) -> Ranks | None:
    """By the headline; where it has no numbers, by the first column over all samples that has; else
    by the one with the most samples. None where no column ranks all of two or more editors on the
    same samples.
    """
    editors = len(part.values)
    headline = [f for f in made.fields if f.column.name == made.table.headline]
    whole = [field for field in made.fields if not field.spec.labels]
    largest = sorted(made.fields, key=lambda field: -int(part.scored(field)[1].sum()))
    for field in [*headline, *whole, *largest] if editors > 1 else ():
        place = made.fields.index(field)
        chosen = np.arange(editors) * len(made.fields) + place
        have, _ = part.scored(field)
        same = bool((have == have[0]).all())
        known = np.isfinite(found.estimate[chosen]).all()
        if field.places and field.column.direction is not None and same and known:
            higher = field.column.direction == "higher"
            estimate, again = found.estimate[chosen], found.replicates[:, chosen]
            return Ranks(field.column, rank_stability(estimate, again, higher_is_better=higher))
    return None


def _set_cells(frame: Results, field: Field) -> list[Cell]:
    """The cell of every editor for a metric of the whole set."""
    found = []
    whole = frame.of_set(field.spec.of[0].metric, field.variant)
    for value, count in zip(whole.values.tolist(), whole.samples.tolist(), strict=True):
        of = len(frame.samples) if count else None
        found.append(Cell(value=_given(value), n=count or None, of=of))
    return found


def _given(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def excused_of(frame: Results, metric: str, variant: Variant) -> Mask:
    """(E, S): where the protocol itself, or the data, give an editor no score of a metric."""
    return excused(frame.grid(metric, variant).status)
