"""Which file of a folder is the output of which sample, where the names are not the official ones:
by a pattern, by a map, or by a guess. Only files below the folder are ever looked at.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile
from pathlib import Path, PurePosixPath

from editgauge.errors import DataError, UsageError
from editgauge.images import EXTENSIONS
from editgauge.store import csv_files, hashes, paths
from editgauge.types import JsonObject, Sample

_FIELD = re.compile(r"\{(\w+?)(?::0(\d{1,2}))?\}")
"""A field of a pattern: its name, and how many digits it has."""
_PLACES = {"place": 1, "place0": 0}  # fields that count the samples of a folder, and from where
_TELLING = ("stem", "id", "flat", "image", "name", "number")
"""Facts that may tell a sample in a file's name, the surest first."""
_FOLDERS = ("split", "category", "category1", "category2", "folder", "folder1", "folder2")
_LOOKED_AT = 40
"""Files whose names are looked at for patterns, spread over the folder."""
_SUGGESTED = 12
"""Patterns of each kind that are tried."""
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """What a rule found. `files`: sample id -> the files that fit, relative to the folder with
    ``/``. `there`: every picture of the folder. `facts`: what a pattern can name, of the first
    sample that no file fits. `map`: the file that names them, where it is no pattern.
    """

    rule: str
    folder: Path
    files: Mapping[str, tuple[str, ...]]
    there: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    map: Path | None = None

    @property
    def by_place(self) -> bool:
        """Whether nothing in the files' names says whose they are, but their numbers' order."""
        return any(name in _PLACES for name, _ in _FIELD.findall(self.rule))

    @property
    def beside(self) -> list[str]:
        """The folders of which the rule begins with the name of one; empty where it does not."""
        folders = {file.partition("/")[0] for file in self.there if "/" in file}
        return sorted(folders) if self.rule.partition("/")[0] in folders else []

    @property
    def named(self) -> dict[str, Path]:
        """Sample id -> its file, where exactly one file fits and fits no other sample."""
        times = Counter(chain.from_iterable(self.files.values()))
        return {name: self.folder / files[0] for name, files in self.files.items()
                if [times[file] for file in files] == [1]}  # fmt: skip

    @property
    def ambiguous(self) -> dict[str, list[str]]:
        """Samples that several files fit, or one that fits other samples, too."""
        named = self.named
        every = self.files.items()
        return {name: [*files] for name, files in every if files and name not in named}

    def of(self, samples: Sequence[Sample]) -> Matches:
        """What was found of these samples alone."""
        return replace(self, files={one.id: self.files.get(one.id, ()) for one in samples})

    def need_one_each(self) -> None:
        """Raise `DataError` where no file fits, several fit one sample, or one fits several."""
        where = f"{self.folder}: {self.rule!r}"
        if not any(self.files.values()):
            some = ", ".join(self.there[:3]) or "no pictures"
            raise DataError(f"{where} fits no file; there are: {some}")
        for sample, files in self.ambiguous.items():
            some = ", ".join(files[:3])
            raise DataError(f"{where}: wanted one file of its own for {sample!r}, found {some}")

    def as_dict(self) -> JsonObject:
        """All of it as JSON values."""
        used = {*chain.from_iterable(self.files.values())}
        return {
            "rule": self.rule,
            "by_place": self.by_place,
            "matched": {name: self.files[name][0] for name in self.named},
            "missing": [sample for sample, files in self.files.items() if not files],
            "ambiguous": self.ambiguous,
            "unexpected": [file for file in self.there if file not in used],
        }

    def lines(self) -> list[str]:
        """What was found, in words, with some examples of each kind."""
        facts = self.as_dict()
        pairs = [f"  {sample}  <-  {file}" for sample, file in facts["matched"].items()]
        lines = [f"{self.folder}: {self.rule}", f"samples with a file of their own: {len(pairs)}"]
        lines += pairs[:_SHOWN]
        if self.by_place and pairs:
            lines.append(
                "note: the names tell no sample; files were counted in the order of the metadata. "
                "Look whether these are right before you take them"
            )
        for kind, what in (
            ("missing", "samples without a file"),
            ("ambiguous", "samples without one of their own"),
            ("unexpected", "unexpected files"),
        ):
            if names := [*facts[kind]]:
                more = "" if len(names) <= _SHOWN else ", …"
                lines.append(f"{what} ({len(names)}): {', '.join(names[:_SHOWN])}{more}")
        if self.facts and not pairs:
            given = ", ".join(f"{{{name}}}={value}" for name, value in self.facts.items())
            lines.append(f"take them by a pattern of these fields, such as '{{name}}_*': {given}")
            lines.append("or by a map: a csv with the columns sample and file")
        return lines


