"""Which prompts a judge is asked with: ours, the paper's, or a folder of the user's.

``ours``   the rubrics of this package, each replaced by a file of the same name in a folder
``paper``  the set that ``editgauge fetch prompts`` made below the run
a folder   a set (``set.json``), or rubric files that replace ours

What was chosen has a name and a hash; both are part of every score's source, so that no table mixes
two sets.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editgauge.errors import UsageError
from editgauge.images import write_bytes
from editgauge.judging import prompts
from editgauge.judging.paper import SET, ReleasedPrompts
from editgauge.judging.prompts import PromptSet
from editgauge.judging.protocol import Judging
from editgauge.judging.rubrics import RubricFolder
from editgauge.types import Benchmark

OURS = "ours"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A judge track with the words that it uses. `prompts` is None for rubrics."""

    name: str
    judging: Judging
    rubrics: RubricFolder
    prompts: PromptSet | None = None

    @property
    def fingerprint(self) -> str:
        """A hash over all that is sent in words: 16 hexadecimal digits."""
        if self.prompts is not None:
            return self.prompts.fingerprint
        return self.rubrics.common_hash(self.judging.rubric_names())


def folder_of(run: Path, benchmark: str) -> Path:
    """Where the paper's prompts of a benchmark lie in a run."""
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
    if word == OURS:
        return Chosen(OURS, ours, _rubrics(benchmark))
    folder = Path(word)
    if word == SET and not folder.is_dir():
        if run is None:
            raise UsageError("--prompts paper: name the run that has them with --run")
        folder = folder_of(run, benchmark.name)
    if (folder / prompts.FILE).is_file() or word == SET:
        loaded = prompts.load(folder, benchmark.name)
        track = declared(benchmark).judging(loaded)
        return Chosen(loaded.name, track, _rubrics(benchmark), loaded)
    if not folder.is_dir():
        near = difflib.get_close_matches(word, (OURS, SET), n=1)
        hint = f"did you mean {near[0]}?" if near else "no such folder"
        raise UsageError(f"--prompts {word!r}: wanted ours, paper or a folder; {hint}")
    rubrics = _rubrics(benchmark, folder)
    rubrics.check_files(list(ours.rubric_names()), "--prompts")
    return Chosen(folder.name, ours, rubrics)


def texts(chosen: Chosen) -> dict[str, str]:
    """Name -> text of every prompt, to be read."""
    if chosen.prompts is None:
        return {name: chosen.rubrics.text(name)[0] for name in chosen.judging.rubric_names()}
    found: dict[str, list[str]] = {}
    name = ""
    for line in prompts.readable(chosen.prompts):
        if line.startswith("== "):
            name = line.removeprefix("== ").partition(" (")[0]
        found.setdefault(name, []).append(line)
    return {name: "\n".join(lines) + "\n" for name, lines in found.items()}


def differences(first: Chosen, second: Chosen) -> Iterator[str]:
    """Lines of a unified diff, prompt by prompt; prompts of one side only are named."""
    a, b = texts(first), texts(second)
    for name in dict.fromkeys((*a, *b)):
        if name not in a or name not in b:
            there = first.name if name in a else second.name
            yield f"only in {there}: {name}"
            continue
        yield from difflib.unified_diff(
            a[name].splitlines(),
            b[name].splitlines(),
            f"{first.name}/{name}",
            f"{second.name}/{name}",
            lineterm="",
        )


def start(benchmark: Benchmark, folder: Path, word: str = OURS, run: Path | None = None) -> Path:
    """Copy a set to a folder, to be changed and used with ``--prompts FOLDER``.

    Raises `UsageError` when the folder holds something already.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder}: is not empty; name another folder")
    chosen = choose(benchmark, word, run)
    if chosen.prompts is not None:
        copied = PromptSet(
            chosen.prompts.benchmark, folder.name, chosen.prompts.calls, chosen.prompts.source
        )
        copied.save(folder)
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts(chosen).items():
        write_bytes(folder / f"{name}.md", text.encode())
    return folder


def _rubrics(benchmark: Benchmark, folder: Path | None = None) -> RubricFolder:
    home: Path | Mapping[str, Path] | Any = benchmark.rubrics or {}
    return RubricFolder(home, folder)
