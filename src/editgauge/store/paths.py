"""Paths of a run, which may come from anybody: `fault` is the one door. What is stored names a file
as a reader finds it: below the run or the data folder, or by its name alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from editgauge import temporary
from editgauge.errors import RunError
from editgauge.types import MAX_FILE_BYTES

LARGEST = 1 << 33
"""Bytes of the largest file of a run that is read: 8 GB, some hundred million rows."""
LONGEST_PATH = 1024
"""Characters of a path below a folder that somebody else named."""
LONGEST = 2000
"""Characters of a reason that are kept."""
_NO_NAME = re.compile("[\x00-\x1f\ud800-\udfff]")
_NO_FOLDER = re.compile('[/\\\\:*?"<>|\x00-\x1f]')
_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC")
_READ = os.O_RDONLY | sum(getattr(os, name, 0) for name in _FLAGS)
_FOLDERS = re.compile(
    r"(?<![\w.~/:<\\-])(?:/(?:[^\s/'\"`:;,|<>()\[\]{}]+/)+|[A-Za-z]:[\\/](?:[^\s\\/'\"`:*?<>|]+[\\/])*)"
)
"""The folders of an absolute path, POSIX or Windows: at least one folder and a separator; no URL,
no fraction.
"""


def misplaced(relative: object, room: str = "") -> str | None:
    """Why a text that a record gives as a path may not be one below `room` (``edits/mini/copy``),
    in words that follow the path; None when it may. Looks at the text alone.
    """
    if not isinstance(relative, str) or not 0 < len(relative) <= LONGEST_PATH:
        return f"wanted a text of 1 to {LONGEST_PATH} characters"
    if not relative.isprintable() and _NO_NAME.search(relative):
        return "holds characters that no file name here has"
    windows = PureWindowsPath(relative) if "\\" in relative or ":" in relative else None
    if relative[0] == "/" or (windows and (windows.drive or windows.root)):
        return "an absolute path"
    parts = relative.split("/")
    if ".." in parts or (windows and ".." in windows.parts):
        return "leads out of its folder"
    if "" in parts or "." in parts:
        return "has an empty step"
    return f"lies outside {room}" if room and not relative.startswith(f"{room}/") else None


def fault(
    root: Path, relative: object, room: str = "", *, limit: int = MAX_FILE_BYTES
) -> str | None:
    """Why the file `relative` below `root` may not be opened, or None: see `misplaced`, and what is
    there must be a regular file of at most `limit` bytes, without a link on the way (a pipe would
    be waited for, a device read for ever). A file that is not there is a fault, too (``"not
    there"``).
    """
    if why := misplaced(relative, room):
        return why
    path = f"{root}{os.sep}{relative}"
    try:
        why = unlike_file(os.lstat(path), limit)
        above = os.path.dirname(path)
        if _real(above) != f"{_real(str(root))}{above[len(str(root)) :]}":
            return "a link"
    except NotADirectoryError:
        return "lies below a file"
    except OSError as error:
        return "not there" if isinstance(error, FileNotFoundError) else str(error.strerror)
    return why


def unlike_file(found: os.stat_result, limit: int) -> str | None:
    """Why what was found is no regular file of at most `limit` bytes; None where it is one."""
    if stat.S_ISLNK(found.st_mode):
        return "a link"
    if not stat.S_ISREG(found.st_mode):
        return "no regular file (a folder, pipe or device)"
    return f"{found.st_size:,} bytes, wanted at most {limit:,}" if found.st_size > limit else None


@lru_cache(maxsize=4096)  # a folder that becomes a link while a command runs is not looked for
def _real(root: str) -> str:
    return os.path.realpath(root)


def inside(root: Path, relative: object, *, limit: int = MAX_FILE_BYTES) -> Path:
    """The file `relative` below `root`. Raises `RunError` with what `fault` says."""
    if why := fault(root, relative, limit=limit):
        raise RunError(
            f"{root.name}: {str(relative)[:200]!r}: {why}; it is not opened. A file of a run must "
            f"lie inside it"
        )
    return root / str(relative)


def open_read(path: Path, *, limit: int = LARGEST) -> int:
    """Open a regular file of at most `limit` bytes for reading, never through a link, never
    waiting; returns the descriptor. Raises `OSError` when it is not there and `RunError` when it is
    something else.
    """
    if why := unlike_file(os.lstat(path), limit):
        raise RunError(f"{path}: {why}; it is not opened. Put the file itself there")
    return os.open(path, _READ)


def read(path: Path, *, limit: int = 1 << 27) -> bytes:
    """The bytes of a file; raises as `open_read` does."""
    with os.fdopen(open_read(path, limit=limit), "rb") as file:
        return file.read()


def folder(root: Path, relative: str | PurePosixPath) -> Path:
    """The folder `relative` below `root`, made with all above it where it is not there. Raises
    `RunError` when one of them is a link or no folder, or cannot be made, and for a way that leads
    up.
    """
    path = root / relative
    steps = PurePosixPath(relative).parents
    if ".." in path.parts[len(root.parts) :]:
        raise RunError(f"{relative}: leads out of {root.name}; nothing is written there")
    no_links(root, [*map(str, steps), str(relative)])
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error
    return path


def no_links(root: Path, places: Iterable[str]) -> None:
    """Raises `RunError` when one of the `places` below `root` is a link, or no folder."""
    for path in (root / place for place in places):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            mode = os.lstat(path).st_mode
            if not stat.S_ISDIR(mode):
                what = "a link" if stat.S_ISLNK(mode) else "no folder"
                raise RunError(
                    f"{path}: {what} where a folder of the run belongs; nothing is read or written "
                    f"there. Put the folder itself there"
                )


def write(root: Path, relative: str, data: bytes, *, sync: bool = False) -> Path:
    """Write a file below `root`, whole or not at all: what is there is replaced, a link is replaced
    and not followed. Raises `RunError` as `folder` does, and when the disk is full or the place
    cannot be written; then what was there is still there.
    """
    place = PurePosixPath(relative)
    target = folder(root, place.parent) / place.name
    try:
        temporary.write(target, data, sync=sync)
    except OSError as error:
        raise unwritable(target, error) from error
    return target


def only_files(root: Path, place: str) -> None:
    """Raises `RunError` when there is a link, a pipe or a device anywhere below a folder of a run:
    what libraries open by name (databases, caches) must be what it seems.
    """
    for above, folders, names in os.walk(root / place):
        for name in (*folders, *names):
            path = os.path.join(above, name)
            with contextlib.suppress(OSError):
                status = os.lstat(path)
                if not stat.S_ISDIR(status.st_mode) and (
                    why := unlike_file(status, status.st_size)
                ):
                    raise RunError(f"{path}: {why}; this run folder cannot be trusted. Remove it")


def unwritable(path: Path, error: OSError) -> RunError:
    """One line for what could not be written."""
    return RunError(
        f"{path}: cannot be written ({error.strerror or error}); make room or rights and run the "
        f"same command again"
    )


# -- texts -----------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def plain_name(name: str) -> str:
    """`name` if it can be one folder's name on any system. Raises `RunError` otherwise."""
    if not 0 < len(name) <= 120 or name[0] == "." or _NO_FOLDER.search(name):
        raise RunError(
            f'name {name!r}: wanted 1 to 120 characters without / \\ : * ? " < > | and no leading '
            f"dot; rename it"
        )
    return plain_text(name, "name")


def plain_text(text: str, what: str) -> str:
    """`text` if UTF-8 can hold it. Raises `RunError` otherwise (a lone surrogate), escaped."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise RunError(f"{what} {text!a}: not valid text (UTF-8); rename it") from None
    return text


def portable(text: str, roots: Iterable[Path | str] = ()) -> str:
    """`text` as `without_roots` leaves it, other absolute paths cut to their names, at most
    `LONGEST` characters of it.
    """
    return _FOLDERS.sub("", without_roots(text, roots))[:LONGEST]


def without_roots(value: Any, roots: Iterable[Path | str]) -> Any:
    """A JSON value whose texts (not its keys) do not name `roots` (absolute folders) or the home
    folder: a path below one of `roots` is left relative to it, a root itself becomes ``.``, the
    home folder ``~``. The rest stays to the letter: it may be what somebody read in a picture.
    """
    names = sorted({str(root).rstrip("/\\") for root in roots} - {""}, key=len, reverse=True)
    instead = {**dict.fromkeys(names, "."), str(Path.home()): "~"}

    def cut(text: str) -> str:
        for name, short in instead.items():
            if len(name) > 1 and name in text:
                text = text.replace(f"{name}/", "" if short == "." else f"{short}/")
                text = re.sub(rf"{re.escape(name)}(?![\w.-])", short, text)
        return text

    return _each_text(value, cut)


def facts(value: Any) -> Any:
    """A JSON value for the manifest: a text that is an absolute path becomes its last name."""

    def named(text: str) -> str:
        return Path(text).name if text.startswith(("/", "~")) or text[1:3] == ":\\" else text

    return _each_text(value, named)


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str | Path):
        return change(str(value))
    if isinstance(value, Mapping):
        return {str(key): _each_text(part, change) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_each_text(part, change) for part in value]
    return value
