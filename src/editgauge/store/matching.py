"""Which file of a folder is the output of which sample, where the names are not the official ones:
by a pattern, by a map, or by a guess.

Only files below the folder are ever looked at: a pattern or a map names nothing else.
"""

from __future__ import annotations

import bisect
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from editgauge.errors import DataError, UsageError
from editgauge.images import EXTENSIONS
from editgauge.store import maps
from editgauge.store.matches import FIELD, PLACES, Matches, filled, pictures
from editgauge.types import Sample

_TELLING = ("stem", "id", "flat", "image", "name", "number")
"""Facts that may tell a sample in a file's name, the surest first."""
_FOLDERS = ("split", "category", "category1", "category2", "folder", "folder1", "folder2")
_LOOKED_AT = 40
"""Files whose names are looked at for patterns, spread over the folder."""
_SUGGESTED = 8
"""Patterns of each kind that are tried."""


def matches_of(
    folder: Path, samples: Sequence[Sample], pattern: str = "", map: Path | None = None
) -> Matches:
    """`by_pattern` or `by_map`, or `guessed` where neither is given; of all samples of the data
    (see `Matches.of`), since some patterns count them. Raises `UsageError` for both, and where
    there are no samples.
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
    ``{number}`` (that without leading zeros), ``{stem}`` (the official output name), ``{image}``
    (the input's name without its extension), ``{split}``, ``{category}``, ``{category1}``…,
    ``{folder}`` and ``{folder1}``… (of the official output name: ``canva`` where TextEditBench's
    split is ``synthetic``), every attribute, and ``{place}``: which sample it is in the order of
    the metadata, from 1 (``{place0}``: from 0), counted for each value of the other fields.
    ``{place:04}`` has leading zeros. ``*`` stands for any text without ``/``. Without an extension
    any picture's will do. Raises `UsageError` for a field that no sample has, `DataError` where the
    folder is none.
    """
    return _matches(folder, samples, pattern, pictures(folder))


def by_map(folder: Path, samples: Sequence[Sample], path: Path) -> Matches:
    """The files that a map names (see `maps`): a csv with the columns ``sample`` and ``file``,
    relative to the folder, or lmms-eval's logged samples. A sample whose picture is not
    below the folder has no file (`Matches.not_there`). Raises `DataError` for another kind of map
    and for a sample that the data lack.
    """
    there = pictures(folder)
    flat = {sample.id.replace("/", "_"): sample.id for sample in samples}
    files, not_there = set(there), []
    named: dict[str, tuple[str, ...]] = {sample.id: () for sample in samples}
    for line in maps.lines_of(path):
        sample, file = line.sample, line.file
        if line.elsewhere:
            sample = sample if sample in named else flat.get(sample, "")
            file = maps.end_of(file, files) or file
        if sample not in named:
            raise DataError(f"{path}, line {line.number}: the data have no sample {line.sample!r}")
        if file in files:
            named[sample] = (*named[sample], file)
        else:
            told = f"{line.file[:80]!r} is no picture below {folder.name}"
            not_there.append(f"line {line.number}: {told}")
    found = Matches(rule=path.name, folder=folder, files=named, there=there)
    return replace(found, map=path, not_there=tuple(not_there))


def guessed(folder: Path, samples: Sequence[Sample]) -> Matches:
    """The matches of that pattern that gives most samples one file of their own: the official
    names, or what the files' names suggest; the surest of equally good ones, those that only count
    (`Matches.by_place`) last.
    """
    there = pictures(folder)
    best = _matches(folder, samples, "{stem}", there)
    for pattern in suggestions(there, samples):
        if len(best.named) == len(samples):
            break
        found = _matches(folder, samples, pattern, there)
        best = max(best, found, key=lambda one: len(one.named))
    return best


