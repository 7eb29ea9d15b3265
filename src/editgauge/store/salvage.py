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

from editgauge.store import records, schema, sqlite
from editgauge.store.file import put

_PAGE = 4096
_FEWEST = 4
"""Keys that are asked for together at the least where some cannot be read."""
_SMALL = ("entries", "samples", "metrics", "series", "origins")
_SAID = ("created", "editgauge", "format")
_READING = (*sqlite.FAULTS, OverflowError)
Record = tuple[Any, ...]


def salvaged(file: Path) -> tuple[sqlite3.Connection, list[str]]:
    """A database in memory with every record of a run's file that is proven, and in words what is
    not there any more.
    """
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    memory.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, sqlite.LONGEST)
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
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, sqlite.LONGEST)
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
    sqlite.create(new, schema.SCHEMA)
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
        self._facts = self._known_facts()

    def all(self) -> list[str]:
        """Copy what is proven; in words what is not there any more."""
        with sqlite.transaction(self._new):
            for table in _SMALL:
                most = 1 + self._one(f"SELECT max(id) FROM {table}", self._most)
                found = self._range(f"SELECT * FROM {table} WHERE id >= ? AND id < ?", (), most)
                self._keep(table, found)
            self._names()
            samples = {number for (number,) in self._new.execute("SELECT id FROM samples")}
            edits = "SELECT * FROM edits WHERE sample >= ? AND sample < ?"
            found = self._range(edits, (), max(samples, default=0) + 1)
            self._keep("edits", [one for one in found if one[0] in samples])
            for series in self._new.execute("SELECT * FROM series").fetchall():
                self._rows(series, samples)
            for name in _SAID:
                if name in self._facts:
                    put(self._new, "facts", (name, self._facts[name]))
        return self._gone

    @property
    def _most(self) -> int:
        """More than the number of any record can be, where SQLite does not say."""
        return self._one("PRAGMA page_count", 1) * (_PAGE // 16)

    def _one(self, query: str, otherwise: int) -> int:
        with contextlib.suppress(*_READING, TypeError):
            return int(self._broken.execute(query).fetchone()[0])
        return otherwise

    def _known_facts(self) -> dict[str, str]:
        found = {}
        for name in (*_SAID, *(f"count {one}" for one in schema.COUNTED)):
            with contextlib.suppress(*_READING):
                for record in self._broken.execute("SELECT * FROM facts WHERE name = ?", (name,)):
                    if records.stands("facts", record):
                        found[name] = record[1]
        return found

    def _keep(self, table: str, found: list[Record]) -> None:
        """Write the records of a counted table that are proven."""
        kept = self._insert(table, [one for one in found if records.stands(table, one)])
        text = self._facts.get(f"count {table}", "")
        lost = int(text) - kept if text.isdecimal() else 0
        if lost > 0:
            self._gone.append(f"{lost} of the {table} are gone")
        put(self._new, "facts", (f"count {table}", str(kept)))

    def _names(self) -> None:
        """What numbers of samples mean whose records are gone, from the index."""
        for order in ("ASC", "DESC"):  # from both sides of a damaged page
            query = f"{schema.NAMES} ORDER BY benchmark {order}, sample {order}, proof {order}"
            with contextlib.suppress(*_READING):
                for number, *name, proof in self._broken.execute(query):
                    if proof == schema.proof(number, *name):
                        told = (number, *name, None, None, proof)
                        self._insert("samples", [(*told, records.mark("samples", *told))])
        kept = self._new.execute("SELECT count(*) FROM samples").fetchone()[0]
        put(self._new, "facts", ("count samples", str(kept)))

    def _rows(self, series: Record, samples: set[int]) -> None:
        number, wanted = series[0], series[-2]
        query = (
            f"SELECT {schema.ROW_COLUMNS} FROM rows WHERE series = ? AND sample >= ? AND sample < ?"
        )
        found = self._range(query, (number,), max(samples, default=0) + 1)
        mine = [one for one in found if one[0] == number and one[1] in samples]
        proven = [one for one in mine if schema.row_stands(one)]
        kept = self._insert("rows", proven)
        if kept < wanted:
            self._gone.append(
                f"{wanted - kept} rows of {series[2]}, {series[4]} ({series[5]}) are gone; "
                "`editgauge score` makes them again"
            )
        put(self._new, "series", (*series[:-2], kept))

    def _insert(self, table: str, found: list[Record]) -> int:
        kept = 0
        for one in found:
            holes = ", ".join("?" * len(one))
            with contextlib.suppress(sqlite3.Error, UnicodeEncodeError):
                told = f"INSERT OR IGNORE INTO {table} VALUES ({holes})"
                kept += self._new.execute(told, one).rowcount
        return kept

    def _range(self, query: str, values: Record, most: int) -> list[Record]:
        """The records whose key is below `most`; where they cannot be read, those of halves."""
        found: list[Record] = []
        todo = [(0, most + 1)]
        while todo:
            low, high = todo.pop()
            try:
                found += self._broken.execute(query, (*values, low, high)).fetchall()
            except _READING:
                if high - low > _FEWEST:
                    middle = (low + high) // 2
                    todo += [(low, middle), (middle, high)]
        return found
