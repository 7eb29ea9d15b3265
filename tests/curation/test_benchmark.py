"""A data set is a benchmark without a line of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.curation import records
from editgauge.errors import DataError, UsageError
from editgauge.images import write_png
from editgauge.tables.contract import verify
from editgauge.web.log import Act
from tests.command_line import invoke
from tests.curation.made_set import edited, make_set, scene


def run(*words: object) -> str:
    done = invoke([str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


def outputs(folder: Path, count: int) -> Path:
    for number in range(count):
        write_png(folder / "alpha" / f"s{number:02d}.png", edited(scene(number)))
    return folder


@pytest.mark.parametrize("protocol", ["", *records.PROTOCOLS])
def test_each_declaration_is_complete(tmp_path: Path, protocol: str) -> None:
    make_set(tmp_path / "set", 2, protocol=protocol)
    benchmark = catalog.find("benchmarks", f"dir:{tmp_path / 'set'}")
    verify(benchmark)
    assert benchmark.name == ("dir.wards" + (f".{protocol}" if protocol else ""))
    assert len(list(benchmark.load(None))) == 2


def test_score_table_and_report_of_a_folder_with_a_blank(tmp_path: Path) -> None:
    root = tmp_path / "my set"
    make_set(root, 4)
    made = outputs(tmp_path / "out", 4)
    run_folder = tmp_path / "run"
    run("score", f"dir:{root}", "--outputs", made, "--editor", "alpha", "--run", run_folder,
        "--tracks", "pixel", "--workers", "0")  # fmt: skip
    text = run("table", run_folder, "--by", "category1", "--format", "markdown")
    assert "Brain" in text
    assert "Lung" in text
    assert "easy" in run("table", run_folder, "--by", "difficulty", "--format", "markdown")
    run("report", run_folder, "--to", tmp_path / "report")
    data = b"".join(path.read_bytes() for path in (tmp_path / "report").rglob("*.js*"))
    assert b"dir.wards" in data


def test_a_split_and_a_withdrawn_sample(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 3)
    data.change("s00", 1, {"split": "test"}, Act("ann"))
    data.change("s01", 1, {"state": "withdrawn"}, Act("ann"))
    benchmark = catalog.find("benchmarks", f"dir:{tmp_path / 'set'}")
    assert [sample.id for sample in benchmark.load(None)] == ["s00", "s02"]
    assert [sample.id for sample in benchmark.load(None, split="test")] == ["s00"]
    with pytest.raises(UsageError, match="split 'dev'"):
        benchmark.load(None, split="dev")


def test_errors_name_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not there; wanted the folder of a data set"):
        catalog.find("benchmarks", f"dir:{tmp_path}")
    make_set(tmp_path / "set", 1)
    with pytest.raises(DataError, match="name it: dir:DIR"):
        catalog.find("benchmarks", "dir.wards").load(None)
    with pytest.raises(DataError, match="found 'wards'"):
        catalog.find("benchmarks", "dir.other").load(tmp_path / "set")
    with pytest.raises(UsageError, match="the protocol one of"):
        catalog.find("benchmarks", "dir.wards.imagenet")
