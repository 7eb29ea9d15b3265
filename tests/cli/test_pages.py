"""How-to pages as they are written, line by line, on stand-in data of the official layout.

A page's lines are typed in a folder of their own. What a page supposes to be there (outputs, a run
that it reads) is made first. Lines that need a service, a network or another machine are named here
with the reason; a line that is neither run nor named fails. Pages with tests of their own: gating
(`test_gate_page`), the human study (`test_study_page`), tuning (`tuning/test_command`), extending
(`benchmarks/test_skeleton`), Python (`test_docs`).
"""

from __future__ import annotations

import contextlib
import csv
import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.benchmarks.releases import (
    prompt_record,
    prompt_set,
    task_record,
    task_set,
    text_instance,
)
from tests.command_line import invoke
from tests.test_docs import DOCS, OTHER_PROGRAMS, commands

from editgauge.errors import EditgaugeError
from editgauge.images import read_image, write_png

SPLITS = {"canva": "data_manual_production", "real": "data_web-sourced_instances"}
TOPIC = "Art_Creative_Expression"
NOT_RUN = {
    "fetch weights": "a download",
    "log": "tests/reports/test_trackers.py",
    "hub": "tests/evaluation/test_hub_runs.py",
    "diagnose runs/my-model --editor instructpix2pix": "a model; tests/diagnosis",
    "score texteditbench DATA --run runs/my-model --tracks pixel,ocr": "an OCR engine's models",
    "table runs/my-model --benchmark medebench": "of the model above",
    "plan mini": "scores a short run; tests/evaluation/test_plan.py",
}
NOWHERE = {
    "--engine ray": "a cluster; tests/run/test_cluster.py",
    "--devices": "GPUs; tests/run/test_engine.py",
}
"""Options with which no line is run."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def text_data(folder: Path) -> None:
    """TextEditBench: two instances of each split, and outputs of `my-model`, by their own names and
    by the official ones.
    """
    for number, (split, name) in enumerate([*SPLITS.items()] * 2, start=1):
        hard = {"difficulty": "hard"} if number > 2 else {}
        source = text_instance(folder / "DATA", number, split=name, **hard) / f"{number}.png"
        pixels = read_image(source).copy()
        pixels[:8] //= 2
        for place in (
            f"OUTPUTS/{'real' if split == 'real' else 'synthetic'}/{number:03d}_result.png",
            f"OUTPUTS/my-model/{split}/{TOPIC}/{number:03d}_edited.png",
        ):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            write_png(folder / place, pixels)


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


def typed(words: list[str]) -> int:
    result = invoke(words)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code


def lines(page: str) -> Iterator[list[str]]:
    """The page's lines but those of other programs and those in `NOT_RUN`."""
    for program, *words in commands(DOCS / "how-to" / f"{page}.md"):
        line = shlex.join(words)
        if program in OTHER_PROGRAMS or any(line.startswith(name) for name in NOT_RUN):
            continue
        if not any(option in line for option in NOWHERE):
            yield words


def read(page: str, store: str = "") -> list[list[str]]:
    """Type a page; its lines. Raises for one that ends as an error, or otherwise than 0 or 1 (some
    samples have no score). With `store` that takes the place of ``s3://``.
    """
    done = []
    for written in lines(page):
        words = [word.replace("s3://", store or "s3://") for word in written]
        more = ["--workers", "0"] if words[0] in ("score", "edit", "report", "diagnose") else []
        try:
            code = typed([*words, *more])
        except EditgaugeError as error:
            pytest.fail(f"{shlex.join(words)}: {error}")
        assert code in (0, 1), shlex.join(words)
        done.append(words)
    return done


def test_outputs_that_are_there(here: Path, scored: Path) -> None:
    shutil.copytree(scored / "DATA", here / "DATA")
    shutil.copytree(scored / "OUTPUTS", here / "OUTPUTS")
    assert len(read("score-my-outputs")) >= 9
    assert len(list((here / "OFFICIAL" / "my-model").rglob("*.png"))) == 4
    told = json.loads(invoke(["table", "runs/my-model", "--json"]).stdout)
    assert "my-model" in json.dumps(told)


def test_a_table(here: Path, scored: Path) -> None:
    runs(scored, here, "my-model")
    only = ["--only", "texteditbench.pixel", "--variant", "faithful", "--format", "csv"]
    sheet = invoke(["table", "runs/my-model", *only]).stdout
    (here / "my-table.csv").write_text(sheet, encoding="utf-8")
    assert len(read("read-a-table")) >= 8