def suggestions(there: Sequence[str], samples: Sequence[Sample]) -> list[str]:
    """Patterns that files' names suggest: a fact of a sample, or a number, stands in the name, the
    rest is the same in most of them, or is told by ``*`` or a fact that folders are called by.
    """
    told, counted = Counter[str](), Counter[str]()
    every = [_facts(sample) for sample in samples]
    folders = {facts[fact]: f"{{{fact}}}" for fact in reversed(_FOLDERS) for facts in every
               if facts.get(fact)}  # fmt: skip
    for file in there[:: max(1, len(there) // _LOOKED_AT)]:
        name = os.path.splitext(file)[0]
        if "{" not in name and "*" not in name:
            told.update({one for facts in every for one in _telling(name, facts)})
            counted.update(_counting(name, folders))
    rank = {name: number for number, name in enumerate(_TELLING)}
    sure = sorted(
        told, key=lambda one: (-told[one], "*" in one, rank[FIELD.findall(one)[-1][0]], one)
    )
    return sure[:_SUGGESTED] + [one for one, _ in counted.most_common(_SUGGESTED)]


def _telling(name: str, facts: Mapping[str, str]) -> Iterator[str]:
    """The patterns that a name suggests if it is this sample's: the whole name, and with ``*``
    behind the fact, or for all that stands before it in the file's own name.
    """
    called = [(facts[place], f"{{{place}}}") for place in _FOLDERS if facts.get(place)]
    told = [(fact, facts.get(fact, ""), "") for fact in _TELLING]
    padded = [run for run in re.findall(r"0\d+", name) if run.lstrip("0") == facts["number"]]
    told += [("number", run, f":0{len(run)}") for run in padded]
    for fact, value, width in told:
        if not value or value not in name:
            continue
        before, _, after = name.rpartition(value)
        if before[-1:].isalnum() or after[:1].isalnum() or "/" in after:
            continue  # a part of a longer word or number, or of a folder's name
        field = f"{{{fact}{width}}}"
        heads = {_headed(before, dict(order)) for order in (called, called[::-1])}
        for head in heads:  # one text may be a category and an output folder of another sample
            yield f"{head}{field}{after}"
            if after:
                yield f"{head}{field}{after[0]}*"
        folder, slash, own = before.rpartition("/")
        mark = own[len(own.rstrip("_-. ")) :]
        if own != mark:
            yield f"{_headed(folder, dict(called))}{slash}*{mark}{field}{after}"


def _counting(name: str, folders: Mapping[str, str]) -> Iterator[str]:
    """The patterns that a name suggests if one of its numbers counts the samples."""
    start = name.rfind("/") + 1
    for number in re.finditer(r"\d+", name[start:]):
        text = number[0]
        width = f":0{len(text)}" if text[0] == "0" and len(text) > 1 else ""
        before, after = name[: start + number.start()], name[start + number.end() :]
        for field_name in PLACES:
            yield f"{_headed(before, folders)}{{{field_name}{width}}}{after}"


def _headed(before: str, folders: Mapping[str, str]) -> str:
    """What stands before a fact, with the folders' facts as fields, each a word of its own."""
    words = "|".join(re.escape(one) for one in sorted(folders, key=len, reverse=True))
    whole = rf"(?<![^\W_])(?:{words})(?![^\W_])"
    return re.sub(whole, lambda word: folders[word[0]], before) if folders else before


def _matches(
    folder: Path, samples: Sequence[Sample], pattern: str, there: tuple[str, ...]
) -> Matches:
    fields = {name for name, _ in FIELD.findall(pattern)}
    every = {sample.id: _facts(sample) for sample in samples}
    _count(pattern, every.values())
    if unknown := fields - {name for facts in every.values() for name in facts}:
        offered = ", ".join(next(iter(every.values())))
        raise UsageError(f"--pattern: no sample has {{{min(unknown)}}}; there are: {offered}")
    if not fields:
        raise UsageError(f"--pattern {pattern!r}: wanted a field such as {{id}} or {{name}}")
    whole = pattern.lower().endswith(EXTENSIONS)
    by_name: dict[str, list[str]] = {}
    for file in there:
        by_name.setdefault(file if whole else os.path.splitext(file)[0], []).append(file)
    in_order, backwards = sorted(by_name), sorted(name[::-1] for name in by_name)
    files = {
        name: tuple(sorted(_fitting(pattern, facts, by_name, in_order, backwards)))
        for name, facts in every.items()
    }
    missed = next((every[name] for name, found in files.items() if not found), {})
    return Matches(rule=pattern, folder=folder, files=files, there=there, facts=missed)


def _count(pattern: str, every: Iterable[dict[str, str]]) -> None:
    """Put into the facts which sample it is among those for which the rest of the pattern is the
    same: numbered files of one folder start anew in the next.
    """
    counts = Counter[str]()
    for facts in every:
        rest = filled(pattern, {**facts, **dict.fromkeys(PLACES, "")})
        facts |= {name: str(first + counts[rest]) for name, first in PLACES.items()}
        counts[rest] += 1


def _fitting(
    pattern: str,
    facts: Mapping[str, str],
    by_name: Mapping[str, Sequence[str]],
    in_order: Sequence[str],
    backwards: Sequence[str],
) -> Iterator[str]:
    """The files that the filled pattern fits. `in_order`: the names of `by_name`, sorted, and
    `backwards`: the same from their ends; those alone are tried that begin as the pattern does, or
    where it begins with ``*``, end as it does.
    """
    if not {name for name, _ in FIELD.findall(pattern)} <= set(facts):
        return
    steps = [filled(part, facts) for part in pattern.split("*")]
    if len(steps) == 1:
        yield from by_name.get(steps[0], ())
        return
    wanted = re.compile("[^/]*".join(map(re.escape, steps)))
    turn = -1 if not steps[0] else 1
    names, begin = (backwards, steps[-1][::-1]) if turn == -1 else (in_order, steps[0])
    at = bisect.bisect_left(names, begin)
    while at < len(names) and names[at].startswith(begin):
        if wanted.fullmatch(name := names[at][::turn]):
            yield from by_name[name]
        at += 1


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
