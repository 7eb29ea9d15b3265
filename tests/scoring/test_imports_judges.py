"""Result files of the released scripts become rows, failures included, and only once."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editgauge import catalog
from editgauge.errors import DataError
from editgauge.scoring.imports import import_scores
from editgauge.store.run import Run
from editgauge.types import Sample, Status


def sample(benchmark: str, id: str) -> Sample:
    return Sample(
        benchmark=benchmark,
        id=id,
        split="x",
        category=("x",),
        instruction="Do it",
        images=(Path("none.png"),),
        output_stems=("none",),
    )


def rows(run: Run) -> dict[tuple[str, str, str, str], tuple[float | None, Status]]:
    return {(r.editor, r.sample, r.metric, r.variant): (r.value, r.status) for r in run.rows()}


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run")


def test_texteditbench_zeros_of_failures_are_told_from_real_ones(run: Run, tmp_path: Path) -> None:
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
    assert found.unknown == ["model-a: Business_Advertising/999, IF"]
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


@pytest.mark.parametrize(
    "picture", ["2.1/image/original/7.png", "/data/TextEdit/data/2.1/image/original/7.png"]
)
def test_a_category_is_found_in_any_path(run: Run, tmp_path: Path, picture: str) -> None:
    """The released first step writes paths below the data; somebody's own run may write whole ones."""
    entry = {
        "id": 7,
        "path": {"original_image": picture},
        "gemini_eval_score": dict.fromkeys(("Q1", "Q2", "Q3", "Q4", "Q5"), 4),
    }
    path = tmp_path / "m" / "answers.jsonl"
    path.parent.mkdir()
    path.write_text(json.dumps(entry))
    found = import_scores(
        run,
        catalog.find("benchmarks", "textedit"),
        path.parent,
        [sample("textedit", "2.1/7")],
        judge="gemini-3-pro-preview",
    )
    assert (found.rows, found.unknown) == (10, [])


def logged(category: str, number: str, **scores: float | None) -> dict[str, Any]:
    """A line as lmms-eval 0.7 logs a sample of its task kris_bench: -1 stands for no score."""
    line: dict[str, Any] = {"doc_id": 0, "target": "t", "doc_hash": "0" * 64}
    for name in ("consistency", "instruction", "quality", "knowledge"):
        score = scores.get(name)
        line[f"kris_bench_{name}_score"] = {
            "key": f"{category}__{number}", "category": category, "image_id": number,
            "edited_image_path": "/out/1.png", "score": -1.0 if score is None else score,
            "reasoning": "said" if score is not None else None, "valid": score is not None,
        }  # fmt: skip
    return line


def test_krisbench_samples_that_lmms_eval_logged(run: Run, tmp_path: Path) -> None:
    lines = [
        logged("chemistry", "1", consistency=4.0, instruction=5.0, quality=None, knowledge=3.0),
        logged("chemistry", "2", consistency=4.0, instruction=1.0, quality=2.0, knowledge=4.0),
        logged("chemistry", "3", consistency=4.0, instruction=None, quality=2.0, knowledge=None),
        logged("color_change", "4", consistency=1.0, instruction=2.0, quality=3.0, knowledge=None),
    ]
    file = tmp_path / "bagel" / "20260101_000000_samples_kris_bench.jsonl"
    file.parent.mkdir()
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    known = [replace(sample("krisbench", f"chemistry/{n}"), knowledge="k") for n in "123"]
    known.append(replace(sample("krisbench", "color_change/4"), knowledge=None))
    bench = catalog.find("benchmarks", "krisbench")
    for source in (file, file.parent):
        import_scores(run, bench, source, known, judge="j-2026-01-01")
    got = {key[1:]: value for key, value in rows(run).items() if key[0] == "bagel"}
    assert len(got) == 2 * (4 + 4 + 4 + 3), "no KP where no knowledge is asked for"
    assert got["chemistry/1", "VC", "corrected"] == (4, Status.SCORED)
    assert got["chemistry/1", "VQ", "faithful"] == (None, Status.FAILED)
    assert got["chemistry/1", "KP", "corrected"] == (3, Status.SCORED)
    assert got["chemistry/2", "KP", "corrected"] == (1, Status.SCORED), "the paper's rule"
    assert got["chemistry/2", "KP", "faithful"] == (4, Status.SCORED)
    assert got["chemistry/3", "KP", "corrected"] == (None, Status.FAILED)
    with pytest.raises(DataError, match=r"metrics\.json"):
        import_scores(run, bench, tmp_path / "nothing", known, judge="j-2026-01-01")


