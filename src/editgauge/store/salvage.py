"""What can be read of a run's file that SQLite does not read any more, by ranges of its keys: one
damaged page costs the records in it. The first page, which says where the tables begin, is taken
from a new file: the tables of every run begin at the same pages.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from editgauge.store import schema, sqlite

_PAGE = 4096
_FEWEST = 4
"""Keys that are asked for together at the least where some cannot be read."""
_READING = (*sqlite.FAULTS, OverflowError)
Record = tuple[Any, ...]


def salvaged(file: Path) -> sqlite3.Connection:
    """A database in memory with every record of a run's file that is proven."""
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    memory.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, sqlite.LONGEST)
    for statement in schema.SCHEMA:
        memory.execute(statement)
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        copy = _readable(file, Path(folder))
        place = f"{copy.as_uri()}?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(place, uri=True)) as broken:
            broken.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, sqlite.LONGEST)
            broken.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            broken.execute("PRAGMA cell_size_check = ON")
            with sqlite.transaction(memory):
                _copy(broken, memory)
    return memory


def _readable(file: Path, folder: Path) -> Path:
    """A copy of the file, with its journal in it and the first page of a new one."""
    copy, new = folder / "run.sqlite", folder / "new.sqlite"
    shutil.copyfile(file, copy)
    with contextlib.suppress(*_READING, OSError):
        shutil.copyfile(f"{file}-wal", f"{copy}-wal")
        with contextlib.closing(sqlite3.connect(copy)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    sqlite.create(new, schema.SCHEMA)
    data, empty = copy.read_bytes(), new.read_bytes()
    pages, first = -(-max(len(data), len(empty)) // _PAGE), bytearray(empty[:_PAGE])
    first[28:32] = pages.to_bytes(4, "big")
    first[18:20] = b"\1\1"  # read without a journal
    copy.write_bytes(first + data[_PAGE:].ljust((pages - 1) * _PAGE, b"\0"))
    return copy


def _copy(broken: sqlite3.Connection, new: sqlite3.Connection) -> None:
    most = broken.execute("PRAGMA page_count").fetchone()[0] * _PAGE // 16  # no id is greater
    with contextlib.suppress(*_READING):
        _keep(new, "facts", broken.execute("SELECT * FROM facts").fetchall())
    for table in ("entries", "samples", "metrics", "series", "origins", "edits"):
        key = "sample" if table == "edits" else "id"
        query = f"SELECT * FROM {table} WHERE {key} BETWEEN ? AND ?"
        _keep(new, table, _ranges(broken, query, (), most))
    (last,) = new.execute("SELECT coalesce(max(id), 0) FROM samples").fetchone()
    query = "SELECT * FROM rows WHERE series = ? AND sample BETWEEN ? AND ?"
    for series in new.execute("SELECT id FROM series").fetchall():
        _keep(new, "rows", _ranges(broken, query, series, last))
    new.execute("DELETE FROM rows WHERE sample NOT IN (SELECT id FROM samples)")


def _keep(new: sqlite3.Connection, table: str, found: list[Record]) -> None:
    told: Record = () if table == "rows" else (table,)
    for one in found:
        if schema.mark(*told, *one[:-1]) == one[-1]:
            holes = ", ".join("?" * len(one))
            with contextlib.suppress(sqlite3.Error, UnicodeEncodeError):
                new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({holes})", one)


def _ranges(broken: sqlite3.Connection, query: str, values: Record, most: int) -> list[Record]:
    """The records whose key is at most `most`; where they cannot be read, those of halves."""
    found: list[Record] = []
    todo = [(0, most)]
    while todo:
        low, high = todo.pop()
        try:
            found += broken.execute(query, (*values, low, high)).fetchall()
        except _READING:
            if high - low >= _FEWEST:
                middle = (low + high) // 2
                todo += [(low, middle), (middle + 1, high)]
    return found
