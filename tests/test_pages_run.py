"""The commands of a page run as printed, in their order, where the folders that it names are there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.command_line import did
from tests.contract.datasets import organ_record, organs, prompt_record, prompts, put
from tests.contract.server import ENV, Judge, sensible
from tests.curation.made_set import scan
from tests.test_docs import DOCS, commands

MODEL = "gpt-4o-2024-11-20"
KEPT_BACK = "curate export"
"""Ends with 1 where samples are kept back, which the page says."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(page: str, wanted: Callable[[list[str]], bool], *more: str) -> list[str]:
    """Run the commands of a page that are wanted; the commands. `more` is typed behind each of
    `judge`: a server of this machine has no price of a provider's model.
    """
    done: list[str] = []
    for program, *words in commands(DOCS / "how-to" / page):
        if program == "editgauge" and wanted(words):
            line = " ".join(words)
            result = did([*words, *(more if words[0] == "judge" else ())])
            most = 1 if line.startswith(KEPT_BACK) else 0
            assert result.exit_code <= most, f"{line}\n{result.output}"
            done.append(line)
    return done


def pair(before: Path, after: Path, seed: int) -> None:
    """A picture with texture, and the same one with a grey patch."""
    small = np.random.default_rng(seed).integers(0, 256, (24, 32, 3)).astype(np.uint8)
    picture = Image.fromarray(small).resize((640, 480), Image.Resampling.BICUBIC)
    for path in (before, after):
        path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(before)
    picture.paste((128, 128, 128), (200, 100, 300, 180))
    picture.save(after)


def test_a_benchmark_of_ones_own_pictures_is_made_as_the_page_says(here: Path) -> None:
    for library in ("pydicom", "cv2", "rapidocr"):
        pytest.importorskip(library)
    for number in range(1, 6):
        pair(here / f"before/{number}.png", here / f"after/{number}.png", number)
        put(here / f"outputs/mymodel/s{number:04}.png", number)
    pair(here / "before.png", here / "after.png", 9)
    scan(here / "scans/one.dcm")

    def is_no_server(words: list[str]) -> bool:
        return words != ["curate", "wards"]

    done = typed("make-a-benchmark.md", is_no_server)
    assert any("--version 1.1.0" in line for line in done)
    assert (here / "wards-1.1.0.zip").is_file()
    assert len(done) > 15


def test_a_judge_is_asked_as_the_page_says(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prompts(here / "DATA", [prompt_record(number) for number in (3, 4, 5)])
    for number in (3, 4, 5):
        put(here / f"OUTPUTS/mine/1.1.1/{number}.0.png", number)
    for name, value in ENV.items():
        monkeypatch.setenv(name, value)

    def is_asked_here(words: list[str]) -> bool:
        """Whether it needs no batches, no script of the authors and no server of one's own."""
        line = " ".join(words)
        away = (
            "--batch",
            "--base-url",
            "fetch prompts",
            "--prompts paper",
            "import ",
            "--probe",
            "--settle",
        )
        return not any(one in line for one in away) and "textedit.judges" not in line

    with Judge(sensible) as server:
        address = server.words[server.words.index("--base-url") + 1]
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        done = typed("ask-a-judge.md", is_asked_here, "--price", "2.5/10")
        rubric = here / "my-prompts/questions.md"
        rubric.write_text(f"{rubric.read_text()}\nBe strict.\n")
        other = ("--prompts", "my-prompts", "--price", "2.5/10")
        did(["judge", "textedit", "DATA", "--run", "runs/my-model", "--model", MODEL, *other])
    assert "--outputs OUTPUTS" in done[0]
    assert len(done) > 8
    for words in commands(DOCS / "how-to" / "ask-a-judge.md"):
        if "textedit.judges" in words:
            did(words[1:])


def test_an_edit_is_explained_as_the_page_says(here: Path) -> None:
    organs(here / "DATA", [organ_record(number) for number in (1, 2)])
    did(["edit", "medebench", "DATA", "--editor", "blank", "--run", "runs/my-model"])
    done = typed("why-an-edit-failed.md", lambda words: "--set" not in " ".join(words))
    assert [line.split()[0] for line in done] == ["diagnose", "report", "table"]
    (weights,) = [line for line in commands(DOCS / "how-to/why-an-edit-failed.md")
                  if "diagnose" in line and "attention" not in line and "--set" in line]  # fmt: skip
    (made,) = [line for line in commands(DOCS / "how-to/why-an-edit-failed.md") if "edit" in line]
    assert {word for word in made if word.startswith("model=")} <= {*weights}
    shutil.rmtree(here / "runs")
