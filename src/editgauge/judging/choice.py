"""Which prompts a judge is asked with: ours, the paper's, or a folder of the user's.

``ours``   the rubrics of this package, each replaced by a file of the same name in a folder
``paper``  the words of the scripts that ``editgauge fetch prompts`` brought below the run
a folder   rubric files that replace ours

What was chosen has a name and a hash; both are part of every score's source, so that no table mixes
two sets.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from editgauge.errors import UsageError
from editgauge.images import write_bytes
from editgauge.judging import paper
from editgauge.judging.options import OURS
from editgauge.judging.paper import SET, ReleasedPrompts, Scripts
from editgauge.judging.protocol import Judging
from editgauge.judging.rubrics import RubricFolder
from editgauge.types import Benchmark


@dataclass(frozen=True, slots=True)
class Chosen:
    """A judge track with the words that it uses. `scripts` is None for rubrics."""

    name: str
    judging: Judging
    rubrics: RubricFolder
    scripts: Scripts | None = None

    @property
    def fingerprint(self) -> str:
        """A hash over all that is sent in words: 16 hexadecimal digits."""
        if self.scripts is not None:
            return self.scripts.fingerprint
        return self.rubrics.common_hash(self.judging.rubric_names())


def folder_of(run: Path, benchmark: str) -> Path:
    """Where the paper's scripts of a benchmark lie in a run."""
    return run / "prompts" / benchmark / SET


def declared(benchmark: Benchmark) -> ReleasedPrompts:
    """What is known of the benchmark's released prompts. Raises `UsageError` when nothing is."""
    if benchmark.prompts is None:
        raise UsageError(f"{benchmark.name}: no released prompts are known; use --prompts ours")
    found: ReleasedPrompts = benchmark.prompts()
    return found


def choose(benchmark: Benchmark, word: str, run: Path | None = None) -> Chosen:
    """The judge track of a benchmark with the prompts that `word` names.

    Raises `UsageError` for a benchmark without a judge track, a word that is no set and no folder,
    and files that replace nothing.
    """
    if benchmark.judging is None:
        raise UsageError(f"{benchmark.name}: this benchmark has no judge track")
    ours: Judging = benchmark.judging()
    home = benchmark.rubrics or {}
    if word == OURS:
        return Chosen(OURS, ours, RubricFolder(home))
    folder = Path(word)
    if word == SET and not folder.is_dir():
        if run is None:
            raise UsageError("--prompts paper: name the run that has them with --run")
        folder = folder_of(run, benchmark.name)
    released = None if benchmark.prompts is None else declared(benchmark)
    if word == SET or (released and (folder / released.files[0].path).is_file()):
        scripts = paper.load(declared(benchmark), folder)
        return Chosen(SET, declared(benchmark).track(scripts), RubricFolder(home), scripts)
    if not folder.is_dir():
        near = difflib.get_close_matches(word, (OURS, SET), n=1)
        hint = f"did you mean {near[0]}?" if near else "no such folder"
        raise UsageError(f"--prompts {word!r}: wanted ours, paper or a folder; {hint}")
    rubrics = RubricFolder(home, folder)
    rubrics.check_files(list(ours.rubric_names()), "--prompts")
    return Chosen(folder.name, ours, rubrics)


def start(benchmark: Benchmark, folder: Path) -> Path:
    """Copy our rubrics to a folder, to be changed and used in place of ours.

    Raises `UsageError` when the folder holds something already.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder}: is not empty; name another folder")
    chosen = choose(benchmark, OURS)
    folder.mkdir(parents=True, exist_ok=True)
    for name in chosen.judging.rubric_names():
        write_bytes(folder / f"{name}.md", chosen.rubrics.text(name)[0].encode())
    return folder
