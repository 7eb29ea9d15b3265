"""SQLite files that many processes share: how the stores of hashes, replies, recognised text and
features open theirs.

A file of a run may come from anybody: it is opened only when it is a regular file (its journals,
too), and refused when it holds a trigger or a view. Values that numbers are made of are `sealed`:
SQLite itself would give back a flipped bit without a word.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from editgauge.store import paths

JOURNALS = ("-wal", "-shm", "-journal")
_SEAL = 4


def connect(path: Path, schema: Sequence[str], *, timeout: float = 30.0) -> sqlite3.Connection:
    """Open a database, made with its folder where it is not there, in WAL mode and in autocommit;
    `schema` are statements that are run each time.

    Waits up to `timeout` seconds for other processes, also for the change to WAL mode, for which
    SQLite itself does not wait. The connection may be used by any thread, one at a time. Raises
    `RunError` for what is no regular file, and `sqlite3.Error` or `OSError` when it cannot be
    opened.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    need_files(path)
    db = sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)
    try:
        _prepare(db, schema, time.monotonic() + timeout)
        if odd := strange(db):
            raise sqlite3.DatabaseError(f"it holds a {odd}, which is none of ours")
    except BaseException:
        db.close()
        raise
    return db


@contextlib.contextmanager
def readable(path: Path) -> Iterator[Path]:
    """A database as it can be read, for the length of a `with` block: the file itself, or a copy of
    it with its journal (the place of an empty one where there is none) where its folder cannot be
    written, since SQLite writes beside what it reads. What is changed in a copy is lost.

    Raises `RunError` for what is no regular file, and `OSError` when it cannot be copied.
    """
    if os.access(path.parent, os.W_OK):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        place = Path(folder) / path.name
        for suffix in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                _copy(Path(f"{path}{suffix}"), Path(f"{place}{suffix}"))
        yield place


def need_files(path: Path) -> None:
    """Raises `RunError` when a database or one of its journals is there and is no regular file."""
    for suffix in ("", *JOURNALS):
        with contextlib.suppress(FileNotFoundError):
            os.close(paths.open_read(Path(f"{path}{suffix}")))


def strange(db: sqlite3.Connection) -> str:
    """What a database holds that no store of ours does (a trigger, a view), or ""."""
    found = db.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1"
    ).fetchone()
    return f"{found[0]} {found[1]!r}" if found else ""


def set_aside(path: Path) -> None:
    """Rename a damaged database and its journals to ``<name>.damaged…``."""
    for suffix in ("", *JOURNALS):
        with contextlib.suppress(OSError):
            os.replace(f"{path}{suffix}", f"{path}.damaged{suffix}")


def sealed(data: bytes) -> bytes:
    """`data` behind its checksum."""
    return zlib.crc32(data).to_bytes(_SEAL, "big") + data


def unsealed(value: object) -> bytes | None:
    """What was `sealed`, or None when it is not what it was."""
    if not isinstance(value, bytes) or len(value) < _SEAL:
        return None
    data = value[_SEAL:]
    return data if zlib.crc32(data).to_bytes(_SEAL, "big") == value[:_SEAL] else None


def _copy(source: Path, target: Path) -> None:
    with os.fdopen(paths.open_read(source), "rb") as theirs, target.open("wb") as ours:
        shutil.copyfileobj(theirs, ours, 1 << 20)


def _prepare(db: sqlite3.Connection, schema: Sequence[str], until: float) -> None:
    pause = 0.005
    while True:
        try:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            for statement in schema:
                db.execute(statement)
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > until:
                raise
            time.sleep(pause)
            pause = min(0.1, pause * 1.5)
