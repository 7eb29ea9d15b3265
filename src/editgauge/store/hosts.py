"""One run is written by the commands of one machine: SQLite's locks do not reach over a network's
file system. The machine that writes leaves a hash of its name in the run, renews it while it
writes, and takes it away at the end.
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
import time
from pathlib import Path

from editgauge.errors import RunError
from editgauge.store import paths

FILE = ".host"
ALIVE = 300.0
"""Seconds after which a machine that has not written any more no longer keeps others out."""
_RENEWED = 30.0


def claim(run: Path) -> None:
    """Say that this machine writes the run. Raises `RunError` while another one does."""
    place, mine = run / FILE, _mark()
    with contextlib.suppress(OSError):
        age = time.time() - place.lstat().st_mtime
        if -_RENEWED < age < _RENEWED and _written(place) == mine:
            return
        other = _written(place)
        if other not in ("", mine) and abs(age) < ALIVE:
            raise RunError(
                f"{run}: another machine is writing this run (last {max(0, age):.0f} seconds "
                f"ago); two machines on one folder would lose rows. Wait for its end, or use a run "
                f"of its own here and `editgauge merge`; if it has ended, remove {place}"
            )
    paths.write(run, FILE, mine.encode())


def release(run: Path) -> None:
    """Let other machines write the run."""
    with contextlib.suppress(OSError):
        if _written(run / FILE) == _mark():
            (run / FILE).unlink()


def _mark() -> str:
    """What stands for this machine: a run names none."""
    return hashlib.blake2b(platform.node().encode(), digest_size=8).hexdigest()


def _written(place: Path) -> str:
    try:
        return paths.read(place, limit=1000).decode("utf-8", "replace")
    except (OSError, RunError):
        return ""
