"""Diagnose a run: where outputs changed (of every editor), where models looked (of those that can
be watched again), and kinds of failure. The work is `score`'s: resumed, retried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.diagnosis import failures, remake
from editgauge.diagnosis.attention import AttentionScorer
from editgauge.diagnosis.change import ChangeScorer
from editgauge.errors import DataError, EditgaugeError, MissingExtra, UsageError
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
from editgauge.tables.results import Results
from editgauge.tables.table import Table
from editgauge.types import Edit, JsonMapping, JsonObject, Sample, Status

Progress = Callable[[int, int, str], None]
BASES = ("both", "pixels", "attention")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be diagnosed, and how.

    `basis`: one of `BASES`; with ``both`` attention is left out where it cannot be had, and the
    result says why. `benchmark`: needed where the run has several. `concepts`: see `with_concepts`.
    `maps`: how a map is made and cut, where not as `AttentionScorer` and `ChangeScorer` do it.
    `cutoffs`: those of `failures.Cutoffs` that are not the benchmark's. `workers` measure change;
    attention is watched here, by one model after the other, or on a worker of another machine that
    has the GPU.
    """

    basis: str = "both"
    benchmark: str = ""
    editors: Sequence[str] = ()
    limit: int | None = None
    ids: Sequence[str] = ()
    where: Sequence[str] = ()
    concepts: Path | None = None
    maps: JsonMapping = field(default_factory=dict)
    cutoffs: Mapping[str, float | None] = field(default_factory=dict)
    workers: int | Workers = 0
    retry: frozenset[Status] = frozenset()


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """What a diagnosis did. `summaries`: of ``change`` and of ``attention``, those that were made;
    `unwatched`: editor -> why there is no attention of it.
    """

    benchmark: str
    summaries: Mapping[str, Summary]
    unwatched: Mapping[str, str]
    tables: Sequence[Table]

    @property
    def complete(self) -> bool:
        """Whether there are scores, and every one that should be."""
        every = self.summaries.values()
        return any(one.has_score for one in every) and not any(one.without_score for one in every)

    def as_dict(self) -> JsonObject:
        """What was done as JSON values, without the tables."""
        summaries = {name: summary.as_dict() for name, summary in self.summaries.items()}
        return {
            "benchmark": self.benchmark, "unwatched": self.unwatched, "summaries": summaries
        }  # fmt: skip

    def lines(self) -> Iterator[str]:
        """What was done in words."""
        for basis, summary in self.summaries.items():
            of_iou = (c for key, c in summary.counts.items() if key[2] == f"{basis}_iou")
            statuses = sum(of_iou, Counter[str]())
            parts = (f"{n} {s.replace('_', ' ')}" for s, n in statuses.most_common())
            yield (
                f"{basis}: {', '.join(parts) or 'nothing to do'}; {summary.computed} new rows, "
                f"{summary.kept} reused, in {summary.seconds:.1f} s"
            )
            yield from (f"note: {problem}" for problem in summary.problems)
        for why in dict.fromkeys(self.unwatched.values()):
            names = ", ".join(name for name, reason in self.unwatched.items() if reason == why)
            yield f"no attention of {names}: {why}"


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
    name, maps = names[0], request.maps
    cutoffs = failures.cutoffs_of(name, **request.cutoffs)
    samples = with_concepts(stored_samples(folder, name), request.concepts)
    samples = selection.choose(samples, limit=request.limit, ids=request.ids, where=request.where)
    summaries, unwatched = dict[str, Summary](), dict[str, str]()
    show = progress or (lambda *_: None)
    with HashStore(folder.cache_folder / "hashes.sqlite") as hashes:
        edits = edits_of(folder, name, None, list(request.editors), samples, hashes)

        def bring(scorer: Scorer, edits: Sequence[EditRecord], note: str, **how: Any) -> Summary:
            what = (folder, name, [(samples, edits)], [scorer])
            how = {"workers": request.workers, "retry": request.retry, **how}
            return score(*what, hashes=hashes, progress=lambda n, of, _: show(n, of, note), **how)

        if request.basis != "attention":
            cut = {one: maps[one] for one in ("alpha", "floor") if one in maps}
            summaries["change"] = bring(ChangeScorer(**cut), edits, "change")
        if request.basis != "pixels":
            unwatched = _attention(folder, request, edits, bring, summaries)
    editors = sorted({record.editor for record in edits})
    facts = {"maps": dict(maps), "cutoffs": failures.as_facts(cutoffs), "chosen": len(samples)}
    folder.record("diagnose", benchmark=name, editors=editors, bases=sorted(summaries), **facts)
    frame = _frame(folder, name, editors, {one.id for one in samples})
    return Diagnosed(name, summaries, unwatched, failures.tables(frame, cutoffs, intervals=True))