def matches_of(
    folder: Path, samples: Sequence[Sample], pattern: str = "", map: Path | None = None
) -> Matches:
    """`by_pattern` or `by_map`; where neither is given the matches of that pattern that gives most
    samples one file of their own: the official names, or what the files' names suggest, those that
    only count (`Matches.by_place`) last. Of all samples of the data (see `Matches.of`), since some
    patterns count them. Raises `UsageError` for both, and where there are no samples.
    """
    if not samples or (pattern and map is not None):
        what = "a pattern and a map: wanted one of them" if samples else "no samples"
        raise UsageError(what, argument="pattern")
    if map is not None:
        return by_map(folder, samples, map)
    there = _pictures(folder)
    best = by_pattern(folder, samples, pattern or "{stem}", there)
    for suggested in [] if pattern else _suggestions(there, samples):
        if len(best.named) == len(samples):
            break
        matches = by_pattern(folder, samples, suggested, there)
        best = max(best, matches, key=lambda one: len(one.named))
    return best


def by_editor(matches: Matches, samples: Sequence[Sample]) -> dict[str, Matches]:
    """What the guessed rule finds in each folder, where it begins with the name of one folder of
    several: each is then an editor's. Where what stands behind its last field is in one of them
    alone, ``*`` stands for it. Empty where that does not help, either.
    """
    rest = matches.rule.partition("/")[2]
    for rule in (rest, rest[: rest.rfind("}") + 2] + "*"):
        every = {name: by_pattern(matches.folder / name, samples, rule) for name in matches.beside}
        fitting = {name: one for name, one in every.items() if one.named}
        if len(fitting) > 1:
            return fitting
    return {}


def _pictures(folder: Path) -> tuple[str, ...]:
    """Every picture below a folder, in order. Raises `DataError` where it is none."""
    if not folder.is_dir():
        raise DataError(f"{folder}: wanted a folder of outputs, found none; check the path")
    files = (Path(base, name) for base, _, names in os.walk(folder) for name in names)
    shown = (file for file in files if file.suffix.lower() in EXTENSIONS)
    return tuple(sorted(file.relative_to(folder).as_posix() for file in shown))


# -- patterns --------------------------------------------------------------------------------------


def by_pattern(
    folder: Path, samples: Sequence[Sample], pattern: str, there: tuple[str, ...] | None = None
) -> Matches:
    """The files whose path below the folder is the pattern with the sample's facts filled in.

    Fields: those of `_facts`, every attribute, and ``{place}``: which sample it is in the order of
    the metadata, from 1 (``{place0}``: from 0), counted for each value of the other fields.
    ``{place:04}`` has leading zeros. ``*`` stands for any text without ``/``. Without an extension
    any picture's will do; letters' case, and which of blank, ``-`` and ``_`` stands between words,
    make no difference. `there`: the pictures of the folder, where they are known. Raises
    `UsageError` for a field that no sample has, `DataError` where the folder is none.
    """
    there = _pictures(folder) if there is None else there
    fields = {name for name, _ in _FIELD.findall(pattern)}
    every = {sample.id: _facts(sample) for sample in samples}
    counts = Counter[str]()
    for facts in every.values():  # numbered files of one folder start anew in the next
        rest = _filled(pattern, {**facts, **dict.fromkeys(_PLACES, "")})
        facts |= {name: str(first + counts[rest]) for name, first in _PLACES.items()}
        counts[rest] += 1
    unknown = fields - {name for facts in every.values() for name in facts}
    if unknown or not fields:
        why = f"no sample has {{{min(unknown)}}}" if unknown else "wanted a field"
        offered = ", ".join(next(iter(every.values())))
        raise UsageError(f"{pattern!r}: {why}; there are: {offered}", argument="pattern")
    whole = pattern.lower().endswith(EXTENSIONS)
    by_name: dict[str, list[str]] = {}
    for file in there:
        by_name.setdefault(_alike(file if whole else os.path.splitext(file)[0]), []).append(file)
    in_order, files = sorted(by_name), dict[str, tuple[str, ...]]()
    for name, facts in every.items():
        wanted = _alike(_filled(pattern, facts)) if fields <= facts.keys() else ""
        fitting = _fitting(wanted, in_order) if "*" in pattern else [wanted]
        files[name] = tuple(file for one in fitting for file in by_name.get(one, ()))
    missed = next((every[name] for name in every if not files[name]), {})
    return Matches(rule=pattern, folder=folder, files=files, there=there, facts=missed)


