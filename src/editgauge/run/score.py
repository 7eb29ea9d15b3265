"""Score: decide what is still to be done, do it on a pool of processes, write rows as they come.

The same rows to the last bit come out whatever the number of workers, the order, or how often it was stopped: scorers
are pure, and which row is needed is decided by its fingerprint alone.
"""

from __future__ import annotations

import os
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from editgauge import segments
from editgauge.errors import EditgaugeError, ImageError, MissingExtra, RunError
from editgauge.hashes import HashStore
from editgauge.portable import portable, without_roots
from editgauge.results import EditRecord, RowKey, RunFolder, digest
from editgauge.run.pool import run_batches
from editgauge.types import (
    BatchScorer,
    Edit,
    Row,
    Sample,
    Score,
    Scorer,
    SetScorer,
    Status,
    not_scored,
)

Progress = Callable[[int, int, str], None]
"""Called with outputs done, outputs to do, and what is going on."""
BATCH = 16
_SENT_EVERY = 2000


@dataclass(frozen=True, slots=True)
class Task:
    """One scorer on one output: the fingerprint of its rows and which (metric, variant) are still wanted."""

    scorer: int
    fingerprint: str
    wanted: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Item:
    """One output and the scorers that have work on it. For a set scorer: one editor and all its pairs."""

    sample: Sample
    edit: Edit
    tasks: tuple[Task, ...]
    pairs: tuple[tuple[Sample, Edit], ...] = ()


@dataclass(slots=True)
class Summary:
    """What a `score` call did. `counts` maps (editor, scorer, metric, variant) to how many rows have each status."""

    counts: dict[tuple[str, str, str, str], Counter[str]] = field(default_factory=dict)
    computed: int = 0
    """Rows written by this call with work done for them."""
    kept: int = 0
    """Rows that were there already."""
    seconds: float = 0.0
    scorer_seconds: Counter[str] = field(default_factory=Counter)
    """Processor seconds inside each scorer, summed over the workers."""
    problems: list[str] = field(default_factory=list)

    def add(self, editor: str, scorer: str, metric: str, variant: str, status: Status, number: int = 1) -> None:
        self.counts.setdefault((editor, scorer, metric, variant), Counter())[status.value] += number

    @property
    def without_score(self) -> int:
        """Rows that should have a value and have none (not_applicable does not count)."""
        fine = (Status.SCORED.value, Status.NOT_APPLICABLE.value)
        return sum(n for counter in self.counts.values() for status, n in counter.items() if status not in fine)


def score(
    run: RunFolder,
    benchmark: str,
    samples: Sequence[Sample],
    edits: Sequence[EditRecord],
    scorers: Sequence[Scorer | SetScorer],
    *,
    hashes: HashStore,
    workers: int = 1,
    retry: frozenset[Status] = frozenset(),
    seconds_an_output: float = 600.0,
    roots: Sequence[Path] = (),
    progress: Progress | None = None,
) -> Summary:
    """Bring the rows of these scorers up to date for these samples and edits; return what was done.

    A row whose fingerprint is already there is left alone, unless its status is in `retry`. `workers` processes
    (0: this process) score outputs; scorers that work in batches, or on whole sets, run after that in one process
    with all cores. `roots` are folders whose names are cut out of reasons, so that no absolute path is stored.
    Raises `RunError` when rows cannot be written; everything written before stays.
    """
    began = time.perf_counter()
    plan = _Plan(run, benchmark, samples, edits, scorers, hashes, retry)
    with run.writer("plan") as writer:
        items = plan.make(writer.write, writer.retire)
    token = f"score-{secrets.token_hex(4)}"
    cut = tuple(str(root) for root in (run.path, *roots))
    phases = (
        ("scoring", [i for i in items if not i.pairs], False),
        ("scoring in batches", plan.batch_items, True),
        ("scoring sets", [i for i in items if i.pairs], True),
    )
    for note, work, alone in phases:
        if work:
            start_args = (str(run.path), benchmark, list(scorers), token, cut)
            _run_phase(plan, work, note, alone, workers, start_args, seconds_an_output, progress, run, token)
    hashes.flush()
    plan.summary.seconds = time.perf_counter() - began
    plan.summary.problems += run.problems
    return plan.summary


