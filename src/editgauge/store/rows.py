"""The rows of a run: written in transactions, proven when they are read.

Which row counts is its primary key: series, sample and repeat. A row takes the place of one with
another fingerprint, or without a score.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Self, cast

from editgauge.store import records, schema
from editgauge.store.file import FILE, RunFile, put
from editgauge.store.schema import RowKey, RowRecord, Series
from editgauge.types import Row, Status, Variant

Takes = Callable[[RowRecord, RowRecord], bool]
"""Whether the second row takes the place of the first, of one key."""
_AGAIN = "`editgauge score` makes them again"
_STATUS = {status.value: status for status in Status}
_MOST_REASONS = 20
_ONE = "WHERE series = ? AND sample = ? AND repeat = ?"


class RowWriter:
    """Writes rows to a run, and takes rows out that no longer count. A context manager."""

    def __init__(self, run: Rows) -> None:
        self._run = run

    def write(self, rows: Iterable[Row]) -> int:
        """Write rows in one transaction; how many were given."""
        return self._run.put_rows(rows)

    def retire(self, old: Iterable[tuple[RowKey, str]]) -> int:
        """Take out the rows with these keys and fingerprints; how many there were."""
        return self._run.drop(old)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class Rows(RunFile):
    """A run's file with its rows."""

    # -- writing -----------------------------------------------------------------------------------

    def writer(self, label: str = "rows") -> RowWriter:
        return RowWriter(self)

    def put_rows(self, rows: Iterable[Row]) -> int:
        """Write rows in one transaction; how many were given. Of two scores with one fingerprint
        and another value the first stays: `problems` names both values.
        """
        rows = list(rows)
        if not rows:
            return 0
        with self.changing() as db:
            by_series: dict[int, list[RowRecord]] = {}
            for row in rows:
                name = (row.benchmark, row.editor, row.scorer, row.metric, row.variant, row.source)
                series = self._ids.get(name) or self.number_of(db, "series", name)
                of = (row.benchmark, row.sample)
                sample = self._ids.get(of) or self.number_of(db, "samples", of)
                origin = self.number_of(db, "origins", (records.json(dict(row.origin)),))
                record = schema.row_record(row, series, sample, origin)
                by_series.setdefault(series, []).append(record)
            for series, made in by_series.items():
                self.put_records(db, series, made)
            self.rows_changed(db)
        return len(rows)

    def put_records(
        self,
        db: sqlite3.Connection,
        series: int,
        new: Sequence[RowRecord],
        takes: Takes | None = None,
    ) -> tuple[int, int]:
        """Write rows of one series as the table has them, within `changing`; `takes` decides
        whether a row takes the place of one of its key. How many were there, and how many of these
        were replaced.
        """
        holes = ", ".join("?" * len(schema.ROW_COLUMNS.split(", ")))
        made = db.executemany(
            f"INSERT INTO rows VALUES ({holes}) ON CONFLICT(series, sample, repeat) DO NOTHING", new
        ).rowcount
        replaced = 0
        if made < len(new):
            replaced = sum(self._replace(db, record, takes or self._takes) for record in new)
        if made:
            self._count(db, series, made)
        return len(new) - made, replaced

    def _replace(self, db: sqlite3.Connection, new: RowRecord, takes: Takes) -> bool:
        old = db.execute(f"SELECT {schema.ROW_COLUMNS} FROM rows {_ONE}", new[:3]).fetchone()
        if old == new or (schema.row_stands(old) and not takes(old, new)):
            return False
        columns = ", ".join(f"{name} = ?" for name in schema.ROW_COLUMNS.split(", ")[3:])
        db.execute(f"UPDATE rows SET {columns} {_ONE}", (*new[3:], *new[:3]))
        return True

    def _takes(self, old: RowRecord, new: RowRecord) -> bool:
        if old[6] != new[6] or old[4] != "scored":
            return True
        if new[4] == "scored" and old[3] != new[3]:
            named = "SELECT editor, metric, variant FROM series WHERE id = ?"
            editor, metric, variant = self.read(named, old[0])[0]
            sample = self.read("SELECT sample FROM samples WHERE id = ?", old[1])[0][0]
            self.note(
                f"contradiction: {editor} {sample} {metric} ({variant}) was scored twice from the "
                f"same input ({schema.unpacked(old[6])}): {old[3]} and {new[3]}; the first is kept"
            )
        return False

    def _count(self, db: sqlite3.Connection, series: int, more: int) -> None:
        """Bring the number of rows of a series up to date."""
        *named, rows, _ = db.execute("SELECT * FROM series WHERE id = ?", (series,)).fetchone()
        mark = records.mark("series", *named, rows + more)
        db.execute("UPDATE series SET rows = ?, mark = ? WHERE id = ?", (rows + more, mark, series))

    def rows_changed(self, db: sqlite3.Connection) -> None:
        """Rows are others now: ``rows.parquet`` is of an earlier generation."""
        put(db, "facts", ("generation", str(self._number("generation") + 1)))

    def drop(self, old: Iterable[tuple[RowKey, str]]) -> int:
        """Take out the rows with these keys and fingerprints; how many there were."""
        old, gone = list(old), 0
        if not old:
            return 0
        with self.changing() as db:
            for (benchmark, sample, *named, repeat), fingerprint in old:
                series = self.number_of(db, "series", (benchmark, *named))
                place = (series, self.number_of(db, "samples", (benchmark, sample)), repeat)
                there = db.execute(
                    f"DELETE FROM rows {_ONE} AND fingerprint = ?",
                    (*place, schema.packed(fingerprint)),
                ).rowcount
                if there:
                    self._count(db, series, -1)
                gone += there
            if gone:
                self.rows_changed(db)
        return gone

    # -- reading -----------------------------------------------------------------------------------

    def series(self, benchmark: str | None = None) -> list[Series]:
        """The series of a benchmark (or of all), by their names."""
        found = [Series(*record[:-1]) for record in self._records("series")]
        chosen = [one for one in found if benchmark in (None, one.benchmark)]
        return sorted(chosen, key=lambda one: one[1:7])

    def records(self, series: Series) -> list[RowRecord]:
        """The rows of a series as the table has them, by sample and repeat; those that do not stand
        their checksum are left out and noted.
        """

        def query(db: sqlite3.Connection) -> tuple[int, list[RowRecord]]:
            with contextlib.nullcontext() if db.in_transaction else _of_one_moment(db):
                count = db.execute("SELECT rows FROM series WHERE id = ?", (series.id,)).fetchone()
                return count[0] if count else 0, db.execute(
                    f"SELECT {schema.ROW_COLUMNS} FROM rows WHERE series = ? "
                    "ORDER BY sample, repeat",
                    (series.id,),
                ).fetchall()

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
        found = {record[0]: record[1:3] for record in self._records("samples")}
        if len(found) < self._number("count samples"):
            for number, *name, proof in self.read(schema.NAMES):
                if number not in found and proof == schema.proof(number, *name):
                    found[number] = tuple(name)
        return found

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
        query = (
            f"SELECT {schema.ROW_COLUMNS} FROM rows WHERE series = ? "
            "AND status NOT IN ('scored', 'not_applicable')"
        )
        for series in self.series(benchmark):
            for record in self.read(query, series.id):
                if record[0] == series.id and schema.row_stands(record):
                    told = (series.scorer, record[4], record[5])
                    outputs.setdefault(told, set()).add((series.editor, record[1]))
        counted = [(*told, len(which)) for told, which in outputs.items()]
        return sorted(counted, key=lambda one: (-one[3], one[:3]))[:_MOST_REASONS]

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
            if series.scorer in wanted
            and source in ("", series.source)
            and variant in ("", series.variant)
            for record in self.records(series)
            if record[1] in names
        }
        counts: dict[str, dict[str, int]] = {}
        for editor, status, sample in sorted(outputs):
            if sample in kept:
                mine = counts.setdefault(editor, {})
                mine[status] = mine.get(status, 0) + 1
        return counts

    @property
    def generation(self) -> str:
        """A number that is another one whenever rows have changed."""
        return str(self._number("generation"))


@contextlib.contextmanager
def _of_one_moment(db: sqlite3.Connection) -> Iterator[None]:
    """What is read in the `with` block is of one moment."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("COMMIT")


def _row(series: Series, sample: str, record: RowRecord, origin: str) -> Row:
    _, _, repeat, value, status, reason, mark, detail, _, _ = record
    infinite = value == float("inf")
    told = records.known(detail)
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
        origin=records.known(origin),
    )
