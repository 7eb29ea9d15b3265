"""Result files of the released scripts become rows, failures included, and only once."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editgauge import catalog
from editgauge.errors import DataError, UsageError
from editgauge.scoring.imports import Imported, ReleasedScore, import_scores
from editgauge.store.run import Run
from editgauge.types import Sample, Status

TOPIC = "Business_Advertising"
IDS = [f"canva/{TOPIC}/001", f"canva/{TOPIC}/002", "canva/Other_Topic/001"]
SCORED, FAILED, UNPARSABLE = Status.SCORED, Status.FAILED, Status.UNPARSABLE


def sample(benchmark: str, identity: str, **more: Any) -> Sample:
    return Sample(
        benchmark=benchmark, id=identity, instruction="Do it", images=(Path("none.png"),),
        output_stems=(identity,), **{"split": "x", "category": ("x",), **more},
    )  # fmt: skip


def write(path: Path, text: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return path


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run")


def taken(
    run: Run, benchmark: str, path: Path, samples: Sequence[str | Sample], **named: Any
) -> Imported:
    known = [sample(benchmark, one) if isinstance(one, str) else one for one in samples]
    return import_scores(run, catalog.find("benchmarks", benchmark), path, known, **named)


def rows(run: Run) -> dict[tuple[str, str, str], tuple[float | None, Status]]:
    return {(r.sample, r.metric, r.variant): (r.value, r.status) for r in run.rows()}


# -- what scripts measured -------------------------------------------------------------------------


def test_an_error_file_names_a_sample_by_its_number_alone(run: Run, tmp_path: Path) -> None:
    text = (
        '{"summary": {}, "details": [{"id": "001", "mse": 0.0, "psnr": Infinity}, '
        '{"id": "002", "mse": 6.5, "psnr": 40.0}]}'
    )
    file = write(tmp_path / "m.json", text)
    found = taken(run, "texteditbench", file, IDS, editor="mine")
    assert found.rows == 2
    assert f"001 (fits {IDS[0]}, {IDS[2]}: narrow" in found.unknown[0]
    found = taken(run, "texteditbench", file, IDS[:2], editor="mine")
    assert (found.rows, found.kept) == (2, 2)
    (row,) = [r for r in run.rows() if r.metric == "psnr" and r.sample == IDS[0]]
    assert row.number == math.inf


def test_error_files_of_a_folder_are_taken_in_one_call(run: Run, tmp_path: Path) -> None:
    ids = [*IDS, f"real/{TOPIC}/001"]
    for place, mse in ((f"canva/{TOPIC}", 1.0), (f"real/{TOPIC}", 2.0), ("canva/other_topic", 4.0)):
        entry = {"id": "001", "filename": "001_edited.jpg", "mse": mse, "psnr": 40.0}
        write(tmp_path / "results" / f"{place}.json", {"summary": {}, "details": [entry]})
    found = taken(run, "texteditbench", tmp_path / "results", ids, editor="mine")
    assert (found.rows, found.unknown) == (6, [])
    values = {key[0]: value for key, (value, _) in rows(run).items() if key[1] == "mse"}
    assert values == {IDS[0]: 1.0, ids[3]: 2.0, IDS[2]: 4.0}
    with pytest.raises(UsageError, match="editor wanted: the files of"):
        taken(run, "texteditbench", tmp_path / "results", ids)


@pytest.mark.parametrize("value", ["text", True, math.nan, -math.inf, 10**400, 7.5, [], {}])
def test_values_that_are_no_score(run: Run, tmp_path: Path, value: Any) -> None:
    entry = {"topic": TOPIC, "id": "001", "ssim_similarity_outside_mask": value}
    assert taken(run, "texteditbench", write(tmp_path / "x.json", [entry]), IDS[:1]).rows == 1
    (row,) = run.rows()
    assert row.value is None
    assert row.status in (FAILED, UNPARSABLE)
    assert row.reason


@pytest.mark.parametrize("benchmark", ["texteditbench", "textedit", "medebench", "krisbench"])
@pytest.mark.parametrize("text", ["{}", "[[]]", '[{"id": 1}]', '{"a": {"b": [1]}}', "{", "3"])
def test_a_file_of_another_shape_is_one_line_that_says_what_was_wanted(
    run: Run, tmp_path: Path, benchmark: str, text: str
) -> None:
    with pytest.raises(DataError, match=r"wanted .*found") as raised:
        taken(run, benchmark, write(tmp_path / "x.json", text), ["a/b/1"], judge="j")
    assert "\n" not in str(raised.value)
    assert run.rows() == []


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_rationale_may_hold_any_line_end(run: Run, tmp_path: Path, end: str) -> None:
    said = "first\u2028second\u2029third\x85fourth\x7ffifth"
    lines = [logged("chemistry", "1", consistency=4.0), logged("chemistry", "2", consistency=3.0)]
    for line in lines:
        line["kris_bench_consistency_score"]["reasoning"] = said
    text = "".join(json.dumps(line, ensure_ascii=False) + end for line in lines)
    file = tmp_path / "bagel" / "20260101_000000_samples_kris_bench.jsonl"
    file.parent.mkdir()
    file.write_bytes(text.encode())
    known = [sample("krisbench", f"chemistry/{n}", knowledge="k") for n in "12"]
    taken(run, "krisbench", file, known, judge="j")
    (row,) = [r for r in run.rows() if r.key[1:2] == ("chemistry/1",) and r.number == 4.0][:1]
    assert row.detail["rationale"] == said


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"recorded": 0.0}, {"recorded": 1.0}),
        ({"recorded": None}, {"recorded": 0.0}),
        ({"strict": (None, UNPARSABLE, "odd")}, {"strict": (3.0, SCORED, "")}),
        ({"failed": "", "value": 4}, {"failed": "", "value": "4"}),
    ],
)
def test_whatever_a_score_depends_on_is_taken_again_where_it_has_changed(
    run: Run, tmp_path: Path, before: dict[str, Any], after: dict[str, Any]
) -> None:
    def import_with(**facts: Any) -> Imported:
        named = {"editor": "m", "sample": "s", "metric": "IF", "value": 4, "failed": "timeout"}
        score = ReleasedScore(**{**named, **facts})
        bench = replace(
            catalog.find("benchmarks", "texteditbench"),
            importers=lambda: [lambda path, known, editor: iter([score])],
        )
        return import_scores(run, bench, tmp_path, [sample("texteditbench", "s")], judge="j")

    import_with(**before)
    changed = import_with(**after)
    assert changed.rows > 0, "the file says something else than before"
    again = Run.create(tmp_path / "again")
    run, first = again, run
    import_with(**after)
    assert rows(first) == rows(again), "as a run that has seen the new file alone"
    assert import_with(**after).rows == 0, "the same file again changes nothing"


# -- what judges said ------------------------------------------------------------------------------


def test_texteditbench_results_are_counted_as_its_summary_counts(run: Run, tmp_path: Path) -> None:
    results = {
        "IF": {"IF": 0, "rationale": "API Error: 503"},
        "TA": {"TA": "4", "rationale": "text"},
        "VC": None,
        "LP": 9,
        "SE": {"score": 0, "rationale": "generic key"},
    }
    entries = [
        {"task_id": task, "category": TOPIC, "evaluation_results": results}
        for task in ("001", "999")
    ]
    file = write(tmp_path / "m.json", entries)
    found = taken(run, "texteditbench", file, IDS[:1], judge="j")
    assert (found.rows, found.unknown[0]) == (10, f"m: {TOPIC}/999, IF")
    got = {key[1:]: value for key, value in rows(run).items()}
    assert {m: got[m, "faithful"][0] for m in results} == {
        "IF": 0, "TA": 4, "VC": None, "LP": 9, "SE": 0,
    }  # fmt: skip
    assert {m: got[m, "corrected"] for m in results} == {
        "IF": (None, FAILED), "TA": (4, SCORED), "VC": (None, FAILED), "LP": (None, UNPARSABLE),
        "SE": (0, SCORED),
    }  # fmt: skip
    assert taken(run, "texteditbench", file, IDS[:1], judge="j").kept == 10


PLACED = [
    sample(
        "texteditbench", f"{folder}/Art/{number}", split=folder, attributes={"record_id": record}
    )
    for folder, number, record in (
        ("synthetic", "004", "Art_004"),
        ("real", "004", "Art_004"),
        ("real", "005", "Art_5"),
        ("real", "006", "Art_7"),  # the record is wrong
        ("real", "007", "Art_7"),
    )
]


@pytest.mark.parametrize(
    ("tasks", "meant", "unclear"),
    [
        (["Art_004", "Art_5"], [1, 2], ""),  # the split that has both
        (["Art_004"], [], "Art/Art_004 (fits synthetic/Art/004, "),
        (["Art_7", "Art_5"], [2], "Art_7 (fits"),
        (["TextEditing_Art_006", "Art_5"], [2, 3], ""),  # by folder and number
    ],
)
def test_texteditbench_entries_are_found_by_id_then_by_number_and_never_guessed(
    run: Run, tmp_path: Path, tasks: list[str], meant: list[int], unclear: str
) -> None:
    results = {"IF": {"IF": 3, "rationale": ""}}
    entries = [{"task_id": t, "category": "Art", "evaluation_results": results} for t in tasks]
    done = taken(run, "texteditbench", write(tmp_path / "m.json", entries), PLACED, judge="j")
    assert {key[0] for key in rows(run)} == {PLACED[number].id for number in meant}
    assert unclear in "".join(done.unknown)
    assert bool(done.unknown) is bool(unclear)


@pytest.mark.parametrize("folder", ["", "/data/TextEdit/data/"])
def test_textedits_first_step_is_read_as_it_writes(run: Run, tmp_path: Path, folder: str) -> None:
    good = dict.fromkeys(("Q1", "Q2", "Q3", "Q4", "Q5"), 4)
    replies: list[tuple[int, Any]] = [(7, good), (8, {**good, "Q5": 7}), (9, None)]
    lines = [
        {
            "id": number,
            "path": {"original_image": f"{folder}2.1/image/original/{number}.jpg"},
            "gemini_raw_response": json.dumps({"score": scores, "reason": {}}) if scores else "no",
            "gemini_eval_score": scores,
        }
        for number, scores in replies
    ]
    write(tmp_path / "results/m/answers.jsonl", "\n".join(map(json.dumps, lines)))
    ids = ["2.1/7", "2.1/8", "2.1/9"]
    done = taken(run, "textedit", tmp_path / "results", ids, judge="gemini-3-pro")
    assert (done.rows, done.unknown) == (30, [])
    got = rows(run)
    assert got["2.1/7", "Q1", "corrected"] == (4, SCORED)
    assert got["2.1/8", "Q5", "faithful"] == (7, SCORED)
    assert got["2.1/8", "Q1", "corrected"] == (None, UNPARSABLE)
    assert got["2.1/9", "Q1", "faithful"][0] is None


def logged(category: str, number: str, **scores: float | None) -> dict[str, Any]:
    """A line as lmms-eval 0.7 logs a sample of its task kris_bench: -1 stands for no score."""
    return {
        f"kris_bench_{name}_score": {
            "category": category, "image_id": number, "reasoning": "said",
            "score": -1.0 if scores.get(name) is None else scores[name],
            "valid": scores.get(name) is not None,
        }
        for name in ("consistency", "instruction", "quality", "knowledge")
    }  # fmt: skip


def test_krisbench_samples_that_lmms_eval_logged(run: Run, tmp_path: Path) -> None:
    lines = [
        logged("chemistry", "1", consistency=4.0, instruction=5.0, knowledge=3.0),
        logged("chemistry", "2", consistency=4.0, instruction=1.0, quality=2.0, knowledge=4.0),
        logged("color_change", "4", consistency=1.0, instruction=2.0, quality=3.0),
    ]
    file = tmp_path / "bagel" / "20260101_000000_samples_kris_bench.jsonl"
    write(file, "".join(json.dumps(line) + "\n" for line in lines))
    known = [sample("krisbench", f"chemistry/{n}", knowledge="k") for n in "12"]
    known.append(sample("krisbench", "color_change/4"))
    for source in (file, file.parent):
        taken(run, "krisbench", source, known, judge="j")
    got = rows(run)
    assert len(got) == 2 * (4 + 4 + 3), "no KP where no knowledge is asked for"
    assert got["chemistry/1", "VQ", "faithful"] == (None, FAILED)
    assert got["chemistry/1", "KP", "corrected"] == (3, SCORED)
    assert got["chemistry/2", "KP", "corrected"] == (1, SCORED), "the paper's rule"
    assert got["chemistry/2", "KP", "faithful"] == (4, SCORED)


def test_krisbench_plausibility_follows_the_papers_rule(run: Run, tmp_path: Path) -> None:
    pairs = {"1": (2, None), "2": (1, 4), "3": (3, None), "4": (5, 4)}
    entries = {
        number: {"instruction_score": followed, "knowledge_score": known}
        for number, (followed, known) in pairs.items()
    }
    write(tmp_path / "results/doubao/chemistry/metrics.json", entries)
    ids = [f"chemistry/{number}" for number in entries]
    taken(run, "krisbench", tmp_path / "results", ids, judge="j")
    got = {(key[0][-1], key[2]): value[0] for key, value in rows(run).items() if key[1] == "KP"}
    assert {n: (got[n, "faithful"], got[n, "corrected"]) for n in pairs} == {
        "1": (1, 1), "2": (4, 1), "3": (None, None), "4": (4, 4),
    }  # fmt: skip


def test_medebench_has_all_models_in_one_file(run: Run, tmp_path: Path) -> None:
    scores = {"gpt4o_editing_accuracy_detailed": 7.0, "gpt4o_visual_quality": -1}
    file = write(tmp_path / "x.json", {"a": {"38": scores}, "b": {"38": scores}})
    assert taken(run, "medebench", file, ["38"], judge="j", editor="a").rows == 4
    got = rows(run)
    assert got["38", "EA", "corrected"] == (7, SCORED)
    assert got["38", "VQ_P", "faithful"] == (None, FAILED)
    assert replace(run.rows()[0], editor="a") == run.rows()[0]
