"""Rows into `Results`: from the Parquet files of runs, or from `Row` objects."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from editgauge import catalog
from editgauge.errors import RunError, UnknownName
from editgauge.store import parquet
from editgauge.store.described import together
from editgauge.store.labels import Samples, mapping
from editgauge.store.variants import Learned, learned
from editgauge.tables.models import load
from editgauge.tables.results import (
    SCORED,
    STATUSES,
    WHOLE_SET,
    Codes,
    Cube,
    Delivery,
    Floats,
    Key,
    Results,
    Whole,
)
from editgauge.types import Benchmark, Metric, Row, Status

if TYPE_CHECKING:
    from editgauge.store.run import Run


class _Rows(NamedTuple):
    """Rows as arrays of one length: numbers into `keys`, and into the names of samples and
    editors.
    """

    keys: Sequence[Key]
    sample_names: Sequence[str]
    editors: Sequence[str]
    key: NDArray[Any]
    sample: NDArray[Any]
    editor: NDArray[Any]
    repeat: NDArray[Any]
    status: Codes
    value: Floats


_OfSet = tuple[Key, str, float, Mapping[str, Any]]
"""A row of a whole set: key, editor, value, detail."""


def of_rows(
    rows: Iterable[Row],
    samples: Iterable[Mapping[str, Any]],
    benchmark: str,
    *,
    described: Mapping[str, Metric] | None = None,
) -> Results:
    """From `Row` objects; rows of other benchmarks are passed over."""
    kept = [row for row in rows if row.benchmark == benchmark]
    single = [row for row in kept if row.sample != WHOLE_SET]
    of_sets = [
        (_key(row), row.editor, np.nan if row.number is None else row.number, row.detail)
        for row in kept
        if row.sample == WHOLE_SET
    ]
    keys = sorted({_key(row) for row in single})
    names = sorted({row.sample for row in single})
    editors = sorted({row.editor for row in kept})
    made = _Rows(
        keys=keys,
        sample_names=names,
        editors=editors,
        key=_numbers(keys, [_key(row) for row in single]),
        sample=_numbers(names, [row.sample for row in single]),
        editor=_numbers(editors, [row.editor for row in single]),
        repeat=np.array([row.repeat for row in single], np.int64),
        status=np.array([STATUSES.index(row.status) for row in single], np.int8),
        value=np.array([np.nan if row.number is None else row.number for row in single]),
    )
    return replace(_assembled(benchmark, samples, made, of_sets), described=described or {})


def _numbers(names: Sequence[Any], given: Sequence[Any]) -> NDArray[np.int64]:
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[one] for one in given], np.int64)


def _key(row: Row) -> Key:
    return Key(row.metric, row.variant, row.source, row.scorer)


def of_runs(runs: Sequence[Run], benchmark: str) -> Results:
    """The rows of one or several runs together (machines, editors).

    Raises `RunError` when rows cannot be read, hold a status that this version does not know, or
    contradict each other.
    """
    files = [path for run in runs for path in run.parquet()]
    rows, of_sets = _fetched(files, benchmark)
    made = _assembled(benchmark, _samples(runs, benchmark), rows, of_sets)
    told = [(run.path.name, run.metrics(benchmark)) for run in runs]
    deliveries, taught = _edits(runs, benchmark)
    read = replace(
        made,
        described=together(told),
        models=load([folder for run in runs for folder in (run.path.parent, run.path)]),
        deliveries=deliveries,
        learned=taught,
    )
    return settled(read)


def settled(results: Results) -> Results:
    """The results without the scores that the benchmark's released code drops: see
    `types.Benchmark.settled`.
    """
    try:
        benchmark: Benchmark = catalog.find("benchmarks", results.benchmark)
    except UnknownName:  # rows of a benchmark that is not installed here
        return results
    own: Results = results if benchmark.settled is None else benchmark.settled(results)
    return own


_NAMES = ("sample", "editor", "metric", "variant", "source", "scorer", "status")


def _fetched(files: Sequence[parquet.Place], benchmark: str) -> tuple[_Rows, list[_OfSet]]:
    """The rows of Parquet files. Texts become numbers in DuckDB, in the files' own dictionaries."""
    if not files:
        none = np.zeros(0, np.int64)
        empty = np.zeros(0, np.int8), np.zeros(0)
        return _Rows([], [], [], none, none, none, none, *empty), []
    where = f"FROM {parquet.relation(files)} WHERE benchmark = ?"
    with parquet.database(files) as db:
        names: dict[str, list[str]] = {}
        for name in _NAMES:
            found = db.execute(f"SELECT DISTINCT {name} {where} ORDER BY 1", [benchmark]).fetchall()
            names[name] = [text for (text,) in found] or [""]
            listed = ", ".join(f"'{text.replace(chr(39), chr(39) * 2)}'" for text in names[name])
            db.execute(f"CREATE TYPE e_{name} AS ENUM ({listed})")
        code = {name: f"enum_code(CAST({name} AS e_{name}))" for name in _NAMES}
        sizes = [len(names[name]) for name in Key._fields]
        key = "0"
        for name, size in zip(Key._fields, sizes, strict=True):
            key = f"({key}) * {size} + {code[name]}::INTEGER"
        of_sets = db.execute(
            "SELECT metric, variant, source, scorer, editor, status, value, detail "
            f"{where} AND sample = ?", [benchmark, WHOLE_SET],
        ).fetchall()  # fmt: skip
        columns = db.execute(
            f"SELECT {key} AS key, {code['sample']} AS sample, {code['editor']} AS editor, repeat, "
            f"{code['status']} AS status, value {where} AND sample <> ?", [benchmark, WHOLE_SET],
        ).fetchnumpy()  # fmt: skip
    order = {status.value: number for number, status in enumerate(STATUSES)}
    strange = [text for text in names["status"] if text and text not in order]
    if strange:
        raise RunError(
            f"{Path(files[0]).name}: status {strange[0]!r} is not known; use the editgauge that "
            f"wrote the run"
        )
    numbers = np.array([order.get(text, -1) for text in names["status"]], np.int8)
    status = numbers[np.asarray(columns["status"])]
    value = np.ma.filled(np.ma.asarray(columns["value"], np.float64), np.nan)
    value = np.where(np.isnan(value) & (status == SCORED), np.inf, value)
    number_of = np.asarray(columns["key"])
    used = np.zeros(math.prod(sizes), np.bool_)
    used[number_of] = True
    codes = np.flatnonzero(used)
    key_of_row = (np.cumsum(used, dtype=np.int32) - 1)[number_of]
    keys = [
        Key(*(names[name][place] for name, place in zip(Key._fields, places, strict=True)))
        for places in zip(*(part.tolist() for part in np.unravel_index(codes, sizes)), strict=True)
    ]
    whole: list[_OfSet] = []
    for *found_key, editor, said, given, detail in of_sets:
        if said == Status.SCORED:
            number = np.inf if given is None else float(given)
            whole.append((Key(*found_key), editor, number, mapping(orjson.loads(detail))))
    known = [name for name in names["editor"] if name]
    sample, editor, repeat = (np.asarray(columns[n]) for n in ("sample", "editor", "repeat"))
    rows = _Rows(keys, names["sample"], known, key_of_row, sample, editor, repeat, status, value)
    return rows, whole


