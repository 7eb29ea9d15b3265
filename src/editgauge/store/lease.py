"""Who works on what. Locks are of the operating system (`filelock`): they end with the process that
holds them, however it ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from editgauge import temporary
from editgauge.errors import RunError
from editgauge.store import paths

FOLDER, TEMPORARY, HOST = ".locks", ".tmp", ".host"
"""Where a run's locks and temporary files lie, and who writes it."""
ALIVE = 300.0
"""Seconds after which a machine that has not written any more no longer keeps others out."""
_RENEWED = 30.0
_PATIENCE = 10.0
"""Seconds for which a lock is waited for without a word: at work most are held for much less."""


@contextlib.contextmanager
def lease(run: Path, work: str, *parts: str) -> Iterator[None]:
    """Hold a piece of work on a run for the length of a `with` block. `work` names it in one word
    (``edit``, ``judge``), `parts` say on what (a benchmark, an editor). Raises `RunError` when
    another process holds it; never waits.
    """
    mark = hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=6)
    place = paths.folder(run, FOLDER) / f"{work}-{mark.hexdigest()}.lock"
    held = _taken(place, 0)
    if held is None:
        about = f" of {' by '.join(parts)}" if parts else ""
        raise RunError(
            f"{run.name}: another `editgauge {work}`{about} is at work on this run; what it does "
            f"would be paid for twice. Wait for its end, or stop it"
        )
    with held:
        yield


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file (made if it is not there) for the length of a `with` block;
    waits for whoever has it, and says so after a while: that process may be suspended.
    """
    held = _taken(path, _PATIENCE)
    if held is None:
        message = "if it is suspended, resume or end it"
        print(f"waiting for another process, which holds {path}; {message}", file=sys.stderr)
        held = _taken(path, -1)
    assert held is not None
    with held:
        yield


def _taken(path: Path, seconds: float) -> contextlib.AbstractContextManager[object] | None:
    from filelock import FileLock, Timeout  # 10 ms, which what only reads does not wait for

    try:
        return FileLock(path, thread_local=False).acquire(timeout=seconds)
    except Timeout:
        return None
    except OSError as error:
        raise paths.unwritable(path, error) from error


def claim(run: Path) -> None:
    """Say that this machine writes the run, since SQLite's locks do not reach over a network's file
    system. Raises `RunError` while another one does.
    """
    place, mine = run / HOST, _machine()
    with contextlib.suppress(OSError):
        age, other = abs(time.time() - place.lstat().st_mtime), paths.read(place)
        if other == mine and age < _RENEWED:
            return
        if other not in (b"", mine) and age < ALIVE:
            raise RunError(
                f"{run}: another machine is writing this run (last {age:.0f} seconds ago); two "
                f"machines on one folder would lose rows. Wait for its end, or use a run of its "
                f"own here and `editgauge merge`; if it has ended, remove {place}"
            )
    paths.write(run, HOST, mine)


def release(run: Path) -> None:
    """Let other machines write the run."""
    with contextlib.suppress(OSError, RunError):
        if paths.read(run / HOST) == _machine():
            (run / HOST).unlink()


def _machine() -> bytes:
    return hashlib.blake2b(platform.node().encode(), digest_size=8).hexdigest().encode()


def sweep(root: Path) -> int:
    """Remove the temporary folders and files of a run whose owners are gone; how many."""
    return sum(temporary.sweep(Path(above)) for above, _, _ in os.walk(root))
