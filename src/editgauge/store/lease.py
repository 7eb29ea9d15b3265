"""Who works on what: leases, locks and temporary folders that end with the process that holds them.

All are locks of the operating system on an open file: they are given back when their owner
ends, however it ends, and a lock of a dead process is never waited for. Where the file system knows
no such locks (some network file systems; Windows), nobody is kept out.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from editgauge import temporary
from editgauge.errors import RunError
from editgauge.store import paths
from editgauge.temporary import take

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = os.O_RDWR | os.O_CREAT | _NO_LINK | getattr(os, "O_NONBLOCK", 0)
FOLDER = ".locks"
"""Where the locks of a run lie, below it."""
TEMPORARY = ".tmp"
"""Where a run's temporary files lie, below it: each process has a folder of its own there."""
_EDITS = "edits"
_PATIENCE = 10.0
"""Seconds for which a lock is waited for without a word: at work most are held for much less."""
_OWNER = re.compile(r"^process \d+$")
_SIGNED = 24
"""Letters of a signature, blanks at its end included."""


@contextlib.contextmanager
def lease(run: Path, work: str, *parts: str) -> Iterator[None]:
    """Hold a piece of work on a run for the length of a `with` block: nobody else does the same.

    `work` names it in one word (``edit``, ``judge``), `parts` say on what (a benchmark, an editor).
    Raises `RunError` when another process holds it, and names that process; never waits.
    """
    name = hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=6)
    path = run / FOLDER / f"{re.sub(r'[^a-z]', '_', work)}-{name.hexdigest()}.lock"
    handle = _open_in(run, path.name)
    try:
        if not take(handle):
            who = f" ({owner})" if (owner := _owner(handle)) else ""
            about = f" of {' by '.join(parts)}" if parts else ""
            raise RunError(
                f"{run.name}: another `editgauge {work}`{about} is at work on this run{who}; "
                f"what it does would be paid for twice. Wait for its end, or stop it"
            )
        try:
            _sign(handle)
        except OSError as error:
            raise paths.unwritable(path, error) from error
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def shared(run: Path, work: str) -> Iterator[None]:
    """Take part in a piece of work on a run beside others, for the length of a `with` block: nobody
    has it `alone` meanwhile. Waits for whoever has it alone.
    """
    path = run / FOLDER / f"{work}.lock"
    handle = _open_in(run, path.name)
    try:
        _wait(handle, path, shared=True)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def alone(run: Path, work: str) -> Iterator[bool]:
    """Have a piece of work on a run alone for the length of a `with` block, which is given whether
    that is so: False while another process (or another part of this one) shares it.
    """
    handle = _open_in(run, f"{work}.lock")
    try:
        yield take(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file (made if it is not there) for the length of a `with` block;
    waits for whoever has it, and says so after a while: that process may be suspended.
    """
    handle = _open(path)
    try:
        _wait(handle, path)
        with contextlib.suppress(OSError):  # a full disk: nobody is told who has it
            _sign(handle)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def scratch(run: Path) -> Iterator[Path]:
    """An empty temporary folder below ``run/.tmp``, removed at the end of a `with` block.

    When the process is killed the folder stays until `sweep` finds that its owner is gone. Raises
    `RunError` when it cannot be made.
    """
    with contextlib.ExitStack() as stack:
        place = _folder(run / TEMPORARY)
        at = stack.enter_context(paths.entered(run, TEMPORARY))
        try:
            made = stack.enter_context(temporary.folder(place, at=at))
        except OSError as error:
            raise paths.unwritable(place, error) from error
        yield made


def sweep(root: Path) -> int:
    """Remove the temporary folders and files of a run, or of a data set that is being made, whose
    owners are gone; returns how many.

    Files lie beside what they were to become, at most two folders below `root`; an editor's
    pictures are made in a temporary folder. Also folders that earlier versions left
    (``edits/.tmp``, ``rows/parquet/.build-*``), once they are an hour old: they carried no lock.
    Nothing is followed out of the run, and a folder that cannot be removed stays.
    """
    gone = temporary.sweep(root / TEMPORARY, every=True) + temporary.sweep(root)
    for room in _folders(root):
        if room.name not in (TEMPORARY, _EDITS):
            gone += temporary.sweep(room) + sum(temporary.sweep(place) for place in _folders(room))
    old = [*_folders(root / _EDITS / TEMPORARY)]
    old += [path for path in _folders(root / "rows" / "parquet") if path.name.startswith(".build-")]
    for made in old:
        with contextlib.suppress(OSError):
            if abs(time.time() - made.lstat().st_mtime) > 3600:
                shutil.rmtree(made, ignore_errors=True)
                gone += not made.exists()
    return gone


def held(path: Path) -> bool:
    """Whether another open file holds a lock on `path`. False where that cannot be told."""
    try:
        handle = os.open(path, os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return False
    try:
        return not take(handle)
    finally:
        os.close(handle)


def share(path: Path) -> int | None:
    """Open a file and hold a shared lock on it, so that `held` is true; returns the descriptor, to
    be closed by the caller. None where the file cannot be opened.
    """
    try:
        handle = os.open(path, os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    take(handle, shared=True)
    return handle


def _wait(handle: int, path: Path, *, shared: bool = False) -> None:
    until, pause = time.monotonic() + _PATIENCE, 0.002
    while not take(handle, shared=shared):
        if time.monotonic() > until:
            who = _owner(handle) or "another process"
            print(
                f"waiting for {who}, which holds {path}; if it is suspended, resume or end it",
                file=sys.stderr,
                flush=True,
            )
            take(handle, wait=True, shared=shared)
            return
        time.sleep(pause)
        pause = min(0.05, pause * 1.5)


def _sign(handle: int) -> None:
    """Write into a lock whose it is, at once and over what was there (a file that is first cut is
    flushed to the disk by some systems); not into one that has another name elsewhere.
    """
    if os.fstat(handle).st_nlink == 1:
        os.pwrite(handle, f"process {os.getpid()}".ljust(_SIGNED).encode(), 0)


def _owner(handle: int) -> str:
    """The process that has signed a lock; "" where that cannot be told."""
    owner = os.pread(handle, 60, 0).decode("ascii", "replace").rstrip()
    return owner if _OWNER.match(owner) else ""


def _folders(place: Path) -> list[Path]:
    if place.is_symlink():
        return []
    try:
        with os.scandir(place) as entries:
            return [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _folder(path: Path) -> Path:
    """A folder that is there, and is no link."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise paths.unwritable(path, error) from error
    if path.is_symlink():
        raise RunError(
            f"{path}: a link where a folder of the run belongs; this run folder cannot be trusted. "
            f"Remove the link"
        )
    return path


def _open_in(run: Path, name: str) -> int:
    """A file in the folder of a run's locks."""
    path = _folder(run / FOLDER) / name
    with paths.entered(run, FOLDER) as at:
        return _open(path, at)


def _open(path: Path, at: int | None = None) -> int:
    try:
        return os.open(path if at is None else path.name, _FLAGS, 0o644, dir_fd=at)
    except OSError as error:
        raise paths.unwritable(path, error) from error
