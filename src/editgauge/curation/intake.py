"""Pictures into a data set: files, folders, pairs, DICOM, frames of a video.

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

import cv2
import numpy as np

from editgauge.benchmarks.tree import PICTURES, ignored, natural
from editgauge.curation import alignment, dicom, privacy, records
from editgauge.curation.dataset import DataSet
from editgauge.errors import DataError, UsageError
from editgauge.images import Array, confined, max_pixels, oriented, read_header, read_image, resize

FRAMES = 4
"""Frames of a temporal sample (KRIS-Bench): three are given, one is the reference."""
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
    """A model of `alignment.MODELS`, or ``none``: the pair must then be of one size."""
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


def files_in(places: Sequence[Path]) -> list[Path]:
    """Pictures and DICOM files among `places` and below folders of it, in natural order. Links are
    not followed. Raises `DataError` for a place that is not there or holds none.
    """
    found: list[Path] = []
    for place in places:
        if place.is_dir():
            inside = list(_below(place))
            if not inside:
                raise DataError(f"{place}: no picture in it")
            found += inside
        elif place.is_file():
            found.append(place)
        else:
            raise DataError(f"{place}: not there")
    return found


def _below(folder: Path) -> Iterator[Path]:
    for above, folders, names in os.walk(folder):
        folders[:] = sorted((name for name in folders if not ignored(name)), key=natural)
        for name in sorted(names, key=natural):
            path = Path(above) / name
            if ignored(name) or path.is_symlink() or not path.is_file():
                continue
            if path.suffix.lower() in PICTURES or dicom.is_dicom(path):
                yield path


def add(
    data: DataSet, places: Sequence[Path], how: Intake, progress: Progress | None = None
) -> list[Taken]:
    """A sample for each picture, of a scan for each chosen frame. One that cannot be read is told,
    and keeps no other out.
    """
    _check(how)
    taken: list[Taken] = []
    for path in _shown(files_in(places), progress):
        pictures = _pictures(path, how)
        while True:  # a frame that cannot be read leaves those before it in the set
            try:
                picture = next(pictures)
                taken.append(_add_one(data, path, picture, how))
            except StopIteration:
                break
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
    pairs = _pairs(inputs, references)
    return [
        _told(one.name, lambda one=one, two=two: _add_pair(data, one, two, how))  # type: ignore[misc]
        for one, two in _shown(pairs, progress)
    ]


def frames(
    data: DataSet, video: Path, how: Intake, *, start: float, end: float, missing: int
) -> Taken:
    """A temporal sample of four evenly spaced frames between two times in seconds, one of which,
    `missing` (1 to 4), becomes the reference.

    Raises `DataError` for a file that is no video or is too short.
    """
    _check(how)
    if not 1 <= missing <= FRAMES:
        raise UsageError(f"--missing {missing}: wanted 1 to {FRAMES}")
    times = np.linspace(start, end, FRAMES)
    with confined():
        found = _shots(video, times)
    shots = [normalised(shot, how.longest) for shot in found]
    kept = [data.keep(shot) for shot in shots]
    reference = kept.pop(missing - 1)
    attributes = {**how.fields.get("attributes", {}), "missing_frame": missing}
    made = {**how.fields, "attributes": attributes, "images": kept, "reference": reference}
    record = data.add({**made, "id": data.new_id("s")}, how.who)
    return Taken(video.name, record["id"], f"frames at {', '.join(f'{t:.2f} s' for t in times)}")


def _check(how: Intake) -> None:
    """Raise `DataError` for fields that no sample can have, before a picture is kept for one."""
    records.checked({"id": "new", "images": ["new.png"], **how.fields}, "the new samples")


def normalised(pixels: Array, longest: int) -> Array:
    """The picture with its longest side at most `longest` pixels (0: as it is), Lanczos filter."""
    height, width = pixels.shape[:2]
    if not longest or max(height, width) <= longest:
        return pixels
    scale = longest / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return resize(pixels, size, "lanczos")


def _shown(items: Sequence[Any], progress: Progress | None) -> Iterator[Any]:
    for number, item in enumerate(items):
        if progress is not None:
            progress(number, len(items), "taking pictures in")
        yield item
    if progress is not None:
        progress(len(items), len(items), "taking pictures in")


def _told(file: str, make: Callable[[], Taken]) -> Taken:
    try:
        return make()
    except DataError as error:
        return Taken(file, "", str(error))


class _Picture(NamedTuple):
    """A picture on its way into the set."""

    pixels: Array
    facts: dict[str, Any]
    """Of a scan."""
    words: frozenset[str]
    """Names that must not leave."""
    said: str = ""


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
        facts = {**scan.facts, "needs_look": True}
        yield _Picture(normalised(scan.pixels, how.longest), facts, scan.words, said)


def _single(path: Path, how: Intake) -> _Picture:
    """The one picture of a side of a pair."""
    found = list(islice(_pictures(path, how), 2))
    if len(found) != 1:
        raise DataError(f"{path.name}: a side of a pair is one frame; name it with --frames")
    return found[0]


def _keep(data: DataSet, picture: _Picture, how: Intake) -> tuple[str, dict[str, Any]]:
    """Where the picture lies in the set, and its facts."""
    privacy.remember(data, picture.words)
    facts = {**picture.facts, **privacy.facts_of(picture.pixels, how.engine)}
    return data.keep(picture.pixels), facts


def _name(path: Path, how: Intake) -> str:
    """What the id of a sample is made of."""
    if dicom.is_dicom(path):
        return "scan"
    return path.stem if how.keep_names else "s"


def _add_one(data: DataSet, path: Path, picture: _Picture, how: Intake) -> Taken:
    place, facts = _keep(data, picture, how)
    pictures = {place: facts} if facts else None
    made = {**how.fields, "images": [place], "pictures": pictures}
    said = "; ".join(text for text in (picture.said, _open(facts)) if text)
    return _made(data, path, made, how, said)


def _made(data: DataSet, path: Path, made: dict[str, Any], how: Intake, said: str) -> Taken:
    """The new sample; or the one that an earlier call made of the same file and that is as it was
    then, so that a call that was killed can be made again.
    """
    if before := data.untouched(made):
        return Taken(path.name, before, BEFORE)
    identity = data.new_id(_name(path, how))
    return Taken(path.name, data.add({**made, "id": identity}, how.who)["id"], said)


def _open(facts: Mapping[str, Any]) -> str:
    if not facts:
        return ""
    number = len(facts.get("proposals", ()))
    if facts.get("needs_look"):
        return f"a scan: {number} texts to look at" if number else "a scan: to be looked at"
    return f"{number} texts or faces to look at" if number else ""


def _add_pair(data: DataSet, one: Path, two: Path, how: Intake) -> Taken:
    first, second = _single(one, how), _single(two, how)
    place, facts = _keep(data, first, how)
    privacy.remember(data, second.words)
    fixed, moving = first.pixels, second.pixels
    said, about = "", dict(second.facts)
    if how.align != "none":
        found = alignment.align(fixed, moving, how.align)
        if found.refused:
            privacy.purge(data, [place])
            raise DataError(f"{one.name} and {two.name}: not aligned: {found.refused}")
        moving, _ = alignment.laid_over(fixed, moving, found)
        about["alignment"] = found.as_dict()
        said = _sureness(found)
    elif moving.shape != fixed.shape:
        privacy.purge(data, [place])
        raise DataError(f"{one.name} and {two.name}: of two sizes; take them in with --align")
    about |= privacy.facts_of(moving, how.engine)
    if second.facts or first.facts:  # the frame's border is the input's own, with what is burnt in
        about["needs_look"] = True
    reference = data.keep(moving)
    pictures = {key: value for key, value in ((place, facts), (reference, about)) if value}
    made = {
        **how.fields,
        "images": [place],
        "reference": reference,
        "pictures": pictures or None,
    }
    return _made(data, one, made, how, said or _open(facts))


def _sureness(found: alignment.Aligned) -> str:
    residual = "" if found.residual is None else f", residual {found.residual:.2f} px"
    return f"aligned ({found.method}): quality {found.quality:.2f}{residual}"


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


def _shots(video: Path, times: Sequence[float] | np.ndarray[Any, Any]) -> list[Array]:
    if not video.is_file():
        raise DataError(f"{video}: not there")
    source = cv2.VideoCapture(str(video))
    try:
        size = source.get(cv2.CAP_PROP_FRAME_WIDTH) * source.get(cv2.CAP_PROP_FRAME_HEIGHT)
        if not source.isOpened() or size <= 0:
            raise DataError(f"{video.name}: no video that OpenCV can read")
        if size > max_pixels():
            raise DataError(f"{video.name}: {size:,.0f} pixels a frame, over the limit")
        shots = []
        for time in times:
            source.set(cv2.CAP_PROP_POS_MSEC, float(time) * 1000)
            there, shot = source.read()
            if not there:
                raise DataError(f"{video.name}: no frame at {time:.2f} s; name times inside of it")
            shots.append(np.asarray(cv2.cvtColor(shot, cv2.COLOR_BGR2RGB), dtype=np.uint8))
        return shots
    except cv2.error as error:
        raise DataError(f"{video.name}: no video that OpenCV can read ({error.err})") from error
    finally:
        source.release()
