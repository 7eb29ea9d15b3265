"""What is still to be scored: what is wanted compared with what is there, row by row, by
fingerprint.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
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

_SENT_EVERY = 2000
_Output = tuple[Sample, Edit, EditRecord]


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
        retry: frozenset[Status],
        origins: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.run, self.benchmark, self.scorers = run, benchmark, scorers
        self.samples = samples
        self.hashes = hashes
        self.retry = retry
        self.summary = Summary()
        self.batch_items: list[Item] = []
        self.edits: dict[str, list[EditRecord]] = {}
        for record in edits:
            self.edits.setdefault(record.sample, []).append(record)
        self.done = run.done(benchmark, sorted({scorer.name for scorer in scorers}))
        self.origins = [dict((origins or {}).get(s.name) or s.origin()) for s in scorers]
        """What the rows of each scorer were made by."""
        self._marks_of = [
            digest(scorer.name, scorer.source, origin)
            for scorer, origin in zip(scorers, self.origins, strict=True)
        ]
        self._pairs = [
            [(metric.name, variant) for metric in scorer.metrics for variant in metric.variants]
            for scorer in scorers
        ]
        self._marks: tuple[str, dict[tuple[str, ...], list[Any]]] = ("", {})
        self.retired: list[tuple[RowKey, str]] = []
        self.ready: list[Row] = []

    def make(
        self, write: Callable[[list[Row]], int], retire: Callable[[list[tuple[RowKey, str]]], int]
    ) -> list[Item]:
        """The outputs that need work. Rows that need none (nothing to score) are written at
        once.
        """
        items: list[Item] = []
        for_sets = any(scorer.whole_set for scorer in self.scorers)
        by_editor: dict[str, list[_Output]] = {}
        for sample in self.samples:
            for record in self.edits.get(sample.id, ()):
                edit = record.edit(self.run.path)
                if for_sets:
                    by_editor.setdefault(record.editor, []).append((sample, edit, record))
                quick, batched = self._tasks(sample, edit, record)
                if quick:
                    items.append(
                        Item(
                            sample=sample,
                            edit=edit,
                            tasks=tuple(quick),
                            picture_hash=record.fingerprint,
                        )
                    )
                if batched:
                    item = Item(
                        sample=sample,
                        edit=edit,
                        tasks=tuple(batched),
                        picture_hash=record.fingerprint,
                    )
                    self.batch_items.append(item)
                if len(self.ready) + len(self.retired) > _SENT_EVERY:
                    self._send(write, retire)
        items += self._set_items(by_editor)
        self._send(write, retire)
        return items

    def _send(
        self, write: Callable[[list[Row]], int], retire: Callable[[list[tuple[RowKey, str]]], int]
    ) -> None:
        if self.retired:
            retire(self.retired)
        if self.ready:
            write(self.ready)
            self.summary.computed += len(self.ready)
        self.retired, self.ready = [], []

    def _tasks(
        self, sample: Sample, edit: Edit, record: EditRecord
    ) -> tuple[list[Task], list[Task]]:
        quick: list[Task] = []
        batched: list[Task] = []
        for index, scorer in enumerate(self.scorers):
            if scorer.whole_set:
                continue
            why_not = _nothing_to_score(scorer, sample, edit)
            fingerprint = self._fingerprint(index, scorer, sample, record, why_not)
            wanted = self._wanted(index, sample.id, edit.editor, fingerprint)
            if not wanted:
                continue
            if why_not is not None:
                self._write_down(index, sample.id, edit.editor, fingerprint, wanted, *why_not)
                continue
            target = batched if scorer.batch > 1 else quick
            target.append(Task(index, fingerprint, wanted))
        return quick, batched

    def _set_items(self, by_editor: Mapping[str, Sequence[_Output]]) -> list[Item]:
        items = []
        for index, scorer in enumerate(self.scorers):
            if not scorer.whole_set:
                continue
            for editor, all_pairs in sorted(by_editor.items()):
                pairs = [(s, e, r) for s, e, r in all_pairs if e.ok and s.fault is None]
                fingerprints = sorted(
                    digest(self._picture_marks(scorer.inputs, s), r.fingerprint)
                    for s, _, r in pairs
                )
                fingerprint = digest(self._marks_of[index], fingerprints)
                wanted = self._wanted(index, "*", editor, fingerprint)
                if wanted and not pairs:
                    self._write_down(
                        index,
                        "*",
                        editor,
                        fingerprint,
                        wanted,
                        Status.MISSING,
                        "no output to score",
                    )
                elif wanted:
                    sample, edit, _ = pairs[0]
                    task = Task(index, fingerprint, wanted)
                    scored = tuple((s, e) for s, e, _ in pairs)
                    items.append(Item(sample=sample, edit=edit, tasks=(task,), pairs=scored))
        return items

    def _wanted(
        self, index: int, sample: str, editor: str, fingerprint: str
    ) -> frozenset[tuple[str, str]]:
        """Which (metric, variant) have no row of this fingerprint yet; rows of other fingerprints
        are retired.
        """
        scorer, wanted = self.scorers[index], set()
        for metric, variant in self._pairs[index]:
            key: RowKey = (
                self.benchmark, sample, editor, scorer.name, metric, variant, scorer.source, 0,
            )  # fmt: skip
            known = self.done.get(key, {})
            self.retired += [(key, old) for old in known if old != fingerprint]
            status = known.get(fingerprint)
            if status is None or status in self.retry:
                if status is not None:
                    self.retired.append((key, fingerprint))
                wanted.add((metric, variant))
            else:
                self.summary.kept += 1
                self.summary.add(editor, scorer.name, metric, variant, status)
        return frozenset(wanted)

    def _write_down(
        self,
        index: int,
        sample: str,
        editor: str,
        fingerprint: str,
        wanted: frozenset[tuple[str, str]],
        status: Status,
        reason: str,
    ) -> None:
        scorer = self.scorers[index]
        scores = not_scored(scorer.metrics, status, reason)
        task = Task(index, fingerprint, wanted)
        rows = make_rows(
            self.benchmark, (sample, editor), scorer, self.origins[index], task, scores
        )
        self.ready += rows
        for row in rows:
            self.summary.add(editor, scorer.name, row.metric, row.variant, row.status)

    def _fingerprint(
        self,
        index: int,
        scorer: Scorer,
        sample: Sample,
        record: EditRecord,
        why_not: tuple[Status, str] | None,
    ) -> str:
        asked = variants.marks(record.settings)
        if why_not is not None:
            reason = (why_not[0].value, why_not[1])
            return digest(self._marks_of[index], *reason, record.fingerprint, *asked)
        if self._marks[0] != sample.id:  # several editors and scorers ask for the same pictures
            self._marks = (sample.id, {})
        fingerprints = self._marks[1].get(tuple(scorer.inputs))
        if fingerprints is None:
            try:
                fingerprints = self._picture_marks(scorer.inputs, sample)
            except ImageError:
                fingerprints = ["unreadable input"]
            self._marks[1][tuple(scorer.inputs)] = fingerprints
        return digest(self._marks_of[index], fingerprints, record.fingerprint, *asked)

    def _picture_marks(self, inputs: Sequence[str], sample: Sample) -> list[Any]:
        """The named fields of a sample, each picture as the hash of its bytes (a missing file as
        such).
        """
        return [(name, self._mark(getattr(sample, name))) for name in inputs]

    def _mark(self, value: Any) -> Any:
        if isinstance(value, Path):
            return self.hashes(value) if os.path.isfile(value) else "no such file"
        if isinstance(value, Mapping):
            return {str(key): self._mark(value[key]) for key in sorted(value)}
        if isinstance(value, tuple | list):
            return [self._mark(part) for part in value]
        return value


def _nothing_to_score(scorer: Scorer, sample: Sample, edit: Edit) -> tuple[Status, str] | None:
    """Why a scorer need not be called on an output, or None: the data's fault first, then the
    scorer's own word.
    """
    if sample.fault is not None:
        return Status.DATASET_FAULT, sample.fault
    reason = scorer.applies(sample)
    if reason is not None:
        return Status.NOT_APPLICABLE, reason
    if not edit.ok:
        return edit.status, edit.reason
    return None


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
