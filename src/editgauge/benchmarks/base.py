"""What every benchmark's folder builds on: scorers named by a line, and a data set that is read lazily.

A benchmark's `scorers.py` holds ``FACTORIES: dict[Track, list[str]]``. Each string is ``module:function``; the function
is called with every option as a keyword (``cache``, ``ocr_engine``, ``weights``, ``device``…, it ignores those that
it does not know) and returns a list of scorers. The module is imported when its track is asked for, not before.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.types import Finding, Sample, Scorer, Track

Note = Callable[[Finding], None]
"""Takes a finding that is not about one sample."""


def make_scorers(factories: Mapping[Track, Sequence[str]], tracks: Sequence[Track], **options: Any) -> list[Scorer]:
    """The scorers of the wanted tracks, in the order of `factories`; a track without a line there gives none."""
    scorers: list[Scorer] = []
    for track, lines in factories.items():
        if track in tracks:
            for line in lines:
                module, _, function = line.partition(":")
                scorers.extend(getattr(importlib.import_module(module), function)(**options))
    return scorers


@dataclass(slots=True)
class Samples:
    """A `types.Dataset`: `read` is started anew for each iteration and is given a place for general findings.

    `part` names what was loaded when the folder holds more than one set (TextEdit: ``fullset`` or ``miniset``).
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
