"""The table of judges' replies: its columns, and how replies of another run are taken over.

What a reply means is `judging.cache`'s business. Here is what both it and a merge must know: which
columns there are, and that a database of somebody else is read as rows, checked one by one, and
never copied as a file: it could carry triggers and views of its own.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import RunError
from editgauge.store import paths, segments

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


def create(db: sqlite3.Connection) -> None:
    """Make the tables of a reply store where they are not there, and write its format down."""
    db.execute("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT)")
    db.execute(
        f"CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, {', '.join(COLUMNS[1:])})"
    )
    db.execute("INSERT OR IGNORE INTO meta VALUES ('format', ?)", (str(FORMAT),))


def strange(db: sqlite3.Connection) -> str:
    """What a reply store holds that is none of its own (a trigger, a view), or ""."""
    found = db.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1"
    ).fetchone()
    return f"{found[0]} {found[1]!r}" if found else ""


@contextlib.contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that reads a store and can change nothing, for the length of a `with` block.

    Raises `RunError` for what is no regular file, `OSError` when it is not there, and
    `sqlite3.Error` when it is no database.
    """
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(*([FileNotFoundError] if suffix else [])):
            os.close(paths.open_read(Path(f"{path}{suffix}")))
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA query_only = ON")
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        yield db


def merge(source: Path, target: Path, problems: list[str]) -> int:
    """Copy the replies whose keys the target has not; returns how many. What cannot be read, and a
    store of another format, is left and named in `problems`.
    """
    try:
        with reading(source) as theirs:
            why = _other_format(theirs)
            if why:
                segments.note(problems, f"the reply store was not merged ({why})")
                return 0
            paths.folder(target.parent.parent, target.parent.name)
            with contextlib.closing(sqlite3.connect(target, timeout=30)) as ours:
                create(ours)
                if odd := strange(ours):
                    raise sqlite3.DatabaseError(f"the target's holds a {odd}")
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


def _other_format(theirs: sqlite3.Connection) -> str:
    if odd := strange(theirs):
        return f"it holds a {odd}, which no reply store does"
    there = {record[1] for record in theirs.execute("PRAGMA table_info(replies)")}
    if there != set(COLUMNS):
        return "its columns are others than those of this version"
    return ""


def _copy(theirs: sqlite3.Connection, ours: sqlite3.Connection, problems: list[str]) -> int:
    names = ", ".join(COLUMNS)
    before = ours.total_changes
    statement = f"INSERT OR IGNORE INTO replies ({names}) VALUES ({', '.join('?' * len(COLUMNS))})"
    cursor = theirs.execute(f"SELECT {names} FROM replies")
    left = 0
    with ours:
        while part := cursor.fetchmany(_AT_ONCE):
            sound = [reply for reply in part if not fault(reply)]
            left += len(part) - len(sound)
            ours.executemany(statement, sound)
    if left:
        segments.note(problems, f"{left} replies were not merged: damaged, or of no known kind")
    return ours.total_changes - before


def _object(text: Any) -> bool:
    if text is None or text == "":
        return True
    try:
        return isinstance(text, str) and isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError:
        return False
