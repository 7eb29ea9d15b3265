"""Pixel, OCR and CLIP scores that the released scripts wrote, taken in as rows: a number that was
made elsewhere can be traced sample by sample.

Each benchmark reads its own formats (`types.Benchmark.measurements`). The rows are *faithful*, have
the scorer `SCORER` and the source ``<script>#imported``, and are never mixed with rows that were
scored here. The files hold no pictures: nothing is computed again.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.errors import DataError
from editgauge.store.run import Run
from editgauge.store.schema import digest
from editgauge.types import Benchmark, Metric, Row, Sample, Status

SCORER = "imported"
_NO_VALUE = "the released script has no value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One score in a file: `sample` is an id, or, where it is not clear which sample is meant, what
    to say of it. `value` is None where the script had none.
    """

    editor: str
    sample: str
    metric: str
    value: float | None
    script: str


Reader = Callable[[Path, Mapping[str, Sample], str | None], Iterator[Measured]]
"""Reads one released format: a path, the samples by id, and the editor's name where the user gave
one. Raises `DataError` when the file is not of this format, naming what was wanted.
"""


@dataclass(slots=True)
class Imported:
    """What an import did: rows written, rows that were there, entries about samples that are not in
    the data or not clear.
    """

    rows: int = 0
    kept: int = 0
    unknown: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)


def import_measured(
    run: Run,
    benchmark: Benchmark,
    path: Path,
    samples: Sequence[Sample],
    *,
    editor: str | None = None,
) -> Imported:
    """Take the scores of a released script's file into the run, or of all its files in a folder.

    A score about a sample that `samples` has not is named in the result and left out. Importing a
    file again changes nothing. Raises `DataError` when the file is of none of the benchmark's
    formats, or gives one sample two values, and for a folder without files or without the editor's
    name.
    """
    known = {sample.id: sample for sample in samples}
    result = Imported()
    done = run.done(benchmark.name, [SCORER])
    rows: dict[tuple[str, str, str], Row] = {}
    files = _files(path, editor)
    for found in (one for file in files for one in _read(benchmark, file, known, editor)):
        if found.sample not in known:
            result.unknown.append(f"{found.editor}: {found.sample}, {found.metric}")
            continue
        row = _row(benchmark.name, benchmark.every_metric[found.metric], found)
        key = (found.editor, found.sample, found.metric)
        if rows.setdefault(key, row).fingerprint != row.fingerprint:
            raise DataError(
                f"{path.name}: {found.sample} has two values of {found.metric}; remove one of the "
                f"entries"
            )
    new = [row for row in rows.values() if row.fingerprint not in done.get(row.key, {})]
    result.kept = len(rows) - len(new)
    result.statuses.update(row.status.value for row in rows.values())
    run.keep_metrics(benchmark.name, benchmark.metrics)
    result.rows = run.put(new)
    return result


def _files(path: Path, editor: str | None) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*.json") if file.is_file())
    if not files:
        raise DataError(f"{path}: wanted .json files of a released script, found none")
    if not editor:
        raise DataError(f"{path}: wanted the name of the editor whose scores these files hold")
    return files


def read_object(path: Path) -> Any:
    """The JSON value of a file as Python's own writer makes them: ``NaN`` and ``Infinity`` are
    numbers. Raises `DataError` where there is none.
    """
    try:
        return json.loads(path.read_bytes().decode())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: cannot be read as JSON ({error})") from error


def number(value: Any) -> float | None:
    """A number as it is, also +∞; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return None if math.isnan(found) or found == -math.inf else found


def wrong_format(path: Path, wanted: str, found: Any) -> DataError:
    """The error for a file that is not of the released format."""
    return DataError(f"{path}: wanted {wanted}, found {type(found).__name__} {str(found)[:60]!r}")


def _read(
    benchmark: Benchmark, path: Path, known: Mapping[str, Sample], editor: str | None
) -> list[Measured]:
    errors: list[DataError] = []
    for reader in benchmark.measurements():
        try:
            return list(reader(path, known, editor))
        except DataError as error:
            errors.append(error)
    if errors:
        raise DataError("; ".join(str(error) for error in errors))
    raise DataError(f"{benchmark.name}: no released format of pixel, OCR or CLIP scores is known")


def _row(benchmark: str, metric: Metric, found: Measured) -> Row:
    status, reason, value = Status.SCORED, "", found.value
    if value is None:
        status, reason = Status.FAILED, _NO_VALUE
    elif not metric.low <= value <= metric.high:
        status, value = Status.UNPARSABLE, None
        reason = f"{found.value:g} lies outside of {metric.low:g} to {metric.high:g}"
    infinite = value is not None and math.isinf(value)
    value = None if infinite else value
    mark = digest("score-import-1", found.editor, found.sample, found.metric, str(found.value))
    return Row(
        benchmark=benchmark,
        sample=found.sample,
        editor=found.editor,
        scorer=SCORER,
        metric=found.metric,
        variant="faithful",
        value=value,
        status=status,
        reason=reason,
        fingerprint=mark,
        source=f"{found.script}#imported",
        repeat=0,
        detail={"infinite": True} if infinite else {},
        origin={"imported": True, "script": found.script},
    )
