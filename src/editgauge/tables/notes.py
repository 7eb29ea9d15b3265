"""What is said below a table: coverage, failures, sources, what cannot be compared and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from editgauge.statistics.ranks import RankStability
from editgauge.statistics.resampling import LEAST, MEANT_FROM
from editgauge.tables.results import EXCUSES, STATUSES, Cube, Delivery, Mask, Results
from editgauge.tables.sheet import Sheet
from editgauge.tables.spec import PaperTable, Published
from editgauge.tables.table import Column, TableRow
from editgauge.types import JUDGE_SCORER, Status

NO_RANK = "No best, second or rank"
"""How the note begins that says why nothing is compared."""
NO_ROWS = "This run has no rows of this table yet."
INTERVALS = (
    f"Intervals: 95 %, over samples (Hall 1992); failures left out; meant for {MEANT_FROM} "
    f"samples and more, none below {LEAST}."
)


def of_table(
    sheet: Sheet, uneven: Mapping[str, str], *, published: Published | None, intervals: bool
) -> list[str]:
    """The notes of a table, the most important first."""
    results, table = sheet.results, sheet.paper
    notes, size = list(table.notes), len(results.samples)
    if table.size is not None and size < table.size:
        notes.append(
            f"The data here hold {size:,} of the {table.size:,} samples that the paper's table is "
            f"of: not comparable with published numbers."
        )
    if published is not None:
        notes += [published.note, *_other_makers(results, table, published)]
    for reason in dict.fromkeys(uneven.values()):
        columns = [f.column for f in sheet.fields if uneven.get(f.column.name) == reason]
        titles = ", ".join(" ".join(column.heading) for column in columns)
        where = "any column" if len(columns) == len(sheet.fields) else titles
        notes.append(f"{NO_RANK} in {where}: {reason}.")
    notes += _failures(sheet)
    if absent := dict.fromkeys(unscored(sheet).values()):
        notes.append(f"Nothing was scored yet for: {', '.join(absent)}.")
    if intervals:
        by = f" over samples, stratified by {table.strata} (small ones together) (Hall 1992);"
        plain = sheet.strata is None
        notes.append(INTERVALS if plain else INTERVALS.replace(" over samples (Hall 1992);", by))
    return notes


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
    """The judges of a table's rows that were not asked with the paper's prompts: a source names its
    prompt set in brackets; scores that a released script wrote were asked with the paper's.
    """
    mine = results.where(lambda key: key.scorer == JUDGE_SCORER and key.metric in table.metrics)
    return [one for one in mine.sources if "[paper]#" not in one and not one.endswith("#imported")]


def sources(results: Results, table: PaperTable) -> str:
    """Who made the table's rows (judges, OCR engines), with commas between."""
    mine = results.where(lambda key: key.metric in table.metrics)
    return ", ".join(filter(None, mine.sources))


# -- failures and coverage -------------------------------------------------------------------------


def _failures(sheet: Sheet) -> list[str]:
    """``one, two: 3 missing; failed: lpips 64, mse 2.``: editors with the same are told once. A
    sample counts for a metric only where one of the table's means asks for it.
    """
    results = sheet.results
    grids: dict[str, Cube] = {}
    asked: dict[str, Mask] = {}
    for mean, variant in sheet.means:
        for name in mean.parts:
            if results.has(name, variant):
                grids[name] = results.grid(name, variant)
                asked[name] = results.labelled(mean.where) | asked.get(name, np.False_)
    counted = {name: np.where(grid.defined & asked[name], grid.status, -1)
               for name, grid in grids.items()}  # fmt: skip
    alike: dict[str, list[str]] = {}
    for number, editor in enumerate(results.editors):
        words = []
        for code, status in enumerate(STATUSES):
            hit = {name: mine[number] == code for name, mine in counted.items()}
            hit = {name: mask for name, mask in hit.items() if mask.any()}
            if hit and status is not Status.SCORED:
                words.append(_failed(status.value.replace("_", " "), hit, len(grids)))
        if words:
            sign = "; " if any(":" in word for word in words) else ", "
            alike.setdefault(sign.join(words), []).append(editor)
    most = len(results.editors) if len(results.editors) > 2 else 0
    return [
        f"{'All' if len(editors) == most else ', '.join(editors)}: {sentence}."
        for sentence, editors in alike.items()
    ]


