"""Which prompts a judge is asked with: ``ours`` (this package's rubrics), ``paper`` (the words of
released scripts), a folder of rubric files, or the name of another package's protocol. What was
chosen has a name and a hash, which are part of every score's source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from editgauge import catalog
from editgauge.errors import UsageError
from editgauge.images import write_bytes
from editgauge.judging import paper
from editgauge.judging.paper import SET, ReleasedPrompts
from editgauge.judging.questions import Track
from editgauge.judging.rubrics import RubricFolder
from editgauge.types import Benchmark, JudgeTrack

OURS = "ours"


@dataclass(frozen=True, slots=True)
class Prompts:
    """A judge track with its words. `texts` is the hash of what is sent in place of rubrics;
    `plugins` are kind, name, package and version of what is not ours.
    """

    name: str
    track: Track
    rubrics: RubricFolder
    texts: str = ""
    plugins: tuple[dict[str, str], ...] = ()

    @property
    def fingerprint(self) -> str:
        """A hash over all that is sent in words: 16 hexadecimal digits."""
        return self.texts or self.rubrics.common_hash(self.track.rubric_names())


def folder_of(run: Path, benchmark: str) -> Path:
    """Where the paper's scripts of a benchmark lie in a run."""
    return run / "prompts" / benchmark / SET


def declared(benchmark: Benchmark) -> ReleasedPrompts:
    """What is known of the benchmark's released prompts. Raises `UsageError` when nothing is."""
    if benchmark.prompts is None:
        raise UsageError(f"{benchmark.name}: no released prompts are known; use ours")
    found: ReleasedPrompts = benchmark.prompts()
    return found


def track_of(benchmark: Benchmark) -> Track:
    """A benchmark's judge track. Raises `UsageError` when it has none."""
    if benchmark.judging is None:
        raise UsageError(f"{benchmark.name}: this benchmark has no judge track")
    found: Track = benchmark.judging()
    return found


def choose(benchmark: Benchmark, word: str = OURS, run: Path | None = None) -> Prompts:
    """The prompts that `word` names; `run` is where the paper's may lie. Raises `UsageError` for a
    benchmark without a judge track, a word that is nothing of all this, files that replace nothing,
    and a package's metric of a name that the benchmark has.
    """
    source = catalog.source_of("benchmarks", benchmark.name)
    plugins = (source.as_dict("benchmark", benchmark.name),) if source.name else ()
    if word not in (OURS, SET) and word in catalog.names("judges"):
        found: JudgeTrack = catalog.find("judges", word)
        track: Track = found.judging()
        if taken := sorted({one.name for one in track.metrics} & set(benchmark.every_metric)):
            why = f"{word}: {benchmark.name} has a metric {taken[0]!r} of its own"
            raise UsageError(why, argument="prompts")
        package = catalog.source_of("judges", word).as_dict("judge", word)
        rubrics = RubricFolder(found.rubrics or {})
        return Prompts(OURS, track, rubrics, plugins=(*plugins, package))
    rubrics = RubricFolder(benchmark.rubrics or {})
    ours = Prompts(OURS, track_of(benchmark), rubrics, plugins=plugins)
    if word == OURS:
        return ours
    folder = Path(word)
    if word == SET and run is not None and not folder.is_dir():
        folder = folder_of(run, benchmark.name)
    released = declared(benchmark) if word == SET or benchmark.prompts else None
    if released and (word == SET or (folder / released.files[0].path).is_file()):
        scripts = paper.load(released, folder)
        return replace(ours, name=SET, track=released.track(scripts), texts=scripts.fingerprint)
    if not folder.is_dir():
        why = f"{word!r}: wanted ours, paper, a folder of rubrics, or a name of `list judges`"
        raise UsageError(why, argument="prompts")
    rubrics = RubricFolder(benchmark.rubrics or {}, folder)
    rubrics.check(ours.track.rubric_names())
    return replace(ours, name=folder.name, rubrics=rubrics)


def start(benchmark: Benchmark, folder: Path) -> Path:
    """Copy our rubrics to a folder, to be changed. Raises `UsageError` when it holds something."""
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder}: is not empty; name another folder")
    ours = choose(benchmark)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ours.track.rubric_names():
        write_bytes(folder / f"{name}.md", ours.rubrics.text(name)[0].encode())
    return folder
