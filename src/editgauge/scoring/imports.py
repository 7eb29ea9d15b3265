"""Released scripts' scores as rows. A judge's (``#imported``): *faithful* as in the file,
*corrected* an integer in range or the reason for none. A measuring script's: `MEASURED`, faithful.
"""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from editgauge.errors import DataError, UsageError
from editgauge.scoring.result_files import files_of, runs_below
from editgauge.store.run import Run
from editgauge.store.schema import digest
from editgauge.types import (
    JUDGE_SCORER,
    Benchmark,
    JsonObject,
    Metric,
    Row,
    Sample,
    Status,
    Variant,
)

MEASURED = "imported"
"""The scorer of rows that a script measured."""
Outcome = tuple[float | None, Status, str]
"""A value or None, the status, and the reason why there is no value."""


@dataclass(frozen=True, slots=True)
class ReleasedScore:
    """One score in a file: the value as written, and what was said.

    `editor` is "" where the file does not say whose it is. `sample` is an id, or what to say where
    it is not clear which is meant. `failed`: why the released script had no score; `recorded`: what
    its summary counts for such a failure (0 for TextEditBench); `strict`: the strict reading of the
    raw reply, where the file has it; `script`: which script measured it, empty for a judge's score;
    `repeat`: which run of the judge it is, from 0.
    """

    editor: str
    sample: str
    metric: str
    value: Any
    rationale: str = ""
    failed: str = ""
    recorded: float | None = None
    strict: Outcome | None = None
    script: str = ""
    repeat: int = 0


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
one. Raises `WrongFormat` when it is not of this format.
"""


class WrongFormat(DataError):
    """A file is not of a released format: what was wanted, and what was found."""

    def __init__(self, path: Path, wanted: str, found: Any) -> None:
        shown = found if isinstance(found, str) else f"{type(found).__name__} {str(found)[:60]!r}"
        super().__init__(f"{path}: wanted {wanted}, found {shown}")
        self.wanted, self.found = wanted, shown


def import_scores(
    run: Run,
    benchmark: Benchmark,
    path: Path,
    samples: Sequence[Sample],
    *,
    judge: str = "",
    editor: str | None = None,
    repeat: int = 0,
) -> Imported:
    """Take the scores of a released script's file or folder into the run; the same file again
    changes nothing.

    `judge` names the judge where they are a judge's, `editor` the model where the file does not,
    and `repeat` the run of the judge where the path does not (`result_files`). A score about a
    sample that `samples` has not is reported and left out, and so is a file of a folder that has no
    scores. Raises `DataError` when nothing is of one of the benchmark's formats, a sample has two
    values, or no judge is named for a judge's scores.
    """
    known, metrics, result = {one.id: one for one in samples}, benchmark.every_metric, Imported()
    rows = dict[object, Row]()
    released_scores, left_out = _read(benchmark, path, known, editor)
    result.unknown += left_out
    for released in released_scores:
        if repeat and not released.repeat:
            released = replace(released, repeat=repeat)
        if not judge and not released.script:
            raise DataError(f"{path}: holds scores of a judge; name the judge")
        if released.sample not in known or released.metric not in metrics:
            result.unknown.append(f"{released.editor}: {released.sample}, {released.metric}")
            continue
        for row in _rows(benchmark.name, metrics[released.metric], released, judge):
            if rows.setdefault(row.key, row).fingerprint != row.fingerprint:
                message = f"{row.sample} has two values of {row.metric}"
                raise DataError(f"{path.name}: {message}; remove one of the entries")
    done = run.done(benchmark.name, [JUDGE_SCORER, MEASURED])
    new = [row for row in rows.values() if row.fingerprint not in done.get(row.key, {})]
    result.statuses.update(row.status.value for row in rows.values())
    result.kept = len(rows) - len(new)
    run.keep_metrics(benchmark.name, benchmark.metrics)
    result.rows = run.put(new)
    return result


def _read(
    benchmark: Benchmark, path: Path, known: Mapping[str, Sample], editor: str | None
) -> tuple[list[ReleasedScore], list[str]]:
    """The scores of a file or folder, each with its editor, and what is to be said of files without
    any. Folders that number the runs of a judge are its repeats.
    """
    runs = runs_below(path, known)
    if not runs:
        return _read_one(benchmark, path, known, editor)
    scores: list[ReleasedScore] = []
    left_out: list[str] = []
    for run in runs:
        found, without = _read_one(benchmark, run.path, known, editor or run.editor or None)
        scores += [replace(score, repeat=run.repeat) for score in found]
        left_out += [f"{run.path.relative_to(path)}/{text}" for text in without]
    return scores, left_out


def _read_one(
    benchmark: Benchmark, path: Path, known: Mapping[str, Sample], editor: str | None
) -> tuple[list[ReleasedScore], list[str]]:
    """As `_read`, of one run: what a reader makes of the path, else of each file in the folder."""
    scores, wanted, found = _fitting(benchmark, path, known, editor)
    if scores:
        return _named(scores, editor or path.stem), []
    left_out: list[str] = []
    for file in files_of(path, known) if path.is_dir() else ():
        mine, _, _ = _fitting(benchmark, file.path, known, editor)
        if not mine:
            left_out.append(f"{file.path.relative_to(path)}: no scores of a known format")
            continue
        name = editor or file.editor
        if not name and not all(score.editor for score in mine):
            why = f"wanted: the files of {path} do not say whose scores they are"
            raise UsageError(why, argument="editor")
        scores += [replace(score, repeat=file.repeat) for score in _named(mine, name)]
    if scores:
        return scores, left_out
    raise DataError(
        f"{path}: wanted {'; or '.join(dict.fromkeys(wanted)) or 'no file at all'}; found {found}"
    )


def _fitting(
    benchmark: Benchmark, path: Path, known: Mapping[str, Sample], editor: str | None
) -> tuple[list[ReleasedScore], list[str], str]:
    """The scores that the benchmark's first fitting reader finds; where none fits, what each
    wanted, and what was found.
    """
    wanted, found = [], "nothing there"
    for reader in benchmark.importers():
        try:
            if scores := list(reader(path, known, editor)):
                return scores, [], ""
            raise WrongFormat(path, "scores", "none in it")
        except WrongFormat as error:
            wanted.append(error.wanted)
            found = error.found
    return [], wanted, found


def _named(scores: Sequence[ReleasedScore], editor: str) -> list[ReleasedScore]:
    """The scores, those that do not say whose they are with this editor."""
    return [score if score.editor else replace(score, editor=editor) for score in scores]


def _rows(benchmark: str, metric: Metric, found: ReleasedScore, judge: str) -> Iterator[Row]:
    maker = found.script or judge
    detail: JsonObject = {"rationale": found.rationale[:1000]} if found.rationale else {}
    for variant, (value, status, reason) in _outcomes(metric, found):
        infinite = value is not None and math.isinf(value)
        # `repr`: JSON has no infinite number. What a value became is part of it, since that depends
        # on more than the value: the raw reply, what the summary counts, the metric's range.
        fingerprint = digest(
            "import-3",
            found.editor,
            found.sample,
            found.metric,
            repr(found.value),
            found.failed,
            [variant, repr(value), status.value, reason],
        )
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
            repeat=found.repeat,
            detail={"infinite": True} if infinite else detail,
            origin={"imported": True, "script" if found.script else "judge": maker},
        )


def _outcomes(metric: Metric, found: ReleasedScore) -> Iterator[tuple[Variant, Outcome]]:
    """What a value as written becomes: as the released summary counts it, and strictly."""
    value, shown = number(found.value), str(found.value)[:40]
    scale = f"{metric.low:g} to {metric.high:g}"
    inside = value is not None and metric.low <= value <= metric.high

    def checked(good: bool, message: str, status: Status = Status.UNPARSABLE) -> Outcome:
        return (value, Status.SCORED, "") if good else (None, status, message)

    if found.script and value is None:
        yield "faithful", (None, Status.FAILED, "the released script has no value")
    elif found.script:
        yield "faithful", checked(inside, f"{shown} lies outside of {scale}")
    elif found.failed:
        counted = f"as the released summary counts it: {found.failed}"
        failed: Outcome = (None, Status.FAILED, found.failed)
        recorded: Outcome = (found.recorded, Status.SCORED, counted)
        yield "faithful", failed if found.recorded is None else recorded
        yield "corrected", found.strict or failed
    else:
        recorded_as_is = checked(value is not None and value < math.inf, f"no number: {shown}")
        if value is not None and value < math.inf and not inside:
            recorded_as_is = (value, Status.SCORED, f"outside of the scale {scale}")
        yield "faithful", recorded_as_is
        whole = inside and value is not None and value.is_integer()
        strictly = checked(whole, f"not an integer from {scale}: {shown}")
        yield "corrected", found.strict or strictly


# -- for the benchmarks' readers -------------------------------------------------------------------


def number(value: Any) -> float | None:
    """A number as it is, also +∞; None for anything else."""
    try:
        given = isinstance(value, int | float) and not isinstance(value, bool)
        parsed = float(value) if given else math.nan
    except OverflowError:
        return None
    return None if math.isnan(parsed) or parsed == -math.inf else parsed


def read_json(path: Path, *, lines: bool = False) -> Any:
    """The JSON value of a file as Python's own writer makes them (``NaN`` and ``Infinity`` are
    numbers); with `lines` a list, of one on each line or of one list. Raises `WrongFormat`.
    """
    if not path.is_file():
        raise WrongFormat(path, "a file", "a folder" if path.is_dir() else "nothing there")
    try:
        text = path.read_bytes().decode()
        if lines and text.lstrip()[:1] != "[":
            # not `str.splitlines`: a text in JSON may hold other line ends, such as U+2028
            return [json.loads(line) for line in io.StringIO(text, newline=None) if line.strip()]
        return json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        found = f"a file that cannot be read ({error})"
        raise WrongFormat(path, "JSON lines" if lines else "JSON", found) from error
