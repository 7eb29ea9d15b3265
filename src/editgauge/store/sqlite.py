"""The SQLite files of a run, and of what was paid for. Both may come from anybody: only regular
files are opened, and one that holds anything but its own tables (a trigger, a view) is refused.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from editgauge import temporary
from editgauge.errors import RunError
from editgauge.store import journal, locks, paths

PATIENCE = 120.0
"""Seconds for which a writer waits for another command's transaction."""
LONGEST = 1 << 26
"""Bytes of the longest text that is read from a record."""
FAULTS = (sqlite3.Error, UnicodeDecodeError, MemoryError)
"""What SQLite raises of a damaged file: its own message may be no text, a length be of any size."""
_COPIES = 5
"""Attempts to copy a file that another machine writes at that moment."""
_NEWEST = 2
"""Of a file's format, in its bytes 18 and 19: a newer one SQLite reads, and never writes."""
_JOURNALS = ("-wal", "-shm", "-journal")
_SETTINGS = (
    "recursive_triggers = ON",
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "temp_store = FILE",
    "cache_size = -8000",  # kB: with the usual 2000, one large transaction writes pages twice
)
_TOLD = {
    sqlite3.SQLITE_FULL: "the disk is full; make room on it and run the same command again",
    **dict.fromkeys(
        (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED),
        f"another command has been writing for {PATIENCE:.0f} seconds; wait for its end, or stop "
        "it",
    ),
    **dict.fromkeys(
        (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR),
        "cannot be written ({}); make room or rights and run the same command again",
    ),
}


_LOCK_CODES = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY)
"""What SQLite says where a file cannot be locked: there a file is only read, from a copy."""


class Damaged(RunError):
    """A database that cannot be read as it is; says which, and how it is repaired."""


