"""What is still to be scored: what is wanted against what is there, by row and fingerprint."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from editgauge.errors import ImageError
from editgauge.run.worker import Item, Task, Told
from editgauge.scoring.scorer import Scorer
from editgauge.store import variants
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord, RowKey, digest, unpacked
from editgauge.store.summary import Summary
from editgauge.types import Row, Sample, Status

Why = tuple[Status, str] | None
"""Why a scorer need not be called, or None."""
Done = dict[str, tuple[bytes | str, str]]
"""Sample -> the packed fingerprint and the status of a row."""
_Series = tuple[str, str, Done, Counter[str]]
"""Metric, variant, the rows of an editor, and how many of them have each status."""


class Plan:
    """Compares what is wanted with what is there. `batched`: the outputs that scorers which work in
    batches have to do, as far as `each` has come; `idle`: how many others had nothing to do then.
    """

    def __init__(
        self, run: Run, told: Told, hashes: HashStore, retry: frozenset[Status], summary: Summary
    ) -> None:
        self._run, self._told, self._hashes, self._retry = run, told, hashes, retry
        self._summary = summary
        ids = {number: sample for number, (_, sample) in run.sample_names().items()}
        scorers = {scorer.name for scorer in told.scorers}
        self._done: dict[tuple[str, ...], Done] = {
            one[1:]: {ids[row[1]]: (row[6], row[4]) for row in run.records(number) if row[1] in ids}
            for one, number in run.series(told.benchmark).items()
            if one.scorer in scorers
        }
        self._rows: dict[tuple[int, str], list[_Series]] = {}
        self._made_by = [
            digest(scorer.name, scorer.source, origin)
            for scorer, origin in zip(told.scorers, told.origins, strict=True)
        ]
        self._by_editor: dict[str, list[tuple[Sample, EditRecord]]] = {}
        self._stale: list[tuple[RowKey, str]] = []
        self._ready: list[Row] = []
        self.batched: list[Item] = []
        self.idle = 0

    def each(
        self, parts: Iterable[tuple[Sequence[Sample], Sequence[EditRecord]]]
    ) -> Iterator[list[Item]]:
        """Of each part the outputs that need work by scorers that take one after another. Rows that
        need none (nothing to score) are written at once, and those that no longer count taken out.
        """
        for samples, edits in parts:
            of_sample: dict[str, list[EditRecord]] = {}
            for record in edits:
                of_sample.setdefault(record.sample, []).append(record)
            alone = [
                item
                for sample in samples
                for record in of_sample.get(sample.id, ())
                for item in self._of_output(sample, record)
            ]
            self._write()
            self.idle += len(edits) - len(alone)
            yield alone

    def sets(self) -> list[Item]:
        """The sets that need work, after `each` has seen all parts."""
        items = [
            item
            for number, scorer in enumerate(self._told.scorers)
            if scorer.whole_set
            for item in self._of_sets(number, scorer)
        ]
        self._write()
        return items

    def _write(self) -> None:
        if self._stale:
            self._run.drop(self._stale)
        if self._ready:
            self._run.put(self._ready)
        self._summary.computed += len(self._ready)
        self._stale, self._ready = [], []

    def _of_output(self, sample: Sample, record: EditRecord) -> Iterator[Item]:
        self._by_editor.setdefault(record.editor, []).append((sample, record))
        fault, tasks = sample.fault, list[Task]()
        asked = variants.marks(record.settings)
        for number, scorer in enumerate(self._told.scorers):
            if scorer.whole_set:
                continue
            why: Why = None
            if fault is not None:  # the data's fault first, then the scorer's own word
                why = (Status.DATASET_FAULT, fault)
            elif (reason := scorer.applies(sample)) is not None:
                why = (Status.NOT_APPLICABLE, reason)
            elif record.status is not Status.SCORED:
                why = (record.status, record.reason)
            inputs = [why[0].value, why[1]] if why else [self._inputs_of(scorer, sample)]
            mark = digest(self._made_by[number], *inputs, record.fingerprint, *asked)
            if task := self._task(number, sample.id, record.editor, mark, why):
                tasks.append(task)
        if tasks:
            edit = record.edit(self._run.path)
            mine = [one for one in tasks if self._told.scorers[one.scorer].batch > 1]
            if mine:
                self.batched.append(Item(sample, edit, tuple(mine), record.fingerprint))
            if rest := tuple(one for one in tasks if one not in mine):
                yield Item(sample, edit, rest, record.fingerprint)

    def _of_sets(self, number: int, scorer: Scorer) -> Iterator[Item]:
        for editor, every in sorted(self._by_editor.items()):
            there = [(s, r) for s, r in every if s.fault is None and r.edit(self._run.path).ok]
            marks = [digest(self._named(scorer, s), r.fingerprint) for s, r in there]
            mark = digest(self._made_by[number], sorted(marks))
            why = None if there else (Status.MISSING, "no output to score")
            if task := self._task(number, "*", editor, mark, why):
                pairs = tuple((sample, record.edit(self._run.path)) for sample, record in there)
                yield Item(*pairs[0], (task,), pairs=pairs)

    def _task(self, number: int, sample: str, editor: str, mark: str, why: Why) -> Task | None:
        """What has no row of this fingerprint; with a `why` its rows are made here: None."""
        wanted, name = set[tuple[str, str]](), bytes.fromhex(mark)
        for metric, variant, done, counts in self._series(number, editor):
            known = done.get(sample)
            if known is not None and known[0] == name and known[1] not in self._retry:
                self._summary.kept += 1
                counts[known[1]] += 1
                continue
            wanted.add((metric, variant))
            if known is not None:
                scorer = self._told.scorers[number]
                names = (self._told.benchmark, sample, editor, scorer.name, metric, variant)
                self._stale.append(((*names, scorer.source, 0), unpacked(known[0])))
        if not wanted:
            return None
        task = Task(number, mark, frozenset(wanted))
        if why is None:
            return task
        rows = self._told.without((sample, editor), task, *why)
        self._ready += rows
        self._summary.count(rows)
        return None

    def _series(self, number: int, editor: str) -> list[_Series]:
        """The metrics and variants of a scorer, each with its rows of an editor and their count."""
        if (number, editor) not in self._rows:
            scorer, rows = self._told.scorers[number], list[_Series]()
            for name, variant in ((one.name, v) for one in scorer.metrics for v in one.variants):
                key = (editor, scorer.name, name, variant)
                done = self._done.get((*key, scorer.source), {})
                rows.append((name, variant, done, self._summary.counter(*key)))
            self._rows[number, editor] = rows
        return self._rows[number, editor]

    def _inputs_of(self, scorer: Scorer, sample: Sample) -> list[Any]:
        """The fields of a sample that a scorer names, each picture as the hash of its bytes."""
        try:
            return self._named(scorer, sample)
        except ImageError:
            return ["unreadable input"]

    def _named(self, scorer: Scorer, sample: Sample) -> list[Any]:
        return [(name, self._mark(getattr(sample, name))) for name in scorer.inputs]

    def _mark(self, value: Any) -> Any:
        if isinstance(value, Path):
            try:
                return self._hashes(value)
            except ImageError:
                if os.path.isfile(value):
                    raise
                return "no such file"
        if isinstance(value, Mapping):
            return {str(key): self._mark(value[key]) for key in sorted(value)}
        if isinstance(value, tuple | list):
            return [self._mark(part) for part in value]
        return value
