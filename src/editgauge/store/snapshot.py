"""``rows.parquet``: rows with derived metrics for DuckDB, pandas and polars, made again where the
generation, rules or hash that the run notes are others.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from editgauge import temporary
from editgauge.errors import RunError
from editgauge.store import derived, parquet, paths, schema
from editgauge.types import DERIVED, Benchmark, JsonObject, Status

if TYPE_CHECKING:
    from editgauge.store.run import Run

FILE = "rows.parquet"
SUM = "rows.parquet.sum"
"""The hash of the file, by which it is proven where the run's own file is lost."""
_MARK = "snapshot"
"""The fact that names the file's generation and its hash."""
_DERIVED = "derived"
"""The fact that says of each benchmark in the file by which rules, and of which rows, its derived
rows were made: JSON, benchmark -> {"rules": hash, "rows": hash, "metrics": names}. `rows` is empty
where the derived rows are left out, since the benchmark is not installed.
"""
_TABLES = """
    CREATE TABLE series(id BIGINT, benchmark TEXT, editor TEXT, scorer TEXT, metric TEXT,
        variant TEXT, source TEXT);
    CREATE TABLE names(id BIGINT, sample TEXT);
    CREATE TABLE origins(id BIGINT, facts TEXT);
    CREATE TABLE part(series INTEGER, sample INTEGER, repeat INTEGER, value DOUBLE, status TEXT,
        reason TEXT, fingerprint TEXT, detail TEXT, origin INTEGER);
    CREATE VIEW joined AS SELECT s.benchmark, n.sample, s.editor, s.scorer, s.metric, s.variant,
        p.value, p.status, p.reason, p.fingerprint, s.source, p.repeat,
        if(p.detail = '', '{}', p.detail) AS detail, coalesce(o.facts, '{}') AS origin
        FROM part p JOIN series s ON s.id = p.series JOIN names n ON n.id = p.sample
        LEFT JOIN origins o ON o.id = p.origin;
    CREATE TABLE combined AS SELECT * FROM joined LIMIT 0"""
_RUN_FILE = "run.sqlite"
_AT_ONCE = 20_000
_GROUP = 32_768
"""Rows that are written, and passed over by readers, together."""


def current(run: Run) -> Path:
    """The file of the run's rows at this generation: the run's own, made again where it is another
    one; outside a run that cannot be written or is damaged.
    """
    place, generation = run.path / FILE, run.generation
    run.sample_names()  # rows of a sample that is lost are in no table: see `Run.damage`
    names = sorted({series.benchmark for series in run.series()})
    known = {name: derived.benchmark_of(name) for name in names}
    here = [benchmark for benchmark in known.values() if benchmark is not None]
    before = schema.known(run.fact(_DERIVED))
    now = {name: _made_by(run, name, benchmark) for name, benchmark in known.items()}
    was, mark = _noted(run)
    by_same_rules = all(before.get(one.name) == now[one.name] for one in here)
    is_sound_file = run.damage is None and _hash(place) == mark
    # The rules of a benchmark that is not installed cannot be applied. While the rows that they
    # were applied to are the same, the derived rows of the earlier file hold.
    absent = [name for name, benchmark in known.items() if benchmark is None]
    kept = []
    for name in absent:
        made = before.get(name)
        if not isinstance(made, dict):
            continue
        if is_sound_file and made.get("rows") == now[name]["rows"]:
            kept.append(name)
            now[name] = made
        else:
            now[name] = {**made, "rows": ""}
            _note_lack(run, name, made)
    if is_sound_file and was == generation and by_same_rules:
        return place
    fresh_file = run.scratch() / FILE
    _write(run, fresh_file, here, (place, kept))
    if more := newer_rows(run, fresh_file):
        run.note(
            f"{FILE}: it has {more} rows that {_RUN_FILE} has lost, and is not replaced; editgauge "
            f"check {run.place} --repair brings them back"
        )
        return fresh_file
    with contextlib.suppress(RunError, OSError), run.changing(wait=False):  # else only read
        for one in here:
            run.keep_metrics(one.name, [rule.metric for rule in one.derived])
        run.set_fact(_MARK, f"{generation} {_hash(fresh_file)}")
        run.set_fact(_DERIVED, schema.json(now))
        temporary.write(place, fresh_file.read_bytes())
        temporary.write(run.path / SUM, _hash(place).encode())
        return place
    return fresh_file


