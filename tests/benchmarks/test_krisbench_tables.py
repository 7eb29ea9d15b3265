"""KRIS-Bench's Tables 2 and 3 from made-up rows to the printed cell, for one judge and for two."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from editgauge.store.run import Run
from editgauge.tables import layouts, reading
from editgauge.tables.draw import draw
from editgauge.tables.results import Results
from editgauge.tables.table import Table
from editgauge.types import Row, Status
from tests.made_rows import frame, record, row

B = "krisbench"
GPT, QWEN = "gpt-4o-2024-11-20#1", "Qwen2.5-VL-72B-Instruct#2"
RECORDS = [
    record("size/1", category=("Factual", "Attribute Perception", "size_adjustment")),
    record("size/2", category=("Factual", "Attribute Perception", "size_adjustment")),
    record(
        "time/1",
        category=("Factual", "Temporal Prediction", "temporal_prediction_forward"),
        multi_image=True,
    ),
    record("physics/1", category=("Conceptual", "Natural Science", "physics")),
    record("physics/2", category=("Conceptual", "Natural Science", "physics")),
    record("physics/3", category=("Conceptual", "Natural Science", "physics")),
]


def judged(editor: str, source: str, less: float = 0.0) -> list[Row]:
    """VC 5 4 | 3 | 4 4 5, VQ 4 4 | 4 | 5 5 5, IF 5 3 | 1 | 2 5 5 and KP 1 4 5, each `less`."""
    scores = {
        "VC": (5, 4, 3, 4, 4, 5),
        "VQ": (4, 4, 4, 5, 5, 5),
        "IF": (5, 3, 1, 2, 5, 5),
        "KP": (None, None, None, 1, 4, 5),
    }
    return [
        row(made["id"], editor, metric, max(1.0, value - less), benchmark=B, source=source)
        for metric, values in scores.items()
        for made, value in zip(RECORDS, values, strict=True)
        if value is not None
    ]


def side_by_side(found: Results, **options: Any) -> list[Table]:
    return [
        table
        for side in found.sides()
        for table in layouts.tables(side, "faithful", layouts.Shown(published=True, **options))
    ]


def printed(table: Table) -> dict[str, dict[str, str]]:
    lines = csv.DictReader(io.StringIO(draw(table, "csv")))
    return {line["model"] + ("" if line["kind"] == "run" else " †"): dict(line) for line in lines}


@pytest.mark.parametrize("judge", ["gpt-4o-mini-2024-07-18#1", "Qwen2.5-VL-7B-Instruct#1"])
def test_a_smaller_sister_of_the_papers_judge_is_another_judge(judge: str) -> None:
    (table,) = side_by_side(frame(judged("mine", judge), RECORDS, B))
    assert table.meta["complete"] is False
    assert any("were made with" in note and judge in note for note in table.notes)


def test_a_model_that_takes_one_picture_by_the_runs_own_file(tmp_path: Any) -> None:
    """Its missing output of the sample with several pictures is a 0 in the table, and no floor."""
    run = Run.create(tmp_path / "run")
    run.write_samples(B, RECORDS)
    rows = [line for line in judged("mine", GPT) if line.sample != "time/1"]
    rows += [
        row("time/1", "mine", metric, None, status=Status.MISSING, benchmark=B, source=GPT)
        for metric in ("VC", "VQ", "IF")
    ]
    run.put(rows)
    (table,) = side_by_side(reading.of_runs([run], B))
    assert printed(table)["mine"]["Temporal Prediction/avg"] == ""
    (run.path / "models.toml").write_text('[[model]]\nname = "mine"\nseveral_images = false\n')
    (table,) = side_by_side(reading.of_runs([run], B))
    assert printed(table)["mine"]["Temporal Prediction/avg"] == "0.00"
    # (2 · 79.1667 + 0 + 3 · 79.125) / 6
    assert printed(table)["mine"]["Overall/avg"] == "65.95"
