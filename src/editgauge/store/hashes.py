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
from types import TracebackType
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


class HashStore:
    """Content hashes of files, kept in one SQLite file; paths are kept as hashes only, never in
    clear.

    With `path` None, or where the file cannot be opened, it remembers for as long as it lives.
    """

    def __init__(self, path: Path | None) -> None:
        self._memory: dict[str, str] = {}
        self._new: list[tuple[bytes, int, int, int, str]] = []
        self._known: dict[bytes, tuple[int, int, int, str]] | None = None
        self._db: sqlite3.Connection | None = None
        if path is not None:
            try:
                self._db = sqlite.connect(path, [_TABLE])
            except (sqlite3.Error, OSError, RunError):
                self._db = None  # a cache that cannot be kept is only slower

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
        value = self._look_up(_key(name), stat)
        if value is None:
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
            self._new.append((_key(name), stat.st_size, stat.st_mtime_ns, stat.st_ino, value))
            if len(self._new) >= _AT_ONCE:
                self.flush()

    def forget(self, path: Path | str, *, lasting: bool = False) -> None:
        """Drop what this object remembers of a file that has just been replaced; with `lasting`
        also what it has kept, for a file that has changed behind its size and time.
        """
        name = os.fspath(path)
        self._memory.pop(name, None)
        if lasting:
            key = _key(name)
            if self._known is not None:
                self._known.pop(key, None)
            self._new = [row for row in self._new if row[0] != key]
            if self._db is not None:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("DELETE FROM files WHERE path = ?", (key,))

    def flush(self) -> None:
        if self._db is not None and self._new:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                with self._db:  # commits
                    self._db.executemany(
                        "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", self._new
                    )
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def _look_up(self, key: bytes, stat: os.stat_result) -> str | None:
        if self._known is None:
            self._known = self._read()
        found = self._known.get(key)
        if found is None or found[:3] != (stat.st_size, stat.st_mtime_ns, stat.st_ino):
            return None
        return str(found[3])

    def _read(self) -> dict[bytes, tuple[int, int, int, str]]:
        """What an earlier command has left, at the first question: one by one takes as long as
        looking at the files. The newest `_MOST` of them.
        """
        if self._db is None:
            return {}
        try:
            found = self._db.execute(
                "SELECT path, size, mtime, inode, hash FROM files ORDER BY rowid DESC LIMIT ?",
                (_MOST,),
            )
            return {key: tuple(rest) for key, *rest in found}
        except sqlite3.Error:
            return {}


def _key(name: str) -> bytes:
    if not os.path.isabs(name) or ".." in name:  # else it is as short as `Path` keeps it
        name = os.path.abspath(name)
    return hashlib.blake2b(os.fsencode(name), digest_size=16).digest()
