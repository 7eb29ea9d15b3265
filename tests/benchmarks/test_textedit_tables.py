"""TextEdit's tables per category: from made-up rows to
the printed cell.
"""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from editgauge.tables import layouts
from editgauge.tables.draw import draw
from editgauge.tables.table import Table
from editgauge.types import Row
from tests.made_rows import frame, record, row

B = "textedit"
QUESTIONS = ("Q1", "Q2", "Q3", "Q4", "Q5")
CATEGORIES = [
    *(f"1.1.{n}" for n in (1, 2, 3)), "1.2.1", "1.2.2", "1.3.1", "1.3.2",
    *(f"1.4.{n}" for n in (1, 2, 3, 4)), *(f"2.{n}" for n in range(1, 8)),
]  # fmt: skip


def of(category: str) -> dict[str, Any]:
    split = "Virtual" if category.startswith("1") else "Real"
    return record(f"{category}/1", split=split, category=(category,), set="miniset")


RECORDS = [of(category) for category in CATEGORIES]


def judged(sample: str, *scores: int) -> list[Row]:
    return [
        row(sample, "m", name, float(score), benchmark=B)
        for name, score in zip(QUESTIONS, scores, strict=True)
    ]


def made(rows: list[Row], **options: Any) -> dict[str, Table]:
    found = layouts.tables(frame(rows, RECORDS, B), "faithful", layouts.Shown(**options))
    return {table.name: table for table in found}


def printed(table: Table) -> list[dict[str, str]]:
    return [dict(line) for line in csv.DictReader(io.StringIO(draw(table, "csv")))]


@pytest.mark.parametrize(
    ("table", "metric", "source", "other"),
    [
        ("textedit.judge", "Q1", "gemini-3-pro-preview#imported", ""),
        ("textedit.judge", "Q1", "gpt-4o-2024-11-20#1", "gemini-3-pro"),
        ("textedit.classic", "OA", "paddleocr-2.10.0-1f", ""),
        ("textedit.classic", "OA", "classic_metrics_eval.py#imported", ""),
        ("textedit.classic", "OA", "rapidocr-3.10.0-1f", "PaddleOCR"),
    ],
)
def test_published_lines_of_another_judge_or_engine_are_not_compared(
    table: str, metric: str, source: str, other: str
) -> None:
    names = QUESTIONS if metric == "Q1" else (metric,)
    rows = [row("2.1/1", "m", name, 1.0, benchmark=B, source=source) for name in names]
    notes = made(rows, published=True)[table].notes
    told = [note for note in notes if "were made with" in note]
    assert len(told) == bool(other)
    assert all(other in note and source in note for note in told)
