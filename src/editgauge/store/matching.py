"""Which file of a folder is the output of which sample, where the names are not the official ones:
by a pattern, by a map, or by trying the usual patterns.

Only files below the folder are ever looked at: a pattern or a map names nothing else.
"""

from __future__ import annotations

import bisect
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from editgauge import temporary
from editgauge.errors import DataError, UsageError
from editgauge.images import EXTENSIONS, MAX_FILE_BYTES
from editgauge.store import maps, paths
from editgauge.store.copies import copy, same
from editgauge.store.paths import plain_name
from editgauge.types import Sample

MOST_FILES = 500_000
_SHOWN = 5
_FIELD = re.compile(r"\{(\w+)\}")
GUESSES = (
    "{stem}", "{id}", "{flat}", "{id}_*", "{flat}_*", "{name}", "{name}_*", "{image}", "{image}_*",
    "{category}/{name}", "{split}/{id}", "{split}/{name}", "{folder1}/{name}", "{folder1}/{name}_*",
)  # fmt: skip
"""Patterns that are tried where none is given, in this order; then those that the names suggest."""
_TELLING = ("stem", "id", "flat", "image", "name", "number")
"""Facts that may tell a sample in a file's name."""
_FOLDERS = ("split", "category", "category1", "category2", "folder", "folder1", "folder2")
_LOOKED_AT = 40
"""Files whose names are looked at for patterns, spread over the folder."""
_SUGGESTED = 8
_TOLD = {
    "missing": ("sample without a file", "samples without a file"),
    "ambiguous": ("sample that several files fit", "samples that several files fit"),
    "shared": ("file that fits several samples", "files that fit several samples"),
    "unexpected": ("unexpected file", "unexpected files"),
    "not_there": ("line that names no picture", "lines that name no picture"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """What a rule found. `files`: sample id -> the files that fit, relative to the folder with
    ``/``; samples that no file fits have none. `there`: every picture of the folder. `facts`: what
    the pattern could name, with its values for the first sample that no file fits. `not_there`:
    lines of a map that name no picture of the folder, so that their samples have no file.
    """

    rule: str
    folder: Path
    files: Mapping[str, tuple[str, ...]]
    there: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    map: Path | None = None
    """The file that names them, where it is no pattern."""
    not_there: tuple[str, ...] = ()

    @property
    def looked_for(self) -> str:
        """What the first sample without a file would need; empty for a map, or where none lacks."""
        return _filled(self.rule, self.facts) if self.facts else ""

    @property
    def named(self) -> dict[str, Path]:
        """Sample id -> its file, where exactly one file fits and fits no other sample."""
        shared = self.shared
        return {
            sample: self.folder / files[0]
            for sample, files in self.files.items()
            if len(files) == 1 and files[0] not in shared
        }

    @property
    def missing(self) -> list[str]:
        """Ids of samples that no file fits."""
        return [sample for sample, files in self.files.items() if not files]

    @property
    def ambiguous(self) -> dict[str, tuple[str, ...]]:
        """Samples that several files fit."""
        return {sample: files for sample, files in self.files.items() if len(files) > 1}

    @property
    def shared(self) -> set[str]:
        """Files that fit several samples."""
        counts = Counter(file for files in self.files.values() for file in files)
        return {file for file, number in counts.items() if number > 1}

    @property
    def unexpected(self) -> list[str]:
        """Files that fit no sample."""
        used = {file for files in self.files.values() for file in files}
        return [file for file in self.there if file not in used]

    def need_one_each(self) -> None:
        """Raise `DataError` where no file fits, several fit one sample, or one fits several."""
        where = f"{self.folder}: {self.rule!r}"
        if not any(self.files.values()):
            some = ", ".join(self.there[:3]) or "no pictures"
            told = f" (looked for {self.looked_for})" if self.looked_for else ""
            told += f" ({self.not_there[0]})" if self.not_there else ""
            raise DataError(f"{where} fits no file{told}; there are: {some}")
        for sample, files in self.ambiguous.items():
            raise DataError(
                f"{where} fits {len(files)} files of sample {sample!r} "
                f"({', '.join(files[:3])}): wanted one"
            )
        for file in sorted(self.shared):
            raise DataError(f"{self.folder}: {file} fits several samples by {self.rule!r}")

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON values."""
        named = {
            name: file.relative_to(self.folder).as_posix() for name, file in self.named.items()
        }
        return {
            "rule": self.rule,
            "pictures": len(self.there),
            "samples": len(self.files),
            "matched": named,
            "missing": self.missing,
            "ambiguous": {sample: list(files) for sample, files in self.ambiguous.items()},
            "shared": sorted(self.shared),
            "unexpected": self.unexpected,
            "not_there": list(self.not_there),
        }

    def lines(self) -> list[str]:
        """What was found, in words, with some examples of each kind."""
        told = self.as_dict()
        found = [
            f"{self.folder}: {len(self.there)} pictures, {len(self.files)} samples",
            f"rule: {self.rule}",
            f"{len(told['matched'])} samples have a file of their own",
        ]
        found += [f"  {sample}  <-  {file}" for sample, file in [*told["matched"].items()][:_SHOWN]]
        for kind, words in _TOLD.items():
            if names := [*told[kind]]:
                more = "" if len(names) <= _SHOWN else ", …"
                what = words[len(names) > 1]
                found.append(f"{len(names)} {what}: {', '.join(names[:_SHOWN])}{more}")
        if self.looked_for:
            found.append(f"looked for, of the first without one: {self.looked_for}")
        if self.looked_for and not told["matched"]:
            given = ", ".join(f"{{{name}}}={value}" for name, value in self.facts.items())
            found.append(f"its fields: {given}")
        return found


# -- rules -----------------------------------------------------------------------------------------


def matches_of(
    folder: Path, samples: Sequence[Sample], pattern: str = "", map: Path | None = None
) -> Matches:
    """`by_pattern` or `by_map`, or `guessed` where neither is given. Raises `UsageError` for both,
    and where there are no samples.
    """
    if pattern and map is not None:
        raise UsageError("a pattern and a map: wanted one of them")
    if not samples:
        raise UsageError("no samples to find outputs of")
    if map is not None:
        return by_map(folder, samples, map)
    return by_pattern(folder, samples, pattern) if pattern else guessed(folder, samples)


def by_pattern(folder: Path, samples: Sequence[Sample], pattern: str) -> Matches:
    """The files whose path below the folder is the pattern with the sample's facts filled in.

    Fields: ``{id}``, ``{flat}`` (the id with ``_`` for ``/``), ``{name}`` (its last part),
    ``{number}`` (that without leading zeros),
    ``{stem}`` (the official output name), ``{image}`` (the input's name without its extension),
    ``{split}``, ``{category}``, ``{category1}``…, ``{folder}`` and ``{folder1}``… (of the official
    output name: ``canva`` where TextEditBench's split is ``synthetic``) and every attribute. ``*``
    stands for any text without ``/``. Without an extension any picture's will do. Raises
    `UsageError` for a field that no sample has, `DataError` where the folder is none.
    """
    return _matches(folder, samples, pattern, pictures(folder))


def by_map(folder: Path, samples: Sequence[Sample], path: Path) -> Matches:
    """The files that a map names (see `maps`): a csv with the columns ``sample`` and ``file``,
    relative to the folder, or a file of VLMEvalKit or lmms-eval. A sample whose picture is not
    below the folder has no file (`Matches.not_there`). Raises `DataError` for another kind of map
    and for a sample that the data lack.
    """
    there = pictures(folder)
    flat = {sample.id.replace("/", "_"): sample.id for sample in samples}
    files, not_there = set(there), []
    named: dict[str, list[str]] = {sample.id: [] for sample in samples}
    for line in maps.lines_of(path):
        sample, file = line.sample, line.file
        if line.elsewhere:
            sample = sample if sample in named else flat.get(sample, "")
            file = maps.end_of(file, files) or file
        if sample not in named:
            raise DataError(f"{path}, line {line.number}: the data have no sample {line.sample!r}")
        if file in files:
            named[sample].append(file)
        else:
            told = f"{line.file[:80]!r} is no picture below {folder.name}"
            not_there.append(f"line {line.number}: {told}")
    fitting = {sample: tuple(paths) for sample, paths in named.items()}
    return Matches(
        rule=path.name,
        folder=folder,
        files=fitting,
        there=there,
        map=path,
        not_there=tuple(not_there),
    )


def guessed(folder: Path, samples: Sequence[Sample]) -> Matches:
    """The matches of that pattern among `GUESSES` and those that the names suggest that gives most
    samples one file of their own; the first of equally good ones.
    """
    there, known = pictures(folder), set(_facts(samples[0]))
    usual = [pattern for pattern in GUESSES if set(_FIELD.findall(pattern)) <= known]
    found = [_matches(folder, samples, pattern, there) for pattern in usual]
    if all(len(one.named) < len(samples) for one in found):
        found += [_matches(folder, samples, one, there) for one in suggestions(there, samples)]
    return max(found, key=lambda one: len(one.named))


def suggestions(there: Sequence[str], samples: Sequence[Sample]) -> list[str]:
    """Patterns that files' names suggest: a fact of a sample stands in the name, the rest is the
    same in most of them, or is told by ``*`` or a fact that folders are called by.
    """
    votes: Counter[str] = Counter()
    every = [_facts(sample) for sample in samples]
    for file in there[:: max(1, len(there) // _LOOKED_AT)]:
        name = os.path.splitext(file)[0]
        if "{" not in name and "*" not in name:
            votes.update({one for facts in every for one in _patterns(name, facts)})
    return sorted(votes, key=lambda one: (-votes[one], "*" in one, one))[:_SUGGESTED]


def _patterns(name: str, facts: Mapping[str, str]) -> Iterator[str]:
    """Those that a name suggests if it is this sample's: the whole name, and with ``*`` behind the
    fact.
    """
    places = {facts[place]: f"{{{place}}}" for place in reversed(_FOLDERS) if facts.get(place)}
    for fact in _TELLING:
        value = facts.get(fact)
        if not value or value not in name:
            continue
        before, _, after = name.rpartition(value)
        if before[-1:].isalnum() or after[:1].isalnum() or "/" in after:
            continue  # a part of a longer word or number, or of a folder's name
        head = "/".join(places.get(part, part) for part in before.split("/"))
        yield f"{head}{{{fact}}}{after}"
        if after:
            yield f"{head}{{{fact}}}{after[0]}*"


def _matches(
    folder: Path, samples: Sequence[Sample], pattern: str, there: tuple[str, ...]
) -> Matches:
    fields = set(_FIELD.findall(pattern))
    every = {sample.id: _facts(sample) for sample in samples}
    if unknown := fields - {name for facts in every.values() for name in facts}:
        offered = ", ".join(_facts(samples[0]))
        raise UsageError(f"--pattern: no sample has {{{min(unknown)}}}; there are: {offered}")
    if not fields:
        raise UsageError(f"--pattern {pattern!r}: wanted a field such as {{id}} or {{name}}")
    whole = pattern.lower().endswith(EXTENSIONS)
    by_name: dict[str, list[str]] = {}
    for file in there:
        by_name.setdefault(file if whole else os.path.splitext(file)[0], []).append(file)
    in_order = sorted(by_name)
    files = {
        name: tuple(sorted(_fitting(pattern, facts, by_name, in_order)))
        for name, facts in every.items()
    }
    missed = next((every[name] for name, found in files.items() if not found), {})
    return Matches(rule=pattern, folder=folder, files=files, there=there, facts=missed)


def _fitting(
    pattern: str,
    facts: Mapping[str, str],
    by_name: Mapping[str, Sequence[str]],
    in_order: Sequence[str],
) -> Iterator[str]:
    """The files that the filled pattern fits. `in_order`: the names of `by_name`, sorted; those
    alone that begin as the pattern does are tried.
    """
    if not set(_FIELD.findall(pattern)) <= set(facts):
        return
    steps = [_filled(part, facts) for part in pattern.split("*")]
    if len(steps) == 1:
        yield from by_name.get(steps[0], ())
        return
    wanted = re.compile("[^/]*".join(map(re.escape, steps)))
    at = bisect.bisect_left(in_order, steps[0])
    while at < len(in_order) and in_order[at].startswith(steps[0]):
        if wanted.fullmatch(in_order[at]):
            yield from by_name[in_order[at]]
        at += 1


def _filled(pattern: str, facts: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda field: facts.get(field[1], "?"), pattern)


def _facts(sample: Sample) -> dict[str, str]:
    """What a pattern may name of a sample."""
    name = sample.id.rpartition("/")[2]
    facts = {name: str(value) for name, value in sample.attributes.items()}
    facts |= {f"category{n}": text for n, text in enumerate(sample.category, start=1)}
    facts |= {
        "id": sample.id,
        "flat": sample.id.replace("/", "_"),
        "name": name,
        "number": name.lstrip("0") or "0",
        "split": sample.split,
        "category": "/".join(sample.category),
        "image": sample.image.stem,
    }
    if sample.output_stems:
        facts["stem"] = sample.output_stems[0]
        parts = PurePosixPath(sample.output_stems[0]).parent.parts
        facts |= {"folder": "/".join(parts)} if parts else {}
        facts |= {f"folder{n}": part for n, part in enumerate(parts, start=1)}
    return facts


# -- files -----------------------------------------------------------------------------------------


def pictures(folder: Path) -> tuple[str, ...]:
    """Every picture below a folder by its extension, in order; links to folders are not followed.
    Raises `DataError` where it is no folder, or holds more than `MOST_FILES`.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: wanted a folder of outputs, found none; check the path")
    found: list[str] = []
    for base, _, names in os.walk(folder):
        place = PurePosixPath(Path(base).relative_to(folder).as_posix())
        shown = [name for name in names if name.lower().endswith(EXTENSIONS)]
        found += [(place / name).as_posix() for name in shown]
        if len(found) > MOST_FILES:
            raise DataError(f"{folder}: holds more than {MOST_FILES:,} pictures")
    return tuple(sorted(found))


def deliver(named: Mapping[str, Path], samples: Sequence[Sample], to: Path, editor: str) -> int:
    """Copy files to their official places below ``to/<editor>``; returns how many.

    `named`: sample id -> its file. A file that is there unchanged is not copied again. Raises
    `DataError` for an output name that leads out of the folder, `RunError` for an editor that no
    folder can be called and for a link where a folder belongs, and as `copies.copy`.
    """
    to.mkdir(parents=True, exist_ok=True)
    root, copied = paths.folder(to, plain_name(editor)), 0
    temporary.sweep(root)
    for sample in samples:
        file = named.get(sample.id)
        if file is None:
            continue
        place = PurePosixPath(f"{sample.output_stems[0]}{file.suffix.lower()}")
        if why := paths.misplaced(str(place)):
            raise DataError(f"sample {sample.id!r}: its output name {str(place)!a}: {why}")
        target = paths.folder(root, place.parent) / place.name
        if not same(file, target):
            _put(file, root, target)
            copied += 1
    return copied


def _put(file: Path, root: Path, target: Path) -> None:
    """A copy that is there whole or not at all: half a picture would be scored."""
    try:
        with temporary.folder(root) as place:
            copy(file, place / "copy", limit=MAX_FILE_BYTES)
            os.replace(place / "copy", target)
    except OSError as error:
        raise paths.unwritable(target, error) from error
