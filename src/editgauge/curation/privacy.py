"""What in a picture may tell who somebody is (a text, a face, a pair of eyes): found by machines,
decided by a person. Nothing is hidden by itself, and no picture with open proposals is exported.
What was hidden is gone from the set: the picture as it was is taken out of the folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import cv2
import msgspec
import numpy as np

from editgauge.curation.dataset import DataSet
from editgauge.curation.records import Box, Picture, Record
from editgauge.errors import DataError, EditgaugeError, MissingExtra, UsageError, WeightsError
from editgauge.images import Array, read_image
from editgauge.store import paths
from editgauge.web.log import Act

_MARGIN = 0.15
"""Of a text's height, on each side."""
_NAMES = ".curate/names"
"""Hashes of names: never exported."""
YUNET = "yunet"
LEAST_SCORE = 0.6
"""Of YuNet, whose own default is 0.9: a proposal too many costs a click, one too few a name."""
_LONGEST = 640
Area = tuple[float, float, float, float]


def engine_of(name: str) -> Any:
    """The OCR engine of a name (`catalog.OCR_ENGINES`), None for ``none``. Raises `UsageError` for
    one that is not installed.
    """
    from editgauge.ocr.reader import open_reader

    if name in ("", "none"):
        return None
    try:
        return open_reader(name).engine
    except EditgaugeError as error:
        raise UsageError(
            f"{error} Or take no engine (none): a person must then find the texts alone"
        ) from error


def searched(pixels: Array, engine: Any) -> Picture:
    """What a search for texts and faces gives: its proposals, and that it was searched. Without an
    OCR engine or a face detector not all was searched: a person must look.
    """
    texts = [] if engine is None else _texts_in(pixels, engine)
    try:
        faces = faces_in(pixels)
    except MissingExtra:
        return Picture(proposals=texts)
    return Picture(proposals=[*faces, *texts], searched=engine is not None)


def _texts_in(pixels: Array, engine: Any) -> list[Box]:
    """A proposal for each text that the OCR engine reads. What it reads is not kept."""
    from editgauge.ocr.engine import box_of

    height, width = pixels.shape[:2]
    boxes = []
    for text in engine(pixels, "en"):
        left, top, right, bottom = box_of(text)
        margin = (bottom - top) * _MARGIN
        x, y = max(0, int(left - margin)), max(0, int(top - margin))
        right, bottom = min(width, int(right + margin) + 1), min(height, int(bottom + margin) + 1)
        boxes.append(Box("text", (x, y, int(right) - x, int(bottom) - y)))
    return boxes


def faces_in(pixels: Array) -> list[Box]:
    """A proposal for each face that is found, and for the eyes in it: by YuNet (OpenCV's
    `FaceDetectorYN`), without its file by the cascade that scikit-image ships, which sees faces
    from the front. Raises `MissingExtra` without either, `WeightsError` for another file.
    """
    if min(pixels.shape[:2]) < 48:
        return []
    scale = min(1.0, _LONGEST / max(pixels.shape[:2]))
    small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    model = _yunet_here()
    boxes = _by_cascade(small) if model is None else _by_yunet(small, model)
    return [
        box
        for face, eyes in boxes
        for box in (_inside("face", face, scale, pixels), _inside("eyes", eyes, scale, pixels))
    ]


def _by_yunet(pixels: Array, model: Path) -> Iterator[tuple[Area, Area]]:
    """Faces, each with a band around its two eyes."""
    try:
        size = (pixels.shape[1], pixels.shape[0])
        detector = cv2.FaceDetectorYN.create(str(model), "", size, LEAST_SCORE)
        _, rows = detector.detect(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))
    except cv2.error as error:
        raise WeightsError(f"{model}: no face detector ({error.err}); fetch it anew") from error
    for row in [] if rows is None else rows:
        x, y, w, h, *points = (float(number) for number in row[:8])
        one, other = np.array(points[:2]), np.array(points[2:])
        reach = max(0.6 * float(np.hypot(*(one - other))), 0.12 * w)
        low, high = np.minimum(one, other) - reach, np.maximum(one, other) + reach
        yield (x, y, w, h), (low[0], low[1], high[0] - low[0], high[1] - low[1])


def _by_cascade(pixels: Array) -> Iterator[tuple[Area, Area]]:
    """Frontal faces, each with the band where eyes lie in a face of usual proportions."""
    try:
        from skimage.data import lbp_frontal_face_cascade_filename
        from skimage.feature import Cascade
    except ImportError as error:
        raise MissingExtra("finding faces", "scikit-image", "study") from error
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    longest = min(grey.shape)
    for box in Cascade(lbp_frontal_face_cascade_filename()).detect_multi_scale(
        img=grey, scale_factor=1.2, step_ratio=1, min_size=(36, 36), max_size=(longest, longest)
    ):
        x, y, w, h = (float(box[key]) for key in ("c", "r", "width", "height"))
        yield (x, y, w, h), (x + w * 0.08, y + h * 0.2, w * 0.84, h * 0.32)


def _yunet_here() -> Path | None:
    from editgauge.networks.weights import locate

    try:
        (model,) = locate(YUNET, None).paths.values()
    except WeightsError as error:
        if "not here" in str(error):
            return None
        raise
    return model


