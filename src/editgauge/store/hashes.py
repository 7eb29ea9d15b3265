"""File hashes remembered by path, size and time, so that a second look at 10,000 pictures reads
none of them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from pathlib import Path
from typing import Self

from editgauge import images
from editgauge.errors import RunError
from editgauge.store import sqlite

_TABLE = (
    "CREATE TABLE IF NOT EXISTS files "
    "(path BLOB PRIMARY KEY, size INT, mtime INT, inode INT, hash TEXT)"
)
_RACY = 2_000_000_000
"""A file changed less than this many nanoseconds ago is not remembered: it may change again within
one clock tick.
"""
_AT_ONCE = 5000
"""Hashes that are written in one transaction: each costs a wait for the disk."""
_MOST = 1_000_000
"""Hashes that are held in memory: some 250 MB. Files beyond are read again."""
_State = tuple[int, int, int]
"""Size, time and inode."""


class HashStore:
    """Content hashes of files, kept in one SQLite file; paths are kept as hashes only, never in
    clear. A context manager.

    With `path` None, or where the file cannot be opened, it remembers for as long as it lives.
    """

    def __init__(self, path: Path | None) -> None:
        self._memory: dict[str, str] = {}
        self._new: dict[bytes, tuple[_State, str]] = {}
        self._known: dict[bytes, tuple[_State, str]] | None = None
        self._db: sqlite3.Connection | None = None
        if path is not None:  # a cache that cannot be kept is only slower
            with contextlib.suppress(sqlite3.Error, OSError, RunError):
                self._db = sqlite.connect(path, [_TABLE])

    def __call__(self, path: Path | str) -> str:
        """Hash of the file's bytes, as `images.fingerprint` gives it. Raises `ImageError` when it
        cannot be read.
        """
        name = os.fspath(path)
        if (known := self._memory.get(name)) is not None:
            return known
        try:
            stat = os.stat(name)
        except OSError:
            return images.fingerprint(Path(name))  # raises with the reason
        if self._known is None:
            self._known = self._read()
        state, value = self._known.get(_key(name), (None, ""))
        if state != _state(stat):
            value = images.fingerprint(Path(name))
            self.learn(name, stat, value)
        self._memory[name] = value
        return value

    def learn(self, path: Path | str, stat: os.stat_result, value: str) -> None:
        """Remember the hash of a file that was read for another reason. `stat`: as it was before
        the first byte was read.
        """
        name = os.fspath(path)
        self._memory[name] = value
        if time.time_ns() - stat.st_mtime_ns > _RACY:
            self._new[_key(name)] = _state(stat), value
            if len(self._new) >= _AT_ONCE:
                self.flush()

    def forget(self, path: Path | str, *, lasting: bool = False) -> None:
        """Drop what this object remembers of a file that has just been replaced; with `lasting`
        also what it has kept, for a file that has changed behind its size and time.
        """
        name = os.fspath(path)
        self._memory.pop(name, None)
        if lasting:
            for kept in (self._known, self._new):
                if kept is not None:
                    kept.pop(_key(name), None)
            if self._db is not None:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("DELETE FROM files WHERE path = ?", (_key(name),))

    def flush(self) -> None:
        """Write what is new."""
        if self._db is not None and self._new:
            rows = [(key, *state, value) for key, (state, value) in self._new.items()]
            try:
                with sqlite.transaction(self._db):
                    self._db.executemany("INSERT OR REPLACE INTO files VALUES (?,?,?,?,?)", rows)
            except sqlite3.Error:
                self._db = None
        self._new.clear()

    def close(self) -> None:
        self.flush()
        if self._db is not None:
            self._db.close()
            self._db = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> dict[bytes, tuple[_State, str]]:
        """What an earlier command has left, at the first question: one by one takes as long as
        looking at the files. The newest `_MOST` of them.
        """
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                query = "SELECT * FROM files ORDER BY rowid DESC LIMIT ?"
                found = self._db.execute(query, (_MOST,))
                return {key: ((size, at, inode), value) for key, size, at, inode, value in found}
        return {}


def _state(stat: os.stat_result) -> _State:
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _key(name: str) -> bytes:
    if not os.path.isabs(name) or ".." in name:  # else it is as short as `Path` keeps it
        name = os.path.abspath(name)
    return hashlib.blake2b(os.fsencode(name), digest_size=16).digest()