# -- what is to be done --------------------------------------------------------------------------------------------


class _Plan:
    """Compares what is wanted with what is there."""

    def __init__(
        self,
        run: RunFolder,
        benchmark: str,
        samples: Sequence[Sample],
        edits: Sequence[EditRecord],
        scorers: Sequence[Scorer | SetScorer],
        hashes: HashStore,
        retry: frozenset[Status],
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
        self.origins = [digest(scorer.name, scorer.source, dict(scorer.origin())) for scorer in scorers]
        self.retired: list[tuple[RowKey, str]] = []
        self.ready: list[Row] = []

    def make(self, write: Callable[[list[Row]], int], retire: Callable[[list[tuple[RowKey, str]]], int]) -> list[Item]:
        """The outputs that need work. Rows that need none (nothing to score) are written at once."""
        items: list[Item] = []
        for sample in self.samples:
            for record in self.edits.get(sample.id, ()):
                edit = record.edit(self.run.path)
                quick, batched = self._tasks(sample, edit, record)
                if quick:
                    items.append(Item(sample, edit, tuple(quick)))
                if batched:
                    self.batch_items.append(Item(sample, edit, tuple(batched)))
                if len(self.ready) + len(self.retired) > _SENT_EVERY:
                    self._send(write, retire)
        items += self._set_items()
        self._send(write, retire)
        return items

    def _send(self, write: Callable[[list[Row]], int], retire: Callable[[list[tuple[RowKey, str]]], int]) -> None:
        if self.retired:
            retire(self.retired)
        if self.ready:
            write(self.ready)
            self.summary.computed += len(self.ready)
        self.retired, self.ready = [], []

    def _tasks(self, sample: Sample, edit: Edit, record: EditRecord) -> tuple[list[Task], list[Task]]:
        quick: list[Task] = []
        batched: list[Task] = []
        for index, scorer in enumerate(self.scorers):
            if not isinstance(scorer, Scorer):
                continue
            why_not = _nothing_to_score(scorer, sample, edit)
            mark = self._fingerprint(index, scorer, sample, record, why_not)
            wanted = self._wanted(scorer, sample.id, edit.editor, mark)
            if not wanted:
                continue
            if why_not is not None:
                self._write_down(scorer, sample.id, edit.editor, mark, wanted, *why_not)
                continue
            target = batched if isinstance(scorer, BatchScorer) else quick
            target.append(Task(index, mark, wanted))
        return quick, batched

    def _set_items(self) -> list[Item]:
        items = []
        by_editor: dict[str, list[tuple[Sample, Edit, EditRecord]]] = {}
        known = {sample.id: sample for sample in self.samples}
        for records in self.edits.values():
            for record in records:
                if record.sample in known:
                    by_editor.setdefault(record.editor, []).append(
                        (known[record.sample], record.edit(self.run.path), record)
                    )
        for index, scorer in enumerate(self.scorers):
            if isinstance(scorer, Scorer):
                continue
            for editor, all_pairs in sorted(by_editor.items()):
                pairs = [(s, e, r) for s, e, r in all_pairs if e.ok and s.fault is None]
                marks = sorted(digest(self._picture_marks(scorer.inputs, s), r.fingerprint) for s, _, r in pairs)
                mark = digest(self.origins[index], marks)
                wanted = self._wanted(scorer, "*", editor, mark)
                if wanted and not pairs:
                    self._write_down(scorer, "*", editor, mark, wanted, Status.MISSING, "no output to score")
                elif wanted:
                    sample, edit, _ = pairs[0]
                    task = Task(index, mark, wanted)
                    items.append(Item(sample, edit, (task,), tuple((s, e) for s, e, _ in pairs)))
        return items

    def _wanted(self, scorer: Scorer | SetScorer, sample: str, editor: str, mark: str) -> frozenset[tuple[str, str]]:
        """Which (metric, variant) have no row of this fingerprint yet; rows of other fingerprints are retired."""
        wanted = set()
        for metric in scorer.metrics:
            for variant in metric.variants:
                key: RowKey = (
                    self.benchmark, sample, editor, scorer.name, metric.name, variant, scorer.source, 0,
                )  # fmt: skip
                known = self.done.get(key, {})
                self.retired += [(key, old) for old in known if old != mark]
                status = known.get(mark)
                if status is None or status in self.retry:
                    if status is not None:
                        self.retired.append((key, mark))
                    wanted.add((metric.name, variant))
                else:
                    self.summary.kept += 1
                    self.summary.add(editor, scorer.name, metric.name, variant, status)
        return frozenset(wanted)

    def _write_down(
        self,
        scorer: Scorer | SetScorer,
        sample: str,
        editor: str,
        mark: str,
        wanted: frozenset[tuple[str, str]],
        status: Status,
        reason: str,
    ) -> None:
        scores = not_scored(scorer.metrics, status, reason)
        rows = make_rows(self.benchmark, sample, editor, scorer, scores, mark, wanted)
        self.ready += rows
        for row in rows:
            self.summary.add(editor, scorer.name, row.metric, row.variant, row.status)

    def _fingerprint(
        self, index: int, scorer: Scorer, sample: Sample, record: EditRecord, why_not: tuple[Status, str] | None
    ) -> str:
        if why_not is not None:
            return digest(self.origins[index], why_not[0].value, why_not[1], record.fingerprint)
        try:
            marks = self._picture_marks(scorer.inputs, sample)
        except ImageError:
            marks = ["unreadable input"]
        return digest(self.origins[index], marks, record.fingerprint)

    def _picture_marks(self, inputs: Sequence[str], sample: Sample) -> list[Any]:
        """The named fields of a sample, each picture as the hash of its bytes (a missing file as such)."""
        return [(name, self._mark(getattr(sample, name))) for name in inputs]

    def _mark(self, value: Any) -> Any:
        if isinstance(value, Path):
            return self.hashes(value) if value.is_file() else "no such file"
        if isinstance(value, Mapping):
            return {str(key): self._mark(value[key]) for key in sorted(value)}
        if isinstance(value, tuple | list):
            return [self._mark(part) for part in value]
        return value


def _nothing_to_score(scorer: Scorer, sample: Sample, edit: Edit) -> tuple[Status, str] | None:
    """Why a scorer need not be called on an output, or None: the data's fault first, then the scorer's own word."""
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
    sample: str,
    editor: str,
    scorer: Scorer | SetScorer,
    scores: Iterable[Score],
    fingerprint: str,
    wanted: frozenset[tuple[str, str]],
) -> list[Row]:
    """Scores as rows, those that are wanted."""
    origin = dict(scorer.origin())
    return [
        Row(
            benchmark, sample, editor, scorer.name, score.metric, score.variant, score.value, score.status,
            score.reason, fingerprint, scorer.source, 0, score.detail, origin,
        )
        for score in scores
        if (score.metric, score.variant) in wanted
    ]  # fmt: skip


