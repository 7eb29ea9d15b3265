"""Who works on what. Locks are of the operating system (`filelock`): they end with the process that
holds them, however it ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from editgauge import temporary
from editgauge.errors import RunError
from editgauge.store import paths

FOLDER = ".locks"
"""Where the locks of a run lie, below it."""
TEMPORARY = ".tmp"
"""Where a run's temporary files lie, below it."""
HOST = ".host"
ALIVE = 300.0
"""Seconds after which a machine that has not written any more no longer keeps others out."""
_RENEWED = 30.0
_PATIENCE = 10.0
"""Seconds for which a lock is waited for without a word: at work most are held for much less."""


@contextlib.contextmanager
def lease(run: Path, work: str, *parts: str) -> Iterator[None]:
    """Hold a piece of work on a run for the length of a `with` block: nobody else does the same.

    `work` names it in one word (``edit``, ``judge``), `parts` say on what (a benchmark, an editor).
    Raises `RunError` when another process holds it, and names that process; never waits.
    """
    mark = hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=6)
    folder = paths.folder(paths.folder(run.parent, run.name), FOLDER)
    place = folder / f"{work}-{mark.hexdigest()}.lock"
    with contextlib.ExitStack() as stack:
        if not _taken(stack, place, 0):
            about = f" of {' by '.join(parts)}" if parts else ""
            told = re.fullmatch(r"process \d+", _written(place))
            raise RunError(
                f"{run.name}: another `editgauge {work}`{about} is at work on this run"
                f"{f' ({told[0]})' if told else ''}; what it does would be paid for twice. Wait "
                f"for its end, or stop it"
            )
        try:
            place.write_text(f"process {os.getpid()}", encoding="ascii")
        except OSError as error:
            raise paths.unwritable(place, error) from error
        yield


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file (made if it is not there) for the length of a `with` block;
    waits for whoever has it, and says so after a while: that process may be suspended.
    """
    with contextlib.ExitStack() as stack:
        if not _taken(stack, path, _PATIENCE):
            print(
                f"waiting for another process, which holds {path}; if it is suspended, resume or "
                f"end it",
                file=sys.stderr,
                flush=True,
            )
            _taken(stack, path, -1)
        yield


def _taken(stack: contextlib.ExitStack, path: Path, seconds: float) -> bool:
    try:
        stack.enter_context(FileLock(path, timeout=seconds, thread_local=False))
    except Timeout:
        return False
    except OSError as error:
        raise paths.unwritable(path, error) from error
    return True


def claim(run: Path) -> None:
    """Say that this machine writes the run: SQLite's locks do not reach over a network's file
    system. The mark is a hash of the machine's name, renewed while it writes. Raises `RunError`
    while another one does.
    """
    place, mine = run / HOST, _machine()
    with contextlib.suppress(OSError):
        age, other = time.time() - place.lstat().st_mtime, _written(place)
        if other == mine and abs(age) < _RENEWED:
            return
        if other not in ("", mine) and abs(age) < ALIVE:
            raise RunError(
                f"{run}: another machine is writing this run (last {max(0, age):.0f} seconds "
                f"ago); two machines on one folder would lose rows. Wait for its end, or use a run "
                f"of its own here and `editgauge merge`; if it has ended, remove {place}"
            )
    paths.write(run, HOST, mine.encode())


def release(run: Path) -> None:
    """Let other machines write the run."""
    with contextlib.suppress(OSError):
        if _written(run / HOST) == _machine():
            (run / HOST).unlink()


def _machine() -> str:
    return hashlib.blake2b(platform.node().encode(), digest_size=8).hexdigest()


def _written(place: Path) -> str:
    try:
        return paths.read(place, limit=1000).decode("utf-8", "replace")
    except (OSError, RunError):
        return ""


@contextlib.contextmanager
def scratch(run: Path) -> Iterator[Path]:
    """An empty temporary folder below ``run/.tmp``, removed at the end of a `with` block. When the
    process is killed it stays until `sweep` finds that its owner is gone. Raises `RunError` when it
    cannot be made.
    """
    with contextlib.ExitStack() as stack:
        place = paths.folder(run, TEMPORARY)
        try:
            made = stack.enter_context(temporary.folder(place))
        except OSError as error:
            raise paths.unwritable(place, error) from error
        yield made


def sweep(root: Path) -> int:
    """Remove the temporary folders and files of a run whose owners are gone; returns how many. They
    lie beside what they were to become, at most two folders below `root`.
    """
    places = [one for one in (root, *root.glob("*"), *root.glob("*/*")) if one.is_dir()]
    return sum(temporary.sweep(place) for place in places)
