"""Paths of a run: the one door through which its files are opened, and what its texts say of paths.

**The door.** A run folder may come from anybody, and what its records name as a picture may be any
text. `fault` says why a path may not be opened: it must be relative, lie below its own room (a
picture of an editor below ``edits/<benchmark>/<editor>/``), have no link on its way, and lead to a
regular file within the limit of its kind: a pipe would be waited for, a device read for ever. What
is written goes to a new file that is then renamed into its place, in a folder that was `entered`
step by step, none of them a link: nothing outside the run is ever changed, not even when somebody
puts links into the place of folders meanwhile (as far as the system can open files in a folder that
is open: not on Windows).

**The texts.** A run folder is zipped, published, and read on other machines. An error names its
file in full, which helps who sees it happen; what is stored of it names the file as a reader of the
run can find it: below the run or the data folder, or by its name alone.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from editgauge import temporary
from editgauge.errors import RunError
from editgauge.images import MAX_FILE_BYTES

SEGMENT_BYTES = 1 << 33
"""The largest segment that is read: 8 GB, some ten million rows."""
MANIFEST_BYTES = 1 << 27
_LONGEST_STEP = 255
"""Bytes of a file's name, on every usual file system."""
LONGEST_PATH = 1024
"""Characters of a path below a folder that somebody else named: following one takes time with the
square of its steps.
"""
_NO_NAME = re.compile("[\x00-\x1f\ud800-\udfff]")
_WINDOWS = re.compile(r"[\\:]")
"""Letters that make another path of a text on Windows."""
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_ENTER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
"""A folder in which one may write, but which one may not list, can be entered too."""
_ENTERS = {os.open, os.mkdir, os.rename, os.unlink} <= os.supports_dir_fd
_READ = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


# -- the door --------------------------------------------------------------------------------------


def misplaced(relative: object, room: str = "") -> str | None:
    """Why a text that a record gives as a path may not be one below `room` (``edits/mini/copy``),
    in words that follow the path; None when it may. Looks at the text alone.
    """
    if not isinstance(relative, str) or not 0 < len(relative) <= LONGEST_PATH:
        return f"wanted a text of 1 to {LONGEST_PATH} characters"
    if not relative.isprintable() and _NO_NAME.search(relative):
        return "holds characters that no file name here has"
    windows = _WINDOWS.search(relative) is not None and PureWindowsPath(relative)
    if relative[0] == "/" or (windows and (windows.drive or windows.root)):
        return "an absolute path"
    parts = relative.split("/")
    if ".." in parts or (windows and ".." in windows.parts):
        return "leads out of its folder"
    if "" in parts or "." in parts:
        return "has an empty step"
    if len(relative) > _LONGEST_STEP // 4 and any(
        len(part.encode("utf-8", "replace")) > _LONGEST_STEP for part in parts
    ):
        return f"has a step of more than {_LONGEST_STEP} bytes"
    if room and not relative.startswith(f"{room}/"):
        return f"lies outside {room}"
    return None


def fault(
    root: Path, relative: object, room: str = "", *, limit: int = MAX_FILE_BYTES
) -> str | None:
    """Why the file `relative` below `root` may not be opened, or None: see `misplaced`, and what is
    there must be a regular file of at most `limit` bytes, without a link on the way.

    A file that is not there is a fault, too (``"not there"``).
    """
    why = misplaced(relative, room)
    if why is not None:
        return why
    assert isinstance(relative, str)
    path = str(root)
    parts = relative.split("/")
    for number, part in enumerate(parts):
        path = f"{path}{os.sep}{part}"
        try:
            found = os.lstat(path)
        except OSError as error:
            return "not there" if isinstance(error, FileNotFoundError) else str(error.strerror)
        why = _kind(found, last=number == len(parts) - 1, limit=limit)
        if why is not None:
            return why
    return None


def inside(root: Path, relative: object, room: str = "", *, limit: int = MAX_FILE_BYTES) -> Path:
    """The file `relative` below `root`. Raises `RunError` with what `fault` says."""
    why = fault(root, relative, room, limit=limit)
    if why is not None:
        raise RunError(
            f"{root.name}: {str(relative)[:200]!r}: {why}; it is not opened. A file of a run must "
            f"lie inside it"
        )
    return root / str(relative)


def open_read(path: Path, *, limit: int = SEGMENT_BYTES) -> int:
    """Open a regular file of at most `limit` bytes for reading, never through a link, never
    waiting; returns the descriptor. Raises `OSError` when it is not there and `RunError` when it is
    something else.
    """
    why: str | None = "a link"
    if not path.is_symlink():
        handle = os.open(path, _READ)
        why = _kind(os.fstat(handle), last=True, limit=limit)
        if why is None:
            return handle
        os.close(handle)
    raise RunError(f"{path}: {why}; it is not opened. Put the file itself there")


