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
from editgauge.store.file import recount

_PAGE = 4096
_FEWEST = 4
"""Keys that are asked for together at the least where some cannot be read."""
_TABLES = ("entries", "samples", "metrics", "series", "origins", "edits")
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
        sqlite.transaction(memory),
    ):
        gone = list(_copied(broken, memory))
        recount(memory)
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


def _copied(broken: sqlite3.Connection, new: sqlite3.Connection) -> Iterator[str]:
    """Copy what is proven; in words what is not there any more."""
    facts = {}
    for name in ("created", "editgauge", "format", *(f"count {one}" for one in _TABLES)):
        for record in _read(broken, "SELECT * FROM facts WHERE name = ?", (name,)):
            if records.stands("facts", record):
                facts[name] = record[1]
                _insert(new, "facts", [record])
    pages = _read(broken, "PRAGMA page_count") or [(1,)]
    most = pages[0][0] * (_PAGE // 16)  # more than the number of any record can be
    for table in _TABLES:
        key = "sample" if table == "edits" else "id"
        query = f"SELECT * FROM {table} WHERE {key} >= ? AND {key} < ?"
        found = _range(broken, query, (), most)
        proven = [one for one in found if records.stands(table, one)]
        lost = int(facts.get(f"count {table}", 0)) - _insert(new, table, proven)
        if lost > 0:
            yield f"{lost} of the {table} are gone"
    samples = {number for (number,) in new.execute("SELECT id FROM samples")}
    for series in new.execute("SELECT * FROM series").fetchall():
        query = (
            f"SELECT {schema.ROW_COLUMNS} FROM rows WHERE series = ? AND sample >= ? AND sample < ?"
        )
        found = _range(broken, query, series[:1], max(samples, default=0))
        mine = [one for one in found if one[0] == series[0] and one[1] in samples]
        kept = _insert(new, "rows", [one for one in mine if schema.row_stands(one)])
        if kept < series[-2]:
            yield (
                f"{series[-2] - kept} rows of {series[2]}, {series[4]} ({series[5]}) are gone; "
                "`editgauge score` makes them again"
            )


def _read(broken: sqlite3.Connection, query: str, values: Record = ()) -> list[Record]:
    with contextlib.suppress(*_READING):
        return broken.execute(query, values).fetchall()
    return []


def _insert(new: sqlite3.Connection, table: str, found: list[Record]) -> int:
    kept = 0
    for one in found:
        holes = ", ".join("?" * len(one))
        with contextlib.suppress(sqlite3.Error, UnicodeEncodeError):
            told = f"INSERT OR IGNORE INTO {table} VALUES ({holes})"
            kept += new.execute(told, one).rowcount
    return kept


def _range(broken: sqlite3.Connection, query: str, values: Record, most: int) -> list[Record]:
    """The records whose key is at most `most`; where they cannot be read, those of halves."""
    found: list[Record] = []
    todo = [(0, most + 1)]
    while todo:
        low, high = todo.pop()
        try:
            found += broken.execute(query, (*values, low, high)).fetchall()
        except _READING:
            if high - low > _FEWEST:
                middle = (low + high) // 2
                todo += [(low, middle), (middle, high)]
    return found
