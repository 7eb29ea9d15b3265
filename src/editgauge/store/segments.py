"""Append-only files of JSON lines that survive kill -9: one segment a writer, never a file shared
by two.

Every record goes out in one `write()`. A writer that is killed leaves at most one torn line, at the
end of its own segment; `repair` cuts it off and keeps the cut bytes aside. While a writer lives it
holds a lock on its segment, so that nobody repairs what is still being written.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from editgauge.errors import RunError

try:
    import fcntl
except (
    ImportError
):  # not POSIX: a segment still has one writer, but nobody can tell whether it lives
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".jsonl"


class SegmentWriter:
    """Writes records to a new segment of its own in `folder`; made on the first write, so that idle
    writers leave none.

    Raises `RunError` when the folder cannot be written or the disk is full; what had been written
    before stays readable, since a half-written record is cut off at once.
    """

    def __init__(self, folder: Path, label: str) -> None:
        self.folder = folder
        self.label = label
        self.path: Path | None = None
        self._handle: int | None = None
        self._size = 0

    def write(self, records: Iterable[Mapping[str, Any]]) -> int:
        """Append records, all in one `write()`, each stamped with the time (`at`, nanoseconds);
        return how many.
        """
        lines = []
        for record in records:
            lines.append(
                orjson.dumps({**record, "at": time.time_ns()}, option=orjson.OPT_SERIALIZE_NUMPY)
            )
        if lines:
            self._append(b"\n".join(lines) + b"\n")
        return len(lines)

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def _append(self, data: bytes) -> None:
        try:
            if self._handle is None:
                self._open()
            assert self._handle is not None
            done = 0
            while done < len(data):
                done += os.write(self._handle, data[done:])
            self._size += len(data)
        except OSError as error:
            if self._handle is not None:
                os.ftruncate(self._handle, self._size)
            hint = (
                "make room on the disk"
                if error.errno == errno.ENOSPC
                else "make the run folder writable"
            )
            raise RunError(
                f"{self.folder}: cannot write rows ({error.strerror}); {hint} and run the same "
                f"command again"
            ) from error

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        self.path = (
            self.folder / f"{self.label}-{stamp}-{os.getpid()}-{secrets.token_hex(3)}{SUFFIX}"
        )
        self._handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        if fcntl is not None:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def segments(folder: Path, label: str = "") -> list[Path]:
    """The segments of a folder (whose name starts with `label`), by name: oldest first for one
    label.
    """
    return sorted(folder.glob(f"{label}*{SUFFIX}")) if folder.is_dir() else []


def repair(folder: Path) -> list[str]:
    """Cut torn last lines off the segments whose writers are gone; return one line of text for each
    cut.

    The cut bytes are kept in ``<segment>.torn`` beside it. Segments still being written are left
    alone.
    """
    said = []
    for path in segments(folder):
        if not _torn(path):
            continue
        try:
            handle = os.open(path, os.O_RDWR)
        except OSError:
            # a run folder on a read-only disk can still be read: readers skip the torn line
            continue
        try:
            if fcntl is not None:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    continue
            data = path.read_bytes()
            keep = data.rfind(b"\n") + 1
            if keep == len(data):
                continue
            path.with_suffix(".torn").write_bytes(data[keep:])
            os.ftruncate(handle, keep)
            said.append(
                f"{path.name}: a writer was killed; cut {len(data) - keep} bytes of an unfinished "
                f"line"
            )
        finally:
            os.close(handle)
    return said


def read(path: Path, problems: list[str]) -> Iterator[dict[str, Any]]:
    """The records of one segment. An unfinished last line is passed over; any other bad line goes
    into `problems`.
    """
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    for number, line in enumerate(data[:end].split(b"\n"), start=1):
        if not line:
            continue
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            problems.append(f"{path.name}, line {number}: not JSON ({error}); passed over")
            continue
        if isinstance(record, dict):
            yield record
        else:
            problems.append(f"{path.name}, line {number}: not an object; passed over")


@contextlib.contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file (made if it is not there) for the length of a `with`
    block.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _torn(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        if file.tell() == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
