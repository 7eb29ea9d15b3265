"""The reply store: every reply that was ever paid for, by a hash of everything that it depended on.

SQLite in WAL mode, called directly in the event loop (a write takes some 60 microseconds). A reply
is written here before any row is made of it, so that a killed run repeats at most the calls that
were in flight. One store may be shared by many runs, models and benchmarks, and by several
processes at once.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from editgauge.errors import RunError
from editgauge.store import sqlite
from editgauge.store.replies import COLUMNS, FORMAT, SCHEMA, fault, mark

_SELECT = (
    f"SELECT {', '.join(COLUMNS)}, (SELECT mark FROM checks WHERE checks.key = replies.key) "
    "FROM replies"
)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a judge's server, or why there is none.

    `status` is ``ok``, ``refused`` or ``failed``. `asked` and `answered` are model ids; `usage` the
    server's own counts; `request` what the call was about (benchmark, sample, editor, call,
    hashes), never its text or pictures.
    """

    key: str
    status: str
    content: str | None = None
    reason: str = ""
    finish: str = ""
    asked: str = ""
    answered: str = ""
    system_fingerprint: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    cost: float | None = None
    created: float = 0.0


class ReplyStore:
    """Replies by key in one SQLite file. A context manager; raises `RunError` when the file cannot
    be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._db = sqlite.connect(path, SCHEMA, timeout=60)
            known = self.note("format")
        except (sqlite3.Error, OSError, RunError) as error:
            raise RunError(
                f"{path}: the reply store cannot be used ({error}); name another with --replies"
            ) from error
        if known != str(FORMAT):
            raise RunError(
                f"{path}: reply store format {known!r}, this version reads {FORMAT}; name another "
                f"one"
            )

    def get(self, key: str) -> Reply | None:
        """The reply under a key, or None. One that is damaged is none: it is asked for again."""
        row = self._run(f"{_SELECT} WHERE key = ?", key).fetchone()
        return None if row is None or not _sound(row) else _reply(row[:-1])

    def put(self, reply: Reply) -> None:
        """Write a reply (in place of an older one under its key); it is on disk when this
        returns.
        """
        values = (
            reply.key,
            reply.status,
            reply.reason,
            reply.content,
            reply.finish,
            reply.asked,
            reply.answered,
            reply.system_fingerprint,
            orjson.dumps(dict(reply.usage)).decode(),
            orjson.dumps(dict(reply.request)).decode(),
            reply.seconds,
            reply.cost,
            reply.created or time.time(),
        )
        self._run("BEGIN IMMEDIATE")
        try:
            self._run(
                f"INSERT OR REPLACE INTO replies VALUES ({', '.join('?' * len(COLUMNS))})", *values
            )
            self._run("INSERT OR REPLACE INTO checks VALUES (?, ?)", reply.key, mark(values))
        except BaseException:
            with contextlib.suppress(RunError):
                self._run("ROLLBACK")
            raise
        self._run("COMMIT")

    def drop(self, key: str) -> None:
        """Forget a reply (before it is asked for again)."""
        self._run("DELETE FROM replies WHERE key = ?", key)

    def __len__(self) -> int:
        return int(self._run("SELECT count(*) FROM replies").fetchone()[0])

    def __iter__(self) -> Iterator[Reply]:
        for row in self._run(f"{_SELECT} ORDER BY rowid"):
            if _sound(row):
                yield _reply(row[:-1])

    def note(self, name: str, value: str | None = None) -> str | None:
        """A short fact about the store (the judge that answered first); with `value`, write it."""
        if value is not None:
            self._run("INSERT OR REPLACE INTO meta VALUES (?, ?)", name, value)
            return value
        row = self._run("SELECT value FROM meta WHERE name = ?", name).fetchone()
        return None if row is None else str(row[0])

    def records(self, start: str) -> dict[str, dict[str, Any]]:
        """All facts whose name begins with `start` and that are JSON objects, in the order in which
        they were first written. Raises `RunError` for one that is none.
        """
        rows = self._run(
            "SELECT name, value FROM meta WHERE substr(name, 1, ?) = ? ORDER BY rowid",
            len(start),
            start,
        )
        return {str(name): self._record(name, value) for name, value in rows}

    def _record(self, name: object, value: object) -> dict[str, Any]:
        try:
            found = orjson.loads(str(value))
        except orjson.JSONDecodeError:
            found = None
        if not isinstance(found, dict):
            raise RunError(
                f"{self.path}: what is noted as {str(name)[:80]!r} is damaged; bring a copy of the "
                f"reply store, or name another one with --replies"
            )
        return found

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, statement: str, *values: Any) -> sqlite3.Cursor:
        try:
            return self._db.execute(statement, values)
        except sqlite3.Error as error:
            raise RunError(
                f"{self.path}: the reply store cannot be read or written ({error}); "
                "make room or rights and run the same command again"
            ) from error


def _sound(row: tuple[Any, ...]) -> bool:
    """Whether a reply is what was written: a database gives back a flipped bit without a word."""
    *values, known = row
    return not fault(values) and known in (None, mark(values))


def _reply(row: tuple[Any, ...]) -> Reply:
    record = dict(zip(COLUMNS, row, strict=True))
    record["usage"] = orjson.loads(record["usage"] or "{}")
    record["request"] = orjson.loads(record["request"] or "{}")
    return Reply(**record)
