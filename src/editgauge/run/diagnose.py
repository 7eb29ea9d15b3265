"""Diagnose a run: where its outputs changed and where its models looked, recorded, and read into
kinds of failure.

Change is measured of every editor, attention of those whose making can be watched again. The work
is `score`'s: resumed, retried, one row for each fingerprint.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.diagnosis import failures, remake
from editgauge.diagnosis.attention import RESOLUTION, AttentionScorer
from editgauge.diagnosis.change import FLOOR, ChangeScorer
from editgauge.errors import DataError, EditgaugeError, MissingExtra, UsageError
from editgauge.metrics.grounding import ALPHA, BINS
from editgauge.reports import diagnosis as drawings
from editgauge.run.score import score
from editgauge.run.workers import Workers, workers_of
from editgauge.scoring.scorer import Scorer
from editgauge.store import csv_files, selection
from editgauge.store.collect import edits_of
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.store.samples import stored_samples
from editgauge.store.schema import EditRecord
from editgauge.store.summary import Summary
from editgauge.tables import reading, rows
from editgauge.tables.table import Table
from editgauge.types import Sample, Status

Progress = Callable[[int, int, str], None]
BASES = ("both", "pixels", "attention")


@dataclass(frozen=True, slots=True, kw_only=True)
class Maps:
    """How a map is made and cut: see `AttentionScorer` and `ChangeScorer`."""

    alpha: float = ALPHA
    bins: int = BINS
    floor: float = FLOOR
    resolution: int | None = RESOLUTION
    model: str = ""
    device: str | None = None
    dtype: str = ""

    def attention(self) -> AttentionScorer:
        """The scorer of attention grounding; without torch and diffusers `MissingExtra`."""
        for package in ("torch", "transformers", "diffusers"):
            if not find_spec(package):
                raise MissingExtra("attention grounding", package, "neural")
        return AttentionScorer(**{k: v for k, v in asdict(self).items() if k != "floor"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be diagnosed, and how.

    `basis`: one of `BASES`; with ``both`` attention is left out where it cannot be had, and the
    result says why. `benchmark`: needed where the run has several. `concepts`: see `with_concepts`.
    `cutoffs`: those of `failures.Cutoffs` that are not the benchmark's. `figures`: a folder for a
    picture of each output. `workers` measure change; attention is watched in this process, by one
    model after the other, or on a worker of another machine that has the GPU.
    """

    basis: str = "both"
    benchmark: str = ""
    editors: Sequence[str] = ()
    limit: int | None = None
    ids: Sequence[str] = ()
    where: Sequence[str] = ()
    concepts: Path | None = None
    maps: Maps = field(default_factory=Maps)
    cutoffs: Mapping[str, float | None] = field(default_factory=dict)
    figures: Path | None = None
    workers: int | Workers = 0
    retry: frozenset[Status] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosed:
    """What a diagnosis did."""

    benchmark: str
    summaries: Mapping[str, Summary]
    """Of ``change`` and of ``attention``, those that were made."""
    unwatched: Mapping[str, str]
    """Editor -> why there is no attention of it."""
    tables: Sequence[Table]
    figures: int

    @property
    def complete(self) -> bool:
        """Whether every score is there that should be."""
        return not any(summary.without_score for summary in self.summaries.values())

    def as_dict(self) -> dict[str, Any]:
        """What was done as JSON values, without the tables."""
        return {
            "benchmark": self.benchmark,
            "summaries": {name: summary.as_dict() for name, summary in self.summaries.items()},
            "unwatched": dict(self.unwatched),
            "figures": self.figures,
        }

    def lines(self) -> Iterator[str]:
        """What was done in words."""
        for basis, summary in self.summaries.items():
            statuses: Counter[str] = Counter()
            for (_, _, metric, _), counter in summary.counts.items():
                if metric == f"{basis}_iou":
                    statuses.update(counter)
            parts = (f"{n} {s.replace('_', ' ')}" for s, n in statuses.most_common())
            yield (
                f"{basis}: {', '.join(parts) or 'nothing to do'}; {summary.computed} new rows, "
                f"{summary.kept} reused, in {summary.seconds:.1f} s"
            )
            yield from (f"note: {problem}" for problem in summary.problems)
        for why in dict.fromkeys(self.unwatched.values()):
            names = ", ".join(name for name, reason in self.unwatched.items() if reason == why)
            yield f"no attention of {names}: {why}"
        if self.figures:
            yield f"figures: {self.figures}"