def test_a_run_that_is_shared(here: Path, scored: Path) -> None:
    runs(scored, here, "my-model", "mine", "theirs", "machine-1", "machine-2")
    assert len(read("share-a-run")) == 5
    assert (here / "runs" / "my-model" / "report" / "index.html").is_file()
    assert (here / "runs" / "all" / "manifest.json").is_file()


def test_a_run_that_is_checked(here: Path, scored: Path) -> None:
    runs(scored, here, "first")
    assert [words[0] for words in read("trust-a-run")] == ["check-run", "check-run"]
    assert [words[0] for words in lines("read-a-run")] == ["table", "check"]  # run by test_docs


def test_why_an_edit_failed(here: Path, scored: Path) -> None:
    runs(scored, here, "my-model")
    assert [words[0] for words in read("why-an-edit-failed")] == ["diagnose", "report"]
    assert (here / "runs" / "my-model" / "report" / "diagnosis.html").is_file()


def test_many_runs_and_a_store(
    here: Path, scored: Path, memory_store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store in memory takes the place of S3."""
    monkeypatch.setenv("EDITGAUGE_CACHE", str(here / "cache"))
    for name in ("DATA", "OUTPUTS"):
        shutil.copytree(scored / name, here / name)
    for editor in ("old-model", "new-model"):
        shutil.copytree(here / "OUTPUTS" / "my-model", here / "MORE" / editor)
    more = "score texteditbench DATA --outputs MORE --run runs/more --limit 2 --workers 0"
    assert typed(more.split()) in (0, 1)
    runs(scored, here, "my-model", "part-1", "part-2")
    put = memory_store.system.put
    put(f"{here}/DATA/", "/lab/data/", recursive=True)
    put(f"{here}/OUTPUTS/my-model/", "/lab/outputs/my-model/", recursive=True)
    assert typed(["merge", "runs/part-1", "--to", "memory://lab/runs/part-1"]) == 0
    done = read("run-at-scale", store="memory://")
    assert {words[0] for words in done} == {
        "plan", "merge", "table", "compare", "report", "score", "diagnose",
    }  # fmt: skip
    assert (here / "report" / "index.html").is_file()
    assert (here / "runs" / "here" / "manifest.json").is_file()


def test_result_files_of_other_tools(here: Path) -> None:
    prompt_set(here / "DATA", [prompt_record(1), prompt_record(2)])
    task_set(here / "DATA", {"1": task_record(1)}, names=("1.png",))
    ids = [sample["id"] for sample in known("textedit")]
    (category,) = {identity.partition("/")[0] for identity in [s["id"] for s in known("krisbench")]}
    pictures = {}
    for number, identity in enumerate([*ids, "kris"]):
        path = here / "outputs" / "bagel" / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(next((here / "DATA").rglob("*.png")), path)
        pictures[identity] = f"/elsewhere/bagel/{number}.png"
    with (here / "bagel_textedit.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["index", "prediction"])
        writer.writerows([identity, str([pictures[identity]])] for identity in ids)
    entry = {"category": category, "image_id": "1", "edited_image_path": pictures["kris"],
             "score": 4.0, "valid": True, "reasoning": "said"}  # fmt: skip
    line = {f"kris_bench_{name}_score": entry for name in ("instruction", "quality")}
    (here / "samples.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    done = read("other-tools")
    assert [words[0] for words in done] == ["import-outputs", "score", "score", "judge"]
    rows = invoke(["table", "runs/first", "--json"]).stdout
    assert "bagel" in rows


def known(benchmark: str) -> list[dict[str, Any]]:
    from editgauge import catalog

    _, _, samples = catalog.open_data(benchmark, Path("DATA"), None)
    return [{"id": sample.id} for sample in samples]


def test_every_line_that_is_not_run_is_there() -> None:
    pages = ("score-my-outputs", "why-an-edit-failed", "other-tools", "run-at-scale")
    every = [shlex.join(words) for page in pages
             for _, *words in commands(DOCS / "how-to" / f"{page}.md")]  # fmt: skip
    assert [name for name in NOT_RUN if not any(line.startswith(name) for line in every)] == []
    assert [name for name in NOWHERE if not any(name in line for line in every)] == []
