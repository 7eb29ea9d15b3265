"""Pictures into a data set: decoded, turned by EXIF and written as PNG without metadata, names only
if asked for. All are searched for texts and faces; a person decides what is hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from editgauge.benchmarks.tree import PICTURES, ignored, natural
from editgauge.curation import alignment, dicom, privacy, records
from editgauge.curation.dataset import OUT, DataSet
from editgauge.errors import DataError, UsageError
from editgauge.images import Array, oriented, read_header, read_image, resize
from editgauge.types import JsonMapping
from editgauge.web.log import Act

BEFORE = "taken in before"
"""What is said of a file whose sample is there, whatever became of it."""
Progress = Callable[[int, int, str], None]


class Intake(NamedTuple):
    """How pictures are taken in. `longest`: pixels of the longest side to which larger ones are
    scaled (0: none). `fields`: of every new sample. `align`: ``affine``, or ``none`` (of one size).
    `window`, `frames`: see `dicom`. `engine`: the OCR engine that looks for text; None: a person
    looks alone. `keep_names`: whether files' names become ids; those of DICOM files never do.
    """

    who: str
    longest: int = 0
    fields: JsonMapping = MappingProxyType({})
    align: str = "affine"
    window: str = "file"
    frames: str = "middle"
    engine: Any = None
    keep_names: bool = False


class Taken(NamedTuple):
    """What became of one file: the sample, or why there is none."""

    file: str
    sample: str
    note: str


class _Source(NamedTuple):
    """A picture on its way into the set, with a scan's facts and names that must not leave."""

    pixels: Array
    scan: JsonMapping = MappingProxyType({})
    words: frozenset[str] = frozenset()
    said: str = ""
    aligned: JsonMapping = MappingProxyType({})


def add(
    data: DataSet, places: Sequence[Path], how: Intake, progress: Progress | None = None
) -> list[Taken]:
    """A sample for each picture among files and folders, of a scan for each chosen frame. One that
    cannot be read is told, and keeps no other out.
    """
    return _each(data, [(path,) for path in files_in(places)], how, progress)


def pair(
    data: DataSet, inputs: Path, references: Path, how: Intake, progress: Progress | None = None
) -> list[Taken]:
    """A sample for each input with the reference of the same name; the reference is brought onto
    the input. Raises `DataError` where one side has no partner: a pair is not guessed.
    """
    if inputs.is_file() and references.is_file():
        return _each(data, [(inputs, references)], how, progress)
    sides = [{path.stem: path for path in files_in([place])} for place in (inputs, references)]
    if lonely := sorted(set(sides[0]) ^ set(sides[1]), key=natural):
        raise DataError(
            f"{len(lonely)} pictures have no partner of the same name, such as {lonely[0]!r}; "
            f"nothing was taken in"
        )
    both = [(sides[0][stem], sides[1][stem]) for stem in sorted(sides[0], key=natural)]
    return _each(data, both, how, progress)


def files_in(places: Sequence[Path]) -> list[Path]:
    """Pictures and DICOM files among and below `places`, in natural order; no link is followed.
    Raises `DataError` for a place that is not there or holds none.
    """
    files: list[Path] = []
    for place in places:
        inside = (
            [place] if place.is_file() else sorted(filter(_wanted, place.rglob("*")), key=_order)
        )
        inside = [one for one in inside if not any(map(ignored, one.relative_to(place).parts))]
        if not inside:
            raise DataError(f"{place}: {'no picture in it' if place.exists() else 'not there'}")
        files += inside
    return files


def _wanted(path: Path) -> bool:
    regular = path.is_file() and not path.is_symlink()
    return regular and (path.suffix.lower() in PICTURES or dicom.is_dicom(path))


def _order(path: Path) -> Any:
    return [natural(part) for part in path.parts]


def _each(
    data: DataSet, files: Sequence[tuple[Path, ...]], how: Intake, progress: Progress | None
) -> list[Taken]:
    """A sample (of a scan: for each frame) of each file, or of each pair of files."""
    dicom.window_of(how.window)  # before a picture is kept for a sample that cannot be
    _check_align(how.align)
    records.record_of({"id": "new", "images": ["new.png"], **how.fields}, "the new samples")
    taken, known = list[Taken](), data.origins()
    for number, paths in enumerate(files, start=1):
        try:  # a frame that cannot be read leaves those before it in the set
            every = _sources(paths[0], how) if len(paths) == 1 else [_aligned(*paths, how=how)]
            taken += (_add(data, paths[0], how, sources, known) for sources in every)
        except DataError as error:
            taken.append(Taken(paths[0].name, "", str(error)))
        if progress is not None:
            progress(number, len(files), "taking pictures in")
    return taken


