"""What is still to be scored: what is wanted compared with what is there, row by row, by
fingerprint.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.errors import ImageError
from editgauge.scoring.scorer import Scorer
from editgauge.store import variants
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord, RowKey, digest
from editgauge.store.summary import Summary
from editgauge.types import Edit, Row, Sample, Score, Status, not_scored

_AT_ONCE = 2000
"""Rows that are written, or taken out, together."""
Why = tuple[Status, str] | None
"""Why a scorer need not be called, or None."""


@dataclass(frozen=True, slots=True)
class Task:
    """One scorer on one output: the fingerprint of its rows and which (metric, variant) are still
    wanted.
    """

    scorer: int
    fingerprint: str
    wanted: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One output and the scorers that have work on it. For a set scorer: one editor and all its
    pairs.
    """

    sample: Sample
    edit: Edit
    tasks: tuple[Task, ...]
    picture_hash: str = ""
    """The hash of the output's bytes as its record has it; "" where nothing is to be compared."""
    pairs: tuple[tuple[Sample, Edit], ...] = ()

    @property
    def place(self) -> tuple[str, str]:
        """Sample and editor of its rows."""
        return ("*" if self.pairs else self.sample.id, self.edit.editor)


@dataclass(slots=True)
class Todo:
    """Outputs that need work: scored one by one, in batches, as sets."""

    alone: list[Item] = field(default_factory=list)
    batched: list[Item] = field(default_factory=list)
    sets: list[Item] = field(default_factory=list)