def _inside(kind: Literal["face", "eyes"], area: Area, scale: float, pixels: Array) -> Box:
    """In whole pixels within the picture: at least one."""
    height, width = pixels.shape[:2]
    x, y, w, h = (number / scale for number in area)
    left, top = min(max(0, round(x)), width - 1), min(max(0, round(y)), height - 1)
    right, bottom = min(width, max(left + 1, round(x + w))), min(height, max(top + 1, round(y + h)))
    return Box(kind, (left, top, right - left, bottom - top))


def search(
    data: DataSet, samples: Iterable[str], who: str, *, engine: Any = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, int]:  # fmt: skip
    """Look for texts (with an OCR engine) and faces in samples' pictures once more; returns sample
    -> how many proposals are open. Boxes that were proposed or hidden before stay.
    """
    proposals, names = {}, list(samples)
    for number, sample in enumerate(names, start=1):
        shown = data.record(sample).shown
        seen = {path: searched(read_image(data.path(path)), engine) for path in shown}
        record = data.update(sample, partial(_with_proposals, seen), Act(who, "searched"))
        proposals[sample] = sum(len(open_proposals(about)) for about in record.pictures.values())
        if progress is not None:
            progress(number, len(names), "looking at pictures")
    return proposals


def _with_proposals(seen: Mapping[str, Picture], newest: Record) -> dict[str, Any]:
    pictures = dict(newest.pictures)
    for path in set(seen) & set(newest.shown):  # some may have been hidden meanwhile
        about, boxes = newest.facts(path), seen[path]
        new = [box for box in boxes.proposals if box not in about.proposals]
        pictures[path] = msgspec.structs.replace(
            about,
            proposals=[*about.proposals, *new],
            searched=about.searched or boxes.searched,
            looked="" if new else about.looked,
        )
    return {"pictures": pictures}


def open_proposals(about: Picture) -> list[Box]:
    """The proposals of a picture that nobody has looked at."""
    return [] if about.looked else list(about.proposals)


def unseen(record: Record) -> list[str]:
    """The pictures of a sample that a person must look at before they leave the house: those with
    open proposals, every scan, and those that were not searched for texts and faces.
    """
    facts = ((path, record.facts(path)) for path in record.shown)
    wanting = ((p, f.proposals or f.needs_look or not f.searched) for p, f in facts if not f.looked)
    return [path for path, wanted in wanting if wanted]


def hide(
    data: DataSet, sample: str, version: int, path: str, boxes: Sequence[Box], who: str, *,
    nonce: str = "",
) -> Record:  # fmt: skip
    """Hide boxes of a picture, note that `who` looked at it, and take the picture as it was out of
    the set. Without boxes: only note that it was looked at.

    Text is painted over, faces and eyes become a few coloured squares. Raises `Conflict`,
    `UsageError` for a picture that is no input or reference of the sample, `DataError` for a box
    outside of it.
    """
    record = data.record(sample)
    if path not in record.shown:
        raise UsageError(f"{sample}: {path!r} is no picture of it")
    pixels = read_image(data.path(path))
    for box in boxes:
        pixels = covered(pixels, box)
    new = data.keep(pixels)
    old = record.facts(path)
    about = msgspec.structs.replace(old, looked=who, hidden=[*old.hidden, *boxes])
    fields = {
        "images": [new if one == path else one for one in record.images],
        "reference": new if record.reference == path else record.reference,
        "pictures": {k: v for k, v in record.pictures.items() if k != path} | {new: about},
    }
    changed = data.change(sample, version, fields, Act(who, "hidden", nonce=nonce))
    data.purge([path])
    return changed


def covered(pixels: Array, item: Box) -> Array:
    """The picture with one box made unreadable. Raises `DataError` for a box outside of it."""
    height, width = pixels.shape[:2]
    x, y, w, h = item.box
    if x < 0 or y < 0 or w < 1 or h < 1 or x + w > width or y + h > height:
        raise DataError(f"box {list(item.box)}: outside of the picture ({width} x {height})")
    picture = pixels.copy()
    part = picture[y : y + h, x : x + w]
    if item.kind in ("face", "eyes"):
        squares = (min(w, 4), min(h, 4))
        small = cv2.resize(part, squares, interpolation=cv2.INTER_AREA)
        part[:] = cv2.resize(small, (w, h), interpolation=cv2.INTER_NEAREST)
    else:
        edge = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
        part[:] = np.median(edge, axis=0).astype(np.uint8)
    return picture


def remember(data: DataSet, words: Iterable[str]) -> None:
    """Keep hashes of names (of patients, from DICOM elements), to look for before an export."""
    known = _known(data)
    if (every := known | {_hash(data, word) for word in words}) != known:
        paths.write(data.root, _NAMES, "\n".join(sorted(every)).encode(), sync=True)


def names_in(data: DataSet, texts: Iterable[str]) -> list[str]:
    """The words of texts that are such names."""
    if not (known := _known(data)):
        return []
    words = {word for text in texts for word in words_of(text)}
    return sorted(word for word in words if _hash(data, word) in known)


def words_of(text: str) -> list[str]:
    """The words of at least four letters or digits in a text."""
    words = "".join(c if c.isalnum() else " " for c in text).split()
    return [word for word in words if len(word) >= 4]


def _known(data: DataSet) -> set[str]:
    place = data.root / _NAMES
    return set(place.read_text("ascii").split()) if place.is_file() else set()


def _hash(data: DataSet, word: str) -> str:
    text = f"{data.about.name}\n{word.casefold()}".encode()
    return hashlib.blake2b(text, digest_size=12).hexdigest()
