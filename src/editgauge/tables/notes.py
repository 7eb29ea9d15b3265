"""What is said below a table: coverage, failures, sources, what cannot be compared and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from editgauge.statistics.resampling import LEAST, MEANT_FROM
from editgauge.tables.results import EXCUSES, STATUSES, Delivery, Results
from editgauge.tables.sheet import Field, Sheet
from editgauge.tables.spec import PaperTable, Published
from editgauge.tables.table import Column, TableRow
from editgauge.types import JUDGE_SCORER, Status

NO_RANK = "No best, second or rank"
"""How the note begins that says why nothing is compared."""
NO_ROWS = "This run has no rows of this table yet."
UNEVEN = "the editors were scored on different samples"
INTERVALS = (
    "Intervals: 95 %, over samples, stratified as the table is (small strata joined; Hall 1992); "
    f"failures left out; meant for {MEANT_FROM} samples and more, none below {LEAST}."
)


def of_table(
    sheet: Sheet, columns: Sequence[Column], *, published: Published | None, intervals: bool
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
    notes += _own_temperatures(results, table)
    if uneven := [" ".join(column.heading) for column in columns if not column.comparable]:
        where = "any column" if len(uneven) == len(columns) else ", ".join(uneven)
        notes.append(f"{NO_RANK} in {where}: {UNEVEN}.")
    return notes + _failures(sheet) + [INTERVALS] * intervals


def _other_makers(results: Results, table: PaperTable, published: Published) -> Iterator[str]:
    """Why the published lines are not compared: other prompts, another judge or engine."""
    if ours := other_prompts(results, table):
        yield (
            f"The papers' judges were asked with the papers' prompts, {', '.join(ours)} with "
            f"others: not comparable (judge --prompts paper asks as they do)."
        )
    if other := published.other_maker(results):
        yield (
            f"The published lines were made with {other}, these rows with "
            f"{sources(results, table) or 'something else'}: not comparable."
        )


def other_prompts(results: Results, table: PaperTable) -> list[str]:
    """The judges of a table's rows that were not asked with the paper's prompts: a source names its
    prompt set in brackets; scores that a released script wrote were asked with the paper's.
    """
    mine = results.where(lambda key: key.scorer == JUDGE_SCORER and key.metric in table.metrics)
    return [one for one in mine.sources if "[paper]#" not in one and not one.endswith("#imported")]


def _own_temperatures(results: Results, table: PaperTable) -> Iterator[str]:
    """Name the judges of a table's rows that were asked without the declared temperature."""
    mine = results.where(lambda key: key.scorer == JUDGE_SCORER and key.metric in table.metrics)
    for source, declared in sorted(results.own_temperature.items()):
        if source in mine.sources:
            yield (
                f"{source} judged at its own temperature, where the protocol declares "
                f"{declared:g}: its server takes none. Not comparable with scores at {declared:g}."
            )


def sources(results: Results, table: PaperTable) -> str:
    """Who made the table's rows (judges, OCR engines), with commas between."""
    mine = results.where(lambda key: key.metric in table.metrics)
    return ", ".join(filter(None, mine.sources))


# -- failures and coverage -------------------------------------------------------------------------


def _failures(sheet: Sheet) -> list[str]:
    """``one, two: 3 missing; failed: lpips 64.``: samples that a mean of the table asks for."""
    results = sheet.results
    status: dict[str, np.ndarray] = {}
    for mean, variant in sheet.means:
        for name in mean.parts:
            if results.has(name, variant):
                grid = results.grid(name, variant)
                asked = np.where(grid.defined & results.labelled(mean.where), grid.status, -1)
                status[name] = np.maximum(asked, status.get(name, asked))
    alike: dict[str, list[str]] = {}
    for row, editor in enumerate(results.editors):
        words = []
        for code, kind in enumerate(STATUSES):
            counts = {name: int((codes[row] == code).sum()) for name, codes in status.items()}
            each = [f"{name} {n}" for name, n in counts.items() if n]
            if each and kind is not Status.SCORED:
                word, one = kind.value.replace("_", " "), len({*counts.values()}) == 1
                words.append(
                    f"{max(counts.values())} {word}" if one else f"{word}: {', '.join(each)}"
                )
        if words:
            alike.setdefault("; ".join(words), []).append(editor)
    return [f"{', '.join(names)}: {sentence}." for sentence, names in alike.items()]


def given_back(results: Results) -> str:
    """``The input handed back, pixel by pixel: typeset: 38 edited, 42 given back.``, or "" where
    nothing was. Decided once, by `store.outputs.given_back`.
    """
    here, notes = set(results.samples.ids), []
    for editor in results.editors:
        edited, back = (len(one & here) for one in results.deliveries.get(editor, Delivery()))
        notes += [f"{editor}: {edited} edited, {back} given back"] if back else []
    return f"The input handed back, pixel by pixel: {'; '.join(notes)}." if notes else ""


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
    given = ~np.isnan(sheet.matrix.values)  # (E, L, S)
    free = np.zeros_like(given)
    for number, (mean, variant) in enumerate(sheet.means):
        free[:, number] = results.grid(mean.metric, variant).among(EXCUSES)
    parts: list[tuple[int, int] | None] = []
    for editor, mine, out in zip(results.editors, given, free, strict=True):
        asked = mine.any(axis=1, keepdims=True) & ~mine  # in the columns where it has any score
        lacking = (asked & sheet.matrix.defined & ~out).any(axis=0)
        scored = mine.any(axis=0)
        release = size - int(((asked & out).any(axis=0) & ~scored & ~lacking).sum())
        whole = int((scored & ~lacking).sum()) if scored.any() else release
        sets = [sheet.wholes(field).get(editor) for field in sheet.fields]
        count = min([whole, *(one.samples for one in sets if one and one.samples)])
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


def is_uneven(sheet: Sheet, field: Field) -> bool:
    """Whether the editors of a column were not scored on the same samples."""
    (scored, _), wholes = sheet.scored(field), sheet.wholes(field).values()
    return bool((scored != scored[0]).any()) or len({one.samples for one in wholes} - {0}) > 1
