"""One layout, many tables: a group of lines for each value of a label of the samples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from editgauge.tables.build import MEANS, Shown, build
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
    order: dict[str, int] = {}
    for value in in_order(labels.tolist()):
        part = results.of_samples(labels == value)
        for paper in every(part):
            whole = replace(paper, size=None, sections=False, params=False)
            table = build(part, whole, variant, replace(shown, published=False))
            if table is not None:
                parts.setdefault(paper.name, {})[value or "(none)"] = table
                order |= {c.name: n for n, c in enumerate(paper.of_variant(variant))}
    size = len(results.samples)
    return [_stacked(by, tables_of, order, size) for tables_of in parts.values()]


def _stacked(by: str, parts: Mapping[str, Table], order: Mapping[str, int], size: int) -> Table:
    """Tables of slices as one; a column not comparable in one slice is marked, with the reason."""
    columns: dict[str, Column] = {}
    for column in (column for table in parts.values() for column in table.columns):
        if column.name not in columns or not column.comparable:
            columns[column.name] = column
    first, notes = next(iter(parts.values())), dict[str, None]()
    warnings = dict[str, None]()
    for value, table in parts.items():
        for note in table.notes:
            text = note
            if not all(note in other.notes for other in parts.values()):
                if note not in table.warnings:
                    continue
                text = f"{value}: {note}"
            notes[text] = None
            if note in table.warnings:
                warnings[text] = None
    return replace(
        first,
        columns=sorted(columns.values(), key=lambda column: order[column.name]),
        rows=[replace(row, group=value) for value, table in parts.items() for row in table.rows],
        by=by,
        size=size,
        notes=list(notes),
        warnings=list(warnings),
        title=f"{first.title} by {by}",
        meta={},
    )


_TIERS = ("easy", "medium", "hard")


def in_order(labels: Iterable[str]) -> list[str]:
    """Each label once: numbers by size, chapters part by part (``2.10`` after ``2.9``), tiers by
    difficulty, then texts by name; the empty one last.
    """

    def place(label: str) -> tuple[int, list[float], str]:
        if label in _TIERS:
            return (1, [_TIERS.index(label)], label)
        if not re.fullmatch(r"[+-]?\d+(\.\d+)*", label):
            return (2 if label else 3, [], label)
        return (
            0,
            [float(part) for part in label.split(".")] if chapters else [float(label)],
            label,
        )

    given = set(labels)
    chapters = any(re.fullmatch(r"\d+(\.\d+){2,}", label) for label in given)
    return sorted(given, key=place)
