"""What is said below a table: coverage, failures, sources, what cannot be compared and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from editgauge.statistics.resampling import LEAST, MEANT_FROM
from editgauge.tables.results import STATUSES, Grid, Results, excused
from editgauge.tables.spec import PaperTable, Published
from editgauge.tables.table import TableRow
from editgauge.types import JUDGE_SCORER, Status

if TYPE_CHECKING:
    from editgauge.tables.build import Matrix, Plan, Ranks

Mask = NDArray[np.bool_]
NO_RANK = "No best, second or rank"
"""How the note begins that says why nothing is compared."""
NO_ROWS = "This run has no rows of this table yet."
INTERVALS = (
    f"Intervals: 95 %, BCa bootstrap over samples; failures left out; meant for {MEANT_FROM} "
    f"samples and more, none below {LEAST}."
)


def of_table(
    frame: Results,
    made: Plan,
    uneven: Mapping[str, str],
    *,
    published: Published | None,
    intervals: bool,
) -> list[str]:
    """The notes of a table, the most important first."""
    table = made.table
    notes = list(table.notes)
    size = len(frame.samples)
    if table.size is not None and size < table.size:
        notes.append(
            f"The data here hold {size:,} of the {table.size:,} samples that the paper's table is "
            f"of: not comparable with published numbers."
        )
    if published is not None:
        notes += [published.note, *_other_makers(frame, table, published)]
    notes += _no_rank(made, uneven)
    notes += _failures(frame, made)
    if absent := dict.fromkeys(unscored(frame, made).values()):
        notes.append(f"Nothing was scored yet for: {', '.join(absent)}.")
    if intervals:
        kept = table.strata in frame.samples.names()
        by = f" stratified by {table.strata} (small ones together);" if kept else ""
        notes.append(INTERVALS.replace("over samples;", f"over samples{',' if by else ';'}{by}"))
    return notes


def _no_rank(made: Plan, uneven: Mapping[str, str]) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for field in made.fields:
        if field.column.name in uneven:
            heading = " ".join(field.column.heading)
            reasons.setdefault(uneven[field.column.name], []).append(heading)
    notes = []
    for reason, titles in reasons.items():
        where = "any column" if len(titles) == len(made.fields) else ", ".join(titles)
        notes.append(f"{NO_RANK} in {where}: {reason}.")
    return notes


def _other_makers(frame: Results, table: PaperTable, published: Published) -> list[str]:
    """Why the published lines are not compared: other prompts, another judge or engine."""
    notes = []
    if ours := other_prompts(frame, table):
        notes.append(
            f"The papers' judges were asked with the papers' prompts, {', '.join(ours)} with "
            f"others: not comparable (judge --prompts paper asks as they do)."
        )
    if other := published.other_maker(frame):
        notes.append(
            f"The published lines were made with {other}, these rows with "
            f"{sources(frame, table) or 'something else'}: not comparable."
        )
    return notes


def other_prompts(frame: Results, table: PaperTable) -> list[str]:
    """The judges of a table's rows that were not asked with the paper's prompts.

    A judge's source names its prompt set in brackets; scores that a released script wrote were
    asked with the paper's.
    """
    mine = frame.where(lambda key: key.scorer == JUDGE_SCORER and key.metric in table.metrics)
    return [
        name for name in mine.sources if "[paper]#" not in name and not name.endswith("#imported")
    ]


def sources(frame: Results, table: PaperTable) -> str:
    """Who made the table's rows (judges, OCR engines), with commas between."""
    mine = frame.where(lambda key: key.metric in table.metrics)
    return ", ".join(filter(None, mine.sources))


# -- failures and coverage -------------------------------------------------------------------------


def statuses(frame: Results, made: Plan) -> dict[str, dict[str, int]]:
    """For each editor, how many samples have a metric of the table that ended in each status, but
    for SCORED.
    """
    return {
        editor: {status: amount for status, (amount, _) in found.items()}
        for editor, found in _statuses(frame, made).items()
    }


def _statuses(frame: Results, made: Plan) -> dict[str, dict[str, tuple[int, dict[str, int]]]]:
    """As `statuses`, with how many samples of each metric; of no metric where all of them have as
    many. A sample counts for a metric only where one of the table's means asks for it.
    """
    from editgauge.tables.build import labelled

    grids: dict[str, Grid] = {}
    asked: dict[str, Mask] = {}
    for mean, variant in made.means:
        here = labelled(frame, mean.where)
        for name in mean.parts:
            if frame.has(name, variant):
                grids[name] = frame.grid(name, variant)
                asked[name] = asked.get(name, np.zeros(len(here), dtype=np.bool_)) | here
    counted = {metric: grid.defined & asked[metric] for metric, grid in grids.items()}
    found: dict[str, dict[str, tuple[int, dict[str, int]]]] = {e: {} for e in frame.editors}
    for code, status in enumerate(STATUSES):
        if status is Status.SCORED or not grids:
            continue
        hit = {m: (grid.status == code) & counted[m] for m, grid in grids.items()}  # (E, S) each
        anywhere = np.logical_or.reduce([*hit.values()])
        for number in np.flatnonzero(anywhere.any(axis=1)).tolist():
            each = {m: int(mask[number].sum()) for m, mask in hit.items() if mask[number].any()}
            alike = len(each) == len(grids) and len(set(each.values())) == 1
            amount = int(anywhere[number].sum())
            found[frame.editors[number]][status.value] = (amount, {} if alike else each)
    return found


