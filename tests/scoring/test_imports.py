"""Result files of the released pixel, OCR and CLIP scripts become rows, once, and reach the tables'
cells.
"""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest

from editgauge import catalog
from editgauge.errors import DataError
from editgauge.scoring.imports import Imported, import_scores
from editgauge.store.run import Run
from editgauge.tables import layouts, reading
from editgauge.tables.draw import draw
from editgauge.types import Sample, Status
from tests.made_rows import record

TOPIC = "Business_Advertising"


def sample(benchmark: str, identity: str) -> Sample:
    return Sample(
        benchmark=benchmark,
        id=identity,
        split="x",
        category=("x",),
        instruction="Do it",
        images=(Path("none.png"),),
        output_stems=(identity,),
    )


def write(path: Path, text: Any) -> Path:
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run")


def taken(
    run: Run, benchmark: str, path: Path, ids: list[str], editor: str | None = None
) -> Imported:
    found = catalog.find("benchmarks", benchmark)
    return import_scores(run, found, path, [sample(benchmark, each) for each in ids], editor=editor)


def cells(run: Run, benchmark: str, table: str) -> dict[str, str]:
    frame = reading.of_runs([run], benchmark)
    found = {item.name: item for item in layouts.tables(frame, "faithful")}[table]
    (line,) = csv.DictReader(io.StringIO(draw(found, "csv")))
    return dict(line)


IDS = [f"canva/{TOPIC}/001", f"canva/{TOPIC}/002", "canva/Other_Topic/001"]


def keep(run: Run, benchmark: str, ids: list[str], **more: Any) -> None:
    run.write_samples(benchmark, [record(each, **more) for each in ids])


def test_error_names_a_sample_by_its_number_alone(run: Run, tmp_path: Path) -> None:
    """001 fits two topics and is left out by name; of one topic it is clear."""
    keep(run, "texteditbench", IDS, split="synthetic")
    text = (
        '{"summary": {}, "details": [{"id": "001", "filename": "001_edited.jpg", "mse": 0.0, '
        '"psnr": Infinity}, {"id": "002", "filename": "002_edited.jpg", "mse": 6.5, "psnr": 40.0}]}'
    )
    file = write(tmp_path / "m.json", text)
    found = taken(run, "texteditbench", file, IDS, editor="mine")
    assert found.rows == 2
    assert f"001 (fits {IDS[0]}, {IDS[2]}: narrow" in found.unknown[0]
    found = taken(run, "texteditbench", file, IDS[:2], editor="mine")
    assert (found.rows, found.kept) == (2, 2)
    line = cells(run, "texteditbench", "texteditbench.pixel")
    assert (line["synthetic_mse"], line["synthetic_psnr"]) == ("3.250", "inf")


def test_error_files_of_a_folder_are_taken_in_one_call(run: Run, tmp_path: Path) -> None:
    """A file a topic: its name says which 001 is meant, and of a topic in both splits the folder."""
    ids = [*IDS, f"real/{TOPIC}/001"]
    keep(run, "texteditbench", ids)
    for place, mse in ((f"canva/{TOPIC}", 1.0), (f"real/{TOPIC}", 2.0), ("canva/other_topic", 4.0)):
        file = tmp_path / "results" / f"{place}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        entry = {"id": "001", "filename": "001_edited.jpg", "mse": mse, "psnr": 40.0}
        write(file, {"summary": {}, "details": [entry]})
    found = taken(run, "texteditbench", tmp_path / "results", ids, editor="mine")
    assert (found.rows, found.unknown) == (6, [])
    values = {row.sample: row.value for row in run.rows() if row.metric == "mse"}
    assert values == {IDS[0]: 1.0, ids[3]: 2.0, IDS[2]: 4.0}
    with pytest.raises(DataError, match="the name of their editor"):
        taken(run, "texteditbench", tmp_path / "results", ids)


@pytest.mark.parametrize("text", ["{}", "[[]]", '[{"id": 1}]'])
@pytest.mark.parametrize("benchmark", ["texteditbench", "textedit"])
def test_another_file_is_refused(run: Run, tmp_path: Path, benchmark: str, text: str) -> None:
    with pytest.raises(DataError):
        taken(run, benchmark, write(tmp_path / "x.json", text), ["a/b/1"])
    assert run.rows() == []


@pytest.mark.parametrize("value", ["text", True, math.nan, -math.inf, 10**400, 7.5, [], {}])
def test_values_that_are_no_score(run: Run, tmp_path: Path, value: Any) -> None:
    keep(run, "texteditbench", IDS[:1], split="synthetic")
    entry = {"topic": TOPIC, "id": "001", "ssim_similarity_outside_mask": value}
    found = taken(run, "texteditbench", write(tmp_path / "x.json", [entry]), IDS[:1])
    (row,) = run.rows()
    assert row.value is None
    assert row.status in (Status.FAILED, Status.UNPARSABLE)
    assert row.reason
    assert found.rows == 1


def test_two_values_of_one_sample_are_refused(run: Run, tmp_path: Path) -> None:
    entries = [
        {"topic": TOPIC, "id": "001", "ssim_similarity_outside_mask": value} for value in (0.1, 0.2)
    ]
    with pytest.raises(DataError, match="two values of ssim"):
        taken(run, "texteditbench", write(tmp_path / "x.json", entries), IDS)
