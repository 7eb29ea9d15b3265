"""Patterns for outputs whose names are not the official ones: ``{category}/{id}_edited`` says where
the output of each sample lies. Only files below the folder are ever looked at.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile
from pathlib import Path, PurePosixPath

from editgauge.errors import DataError, UsageError
from editgauge.images import EXTENSIONS
from editgauge.types import JsonObject, Sample

EDITOR = "{editor}"
"""The field of a pattern that stands for the editor's name: its files lie beside other editors'."""
FIELD = re.compile(r"\{(\w+?)(?::0(\d{1,2}))?\}")
"""A field of a pattern: its name, and how many digits it has."""
BETWEEN = r"[\s_&,;+-]+"
"""What may stand between the words of a name: all of it counts as equal."""
_PLACES = {"place": 1, "place0": 0}
"""Fields that count the samples in the order of the metadata, and the first number."""
_SHOWN = 5
"""Examples of each kind that are printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The files that a rule finds. `files`: sample id -> the files that fit, relative to the folder
    with ``/``. `there`: every picture of the folder. `facts`: what a pattern can name, of the first
    sample that no file fits. `map`: the manifest that names the files, where it is no pattern.
    `doubt`: why no rule is proposed, where the names of the files suggest one that may be wrong.
    """

    rule: str
    folder: Path
    files: Mapping[str, tuple[str, ...]]
    there: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    map: Path | None = None
    doubt: str = ""

    @property
    def by_place(self) -> bool:
        """Whether nothing in the files' names says whose they are, but their numbers' order."""
        return any(name in _PLACES for name, _ in FIELD.findall(self.rule))

    @property
    def beside(self) -> list[str]:
        """The folders of which the rule begins with the name of one; empty where it does not."""
        folders = {file.partition("/")[0] for file in self.there if "/" in file}
        return sorted(folders) if self.rule.partition("/")[0] in folders else []

    @property
    def named(self) -> dict[str, Path]:
        """Sample id -> its file, where exactly one file fits and fits no other sample."""
        times = Counter(chain.from_iterable(self.files.values()))
        named: dict[str, Path] = {}
        for sample, files in self.files.items():
            if len(files) == 1 and times[files[0]] == 1:
                named[sample] = self.folder / files[0]
        return named

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
            "doubt": self.doubt,
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
        if self.doubt:
            lines.append(f"no rule is proposed: {self.doubt}")
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
            lines.append(
                "or by --map FILE: a csv or JSON file in which one column names the files and "
                "another the samples"
            )
            lines.append(
                "are they numbered in the order of the metadata? Then say so: '{place:03}' "
                "(from 1), or '{place0}' (from 0)"
            )
        return lines


# -- files -----------------------------------------------------------------------------------------


def pictures_in(folder: Path) -> tuple[str, ...]:
    """Every picture below a folder, in order. Raises `DataError` where it is none."""
    if not folder.is_dir():
        raise DataError(f"{folder}: wanted a folder of outputs, found none; check the path")
    files = (Path(base, name) for base, _, names in os.walk(folder) for name in names)
    shown = (file for file in files if file.suffix.lower() in EXTENSIONS)
    return tuple(sorted(file.relative_to(folder).as_posix() for file in shown))


def without_extension(file: str) -> str:
    """The path of a picture without its extension."""
    return os.path.splitext(file)[0]


# -- one editor's files ----------------------------------------------------------------------------


def by_pattern(
    folder: Path, samples: Sequence[Sample], pattern: str, there: tuple[str, ...] | None = None
) -> Matches:
    """The files whose path below the folder is the pattern with the sample's facts filled in.

    Fields: those of `facts_of`, every attribute, and ``{place}``: which sample it is in the order
    of the metadata, from 1 (``{place0}``: from 0), counted for each value of the other fields.
    ``{place:04}`` has leading zeros. ``*`` stands for any text without ``/``. Without an extension
    any picture's will do; letters' case, and what stands between words (`BETWEEN`), make no
    difference. `there`: the pictures of the folder, where they are known. Raises `UsageError` for
    a field that no sample has, `DataError` where the folder is none.
    """
    there = pictures_in(folder) if there is None else there
    every = _facts_for(pattern, samples)
    fields = {name for name, _ in FIELD.findall(pattern)}
    by_name = _by_name(pattern, there)
    in_order = sorted(by_name)
    files: dict[str, tuple[str, ...]] = {}
    for name, facts in every.items():
        wanted = alike(filled(pattern, facts)) if fields <= facts.keys() else ""
        fitting = _fitting(wanted, in_order) if "*" in pattern else [wanted]
        files[name] = tuple(file for one in fitting for file in by_name.get(one, ()))
    missed = next((every[name] for name in every if not files[name]), {})
    return Matches(rule=pattern, folder=folder, files=files, there=there, facts=missed)


def _by_name(pattern: str, there: Sequence[str]) -> dict[str, list[str]]:
    """Files by what a pattern compares: with their extension where the pattern has one."""
    whole = pattern.lower().endswith(EXTENSIONS)
    by_name: dict[str, list[str]] = {}
    for file in there:
        by_name.setdefault(alike(file if whole else without_extension(file)), []).append(file)
    return by_name


def _facts_for(pattern: str, samples: Sequence[Sample]) -> dict[str, dict[str, str]]:
    """Sample id -> what the fields of a pattern may name. Raises `UsageError` for a pattern without
    fields, and for a field that no sample has.
    """
    every = {sample.id: facts_of(sample) for sample in samples}
    counts = Counter[str]()
    for facts in every.values():  # numbered files of one folder start anew in the next
        rest = filled(pattern, {**facts, **dict.fromkeys(_PLACES, "")})
        facts |= {name: str(first + counts[rest]) for name, first in _PLACES.items()}
        counts[rest] += 1
    fields = {name for name, _ in FIELD.findall(pattern)} - {EDITOR[1:-1]}
    unknown = fields - {name for facts in every.values() for name in facts}
    if unknown or not fields:
        why = f"no sample has {{{min(unknown)}}}" if unknown else "wanted a field"
        offered = ", ".join(next(iter(every.values())))
        raise UsageError(f"{pattern!r}: {why}; there are: {offered}", argument="pattern")
    return every


def filled(pattern: str, facts: Mapping[str, str]) -> str:
    """A pattern with these facts in the place of its fields, and ``?`` for what is not known."""
    return FIELD.sub(lambda one: facts.get(one[1], "?").zfill(int(one[2] or 0)), pattern)


def _fitting(wanted: str, in_order: Sequence[str]) -> list[str]:
    """The names that a text with ``*`` fits."""
    steps = wanted.split("*")
    head, tail = steps[0], steps[-1]
    exactly = re.compile("[^/]*".join(map(re.escape, steps)))
    near = takewhile(lambda one: one.startswith(head), in_order[bisect_left(in_order, head) :])
    return [one for one in near if one.endswith(tail) and exactly.fullmatch(one)]


def alike(name: str) -> str:
    """A text that is equal for names that differ in case, or in what stands between words."""
    return re.sub(BETWEEN, "_", name.casefold())


def facts_of(sample: Sample) -> dict[str, str]:
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


# -- all editors in one folder ---------------------------------------------------------------------


def by_editor_field(
    folder: Path, samples: Sequence[Sample], pattern: str, editors: Sequence[str] = ()
) -> dict[str, Matches]:
    """Editor -> its files, by a pattern with the field ``{editor}``: ``{id}_{editor}``.

    An editor's name is what a file has in that place: a text without ``/``. A file that can be read
    in two ways (of another sample by another editor) fits both samples, so that it is nobody's;
    `editors` says which names count, where that is known. Raises `UsageError` as `by_pattern`, and
    for a pattern with ``*`` or with two such fields.
    """
    if pattern.count(EDITOR) != 1 or "*" in pattern:
        why = "wanted {editor} once, and no * beside it: nobody could tell where the name ends"
        raise UsageError(f"{pattern!r}: {why}", argument="pattern")
    there = pictures_in(folder)
    every = _facts_for(pattern, samples)
    fields = {name for name, _ in FIELD.findall(pattern)} - {EDITOR[1:-1]}
    before, after = pattern.split(EDITOR)
    ends: dict[tuple[str, str], list[str]] = {}
    for name, facts in every.items():
        if fields <= facts.keys():
            end = (alike(filled(before, facts)), alike(filled(after, facts)))
            ends.setdefault(end, []).append(name)
    whole = pattern.lower().endswith(EXTENSIONS)
    files: dict[str, dict[str, list[str]]] = {}
    befores = {start for start, _ in ends}
    afters = {end for _, end in ends}
    for file in there:
        text = file if whole else without_extension(file)
        for editor, name in _readings(text, ends, befores, afters):
            if not editors or editor in editors:
                files.setdefault(editor, {}).setdefault(name, []).append(file)
    shared = _of_two_samples(files)
    matches: dict[str, Matches] = {}
    for editor, by_sample in sorted(files.items()):
        own = {name: tuple(by_sample.get(name, ())) for name in every}
        sure = {name: tuple(one for one in some if one not in shared) for name, some in own.items()}
        if any(sure.values()):
            missed = next((every[name] for name in every if not sure[name]), {})
            matches[editor] = Matches(
                rule=pattern, folder=folder, files=sure, there=there, facts=missed
            )
    return matches


def _of_two_samples(files: Mapping[str, Mapping[str, Sequence[str]]]) -> set[str]:
    """The files that can be read in more than one way."""
    times = Counter[str]()
    for by_sample in files.values():
        times.update(chain.from_iterable(by_sample.values()))
    return {file for file, number in times.items() if number > 1}


def _readings(
    name: str,
    ends: Mapping[tuple[str, str], Sequence[str]],
    befores: set[str],
    afters: set[str],
) -> Iterator[tuple[str, str]]:
    """Each way to read a name as an editor between the two `ends` of a sample: the editor and the
    sample. `befores` and `afters` are the first and the second ends.
    """
    text, places = _alike_with_places(name)
    starts = [at for at in range(len(text)) if text[:at] in befores]
    stops = [at for at in range(1, len(text) + 1) if text[at:] in afters]
    for start in starts:
        for stop in (at for at in stops if at > start):
            editor = name[places[start] : places[stop]].strip(" _-")
            if editor and "/" not in editor:
                for sample in ends.get((text[:start], text[stop:]), ()):
                    yield editor, sample


def _alike_with_places(name: str) -> tuple[str, list[int]]:
    """`alike` of a name, and where each of its characters stands in the name."""
    text = ""
    places: list[int] = []
    for at, character in enumerate(name):
        between = re.fullmatch(BETWEEN, character) is not None
        if between and text.endswith("_"):
            continue
        folded = "_" if between else character.casefold()
        text += folded
        places += [at] * len(folded)
    return text, [*places, len(name)]
