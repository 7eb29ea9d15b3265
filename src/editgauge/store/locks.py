"""File locks, without which SQLite cannot work: NFS without its lock service has none. There every
attempt to take one fails as if somebody else had it, and would be repeated for minutes.
"""

from __future__ import annotations

import contextlib
import os
import sys
from functools import lru_cache
from pathlib import Path

from editgauge import temporary
from editgauge.errors import RunError

_LACK = "this file system has no file locks (NFS without its lock service)"


@lru_cache(maxsize=256)
def available(folder: Path) -> bool:
    """Return whether files of a folder can be locked. It is tried once for each folder, on a new
    file; where none can be made nothing is written anyway, and the answer is yes.
    """
    try:
        import fcntl
    except ImportError:  # Windows has locks of its own
        return True
    place = folder / temporary.new_name()
    try:
        file = os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(file)
        with contextlib.suppress(OSError):
            place.unlink()
    return True


def lack(path: Path) -> RunError:
    """The error of a file or folder that cannot be locked."""
    return RunError(
        f"{path}: cannot be written: {_LACK}. Start that service; or mount it with local_lock=all, "
        f"if this machine alone writes there; or work on a run on a local disk, and bring it here "
        f"with: editgauge merge"
    )


def need(folder: Path) -> None:
    """Raise `RunError` where files of a folder cannot be locked."""
    if not available(folder):
        raise lack(folder)


@lru_cache(maxsize=256)
def say_copied(folder: Path) -> None:
    """Say, once for each folder, that its files are read from copies."""
    print(f"{folder}: {_LACK}; its files are read from copies", file=sys.stderr, flush=True)
