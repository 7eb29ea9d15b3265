"""The audit trail of a data set: who changed what and when, from what to what, one event a line.

The file is only ever appended to, and flushed to the disk before an event counts as done. Each line
carries a hash of itself and of the line before (BLAKE2b, 128 bits): a line that was altered, taken
out or put in is found. A process that is killed leaves at most one torn line at the end, which
nobody was told had been written; the next writer cuts it off.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from editgauge.errors import RunError
from editgauge.store import paths

_CHECK = b',"check":"'
_TAIL = len(_CHECK) + 32 + len(b'"}')
START = "0" * 32
"""What the first line has for a line before it."""


class Event(NamedTuple):
    """One change. `before` and `after` hold the fields that changed, None where there was, or is
    now, nothing.
    """

    number: int
    at: str
    """UTC, ISO 8601."""
    who: str
    what: str
    sample: str
    """Empty where the whole set is meant."""
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    note: str = ""
    nonce: str = ""
    """Made by who sends a change, once for each: the same one sent twice is one change."""


@dataclass(slots=True, kw_only=True)
class Trail:
    """The events of one file, read as far as `read` was called. Not for several threads at once."""

    path: Path
    number: int = 0
    """Of the last event read."""
    check: str = START
    end: int = 0
    """Bytes read."""
    nonces: dict[str, Event] = field(default_factory=dict)

    def read(self) -> Iterator[Event]:
        """The events that were appended since the last call. A torn line at the end is left alone.

        Raises `RunError` for a line that is not what was written: the set must not be changed then.
        """
        try:
            with os.fdopen(paths.open_read(self.path), "rb") as file:
                file.seek(self.end)
                data = file.read()
        except FileNotFoundError:
            return
        for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
            yield self._event(line)

    def append(self, event: Event) -> None:
        """Write an event behind all others; it is on the disk when this returns.

        The caller holds the set's lock and has read everything. Raises `RunError` when the disk is
        full; then nothing was written.
        """
        line = _line(event, self.check)
        try:
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            handle = os.open(self.path, flags, 0o644)
            try:
                os.ftruncate(handle, self.end)  # what a killed writer left half done
                os.lseek(handle, self.end, os.SEEK_SET)
                try:
                    done = 0
                    while done < len(line):
                        done += os.write(handle, line[done:])
                    os.fsync(handle)
                except OSError:
                    os.ftruncate(handle, self.end)
                    raise
            finally:
                os.close(handle)
        except OSError as error:
            raise paths.unwritable(self.path, error) from error
        self._event(line)

    def _event(self, line: bytes) -> Event:
        body, check = line[: -_TAIL - 1], line[-_TAIL - 1 :]
        wanted = _check(body, self.check)
        if check != _CHECK + wanted.encode() + b'"}\n':
            raise RunError(
                f"{self.path}: the line after event {self.number} is not what was written there; "
                f"put a copy back, or the trail proves nothing"
            )
        event = _read(body + b"}", self.path, self.number)
        self.number, self.check, self.end = event.number, wanted, self.end + len(line)
        if event.nonce:
            self.nonces[event.nonce] = event
        return event


def _read(data: bytes, path: Path, number: int) -> Event:
    """An event from its line. Raises `RunError` for one that this tool has not written."""
    try:
        event = Event(**orjson.loads(data))
        texts = (event.at, event.who, event.what, event.sample, event.note, event.nonce)
        sound = event.number == number + 1 and all(isinstance(text, str) for text in texts)
        sound = sound and isinstance(event.before, dict) and isinstance(event.after, dict)
    except (orjson.JSONDecodeError, TypeError):
        sound = False
    if not sound:
        raise RunError(f"{path}: the line after event {number} is no event; put a copy back")
    return event


def _line(event: Event, before: str) -> bytes:
    body = orjson.dumps(event._asdict())[:-1]
    return body + _CHECK + _check(body, before).encode() + b'"}\n'


def _check(body: bytes, before: str) -> str:
    return hashlib.blake2b(before.encode() + body, digest_size=16).hexdigest()
