"""Copies of files: by reference where the file system shares blocks, else byte for byte."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

from editgauge.errors import RunError
from editgauge.images import picture_hash

_FICLONE = 0x40049409
"""Linux: let one file share the blocks of another until one of them is written."""


_SMALL = 1 << 22
_without: set[int] = set()
"""File systems (device numbers) that share no blocks: not asked again."""


def same(file: Path | str, copy: Path | str) -> bool:
    """Whether `copy` is a file of its own with the size and time of `file`: what `copy` left there.

    False when either is not there, and when the copy is a link or has another name elsewhere.
    """
    try:
        wanted, there = os.stat(file), os.lstat(copy)
    except OSError:
        return False
    return (
        stat.S_ISREG(there.st_mode)
        and there.st_nlink == 1
        and (there.st_size, there.st_mtime_ns) == (wanted.st_size, wanted.st_mtime_ns)
    )


def copy(file: Path | str, target: Path | str, *, limit: int) -> tuple[str | None, os.stat_result]:
    """Copy a file of at most `limit` bytes, with its time, to a new file `target`; links to `file`
    are followed. Returns the hash of its bytes as `images.fingerprint` gives it (None where the
    copy is by reference: no byte was read) and what `os.stat` said of `file`.

    Raises `RunError` when it is no regular file or too large (a pipe is not waited for), `OSError`
    when it cannot be read or the target cannot be written.
    """
    source = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        found = os.fstat(source)
        if not stat.S_ISREG(found.st_mode):
            raise RunError(f"{file}: no regular file; it is not taken")
        if found.st_size > limit:
            raise RunError(
                f"{file}: {found.st_size:,} bytes, wanted at most {limit:,}; it is not taken"
            )
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        made = os.open(target, flags, 0o644)
        try:
            mark = None if _reflink(source, made, found) else _write(source, made)
            times = (found.st_atime_ns, found.st_mtime_ns)
            os.utime(made if os.utime in os.supports_fd else target, ns=times)
            return mark, found
        finally:
            os.close(made)
    finally:
        os.close(source)


def _write(source: int, made: int) -> str:
    """Copy all bytes from one descriptor to another; their hash."""
    mark = picture_hash()
    while data := os.read(source, _SMALL):
        mark.update(data)
        while data:
            data = data[os.write(made, data) :]
    return mark.hexdigest()


def _reflink(source: int, made: int, found: os.stat_result) -> bool:
    if not sys.platform.startswith("linux") or found.st_dev in _without:
        return False
    import fcntl

    try:
        fcntl.ioctl(made, _FICLONE, source)
    except OSError as error:  # another file system, or one that shares no blocks
        if error.errno in (errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL, errno.EXDEV):
            _without.add(found.st_dev)
        return False
    return True
