"""Rows into `Results`: from the Parquet files of runs, or from `Row` objects."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from editgauge.errors import RunError
from editgauge.store import parquet
from editgauge.store.described import together
from editgauge.store.labels import Samples, mapping
from editgauge.store.variants import Learned, learned
from editgauge.tables.metrics import benchmark_of
from editgauge.tables.models import load
from editgauge.tables.results import (
    SCORED,
    STATUSES,
    WHOLE_SET,
    Cube,
    Delivery,
    Floats,
    Key,
    Results,
    Whole,
)
from editgauge.types import Metric, Row, Status

if TYPE_CHECKING:
    from editgauge.store.run import Run

_CODES = {status.value: code for code, status in enumerate(STATUSES)}
_KIND = "metric, variant, source, scorer, editor, status"


class _Rows(NamedTuple):
    """Rows as arrays of one length: `kind` and `sample` are numbers into `kinds` (key, editor,
    status) and into `names`. `of_sets`: rows of the whole set, with what they say.
    """

    kinds: Sequence[tuple[Key, str, str]]
    names: Sequence[str]
    kind: Any
    sample: Any
    repeat: Any
    value: Floats
    of_sets: Sequence[tuple[Key, str, float, Mapping[str, Any]]]


def of_rows(
    rows: Iterable[Row],
    samples: Iterable[Mapping[str, Any]],
    benchmark: str,
    *,
    described: Mapping[str, Metric] | None = None,
) -> Results:
    """From `Row` objects; rows of other benchmarks are passed over."""
    kinds: dict[tuple[Key, str, str], int] = {}
    names: dict[str, int] = {}
    columns, of_sets = [], []
    for row in rows:
        key = Key(row.metric, row.variant, row.source, row.scorer)
        value = np.nan if row.number is None else row.number
        if row.benchmark != benchmark:
            continue
        if row.sample == WHOLE_SET:
            of_sets.append((key, row.editor, value, row.detail))
        else:
            number = kinds.setdefault((key, row.editor, row.status.value), len(kinds))
            columns.append((number, names.setdefault(row.sample, len(names)), row.repeat, value))
    places = np.array(columns, np.float64).reshape(-1, 4).T
    kind, sample, repeat = (part.astype(np.int64) for part in places[:3])
    stored = _Rows([*kinds], [*names], kind, sample, repeat, places[3], of_sets)
    return _assembled(benchmark, Samples(samples), stored, described=described or {})


def of_runs(runs: Sequence[Run], benchmark: str) -> Results:
    """The rows of one or several runs together (machines, editors).

    Raises `RunError` when rows cannot be read, hold a status that this version does not know, or
    contradict each other.
    """
    files = [path for run in runs for path in run.parquet()]
    deliveries, taught = _edits(runs, benchmark)
    return _assembled(
        benchmark,
        Samples(_samples(runs, benchmark)),
        _fetched(files, benchmark),
        described=together([(run.path.name, run.metrics(benchmark)) for run in runs]),
        models=load([folder for run in runs for folder in (run.path.parent, run.path)]),
        deliveries=deliveries,
        learned=taught,
    )


def _fetched(files: Sequence[Path], benchmark: str) -> _Rows:
    """The rows of Parquet files, their texts as numbers."""
    if not files:
        none = np.zeros(0, np.int64)
        return _Rows([], [], none, none, none, np.zeros(0), [])
    with parquet.database(files) as db:
        rows = f"FROM {parquet.relation(files)} WHERE benchmark = $1 AND sample"
        given = [benchmark, WHOLE_SET]
        for name, columns in (("samples", "sample"), ("kinds", _KIND)):
            every = f"SELECT DISTINCT {columns} {rows} <> $2 ORDER BY ALL"
            numbered = f"SELECT *, row_number() OVER () - 1 AS n FROM ({every})"
            db.execute(f"CREATE TABLE {name} AS {numbered}", given)
        names = [name for (name,) in db.execute("SELECT sample FROM samples ORDER BY n").fetchall()]
        kinds = db.execute(f"SELECT {_KIND} FROM kinds ORDER BY n").fetchall()
        # NaN in place of NULL: masked arrays would have to be loaded, too
        records = db.execute(
            "SELECT kinds.n AS kind, samples.n AS sample, repeat, coalesce(value, 'nan') AS value "
            f"FROM (SELECT * {rows} <> $2) JOIN kinds USING ({_KIND}) JOIN samples USING (sample)",
            given,
        ).fetchnumpy()
        whole = db.execute(f"SELECT {_KIND}, value, detail {rows} = $2", given).fetchall()
    if strange := [kind[5] for kind in (*kinds, *whole) if kind[5] not in _CODES]:
        raise RunError(
            f"{Path(files[0]).name}: status {strange[0]!r} is not known; use the editgauge that "
            f"wrote the run"
        )
    of_sets = [
        (Key(*key), editor, np.inf if given is None else given, mapping(orjson.loads(detail)))
        for *key, editor, status, given, detail in whole
        if status == Status.SCORED.value
    ]
    named = [(Key(*key), editor, status) for *key, editor, status in kinds]
    kind, sample, repeat, value = map(np.asarray, records.values())
    return _Rows(named, names, kind, sample, repeat, value, of_sets)


def _assembled(benchmark: str, samples: Samples, rows: _Rows, **more: Any) -> Results:
    """The results, without the scores that the benchmark's released code drops
    (`types.Benchmark.settled`).
    """
    if strangers := [name for name in rows.names if name not in samples.records]:
        # rows without a sample record: kept, without attributes
        samples = Samples([*samples.records.values(), *({"id": name} for name in strangers)])
    editors = tuple(sorted({kind[1] for kind in rows.kinds} | {one[1] for one in rows.of_sets}))
    results = Results(benchmark, samples, editors, {}, _whole_sets(rows), **more)
    keys = sorted({key for key, _, _ in rows.kinds})
    kinds = [(keys.index(k), editors.index(e), _CODES[status]) for k, e, status in rows.kinds]
    key, editor, status = np.array(kinds, np.int16).reshape(-1, 3).T
    place = {name: number for number, name in enumerate(samples.ids)}
    at = np.array([place[name] for name in rows.names], np.int64)
    spot = (rows.repeat * len(editors) + editor[rows.kind]) * len(samples) + at[rows.sample]
    order = np.argsort(key[rows.kind], kind="stable")  # short numbers: by their digits
    ends = np.searchsorted(key[rows.kind], np.arange(len(keys) + 1), sorter=order)
    cubes = {}
    for number, one in enumerate(keys):
        mine = order[ends[number] : ends[number + 1]]
        cubes[one] = _scattered(results, one, spot[mine], status[rows.kind[mine]], rows.value[mine])
    results = replace(results, cubes=cubes)
    settle = getattr(benchmark_of(benchmark), "settled", None)
    settled: Results = results if settle is None else settle(results)
    return settled


def _scattered(made: Results, key: Key, spot: Any, status: Any, value: Floats) -> Cube:
    """The cube of rows at `spot`, numbers into its cells; a score stands before a failure."""
    size = len(made.editors) * len(made.samples)
    shape = (int(spot.max(initial=0)) // max(size, 1) + 1, len(made.editors), len(made.samples))
    values, kinds = np.full(shape[0] * size, np.nan), np.full(shape[0] * size, -1, np.int8)
    scored = status == SCORED
    kinds[spot[~scored]] = status[~scored]
    spot, value = spot[scored], np.where(np.isnan(value), np.inf, value)[scored]
    kinds[spot], values[spot] = SCORED, value
    for clash in np.flatnonzero(values[spot] != value)[:1]:
        what, cell = f"{key.metric} ({key.variant})", int(spot[clash])
        where = divmod(cell % size, shape[2])
        raise made.contradiction(what, *where, value[clash], values[cell])
    return Cube(values.reshape(shape), kinds.reshape(shape))


def _whole_sets(rows: _Rows) -> dict[Key, dict[str, Whole]]:
    wholes: dict[Key, dict[str, Whole]] = {}
    for key, editor, value, detail in rows.of_sets:
        count, mine = detail.get("samples"), wholes.setdefault(key, {})
        whole = Whole(value, count if isinstance(count, int) else 0)
        if (other := mine.setdefault(editor, whole)).value != value:
            raise RunError(
                f"{editor} has two values of {key.metric}: {other.value:g} and {value:g}; name one "
                f"run, or one source"
            )
    return wholes


def _samples(runs: Sequence[Run], benchmark: str) -> Iterator[Mapping[str, Any]]:
    """The records of the runs' samples; of runs that say the same, to the byte, once."""
    apart: dict[str, Run] = {}
    for run in runs:
        apart.setdefault(run.samples_mark(benchmark) if len(runs) > 1 else "", run)
    for run in apart.values():
        yield from run.samples(benchmark)


def _edits(runs: Sequence[Run], benchmark: str) -> tuple[dict[str, Delivery], dict[str, Learned]]:
    """What the records of edits say: deliveries, where it is known whether the output was given
    back, and variants. One run's records are held at a time.
    """
    counts: dict[str, tuple[set[str], set[str]]] = {}
    settings: dict[tuple[str, int], tuple[str, Mapping[str, Any]]] = {}
    for run in runs:
        for record in run.edits(benchmark):
            if record.settings:  # records that say the same share one object
                key = (record.editor, record.settings)
                settings.setdefault((record.editor, id(record.settings)), key)
            if record.given_back is not None:
                sets = counts.setdefault(record.editor, (set(), set()))
                sets[record.given_back].add(sys.intern(record.sample))
    deliveries = {editor: Delivery(*map(frozenset, sets)) for editor, sets in counts.items()}
    return deliveries, learned(settings.values())
