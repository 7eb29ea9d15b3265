"""The machine: its memory, and its faults, which are nobody's score: a full disk, a quota, no file
handles left.

What they hit is not written down as failed. The command ends in one line, and the same command
again does it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

import psutil

from editgauge.errors import RunError

_ERRORS = {
    getattr(errno, name, None)
    for name in ("ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENFILE", "EIO", "ENOMEM", "ESTALE")
} - {None}
_WORDS = tuple(os.strerror(code) for code in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)))
_PROBE = 1 << 18
"""Bytes that must fit on the disk for a failure to be an editor's own."""


_CGROUP = Path("/sys/fs/cgroup/memory.max")


def memory() -> int:
    """Bytes of memory of this machine, or of its container where that has a limit."""
    here = int(psutil.virtual_memory().total)
    with contextlib.suppress(OSError, ValueError):  # no container, or one without a limit
        here = min(here, int(_CGROUP.read_text(encoding="ascii")))
    return here


def held() -> int:
    """Bytes of memory that this process holds now."""
    return int(psutil.Process().memory_info().rss)


def many_files() -> None:
    """Let this process have as many files open as the system allows: reading many runs takes some
    for each.
    """
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # there is none on Windows, which counts otherwise

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def fault(error: BaseException | None) -> OSError | None:
    """The machine's fault behind an exception, or None."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, OSError) and error.errno in _ERRORS:
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def raise_fault(error: BaseException, where: Path) -> None:
    """Raise `RunError` when the machine is behind an exception; otherwise do nothing."""
    found = fault(error)
    if found is not None:
        raise RunError(_line(where, found)) from error


def raise_full_disk(reason: str, where: Path) -> None:
    """Raise `RunError` when something failed with this `reason` because the disk of the folder
    `where` is full, whether it says so or not.
    """
    if any(words in reason for words in _WORDS):
        raise RunError(_line(where, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    probe = where / f".probe-{secrets.token_hex(4)}"
    try:
        probe.write_bytes(bytes(_PROBE))
    except OSError as error:
        raise_fault(error, where)
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()


def _line(where: Path, error: OSError) -> str:
    return (
        f"{where}: {error.strerror}; what was done is kept: make room and run the same command "
        f"again"
    )
