"""The file of a run: opened safely, proven when it is read, changed in transactions."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from editgauge.errors import RunError
from editgauge.store import lease, locks, schema, sqlite

FILE = "run.sqlite"
T = TypeVar("T")
_MOST_NOTES = 1000
_NAMED: dict[str, tuple[tuple[str, ...], tuple[None, ...]]] = {
    "series": (("benchmark", "editor", "scorer", "metric", "variant", "source"), ()),
    "samples": (("benchmark", "sample"), (None, None)),
    "metrics": (("benchmark", "metric"), (None,)),
    "origins": (("facts",), ()),
}
"""The columns that name a record, and the others of a new one."""


class RunFile:
    """A run's database with what all its tables have in common. `problems` collects, in words, what
    was found damaged or contradictory; `damage` is why the file cannot be trusted as it is: then
    only what is proven of it is read, and nothing is written until it is repaired. Thread-safe.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []
        self.damage: sqlite.Damaged | None = None
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._depth = 0
        self._writable = False
        self._holds = False
        self._samples: tuple[tuple[Any, ...], list[tuple[Any, ...]]] = ((), [])
        """What `proven` read of them, and when: a command asks several times for so many."""
        self._ids: dict[tuple[str, tuple[str, ...]], int] = {}
        """(table, name) -> number. Tables share names: a sample may be called as a metric is."""
        self._open = contextlib.ExitStack()
        weakref.finalize(self, self._open.close)

    @property
    def place(self) -> str:
        """The run as a command that is typed here names it."""
        inside = self.path.is_relative_to(Path.cwd())
        return os.path.relpath(self.path) if inside else str(self.path)

    def close(self) -> None:
        """Let go of the file; what is read or written later opens it again."""
        with self._lock:
            self._open.close()
            self._db, self.damage = None, None
            self._writable, self._holds = False, False
            self._ids.clear()
            self._samples = (), []

    def note(self, text: str) -> None:
        """Add to `problems`, once."""
        if len(self.problems) < _MOST_NOTES and text not in self.problems:
            self.problems.append(text)

    def scratch(self) -> Path:
        """A temporary folder outside the run, for as long as this object is open."""
        return Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="editgauge-")))

    # -- reading -----------------------------------------------------------------------------------

    def read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The records of a query over the tables of `store.schema`, unproven."""
        return self._tried(lambda db: db.execute(statement, values).fetchall())

    def proven(self, table: str, part: int = 0) -> list[tuple[Any, ...]]:
        """The records of a table, or of the series `part` of the rows, with their marks. Where they
        are not those that were written, all that is proven is read of the file from here on, and
        `problems` says what is lost.
        """
        where = f"WHERE series = {part:d}" if table == "rows" else ""
        order = {"samples": "place, id", "rows": "sample, repeat"}.get(table, "1")

        def known(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
            with sqlite.reading(db):
                state = (db.total_changes, *db.execute("PRAGMA data_version").fetchone())
                if table == "samples" and self._samples[0] == state:
                    return self._samples[1]
                records = db.execute(f"SELECT * FROM {table} {where} ORDER BY {order}").fetchall()
                counts = db.execute(schema.COUNTS, (table, part)).fetchone() or (0, 0)
            if self.damage is None and not (
                schema.all_stand(table, records) and schema.counted(records) == counts
            ):
                raise sqlite3.DatabaseError(f"the {table} are not those that were written")
            if table == "samples":
                self._samples = state, records
            return records

        return self._tried(known)

    def prove(self) -> None:
        """Read everything, so that `problems` says all that is lost."""
        self._tried(sqlite.need_sound)
        for table in schema.TABLES:
            self.proven(table)
        for (series,) in self.read("SELECT id FROM series"):
            self.proven("rows", series)

    def _tried(self, query: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            try:
                return query(self._connection())
            except sqlite.FAULTS as error:
                self._salvage(sqlite.broken(self.path / FILE, error))
            return query(self._connection())

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            file = self.path / FILE
            if not os.path.lexists(file):
                mend = f"make one with: editgauge score … --run {self.place}"
                if (self.path / "rows.parquet").is_file():
                    mend = (
                        f"it is made again from rows.parquet and edits/ by: editgauge check "
                        f"{self.place} --repair"
                    )
                elif (self.path / "edits").is_dir():
                    mend = (
                        f"score its outputs into a new one: editgauge score … --outputs "
                        f"{self.place}/edits/BENCHMARK --run NEW; then copy its paid.sqlite there: "
                        f"editgauge judge uses those replies again"
                    )
                raise RunError(f"{self.place}: not a run folder (no {FILE}); {mend}")
            try:
                self._db = sqlite.opened(file, schema.SCHEMA)
                self._open.callback(self._db.close)
            except sqlite.Damaged as error:
                self._db = self._salvage(error)
        return self._db

    def _salvage(self, error: RunError) -> sqlite3.Connection:
        """From here on read what is proven. Raises the error where that does not help."""
        from editgauge.store.salvage import salvaged

        if not isinstance(error, sqlite.Damaged) or self.damage is not None or self._depth:
            raise error
        try:
            self._db, lost = salvaged(self.path / FILE)
        except OSError as why:  # no room for a copy of it
            raise sqlite.broken(self.path / FILE, why) from error
        self.damage = error
        self._samples = (), []
        self._open.callback(self._db.close)
        for text in (str(error).partition(": ")[2], *lost):
            self.note(f"{FILE}: {text}")
        return self._db

    # -- writing -----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def changing(self, *, wait: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction, which the `with` blocks inside it join: everything that is written in it
        counts, or nothing. Raises `RunError` where the run is damaged, or cannot be written, and
        without `wait` while another machine writes it.
        """
        with self._lock:
            db = self._connection() if self._depth else self._for_writing(wait)
            if self._depth:
                yield db
                return
            self._depth = 1
            try:
                with sqlite.transaction(db):
                    yield db
            except BaseException as error:
                self._ids.clear()
                self._samples = (), []
                if isinstance(error, sqlite.FAULTS):
                    raise sqlite.broken(self.path / FILE, error) from error
                raise
            finally:
                self._depth = 0
                if not self._holds:
                    lease.let_go(self.path)

    def _for_writing(self, wait: bool) -> sqlite3.Connection:
        self._connection()
        if self.damage is not None:
            raise self.damage
        if not (os.access(self.path / FILE, os.W_OK) and os.access(self.path, os.W_OK)):
            raise RunError(
                f"{self.path}: cannot be written (read-only); make it writable, or copy the run"
            )
        locks.need(self.path)
        if lease.claim(self.path, wait=wait):
            self._forget()  # another machine has written it
        if wait and not self._holds:  # who only reads may stay for hours, and holds nothing
            lease.hold(self.path)
            self._open.callback(lease.release, self.path)
            self._holds = True
        if not self._writable:
            self._tried(sqlite.need_sound)
            self._writable = self.damage is None
        db = self._connection()
        if self.damage is not None:
            raise self.damage
        return db

    def _forget(self) -> None:
        """Open the file anew, and forget what was read from it."""
        if self._db is not None:
            self._db.close()
        self._db = None
        self._ids.clear()
        self._samples = (), []

    def fact(self, name: str) -> str:
        """What the run says of itself under a name; "" where that is nothing."""
        return next((value for known, value, _ in self.proven("facts") if known == name), "")

    def set_fact(self, name: str, value: str) -> None:
        """Say something of the run under a name."""
        with self.changing() as db:
            put(db, "facts", (name, value))

    def number_of(self, db: sqlite3.Connection, table: str, name: tuple[str, ...]) -> int:
        """The number of a series, sample or origin, made where there is none; within `changing`."""
        number = self._ids.get((table, name))
        if number is not None:
            return number
        plain = tuple(map(schema.plain, name))
        columns, rest = _NAMED[table]
        where = " AND ".join(f"{column} = ?" for column in columns)
        record = db.execute(f"SELECT id FROM {table} WHERE {where}", plain).fetchone()
        number = int(record[0]) if record else insert(db, table, (*plain, *rest))
        self._ids[table, name] = number
        return number


def insert(db: sqlite3.Connection, table: str, columns: Sequence[object]) -> int:
    """A new record in a table with ids; its id."""
    number = int(db.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()[0])
    put(db, table, (number, *columns))
    return number


def put(
    db: sqlite3.Connection, table: str, *records: Sequence[object], instead: bool = True
) -> None:
    """Write records with their checksums; `instead`: each in place of the one of its key."""
    into = f"INSERT OR {'REPLACE' if instead else 'IGNORE'} INTO {table}"
    holes = ", ".join("?" * (len(records[0]) + 1))
    sealed = (schema.sealed(table, *record) for record in records)
    db.executemany(f"{into} VALUES ({holes})", sealed)
