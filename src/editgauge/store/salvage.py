"""What is proven of a run's damaged file, by ranges of keys: a damaged page costs its records. The
pages that say where tables begin come from a new file: all runs have the same.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from editgauge.store import journal, schema, sqlite
from editgauge.store.schema import Record

_PAGE = 4096
_FEWEST = 4
"""Keys that are asked for together at the least where some cannot be read."""
_READING = (*sqlite.FAULTS, OverflowError)


def salvaged(file: Path) -> tuple[sqlite3.Connection, list[str]]:
    """A database in memory with all proven records of a run's file; and what is lost, in words."""
    images = journal.applied(file.read_bytes(), file)
    first, *others = [_salvaged(image) for image in images]
    for other in others:
        if _size(other[0]) > _size(first[0]):
            first, other = other, first
        other[0].close()
    return first


def _size(db: sqlite3.Connection) -> int:
    (number,) = db.execute("SELECT coalesce(sum(records), 0) FROM counts").fetchone()
    return int(number)


def _salvaged(image: bytes) -> tuple[sqlite3.Connection, list[str]]:
    memory = sqlite.in_memory(schema.SCHEMA)
    with contextlib.closing(sqlite3.connect(":memory:")) as broken:
        data = _readable(image, memory)
        broken.deserialize(data)
        broken.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, sqlite.LONGEST)
        broken.text_factory = lambda text: text.decode("utf-8", "replace")
        broken.execute("PRAGMA cell_size_check = ON")
        with sqlite.transaction(memory):
            return memory, list(_copy(broken, memory, len(data) // 16))  # no id is greater


def _readable(image: bytes, new: sqlite3.Connection) -> bytes:
    """The bytes of a file with the tables of a new one."""
    data, empty = bytearray(image), new.serialize()
    begins = {page for (page,) in new.execute("SELECT rootpage FROM sqlite_master")}
    pages = -(-max(len(data), len(empty)) // _PAGE)
    data.extend(bytes(pages * _PAGE - len(data)))
    for start in range(0, len(empty), _PAGE):
        if start // _PAGE + 1 not in begins:
            data[start : start + _PAGE] = empty[start : start + _PAGE]
    data[28:32] = pages.to_bytes(4, "big")
    return bytes(data)


def _copy(broken: sqlite3.Connection, new: sqlite3.Connection, most: int) -> Iterator[str]:
    """Copy what is proven; in words what was written and is not."""
    for table in schema.TABLES:
        key = {"edits": "sample", "facts": "0"}.get(table, "id")
        query = f"SELECT * FROM {table} WHERE {key} BETWEEN ? AND ?"
        _keep(new, table, _ranges(broken, query, (), most)[0])
    (last,) = new.execute("SELECT coalesce(max(id), 0) FROM samples").fetchone()
    query, told = "SELECT * FROM rows WHERE series = ? AND sample BETWEEN ? AND ?", _counts(broken)
    for (series,) in new.execute("SELECT id FROM series").fetchall():
        records, whole = _ranges(broken, query, (series,), last)
        sound, counts = _keep(new, "rows", records), told.get(("rows", series))
        if whole and counts and sound == len(records) and schema.counted(records) != counts:
            new.execute("DELETE FROM rows WHERE series = ?", (series,))  # of an earlier day
    new.execute("DELETE FROM rows WHERE sample NOT IN (SELECT id FROM samples)")
    kept = _counts(new)
    for table in ("rows", *schema.TABLES):
        parts = [key for key in told.keys() | kept.keys() if key[0] == table]
        was = [told.get(part, (0, 0)) for part in parts]
        now = [kept.get(part, (0, 0)) for part in parts]
        if was != now:
            lost = sum(max(0, a[0] - b[0]) for a, b in zip(was, now, strict=True))
            yield f"{lost} {table} are lost" if lost else f"whether {table} are lost is not known"
    _remember_lost(new, told, kept)


def _remember_lost(
    new: sqlite3.Connection,
    told: dict[tuple[str, int], tuple[int, int]],
    kept: dict[tuple[str, int], tuple[int, int]],
) -> None:
    """Note how many rows each series had that has fewer now: tables say so until they are made
    again (`rows.Rows.lost_rows`).
    """
    had = dict[str, int]()
    for (table, part), (records, marks) in told.items():
        left, left_marks = kept.get((table, part), (0, 0))
        if table == "rows" and records > left and marks != left_marks:  # else the count is damaged
            had[str(part)] = records
    if not had:
        return
    had["all"] = sum(records for (table, _), (records, _) in told.items() if table == "rows")
    (before,) = new.execute("SELECT value FROM facts WHERE name = 'lost'").fetchone() or ("{}",)
    fact = schema.sealed("facts", "lost", schema.json({**schema.known(before), **had}))
    new.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", fact)


def _keep(new: sqlite3.Connection, table: str, records: list[Record]) -> int:
    """Write the records that stand their checksums; how many."""
    sound = [record for record in records if schema.stands(table, record)]
    for record in sound:
        holes = ", ".join("?" * len(record))
        new.execute(f"INSERT OR IGNORE INTO {table} VALUES ({holes})", record)
    return len(sound)


def _counts(db: sqlite3.Connection) -> dict[tuple[str, int], tuple[int, int]]:
    """How many records were written into each table and series of rows, and their marks."""
    with contextlib.suppress(*_READING):
        told = db.execute("SELECT * FROM counts").fetchall()
        return {one[:2]: one[2:] for one in told if tuple(map(type, one)) == (str, int, int, int)}
    return {}


def _ranges(
    broken: sqlite3.Connection, query: str, values: Record, most: int
) -> tuple[list[Record], bool]:
    """The records with keys up to `most`, by halves where unreadable; whether all could be read."""
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
