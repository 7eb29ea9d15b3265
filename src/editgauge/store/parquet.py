"""Segments of rows to Parquet, with DuckDB: which rows are current, and which contradict each
other.

Of each (key, fingerprint) the newest record decides: a row, or a retirement. Two rows of one key
and one fingerprint with different values, and two current fingerprints of one key, are
contradictions: they are reported, and of the second kind both rows are kept so that whoever reads
can refuse.

A Parquet file is never believed: its name holds a hash of the segments' content and of whose they
are, the note beside it that name and the hash of its own, and all are checked whenever a run is
opened. One that does not stand the
check is made again from the segments.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from editgauge.errors import RunError
from editgauge.store import lease, paths, records, segments
from editgauge.store.owner import Owner
from editgauge.store.views import write_views
from editgauge.types import VARIANTS, Status

FOLDER = "rows/parquet"
_TRIES = 5
"""How often the rows are made ready when other readers, who see newer ones, are faster."""
Place = Path | str
"""A Parquet file: a path of this machine, or one on a store (`store.ranges`)."""
_GROUP = 32_768
"""Rows that are written, and passed over by readers, together."""
_COLUMNS = {
    "benchmark": "VARCHAR", "sample": "VARCHAR", "editor": "VARCHAR", "scorer": "VARCHAR",
    "metric": "VARCHAR",
    "variant": "VARCHAR", "value": "DOUBLE", "status": "VARCHAR", "reason": "VARCHAR",
    "fingerprint": "VARCHAR",
    "source": "VARCHAR", "repeat": "INTEGER", "detail": "JSON", "origin": "JSON",
    "retired": "BOOLEAN", "at": "BIGINT", "seq": "BIGINT",
}  # fmt: skip
_KEY = "benchmark, sample, editor, scorer, metric, variant, source, repeat"
_SORTED = "benchmark, editor, metric, variant, source, scorer, sample, repeat"
"""Rows of one editor lie together, so that who asks for two of a thousand passes the others
over.
"""
_NEWER = 'coalesce(seq, 0)::HUGEINT * 18446744073709551616 + coalesce("at", 0)'
"""The order of records, as `records.order` has it."""
_STATUSES = ", ".join(f"'{status.value}'" for status in Status)
_VARIANTS = ", ".join(f"'{variant}'" for variant in VARIANTS)
_FIT = f"""
    sample <> '' AND variant IN ({_VARIANTS})
    AND benchmark IS NOT NULL AND editor IS NOT NULL AND scorer IS NOT NULL AND metric IS NOT NULL
    AND source IS NOT NULL AND fingerprint IS NOT NULL AND coalesce(repeat, 0) BETWEEN 0 AND 1048575
    AND coalesce(seq, 0) BETWEEN 0 AND 4611686018427387903 AND coalesce("at", 0) >= 0
    AND (coalesce(retired, false) OR (
        status IN ({_STATUSES}) AND reason IS NOT NULL
        AND json_type(detail) = 'OBJECT' AND json_type(origin) = 'OBJECT'
        AND (value IS NULL OR isfinite(value))
        AND (value IS NOT NULL) = (status = 'scored' AND NOT (value IS NULL
            AND coalesce(CAST(json_extract(detail, '$.infinite') AS VARCHAR), '') = 'true'))))
