"""A sample's output in a folder: at one of its `output_stems`, with an extension of
`images.EXTENSIONS` in any case. The first stem with a file wins, then the first extension.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from editgauge.errors import ImageError
from editgauge.escape import counted
from editgauge.images import EXTENSIONS, one_colour, read_image, same_pixels
from editgauge.types import Sample

BLACK = 8
"""The highest level of a channel of a picture that counts as black."""
_RANK = {extension: number for number, extension in enumerate(EXTENSIONS)}


class OutputFolder:
    """A model's outputs. Listings of folders are read once and kept: make a new object after files
    were added. `named`: sample id -> its file, where the names are not the official ones
    (`store.matching`).
    """

    def __init__(self, root: Path, named: Mapping[str, Path] | None = None) -> None:
        self.root, self.named = root, named
        self._top = os.path.join(root, "")
        self._listings: dict[str, dict[str, list[str]]] = {}

    def find(self, sample: Sample) -> str | None:
        """The sample's output, or None when there is no file that could be it."""
        return next(self._each(sample), None)

    def candidates(self, sample: Sample) -> list[Path]:
        """Every file that could be the sample's output, best first. More than one is a doubt."""
        return [Path(file) for file in self._each(sample)]

    def _each(self, sample: Sample) -> Iterator[str]:
        if self.named is not None:
            if sample.id in self.named:
                yield str(self.named[sample.id])
            return
        for stem in sample.output_stems:
            folder, _, name = stem.rpartition("/")
            steps = folder.split("/")
            if name and ".." not in (*steps, name) and (not folder or steps[0] not in ("", ".")):
                for file in self._listing(folder).get(name, ()):  # stems come from metadata
                    yield self._top + file

    def _listing(self, folder: str) -> dict[str, list[str]]:
        """The files of a folder below the root by their name without extension, in order."""
        if folder not in self._listings:
            listing = self._listings[folder] = {}
            ranked = []
            with contextlib.suppress(OSError, ValueError):
                for entry in os.scandir(os.path.join(self.root, folder)):
                    stem, extension = os.path.splitext(entry.name)
                    rank = _RANK.get(extension.lower())
                    if rank is not None and _is_output(entry):
                        ranked.append((rank, entry.name, stem))
            for _, name, stem in sorted(ranked):
                listing.setdefault(stem, []).append(os.path.join(folder, name))
        return self._listings[folder]


def _is_output(entry: os.DirEntry[str]) -> bool:
    """A file, or a link to nothing or to itself: an output that cannot be read."""
    return (entry.is_symlink() and not os.path.isdir(entry.path)) or entry.is_file()


ONE_COLOUR = "one_colour"
"""The name in the `detail` of an output's record under which the colour (RGB) of a picture stands
that has the same one all over.
"""


def one_colour_of(output: Path) -> dict[str, list[int]]:
    """What an output's record says of a picture of one colour; empty for any other file."""
    try:
        colour = one_colour(read_image(output))
    except ImageError:
        return {}
    return {} if colour is None else {ONE_COLOUR: list(colour)}


def one_colour_notes(colours: Mapping[str, Mapping[str, Sequence[int]]]) -> list[str]:
    """A sentence for each editor with pictures of one colour; `colours`: editor -> sample ->
    colour.
    """
    notes = []
    for editor, by_sample in sorted(colours.items()):
        if not by_sample:
            continue
        black = sum(max(colour) <= BLACK for colour in by_sample.values())
        first = min(by_sample)
        notes.append(
            f"{editor}: {counted(len(by_sample), 'output')} of one colour all over, {black:,} of "
            f"them black (first: {first}); scored as they are, though a model that failed, or a "
            f"safety filter, gives such pictures"
        )
    return notes


def given_back(output: Path, sample: Sample) -> bool | None:
    """Whether an output is an input of the sample (any of several) handed back: the same decoded
    pixels at the same size (`images.same_pixels`). None where it cannot be told: the output is no
    picture, or no input is one.
    """
    same: bool | None = None
    for image in sample.images:
        try:
            if same_pixels(output, image):
                return True
            same = False
        except ImageError:
            continue
    return same
