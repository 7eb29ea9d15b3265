"""What was computed once, by content, in one SQLite file for many processes. It costs nobody a
score: a damaged file is set aside, and where a folder cannot be written nothing is kept.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from editgauge.errors import RunError
from editgauge.store import locks, sqlite

_TABLE = (
    "CREATE TABLE IF NOT EXISTS known (key TEXT PRIMARY KEY, value BLOB, mark INTEGER) "
    "WITHOUT ROWID"
)
_OPENING = ("PRAGMA trusted_schema = OFF", "PRAGMA synchronous = OFF", _TABLE)
_PATIENCE = 30.0


class Cache:
    """key -> bytes, in the file `name` of a folder; in memory without a folder. May be pickled, and
    used by many threads.
    """

    def __init__(self, folder: Path | None, name: str) -> None:
        self.path = None if folder is None else folder / name
        self._memory: dict[str, bytes] = {}

    def get(self, keys: Sequence[str] | None = None) -> dict[str, bytes]:
        """The values that are there, of all keys where none is named; others are left out."""
        if self.path is None:
            wanted = self._memory.keys() if keys is None else self._memory.keys() & {*keys}
            return {key: self._memory[key] for key in wanted}
        query, asked = "SELECT * FROM known", tuple[str, ...]()
        if keys is not None:
            query += " WHERE key IN (SELECT value FROM json_each(?))"
            asked = (json.dumps([*keys]),)
        there = self._tried(lambda db: db.execute(query, asked).fetchall())
        return {  # what is damaged is computed again
            key: value
            for key, value, mark in there
            if isinstance(value, bytes) and zlib.crc32(value) == mark
        }

    def put(self, values: Mapping[str, bytes]) -> None:
        """Keep values. The same key is only ever given the same value, or the newer one counts."""
        if self.path is None:
            self._memory.update(values)
            return
        rows = [(key, value, zlib.crc32(value)) for key, value in values.items()]

        def write(db: sqlite3.Connection) -> list[Any]:
            with sqlite.transaction(db):
                return [*db.executemany("INSERT OR REPLACE INTO known VALUES (?, ?, ?)", rows)]

        self._tried(write)

    def _tried(self, work: Callable[[sqlite3.Connection], list[Any]]) -> list[Any]:
        """Work on the file; where it is damaged, on a new one."""
        assert self.path is not None
        for _ in range(2):
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                locks.need(self.path.parent)
                sqlite.need_files(self.path)
                with contextlib.closing(
                    sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
                ) as db:
                    for statement in _OPENING:
                        db.execute(statement)
                    return work(db)
            except (sqlite3.OperationalError, OSError, RunError):
                break  # locked for long, or a folder that cannot be written
            except sqlite3.DatabaseError:
                with contextlib.suppress(OSError):
                    os.replace(self.path, f"{self.path}.damaged")
        return []