def _frame(folder: Run, name: str, editors: Sequence[str], ids: set[str]) -> Results:
    """The run's results of these editors and samples, as they are now."""
    frame = reading.of_runs([Run.open(folder.path)], name)
    frame = frame.of_samples(np.array([one in ids for one in frame.samples.ids]))
    return frame.of_editors([one for one in editors if one in frame.editors])


def _attention(
    run: Run,
    asked: Request,
    edits: Sequence[EditRecord],
    bring: Callable[..., Summary],
    summaries: dict[str, Summary],
) -> dict[str, str]:
    """Watch what can be watched; editor -> why the others cannot be."""
    refused, firsts = _watchable(run, edits)
    try:
        if not firsts:
            raise UsageError("; ".join(dict.fromkeys(refused.values())) or "there are no outputs")
        for package in ("torch", "transformers", "diffusers"):
            if not find_spec(package):
                raise MissingExtra("attention grounding", package, "neural")
    except (UsageError, MissingExtra) as error:
        if asked.basis == "attention":
            raise
        return {**refused, **dict.fromkeys(firsts, str(error))}
    summaries["attention"] = total = Summary()
    scorer = AttentionScorer(**{k: v for k, v in asked.maps.items() if k != "floor"})
    how = {"alone": True, "workers": asked.workers if workers_of(asked.workers).away else 0}
    try:
        for editor, first in firsts.items():
            scorer.first, records = first, [one for one in edits if one.editor == editor]
            total.join(bring(scorer, records, f"attention of {editor}", **how))
    except EditgaugeError as error:
        if asked.basis != "attention":
            error.args = (f"{error} (for change grounding alone: basis pixels)",)
        raise
    return refused


def _watchable(run: Run, edits: Sequence[EditRecord]) -> tuple[dict[str, str], dict[str, Edit]]:
    """Editor -> why it cannot be watched; editor -> the first of its outputs that can be."""
    refused, firsts = dict[str, str](), dict[str, Edit]()
    for record in edits:
        if record.status is Status.SCORED and record.editor not in firsts:
            if (why := remake.why_not(edit := record.edit(run.path))) is None:
                firsts[record.editor] = edit  # what else of it cannot be watched gets a row
            else:
                refused.setdefault(record.editor, why)
    names = dict.fromkeys(record.editor for record in edits)
    return {n: refused.get(n, "it has no outputs") for n in names if n not in firsts}, firsts


def with_concepts(samples: list[Sample], path: Path | None) -> list[Sample]:
    """The samples with the key concepts of a CSV file that has the columns ``concept`` and
    ``sample`` or ``task``; they stand before the data's own.

    Raises `UsageError` for a file that has other columns, and `DataError` where it cannot be read,
    or a line names a sample or a task that the run does not have.
    """
    if path is None:
        return samples
    columns, records = csv_files.named(path, strict=True)
    by = "sample" if "sample" in columns else "task"
    if not {by, "concept"} <= set(columns):
        there = ",".join(columns)[:200] or "nothing"
        why = f"{path.name}: wanted the columns sample,concept or task,concept; found {there}"
        raise UsageError(why, argument="concepts")
    names = [one.id if by == "sample" else str(one.attributes.get("task") or "") for one in samples]
    concepts: dict[str, str] = {}
    for number, record in records:
        if (name := record[by].strip()) not in names:
            raise DataError(f"{path.name}, line {number}: no {by} {name!r} in the run")
        concepts[name] = record["concept"].strip()
    return [
        replace(sample, concept=concepts.get(name) or sample.concept)
        for name, sample in zip(names, samples, strict=True)
    ]
