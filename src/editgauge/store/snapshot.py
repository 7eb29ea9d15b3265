"""``rows.parquet``: the rows as a file that DuckDB, pandas and polars open as it is.

It is made when a command that changed rows ends, and by the next reader where that command was
killed. It has the derived metrics as well (`store.derived`), which no other file of a run has. The
run says of which generation of its rows and by which rules the file is, and its hash: it is never
believed, and made again where one of these is another.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from editgauge.errors import RunError
from editgauge.store import derived, parquet, paths, records, schema
from editgauge.types import DERIVED, Benchmark, Status

if TYPE_CHECKING:
    from editgauge.store.run import Run

FILE = "rows.parquet"
_MARK = "snapshot"
"""The fact that says of which generation the file is, its hash, and that of the rules of derived
metrics.
"""
_BEFORE_ORIGIN = (
    "benchmark, sample, editor, scorer, metric, variant, value, status, reason, fingerprint, "
    "source, repeat, detail"
)
_AT_ONCE = 20_000
_GROUP = 32_768
"""Rows that are written, and passed over by readers, together."""
_COLUMNS = (
    ("sample", "INTEGER"), ("repeat", "INTEGER"), ("value", "DOUBLE"), ("status", "VARCHAR"),
    ("reason", "VARCHAR"), ("fingerprint", "VARCHAR"), ("detail", "VARCHAR"),
    ("origin", "INTEGER"), ("series", "INTEGER"),
)  # fmt: skip


def current(run: Run) -> Path:
    """The file of the run's rows at this generation: the run's own where it is that, made again
    where it is not, or outside a run that cannot be written or is damaged.
    """
    place, generation = run.path / FILE, run.generation
    known, rules = _rules(run)
    said = [*(run.fact(_MARK) or "").split(), "", "", ""]
    same = said[0] == generation and (said[2] == rules or None in known)
    if same and _hash(place) == said[1]:
        return place
    if run.damage is None:
        with contextlib.suppress(RunError, OSError):  # a run that can only be read
            problems = len(run.problems)
            made = place.with_name(f".{FILE}.{os.getpid()}.{secrets.token_hex(4)}")
            try:
                _write(run, made, known)
                for one in known:
                    if one is not None and one.derived:
                        run.keep_metrics(one.name, [rule.metric for rule in one.derived])
                if len(run.problems) == problems:
                    mark = f"{generation} {_hash(made)} {rules}"
                    os.replace(made, place)
                    run.set_fact(_MARK, mark)
                    return place
            finally:
                made.unlink(missing_ok=True)
    made = run.scratch() / FILE
    _write(run, made, known)
    return made


def _rules(run: Run) -> tuple[list[Benchmark | None], str]:
    """The benchmarks of the rows (None: not installed here), and a hash of how they combine
    metrics.
    """
    known = [derived.benchmark_of(name) for name in sorted({s.benchmark for s in run.series()})]
    every = [(b.name, rule) for b in known if b is not None for rule in b.derived]
    return known, schema.digest(
        [(n, r.metric.name, r.of, r.optional, r.tolerant, r.version) for n, r in every]
    )


def is_sound(run: Run) -> bool:
    """Whether the run's own file is of an earlier generation, or what was made of the rows."""
    generation, mark, *_ = [*(run.fact(_MARK) or "").split(), "", ""]
    return generation != run.generation or _hash(run.path / FILE) == mark


def _write(run: Run, target: Path, known: Sequence[Benchmark | None]) -> None:
    names, origins = run.sample_names(), run.origins()
    told = "the run's rows cannot be made ready for reading ({}); make room or rights"
    with parquet.database(message=told) as db:
        db.execute("SET memory_limit = '256MB'")
        db.execute(f"SET temp_directory = {parquet.quoted(run.scratch())}")
        db.execute("SET threads = 1")
        db.execute(f"CREATE TABLE part({', '.join(f'{n} {kind}' for n, kind in _COLUMNS)})")
        every = run.series()
        for chunk in _chunks(run, every, names):
            db.register("chunk", chunk)
            db.execute("INSERT INTO part SELECT * FROM chunk")
        _tables(db, every, names, origins)
        db.execute(
            "CREATE VIEW joined AS SELECT s.benchmark, n.sample, s.editor, s.scorer, s.metric, "
            "s.variant, p.value, p.status, p.reason, p.fingerprint, s.source, p.repeat, p.detail, "
            "coalesce(o.facts, '{}') AS origin FROM part p JOIN series s ON s.id = p.series "
            "JOIN names n ON n.id = p.sample LEFT JOIN origins o ON o.id = p.origin"
        )
        db.execute("CREATE TABLE combined AS SELECT * FROM joined LIMIT 0")
        for benchmark in known:
            if benchmark is not None and benchmark.derived:
                _combine(db, benchmark)
        db.execute(
            "COPY (SELECT * FROM joined UNION ALL SELECT * FROM combined) "
            f"TO {parquet.quoted(target)} "
            f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_GROUP})"
        )


