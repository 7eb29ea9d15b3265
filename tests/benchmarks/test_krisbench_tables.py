"""KRIS-Bench's Tables 2 and 3 from made-up rows to the printed cell, for one judge and for two."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from editgauge.benchmarks.krisbench.facts import TASKS, TAXONOMY
from editgauge.reports.parts import part
from editgauge.run.tables import Choice
from editgauge.run.tables import tables as evaluated
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


def test_every_printed_cell_of_a_model() -> None:
    """Attribute: VC 4.5, VQ 4, IF 4: (4.5 - 1) · 25 = 87.5, 75, 75; their mean 79.17. Temporal: 50,
    75, 0; 41.67. Natural: VC 13/3 = 4.33 (rounded): 83.25, VQ 100, IF 4: 75, KP 10/3 = 3.33: 58.25;
    mean 79.125. Factual by samples: (2 · 79.1667 + 41.6667) / 3 = 66.67. Overall:
    (2 · 79.1667 + 41.6667 + 3 · 79.125) / 6 = 72.90.
    """
    (table,) = side_by_side(frame(judged("mine", GPT), RECORDS, B))
    mine = printed(table)["mine"]
    wanted = {
        "Attribute Perception/VC": "87.50", "Attribute Perception/VQ": "75.00",
        "Attribute Perception/IF": "75.00", "Attribute Perception/avg": "79.17",
        "Temporal Prediction/VC": "50.00", "Temporal Prediction/IF": "0.00",
        "Temporal Prediction/avg": "41.67", "Natural Science/VC": "83.25",
        "Natural Science/VQ": "100.00", "Natural Science/IF": "75.00",
        "Natural Science/KP": "58.25", "Natural Science/avg": "79.13",
        "Factual Knowledge/avg": "66.67", "Conceptual Knowledge/avg": "79.13",
        "Overall/avg": "72.90",
    }  # fmt: skip
    assert {name: mine[name] for name in wanted} == wanted
    assert printed(table)["GPT-4o †"]["Overall/avg"] == "80.09"


def test_two_judges_have_a_table_each_with_its_own_papers_lines() -> None:
    """Qwen gives one point less everywhere: VC of the attributes (3.5 - 1) · 25 = 62.5."""
    rows = [*judged("mine", GPT), *judged("mine", QWEN, less=1.0)]
    first, second = side_by_side(frame(rows, RECORDS, B))
    assert (first.source, second.source) == (QWEN, GPT)
    assert printed(first)["mine"]["Attribute Perception/VC"] == "62.50"
    assert printed(second)["mine"]["Attribute Perception/VC"] == "87.50"
    assert printed(first)["GPT-4o †"]["Attribute Perception/VC"] == "91.75"
    assert printed(second)["GPT-4o †"]["Attribute Perception/VC"] == "74.50"
    assert any("Table 3" in note for note in first.notes)
    assert any("Table 2" in note for note in second.notes)
    assert not any("were made with" in note for table in (first, second) for note in table.notes)


def test_the_papers_tables_come_before_what_no_paper_has(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    run.write_samples(B, RECORDS)
    with run.writer() as writer:
        writer.write([*judged("mine", GPT), *judged("mine", QWEN)])
        writer.write([row("size/1", "mine", "reference_ssim", 0.5, benchmark=B)])
    names = ["krisbench.judge", "krisbench.judge", "krisbench.further"]
    made = evaluated([run], Choice(benchmark=B), ["faithful"])
    assert [table.name for table in made] == names
    found = part([run], B, published=False, intervals=False)
    assert [table.name for table in found.tables] == names


@pytest.mark.parametrize("judge", ["gpt-4o-mini-2024-07-18#1", "Qwen2.5-VL-7B-Instruct#1"])
def test_a_smaller_sister_of_the_papers_judge_is_another_judge(judge: str) -> None:
    (table,) = side_by_side(frame(judged("mine", judge), RECORDS, B))
    assert table.meta["complete"] is False
    assert any("were made with" in note and judge in note for note in table.notes)


def test_groups_stand_together_in_the_papers_order() -> None:
    """BAGEL and Emu2 are open, Doubao is closed, "mine" is neither; by name they would mix."""
    names = ("BAGEL", "Doubao", "Emu2", "mine")
    found = frame([line for name in names for line in judged(name, GPT)], RECORDS, B)
    (table,) = side_by_side(found)
    own = [(line.section, line.name) for line in table.rows if line.kind == "run"]
    assert own == [
        ("", "mine"),
        ("Closed-Source Models", "Doubao"),
        ("Open-Source Models", "Emu2"),
        ("Open-Source Models", "BAGEL"),
    ]
    papers = [line.section for line in table.rows if line.kind == "published"]
    assert papers == ["Closed-Source Models"] * 3 + ["Open-Source Models"] * 8
    assert printed(table)["Doubao"]["section"] == "Closed-Source Models"
    assert '"section": "Open-Source Models"' in draw(table, "json")


def test_a_model_that_takes_one_picture_by_the_runs_own_file(tmp_path: Any) -> None:
    """Its missing output of the sample with several pictures is a 0 in the table, and no floor."""
    run = Run.create(tmp_path / "run")
    run.write_samples(B, RECORDS)
    rows = [line for line in judged("mine", GPT) if line.sample != "time/1"]
    rows += [
        row("time/1", "mine", metric, None, status=Status.MISSING, benchmark=B, source=GPT)
        for metric in ("VC", "VQ", "IF")
    ]
    with run.writer() as writer:
        writer.write(rows)
    (table,) = side_by_side(reading.of_runs([run], B))
    assert printed(table)["mine"]["Temporal Prediction/avg"] == ""
    (run.path / "models.toml").write_text('[[model]]\nname = "mine"\nseveral_images = false\n')
    (table,) = side_by_side(reading.of_runs([run], B))
    assert printed(table)["mine"]["Temporal Prediction/avg"] == "0.00"
    # (2 · 79.1667 + 0 + 3 · 79.125) / 6
    assert printed(table)["mine"]["Overall/avg"] == "65.95"


def test_the_tasks_are_22_and_follow_the_dimensions() -> None:
    assert len(TASKS) == 22
    folders = [folder for kinds in TAXONOMY.values() for each in kinds.values() for folder in each]
    order = list(dict.fromkeys(
        "temporal_prediction" if task.startswith("temporal_prediction") else task for task in TASKS
    ))  # fmt: skip
    assert order == folders
