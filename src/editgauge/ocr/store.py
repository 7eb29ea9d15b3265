"""Recognised text kept by content, so that no picture is read twice: one SQLite file that many
processes share.

A text is kept as soon as it is read; what was kept survives a kill -9. Two processes that want the
same picture at the same time do the work once: the second waits at a file lock, which the system
opens when its owner dies.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson

from editgauge.errors import RunError
from editgauge.ocr.engine import Text
from editgauge.store import sqlite

FILE_NAME = "ocr.sqlite"
_STRIPES = 256
_TABLE = (
    "CREATE TABLE IF NOT EXISTS texts (key BLOB PRIMARY KEY, engine TEXT, texts BLOB) WITHOUT ROWID"
)
_local = threading.local()


class TextStore:
    """key -> recognised texts, below a folder: ``ocr.sqlite`` and its locks. May be pickled; opened
    when used.

    A store that cannot be opened, or is damaged, is set aside and begun anew; where not even that
    works it keeps nothing, and everything is read from the pictures again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: bytes) -> list[Text] | None:
        """The texts of a key, None where there are none yet."""
        database = self._database()
        if database is None:
            return None
        try:
            row = database.execute("SELECT texts FROM texts WHERE key = ?", (key,)).fetchone()
            return None if row is None else _unpacked(row[0])
        except sqlite3.OperationalError:
            return None  # locked for half a minute, or the disk is gone: read the picture
        except (sqlite3.DatabaseError, ValueError):
            self._set_aside()
            return None

    def put(self, key: bytes, engine: str, texts: Sequence[Text]) -> None:
        """Keep the texts of a key. The same key is only ever given the same texts."""
        database = self._database()
        if database is not None:
            with contextlib.suppress(
                sqlite3.Error
            ):  # a full disk must not cost the score that has just been made
                database.execute(
                    "INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", (key, engine, _packed(texts))
                )

    def __len__(self) -> int:
        database = self._database()
        return (
            0
            if database is None
            else int(database.execute("SELECT count(*) FROM texts").fetchone()[0])
        )

    @contextlib.contextmanager
    def reading(self, key: bytes) -> Iterator[None]:
        """Hold the right to read the picture of a key; whoever wants the same one waits."""
        try:
            import fcntl
        except ImportError:  # Windows: the picture may be read twice, with the same result
            yield
            return
        stripe = int.from_bytes(hashlib.blake2b(key, digest_size=2).digest(), "big") % _STRIPES
        try:
            place = self.folder / "ocr.locks"
            place.mkdir(parents=True, exist_ok=True)
            handle = os.open(place / f"{stripe:02x}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError:
            yield
            return
        try:
            with contextlib.suppress(OSError):  # some network file systems have no locks
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _database(self) -> sqlite3.Connection | None:
        """This thread's connection in this process: neither may be shared."""
        known: dict[tuple[int, Path], sqlite3.Connection | None] = _local.__dict__.setdefault(
            "open", {}
        )
        key = (os.getpid(), self.folder)
        if key not in known:
            known[key] = self._open()
        return known[key]

    def _open(self) -> sqlite3.Connection | None:
        for _ in range(2):
            try:
                return sqlite.connect(self.folder / FILE_NAME, [_TABLE])
            except sqlite3.OperationalError:
                return None  # a folder that cannot be written
            except sqlite3.DatabaseError:
                self._set_aside()
            except (OSError, RunError):
                return None
        return None

    def _set_aside(self) -> None:
        """Rename a damaged file: what it held is read from the pictures again."""
        known = _local.__dict__.setdefault("open", {})
        database = known.pop((os.getpid(), self.folder), None)
        if database is not None:
            database.close()
        sqlite.set_aside(self.folder / FILE_NAME)


def _packed(texts: Sequence[Text]) -> bytes:
    plain = orjson.dumps([[text.polygon, text.text, text.confidence] for text in texts])
    return sqlite.sealed(plain)


def _unpacked(data: object) -> list[Text] | None:
    """None for what is not what was packed: then the picture is read again."""
    plain = sqlite.unsealed(data)
    if plain is None:
        return None
    return [
        Text(tuple((float(x), float(y)) for x, y in polygon), str(text), float(confidence))
        for polygon, text, confidence in orjson.loads(plain)
    ]