# -- doing it ------------------------------------------------------------------------------------------------------


def _run_phase(
    plan: _Plan,
    items: list[Item],
    note: str,
    alone: bool,
    workers: int,
    start_args: tuple[Any, ...],
    seconds_an_output: float,
    progress: Progress | None,
    run: RunFolder,
    token: str,
) -> None:
    total, done = len(items), 0
    if progress:
        progress(0, total, note)
    width = workers if not alone else min(workers, 1)
    limit = seconds_an_output * max((len(item.pairs) for item in items), default=0) or seconds_an_output
    outcomes = run_batches(
        _batches(items, width, _largest_batch(plan, items) if alone else BATCH),
        _work,
        workers=width,
        start=_start,
        start_args=start_args,
        unfinished=lambda batch: _unfinished(run, token, plan, batch),
        seconds_an_item=limit,
        threads=(os.cpu_count() or 1) if alone else 1,
    )
    for outcome in outcomes:
        if outcome.died:
            _write_dead(plan, run, outcome.items, outcome.died)
        else:
            tally, seconds = cast("tuple[Counter[Any], Counter[str]]", outcome.result)
            for (editor, scorer, metric, variant, status), number in tally.items():
                plan.summary.add(editor, scorer, metric, variant, Status(status), number)
            plan.summary.computed += sum(tally.values())
            plan.summary.scorer_seconds.update(seconds)
        done += len(outcome.items)
        if progress:
            progress(min(done, total), total, note)


