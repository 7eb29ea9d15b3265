"""What cost money: the judges' replies, and the ledger of calls to services. A file of its own,
since each commit is waited for until it is on the disk, and several runs may share one. A call is
booked before it is sent; a reply is written before any row is made of it. What threads write at one
time is committed as one: one wait for the disk serves all calls in flight.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeVar

from editgauge.errors import RunError
from editgauge.store import schema, sqlite
from editgauge.types import JsonMapping, JsonObject

T = TypeVar("T")
_SLACK = 1e-9
State = Literal["sent", "billed", "kept", "released"]
"""A call is ``sent``; then its bill came, or it stands at the most it can cost (kept), or it was
certainly not billed (released).
"""
SCHEMA = (
    "CREATE TABLE replies(key TEXT PRIMARY KEY, reply TEXT NOT NULL, mark INTEGER)",
    "CREATE TABLE notes(name TEXT PRIMARY KEY, value TEXT NOT NULL, mark INTEGER)",
    """CREATE TABLE calls(
        id INTEGER PRIMARY KEY, purpose TEXT NOT NULL, key TEXT NOT NULL, model TEXT NOT NULL,
        state TEXT NOT NULL CHECK(state IN ('sent', 'billed', 'kept', 'released')),
        most REAL NOT NULL CHECK(most >= 0),
        billed REAL CHECK((billed IS NOT NULL) = (state = 'billed')),
        at REAL NOT NULL, note TEXT NOT NULL, booked REAL AS
        (CASE state WHEN 'released' THEN 0.0 WHEN 'billed' THEN billed ELSE most END))""",
    "CREATE INDEX calls_by_key ON calls(key)",
    "CREATE INDEX calls_by_model ON calls(model, state)",
    """CREATE TABLE totals(
        purpose TEXT PRIMARY KEY,
        booked REAL NOT NULL CHECK(booked BETWEEN -1e-6 AND 1e12),
        billed REAL NOT NULL CHECK(billed BETWEEN -1e-6 AND 1e12), calls INTEGER NOT NULL)""",
    """CREATE TRIGGER call_booked AFTER INSERT ON calls BEGIN
        INSERT INTO totals VALUES(NEW.purpose, NEW.booked, 0.0, 1) ON CONFLICT(purpose)
        DO UPDATE SET booked = booked + NEW.booked, calls = calls + 1; END""",
    """CREATE TRIGGER call_settled AFTER UPDATE OF state, billed ON calls BEGIN UPDATE totals SET
        booked = booked - OLD.booked + NEW.booked,
        billed = billed - coalesce(OLD.billed, 0.0) + coalesce(NEW.billed, 0.0),
        calls = calls + (OLD.state = 'released') - (NEW.state = 'released')
        WHERE purpose = NEW.purpose; END""",
)

_BOOK = "INSERT INTO calls(purpose, key, model, state, most, at, note) VALUES (?, ?, ?, ?, ?, ?, ?)"


class Call(NamedTuple):
    """One call to a service. `most`: the dollars that it can cost at most; `billed`: its bill, None
    where none has come; `booked`: what counts against a budget. `at`: seconds since 1970.
    """

    id: int
    purpose: str
    key: str
    model: str
    state: State
    most: float
    billed: float | None
    at: float
    note: str
    booked: float


class Totals(NamedTuple):
    """Sums of one purpose: dollars counted against a budget, dollars billed, calls not released."""

    booked: float
    billed: float
    calls: int


class Paid:
    """One file of replies and calls; in memory with `path` None. Thread-safe; a context manager.
    Raises `RunError` when the file cannot be used.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._brought: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        if path is None:
            self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            for statement in SCHEMA:
                self._db.execute(statement)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(path):
            sqlite.create(path, SCHEMA)
        self._db = sqlite.opened(path, SCHEMA, safe=True)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """What is read and written in the `with` block happens at once, or not at all; no other
        command writes meanwhile. May be nested.
        """
        with self._lock:
            if self._db.in_transaction:
                yield
                return
            with self._told(), sqlite.transaction(self._db):
                yield

    def _written(self, act: Callable[[], T]) -> T:
        """Do `act` in one transaction with the other threads', or in this thread's own one."""
        future = Future[T]()
        self._brought.append((act, future))
        with self._lock:
            if self._db.in_transaction:
                self._brought.remove((act, future))
                return act()
            group = [self._brought.popleft() for _ in range(len(self._brought))]
            try:
                if group:  # else another thread has done it
                    with self.transaction():
                        values = [one() for one, _ in group]
                    for (_, waiting), value in zip(group, values, strict=True):
                        waiting.set_result(value)
            except BaseException as error:
                for _, waiting in group:
                    waiting.set_exception(error)
        return future.result()

    # -- replies -----------------------------------------------------------------------------------

    def get(self, key: str) -> JsonObject | None:
        """The reply under a key; None where there is none or it is damaged: then asked again."""
        rows = self._read("SELECT * FROM replies WHERE key = ?", key)
        return _object(rows[0]) if rows else None

    def put(self, key: str, reply: JsonMapping) -> None:
        """Write a reply of JSON values over an older one; on the disk when this returns."""
        self._put("replies", key, schema.json(dict(reply)))

    def drop(self, *keys: str) -> None:
        """Forget replies (before they are asked for again)."""
        with self.transaction():
            self._db.executemany("DELETE FROM replies WHERE key = ?", [(key,) for key in keys])

    def __len__(self) -> int:
        return int(self._read("SELECT count(*) FROM replies")[0][0])

    def replies(self) -> Iterator[tuple[str, JsonObject]]:
        """Every reply that is sound, in the order in which they came."""
        for (key,) in self._read("SELECT key FROM replies ORDER BY rowid"):
            if (reply := self.get(key)) is not None:
                yield key, reply

    def requests(self) -> Iterator[tuple[str, JsonObject]]:
        """Each sound reply's key, and what it says of its request."""
        for key, reply in self.replies():
            request = reply.get("request")
            yield key, request if isinstance(request, dict) else {}

    def damaged(self) -> list[str]:
        """The keys of replies that are not what was written."""
        every = self._read("SELECT key FROM replies")
        return [key for (key,) in every if self.get(key) is None]

    def note(self, name: str, value: str | None = None) -> str | None:
        """A short fact; with `value`, write it. None where there is none, or it is damaged."""
        if value is not None:
            self._put("notes", name, value)
            return value
        rows = self._read("SELECT * FROM notes WHERE name = ?", name)
        return str(rows[0][1]) if rows and schema.stands("notes", rows[0]) else None

    def notes(self, start: str) -> dict[str, str]:
        """The facts whose names begin with `start`, in the order in which they were written. Raises
        `RunError` where one is damaged.
        """
        query = "SELECT * FROM notes WHERE substr(name, 1, ?) = ? ORDER BY rowid"
        rows = self._read(query, len(start), start)
        for row in rows:
            if not schema.stands("notes", row):
                raise RunError(
                    f"{self.path}: what is noted as {str(row[0])[:80]!r} is damaged; bring a copy "
                    f"of the file, or name another one"
                )
        return {name: value for name, value, _ in rows}

    # -- calls -------------------------------------------------------------------------------------

    def book(
        self,
        purpose: str,
        most: float,
        *,
        key: str = "",
        model: str = "",
        budget: float | None = None,
    ) -> int | None:
        """Write down a call right before it is sent, at the most that it can cost; its number. None
        where the sum of its purpose would pass `budget`.
        """  # fmt: skip

        def act() -> int | None:
            if budget is not None and self.totals(purpose).booked + most > budget + _SLACK:
                return None
            call = (purpose, key, model, "sent", most, time.time(), "")
            return self._db.execute(_BOOK, call).lastrowid

        return self._written(act)

    def settle(
        self, number: int, state: State, billed: float | None = None, note: str = ""
    ) -> float:
        """Write how a call ended; what counts for it now. `billed` goes with ``billed`` alone."""

        def act() -> float:
            statement = "UPDATE calls SET state = ?, billed = ?, note = ? WHERE id = ?"
            self._db.execute(statement, (state, billed, note[:200], number))
            return self.call(number).booked

        return self._written(act)

    def rename(self, number: int, key: str) -> None:
        """A call that is under way goes on after its command, under this key."""
        statement = "UPDATE calls SET key = ? WHERE id = ?"
        self._written(lambda: self._db.execute(statement, (key, number)))

    def call(self, number: int) -> Call:
        """The call with this number. Raises `RunError` where there is none."""
        for call in self.calls("id = ?", number):
            return call
        raise RunError(f"{self.path}: no call {number} is booked; the file was changed")

    def calls(self, where: str = "1", *values: object) -> list[Call]:
        """The calls for which an SQL condition over their columns holds, oldest first."""
        query = f"SELECT * FROM calls WHERE {where} ORDER BY id"
        return [Call(*row) for row in self._read(query, *values)]

    def totals(self, purpose: str) -> Totals:
        """The sums of a purpose."""
        rows = self._read("SELECT booked, billed, calls FROM totals WHERE purpose = ?", purpose)
        return Totals(*rows[0]) if rows else Totals(0.0, 0.0, 0)

    # -- inside ------------------------------------------------------------------------------------

    def _put(self, table: str, *record: str) -> None:
        statement = f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)"
        self._written(lambda: self._db.execute(statement, schema.sealed(table, *record)))

    def _read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock, self._told():
            return self._db.execute(statement, values).fetchall()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite.FAULTS as error:
            raise sqlite.broken(self.path or Path("memory"), error) from error

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def merge(sources: Sequence[Path], target: Path) -> tuple[int, list[str]]:
    """Copy the replies whose keys the target has not, and what was learned about services: how they
    want to be asked, who answered, which batches and jobs are under way (with what is booked for
    them). How many replies, and what could not be taken.
    """
    there, taken, problems = [path for path in sources if path.exists()], 0, []
    with Paid(target if there else None) as ours:
        for path in there:
            try:
                with Paid(path) as theirs, ours.transaction():
                    _take_notes(theirs, ours)
                    new = {k: one for k, one in _named(theirs, ours) if ours.get(k) is None}
                    for key, reply in new.items():
                        ours.put(key, reply)
                    left = len(theirs.damaged())
            except RunError as error:
                problems.append(f"the reply store was not merged ({error})")
                continue
            taken += len(new)
            problems += [f"{path.name}: {left} replies are damaged; not taken"] if left else []
    return taken, problems


def _take_notes(theirs: Paid, ours: Paid) -> None:
    """Copy the notes whose names the target has not, and the calls that are still under way."""
    for (name,) in theirs._read("SELECT name FROM notes ORDER BY rowid"):
        value = theirs.note(name)
        if value is not None and ours.note(name) is None:
            ours.note(name, value)
    for call in theirs.calls("state = 'sent' AND key != ''"):
        if not ours.calls("key = ? AND purpose = ?", call.key, call.purpose):
            ours.book(call.purpose, call.most, key=call.key, model=call.model)


def _named(theirs: Paid, ours: Paid) -> Iterator[tuple[str, JsonObject]]:
    """Replies with their keys. Another model's than the target knows under that name is kept under
    a key that no question has: two judges are not mixed.
    """
    for key, reply in theirs.replies():
        answered = str(reply.get("answered") or "")
        first = ours.note(f"answered {reply.get('asked', '')}") or answered
        is_other = answered and answered != first and not key.endswith(f" {answered}")
        yield (f"{key} {answered}" if is_other else key), reply


def _object(record: Sequence[Any]) -> JsonObject | None:
    try:
        return schema.parsed(record[1]) if schema.stands("replies", record) else None
    except ValueError:
        return None
