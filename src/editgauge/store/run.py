"""A run on disk: everything that is needed to read a result again.

::

    RUN/run.sqlite      entries, samples, metrics, series, rows, edits: see `store.schema`
    RUN/paid.sqlite     judges' replies and the ledger: see `store.paid`
    RUN/rows.parquet    the rows, made when a command that changed them ends: see `store.snapshot`
    RUN/inputs/<benchmark>/…            the pictures of the samples
    RUN/edits/<benchmark>/<editor>/…    outputs in the benchmark's own layout
    RUN/tuning, RUN/study, RUN/cache    what those commands keep; the cache may be deleted

Several commands may write one run at once, on one machine: each `put` is one transaction. A run may
be damaged, or come from anybody: what does not stand its checksum is left out and named in
`Run.problems`; a file that SQLite itself cannot read any more is read as far as it can be.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from editgauge import __version__
from editgauge.errors import RunError, UsageError
from editgauge.images import MAX_FILE_BYTES
from editgauge.store import copies, database, described, hosts, lease, paths, schema
from editgauge.store.addresses import address_of
from editgauge.store.schema import EditRecord, RowKey, RowRecord, Series
from editgauge.types import Metric, Row, Status, Variant

if TYPE_CHECKING:
    from editgauge.store.hashes import HashStore

FILE = "run.sqlite"
PAID = "paid.sqlite"
ROOMS = ("inputs", "edits", "cache", "tuning", "study", lease.FOLDER, lease.TEMPORARY)
_MOST_NOTES = 1000
_AGAIN = "`editgauge score` makes them again"


class RowWriter:
    """Writes rows to a run, and takes rows out that no longer count. A context manager."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def write(self, rows: Iterable[Row]) -> int:
        """Write rows in one transaction; how many were given."""
        return self._run.put(rows)

    def retire(self, old: Iterable[tuple[RowKey, str]]) -> int:
        """Take out the rows with these keys and fingerprints; how many there were."""
        return self._run.drop(old)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class Run:
    """One run on disk. `problems` collects, in words, what was found damaged or contradictory.
    Thread-safe.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []
        self.damage: database.Damaged | None = None
        """Why the file cannot be read as it is; then it is read as far as it can be, and not
        written.
        """
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._process = 0
        self._depth = 0
        self._writable = False
        self._ids: dict[tuple[str, ...], int] = {}
        self._parquet: tuple[str, Path] | None = None
        self._kept: list[sqlite3.Connection] = []
        self._open = contextlib.ExitStack()
        weakref.finalize(self, _close_own, os.getpid(), self._open)

    # -- opening -----------------------------------------------------------------------------------

    @classmethod
    def create(cls, path: Path) -> Self:
        """Open a run, or make a new one in a folder that is empty or not there.

        Raises `RunError` when the folder cannot be written or holds something that is not a run.
        """
        path = _real(path)
        if not os.path.lexists(path / FILE):
            try:
                if path.exists() and (not path.is_dir() or any(_visible(path))):
                    raise RunError(
                        f"{path}: not empty, and not a run (no {FILE}); name another folder"
                    )
                path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise paths.unwritable(path, error) from error
            told = {"format": schema.FORMAT, "editgauge": __version__, "created": schema.now()}
            facts = [
                (name, value, database.mark("facts", name, value)) for name, value in told.items()
            ]
            database.create(
                path / FILE, schema.SCHEMA, ("INSERT INTO facts VALUES (?, ?, ?)", facts)
            )
        run = cls.open(path)
        paths.only_files(path, "cache")
        return run

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an existing run.

        Raises `RunError` when there is none, one of a format that this version does not know, or
        one with a link where a folder of its own belongs.
        """
        run = cls(_real(path))
        paths.no_links(run.path, ROOMS)
        if os.path.lexists(run.replies_path):
            database.need_files(run.replies_path)
        form = run.fact("format") or schema.FORMAT
        if form != schema.FORMAT:
            raise RunError(
                f"{run.path}: run format {form!r}, this version reads {schema.FORMAT}; use the "
                f"editgauge that wrote it ({run.fact('editgauge') or 'unknown'})"
            )
        return run

    def _connection(self) -> sqlite3.Connection:
        if self._db is not None and self._process == os.getpid():
            return self._db
        if self._db is not None:
            self._kept.append(self._db)  # a fork's: to close it here would end the parent's locks
        self._process, self._writable, self._depth = os.getpid(), False, 0
        file = self.path / FILE
        if not os.path.lexists(file):
            raise RunError(
                f"{self.path}: not a run folder (no {FILE}); make one with: editgauge score … "
                f"--run {self.path.name}"
            )
        try:
            self._db = database.connect(file, schema.SCHEMA)
            self._open.callback(self._db.close)
            self._db.execute("PRAGMA query_only = ON")
        except database.Damaged as error:
            self._salvage(error)
        return cast(sqlite3.Connection, self._db)

    def _salvage(self, error: database.Damaged) -> None:
        """From here on read what can be read of a file that SQLite does not read."""
        from editgauge.store.salvage import salvaged

        self.damage = error
        self._db, gone = salvaged(self.path / FILE)
        self._open.callback(self._db.close)
        self._process = os.getpid()
        self.note(f"{FILE}: {str(error).partition(': ')[2]}")
        for text in gone:
            self.note(text)

    def close(self) -> None:
        """Let go of the file; what is read or written later opens it again."""
        with self._lock:
            _close_own(self._process or os.getpid(), self._open)
            self._db = self._parquet = None

    def settle(self) -> None:
        """Put what lies in the journal into the file, and let go of it: for who copies or measures
        the files of a run.
        """
        with self._lock, contextlib.suppress(RunError, sqlite3.Error):
            db = self._connection()
            self._need_writable(db)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.close()

    def note(self, text: str) -> None:
        """Add to `problems`, once."""
        if len(self.problems) < _MOST_NOTES and text not in self.problems:
            self.problems.append(text)

    # -- places ------------------------------------------------------------------------------------

    @property
    def cache_folder(self) -> Path:
        return self.path / "cache"

    @property
    def replies_path(self) -> Path:
        return self.path / PAID

    def edits_folder(self, benchmark: str, editor: str) -> Path:
        """Where the outputs of an editor lie. Raises `RunError` for a name that is no plain folder
        name.
        """
        return self.path / "edits" / paths.plain_name(benchmark) / paths.plain_name(editor)

    # -- reading and writing -----------------------------------------------------------------------

    def read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The records of a query over the tables of `store.schema`, unchecked: whoever asks for
        `mark` can check them (`database.stands`).
        """
        with self._lock:
            records: list[tuple[Any, ...]] = self._tried(
                lambda db: db.execute(statement, values).fetchall()
            )
            return records

    def _tried(self, query: Callable[[sqlite3.Connection], Any]) -> Any:
        try:
            return query(self._connection())
        except database.FAULTS as error:
            wrong = database.broken(self.path / FILE, error)
            if not isinstance(wrong, database.Damaged) or self.damage is not None or self._depth:
                raise wrong from error
            self._salvage(wrong)
            return query(self._connection())

    @contextlib.contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, which the `with` blocks inside it join: everything that is written in it
        counts, or nothing. Raises `RunError` where the run cannot be written.
        """
        with self._lock:
            db = self._connection()
            self._need_writable(db)
            if self._depth:
                yield db
                return
            hosts.claim(self.path)
            self._depth = 1
            try:
                with database.transaction(db):
                    yield db
            except database.FAULTS as error:
                self._ids.clear()
                raise database.broken(self.path / FILE, error) from error
            except BaseException:
                self._ids.clear()
                raise
            finally:
                self._depth = 0

    def _need_writable(self, db: sqlite3.Connection) -> None:
        if self.damage is not None:
            raise self.damage
        if self._writable:
            return
        file = self.path / FILE
        if not (os.access(file, os.W_OK) and os.access(self.path, os.W_OK)):
            raise RunError(
                f"{self.path}: cannot be written (read-only); make it writable, or copy the run"
            )
        db.execute("PRAGMA query_only = OFF")
        if db.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            db.execute("PRAGMA journal_mode = WAL")
        self._writable = True
        self._open.callback(hosts.release, self.path)

    def fact(self, name: str) -> str | None:
        """What the run says of itself under a name; None where that is nothing, or damaged."""
        rows = self.read("SELECT name, value, mark FROM facts WHERE name = ?", name)
        return str(rows[0][1]) if rows and database.stands("facts", rows[0]) else None

    def set_fact(self, name: str, value: str) -> None:
        """Say something of the run under a name."""
        with self.changing() as db:
            self._set(db, name, value)

    def _number(self, name: str) -> int:
        text = self.fact(name) or ""
        return int(text) if text.isdecimal() else 0

    def _set(self, db: sqlite3.Connection, name: str, value: object) -> None:
        text = str(value)
        mark = database.mark("facts", name, text)
        db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", (name, text, mark))

    def _insert(self, db: sqlite3.Connection, table: str, columns: tuple[Any, ...]) -> int:
        """A new record in a counted table with an id."""
        number = db.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()[0]
        record = (number, *columns)
        holes = ", ".join("?" * (len(record) + 1))
        db.execute(
            f"INSERT INTO {table} VALUES ({holes})", (*record, database.mark(table, *record))
        )
        self._set(db, f"count {table}", self._number(f"count {table}") + 1)
        return int(number)

    def _update(self, db: sqlite3.Connection, table: str, record: tuple[Any, ...]) -> None:
        """Replace the record with this id."""
        holes = ", ".join("?" * (len(record) + 1))
        db.execute(
            f"INSERT OR REPLACE INTO {table} VALUES ({holes})",
            (*record, database.mark(table, *record)),
        )

    def _records(self, table: str, order: str = "id") -> list[tuple[Any, ...]]:
        """The records of a small table that stand their checksums; what does not is noted."""
        with self._lock:
            known = self.read(f"SELECT * FROM {table} ORDER BY {order}")
            key = 2 if table == "edits" else 1
            sound = list({r[:key]: r for r in known if database.stands(table, r)}.values())
            lost = max(self._number(f"count {table}"), len(known)) - len(sound)
        if lost:
            self.note(f"{FILE}: {lost} of the {table} are damaged or gone; {_MENDS[table]}")
        return sound

    # -- entries -----------------------------------------------------------------------------------

    def manifest(self) -> dict[str, Any]:
        """What was done: when the run was begun and by which version, and `entries`, one a
        command.
        """
        entries = []
        for _, command, at, facts, _ in self._records("entries"):
            entries.append({"command": command, "at": at, **_object(facts)})
        created = self.fact("created") or (entries[0]["at"] if entries else "")
        by = self.fact("editgauge") or "unknown"
        return {"format": schema.FORMAT, "editgauge": by, "created": created, "entries": entries}

    def record(self, command: str, **facts: Any) -> None:
        """Add an entry: command, time, versions, platform, and `facts` (JSON values); and bring
        ``rows.parquet`` up to date.

        Of a fact that is an absolute path only the last name is kept: a run is read on other
        machines.
        """
        told = {"versions": schema.versions(), "platform": schema.machine(), **paths.facts(facts)}
        with self.changing() as db:
            self._insert(db, "entries", (command, schema.now(), database.json(told)))
        if self.series():
            self.parquet()

    def take_entries(self, other: Run, but: Run | None = None) -> None:
        """Add the entries of another run that are not there (nor in `but`)."""
        known = {e[1:4] for one in (self, but) if one for e in one._records("entries")}
        new = [e[1:4] for e in other._records("entries") if e[1:4] not in known]
        if new:
            with self.changing() as db:
                for entry in new:
                    self._insert(db, "entries", entry)

    # -- rows --------------------------------------------------------------------------------------

    def writer(self, label: str = "rows") -> RowWriter:
        return RowWriter(self)

    def put(self, rows: Iterable[Row] = (), edits: Iterable[EditRecord] = ()) -> int:
        """Write rows and edits in one transaction; how many rows were given.

        A row takes the place of one with another fingerprint, or without a score. One with the same
        fingerprint and another value does not: `problems` names both values.
        """
        rows, edits = list(rows), list(edits)
        if not rows and not edits:
            return 0
        with self.changing() as db:
            if rows:
                self._put_rows(db, rows)
            if edits:
                self._put_edits(db, edits)
        return len(rows)

    def _put_rows(self, db: sqlite3.Connection, rows: Sequence[Row]) -> None:
        by_series: dict[int, list[RowRecord]] = {}
        for row in rows:
            name = (row.benchmark, row.editor, row.scorer, row.metric, row.variant, row.source)
            series = self.number_of(db, "series", name)
            sample = self.number_of(db, "samples", (row.benchmark, row.sample))
            origin = self.number_of(db, "origins", (database.json(dict(row.origin)),))
            by_series.setdefault(series, []).append(schema.row_record(row, series, sample, origin))
        for series, records in by_series.items():
            self.put_records(db, series, records)
        self.rows_changed(db)

    def put_records(
        self,
        db: sqlite3.Connection,
        series: int,
        records: Sequence[RowRecord],
        takes: Callable[[RowRecord, RowRecord], bool] | None = None,
    ) -> tuple[int, int]:
        """Write rows of one series as the table has them, within `changing`; `takes` decides
        whether a row takes the place of one of its key. How many were there, and how many of these
        were replaced.
        """
        new = db.executemany(
            "INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT(series, sample, repeat) DO NOTHING",
            records,
        ).rowcount
        replaced = 0
        if new < len(records):
            for record in records:
                replaced += self._replace(db, record, takes or self._takes)
        if new:
            self._count(db, series, new)
        return len(records) - new, replaced

    def _replace(
        self, db: sqlite3.Connection, new: RowRecord, takes: Callable[[RowRecord, RowRecord], bool]
    ) -> bool:
        old = db.execute(
            f"SELECT {schema.ROW_COLUMNS} FROM rows WHERE series = ? AND sample = ? AND repeat = ?",
            new[:3],
        ).fetchone()
        if old == new or (schema.row_stands(old) and not takes(old, new)):
            return False
        columns = ", ".join(f"{name} = ?" for name in schema.ROW_COLUMNS.split(", ")[3:])
        db.execute(
            f"UPDATE rows SET {columns} WHERE series = ? AND sample = ? AND repeat = ?",
            (*new[3:], *new[:3]),
        )
        return True

    def _takes(self, old: RowRecord, new: RowRecord) -> bool:
        if old[6] != new[6] or old[4] != "scored":
            return True
        if new[4] == "scored" and old[3] != new[3]:
            self.note(self._contradiction(old, new))
        return False

    def _contradiction(self, old: RowRecord, new: RowRecord) -> str:
        editor, metric, variant = self.read(
            "SELECT editor, metric, variant FROM series WHERE id = ?", old[0]
        )[0]
        sample = self.read("SELECT sample FROM samples WHERE id = ?", old[1])[0][0]
        return (
            f"contradiction: {editor} {sample} {metric} ({variant}) was scored twice from the same "
            f"input ({schema.unpacked(old[6])}): {old[3]} and {new[3]}; the first is kept"
        )

    def _count(self, db: sqlite3.Connection, series: int, more: int) -> None:
        """Bring the number of rows of a series up to date."""
        *name, rows = db.execute(
            "SELECT benchmark, editor, scorer, metric, variant, source, rows FROM series "
            "WHERE id = ?",
            (series,),
        ).fetchone()
        mark = database.mark("series", series, *name, rows + more)
        db.execute("UPDATE series SET rows = ?, mark = ? WHERE id = ?", (rows + more, mark, series))

    def rows_changed(self, db: sqlite3.Connection) -> None:
        """Rows are others now: ``rows.parquet`` is of an earlier generation."""
        self._set(db, "generation", self._number("generation") + 1)

    def number_of(self, db: sqlite3.Connection, table: str, name: tuple[str, ...]) -> int:
        """The number of a series, sample or origin, made where there is none; within `changing`."""
        known = self._ids.get(name)
        if known is None:
            name = tuple(map(schema.plain, name))
            columns = _NAMED[table]
            where = " AND ".join(f"{column} = ?" for column in columns)
            found = db.execute(f"SELECT id FROM {table} WHERE {where}", name).fetchone()
            rest = {"series": (0,), "samples": (None, None)}.get(table, ())
            known = int(found[0]) if found else self._insert(db, table, (*name, *rest))
            self._ids[name] = known
        return known

    def drop(self, old: Iterable[tuple[RowKey, str]]) -> int:
        """Take out the rows with these keys and fingerprints; how many there were."""
        gone = 0
        old = list(old)
        if not old:
            return 0
        with self.changing() as db:
            for key, fingerprint in old:
                benchmark, sample, editor, scorer, metric, variant, source, repeat = key
                series = self.number_of(
                    db, "series", (benchmark, editor, scorer, metric, variant, source)
                )
                place = (series, self.number_of(db, "samples", (benchmark, sample)), repeat)
                there = db.execute(
                    "DELETE FROM rows WHERE series = ? AND sample = ? AND repeat = ? "
                    "AND fingerprint = ?",
                    (*place, schema.packed(fingerprint)),
                ).rowcount
                if there:
                    self._count(db, series, -1)
                gone += there
            if gone:
                self.rows_changed(db)
        return gone

    def series(self, benchmark: str | None = None) -> list[Series]:
        """The series of a benchmark (or of all), by their names."""
        found = [Series(*record[:-1]) for record in self._records("series")]
        return sorted(
            (one for one in found if benchmark in (None, one.benchmark)), key=lambda one: one[1:7]
        )

    def records(self, series: Series) -> list[RowRecord]:
        """The rows of a series as the table has them, by sample and repeat; those that do not stand
        their checksum are left out and noted.
        """

        def query(db: sqlite3.Connection) -> tuple[int, list[RowRecord]]:
            with contextlib.nullcontext() if db.in_transaction else _reading(db):
                count = db.execute("SELECT rows FROM series WHERE id = ?", (series.id,)).fetchone()
                return count[0] if count else 0, db.execute(
                    f"SELECT {schema.ROW_COLUMNS} FROM rows WHERE series = ? "
                    "ORDER BY sample, repeat",
                    (series.id,),
                ).fetchall()

        with self._lock:
            wanted, found = self._tried(query)
        sound = list(
            {r[1:3]: r for r in found if r[0] == series.id and schema.row_stands(r)}.values()
        )
        if len(sound) != wanted:
            self.note(
                f"{FILE}: {max(1, wanted - len(sound))} rows of {series.editor}, {series.metric} "
                f"({series.variant}) are damaged or gone; {_AGAIN}"
            )
        return sound

    def sample_names(self) -> dict[int, tuple[str, str]]:
        """Number of a sample in `records` -> benchmark and id."""
        return {record[0]: record[1:3] for record in self._records("samples")}

    def origins(self) -> dict[int, str]:
        """Number of an origin in `records` -> JSON."""
        return {record[0]: record[1] for record in self._records("origins")}

    def rows(self, benchmark: str | None = None) -> list[Row]:
        """All rows, ordered by key."""
        names, origins = self.sample_names(), self.origins()
        found = [
            _row(series, names[record[1]][1], record, origins.get(record[8], "{}"))
            for series in self.series(benchmark)
            for record in self.records(series)
            if record[1] in names
        ]
        return sorted(found, key=lambda row: row.key)

    def done(
        self, benchmark: str, scorers: Sequence[str] | None = None
    ) -> dict[RowKey, dict[str, Status]]:
        """What has been scored: row key -> {fingerprint: status}, of one benchmark (and only of
        these scorers).
        """
        known: dict[RowKey, dict[str, Status]] = {}
        wanted = [s for s in self.series(benchmark) if scorers is None or s.scorer in scorers]
        names = self.sample_names() if wanted else {}
        for one in wanted:
            rest = (one.editor, one.scorer, one.metric, cast(Variant, one.variant), one.source)
            for _, sample, repeat, _, status, _, mark, *_ in self.records(one):
                if sample in names:
                    key = (benchmark, names[sample][1], *rest, repeat)
                    known[key] = {schema.unpacked(mark): _STATUS[status]}
        return known

    def reasons(self, benchmark: str) -> list[tuple[str, str, str, int]]:
        """Why outputs have no score: (scorer, status, reason, how many outputs), the commonest
        first; not_applicable left out.
        """
        outputs: dict[tuple[str, str, str], set[tuple[str, int]]] = {}
        for series, record in self._without_score(benchmark):
            told = (series.scorer, record[4], record[5])
            outputs.setdefault(told, set()).add((series.editor, record[1]))
        counted = [(*told, len(which)) for told, which in outputs.items()]
        return sorted(counted, key=lambda one: (-one[3], one[:3]))[:20]

    def _without_score(self, benchmark: str) -> Iterator[tuple[Series, RowRecord]]:
        for series in self.series(benchmark):
            for record in self.read(
                f"SELECT {schema.ROW_COLUMNS} FROM rows WHERE series = ? "
                "AND status NOT IN ('scored', 'not_applicable')",
                series.id,
            ):
                if record[0] == series.id and schema.row_stands(record):
                    yield series, cast(RowRecord, record)

    def samples_by_status(
        self,
        benchmark: str,
        scorers: Iterable[str],
        *,
        among: Iterable[str],
        source: str = "",
        variant: str = "",
    ) -> dict[str, dict[str, int]]:
        """editor -> status -> how many of the samples `among` have a row of these scorers in that
        status. A sample with rows in several counts in each. Rows of whole sets are no samples'.
        `source`: only rows that this judge or engine made; `variant`: only rows of this one.
        """
        wanted, names, kept = set(scorers), self.sample_names(), set(among)
        outputs = {
            (series.editor, record[4], names[record[1]][1])
            for series in self.series(benchmark)
            if series.scorer in wanted and source in ("", series.source)
            if variant in ("", series.variant)
            for record in self.records(series)
            if record[1] in names
        }
        counts: dict[str, dict[str, int]] = {}
        for editor, status, sample in sorted(outputs):
            if sample in kept:
                mine = counts.setdefault(editor, {})
                mine[status] = mine.get(status, 0) + 1
        return counts

    def parquet(self) -> list[Path]:
        """The Parquet file of the rows, brought up to date; an empty list when there are none. It
        stays for as long as this object is open.
        """
        from editgauge.store import snapshot

        with self._lock:
            if not any(one.rows for one in self.series()):
                return []
            generation = self.generation
            if self._parquet is None or self._parquet[0] != generation:
                self._parquet = generation, snapshot.current(self)
            return [self._parquet[1]]

    @property
    def generation(self) -> str:
        """A number that is another one whenever rows have changed."""
        return str(self._number("generation"))

    def scratch(self) -> Path:
        """A temporary folder outside the run, for as long as this object is open."""
        import tempfile

        return Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="editgauge-")))

    # -- edits -------------------------------------------------------------------------------------

    def write_edits(self, records: Iterable[EditRecord]) -> int:
        """Write records of outputs, each in the place of an older one of its sample and editor."""
        records = list(records)
        self.put((), records)
        return len(records)

    def _put_edits(self, db: sqlite3.Connection, edits: Sequence[EditRecord]) -> None:
        new = 0
        for one in edits:
            sample = self.number_of(db, "samples", (one.benchmark, one.sample))
            record = (
                sample, schema.plain(one.editor), one.status.value, one.path,
                one.fingerprint, schema.edit_facts(one),
            )  # fmt: skip
            new += db.execute(
                "SELECT count(*) = 0 FROM edits WHERE sample = ? AND editor = ?", record[:2]
            ).fetchone()[0]
            db.execute(
                "INSERT OR REPLACE INTO edits VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*record, database.mark("edits", *record)),
            )
        if new:
            self._set(db, "count edits", self._number("count edits") + new)

    def edits(self, benchmark: str | None = None) -> list[EditRecord]:
        """The records of outputs, ordered by benchmark, sample and editor. One that is damaged, or
        names a picture outside its room, is left out and named in `problems`.
        """
        records = self._records("edits", "sample, editor")
        names = self.sample_names() if records else {}
        found = []
        for sample, editor, *columns, _ in records:
            if sample not in names or benchmark not in (None, names[sample][0]):
                continue
            one = schema.edit_record(*names[sample], editor, tuple(columns))
            if isinstance(one, str):
                self.note(f"edits: {one}; left out")
            else:
                found.append(one)
        return sorted(found, key=lambda one: (one.benchmark, one.sample, one.editor))

    # -- metrics -----------------------------------------------------------------------------------

    def keep_metrics(self, benchmark: str, metrics: Iterable[Metric]) -> None:
        """Keep what is said about metrics beside their rows, so that a reader needs to guess
        nothing. What is there of the same name is replaced.
        """
        wanted = {one.name: database.json(described.record(one)) for one in metrics}
        there = {
            record[2]: (record[0], record[3])
            for record in self._records("metrics")
            if record[1] == benchmark
        }
        new = {
            name: facts for name, facts in wanted.items() if there.get(name, ("", ""))[1] != facts
        }
        if not new:
            return
        with self.changing() as db:
            for name, facts in new.items():
                if name in there:
                    self._update(db, "metrics", (there[name][0], benchmark, name, facts))
                else:
                    db.execute(
                        "DELETE FROM metrics WHERE benchmark = ? AND metric = ?", (benchmark, name)
                    )
                    self._insert(db, "metrics", (benchmark, name, facts))

    def metrics(self, benchmark: str) -> dict[str, Metric]:
        """The metrics of a benchmark as the commands that wrote rows of them described them."""
        found = {}
        for _, name, metric, facts, _ in self._records("metrics"):
            if name == benchmark:
                try:
                    found[metric] = described.metric(metric, _object(facts))
                except (TypeError, ValueError, OverflowError) as error:
                    self.note(
                        f"the metric {metric!r} of {name} is described in no way that can be "
                        f"read ({error}); left out"
                    )
        return found

    def described_benchmarks(self) -> list[str]:
        """The benchmarks of which `metrics` knows any."""
        return sorted({record[1] for record in self._records("metrics")})

    # -- samples -----------------------------------------------------------------------------------

    def write_samples(self, benchmark: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Keep what a reader needs to know of samples; records of ids that are there already are
        completed. Where all ids are given, their order is that of the benchmark. Raises `RunError`
        for an id that is not text as UTF-8 can hold it.
        """
        given = {paths.plain_text(record["id"], "sample id"): record for record in records}
        paths.plain_name(benchmark)
        with self._lock:
            there = {
                record[2]: record for record in self._records("samples") if record[1] == benchmark
            }
            indexed = [name for name, record in there.items() if record[3] is not None]
            order = list(given) if set(indexed) <= set(given) else _merged_order(there, given)
            new = []
            for place, name in enumerate(order):
                old = there.get(name)
                known = _object(old[4]) if old is not None and old[4] else {}
                facts = database.json(
                    {k: v for k, v in {**known, **given.get(name, {})}.items() if k not in _OWN}
                )
                if old is None or old[3:5] != (place, facts):
                    new.append((name, place, facts))
            if not new:
                return
            with self.changing() as db:
                for name, place, facts in new:
                    number = self.number_of(db, "samples", (benchmark, name))
                    self._update(db, "samples", (number, benchmark, name, place, facts))

    def samples(self, benchmark: str) -> list[dict[str, Any]]:
        """The records of a benchmark's samples in the benchmark's order: see
        `schema.sample_record`. One that is damaged, and a picture outside ``inputs/<benchmark>``,
        are left out and named in `problems`.
        """
        paths.plain_name(benchmark)
        found = []
        for _, name, sample, place, facts, _ in self._records("samples", "place, id"):
            if name != benchmark or place is None:
                continue
            record = {"benchmark": benchmark, "id": sample, **_object(facts)}
            if why := schema.sample_fault(record):
                self.note(f"sample {sample!r}: {why}; left out")
                continue
            for text in schema.clear_places(record, benchmark):
                self.note(f"samples of {benchmark}: {text}; left out")
            found.append(record)
        return found

    def samples_mark(self, benchmark: str) -> str:
        """The hash of a benchmark's index of samples: equal where two runs say the same of them."""
        return schema.digest(
            [
                record[2:5]
                for record in self._records("samples", "place, id")
                if record[1] == benchmark and record[3] is not None
            ]
        )

    def benchmarks(self) -> list[str]:
        """The benchmarks that have samples in this run."""
        found = set()
        for name in {r[1] for r in self._records("samples") if r[3] is not None}:
            try:
                found.add(paths.plain_name(name))
            except RunError as error:
                self.note(f"benchmark {name!a}: {error}; left out")
        return sorted(found)

    # -- pictures ----------------------------------------------------------------------------------

    def picture(self, relative: object, room: str = "") -> Path | None:
        """The file of the run that a record names, or None when it is not there or may not be
        opened (`paths.fault`); then `problems` says so.
        """
        if not relative:
            return None
        why = paths.fault(self.path, relative, room)
        if why is None:
            return self.path / str(relative)
        if why != "not there":
            self.note(f"{str(relative)[:200]}: {why}; left out")
        return None

    def keep(self, file: Path, place: Path | str, hashes: HashStore | None = None) -> Path:
        """Keep a file in the run at `place` (relative): a copy of its own, or a reflink where the
        file system has them, so that nobody changes the run's pictures by changing his.

        What is there already is replaced when it is another file. Returns the path in the run.
        `hashes` learns the hash of a file that is copied, and of its copy.
        Raises `RunError` when it cannot be written, or `file` is no regular file of at most
        `images.MAX_FILE_BYTES`.
        """
        name = place if isinstance(place, str) else place.as_posix()
        target = f"{self.path}{os.sep}{name}"
        if why := paths.misplaced(name):
            raise RunError(f"{self.path.name}: {name!a}: {why}; nothing is kept there")
        if copies.same(file, target):
            return self.path / place
        try:
            with lease.scratch(self.path) as folder:
                mark, found = copies.copy(file, folder / "kept", limit=MAX_FILE_BYTES)
                paths.put(folder / "kept", self.path, name)
            kept = self.path / place
            if hashes is not None:
                hashes.forget(kept)
                if mark is not None:
                    hashes.learn(file, found, mark)
                    hashes.learn(kept, os.lstat(target), mark)
        except OSError as error:
            raise paths.unwritable(Path(target), error) from error
        return kept


def _close_own(process: int, stack: contextlib.ExitStack) -> None:
    if process == os.getpid():  # not in a fork: what is closed there is still ours
        stack.close()


_STATUS = {status.value: status for status in Status}
_OWN = ("id", "benchmark")
_NAMED = {
    "series": ("benchmark", "editor", "scorer", "metric", "variant", "source"),
    "samples": ("benchmark", "sample"),
    "origins": ("facts",),
}
_MENDS = {
    "entries": "what was done then is not known any more",
    "samples": "`editgauge score` writes them again",
    "metrics": "`editgauge score` writes them again",
    "series": "`editgauge score` makes their rows again",
    "origins": "their rows are read without it",
    "edits": "`editgauge edit`, or score --outputs, makes them again",
}


@contextlib.contextmanager
def _reading(db: sqlite3.Connection) -> Iterator[None]:
    """What is read in the `with` block is of one moment."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("COMMIT")


def _row(series: Series, sample: str, record: RowRecord, origin: str) -> Row:
    _, _, repeat, value, status, reason, mark, detail, _, _ = record
    infinite = value == float("inf")
    told = _object(detail) if detail else {}
    return Row(
        benchmark=series.benchmark,
        sample=sample,
        editor=series.editor,
        scorer=series.scorer,
        metric=series.metric,
        variant=cast(Variant, series.variant),
        value=None if infinite else value,
        status=_STATUS[status],
        reason=reason,
        fingerprint=schema.unpacked(mark),
        source=series.source,
        repeat=repeat,
        detail={**told, "infinite": True} if infinite else told,
        origin=_object(origin),
    )


def _merged_order(there: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    known = sorted(
        (name for name, record in there.items() if record[3] is not None),
        key=lambda name: there[name][3],
    )
    return known + [name for name in given if name not in set(known)]


def _object(text: str | None) -> dict[str, Any]:
    """A stored JSON object; {} for what is none (a run may come from anybody)."""
    try:
        return database.parsed(text or "{}")
    except ValueError:
        return {}


def _visible(path: Path) -> Iterator[Path]:
    """What lies in a folder, but for what a command that makes a run there right now has there."""
    return (one for one in path.iterdir() if not one.name.startswith(f".{FILE}."))


def _real(path: Path) -> Path:
    """A run folder's own path, which must be text: databases take no other names. Raises
    `UsageError` for an address.
    """
    address = address_of(path)
    if address is not None:
        raise UsageError(
            f"{address}: this command works on runs of this machine; bring it here with: editgauge "
            f"merge {address} --to RUN"
        )
    path = path.resolve()
    paths.plain_text(str(path), "run folder")
    return path
