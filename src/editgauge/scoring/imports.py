"""Scores that the released scripts wrote, taken in as rows: what was computed or paid for before is
not lost, and a number that was made elsewhere can be traced sample by sample.

Each benchmark reads its own formats (`types.Benchmark.importers`). Scores of a judge have the
judge's name and ``#imported`` as their source: *faithful* rows have the number as it is in the
file, recorded failures as the released summaries count them; *corrected* rows have an integer in
range or the reason why there is none. Scores of a script that measured (pixels, OCR, CLIP) have the
scorer `MEASURED`, the script's name as their source, and are faithful alone. The files hold neither
replies nor pictures: nothing is read or computed again.
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
from editgauge.types import JUDGE_SCORER, Benchmark, Metric, Row, Sample, Status, Variant

MEASURED = "imported"
"""The scorer of rows that a script measured."""
FAILED_WORDS = ("api error", "json parsing failed", "api call failed")
"""How the rationale of a score begins that the released scripts wrote for a failed call."""
Outcome = tuple[float | None, Status, str]
"""A value or None, the status, and the reason why there is no value."""


@dataclass(frozen=True, slots=True)
class ReleasedScore:
    """One score in a file: the editor, sample and metric it is about, the value as written, and
    what was said. `sample` is an id, or, where it is not clear which sample is meant, what to say
    of it. `script` is the name of the script that measured it, empty for a judge's score.
    """

    editor: str
    sample: str
    metric: str
    value: Any
    rationale: str = ""
    failed: str = ""
    """Why the released script had no score (it wrote 0 or -1), empty where it had one."""
    recorded: float | None = None
    """What the released summary counts for such a failure: 0 for TextEditBench, nothing elsewhere.
    """
    strict: Outcome | None = None
    """The strict reading of the raw reply, where the file has it: the corrected score."""
    script: str = ""


@dataclass(slots=True)
class Imported:
    """What an import did: rows written, rows that were there, entries about samples that are not in
    the data or not clear.
    """

    rows: int = 0
    kept: int = 0
    unknown: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)


Reader = Callable[[Path, Mapping[str, Sample], str | None], Iterator[ReleasedScore]]
"""Reads one released format: a path, the samples by id, and the editor's name where the user gave
one. Raises `DataError` when the file is not of this format, naming what was wanted.
"""


def import_scores(
    run: Run,
    benchmark: Benchmark,
    path: Path,
    samples: Sequence[Sample],
    *,
    judge: str = "",
    editor: str | None = None,
) -> Imported:
    """Take the scores of a released script's file or folder into the run.

    `judge` names the judge where they are a judge's, `editor` the model where the file does not. A
    score about a sample that `samples` has not is reported and left out. Importing the same file
    again changes nothing. Raises `DataError` when the file is of none of the benchmark's formats,
    gives one sample two values, or has a judge's scores and none is named.
    """
    known, metrics, result = {one.id: one for one in samples}, benchmark.every_metric, Imported()
    done = run.done(benchmark.name, [JUDGE_SCORER, MEASURED])
    rows: dict[object, Row] = {}
    seen: dict[tuple[str, str, str], str] = {}
    for found in _read(benchmark, path, known, editor):
        if not judge and not found.script:
            raise DataError(f"{path}: holds scores of a judge; name the judge")
        if found.sample not in known or found.metric not in metrics:
            result.unknown.append(f"{found.editor}: {found.sample}, {found.metric}")
            continue
        key = (found.editor, found.sample, found.metric)
        if seen.setdefault(key, str(found.value)) != str(found.value):
            raise DataError(
                f"{path.name}: {found.sample} has two values of {found.metric}; remove one of the "
                f"entries"
            )
        for row in _rows(benchmark.name, metrics[found.metric], found, judge):
            rows[row.key] = row
    result.statuses.update(row.status.value for row in rows.values())
    new = [row for row in rows.values() if row.fingerprint not in done.get(row.key, {})]
    result.kept = len(rows) - len(new)
    run.keep_metrics(benchmark.name, benchmark.metrics)
    result.rows = run.put(new)
    return result


def _read(
    benchmark: Benchmark, path: Path, known: Mapping[str, Sample], editor: str | None
) -> list[ReleasedScore]:
    """What the first of the benchmark's readers makes of the path; of a folder that none takes as a
    whole, of each file in it.
    """
    errors: list[str] = []
    for reader in benchmark.importers():
        try:
            return list(reader(path, known, editor))
        except DataError as error:
            errors.append(str(error))
    files = sorted(path.rglob("*.json")) if path.is_dir() else []
    if files and not editor:
        errors.append("or, for files that are read one by one, the name of their editor")
    elif files:
        return [found for file in files for found in _read(benchmark, file, known, editor)]
    raise DataError("; ".join(errors) or f"{benchmark.name}: no released format of scores is known")


def _rows(benchmark: str, metric: Metric, found: ReleasedScore, judge: str) -> Iterator[Row]:
    maker = found.script or judge
    fingerprint = digest(
        "import-2", found.editor, found.sample, found.metric, str(found.value), found.failed
    )
    detail: dict[str, Any] = {"rationale": found.rationale[:1000]} if found.rationale else {}
    for variant, (value, status, reason) in _outcomes(metric, found):
        infinite = value is not None and math.isinf(value)
        yield Row(
            benchmark=benchmark,
            sample=found.sample,
            editor=found.editor,
            scorer=MEASURED if found.script else JUDGE_SCORER,
            metric=found.metric,
            variant=variant,
            value=None if infinite else value,
            status=status,
            reason=reason,
            fingerprint=fingerprint,
            source=f"{maker}#imported",
            repeat=0,
            detail={"infinite": True} if infinite else detail,
            origin={"imported": True, "script" if found.script else "judge": maker},
        )


def _outcomes(metric: Metric, found: ReleasedScore) -> Iterator[tuple[Variant, Outcome]]:
    value = number(found.value)
    if found.script:
        yield "faithful", _measured(metric, value)
        return
    yield "faithful", _as_written(found, value)
    yield "corrected", found.strict or _strictly(metric, found, value)


def _measured(metric: Metric, value: float | None) -> Outcome:
    if value is None:
        return None, Status.FAILED, "the released script has no value"
    if not metric.low <= value <= metric.high:
        told = f"{value:g} lies outside of {metric.low:g} to {metric.high:g}"
        return None, Status.UNPARSABLE, told
    return value, Status.SCORED, ""


def _as_written(found: ReleasedScore, value: float | None) -> Outcome:
    if found.failed and found.recorded is not None:
        return found.recorded, Status.SCORED, f"as the released summary counts it: {found.failed}"
    if found.failed:
        return None, Status.FAILED, found.failed
    if value is None or math.isinf(value):
        return None, Status.UNPARSABLE, f"no number: {str(found.value)[:40]}"
    return value, Status.SCORED, ""


def _strictly(metric: Metric, found: ReleasedScore, value: float | None) -> Outcome:
    if found.failed:
        return None, Status.FAILED, found.failed
    if value is None or not value.is_integer() or not metric.low <= value <= metric.high:
        scale = f"{metric.low:g} to {metric.high:g}"
        return None, Status.UNPARSABLE, f"not an integer from {scale}: {str(found.value)[:40]}"
    return value, Status.SCORED, ""


# -- for the benchmarks' readers -------------------------------------------------------------------


def is_failure(rationale: str) -> bool:
    """Whether a rationale is what a released script wrote for a call that failed."""
    return rationale.strip().lower().startswith(FAILED_WORDS)


def number(value: Any) -> float | None:
    """A number as it is, also +∞; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return None if math.isnan(found) or found == -math.inf else found


def read_json(path: Path) -> Any:
    """The JSON value of a file as Python's own writer makes them: ``NaN`` and ``Infinity`` are
    numbers. Raises `DataError` where there is none.
    """
    try:
        return json.loads(path.read_bytes().decode())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: cannot be read as JSON ({error})") from error


def read_lines(path: Path) -> list[Any]:
    """The values of a file of JSON lines or of one list. Raises `DataError` for another file."""
    try:
        text = path.read_bytes().decode()
        if text.lstrip()[:1] == "[":
            return list(json.loads(text))
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}: cannot be read as JSON lines ({error})") from error


def wrong_format(path: Path, wanted: str, found: Any) -> DataError:
    """The error for a file that is not of the released format."""
    return DataError(f"{path}: wanted {wanted}, found {type(found).__name__} {str(found)[:60]!r}")
