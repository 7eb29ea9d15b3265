"""Score: decide what is still to be done, have it done by workers, write rows as they come.

The same rows to the last bit come out whatever the number of workers, the order, or how often it
was stopped: scorers are pure, and which row is needed is decided by its fingerprint alone.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

from editgauge.errors import UsageError
from editgauge.run import worker
from editgauge.run.material import Material
from editgauge.run.plan import Item, Plan, make_rows
from editgauge.run.workers import Workers, workers_of
from editgauge.scoring.failures import lacking
from editgauge.scoring.outside import own_scorers, scorers_of
from editgauge.scoring.scorer import Needs, Scorer
from editgauge.store.collect import edits_of, import_outputs, tell
from editgauge.store.hashes import HashStore
from editgauge.store.matching import matches_of
from editgauge.store.run import RowWriter, Run
from editgauge.store.schema import EditRecord
from editgauge.store.summary import Summary
from editgauge.types import TRACKS, Benchmark, Row, Sample, Status, Track, not_scored

Progress = Callable[[int, int, str], None]
"""Called with outputs done, outputs to do, and what is going on."""
BATCH = 16


def score(
    run: Run,
    benchmark: str,
    samples: Sequence[Sample],
    edits: Sequence[EditRecord],
    scorers: Sequence[Scorer],
    *,
    hashes: HashStore,
    workers: int | Workers = 1,
    retry: frozenset[Status] = frozenset(),
    seconds_an_output: float = 600.0,
    roots: Sequence[Path] = (),
    origins: Mapping[str, Mapping[str, Any]] | None = None,
    alone: bool = False,
    progress: Progress | None = None,
) -> Summary:
    """Bring the rows of these scorers up to date for these samples and edits; return what was done.

    A row whose fingerprint is already there is left alone, unless its status is in `retry`.
    `workers` processes (0: this process) score outputs; scorers that work in batches, or on whole
    sets, run after that in one process with all cores. With `alone` that holds for every scorer,
    one output at a time: for what keeps a model loaded. `Workers` may take the place of the number.
    `origins` stand in rows instead of the scorers' own. `roots` are folders whose names are cut out
    of reasons, so that no absolute path is stored. Raises `RunError` when rows cannot be written;
    everything written before stays.
    """
    began = time.perf_counter()
    plan = Plan(run, benchmark, samples, edits, scorers, hashes, retry, origins)
    run.keep_metrics(benchmark, [metric for scorer in scorers for metric in scorer.metrics])
    with run.writer("plan") as writer:
        items = plan.make(writer.write, writer.retire)
    phases = (
        ("scoring", [i for i in items if not i.pairs], alone),
        ("scoring in batches", plan.batch_items, True),
        ("scoring sets", [i for i in items if i.pairs], True),
    )
    cut = tuple(str(root) for root in (run.path, *roots))
    call = _Call(plan, run, workers_of(workers), cut, seconds_an_output, progress)
    with run.writer("score") as writer:
        for note, items, kept in phases:
            if items:
                most = 1 if alone else _largest_batch(plan, items) if kept else BATCH
                _run_phase(call, writer, items, note, most, alone=kept)
    hashes.flush()
    plan.summary.seconds = time.perf_counter() - began
    plan.summary.problems += run.problems
    return plan.summary


@dataclass(frozen=True, slots=True)
class _Call:
    """What all phases of one call share."""

    plan: Plan
    run: Run
    workers: Workers
    cut: tuple[str, ...]
    seconds: float
    progress: Progress | None


def _run_phase(
    call: _Call, writer: RowWriter, items: Sequence[Item], note: str, most: int, *, alone: bool
) -> None:
    total, done, plan = len(items), 0, call.plan
    progress = call.progress or (lambda *_: None)
    progress(0, total, note)
    needs = _needs(plan, items)
    for outcome in call.workers.batches(
        _batches(items, call.workers.number(needs, alone=alone), most),
        worker.work,
        start=worker.start,
        start_args=(
            worker.Told(plan.benchmark, list(plan.scorers), plan.origins, call.cut, call.run.path),
        ),
        seconds=call.seconds * max([1, *(len(item.pairs) for item in items)]),
        needs=needs,
        alone=alone,
        places=(call.run.path / "run.sqlite", *map(Path, call.cut)),
    ):
        if outcome.result is None:
            rows = _dead_rows(plan, outcome.items, outcome.died)
        else:
            rows = outcome.result.rows
            _note(plan, call.run, outcome.result)
        writer.write(rows)
        plan.summary.computed += len(rows)
        for row in rows:
            plan.summary.add(row.editor, row.scorer, row.metric, row.variant, row.status)
        done += len(outcome.items)
        progress(done, total, note)


def _needs(plan: Plan, items: Sequence[Item]) -> Needs:
    """Enough for each scorer that has work, on the largest of the outputs."""
    wanted = {task.scorer for item in items for task in item.tasks}
    pixels = max((item.edit.width or 0) * (item.edit.height or 0) for item in items)
    return reduce(Needs.with_, (plan.scorers[index].needs.on(pixels) for index in sorted(wanted)))


def _note(plan: Plan, run: Run, done: worker.Counts) -> None:
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
    return max([BATCH, *(plan.scorers[index].batch for index in wanted)])


def _dead_rows(plan: Plan, items: Sequence[Item], died: str) -> list[Row]:
    """Rows of outputs that end their worker."""
    rows: list[Row] = []
    for item in items:
        for task in item.tasks:
            scorer = plan.scorers[task.scorer]
            scores = not_scored(scorer.metrics, Status.FAILED, died)
            sample = "*" if item.pairs else item.sample.id
            place = (sample, item.edit.editor)
            origin = plan.origins[task.scorer]
            rows += make_rows(plan.benchmark, place, scorer, origin, task, scores)
    return rows


# -- the step --------------------------------------------------------------------------------------

_COMMAND = {"judge": "judge run", "human": "study"}
"""Tracks whose scores do not come from scorers, and the command that makes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be scored, and how.

    `tracks`: default those of the paper's table that need no weights. `outputs`: a folder in
    official naming; default the outputs of the run. `pattern` or `map`: where the outputs of the
    one editor have other names (`store.matching`). `editors`: only these. `explain`: ids of
    samples whose OCR scores are drawn. `retry`: rows of these statuses are made again. `options` go
    to the scorers (``ocr_engine``, ``weights``, ``device``…). `recorded`: more for the run's
    record.
    """

    tracks: Sequence[Track] = ()
    outputs: Path | None = None
    pattern: str = ""
    map: Path | None = None
    editors: Sequence[str] = ()
    explain: Sequence[str] = ()
    workers: int | Workers = 0
    retry: frozenset[Status] = frozenset()
    seconds_an_output: float = 600.0
    options: Mapping[str, Any] = field(default_factory=dict)
    recorded: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What a scoring did."""

    summary: Summary
    samples: Mapping[str, Mapping[str, int]]
    """Editor -> status -> samples."""
    reasons: Sequence[tuple[str, str, str, int]]
    """(scorer, status, reason, rows), the commonest first."""
    lacking: Mapping[str, str]
    """Scorer -> the weights or library that are not here."""
    drawn: Sequence[str]
    """Pictures of explained samples, relative to the run."""
    complete: bool
    """Whether every score is there, but for those of scorers in `lacking`."""

    def as_dict(self) -> dict[str, Any]:
        """What was done as JSON values."""
        return {
            **self.summary.as_dict(),
            "samples": self.samples,
            "lacking": self.lacking,
            "drawn": self.drawn,
        }

    def lines(self) -> Iterator[str]:
        """What was done in words."""
        summary = self.summary
        for editor in sorted({key[0] for key in summary.counts}):
            counter = Counter(self.samples.get(editor, {}))
            parts = (f"{n} {status.replace('_', ' ')}" for status, n in counter.most_common())
            yield f"{editor}, samples: {', '.join(parts) or 'none of its own'}"
        if self.reasons:
            yield "no score, the commonest reasons:"
        for scorer, status, reason, number in self.reasons[:6]:
            yield f"  {number} x {scorer}, {status.replace('_', ' ')}: {reason[:300]}"
        for problem in summary.problems:
            yield f"note: {problem}"
        yield (f"{summary.computed} new scores, {summary.kept} reused, in {summary.seconds:.1f} s")


