"""Rows into tables: a benchmark says what a table is made of (`layout.Layout`), `build` computes it
from a `Frame`.

Every cell is a formula over the `stats.Moments` of a few leaves (a leaf = one metric on some of the
samples), so the number, its mean with failures at the scale's minimum, and its bootstrap interval
all come from one definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editgauge.store.labels import Samples
from editgauge.tables import stats
from editgauge.tables.frame import STATUSES, Frame, Grid, excused
from editgauge.tables.spec import Field, Floats, Layout, Leaf
from editgauge.tables.table import OWN, Cell, Column, Table, TableRow
from editgauge.types import JUDGE_SCORER, Status

Mask = NDArray[np.bool_]
NO_RANK = "No best, second or rank"
"""How the note begins that says why nothing is compared."""


@dataclass(frozen=True, slots=True)
class _Matrix:
    """The leaves on a set of samples: `values` (E, L, S), NaN = no score; `filled` the same with
    failures at the minimum; `defined` (L, S): the samples that belong to the leaf.
    """

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
    resamples: int | None = None,
    seed: int = 0,
) -> Table | None:
    """The table of a layout from current rows; None when no row belongs to it.

    `published`: add the papers' lines. `intervals`: 95 % bootstrap intervals, clustered by sample,
    stratified by the layout's `strata`, from `resamples` (None: as many as are cheap). Sources must
    have been chosen before (`Frame.of_sources`).
    """
    if layout.lines is not None and (made := layout.lines(frame, layout.variant, intervals, seed)):
        return _of_lines(frame, layout, made, published=published, intervals=intervals)
    editors = _editors(frame, layout)
    if not editors:
        return _published_alone(frame, layout) if published else None
    frame = frame.of_editors(editors)
    matrix = _matrix(frame, layout)
    uneven = _uneven(layout, matrix) | _uneven_sets(frame, layout)
    found = _cells(frame, layout, matrix, intervals=intervals, resamples=resamples, seed=seed)
    rows = [
        TableRow(name=name, cells=cells)
        for name, cells in zip(frame.editors, found.lines, strict=True)
    ]
    size = len(frame.samples)
    columns = _columns(layout, uneven)
    whole = layout.size is not None and size >= layout.size and not uneven and _covered(rows)
    released = published and bool(layout.published)
    if released:
        parts = _parts_of_release(frame, layout, matrix)
        rows = [replace(row, part=part) for row, part in zip(rows, parts, strict=True)]
    if layout.average:
        rows += _average(columns, rows)
    if published:
        rows += layout.published
    else:
        columns = [column for column in columns if column.name not in _unscored(frame, layout)]
    columns, rows = _with_facts(frame, layout, drop_empty(columns, rows), rows)
    told = _rank_notes(frame, layout, found.ranks)
    return Table(
        name=layout.name,
        title=layout.title,
        columns=columns,
        rows=rows,
        benchmark=frame.benchmark,
        variant=layout.variant,
        source=_sources(frame, layout),
        size=size,
        transposed=layout.transposed,
        notes=[
            *_notes(frame, layout, uneven, told, published=published, intervals=intervals),
            *part_notes(rows),
        ],
        meta={
            "complete": whole
            and not layout.published_with
            and not other_prompts(frame, layout)
            and not _corrected(frame, layout),
            "statuses": statuses(frame, layout),
            "variants": fed_variants(frame, layout),
            "ranks": found.ranks.meta(frame.editors) if found.ranks else {},
        },
    )


NO_ROWS = "This run has no rows of this table yet."


def _published_alone(frame: Frame, layout: Layout) -> Table | None:
    """The published lines of a table that the run has no rows of, with a note that says so; None
    where the layout does not want that.
    """
    if not layout.published_alone:
        return None
    return Table(
        name=layout.name,
        title=layout.title,
        columns=[item.column for item in layout.fields],
        rows=layout.published,
        benchmark=frame.benchmark,
        size=len(frame.samples),
        transposed=layout.transposed,
        notes=[NO_ROWS, layout.published_note],
        meta={"complete": False, "statuses": {}, "variants": []},
    )


def _of_lines(
    frame: Frame, layout: Layout, made: Sequence[TableRow], *, published: bool, intervals: bool
) -> Table:
    """The table of a layout that makes its lines itself, each with the published line of its name
    below it. Lines are of different samples: none is best.
    """
    papers = {_bare(row.name): row for row in layout.published} if published else {}
    rows: list[TableRow] = []
    for row in made:
        paper = papers.pop(_bare(row.name), None)
        rows += [row] if paper is None else [row, paper]
    rows += papers.values()
    columns = [replace(item.column, comparable=False) for item in layout.fields]
    notes = list(layout.notes)
    if intervals:
        notes.append("Intervals: 95 %, BCa bootstrap over samples; failures left out.")
    if published and layout.published_note:
        notes.append(layout.published_note)
    return Table(
        name=layout.name,
        title=layout.title,
        columns=drop_empty(columns, rows),
        rows=rows,
        benchmark=frame.benchmark,
        variant=layout.variant,
        source=_sources(frame, layout),
        size=len(frame.samples),
        transposed=layout.transposed,
        notes=notes,
        meta={"complete": False, "statuses": {}, "variants": list(frame.variants)},
    )


def _bare(name: str) -> str:
    """A line's name without its model, for comparing with a paper's: ``Reconstruct ear.`` is the
    paper's ``Reconstruct ear``.
    """
    return name.rpartition(": ")[2].strip().rstrip(".").casefold()


def _average(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[TableRow]:
    """The line of the models' means, in the columns where every model has a number; none of one
    model alone.
    """
    if len(rows) < 2:
        return []
    cells = {}
    for column in columns:
        values = [row.cells.get(column.name, Cell(value=None)).value for row in rows]
        known = [value for value in values if value is not None]
        if len(known) == len(rows):
            cells[column.name] = Cell(value=float(np.mean(known)))
    return [TableRow(name=f"Mean of {len(rows)}", cells=cells, kind="average")] if cells else []


def _with_facts(
    frame: Frame, layout: Layout, columns: list[Column], rows: list[TableRow]
) -> tuple[list[Column], list[TableRow]]:
    """Lines with their model's section and size, where the layout wants them and any is known.

    Lines of one section stand together, in the paper's order of sections, those without one first;
    the run's own before the papers'.
    """
    facts = [frame.models.of(row.name) for row in rows]
    if layout.params and any(known.params for known in facts):
        columns = [Column(name="params", heading=("# Params",), digits=0), *columns]
        rows = [
            replace(row, cells={"params": Cell(value=None, text=known.params or "-"), **row.cells})
            for row, known in zip(rows, facts, strict=True)
        ]
    if layout.sections:
        rows = [
            replace(row, section=known.group.get(frame.benchmark, ""))
            for row, known in zip(rows, facts, strict=True)
        ]
        papers = [frame.models.of(row.name).group for row in layout.published]
        order = ["", *(group.get(frame.benchmark, "") for group in papers)]
        order += sorted({row.section for row in rows} - set(order))
        rows.sort(key=lambda row: (row.kind not in OWN, order.index(row.section)))
    return columns, rows


def other_prompts(frame: Frame, layout: Layout) -> list[str]:
    """The judges of a layout's rows that were not asked with the paper's prompts.

    A judge's source names its prompt set in brackets; scores that a released script wrote were
    asked with the paper's.
    """
    if JUDGE_SCORER not in frame.scorers:
        return []
    names = {part.name for leaf in layout.leaves.values() for part in leaf.parts}
    metrics = [number for number, metric in enumerate(frame.metrics) if metric in names]
    mine = frame.columns.scorer == frame.scorers.index(JUDGE_SCORER)
    codes = np.unique(frame.columns.source[mine & np.isin(frame.columns.metric, metrics)])
    sources = [frame.sources[code] for code in codes]
    return [name for name in sources if "[paper]#" not in name and not name.endswith("#imported")]


def _unscored(frame: Frame, layout: Layout) -> dict[str, str]:
    """The columns for which nothing was ever scored: name -> narrowest heading."""
    found = {}
    for item in layout.fields:
        metrics = [layout.leaves[key] for key in item.leaves]
        if not all(frame.has(leaf.metric.name, leaf.variant) for leaf in metrics):
            found[item.column.name] = item.column.heading[-1]
    return found


def drop_empty(columns: Sequence[Column], rows: Sequence[TableRow]) -> list[Column]:
    """Without the columns that have no sample in the data and no number in any line."""
    found = []
    for column in columns:
        cells = [row.cells.get(column.name, Cell(value=None)) for row in rows]
        if any(cell.of or cell.value is not None for cell in cells):
            found.append(column)
    return found


def _columns(layout: Layout, uneven: Mapping[str, str]) -> list[Column]:
    return [
        replace(
            f.column,
            comparable=False,
            note="; ".join(filter(None, (f.column.note, uneven[f.column.name]))),
        )
        if f.column.name in uneven
        else f.column
        for f in layout.fields
    ]


def statuses(frame: Frame, layout: Layout) -> dict[str, dict[str, int]]:
    """For each editor, how many samples have a metric of the layout that ended in each status, but
    for SCORED.
    """
    return {
        editor: {status: amount for status, (amount, _) in found.items()}
        for editor, found in _statuses(frame, layout).items()
    }


def _statuses(frame: Frame, layout: Layout) -> dict[str, dict[str, tuple[int, list[str]]]]:
    """As `statuses`, with the metrics that ended so; no metric is named where all of them did. A
    sample counts for a metric only where one of the layout's leaves asks for it.
    """
    grids: dict[str, Grid] = {}
    asked: dict[str, Mask] = {}
    for leaf in layout.leaves.values():
        here = _labelled(frame.samples, leaf.where)
        for name in (metric.name for metric in leaf.parts):
            if not leaf.metric.whole_set and frame.has(name, leaf.variant):
                grids[name] = frame.grid(name, leaf.variant)
                asked[name] = asked.get(name, np.zeros(len(here), dtype=np.bool_)) | here
    counted = {metric: grid.defined & asked[metric] for metric, grid in grids.items()}
    found: dict[str, dict[str, tuple[int, list[str]]]] = {editor: {} for editor in frame.editors}
    for code, status in enumerate(STATUSES):
        if status is Status.SCORED:
            continue
        hit = {m: (grid.status == code) & counted[m] for m, grid in grids.items()}  # (E, S) each
        named = {metric: mask.any(axis=1) for metric, mask in hit.items()}  # (E,)
        anywhere = np.logical_or.reduce([*hit.values()]) if hit else np.zeros((0, 0), np.bool_)
        for number in np.flatnonzero(anywhere.any(axis=1)).tolist():
            names = [metric for metric, editors in named.items() if editors[number]]
            told = names if len(names) < len(grids) else []
            found[frame.editors[number]][status.value] = (int(anywhere[number].sum()), told)
    return found


# -- computing -------------------------------------------------------------------------------------


def _editors(frame: Frame, layout: Layout) -> list[str]:
    """The editors that have any row for the layout, in the frame's order."""
    wanted = {leaf.metric.name for leaf in layout.leaves.values()}
    codes = [number for number, metric in enumerate(frame.metrics) if metric in wanted]
    present = set(np.unique(frame.columns.editor[np.isin(frame.columns.metric, codes)]).tolist())
    return [name for number, name in enumerate(frame.editors) if number in present]


