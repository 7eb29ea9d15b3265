"""File hashes remembered by path, size and time, so that a second look at 10,000 pictures reads
none of them.
"""

from __future__ import annotations

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


class HashStore:
    """Content hashes of files, kept in one SQLite file; paths are kept as hashes only, never in
    clear.

    With `path` None, or where the file cannot be opened, it remembers for as long as it lives.
    """

    def __init__(self, path: Path | None) -> None:
        self._memory: dict[Path, str] = {}
        self._new: list[tuple[bytes, int, int, int, str]] = []
        self._db: sqlite3.Connection | None = None
        if path is not None:
            try:
                self._db = sqlite.connect(path, [_TABLE])
            except (sqlite3.Error, OSError, RunError):
                self._db = None  # a cache that cannot be kept is only slower

    def __call__(self, path: Path) -> str:
        """Hash of the file's bytes, as `images.fingerprint` gives it. Raises `ImageError` when it
        cannot be read.
        """
        if (known := self._memory.get(path)) is not None:
            return known
        try:
            stat = path.stat()
        except OSError:
            return images.fingerprint(path)  # raises with the reason
        key = hashlib.blake2b(os.fsencode(os.path.abspath(path)), digest_size=16).digest()
        value = self._look_up(key, stat)
        if value is None:
            value = images.fingerprint(path)
            if time.time_ns() - stat.st_mtime_ns > _RACY:
                self._new.append((key, stat.st_size, stat.st_mtime_ns, stat.st_ino, value))
                if len(self._new) >= 500:
                    self.flush()
        self._memory[path] = value
        return value

    def forget(self, path: Path) -> None:
        """Drop what this object remembers of a file that has just been replaced."""
        self._memory.pop(path, None)

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
        if self._db is None:
            return None
        try:
            found = self._db.execute(
                "SELECT size, mtime, inode, hash FROM files WHERE path = ?", (key,)
            ).fetchone()
        except sqlite3.Error:
            return None
        if found is None or found[:3] != (stat.st_size, stat.st_mtime_ns, stat.st_ino):
            return None
        return str(found[3])
