"""Copies of files, and file hashes remembered by path and by what the system says of the file, so
that a second look at 10,000 pictures reads none of them.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path
from typing import Self

from editgauge import temporary
from editgauge.errors import ImageError
from editgauge.store import paths
from editgauge.store.cache import Cache
from editgauge.types import MAX_FILE_BYTES

_CHUNK = 1 << 22
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_RACY = 2_000_000_000
"""A file changed less than this many ns ago is not remembered: one clock tick may hide a change."""


def looked_at(path: Path | str) -> os.stat_result | None:
    """What `os.stat` says of a regular file; None where there is none."""
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return None
    return facts if stat.S_ISREG(facts.st_mode) else None


def same(
    file: Path | str, copy: Path | str, facts: os.stat_result | None = None
) -> os.stat_result | None:
    """Return what `os.stat` says of `copy`, if that is a file of its own with the size and time of
    `file`: what `copy` left there. `facts`: what it said of `file`, where that is known.

    Return None when either is not there, and when the copy is a link or has another name elsewhere.
    Size and time prove no content: `HashStore.is_copy` does.
    """
    try:
        there, wanted = os.lstat(copy), facts or os.stat(file)
    except OSError:
        return None
    alike = there.st_size == wanted.st_size and there.st_mtime_ns == wanted.st_mtime_ns
    return there if alike and there.st_nlink == 1 and stat.S_ISREG(there.st_mode) else None


def copy(file: Path | str, target: Path | str) -> tuple[str, os.stat_result]:
    """Copy a file of at most `MAX_FILE_BYTES`, with its time, to `target`, whole or not at all;
    links to `file` are followed. Returns the hash of its bytes as `images.fingerprint` gives it,
    and what `os.stat` said of `file`.

    Raises `ImageError` when it cannot be read, is no regular file or too large, and `RunError` when
    the target cannot be written.
    """
    from editgauge.images import picture_hash  # OpenCV takes its time, and tables need no picture

    mark = picture_hash()
    try:
        handle = os.open(file, _READ)
    except OSError as error:
        raise ImageError(f"{file}: cannot be read ({error.strerror})", path=Path(file)) from error
    try:
        facts = os.fstat(handle)
        if why := paths.unlike_file(facts, MAX_FILE_BYTES):
            raise ImageError(f"{file}: cannot be read ({why})", path=Path(file))
        with temporary.file(target) as scratch:
            while data := os.read(handle, _CHUNK):
                mark.update(data)
                scratch.write(data)
            scratch.flush()
            os.utime(scratch.fileno(), ns=(facts.st_atime_ns, facts.st_mtime_ns))
    except OSError as error:
        raise paths.unwritable(Path(target), error) from error
    finally:
        os.close(handle)
    return mark.hexdigest(), facts


class HashStore:
    """Content hashes of files, kept in one file; paths are kept as hashes only, never in clear. A
    context manager. With `path` None it remembers for as long as it lives. With `verify` every file
    is read again, whatever an earlier command has remembered of it.
    """

    def __init__(self, path: Path | None, *, verify: bool = False) -> None:
        self._memory: dict[str, str] = {}
        self._new: dict[str, bytes] = {}
        self._known: dict[str, bytes] | None = {} if verify else None
        self._cache = Cache(None, "") if path is None else Cache(path.parent, path.name)

    def __call__(self, path: Path | str, facts: os.stat_result | None = None) -> str:
        """Hash of the file's bytes, as `images.fingerprint` gives it. `facts`: what `os.stat` says
        of it, where it is known. Raises `ImageError` when it cannot be read.
        """
        name = os.fspath(path)
        if (known := self._memory.get(name)) is not None:
            return known
        if facts is None and (facts := looked_at(name)) is None:
            raise ImageError(f"{name}: cannot be read (no such file)", path=Path(name))
        if self._known is None:  # one by one takes as long as looking at the files
            self._known = self._cache.get()
        state, there = file_state(facts), self._known.get(_key(name), b"")
        if there.startswith(state):
            value = self._memory[name] = there[len(state) :].decode()
            return value
        from editgauge.images import fingerprint  # OpenCV takes its time

        value = fingerprint(Path(name))
        self.learn(name, facts, value)
        return value

    def is_copy(
        self, file: Path | str, copy: Path | str, facts: os.stat_result | None = None
    ) -> bool:
        """Return whether `copy` has the bytes of `file`, and is what `copy` left there (`same`).
        Raises `ImageError` when one of them cannot be read.
        """
        there = same(file, copy, facts)
        return there is not None and self(file, facts) == self(copy, there)

    def learn(self, path: Path | str, facts: os.stat_result, value: str) -> None:
        """Remember the hash of a file that was read for another reason. `facts`: what `os.stat`
        said before the first byte was read.
        """
        name = os.fspath(path)
        self._memory[name] = value
        if time.time_ns() - facts.st_mtime_ns > _RACY:
            self._new[_key(name)] = file_state(facts) + value.encode()

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


def file_state(facts: os.stat_result) -> bytes:
    """The facts that change with a file's content. Its size and time may be set to those of the
    file before it (`cp -p`, `rsync -t`); its number or the time of the change are then others.
    """
    times = (facts.st_mtime_ns, facts.st_ctime_ns)
    return b"%d %d %d %d " % (facts.st_size, *times, facts.st_ino)


def _key(name: str) -> str:
    if name[:1] != "/" or "/." in name or "//" in name:
        name = os.path.abspath(name)
    return hashlib.blake2b(os.fsencode(name), digest_size=16).hexdigest()