def _assembled(
    benchmark: str, records: Iterable[Mapping[str, Any]], rows: _Rows, of_sets: Sequence[_OfSet]
) -> Results:
    samples = Samples(records)
    used = [rows.sample_names[n] for n in np.unique(rows.sample).tolist()]
    if strangers := [name for name in used if name not in samples.records]:
        # rows without a sample record: kept, without attributes
        samples = Samples([*samples.records.values(), *({"id": name} for name in strangers)])
    place = {name: number for number, name in enumerate(samples.ids)}
    at = np.array([place.get(name, -1) for name in rows.sample_names] or [-1], np.int64)
    made = Results(benchmark, samples, tuple(rows.editors), {}, _whole_sets(of_sets, rows.editors))
    shape = (len(rows.editors), len(samples))
    spot = (rows.repeat.astype(np.int64) * shape[0] + rows.editor) * shape[1] + at[rows.sample]
    few = len(rows.keys) < 2**16  # NumPy sorts short numbers by their digits
    order = np.argsort(rows.key.astype(np.uint16) if few else rows.key, kind="stable")
    ends = np.searchsorted(rows.key[order], np.arange(len(rows.keys) + 1))
    cubes = {}
    for number, key in enumerate(rows.keys):
        mine = order[ends[number] : ends[number + 1]]
        cubes[key] = _scattered(made, key, spot[mine], rows.status[mine], rows.value[mine])
    return replace(made, cubes=cubes)


