"""Every SQLite file of the tool is opened here.

Two kinds. A **record** (`create`, `opened`) is a run's or what was paid for: it holds just the
tables that it was made with. A **cache** (`connect`) is made where it is not there, by many
processes at once. Both may come from anybody: only regular files are opened, and what holds
triggers or views is refused before anything is read. SQLite gives back a flipped bit without a
word, so what numbers are made of carries a checksum (`records.mark`, `sealed`).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from editgauge.errors import RunError
from editgauge.store import paths

PATIENCE = 120.0
"""Seconds for which a writer waits for another command's transaction."""
LONGEST = 1 << 26
"""Bytes of the longest text that is read from a record."""
FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises of a damaged file; its own message may be no text."""
JOURNALS = ("-wal", "-shm", "-journal")
_MEND = "see: editgauge check RUN --repair"
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_SEAL = 4


class Damaged(RunError):
    """A database that cannot be read as it is; says which, and how it is repaired."""


def need_files(path: Path) -> None:
    """Raises `RunError` when a database or one of its journals is there and is no regular file."""
    for suffix in ("", *JOURNALS):
        with contextlib.suppress(FileNotFoundError):
            os.close(paths.open_read(Path(f"{path}{suffix}")))


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


# -- records ---------------------------------------------------------------------------------------


def create(
    path: Path, schema: Sequence[str], statement: str = "", values: Sequence[Sequence[object]] = ()
) -> None:
    """Make a record with these tables, where none is there: whole, or not at all; `statement` is
    run with each of `values`. Raises `RunError` where it cannot be written.
    """
    made = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with contextlib.closing(_connected(made.as_uri(), PATIENCE)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            with transaction(db):
                for table in schema:
                    db.execute(table)
                if statement:
                    db.executemany(statement, values)
        try:
            os.link(made, path)
        except FileExistsError:  # another process was faster
            pass
        except OSError:  # a file system without hard links
            os.replace(made, path)
    except (sqlite3.Error, OSError) as error:
        raise broken(path, error) from error
    finally:
        for suffix in ("", *JOURNALS):
            Path(f"{made}{suffix}").unlink(missing_ok=True)


def opened(path: Path, schema: Sequence[str], *, safe: bool = False) -> sqlite3.Connection:
    """Open a record that is there; it must hold these tables and nothing else. On a disk that
    cannot be written the file is read as it is, or a copy of it where it has a journal.

    `safe`: a commit is on the disk when it returns. The connection may be used by any thread, one
    at a time. Raises `Damaged` for what is no record of ours, `RunError` for what is no regular
    file.
    """
    need_files(path)
    if os.path.lexists(f"{path}-journal"):
        raise RunError(
            f"{path}-journal: no file that editgauge makes; a run of somebody else's is not "
            f"opened with it. Remove it"
        )
    try:
        db = _reached(path)
        try:
            _settle(db, safe)
            _need_tables(db, path, schema)
        except BaseException:
            db.close()
            raise
    except (*FAULTS, OSError) as error:
        raise broken(path, error) from error
    return db


def broken(path: Path, error: Exception) -> RunError:
    """The error of a record that cannot be used: `Damaged`, or what the system says of it."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if isinstance(error, OSError):
        return RunError(f"{path}: cannot be opened ({error.strerror or error}); check its rights")
    if code == sqlite3.SQLITE_FULL:
        return RunError(f"{path}: the disk is full; make room on it and run the same command again")
    if code in _BUSY:
        return RunError(
            f"{path}: another command has been writing for {PATIENCE:.0f} seconds; wait for its "
            f"end, or stop it"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR):
        return RunError(
            f"{path}: cannot be written ({error}); make room or rights and run the same command "
            f"again"
        )
    return Damaged(f"{path}: damaged ({error}); {_MEND}")


def _connected(place: str, patience: float) -> sqlite3.Connection:
    return sqlite3.connect(
        place, timeout=patience, isolation_level=None, check_same_thread=False, uri=True
    )


