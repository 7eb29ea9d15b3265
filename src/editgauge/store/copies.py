"""Copies of files that may be anything."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from editgauge.errors import RunError

_CHUNK = 1 << 22


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


def copy(file: Path | str, target: Path | str, *, limit: int) -> tuple[str, os.stat_result]:
    """Copy a file of at most `limit` bytes, with its time, to a new file `target`; links to `file`
    are followed. Returns the hash of its bytes as `images.fingerprint` gives it, and what `os.stat`
    said of `file`.

    Raises `RunError` when it is no regular file or too large (a pipe is not waited for), `OSError`
    when it cannot be read or the target cannot be written.
    """
    from editgauge.images import picture_hash  # OpenCV takes its time, and tables need no picture

    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as source:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise RunError(f"{file}: no regular file; it is not taken")
        if found.st_size > limit:
            raise RunError(
                f"{file}: {found.st_size:,} bytes, wanted at most {limit:,}; it is not taken"
            )
        mark = picture_hash()
        with open(target, "xb") as made:
            while data := source.read(_CHUNK):
                mark.update(data)
                made.write(data)
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
    return mark.hexdigest(), found