def _filled(pattern: str, facts: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda one: facts.get(one[1], "?").zfill(int(one[2] or 0)), pattern)


def _fitting(wanted: str, in_order: Sequence[str]) -> list[str]:
    """The names that a text with ``*`` fits."""
    head, *_, tail = steps = wanted.split("*")
    exactly = re.compile("[^/]*".join(map(re.escape, steps)))
    near = takewhile(lambda one: one.startswith(head), in_order[bisect_left(in_order, head) :])
    return [one for one in near if one.endswith(tail) and exactly.fullmatch(one)]


def _alike(name: str) -> str:
    """Equal for names that differ in case, or in what stands between words."""
    return re.sub(r"[ _-]+", "_", name.casefold())


def _facts(sample: Sample) -> dict[str, str]:
    """What a pattern may name: ``flat`` is the id with ``_`` for ``/``, ``name`` its last part,
    ``number`` that without leading zeros, ``folder1``… of the official output name (``stem``).
    """
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


# -- what names suggest ----------------------------------------------------------------------------


def _suggestions(there: Sequence[str], samples: Sequence[Sample]) -> list[str]:
    """Patterns that files' names suggest, those that only count last."""
    names = [os.path.splitext(file)[0] for file in there[:: max(1, len(there) // _LOOKED_AT)]]
    names = [name for name in names if not {*"{*"} & {*name}]
    every = [_facts(sample) for sample in samples]
    labels = {name for one in samples for name, text in one.attributes.items()
              if isinstance(text, str) and len(text) > 2}  # fmt: skip
    places = (*_FOLDERS, *sorted(labels))
    alike = [{fact: _alike(facts.get(fact, "")) for fact in _TELLING} for facts in every]
    told, counting = Counter[str](), Counter[str]()
    called = {facts[fact]: f"{{{fact}}}" for fact in reversed(places) for facts in every
              if facts.get(fact)}  # fmt: skip
    for name in names:
        plain = _alike(name)
        counting.update(_counting(name, called))
        told.update({
            one
            for facts, words in zip(every, alike, strict=True)
            for fact in _TELLING if words[fact] and words[fact] in plain
            for one in _telling(name, fact, facts, places)
        })  # fmt: skip
    ranks = {one: _TELLING.index(_FIELD.findall(one)[-1][0]) for one in told}
    sure = sorted(told, key=lambda one: (-told[one], "*" in one, ranks[one], one))
    return [*sure[:_SUGGESTED], *(one for one, _ in counting.most_common(_SUGGESTED))]


def _telling(
    name: str, fact: str, facts: Mapping[str, str], places: Iterable[str]
) -> Iterator[str]:
    """Patterns of a name with this fact: as it is, ``*`` behind the fact, ``*`` before it."""
    called = [(facts[place], f"{{{place}}}") for place in places if facts.get(place)]
    digits = rf"0*{facts[fact]}" if fact == "number" else ""
    for word in [*re.finditer(_words([facts[fact]], digits), name)][-1:]:
        width = len(word[0]) if word[0] != facts[fact] and digits else 0
        field = f"{{{fact}:0{width}}}" if width else f"{{{fact}}}"
        before, after = name[: word.start()], name[word.end() :]
        if "/" in after and not (after[0] == "/" and before[-1:] in ("", "/")):
            continue  # a part of a folder's name
        heads = {_headed(before, dict(order)) for order in (called, called[::-1])}
        for head in heads:  # one text may be a category and an output folder of another sample
            yield f"{head}{field}{after}"
            if after:
                yield f"{head}{field}{after[0]}*"
        folder, slash, stem = before.rpartition("/")
        mark = stem[len(stem.rstrip("_-. ")) :]
        if stem != mark:
            yield f"{_headed(folder, dict(called))}{slash}*{mark}{field}{after}"


def _counting(name: str, called: Mapping[str, str]) -> Iterator[str]:
    """The patterns that a name suggests if one of its numbers counts the samples."""
    for number in re.finditer(r"\d+(?=[^/]*$)", name):
        text = number[0]
        width = f":0{len(text)}" if text[0] == "0" and len(text) > 1 else ""
        head, after = _headed(name[: number.start()], called), name[number.end() :]
        yield from (f"{head}{{{place}{width}}}{after}" for place in _PLACES)


def _headed(before: str, called: Mapping[str, str]) -> str:
    """What stands before a fact, with the facts that folders are called by as fields."""
    alike = {_alike(text): field for text, field in called.items()}
    return re.sub(_words(called), lambda word: alike[_alike(word[0])], before) if called else before


def _words(texts: Iterable[str], *more: str) -> str:
    """A regular expression for these texts, as `_alike` has them, each a word of its own."""
    longest = sorted(texts, key=len, reverse=True)
    spelled = [re.sub(r"(?:\\?[ _-])+", "[ _-]+", re.escape(one)) for one in longest]
    return rf"(?i)(?<![^\W_])(?:{'|'.join(filter(None, (*more, *spelled)))})(?![^\W_])"


# -- maps ------------------------------------------------------------------------------------------


def by_map(folder: Path, samples: Sequence[Sample], path: Path) -> Matches:
    """The files that a map names: a csv with the columns ``sample`` and ``file``, relative to the
    folder. A sample whose picture is not below the folder has no file. Raises `DataError` for
    another kind of map and for a sample that the data lack.
    """
    there = _pictures(folder)
    known = set(there)
    names, lines = csv_files.named(path)
    if not {"sample", "file"} <= set(names):
        message = ", ".join(names)[:200] or "none"
        raise DataError(f"{path}: wanted the columns sample and file, found {message}")
    files: dict[str, tuple[str, ...]] = {sample.id: () for sample in samples}
    for number, line in lines:
        sample, file = line["sample"], line["file"].replace("\\", "/")
        if sample not in files:
            raise DataError(f"{path}, line {number}: the data have no sample {sample!r}")
        if file in known:
            files[sample] = (*files[sample], file)
    return Matches(rule=path.name, folder=folder, files=files, there=there, map=path)


# -- files -----------------------------------------------------------------------------------------


def deliver(named: Mapping[str, Path], samples: Sequence[Sample], to: Path, editor: str) -> int:
    """Copy files (`named`: sample id -> its file) to their official places below ``to/<editor>``,
    but for those that are there unchanged; how many. Raises `DataError` for an output name that
    leads out of the folder, and as `paths.folder` and `hashes.copy`.
    """
    to.mkdir(parents=True, exist_ok=True)
    root, copied = paths.folder(to, paths.plain_name(editor)), 0
    known = hashes.HashStore(None)
    for sample in samples:
        if (file := named.get(sample.id)) is not None:
            place = f"{sample.output_stems[0]}{file.suffix.lower()}"
            if why := paths.misplaced(place):
                raise DataError(f"sample {sample.id!r}: its output name {place!a}: {why}")
            if not known.is_copy(file, root / place):
                paths.folder(root, place.rpartition("/")[0])
                hashes.copy(file, root / place)
                copied += 1
    return copied
