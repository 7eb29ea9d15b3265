"""The rows of a run: written in transactions, proven when they are read. A row takes the place of
one of its key with another fingerprint, or without a score.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

from editgauge.store import schema, sqlite
from editgauge.store.file import FILE, RunFile
from editgauge.store.schema import RowKey, RowRecord, Series
from editgauge.types import Row, Status, Variant

Takes = Callable[[RowRecord, RowRecord], bool]
"""Whether the second row takes the place of the first, of one key."""
_STATUS = {status.value: status for status in Status}
_ONE = "WHERE series = ? AND sample = ? AND repeat = ?"
_INTO = f"INTO rows VALUES ({', '.join('?' * 10)})"
_OF_BOTH = "WHERE s.id = ? AND n.id = ?"
_NAMED = "rows r JOIN series s ON s.id = r.series JOIN samples n ON n.id = r.sample"


class Rows(RunFile):
    """A run's file with its rows."""

    def put_rows(self, rows: Iterable[Row]) -> int:
        """Write rows in one transaction; how many were given. Of two scores with one fingerprint
        and another value the first stays: `problems` names both values.
        """
        with self.changing() as db:
            records = [self._record(db, row) for row in rows]
            if records:
                self.put_records(db, records)
        return len(records)

    def _record(self, db: sqlite3.Connection, row: Row) -> RowRecord:
        name = (row.benchmark, row.editor, row.scorer, row.metric, row.variant, row.source)
        series = self.number_of(db, "series", name)
        sample = self.number_of(db, "samples", (row.benchmark, row.sample))
        origin = self.number_of(db, "origins", (schema.json(dict(row.origin)),))
        return schema.row_record(row, series, sample, origin)

    def put_records(
        self, db: sqlite3.Connection, new: Sequence[RowRecord], takes: Takes | None = None
    ) -> tuple[int, int]:
        """Write rows as the table has them, within `changing`; `takes` decides whether a row takes
        the place of one of its key. How many were there, and how many of these were replaced.
        """
        statement = f"INSERT {_INTO} ON CONFLICT(series, sample, repeat) DO NOTHING"
        there, replaced = len(new) - db.executemany(statement, new).rowcount, 0
        for record in new if there else ():
            old = db.execute(f"SELECT * FROM rows {_ONE}", record[:3]).fetchone()
            if old != record and (not _stands(old) or (takes or self._takes)(old, record)):
                db.execute(f"INSERT OR REPLACE {_INTO}", record)
                replaced += 1
        self.rows_changed()
        return there, replaced

    def _takes(self, old: RowRecord, new: RowRecord) -> bool:
        if old[6] != new[6] or old[4] != "scored":
            return True
        if new[4] == "scored" and old[3] != new[3]:
            query = f"SELECT editor, n.sample, metric, variant FROM {_NAMED} {_OF_BOTH}"
            editor, sample, metric, variant = self.read(query, *old[:2])[0]
            self.note(
                f"contradiction: {editor} {sample} {metric} ({variant}) was scored twice from the "
                f"same input ({schema.unpacked(old[6])}): {old[3]} and {new[3]}; the first is kept"
            )
        return False

    def rows_changed(self) -> None:
        """Rows are others now: ``rows.parquet`` is of an earlier generation."""
        self.set_fact("generation", str(int(self.generation) + 1))

    def drop(self, old: Iterable[tuple[RowKey, str]]) -> int:
        """Take out the rows with these keys and fingerprints; how many there were."""
        gone = 0
        with self.changing() as db:
            for (benchmark, sample, *named, repeat), fingerprint in old:
                series = self.number_of(db, "series", (benchmark, *named))
                place = (series, self.number_of(db, "samples", (benchmark, sample)), repeat)
                statement = f"DELETE FROM rows {_ONE} AND fingerprint = ?"
                gone += db.execute(statement, (*place, schema.packed(fingerprint))).rowcount
            if gone:
                self.rows_changed()
        return gone

    # -- reading -----------------------------------------------------------------------------------

    @property
    def generation(self) -> str:
        """A number that is another one whenever rows have changed."""
        text = self.fact("generation")
        return text if text.isdecimal() else "0"

    def series(self, benchmark: str | None = None) -> list[Series]:
        """The series of a benchmark (or of all), by their names."""
        series = [Series(*record[:-1]) for record in self.small("series")]
        chosen = [one for one in series if benchmark in (None, one.benchmark)]
        return sorted(chosen, key=lambda one: one[1:])

    def records(self, series: Series) -> list[RowRecord]:
        """The rows of a series as the table has them, by sample and repeat; those that do not stand
        their checksum are left out and noted.
        """
        query = f"SELECT * FROM rows WHERE series = {series.id:d} ORDER BY sample, repeat"
        known, whole = self.counted("rows", query, series.id)
        sound = [one for one in known if one[0] == series.id and _stands(one)]
        rows = f"rows of {series.editor}, {series.metric} ({series.variant})"
        if lost := len(known) - len(sound):
            message = f"{lost} {rows} are damaged or gone; `editgauge score` makes them again"
            self.note(f"{FILE}: {message}")
        elif not whole:
            message = f"the {rows} are not those that were written; left out; {sqlite.MEND}"
            self.note(f"{FILE}: {message}")
            return []
        return sound

    def _each(self, every: Iterable[Series]) -> Iterator[tuple[Series, str, RowRecord]]:
        """The rows of these series, with the id of their sample."""
        names = self.sample_names()
        for series in every:
            for record in self.records(series):
                if record[1] in names:
                    yield series, names[record[1]][1], record

    def sample_names(self) -> dict[int, tuple[str, str]]:
        """Number of a sample in `records` -> benchmark and id."""
        return {record[0]: record[1:3] for record in self.small("samples")}

    def origins(self) -> dict[int, str]:
        """Number of an origin in `records` -> JSON."""
        return {record[0]: record[1] for record in self.small("origins")}

    def rows(self, benchmark: str | None = None) -> list[Row]:
        """All rows, ordered by key."""
        origins = {number: schema.known(text) for number, text in self.origins().items()}
        rows = [
            _row(series, sample, record, origins.get(record[8], {}))
            for series, sample, record in self._each(self.series(benchmark))
        ]
        return sorted(rows, key=lambda row: row.key)

    def done(
        self, benchmark: str, scorers: Sequence[str] | None = None
    ) -> dict[RowKey, dict[str, Status]]:
        """What has been scored: row key -> {fingerprint: status}, of one benchmark (and only of
        these scorers).
        """
        wanted = [s for s in self.series(benchmark) if scorers is None or s.scorer in scorers]
        return {
            (benchmark, sample, *one[2:], record[2]): {
                schema.unpacked(record[6]): _STATUS[record[4]]
            }
            for one, sample, record in self._each(wanted)
        }

    def reasons(self, benchmark: str) -> list[tuple[Any, ...]]:
        """Why outputs have no score: (scorer, status, reason, how many outputs), the commonest
        first; not_applicable left out.
        """
        query = f"""SELECT scorer, status, reason, count(DISTINCT s.editor || ' ' || r.sample) AS n
            FROM {_NAMED} WHERE s.benchmark = ? AND status NOT IN ('scored', 'not_applicable')
            GROUP BY 1, 2, 3 ORDER BY n DESC, 1, 2, 3 LIMIT 20"""
        return self.read(query, benchmark)

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
        status. A sample with rows in several counts in each. `source`: only rows that this judge or
        engine made; `variant`: only rows of this one.
        """
        query = f"""SELECT DISTINCT editor, status, n.sample, scorer FROM {_NAMED}
            WHERE s.benchmark = ? AND ? IN ('', source) AND ? IN ('', variant) ORDER BY 1, 2"""
        wanted, kept, counts = set(scorers), set(among), dict[str, dict[str, int]]()
        outputs = {r[:3]: 0 for r in self.read(query, benchmark, source, variant) if r[3] in wanted}
        for editor, status, sample in outputs:
            if sample in kept:
                mine = counts.setdefault(editor, {})
                mine[status] = mine.get(status, 0) + 1
        return counts


def _stands(record: RowRecord) -> bool:
    return schema.mark(*record[:9]) == record[9] and record[4] in _STATUS


def _row(series: Series, sample: str, record: RowRecord, origin: dict[str, object]) -> Row:
    _, _, repeat, value, status, reason, mark, detail, _, _ = record
    infinite = {"infinite": True} if value == float("inf") else {}
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
        detail={**schema.known(detail), **infinite},
        origin=origin,
    )