def _reached(path: Path) -> sqlite3.Connection:
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return _connected(f"{path.absolute().as_uri()}?mode=rw", PATIENCE)
    journal = Path(f"{path}-wal")
    if not journal.exists() or journal.stat().st_size == 0:
        return _connected(f"{path.absolute().as_uri()}?mode=ro&immutable=1", PATIENCE)
    memory = _connected(":memory:", PATIENCE)
    with readable(path) as copy, contextlib.closing(_connected(copy.as_uri(), PATIENCE)) as db:
        db.backup(memory)
    return memory


def _settle(db: sqlite3.Connection, safe: bool) -> None:
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 2)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "temp_store = FILE"):
        db.execute(f"PRAGMA {pragma}")
    db.execute(f"PRAGMA synchronous = {'FULL' if safe else 'NORMAL'}")


def _need_tables(db: sqlite3.Connection, path: Path, schema: Sequence[str]) -> None:
    found = db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    there = {" ".join(sql.split()) for (sql,) in found}
    wanted = {" ".join(statement.split()) for statement in schema}
    if not there:
        raise Damaged(f"{path}: holds no tables; {_MEND}")
    if odd := there - wanted:
        told = f"{min(odd)[:80]!r}"
        raise Damaged(f"{path}: holds what no run of this version does ({told}); {_MEND}")
    if lost := wanted - there:
        raise Damaged(f"{path}: lacks a table ({min(lost)[:60]!r}); {_MEND}")


# -- caches ----------------------------------------------------------------------------------------


def connect(path: Path, schema: Sequence[str], *, timeout: float = 30.0) -> sqlite3.Connection:
    """Open a cache, made with its folder where it is not there, in WAL mode and in autocommit;
    `schema` are statements that are run each time.

    Waits up to `timeout` seconds for other processes, also for the change to WAL mode, for which
    SQLite itself does not wait. The connection may be used by any thread, one at a time. Raises
    `RunError` for what is no regular file, and `sqlite3.Error` or `OSError` when it cannot be
    opened.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    need_files(path)
    db = _connected(path.absolute().as_uri(), timeout)
    try:
        _prepare(db, schema, time.monotonic() + timeout)
        odd = "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1"
        if strange := db.execute(odd).fetchone():
            raise sqlite3.DatabaseError(f"it holds a {strange[0]}, which is none of ours")
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection, schema: Sequence[str], until: float) -> None:
    pragmas = ("trusted_schema = OFF", "journal_mode = WAL", "synchronous = NORMAL")
    while True:
        try:
            for statement in (*(f"PRAGMA {one}" for one in pragmas), *schema):
                db.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)


@contextlib.contextmanager
def readable(path: Path) -> Iterator[Path]:
    """A database as it can be read, for the length of a `with` block: the file itself, or a copy of
    it with its journal (the place of an empty one where there is none) where its folder cannot be
    written, since SQLite writes beside what it reads. What is changed in a copy is lost.

    Raises `RunError` for what is no regular file, and `OSError` when it cannot be copied.
    """
    if os.access(path.parent, os.W_OK):
        yield path
        return
    need_files(path)
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        for suffix in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{suffix}", f"{folder}/{path.name}{suffix}")
        yield Path(folder) / path.name


def set_aside(path: Path) -> None:
    """Rename a damaged database and its journals to ``<name>.damaged…``."""
    for suffix in ("", *JOURNALS):
        with contextlib.suppress(OSError):
            os.replace(f"{path}{suffix}", f"{path}.damaged{suffix}")


def sealed(data: bytes) -> bytes:
    """`data` behind its checksum."""
    return zlib.crc32(data).to_bytes(_SEAL, "big") + data


def unsealed(value: object) -> bytes | None:
    """What was `sealed`, or None when it is not what it was."""
    if not isinstance(value, bytes) or len(value) < _SEAL:
        return None
    data = value[_SEAL:]
    return data if sealed(data) == value else None
