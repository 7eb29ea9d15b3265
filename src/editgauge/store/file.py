"""The file of a run: opened safely, read as far as it can be, changed in transactions."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from editgauge.errors import RunError
from editgauge.store import lease, schema, sqlite

FILE = "run.sqlite"
Found = TypeVar("Found")
_MOST_NOTES = 1000
_NAMED = {
    "series": ("benchmark", "editor", "scorer", "metric", "variant", "source"),
    "samples": ("benchmark", "sample"),
    "origins": ("facts",),
}
_REST = {"series": (), "samples": (None, None), "origins": ()}
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
    was found damaged or contradictory; `damage` is why the file cannot be read as it is: then it is
    read as far as it can be, and not written. Thread-safe.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []
        self.damage: sqlite.Damaged | None = None
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._depth = 0
        self._writable = False
        self._ids: dict[tuple[str, ...], int] = {}
        self._looked_at: set[str] = set()
        self._open = contextlib.ExitStack()
        weakref.finalize(self, self._open.close)

    @property
    def place(self) -> str:
        """The run as a command that is typed here names it."""
        inside = self.path.is_relative_to(Path.cwd())
        return os.path.relpath(self.path) if inside else str(self.path)

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            file = self.path / FILE
            if not os.path.lexists(file):
                raise RunError(
                    f"{self.place}: not a run folder (no {FILE}); make one with: editgauge score … "
                    f"--run {self.place}"
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

        self.damage, self._db = error, salvaged(self.path / FILE)
        self._open.callback(self._db.close)
        self.note(f"{FILE}: {str(error).partition(': ')[2]}")

    def close(self) -> None:
        """Let go of the file; what is read or written later opens it again."""
        with self._lock:
            self._open.close()
            self._db, self._writable = None, False
            self._looked_at.clear()

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
        `mark` can check them (`schema.stands`).
        """
        return self._tried(lambda db: db.execute(statement, values).fetchall())

    def _tried(self, query: Callable[[sqlite3.Connection], Found], table: str = "") -> Found:
        """What a query gives, of a `table` of which no page is lost."""
        with self._lock:
            try:
                db = self._connection()
                if table and table not in self._looked_at and self.damage is None:
                    for (text,) in db.execute(f"PRAGMA quick_check({table})"):
                        if text != "ok":
                            raise sqlite3.DatabaseError(text[:200])
                    self._looked_at.add(table)
                return query(db)
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
        db.execute("PRAGMA journal_mode = WAL")
        self._writable = True
        self._open.callback(lease.release, self.path)

    # -- facts and records -------------------------------------------------------------------------

    def fact(self, name: str) -> str:
        """What the run says of itself under a name; "" where that is nothing, or damaged."""
        rows = self.read("SELECT name, value, mark FROM facts WHERE name = ?", name)
        return str(rows[0][1]) if rows and schema.stands("facts", rows[0]) else ""

    def set_fact(self, name: str, value: str) -> None:
        """Say something of the run under a name."""
        with self.changing() as db:
            put(db, "facts", (name, value))

    def insert(self, db: sqlite3.Connection, table: str, columns: Sequence[object]) -> int:
        """A new record in a table with ids; its id. Within `changing`."""
        number = int(db.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()[0])
        put(db, table, (number, *columns))
        return number

    def number_of(self, db: sqlite3.Connection, table: str, name: tuple[str, ...]) -> int:
        """The number of a series, sample or origin, made where there is none; within `changing`."""
        if name not in self._ids:
            plain = tuple(map(schema.plain, name))
            where = " AND ".join(f"{column} = ?" for column in _NAMED[table])
            record = db.execute(f"SELECT * FROM {table} WHERE {where}", plain).fetchone()
            if record is None:
                self._ids[name] = self.insert(db, table, (*plain, *_REST[table]))
            else:
                self._ids[name] = int(record[0])
                if not schema.stands(table, record):
                    put(db, table, (record[0], *plain, *_REST[table]))
        return self._ids[name]

    def small(self, table: str, order: str = "id") -> list[tuple[Any, ...]]:
        """The records of a table other than the rows that stand their checksums; that others do
        not is noted.
        """
        known, whole = self.counted(table, f"SELECT * FROM {table} ORDER BY {order}")
        sound = [record for record in known if schema.stands(table, record)]
        if lost := len(known) - len(sound):
            self.note(f"{FILE}: {lost} of the {table} are damaged; {_MENDS[table]}")
        elif not whole:
            self.note(f"{FILE}: the {table} are not those that were written; {sqlite.MEND}")
        return sound

    def counted(self, table: str, query: str, part: int = 0) -> tuple[list[tuple[Any, ...]], bool]:
        """The records of a query, and whether they are those that were written."""
        counts = f"SELECT records, marks FROM counts WHERE name = '{table}' AND part = {part}"

        def read(db: sqlite3.Connection) -> tuple[list[tuple[Any, ...]], bool]:
            with sqlite.reading(db):
                known = db.execute(query).fetchall()
                told = db.execute(counts).fetchone() or (0, 0)
            return known, told == schema.counted(known)

        return self._tried(read, table)


def put(db: sqlite3.Connection, table: str, record: Sequence[object]) -> None:
    """Write a record with its checksum, in place of the one of its key."""
    holes = ", ".join("?" * (len(record) + 1))
    values = (*record, schema.mark(table, *record))
    db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({holes})", values)