def diagnose(folder: Run, request: Request, progress: Progress | None = None) -> Diagnosed:
    """Bring the rows of the track ``diagnosis`` up to date for outputs of a run, and record the
    call. Existing rows are reused.

    Raises `UsageError` for words that mean nothing here, and where attention was asked for by name
    and nothing has any; `Unavailable` for weights that cannot be loaded. What was done before
    stays.
    """
    selection.one_of("basis", request.basis, BASES)
    names = rows.benchmarks([folder], request.benchmark)
    if len(names) != 1:
        there = f"wanted one; {folder.path.name} has {', '.join(names) or 'none'}"
        raise UsageError(there, argument="benchmark")
    cutoffs = failures.cutoffs_of(names[0], **request.cutoffs)
    samples = with_concepts(stored_samples(folder, names[0]), request.concepts)
    samples = selection.choose(samples, limit=request.limit, ids=request.ids, where=request.where)
    summaries: dict[str, Summary] = {}
    unwatched: dict[str, str] = {}
    with HashStore(folder.cache_folder / "hashes.sqlite") as hashes:
        edits = edits_of(folder, names[0], None, list(request.editors), samples, hashes)
        work = _Work(folder, names[0], samples, edits, hashes, request, progress)
        if request.basis != "attention":
            maps = request.maps
            change = ChangeScorer(alpha=maps.alpha, bins=maps.bins, floor=maps.floor)
            summaries["change"] = work.score(change, edits, "change")
        if request.basis != "pixels":
            unwatched = _attention(work, summaries)
    _record(work, cutoffs, summaries, unwatched)
    tables, figures = _read(work, cutoffs)
    return Diagnosed(
        benchmark=names[0],
        summaries=summaries,
        unwatched=unwatched,
        tables=tables,
        figures=figures,
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """What a call is about."""

    run: Run
    benchmark: str
    samples: Sequence[Sample]
    edits: Sequence[EditRecord]
    hashes: HashStore
    request: Request
    progress: Progress | None

    def score(
        self, scorer: Scorer, edits: Sequence[EditRecord], note: str, *, alone: bool = False
    ) -> Summary:
        """Bring a scorer's rows up to date: see `run.score.score`."""
        force = workers_of(self.request.workers)
        return score(
            self.run,
            self.benchmark,
            self.samples,
            edits,
            [scorer],
            hashes=self.hashes,
            workers=0 if alone and not force.away else force,
            retry=self.request.retry,
            alone=alone,
            progress=lambda done, of, _: self.progress(done, of, note) if self.progress else None,
        )


def _attention(work: _Work, summaries: dict[str, Summary]) -> dict[str, str]:
    """Watch what can be watched; why the rest cannot be. Where nothing can, that is an error only
    if it was asked for by name.
    """
    kept, refused = watchable(work.run, work.edits)
    try:
        if not kept:
            raise UsageError("; ".join(dict.fromkeys(refused.values())) or "there are no outputs")
        scorer = work.request.maps.attention()
    except (UsageError, MissingExtra) as error:
        if work.request.basis == "attention":
            raise
        return {**refused, **{record.editor: str(error) for record in kept}}
    summaries["attention"] = total = Summary()
    try:
        for editor in dict.fromkeys(record.editor for record in kept):
            mine = [record for record in kept if record.editor == editor]
            made = (record.edit(work.run.path) for record in mine)
            scorer.first = next(one for one in made if one.ok and remake.why_not(one) is None)
            total.join(work.score(scorer, mine, f"attention of {editor}", alone=True))
    except EditgaugeError as error:
        if work.request.basis != "attention":
            error.args = (f"{error} (for change grounding alone: basis pixels)",)
        raise
    return refused


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


def with_concepts(samples: list[Sample], path: Path | None) -> list[Sample]:
    """The samples with the key concepts of a CSV file that has the columns ``concept`` and
    ``sample`` or ``task``; they stand before the data's own.

    Raises `UsageError` for a file that has other columns, and `DataError` where it cannot be read,
    or a line names a sample or a task that the run does not have, or one twice.
    """
    if path is None:
        return samples
    columns, records = csv_files.named(path, strict=True)
    by = next((name for name in ("sample", "task") if name in columns), None)
    if by is None or "concept" not in columns:
        there = ",".join(columns)[:200] or "nothing"
        why = f"{path.name}: wanted the columns sample,concept or task,concept; found {there}"
        raise UsageError(why, argument="concepts")

    def name_of(sample: Sample) -> str:
        return sample.id if by == "sample" else str(sample.attributes.get("task") or "")

    known, concepts = {name_of(sample) for sample in samples}, dict[str, str]()
    for number, record in records:
        name, concept = (record[key].strip() for key in (by, "concept"))
        if name not in known or name in concepts:
            some = ", ".join(repr(k) for k in sorted(known)[:3])
            why = f"{by} {name!r} again" if name in known else f"no {by} {name!r} in the run"
            raise DataError(f"concepts {path.name}, line {number}: {why}; it has {some}")
        concepts[name] = concept
    return [
        replace(sample, concept=concepts.get(name_of(sample)) or sample.concept)
        for sample in samples
    ]


def _record(
    work: _Work,
    cutoffs: failures.Cutoffs,
    summaries: Mapping[str, Summary],
    unwatched: Mapping[str, str],
) -> None:
    work.run.record(
        "diagnose",
        benchmark=work.benchmark,
        editors=sorted({record.editor for record in work.edits}),
        bases=sorted(summaries),
        cutoffs=failures.as_facts(cutoffs),
        maps=asdict(work.request.maps),
        chosen=len(work.samples),
        computed={key: summary.computed for key, summary in summaries.items()},
        kept={key: summary.kept for key, summary in summaries.items()},
        unwatched=dict(unwatched),
    )


def _read(work: _Work, cutoffs: failures.Cutoffs) -> tuple[list[Table], int]:
    """The tables of what was chosen, and how many figures were drawn."""
    request, again = work.request, Run.open(work.run.path)  # with the rows that are there now
    frame = reading.of_runs([again], work.benchmark)
    wanted = {sample.id for sample in work.samples}
    frame = frame.of_samples(np.array([name in wanted for name in frame.samples.ids]))
    if request.editors:
        frame = frame.of_editors([name for name in request.editors if name in frame.editors])
    drawn = 0
    if request.figures is not None:
        drawn = drawings.draw_all([again], frame, cutoffs, request.figures)
    return failures.tables(frame, cutoffs, intervals=True), drawn
