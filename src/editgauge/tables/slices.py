"""One layout, many tables: a group of lines for each value of a label of the samples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from editgauge.tables.build import MEANS, Shown, build
from editgauge.tables.notes import NO_RANK
from editgauge.tables.results import Results
from editgauge.tables.spec import PaperTable
from editgauge.tables.table import Column, Table
from editgauge.types import Variant


def sliced(
    results: Results,
    by: str,
    every: Callable[[Results], Sequence[PaperTable]],
    variant: Variant,
    shown: Shown = MEANS,
) -> list[Table]:
    """One table for each of the benchmark's, with a group of lines for each value of the label
    `by`; `every` is asked anew for each slice. Metrics of the whole set are left out.
    """
    labels = results.samples.labels(by)
    parts: dict[str, dict[str, Table]] = {}
    for value in in_order(labels.tolist()):
        part = results.of_samples(labels == value)
        for paper in every(part):
            whole = replace(paper, size=None, sections=False, params=False)
            table = build(part, whole, variant, replace(shown, published=False))
            if table is not None:
                parts.setdefault(paper.name, {})[value or "(none)"] = table
    return [_stacked(by, tables_of, len(results.samples)) for tables_of in parts.values()]


def _stacked(by: str, parts: Mapping[str, Table], size: int) -> Table:
    """Tables of slices as one; a column that cannot be compared in one slice is marked so, with the
    reason.
    """
    columns: dict[str, Column] = {}
    for column in (column for table in parts.values() for column in table.columns):
        if column.name not in columns or not column.comparable:
            columns[column.name] = column
    first, notes = next(iter(parts.values())), dict[str, None]()
    for value, table in parts.items():
        for note in table.notes:
            if all(note in other.notes for other in parts.values()):
                notes[note] = None
            elif note.startswith(NO_RANK):
                notes[f"{value}: {note}"] = None
    return replace(
        first,
        columns=list(columns.values()),
        rows=[replace(row, group=value) for value, table in parts.items() for row in table.rows],
        by=by,
        size=size,
        notes=list(notes),
        title=f"{first.title} by {by}",
        meta={},
    )


_TIERS = ("easy", "medium", "hard")
_NUMBER, _CHAPTER = re.compile(r"[+-]?\d+(\.\d+)?"), re.compile(r"\d+(\.\d+){2,}")


def in_order(labels: Iterable[str]) -> list[str]:
    """Each label once: numbers by size, tiers by difficulty, then texts by name; the empty one
    last. Where one is numbered like a chapter (``1.4.2``), the others are, too (``2.10`` after
    ``2.9``).
    """
    given = set(labels)
    chapters = any(map(_CHAPTER.fullmatch, given)) and all(
        part.isdecimal() for label in given if label for part in label.split(".")
    )

    def place(label: str) -> tuple[int, list[float], str]:
        if label in _TIERS:
            return (1, [_TIERS.index(label)], label)
        if _NUMBER.fullmatch(label) or (chapters and label):
            return (0, [*map(float, label.split(".") if chapters else [label])], label)
        return (2 if label else 3, [], label)

    return sorted(given, key=place)
