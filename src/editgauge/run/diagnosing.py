"""A run diagnosed: where its models looked and where its outputs changed, recorded, and read into
kinds of failure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.diagnosis.attention import RESOLUTION, AttentionScorer
from editgauge.diagnosis.change import FLOOR, ChangeScorer
from editgauge.errors import EditgaugeError, MissingExtra, UsageError
from editgauge.metrics.grounding import ALPHA, BINS
from editgauge.reports import diagnosis as drawings
from editgauge.run import diagnose as work_of
from editgauge.run.workers import Workers
from editgauge.store import selection
from editgauge.store.collect import edits_of
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.store.samples import stored_samples
from editgauge.store.summary import Summary
from editgauge.tables import failures, reading, rows
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be diagnosed, and how.

    `basis`: one of `BASES`; with ``both`` attention is left out where it cannot be had, and the
    result says why. `benchmark`: needed where the run has several. `concepts`: see
    `run.diagnose.read_concepts`. `cutoffs`: those of `failures.Cutoffs` that are not the
    benchmark's. `figures`: a folder for a picture of each output.
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
    """Processes of this machine, or an engine: who measures change. Attention is watched in this
    process, by one model after the other; with workers of other machines (`Workers.away`) on one
    of its workers, which has the GPU.
    """
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
    selection.one_of("--from", request.basis, BASES)
    name = _one_benchmark(folder, request.benchmark)
    cutoffs = failures.cutoffs_of(name, **request.cutoffs)
    samples = _chosen(stored_samples(folder, name), request)
    summaries: dict[str, Summary] = {}
    unwatched: dict[str, str] = {}
    with HashStore(folder.cache_folder / "hashes.sqlite") as hashes:
        work = work_of.Work(
            run=folder,
            benchmark=name,
            samples=samples,
            edits=edits_of(folder, name, None, list(request.editors), samples, hashes),
            hashes=hashes,
            retry=request.retry,
            progress=progress,
        )
        if request.basis != "attention":
            maps = request.maps
            scorer = ChangeScorer(alpha=maps.alpha, bins=maps.bins, floor=maps.floor)
            summaries["change"] = work_of.change(work, scorer, workers=request.workers)
        if request.basis != "pixels":
            found, unwatched = _attention(work, request)
            if found is not None:
                summaries["attention"] = found
    _record(folder, work, request, cutoffs, summaries, unwatched)
    tables, figures = _read(folder, work, request, cutoffs)
    return Diagnosed(
        benchmark=name,
        summaries=summaries,
        unwatched=unwatched,
        tables=tables,
        figures=figures,
    )


def _one_benchmark(run: Run, wanted: str) -> str:
    names = rows.benchmarks([run], wanted)
    if len(names) != 1:
        there = ", ".join(names) or "none"
        raise UsageError(f"--benchmark: wanted one; {run.path.name} has {there}")
    return names[0]


def _chosen(samples: list[Sample], request: Request) -> list[Sample]:
    if request.concepts is not None:
        concepts = work_of.read_concepts(request.concepts, samples)
        samples = work_of.with_concepts(samples, concepts)
    return selection.choose(samples, limit=request.limit, ids=request.ids, where=request.where)


def _attention(work: work_of.Work, request: Request) -> tuple[Summary | None, dict[str, str]]:
    """The attention of what can be watched, and why the rest cannot be. Without torch there is
    none, which is an error only where it was asked for by name.
    """
    needed = request.basis == "attention"
    kept, refused = work_of.watchable(work.run, work.edits)
    if not kept:
        if needed:
            raise UsageError("; ".join(dict.fromkeys(refused.values())) or "there are no outputs")
        return None, refused
    lacking = next((n for n in ("torch", "transformers", "diffusers") if not find_spec(n)), None)
    if lacking is not None:
        error = MissingExtra("attention grounding", lacking, "neural")
        if needed:
            raise error
        names = dict.fromkeys(record.editor for record in kept)
        return None, {**refused, **dict.fromkeys(names, str(error))}
    maps = {key: value for key, value in asdict(request.maps).items() if key != "floor"}
    try:
        found = work_of.attention(
            replace(work, edits=kept), AttentionScorer(**maps), workers=request.workers
        )
    except EditgaugeError as error:
        if not needed:
            error.args = (f"{error} (for change grounding alone: --from pixels)",)
        raise
    return found, refused


def _record(
    folder: Run,
    work: work_of.Work,
    request: Request,
    cutoffs: failures.Cutoffs,
    summaries: Mapping[str, Summary],
    unwatched: Mapping[str, str],
) -> None:
    folder.record(
        "diagnose",
        benchmark=work.benchmark,
        editors=sorted({record.editor for record in work.edits}),
        bases=sorted(summaries),
        cutoffs=failures.as_facts(cutoffs),
        maps=asdict(request.maps),
        chosen=len(work.samples),
        computed={key: summary.computed for key, summary in summaries.items()},
        kept={key: summary.kept for key, summary in summaries.items()},
        unwatched=dict(unwatched),
    )


def _read(
    folder: Run, work: work_of.Work, request: Request, cutoffs: failures.Cutoffs
) -> tuple[list[Table], int]:
    """The tables of what was chosen, and how many figures were drawn."""
    again = Run.open(folder.path)  # with the rows that are there now
    frame = reading.of_runs([again], work.benchmark)
    wanted = {sample.id for sample in work.samples}
    frame = frame.of_samples(np.array([name in wanted for name in frame.samples.ids]))
    if request.editors:
        frame = frame.of_editors([name for name in request.editors if name in frame.editors])
    drawn = 0
    if request.figures is not None:
        drawn = drawings.draw_all([again], frame, cutoffs, request.figures)
    return failures.tables(frame, cutoffs, intervals=True), drawn
