"""TextEditBench's tables from made-up rows to the printed cell."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest

from editgauge.tables import layouts
from editgauge.tables.draw import draw
from editgauge.tables.table import Table, TableRow
from editgauge.types import Row
from tests.made_rows import frame, record, row

B = "texteditbench"
DIMENSIONS = ("IF", "TA", "VC", "LP", "SE")
RECORDS = [
    record("r1", split="real", knowledge="k"),
    record("r2", split="real"),
    record("s1", split="synthetic", knowledge="k"),
]


def made(rows: list[Row], **options: Any) -> dict[str, Table]:
    found = layouts.tables(frame(rows, RECORDS, B), "faithful", layouts.Shown(**options))
    return {table.name: table for table in found}


def line(table: Table, name: str, kind: str | None = None) -> TableRow:
    return next(r for r in table.rows if r.name == name and (kind is None or r.kind == kind))


def printed(table: Table, name: str) -> dict[str, str]:
    lines = csv.DictReader(io.StringIO(draw(table, "csv")))
    return next(dict(found) for found in lines if found["model"] == name)


def judged(sample: str, editor: str, *scores: int, repeat: int = 0, source: str = "") -> list[Row]:
    return [
        row(sample, editor, name, float(score), benchmark=B, repeat=repeat, source=source)
        for name, score in zip(DIMENSIONS, scores, strict=False)
    ]


class TestMean:
    @pytest.mark.parametrize("table", ["pixel", "judge"])
    def test_the_papers_mean_row_is_made_so(self, table: str) -> None:
        """The mean of the printed lines is the printed Mean, to what rounding leaves."""
        rows = [row("r1", "a", "ssim", 0.5, benchmark=B), *judged("r1", "a", 1, 1, 1, 1, 1)]
        found = made(rows, published=True)[f"texteditbench.{table}"]
        lines = [r for r in found.rows if r.kind == "published"]
        mean = next(r for r in found.rows if r.kind == "mean")
        assert len(lines) == 12
        for column, cell in mean.cells.items():
            own = np.mean([r.cells[column].value for r in lines])
            assert own == pytest.approx(cell.value, abs=0.011), column
