"""How-to pages about outputs, tables, runs and other tools, as they are written.

Pages with tests of their own: judges (`test_judge_page`), editing (`test_edit_page`), networks and
OCR (`test_score_pages`), data sets (`test_curate_page`), gating (`test_compare_gate_page`), tuning
(`tuning/test_command`), extending
(`benchmarks/test_skeleton`), Python (`test_docs`).
"""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.benchmarks.releases import task_record, task_set
from tests.cli.pages import every_line, read, text_data, typed
from tests.command_line import invoke
from tests.test_docs import DOCS, blocks

from editgauge.store.run import Run

MODEL = {
    "diagnose runs/my-model --editor instructpix2pix": "a model; tests/diagnosis",
    "edit medebench": "likewise",
    "table runs/my-model --benchmark medebench": "of the model above",
}
OUTPUTS = {
    "fetch weights": "a download",
    "score texteditbench DATA --run runs/my-model --tracks pixel,ocr": "an OCR engine's models",
    "score textedit DATA": "test_score_pages",
    "score medebench": "test_score_pages",
    "import medebench": "tests/contract/test_outputs.py, with data of MedEBench",
}
SCALE = {
    "--engine ray": "a cluster; tests/run/test_ray.py",
    "--device": "GPUs; tests/run/test_workers.py",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data, the outputs and a run with scores of `my-model`."""
    folder = tmp_path_factory.mktemp("scored")
    text_data(folder)
    words = "score texteditbench DATA --outputs OUTPUTS --editor my-model --run runs/my-model"
    with contextlib.chdir(folder):
        assert typed([*words.split(), "--workers", "0"]) in (0, 1)
    return folder


def runs(scored: Path, folder: Path, *names: str) -> None:
    """That run under each of the names."""
    for name in names:
        shutil.copytree(scored / "runs" / "my-model", folder / "runs" / name)


def test_outputs_that_are_there(here: Path, scored: Path) -> None:
    for name in ("DATA", "OUTPUTS", "RESULTS"):
        shutil.copytree(scored / name, here / name)
    assert len(read("score-my-outputs", OUTPUTS)) >= 8
    assert len(list((here / "OFFICIAL" / "my-model").rglob("*.png"))) == 4
    told = json.loads(invoke(["table", "runs/my-model", "--format", "json"]).stdout)
    assert "my-model" in json.dumps(told)


def test_a_table(here: Path, scored: Path) -> None:
    runs(scored, here, "my-model")
    only = ["--only", "texteditbench.pixel", "--variant", "faithful", "--format", "csv"]
    sheet = invoke(["table", "runs/my-model", *only]).stdout
    (here / "my-table.csv").write_text(sheet, encoding="utf-8")
    assert len(read("read-a-table", {})) >= 8


def test_a_run_that_is_read_shared_and_checked(here: Path, scored: Path) -> None:
    runs(scored, here, "my-model", "mine", "theirs", "first")
    done = read("read-a-run", {})
    assert [words[0] for words in done] == [
        "table", "report", "table", "merge", "table", "check", "check", "check",
    ]  # fmt: skip
    assert (here / "runs" / "my-model" / "report" / "index.html").is_file()
    assert (here / "runs" / "all" / "run.sqlite").is_file()


def test_a_report(here: Path) -> None:
    assert [words[0] for words in read("read-a-report", {})] == ["edit", "edit", "score", "report"]
    assert (here / "runs" / "reported" / "report" / "index.html").is_file()


def test_why_an_edit_failed(here: Path, scored: Path) -> None:
    runs(scored, here, "my-model")
    assert [words[0] for words in read("why-an-edit-failed", MODEL)] == ["diagnose", "report"]
    assert (here / "runs" / "my-model" / "report" / "diagnosis.html").is_file()


def test_a_human_study(here: Path) -> None:
    for name, kind in (("ratings.csv", "csv"), ("design.toml", "toml")):
        (text,) = blocks(DOCS / "how-to" / "human-study.md", kind)
        (here / name).write_text(text, encoding="utf-8")
    done = read("human-study", {}, more=lambda words: ["--limit", "8"] * (words[0] == "score"))
    assert {words[0] for words in done} == {"edit", "score", "study", "table", "compare"}
    assert (here / "exported.csv").read_text(encoding="utf-8").count("\n") == 19


def test_many_runs_and_a_store(
    here: Path, scored: Path, memory_store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITGAUGE_CACHE", str(here / "cache"))
    for name in ("DATA", "OUTPUTS"):
        shutil.copytree(scored / name, here / name)
    for editor in ("old-model", "new-model"):
        shutil.copytree(here / "OUTPUTS" / "my-model", here / "MORE" / editor)
    more = "score texteditbench DATA --outputs MORE --run runs/more --limit 2 --workers 0"
    assert typed(more.split()) in (0, 1)
    runs(scored, here, "my-model", "part-1", "part-2")
    put = memory_store.put
    put(f"{here}/DATA/", "/lab/data/", recursive=True)
    put(f"{here}/OUTPUTS/my-model/", "/lab/outputs/my-model/", recursive=True)
    assert typed(["merge", "runs/part-1", "--to", "memory://lab/runs/part-1"]) == 0
    done = read("run-at-scale", SCALE, spelled={"s3://": "memory://"})
    assert {words[0] for words in done} == {
        "merge", "table", "compare", "report", "score", "diagnose",
    }  # fmt: skip
    assert (here / "report" / "index.html").is_file()
    assert (here / "runs" / "here" / "run.sqlite").is_file()


def test_result_files_of_other_tools(here: Path) -> None:
    task_set(here / "DATA", {"1": task_record(1)}, names=("1.png",))
    entry = {
        "category": "chemistry",
        "image_id": "1",
        "score": 4.0,
        "valid": True,
        "reasoning": "said",
    }
    line = {f"kris_bench_{name}_score": entry for name in ("instruction", "quality")}
    (here / "samples.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert [words[0] for words in read("other-tools", {})] == ["import"]
    assert {one.editor for one in Run.open(here / "runs" / "first").rows()} == {"bagel"}


def test_every_page_has_a_test() -> None:
    tests = [path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("*.py")]
    pages = [path.stem for path in (DOCS / "how-to").glob("*.md")]
    named = {page for page in pages if any(f'"{page}' in text for text in tests)}
    assert sorted(page for page in pages if every_line(page) and page not in named) == []