def _matrix(frame: Frame, layout: Layout) -> _Matrix:
    """Every leaf that is a mean over samples, on all samples."""
    leaves = {key: leaf for key, leaf in layout.leaves.items() if not leaf.metric.whole_set}
    shape = (len(frame.editors), len(leaves), len(frame.samples))
    values, filled = np.full(shape, np.nan), np.full(shape, np.nan)
    defined = np.zeros(shape[1:], dtype=np.bool_)
    grids: dict[tuple[str, str], Grid] = {}
    for number, leaf in enumerate(leaves.values()):
        here = _labelled(frame.samples, leaf.where)
        parts = []
        for metric in leaf.parts:
            place = (metric.name, leaf.variant)
            if place not in grids:
                grids[place] = frame.grid(*place)
            parts.append(grids[place])
        raw = [grid.values for grid in parts]
        if leaf.not_applicable is not None:
            one = _one_picture_only(frame)
            cannot = [
                (grid.status == STATUSES.index(Status.NOT_APPLICABLE))
                | (one & (grid.status == STATUSES.index(Status.MISSING)))
                for grid in parts
            ]
            raw = [np.where(no, leaf.not_applicable, v) for no, v in zip(cannot, raw, strict=True)]
            defined[number] = here
        else:
            defined[number] = here & parts[0].defined
        shown = raw[0] if leaf.shown is None else leaf.shown(*raw)
        failed = np.isnan(shown) & np.logical_or.reduce([grid.failed for grid in parts])
        floor = np.nan if leaf.failure is None else leaf.failure
        values[:, number] = np.where(here, shown, np.nan)
        filled[:, number] = np.where(here, np.where(failed, floor, shown), np.nan)
    return _Matrix(tuple(leaves), values, filled, defined)