def _made_by(run: Run, name: str, benchmark: Benchmark | None) -> JsonObject:
    """What `_DERIVED` says of a benchmark as it is now. Without rules where it is not installed."""
    counts = run.read("SELECT part, records, marks FROM counts WHERE name = 'rows'")
    of_series = {part: (records, marks) for part, records, marks in counts}
    rows = [of_series.get(number) for number in sorted(run.series(name).values())]
    if benchmark is None:
        return {"rows": schema.digest(rows)}
    metrics = [rule.metric.name for rule in benchmark.derived]
    rules = derived.rules_of(benchmark)
    return {"rules": rules, "rows": schema.digest(rows), "metrics": metrics}


def _note_lack(run: Run, name: str, made: JsonObject) -> None:
    """Say which derived metrics the file lacks, since their benchmark is not installed here."""
    metrics = made.get("metrics")
    if isinstance(metrics, list) and metrics:
        run.note(
            f"{name} is not installed here, so that {', '.join(map(str, metrics))} cannot be "
            f"derived from its rows, which have changed; install the package of this benchmark"
        )


def newer_rows(run: Run, fresh_file: Path | None = None) -> int:
    """Return how many rows more the run's own file has than the run, where it is not the one that
    the run has made last: then the run has lost what it wrote since. `fresh_file`: one that was
    made of the run now.
    """
    place = run.path / FILE
    if paths.fault(run.path, FILE, limit=paths.LARGEST) or _hash(place) == _noted(run)[1]:
        return 0
    there = _rows_of(place)
    if fresh_file is not None:
        return max(0, there - _rows_of(fresh_file))
    (ours,) = run.read("SELECT count(*) FROM rows")[0]
    return max(0, there - int(ours))


def _rows_of(file: Path) -> int:
    """Return how many rows that were not derived a file has; 0 where it cannot be read."""
    with contextlib.suppress(RunError), parquet.database() as db:
        query = f"SELECT count(*) FROM {parquet.relation([file])} WHERE scorer <> ?"
        return int(db.execute(query, [DERIVED]).fetchone()[0])
    return 0


def _noted(run: Run) -> tuple[str, str]:
    """Return generation and hash of the file that the run has made last."""
    generation, mark, *_ = [*run.fact(_MARK).split(), "", ""]
    return generation, mark


def content(run: Run) -> Path | None:
    """Return the run's own file, if it is what was made of rows: by the hash that the run has
    noted, else by the one that lies beside the file. None otherwise.
    """
    place = run.path / FILE
    if paths.fault(run.path, FILE, limit=paths.LARGEST):
        return None
    if _hash(place) == _noted(run)[1]:
        return place
    if not os.path.lexists(run.path / SUM):  # an earlier version wrote none
        return place
    with contextlib.suppress(OSError, RunError):
        if paths.read(run.path / SUM).decode("ascii", "replace") == _hash(place):
            return place
    return None


@contextlib.contextmanager
def opened(file: Path) -> Iterator[Any]:
    """A database with the rows of a file in the table `snapshot`."""
    with parquet.database() as db:
        db.execute(f"CREATE VIEW snapshot AS FROM {parquet.relation([file])}")
        yield db


def is_sound(run: Run) -> bool:
    """Whether the run's own file is of an earlier generation, or what was made of the rows."""
    generation, mark = _noted(run)
    return generation != run.generation or _hash(run.path / FILE) == mark


