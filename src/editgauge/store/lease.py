"""Who works on what. Locks are of the operating system (`filelock`): they end with the process that
holds them, however it ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import secrets
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
    place = _folder(run) / f"{work}-{mark.hexdigest()}.lock"
    with contextlib.ExitStack() as stack:
        if not _taken(stack, place, 0):
            about = f" of {' by '.join(parts)}" if parts else ""
            raise RunError(
                f"{run.name}: another `editgauge {work}`{about} is at work on this run"
                f"{_signed(place)}; what it does would be paid for twice. Wait for its end, or "
                f"stop it"
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


@contextlib.contextmanager
def shared(run: Path, work: str) -> Iterator[None]:
    """Take part in a piece of work on a run beside others, for the length of a `with` block: nobody
    has it `alone` meanwhile.
    """
    with lock(_folder(run) / f"{work}.{os.getpid()}-{secrets.token_hex(4)}.lock"):
        yield


@contextlib.contextmanager
def alone(run: Path, work: str) -> Iterator[bool]:
    """Have a piece of work on a run alone for the length of a `with` block, which is given whether
    that is so: False while another process (or another part of this one) shares it.
    """
    with contextlib.ExitStack() as stack:
        every = sorted(_folder(run).glob(f"{work}.*.lock"))
        yield all(_taken(stack, one, 0) for one in every)


def _taken(stack: contextlib.ExitStack, path: Path, seconds: float) -> bool:
    try:
        stack.enter_context(FileLock(path, timeout=seconds, thread_local=False))
    except Timeout:
        return False
    except OSError as error:
        raise paths.unwritable(path, error) from error
    return True


def _signed(place: Path) -> str:
    """The process that holds a lock, in brackets; "" where that cannot be told."""
    with contextlib.suppress(OSError, RunError):
        told = paths.read(place, limit=100).decode("ascii", "replace")
        return f" ({told})" if re.fullmatch(r"process \d+", told) else ""
    return ""


def _folder(run: Path) -> Path:
    if not run.is_dir():
        paths.folder(run.parent, run.name)
    return paths.folder(run, FOLDER)


# -- one machine -----------------------------------------------------------------------------------


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


# -- temporary folders -----------------------------------------------------------------------------


@contextlib.contextmanager
def scratch(run: Path) -> Iterator[Path]:
    """An empty temporary folder below ``run/.tmp``, removed at the end of a `with` block.

    When the process is killed the folder stays until `sweep` finds that its owner is gone. Raises
    `RunError` when it cannot be made.
    """
    with contextlib.ExitStack() as stack:
        place = paths.folder(run, TEMPORARY)
        try:
            made = stack.enter_context(temporary.folder(place))
        except OSError as error:
            raise paths.unwritable(place, error) from error
        yield made


@contextlib.contextmanager
def scratch_file(run: Path) -> Iterator[Path]:
    """The place of a temporary file below ``run/.tmp``, as `scratch`."""
    made = paths.folder(run, TEMPORARY) / temporary.new_name()
    try:
        yield made
    finally:
        made.unlink(missing_ok=True)


def sweep(root: Path) -> int:
    """Remove the temporary folders and files of a run, or of a data set that is being made, whose
    owners are gone; returns how many. Files lie beside what they were to become, at most two
    folders below `root`.
    """
    gone = temporary.sweep(root)
    for room in _folders(root):
        gone += temporary.sweep(room)
        if room.name != TEMPORARY:
            gone += sum(temporary.sweep(place) for place in _folders(room))
    return gone


def _folders(place: Path) -> list[Path]:
    try:
        return [one for one in place.iterdir() if one.is_dir() and not one.is_symlink()]
    except OSError:
        return []
