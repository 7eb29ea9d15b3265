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
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from editgauge.errors import RunError
from editgauge.store import sqlite

_TABLE = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID"
_ODD = "SELECT type FROM sqlite_master WHERE type IN ('trigger', 'view')"
_PRAGMAS = ("PRAGMA trusted_schema = OFF", "PRAGMA synchronous = OFF")
_PATIENCE = 30.0
_AT_ONCE = 500
_MOST = 1_000_000
"""Values that `every` gives at the most."""
_SEAL = 4
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
        for start in range(0, len(keys), _AT_ONCE):
            part = list(keys[start : start + _AT_ONCE])
            found |= self._read(f"WHERE key IN ({','.join('?' * len(part))})", part)
        return found

    def every(self) -> dict[str, bytes]:
        """Every value, where they are not very many."""
        return dict(self._memory) if self.path is None else self._read("LIMIT ?", [_MOST])

    def put(self, values: Mapping[str, bytes]) -> None:
        """Keep values. The same key is only ever given the same value, or the newer one counts."""
        if self.path is None:
            self._memory.update(values)
            return
        rows = [(key, sealed(value)) for key, value in values.items()]
        database = self._database()
        if database is not None:
            with contextlib.suppress(sqlite3.Error), sqlite.transaction(database):
                database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", rows)

    def _read(self, where: str, values: Sequence[object]) -> dict[str, bytes]:
        database, found = self._database(), {}
        try:
            if database is not None:
                query = f"SELECT key, value FROM kept {where}"
                for key, value in database.execute(query, values):
                    if (data := unsealed(value)) is not None:  # else computed again
                        found[key] = data
        except sqlite3.OperationalError:
            pass  # locked for long, or the disk is gone: it is computed again
        except sqlite3.DatabaseError:
            self._set_aside()
        return found

    def _database(self) -> sqlite3.Connection | None:
        """This thread's connection in this process: neither may be shared."""
        known: dict[object, sqlite3.Connection | None] = _local.__dict__.setdefault("open", {})
        key = (os.getpid(), self.path)
        if key not in known:
            known[key] = self._opened() or self._opened()
        return known[key]

    def _opened(self) -> sqlite3.Connection | None:
        assert self.path is not None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            sqlite.need_files(self.path)
            with contextlib.ExitStack() as opening:
                db = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
                opening.callback(db.close)
                for statement in (*_PRAGMAS, _TABLE):
                    db.execute(statement)
                if db.execute(_ODD).fetchone():
                    raise sqlite3.DatabaseError("it holds what is none of ours")
                opening.pop_all()
            return db
        except sqlite3.OperationalError:
            return None  # a folder that cannot be written
        except sqlite3.DatabaseError:
            self._set_aside()
            return None
        except (OSError, RunError):
            return None

    def _set_aside(self) -> None:
        self.close()
        with contextlib.suppress(OSError):
            os.replace(f"{self.path}", f"{self.path}.damaged")

    def close(self) -> None:
        """Let go of the file, in this thread."""
        database = _local.__dict__.get("open", {}).pop((os.getpid(), self.path), None)
        if database is not None:
            database.close()


def sealed(data: bytes) -> bytes:
    """`data` behind its checksum."""
    return zlib.crc32(data).to_bytes(_SEAL, "big") + data


def unsealed(value: object) -> bytes | None:
    """What was `sealed`, or None when it is not what it was."""
    if not isinstance(value, bytes) or len(value) < _SEAL:
        return None
    data = value[_SEAL:]
    return data if sealed(data) == value else None
