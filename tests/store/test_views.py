"""The views for queries by hand say what the tables say."""

from __future__ import annotations

import gc
from pathlib import Path

import duckdb
import pytest
from tests.made_rows import record, row

from editgauge.store.run_folder import RunFolder
from editgauge.store.views import NAME
from editgauge.tables.frame import Frame
from editgauge.types import Row, Status


def written(run: RunFolder, *rows: Row) -> None:
    with run.writer() as writer:
        writer.write(rows)


def query(run: Path, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(":memory:") as db:
        db.execute(f"SET VARIABLE run = '{run}'")
        db.execute((run / "rows" / "parquet" / NAME).read_text(encoding="utf-8"))
        return db.execute(sql).fetchall()


def test_means_are_those_of_the_tables(tmp_path: Path) -> None:
    """a: 1 and 3, and a repeat of 5 on the second: (1 + 4) / 2, one sample missing. b: infinite."""
    run = RunFolder.create(tmp_path / "run")
    run.write_samples("mini", [record(str(n)) for n in range(4)])
    written(
        run,
        row("0", "a", "psnr", 1.0), row("1", "a", "psnr", 3.0), row("1", "a", "psnr", 5.0, repeat=1),
        row("2", "a", "psnr", None, status=Status.MISSING),
        row("3", "a", "psnr", None, status=Status.NOT_APPLICABLE),
        row("0", "b", "psnr", 2.0), row("1", "b", "psnr", None, infinite=True),
    )  # fmt: skip
    frame = Frame.of_runs([RunFolder.open(run.path)], "mini")
    found = query(run.path, "SELECT editor, mean, n, asked, short FROM means ORDER BY editor")
    assert found == [("a", 2.5, 2, 3, True), ("b", float("inf"), 2, 2, False)]
    values = frame.grid("psnr", "faithful").values
    assert values[0][:2].mean() == 2.5
    assert values[1][:2].mean() == float("inf")
    assert query(run.path, "SELECT count(*) FROM scores WHERE value = 'infinity'") == [(1,)]
    assert query(run.path, "SELECT sample, status FROM failures ORDER BY 1") == [
        ("2", "missing"), ("3", "not_applicable"),
    ]  # fmt: skip


def test_states_that_went_before_are_not_counted(tmp_path: Path) -> None:
    """A reader that is still at work keeps its file: the views leave it out, and it goes with the
    next reader.
    """
    run = RunFolder.create(tmp_path / "run")
    written(run, row("0", "a", "ssim", 0.5))
    reader = RunFolder.open(run.path)
    reader.parquet()
    written(run, row("1", "a", "ssim", 0.7))
    RunFolder.open(run.path).parquet()
    files = list((run.path / "rows" / "parquet").glob("*.parquet"))
    assert len(files) == 2
    assert query(run.path, "SELECT n, mean FROM means") == [(2, pytest.approx(0.6))]
    del reader
    gc.collect()
    RunFolder.open(run.path).parquet()
    assert len(list((run.path / "rows" / "parquet").glob("*.parquet"))) == 1


def test_a_run_that_is_only_read_needs_no_views(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run")
    written(run, row("0", "a", "ssim", 0.5))
    run.parquet()
    views = run.path / "rows" / "parquet" / NAME
    views.unlink()
    views.mkdir()  # something is in the way
    assert len(RunFolder.open(run.path).rows()) == 1
