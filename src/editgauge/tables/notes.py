"""What is said below a table: coverage, failures, sources, what cannot be compared and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from editgauge.statistics.resampling import LEAST, MEANT_FROM
from editgauge.tables.plan import Matrix, Plan, labelled
from editgauge.tables.results import STATUSES, Grid, Mask, Results, excused
from editgauge.tables.spec import PaperTable, Published
from editgauge.tables.table import TableRow
from editgauge.types import JUDGE_SCORER, Status

if TYPE_CHECKING:
    from editgauge.tables.cells import Ranks

NO_RANK = "No best, second or rank"
"""How the note begins that says why nothing is compared."""
NO_ROWS = "This run has no rows of this table yet."
INTERVALS = (
    f"Intervals: 95 %, BCa bootstrap over samples; failures left out; meant for {MEANT_FROM} "
    f"samples and more, none below {LEAST}."
)


def of_table(
    results: Results,
    made: Plan,
    uneven: Mapping[str, str],
    *,
    published: Published | None,
    intervals: bool,
) -> list[str]:
    """The notes of a table, the most important first."""
    table, size = made.table, len(results.samples)
    notes = list(table.notes)
    if table.size is not None and size < table.size:
        notes.append(
            f"The data here hold {size:,} of the {table.size:,} samples that the paper's table is "
            f"of: not comparable with published numbers."
        )
    if published is not None:
        notes += [published.note, *_other_makers(results, table, published)]
    notes += _no_rank(made, uneven)
    notes += _failures(results, made)
    if absent := dict.fromkeys(unscored(results, made).values()):
        notes.append(f"Nothing was scored yet for: {', '.join(absent)}.")
    if intervals:
        by = f", stratified by {table.strata} (small ones together);"
        kept = table.strata in results.samples.names()
        notes.append(INTERVALS.replace(" over samples;", f" over samples{by if kept else ';'}"))
    return notes


def _no_rank(made: Plan, uneven: Mapping[str, str]) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for field in made.fields:
        if field.column.name in uneven:
            heading = " ".join(field.column.heading)
            reasons.setdefault(uneven[field.column.name], []).append(heading)
    all_of_them = len(made.fields)
    return [
        f"{NO_RANK} in {'any column' if len(titles) == all_of_them else ', '.join(titles)}: "
        f"{reason}."
        for reason, titles in reasons.items()
    ]


def _other_makers(results: Results, table: PaperTable, published: Published) -> list[str]:
    """Why the published lines are not compared: other prompts, another judge or engine."""
    notes = []
    if ours := other_prompts(results, table):
        notes.append(
            f"The papers' judges were asked with the papers' prompts, {', '.join(ours)} with "
            f"others: not comparable (judge --prompts paper asks as they do)."
        )
    if other := published.other_maker(results):
        notes.append(
            f"The published lines were made with {other}, these rows with "
            f"{sources(results, table) or 'something else'}: not comparable."
        )
    return notes


def other_prompts(results: Results, table: PaperTable) -> list[str]:
    """The judges of a table's rows that were not asked with the paper's prompts.

    A judge's source names its prompt set in brackets; scores that a released script wrote were
    asked with the paper's.
    """
    mine = results.where(lambda key: key.scorer == JUDGE_SCORER and key.metric in table.metrics)
    paper = ("[paper]#", "#imported")
    return [one for one in mine.sources if paper[0] not in one and not one.endswith(paper[1])]


def sources(results: Results, table: PaperTable) -> str:
    """Who made the table's rows (judges, OCR engines), with commas between."""
    mine = results.where(lambda key: key.metric in table.metrics)
    return ", ".join(filter(None, mine.sources))


# -- failures and coverage -------------------------------------------------------------------------


def statuses(results: Results, made: Plan) -> dict[str, dict[str, int]]:
    """For each editor, how many samples have a metric of the table that ended in each status, but
    for SCORED.
    """
    return {
        editor: {status: amount for status, (amount, _) in told.items()}
        for editor, told in _statuses(results, made).items()
    }


def _statuses(results: Results, made: Plan) -> dict[str, dict[str, tuple[int, dict[str, int]]]]:
    """As `statuses`, with how many samples of each metric; of no metric where all of them have as
    many. A sample counts for a metric only where one of the table's means asks for it.
    """
    grids: dict[str, Grid] = {}
    asked: dict[str, Mask] = {}
    for mean, variant in made.means:
        here = labelled(results, mean.where)
        for name in mean.parts:
            if results.has(name, variant):
                grids[name] = results.grid(name, variant)
                asked[name] = asked.get(name, np.zeros(len(here), dtype=np.bool_)) | here
    counted = {metric: grid.defined & asked[metric] for metric, grid in grids.items()}
    told: dict[str, dict[str, tuple[int, dict[str, int]]]] = {e: {} for e in results.editors}
    for code, status in enumerate(STATUSES):
        if status is Status.SCORED or not grids:
            continue
        hit = {m: (grid.status == code) & counted[m] for m, grid in grids.items()}  # (E, S) each
        anywhere = np.logical_or.reduce([*hit.values()])
        for number in np.flatnonzero(anywhere.any(axis=1)).tolist():
            each = {m: int(mask[number].sum()) for m, mask in hit.items() if mask[number].any()}
            alike = len(each) == len(grids) and len(set(each.values())) == 1
            amount = int(anywhere[number].sum())
            told[results.editors[number]][status.value] = (amount, {} if alike else each)
    return told


