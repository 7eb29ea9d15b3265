"""What can be read of a run's file that SQLite does not read any more, by ranges of its keys: one
damaged page costs the records in it. The pages that say where the tables begin are taken from a
new file: they are the same in every run.
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
    """A copy of the file, with its journal in it and the tables of a new one."""
    copy, new = folder / "run.sqlite", folder / "new.sqlite"
    shutil.copyfile(file, copy)
    with contextlib.suppress(*_READING, OSError):
        shutil.copyfile(f"{file}-wal", f"{copy}-wal")
        with contextlib.closing(sqlite3.connect(copy)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    sqlite.create(new, schema.SCHEMA)
    with contextlib.closing(sqlite3.connect(new)) as db:
        begins = {page for (page,) in db.execute("SELECT rootpage FROM sqlite_master")}
    empty, data = new.read_bytes(), bytearray(copy.read_bytes())
    pages = -(-max(len(data), len(empty)) // _PAGE)
    data.extend(bytes(pages * _PAGE - len(data)))
    for start in range(0, len(empty), _PAGE):
        if start // _PAGE + 1 not in begins:
            data[start : start + _PAGE] = empty[start : start + _PAGE]
    data[28:32] = pages.to_bytes(4, "big")
    data[18:20] = b"\1\1"  # read without a journal
    copy.write_bytes(data)
    return copy


def _copy(broken: sqlite3.Connection, new: sqlite3.Connection) -> None:
    most = broken.execute("PRAGMA page_count").fetchone()[0] * _PAGE // 16  # no id is greater
    with contextlib.suppress(*_READING):
        _keep(new, "facts", broken.execute("SELECT * FROM facts").fetchall())
    for table in ("entries", "samples", "metrics", "series", "origins", "edits"):
        key = "sample" if table == "edits" else "id"
        query = f"SELECT * FROM {table} WHERE {key} BETWEEN ? AND ?"
        _keep(new, table, _ranges(broken, query, (), most)[0])
    (last,) = new.execute("SELECT coalesce(max(id), 0) FROM samples").fetchone()
    query = "SELECT * FROM rows WHERE series = ? AND sample BETWEEN ? AND ?"
    for (series,) in new.execute("SELECT id FROM series").fetchall():
        found, whole = _ranges(broken, query, (series,), last)
        kept = _keep(new, "rows", found)
        if whole and kept == len(found) and not _are_those(broken, series, found):
            new.execute("DELETE FROM rows WHERE series = ?", (series,))
    new.execute("DELETE FROM rows WHERE sample NOT IN (SELECT id FROM samples)")


def _are_those(broken: sqlite3.Connection, series: int, found: list[Record]) -> bool:
    """Whether rows that can all be read are those that were written."""
    query = "SELECT records, marks FROM counts WHERE name = 'rows' AND part = ?"
    with contextlib.suppress(*_READING):
        return broken.execute(query, (series,)).fetchone() in (None, schema.counted(found))
    return True


def _keep(new: sqlite3.Connection, table: str, found: list[Record]) -> int:
    names: Record = () if table == "rows" else (table,)
    sound = [one for one in found if schema.mark(*names, *one[:-1]) == one[-1]]
    for one in sound:
        holes = ", ".join("?" * len(one))
        with contextlib.suppress(sqlite3.Error, UnicodeEncodeError):
            new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({holes})", one)
    return len(sound)


def _ranges(
    broken: sqlite3.Connection, query: str, values: Record, most: int
) -> tuple[list[Record], bool]:
    """The records whose key is at most `most`, where they cannot be read those of halves; and
    whether all could be.
    """
    records: list[Record] = []
    todo, whole = [(0, most)], True
    while todo:
        low, high = todo.pop()
        try:
            records += broken.execute(query, (*values, low, high)).fetchall()
        except _READING:
            whole = False
            if high - low >= _FEWEST:
                middle = (low + high) // 2
                todo += [(low, middle), (middle + 1, high)]
    return records, whole
