"""Runs read where they lie: rows from one Parquet file of the store, no pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.made_rows import row

from editgauge.errors import RunError
from editgauge.store import addresses, parquet, ranges
from editgauge.store.remote_run import fetched, working
from editgauge.store.run_folder import RunFolder
from editgauge.store.store_run import StoreRun, readable
from editgauge.tables import rows

fsspec = pytest.importorskip("fsspec")
RUN = Path("memory://lab/runs/one")


@pytest.fixture
def memory(memory_store: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """A store, and a machine that has seen nothing of it after ``other()``."""
    monkeypatch.setattr(addresses, "FIRST_PAUSE", 0.0)

    def other(name: str = "other") -> None:
        monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / name))

    memory_store.other = other
    other("first")
    ranges._store.cache_clear()
    yield memory_store
    ranges._store.cache_clear()


def write(run: Path, editors: int = 2, samples: int = 3) -> None:
    folder = RunFolder.create(run)
    folder.write_samples("mini", [{"benchmark": "mini", "id": str(n)} for n in range(samples)])
    with folder.writer() as writer:
        writer.write(
            row(str(n), f"e{e}", "m", float(e * samples + n))
            for e in range(editors)
            for n in range(samples)
        )
    (run / "edits" / "mini" / "e0").mkdir(parents=True, exist_ok=True)
    (run / "edits" / "mini" / "e0" / "0.png").write_bytes(b"a picture" * 1000)
    folder.record("test")


def test_rows_stay_on_the_store_and_pictures_too(memory: Any) -> None:
    with working(RUN) as here:
        write(here)
        wanted = RunFolder.open(here).rows()
    memory.other()
    run = readable(RUN)
    assert isinstance(run, StoreRun)
    assert run.rows() == wanted
    assert run.problems == []
    here_now = [p.name for p in run.path.rglob("*") if p.is_file()]
    assert not any(name.endswith((".png", ".parquet")) for name in here_now)
    assert not list((run.path / "rows" / "segments").glob("*.jsonl"))


def test_two_editors_of_many_are_read_without_the_others(
    memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "_GROUP", 2048)
    with working(RUN) as here:
        write(here, editors=40, samples=500)
    memory.other()
    asked: list[int] = []
    real = type(memory.system).cat_file

    def counted(self: Any, path: str, start: Any = None, end: Any = None, **more: Any) -> Any:
        asked.append((end or 0) - (start or 0))
        return real(self, path, start=start, end=end, **more)

    (run,) = rows.open_runs([RUN])
    monkeypatch.setattr(type(memory.system), "cat_file", counted)
    monkeypatch.setattr(ranges, "BLOCK", 1024)
    (frame,) = rows.frames([run], "mini", editors=["e7", "e8"])
    few = sum(asked)
    assert frame.grid("m", "faithful").values.tolist() == [
        [float(e * 500 + n) for n in range(500)] for e in (7, 8)
    ]
    asked.clear()
    (whole,) = rows.frames([run], "mini")
    assert len(whole.editors) == 40
    assert few < sum(asked) / 2, (few, sum(asked))


def test_calls_that_fail_in_passing_are_made_again(
    memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with working(RUN) as here:
        write(here)
    memory.other()
    generator = np.random.default_rng(0)
    real = type(memory.system).cat_file
    failed = []

    def flaky(self: Any, path: str, **more: Any) -> Any:
        if generator.random() < 0.3:
            failed.append(path)
            raise OSError("503 Slow Down")
        return real(self, path, **more)

    monkeypatch.setattr(type(memory.system), "cat_file", flaky)
    for _ in range(8):
        assert len(readable(RUN).rows()) == 6
    assert failed


def test_two_states_are_read_from_their_segments(memory: Any) -> None:
    with working(RUN) as here:
        write(here)
    memory.other("second")
    with working(RUN) as second:
        memory.other("third")
        with working(RUN) as third, RunFolder.open(third).writer() as writer:
            writer.write([row("x", "e0", "m", 1.0)])
        memory.other("second")
        with RunFolder.open(second).writer() as writer:
            writer.write([row("y", "e0", "m", 2.0)])
    memory.other("reader")
    run = readable(RUN)
    assert not isinstance(run, StoreRun)
    assert {one.sample for one in run.rows()} == {"0", "1", "2", "x", "y"}
    memory.other("fourth")
    with working(RUN) as here:
        RunFolder.open(here).record("test")  # whoever comes next joins them
    memory.other("reader")
    joined = readable(RUN)
    assert isinstance(joined, StoreRun)
    assert joined.rows() == run.rows()
    assert len([name for name in memory.system.store if name.endswith(".parquet")]) == 1


def test_who_works_on_a_run_reads_what_is_not_handed_over(memory: Any) -> None:
    with working(RUN) as here:
        write(here)
    with RunFolder.open(fetched(RUN)).writer() as writer:
        writer.write([row("new", "e0", "m", 1.0)])
    assert "new" in {one.sample for one in readable(RUN).rows()}


def test_a_file_that_is_gone_is_said(memory: Any) -> None:
    with working(RUN) as here:
        write(here)
    memory.other()
    run = readable(RUN)
    for name in [one for one in memory.system.store if one.endswith(".parquet")]:
        memory.system.rm_file(name)
    with pytest.raises(RunError, match="cannot be read"):
        run.rows()


def test_what_is_no_run_is_said(memory: Any) -> None:
    with pytest.raises(RunError, match="no run is there"):
        readable(Path("memory://lab/runs/none"))
