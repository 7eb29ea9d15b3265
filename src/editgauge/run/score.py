"""Score: decide what is still to be done, have it done by workers, write rows as they come: the
same to the last bit whatever their number. `Scoring` finds scorers and outputs, and records a call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import Any

from editgauge.errors import UsageError
from editgauge.escape import counted
from editgauge.run import worker
from editgauge.run.material import Material
from editgauge.run.plan import Plan
from editgauge.run.standing import Standing
from editgauge.run.tracks import default_tracks, judged, offered
from editgauge.run.worker import Item, Told
from editgauge.run.workers import Workers, workers_of
from editgauge.scoring.neural import lacking
from editgauge.scoring.outside import scorers_of
from editgauge.scoring.scorer import Needs, Scorer
from editgauge.store.collect import Takes, editors_in, left_out, takes_of, tell, why_left_out
from editgauge.store.hashes import HashStore
from editgauge.store.manifest import Columns, editors_of_manifest
from editgauge.store.matching import matches_of, several_editors
from editgauge.store.outputs import ONE_COLOUR, OutputFolder, one_colour_notes
from editgauge.store.paths import plain_name
from editgauge.store.patterns import Matches
from editgauge.store.remote import local_folder
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.store.summary import Summary, reason_lines
from editgauge.types import JsonMapping, JsonObject, Row, Sample, Status, Track

Progress = Callable[[int, int, str], None]
"""Called with outputs done, outputs to do, and what is going on."""
BATCH = 16
TOGETHER = 512
"""Samples that are brought into the run together, before any of them is scored."""


def score(
    run: Run,
    benchmark: str,
    parts: Iterable[tuple[Sequence[Sample], Sequence[EditRecord]]],
    scorers: Sequence[Scorer],
    *,
    hashes: HashStore,
    outputs: int = 0,
    workers: int | Workers = 1,
    retry: frozenset[Status] = frozenset(),
    seconds_an_output: float = 600.0,
    roots: Sequence[Path] = (),
    origins: Mapping[str, JsonMapping] | None = None,
    alone: bool = False,
    progress: Progress = lambda *_: None,
) -> Summary:
    """Bring the rows of these scorers up to date for these samples and edits; return what was done.

    `parts` are samples with the records of their edits, drawn as they are wanted: the first rows
    need only the first part; `outputs`: how many edits they have in all, where that is known. A row
    whose fingerprint is already there is left alone, unless its status is in `retry`. `workers`
    processes (0: this process) score outputs; scorers that work in batches, or on whole sets, run
    after that in one process with all cores. With `alone` that holds for every scorer, one output
    at a time: for what keeps a model loaded. `origins` stand in rows instead of the scorers' own.
    `roots` are folders whose names are cut out of reasons, so that no absolute path is stored.
    Raises `RunError` when rows cannot be written; everything written before stays.
    """
    began, summary = time.perf_counter(), Summary()
    run.keep_metrics(benchmark, [metric for scorer in scorers for metric in scorer.metrics])
    made_by = [dict((origins or {}).get(one.name) or one.origin()) for one in scorers]
    cut = tuple(str(root) for root in (run.path, *roots))
    orders = Told(benchmark, list(scorers), made_by, cut, run.path)
    plan = Plan(run, orders, hashes, retry, summary)
    how = _How(run, orders, hashes, summary, workers_of(workers), seconds_an_output, progress)
    how.score_all(plan, plan.each(parts), outputs, alone=alone)
    hashes.flush()
    summary.seconds = time.perf_counter() - began
    summary.problems += run.problems
    return summary


@dataclass(slots=True)
class _How:
    """What every item of a call is scored with."""

    run: Run
    told: Told
    hashes: HashStore
    summary: Summary
    workers: Workers
    seconds: float
    progress: Progress

    def score_all(
        self, plan: Plan, parts: Iterable[list[Item]], outputs: int, *, alone: bool
    ) -> None:
        """One output after another, then in batches, then whole sets."""
        scorers = self.told.scorers
        sets = [one for one in scorers if one.whole_set]
        together = [one for one in scorers if one.batch > 1]
        single = [one for one in scorers if one.batch == 1 and not one.whole_set]
        most = 1 if alone else BATCH
        largest = 1 if alone else max(BATCH, *(one.batch for one in scorers))
        self.score("scoring", single, parts, most, lambda: outputs - plan.idle, whole=alone)
        self.score("scoring in batches", together, [plan.batched], largest)
        self.score("scoring sets", sets, [plan.sets()], most)

    def score(
        self,
        note: str,
        scorers: Sequence[Scorer],
        parts: Iterable[list[Item]],
        most: int,
        total: Callable[[], int] = int,
        *,
        whole: bool = True,
    ) -> None:
        """Have items done by some of the scorers, at most `most` at once, and write their rows as
        they come. `whole`: a worker has the machine; `total`: how many items there are at least.
        """
        done, again, left = 0, list[Item](), filter(None, parts)
        if (first := next(left, None)) is None:
            return
        needs = reduce(Needs.with_, (scorer.needs for scorer in scorers))
        number = max(1, self.workers.number(needs, alone=whole))
        self.progress(0, number, "starting workers")
        for outcome in self.workers.batches(
            _batches(chain([first], left), most, number),
            worker.work,
            start=worker.start,
            start_args=(self.told,),
            seconds=self.seconds * max(1, *(len(item.pairs) for item in first)),
            needs=needs,
            alone=whole,
            places=(self.run.path / "run.sqlite", *map(Path, self.told.cut)),
        ):
            again += self._taken(outcome.items, outcome.result, outcome.died)
            done += len(outcome.items)
            self.progress(done, max(done, total() or len(first)), note)
        self.score(f"{note}, one scorer at a time", scorers, [again], 1, whole=whole)

    def _taken(
        self, items: Sequence[Item], done: tuple[list[Row], list[Path]] | None, died: str
    ) -> list[Item]:
        """Write the rows of a batch; what is to be done again, scorer by scorer: one of several may
        be to blame where an output ends its worker.
        """
        alone = [replace(item, tasks=(task,)) for item in items for task in item.tasks]
        if done is None and len(alone) > 1:
            return alone
        rows, changed = done or (list[Row](), list[Path]())
        for item in alone if done is None else ():
            rows += self.told.without(item.place, item.tasks[0], Status.FAILED, died)
        for path in changed:
            self.hashes.forget(path)
            self.summary.problems.append(
                f"{path.relative_to(self.run.path).as_posix()}: its bytes are no longer those of "
                f"its record, and it was not scored; the same call again scores it as it is now"
            )
        self.run.put(rows)
        self.summary.computed += len(rows)
        self.summary.count(rows)
        return []


def _batches(parts: Iterable[list[Item]], most: int, workers: int) -> Iterator[Sequence[Item]]:
    """At most `most` items each; smaller where there are few: every worker should have some."""
    for part in parts:
        size = max(1, min(most, -(-len(part) // (workers * 4))))
        yield from (part[at : at + size] for at in range(0, len(part), size))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What a scoring did. `samples`: editor -> status -> samples; `reasons`: (scorer, status,
    reason, rows), not_applicable only where nothing has a score; `lacking`: scorer -> what is not
    here; `complete`: whether there are scores, and every one that there can be but for those.
    `changed`: with `verify`, the pictures of the run whose content is another one than before.
    """

    summary: Summary
    samples: Mapping[str, Mapping[str, int]]
    reasons: Sequence[tuple[str, str, str, int]]
    lacking: Mapping[str, str]
    complete: bool
    changed: Sequence[str] | None = None

    def as_dict(self) -> JsonObject:
        """What was done as JSON values."""
        facts = {**self.summary.as_dict(), "samples": self.samples, "lacking": self.lacking}
        if self.changed is not None:
            facts["changed"] = [*self.changed]
        return facts

    def lines(self) -> Iterator[str]:
        """What was done in words."""
        for editor in sorted({key[0] for key in self.summary.counts}):
            statuses = self.samples.get(editor, {})
            rest = {status: n for status, n in statuses.items() if status != Status.SCORED}
            told = ", ".join(f"{n:,} {status.replace('_', ' ')}" for status, n in rest.items())
            scored = counted(statuses.get(Status.SCORED, 0), "sample")
            yield f"{editor}: {scored} with scores{f'; without some score: {told}' * bool(told)}"
        yield from reason_lines(self.reasons)
        yield from (f"note: {problem}" for problem in self.summary.problems)
        if self.changed is not None:
            yield f"verified: {counted(len(self.changed), 'picture')} changed since the last call"
            yield from (f"  changed: {place}" for place in self.changed)
        summary = self.summary
        yield f"{summary.computed} new scores, {summary.kept} reused, in {summary.seconds:.1f} s"


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of outputs where they are not the official ones: by a pattern, or by a manifest."""

    pattern: str
    map: Path | None
    columns: Columns

    @property
    def given(self) -> bool:
        return bool(self.pattern) or self.map is not None


class Scoring:
    """A scoring that is ready to run: its scorers exist, and what they lack is known.

    `tracks`: default those of the paper's table that need no weights. `metrics`: scorers of the
    program's own, beside those. `options` go to the scorers (``ocr_engine``, ``weights``…). Raises
    `UsageError` where the benchmark has no scorers of the tracks, or a name of `metrics` is taken.
    """

    def __init__(
        self,
        material: Material,
        folder: Run,
        *,
        tracks: Sequence[Track] = (),
        metrics: Sequence[Scorer] = (),
        workers: int | Workers = 0,
        **options: Any,
    ) -> None:
        bench = material.benchmark
        self.material, self.folder, self.workers = material, folder, workers_of(workers)
        self.tracks = list(tracks) or default_tracks(bench)
        # what is kept in SQLite is for one machine
        options["cache"] = None if self.workers.away else folder.cache_folder
        self._plugged = scorers_of(bench, self.tracks, everything=not tracks, **options)
        self.scorers = self._plugged.scorers
        self._add(metrics)
        if not self.scorers and judged(bench):
            ask = f"editgauge judge {bench.name} DATA --run RUN --model MODEL"
            raise UsageError(f"{bench.name}: all its scores are a judge's; ask one: {ask}")
        if not self.scorers:
            there = ", ".join(offered(bench)) or "none"
            why = f"{bench.name} has no scorers of this kind; it has: {there}"
            raise UsageError(f"{','.join(tracks)}: {why}", argument="tracks")
        lacks = {scorer.name: lacking(scorer.origin()) for scorer in self.scorers}
        self.lacking = {name: why for name, why in lacks.items() if why}

    def _add(self, metrics: Sequence[Any]) -> None:
        names = {scorer.name for scorer in self.scorers} | {*self.material.benchmark.every_metric}
        for scorer in metrics:
            if not isinstance(scorer, Scorer):
                why = f"wanted scorers, such as @metric makes; found {scorer!r:.60}"
                raise UsageError(why, argument="metrics")
            claimed = {scorer.name, *(metric.name for metric in scorer.metrics)}
            if taken := sorted(claimed & names):
                raise UsageError(f"{taken[0]!r}: another has this name", argument="metrics")
            names |= claimed
            self.scorers.append(scorer)

    def empty_columns(self) -> dict[str, list[str]]:
        """Why columns will stay empty, and what brings them -> their titles."""
        columns: dict[str, list[str]] = {}
        for scorer in self.scorers:
            if why := self.lacking.get(scorer.name):
                columns.setdefault(why, []).extend(metric.title for metric in scorer.metrics)
        return {why: list(dict.fromkeys(titles)) for why, titles in columns.items()}

    def run(
        self,
        progress: Progress | None = None,
        *,
        outputs: Path | None = None,
        editors: Sequence[str] = (),
        pattern: str = "",
        map: Path | None = None,
        columns: Columns | None = None,
        verify: bool = False,
        **limits: Any,
    ) -> Scored:
        """Bring the rows up to date and record the call in the run. Existing rows are reused.

        `outputs`: a folder in official naming; default the outputs of the run. `pattern` or `map`
        (with its `columns`): where outputs have other names, in the folder of each editor, or of
        all editors in one folder (`store.matching`). `editors`: only these. `verify`: read every
        picture again, also those whose size and times say that they are the same as before, and
        list what has changed. Further arguments (`limits`: `retry`, `seconds_an_output`) and errors
        as those of `score`.
        """
        began, outputs, standing = time.perf_counter(), local_folder(outputs), None
        before = self._content() if verify else {}
        if not (pattern or map or verify or limits.get("retry")):
            asked = [self._plugged.origins(), list(editors)]
            standing = Standing(self.folder, self.material, self.scorers, outputs, asked)
        if facts := standing and standing.facts():
            summary = Summary(kept=facts["kept"], problems=list(self.folder.problems))
            for *key, statuses in facts["counts"]:
                summary.counter(*key).update(statuses)
            summary.seconds = time.perf_counter() - began
        else:
            show = progress or (lambda *_: None)
            names = _Names(pattern, map, columns or Columns())
            with HashStore(self.folder.cache_folder / "hashes.sqlite", verify=verify) as hashes:
                takes = partial(self._takes, hashes, outputs, list(editors), names)
                summary, facts = self._look(show, hashes, takes, limits)
            if standing and not summary.problems:
                standing.keep(facts)
        self._record(facts["data"], facts["editors"], summary)
        left = left_out(outputs, facts["editors"]) if outputs and not editors else []
        name = self.material.benchmark.name
        summary.problems += [why_left_out(name, one) for one in left]
        summary.problems += facts.get("one_colour", [])
        summary.problems += self._plugged.problems
        scored = self._scored(summary, facts["editors"], whole=not left)
        if not verify:
            return scored
        now = self._content()
        changed = sorted(place for place, mark in before.items() if now.get(place) != mark)
        return replace(scored, changed=changed)

    def _content(self) -> dict[str, str]:
        """Return the hash of each picture that the run has of this benchmark, by its place."""
        name, content = self.material.benchmark.name, dict[str, str]()
        for sample in self.folder.samples(name):
            content.update(sample.get("marks") or {})
        for edit in self.folder.edits(name):
            if edit.path is not None:
                content[edit.path] = edit.fingerprint
        return content

    def _scored(self, summary: Summary, editors: Sequence[str], *, whole: bool) -> Scored:
        name, among = self.material.benchmark.name, [one.id for one in self.material.samples]
        names = {scorer for _, scorer, _, _ in summary.counts}
        able = {scorer.name for scorer in self.scorers} - set(self.lacking)
        samples = self.folder.samples_by_status(name, names, among=among)
        every = not any(Status.SCORED in each for each in samples.values())
        there = summary.has_score and not summary.lacking(self.lacking if able else ())
        return Scored(
            summary=summary,
            samples=samples,
            reasons=self.folder.reasons(name, names, editors, among=among, every=every),
            lacking=self.lacking,
            complete=whole and there,
        )

    def _look(
        self,
        show: Progress,
        hashes: HashStore,
        takes_of_editors: Callable[[], dict[str, Takes]],
        limits: JsonMapping,
    ) -> tuple[Summary, JsonObject]:
        """Look at everything and bring the rows up to date, part by part; what was done, and what
        `Standing` keeps. `takes_of_editors` is called once the samples are in the run.
        """
        every, samples, edits = self.material.every, self.material.samples, list[EditRecord]()
        chosen = {sample.id for sample in samples}

        def parts() -> Iterator[tuple[Sequence[Sample], Sequence[EditRecord]]]:
            for at in range(0, len(every), TOGETHER):
                part = [one for one in every[at : at + TOGETHER] if one.id in chosen]
                new = [record for take in takes.values() for record in take(part)]
                used = {record.sample for record in new if record.path is not None}
                data.keep(every[at : at + TOGETHER], used)
                edits.extend(new)
                yield part, new

        show(0, len(samples), "looking at data")
        data = self.material.inputs(self.folder, hashes)
        takes = takes_of_editors()
        summary = score(
            self.folder, self.material.benchmark.name, parts(), self.scorers, hashes=hashes,
            workers=self.workers, outputs=len(samples) * len(takes), progress=show,
            roots=[self.material.dataset.root], origins=self._plugged.origins(), **limits,
        )  # fmt: skip
        colours: dict[str, dict[str, Sequence[int]]] = {}
        for record in tell(self.folder, edits, samples):
            if ONE_COLOUR in record.detail:
                colours.setdefault(record.editor, {})[record.sample] = record.detail[ONE_COLOUR]
        counts = [[*key, dict(each)] for key, each in summary.counts.items()]
        facts = {"data": data.digest(), "editors": [*takes], "counts": counts}
        facts["one_colour"] = one_colour_notes(colours)
        return summary, {**facts, "kept": summary.kept + summary.computed}

    def _takes(
        self, hashes: HashStore, outputs: Path | None, editors: list[str], names: _Names
    ) -> dict[str, Takes]:
        benchmark, samples = self.material.benchmark.name, self.material.samples
        if outputs is None and names.given:
            why = f"{names.pattern or names.map}: wanted with it a folder of outputs"
            raise UsageError(why, argument="pattern" if names.pattern else "map")
        folders: dict[str, OutputFolder] | None = None
        if outputs is not None and not names.given:
            folders = editors_in(outputs, samples, editors)
        elif outputs is not None:
            folders = {}
            for editor, matches in self._matches(outputs, editors, names).items():
                matches.need_one_each()
                folders[plain_name(editor)] = OutputFolder(matches.folder, matches.named)
        return takes_of(self.folder, benchmark, folders, editors, hashes)

    def _matches(self, place: Path, editors: list[str], names: _Names) -> dict[str, Matches]:
        """Editor -> what the pattern or map finds: in `place`, where it names the editors; else in
        the editor's folder, else in `place` itself.
        """
        every, samples = self.material.every, self.material.samples
        together = several_editors(place, every, names.pattern, editors)
        if names.map is not None and names.columns.editor:
            together = editors_of_manifest(place, every, names.map, names.columns, editors)
        if together:
            if lacking := [name for name in editors if name not in together]:
                raise UsageError(f"{lacking[0]}: no outputs in {place}", argument="editors")
            return {name: one.of(samples) for name, one in together.items()}

        def of(folder: Path) -> Matches:
            return matches_of(folder, every, names.pattern, names.map, names.columns).of(samples)

        folders = {one.name: one for one in sorted(place.glob("[!.]*/"))}
        for name in editors if len(editors) > 1 else ():
            if name not in folders:
                raise UsageError(f"{name}: no such folder in {place}", argument="editors")
        matches = {name: of(folders[name]) for name in editors or folders if name in folders}
        matches = {name: one for name, one in matches.items() if one.named or len(editors) > 1}
        return matches or {(editors or [plain_name(place.absolute().name)])[0]: of(place)}

    def _record(self, data: str, editors: Sequence[str], summary: Summary) -> None:
        self.folder.record(
            "score",
            benchmark=self.material.benchmark.name,
            tracks=self.tracks,
            editors=sorted(editors),
            data=data,
            samples=len(self.material.every),
            chosen=len(self.material.samples),
            scorers=self._plugged.origins(),
            computed=summary.computed,
            kept=summary.kept,
            seconds=round(summary.seconds, 3),
        )
