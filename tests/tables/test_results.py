"""Rows as columns: the same from Parquet and from objects, and what a table must refuse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from editgauge.errors import RunError
from editgauge.store.run import Run
from editgauge.tables import reading
from editgauge.tables.rows import without_training
from editgauge.types import Status
from tests.made_rows import frame, record, row, scores

RECORDS = [
    record("b/1", split="real", category=("Factual", "Spatial"), topic="Posters", level=2),
    record("a/2", split="synthetic", category=("Factual",), topic="Signs", knowledge="because"),
]
ROWS = [
    row("b/1", "one", "ssim", 0.5),
    row("a/2", "one", "ssim", None, status=Status.MISSING),
    row("b/1", "two", "ssim", 0.75),
    row("b/1", "one", "psnr", None, infinite=True),
    row("a/2", "two", "IF", 3.0, source="judge-a", repeat=0),
    row("a/2", "two", "IF", 4.0, source="judge-a", repeat=1),
    row("*", "one", "fid", 12.5),
]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    folder = Run.create(tmp_path / "run")
    folder.write_samples("mini", RECORDS)
    folder.put(ROWS)
    return folder


class TestReading:
    def test_repeats_are_averaged_and_can_be_had_apart(self) -> None:
        lost = row("a/2", "two", "IF", None, status=Status.FAILED, source="judge-a", repeat=2)
        assert frame([*ROWS, lost], RECORDS).grid("IF", "faithful").values[1, 1] == 3.5
        found = frame(ROWS, RECORDS)
        again = found.of_repeat(1)
        assert found.repeats == 2
        assert again.grid("IF", "faithful").values[1, 1] == 4.0
        assert not again.has("ssim"), "what was scored once has no second time"

    def test_a_row_without_a_sample_record_is_kept(self) -> None:
        found = frame([*ROWS, row("c/3", "one", "ssim", 0.25)], RECORDS)
        assert found.samples.ids == ("b/1", "a/2", "c/3")
        assert found.grid("ssim", "faithful").values[0, 2] == 0.25


class TestRefusals:
    def test_two_scores_of_one_place_are_an_error(self, tmp_path: Path) -> None:
        twice = [row("b/1", "one", "ssim", value) for value in (0.5, 0.6)]
        runs = []
        for name, one in zip("ab", twice, strict=True):
            runs.append(Run.create(tmp_path / name))
            runs[-1].put([one])
        said = r"two scores of ssim.*'b/1'.*0\.\d and 0\.\d"
        with pytest.raises(RunError, match=said):
            reading.of_runs(runs, "mini")
        other = replace(twice[1], scorer="another")
        with pytest.raises(RunError, match=said):
            frame([twice[0], other], RECORDS).grid("ssim", "faithful")

    def test_a_score_stands_before_a_failure(self, tmp_path: Path) -> None:
        missing = row("b/1", "one", "ssim", None, status=Status.MISSING)
        scored = replace(row("b/1", "one", "ssim", 0.5), scorer="another")
        for pair in ([missing, scored], [scored, missing]):
            assert frame(pair, RECORDS).grid("ssim", "faithful").values[0, 0] == 0.5
        runs = [Run.create(tmp_path / name) for name in "ab"]
        runs[0].put([missing])
        runs[1].put([replace(scored, scorer=missing.scorer)])
        assert reading.of_runs(runs, "mini").grid("ssim", "faithful").values.tolist() == [[0.5]]


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.SCORED])
def test_what_a_model_owes_is_a_failure_and_what_data_and_machine_owe_is_none(
    status: Status,
) -> None:
    rows = [row("b/1", "one", "ssim", 0.5), row("a/2", "one", "ssim", None, status=status)]
    owed = {"missing", "unreadable", "refused", "failed", "unparsable"}
    found = frame(rows, RECORDS).grid("ssim", "faithful").failed
    assert found.tolist() == [[False, status in owed]]


class TestDefined:
    def test_not_applicable_for_everyone_is_not_defined(self) -> None:
        rows = [
            row("b/1", "one", "SE", None, status=Status.NOT_APPLICABLE),
            row("b/1", "two", "SE", None, status=Status.NOT_APPLICABLE),
            row("a/2", "one", "SE", None, status=Status.NOT_APPLICABLE),
            row("a/2", "two", "SE", 3.0),
        ]
        assert frame(rows, RECORDS).grid("SE", "faithful").defined.tolist() == [False, True]


def test_training_samples_are_no_part_of_a_tables_count() -> None:
    """Of those that `tune` trained on and that no editor was scored on."""
    splits = {"ear": {"training": ["s0", "s1"], "test": ["s2", "s3"]}}
    entries = [{"command": "tune", "benchmark": "mini", "splits": splits}]
    run: Any = SimpleNamespace(manifest=lambda: {"entries": entries})
    whole = frame(scores("tuned", "psnr", [1.0, 2.0])[1:], [record(f"s{n}") for n in range(5)])
    found = without_training(whole, [run])
    assert found.samples.ids == ("s1", "s2", "s3", "s4")
    assert found.grid("psnr", "faithful").values[0, 0] == 2.0


def test_a_sample_is_used_where_an_output_was_delivered() -> None:
    """Also a sample without any output has rows: missing ones, and what does not apply to it."""
    records = [record(f"s{n}") for n in range(5)]
    rows = [
        row("s0", "m", "ssim", 0.5),
        row("s1", "m", "ssim", None, status=Status.UNREADABLE),
        row("s2", "m", "ssim", None, status=Status.MISSING),
        row("s3", "m", "ssim", None, status=Status.NOT_APPLICABLE),
        row("s4", "m", "ssim", None, status=Status.DATASET_FAULT),
    ]
    assert frame(rows, records).used() == 2