def read(path: Path, *, limit: int = MANIFEST_BYTES) -> bytes:
    """The bytes of a file; raises as `open_read` does."""
    with os.fdopen(open_read(path, limit=limit), "rb") as file:
        return file.read()


def files(folder: Path, ending: str = "") -> Iterator[tuple[str, str | None]]:
    """Name and fault (None: a regular file) of everything in a folder whose name has this ending,
    in no order. Nothing when the folder is not there or is a link.
    """
    if folder.is_symlink():
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(ending):
                with contextlib.suppress(FileNotFoundError):
                    found = entry.stat(follow_symlinks=False)
                    yield entry.name, _kind(found, last=True, limit=SEGMENT_BYTES)


def folder(root: Path, relative: str | PurePosixPath) -> Path:
    """The folder `relative` below `root`, made with all above it where it is not there.

    Raises `RunError` when one of them is a link or no folder, or cannot be made.
    """
    path = str(root)
    for path in _steps(root, relative):
        _need_folder(path)
    return Path(path)


def _steps(root: Path, relative: str | PurePosixPath) -> Iterator[str]:
    """The paths of the folders on the way from `root` down to `relative`. Raises `RunError` where
    the way leads up.
    """
    path = str(root)
    for part in str(relative).split("/"):
        if part == "..":
            raise RunError(f"{relative}: leads out of {root.name}; nothing is written there")
        if part not in ("", "."):
            path = f"{path}{os.sep}{part}"
            yield path


@contextlib.contextmanager
def entered(root: Path, relative: str | PurePosixPath) -> Iterator[int | None]:
    """The folder `relative` below `root`, as `folder` makes it, open for the length of a `with`
    block: what is opened or renamed in the descriptor is in that folder, whatever its path leads to
    by then. None where the system knows no such descriptors. Raises as `folder`.
    """
    if not _ENTERS:
        folder(root, relative)
        yield None
        return
    handle = _opened(str(root), None)
    try:
        for path in _steps(root, relative):
            above, handle = handle, _opened(path, handle)
            os.close(above)
        yield handle
    finally:
        os.close(handle)


def _opened(path: str, above: int | None) -> int:
    """A folder, open: by its path, or by its last step in the open folder `above`, where it is made
    if it is not there, and is no link.
    """
    if above is None:
        try:
            return os.open(path, _ENTER)
        except OSError as error:
            raise unwritable(Path(path), error) from error
    name = os.path.basename(path)
    try:
        with contextlib.suppress(FileNotFoundError):
            return os.open(name, _ENTER | _NO_LINK, dir_fd=above)
        with contextlib.suppress(FileExistsError):  # another process was faster
            os.mkdir(name, dir_fd=above)
        return os.open(name, _ENTER | _NO_LINK, dir_fd=above)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
            raise _no_folder(path, os.path.islink(path)) from error
        raise unwritable(Path(path), error) from error


def _no_folder(path: str, link: bool) -> RunError:
    return RunError(
        f"{path}: {'a link' if link else 'no folder'} where a folder of the run belongs; nothing "
        f"is written there. Remove it"
    )


def put(file: Path, root: Path, relative: str | PurePosixPath) -> None:
    """Rename a finished file into its place below `root`, as `write` does. Raises as `folder`, and
    `OSError` when it cannot be renamed.
    """
    place = PurePosixPath(relative)
    with entered(root, place.parent) as at:
        os.replace(file, root / place if at is None else place.name, dst_dir_fd=at)


def _need_folder(path: str) -> None:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        try:
            os.mkdir(path)
            return
        except FileExistsError:  # another process was faster
            mode = os.lstat(path).st_mode
        except OSError as error:
            raise unwritable(Path(path), error) from error
    except OSError as error:
        raise unwritable(Path(path), error) from error
    if not stat.S_ISDIR(mode):
        raise _no_folder(path, stat.S_ISLNK(mode))


def write(root: Path, relative: str, data: bytes, *, sync: bool = False) -> Path:
    """Write a file below `root` under a temporary name and rename it into its place: what is there
    is replaced, a link is replaced and not followed, a reader never sees half a file.

    Raises `RunError` as `folder` does, and when the disk is full or the place cannot be written;
    then what was there is still there.
    """
    place = PurePosixPath(relative)
    target = root / place
    with entered(root, place.parent) as at:
        try:
            temporary.write(target, data, sync=sync, at=at)
        except OSError as error:
            raise unwritable(target, error) from error
    return target


def no_links(root: Path, places: Iterable[str]) -> None:
    """Raises `RunError` when one of the `places` below `root` is a link, or no folder."""
    for place in places:
        path = root / place
        with contextlib.suppress(OSError):
            mode = os.lstat(path).st_mode
            if not stat.S_ISDIR(mode):
                what = "a link" if stat.S_ISLNK(mode) else "no folder"
                raise RunError(
                    f"{path}: {what} where a folder of the run belongs; this run folder cannot be "
                    f"trusted. Put the folder itself there"
                )


