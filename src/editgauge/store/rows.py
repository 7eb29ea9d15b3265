"""The rows of a run: written in transactions, proven when they are read.

Which row counts is its primary key: series, sample and repeat. A row takes the place of one with
another fingerprint, or without a score.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import cast

from editgauge.store import records, schema
from editgauge.store.file import FILE, RunFile, put
from editgauge.store.schema import RowKey, RowRecord, Series
from editgauge.types import Row, Status, Variant

Takes = Callable[[RowRecord, RowRecord], bool]
"""Whether the second row takes the place of the first, of one key."""
_STATUS = {status.value: status for status in Status}
_MOST_REASONS = 20
_PLACE = itemgetter(1, 2)
_ONE = "WHERE series = ? AND sample = ? AND repeat = ?"
_OF_SERIES = f"SELECT {schema.ROW_COLUMNS} FROM rows WHERE series = ? ORDER BY sample, repeat"
_HOLES = ", ".join("?" * len(schema.ROW_COLUMNS.split(", ")))


class Rows(RunFile):
    """A run's file with its rows."""

    # -- writing -----------------------------------------------------------------------------------

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
                facts = records.json(dict(row.origin)) if row.origin else "{}"
                origin = self.number_of(db, "origins", (facts,))
                record = schema.row_record(row, series, sample, origin)
                by_series.setdefault(series, []).append(record)
            for series, made in by_series.items():
                self.put_records(db, series, made)
            self.rows_changed()
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
        told = f"INSERT INTO rows VALUES ({_HOLES}) ON CONFLICT(series, sample, repeat) DO NOTHING"
        made, replaced = db.executemany(told, new).rowcount, 0
        if made < len(new):
            replaced = sum(self._replace(db, record, takes or self._takes) for record in new)
        self._count(db, series, made)
        return len(new) - made, replaced

    def _replace(self, db: sqlite3.Connection, new: RowRecord, takes: Takes) -> bool:
        old = db.execute(f"SELECT {schema.ROW_COLUMNS} FROM rows {_ONE}", new[:3]).fetchone()
        if old == new or (schema.row_stands(old) and not takes(old, new)):
            return False
        db.execute(f"INSERT OR REPLACE INTO rows VALUES ({_HOLES})", new)
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
        if more:
            *named, rows, _ = db.execute("SELECT * FROM series WHERE id = ?", (series,)).fetchone()
            put(db, "series", (*named, rows + more))

    def rows_changed(self) -> None:
        """Rows are others now: ``rows.parquet`` is of an earlier generation."""
        self.set_fact("generation", self._number("generation") + 1)

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
                self._count(db, series, -there)
                gone += there
            if gone:
                self.rows_changed()
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
                return count[0] if count else 0, db.execute(_OF_SERIES, (series.id,)).fetchall()

        wanted, found = self._tried(query)
        sound = [one for one in found if one[0] == series.id and schema.row_stands(one)]
        if len(set(map(_PLACE, sound))) != len(sound):  # a page that is there twice
            sound = list({_PLACE(one): one for one in sound}.values())
        if len(sound) != wanted:
            self.note(
                f"{FILE}: {max(1, wanted - len(sound))} rows of {series.editor}, {series.metric} "
                f"({series.variant}) are damaged or gone; `editgauge score` makes them again"
            )
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
        return {record[0]: record[1:3] for record in self._records("samples")}

    def origins(self) -> dict[int, str]:
        """Number of an origin in `records` -> JSON."""
        return {record[0]: record[1] for record in self._records("origins")}

    def rows(self, benchmark: str | None = None) -> list[Row]:
        """All rows, ordered by key."""
        origins = self.origins()
        found = [
            _row(series, sample, record, origins.get(record[8], "{}"))
            for series, sample, record in self._each(self.series(benchmark))
        ]
        return sorted(found, key=lambda row: row.key)

    def done(
        self, benchmark: str, scorers: Sequence[str] | None = None
    ) -> dict[RowKey, dict[str, Status]]:
        """What has been scored: row key -> {fingerprint: status}, of one benchmark (and only of
        these scorers).
        """
        wanted = [s for s in self.series(benchmark) if scorers is None or s.scorer in scorers]
        return {
            (benchmark, sample, *one[2:7], record[2]): {
                schema.unpacked(record[6]): _STATUS[record[4]]
            }
            for one, sample, record in self._each(wanted)
        }

    def reasons(self, benchmark: str) -> list[tuple[str, str, str, int]]:
        """Why outputs have no score: (scorer, status, reason, how many outputs), the commonest
        first; not_applicable left out.
        """
        outputs = {
            (series.scorer, record[4], record[5], series.editor, sample)
            for series, sample, record in self._each(self.series(benchmark))
            if record[4] not in ("scored", "not_applicable")
        }
        counted = Counter(one[:3] for one in outputs)
        found = [(*told, count) for told, count in counted.items()]
        return sorted(found, key=lambda one: (-one[3], one[:3]))[:_MOST_REASONS]

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
        wanted, kept = set(scorers), set(among)
        chosen = [
            one
            for one in self.series(benchmark)
            if one.scorer in wanted and source in ("", one.source) and variant in ("", one.variant)
        ]
        outputs = {(one.editor, record[4], sample) for one, sample, record in self._each(chosen)}
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