def _one_picture_only(frame: Frame) -> Mask:
    """(E, S): the sample has several pictures and the editor is known to take one only."""
    if "multi_image" not in frame.samples.names():
        return np.zeros((len(frame.editors), len(frame.samples)), dtype=np.bool_)
    several = frame.samples.labels("multi_image") == "true"
    single = np.array([frame.models.of(name).several_images is False for name in frame.editors])
    return np.asarray(single[:, None] & several[None, :])


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
    return stats.Moments(
        total, valid.sum(axis=-1).astype(np.float64), infinite.sum(axis=-1).astype(np.float64)
    )


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
    ranks: _Ranks | None


def _cells(
    frame: Frame,
    layout: Layout,
    part: _Matrix,
    *,
    intervals: bool,
    resamples: int | None,
    seed: int,
) -> _Found:
    values = _evaluate(layout, part.keys, _moments(part.values))  # (E, F)
    floors = _evaluate(layout, part.keys, _moments(part.filled))
    low = high = np.full(values.shape, np.nan)
    noise = np.full((*values.shape, 2), np.nan)
    ranks: _Ranks | None = None
    if intervals and part.values.shape[2]:
        low, high, noise, ranks = _bootstrap(frame, layout, part, resamples=resamples, seed=seed)
    counts = [_counts(part, item.leaves) for item in layout.fields]
    sets = {
        item.column.name: _set_cells(frame, leaf)
        for item in layout.fields
        if item.leaves and (leaf := layout.leaves[item.leaves[0]]).metric.whole_set
    }
    lines = []
    for e in range(len(frame.editors)):
        cells = {}
        for f, item in enumerate(layout.fields):
            if item.column.name in sets:
                cells[item.column.name] = sets[item.column.name][e]
                continue
            scored, of = counts[f]
            failures = any(
                leaf.failure is not None
                for key, leaf in layout.leaves.items()
                if key in item.leaves
            )
            floor = _given(floors[e, f]) if failures else None
            cells[item.column.name] = Cell(
                value=_given(values[e, f]),
                n=int(scored[e]),
                of=of,
                low=_given(low[e, f]),
                high=_given(high[e, f]),
                floor=floor,
                interval_digits=stats.carried(noise[e, f]),
            )
        lines.append(cells)
    return _Found(lines, ranks)


