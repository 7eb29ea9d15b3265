"""What is still to be scored: what is wanted compared with what is there, row by row, by
fingerprint.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.errors import ImageError
from editgauge.run.worker import Item, Task, Told
from editgauge.scoring.scorer import Scorer
from editgauge.store import variants
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord, RowKey, digest
from editgauge.store.summary import Summary
from editgauge.types import Edit, Row, Sample, Status

_AT_ONCE = 2000
"""Rows that are written, or taken out, together."""
Pairs = list[tuple[Sample, EditRecord]]
Why = tuple[Status, str] | None
"""Why a scorer need not be called, or None."""


@dataclass(slots=True)
class Todo:
    """Outputs that need work: scored one by one, in batches, as sets."""

    alone: list[Item] = field(default_factory=list)
    batched: list[Item] = field(default_factory=list)
    sets: list[Item] = field(default_factory=list)


class Plan:
    """Compares what is wanted with what is there."""

    def __init__(
        self, run: Run, told: Told, hashes: HashStore, retry: frozenset[Status], summary: Summary
    ) -> None:
        self._run, self._told, self._hashes, self._retry = run, told, hashes, retry
        self._summary = summary
        self._done = run.done(told.benchmark, sorted({scorer.name for scorer in told.scorers}))
        self._made_by = [
            digest(scorer.name, scorer.source, origin)
            for scorer, origin in zip(told.scorers, told.origins, strict=True)
        ]
        self._batched = [scorer.batch > 1 for scorer in told.scorers]
        self._inputs: tuple[str, dict[tuple[str, ...], Any]] = ("", {})
        self._stale: list[tuple[RowKey, str]] = []
        self._ready: list[Row] = []

    def make(self, samples: Sequence[Sample], edits: Sequence[EditRecord]) -> Todo:
        """The outputs that need work. Rows that need none (nothing to score) are written at once,
        and those that no longer count taken out.
        """
        todo, sets = Todo(), dict[str, Pairs]()
        of_sample: dict[str, list[EditRecord]] = {}
        for record in edits:
            of_sample.setdefault(record.sample, []).append(record)
        each = [one for one in enumerate(self._told.scorers) if not one[1].whole_set]
        for sample in samples:
            for record in of_sample.get(sample.id, ()):
                sets.setdefault(record.editor, []).append((sample, record))
                edit = record.edit(self._run.path)
                tasks = [
                    task
                    for number, scorer in each
                    if (task := self._of_output(number, scorer, sample, edit, record))
                ]
                for items, batched in ((todo.alone, False), (todo.batched, True)):
                    mine = tuple(one for one in tasks if self._batched[one.scorer] is batched)
                    if mine:
                        items.append(Item(sample, edit, mine, record.fingerprint))
            if len(self._ready) + len(self._stale) > _AT_ONCE:
                self._write()
        for number, scorer in enumerate(self._told.scorers):
            if scorer.whole_set:
                todo.sets += self._of_sets(number, scorer, sets)
        self._write()
        return todo

    def _write(self) -> None:
        self._run.drop(self._stale)
        self._run.put(self._ready)
        self._summary.computed += len(self._ready)
        self._stale, self._ready = [], []

    def _of_output(
        self, number: int, scorer: Scorer, sample: Sample, edit: Edit, record: EditRecord
    ) -> Task | None:
        """What a scorer has to do on an output; None for nothing."""
        why: Why = None
        if sample.fault is not None:  # the data's fault first, then the scorer's own word
            why = (Status.DATASET_FAULT, sample.fault)
        elif (reason := scorer.applies(sample)) is not None:
            why = (Status.NOT_APPLICABLE, reason)
        elif not edit.ok:
            why = (edit.status, edit.reason)
        inputs = [why[0].value, why[1]] if why else [self._inputs_of(scorer, sample)]
        asked = variants.marks(record.settings)
        mark = digest(self._made_by[number], *inputs, record.fingerprint, *asked)
        return self._task(number, scorer, (sample.id, edit.editor), mark, why)

    def _of_sets(
        self, number: int, scorer: Scorer, by_editor: Mapping[str, Pairs]
    ) -> Iterator[Item]:
        for editor, every in sorted(by_editor.items()):
            scored = [(s, r.edit(self._run.path), r) for s, r in every if s.fault is None]
            there = [(s, e, r) for s, e, r in scored if e.ok]
            marks = [digest(self._named(scorer, s), r.fingerprint) for s, _, r in there]
            mark = digest(self._made_by[number], sorted(marks))
            why = None if there else (Status.MISSING, "no output to score")
            if task := self._task(number, scorer, ("*", editor), mark, why):
                pairs = tuple((sample, edit) for sample, edit, _ in there)
                yield Item(*pairs[0], (task,), pairs=pairs)

    def _task(
        self, number: int, scorer: Scorer, place: tuple[str, str], mark: str, why: Why
    ) -> Task | None:
        """Which (metric, variant) of a place have no row of this fingerprint yet; where there is
        nothing to score (`why`) they are made here, and None is left.
        """
        wanted, (sample, editor) = set(), place
        counts, here = self._told, self._summary
        for name, variant in ((one.name, v) for one in scorer.metrics for v in one.variants):
            key: RowKey = (
                counts.benchmark, sample, editor, scorer.name, name, variant, scorer.source, 0
            )  # fmt: skip
            known = self._done.get(key, {})
            status = known.get(mark)
            if done := status is not None and status not in self._retry:
                here.kept += 1
                here.add(editor, scorer.name, name, variant, known[mark])
            else:
                wanted.add((name, variant))
            self._stale += [(key, old) for old in known if old != mark or not done]
        task = Task(number, mark, frozenset(wanted))
        if not wanted or why is None:
            return task if wanted else None
        rows = self._told.without(place, task, *why)
        self._ready += rows
        self._summary.count(rows)
        return None

    def _inputs_of(self, scorer: Scorer, sample: Sample) -> Any:
        """The fields of a sample that a scorer names, each picture as the hash of its bytes; once a
        sample: several editors and scorers ask for the same pictures.
        """
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
        return [(name, self._mark(getattr(sample, name))) for name in scorer.inputs]

    def _mark(self, value: Any) -> Any:
        if isinstance(value, Path):
            return self._hashes(value) if os.path.isfile(value) else "no such file"
        if isinstance(value, Mapping):
            return {str(key): self._mark(value[key]) for key in sorted(value)}
        if isinstance(value, tuple | list):
            return [self._mark(part) for part in value]
        return value