class Scoring:
    """A scoring that is ready to run: its scorers exist, and what they lack is known."""

    def __init__(self, material: Material, folder: Run, request: Request) -> None:
        """Raises `UsageError` where the benchmark has no scorers of the tracks."""
        bench = material.benchmark
        self.material, self.folder, self.request = material, folder, request
        self.tracks = list(request.tracks) or default_tracks(bench, bool(request.explain))
        away = workers_of(request.workers).away  # what is kept in SQLite is for one machine
        self._plugged = scorers_of(
            bench,
            self.tracks,
            everything=not request.tracks and not request.explain,
            cache=None if away else folder.cache_folder,
            **request.options,
        )
        self.scorers: Sequence[Scorer] = self._plugged.scorers
        if not self.scorers:
            raise UsageError(
                f"--tracks {','.join(request.tracks)}: {bench.name} has no scorers of this kind; "
                f"it has: {', '.join(offered(bench)) or 'none'}"
            )
        lacks = {scorer.name: lacking(scorer.origin()) for scorer in self.scorers}
        self.lacking: dict[str, str] = {name: why for name, why in lacks.items() if why}

    def empty_columns(self) -> dict[str, list[str]]:
        """Why columns will stay empty, and what brings them -> their titles."""
        columns: dict[str, list[str]] = {}
        for scorer in self.scorers:
            if scorer.name in self.lacking:
                titles = columns.setdefault(self.lacking[scorer.name], [])
                titles.extend(metric.title for metric in scorer.metrics)
        return {why: list(dict.fromkeys(titles)) for why, titles in columns.items()}

    def _edits(self, hashes: HashStore) -> list[EditRecord]:
        request, samples = self.request, self.material.samples
        name, editors = self.material.benchmark.name, list(request.editors)
        if not request.pattern and request.map is None:
            return edits_of(self.folder, name, request.outputs, editors, samples, hashes)
        if request.outputs is None or len(editors) != 1:
            raise UsageError(
                "--outputs-pattern, --outputs-map: wanted --outputs and one --editor with it"
            )
        found = matches_of(request.outputs, samples, request.pattern, request.map)
        found.need_one_each()
        return import_outputs(
            self.folder, name, editors[0], request.outputs, samples, hashes, found.named
        )

    def run(self, progress: Progress | None = None) -> Scored:
        """Bring the rows up to date, derive the combined metrics and record the call in the run.
        Existing rows are reused. Raises as `run.score.score` does.
        """
        material, folder, request = self.material, self.folder, self.request
        name, samples = material.benchmark.name, material.samples
        with HashStore(folder.cache_folder / "hashes.sqlite") as hashes:
            data = material.keep(folder, hashes)
            edits = self._edits(hashes)
            origins = self._plugged.origins()
            summary = score(
                folder,
                name,
                samples,
                edits,
                self.scorers,
                hashes=hashes,
                workers=request.workers,
                retry=request.retry,
                seconds_an_output=request.seconds_an_output,
                roots=[material.dataset.root],
                origins=origins,
                progress=progress,
            )
            edits = tell(folder, edits, samples)
        folder.record(
            "score",
            benchmark=name,
            tracks=self.tracks,
            editors=sorted({record.editor for record in edits}),
            **request.recorded,
            data=data,
            samples=len(material.every),
            chosen=len(samples),
            scorers=origins,
            plugins=self._plugged.plugins,
            computed=summary.computed,
            kept=summary.kept,
            seconds=round(summary.seconds, 3),
            processor=summary.processor(),
        )
        summary.problems += self._plugged.problems
        drawn: list[str] = []
        if request.explain:
            from editgauge.run.explain import explain

            asked = [sample for sample in samples if sample.id in request.explain]
            paths, problems = explain(folder, name, asked, edits, self.scorers)
            summary.problems += problems
            drawn = [path.relative_to(folder.path).as_posix() for path in paths]
        names = {scorer for _, scorer, _, _ in summary.counts}
        able = {scorer.name for scorer in self.scorers} - set(self.lacking)
        return Scored(
            summary=summary,
            samples=folder.samples_by_status(name, names, among=[s.id for s in samples]),
            reasons=folder.reasons(name),
            lacking=self.lacking,
            drawn=drawn,
            complete=not summary.without_score_but(self.lacking if able else ()),
        )


def tracks_of(text: str) -> list[Track]:
    """Tracks joined by commas. Raises `UsageError` for a word that is none, or whose scores another
    command makes.
    """
    tracks: list[Track] = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        track = next((t for t in TRACKS if t == word), None)
        if track is None:
            raise UsageError(f"--tracks {word!r}: wanted one of {', '.join(TRACKS)}")
        if track in _COMMAND:
            raise UsageError(
                f"--tracks {word}: this track has a command of its own: editgauge {_COMMAND[track]}"
            )
        tracks.append(track)
    return tracks


def default_tracks(bench: Benchmark, explained: bool = False) -> list[Track]:
    """The tracks of the paper's tables that need no weights (`main_tracks`), else the first that
    there is; to explain is of the OCR track.
    """
    if explained:
        return ["ocr"]
    return list(bench.main_tracks) or offered(bench)[:1]


def offered(bench: Benchmark) -> list[Track]:
    """The tracks for which a benchmark has scorers, the cheapest first."""
    return [track for track in TRACKS if own_scorers(bench, [track])]
