"""SQLite files shared by processes: opened at once by many, refused when they are not what they
seem, and sealed against flipped bits.
"""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from editgauge.store import sqlite

TABLE = "CREATE TABLE IF NOT EXISTS t (key TEXT PRIMARY KEY, value BLOB)"


def _open(path: str, barrier: Any, results: Any) -> None:
    for number in range(10):
        barrier.wait(60)
        try:
            sqlite.connect(Path(f"{path}-{number}"), [TABLE]).close()
            results.put("opened")
        except BaseException as error:
            results.put(repr(error))


def test_processes_may_make_one_database_at_once(tmp_path: Path) -> None:
    """SQLite does not wait for the change to WAL mode: one of two processes was told "locked", and
    read without a store from then on.
    """
    context = multiprocessing.get_context("fork" if hasattr(os, "fork") else "spawn")
    barrier, results = context.Barrier(4), context.Queue()
    workers = [
        context.Process(target=_open, args=(str(tmp_path / "db"), barrier, results))
        for _ in range(4)
    ]
    for worker in workers:
        worker.start()
    assert [results.get(timeout=60) for _ in range(40)] == ["opened"] * 40
    for worker in workers:
        worker.join(60)


def test_a_lock_while_the_database_is_made_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocker = sqlite3.connect(tmp_path / "db", isolation_level=None)
    blocker.execute(TABLE)
    blocker.execute("BEGIN EXCLUSIVE")
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 3:
            blocker.execute("COMMIT")

    monkeypatch.setattr("editgauge.store.sqlite.time.sleep", nap)
    monkeypatch.setattr("editgauge.store.sqlite.sqlite3.connect", _impatient(sqlite3.connect))
    db = sqlite.connect(tmp_path / "db", [TABLE])
    assert len(naps) == 3
    db.close()
    blocker.close()


def _impatient(connect: Any) -> Any:
    return lambda path, **more: connect(path, **{**more, "timeout": 0})


def test_a_seal_finds_every_flipped_bit() -> None:
    sealed = sqlite.sealed(b"some bytes")
    assert sqlite.unsealed(sealed) == b"some bytes"
    for place in range(len(sealed) * 8):
        data = bytearray(sealed)
        data[place // 8] ^= 1 << place % 8
        assert sqlite.unsealed(bytes(data)) is None
    for other in (b"", b"abc", None, 7, "text"):
        assert sqlite.unsealed(other) is None