"""
"""What `records.row_fault` asks of a row, for DuckDB."""


class Cache:
    """The Parquet file of one run, for as long as it is read: no reader deletes what another one
    reads. What has been hashed is not hashed again while size, time and inode stay. The `owner` of
    the run tells which rows are its own.
    """

    def __init__(self, run: Path) -> None:
        self.run = run
        self._stack = ExitStack()
        self._hashes: dict[tuple[Any, ...], Any] = {}
        self._held: Path | None = None
        self._elsewhere: Path | None = None

    def close(self) -> None:
        """Let go of the file."""
        self._stack.close()
        self._held = None

    def is_damaged(self, owner: Owner) -> bool:
        """Whether the file of the rows as they are now is there and does not stand its check. One
        that is not there, or of fewer rows, is no damage: the next reader makes it.
        """
        if not self._is_wrong(owner):
            return False
        with contextlib.suppress(OSError, RunError), self._lock():  # it may just be being made
            return self._is_wrong(owner)
        return True

    def _is_wrong(self, owner: Owner) -> bool:
        parts = self._parts([])
        path = self.run / FOLDER / _name(parts, owner)
        return bool(parts) and os.path.lexists(path) and self._checked(path) is None

    def _lock(self) -> contextlib.AbstractContextManager[None]:
        return lease.lock(paths.folder(self.run, lease.FOLDER) / "parquet.lock")

    def current(self, problems: list[str], owner: Owner) -> list[Path]:
        """The Parquet file of the rows, made again when any segment has changed since or it is
        damaged; empty when no row was ever written. What is damaged or contradicts goes into
        `problems`.
        """
        for _ in range(_TRIES):
            parts = self._parts(problems)
            if not parts:
                return []
            name = _name(parts, owner)
            for folder in (self.run / FOLDER, self._elsewhere):
                if folder is not None and self._take(folder / name, problems):
                    if folder != self._elsewhere:
                        with contextlib.suppress(OSError, RunError):  # a run that is only read
                            self._tidy(name)
                    return [folder / name]
            made = self._built(parts, name, problems, owner) / name
            if self._take(made, problems):
                return [made]
            # a reader that saw newer rows has deleted it before it was held: those are read then
        raise RunError(f"{made}: changed while it was read; run the same command again")

    def _built(
        self,
        parts: Sequence[tuple[Path, int, int]],
        name: str,
        problems: list[str],
        owner: Owner,
    ) -> Path:
        """The folder in which the file of these segments was made: the run's, or where that cannot
        be written one elsewhere.
        """
        sources = [(path, size) for path, size, _ in parts]
        try:
            folder = paths.folder(self.run, FOLDER)
            with self._lock(), lease.scratch(self.run) as scratch:
                if not self._take(folder / name, problems):
                    _build(sources, (self.run, f"{FOLDER}/{name}"), scratch, owner)
                    self._take(folder / name, problems)
            self._tidy(name)
        except (OSError, RunError):  # a run on a read-only or full disk is read all the same
            folder = self._spare()
            _build(sources, (folder, name), folder, owner)
        return folder

    def _parts(self, problems: list[str]) -> list[tuple[Path, int, int]]:
        """The segments that hold whole lines: path, size, and a checksum of the whole lines."""
        parts = []
        for path in segments.segments(self.run / "rows" / "segments", problems=problems):
            try:
                found = path.stat()
                key = (path.name, found.st_size, found.st_mtime_ns, found.st_ino)
                if key not in self._hashes:
                    size = segments.whole(path)
                    self._hashes[key] = (size, _crc(path, size))
                size, mark = self._hashes[key]
            except (OSError, RunError) as error:
                segments.note(problems, f"segments/{path.name}: cannot be read ({error})")
                continue
            if size:
                parts.append((path, size, mark))
        return parts

    def _take(self, path: Path, problems: list[str]) -> bool:
        """Hold a Parquet file that is what its note says, and repeat what the note says of the
        segments. False when there is none.
        """
        if path == self._held and path.exists():
            known = self._checked(path)
        else:
            handle = lease.share(path)
            if handle is None:
                return False
            known = self._checked(path)
            if known is None:
                os.close(handle)
            else:
                self._stack.callback(os.close, handle)
                self._held = path
        for text in known or ():
            segments.note(problems, text)
        return known is not None

    def _checked(self, path: Path) -> list[str] | None:
        """The problems that were found when a Parquet file was made; None when it, or its note, is
        not what it was.
        """
        note = _note(path)
        try:
            found = path.lstat()
            key = (path.name, found.st_size, found.st_mtime_ns, found.st_ino)
            if key not in self._hashes:
                self._hashes[key] = _hash(path)
            (said,) = segments.read(note, [])
        except (OSError, RunError, ValueError):
            return None
        problems = said.get("problems")
        of_this = said.get("of") == path.name and said.get("hash") == self._hashes[key]
        if not of_this or not isinstance(problems, list):
            return None
        return [text for text in problems if isinstance(text, str)]

    def _spare(self) -> Path:
        """A temporary folder outside the run, for as long as it is read."""
        if self._elsewhere is None:
            folder = Path(tempfile.mkdtemp(prefix="editgauge-"))
            self._stack.callback(shutil.rmtree, folder, ignore_errors=True)
            self._elsewhere = folder
        return self._elsewhere

    def _tidy(self, name: str) -> None:
        self._drop_old(name)
        write_views(self.run, FOLDER, name)

    def _drop_old(self, name: str) -> None:
        """Delete the files of earlier states that nobody reads."""
        folder = self.run / FOLDER
        for other, why in list(paths.files(folder)):
            ours = other.startswith("rows-") and other.split(".")[0] != name.split(".")[0]
            parquet = folder / f"{other.split('.')[0]}.parquet"
            if ours and why is None and not lease.held(parquet):
                with contextlib.suppress(OSError), paths.entered(self.run, FOLDER) as at:
                    os.unlink(folder / other if at is None else other, dir_fd=at)


def fetch_tuples(
    files: Sequence[Place], sql: str, parameters: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """The result of a query over the table `rows` made of Parquet files; empty when there are
    none.
    """
    if not files:
        return []
    with database(files) as db:
        db.execute(f"CREATE VIEW rows AS SELECT * FROM {relation(files)}")
        return list(db.execute(sql, list(parameters)).fetchall())


def fetch(files: Sequence[Place], sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """As `fetch_tuples`, each row as a mapping from column to value."""
    if not files:
        return []
    with database(files) as db:
        db.execute(f"CREATE VIEW rows AS SELECT * FROM {relation(files)}")
        cursor = db.execute(sql, list(parameters))
        columns = [column[0] for column in cursor.description]
        return [dict(zip(columns, values, strict=True)) for values in cursor.fetchall()]


def _build(
    parts: Sequence[tuple[Path, int]], target: tuple[Path, str], scratch: Path, owner: Owner
) -> None:
    problems: list[str] = []
    written = scratch / "rows.parquet"
    with database(
        message="the run's rows cannot be made ready for reading ({}); make room or rights"
    ) as db:
        db.execute(f"SET temp_directory = '{_quoted(scratch)}'")
        if not _load_whole(parts, db, owner):
            _load(_clean(parts, scratch, problems, owner), db)
        _say_contradictions(db, problems)
        left_out = ("retired", "at", "seq", "detail", "origin")
        kept = ", ".join(name for name in _COLUMNS if name not in left_out)
        texts = "CAST(detail AS VARCHAR) AS detail, CAST(origin AS VARCHAR) AS origin"
        current = (
            f"SELECT {kept}, {texts} FROM events QUALIFY row_number() OVER "
            f"(PARTITION BY {_KEY}, fingerprint ORDER BY {_NEWER} DESC) = 1 "
            f"AND retired IS NOT TRUE"
        )
        db.execute(
            f"COPY ({current} ORDER BY {_SORTED}, fingerprint) TO '{_quoted(written)}' (FORMAT "
            f"parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_GROUP})"
        )
    root, place = target
    note = {"of": place.rpartition("/")[2], "hash": _hash(written), "problems": problems}
    paths.put(written, root, place)
    paths.write(root, str(PurePosixPath(place).with_suffix(".json")), segments.marked(note, 0))


def _load(files: Sequence[Path], db: Any) -> None:
    columns = "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in _COLUMNS.items()) + "}"
    db.execute(
        f"CREATE OR REPLACE TABLE events AS SELECT * FROM read_json({_names(files)}, "
        f"format = 'newline_delimited', columns = {columns}, maximum_object_size = 268435456)"
    )


def _load_whole(parts: Sequence[tuple[Path, int]], db: Any, owner: Owner) -> bool:
    """Read the segments as they are: the way of nearly every run. False when one of them has to be
    cleaned first.
    """
    import duckdb

    if any(path.stat().st_size != size or not _sound(path, owner) for path, size in parts):
        return False
    try:
        _load([path for path, _ in parts], db)
        odd = db.execute(
            f"SELECT count(*) FROM events WHERE NOT coalesce({_FIT}, false)"
        ).fetchone()
    except duckdb.Error:
        return False
    return not odd[0]


def _sound(path: Path, owner: Owner) -> bool:
    """Whether every line of a segment is the owner's and stands its check, and none is gone."""
    problems: list[str] = []
    for line in segments.lines(path, problems, owner=owner, parsed=False):
        if problems or line.fault:
            return False
    return not problems


