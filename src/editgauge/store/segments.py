"""Append-only files of JSON lines that survive kill -9: one segment a writer, never a file shared
by two.

Every record goes out in one `write()`. A writer that is killed leaves at most one torn line, at the
end of its own segment; `repair` cuts it off and keeps the cut bytes aside. While a writer lives it
holds a lock on its segment, so that nobody repairs what is still being written.

A line ends in ``"run": "…", "seq": …, "check": "…"``. `check` is the CRC-32 of the line without it:
a line that does not fit it is damaged, and left out. `run` is the id of the run that it is of: see
`store.owner`. `seq` counts: the upper half is the segment's number (one more than any there was
when it was begun), the lower half the line's number in it, from 0. So a line that is gone is
noticed, and of two records the newer one is told without looking at a clock. Lines of earlier
versions have none of them; they are read, and are older than those that have.
"""

from __future__ import annotations

import contextlib
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
from editgauge.store.owner import ANYONE, PATTERN, Owner
from editgauge.temporary import take

SUFFIX = ".jsonl"
LINE_BYTES = 1 << 26
"""The longest line that is read."""
MARK = re.compile(
    rb'(?:,"run":"(%b)")?,"seq":(\d{1,19}),"check":"([0-9a-f]{8})"\}$' % PATTERN.encode()
)
_MARK_BYTES = 80
_NUMBER = re.compile(r"-(\d{6,9})-\d{8}T\d{6}-")
_NESTED = 400
"""A line with fewer opening brackets than this is not nested too deeply for any reader."""
_SAID = 20
"""Damaged lines of one file that are named one by one."""
_MOST_NOTES = 1000
"""Texts that a list of problems takes."""


class Line(NamedTuple):
    """One line of a segment: its number from 1, its bytes, where it starts, and what is wrong with
    it ("" when nothing is). `record`: what it says, where that was read. `foreign`: nothing is
    wrong with it but that it is not this run's.
    """

    number: int
    data: bytes
    start: int
    fault: str
    record: dict[str, Any] | None
    foreign: bool = False


class SegmentWriter:
    """Writes records to a new segment of its own in the folder `place` of `root` (a run whose id is
    `run`); made on the first write, so that idle writers leave none.

    Raises `RunError` when the folder cannot be written or the disk is full; what had been written
    before stays readable, since a half-written record is cut off at once.
    """

    def __init__(self, root: Path, place: str, label: str, run: str) -> None:
        self.root = root
        self.place = place
        self.label = label
        self.run = run
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
                marked({**record, "at": now}, self._next + number, self.run)
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
        with paths.entered(self.root, self.place) as at:
            try:
                self._handle = os.open(self.path if at is None else name, flags, 0o644, dir_fd=at)
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


def marked(record: Mapping[str, Any], seq: int, run: str = "") -> bytes:
    """A record as a line with the id of its run (where it is of one), its number and its
    checksum.
    """
    mark: dict[str, Any] = {"run": run, "seq": seq} if run else {"seq": seq}
    try:
        body = orjson.dumps({**record, **mark}, option=orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:  # what JSON cannot hold comes from outside: it is written as far as it can be
        body = orjson.dumps({**storable(record), **mark}, option=orjson.OPT_SERIALIZE_NUMPY)
    return b'%b,"check":"%08x"}\n' % (body[:-1], zlib.crc32(body))


def unmarked(line: bytes) -> bytes:
    """A line without the id, the number and the checksum that `marked` has put at its end: equal
    for records that say the same.
    """
    return MARK.sub(b"}", line)


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


def repair(root: Path, place: str) -> list[str]:
    """Cut torn last lines off the segments in the folder `place` of a run whose writers are gone;
    return one line of text for each cut.

    The cut bytes are kept in ``<segment>.torn`` beside it. Segments still being written are left
    alone, and so is a file that has another name elsewhere (a hard link): readers skip its last
    line.
    """
    said = []
    for path in segments(root / place):
        if not _torn(path):
            continue
        # a run folder on a read-only disk can still be read: readers skip the torn line; and it
        # stays where there is no room for what would be cut
        with contextlib.suppress(OSError, RunError), paths.entered(root, place) as at:
            cut = _cut(path, at)
            if cut:
                said.append(
                    f"{path.name}: a writer was killed; cut {cut} bytes of an unfinished line"
                )
    return said


def _cut(path: Path, at: int | None) -> int:
    """Cut the torn last line off a segment (in the open folder `at`) that nobody writes and that
    has no other name; returns its bytes.
    """
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path if at is None else path.name, flags, dir_fd=at)
    try:
        if os.fstat(handle).st_nlink > 1 or not take(handle):
            return 0
        start, cut = _tail(handle)
        if cut:
            aside(path.with_suffix(".torn"), cut, at)
            os.ftruncate(handle, start)
        return len(cut)
    finally:
        os.close(handle)


