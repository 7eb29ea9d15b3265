"""Result files of the released scripts become rows, failures included, and only once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editgauge import catalog
from editgauge.errors import DataError
from editgauge.judging.imports import import_scores
from editgauge.store.run_folder import RunFolder
from editgauge.types import Sample, Status


def sample(benchmark: str, id: str) -> Sample:
    return Sample(benchmark, id, "x", ("x",), "Do it", (Path("none.png"),), ("none",))


def rows(run: RunFolder) -> dict[tuple[str, str, str, str], tuple[float | None, Status]]:
    return {(r.editor, r.sample, r.metric, r.variant): (r.value, r.status) for r in run.rows()}


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "run")


def test_texteditbench_zeros_of_failures_are_told_from_real_ones(
    run: RunFolder, tmp_path: Path
) -> None:
    """A judged 0 is a score; a 0 of a failed call is one in the faithful variant only."""
    results = {
        "IF": {"IF": 4, "rationale": "fine"},
        "TA": {"TA": 0, "rationale": "no text"},
        "VC": {"VC": 0, "rationale": "API call failed: timeout"},
        "LP": {"LP": 9, "rationale": "odd"},
    }
    entries = [
        {"task_id": "004", "category": "Business_Advertising", "evaluation_results": results},
        {
            "task_id": "999",
            "category": "Business_Advertising",
            "evaluation_results": {"IF": {"IF": 1, "rationale": ""}},
        },
    ]
    file = write(tmp_path / "model-a.json", entries)
    id = "data_manual_production/Business_Advertising/004"
    found = import_scores(
        run,
        catalog.find("benchmarks", "texteditbench"),
        file,
        [sample("texteditbench", id)],
        judge="gpt-4o-2024-08-06",
    )
    assert found.rows == 8
    assert found.unknown == ["model-a: Business_Advertising/999"]
    got = rows(run)
    assert got["model-a", id, "IF", "corrected"] == (4, Status.SCORED)
    assert got["model-a", id, "TA", "corrected"] == (0, Status.SCORED)
    assert got["model-a", id, "VC", "corrected"] == (None, Status.FAILED)
    assert got["model-a", id, "VC", "faithful"] == (0, Status.SCORED)
    assert got["model-a", id, "LP", "corrected"] == (None, Status.UNPARSABLE)
    assert got["model-a", id, "LP", "faithful"] == (9, Status.SCORED)
    again = import_scores(
        run,
        catalog.find("benchmarks", "texteditbench"),
        file,
        [sample("texteditbench", id)],
        judge="gpt-4o-2024-08-06",
    )
    assert (again.rows, again.kept) == (0, 8)


def test_textedit_answers(run: RunFolder, tmp_path: Path) -> None:
    file = tmp_path / "model-b.jsonl"
    lines = [
        {
            "id": 3,
            "category": "1.1.1",
            "score": {"Q1": 5, "Q2": 4, "Q3": "4", "Q4": 2, "Q5": 1},
            "reason": "r",
        },
        {"id": 4, "original_image": "1.1.1/image/original/x.jpg", "score": None},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    samples = [sample("textedit", "1.1.1/3"), sample("textedit", "1.1.1/4")]
    import_scores(run, catalog.find("benchmarks", "textedit"), file, samples, judge="j-2026-01-01")
    got = rows(run)
    assert got["model-b", "1.1.1/3", "Q1", "corrected"] == (5, Status.SCORED)
    assert got["model-b", "1.1.1/3", "Q3", "corrected"] == (None, Status.UNPARSABLE)
    assert got["model-b", "1.1.1/4", "Q1", "faithful"] == (None, Status.FAILED)
    assert {row.source for row in run.rows()} == {"j-2026-01-01#imported"}


def test_medebench_scores_of_all_models(run: RunFolder, tmp_path: Path) -> None:
    entry = {"gpt4o_editing_accuracy_detailed": 7.0, "gpt4o_contextual_preservation_detailed": 9.0,
             "gpt4o_visual_quality_detailed": -1}  # fmt: skip
    file = write(tmp_path / "scores.json", {"icedit": {"38": entry}, "seedx": {"38": {}}})
    import_scores(
        run,
        catalog.find("benchmarks", "medebench"),
        file,
        [sample("medebench", "38")],
        judge="j-2026-01-01",
    )
    assert rows(run) == {
        ("icedit", "38", "EA", "faithful"): (7, Status.SCORED),
        ("icedit", "38", "EA", "corrected"): (7, Status.SCORED),
        ("icedit", "38", "VQ", "faithful"): (None, Status.FAILED),
        ("icedit", "38", "VQ", "corrected"): (None, Status.FAILED),
    }


def test_krisbench_metrics_below_models_and_categories(run: RunFolder, tmp_path: Path) -> None:
    """7 was accepted by the released parser: faithful keeps it, corrected does not."""
    scores = {
        "consistency_score": 7,
        "consistency_reasoning": "x",
        "instruction_score": 5,
        "quality_score": None,
    }
    write(tmp_path / "results" / "doubao" / "chemistry" / "metrics.json", {"1": scores})
    import_scores(
        run,
        catalog.find("benchmarks", "krisbench"),
        tmp_path / "results",
        [sample("krisbench", "chemistry/1")],
        judge="j-2026-01-01",
    )
    got = rows(run)
    assert got["doubao", "chemistry/1", "VC", "faithful"] == (7, Status.SCORED)
    assert got["doubao", "chemistry/1", "VC", "corrected"] == (None, Status.UNPARSABLE)
    assert got["doubao", "chemistry/1", "IF", "corrected"] == (5, Status.SCORED)
    assert got["doubao", "chemistry/1", "VQ", "corrected"] == (None, Status.FAILED)


@pytest.mark.parametrize(
    ("benchmark", "value"),
    [("texteditbench", {}), ("textedit", [1]), ("medebench", []), ("krisbench", [])],
)
def test_another_format_is_one_clear_error(
    run: RunFolder, tmp_path: Path, benchmark: str, value: Any
) -> None:
    with pytest.raises(DataError, match="wanted"):
        import_scores(
            run,
            catalog.find("benchmarks", benchmark),
            write(tmp_path / "f.json", value),
            [],
            judge="j",
        )
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(DataError, match="cannot be read"):
        import_scores(
            run, catalog.find("benchmarks", benchmark), tmp_path / "broken.json", [], judge="j"
        )
