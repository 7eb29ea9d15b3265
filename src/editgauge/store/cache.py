"""What was computed once, kept by content: one SQLite file in a folder that outlives runs and that
many processes share.

A value is written whole and behind its checksum, as soon as it is there; a process that is killed
loses what it was computing and nothing else. A cache costs nobody a score: a file that is damaged
is set aside and begun anew, and where a folder cannot be written nothing is kept.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from editgauge.errors import RunError
from editgauge.store import sqlite

_TABLE = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID"
_AT_ONCE = 500
_local = threading.local()


class Cache:
    """key -> bytes, in the file `name` of a folder; in memory without a folder. May be pickled;
    each thread of a process opens the file when it first uses it.
    """

    def __init__(self, folder: Path | None, name: str) -> None:
        self.path = None if folder is None else folder / name
        self._memory: dict[str, bytes] = {}

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The values that are there; keys without one are left out."""
        if self.path is None:
            return {key: self._memory[key] for key in keys if key in self._memory}
        found: dict[str, bytes] = {}
        try:
            for start in range(0, len(keys), _AT_ONCE):
                part = list(keys[start : start + _AT_ONCE])
                query = f"SELECT key, value FROM kept WHERE key IN ({','.join('?' * len(part))})"
                for key, value in self._run(query, part):
                    if (data := sqlite.unsealed(value)) is not None:  # else computed again
                        found[key] = data
        except sqlite3.OperationalError:
            pass  # locked for long, or the disk is gone: it is computed again
        except sqlite3.DatabaseError:
            self._set_aside()
        return found

    def put(self, values: Mapping[str, bytes]) -> None:
        """Keep values. The same key is only ever given the same value."""
        if self.path is None:
            self._memory.update(values)
            return
        rows = [(key, sqlite.sealed(value)) for key, value in values.items()]
        with contextlib.suppress(sqlite3.Error):  # a full disk must not cost what was just made
            self._run("BEGIN IMMEDIATE")
            try:
                for row in rows:
                    self._run("INSERT OR REPLACE INTO kept VALUES (?, ?)", row)
            except BaseException:
                self._run("ROLLBACK")
                raise
            self._run("COMMIT")

    def _run(self, statement: str, values: Sequence[object] = ()) -> list[tuple[str, object]]:
        database = self._database()
        return [] if database is None else database.execute(statement, values).fetchall()

    def _database(self) -> sqlite3.Connection | None:
        """This thread's connection in this process: neither may be shared."""
        known: dict[object, sqlite3.Connection | None] = _local.__dict__.setdefault("open", {})
        key = (os.getpid(), self.path)
        if key not in known:
            known[key] = self._open()
        return known[key]

    def _open(self) -> sqlite3.Connection | None:
        assert self.path is not None
        for _ in range(2):
            try:
                return sqlite.connect(self.path, [_TABLE])
            except sqlite3.OperationalError:
                return None  # a folder that cannot be written
            except sqlite3.DatabaseError:
                sqlite.set_aside(self.path)
            except (OSError, RunError):
                return None
        return None

    def _set_aside(self) -> None:
        assert self.path is not None
        database = _local.__dict__.get("open", {}).pop((os.getpid(), self.path), None)
        if database is not None:
            database.close()
        sqlite.set_aside(self.path)
