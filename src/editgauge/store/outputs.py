"""Which file in a model's folder is the output of a sample: at one of its `output_stems`, under any
extension of `images.EXTENSIONS` in any case (``.JPG``). The first stem with a file wins, then the
first extension.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from editgauge.errors import ImageError
from editgauge.images import EXTENSIONS, same_pixels
from editgauge.types import Sample


@dataclass(slots=True)
class OutputFolder:
    """A model's outputs. Listings of folders are read once and kept: make a new object after files
    were added.
    """

    root: Path
    named: Mapping[str, Path] | None = None
    """Sample id -> its file, where the names are not the official ones (`store.matches`)."""
    _listings: dict[str, dict[tuple[str, str], list[str]]] = field(default_factory=dict, repr=False)

    def find(self, sample: Sample) -> Path | None:
        """The sample's output, or None when there is no file that could be it."""
        return next(iter(self.candidates(sample)), None)

    def candidates(self, sample: Sample) -> list[Path]:
        """Every file that could be the sample's output, the one that is taken first. More than one
        is a doubt.
        """
        if self.named is not None:
            return [self.named[sample.id]] if sample.id in self.named else []
        return list(self._candidates(sample))

    def _candidates(self, sample: Sample) -> Iterator[Path]:
        for stem in sample.output_stems:
            parts = (stem,) if "/" not in stem else PurePosixPath(stem).parts
            if not stem or ".." in parts or parts[0] in ("/", "//", "."):
                continue  # stems come from metadata: none may lead out of the folder
            folder = self.root.joinpath(*parts[:-1]) if len(parts) > 1 else self.root
            listing = self._listing(folder)
            for extension in EXTENSIONS:
                for name in listing.get((parts[-1], extension), ()):
                    yield folder / name

    def _listing(self, folder: Path) -> dict[tuple[str, str], list[str]]:
        """The files of a folder by (name without extension, extension in lower case)."""
        key = os.fspath(folder)
        if key not in self._listings:
            found: dict[tuple[str, str], list[str]] = {}
            try:
                names = sorted(entry.name for entry in os.scandir(folder) if _is_output(entry))
            except OSError:
                names = []
            for name in names:
                stem, extension = os.path.splitext(name)
                found.setdefault((stem, extension.lower()), []).append(name)
            self._listings[key] = found
        return self._listings[key]


def _is_output(entry: os.DirEntry[str]) -> bool:
    """A file, or a link to nothing or to itself: an output that cannot be read."""
    try:
        return entry.is_file() or (entry.is_symlink() and not os.path.exists(entry.path))
    except OSError:  # a link that leads in a circle
        return True


def given_back(output: Path, sample: Sample) -> bool | None:
    """Whether an output is an input of the sample (any of several) handed back: the same decoded
    pixels at the same size (`images.same_pixels`). None where it cannot be told: the output is no
    picture, or no input is one.
    """
    told: bool | None = None
    for image in sample.images:
        try:
            if same_pixels(output, image):
                return True
            told = False
        except ImageError:
            continue
    return told