def _failures(frame: Results, made: Plan) -> list[str]:
    """``one, two: 3 missing; failed: lpips 64, mse 2.``: editors with the same are told once."""
    alike: dict[str, list[str]] = {}
    for editor, counts in _statuses(frame, made).items():
        words = []
        for status, (amount, metrics) in counts.items():
            name = status.replace("_", " ")
            if len(set(metrics.values())) > 1:
                words.append(f"{name}: {', '.join(f'{m} {n}' for m, n in metrics.items())}")
            else:
                words.append(f"{amount} {name}" + (f" ({', '.join(metrics)})" if metrics else ""))
        if words:
            told = "; ".join(words) if any(":" in word for word in words) else ", ".join(words)
            alike.setdefault(told, []).append(editor)
    return [f"{', '.join(editors)}: {told}." for told, editors in alike.items()]


def unscored(frame: Results, made: Plan) -> dict[str, str]:
    """The columns for which nothing was ever scored: name -> narrowest heading."""
    found = {}
    for field in made.fields:
        parts = [made.means[k] for k in field.places] or [(field.spec.of[0], field.variant)]
        if not all(frame.has(mean.metric, variant) for mean, variant in parts):
            found[field.column.name] = field.column.heading[-1]
    return found


def parts_of_release(frame: Results, made: Plan, part: Matrix) -> list[tuple[int, int] | None]:
    """For each editor how much of the release its line is made of; None where it is all of it, or
    where the release's size is not known.

    A sample counts that has a score in every column in which the editor has any; one that was not
    asked yet is lacking. A sample that the protocol gives no score of (not applicable, a fault of
    the data) is taken off the release.
    """
    if made.table.size is None:
        return [None] * len(frame.editors)
    return [_part_of_release(frame, made, part, editor) for editor in range(len(frame.editors))]


def _part_of_release(
    frame: Results, made: Plan, part: Matrix, editor: int
) -> tuple[int, int] | None:
    size = made.table.size or 0
    sets = [
        n
        for field in made.fields
        if field.whole_set
        and (n := int(frame.of_set(field.spec.of[0].metric, field.variant).samples[editor]))
    ]
    scored = np.zeros(len(frame.samples), dtype=np.bool_)
    lacking, free = scored.copy(), scored.copy()
    for number, (mean, variant) in enumerate(made.means):
        given = ~np.isnan(part.values[editor, number])
        if not given.any():
            continue
        out = excused(frame.grid(mean.metric, variant).status[editor]) & ~given
        scored |= given
        lacking |= part.defined[number] & ~given & ~out
        free |= out
    if not scored.any():
        count, release = min(sets, default=size), size
    else:
        nobody = free & ~scored & ~lacking
        count, release = int((scored & ~lacking).sum()), size - int(nobody.sum())
        count = min([count, *sets])
    return (count, release) if count < release else None


def of_parts(rows: Sequence[TableRow]) -> list[str]:
    """What is said of lines made from a part of the release, one sentence for each part."""
    alike: dict[tuple[int, int], list[str]] = {}
    for row in rows:
        if row.part is not None:
            alike.setdefault(row.part, []).append(row.name)
    return [
        f"{', '.join(names)}: {scored:,} of {size:,}: not comparable with the published lines."
        for (scored, size), names in alike.items()
    ]


def uneven(frame: Results, made: Plan, part: Matrix) -> dict[str, str]:
    """The columns in which the editors were not scored on the same samples, with the reason in
    words.
    """
    found = {}
    for field in made.fields:
        if field.whole_set:
            metric = field.spec.of[0].metric
            known = sorted(set(frame.of_set(metric, field.variant).samples.tolist()) - {0})
            if len(known) > 1:
                found[field.column.name] = (
                    f"it was computed from different numbers of samples ({known[0]} to {known[-1]})"
                )
            continue
        scored, _ = part.scored(field)
        amounts = scored.sum(axis=1)
        if len(amounts) > 1 and not (scored == scored[0]).all():
            same = amounts.min() == amounts.max()
            spread = f"{amounts.max()} others" if same else f"{amounts.min()} to {amounts.max()}"
            found[field.column.name] = f"the editors were scored on different samples ({spread})"
    return found


def of_ranks(frame: Results, table: PaperTable, found: Ranks | None) -> list[str]:
    """How sure the ranks by the headline are."""
    if found is None or found.column.name != table.headline:
        return []
    ranks = found.ranks
    told = [
        f"{frame.editors[e]} {ranks.rank[e]} (kept in {ranks.kept[e]:.0%}, 95 % in "
        f"{ranks.low[e]}–{ranks.high[e]})"
        for e in np.argsort(ranks.rank, kind="stable")
    ]
    return [f"Rank by {' '.join(found.column.heading)} under resampling: " + "; ".join(told)]
