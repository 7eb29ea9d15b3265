"""Runs of several machines become one; whatever contradicts is named and nothing is written."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.made_rows import record, row

from editgauge.errors import RunError
from editgauge.store.merge import merge
from editgauge.store.paid import Paid
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.types import Row, Status


def make_run(
    path: Path,
    rows: list[Row],
    *,
    outputs: dict[str, bytes] | None = None,
    samples: list[dict[str, Any]] | None = None,
) -> Run:
    """A run with rows of editor `one`, an input picture for each sample, and outputs by sample."""
    run = Run.create(path)
    records = samples or [
        record(str(n)) | {"benchmark": "mini", "images": [f"inputs/mini/{n}.png"]} for n in range(4)
    ]
    run.write_samples("mini", records)
    for item in records:
        for place in item.get("images") or []:
            if place and ".." not in place:
                (path / place).parent.mkdir(parents=True, exist_ok=True)
                (path / place).write_bytes(b"input " + item["id"].encode())
    edits = []
    for sample, data in (outputs or {}).items():
        place = f"edits/mini/one/{sample}.png"
        (path / place).parent.mkdir(parents=True, exist_ok=True)
        (path / place).write_bytes(data)
        edits.append(
            EditRecord(
                benchmark="mini",
                sample=sample,
                editor="one",
                status=Status.SCORED,
                path=place,
                fingerprint=data.hex(),
            )
        )
    run.write_edits(edits)
    run.put(rows)
    return run


def values(run: Run) -> dict[tuple[str, str], float | None]:
    return {(r.sample, r.metric): r.value for r in Run.open(run.path).rows()}


class TestMerge:
    def test_rows_come_over_whole(self, tmp_path: Path) -> None:
        rows = [
            row("0", "one", "psnr", None, infinite=True),
            row("1", "one", "IF", 3.0, source="judge", repeat=2, variant="corrected"),
            row("2", "one", "IF", None, status=Status.REFUSED, source="judge"),
        ]
        target = Run.create(tmp_path / "all")
        source = make_run(tmp_path / "a", rows)
        merge([source], target)
        assert target.rows() == source.rows()

    def test_a_failure_of_the_target_is_retired(self, tmp_path: Path) -> None:
        target = make_run(
            tmp_path / "t",
            [row("0", "one", "ssim", None, status=Status.MISSING, fingerprint="none")],
        )
        done = merge([make_run(tmp_path / "b", [row("0", "one", "ssim", 0.5)])], target)
        assert done.retired == 1
        assert values(target) == {("0", "ssim"): 0.5}

    def test_the_manifest_tells_where_it_came_from(self, tmp_path: Path) -> None:
        first = make_run(tmp_path / "a", [row("0", "one", "ssim", 0.1)])
        first.record("score", benchmark="mini")
        target = Run.create(tmp_path / "all")
        merge([first], target)
        (entry,) = target.manifest()["entries"]
        assert entry["sources"][0]["run"] == "a"
        assert entry["sources"][0]["entries"][0]["command"] == "score"
        assert str(tmp_path) not in json.dumps(entry)


class TestContradictions:
    def both(self, tmp_path: Path, one: Row, other: Row) -> str:
        target = Run.create(tmp_path / "all")
        with pytest.raises(RunError) as caught:
            merge([make_run(tmp_path / "a", [one]), make_run(tmp_path / "b", [other])], target)
        assert target.rows() == []
        assert target.benchmarks() == []
        return str(caught.value)

    def test_one_fingerprint_two_values(self, tmp_path: Path) -> None:
        said = self.both(tmp_path, row("0", "one", "ssim", 0.1), row("0", "one", "ssim", 0.2))
        assert "mini '0', one, ssim (faithful): 0.1 and 0.2, from the same input" in said

    def test_one_key_two_fingerprints(self, tmp_path: Path) -> None:
        said = self.both(
            tmp_path,
            row("0", "one", "ssim", 0.1),
            row("0", "one", "ssim", 0.1, fingerprint="other"),
        )
        assert "different outputs" in said

    def test_finite_and_infinite(self, tmp_path: Path) -> None:
        assert "psnr" in self.both(
            tmp_path, row("0", "one", "psnr", None, infinite=True), row("0", "one", "psnr", 50.0)
        )

    def test_the_last_bits_of_another_processor_are_no_contradiction(self, tmp_path: Path) -> None:
        target = Run.create(tmp_path / "all")
        other = row("0", "one", "ssim", 0.1 + 1e-12)
        merge(
            [
                make_run(tmp_path / "a", [row("0", "one", "ssim", 0.1)]),
                make_run(tmp_path / "b", [other]),
            ],
            target,
        )
        assert values(target) == {("0", "ssim"): 0.1}

    def test_two_outputs_of_one_editor(self, tmp_path: Path) -> None:
        first = make_run(tmp_path / "a", [], outputs={"0": b"x"})
        second = make_run(tmp_path / "b", [], outputs={"0": b"y"})
        with pytest.raises(RunError, match="one has two outputs for mini '0'"):
            merge([first, second], Run.create(tmp_path / "all"))

    def test_different_data(self, tmp_path: Path) -> None:
        first = make_run(tmp_path / "a", [])
        second = make_run(
            tmp_path / "b",
            [],
            samples=[record("0", instruction="something else") | {"benchmark": "mini"}],
        )
        with pytest.raises(RunError, match=r"sample '0' has another instruction"):
            merge([first, second], Run.create(tmp_path / "all"))

    def test_into_itself(self, tmp_path: Path) -> None:
        run = make_run(tmp_path / "a", [])
        with pytest.raises(RunError, match="into itself"):
            merge([run], run)


class TestReplies:
    def store(self, run: Run, *keys: str, more: str = "") -> None:
        with Paid(run.replies_path) as paid:
            for key in keys:
                paid.put(key, {"status": "ok", "content": run.path.name})
        db = sqlite3.connect(run.replies_path)
        db.executescript(more)
        db.close()

    def stored(self, run: Run) -> dict[str, str | None]:
        with Paid(run.replies_path) as paid:
            return {key: reply["content"] for key, reply in paid.replies()}

    def test_they_are_united_by_key(self, tmp_path: Path) -> None:
        first, second = make_run(tmp_path / "a", []), make_run(tmp_path / "b", [])
        self.store(first, "k1", "k2")
        self.store(second, "k2", "k3")
        target = Run.create(tmp_path / "all")
        assert merge([first, second], target).replies == 3
        assert self.stored(target) == {"k1": "a", "k2": "a", "k3": "b"}