class Plan:
    """Compares what is wanted with what is there."""

    def __init__(
        self,
        run: Run,
        benchmark: str,
        samples: Sequence[Sample],
        edits: Sequence[EditRecord],
        scorers: Sequence[Scorer],
        hashes: HashStore,
        retry: frozenset[Status] = frozenset(),
        origins: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.run, self.benchmark, self.scorers = run, benchmark, scorers
        self.samples, self.hashes, self.retry = samples, hashes, retry
        self.summary = Summary()
        self.edits: dict[str, list[EditRecord]] = {}
        for record in edits:
            self.edits.setdefault(record.sample, []).append(record)
        self.done = run.done(benchmark, sorted({scorer.name for scorer in scorers}))
        self.origins = [dict((origins or {}).get(s.name) or s.origin()) for s in scorers]
        """What the rows of each scorer were made by."""
        self._made_by = [
            digest(scorer.name, scorer.source, origin)
            for scorer, origin in zip(scorers, self.origins, strict=True)
        ]
        self._inputs: tuple[str, dict[tuple[str, ...], Any]] = ("", {})
        self._stale: list[tuple[RowKey, str]] = []
        self._ready: list[Row] = []

    def make(self) -> Todo:
        """The outputs that need work. Rows that need none (nothing to score) are written at once,
        and those that no longer count taken out.
        """
        todo = Todo()
        sets: dict[str, list[tuple[Sample, EditRecord]]] = {}
        each = [number for number, scorer in enumerate(self.scorers) if not scorer.whole_set]
        for sample in self.samples:
            for record in self.edits.get(sample.id, ()):
                sets.setdefault(record.editor, []).append((sample, record))
                edit = record.edit(self.run.path)
                tasks = [self._of_output(number, sample, edit, record) for number in each]
                for batched, items in ((False, todo.alone), (True, todo.batched)):
                    mine = tuple(
                        t for t in tasks if t and (self.scorers[t.scorer].batch > 1) is batched
                    )
                    if mine:
                        mark = record.fingerprint
                        items.append(Item(sample=sample, edit=edit, tasks=mine, picture_hash=mark))
            if len(self._ready) + len(self._stale) > _AT_ONCE:
                self._write()
        for number in sorted(set(range(len(self.scorers))) - set(each)):
            todo.sets += self._of_sets(number, sets)
        self._write()
        return todo

    def _write(self) -> None:
        self.run.drop(self._stale)
        self.run.put(self._ready)
        self.summary.computed += len(self._ready)
        self._stale, self._ready = [], []

    def _of_output(
        self, number: int, sample: Sample, edit: Edit, record: EditRecord
    ) -> Task | None:
        """What a scorer has to do on an output; None for nothing."""
        scorer, why = self.scorers[number], None
        if sample.fault is not None:  # the data's fault first, then the scorer's own word
            why = (Status.DATASET_FAULT, sample.fault)
        elif (reason := scorer.applies(sample)) is not None:
            why = (Status.NOT_APPLICABLE, reason)
        elif not edit.ok:
            why = (edit.status, edit.reason)
        inputs = [why[0].value, why[1]] if why else [self._inputs_of(scorer, sample)]
        asked = variants.marks(record.settings)
        mark = digest(self._made_by[number], *inputs, record.fingerprint, *asked)
        return self._task(number, (sample.id, edit.editor), mark, why)

    def _of_sets(
        self, number: int, by_editor: Mapping[str, Sequence[tuple[Sample, EditRecord]]]
    ) -> Iterable[Item]:
        scorer = self.scorers[number]
        for editor, every in sorted(by_editor.items()):
            made = [(s, r.edit(self.run.path), r) for s, r in every if s.fault is None]
            pairs = [(s, e, r) for s, e, r in made if e.ok]
            marks = [digest(self._named(scorer, s), r.fingerprint) for s, _, r in pairs]
            mark = digest(self._made_by[number], sorted(marks))
            why = None if pairs else (Status.MISSING, "no output to score")
            task = self._task(number, ("*", editor), mark, why)
            if task:
                both = tuple((sample, edit) for sample, edit, _ in pairs)
                yield Item(sample=both[0][0], edit=both[0][1], tasks=(task,), pairs=both)

    def _task(self, number: int, place: tuple[str, str], mark: str, why: Why) -> Task | None:
        """Which (metric, variant) of a place have no row of this fingerprint yet; where there is
        nothing to score (`why`) they are made here, and None is left.
        """
        scorer, wanted = self.scorers[number], set()
        sample, editor = place
        for metric in scorer.metrics:
            for variant in metric.variants:
                key: RowKey = (
                    self.benchmark, sample, editor, scorer.name, metric.name, variant,
                    scorer.source, 0,
                )  # fmt: skip
                known = self.done.get(key, {})
                self._stale += [(key, old) for old in known if old != mark]
                status = known.get(mark)
                if status is not None and status not in self.retry:
                    self.summary.kept += 1
                    self.summary.add(editor, scorer.name, metric.name, variant, status)
                    continue
                if status is not None:
                    self._stale.append((key, mark))
                wanted.add((metric.name, variant))
        task = Task(number, mark, frozenset(wanted))
        if not wanted or why is None:
            return task if wanted else None
        self._ready += (rows := self.rows(place, task, not_scored(scorer.metrics, *why)))
        for row in rows:
            self.summary.add(editor, scorer.name, row.metric, row.variant, row.status)
        return None

    def rows(self, place: tuple[str, str], task: Task, scores: Iterable[Score]) -> list[Row]:
        """Scores of a place (sample, editor) as rows."""
        scorer, origin = self.scorers[task.scorer], self.origins[task.scorer]
        return make_rows(self.benchmark, place, scorer, origin, task, scores)

    def _inputs_of(self, scorer: Scorer, sample: Sample) -> Any:
        """As `_named`, once a sample: several editors and scorers ask for the same pictures."""
        if self._inputs[0] != sample.id:
            self._inputs = (sample.id, {})
        known, names = self._inputs[1], tuple(scorer.inputs)
        if names not in known:
            try:
                known[names] = self._named(scorer, sample)
            except ImageError:
                known[names] = ["unreadable input"]
        return known[names]

    def _named(self, scorer: Scorer, sample: Sample) -> list[Any]:
        """The fields of a sample that a scorer names, each picture as the hash of its bytes (a
        missing file as such).
        """
        return [(name, self._mark(getattr(sample, name))) for name in scorer.inputs]

    def _mark(self, value: Any) -> Any:
        if isinstance(value, Path):
            return self.hashes(value) if os.path.isfile(value) else "no such file"
        if isinstance(value, Mapping):
            return {str(key): self._mark(value[key]) for key in sorted(value)}
        if isinstance(value, tuple | list):
            return [self._mark(part) for part in value]
        return value


def make_rows(
    benchmark: str,
    place: tuple[str, str],
    scorer: Scorer,
    origin: Mapping[str, Any],
    task: Task,
    scores: Iterable[Score],
) -> list[Row]:
    """Scores of a `place` (sample, editor) as rows, those that are wanted."""
    sample, editor = place
    return [
        Row(
            benchmark=benchmark,
            sample=sample,
            editor=editor,
            scorer=scorer.name,
            metric=score.metric,
            variant=score.variant,
            value=score.value,
            status=score.status,
            reason=score.reason,
            fingerprint=task.fingerprint,
            source=scorer.source,
            repeat=0,
            detail=score.detail,
            origin=origin,
        )
        for score in scores
        if (score.metric, score.variant) in task.wanted
    ]
