"""What a rule found: which file of a folder is the output of which sample; and how they come to
their official names.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from editgauge import temporary
from editgauge.errors import DataError
from editgauge.images import EXTENSIONS
from editgauge.store import paths
from editgauge.store.hashes import copy, same
from editgauge.store.paths import plain_name
from editgauge.types import Sample

MOST_FILES = 500_000
FIELD = re.compile(r"\{(\w+?)(?::0(\d{1,2}))?\}")
"""A field of a pattern: its name, and how many digits it has."""
PLACES = {"place": 1, "place0": 0}
"""Fields that count the samples of one folder, and from which number."""
_SHOWN = 5
_TOLD = {
    "missing": ("sample without a file", "samples without a file"),
    "ambiguous": ("sample that several files fit", "samples that several files fit"),
    "shared": ("file that fits several samples", "files that fit several samples"),
    "unexpected": ("unexpected file", "unexpected files"),
    "not_there": ("line that names no picture", "lines that name no picture"),
}


def filled(pattern: str, facts: Mapping[str, str]) -> str:
    """A pattern with these facts in the place of its fields."""
    return FIELD.sub(lambda found: facts.get(found[1], "?").zfill(int(found[2] or 0)), pattern)


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

    def of(self, samples: Sequence[Sample]) -> Matches:
        """What was found of these samples alone."""
        return replace(self, files={one.id: self.files.get(one.id, ()) for one in samples})

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
            "by_place": self.by_place,
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
        if self.by_place and self.named:
            found.append(
                "note: the names tell no sample; files were counted in the order of the metadata. "
                "Look whether these are right before you take them"
            )
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
    made = root / temporary.new_name()
    try:
        copy(file, made)
        os.replace(made, target)
    except OSError as error:
        raise paths.unwritable(target, error) from error
    finally:
        made.unlink(missing_ok=True)