def _bootstrap(
    frame: Frame, layout: Layout, part: _Matrix, *, resamples: int | None, seed: int
) -> tuple[Floats, Floats, Floats, _Ranks | None]:
    """Limits (E, F) twice and their noise (E, F, 2), from one set of resamples for all editors, and
    how far the ranks survive them.
    """
    e, leaves, s = part.values.shape
    data = stats.units(part.values.reshape(e * leaves, s).T)
    labels = None
    if layout.strata and layout.strata in frame.samples.names():
        labels = stats.pooled(frame.samples.labels(layout.strata))
    fields = len(layout.fields)

    def formula(moments: stats.Moments) -> Floats:
        lead = moments.total.shape[:-1]
        shape = (*lead, e, leaves)
        infinite = None if moments.infinite is None else moments.infinite.reshape(shape)
        whole = stats.Moments(moments.total.reshape(shape), moments.count.reshape(shape), infinite)
        return _evaluate(layout, part.keys, whole).reshape(*lead, e * fields)

    made = resamples or stats.enough(s, e * leaves)
    found = stats.bootstrap(data, formula, strata=labels, resamples=made, seed=seed)
    shape = (e, fields)
    low, high = found.low.reshape(shape), found.high.reshape(shape)
    ranks = _ranks(frame, layout, part, found)
    return low, high, found.noise.reshape((*shape, 2)), ranks


