"""Segments of rows to Parquet, with DuckDB: which rows are current, and which contradict each
other.

Of each (key, fingerprint) the newest record decides: a row, or a retirement. Two rows of one key
and one fingerprint with different values, and two current fingerprints of one key, are
contradictions: they are reported, and of the second kind both rows are kept so that whoever reads
can refuse.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import RunError
from editgauge.store import segments

_COLUMNS = {
    "benchmark": "VARCHAR", "sample": "VARCHAR", "editor": "VARCHAR", "scorer": "VARCHAR",
    "metric": "VARCHAR",
    "variant": "VARCHAR", "value": "DOUBLE", "status": "VARCHAR", "reason": "VARCHAR",
    "fingerprint": "VARCHAR",
    "source": "VARCHAR", "repeat": "INTEGER", "detail": "JSON", "origin": "JSON",
    "retired": "BOOLEAN", "at": "BIGINT",
}  # fmt: skip
_KEY = "benchmark, sample, editor, scorer, metric, variant, source, repeat"


def parquet(run: Path, problems: list[str]) -> list[Path]:
    """The run's Parquet files, rebuilt when any segment has grown since; contradictions are added
    to `problems`.

    The file's name holds a hash of the segments' names and sizes, so that a reader can tell whether
    it is current. One that was cut short or overwritten is made again.
    """
    source = run / "rows" / "segments"
    parts = [(path, _whole_lines(path)) for path in segments.segments(source)]
    parts = [(path, size) for path, size in parts if size]
    if not parts:
        return []
    state = hashlib.blake2b(
        orjson.dumps([(p.name, n) for p, n in parts]), digest_size=8
    ).hexdigest()
    folder = run / "rows" / "parquet"
    target = folder / f"rows-{state}.parquet"
    notes = target.with_suffix(".problems.json")
    if not _whole_file(target):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _build(parts, target, notes)
        except OSError as error:
            raise RunError(
                f"{folder}: cannot be written ({error.strerror}); make room or rights"
            ) from error
        for old in folder.glob("rows-*"):
            if not old.name.startswith(target.stem):
                with contextlib.suppress(OSError):
                    old.unlink()
    if notes.exists():
        problems += [text for text in orjson.loads(notes.read_bytes()) if text not in problems]
    return [target]


def fetch_tuples(
    files: Sequence[Path], sql: str, parameters: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """The result of a query over the table `rows` made of Parquet files; empty when there are
    none.
    """
    if not files:
        return []
    with database() as db:
        db.execute(f"CREATE VIEW rows AS SELECT * FROM {relation(files)}")
        return list(db.execute(sql, list(parameters)).fetchall())


def fetch(files: Sequence[Path], sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """As `fetch_tuples`, each row as a mapping from column to value."""
    if not files:
        return []
    with database() as db:
        db.execute(f"CREATE VIEW rows AS SELECT * FROM {relation(files)}")
        cursor = db.execute(sql, list(parameters))
        columns = [column[0] for column in cursor.description]
        return [dict(zip(columns, values, strict=True)) for values in cursor.fetchall()]


def _build(parts: Sequence[tuple[Path, int]], target: Path, notes: Path) -> None:
    problems: list[str] = []
    with (
        tempfile.TemporaryDirectory(prefix=".build-", dir=target.parent) as scratch,
        database() as db,
    ):
        db.execute(f"SET temp_directory = '{_quoted(Path(scratch))}'")
        if not _load_whole(parts, db):
            _load(_clean(parts, Path(scratch), problems), db)
        _say_contradictions(db, problems)
        written = Path(scratch) / "rows.parquet"
        kept = ", ".join(
            name for name in _COLUMNS if name not in ("retired", "at", "detail", "origin")
        )
        texts = "CAST(detail AS VARCHAR) AS detail, CAST(origin AS VARCHAR) AS origin"
        current = (
            f"SELECT {kept}, {texts} FROM events QUALIFY row_number() OVER "
            f'(PARTITION BY {_KEY}, fingerprint ORDER BY "at" DESC) = 1 AND retired IS NOT TRUE'
        )
        db.execute(
            f"COPY ({current} ORDER BY {_KEY}, fingerprint) TO '{_quoted(written)}' (FORMAT "
            f"parquet, COMPRESSION zstd)"
        )
        with written.open("rb") as file:
            os.fsync(file.fileno())
        if problems:
            notes.write_bytes(orjson.dumps(problems))
        os.replace(written, target)


def _load(files: Sequence[Path], db: Any) -> None:
    columns = "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in _COLUMNS.items()) + "}"
    db.execute(
        f"CREATE OR REPLACE TABLE events AS SELECT * FROM read_json({_names(files)}, "
        f"format = 'newline_delimited', columns = {columns}, maximum_object_size = 268435456)"
    )


def _load_whole(parts: Sequence[tuple[Path, int]], db: Any) -> bool:
    """Read the segments as they are: the way of nearly every run. False when one of them has to be
    cleaned first.
    """
    import duckdb

    if any(path.stat().st_size != size for path, size in parts):
        return False
    try:
        _load([path for path, _ in parts], db)
    except duckdb.Error:
        return False
    return not db.execute(
        "SELECT count(*) FROM events WHERE fingerprint IS NULL OR sample IS NULL"
    ).fetchone()[0]


def _say_contradictions(db: Any, problems: list[str]) -> None:
    once = db.execute(
        f"SELECT count(*) = count(DISTINCT ({_KEY}, fingerprint)) FROM events"
    ).fetchone()[0]
    if once:
        return
    found = db.execute(
        "WITH live AS (SELECT *, coalesce(CAST(value AS VARCHAR), status) AS said FROM events "
        f'QUALIFY "at" > coalesce(max("at") FILTER (retired) OVER (PARTITION BY {_KEY}, '
        f"fingerprint), 0)) "
        f"SELECT {_KEY}, fingerprint, list(DISTINCT said) FROM live WHERE retired IS NOT TRUE "
        f"GROUP BY {_KEY}, fingerprint HAVING count(DISTINCT said) > 1 ORDER BY ALL LIMIT 20"
    ).fetchall()
    for *key, mark, values in found:
        problems.append(
            f"contradiction: {' '.join(map(str, key))} was scored twice from the same input "
            f"({mark}): {values}"
        )


def _clean(parts: Sequence[tuple[Path, int]], scratch: Path, problems: list[str]) -> list[Path]:
    """The whole valid lines of each segment, as files that DuckDB can read; the others go into
    `problems`.
    """
    files = []
    for number, (path, _) in enumerate(parts):
        copy = scratch / f"{number}.jsonl"
        with copy.open("wb") as file:
            for line in segments.read(path, problems):
                if "fingerprint" in line and "sample" in line:
                    file.write(orjson.dumps(line) + b"\n")
        files.append(copy)
    return files


def _whole_lines(path: Path) -> int:
    """How many bytes of a segment are whole lines: all, but for a line being written just now."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 65536)
            file.seek(start)
            cut = file.read(end - start).rfind(b"\n")
            if cut >= 0:
                return start + cut + 1
            end = start
    return 0


def _whole_file(path: Path) -> bool:
    """Whether a Parquet file has its beginning and its end; what lies between is only looked at
    when it is read.
    """
    try:
        with path.open("rb") as file:
            start = file.read(4)
            end = file.seek(0, os.SEEK_END)
            file.seek(max(end - 4, 0))
            return end > 12 and start == file.read(4) == b"PAR1"
    except OSError:
        return False


@contextlib.contextmanager
def database() -> Iterator[Any]:
    """A DuckDB connection in memory; what DuckDB cannot read inside the block is raised as
    `RunError`.
    """
    import duckdb

    db = duckdb.connect(":memory:")
    try:
        yield db
    except duckdb.Error as error:
        said = str(error).strip().splitlines()[0][:200]
        raise RunError(
            f"the run's Parquet files cannot be read ({said}); delete the run's folder "
            f"rows/parquet: "
            "it is made again from the rows"
        ) from error
    finally:
        db.close()


def relation(files: Sequence[Path]) -> str:
    """Parquet files as SQL has them after FROM."""
    return f"read_parquet({_names(files)})"


def _names(files: Sequence[Path]) -> str:
    return "[" + ", ".join(f"'{_quoted(path)}'" for path in files) + "]"


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
