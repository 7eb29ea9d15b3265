"""What is said below a table: coverage, failures, sources, what cannot be compared and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from editgauge import escape
from editgauge.statistics.limits import LEAST, LEAST_UNBOUNDED
from editgauge.tables.metrics import range_text
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
    "Intervals: 95 %, over samples, stratified as the table is (small strata joined), Student's t "
    "with a longer tail for skewed scores; failures left out; none of fewer than "
    f"{LEAST} samples, or {LEAST_UNBOUNDED} where the scale has no end."
)


class Note(NamedTuple):
    """A note below a table. `warning`: without it the numbers mislead (`Table.warnings`)."""

    text: str
    warning: bool = False


def of_table(
    sheet: Sheet,
    columns: Sequence[Column],
    *,
    size: int,
    published: Published | None,
    intervals: bool,
) -> list[Note]:
    """The notes of a table, the most important first. `size`: the samples of the data."""
    results, table = sheet.results, sheet.paper
    notes = [Note(text, warning=True) for text in table.notes]
    if table.size is not None and size < table.size:
        text = (
            f"The data here hold {size:,} of the {table.size:,} samples that the paper's table is "
            f"of: not comparable with published numbers."
        )
        # beside published lines a mark on each line says it, too (`parts_of_release`)
        notes.append(Note(text, warning=published is None))
    if published is not None:
        notes.append(Note(published.note))
        notes += [Note(text, warning=True) for text in _other_makers(results, table, published)]
    notes += [Note(text, warning=True) for text in _own_temperatures(results, table)]
    if uneven := [" ".join(column.heading) for column in columns if not column.comparable]:
        where = "any column" if len(uneven) == len(columns) else ", ".join(uneven)
        notes.append(Note(f"{NO_RANK} in {where}: {UNEVEN}.", warning=True))
    notes += [Note(text, warning=True) for text in _outside(sheet)]
    notes += [Note(text) for text in _failures(sheet)]
    if intervals:
        notes.append(Note(INTERVALS, warning=True))
    return notes


def _outside(sheet: Sheet) -> Iterator[str]:
    """How many of a judge's scores lie outside of their scale."""
    for name, (count, scores) in sheet.outside().items():
        metric = sheet.known[name]
        yield (
            f"{metric.title}: {count:,} of {escape.counted(scores, 'score')} "
            f"{'lies' if count == 1 else 'lie'} outside of the scale "
            f"{range_text(metric.low, metric.high)}. The released code records them so."
        )


def in_no_section(sheet: Sheet, rows: Sequence[TableRow]) -> list[Note]:
    """A note on the run's models that no heading of the paper's table holds."""
    if not sheet.paper.sections or all(row.own for row in rows):
        return []
    names = [row.name for row in rows if row.kind == "run" and not row.section]
    if not names:
        return []
    headings = ", ".join(dict.fromkeys(row.section for row in rows if row.section))
    text = (
        f"Best and second are told within each section of the paper's table, and "
        f"{', '.join(names)} is in none: --section HEADING says which ({headings})."
    )
    return [Note(text)]


def of_common(whole: Sheet, sheet: Sheet) -> Note:
    """The note on a table of the samples that all of its models have (`Sheet.common`)."""
    size, models = len(whole.results.samples), len(whole.results.editors)
    count = len(sheet.results.samples)
    if not count:
        return Note("No sample has a score of every model here.", warning=True)
    text = (
        f"Only the {count:,} of {size:,} samples that every model here has a score of "
        f"({escape.counted(models, 'model')})."
    )
    if any(whole.wholes(field) for field in whole.fields):
        text += " Metrics of whole sets are left out."
    return Note(text, warning=True)


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


def not_the_papers(sheet: Sheet) -> set[str]:
    """The sources of a table's rows that are no measurement of the paper's: a judge that was asked
    with other prompts, another judge or engine than the published lines were made with.
    """
    results, table = sheet.results, sheet.paper
    sources = set(other_prompts(results, table))
    published = table.publication(results)
    if published is not None and published.other_maker(results):
        sources.update(results.sources_of(published.metric))
    return sources


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


def of_parts(rows: Sequence[TableRow], columns: Sequence[Column]) -> list[str]:
    """What is said of lines made from a part of the release, one sentence for each part."""
    but = ""
    if any(column.complete for column in columns):
        but = ", but in columns that are complete"
    alike: dict[tuple[int, int], list[str]] = {}
    for row in rows:
        if row.part is not None:
            alike.setdefault(row.part, []).append(row.name)
    return [
        f"{', '.join(names)}: {scored:,} of {size:,}: not comparable with the published lines{but}."
        for (scored, size), names in alike.items()
    ]


def is_uneven(sheet: Sheet, field: Field) -> bool:
    """Whether the editors of a column were not scored on the same samples."""
    (scored, _), wholes = sheet.scored(field), sheet.wholes(field).values()
    return bool((scored != scored[0]).any()) or len({one.samples for one in wholes} - {0}) > 1