def _failed(status: str, hit: Mapping[str, Mask], metrics: int) -> str:
    """``3 missing``, where all metrics have as many; else of which metrics, and how many."""
    counts = {name: int(mask.sum()) for name, mask in hit.items()}
    if len(set(counts.values())) > 1:
        return f"{status}: {', '.join(f'{name} {n}' for name, n in counts.items())}"
    samples = int(np.logical_or.reduce([*hit.values()]).sum())
    return f"{samples} {status}" + (f" ({', '.join(counts)})" if len(counts) < metrics else "")


def given_back(results: Results) -> str:
    """``The input handed back, pixel by pixel: typeset: 38 edited, 42 given back.``, or "" where
    nothing was. Decided once, by `store.outputs.given_back`.
    """
    here, notes = set(results.samples.ids), []
    for editor in results.editors:
        edited, back = (len(one & here) for one in results.deliveries.get(editor, Delivery()))
        notes += [f"{editor}: {edited} edited, {back} given back"] if back else []
    return f"The input handed back, pixel by pixel: {'; '.join(notes)}." if notes else ""


def unscored(sheet: Sheet) -> dict[str, str]:
    """The columns for which nothing was ever scored: name -> narrowest heading."""
    reasons = {}
    for field in sheet.fields:
        parts = [sheet.means[k] for k in field.places] or [(field.spec.of[0], field.variant)]
        if not all(sheet.results.has(mean.metric, variant) for mean, variant in parts):
            reasons[field.column.name] = field.column.heading[-1]
    return reasons


def parts_of_release(sheet: Sheet) -> list[tuple[int, int] | None]:
    """For each editor how much of the release its line is made of; None where it is all of it, or
    where the release's size is not known.

    A sample counts that has a score in every column in which the editor has any; one that was not
    asked yet is lacking. A sample that the protocol gives no score of (not applicable, a fault of
    the data) is taken off the release.
    """
    results, size = sheet.results, sheet.paper.size
    if size is None:
        return [None] * len(results.editors)
    sets = [sheet.wholes(field) for field in sheet.fields]
    given = ~np.isnan(sheet.matrix.values)  # (E, L, S)
    out = np.zeros_like(given)
    for number, (mean, variant) in enumerate(sheet.means):
        out[:, number] = results.grid(mean.metric, variant).among(EXCUSES)
    asked = given.any(axis=2, keepdims=True)  # the columns in which an editor has any score
    scored = np.asarray(given.any(axis=1))
    lacking = np.asarray((asked & sheet.matrix.defined & ~given & ~out).any(axis=1))
    free = np.asarray((asked & out & ~given).any(axis=1) & ~scored & ~lacking)
    parts: list[tuple[int, int] | None] = []
    for editor, (name, mine) in enumerate(zip(results.editors, scored, strict=True)):
        release = size - int(free[editor].sum())
        whole = int((mine & ~lacking[editor]).sum()) if mine.any() else release
        of_sets = (one[name].samples for one in sets if name in one)
        count = min([whole, *filter(None, of_sets)])
        parts.append((count, release) if count < release else None)
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


def uneven(sheet: Sheet) -> dict[str, str]:
    """The columns in which the editors were not scored on the same samples, with the reason in
    words.
    """
    ranges = {}
    for field in sheet.fields:
        if field.whole_set:
            known = sorted({one.samples for one in sheet.wholes(field).values()} - {0})
            if len(known) > 1:
                numbers = f"different numbers of samples ({known[0]} to {known[-1]})"
                ranges[field.column.name] = f"it was computed from {numbers}"
            continue
        scored, _ = sheet.scored(field)
        if (scored != scored[0]).any():
            low, high = (int(end) for end in np.quantile(scored.sum(axis=1), [0, 1]))
            spread = f"{high} others" if low == high else f"{low} to {high}"
            ranges[field.column.name] = f"the editors were scored on different samples ({spread})"
    return ranges


def of_ranks(
    editors: Sequence[str], table: PaperTable, ranks: tuple[Column, RankStability] | None
) -> list[str]:
    """How sure the ranks by the headline are."""
    if ranks is None or ranks[0].name != table.headline:
        return []
    column, stability = ranks
    words = [
        f"{editors[e]} {stability.rank[e]} (kept in {stability.kept[e]:.0%}, 95 % in "
        f"{stability.low[e]}–{stability.high[e]})"
        for e in np.argsort(stability.rank, kind="stable").tolist()
    ]
    return [f"Rank by {' '.join(column.heading)} under resampling: " + "; ".join(words)]
