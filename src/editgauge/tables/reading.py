"""Rows into `Results`, from the Parquet files of runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
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
from editgauge.types import DECLARED_TEMPERATURE, JsonMapping, Status

if TYPE_CHECKING:
    from editgauge.store.run import Run

_CODES = {status.value: code for code, status in enumerate(STATUSES)}
_KIND = "metric, variant, source, scorer, editor, status"


def of_runs(runs: Sequence[Run], benchmark: str) -> Results:
    """The rows of one or several runs together (machines, editors), without the scores that the
    benchmark's released code drops (`types.Benchmark.settled`).

    Raises `RunError` when rows cannot be read or contradict each other.
    """
    rows = _fetched([path for run in runs for path in run.parquet()], benchmark)
    samples = Samples(record for run in runs for record in run.samples(benchmark))
    if strangers := [name for name in rows.names if name not in samples.records]:
        # rows without a sample record: kept, without attributes
        samples = Samples([*samples.records.values(), *({"id": name} for name in strangers)])
    deliveries, taught = _edits(runs, benchmark)
    results = Results(
        benchmark,
        samples,
        tuple(sorted({kind[4] for kind in (*rows.kinds, *rows.of_sets)})),
        {},
        _whole_sets(rows),
        described=together([(run.path.name, run.metrics(benchmark)) for run in runs]),
        models=load([folder for run in runs for folder in (run.path.parent, run.path)]),
        deliveries=deliveries,
        learned=taught,
        own_temperature=rows.own_temperature,
    )
    results = replace(results, cubes=_cubes(results, rows))
    settle = getattr(benchmark_of(benchmark), "settled", None)
    settled: Results = results if settle is None else settle(results)
    return settled


class _Rows(NamedTuple):
    """Arrays of one length; `kind`, `sample`: numbers into `kinds`, `names`; `of_sets`: whole."""

    kinds: Sequence[tuple[str, ...]] = ()
    names: Sequence[str] = ()
    of_sets: Sequence[tuple[Any, ...]] = ()
    kind: Any = ()
    sample: Any = ()
    repeat: Any = ()
    value: Any = ()
    own_temperature: Mapping[str, float] = MappingProxyType({})


def _own_temperature(origins: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Return the judges (sources) that were asked without the declared temperature -> that one.
    `origins` are sources and their rows' origins as JSON.
    """
    declared: dict[str, float] = {}
    for source, origin in origins:
        value = mapping(orjson.loads(origin)).get(DECLARED_TEMPERATURE)
        if isinstance(value, int | float):
            declared[source] = value
    return declared


def _fetched(files: Sequence[Path], benchmark: str) -> _Rows:
    if not files:
        return _Rows()
    with parquet.database() as db:
        known = ", ".join(f"'{status}'" for status in _CODES)  # a newer version may have others
        rows = (
            f"FROM {parquet.relation(files)} WHERE status IN ({known}) AND benchmark = $1 "
            "AND sample"
        )
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
        origins = db.execute(
            f"SELECT DISTINCT source, origin {rows} <> $2 AND contains(origin, $3)",
            [*given, DECLARED_TEMPERATURE],
        ).fetchall()
    own_temperature = _own_temperature(origins)
    arrays = {name: np.asarray(column) for name, column in records.items()}
    return _Rows(kinds, names, whole, **arrays, own_temperature=own_temperature)


def _cubes(results: Results, rows: _Rows) -> dict[Key, Cube]:
    if not rows.kinds:
        return {}
    keys = sorted({Key(*kind[:4]) for kind in rows.kinds})
    kinds = [
        (keys.index(Key(*kind[:4])), results.editors.index(kind[4]), _CODES[kind[5]])
        for kind in rows.kinds
    ]
    key, editor, status = np.array(kinds, np.int16)[rows.kind].T
    place = {name: number for number, name in enumerate(results.samples.ids)}
    sample = np.array([place[name] for name in rows.names])[rows.sample]
    spot = (rows.repeat * len(results.editors) + editor) * len(results.samples) + sample
    order = np.argsort(key, kind="stable")  # short numbers: by their digits
    ends = np.searchsorted(key, np.arange(len(keys) + 1), sorter=order)
    parts = (order[first:last] for first, last in pairwise(ends))
    return {
        one: _scattered(results, one, spot[mine], status[mine], rows.value[mine])
        for one, mine in zip(keys, parts, strict=True)
    }


def _scattered(results: Results, key: Key, spot: Any, status: Any, value: Floats) -> Cube:
    """The cube of rows at `spot`, numbers into its cells; a score stands before a failure."""
    size = len(results.editors) * len(results.samples)
    shape = (int(spot.max()) // size + 1, len(results.editors), len(results.samples))
    values, kinds = np.full(np.prod(shape), np.nan), np.full(np.prod(shape), -1, np.int8)
    scored = status == SCORED
    kinds[spot[~scored]] = status[~scored]
    spot, value = spot[scored], np.where(np.isnan(value), np.inf, value)[scored]
    kinds[spot], values[spot] = SCORED, value
    for clash in np.flatnonzero(values[spot] != value)[:1]:
        what, cell = f"{key.metric} ({key.variant})", int(spot[clash])
        where = divmod(cell % size, shape[2])
        raise results.contradiction(what, *where, value[clash], values[cell])
    return Cube(values.reshape(shape), kinds.reshape(shape))


def _whole_sets(rows: _Rows) -> dict[Key, dict[str, Whole]]:
    wholes: dict[Key, dict[str, Whole]] = {}
    for *key, editor, status, value, detail in rows.of_sets:
        if status == Status.SCORED.value:
            count = mapping(orjson.loads(detail)).get("samples")
            samples = count if isinstance(count, int) else 0
            whole = Whole(np.inf if value is None else value, samples)
            other = wholes.setdefault(Key(*key), {}).setdefault(editor, whole)
            if other.value != whole.value:
                raise RunError(
                    f"{editor} has two values of {key[0]}: {other.value:g} and {whole.value:g}; "
                    f"name one run, or one source"
                )
    return wholes


def _edits(runs: Sequence[Run], benchmark: str) -> tuple[dict[str, Delivery], dict[str, Learned]]:
    """Deliveries and variants by the edits' records; one run's records are held at a time."""
    counts: dict[str, tuple[set[str], set[str]]] = {}
    settings: dict[tuple[str, int], tuple[str, JsonMapping]] = {}
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