def _batches(items: Sequence[Item], workers: int, most: int = BATCH) -> Iterator[Sequence[Item]]:
    """Batches of up to `most` outputs, smaller when there are few: every worker should have something to do."""
    size = max(1, min(most, -(-len(items) // max(1, workers * 4))))
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _largest_batch(plan: _Plan, items: Sequence[Item]) -> int:
    """As many outputs as any of the scorers takes at once: a GPU wants more than a worker process does."""
    wanted = {task.scorer for item in items for task in item.tasks}
    return max([BATCH, *(getattr(plan.scorers[index], "batch_size", BATCH) for index in wanted)])


def _unfinished(run: RunFolder, token: str, plan: _Plan, batch: Sequence[Item]) -> Sequence[Item]:
    """The items of a batch whose rows are not all in this call's segments; those that are, are counted."""
    written: dict[tuple[str, ...], Status] = {}
    for path in segments.segments(run.path / "rows" / "segments", token):
        for line in segments.read(path, []):
            key = tuple(str(line[name]) for name in ("sample", "editor", "scorer", "metric", "variant"))
            written[key] = Status(line["status"])
    left = []
    for item in batch:
        sample = "*" if item.pairs else item.sample.id
        wanted = [
            (sample, item.edit.editor, plan.scorers[task.scorer].name, *pair)
            for task in item.tasks
            for pair in task.wanted
        ]
        if not all(key in written for key in wanted):
            left.append(item)
            continue
        for key in wanted:
            plan.summary.add(key[1], key[2], key[3], key[4], written[key])
            plan.summary.computed += 1
    return left


def _write_dead(plan: _Plan, run: RunFolder, items: Sequence[Item], died: str) -> None:
    with run.writer("failed") as writer:
        for item in items:
            for task in item.tasks:
                scorer = plan.scorers[task.scorer]
                scores = not_scored(scorer.metrics, Status.FAILED, died)
                sample = "*" if item.pairs else item.sample.id
                rows = make_rows(
                    plan.benchmark, sample, item.edit.editor, scorer, scores, task.fingerprint, task.wanted
                )
                writer.write(rows)
                plan.summary.computed += len(rows)
                for row in rows:
                    plan.summary.add(row.editor, row.scorer, row.metric, row.variant, row.status)


@dataclass(slots=True)
class _Worker:
    benchmark: str
    scorers: list[Scorer | SetScorer]
    writer: Any
    cut: tuple[str, ...]


_worker: _Worker | None = None


def _start(run: str, benchmark: str, scorers: list[Scorer | SetScorer], token: str, cut: tuple[str, ...]) -> None:
    """Prepare a worker process (or this one): the scorers and a segment of its own."""
    global _worker  # noqa: PLW0603 - a worker process is one worker
    from editgauge.workers import tune_worker

    tune_worker()
    _worker = _Worker(benchmark, scorers, RunFolder(Path(run)).writer(token), cut)


def _work(batch: Sequence[Item]) -> tuple[Counter[Any], Counter[str]]:
    """Score a batch, write its rows, give back counts only."""
    assert _worker is not None
    tally: Counter[Any] = Counter()
    seconds: Counter[str] = Counter()
    whole = {
        task.scorer for item in batch for task in item.tasks if isinstance(_worker.scorers[task.scorer], BatchScorer)
    }
    for index in sorted(whole):
        _score_batch(index, [i for i in batch if any(t.scorer == index for t in i.tasks)], tally, seconds)
    for item in batch:
        rows: list[Row] = []
        for task in item.tasks:
            if task.scorer in whole:
                continue
            scorer = _worker.scorers[task.scorer]
            began = time.process_time()
            scores = _guarded(scorer, item)
            seconds[scorer.name] += time.process_time() - began  # type: ignore[assignment]
            rows += _rows(item, task, scores)
        _worker.writer.write(rows)
        _count(rows, tally)
    return tally, seconds


def _score_batch(index: int, items: Sequence[Item], tally: Counter[Any], seconds: Counter[str]) -> None:
    assert _worker is not None
    scorer = cast(BatchScorer, _worker.scorers[index])
    size = max(1, scorer.batch_size)
    for start in range(0, len(items), size):
        part = items[start : start + size]
        began = time.process_time()
        try:
            found: Sequence[Sequence[Score]] = scorer.score_batch([(item.sample, item.edit) for item in part])
        except RunError:
            raise
        except Exception:  # one bad picture must not cost the batch: find it by scoring one at a time
            found = [_guarded(scorer, item) for item in part]
        seconds[scorer.name] += time.process_time() - began  # type: ignore[assignment]
        rows = []
        for item, scores in zip(part, found, strict=True):
            task = next(task for task in item.tasks if task.scorer == index)
            rows += _rows(item, task, scores)
        _worker.writer.write(rows)
        _count(rows, tally)


def _rows(item: Item, task: Task, scores: Sequence[Score]) -> list[Row]:
    assert _worker is not None
    scorer = _worker.scorers[task.scorer]
    promised = {(metric.name, variant) for metric in scorer.metrics for variant in metric.variants}
    given = {(score.metric, score.variant) for score in scores}
    if given != promised:
        reason = f"{scorer.name} promised {sorted(promised)} and gave {sorted(given)}"
        scores = not_scored(scorer.metrics, Status.FAILED, reason)
    sample = "*" if item.pairs else item.sample.id
    clean = [_portable(score) for score in scores]
    return make_rows(_worker.benchmark, sample, item.edit.editor, scorer, clean, task.fingerprint, task.wanted)


def _guarded(scorer: Scorer | SetScorer, item: Item) -> Sequence[Score]:
    """Call a scorer; what it raises becomes a status and a reason."""
    try:
        if item.pairs:
            return cast(SetScorer, scorer)(item.pairs)
        return cast(Scorer, scorer)(item.sample, item.edit)
    except RunError:
        raise
    except ImageError as error:
        ours = error.path is not None and error.path != item.edit.path
        status = Status.DATASET_FAULT if ours else Status.UNREADABLE
        return not_scored(scorer.metrics, status, str(error))
    except (EditgaugeError, MissingExtra) as error:
        return not_scored(scorer.metrics, Status.FAILED, str(error))
    except Exception as error:  # whatever a scorer throws ends as a row that says so; the rest goes on
        return not_scored(scorer.metrics, Status.FAILED, f"{type(error).__name__}: {error}")


def _portable(score: Score) -> Score:
    """A score without absolute paths, whoever wrote its reason: rows are read on other machines."""
    assert _worker is not None
    if not score.reason and not score.detail:
        return score
    reason = portable(score.reason, _worker.cut)
    return replace(score, reason=reason, detail=without_roots(score.detail, _worker.cut))


def _count(rows: Sequence[Row], tally: Counter[Any]) -> None:
    for row in rows:
        tally[(row.editor, row.scorer, row.metric, row.variant, row.status.value)] += 1
