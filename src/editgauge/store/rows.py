"""The rows of a run: written in transactions, proven when they are read. A row takes the place of
one of its key with another fingerprint, or without a score.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from editgauge.store import schema
from editgauge.store.file import RunFile
from editgauge.store.schema import Record, RowKey, Series
from editgauge.types import JsonObject, Row, Status

UNKNOWN = "have a status that this version does not know"
"What is said of rows that a newer version has written."
Takes = Callable[[Record, Record], bool]
"""Whether the second row takes the place of the first, of one key."""
_series_of = attrgetter(*Series._fields)
_ONE = "WHERE series = ? AND sample = ? AND repeat = ?"
_INTO = f"INTO rows VALUES ({', '.join('?' * 10)})"
_DROP = """DELETE FROM rows WHERE (series, sample, repeat) = (SELECT s.id, n.id, ? FROM series s
    JOIN samples n ON n.benchmark = s.benchmark WHERE (s.benchmark, n.sample, editor, scorer,
    metric, variant, source) = (?, ?, ?, ?, ?, ?, ?)) AND fingerprint = ?"""
_NAMED = "rows r JOIN series s ON s.id = r.series JOIN samples n ON n.id = r.sample"
_OF = f"""{_NAMED} WHERE s.benchmark = ? AND scorer IN (SELECT value FROM json_each(?))
    AND n.sample IN (SELECT value FROM json_each(?))
    AND ? IN ('', source) AND ? IN ('', variant)"""


class Rows(RunFile):
    """A run's file with its rows."""

    def put_rows(self, rows: Iterable[Row]) -> int:
        """Write rows in one transaction; how many were given. Of two scores with one fingerprint
        the first stays: `problems` names both values where they differ.
        """
        with self.changing() as db:
            records = [self._record(db, row) for row in rows]
            if records:
                self.put_records(db, records)
        return len(records)

    def _record(self, db: sqlite3.Connection, row: Row) -> Record:
        series = self.number_of(db, "series", _series_of(row))
        sample = self.number_of(db, "samples", (row.benchmark, row.sample))
        facts = schema.json(dict(row.origin)) if row.origin else "{}"
        return schema.row_record(row, series, sample, self.number_of(db, "origins", (facts,)))

    def put_records(
        self, db: sqlite3.Connection, new: Sequence[Record], takes: Takes | None = None
    ) -> tuple[int, int]:
        """Write rows as the table has them, within `changing`; `takes` decides whether a row takes
        the place of one of its key. How many were there, and how many of these were replaced.
        """
        statement = f"INSERT {_INTO} ON CONFLICT(series, sample, repeat) DO NOTHING"
        there, replaced = len(new) - db.executemany(statement, new).rowcount, 0
        for record in new if there else ():
            old = db.execute(f"SELECT * FROM rows {_ONE}", record[:3]).fetchone()
            if old != record and (takes or self._takes)(old, record):
                db.execute(f"INSERT OR REPLACE {_INTO}", record)
                replaced += 1
        self.set_fact("generation", str(int(self.generation) + 1))
        return there, replaced

    def _takes(self, old: Record, new: Record) -> bool:
        if old[6] != new[6] or old[4] != "scored":
            return True
        if new[4] == "scored" and old[3] != new[3]:
            query = f"""SELECT editor, n.sample, metric, variant FROM {_NAMED}
                WHERE (r.series, r.sample, r.repeat) = (?, ?, ?)"""
            editor, sample, metric, variant = self.read(query, *old[:3])[0]
            self.note(
                f"contradiction: {editor} {sample} {metric} ({variant}) was scored twice from the "
                f"same input ({schema.unpacked(old[6])}): {old[3]} and {new[3]}; the first is kept"
            )
        return False

    def drop(self, old: Iterable[tuple[RowKey, str]]) -> int:
        """Take out the rows with these keys and fingerprints; how many there were."""
        gone = [(key[7], *key[:7], schema.packed(mark)) for key, mark in old]
        with self.changing() as db:
            number = db.executemany(_DROP, gone).rowcount if gone else 0
            if number:
                self.put_records(db, ())
        return number

    # -- reading -----------------------------------------------------------------------------------

    @property
    def generation(self) -> str:
        """A number that is another one whenever rows have changed."""
        return self.fact("generation") or "0"

    def series(self, benchmark: str | None = None) -> dict[Series, int]:
        """The series of a benchmark (or of all), and the number of each in `records`."""
        every = sorted((Series(*one[1:7]), one[0]) for one in self.proven("series"))
        return {series: n for series, n in every if benchmark in (None, series.benchmark)}

    def records(self, number: int) -> list[Record]:
        """Return the rows of a series as the table has them, by sample and repeat. Rows of a status
        that nobody knows are left out and named in `problems`: a newer version may have written it.
        """
        every = self.proven("rows", number)
        known = [record for record in every if record[4] in schema.STATUS]
        if len(known) < len(every):
            strange = sorted({str(record[4])[:40] for record in every} - schema.STATUS.keys())
            self.note(
                f"{len(every) - len(known)} rows of series {number} {UNKNOWN}: "
                f"{', '.join(map(repr, strange[:3]))}; left out"
            )
        return known

    def _each(self, series: Mapping[Series, int]) -> Iterator[tuple[Series, str, Record]]:
        """The rows of these series, with the id of their sample."""
        names = self.sample_names()
        for one, number in series.items():
            yield from ((one, names[r[1]][1], r) for r in self.records(number) if r[1] in names)

    def lost_rows(self) -> int:
        """Return how many rows a damage has cost that no command has made again (`salvage`)."""
        had = schema.known(self.fact("lost"))
        numbers = {part: one for part, one in had.items() if isinstance(one, int)}
        before = numbers.pop("all", 0)
        if not numbers:
            return 0
        (now,) = self.read("SELECT count(*) FROM rows")[0]
        missing = max(0, before - int(now))
        known, lost, of_lost_series = {str(n) for n in self.series().values()}, 0, 0
        for part, number in numbers.items():
            if part in known:
                counts = self.read(schema.COUNTS, "rows", int(part))
                there = int(counts[0][0]) if counts else 0
                lost += max(0, number - there)
            else:  # made again, it is another series
                of_lost_series += number
        return lost + min(of_lost_series, max(0, missing - lost))

    def sample_names(self) -> dict[int, tuple[str, str]]:
        """Number of a sample in `records` -> benchmark and id."""
        return {record[0]: record[1:3] for record in self.proven("samples")}

    def origins(self) -> dict[int, str]:
        """Number of an origin in `records` -> JSON."""
        return {record[0]: record[1] for record in self.proven("origins")}

    def rows(self, benchmark: str | None = None) -> list[Row]:
        """All rows, ordered by key."""
        origins = {number: schema.known(text) for number, text in self.origins().items()}
        every = self._each(self.series(benchmark))
        return sorted((_row(*one, origins) for one in every), key=lambda row: row.key)

    def done(
        self, benchmark: str, scorers: Sequence[str] | None = None
    ) -> dict[RowKey, dict[str, Status]]:
        """What has been scored (by these scorers): row key -> {fingerprint: status}."""
        every = self.series(benchmark).items()
        wanted = {one: n for one, n in every if scorers is None or one.scorer in scorers}
        return {
            (benchmark, name, *one[1:], r[2]): {schema.unpacked(r[6]): schema.STATUS[r[4]]}
            for one, name, r in self._each(wanted)
        }

    def reasons(
        self,
        benchmark: str,
        scorers: Iterable[str],
        editors: Iterable[str],
        *,
        among: Iterable[str],
        source: str = "",
        variant: str = "",
        every: bool = False,
    ) -> list[tuple[Any, ...]]:
        """Why outputs of these editors for the samples `among` have no score of these scorers (and
        of this source and variant): (scorer, status, reason, how many outputs), the commonest
        first; not_applicable only of `every` status.
        """
        query = f"""SELECT scorer, status, reason, count(DISTINCT s.editor || ' ' || r.sample) AS n
            FROM {_OF} AND status <> 'scored' AND (? OR status <> 'not_applicable')
            AND s.editor IN (SELECT value FROM json_each(?))
            GROUP BY 1, 2, 3 ORDER BY n DESC, 1, 2, 3 LIMIT 20"""
        named = (schema.json([*scorers]), schema.json([*among]), source, variant)
        return self.read(query, benchmark, *named, every, schema.json([*editors]))

    def samples_by_status(
        self,
        benchmark: str,
        scorers: Iterable[str],
        *,
        among: Iterable[str],
        source: str = "",
        variant: str = "",
    ) -> dict[str, dict[str, int]]:
        """editor -> status -> how many of the samples `among` have a row of these scorers (and of
        this source and variant) in that status. A sample with rows in several counts in each.
        """
        query = f"SELECT editor, status, count(DISTINCT n.sample) FROM {_OF} GROUP BY 1, 2"
        named = (schema.json([*scorers]), schema.json([*among]), source, variant)
        counts: dict[str, dict[str, int]] = {}
        for editor, status, number in self.read(query, benchmark, *named):
            counts.setdefault(editor, {})[status] = number
        return counts


def _row(series: Series, sample: str, record: Record, origins: dict[int, JsonObject]) -> Row:
    _, _, repeat, value, status, reason, mark, detail, origin, _ = record
    infinite = {"infinite": True} if value == math.inf else {}
    return Row(
        **series._asdict(),
        sample=sample,
        value=None if infinite else value,
        status=schema.STATUS[status],
        reason=reason,
        fingerprint=schema.unpacked(mark),
        repeat=repeat,
        detail={**schema.known(detail), **infinite},
        origin=origins.get(origin, {}),
    )