@dataclass(frozen=True, slots=True)
class _Ranks:
    """How editors rank by one column, and how far that survives resampling."""

    column: Column
    ranks: stats.RankStability

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


def _ranks(frame: Frame, layout: Layout, part: _Matrix, found: stats.Intervals) -> _Ranks | None:
    """By the headline; where it has no numbers, by the first column over all samples that has; else
    by the one with the most samples.
    None where no column ranks all of two or more editors on the same samples.
    """
    names = [item.column.name for item in layout.fields]
    uneven = _uneven(layout, part)
    order = [layout.headline] if layout.headline in names else []
    order += [item.column.name for item in layout.fields if not item.where]
    known = {
        item.column.name: int(_scored(part, item.leaves)[1].sum())
        for item in layout.fields
        if all(key in part.keys for key in item.leaves)
    }
    order += sorted(known, key=lambda name: -known[name])
    for name in dict.fromkeys(order if len(frame.editors) > 1 else []):
        place = names.index(name)
        column = layout.fields[place].column
        chosen = np.arange(len(frame.editors)) * len(names) + place
        if column.direction is None or name in uneven:
            continue
        if not np.isfinite(found.estimate[chosen]).all():
            continue
        higher = column.direction == "higher"
        ranks = stats.rank_stability(
            found.estimate[chosen], found.replicates[:, chosen], higher_is_better=higher
        )
        return _Ranks(column, ranks)
    return None


def _rank_notes(frame: Frame, layout: Layout, found: _Ranks | None) -> list[str]:
    if found is None or found.column.name != layout.headline:
        return []
    ranks = found.ranks
    told = [
        f"{frame.editors[e]} {ranks.rank[e]} (kept in {ranks.kept[e]:.0%}, 95 % in "
        f"{ranks.low[e]}–{ranks.high[e]})"
        for e in np.argsort(ranks.rank, kind="stable")
    ]
    return [f"Rank by {' '.join(found.column.heading)} under resampling: " + "; ".join(told)]


def _set_cells(frame: Frame, leaf: Leaf) -> list[Cell]:
    """The cell of every editor for a metric of the whole set."""
    found = []
    for editor, value in zip(
        frame.editors, frame.of_set(leaf.metric.name, leaf.variant), strict=True
    ):
        n = frame.set_counts.get((leaf.metric.name, leaf.variant, editor))
        known = not np.isnan(value) and n is not None
        found.append(
            Cell(value=_given(value), n=n, of=len(frame.samples))
            if known
            else Cell(value=_given(value))
        )
    return found