def _say_contradictions(db: Any, problems: list[str]) -> None:
    once = db.execute(
        f"SELECT count(*) = count(DISTINCT ({_KEY}, fingerprint)) FROM events"
    ).fetchone()[0]
    if once:
        return
    found = db.execute(
        "WITH live AS (SELECT *, coalesce(CAST(value AS VARCHAR), status) AS said FROM events "
        f"QUALIFY {_NEWER} > coalesce(max({_NEWER}) FILTER (retired) OVER (PARTITION BY {_KEY}, "
        f"fingerprint), -1)) "
        f"SELECT {_KEY}, fingerprint, list(DISTINCT said) FROM live WHERE retired IS NOT TRUE "
        f"GROUP BY {_KEY}, fingerprint HAVING count(DISTINCT said) > 1 ORDER BY ALL LIMIT 20"
    ).fetchall()
    for *key, mark, values in found:
        problems.append(
            f"contradiction: {' '.join(map(str, key))} was scored twice from the same input "
            f"({mark}): {values}"
        )


def _clean(
    parts: Sequence[tuple[Path, int]], scratch: Path, problems: list[str], owner: Owner
) -> list[Path]:
    """The whole valid lines of each segment, as files that DuckDB can read; the others go into
    `problems`.
    """
    files = []
    for number, (path, _) in enumerate(parts):
        copy = scratch / f"{number}.jsonl"
        with copy.open("wb") as file:
            for line in segments.lines(path, problems, owner=owner):
                if line.fault:
                    continue
                record = orjson.loads(line.data)
                why = records.row_fault(record)
                if why:
                    text = f"{path.parent.name}/{path.name}, line {line.number}: {why}; left out"
                    segments.note(problems, text)
                else:
                    file.write(orjson.dumps(record) + b"\n")
        files.append(copy)
    return files


