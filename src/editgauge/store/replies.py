"""The table of judges' replies: its columns, and how replies of another run are taken over.

What a reply means is `judging.cache`'s business. Here is what both it and a merge must know: which
columns there are, and that a database of somebody else is read as rows, checked one by one, and
never copied as a file: it could carry triggers and views of its own.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import RunError
from editgauge.store import paths, segments, sqlite

FORMAT = 1
COLUMNS = (
    "key",
    "status",
    "reason",
    "content",
    "finish",
    "asked",
    "answered",
    "system_fingerprint",
    "usage",
    "request",
    "seconds",
    "cost",
    "created",
)
_STATUSES = ("ok", "refused", "failed")
_TEXTS = ("reason", "finish", "asked", "answered", "system_fingerprint")
_LONGEST = 1 << 26
_AT_ONCE = 500


SCHEMA = (
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT)",
    f"CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, {', '.join(COLUMNS[1:])})",
    "CREATE TABLE IF NOT EXISTS checks (key TEXT PRIMARY KEY, mark INTEGER)",
    f"INSERT OR IGNORE INTO meta VALUES ('format', '{FORMAT}')",
)
"""The statements that make a reply store where there is none. `checks` holds a checksum of each
reply; those of earlier versions have none.
"""


def mark(reply: Sequence[Any]) -> int:
    """Checksum of a reply, given in the order of `COLUMNS`."""
    return zlib.crc32(orjson.dumps([segments.storable(value) for value in reply]))


@contextlib.contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that reads a store and can change nothing, for the length of a `with` block.

    Raises `RunError` for what is no regular file, `OSError` when it is not there, and
    `sqlite3.Error` when it is no database or holds more than tables.
    """
    if not os.path.lexists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    sqlite.need_files(path)
    with (
        sqlite.readable(path) as place,
        contextlib.closing(sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True)) as db,
    ):
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA query_only = ON")
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        if odd := sqlite.strange(db):
            raise sqlite3.DatabaseError(f"it holds a {odd}, which is none of ours")
        yield db


def merge(source: Path, target: Path, problems: list[str]) -> int:
    """Copy the replies whose keys the target has not; returns how many. What cannot be read, and a
    store of another format, is left and named in `problems`.
    """
    try:
        with reading(source) as theirs:
            there = {record[1] for record in theirs.execute("PRAGMA table_info(replies)")}
            if there != set(COLUMNS):
                raise sqlite3.DatabaseError("its columns are others than those of this version")
            paths.folder(target.parent.parent, target.parent.name)
            with contextlib.closing(sqlite.connect(target, SCHEMA)) as ours:
                return _copy(theirs, ours, problems)
    except FileNotFoundError:
        return 0
    except (sqlite3.Error, OSError, RunError) as error:
        segments.note(problems, f"the reply store was not merged ({error})")
        return 0


def fault(reply: Sequence[Any]) -> str:
    """What is wrong with a reply, given in the order of `COLUMNS`; "" when it can be used."""
    record = dict(zip(COLUMNS, reply, strict=True))
    if not isinstance(record["key"], str) or not 0 < len(record["key"]) <= 200:
        return "its key is no text"
    if record["status"] not in _STATUSES:
        return "unknown status"
    if not isinstance(record["content"], str | None):
        return "its content is no text"
    if any(not isinstance(record[name] or "", str) for name in _TEXTS):
        return "a text is none"
    if any(not _object(record[name]) for name in ("usage", "request")):
        return "usage or request is no JSON object"
    amounts = (record["seconds"] or 0, record["cost"] or 0, record["created"] or 0)
    return "" if all(isinstance(amount, int | float) for amount in amounts) else "an amount is none"


def _copy(theirs: sqlite3.Connection, ours: sqlite3.Connection, problems: list[str]) -> int:
    names = ", ".join(COLUMNS)
    statement = f"INSERT OR IGNORE INTO replies ({names}) VALUES ({', '.join('?' * len(COLUMNS))})"
    known = marks(theirs)
    cursor = theirs.execute(f"SELECT {names} FROM replies")
    left = taken = 0
    ours.execute("BEGIN IMMEDIATE")
    with ours:  # commits, or takes everything back
        while part := cursor.fetchmany(_AT_ONCE):
            sound = [reply for reply in part if not fault(reply) and _same(reply, known)]
            left += len(part) - len(sound)
            for reply in sound:
                if ours.execute(statement, reply).rowcount:
                    taken += 1
                    ours.execute(
                        "INSERT OR REPLACE INTO checks VALUES (?, ?)", (reply[0], mark(reply))
                    )
    if left:
        segments.note(problems, f"{left} replies were not merged: damaged, or of no known kind")
    return taken


def marks(db: sqlite3.Connection) -> dict[str, int]:
    """The checksums of a store's replies by key; empty for a store of an earlier version."""
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'checks'").fetchone():
        return {}
    return dict(db.execute("SELECT key, mark FROM checks").fetchall())


def _same(reply: Sequence[Any], known: dict[str, int]) -> bool:
    return known.get(reply[0], mark(reply)) == mark(reply)


def _object(text: Any) -> bool:
    if text is None or text == "":
        return True
    try:
        return isinstance(text, str) and isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False
