"""What a rule found: which file of a folder is which sample's, in words and as JSON."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from editgauge.errors import DataError
from editgauge.images import EXTENSIONS
from editgauge.types import Sample

FIELD = re.compile(r"\{(\w+?)(?::0(\d{1,2}))?\}")
"""A field of a pattern: its name, and how many digits it has."""
PLACES = {"place": 1, "place0": 0}
"""Fields that count the samples of one folder, and from which number."""
_SHOWN = 5
_TOLD = {
    "missing": "samples without a file",
    "ambiguous": "samples that several files fit",
    "shared": "files that fit several samples",
    "unexpected": "unexpected files",
    "not_there": "lines that name no picture",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """What a rule found. `files`: sample id -> the files that fit, relative to the folder with
    ``/``; samples that no file fits have none. `there`: every picture of the folder. `facts`: what
    the pattern could name, with its values for the first sample that no file fits. `map`: the file
    that names them, where it is no pattern; `not_there`: its lines that name no picture of the
    folder.
    """

    rule: str
    folder: Path
    files: Mapping[str, tuple[str, ...]]
    there: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    map: Path | None = None
    not_there: tuple[str, ...] = ()

    @property
    def by_place(self) -> bool:
        """Whether nothing in the files' names says whose they are, but their numbers' order."""
        return self.map is None and any(name in PLACES for name, _ in FIELD.findall(self.rule))

    @property
    def looked_for(self) -> str:
        """What the first sample without a file would need; empty for a map, or where none lacks."""
        return filled(self.rule, self.facts) if self.facts else ""

    @property
    def named(self) -> dict[str, Path]:
        """Sample id -> its file, where exactly one file fits and fits no other sample."""
        one = {name: files[0] for name, files in self.files.items() if len(files) == 1}
        shared = self.shared
        return {name: self.folder / file for name, file in one.items() if file not in shared}

    @property
    def ambiguous(self) -> dict[str, list[str]]:
        """Samples that several files fit."""
        return {name: [*files] for name, files in self.files.items() if len(files) > 1}

    @property
    def shared(self) -> set[str]:
        """Files that fit several samples."""
        counts = Counter(file for files in self.files.values() for file in files)
        return {file for file, number in counts.items() if number > 1}

    def of(self, samples: Sequence[Sample]) -> Matches:
        """What was found of these samples alone."""
        return replace(self, files={one.id: self.files.get(one.id, ()) for one in samples})

    def need_one_each(self) -> None:
        """Raise `DataError` where no file fits, several fit one sample, or one fits several."""
        where = f"{self.folder}: {self.rule!r}"
        if not any(self.files.values()):
            reason = self.not_there[0] if self.not_there else f"looked for {self.looked_for}"
            some = ", ".join(self.there[:3]) or "no pictures"
            raise DataError(f"{where} fits no file ({reason}); there are: {some}")
        for sample, files in self.ambiguous.items():
            some = ", ".join(files[:3])
            raise DataError(f"{where} fits {len(files)} files of sample {sample!r} ({some})")
        for file in sorted(self.shared):
            raise DataError(f"{where} fits several samples with {file}")

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON values."""
        named = {name: file.relative_to(self.folder) for name, file in self.named.items()}
        used = {file for files in self.files.values() for file in files}
        return {
            "rule": self.rule,
            "by_place": self.by_place,
            "pictures": len(self.there),
            "samples": len(self.files),
            "matched": {name: file.as_posix() for name, file in named.items()},
            "missing": [sample for sample, files in self.files.items() if not files],
            "ambiguous": self.ambiguous,
            "shared": sorted(self.shared),
            "unexpected": [file for file in self.there if file not in used],
            "not_there": list(self.not_there),
        }

    def lines(self) -> list[str]:
        """What was found, in words, with some examples of each kind."""
        facts = self.as_dict()
        lines = [
            f"{self.folder}: {_counted(self.there, 'picture')}, {_counted(self.files, 'sample')}",
            f"rule: {self.rule}",
            f"samples with a file of their own: {len(facts['matched'])}",
        ]
        lines += [
            f"  {sample}  <-  {file}" for sample, file in [*facts["matched"].items()][:_SHOWN]
        ]
        if self.by_place and facts["matched"]:
            lines.append(
                "note: the names tell no sample; files were counted in the order of the metadata. "
                "Look whether these are right before you take them"
            )
        for kind, what in _TOLD.items():
            if names := [*facts[kind]]:
                more = "" if len(names) <= _SHOWN else ", …"
                lines.append(f"{what} ({len(names)}): {', '.join(names[:_SHOWN])}{more}")
        if self.looked_for:
            lines.append(f"looked for, of the first without one: {self.looked_for}")
        if self.looked_for and not facts["matched"]:
            given = ", ".join(f"{{{name}}}={value}" for name, value in self.facts.items())
            lines.append(f"its fields: {given}")
            lines.append(
                "take them by a pattern of these fields, such as '{name}_*', or by a map: a csv "
                "with the columns sample and file"
            )
        return lines


def _counted(things: Sized, noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def filled(pattern: str, facts: Mapping[str, str]) -> str:
    """A pattern with these facts in the place of its fields."""
    return FIELD.sub(lambda found: facts.get(found[1], "?").zfill(int(found[2] or 0)), pattern)


def pictures(folder: Path) -> tuple[str, ...]:
    """Every picture below a folder by its extension, in order; links to folders are not followed.
    Raises `DataError` where it is no folder.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: wanted a folder of outputs, found none; check the path")
    files: list[str] = []
    for base, _, names in os.walk(folder):
        place = PurePosixPath(Path(base).relative_to(folder).as_posix())
        shown = [name for name in names if name.lower().endswith(EXTENSIONS)]
        files += [(place / name).as_posix() for name in shown]
    return tuple(sorted(files))
