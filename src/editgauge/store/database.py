"""SQLite files as a run has them: opened safely also when somebody else made them, one record a
checksum.

A file from a stranger may hold triggers, views or other tables than ours: it is refused before
anything is read. SQLite gives back a flipped bit without a word, so every record carries a CRC-32.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import RunError
from editgauge.store import paths

PATIENCE = 120.0
"""Seconds for which a writer waits for another command's transaction."""
LONGEST = 1 << 26
"""Bytes of the longest text that is read."""
FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises of a damaged file; its own message may be no text."""
_JOURNAL = "-journal"
_JOURNALS = ("-wal", "-shm", _JOURNAL)


class Damaged(RunError):
    """A database that cannot be read as it is; says which, and how it is repaired."""


def create(
    path: Path,
    schema: Sequence[str],
    first: tuple[str, Sequence[Sequence[str | int]]] | None = None,
) -> None:
    """Make a database with these tables, where none is there: whole, or not at all. `first`: a
    statement, and the records that it is run with. Raises `RunError` where it cannot be written.
    """
    made = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with contextlib.closing(_connected(made.as_uri())) as db:
            db.execute("PRAGMA journal_mode = WAL")
            with transaction(db):
                for statement in schema:
                    db.execute(statement)
                if first is not None:
                    db.executemany(*first)
        try:
            os.link(made, path)
        except FileExistsError:  # another process was faster
            pass
        except OSError:  # a file system without hard links
            os.replace(made, path)
    except (sqlite3.Error, OSError) as error:
        raise broken(path, error) from error
    finally:
        for suffix in ("", *_JOURNALS):
            Path(f"{made}{suffix}").unlink(missing_ok=True)


def connect(path: Path, schema: Sequence[str], *, safe: bool = False) -> sqlite3.Connection:
    """Open a database that is there; it must hold these tables and nothing else. On a disk that
    cannot be written the file is read as it is, or a copy of it where it has a journal.

    `safe`: a commit is on the disk when it returns. The connection may be used by any thread, one
    at a time. Raises `Damaged` for what is no database of ours, `RunError` for what is no regular
    file.
    """
    need_files(path)
    if os.path.lexists(f"{path}{_JOURNAL}"):
        raise RunError(
            f"{path}{_JOURNAL}: no file that editgauge makes; a run of somebody else's is not "
            f"opened with it. Remove it"
        )
    try:
        db = _opened(path)
        try:
            _settle(db, safe)
            _need_tables(db, path, schema)
        except BaseException:
            db.close()
            raise
    except (*FAULTS, OSError) as error:
        raise broken(path, error) from error
    return db


def _opened(path: Path) -> sqlite3.Connection:
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return _connected(f"{path.absolute().as_uri()}?mode=rw")
    journal = Path(f"{path}-wal")
    if not journal.exists() or journal.stat().st_size == 0:
        return _connected(f"{path.absolute().as_uri()}?mode=ro&immutable=1")
    with _copied(path) as copy:
        memory = _connected(":memory:")
        with contextlib.closing(_connected(copy.absolute().as_uri())) as db:
            db.backup(memory)
        return memory


def _connected(place: str) -> sqlite3.Connection:
    return sqlite3.connect(
        place, timeout=PATIENCE, isolation_level=None, check_same_thread=False, uri=True
    )


@contextlib.contextmanager
def _copied(path: Path) -> Iterator[Path]:
    """A copy of a database with its journal, for the length of a `with` block."""
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{path}{suffix}", f"{folder}/{path.name}{suffix}")
        yield Path(folder) / path.name


def _settle(db: sqlite3.Connection, safe: bool) -> None:
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 2)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "temp_store = FILE"):
        db.execute(f"PRAGMA {pragma}")
    db.execute(f"PRAGMA synchronous = {'FULL' if safe else 'NORMAL'}")


def _need_tables(db: sqlite3.Connection, path: Path, schema: Sequence[str]) -> None:
    there = {
        _plain(sql) for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    }
    wanted = {_plain(statement) for statement in schema}
    if not there:
        raise Damaged(f"{path}: holds no tables; {_MEND}")
    if there - wanted:
        odd = min(there - wanted)
        raise Damaged(f"{path}: holds what no run of this version does ({odd[:80]!r}); {_MEND}")
    if wanted - there:
        raise Damaged(f"{path}: lacks a table ({min(wanted - there)[:60]!r}); {_MEND}")


def _plain(sql: str) -> str:
    return " ".join(sql.split())


_MEND = "see: editgauge check-run RUN --repair"


def broken(path: Path, error: Exception) -> RunError:
    """The error of a file that cannot be used: `Damaged`, or what the system says of it."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if isinstance(error, OSError):
        return RunError(f"{path}: cannot be opened ({error.strerror or error}); check its rights")
    if code == sqlite3.SQLITE_FULL:
        return RunError(f"{path}: the disk is full; make room on it and run the same command again")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
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


def need_files(path: Path) -> None:
    """Raises `RunError` when a database or one of its journals is there and is no regular file."""
    for suffix in ("", *_JOURNALS):
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


def mark(table: str, *values: str | int | float | None) -> int:
    """The checksum of a table's name and a record's columns, in their order."""
    return zlib.crc32(orjson.dumps((table, *values)))


def stands(table: str, record: Sequence[Any]) -> bool:
    """Whether a record that was read, its checksum last, is what was written into this table."""
    try:
        return bool(mark(table, *record[:-1]) == record[-1])
    except (TypeError, ValueError):
        return False


def json(value: Any) -> str:
    """A value as JSON text. What JSON cannot hold comes from outside: it is written as far as it
    can be.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    except TypeError:
        return orjson.dumps(storable(value)).decode()


def ordered(value: Any) -> bytes:
    """A value as JSON with the names of its objects in order, to be hashed."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str)
    except TypeError:
        return orjson.dumps(storable(value), option=orjson.OPT_SORT_KEYS)


def storable(value: Any, depth: int = 60) -> Any:
    """A value as JSON can hold it: lone surrogates escaped, integers of more than 64 bits and
    things of other kinds as text, nothing deeper than `depth`.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return value if -(1 << 63) <= value < 1 << 63 else str(value)
    if depth <= 0:
        return "…"
    if isinstance(value, Mapping):
        return {storable(str(key)): storable(part, depth - 1) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [storable(part, depth - 1) for part in value]
    if hasattr(value, "dtype"):
        return storable(value.tolist(), depth)
    return storable(str(value))


def parsed(text: Any) -> dict[str, Any]:
    """The object in a column of JSON. Raises `ValueError` when it is none."""
    value = orjson.loads(text)
    if not isinstance(value, dict):
        raise ValueError("wanted an object")
    return value
