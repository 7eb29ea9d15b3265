"""Copies of files: by reference where the file system shares blocks, else byte for byte."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from pathlib import Path

from editgauge.errors import RunError

_FICLONE = 0x40049409
"""Linux: let one file share the blocks of another until one of them is written."""


def same(file: Path, copy: Path) -> bool:
    """Whether `copy` is a file of its own with the size and time of `file`: what `copy` left there.

    False when either is not there, and when the copy is a link or has another name elsewhere.
    """
    try:
        wanted, there = file.stat(), copy.lstat()
    except OSError:
        return False
    return (
        stat.S_ISREG(there.st_mode)
        and there.st_nlink == 1
        and (there.st_size, there.st_mtime_ns) == (wanted.st_size, wanted.st_mtime_ns)
    )


def copy(file: Path, target: Path, *, limit: int) -> None:
    """Copy a file of at most `limit` bytes, with its time, to a new file `target`; links to `file`
    are followed.

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
            if not _reflink(source, made):
                with (
                    os.fdopen(source, "rb", closefd=False) as reading,
                    os.fdopen(made, "wb", closefd=False) as writing,
                ):
                    shutil.copyfileobj(reading, writing, 1 << 20)
            os.utime(made if os.utime in os.supports_fd else target, ns=_times(found))
        finally:
            os.close(made)
    finally:
        os.close(source)


def _times(found: os.stat_result) -> tuple[int, int]:
    return found.st_atime_ns, found.st_mtime_ns


def _reflink(source: int, made: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    import fcntl

    try:
        fcntl.ioctl(made, _FICLONE, source)
    except OSError:  # another file system, or one that knows no shared blocks
        return False
    return True
