"""Diagnose the outputs of a run: change grounding of every editor, attention grounding of those
whose making can be watched. The work is `score`'s: resumed, retried, one row for each fingerprint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from editgauge.diagnosis import remake
from editgauge.diagnosis.attention import AttentionScorer
from editgauge.diagnosis.change import ChangeScorer
from editgauge.errors import DataError, UsageError
from editgauge.run.plan import Plan
from editgauge.run.score import Progress, score
from editgauge.run.workers import Workers, workers_of
from editgauge.store import csv_files
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.store.summary import Summary
from editgauge.types import Edit, Sample, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a call is about: the outputs of some editors for some samples of a run."""

    run: Run
    benchmark: str
    samples: Sequence[Sample]
    edits: Sequence[EditRecord]
    hashes: HashStore
    retry: frozenset[Status] = frozenset()
    progress: Progress | None = None


def change(work: Work, scorer: ChangeScorer, *, workers: int | Workers) -> Summary:
    """Bring the rows of change grounding up to date: see `run.score.score`."""
    return _score(work, scorer, workers, work.progress)


def _score(
    work: Work,
    scorer: Any,
    workers: int | Workers,
    progress: Progress | None,
    *,
    alone: bool = False,
) -> Summary:
    return score(
        work.run,
        work.benchmark,
        work.samples,
        work.edits,
        [scorer],
        hashes=work.hashes,
        workers=workers,
        retry=work.retry,
        alone=alone,
        progress=progress,
    )


def watchable(run: Run, edits: Sequence[EditRecord]) -> tuple[list[EditRecord], dict[str, str]]:
    """The outputs whose making can be watched again; and, of the editors that have none of them,
    why. An editor counts whole: what of it cannot be watched gets a row that says so.
    """
    by_editor: dict[str, list[EditRecord]] = {}
    for record in edits:
        by_editor.setdefault(record.editor, []).append(record)
    kept: list[EditRecord] = []
    refused: dict[str, str] = {}
    for editor, records in by_editor.items():
        made = [record.edit(run.path) for record in records if record.status is Status.SCORED]
        reasons = [remake.why_not(edit) for edit in made]
        if any(reason is None for reason in reasons):
            kept += records
        else:
            refused[editor] = next(iter(reasons), None) or "it has no outputs"
    return kept, refused


def attention(work: Work, scorer: AttentionScorer, *, workers: int | Workers = 0) -> Summary:
    """Bring the rows of attention grounding up to date, one editor after the other: in this
    process, or on workers of other machines (`Workers.away`), each of which loads the model once.
    Weights are loaded first where anything is to be done: what is wrong with them ends the call,
    and is no output's failure. Raises `UsageError`, `Unavailable`.
    """
    force = workers_of(workers)
    total = Summary()
    for editor in dict.fromkeys(record.editor for record in work.edits):
        mine = replace(work, edits=[record for record in work.edits if record.editor == editor])
        left = _left(mine, scorer)
        scorer.first = _first(mine) if left else None
        if force.away:
            _join(total, _score(mine, scorer, force, work.progress, alone=True))
            continue
        scorer.begin()
        scorer.ended = _Told(left, f"attention of {editor}", work.progress)
        _join(total, _score(mine, scorer, 0, None))
    return total


@dataclass(slots=True)
class _Told:
    """Counts the outputs that have ended, and says so."""

    of: int
    note: str
    progress: Progress | None
    done: int = 0

    def __call__(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.of, self.note)


def _left(work: Work, scorer: AttentionScorer) -> int:
    """How many outputs need the model; nothing is written."""
    plan = Plan(
        work.run, work.benchmark, work.samples, work.edits, [scorer], work.hashes, work.retry
    )
    return len(plan.make(len, len))


def _first(work: Work) -> Edit:
    """The first output that can be watched."""
    made = (record.edit(work.run.path) for record in work.edits)
    return next(edit for edit in made if edit.ok and remake.why_not(edit) is None)


def _join(total: Summary, part: Summary) -> None:
    for key, counter in part.counts.items():
        total.counts.setdefault(key, type(counter)()).update(counter)
    total.computed += part.computed
    total.kept += part.kept
    total.seconds += part.seconds
    total.scorer_seconds.update(part.scorer_seconds)
    total.problems += [text for text in part.problems if text not in total.problems]


def with_concepts(
    samples: Sequence[Sample], concepts: Mapping[tuple[str, str], str]
) -> list[Sample]:
    """The samples with the key concepts of a file: one of the sample's own id stands before one of
    its task, and both before the data's own.
    """
    found = []
    for sample in samples:
        task = str(sample.attributes.get("task") or "")
        concept = concepts.get(("sample", sample.id)) or concepts.get(("task", task))
        found.append(replace(sample, concept=concept) if concept else sample)
    return found


def read_concepts(path: Path, samples: Sequence[Sample]) -> dict[tuple[str, str], str]:
    """(``sample`` or ``task``, its name) -> key concept, from a CSV file with the columns
    ``concept`` and ``sample`` or ``task``.

    Raises `UsageError` for a file that has other columns, and `DataError` where it cannot be read,
    or a line names a sample or a task that the run does not have, or one twice.
    """
    columns, records = csv_files.named(path, strict=True)
    by = next((name for name in ("sample", "task") if name in columns), None)
    if by is None or "concept" not in columns:
        raise UsageError(
            f"--concepts {path.name}: wanted the columns sample,concept or task,concept; found "
            f"{','.join(columns)[:200] or 'nothing'}"
        )
    known = {s.id if by == "sample" else str(s.attributes.get("task") or "") for s in samples}
    found: dict[tuple[str, str], str] = {}
    for number, record in records:
        name, concept = (record[key].strip() for key in (by, "concept"))
        if name not in known:
            some = ", ".join(repr(k) for k in sorted(known)[:3])
            raise DataError(
                f"--concepts {path.name}, line {number}: no {by} {name!r} in the run; it has {some}"
            )
        if (by, name) in found:
            raise DataError(f"--concepts {path.name}, line {number}: {by} {name!r} again")
        if concept:
            found[by, name] = concept
    return found
