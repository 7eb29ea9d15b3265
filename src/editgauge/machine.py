"""The machine: its memory, and its faults (a full disk, no file handles left), which are nobody's
score: the command ends in one line, and the same command again does the rest.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path

from editgauge import temporary
from editgauge.errors import RunError

_ERRORS = ("ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENFILE", "EIO", "ENOMEM", "ESTALE")
_CODES = {getattr(errno, name) for name in _ERRORS if hasattr(errno, name)}
_PROBE = 1 << 18
"""Bytes that must fit on the disk for a failure to be an editor's own."""
_CGROUP = Path("/sys/fs/cgroup/memory.max")


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory() -> int:
    """Bytes of memory of this machine, or of its container where that has a limit."""
    if sys.platform == "win32":
        import psutil

        here = int(psutil.virtual_memory().total)
    else:  # psutil takes longer to import than a page of help to print
        here = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError):  # no container, or one without a limit
        here = min(here, int(_CGROUP.read_text(encoding="ascii")))
    return here


def user_cache() -> Path:
    """Where this user's caches lie: ``EDITGAUGE_CACHE``, or ``editgauge`` below what the platform
    has for it.
    """
    import platformdirs

    named = os.environ.get("EDITGAUGE_CACHE")
    place = Path(named) if named else platformdirs.user_cache_path("editgauge", appauthor=False)
    return place.absolute()


def user_private() -> Path:
    """Return the folder of this user's secrets: ``EDITGAUGE_PRIVATE``, or ``editgauge`` below the
    platform's folder for a user's data. Nothing in it belongs into a run or another folder that is
    handed on.
    """
    import platformdirs

    named = os.environ.get("EDITGAUGE_PRIVATE")
    place = Path(named) if named else platformdirs.user_data_path("editgauge", appauthor=False)
    return place.absolute()


def limit_memory() -> None:
    """From now on this process (a command, a worker) gets no more than the machine's memory on top
    of what it has, and `MemoryError` beyond (Linux only).
    """
    if sys.platform.startswith("linux"):
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            has = int(file.read().split()[5]) * resource.getpagesize()  # data and stack
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = has + memory()
        resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard < 0 else min(wanted, hard), hard))


def many_files() -> None:
    """Let this process open as many files as the system allows: each run read takes some."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # there is none on Windows, which counts otherwise

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def fault(error: BaseException | None) -> OSError | None:
    """The machine's fault behind an exception, or None."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _CODES:
            return error
        error = error.__cause__ or error.__context__
    return None


def raise_fault(error: BaseException, where: Path) -> None:
    """Raise `RunError` when the machine is behind an exception; otherwise do nothing."""
    if (problem := fault(error)) is not None:
        why = "what was done is kept: make room and run the same command again"
        raise RunError(f"{where}: {problem.strerror}; {why}") from error


def raise_full_disk(reason: str, where: Path) -> None:
    """Raise `RunError` when something failed with this `reason` because the disk of the folder
    `where` is full, whether it says so or not.
    """
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if str(full.strerror) in reason:
        raise_fault(full, where)
    try:
        with temporary.folder(where) as place:
            (place / "probe").write_bytes(bytes(_PROBE))
    except OSError as error:
        raise_fault(error, where)
