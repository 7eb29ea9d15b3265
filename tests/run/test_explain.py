"""Drawings of how scores came about: where they are put, and what is said when there is none."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from editgauge.errors import OcrError, UsageError
from editgauge.images import Array, read_image, write_png
from editgauge.run.explain import explain
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.types import Edit, Finding, Sample, Status
from tests.command_line import did


class Drawing:
    name = "drawing/.."

    def __init__(self, why: str | None = None, fails: bool = False) -> None:
        self.why, self.fails = why, fails

    def applies(self, sample: Sample) -> str | None:
        return self.why

    def explain(self, sample: Sample, edit: Edit) -> Array:
        if self.fails:
            raise OcrError("it broke down")
        return np.full((3, 4, 3), 9, np.uint8)


class Silent:
    name = "silent"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run")


def sample(tmp_path: Path, **more: Any) -> Sample:
    write_png(tmp_path / "in.png", np.zeros((2, 2, 3), np.uint8))
    return Sample(
        benchmark="textedit",
        id="../2.1/1",
        split="Real",
        category=("2.1",),
        instruction="…",
        images=(tmp_path / "in.png",),
        output_stems=("x",),
        **more,
    )


def record(run: Run, status: Status = Status.SCORED) -> EditRecord:
    write_png(run.path / "edits" / "m.png", np.zeros((2, 2, 3), np.uint8))
    path = "edits/m.png" if status is Status.SCORED else None
    return EditRecord(
        benchmark="textedit",
        sample="../2.1/1",
        editor="a/b",
        path=path,
        status=status,
        reason="no such file",
        fingerprint="f",
    )


def test_one_png_an_edit_below_the_run(run: Run, tmp_path: Path) -> None:
    paths, problems = explain(
        run, "textedit", [sample(tmp_path)], [record(run)], [Silent(), Drawing()]
    )
    assert problems == []
    (path,) = paths
    place = path.relative_to(run.path).as_posix()
    assert re.fullmatch(r"explain/textedit/a_b-\w{16}/_2\.1_1-drawing_-\w{16}\.png", place)
    assert read_image(path).shape == (3, 4, 3)


def test_what_cannot_be_drawn_says_why(run: Run, tmp_path: Path) -> None:
    usable, faulty = (
        sample(tmp_path),
        sample(tmp_path, findings=(Finding("k", "f.json", "broken", "", False),)),
    )
    cases = [
        (usable, record(run), Drawing(why="not for this"), "not for this"),
        (usable, record(run), Drawing(fails=True), "it broke down"),
        (usable, record(run, Status.MISSING), Drawing(), "no such file"),
        (faulty, record(run), Drawing(), "f.json: broken"),
    ]
    for one, edit, scorer, reason in cases:
        paths, problems = explain(run, "textedit", [one], [edit], [scorer])
        assert paths == []
        assert len(problems) == 1
        assert reason in problems[0]


def test_no_scorer_that_draws_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="add the track ocr"):
        explain(run, "textedit", [sample(tmp_path)], [record(run)], [Silent()])


def _page(path: Path, *words: str) -> None:
    picture = Image.new("RGB", (320, 200), "white")
    for number, word in enumerate(words):
        font = ImageFont.load_default(30)
        ImageDraw.Draw(picture).text((20, 20 + 80 * number), word, fill="black", font=font)
    write_png(path, np.asarray(picture))


def test_the_command_draws_one_sample_and_its_rows_name_the_engine(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr", reason="the extra 'ocr' is not installed")
    data, run = tmp_path / "data", tmp_path / "run"
    name = "2.1/image/original/a.png"
    texts = {
        "source_text": "SALE",
        "target_text": "OPEN",
        "prompt": "Replace 'SALE' with 'OPEN'.",
        "gt_caption": "a",
    }
    line = {"id": 1, "original_image": name, "gt_image": name, **texts}
    (data / "eval_prompts" / "miniset").mkdir(parents=True)
    (data / "eval_prompts" / "miniset" / "2.1.jsonl").write_text(json.dumps(line))
    _page(data / "data" / name, "SALE", "every day")
    _page(tmp_path / "outputs" / "mine" / "2.1" / "a.png", "OPEN", "every day")
    arguments = [
        "score",
        "textedit",
        str(data),
        "--outputs",
        str(tmp_path / "outputs"),
        "--run",
        str(run),
    ]
    arguments += ["--explain", "2.1/1", "--workers", "0"]
    result = did(arguments)
    assert result.exit_code == 0, result.output
    assert "drawn:" in result.output
    (path,) = (run / "explain").rglob("*.png")
    assert read_image(path).shape[1] > 1100
    rows = {(row.metric, row.variant): row for row in Run.open(run).rows()}
    assert len(rows) == 10
    assert {row.value for row in rows.values()} == {1.0}
    assert rows["OA", "faithful"].source.startswith("rapidocr-")
    assert rows["OA", "faithful"].origin["models"]
    assert list(run.rglob("ocr.sqlite"))
