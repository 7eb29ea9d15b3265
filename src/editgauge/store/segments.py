"""Append-only files of JSON lines that survive kill -9: one segment a writer, never a file shared
by two.

Every record goes out in one `write()`. A writer that is killed leaves at most one torn line, at the
end of its own segment; `repair` cuts it off and keeps the cut bytes aside. While a writer lives it
holds a lock on its segment, so that nobody repairs what is still being written.

A line ends in ``"seq": …, "check": "…"``. `check` is the CRC-32 of the line without it: a line that
does not fit it is damaged, and left out. `seq` counts: the upper half is the segment's number (one
more than any there was when it was begun), the lower half the line's number in it, from 0. So a
line that is gone is noticed, and of two records the newer one is told without looking at a clock.
Lines of earlier versions have neither; they are read, and are older than those that have.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import orjson

from editgauge import json_text
from editgauge.errors import RunError
from editgauge.store import paths
from editgauge.temporary import take

SUFFIX = ".jsonl"
LINE_BYTES = 1 << 26
"""The longest line that is read."""
MARK = re.compile(rb',"seq":(\d{1,19}),"check":"([0-9a-f]{8})"\}$')
_MARK_BYTES = 60
_NUMBER = re.compile(r"-(\d{6,9})-\d{8}T\d{6}-")
_NESTED = 400
"""A line with fewer opening brackets than this is not nested too deeply for any reader."""
_SAID = 20
"""Damaged lines of one file that are named one by one."""
_MOST_NOTES = 1000
"""Texts that a list of problems takes."""


class Line(NamedTuple):
    """One line of a segment: its number from 1, its bytes, where it starts, and what is wrong with
    it ("" when nothing is). `record`: what it says, where that was read.
    """

    number: int
    data: bytes
    start: int
    fault: str
    record: dict[str, Any] | None


class SegmentWriter:
    """Writes records to a new segment of its own in the folder `place` of `root` (a run); made on
    the first write, so that idle writers leave none.

    Raises `RunError` when the folder cannot be written or the disk is full; what had been written
    before stays readable, since a half-written record is cut off at once.
    """

    def __init__(self, root: Path, place: str, label: str) -> None:
        self.root = root
        self.place = place
        self.label = label
        self.path: Path | None = None
        self._handle: int | None = None
        self._size = 0
        self._next = 0

    def write(self, records: Iterable[Mapping[str, Any]]) -> int:
        """Append records, all in one `write()`, each stamped with the time (`at`, nanoseconds);
        return how many.
        """
        whole = list(records)
        if whole:
            if self._handle is None:
                self._open()
            now = time.time_ns()
            lines = (
                marked({**record, "at": now}, self._next + number)
                for number, record in enumerate(whole)
            )
            self._append(b"".join(lines))
            self._next += len(whole)
        return len(whole)

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
        assert self._handle is not None
        try:
            done = 0
            while done < len(data):
                done += os.write(self._handle, data[done:])
            self._size += len(data)
        except OSError as error:
            os.ftruncate(self._handle, self._size)
            raise self._unwritable(error) from error

    def _open(self) -> None:
        folder = paths.folder(self.root, self.place)
        number = 1 + max((_number(path.name) for path in segments(folder)), default=0)
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        name = f"{self.label}-{number:06d}-{stamp}-{os.getpid()}-{secrets.token_hex(3)}{SUFFIX}"
        self.path = folder / name
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        try:
            self._handle = os.open(self.path, flags, 0o644)
        except OSError as error:
            raise self._unwritable(error) from error
        self._next = number << 32
        take(self._handle)

    def _unwritable(self, error: OSError) -> RunError:
        hint = (
            "make room on the disk"
            if error.errno == errno.ENOSPC
            else "make the run folder writable"
        )
        return RunError(
            f"{self.root / self.place}: cannot write rows ({error.strerror}); {hint} and run the "
            f"same command again"
        )


def marked(record: Mapping[str, Any], seq: int) -> bytes:
    """A record as a line with its number and its checksum."""
    try:
        body = orjson.dumps({**record, "seq": seq}, option=orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:  # what JSON cannot hold comes from outside: it is written as far as it can be
        body = orjson.dumps({**storable(record), "seq": seq}, option=orjson.OPT_SERIALIZE_NUMPY)
    return b'%b,"check":"%08x"}\n' % (body[:-1], zlib.crc32(body))


def storable(value: Any, depth: int = 60) -> Any:
    """A value as JSON can hold it: lone surrogates escaped, integers of more than 64 bits and
    things of other kinds as text, nothing deeper than `depth`.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return value if -(1 << 63) <= value < 1 << 63 else str(value)
    if depth <= 0:
        return "…"
    if isinstance(value, Mapping):
        return {storable(str(key)): storable(part, depth - 1) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [storable(part, depth - 1) for part in value]
    if hasattr(value, "dtype"):
        return storable(value.tolist(), depth)
    return storable(str(value))


def segments(folder: Path, label: str = "", problems: list[str] | None = None) -> list[Path]:
    """The segments of a folder (whose name starts with `label`), by name: oldest first for one
    label. What is no regular file goes into `problems`.
    """
    found = []
    for name, why in paths.files(folder, SUFFIX):
        if not name.startswith(label) or name.startswith("."):
            continue
        if why is None:
            found.append(folder / name)
        elif problems is not None:
            note(problems, f"{folder.name}/{name}: {why}; left out")
    return sorted(found)


def repair(folder: Path) -> list[str]:
    """Cut torn last lines off the segments whose writers are gone; return one line of text for each
    cut.

    The cut bytes are kept in ``<segment>.torn`` beside it. Segments still being written are left
    alone, and so is a file that has another name elsewhere (a hard link): readers skip its last
    line.
    """
    said = []
    for path in segments(folder):
        if not _torn(path):
            continue
        try:
            handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            # a run folder on a read-only disk can still be read: readers skip the torn line
            continue
        try:
            if os.fstat(handle).st_nlink > 1 or not take(handle):
                continue
            start, cut = _tail(handle)
            if not cut:
                continue
            aside(path.with_suffix(".torn"), cut)
            os.ftruncate(handle, start)
            said.append(
                f"{path.name}: a writer was killed; cut {len(cut)} bytes of an unfinished line"
            )
        except OSError:  # no room for what would be cut: it stays
            continue
        finally:
            os.close(handle)
    return said


def read(path: Path, problems: list[str]) -> Iterator[dict[str, Any]]:
    """The records of one segment. An unfinished last line is passed over; any other bad line goes
    into `problems`.
    """
    for line in lines(path, problems):
        if line.record is not None:
            line.record.pop("check", None)
            yield line.record


def lines(path: Path, problems: list[str], *, parsed: bool = True) -> Iterator[Line]:
    """The whole lines of a segment, each checked; those that do not stand the check, and lines that
    are gone, are also named in `problems`. With `parsed` False a line with a right checksum is
    taken to be JSON without looking.
    """
    where = f"{path.parent.name}/{path.name}"
    bad = 0
    count = _Count()
    try:
        for number, start, data in _raw(path):
            seq, why, record = _judged(data, parsed, count.numbered)
            gone = count.passed(seq)
            if gone:
                note(
                    problems,
                    f"{where}, before line {number}: {gone} lines are gone; `editgauge score` "
                    f"makes their scores again",
                )
            if why:
                bad += 1
                if bad <= _SAID:
                    note(problems, f"{where}, line {number}: {why}; left out")
            yield Line(number, data, start, why, record)
    except (OSError, RunError) as error:
        note(problems, f"{where}: cannot be read ({getattr(error, 'strerror', None) or error})")
    if bad > _SAID:
        note(problems, f"{where}: {bad} damaged lines in all; left out")


class _Count:
    """Tells from the numbers of lines whether some are gone."""

    def __init__(self) -> None:
        self.numbered = False
        self._next = 0
        self._before = 0

    def passed(self, seq: int | None) -> int:
        """How many lines are gone between the last line and this one. A damaged line, whose number
        is None, stands for one.
        """
        if seq is None:
            self._next += 1
            self._before += 1
            return 0
        first = seq >> 32 << 32
        if not self.numbered or self._next >> 32 != seq >> 32:
            self._next = first + (0 if self.numbered else self._before)
            self.numbered = True
        gone = max(0, seq - self._next)
        self._next = max(self._next, seq + 1)
        return gone


def note(problems: list[str], text: str) -> None:
    """Add a text to a list, once. The list is searched each time: after `_MOST_NOTES` texts it says
    that there are more, and takes no other.
    """
    if len(problems) < _MOST_NOTES and text not in problems:
        problems.append(text)
        if len(problems) == _MOST_NOTES:
            problems.append("and more that is damaged; `editgauge check-run` names it")


def _judged(
    data: bytes, parsed: bool, numbered: bool
) -> tuple[int | None, str, dict[str, Any] | None]:
    """A line's `seq` (None where it has none), its fault, and its record where that was read.
    `numbered`: an earlier line of the file had one, so that this one must.
    """
    mark = MARK.search(data, max(0, len(data) - _MARK_BYTES))
    if mark is not None:
        body = zlib.crc32(b"}", zlib.crc32(memoryview(data)[: mark.start(2) - 10]))
        if body != int(mark[2], 16):
            return None, "damaged (its checksum does not fit)", None
        if not parsed and data.count(b"[") + data.count(b"{") < _NESTED:
            return int(mark[1]), "", None
    elif numbered:
        return None, "damaged (it has no checksum, and earlier ones have)", None
    if json_text.crowded(data):
        return None, f"more than {json_text.MOST_PARTS:,} values", None
    try:
        record = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        return None, f"not JSON ({error})", None
    if not isinstance(record, dict):
        return None, "not an object", None
    return int(mark[1]) if mark is not None else None, "", record


def _raw(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """(number, start, bytes without the newline) of the whole lines that are not empty."""
    with os.fdopen(paths.open_read(path), "rb") as file:
        number = start = 0
        while data := file.readline(LINE_BYTES):
            number += 1
            if not data.endswith(b"\n"):
                if len(data) < LINE_BYTES:
                    return  # unfinished: being written, or torn
                raise RunError(f"line {number} is longer than {LINE_BYTES:,} bytes")
            if len(data) > 1:
                yield number, start, data[:-1]
            start += len(data)


def _number(name: str) -> int:
    found = _NUMBER.search(name)
    return int(found[1]) if found else 0


def _torn(path: Path) -> bool:
    try:
        handle = paths.open_read(path)
    except (OSError, RunError):
        return False
    with os.fdopen(handle, "rb") as file:
        end = file.seek(0, os.SEEK_END)
        if end == 0:
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def whole(path: Path) -> int:
    """How many bytes of a segment are whole lines: all, but for a line being written just now."""
    with os.fdopen(paths.open_read(path), "rb") as file:
        return _tail(file.fileno())[0]


def _tail(handle: int) -> tuple[int, bytes]:
    """Where the unfinished last line of a file starts, and that line."""
    end = size = os.fstat(handle).st_size
    while end > 0:
        start = max(0, end - 65536)
        cut = os.pread(handle, end - start, start).rfind(b"\n")
        if cut >= 0:
            end = start + cut + 1
            break
        end = start
    kept = min(size - end, LINE_BYTES)
    return end, os.pread(handle, kept, end)


def aside(path: Path, data: bytes) -> None:
    """Write bytes to a new file called `path`, or ``path-2``…: nothing is overwritten."""
    for number in range(1, 1000):
        target = path if number == 1 else path.with_name(f"{path.name}-{number}")
        try:
            handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            continue
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        return
    raise OSError(errno.EEXIST, "too many torn lines were set aside")
