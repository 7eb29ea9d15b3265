"""Whose scores a result file holds, and of which run of a judge, as its path says."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path, PurePath
from typing import NamedTuple

from editgauge.types import Sample

_RUN = re.compile(
    r"(?P<name>.*?)[ _-]*(?:run|round|repeat|rep|trial)[ _-]?(?P<number>\d{1,4})", re.I
)
"""The name of a folder or file of one of several runs of a judge: ``run2``, ``bagel_run_2``."""
_GENERIC = {
    "all", "details", "error", "errors", "eval", "evaluation", "judge", "lipis", "lpips", "metrics",
    "mse", "output", "outputs", "pixel", "psnr", "result", "results", "score", "scores", "ssim",
    "summary",
}  # fmt: skip
"""Words in file names that name no model."""
_FAILED = "failed"
"""How released scripts call the folder, and end the names, of lists of failed calls."""


class Results(NamedTuple):
    """A file or folder of results: whose scores they are by its path ("" where that does not say),
    and of which run of the judge, from 0.
    """

    path: Path
    editor: str
    repeat: int


def files_of(folder: Path, samples: Mapping[str, Sample]) -> list[Results]:
    """The JSON files below a folder, in the order of their names, without lists of failed calls.

    A model's name is the innermost part of the path that is left without the words that describe
    samples (topics, splits, categories) and results. Files that differ only in the number of a run
    are runs of one judge.
    """
    words = words_of(samples.values())
    every = [path for path in sorted(folder.rglob("*.json")) if not _is_failures(path, folder)]
    numbers: dict[PurePath, set[int]] = defaultdict(set)
    for path in every:
        inside = path.relative_to(folder).with_suffix("")
        numbers[_without_run(inside)].add(_run_of(inside))
    found = []
    for path in every:
        inside = path.relative_to(folder).with_suffix("")
        without_run = _without_run(inside)
        several = sorted(numbers[without_run])
        if len(several) > 1:
            repeat = several.index(_run_of(inside))
            found.append(Results(path, model_of(without_run, words), repeat))
        else:
            found.append(Results(path, model_of(inside, words), repeat=0))
    return found


def runs_below(folder: Path, samples: Mapping[str, Sample]) -> list[Results]:
    """The folders of several runs of a judge, ``run1``, ``run2``…, directly below a folder or below
    each of its folders; none where something else lies beside them.
    """
    if not folder.is_dir():
        return []
    directly = [Results(path, "", repeat) for repeat, path in enumerate(_runs_in(folder))]
    if directly:
        return directly
    words = words_of(samples.values())
    found: list[Results] = []
    for inner in sorted(_visible(folder)):
        runs = _runs_in(inner) if inner.is_dir() else []
        if not runs:
            return []
        editor = model_of(PurePath(inner.name), words)
        found += [Results(path, editor, repeat) for repeat, path in enumerate(runs)]
    return found


def _runs_in(folder: Path) -> list[Path]:
    """The folders of runs directly below a folder, by number, if it holds nothing else."""
    inside = _visible(folder)
    numbered = [path for path in inside if path.is_dir() and _bare_run(path.name) is not None]
    if len(numbered) != len(inside):
        return []
    return sorted(numbered, key=lambda path: _bare_run(path.name) or 0)


def _visible(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def words_of(samples: Iterable[Sample]) -> set[str]:
    """What describes samples and no model, as `bare` text: splits, categories, folders."""
    words: set[str] = set()
    for sample in samples:
        folders = [sample.id, *sample.output_stems]
        parts = [part for path in folders for part in path.split("/")[:-1]]
        words.update(bare(part) for part in (*parts, *sample.category, sample.split or ""))
    return {word for word in words if len(word) > 2}


def model_of(inside: PurePath, words: Set[str]) -> str:
    """The innermost part of a path that names a model; "" where none does."""
    for part in reversed(inside.parts):
        name = _name_in(part, words)
        if name:
            return name
    return ""


def bare(name: str) -> str:
    """A name as several programs may write it: letters and digits alone, in small letters."""
    return re.sub(r"[\W_]", "", name.lower())


def _name_in(part: str, words: Set[str]) -> str:
    """What is left of a folder's or file's name without words about samples and results."""
    tokens = re.findall(r"[^\W_]+(?:[.-][^\W_]+)*", part)
    kept = _without_words(tokens, words)
    while kept and kept[-1].lower() in _GENERIC:
        kept.pop()
    while kept and kept[0].lower() in _GENERIC:
        kept.pop(0)
    return part if kept == tokens else "_".join(kept)


def _without_words(tokens: Sequence[str], words: Set[str]) -> list[str]:
    """The tokens without each group of neighbours that is one of the words, the longest first."""
    for start, end in _groups(len(tokens)):
        if bare("".join(tokens[start:end])) in words:
            return _without_words([*tokens[:start], *tokens[end:]], words)
    return list(tokens)


def _groups(count: int) -> Iterator[tuple[int, int]]:
    for size in range(count, 0, -1):
        for start in range(count - size + 1):
            yield start, start + size


def _is_failures(path: Path, folder: Path) -> bool:
    inside = path.relative_to(folder)
    return _FAILED in inside.parent.parts or inside.stem.endswith(f"_{_FAILED}")


def _bare_run(name: str) -> int | None:
    """The number of a run, of a name that says nothing else."""
    match = _RUN.fullmatch(name)
    return int(match["number"]) if match is not None and not match["name"] else None


def _run_of(inside: PurePath) -> int:
    """The number of a run in a path; -1 where there is none."""
    matches = [_RUN.fullmatch(part) for part in inside.parts]
    numbers = [int(match["number"]) for match in matches if match is not None]
    return numbers[-1] if numbers else -1


def _without_run(inside: PurePath) -> PurePath:
    """A path without the words that number a run."""
    parts = []
    for part in inside.parts:
        match = _RUN.fullmatch(part)
        parts.append(part if match is None else match["name"])
    return PurePath(*filter(None, parts))
