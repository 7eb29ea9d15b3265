"""Rows into tables: a benchmark says what a table is made of (`Layout`), `build` computes it from a `Frame`.

Every cell is a formula over the `stats.Moments` of a few leaves (a leaf = one metric on some of the samples), so the
number, its mean with failures at the scale's minimum, and its bootstrap interval all come from one definition.
"""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from editgauge import stats
from editgauge.frame import STATUSES, Frame, Grid, Samples
from editgauge.tables import Cell, Column, Table, TableRow
from editgauge.types import Direction, Status, Variant

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Formula = Callable[[Sequence[stats.Moments]], Floats]
"""The moments of a field's leaves, each of any shape (...), to the cell's value (...)."""


_NO_RANK = "No best, second or rank"


def plain_mean(parts: Sequence[stats.Moments]) -> Floats:
    """The mean of the field's only leaf."""
    return parts[0].mean


@dataclass(frozen=True, slots=True)
class Leaf:
    """Numbers that are averaged: one metric on the samples that have the labels in `where`.

    `shown` turns raw values (any shape, NaN = none) into the table's scale before they are averaged; it is given the
    values of `metric` and, where a score depends on others of the same answer, of each of `others`. `worst` is what a
    failure counts as in the mean with failures, on that scale. `not_applicable` is the raw value that a sample counts
    as which the editor cannot take (KRIS-Bench gives it the lowest score); None leaves it out.
    """

    metric: str
    variant: Variant
    others: tuple[str, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    shown: Callable[..., Floats] | None = None
    worst: float | None = None
    not_applicable: float | None = None
    whole_set: bool = False
    """One value for the whole set (FID): it has no count and no interval, and no slices."""


@dataclass(frozen=True, slots=True)
class Field:
    """One column: how it looks, which leaves it is made of, and how."""

    column: Column
    leaves: tuple[str, ...]
    formula: Formula = plain_mean


@dataclass(frozen=True, slots=True)
class Layout:
    """What a table is made of. `strata` is the label by which the bootstrap keeps the table's weighting;
    `size` the number of samples in the full release; `published` the papers' lines."""

    name: str
    title: str
    leaves: Mapping[str, Leaf]
    fields: Sequence[Field]
    variant: Variant
    strata: str = ""
    size: int | None = None
    transposed: bool = False
    notes: Sequence[str] = ()
    headline: str = ""
    """The column that says who is best, for rank stability."""
    published: Sequence[TableRow] = ()
    published_note: str = ""


class Sheet:
    """Collects the leaves and fields of a layout."""

    def __init__(self) -> None:
        self.leaves: dict[str, Leaf] = {}
        self.fields: list[Field] = []

    def add(
        self, name: str, heading: tuple[str, ...], leaf: Leaf, *,
        digits: int = 3, direction: Direction | None = "higher", note: str = "", formula: Formula = plain_mean,
    ) -> None:  # fmt: skip
        """A column made of one leaf, which gets the column's name."""
        self.leaves[name] = leaf
        self.fields.append(Field(Column(name, heading, digits, direction, note), (name,), formula))

    def combine(
        self, name: str, heading: tuple[str, ...], leaves: Sequence[str], formula: Formula, *,
        digits: int = 3, direction: Direction | None = "higher", note: str = "",
    ) -> None:  # fmt: skip
        """A column made of leaves of other columns."""
        self.fields.append(Field(Column(name, heading, digits, direction, note), tuple(leaves), formula))

    @property
    def names(self) -> dict[str, str]:
        """Every column's name to itself: for published files whose headings are the columns' names."""
        return {item.column.name: item.column.name for item in self.fields}


def choose(frame: Frame, metric: str, variant: Variant) -> tuple[Variant, str]:
    """The variant to read a metric in, and a note: the wanted one where it has rows or nothing has, else the other."""
    other: Variant = "corrected" if variant == "faithful" else "faithful"
    if frame.has(metric, other) and not frame.has(metric, variant):
        return other, f"{other} ({metric} has no {variant} values here)"
    return variant, ""


@dataclass(frozen=True, slots=True)
class _Matrix:
    """The leaves on a set of samples: `values` (E, L, S), NaN = no score; `filled` the same with failures at the
    minimum; `defined` (L, S): the samples that belong to the leaf."""

    keys: tuple[str, ...]
    values: Floats
    filled: Floats
    defined: Mask


def build(
    frame: Frame,
    layout: Layout,
    *,
    published: bool = False,
    intervals: bool = False,
    resamples: int = stats.RESAMPLES,
    seed: int = 0,
) -> Table | None:
    """The table of a layout from current rows; None when no row belongs to it.

    `published`: add the papers' lines. `intervals`: 95 % bootstrap intervals, clustered by sample, stratified by the
    layout's `strata`. Sources must have been chosen before (`Frame.of_sources`).
    """
    editors = _editors(frame, layout)
    if not editors:
        return None
    frame = frame.of_editors(editors)
    matrix = _matrix(frame, layout)
    uneven = _uneven(layout, matrix)
    found = _cells(frame, layout, matrix, intervals=intervals, resamples=resamples, seed=seed)
    rows = [TableRow(name, cells) for name, cells in zip(frame.editors, found.lines, strict=True)]
    size = len(frame.samples)
    columns = _columns(layout, uneven)
    whole = layout.size is not None and size >= layout.size and not uneven and _covered(rows)
    if published:
        rows += layout.published
    else:
        columns = [column for column in columns if column.name not in _unscored(frame, layout)]
    return Table(
        layout.name, layout.title, _said(columns, rows), rows,
        benchmark=frame.benchmark, variant=layout.variant, source=_sources(frame, layout), size=size,
        transposed=layout.transposed,
        notes=_notes(frame, layout, uneven, found.notes, published=published, intervals=intervals),
        meta={"complete": whole, "statuses": statuses(frame, layout), "variants": _variants(frame, layout)},
    )  # fmt: skip


def sliced(
    frame: Frame,
    by: str,
    layouts: Callable[[Frame], Sequence[Layout]],
    *,
    intervals: bool = False,
    resamples: int = stats.RESAMPLES,
    seed: int = 0,
) -> list[Table]:
    """One table for each layout, with a group of lines for each value of the label `by`.

    `layouts` is asked anew for each slice, so that a table's weights are those of the slice. Columns in which no
    slice has a sample are left out, and so are metrics of the whole set.
    """
    labels = frame.samples.labels(by)
    found: dict[str, list[tuple[str, Table]]] = {}
    for value in sorted(set(labels.tolist()), key=_natural):
        part = frame.of_samples(labels == value)
        for layout in layouts(part):
            table = build(part, replace(layout, size=None), intervals=intervals, resamples=resamples, seed=seed)
            if table is not None:
                found.setdefault(layout.name, []).append((value or "(none)", table))
    return [_stacked(by, parts, len(frame.samples)) for parts in found.values()]


def repeated(frame: Frame, layout: Layout) -> Table | None:
    """The table of each repeat of a judge's run by itself (the papers' robustness tables); None without repeats."""
    codes = [frame.metrics.index(leaf.metric) for leaf in layout.leaves.values() if leaf.metric in frame.metrics]
    mine = np.isin(frame.columns.metric, codes)
    parts = []
    for number in np.unique(frame.columns.repeat[mine]).tolist():
        part = frame.only(mine & (frame.columns.repeat == number))
        table = build(part, replace(layout, size=None))
        if table is not None:
            parts.append((str(number + 1), table))
    if len(parts) < 2:
        return None
    made = _stacked("run", parts, len(frame.samples))
    return replace(made, name=f"{layout.name}.runs", title=f"{layout.title}: each run of the judge", transposed=False)


def noise(frame: Frame, variant: Variant) -> Table | None:
    """How much of a score's spread is the judge's own: variance components for each metric that was judged repeatedly.

    Raw scores, not the tables' scales. None where nothing was repeated.
    """
    columns = [
        Column("mean", ("mean",), 3),
        Column("sd_judge", ("SD within a sample",), 3, note="how repeated judgements of one sample differ"),
        Column("sd_samples", ("SD of samples",), 3, note="how the samples' true scores differ"),
        Column("reliability", ("reliability",), 3, note="share of a judgement's variance that is the sample's (ICC)"),
        Column("se_samples", ("SE: samples",), 4, note="what the choice of samples adds to the mean's standard error"),
        Column("se_judge", ("SE: judge",), 4, note="what the judge's noise adds to it"),
        Column("judgements", ("judgements",), 0),
    ]  # fmt: skip
    rows = []
    for metric in frame.metrics:
        repeats = frame.columns.repeat[frame.columns.metric == frame.metrics.index(metric)]
        if not frame.has(metric, variant) or repeats.max(initial=0) < 1:
            continue
        for editor in frame.editors:
            found = stats.judge_noise(frame.repeats(metric, variant, editor))
            if np.isnan(found.within):
                continue
            grid = frame.grid(metric, variant)
            mean = float(np.nanmean(grid.values[frame.editors.index(editor)]))
            numbers = (
                mean, found.within**0.5, found.between**0.5, found.reliability, found.from_samples, found.from_judge,
                float(found.judgements),
            )  # fmt: skip
            cells = {c.name: Cell(value) for c, value in zip(columns, numbers, strict=True)}
            cells["mean"] = replace(cells["mean"], n=found.n, of=int(grid.defined.sum()))
            rows.append(TableRow(editor, cells, group=metric))
    if not rows:
        return None
    note = "One-way variance components (analysis of variance); raw scores; repeats count as one sample elsewhere."
    return Table(
        f"{frame.benchmark}.noise", f"{frame.benchmark}: noise of the judge and of the samples", columns, rows,
        benchmark=frame.benchmark, variant=variant, size=len(frame.samples), by="metric", notes=[note],
        meta={"variants": [variant]},
    )  # fmt: skip


def _stacked(by: str, parts: Sequence[tuple[str, Table]], size: int) -> Table:
    """Tables of slices as one; a column that cannot be compared in one slice is marked so, with the reason."""
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
            elif note.startswith(_NO_RANK):
                notes[f"{value}: {note}"] = None
    first = parts[0][1]
    return replace(
        first,
        columns=_said(list(columns.values()), rows),
        rows=rows,
        by=by,
        size=size,
        notes=list(notes),
        title=f"{first.title} by {by}",
        meta={"variants": sorted({v for _, table in parts for v in table.meta["variants"]})},
    )


def _unscored(frame: Frame, layout: Layout) -> dict[str, str]:
    """The columns for which nothing was ever scored: name -> narrowest heading."""
    found = {}
    for item in layout.fields:
        metrics = [layout.leaves[key] for key in item.leaves]
        if not all(frame.has(leaf.metric, leaf.variant) for leaf in metrics):
            found[item.column.name] = item.column.heading[-1]
    return found


def _said(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[Column]:
    """Without the columns that have no sample in the data and no number in any line."""
    found = []
    for column in columns:
        cells = [row.cells.get(column.name, Cell(None)) for row in rows]
        if any(cell.of or cell.value is not None for cell in cells):
            found.append(column)
    return found


def _columns(layout: Layout, uneven: Mapping[str, str]) -> list[Column]:
    return [
        replace(f.column, comparable=False, note="; ".join(filter(None, (f.column.note, uneven[f.column.name]))))
        if f.column.name in uneven
        else f.column
        for f in layout.fields
    ]


def statuses(frame: Frame, layout: Layout) -> dict[str, dict[str, int]]:
    """For each editor, how many samples have a metric of the layout that ended in each status, but for SCORED."""
    found: dict[str, dict[str, int]] = {}
    metrics = {
        (metric, leaf.variant)
        for leaf in layout.leaves.values()
        if not leaf.whole_set
        for metric in (leaf.metric, *leaf.others)
    }
    kinds = []
    for metric, variant in sorted(metrics):
        if frame.has(metric, variant):
            grid = frame.grid(metric, variant)
            kinds.append(np.where(grid.defined, grid.status, -1))
    for number, editor in enumerate(frame.editors):
        lines = np.stack([kind[number] for kind in kinds]) if kinds else np.zeros((0, 0), dtype=np.int32)
        counts: dict[str, int] = {}
        for status in (s for s in STATUSES if s is not Status.SCORED):
            amount = int((lines == STATUSES.index(status)).any(axis=0).sum()) if lines.size else 0
            if amount:
                counts[status.value] = amount
        found[editor] = counts
    return found


# -- computing -----------------------------------------------------------------------------------------------------


def _editors(frame: Frame, layout: Layout) -> list[str]:
    """The editors that have any row for the layout, in the frame's order."""
    wanted = {leaf.metric for leaf in layout.leaves.values()}
    codes = [number for number, metric in enumerate(frame.metrics) if metric in wanted]
    present = set(np.unique(frame.columns.editor[np.isin(frame.columns.metric, codes)]).tolist())
    return [name for number, name in enumerate(frame.editors) if number in present]


def _natural(text: str) -> tuple[int, float, str]:
    """Numbers by size, tiers by difficulty, then texts by name; the empty one last."""
    tiers = ("easy", "medium", "hard")
    if not text:
        return (3, 0, "")
    if text in tiers:
        return (1, tiers.index(text), "")
    try:
        return (0, float(text), "")
    except ValueError:
        return (2, 0, text)


def _matrix(frame: Frame, layout: Layout) -> _Matrix:
    """Every leaf that is a mean over samples, on all samples."""
    leaves = {key: leaf for key, leaf in layout.leaves.items() if not leaf.whole_set}
    shape = (len(frame.editors), len(leaves), len(frame.samples))
    values, filled = np.full(shape, np.nan), np.full(shape, np.nan)
    defined = np.zeros(shape[1:], dtype=np.bool_)
    grids: dict[tuple[str, str], Grid] = {}
    for number, leaf in enumerate(leaves.values()):
        here = _labelled(frame.samples, leaf.where)
        parts = []
        for metric in (leaf.metric, *leaf.others):
            place = (metric, leaf.variant)
            if place not in grids:
                grids[place] = frame.grid(*place)
            parts.append(grids[place])
        raw = [grid.values for grid in parts]
        if leaf.not_applicable is not None:
            cannot = [grid.status == STATUSES.index(Status.NOT_APPLICABLE) for grid in parts]
            raw = [np.where(no, leaf.not_applicable, v) for no, v in zip(cannot, raw, strict=True)]
            defined[number] = here
        else:
            defined[number] = here & parts[0].defined
        shown = raw[0] if leaf.shown is None else leaf.shown(*raw)
        failed = np.isnan(shown) & np.logical_or.reduce([grid.failed for grid in parts])
        floor = np.nan if leaf.worst is None else leaf.worst
        values[:, number] = np.where(here, shown, np.nan)
        filled[:, number] = np.where(here, np.where(failed, floor, shown), np.nan)
    return _Matrix(tuple(leaves), values, filled, defined)


def _labelled(samples: Samples, where: Mapping[str, str]) -> Mask:
    """As `Samples.where`, but a label that no sample has selects nothing."""
    known = set(samples.names())
    if any(name not in known for name in where):
        return np.zeros(len(samples), dtype=np.bool_)
    return samples.where(where)


def _moments(values: Floats) -> stats.Moments:
    """(E, L, S) -> moments (E, L) over samples."""
    valid = ~np.isnan(values)
    infinite = np.isposinf(values)
    total = np.where(valid & ~infinite, values, 0.0).sum(axis=-1)
    return stats.Moments(total, valid.sum(axis=-1).astype(np.float64), infinite.sum(axis=-1).astype(np.float64))


def _evaluate(layout: Layout, keys: Sequence[str], moments: stats.Moments) -> Floats:
    """Moments (..., L) -> cells (..., F); a field with a leaf of the whole set is NaN here."""
    place = {key: number for number, key in enumerate(keys)}
    found = []
    for item in layout.fields:
        if all(key in place for key in item.leaves):
            found.append(item.formula([moments[..., place[key]] for key in item.leaves]))
        else:
            found.append(np.full(moments.total.shape[:-1], np.nan))
    return np.stack(found, axis=-1)


@dataclass(frozen=True, slots=True)
class _Found:
    lines: list[dict[str, Cell]]
    notes: list[str]


def _cells(frame: Frame, layout: Layout, part: _Matrix, *, intervals: bool, resamples: int, seed: int) -> _Found:
    values = _evaluate(layout, part.keys, _moments(part.values))  # (E, F)
    floors = _evaluate(layout, part.keys, _moments(part.filled))
    low = high = np.full(values.shape, np.nan)
    notes: list[str] = []
    if intervals and part.values.shape[2]:
        low, high, notes = _bootstrap(frame, layout, part, resamples=resamples, seed=seed)
    lines = []
    for e in range(len(frame.editors)):
        cells = {}
        for f, item in enumerate(layout.fields):
            if item.leaves and layout.leaves[item.leaves[0]].whole_set:
                cells[item.column.name] = _set_cell(frame, layout.leaves[item.leaves[0]], e)
                continue
            n, of = _count(part, item.leaves, e)
            failures = any(leaf.worst is not None for key, leaf in layout.leaves.items() if key in item.leaves)
            cells[item.column.name] = Cell(
                _given(values[e, f]), n, of, _given(low[e, f]), _given(high[e, f]),
                _given(floors[e, f]) if failures else None,
            )  # fmt: skip
        lines.append(cells)
    return _Found(lines, notes)


def _bootstrap(
    frame: Frame, layout: Layout, part: _Matrix, *, resamples: int, seed: int
) -> tuple[Floats, Floats, list[str]]:
    """Intervals (E, F) twice, from one set of resamples for all editors, and what is to be said of the ranks."""
    e, leaves, s = part.values.shape
    data = stats.units(part.values.reshape(e * leaves, s).T)
    labels = None
    if layout.strata and layout.strata in frame.samples.names():
        labels = frame.samples.labels(layout.strata)
    fields = len(layout.fields)

    def formula(moments: stats.Moments) -> Floats:
        lead = moments.total.shape[:-1]
        shape = (*lead, e, leaves)
        infinite = None if moments.infinite is None else moments.infinite.reshape(shape)
        whole = stats.Moments(moments.total.reshape(shape), moments.count.reshape(shape), infinite)
        return _evaluate(layout, part.keys, whole).reshape(*lead, e * fields)

    found = stats.bootstrap(data, formula, strata=labels, resamples=resamples, seed=seed)
    shape = (e, fields)
    notes = _rank_notes(frame, layout, part, found)
    return found.low.reshape(shape), found.high.reshape(shape), notes


def _rank_notes(frame: Frame, layout: Layout, part: _Matrix, found: stats.Intervals) -> list[str]:
    names = [item.column.name for item in layout.fields]
    if layout.headline not in names or len(frame.editors) < 2:
        return []
    place = names.index(layout.headline)
    item = layout.fields[place]
    chosen = np.arange(len(frame.editors)) * len(names) + place
    if layout.headline in _uneven(layout, part) or not np.isfinite(found.estimate[chosen]).all():
        return []
    ranks = stats.rank_stability(
        found.estimate[chosen], found.replicates[:, chosen], higher_is_better=item.column.direction != "lower"
    )
    told = [
        f"{frame.editors[e]} {ranks.rank[e]} (kept in {ranks.kept[e]:.0%}, 95 % in {ranks.low[e]}–{ranks.high[e]})"
        for e in np.argsort(ranks.rank, kind="stable")
    ]
    return [f"Rank by {' '.join(item.column.heading)} under resampling: " + "; ".join(told)]


def _set_cell(frame: Frame, leaf: Leaf, editor: int) -> Cell:
    return Cell(_given(frame.of_set(leaf.metric, leaf.variant)[editor]))


def _given(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _scored(part: _Matrix, leaves: Sequence[str]) -> tuple[Mask, Mask]:
    """(E, S): samples with a score of every leaf of the field that they belong to; (S,): samples of the field."""
    places = [part.keys.index(key) for key in leaves if key in part.keys]
    belongs = part.defined[places]  # (l, S)
    given = ~np.isnan(part.values[:, places])  # (E, l, S)
    anywhere = np.asarray(belongs.any(axis=0))
    return np.asarray((given | ~belongs).all(axis=1) & anywhere), anywhere


def _count(part: _Matrix, leaves: Sequence[str], editor: int) -> tuple[int, int]:
    scored, belongs = _scored(part, leaves)
    return int(scored[editor].sum()), int(belongs.sum())


def _uneven(layout: Layout, part: _Matrix) -> dict[str, str]:
    """The columns in which the editors were not scored on the same samples, with the reason in words."""
    found = {}
    for item in layout.fields:
        if layout.leaves[item.leaves[0]].whole_set:
            continue
        scored, _ = _scored(part, item.leaves)
        counts = scored.sum(axis=1)
        if len(counts) > 1 and not (scored == scored[0]).all():
            spread = f"{counts.min()} to {counts.max()}" if counts.min() != counts.max() else f"{counts.max()} others"
            found[item.column.name] = f"the editors were scored on different samples ({spread})"
    return found


# -- words ---------------------------------------------------------------------------------------------------------


def _sources(frame: Frame, layout: Layout) -> str:
    wanted = [frame.metrics.index(leaf.metric) for leaf in layout.leaves.values() if leaf.metric in frame.metrics]
    codes = np.unique(frame.columns.source[np.isin(frame.columns.metric, wanted)])
    return ", ".join(frame.sources[code] for code in codes if frame.sources[code])


def _variants(frame: Frame, layout: Layout) -> list[str]:
    """The variants in which the layout's metrics have rows."""
    return sorted({leaf.variant for leaf in layout.leaves.values() if frame.has(leaf.metric, leaf.variant)})


def _covered(rows: Sequence[TableRow]) -> bool:
    cells = [cell for row in rows if row.kind == "run" for cell in row.cells.values() if cell.n is not None]
    return bool(cells) and all(cell.n == cell.of for cell in cells)


def _notes(
    frame: Frame, layout: Layout, uneven: Mapping[str, str], found: Sequence[str], *, published: bool, intervals: bool
) -> list[str]:
    notes = list(layout.notes)
    size = len(frame.samples)
    if layout.size is not None and size < layout.size:
        notes.append(
            f"The data here hold {size} of the {layout.size} samples of the full release: not comparable with "
            f"published numbers."
        )
    alike: dict[str, list[str]] = {}
    for editor, counts in statuses(frame, layout).items():
        told = ", ".join(f"{amount} {status.replace('_', ' ')}" for status, amount in counts.items())
        if told:
            alike.setdefault(told, []).append(editor)
    notes += [f"{', '.join(editors)}: {told}." for told, editors in alike.items()]
    absent = dict.fromkeys(_unscored(frame, layout).values())
    if absent:
        notes.append(f"Nothing was scored yet for: {', '.join(absent)}.")
    if uneven:
        titles = [" ".join(f.column.heading) for f in layout.fields if f.column.name in uneven]
        reason = next(iter(uneven.values()))
        where = "any column" if len(titles) == len(layout.fields) else ", ".join(titles)
        notes.append(f"{_NO_RANK} in {where}: {reason}.")
    if intervals:
        kept = f", stratified by {layout.strata}" if layout.strata in frame.samples.names() else ""
        notes.append(f"Intervals: 95 %, BCa bootstrap over samples{kept}; failures left out.")
    notes += found
    if published and layout.published_note:
        notes.append(layout.published_note)
    return notes


_KNOWN: dict[str, tuple[str, Direction, int, float | None]] = {
    "ssim": ("SSIM", "higher", 3, 0.0), "masked_ssim": ("CP", "higher", 3, 0.0),
    "ssim_full": ("SSIM", "higher", 3, 0.0), "psnr": ("PSNR", "higher", 3, 0.0),
    "reference_ssim": ("SSIM to reference", "higher", 3, 0.0),
    "reference_psnr": ("PSNR to reference", "higher", 2, 0.0),
    "mse": ("MSE", "lower", 3, 65025.0), "lpips": ("LPIPS", "lower", 3, 1.0), "fid": ("FID", "lower", 2, None),
}  # fmt: skip
"""Metric -> heading, direction, digits, what a failure counts as: for layouts that nobody wrote."""


def generic(frame: Frame, variant: Variant, *, without: Collection[str] = ()) -> list[Layout]:
    """One table with a mean for every metric that has rows, but for those in `without`; none when there is none."""
    sheet = Sheet()
    for metric in frame.metrics:
        made, note = choose(frame, metric, variant)
        if metric in without or not frame.has(metric, made):
            continue
        heading, direction, digits, worst = _KNOWN.get(metric, (metric, None, 3, None))
        whole = not (~np.isnan(frame.grid(metric, made).values)).any() and (~np.isnan(frame.of_set(metric, made))).any()
        leaf = Leaf(metric, made, worst=worst, whole_set=bool(whole))
        sheet.add(metric, (heading,), leaf, digits=digits, direction=direction, note=note)
    if not sheet.fields:
        return []
    return [Layout(f"{frame.benchmark}.metrics", frame.benchmark, sheet.leaves, sheet.fields, variant, strata="split")]


# -- the papers' numbers -------------------------------------------------------------------------------------------


def read_published(path: Path, columns: Mapping[str, str], *, name: str = "model") -> list[TableRow]:
    """The lines of a published table: `columns` maps its headings to names of columns; a line called Mean is of kind
    ``mean``. Cells that are not numbers ("-") are left out."""
    rows = []
    with path.open(encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            cells = {}
            for heading, column in columns.items():
                with contextlib.suppress(ValueError):
                    cells[column] = Cell(float(record[heading]))
            rows.append(TableRow(record[name], cells, kind="mean" if record[name] == "Mean" else "published"))
    return rows


def read_published_turned(
    path: Path, columns: Mapping[tuple[str, str], str], *, keys: tuple[str, str] = ("dimension", "metric")
) -> list[TableRow]:
    """As `read_published`, of a file with models across: `columns` maps the texts in the `keys` columns to names."""
    with path.open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    models = [heading for heading in (records[0] if records else {}) if heading not in keys]
    return [
        TableRow(
            model,
            {
                columns[record[keys[0]], record[keys[1]]]: Cell(float(record[model]))
                for record in records
                if (record[keys[0]], record[keys[1]]) in columns
            },
            kind="published",
        )
        for model in models
    ]
