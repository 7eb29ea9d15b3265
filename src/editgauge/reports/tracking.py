"""A run's tables and worst samples as an experiment tracker takes them: numbers by name, sheets,
and pictures side by side.

What is logged is what the report shows, and nothing is computed for it: the tables of
`reports.parts`, and the outputs that come first in `reports.overview`. `reports.trackers` hands it
over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from editgauge.errors import ImageError
from editgauge.images import Array, read_image, resize
from editgauge.reports import overview
from editgauge.reports.benchmark import Part
from editgauge.reports.places import Places
from editgauge.store.run import Run
from editgauge.tables.metrics import on_scale
from editgauge.tables.table import OWN, Table

SIDE = 384
"""The longer side of a logged picture in pixels."""
_GAP = 8
_WHITE = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table with headings; a cell is a text, a finite number or None."""

    name: str
    columns: Sequence[str]
    lines: Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worst:
    """An output that comes out badly: what it is, and its picture (H, W, 3), uint8: input,
    reference where there is one, and output from left to right. None where there is no picture.
    """

    benchmark: str
    sample: str
    editor: str
    metric: str
    value: float
    instruction: str
    picture: Array | None

    @property
    def caption(self) -> str:
        """One line below the picture."""
        return f"{self.sample}, {self.editor}: {self.metric} {self.value:g}. {self.instruction}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """All that is logged of a run."""

    means: Mapping[str, float]
    """``table/variant/editor/column`` -> the mean that the table prints. What is missing or
    infinite is in no mean, but in the sheet.
    """
    sheets: Sequence[Sheet]
    worst: Sequence[Worst]
    facts: Mapping[str, Any]
    """What the run is: its folder's name, benchmarks, editors and sample counts."""


def account(runs: Sequence[Run], parts: Sequence[Part], *, worst: int = 4) -> Account:
    """What is logged of runs, with `worst` pictures of each benchmark (0: none)."""
    means: dict[str, float] = {}
    sheets: list[Sheet] = []
    shown: list[Worst] = []
    for part in parts:
        for table in part.tables:
            means |= _means(table)
            sheets.append(_sheet(table))
        shown += _worst(runs, part, worst) if worst else []
    facts = {
        "runs": [run.path.name for run in runs],
        "benchmarks": {part.frame.benchmark: len(part.frame.samples) for part in parts},
        "editors": sorted({name for part in parts for name in part.frame.editors}),
    }
    return Account(means=means, sheets=sheets, worst=shown, facts=facts)


def _named(table: Table) -> str:
    return "/".join(part for part in (table.name, table.source, table.variant) if part)


def _means(table: Table) -> dict[str, float]:
    found = {}
    for row in table.rows:
        if row.kind not in OWN:
            continue
        for column in table.columns:
            cell = row.cells.get(column.name)
            if cell is not None and cell.value is not None and math.isfinite(cell.value):
                place = "/".join(part for part in (row.group, row.name, column.name) if part)
                found[f"{_named(table)}/{place}"] = float(cell.value)
    return found


def _sheet(table: Table) -> Sheet:
    """A table with its counts: after a column of means one of how many samples it is of."""
    lines = table.to_dicts()
    columns = list(dict.fromkeys(name for line in lines for name in line))
    cells = [[_cell(line.get(name)) for name in columns] for line in lines]
    return Sheet(name=_named(table), columns=columns, lines=cells)


def _cell(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _worst(runs: Sequence[Run], part: Part, most: int) -> list[Worst]:
    frame = part.frame
    first = overview.first_samples(frame, part.metrics, part.tables, most=most)
    by = first["by"]
    if by is None:
        return []
    metric = part.metrics[by["metric"]]
    mine = frame.of_source(by["source"])
    values = np.asarray(on_scale(metric, mine.grid(metric.name, by["variant"]).values))
    places = Places(runs, runs[0].path / "report", copied=False)
    places.know(frame)
    try:
        edits = places.edits(frame.benchmark)
        found = []
        for column, row in first["worst"]:
            sample, editor = frame.samples.ids[column], frame.editors[row]
            record = frame.samples.records[sample]
            paths = [*(record.get("images") or [])[:1], record.get("reference")]
            output = edits.get((sample, editor))
            paths.append(None if output is None else output.path)
            found.append(
                Worst(
                    benchmark=frame.benchmark,
                    sample=sample,
                    editor=editor,
                    metric=metric.name,
                    value=float(values[row, column]),
                    instruction=str(record.get("instruction") or ""),
                    picture=_side_by_side(places, paths),
                )
            )
        return found
    finally:
        places.close()


def _side_by_side(places: Places, relative: Sequence[str | None]) -> Array | None:
    """The pictures that can be read beside each other on white, each at most `SIDE` long."""
    small = []
    for path in map(places.file, relative):
        if path is None:
            continue
        try:
            pixels = read_image(path)
        except ImageError:
            continue
        height, width = pixels.shape[:2]
        scale = min(1.0, SIDE / max(height, width))
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        small.append(resize(pixels, size, "lanczos"))
    if not small:
        return None
    height = max(one.shape[0] for one in small)
    width = sum(one.shape[1] for one in small) + _GAP * (len(small) - 1)
    page = np.full((height, width, 3), _WHITE, np.uint8)
    left = 0
    for one in small:
        page[: one.shape[0], left : left + one.shape[1]] = one
        left += one.shape[1] + _GAP
    return page
