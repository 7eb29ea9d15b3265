"""Several processes on one run: no row is lost, none counts twice, no reader sees half a line."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path
from typing import Any

import pytest
from tests.made_rows import row

from editgauge.store.examine import examine
from editgauge.store.merge import merge
from editgauge.store.run_folder import EditRecord, RunFolder
from editgauge.types import Status

ROWS = 30


def _write(path: str, name: str, pause: float, barrier: Any) -> None:
    """As `score` does: the same rows as the others, and some of its own; then the manifest."""
    run = RunFolder.open(Path(path))
    barrier.wait(60)
    with run.writer(name) as writer:
        for number in range(ROWS):
            writer.write([row(f"s{number}", "one", "ssim", number / 7)])
            writer.write([row(f"s{number}", name, "psnr", number / 3)])
            time.sleep(pause)
    run.write_samples("mini", [{"id": f"{name}-{number}"} for number in range(5)])
    run.record("score", name=name)


def _edit(path: str, name: str, pause: float, barrier: Any) -> None:
    run = RunFolder.open(Path(path))
    barrier.wait(60)
    with run.edit_writer(name) as writer:
        for number in range(ROWS):
            run.write_edits(
                [
                    EditRecord(
                        benchmark="mini", sample=f"s{number}", editor=name, status=Status.MISSING
                    )
                ],
                writer,
            )
            time.sleep(pause)
    run.record("edit", name=name)


def _read(path: str, name: str, pause: float, barrier: Any) -> None:
    barrier.wait(60)
    for _ in range(4):
        run = RunFolder.open(Path(path))
        for one in run.rows():
            number = int(one.sample[1:])
            assert one.value == (number / 7 if one.metric == "ssim" else number / 3)
        assert run.problems == [], run.problems
        time.sleep(pause)


def _merge(path: str, name: str, pause: float, barrier: Any) -> None:
    barrier.wait(60)
    time.sleep(pause * 5)
    merge([RunFolder.open(Path(path).parent / "other")], RunFolder.open(Path(path)))


@pytest.mark.parametrize("turn", range(20))
def test_two_commands_at_once(tmp_path: Path, turn: int) -> None:
    kinds = [(_write, _write), (_write, _read), (_edit, _merge), (_write, _merge), (_read, _read)]
    pair = kinds[turn % len(kinds)]
    path = tmp_path / "run"
    RunFolder.create(path).record("start")
    other = RunFolder.create(tmp_path / "other")
    with other.writer() as writer:
        writer.write([row(f"s{number}", "merged", "ssim", number / 7) for number in range(ROWS)])
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "editgauge.store.parquet", "duckdb"])
    barrier = context.Barrier(2)
    workers = [
        context.Process(target=do, args=(str(path), name, 0.001 * (turn % 4), barrier))
        for do, name in zip(pair, ("two", "three"), strict=True)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
        assert worker.exitcode == 0
    run = RunFolder.open(path)
    found = {(one.sample, one.editor, one.metric): one.value for one in run.rows()}
    wanted: dict[tuple[str, str, str], float] = {}
    for do, name in zip(pair, ("two", "three"), strict=True):
        for number in range(ROWS):
            if do is _write:
                wanted[f"s{number}", "one", "ssim"] = number / 7
                wanted[f"s{number}", name, "psnr"] = number / 3
            elif do is _merge:
                wanted[f"s{number}", "merged", "ssim"] = number / 7
    assert found == wanted
    assert len(run.edits()) == ROWS * sum(do is _edit for do in pair)
    assert run.problems == []
    assert examine(run) == []
