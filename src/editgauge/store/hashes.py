"""File hashes remembered by path, size and time, so that a second look at 10,000 pictures reads
none of them.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import Self

from editgauge import images
from editgauge.store.cache import Cache

_RACY = 2_000_000_000
"""A file changed less than this many nanoseconds ago is not remembered: it may change again within
one clock tick.
"""
_AT_ONCE = 5000
"""Hashes that are written in one transaction: each costs a wait for the disk."""


class HashStore:
    """Content hashes of files, kept in one file; paths are kept as hashes only, never in clear. A
    context manager. With `path` None it remembers for as long as it lives.
    """

    def __init__(self, path: Path | None) -> None:
        self._memory: dict[str, str] = {}
        self._new: dict[str, bytes] = {}
        self._known: dict[str, bytes] | None = None
        self._cache = Cache(None, "") if path is None else Cache(path.parent, path.name)

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
        if self._known is None:  # one by one takes as long as looking at the files
            self._known = self._cache.every()
        state, _, value = self._known.get(_key(name), b"").decode().rpartition(" ")
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
            self._new[_key(name)] = f"{_state(stat)} {value}".encode()
            if len(self._new) >= _AT_ONCE:
                self.flush()

    def forget(self, path: Path | str, *, lasting: bool = False) -> None:
        """Drop what this object remembers of a file that has just been replaced; with `lasting`
        also what it has kept, for a file that has changed behind its size and time.
        """
        name = os.fspath(path)
        self._memory.pop(name, None)
        if lasting:
            (self._known or {}).pop(_key(name), None)
            self._new[_key(name)] = b""

    def flush(self) -> None:
        """Write what is new."""
        if self._new:
            self._cache.put(self._new)
            self._new.clear()

    def close(self) -> None:
        self.flush()
        self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _state(stat: os.stat_result) -> str:
    return f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"


def _key(name: str) -> str:
    if not os.path.isabs(name) or ".." in name:  # else it is as short as `Path` keeps it
        name = os.path.abspath(name)
    return hashlib.blake2b(os.fsencode(name), digest_size=16).hexdigest()