def _combine(db: Any, benchmark: Benchmark) -> None:
    """Put the derived rows of a benchmark into the table `combined`."""
    names = sorted({name for rule in benchmark.derived for name in rule.of})
    which = (
        "FROM joined WHERE benchmark = ? AND list_contains(?, metric) AND sample <> '*' "
        "AND NOT starts_with(source, 'human:')"
    )
    asked = [benchmark.name, names]
    most = db.execute(f"SELECT metric, source, max(repeat) {which} GROUP BY ALL", asked).fetchall()
    parents = db.cursor().execute(
        f"SELECT editor, sample, variant, metric, source, repeat, value, status, reason, "
        f"fingerprint {which} ORDER BY ALL",
        asked,
    )
    lines = (
        derived.Line._make((*row[:7], Status(row[7]), *row[8:]))
        for found in iter(lambda: parents.fetchmany(_AT_ONCE), [])
        for row in found
    )
    origins = {n: records.json(o) for n, o in derived.origins_of(benchmark).items()}
    made = derived.derived(benchmark.derived, lines, {(m, s): most for m, s, most in most})
    for some in iter(lambda: list(islice(made, _AT_ONCE)), []):
        _put(db, benchmark.name, origins, some)


def _put(
    db: Any, benchmark: str, origins: dict[str, str], made: Sequence[tuple[derived.Line, Any]]
) -> None:
    lines = [line for line, _ in made]
    columns = {name: [getattr(line, name) for line in lines] for name in derived.Line._fields}
    chunk: dict[str, Any] = {name: _texts(each) for name, each in columns.items()}
    chunk["value"] = _values(tuple(columns["value"]))
    chunk["status"] = _texts([status.value for status in columns["status"]])
    chunk["repeat"] = np.array(columns["repeat"], np.int32)
    chunk["detail"] = _texts([records.json(told) for _, told in made])
    chunk["origin"] = _texts([origins[line.metric] for line in lines])
    db.register("made", chunk)
    db.execute(
        f"INSERT INTO combined ({_BEFORE_ORIGIN}, origin) SELECT ?, sample, editor, ?, metric, "
        "variant, value, status, reason, fingerprint, source, repeat, detail, origin FROM made",
        [benchmark, DERIVED],
    )
    db.unregister("made")


def _tables(
    db: Any,
    every: list[schema.Series],
    names: dict[int, tuple[str, str]],
    origins: dict[int, str],
) -> None:
    """What the numbers of rows stand for, as tables of DuckDB."""
    fields = ("id", "benchmark", "editor", "scorer", "metric", "variant", "source")
    tables = {
        "series": {f: _texts([getattr(one, f) for one in every]) for f in fields},
        "names": {"id": np.array(list(names)), "sample": _texts([n for _, n in names.values()])},
        "origins": {"id": np.array(list(origins), np.int64), "facts": _texts(origins.values())},
    }
    for name, columns in tables.items():
        db.register("given", columns)
        db.execute(f"CREATE TABLE {name} AS SELECT * FROM given")


def _texts(values: Any) -> Any:
    listed = list(values)
    return np.array(listed, dtype=object if listed and isinstance(listed[0], str) else None)


def _chunks(
    run: Run, every: list[schema.Series], names: dict[int, tuple[str, str]]
) -> Iterator[dict[str, Any]]:
    """The rows of each series as arrays, by the names of their samples."""
    order = {number: place for place, number in enumerate(sorted(names, key=lambda n: names[n][1]))}
    for series in every:
        there = [record for record in run.records(series) if record[1] in order]
        if not there:
            continue
        there.sort(key=lambda record: (order[record[1]], record[2]))
        _, sample, repeat, value, status, reason, mark, detail, origin, _ = zip(*there, strict=True)
        yield {
            "sample": np.array(sample, np.int32),
            "repeat": np.array(repeat, np.int32),
            "value": _values(value),
            "status": np.array(status, object),
            "reason": np.array(reason, object),
            "fingerprint": np.array([schema.unpacked(one) for one in mark], object),
            "detail": np.array([one or "{}" for one in detail], object),
            "origin": np.array(origin, np.int32),
            "series": np.full(len(there), series.id, np.int32),
        }


def _values(values: tuple[float | None, ...]) -> Any:
    """Values as DuckDB takes them: without a score NULL, not NaN."""
    found = np.array([np.nan if one is None else one for one in values], np.float64)
    return np.ma.masked_array(found, np.isnan(found))


def _hash(path: Path) -> str:
    """The hash of a file; "" where it cannot be read."""
    with contextlib.suppress(OSError, RunError), os.fdopen(paths.open_read(path), "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    return ""
