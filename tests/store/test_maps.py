"""Maps of outputs in the forms of VLMEvalKit and lmms-eval, as their released code writes them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from tests.store.test_matching import folder, samples

from editgauge.errors import DataError
from editgauge.store.matching import by_map

__all__ = ["samples"]  # a fixture

FAILED = "Failed to obtain answer via API."


def vlmevalkit(path: Path, lines: list[tuple[str, str]]) -> Path:
    """As `dump` writes a data frame: tab-separated, a list as Python prints it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t")
        writer.writerow(["index", "instruction", "category", "prediction"])
        writer.writerows([index, 'Say "hi",\nplease', "c", told] for index, told in lines)
    return path


def lmms_eval(path: Path, entries: list[dict[str, Any]]) -> Path:
    """A line for each sample: what was answered, and what each metric logged."""
    lines = [
        {
            "doc_id": number,
            "target": "Paint it red",
            "filtered_resps": json.dumps({"text": "", "images": [entry["edited_image_path"]]}),
            "doc_hash": "0" * 64,
            "kris_bench_quality_score": entry,
        }
        for number, entry in enumerate(entries)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def test_predictions_of_vlmevalkit(tmp_path: Path, samples: list[Any]) -> None:
    place = folder(tmp_path, "m/x.png", "m/y.png", "m/z.png")
    told = vlmevalkit(
        tmp_path / "m_bench.tsv",
        [
            ("Real/000", "['/data/out/m/x.png']"),
            ("Real_001", "[['/data/out/m/draft.png', '/data/out/m/y.png']]"),
            ("Real/002", FAILED),
        ],
    )
    found = by_map(place, samples, told)
    assert found.named == {"Real/000": place / "m/x.png", "Real/001": place / "m/y.png"}
    assert found.missing == ["Real/002"]
    assert found.unexpected == ["m/z.png"]


def test_samples_of_lmms_eval(tmp_path: Path, samples: list[Any]) -> None:
    place = folder(tmp_path, "a/0.png", "b/0.png")
    entries: list[dict[str, Any]] = [
        {"category": "Real", "image_id": "000", "edited_image_path": "C:\\runs\\b\\0.png"},
        {"key": "Real_001", "edited_image_path": "/runs/a/0.png"},
        {"category": "Real", "image_id": "002", "edited_image_path": None},
    ]
    found = by_map(place, samples, lmms_eval(tmp_path / "d_samples_kris_bench.jsonl", entries))
    assert found.named == {"Real/000": place / "b/0.png", "Real/001": place / "a/0.png"}


def test_what_is_no_map_is_said(tmp_path: Path, samples: list[Any]) -> None:
    place = folder(tmp_path, "x.png")
    for name, text, told in (
        ("a.tsv", "index\tanswer\n1\tA\n", "wanted the columns .* found index, answer"),
        ("a.xlsx", "PK", "a workbook is not read; VLMEvalKit writes PRED_FORMAT=tsv"),
        ("a.jsonl", '{"doc_id": 1}\n', "line 1: wanted an entry with edited_image_path"),
        ("b.jsonl", "{\n", "line 1: no JSON"),
        ("b.tsv", "index\tprediction\nReal/009\t/x.png\n", "no sample 'Real/009'"),
    ):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match=told):
            by_map(place, samples, path)
