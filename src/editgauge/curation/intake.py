"""Pictures into a data set: files, folders, pairs, scans.

Whatever comes in is decoded, turned as its EXIF says, scaled down where that was asked for, and
written anew as PNG: no metadata comes with it. The names of files may be names of people: samples
get neutral ids, unless the names are to be kept. Every picture is searched for texts and faces; a
person decides what is hidden.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from editgauge.benchmarks.tree import PICTURES, ignored, natural
from editgauge.curation import alignment, dicom, privacy, records
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import Picture
from editgauge.errors import DataError, UsageError
from editgauge.images import Array, oriented, read_header, read_image, resize

BEFORE = "taken in before"
"""What is said of a file whose sample is there, as it was taken in."""
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """How pictures are taken in, and what is said of each new sample."""

    who: str
    longest: int = 0
    """Pixels of the longest side that a larger picture is scaled down to; 0 leaves every size."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Of every new sample: split, category, protocol, source, attributes…"""
    align: str = "affine"
    """``affine``, or ``none``: the pair must then be of one size."""
    window: str = "file"
    """Of scans: see `dicom.WINDOWS`."""
    frames: str = "middle"
    """Of a scan that has several: see `dicom.FRAMES`."""
    engine: Any = None
    """The OCR engine that looks for text in pictures; None: a person looks alone."""
    keep_names: bool = False
    """Whether files' names become ids; those of DICOM files never do."""


class Taken(NamedTuple):
    """What became of one file: the sample, or why there is none."""

    file: str
    sample: str
    said: str


class _Picture(NamedTuple):
    """A picture on its way into the set."""

    pixels: Array
    scan: dict[str, Any]
    """Facts of a scan."""
    words: frozenset[str]
    """Names that must not leave."""
    said: str = ""


def add(
    data: DataSet, places: Sequence[Path], how: Intake, progress: Progress | None = None
) -> list[Taken]:
    """A sample for each picture among files and folders, of a scan for each chosen frame. One that
    cannot be read is told, and keeps no other out.
    """
    _check(how)
    taken: list[Taken] = []
    for path in _shown(files_in(places), progress):
        try:  # a frame that cannot be read leaves those before it in the set
            for picture in _pictures(path, how):
                taken.append(_add_one(data, path, picture, how))
        except DataError as error:
            taken.append(Taken(path.name, "", str(error)))
    return taken


def pair(
    data: DataSet, inputs: Path, references: Path, how: Intake, progress: Progress | None = None
) -> list[Taken]:
    """A sample for each input with the reference of the same name; the reference is brought onto
    the input.

    Raises `DataError` where one side has no partner: a pair is not guessed.
    """
    _check(how)
    taken: list[Taken] = []
    for one, two in _shown(_pairs(inputs, references), progress):
        try:
            taken.append(_add_pair(data, one, two, how))
        except DataError as error:
            taken.append(Taken(one.name, "", str(error)))
    return taken


def files_in(places: Sequence[Path]) -> list[Path]:
    """Pictures and DICOM files among `places` and below folders of it, in natural order. Links are
    not followed. Raises `DataError` for a place that is not there or holds none.
    """
    found: list[Path] = []
    for place in places:
        inside = list(_below(place)) if place.is_dir() else [place]
        if not inside or not place.exists():
            raise DataError(f"{place}: {'no picture in it' if place.exists() else 'not there'}")
        found += inside
    return found


def normalised(pixels: Array, longest: int) -> Array:
    """The picture with its longest side at most `longest` pixels (0: as it is), Lanczos filter."""
    height, width = pixels.shape[:2]
    if not longest or max(height, width) <= longest:
        return pixels
    scale = longest / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return resize(pixels, size, "lanczos")


def _check(how: Intake) -> None:
    """Raise `DataError` for fields that no sample can have, before a picture is kept for one."""
    dicom.checked_window(how.window)
    if how.align not in ("affine", "none"):
        raise UsageError(f"align {how.align!r}: wanted affine or none")
    records.record_of({"id": "new", "images": ["new.png"], **how.fields}, "the new samples")


def _below(folder: Path) -> Iterator[Path]:
    for above, folders, names in os.walk(folder):
        folders[:] = sorted((name for name in folders if not ignored(name)), key=natural)
        for name in sorted(names, key=natural):
            path = Path(above) / name
            if ignored(name) or path.is_symlink() or not path.is_file():
                continue
            if path.suffix.lower() in PICTURES or dicom.is_dicom(path):
                yield path