def _failures(results: Results, made: Plan) -> list[str]:
    """``one, two: 3 missing; failed: lpips 64, mse 2.``: editors with the same are told once."""
    alike: dict[str, list[str]] = {}
    for editor, counts in _statuses(results, made).items():
        words = []
        for status, (amount, metrics) in counts.items():
            name = status.replace("_", " ")
            if len(set(metrics.values())) > 1:
                words.append(f"{name}: {', '.join(f'{m} {n}' for m, n in metrics.items())}")
            else:
                words.append(f"{amount} {name}" + (f" ({', '.join(metrics)})" if metrics else ""))
        if words:
            sign = "; " if any(":" in word for word in words) else ", "
            alike.setdefault(sign.join(words), []).append(editor)
    return [f"{', '.join(editors)}: {said}." for said, editors in alike.items()]


def unscored(results: Results, made: Plan) -> dict[str, str]:
    """The columns for which nothing was ever scored: name -> narrowest heading."""
    told = {}
    for field in made.fields:
        parts = [made.means[k] for k in field.places] or [(field.spec.of[0], field.variant)]
        if not all(results.has(mean.metric, variant) for mean, variant in parts):
            told[field.column.name] = field.column.heading[-1]
    return told


def parts_of_release(results: Results, made: Plan, part: Matrix) -> list[tuple[int, int] | None]:
    """For each editor how much of the release its line is made of; None where it is all of it, or
    where the release's size is not known.

    A sample counts that has a score in every column in which the editor has any; one that was not
    asked yet is lacking. A sample that the protocol gives no score of (not applicable, a fault of
    the data) is taken off the release.
    """
    size = made.table.size
    wholes = [results.of_set(f.spec.of[0].metric, f.variant) for f in made.fields if f.whole_set]
    outs = [excused(results.grid(mean.metric, v).status) for mean, v in made.means]  # (E, S) each
    parts: list[tuple[int, int] | None] = []
    for editor in range(len(results.editors)):
        sets = [int(whole.samples[editor]) for whole in wholes if whole.samples[editor]]
        scored = np.zeros(len(results.samples), dtype=np.bool_)
        lacking, free = scored.copy(), scored.copy()
        for number, out in enumerate(outs):
            given = ~np.isnan(part.values[editor, number])
            if given.any():
                scored |= given
                lacking |= part.defined[number] & ~given & ~out[editor]
                free |= out[editor] & ~given
        count = release = size or 0
        if scored.any():
            count, release = (
                int((scored & ~lacking).sum()),
                release - int((free & ~scored & ~lacking).sum()),
            )
        count = min([count, *sets])
        parts.append((count, release) if size is not None and count < release else None)
    return parts


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


def uneven(results: Results, made: Plan, part: Matrix) -> dict[str, str]:
    """The columns in which the editors were not scored on the same samples, with the reason in
    words.
    """
    told = {}
    for field in made.fields:
        if field.whole_set:
            whole = results.of_set(field.spec.of[0].metric, field.variant)
            known = sorted(set(whole.samples.tolist()) - {0})
            if len(known) > 1:
                spread = f"({known[0]} to {known[-1]})"
                told[field.column.name] = (
                    f"it was computed from different numbers of samples {spread}"
                )
            continue
        scored, _ = part.scored(field)
        if not (scored == scored[0]).all():
            amounts = scored.sum(axis=1)
            same = amounts.min() == amounts.max()
            spread = f"{amounts.max()} others" if same else f"{amounts.min()} to {amounts.max()}"
            told[field.column.name] = f"the editors were scored on different samples ({spread})"
    return told


def of_ranks(results: Results, table: PaperTable, stability: Ranks | None) -> list[str]:
    """How sure the ranks by the headline are."""
    if stability is None or stability.column.name != table.headline:
        return []
    ranks = stability.ranks
    name: Callable[[int], str] = results.editors.__getitem__
    told = [
        f"{name(e)} {ranks.rank[e]} (kept in {ranks.kept[e]:.0%}, 95 % in "
        f"{ranks.low[e]}–{ranks.high[e]})"
        for e in np.argsort(ranks.rank, kind="stable").tolist()
    ]
    heading = " ".join(stability.column.heading)
    return [f"Rank by {heading} under resampling: " + "; ".join(told)]