def _write(
    run: Run, target: Path, known: Sequence[Benchmark], earlier: tuple[Path, Sequence[str]]
) -> None:
    """Write the run's rows and the derived rows of the `known` benchmarks. `earlier`: a file, and
    the benchmarks of which its derived rows are taken.
    """
    file, kept = earlier
    message = "the run's rows cannot be made ready for reading ({}); make room or rights"
    with parquet.database(message=message) as db:
        db.execute("SET memory_limit = '128MB'")
        db.execute(f"SET temp_directory = {parquet.quoted(run.scratch())}")
        db.execute("SET threads = 1")
        db.execute(_TABLES)
        series = run.series()
        _give(db, "series", [(number, *one) for one, number in series.items()])
        _give(db, "names", [(sample, name) for sample, (_, name) in run.sample_names().items()])
        _give(db, "origins", list(run.origins().items()))
        for number in series.values():
            _give(db, "part", columns=_columns(run.records(number)))
        for benchmark in known:
            if benchmark.derived:
                _combine(db, benchmark)
        for name in kept:
            db.execute(
                "INSERT INTO combined BY NAME SELECT * FROM read_parquet(?) "
                "WHERE scorer = ? AND benchmark = ?",
                [str(file), DERIVED, name],
            )
        db.execute(
            "COPY (SELECT * FROM joined UNION ALL SELECT * FROM combined) "
            f"TO {parquet.quoted(target)} "
            f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_GROUP})"
        )


def _columns(records: list[schema.Record]) -> list[tuple[Any, ...]]:
    """The columns of the table `part`; none where there are no rows."""
    columns = list(zip(*records, strict=True))[:-1]
    if columns:
        columns[6] = tuple(map(schema.unpacked, columns[6]))
    return columns


def _combine(db: Any, benchmark: Benchmark) -> None:
    """Put the derived rows of a benchmark into the table `combined`."""
    origins = {name: schema.json(of) for name, of in derived.origins_of(benchmark).items()}
    rows_made = (
        (
            benchmark.name, one.sample, one.editor, DERIVED, one.metric, one.variant, one.value,
            one.status.value, one.reason, one.fingerprint, one.source, one.repeat,
            schema.json(detail), origins[one.metric],
        )
        for one, detail in derived.derived(benchmark.derived, *_parents(db, benchmark))
    )  # fmt: skip
    for some in iter(lambda: list(islice(rows_made, _AT_ONCE)), []):
        _give(db, "combined", some)


def _parents(db: Any, benchmark: Benchmark) -> tuple[Iterator[derived.Line], derived.Repeats]:
    """The rows that derived ones follow from, as `derived.derived` wants them."""
    which = (
        "FROM joined WHERE benchmark = ? AND list_contains(?, metric) AND sample <> '*' "
        "AND NOT starts_with(source, 'human:')"
    )
    asked = [benchmark.name, sorted({name for rule in benchmark.derived for name in rule.of})]
    most = db.execute(f"SELECT metric, source, max(repeat) {which} GROUP BY ALL", asked).fetchall()
    columns = ", ".join(derived.Line._fields)
    parents = db.cursor().execute(f"SELECT {columns} {which} ORDER BY ALL", asked)
    lines = (
        derived.Line._make((*row[:7], Status(row[7]), *row[8:]))
        for some in iter(lambda: parents.fetchmany(_AT_ONCE), [])
        for row in some
    )
    return lines, {(metric, source): repeat for metric, source, repeat in most}


def _give(
    db: Any, table: str, lines: Iterable[Sequence[Any]] = (), columns: Sequence[Any] = ()
) -> None:
    """Add lines, or columns, of values to a table of DuckDB."""
    every = columns or list(zip(*lines, strict=True))
    given = {f"c{n:02}": _array(values) for n, values in enumerate(every)}
    if given:
        db.register("given", given)
        db.execute(f"INSERT INTO {table} SELECT * FROM given")
        db.unregister("given")


def _array(values: tuple[Any, ...]) -> Any:
    """Values as DuckDB takes them: without a score NULL, not NaN."""
    kind = next((type(one) for one in values if one is not None), float)
    if kind is not float:
        return np.array(values, np.int64 if kind is int else object)
    numbers = np.array([np.nan if one is None else one for one in values], np.float64)
    return np.ma.masked_array(numbers, np.isnan(numbers))


def _hash(path: Path) -> str:
    """The hash of a file; "" where it cannot be read."""
    with contextlib.suppress(OSError, RunError), os.fdopen(paths.open_read(path), "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    return ""