def broken(path: Path, error: Exception) -> RunError:
    """The error of a database that cannot be used: `Damaged`, or what the system says of it."""
    if isinstance(error, OSError):
        return paths.unwritable(path, error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _LOCK_CODES and not locks.available(path.parent):
        return locks.lack(path)
    if told := _TOLD.get(getattr(error, "sqlite_errorcode", 0) & 0xFF):
        return RunError(f"{path}: {told.format(error)}")
    return Damaged(f"{path}: damaged ({error}); see: editgauge check RUN --repair")


def reason(error: Damaged) -> str:
    """Return what is damaged, without the file's name and without how it is repaired."""
    return str(error).rpartition("damaged (")[2].partition("); see:")[0] or str(error)


def need_files(path: Path) -> None:
    """Raises `RunError` when a database or one of its journals is there and is no regular file."""
    for suffix in ("", *_JOURNALS):
        with contextlib.suppress(FileNotFoundError):
            os.close(paths.open_read(Path(f"{path}{suffix}")))


def need_sound(db: sqlite3.Connection) -> None:
    """Raises `sqlite3.DatabaseError` where SQLite finds a page that is not as it should be."""
    for (text,) in db.execute(
        "PRAGMA integrity_check(1)"
    ):  # the quick one does not look at indexes
        if text != "ok":
            raise sqlite3.DatabaseError(text[:200])


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Everything in the `with` block, or nothing of it."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield db
        db.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def reading(db: sqlite3.Connection) -> Iterator[None]:
    """What is read in the `with` block is of one moment, whoever writes."""
    begun = not db.in_transaction
    if begun:
        db.execute("BEGIN")
    try:
        yield
    finally:
        if begun:
            db.execute("ROLLBACK")


def in_memory(schema: Sequence[str]) -> sqlite3.Connection:
    """A new database that is no file, for any thread, one at a time."""
    db = _connected(":memory:")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    for table in schema:
        db.execute(table)
    return db


def image(db: sqlite3.Connection) -> bytes:
    """A database in memory as a file of it has to be, which many processes may write."""
    data = bytearray(db.serialize())
    data[18:20] = b"\2\2"  # with a write-ahead log
    return bytes(data)


def put_anew(path: Path, data: bytes) -> None:
    """Put a sound database into the place of a damaged one, which is kept beside it with what
    belongs to it. Raises `RunError` where that cannot be written.
    """
    anew = paths.write(path.parent, f"{path.name}.anew", data, sync=True)
    try:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.replace(f"{path}{suffix}", f"{path}.damaged{suffix}")
        os.replace(anew, path)
    except OSError as error:
        raise paths.unwritable(path, error) from error


def create(path: Path, schema: Sequence[str], *statements: tuple[str, Sequence[object]]) -> None:
    """Make a database with these tables, where none is there: whole, or not at all; `statements`
    are run in it. Raises `RunError` where it cannot be written.
    """
    scratch = path.with_name(temporary.new_name())
    try:
        with contextlib.closing(in_memory(schema)) as db:
            for statement, values in statements:
                db.execute(statement, values)
            scratch.write_bytes(image(db))
        try:
            os.link(scratch, path)
        except FileExistsError:  # another process was faster
            pass
        except OSError:  # a file system without hard links
            os.replace(scratch, path)
    except OSError as error:
        raise paths.unwritable(path, error) from error
    finally:
        scratch.unlink(missing_ok=True)


def opened(
    path: Path,
    schema: Sequence[str],
    *,
    safe: bool = False,
    older: Mapping[str, str] | None = None,
) -> sqlite3.Connection:
    """Open a database that is there, for any thread, one at a time; it must hold these tables and
    nothing else. `safe`: a commit is on the disk when it returns. `older`: a table of an earlier
    version -> the statement that makes today's of it, where the file can be written. Raises
    `Damaged` for what is no database of ours, `RunError` for what is no regular file.
    """
    need_files(path)
    if os.path.lexists(f"{path}-journal"):
        raise RunError(f"{path}-journal: no file that editgauge makes; remove it")
    with contextlib.ExitStack() as opening:
        try:
            with path.open("rb") as file:
                newest = max(file.read(20)[18:], default=0)
            if newest > _NEWEST:
                raise sqlite3.DatabaseError("its first page is not what was written")
            journal.need_whole(path)
            db = _reached(path)
            opening.callback(db.close)
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
            for pragma in (*_SETTINGS, f"synchronous = {'FULL' if safe else 'NORMAL'}"):
                db.execute(f"PRAGMA {pragma}")
            _upgrade(db, path, older or {})
            _need_tables(db, path, (*schema, *(older or {})), schema)
        except (*FAULTS, OSError) as error:
            raise broken(path, error) from error
        opening.pop_all()
        return db


def _upgrade(db: sqlite3.Connection, path: Path, older: Mapping[str, str]) -> None:
    """Bring the tables of an earlier version up to date, where the file can be written."""
    tables = "SELECT 1 FROM sqlite_master WHERE sql = ?"
    for table, statement in older.items():
        writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        if writable and db.execute(tables, (table,)).fetchone():
            with transaction(db):
                if db.execute(tables, (table,)).fetchone():  # no other command was faster
                    db.execute(statement)


def _need_tables(
    db: sqlite3.Connection, path: Path, known: Sequence[str], schema: Sequence[str]
) -> None:
    """Raise an error for other tables, or another version's run: nothing of it is damaged. `known`:
    the tables that there may be; of those in `schema` as many must be there.
    """
    from editgauge.store.schema import FORMAT

    tables = db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    odd = {sql for (sql,) in tables} - {*known}
    if odd or len(tables) != len(schema):
        odd = odd or {*schema}.difference(sql for (sql,) in tables)
        with contextlib.suppress(*FAULTS):
            facts = dict(db.execute("SELECT name, value FROM facts"))
            if (found := facts.get("format", FORMAT)) != FORMAT:
                raise RunError(
                    f"{path.parent}: run format {found!r}, this version reads {FORMAT}; use the "
                    f"editgauge that wrote it ({facts.get('editgauge', 'unknown')})"
                )
        message = f"the tables are not those of this version: {min(odd, key=str)[:60]!r}"
        raise sqlite3.DatabaseError(message)


def _connected(place: str) -> sqlite3.Connection:
    return sqlite3.connect(
        place, timeout=PATIENCE, isolation_level=None, check_same_thread=False, uri=True
    )


def _reached(path: Path) -> sqlite3.Connection:
    can_be_locked = locks.available(path.parent)
    if can_be_locked:
        if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
            return _connected(f"{path.absolute().as_uri()}?mode=rw")
        if not os.path.exists(f"{path}-wal") or not os.path.getsize(f"{path}-wal"):
            return _connected(f"{path.absolute().as_uri()}?mode=ro&immutable=1")
    else:
        locks.say_copied(path.parent)
    memory = _connected(":memory:")
    with readable(path) as copy, contextlib.closing(_connected(copy.as_uri())) as db:
        db.backup(memory)
    memory.execute("PRAGMA query_only = ON")  # what is written into a copy would be lost
    return memory


@contextlib.contextmanager
def readable(path: Path) -> Iterator[Path]:
    """A database as it can be read, for the length of a `with` block: the file itself, or a copy
    with its journal where its folder cannot be written or locked, since SQLite writes beside what
    it reads. Raises `RunError` for what is no regular file, and `OSError` when it cannot be copied.
    """
    if os.access(path.parent, os.W_OK) and locks.available(path.parent):
        yield path
        return
    need_files(path)
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        copy = Path(folder) / path.name
        for _ in range(_COPIES):
            before = _looks(path)
            _copy_with_journal(path, copy)
            if _looks(path) == before:
                break
        yield copy


def _copy_with_journal(path: Path, copy: Path) -> None:
    for suffix in ("", "-wal"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{copy}{suffix}")
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")


def _looks(path: Path) -> list[tuple[int, int] | None]:
    """The size and time of a database and of its journal; None for one that is not there."""
    looks: list[tuple[int, int] | None] = []
    for suffix in ("", "-wal"):
        try:
            facts = os.stat(f"{path}{suffix}")
        except FileNotFoundError:
            looks.append(None)
        else:
            looks.append((facts.st_size, facts.st_mtime_ns))
    return looks
