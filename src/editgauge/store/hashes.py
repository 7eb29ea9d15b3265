"""Copies of files, and file hashes remembered by path, size and time, so that a second look at
10,000 pictures reads none of them.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path
from typing import Self

from editgauge import temporary
from editgauge.errors import ImageError, RunError
from editgauge.store import paths
from editgauge.store.cache import Cache
from editgauge.types import MAX_FILE_BYTES

_CHUNK = 1 << 22
_RACY = 2_000_000_000
"""A file changed less than this many nanoseconds ago is not remembered: it may change again within
one clock tick.
"""


def same(file: Path | str, copy: Path | str) -> bool:
    """Whether `copy` is a file of its own with the size and time of `file`: what `copy` left there.

    False when either is not there, and when the copy is a link or has another name elsewhere.
    """
    try:
        wanted, there = os.stat(file), os.lstat(copy)
    except OSError:
        return False
    alike = (there.st_size, there.st_mtime_ns) == (wanted.st_size, wanted.st_mtime_ns)
    return alike and stat.S_ISREG(there.st_mode) and there.st_nlink == 1


def copy(file: Path, target: Path) -> tuple[str, os.stat_result]:
    """Copy a file of at most `MAX_FILE_BYTES`, with its time, to `target`, whole or not at all;
    links to `file` are followed. Returns the hash of its bytes as `images.fingerprint` gives it,
    and what `os.stat` said of `file`.

    Raises `ImageError` when it cannot be read, is no regular file or too large, and `RunError` when
    the target cannot be written.
    """
    from editgauge.images import picture_hash  # OpenCV takes its time, and tables need no picture

    mark = picture_hash()
    try:
        real = file.resolve() if file.is_symlink() else file
        handle = paths.open_read(real, limit=MAX_FILE_BYTES)
    except (OSError, RunError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ImageError(f"{file}: cannot be read ({why})", path=file) from error
    try:
        with os.fdopen(handle, "rb") as source, temporary.file(target) as scratch:
            facts = os.fstat(handle)
            while data := source.read(_CHUNK):
                mark.update(data)
                scratch.write(data)
            scratch.flush()
            os.utime(scratch.name, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    except OSError as error:
        raise paths.unwritable(target, error) from error
    return mark.hexdigest(), facts


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
        from editgauge.images import fingerprint

        name = os.fspath(path)
        if (known := self._memory.get(name)) is not None:
            return known
        try:
            facts = os.stat(name)
        except OSError:
            return fingerprint(Path(name))  # raises with the reason
        if self._known is None:  # one by one takes as long as looking at the files
            self._known = self._cache.get()
        state, _, value = self._known.get(_key(name), b"").decode().rpartition(" ")
        if state != _state(facts):
            value = fingerprint(Path(name))
            self.learn(name, facts, value)
        self._memory[name] = value
        return value

    def learn(self, path: Path | str, facts: os.stat_result, value: str) -> None:
        """Remember the hash of a file that was read for another reason. `facts`: what `os.stat`
        said before the first byte was read.
        """
        name = os.fspath(path)
        self._memory[name] = value
        if time.time_ns() - facts.st_mtime_ns > _RACY:
            self._new[_key(name)] = f"{_state(facts)} {value}".encode()

    def forget(self, path: Path | str) -> None:
        """Drop what is known of a file that has changed behind its size and time."""
        name = os.fspath(path)
        self._memory.pop(name, None)
        (self._known or {}).pop(_key(name), None)
        self._new[_key(name)] = b""

    def flush(self) -> None:
        """Write what is new."""
        if self._new:
            self._cache.put(self._new)
            self._new.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.flush()


def _state(facts: os.stat_result) -> str:
    return f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ino}"


def _key(name: str) -> str:
    return hashlib.blake2b(os.fsencode(os.path.abspath(name)), digest_size=16).hexdigest()
