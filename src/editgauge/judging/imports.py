"""Scores that the released scripts wrote, taken in as rows: money that was spent before is not
lost.

Each benchmark reads its own formats (`types.Benchmark.importers`). The files hold scores and
reasons but no replies, so the rows say *imported* in their source and cannot be read again.
Faithful rows have the number as it is in the file, recorded failures as the released summaries
count them; corrected rows have an integer in range or the reason why there is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import DataError
from editgauge.judging.reading import Reading
from editgauge.store.run import Run
from editgauge.store.schema import digest
from editgauge.types import JUDGE_SCORER, Benchmark, Metric, Row, Sample, Status, Variant

SCORER = JUDGE_SCORER
FAILED_WORDS = ("api error", "json parsing failed", "api call failed")
"""How the rationale of a score begins that the released scripts wrote for a failed call."""


@dataclass(frozen=True, slots=True)
class ReleasedScore:
    """One score in a file: the editor, sample and metric it is about, the value as written, and
    what was said.
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
    strict: Reading | None = None
    """The strict reading of the raw reply, where the file has it: the corrected score."""


@dataclass(slots=True)
class Imported:
    """What an import did: rows written, rows that were there, entries about samples that are not in
    the data.
    """

    rows: int = 0
    kept: int = 0
    unknown: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        """What was done in words; of the unknown samples the first ten."""
        lines = [f"{self.rows} rows taken in, {self.kept} already there: {dict(self.statuses)}"]
        lines += [f"note: not in the data: {name}" for name in self.unknown[:10]]
        if len(self.unknown) > 10:
            lines.append(f"note: and {len(self.unknown) - 10} more that are not in the data")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """What was done as JSON values."""
        return {
            "rows": self.rows,
            "kept": self.kept,
            "unknown": self.unknown,
            "statuses": dict(self.statuses),
        }


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
    judge: str,
    editor: str | None = None,
) -> Imported:
    """Take the scores of a released script's file or folder into the run as rows of the judge
    `judge`.

    `editor` names the model where the file does not. A score about a sample that `samples` has not
    is reported and left out. Importing the same file again changes nothing. Raises `DataError` when
    the file is not of this benchmark's format, naming what was wanted.
    """
    known = {sample.id: sample for sample in samples}
    done = run.done(benchmark.name, [SCORER])
    metrics = benchmark.every_metric
    result = Imported()
    source = f"{judge}#imported"
    rows: list[Row] = []
    seen: dict[tuple[str, str, str], Any] = {}
    for found in _read(benchmark, path, known, editor):
        if found.sample not in known or found.metric not in metrics:
            lacking = "" if found.metric in metrics else f", {found.metric}"
            result.unknown.append(f"{found.editor}: {found.sample}{lacking}")
            continue
        key = (found.editor, found.sample, found.metric)
        if seen.setdefault(key, found.value) != found.value:
            raise DataError(
                f"{path.name}: {found.sample} has two values of {found.metric}; remove one of the "
                f"entries"
            )
        for row in _rows(benchmark.name, metrics[found.metric], found, source):
            if row.fingerprint in done.get(row.key, {}):
                result.kept += 1
            else:
                rows.append(row)
            result.statuses[row.status.value] += 1
    run.keep_metrics(benchmark.name, benchmark.metrics)
    unique = {(row.key, row.fingerprint): row for row in rows}
    with run.writer("judge-import") as writer:
        result.rows = writer.write(unique.values())
    return result


def _read(
    benchmark: Benchmark, path: Path, known: Mapping[str, Sample], editor: str | None
) -> list[ReleasedScore]:
    """What the first of the benchmark's readers makes of the file. Raises the first one's error
    where none can read it.
    """
    errors: list[DataError] = []
    for reader in benchmark.importers():
        try:
            return list(reader(path, known, editor))
        except DataError as error:
            errors.append(error)
    if errors:
        raise errors[0]
    raise DataError(f"{benchmark.name}: no released format of judge scores is known")


def _rows(benchmark: str, metric: Metric, found: ReleasedScore, source: str) -> Iterator[Row]:
    low, high = int(metric.low), int(metric.high)
    fingerprint = digest(
        "import-1", found.editor, found.sample, found.metric, found.value, found.failed
    )
    detail = {"rationale": found.rationale[:1000]} if found.rationale else {}
    origin = {"imported": True, "judge": source.partition("#")[0]}
    number = _number(found.value)
    good = number is not None and number.is_integer() and low <= number <= high and not found.failed
    corrected: tuple[float | None, Status, str] = (number, Status.SCORED, "")
    if found.strict is not None:
        corrected = (found.strict.value, found.strict.status, found.strict.reason)
    elif found.failed:
        corrected = (None, Status.FAILED, found.failed)
    elif not good:
        corrected = (
            None,
            Status.UNPARSABLE,
            f"not an integer from {low} to {high}: {str(found.value)[:40]}",
        )
    faithful: tuple[float | None, Status, str] = (number, Status.SCORED, "")
    if found.failed and found.recorded is not None:
        faithful = (
            found.recorded,
            Status.SCORED,
            f"as the released summary counts it: {found.failed}",
        )
    elif found.failed:
        faithful = (None, Status.FAILED, found.failed)
    elif number is None:
        faithful = (None, Status.UNPARSABLE, f"no number: {str(found.value)[:40]}")
    variants: tuple[tuple[Variant, tuple[float | None, Status, str]], ...] = (
        ("faithful", faithful),
        ("corrected", corrected),
    )
    for variant, (value, status, reason) in variants:
        yield Row(
            benchmark=benchmark,
            sample=found.sample,
            editor=found.editor,
            scorer=SCORER,
            metric=found.metric,
            variant=variant,
            value=value,
            status=status,
            reason=reason,
            fingerprint=fingerprint,
            source=source,
            repeat=0,
            detail=detail,
            origin=origin,
        )


def is_failure(rationale: str) -> bool:
    """Whether a rationale is what a released script wrote for a call that failed."""
    return rationale.strip().lower().startswith(FAILED_WORDS)


def read_json(path: Path) -> Any:
    """The JSON value of a file. Raises `DataError` where there is none."""
    try:
        return orjson.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as JSON ({error})") from error


def read_lines(path: Path) -> list[Any]:
    """The values of a file of JSON lines or of one list. Raises `DataError` for another file."""
    try:
        data = path.read_bytes()
        value = orjson.loads(data) if data.lstrip()[:1] == b"[" else [
            orjson.loads(line) for line in data.splitlines() if line.strip()
        ]  # fmt: skip
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read as JSON lines ({error})") from error
    return value if isinstance(value, list) else [value]


def wrong_format(path: Path, wanted: str, found: Any) -> DataError:
    """The error for a file that is not of the released format."""
    return DataError(f"{path}: wanted {wanted}, found {type(found).__name__} {str(found)[:60]!r}")


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e9 else None
