"""Maps of outputs in the forms of VLMEvalKit and lmms-eval, as their released code writes them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from tests.store.test_matching import folder, samples

from editgauge.errors import DataError
from editgauge.store.maps import end_of, lines_of
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


def test_hostile_predictions_name_no_file(tmp_path: Path) -> None:
    nested = "[" * 5000 + "]" * 5000
    path = vlmevalkit(tmp_path / "p.tsv", [("a", nested), ("b", "[__import__('os')]"), ("c", "")])
    assert list(lines_of(path)) == []
    assert end_of("/etc/passwd", {"x.png"}) is None
    assert end_of("../m/x.png", {"x.png", "m/x.png"}) == "m/x.png"


@pytest.mark.parametrize("told", ["[{[]: 1}]", "[{[1]}]", "[" + "-" * 19_000 + "1]", "[1()]"])
def test_a_prediction_that_python_does_not_take_has_no_picture(tmp_path: Path, told: str) -> None:
    assert list(lines_of(vlmevalkit(tmp_path / "m.tsv", [("Real/000", told)]))) == []


def test_a_line_of_json_ends_at_its_end_only(tmp_path: Path) -> None:
    """Python's own writer leaves a line separator as it is in a text, where it is asked to."""
    entry = {"key": "a", "edited_image_path": "/x/a.png", "said": "one\u2028two\x85three"}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"t": entry}, ensure_ascii=False) + "\r\n", encoding="utf-8")
    assert [(line.sample, line.file) for line in lines_of(path)] == [("a", "/x/a.png")]


def test_no_more_is_read_of_a_map_than_maps_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = tmp_path / "samples.jsonl"
    endless.symlink_to("/dev/zero")
    monkeypatch.setattr("editgauge.store.maps._BYTES", 1000)
    with pytest.raises(DataError, match="wanted at most 1,000 bytes"):
        list(lines_of(endless))


def test_a_map_without_its_columns_is_one_short_line(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text("x" * 100_000 + "\na\n")
    with pytest.raises(DataError, match="found xxx") as error:
        list(lines_of(path))
    assert len(str(error.value)) < 500
