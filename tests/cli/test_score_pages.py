"""What docs/how-to/score-my-outputs.md says of OCR and of networks, as it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont
from tests.benchmarks.releases import organ_record, organ_set, prompt_record, prompt_set
from tests.cli.pages import read, typed
from tests.command_line import invoke

OTHER_ENGINE = "score textedit DATA --run runs/ocr --tracks ocr --ocr-engine paddleocr"
ELSEWHERE = dict.fromkeys(
    ["import", "check", "score texteditbench", "table", "fetch weights", "list"], "test_pages"
)


def print_on(path: Path, text: str) -> None:
    picture = Image.new("RGB", (160, 48), "white")
    ImageDraw.Draw(picture).text((12, 8), text, fill="black", font=ImageFont.load_default(24))
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)


def test_ocr_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapidocr", reason="OCR needs the extra ocr")
    monkeypatch.chdir(tmp_path)
    record = prompt_record(763, "2.1")
    prompt_set(Path("DATA"), [record], category="2.1")
    for name, text in (("original_image", "OLD"), ("gt_image", "NEW")):
        print_on(next(Path("DATA").rglob(record[name])), text)
    print_on(Path("OUTPUTS/my-model/2.1/763.0.png"), "NEW")
    not_run = {OTHER_ENGINE: "fetches its models", "score medebench": "below"}
    assert len(read("score-my-outputs", ELSEWHERE | not_run)) == 1
    told = json.loads(invoke(["table", "runs/ocr", "--format", "json"]).stdout)
    assert "my-model" in json.dumps(told)


def test_scores_with_networks_without_their_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDITGAUGE_WEIGHTS", str(tmp_path / "none"))
    organ_set(Path("DATA"), [organ_record(38), organ_record(45)])
    assert typed("edit medebench DATA --editor copy --run runs/medical --workers 0") == 0
    elsewhere = {
        "score textedit DATA": "above",
        "score medebench DATA --outputs RESULTS": "tests/contract/test_outputs.py",
    }
    assert read("score-my-outputs", ELSEWHERE | elsewhere) == [
        ["score", "medebench", "DATA", "--run", "runs/medical", "--tracks", "embedding"]
    ]