def only_files(root: Path, place: str) -> None:
    """Raises `RunError` when there is a link, a pipe or a device anywhere below a folder of a run:
    what libraries open by name (databases, caches) must be what it seems.
    """
    for above, folders, names in os.walk(root / place):
        for name in (*folders, *names):
            path = os.path.join(above, name)
            with contextlib.suppress(OSError):
                mode = os.lstat(path).st_mode
                if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
                    raise RunError(
                        f"{path}: {_kind(os.lstat(path), last=True, limit=0)}; this run folder "
                        f"cannot be trusted. Remove it"
                    )


def unwritable(path: Path, error: OSError) -> RunError:
    """One line for what could not be written."""
    return RunError(
        f"{path}: cannot be written ({error.strerror or error}); make room or rights and run the "
        f"same command again"
    )


def gone(path: Path) -> RunError:
    """One line for what a reader had found and no longer finds."""
    return RunError(
        f"{path}: gone while it was read; the run was deleted or moved. Bring it back, or name the "
        f"place where it is now"
    )


def _kind(found: os.stat_result, *, last: bool, limit: int) -> str | None:
    """What is wrong with a file (or, if not `last`, a folder on the way), or None."""
    if stat.S_ISLNK(found.st_mode):
        return "a link"
    if not last:
        return None if stat.S_ISDIR(found.st_mode) else "lies below a file"
    if not stat.S_ISREG(found.st_mode):
        return "no regular file (a folder, pipe or device)"
    if found.st_size > limit:
        return f"{found.st_size:,} bytes, wanted at most {limit:,}"
    return None


@lru_cache(maxsize=1024)
def plain_name(name: str) -> str:
    """`name` if it can be one folder's name on any system. Raises `RunError` otherwise."""
    bad = set('/\\:*?"<>|') | {chr(code) for code in range(32)}
    if not name or name.startswith(".") or len(name) > 120 or any(letter in bad for letter in name):
        raise RunError(
            f'name {name!r}: wanted 1 to 120 characters without / \\ : * ? " < > | and no leading '
            f"dot; rename it"
        )
    return plain_text(name, "name")


def plain_text(text: str, what: str) -> str:
    """`text` if UTF-8 can hold it. Raises `RunError` otherwise (a file name in another encoding, a
    lone surrogate in JSON), showing it escaped.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise RunError(
            f"{what} {text!a}: not valid text (UTF-8); rename it, or correct the data"
        ) from None
    return text


# -- the texts -------------------------------------------------------------------------------------

LONGEST = 2000
"""Characters of a reason that are kept."""
_FOLDERS = re.compile(
    r"(?<![\w.~/:<\\-])(?:/(?:[^\s/'\"`:;,|<>()\[\]{}]+/)+|[A-Za-z]:[\\/](?:[^\s\\/'\"`:*?<>|]+[\\/])*)"
)
"""The folders of an absolute path, POSIX or Windows: at least one folder and a separator; no URL,
no fraction.
"""


def portable(text: str, roots: Iterable[Path | str] = ()) -> str:
    """`text` with the names of `roots` (absolute folders) cut out of it, and other absolute paths
    cut to their names.

    A path below one of `roots` is left relative to it, a root itself becomes ``.``, the home folder
    ``~``. At most `LONGEST` characters are kept.
    """
    text = without_roots(text, roots)
    return _FOLDERS.sub("", text)[:LONGEST]


def without_roots(value: Any, roots: Iterable[Path | str]) -> Any:
    """A JSON value whose texts (not its keys) do not name `roots` or the home folder; the rest
    stays to the letter.

    For details of a score, where a text may be what somebody read in a picture: only paths of this
    machine are cut.
    """
    names = sorted({str(root).rstrip("/\\") for root in roots} - {""}, key=len, reverse=True)
    return _cut(value, [*((name, ".") for name in names), (str(Path.home()), "~")])


def facts(value: Any) -> Any:
    """A JSON value for the manifest: a text that is an absolute path becomes its last name."""
    if isinstance(value, Mapping):
        return {str(key): facts(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [facts(part) for part in value]
    if isinstance(value, Path) or (
        isinstance(value, str) and (value.startswith(("/", "~")) or value[1:3] == ":\\")
    ):
        return Path(value).name
    return value


def _cut(value: Any, names: list[tuple[str, str]]) -> Any:
    if isinstance(value, str):
        for name, instead in names:
            if len(name) > 1 and name in value:
                value = value.replace(f"{name}/", "" if instead == "." else f"{instead}/")
                value = re.sub(rf"{re.escape(name)}(?![\w.-])", instead, value)
        return value
    if isinstance(value, Mapping):
        return {key: _cut(part, names) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(part, names) for part in value]
    return value
