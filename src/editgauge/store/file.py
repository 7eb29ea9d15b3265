"""The file of a run: opened safely, read as far as it can be, changed in transactions."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from editgauge.errors import RunError, UsageError
from editgauge.store import lease, paths, records, schema, sqlite
from editgauge.store.addresses import address_of

FILE = "run.sqlite"
_MOST_NOTES = 1000
_NAMED = {
    "series": ("benchmark", "editor", "scorer", "metric", "variant", "source"),
    "samples": ("benchmark", "sample"),
    "origins": ("facts",),
}
_REST = {"series": (0,), "samples": (None, None), "origins": ()}
"""The other columns of a new record."""
_MENDS = {
    "entries": "what was done then is not known any more",
    "samples": "`editgauge score` writes them, and makes their rows, again",
    "metrics": "`editgauge score` writes them again",
    "series": "`editgauge score` makes their rows again",
    "origins": "their rows are read without it",
    "edits": "`editgauge edit`, or score --outputs, makes them again",
}


class RunFile:
    """A run's database with what all its tables have in common. `problems` collects, in words, what
    was found damaged or contradictory. Thread-safe.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []
        self.damage: sqlite.Damaged | None = None
        """Why the file cannot be read as it is; then it is read as far as it can be, and not
        written.
        """
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._depth = 0
        self._writable = False
        self._ids: dict[tuple[str, ...], int] = {}
        self._open = contextlib.ExitStack()
        weakref.finalize(self, self._open.close)

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            file = self.path / FILE
            if not os.path.lexists(file):
                raise RunError(
                    f"{self.path}: not a run folder (no {FILE}); make one with: editgauge score … "
                    f"--run {self.path.name}"
                )
            try:
                self._db = sqlite.opened(file, schema.SCHEMA)
                self._open.callback(self._db.close)
                self._db.execute("PRAGMA query_only = ON")
            except sqlite.Damaged as error:
                self._salvage(error)
        return cast(sqlite3.Connection, self._db)

    def _salvage(self, error: sqlite.Damaged) -> None:
        """From here on read what can be read of a file that SQLite does not read."""
        from editgauge.store.salvage import salvaged

        self.damage = error
        self._db, gone = salvaged(self.path / FILE)
        self._open.callback(self._db.close)
        for text in (f"{FILE}: {str(error).partition(': ')[2]}", *gone):
            self.note(text)

    def close(self) -> None:
        """Let go of the file; what is read or written later opens it again."""
        with self._lock:
            self._open.close()
            self._db, self._writable = None, False

    def note(self, text: str) -> None:
        """Add to `problems`, once."""
        if len(self.problems) < _MOST_NOTES and text not in self.problems:
            self.problems.append(text)

    def scratch(self) -> Path:
        """A temporary folder outside the run, for as long as this object is open."""
        return Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="editgauge-")))

    # -- reading and writing -----------------------------------------------------------------------

    def read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The records of a query over the tables of `store.schema`, unchecked: whoever asks for
        `mark` can check them (`records.stands`).
        """
        found: list[tuple[Any, ...]] = self._tried(
            lambda db: db.execute(statement, values).fetchall()
        )
        return found

    def _tried(self, query: Callable[[sqlite3.Connection], Any]) -> Any:
        with self._lock:
            try:
                return query(self._connection())
            except sqlite.FAULTS as error:
                wrong = sqlite.broken(self.path / FILE, error)
                if not isinstance(wrong, sqlite.Damaged) or self.damage is not None or self._depth:
                    raise wrong from error
                self._salvage(wrong)
                return query(self._connection())

    @contextlib.contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, which the `with` blocks inside it join: everything that is written in it
        counts, or nothing. Raises `RunError` where the run cannot be written.
        """
        with self._lock:
            db = self._connection()
            self._need_writable(db)
            if self._depth:
                yield db
                return
            lease.claim(self.path)
            self._depth = 1
            try:
                with sqlite.transaction(db):
                    yield db
            except BaseException as error:
                self._ids.clear()
                if isinstance(error, sqlite.FAULTS):
                    raise sqlite.broken(self.path / FILE, error) from error
                raise
            finally:
                self._depth = 0

    def _need_writable(self, db: sqlite3.Connection) -> None:
        if self.damage is not None:
            raise self.damage
        if self._writable:
            return
        if not (os.access(self.path / FILE, os.W_OK) and os.access(self.path, os.W_OK)):
            raise RunError(
                f"{self.path}: cannot be written (read-only); make it writable, or copy the run"
            )
        db.execute("PRAGMA query_only = OFF")
        if db.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            db.execute("PRAGMA journal_mode = WAL")
        self._writable = True
        self._open.callback(lease.release, self.path)

    # -- facts, and tables whose records are counted -----------------------------------------------

    def fact(self, name: str) -> str | None:
        """What the run says of itself under a name; None where that is nothing, or damaged."""
        rows = self.read("SELECT name, value, mark FROM facts WHERE name = ?", name)
        return str(rows[0][1]) if rows and records.stands("facts", rows[0]) else None

    def set_fact(self, name: str, value: object) -> None:
        """Say something of the run under a name."""
        with self.changing() as db:
            put(db, "facts", (name, str(value)))

    def _number(self, name: str) -> int:
        text = self.fact(name) or ""
        return int(text) if text.isdecimal() else 0

    def _more(self, table: str, more: int) -> None:
        self.set_fact(f"count {table}", self._number(f"count {table}") + more)

    def _insert(self, db: sqlite3.Connection, table: str, columns: tuple[Any, ...]) -> int:
        """A new record in a counted table with an id."""
        number = int(db.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()[0])
        put(db, table, (number, *columns))
        self._more(table, 1)
        return number

    def number_of(self, db: sqlite3.Connection, table: str, name: tuple[str, ...]) -> int:
        """The number of a series, sample or origin, made where there is none; within `changing`."""
        known = self._ids.get(name)
        if known is None:
            plain = tuple(map(records.plain, name))
            where = " AND ".join(f"{column} = ?" for column in _NAMED[table])
            found = db.execute(f"SELECT id FROM {table} WHERE {where}", plain).fetchone()
            known = int(found[0]) if found else self._insert(db, table, (*plain, *_REST[table]))
            self._ids[name] = known
        return known

    def _records(self, table: str, order: str = "id") -> list[tuple[Any, ...]]:
        """The records of a small table that stand their checksums; what does not is noted."""
        with self._lock:
            known = self.read(f"SELECT * FROM {table} ORDER BY {order}")
            key = 2 if table == "edits" else 1
            sound = list({r[:key]: r for r in known if records.stands(table, r)}.values())
            lost = max(self._number(f"count {table}"), len(known)) - len(sound)
        if lost:
            self.note(f"{FILE}: {lost} of the {table} are damaged or gone; {_MENDS[table]}")
        return sound


def put(db: sqlite3.Connection, table: str, record: tuple[Any, ...]) -> None:
    """Write a record with its checksum, in place of the one of its key."""
    holes = ", ".join("?" * (len(record) + 1))
    told = (*record, records.mark(table, *record))
    db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({holes})", told)


def recount(db: sqlite3.Connection) -> int:
    """Write how many records each table and each series has; the sum of the tables'."""
    counted = dict(db.execute("SELECT series, count(*) FROM rows GROUP BY series").fetchall())
    for *series, _, _ in db.execute("SELECT * FROM series").fetchall():
        put(db, "series", (*series, counted.get(series[0], 0)))
    total = sum(counted.values())
    for table in schema.COUNTED:
        (count,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()
        put(db, "facts", (f"count {table}", str(count)))
        total += count
    return int(total)


def real(path: Path) -> Path:
    """A run folder's own path, which must be text: databases take no other names. Raises
    `UsageError` for an address.
    """
    address = address_of(path)
    if address is not None:
        raise UsageError(
            f"{address}: this command works on runs of this machine; bring it here with: editgauge "
            f"merge {address} --to RUN"
        )
    path = path.resolve()
    paths.plain_text(str(path), "run folder")
    return path