def read(path: Path, problems: list[str], owner: Owner = ANYONE) -> Iterator[dict[str, Any]]:
    """The records of one segment that are the owner's. An unfinished last line is passed over; any
    other line that is left out goes into `problems`.
    """
    for line in lines(path, problems, owner=owner):
        if line.record is not None and not line.fault:
            for name in ("run", "check"):
                line.record.pop(name, None)
            yield line.record


def lines(
    path: Path, problems: list[str], *, owner: Owner = ANYONE, parsed: bool = True
) -> Iterator[Line]:
    """The whole lines of a segment, each checked; those that do not stand the check, and lines that
    are gone, are also named in `problems`, and how many are not the owner's. With `parsed` False a
    line with a right checksum is taken to be JSON without looking.
    """
    where = f"{path.parent.name}/{path.name}"
    bad = 0
    foreign: dict[str, int] = {}
    count = _Count()
    try:
        for number, start, data in _raw(path):
            mark, seq, why, record = _judged(data, parsed, count.numbered)
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
            elif other := owner.fault(where, mark):
                foreign[other] = foreign.get(other, 0) + 1
                yield Line(number, data, start, other, record, foreign=True)
                continue
            yield Line(number, data, start, why, record)
    except (OSError, RunError) as error:
        note(problems, f"{where}: cannot be read ({getattr(error, 'strerror', None) or error})")
    for other, many in foreign.items():
        note(problems, f"{where}: {many} {'lines' if many > 1 else 'line'} {other}; left out")
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
) -> tuple[str, int | None, str, dict[str, Any] | None]:
    """The id of a line's run ("" where it carries none, or no checksum stands for it), its `seq`
    (None where it has none), its fault, and its record where that was read. `numbered`: an earlier
    line of the file had one, so that this one must.
    """
    mark = MARK.search(data, max(0, len(data) - _MARK_BYTES))
    if mark is not None:
        run, seq = (mark[1] or b"").decode(), int(mark[2])
        body = zlib.crc32(b"}", zlib.crc32(memoryview(data)[: mark.start(3) - 10]))
        if body != int(mark[3], 16):
            return "", None, "damaged (its checksum does not fit)", None
        if not parsed and data.count(b"[") + data.count(b"{") < _NESTED:
            return run, seq, "", None
    elif numbered:
        return "", None, "damaged (it has no checksum, and earlier ones have)", None
    if json_text.crowded(data):
        return "", None, f"more than {json_text.MOST_PARTS:,} values", None
    try:
        record = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        return "", None, f"not JSON ({error})", None
    if not isinstance(record, dict):
        return "", None, "not an object", None
    return ("", None, "", record) if mark is None else (run, seq, "", record)


def ids(path: Path) -> set[str]:
    """The id that the first line of a segment carries; empty where it carries none."""
    with contextlib.suppress(OSError, RunError):
        for _, _, data in _raw(path):
            run, _, why, _ = _judged(data, False, False)
            return {run} - {""} if not why else set()
    return set()


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


def aside(path: Path, data: bytes, at: int | None = None) -> None:
    """Write bytes to a new file called `path` (in the open folder `at`), or ``path-2``…: nothing is
    overwritten.
    """
    for number in range(1, 1000):
        target = path if number == 1 else path.with_name(f"{path.name}-{number}")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            handle = os.open(target if at is None else target.name, flags, 0o644, dir_fd=at)
        except FileExistsError:
            continue
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        return
    raise OSError(errno.EEXIST, "too many torn lines were set aside")
