"""Files and folders under a name of their own while they are being made, which says which process
makes them, so that `sweep` can tell what nobody will finish.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_HOST = hashlib.blake2b(platform.node().encode(), digest_size=4).hexdigest()
_NAME = re.compile(r"\.editgauge-([0-9a-f]{8})-(\d{1,10})-[0-9a-f]{16}")


@contextlib.contextmanager
def file(target: Path | str) -> Iterator[BinaryIO]:
    """A new file beside `target`, renamed onto it at the end of a `with` block that raises nothing:
    what was there is replaced (a link too, and not followed), and nobody ever reads half a file.
    Folders are made as needed. An `OSError` of the block names `target`, which stays as it was.
    """
    above = os.path.dirname(target)
    scratch = os.path.join(above, new_name())
    try:
        with _opened(scratch, above) as opened:
            yield opened
        os.replace(scratch, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(scratch)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror or str(error), str(target)) from error
        raise


def _opened(path: str, above: str) -> BinaryIO:
    try:
        return open(path, "xb")
    except FileNotFoundError:
        os.makedirs(above, exist_ok=True)
        return open(path, "xb")


def write(target: Path, data: bytes, *, sync: bool = False) -> None:
    """Write `data` to `target` as `file` does; `sync`: it is on the disk when this returns."""
    with file(target) as opened:
        opened.write(data)
        if sync:
            opened.flush()
            os.fsync(opened.fileno())


@contextlib.contextmanager
def folder(place: Path) -> Iterator[Path]:
    """A new, empty folder below `place` that only its owner may enter; removed at the end of a
    `with` block, unless it was renamed. Raises `OSError` when it cannot be made.
    """
    scratch = place / new_name()
    scratch.mkdir(mode=0o700)
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def sweep(place: Path) -> int:
    """Remove what a process of this machine began in a folder and will not finish, since it has
    ended. Returns how much. Nothing is followed through a link, and what cannot be removed stays.
    """
    gone = 0
    for name in [] if place.is_symlink() or not place.is_dir() else os.listdir(place):
        named = _NAME.fullmatch(name)
        if named and named[1] == _HOST and not _at_work(int(named[2])):
            left = place / name
            with contextlib.suppress(OSError):
                if left.is_dir() and not left.is_symlink():
                    shutil.rmtree(left)
                else:
                    left.unlink()
                gone += 1
    return gone


def _at_work(process: int) -> bool:
    import psutil  # few commands find anything to ask it

    return bool(psutil.pid_exists(process))


def new_name() -> str:
    """A name for what this process makes."""
    return f".editgauge-{_HOST}-{os.getpid()}-{os.urandom(8).hex()}"