def _given(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def scored(frame: Frame, layout: Layout, column: Field) -> tuple[Mask, Mask]:
    """(E, S): the samples of which an editor has every score that a column of the layout is made
    of; (S,): the samples of the column.
    """
    return _scored(_matrix(frame, layout), column.leaves)


def _scored(part: _Matrix, leaves: Sequence[str]) -> tuple[Mask, Mask]:
    """(E, S): samples with a score of every leaf of the field that they belong to; (S,): samples of
    the field.
    """
    places = [part.keys.index(key) for key in leaves if key in part.keys]
    belongs = part.defined[places]  # (l, S)
    given = ~np.isnan(part.values[:, places])  # (E, l, S)
    anywhere = np.asarray(belongs.any(axis=0))
    return np.asarray((given | ~belongs).all(axis=1) & anywhere), anywhere


def _counts(part: _Matrix, leaves: Sequence[str]) -> tuple[NDArray[np.int64], int]:
    """(E,): samples of each editor with a score of the field; and how many belong to it."""
    scored, belongs = _scored(part, leaves)
    return scored.sum(axis=1), int(belongs.sum())


def _parts_of_release(frame: Frame, layout: Layout, part: _Matrix) -> list[tuple[int, int] | None]:
    """For each editor how much of the release its line is made of; None where it is all of it, or
    where the release's size is not known.

    A sample counts that has a score in every column in which the editor has any. A sample that the
    protocol gives no score of (not applicable, a fault of the data) is not asked for.
    """
    if layout.size is None:
        return [None] * len(frame.editors)
    found: list[tuple[int, int] | None] = []
    for editor in range(len(frame.editors)):
        asked = np.zeros(len(frame.samples), dtype=np.bool_)
        lacking = asked.copy()
        sets: list[int] = []
        for key, leaf in layout.leaves.items():
            if key not in part.keys:
                n = frame.set_counts.get((leaf.metric.name, leaf.variant, frame.editors[editor]))
                sets += [] if n is None else [n]
                continue
            number = part.keys.index(key)
            excused = _excused(frame, leaf, editor)
            given = ~np.isnan(part.values[editor, number])
            wanted = part.defined[number] & (given | ~excused)
            if given.any():
                asked |= wanted
                lacking |= wanted & ~given
        outside = len(frame.samples) - int(asked.sum())
        scored = int((asked & ~lacking).sum())
        if not asked.any():
            outside, scored = 0, min(sets, default=layout.size)
        elif sets:
            scored = min([scored, *(max(0, n - outside) for n in sets)])
        release = layout.size - outside
        found.append((scored, release) if scored < release else None)
    return found


def _excused(frame: Frame, leaf: Leaf, editor: int) -> Mask:
    """(S,): the samples of which the protocol itself gives this editor no score of the leaf."""
    return excused(frame.grid(leaf.metric.name, leaf.variant).status[editor])


def _corrected(frame: Frame, layout: Layout) -> bool:
    """Whether any number of the layout is a corrected one: the papers' are as released."""
    return any(
        leaf.variant == "corrected" and frame.has(leaf.metric.name, leaf.variant)
        for leaf in layout.leaves.values()
    )


def part_notes(rows: Sequence[TableRow]) -> list[str]:
    """What is said of lines made from a part of the release, one sentence for each part."""
    alike: dict[tuple[int, int], list[str]] = {}
    for row in rows:
        if row.part is not None:
            alike.setdefault(row.part, []).append(row.name)
    return [
        f"{', '.join(names)}: {scored:,} of {size:,}: not comparable with the published lines."
        for (scored, size), names in alike.items()
    ]


def _uneven(layout: Layout, part: _Matrix) -> dict[str, str]:
    """The columns in which the editors were not scored on the same samples, with the reason in
    words.
    """
    found = {}
    for item in layout.fields:
        if layout.leaves[item.leaves[0]].metric.whole_set:
            continue
        scored, _ = _scored(part, item.leaves)
        counts = scored.sum(axis=1)
        if len(counts) > 1 and not (scored == scored[0]).all():
            spread = (
                f"{counts.min()} to {counts.max()}"
                if counts.min() != counts.max()
                else f"{counts.max()} others"
            )
            found[item.column.name] = f"the editors were scored on different samples ({spread})"
    return found


def _uneven_sets(frame: Frame, layout: Layout) -> dict[str, str]:
    """The same for metrics of the whole set: values from different numbers of samples."""
    found = {}
    for item in layout.fields:
        leaf = layout.leaves[item.leaves[0]]
        counts = {
            frame.set_counts.get((leaf.metric.name, leaf.variant, editor))
            for editor in frame.editors
        }
        known = sorted(count for count in counts if count is not None)
        if leaf.metric.whole_set and len(known) > 1:
            found[item.column.name] = (
                f"it was computed from different numbers of samples ({known[0]} to {known[-1]})"
            )
    return found


# -- words -----------------------------------------------------------------------------------------


def _sources(frame: Frame, layout: Layout) -> str:
    wanted = [n for n, name in enumerate(frame.metrics) if name in layout.metrics]
    codes = np.unique(frame.columns.source[np.isin(frame.columns.metric, wanted)])
    return ", ".join(frame.sources[code] for code in codes if frame.sources[code])


def fed_variants(frame: Frame, layout: Layout) -> list[str]:
    """The variants in which the layout's metrics have rows."""
    return sorted(
        {
            leaf.variant
            for leaf in layout.leaves.values()
            if frame.has(leaf.metric.name, leaf.variant)
        }
    )


def _covered(rows: Sequence[TableRow]) -> bool:
    cells = [
        cell
        for row in rows
        if row.kind == "run"
        for cell in row.cells.values()
        if cell.n is not None
    ]
    return bool(cells) and all(cell.n == cell.of for cell in cells)


def _notes(
    frame: Frame,
    layout: Layout,
    uneven: Mapping[str, str],
    found: Sequence[str],
    *,
    published: bool,
    intervals: bool,
) -> list[str]:
    notes = list(layout.notes)
    size = len(frame.samples)
    if layout.size is not None and size < layout.size:
        notes.append(
            f"The data here hold {size:,} of the {layout.size:,} samples that the paper's table is "
            f"of: not comparable with published numbers."
        )
    alike: dict[str, list[str]] = {}
    for editor, counts in _statuses(frame, layout).items():
        words = []
        for status, (amount, metrics) in counts.items():
            named = f" ({', '.join(metrics)})" if metrics else ""
            words.append(f"{amount} {status.replace('_', ' ')}{named}")
        if words:
            alike.setdefault(", ".join(words), []).append(editor)
    notes += [f"{', '.join(editors)}: {told}." for told, editors in alike.items()]
    absent = dict.fromkeys(_unscored(frame, layout).values())
    if absent:
        notes.append(f"Nothing was scored yet for: {', '.join(absent)}.")
    reasons: dict[str, list[str]] = {}
    for item in layout.fields:
        if item.column.name in uneven:
            reasons.setdefault(uneven[item.column.name], []).append(" ".join(item.column.heading))
    for reason, titles in reasons.items():
        where = "any column" if len(titles) == len(layout.fields) else ", ".join(titles)
        notes.append(f"{NO_RANK} in {where}: {reason}.")
    if intervals:
        kept = (
            f", stratified by {layout.strata} (small ones together)"
            if layout.strata in frame.samples.names()
            else ""
        )
        notes.append(
            f"Intervals: 95 %, BCa bootstrap over samples{kept}; failures left out. Digits that "
            f"the resampling does not carry are not printed."
        )
    notes += found
    if published and layout.published_note:
        notes.append(layout.published_note)
    if published and layout.published and (ours := other_prompts(frame, layout)):
        notes.append(
            f"The papers' judges were asked with the papers' prompts, {', '.join(ours)} with "
            f"others: not comparable (judge --prompts paper asks as they do)."
        )
    if published and layout.published and layout.published_with:
        notes.append(
            f"The published lines were made with {layout.published_with}, these rows with "
            f"{_sources(frame, layout) or 'something else'}: not comparable."
        )
    return notes