def test_krisbench_plausibility_follows_the_papers_rule(run: Run, tmp_path: Path) -> None:
    """IF of 1 or 2 makes KP 1: a null in both variants; a number stays in the faithful one, because
    the released script averaged it.
    """
    entries = {
        "1": {"instruction_score": 2, "knowledge_score": None},
        "2": {"instruction_score": 1, "knowledge_score": 4},
        "3": {"instruction_score": 3, "knowledge_score": None},
        "4": {"instruction_score": 5, "knowledge_score": 4},
    }
    write(tmp_path / "results" / "doubao" / "chemistry" / "metrics.json", entries)
    samples = [sample("krisbench", f"chemistry/{n}") for n in entries]
    bench = catalog.find("benchmarks", "krisbench")
    import_scores(run, bench, tmp_path / "results", samples, judge="j-2026-01-01")
    got = {key[1:]: value for key, value in rows(run).items() if key[2] == "KP"}
    assert {(key[0][-1], key[2]): value[0] for key, value in got.items()} == {
        ("1", "faithful"): 1, ("1", "corrected"): 1,
        ("2", "faithful"): 4, ("2", "corrected"): 1,
        ("3", "faithful"): None, ("3", "corrected"): None,
        ("4", "faithful"): 4, ("4", "corrected"): 4,
    }  # fmt: skip


@pytest.mark.parametrize(("knowledge", "failed"), [(None, 0), ("the price follows", 2)])
def test_a_question_that_was_not_asked_did_not_fail(
    run: Run, tmp_path: Path, knowledge: str | None, failed: int
) -> None:
    """TextEditBench's files have SE null for samples without a knowledge prompt."""
    id = "data_web-sourced_instances/Business_Advertising/004"
    results = {"IF": {"IF": 4, "rationale": "r"}, "SE": None}
    entry = {"task_id": "TextEditing_004", "category": "Business_Advertising"}
    file = write(tmp_path / "model-a.json", [{**entry, "evaluation_results": results}])
    told = replace(sample("texteditbench", id), knowledge=knowledge)
    bench = catalog.find("benchmarks", "texteditbench")
    found = import_scores(run, bench, file, [told], judge="j-2026-01-01")
    assert found.statuses["failed"] == failed


