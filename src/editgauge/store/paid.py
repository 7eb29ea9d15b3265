"""What cost money: the judges' replies, and the ledger of calls to services. A file of its own,
since each commit is waited for until it is on the disk, and several runs may share one. A call is
booked before it is sent; a reply is written before any row is made of it. What threads write at one
time is committed as one: one wait for the disk serves all calls in flight.
"""

from __future__ import annotations

import contextlib
import math
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
_OLDER_CALLS = """CREATE TABLE calls(
        id INTEGER PRIMARY KEY, purpose TEXT NOT NULL, key TEXT NOT NULL, model TEXT NOT NULL,
        state TEXT NOT NULL CHECK(state IN ('sent', 'billed', 'kept', 'released')),
        most REAL NOT NULL CHECK(most >= 0),
        billed REAL CHECK((billed IS NOT NULL) = (state = 'billed')),
        at REAL NOT NULL, note TEXT NOT NULL, booked REAL AS
        (CASE state WHEN 'released' THEN 0.0 WHEN 'billed' THEN billed ELSE most END))"""
"Calls without a checksum, as files of earlier versions have them."
OLDER = {_OLDER_CALLS: "ALTER TABLE calls ADD COLUMN mark INTEGER"}
SCHEMA = (
    "CREATE TABLE replies(key TEXT PRIMARY KEY, reply TEXT NOT NULL, mark INTEGER)",
    "CREATE TABLE notes(name TEXT PRIMARY KEY, value TEXT NOT NULL, mark INTEGER)",
    f"{_OLDER_CALLS.removesuffix(')')}, mark INTEGER)",
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

_BOOK = (
    "INSERT INTO calls(id, purpose, key, model, state, most, billed, at, note, mark) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SETTLE = "UPDATE calls SET key = ?, state = ?, billed = ?, note = ?, mark = ? WHERE id = ?"
_SUMS = """SELECT purpose, total(booked), total(billed), total(state <> 'released') FROM calls
    NOT INDEXED GROUP BY purpose"""
_CENTS = 1e-4
"""Dollars by which a sum may differ from its calls: it was added up in another order."""


class Call(NamedTuple):
    """One call to a service. `most`: the dollars that it can cost at most; `billed`: its bill, None
    where none has come; `booked`: what counts against a budget. `at`: seconds since 1970. `mark`:
    its checksum; None where an earlier version wrote it.
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
    mark: int | None = None

    def sealed(self) -> tuple[Any, ...]:
        """Return the columns that are written, with their checksum."""
        return schema.sealed("calls", *self[:9])

    @property
    def is_sound(self) -> bool:
        """Whether it is what was written; of a call without a checksum nobody can tell."""
        return self.mark is None or self.sealed()[-1] == self.mark


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
        self._pages_sound = self._sums_sound = path is None
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
        self._db = sqlite.opened(path, SCHEMA, safe=True, older=OLDER)

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
        """Return the reply under a key; None where there is none or it is damaged: then it is asked
        for again. Raises `Damaged` where the file is not sound: the reply may be in it.
        """
        rows = self._read("SELECT * FROM replies WHERE key = ?", key)
        if not rows:
            self.need_sound_pages()
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
        for record in self._each_reply():
            if (reply := _object(record)) is not None:
                yield record[0], reply

    def requests(self) -> Iterator[tuple[str, JsonObject]]:
        """Each sound reply's key, and what it says of its request."""
        for key, reply in self.replies():
            request = reply.get("request")
            yield key, request if isinstance(request, dict) else {}

    def damaged(self) -> list[str]:
        """The keys of replies that are not what was written."""
        return [str(record[0]) for record in self._each_reply() if _object(record) is None]

    def _each_reply(self) -> Iterator[tuple[Any, ...]]:
        """Every record of a reply, without the index of their keys, which may be damaged."""
        for (number,) in self._read("SELECT rowid FROM replies NOT INDEXED ORDER BY rowid"):
            yield from self._read("SELECT * FROM replies WHERE rowid = ?", number)

    def faults(self) -> list[str]:
        """What is not as it was written, in words; an empty list for a sound file."""
        found = []
        try:
            self.need_sound_pages()
        except sqlite.Damaged as error:
            found.append(sqlite.reason(error))
        try:
            if damaged := len(self.damaged()):
                found.append(f"{damaged} replies are not what was written")
            notes = self._read("SELECT * FROM notes NOT INDEXED")
            if lost := sum(not schema.stands("notes", record) for record in notes):
                found.append(f"{lost} notes are not what was written")
            calls = self._calls("1")
            if wrong := sum(not call.is_sound for call in calls):
                found.append(f"{wrong} calls of the ledger are not what was written")
            found += self._wrong_sums()
        except sqlite.Damaged as error:
            found.append(sqlite.reason(error))
        return list(dict.fromkeys(found))

    def _wrong_sums(self) -> list[str]:
        """The purposes whose sums are not those of their calls, in words."""
        sums = {purpose: Totals(*sums) for purpose, *sums in self._read(_SUMS)}
        wrong = []
        for purpose in sorted(sums):
            total = self.totals(purpose)
            pairs = zip(total, sums[purpose], strict=True)
            if not all(math.isclose(one, other, abs_tol=_CENTS) for one, other in pairs):
                wrong.append(
                    f"the sums of {purpose!r} are not those of its calls: ${total.booked:.2f} "
                    f"booked, ${sums[purpose].booked:.2f} in its calls"
                )
        return wrong

    def need_sound_pages(self) -> None:
        """Raise `Damaged` where a page is not as it should be: the index of the keys would hide a
        reply, which would be paid for again. Looked at once.
        """
        with self._lock, self._told():
            if not self._pages_sound:
                sqlite.need_sound(self._db)
                self._pages_sound = True

    def _need_sound_sums(self) -> None:
        """Raise `Damaged` where a sum does not say what was spent. Looked at once."""
        with self._lock, self._told():
            if not self._sums_sound:
                self.need_sound_pages()
                if wrong := self._wrong_sums():
                    raise sqlite3.DatabaseError(wrong[0])
                self._sums_sound = True

    def note_names(self) -> list[str]:
        """Return the names of all notes, in the order in which they were written."""
        return [str(name) for (name,) in self._read("SELECT name FROM notes ORDER BY rowid")]

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

        self._need_sound_sums()

        def act() -> int | None:
            if budget is not None and self.totals(purpose).booked + most > budget + _SLACK:
                return None
            last = self._db.execute("SELECT coalesce(max(id), 0) FROM calls").fetchone()[0]
            dollars = float(most)
            call = Call(
                id=last + 1,
                purpose=purpose,
                key=key,
                model=model,
                state="sent",
                most=dollars,
                billed=None,
                at=time.time(),
                note="",
                booked=dollars,
            )
            self._db.execute(_BOOK, call.sealed())
            return call.id

        return self._written(act)

    def settle(
        self, number: int, state: State, billed: float | None = None, note: str = ""
    ) -> float:
        """Write how a call ended; what counts for it now. `billed` goes with ``billed`` alone."""

        def act() -> float:
            bill = None if billed is None else float(billed)
            self._change(self.call(number)._replace(state=state, billed=bill, note=note[:200]))
            return self.call(number).booked

        return self._written(act)

    def rename(self, number: int, key: str) -> None:
        """A call that is under way goes on after its command, under this key."""
        self._written(lambda: self._change(self.call(number)._replace(key=key)))

    def _change(self, call: Call) -> None:
        *_, mark = call.sealed()
        changed = (call.key, call.state, call.billed, call.note, mark, call.id)
        self._db.execute(_SETTLE, changed)

    def call(self, number: int) -> Call:
        """The call with this number. Raises `RunError` where there is none."""
        for call in self.calls("id = ?", number):
            return call
        raise RunError(f"{self.path}: no call {number} is booked; the file was changed")

    def calls(self, where: str = "1", *values: object) -> list[Call]:
        """Return the calls for which an SQL condition over their columns holds, oldest first.
        Raises `Damaged` where one is not what was written: its state or amount may be another.
        """
        every = self._calls(where, *values)
        if wrong := [call.id for call in every if not call.is_sound]:
            message = f"call {wrong[0]} of the ledger is not what was written"
            raise sqlite.broken(self.path or Path("memory"), sqlite3.DatabaseError(message))
        return every

    def _calls(self, where: str, *values: object) -> list[Call]:
        query = f"SELECT * FROM calls WHERE {where} ORDER BY id"
        return [Call(*row) for row in self._read(query, *values)]

    def totals(self, purpose: str) -> Totals:
        """The sums of a purpose."""
        rows = self._read("SELECT booked, billed, calls FROM totals WHERE purpose = ?", purpose)
        return Totals(*rows[0]) if rows else Totals(0.0, 0.0, 0)

    # -- what is written anew ----------------------------------------------------------------------

    def restore(self, table: Literal["replies", "notes"], record: Sequence[Any]) -> None:
        """Write a proven record as it was, over an older one."""
        self._db.execute(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)", record)

    def restore_call(self, call: Call) -> None:
        """Write a call under its number, with its sums."""
        self._db.execute(_BOOK, call._replace(state="sent", billed=None).sealed())
        self._change(call)

    def image(self) -> bytes:
        """Return a file of what is in memory."""
        return sqlite.image(self._db)

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


def _object(record: Sequence[Any]) -> JsonObject | None:
    try:
        return schema.parsed(record[1]) if schema.stands("replies", record) else None
    except ValueError:
        return None
