"""What can be read of a run's file that SQLite does not read any more.

The file is read by ranges of its keys, each record proven by its checksum, so that one damaged page
costs the records in it. A damaged first page, which says where the tables begin, is put in from a
new file: the tables of every run begin at the same pages.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from editgauge.store import database, schema

_PAGE = 4096
_FEWEST = 4
"""Keys that are asked for together at the least where some cannot be read."""
_SMALL = ("entries", "samples", "metrics", "series", "origins")
_READING = (*database.FAULTS, OverflowError)
Record = tuple[Any, ...]


def salvaged(file: Path) -> tuple[sqlite3.Connection, list[str]]:
    """A database in memory with every record of a run's file that is proven, and in words what is
    not there any more.
    """
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    memory.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, database.LONGEST)
    for statement in schema.SCHEMA:
        memory.execute(statement)
    with (
        tempfile.TemporaryDirectory(prefix="editgauge-") as folder,
        _readable(file, Path(folder)) as broken,
    ):
        gone = _Copying(broken, memory).all()
    return memory, gone


@contextlib.contextmanager
def _readable(file: Path, folder: Path) -> Iterator[sqlite3.Connection]:
    """A copy of the file, opened so that at least its tables are known."""
    copy = folder / "run.sqlite"
    shutil.copyfile(file, copy)
    with contextlib.suppress(*_READING, OSError):
        shutil.copyfile(f"{file}-wal", f"{copy}-wal")
        with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for rest in ("-wal", "-shm"):
        Path(f"{copy}{rest}").unlink(missing_ok=True)
    if not _has_tables(copy):
        _mend_first_page(copy, folder)
    with contextlib.closing(_opened(copy)) as db:
        yield db


def _opened(copy: Path) -> sqlite3.Connection:
    db = sqlite3.connect(f"{copy.as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, database.LONGEST)
    db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    return db


def _has_tables(copy: Path) -> bool:
    with contextlib.suppress(*_READING), contextlib.closing(_opened(copy)) as db:
        there = {sql for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")}
        return there == set(schema.SCHEMA)
    return False


def _mend_first_page(copy: Path, folder: Path) -> None:
    """Put the first page of a new run's file into the copy."""
    new = folder / "new.sqlite"
    database.create(new, schema.SCHEMA)
    first = bytearray(new.read_bytes()[:_PAGE])
    data = copy.read_bytes()
    pages = -(-len(data) // _PAGE)
    first[28:32] = pages.to_bytes(4, "big")
    first[18:20] = b"\1\1"  # read without a journal
    copy.write_bytes(bytes(first) + data[_PAGE:].ljust((pages - 1) * _PAGE, b"\0"))


class _Copying:
    """From a damaged database into a new one."""

    def __init__(self, broken: sqlite3.Connection, new: sqlite3.Connection) -> None:
        self._broken, self._new = broken, new
        self._gone: list[str] = []
        self._most = self._pages() * (_PAGE // 16)

    def _pages(self) -> int:
        with contextlib.suppress(*_READING):
            return int(self._broken.execute("PRAGMA page_count").fetchone()[0])
        return 1

    def all(self) -> list[str]:
        with database.transaction(self._new):
            facts = self._facts()
            for table in _SMALL:
                self._table(table, facts)
            samples = self._ids("samples")
            self._edits(facts, samples)
            self._rows(samples)
            for name in ("created", "editgauge", "format"):
                if name in facts:
                    self._fact(name, facts[name])
        return self._gone

    def _facts(self) -> dict[str, str]:
        found = {}
        names = ["created", "editgauge", "format", *(f"count {one}" for one in schema.COUNTED)]
        for name in names:
            with contextlib.suppress(*_READING):
                for record in self._broken.execute("SELECT * FROM facts WHERE name = ?", (name,)):
                    if database.stands("facts", record):
                        found[name] = record[1]
        return found

    def _fact(self, name: str, value: str) -> None:
        mark = database.mark("facts", name, value)
        self._new.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (name, value, mark))

    def _table(self, table: str, facts: dict[str, str]) -> None:
        sound = self._between(f"SELECT * FROM {table} WHERE id >= ? AND id < ?", (), table)
        kept = self._insert(table, [one for one in sound if database.stands(table, one)])
        self._tell(table, facts, kept)

    def _tell(self, table: str, facts: dict[str, str], kept: int) -> None:
        text = facts.get(f"count {table}", "")
        lost = int(text) - kept if text.isdecimal() else 0
        if lost > 0:
            self._gone.append(f"{lost} of the {table} are gone")
        self._fact(f"count {table}", str(kept))

    def _ids(self, table: str) -> list[int]:
        return [number for (number,) in self._new.execute(f"SELECT id FROM {table}")]

    def _edits(self, facts: dict[str, str], samples: list[int]) -> None:
        most = max(samples, default=0) + 1
        sound = self._range("SELECT * FROM edits WHERE sample >= ? AND sample < ?", (), 0, most + 1)
        kept = self._insert("edits", [one for one in sound if database.stands("edits", one)])
        self._tell("edits", facts, kept)

    def _rows(self, samples: list[int]) -> None:
        most = max(samples, default=0) + 1
        query = (
            f"SELECT {schema.ROW_COLUMNS} FROM rows WHERE series = ? AND sample >= ? AND sample < ?"
        )
        for series, *rest in self._new.execute("SELECT * FROM series").fetchall():
            sound = [
                one
                for one in self._range(query, (series,), 0, most + 1)
                if one[0] == series and schema.row_stands(one)
            ]
            kept = self._insert("rows", sound)
            if kept < rest[-2]:
                self._gone.append(
                    f"{rest[-2] - kept} rows of {rest[1]}, {rest[3]} ({rest[4]}) are gone; "
                    "`editgauge score` makes them again"
                )
            record = (series, *rest[:-2], kept)
            self._new.execute(
                "UPDATE series SET rows = ?, mark = ? WHERE id = ?",
                (kept, database.mark("series", *record), series),
            )

    def _insert(self, table: str, records: list[Record]) -> int:
        kept = 0
        for one in records:
            holes = ", ".join("?" * len(one))
            with contextlib.suppress(sqlite3.Error, UnicodeEncodeError):
                kept += self._new.execute(
                    f"INSERT OR IGNORE INTO {table} VALUES ({holes})", one
                ).rowcount
        return kept

    def _between(self, query: str, values: Record, table: str) -> list[Record]:
        most = self._most
        with contextlib.suppress(*_READING):
            most = min(
                most, self._broken.execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0
            )
        return self._range(query, values, 0, most + 2)

    def _range(self, query: str, values: Record, low: int, high: int) -> list[Record]:
        """The records of a range of keys; where they cannot be read, those of its halves."""
        found: list[Record] = []
        todo = [(low, high)]
        while todo:
            low, high = todo.pop()
            try:
                found += self._broken.execute(query, (*values, low, high)).fetchall()
            except _READING:
                if high - low > _FEWEST:
                    middle = (low + high) // 2
                    todo += [(low, middle), (middle, high)]
        return found
