"""Files and folders while they are being made: under a name of their own, locked by who makes them,
and renamed into their place when they are whole.

The lock is one of the operating system: it ends with its owner, however that ends. So whoever comes
next can tell what nobody will finish, and `sweep` it. Where the file system knows no such locks
(some network file systems; Windows), nothing is swept.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl

    _LOCKS = True
except ImportError:  # not POSIX
    _LOCKS = False

_NAME = re.compile(r"\.editgauge-[0-9a-f]{16}")
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINK


def take(handle: int, *, wait: bool = False, shared: bool = False, unknown: bool = True) -> bool:
    """Take a lock on an open file, for oneself or `shared`; False when another has it, and
    `unknown` where there are no locks. It is held until the descriptor is closed.
    """
    if not _LOCKS:
        return unknown
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(handle, kind if wait else kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return unknown
    return True


@contextlib.contextmanager
def file(target: Path, *, at: int | None = None) -> Iterator[BinaryIO]:
    """A new file beside `target`, renamed onto it at the end of a `with` block that raises nothing:
    what was there is replaced (a link too, and not followed), and nobody ever reads half a file.
    `at`: the folder of `target`, open; the file comes to lie in that one, whatever its path leads
    to by then.

    Raises `OSError` that names `target`, for whatever the block raises of its kind as well; what
    was there is then still there.
    """
    path = ""
    place = f"{target.parent}{os.sep}" if at is None else ""
    try:
        path, handle = _new_file(place, at)
        with os.fdopen(handle, "w+b") as opened:
            yield opened
            opened.flush()
            os.replace(path, f"{place}{target.name}", src_dir_fd=at, dst_dir_fd=at)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(target)) from error
    finally:
        if path:
            with contextlib.suppress(OSError):
                os.unlink(path, dir_fd=at)


def write(target: Path, data: bytes, *, sync: bool = False, at: int | None = None) -> None:
    """Write `data` to `target` as `file` does; `sync`: it is on the disk when this returns."""
    with file(target, at=at) as opened:
        opened.write(data)
        if sync:
            opened.flush()
            os.fsync(opened.fileno())


@contextlib.contextmanager
def folder(place: Path, *, at: int | None = None) -> Iterator[Path]:
    """A new, empty folder below `place` that only its owner may enter; removed at the end of a
    `with` block, unless it was renamed. `at`: `place`, open; the folder is made and removed in that
    one, whatever the path leads to by then. Raises `OSError` when it cannot be made.
    """
    name, handle = _new_folder(place, at)
    try:
        yield place / name
    finally:
        shutil.rmtree(place / name if at is None else name, ignore_errors=True, dir_fd=at)
        os.close(handle)


def sweep(place: Path, *, every: bool = False) -> int:
    """Remove what was begun in a folder and will be finished by nobody; returns how much.

    Only what has a name of this module is looked at; with `every`, all folders are. Nothing is
    followed through a link, and what cannot be removed stays.
    """
    gone = 0
    if place.is_symlink():
        return gone
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if _NAME.fullmatch(entry.name) or (every and is_folder):
                gone += _swept(entry.path, is_folder)
    return gone


def _swept(path: str, is_folder: bool) -> bool:
    flags = os.O_RDONLY if is_folder else os.O_RDWR  # some file systems lock what can be written
    try:
        handle = os.open(path, flags | _NO_LINK | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return False
    try:
        if not take(handle, unknown=False):
            return False
        if is_folder:
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                os.unlink(path)
        return not os.path.lexists(path)
    finally:
        os.close(handle)


def _new_file(place: str, at: int | None) -> tuple[str, int]:
    while True:
        path = f"{place}{_new_name()}"
        handle = os.open(path, _NEW, 0o644, dir_fd=at)
        if take(handle) and os.fstat(handle).st_nlink:
            return path, handle
        os.close(handle)  # a sweeper was faster, and is about to remove it


def _new_folder(place: Path, at: int | None) -> tuple[str, int]:
    while True:
        name = _new_name()
        made = place / name if at is None else name
        os.mkdir(made, mode=0o700, dir_fd=at)
        try:
            handle = os.open(made, os.O_RDONLY, dir_fd=at)
        except FileNotFoundError:  # swept between the two calls
            continue
        if take(handle) and os.fstat(handle).st_nlink:
            return name, handle
        os.close(handle)


def _new_name() -> str:
    return f".editgauge-{secrets.token_hex(8)}"