def _scattered(made: Results, key: Key, spot: Any, status: Codes, value: Floats) -> Cube:
    """The cube of rows at `spot`, numbers into its cells; a score stands before a failure."""
    size = len(made.editors) * len(made.samples)
    shape = (int(spot.max(initial=0)) // max(size, 1) + 1, len(made.editors), len(made.samples))
    values = np.full(shape[0] * size, np.nan)
    kinds = np.full(shape[0] * size, -1, np.int8)
    scored = status == SCORED
    kinds[spot[~scored]] = status[~scored]
    kinds[spot[scored]] = SCORED
    values[spot[scored]] = value[scored]
    clash = np.flatnonzero(values[spot[scored]] != value[scored])
    if len(clash):
        cell = int(spot[scored][clash[0]])
        editor, sample = divmod(cell % size, shape[2])
        what = f"{key.metric} ({key.variant})"
        raise made.contradiction(what, editor, sample, value[scored][clash[0]], values[cell])
    return Cube(values.reshape(shape), kinds.reshape(shape))


def _whole_sets(rows: Sequence[_OfSet], editors: Sequence[str]) -> dict[Key, Whole]:
    found: dict[Key, Whole] = {}
    for key, editor, value, detail in rows:
        nothing = Whole(np.full(len(editors), np.nan), np.zeros(len(editors), np.int64))
        whole, at = found.setdefault(key, nothing), list(editors).index(editor)
        if not np.isnan(whole.values[at]) and whole.values[at] != value:
            raise RunError(
                f"{editor} has two values of {key.metric}: {whole.values[at]:g} and {value:g}; "
                f"name one run, or choose with --source"
            )
        count = detail.get("samples")
        whole.values[at] = value
        whole.samples[at] = count if isinstance(count, int) else 0
    return found


def _samples(runs: Sequence[Run], benchmark: str) -> Iterator[Mapping[str, Any]]:
    """The records of the runs' samples; of runs that say the same, to the byte, once."""
    marks = set()
    for run in runs:
        mark = run.samples_mark(benchmark)
        if mark not in marks:
            yield from run.samples(benchmark)
        marks.add(mark)


def _edits(runs: Sequence[Run], benchmark: str) -> tuple[dict[str, Delivery], dict[str, Learned]]:
    """What the records of edits say: deliveries, where it is known whether the output was given
    back, and variants. One run's records are held at a time.
    """
    found: dict[str, tuple[set[str], set[str]]] = {}
    settings: dict[tuple[str, int], tuple[str, Mapping[str, Any]]] = {}
    for run in runs:
        for record in run.edits(benchmark):
            if record.settings:  # records that say the same share one object
                told = (record.editor, record.settings)
                settings.setdefault((record.editor, id(record.settings)), told)
            if record.given_back is not None:
                sets = found.setdefault(record.editor, (set(), set()))
                sets[record.given_back].add(sys.intern(record.sample))
    deliveries = {
        editor: Delivery(frozenset(edited), frozenset(back))
        for editor, (edited, back) in found.items()
    }
    return deliveries, learned(settings.values())
