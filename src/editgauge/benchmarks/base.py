"""What every benchmark's folder builds on: scorers by track, and a data set that is read lazily."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from editgauge import catalog
from editgauge.errors import DataError, EditgaugeError
from editgauge.parts import part
from editgauge.scoring.scorer import Scorer
from editgauge.types import Benchmark, Finding, MakeScorers, Sample, Track

Note = Callable[[Finding], None]
"""Takes a finding that is not about one sample."""


MakeSome = Callable[..., Scorer | Sequence[Scorer]]
"""Gives a scorer or some. Called with every option as a keyword (``cache``, ``ocr_engine``,
``weights``, ``device``…); it ignores those that it does not know, and imports what it needs inside.
"""


def by_track(makers: Mapping[Track, Sequence[MakeSome | str]], package: str = "") -> MakeScorers:
    """A benchmark's `scorers` from the functions that make those of each track, or their dotted
    names (``.pixel:scorers`` is below `package`).

    A function that stands under two of the wanted tracks (LPIPS, under pixel and embedding) is
    called once.
    """

    def scorers(tracks: Sequence[Track], **options: Any) -> list[Scorer]:
        wanted = [make for track, some in makers.items() if track in tracks for make in some]
        scorers: list[Scorer] = []
        for name in dict.fromkeys(wanted):
            make = part(name, package) if isinstance(name, str) else name
            made = make if isinstance(make, Scorer) else make(**options)
            scorers += made if isinstance(made, list | tuple) else [cast(Scorer, made)]
        return scorers

    return scorers


@dataclass(slots=True)
class Samples:
    """A `types.Dataset`: `read` is started anew for each iteration and is given a place for general
    findings.

    `part` names what was loaded when the folder holds more than one set (TextEdit: ``fullset`` or
    ``miniset``).
    """

    benchmark: str
    root: Path
    read: Callable[[Note], Iterator[Sample]]
    part: str = ""
    findings: list[Finding] = field(default_factory=list)
    _known: set[Finding] = field(default_factory=set, repr=False)

    def note(self, finding: Finding) -> None:
        """Keep a finding once, however often the samples are read."""
        if finding not in self._known:
            self._known.add(finding)
            self.findings.append(finding)

    def __iter__(self) -> Iterator[Sample]:
        return self.read(self.note)


def need_folder(root: Path | None, benchmark: str) -> Path:
    """The data folder as an absolute path. Raises `DataError` when there is none."""
    if root is None:
        raise DataError(
            f"{benchmark}: wanted the folder of the released data, found none: pass the data "
            f"folder after {benchmark}"
        )
    if not root.is_dir():
        found = "a file" if root.exists() else "nothing there"
        raise DataError(
            f"{root}: wanted the data folder of {benchmark}, found {found}; check the path"
        )
    return root.absolute()


def write_json(path: Path, value: object) -> None:
    """Write metadata of an official folder; folders are made."""
    import orjson

    from editgauge.images import write_bytes

    write_bytes(path, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def not_this_folder(root: Path, benchmark: str, wanted: str) -> DataError:
    """The error for a folder that is not the benchmark's: what was looked for, what is there, and
    what to do.
    """
    try:
        names = sorted(name + ("/" if (root / name).is_dir() else "") for name in os.listdir(root))
    except OSError as error:
        return DataError(f"{root}: cannot be read ({error.strerror}); check its permissions")
    found = (
        ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        if names
        else "an empty folder"
    )
    return DataError(
        f"{root}: not a folder of {benchmark}: wanted {wanted}; found {found}. "
        f"{_advice(root, benchmark, names)}"
    )


def _advice(root: Path, benchmark: str, names: Sequence[str]) -> str:
    """What to do about it: another benchmark's folder, the folder above, one below, or the
    download.
    """
    others = [name for name in _recognised(root) if name != benchmark]
    if others:
        return f"This looks like {' or '.join(others)}: use that name"
    near = [root.parent, *(root / name.rstrip("/") for name in names if name.endswith("/"))]
    for folder in near[:50]:
        if benchmark in _recognised(folder, (benchmark,)):
            return f"Did you mean {folder}?"
    return "Name the folder that the official release was unpacked to"


def _recognised(folder: Path, names: Sequence[str] | None = None) -> list[str]:
    """The benchmarks that have one of their `marks` (patterns of paths) in a folder."""
    found = []
    for name in catalog.names("benchmarks") if names is None else names:
        try:
            benchmark: Benchmark = catalog.find("benchmarks", name)
            if any(next(folder.glob(mark), None) is not None for mark in benchmark.marks):
                found.append(name)
        except (EditgaugeError, ImportError, OSError):
            continue  # a guess for an error message: one that cannot be made is left out
    return found
