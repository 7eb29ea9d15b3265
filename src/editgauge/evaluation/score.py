"""Outputs scored: scorers chosen, rows brought up to date, derived metrics made, all recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.errors import UsageError
from editgauge.evaluation.material import Material
from editgauge.run.engine import Engine, engine_of
from editgauge.run.score import score as score_all
from editgauge.scoring.derived import derive
from editgauge.scoring.failures import lacking
from editgauge.scoring.outside import own_scorers, scorers_of
from editgauge.store.collect import edits_of, import_outputs, tell
from editgauge.store.hashes import HashStore
from editgauge.store.matching import matches_of
from editgauge.store.run_folder import EditRecord, RunFolder
from editgauge.store.summary import Summary
from editgauge.types import TRACKS, Benchmark, Scorer, SetScorer, Status, Track

Progress = Callable[[int, int, str], None]
_COMMAND = {"judge": "judge", "human": "annotate"}
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
    workers: int | Engine = 0
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

    def __init__(self, material: Material, folder: RunFolder, request: Request) -> None:
        """Raises `UsageError` where the benchmark has no scorers of the tracks."""
        bench = material.benchmark
        self.material, self.folder, self.request = material, folder, request
        self.tracks = list(request.tracks) or default_tracks(bench, bool(request.explain))
        away = engine_of(request.workers).away  # what is kept in SQLite is for one machine
        self._plugged = scorers_of(
            bench,
            self.tracks,
            everything=not request.tracks and not request.explain,
            cache=None if away else folder.cache_folder,
            **request.options,
        )
        self.scorers: Sequence[Scorer | SetScorer] = self._plugged.scorers
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
            summary = score_all(
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
                progress=progress,
            )
            edits = tell(folder, edits, samples)
        derived = derive(folder, material.benchmark)
        folder.record(
            "score",
            benchmark=name,
            tracks=self.tracks,
            editors=sorted({record.editor for record in edits}),
            **request.recorded,
            data=data,
            samples=len(material.every),
            chosen=len(samples),
            scorers={scorer.name: dict(scorer.origin()) for scorer in self.scorers},
            plugins=self._plugged.plugins,
            computed=summary.computed,
            kept=summary.kept,
            derived=derived.written,
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
