"""Score: decide what is still to be done, do it on a pool of processes, write rows as they come.

The same rows to the last bit come out whatever the number of workers, the order, or how often it
was stopped: scorers are pure, and which row is needed is decided by its fingerprint alone.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from pathlib import Path

from editgauge.run import worker
from editgauge.run.engine import Engine, Job, engine_of
from editgauge.run.needs import Needs
from editgauge.run.plan import Item, Plan, make_rows
from editgauge.store import segments
from editgauge.store.hashes import HashStore
from editgauge.store.run_folder import EditRecord, RowWriter, RunFolder
from editgauge.store.summary import Summary
from editgauge.types import Sample, Scorer, SetScorer, Status, not_scored

Progress = Callable[[int, int, str], None]
"""Called with outputs done, outputs to do, and what is going on."""
BATCH = 16


def score(
    run: RunFolder,
    benchmark: str,
    samples: Sequence[Sample],
    edits: Sequence[EditRecord],
    scorers: Sequence[Scorer | SetScorer],
    *,
    hashes: HashStore,
    workers: int | Engine = 1,
    retry: frozenset[Status] = frozenset(),
    seconds_an_output: float = 600.0,
    roots: Sequence[Path] = (),
    alone: bool = False,
    progress: Progress | None = None,
) -> Summary:
    """Bring the rows of these scorers up to date for these samples and edits; return what was done.

    A row whose fingerprint is already there is left alone, unless its status is in `retry`.
    `workers` processes (0: this process) score outputs; scorers that work in batches, or on whole
    sets, run after that in one process with all cores. With `alone` that holds for every scorer,
    one output at a time: for what keeps a model loaded. An engine may take the place of the number.
    `roots` are folders whose names are cut out of reasons, so that no absolute path is stored.
    Raises `RunError` when rows cannot be written;
    everything written before stays.
    """
    began = time.perf_counter()
    plan = Plan(run, benchmark, samples, edits, scorers, hashes, retry)
    run.keep_metrics(benchmark, [metric for scorer in scorers for metric in scorer.metrics])
    with run.writer("plan") as writer:
        items = plan.make(writer.write, writer.retire)
    token = f"score-{secrets.token_hex(4)}"
    cut = tuple(str(root) for root in (run.path, *roots))
    phases = (
        ("scoring", [i for i in items if not i.pairs], alone),
        ("scoring in batches", plan.batch_items, True),
        ("scoring sets", [i for i in items if i.pairs], True),
    )
    engine = engine_of(workers)
    start_args = (str(run.path), benchmark, list(scorers), None if engine.away else token, cut)
    with run.writer("gathered") as writer:  # no segment where nothing is written
        for note, items, kept in phases:
            if not items:
                continue
            job: Job[Item, worker.Counts] = Job(
                work=worker.work,
                start=worker.start,
                start_args=start_args,
                unfinished=lambda batch: _unfinished(run, token, plan, batch),
                seconds_an_item=seconds_an_output * max([1, *(len(item.pairs) for item in items)]),
                alone=kept,
                joinable=True,
                needs=_needs(plan, items),
                places=(run.path / "manifest.json", *roots),
            )
            most = 1 if alone else _largest_batch(plan, items) if kept else BATCH
            _run_phase(plan, run, items, note, job, engine, writer, most, progress)
    hashes.flush()
    plan.summary.seconds = time.perf_counter() - began
    plan.summary.problems += run.problems
    return plan.summary


def _run_phase(
    plan: Plan,
    run: RunFolder,
    items: Sequence[Item],
    note: str,
    job: Job[Item, worker.Counts],
    engine: Engine,
    writer: RowWriter,
    most: int,
    progress: Progress | None,
) -> None:
    total, done = len(items), 0
    if progress:
        progress(0, total, note)
    for outcome in engine.outcomes(job, _batches(items, engine.workers(job), most)):
        if outcome.died:
            _write_dead(plan, outcome.items, outcome.died, writer)
        elif outcome.result is not None:  # None: rows of a worker that died, counted already
            writer.write(outcome.result.rows)
            _add(plan, run, outcome.result)
        done += len(outcome.items)
        if progress:
            progress(min(done, total), total, note)


def _needs(plan: Plan, items: Sequence[Item]) -> Needs:
    """Enough for each scorer that has work, on the largest of the outputs."""
    wanted = {task.scorer for item in items for task in item.tasks}
    pixels = max((item.edit.width or 0) * (item.edit.height or 0) for item in items)
    return reduce(Needs.with_, (Needs.of(plan.scorers[index], pixels) for index in sorted(wanted)))


def _add(plan: Plan, run: RunFolder, done: worker.Counts) -> None:
    for (editor, scorer, metric, variant, status), number in done.tally.items():
        plan.summary.add(editor, scorer, metric, variant, Status(status), number)
    plan.summary.computed += sum(done.tally.values())
    plan.summary.scorer_seconds.update(done.seconds)
    plan.summary.scorer_outputs.update(done.outputs)
    plan.summary.scorer_gpu_seconds.update(done.gpu_seconds)
    for path in done.changed:
        plan.hashes.forget(path, lasting=True)
        place = path.relative_to(run.path).as_posix()
        plan.summary.problems.append(
            f"{place}: its bytes are no longer those of its record, and it was not scored; the "
            f"same command again takes it from --outputs, or scores it as it is now"
        )


def _batches(items: Sequence[Item], workers: int, most: int = BATCH) -> Iterator[Sequence[Item]]:
    """Batches of up to `most` outputs, smaller when there are few: every worker should have
    something to do.
    """
    size = max(1, min(most, -(-len(items) // max(1, workers * 4))))
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _largest_batch(plan: Plan, items: Sequence[Item]) -> int:
    """As many outputs as any of the scorers takes at once: a GPU wants more than a worker process
    does.
    """
    wanted = {task.scorer for item in items for task in item.tasks}
    return max([BATCH, *(getattr(plan.scorers[index], "batch_size", BATCH) for index in wanted)])


def _unfinished(run: RunFolder, token: str, plan: Plan, batch: Sequence[Item]) -> Sequence[Item]:
    """The items of a batch whose rows are not all in this call's segments; those that are, are
    counted.
    """
    written: dict[tuple[str, ...], Status] = {}
    for path in segments.segments(run.path / "rows" / "segments", token):
        for line in segments.read(path, []):
            key = tuple(
                str(line[name]) for name in ("sample", "editor", "scorer", "metric", "variant")
            )
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


def _write_dead(plan: Plan, items: Sequence[Item], died: str, writer: RowWriter) -> None:
    for item in items:
        for task in item.tasks:
            scorer = plan.scorers[task.scorer]
            scores = not_scored(scorer.metrics, Status.FAILED, died)
            sample = "*" if item.pairs else item.sample.id
            rows = make_rows(
                plan.benchmark,
                sample,
                item.edit.editor,
                scorer,
                scores,
                task.fingerprint,
                task.wanted,
            )
            writer.write(rows)
            plan.summary.computed += len(rows)
            for row in rows:
                plan.summary.add(row.editor, row.scorer, row.metric, row.variant, row.status)