@pytest.mark.parametrize(
    ("benchmark", "value"),
    [("texteditbench", {}), ("textedit", [1]), ("medebench", []), ("krisbench", [])],
)
def test_another_format_is_one_clear_error(
    run: Run, tmp_path: Path, benchmark: str, value: Any
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


def placed(id: str, split: str, record: str) -> Sample:
    """A sample of TextEditBench with its record's own id."""
    return Sample(
        benchmark="texteditbench", id=id, split=split, category=("x",), instruction="Do it", images=(Path("none.png"),), output_stems=("none",),
        attributes={"record_id": record},
    )  # fmt: skip


class TestTextEditBenchEntries:
    """Entries are found by their full id, then by folder and number, and never guessed."""

    SAMPLES = (
        placed("data_manual_production/Art/004", "synthetic", "Art_004"),
        placed("data_web-sourced_instances/Art/004", "real", "Art_004"),
        placed("data_web-sourced_instances/Art/005", "real", "Art_5"),
        placed("data_web-sourced_instances/Art/006", "real", "Art_7"),  # the record is wrong
        placed("data_web-sourced_instances/Art/007", "real", "Art_7"),
    )

    def read(self, run: Run, tmp_path: Path, *tasks: str) -> tuple[set[str], list[str]]:
        entries = [
            {
                "task_id": t,
                "category": "Art",
                "evaluation_results": {"IF": {"IF": 3, "rationale": ""}},
            }
            for t in tasks
        ]
        file = write(tmp_path / "m.json", entries)
        benchmark = catalog.find("benchmarks", "texteditbench")
        done = import_scores(run, benchmark, file, self.SAMPLES, judge="j")
        return {row.sample for row in run.rows()}, done.unknown

    def test_an_id_of_both_splits_belongs_to_the_files_split(
        self, run: Run, tmp_path: Path
    ) -> None:
        taken, unknown = self.read(run, tmp_path, "Art_004", "Art_5")
        assert taken == {self.SAMPLES[1].id, self.SAMPLES[2].id}
        assert unknown == []

    def test_without_anything_that_tells_the_split_it_is_refused_by_name(
        self, run: Run, tmp_path: Path
    ) -> None:
        taken, unknown = self.read(run, tmp_path, "Art_004")
        assert taken == set()
        assert "Art/Art_004 (fits data_manual_production/Art/004, " in unknown[0]

    def test_an_id_that_two_records_carry_is_refused_by_name(
        self, run: Run, tmp_path: Path
    ) -> None:
        taken, unknown = self.read(run, tmp_path, "Art_7", "Art_5")
        assert taken == {self.SAMPLES[2].id}
        assert "Art_7 (fits" in unknown[0]

    def test_an_unknown_id_is_looked_for_by_folder_and_number(
        self, run: Run, tmp_path: Path
    ) -> None:
        taken, _ = self.read(run, tmp_path, "TextEditing_Art_006", "Art_5")
        assert taken == {self.SAMPLES[2].id, self.SAMPLES[3].id}


def test_texteditbench_results_are_counted_as_its_summary_counts(run: Run, tmp_path: Path) -> None:
    """By hand from the released summary: failures are 0, null is left out, a text that is a number
    counts, a bare number counts.
    """
    results = {
        "IF": {"IF": 0, "rationale": "API Error: 503"},
        "TA": {"TA": "4", "rationale": "text"},
        "VC": None,
        "LP": 5,
        "SE": {"score": 2, "rationale": "generic key"},
    }
    item = placed("data_manual_production/Art/004", "synthetic", "Art_004")
    entry = {"task_id": "Art_004", "category": "Art", "evaluation_results": results}
    file = write(tmp_path / "m.json", {"tasks": [entry]})
    import_scores(run, catalog.find("benchmarks", "texteditbench"), file, [item], judge="j")
    got = {(metric, variant): value for (_, _, metric, variant), value in rows(run).items()}
    assert {m: got[m, "faithful"][0] for m in results} == {
        "IF": 0, "TA": 4, "VC": None, "LP": 5, "SE": 2,
    }  # fmt: skip
    assert got["IF", "corrected"] == (None, Status.FAILED)
    assert got["TA", "corrected"] == (4, Status.SCORED)
    assert got["VC", "corrected"][0] is None


def test_textedits_first_step_is_read_as_it_writes(run: Run, tmp_path: Path) -> None:
    """A folder a model, a file a category; corrected reads the raw reply again."""
    full = {"Q1": 4, "Q2": 5, "Q3": 5, "Q4": 5, "Q5": 7}
    lines = [
        {
            "id": 7,
            "path": {"original_image": "1.1.1/image/original/7.jpg"},
            "gemini_raw_response": json.dumps({"score": full, "reason": {"Q1": "one letter"}}),
            "gemini_eval_score": full,
            "gemini_eval_reason": {"Q1": "one letter"},
        },
        {
            "id": 8,
            "path": {"original_image": "1.1.1/image/original/8.jpg"},
            "gemini_raw_response": "no",
            "gemini_eval_score": None,
            "gemini_eval_reason": None,
        },
    ]
    file = tmp_path / "results" / "model-x" / "1.1.1.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("\n".join(json.dumps(line) for line in lines))
    samples = [sample("textedit", "1.1.1/7"), sample("textedit", "1.1.1/8")]
    benchmark = catalog.find("benchmarks", "textedit")
    done = import_scores(run, benchmark, tmp_path / "results", samples, judge="gemini-3-pro")
    assert done.unknown == []
    got = rows(run)
    assert got["model-x", "1.1.1/7", "Q1", "faithful"] == (4, Status.SCORED)
    assert got["model-x", "1.1.1/7", "Q5", "faithful"] == (7, Status.SCORED)
    assert got["model-x", "1.1.1/7", "Q5", "corrected"] == (None, Status.UNPARSABLE)
    # a number beyond its scale says that another scale was used
    assert got["model-x", "1.1.1/7", "Q1", "corrected"] == (None, Status.UNPARSABLE)
    assert got["model-x", "1.1.1/8", "Q1", "faithful"][0] is None