def _sources(path: Path, how: Intake) -> Iterator[list[_Source]]:
    """What a file holds: one picture, or the chosen frames of a scan, each alone."""
    if not dicom.is_dicom(path):
        pixels = oriented(read_image(path), read_header(path).orientation)
        yield [_Source(_sized(pixels, how.longest))]
        return
    file = dicom.ScanFile(path)
    for frame in file.chosen(how.frames):
        scan = file.scan(frame, how.window)
        note = f"frame {frame} of {file.frames}" if file.frames > 1 else ""
        yield [_Source(_sized(scan.pixels, how.longest), scan.facts, file.words, note)]


def _sized(pixels: Array, longest: int) -> Array:
    """The picture with its longest side at most `longest` pixels (0: as it is), Lanczos filter."""
    height, width = pixels.shape[:2]
    scale = longest / max(height, width)
    if not 0 < scale < 1:
        return pixels
    return resize(pixels, (max(1, round(width * scale)), max(1, round(height * scale))), "lanczos")


def _aligned(one: Path, two: Path, *, how: Intake) -> list[_Source]:
    """An input, and its reference aligned to it."""
    names = f"{one.name} and {two.name}"
    first = _only_frame(one, how, names)
    second = _only_frame(two, how, names)
    return _laid_over(first, second, how.align, names)


def _only_frame(path: Path, how: Intake, names: str) -> _Source:
    """Return the one picture in a file. Raises `DataError` for a scan of several frames."""
    frames = list(_sources(path, how))
    if len(frames) != 1:
        raise DataError(f"{names}: a side of a pair is one frame; name it")
    ((source,),) = frames
    return source


def _laid_over(first: _Source, second: _Source, align: str, names: str) -> list[_Source]:
    """Return an input and its reference, which is aligned to the input unless `align` is none."""
    if align == "none":
        if second.pixels.shape != first.pixels.shape:
            raise DataError(f"{names}: of two sizes; have them aligned")
        return [first, second]
    found = alignment.align(first.pixels, second.pixels)
    if found.refused:
        raise DataError(f"{names}: not aligned: {found.refused}")
    moved, _ = alignment.laid_over(first.pixels, second.pixels, found.matrix)
    note = f"aligned ({found.method}): quality {found.quality:.2f}"
    return [first._replace(said=note), second._replace(pixels=moved, aligned=found.as_dict())]


def give_reference(data: DataSet, sample: str, path: Path, how: Intake) -> records.Record:
    """Give a sample a reference, or another one, after it was taken in.

    The reference is aligned to the sample's input (`Intake.align`) and searched for texts and
    faces as every picture is. An older reference is deleted. Raises `DataError` for a file that
    cannot be read or aligned.
    """
    _check_align(how.align)
    record = data.record(sample)
    before = record.reference
    first = _Source(read_image(data.path(record.images[0])))
    names = f"{sample} and {path.name}"
    _, second = _laid_over(first, _only_frame(path, how, names), how.align, names)
    privacy.remember(data, second.words)
    place = data.keep(second.pixels)
    scan = bool(second.scan) or record.facts(record.images[0]).needs_look
    about = _searched(second, how, scan=scan)

    def with_reference(newest: records.Record) -> JsonMapping:
        pictures = {name: known for name, known in newest.pictures.items() if name != before}
        return {"reference": place, "pictures": {**pictures, place: about}}

    changed = data.update(sample, with_reference, Act(how.who, "reference given"))
    if before:
        data.purge([before])
    return changed


def _searched(source: _Source, how: Intake, *, scan: bool) -> records.Picture:
    """Return what is known of a picture on its way into the set."""
    about = privacy.searched(source.pixels, how.engine)
    about.scan, about.alignment = dict(source.scan), dict(source.aligned)
    about.needs_look = scan
    return about


def _check_align(align: str) -> None:
    if align not in ("affine", "none"):
        raise UsageError(f"align {align!r}: wanted affine or none")


def _add(
    data: DataSet, path: Path, how: Intake, sources: Sequence[_Source], known: dict[bytes, str]
) -> Taken:
    """A new sample; or the one that was made of the same, and perhaps worked on since."""
    for source in sources:
        privacy.remember(data, source.words)
    places = [data.keep(source.pixels) for source in sources]
    fields = {**how.fields, "images": places[:1], "reference": "".join(places[1:])}
    if before := known.get(records.origin_of(fields)):
        data.purge(places)  # pictures of before something was hidden in them
        state = data.record(before).state
        return Taken(path.name, before, BEFORE + (f" and {state}" if state in OUT else ""))
    scan = any(source.scan for source in sources)  # an aligned reference has the input's border
    pictures = dict[str, records.Picture]()
    for place, source in zip(places, sources, strict=True):
        pictures[place] = _searched(source, how, scan=scan)
    wish = path.stem if how.keep_names and not dicom.is_dicom(path) else ""
    record = data.add({**fields, "id": data.new_id(wish), "pictures": pictures}, how.who)
    known[records.origin_of(fields)] = record.id
    count = sum(len(about.proposals) for about in pictures.values())
    look = f"{count} texts or faces to look at" if count else "to be looked at" if scan else ""
    return Taken(path.name, record.id, "; ".join(filter(None, (sources[0].said, look))))