def _pairs(inputs: Path, references: Path) -> list[tuple[Path, Path]]:
    if inputs.is_file() and references.is_file():
        return [(inputs, references)]
    if not (inputs.is_dir() and references.is_dir()):
        raise DataError(f"{inputs} and {references}: wanted two files or two folders")
    sides = [{path.stem: path for path in files_in([place])} for place in (inputs, references)]
    lonely = sorted(set(sides[0]) ^ set(sides[1]), key=natural)
    if lonely:
        raise DataError(
            f"{len(lonely)} pictures have no partner of the same name, such as {lonely[0]!r}; "
            f"nothing was taken in"
        )
    return [(sides[0][stem], sides[1][stem]) for stem in sorted(sides[0], key=natural)]


def _shown(items: Sequence[Any], progress: Progress | None) -> Iterator[Any]:
    for number, item in enumerate(items):
        if progress is not None:
            progress(number, len(items), "taking pictures in")
        yield item
    if progress is not None:
        progress(len(items), len(items), "taking pictures in")


def _pictures(path: Path, how: Intake) -> Iterator[_Picture]:
    """What a file holds: one picture, or the chosen frames of a scan."""
    if not dicom.is_dicom(path):
        pixels = oriented(read_image(path), read_header(path).orientation)
        yield _Picture(normalised(pixels, how.longest), {}, frozenset())
        return
    file = dicom.ScanFile(path)
    try:
        chosen = dicom.frames_of(how.frames, file.frames)
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from None
    for frame in chosen:
        scan = file.scan(frame, how.window)
        said = f"frame {frame} of {file.frames}" if file.frames > 1 else ""
        yield _Picture(normalised(scan.pixels, how.longest), scan.facts, scan.words, said)


def _single(path: Path, how: Intake) -> _Picture:
    """The one picture of a side of a pair."""
    found = list(islice(_pictures(path, how), 2))
    if len(found) != 1:
        raise DataError(f"{path.name}: a side of a pair is one frame; name it")
    return found[0]


def _about(pixels: Array, scan: dict[str, Any], how: Intake) -> Picture:
    """What is known of a new picture: it was searched."""
    made = privacy.searched(pixels, how.engine)
    made.scan, made.needs_look = scan, bool(scan)
    return made


def _add_one(data: DataSet, path: Path, picture: _Picture, how: Intake) -> Taken:
    privacy.remember(data, picture.words)
    about = _about(picture.pixels, picture.scan, how)
    place = data.keep(picture.pixels)
    made = {**how.fields, "images": [place], "pictures": {place: about}}
    said = "; ".join(text for text in (picture.said, _open(about)) if text)
    return _made(data, path, made, how, said)


def _add_pair(data: DataSet, one: Path, two: Path, how: Intake) -> Taken:
    first, second = _single(one, how), _single(two, how)
    privacy.remember(data, first.words | second.words)
    moving, facts, said = second.pixels, {}, ""
    if how.align != "none":
        found = alignment.align(first.pixels, moving)
        if found.refused:
            raise DataError(f"{one.name} and {two.name}: not aligned: {found.refused}")
        moving, _ = alignment.laid_over(first.pixels, moving, found.matrix)
        facts = found.as_dict()
        residual = "" if found.residual is None else f", residual {found.residual:.2f} px"
        said = f"aligned ({found.method}): quality {found.quality:.2f}{residual}"
    elif moving.shape != first.pixels.shape:
        raise DataError(f"{one.name} and {two.name}: of two sizes; have them aligned")
    about = _about(first.pixels, first.scan, how)
    other = _about(moving, second.scan, how)
    other.alignment = facts
    other.needs_look |= about.needs_look  # the border is the input's own, with what is burnt in
    place, reference = data.keep(first.pixels), data.keep(moving)
    pictures = {place: about, reference: other}
    made = {**how.fields, "images": [place], "reference": reference, "pictures": pictures}
    return _made(data, one, made, how, "; ".join(text for text in (said, _open(about)) if text))


def _made(data: DataSet, path: Path, made: dict[str, Any], how: Intake, said: str) -> Taken:
    """The new sample; or the one that an earlier call made of the same file and that is as it was
    then, so that a call that was killed can be made again.
    """
    if before := data.untouched(made):
        return Taken(path.name, before, BEFORE)
    wish = "scan" if dicom.is_dicom(path) else path.stem if how.keep_names else "s"
    return Taken(path.name, data.add({**made, "id": data.new_id(wish)}, how.who).id, said)


def _open(about: Picture) -> str:
    number = len(about.proposals)
    if about.needs_look:
        return f"a scan: {number} texts to look at" if number else "a scan: to be looked at"
    return f"{number} texts or faces to look at" if number else ""