def _crc(path: Path, size: int) -> int:
    """CRC-32 of the first `size` bytes of a file."""
    mark = 0
    with os.fdopen(paths.open_read(path), "rb") as file:
        while size > 0 and (data := file.read(min(size, 1 << 20))):
            mark = zlib.crc32(data, mark)
            size -= len(data)
    return mark


def _hash(path: Path) -> str:
    with os.fdopen(paths.open_read(path), "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _name(parts: Sequence[tuple[Path, int, int]], owner: Owner) -> str:
    older = None if owner.older is None else sorted(owner.older)
    content = orjson.dumps(
        [(path.name, size, mark) for path, size, mark in parts] + [owner.ids, older]
    )
    return f"rows-{hashlib.blake2b(content, digest_size=8).hexdigest()}.parquet"


def _note(path: Path) -> Path:
    return path.with_suffix(".json")


def mapping(text: str | None) -> dict[str, Any]:
    """The object in a column of JSON. Raises `RunError` when it is none: the rows were not made by
    this tool.
    """
    try:
        value = orjson.loads(text or "{}")
    except orjson.JSONDecodeError as error:
        raise RunError(
            f"a row's detail is not JSON ({error}); see: editgauge check-run RUN"
        ) from error
    if not isinstance(value, dict):
        raise RunError("a row's detail is no object; see: editgauge check-run RUN")
    return value


@contextlib.contextmanager
def database(
    files: Sequence[Place] = (),
    *,
    message: str = (
        "the run's Parquet files cannot be read ({}); delete the run's folder rows/parquet: it is "
        "made again from the rows"
    ),
) -> Iterator[Any]:
    """A DuckDB connection in memory that can read these files; what DuckDB cannot do inside the
    block is raised as `RunError` with `message`, or says which file is gone.
    """
    import duckdb

    db = duckdb.connect(":memory:")
    try:
        if any(isinstance(file, str) for file in files):
            from editgauge.store.ranges import file_system

            db.register_filesystem(file_system())
        yield db
    except duckdb.Error as error:
        for file in files:
            if isinstance(file, Path) and not os.path.lexists(file):
                raise paths.gone(file) from error
        said = str(error).strip().splitlines()[0][:200]
        raise RunError(message.format(said)) from error
    finally:
        db.close()


def relation(files: Sequence[Place]) -> str:
    """Parquet files as SQL has them after FROM."""
    return f"read_parquet({_names(files)})"


def _names(files: Sequence[Place]) -> str:
    return "[" + ", ".join(f"'{_quoted(path)}'" for path in files) + "]"


def _quoted(path: Place) -> str:
    return str(path).replace("'", "''")
