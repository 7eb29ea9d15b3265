"""What in a picture may tell who somebody is (a text, a face): found by machines, decided by a
person. No picture with open proposals is exported; what was hidden is gone from the set.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import cv2
import msgspec
import numpy as np

from editgauge.curation.dataset import DataSet
from editgauge.curation.records import Box, Picture, Record
from editgauge.errors import (
    DataError,
    MissingExtra,
    UsageError,
    WeightsError,
)
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


def engine_of(name: str) -> Any:
    """The OCR engine of a name, None for ``none``. Raises `MissingExtra` where it is not there."""
    from editgauge.ocr.reader import open_reader

    if name in ("", "none"):
        return None
    return open_reader(name).engine


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

    boxes = []
    for left, top, right, bottom in (box_of(text) for text in engine(pixels, "en")):
        margin = (bottom - top) * _MARGIN
        area = (left - margin, top - margin, right + margin, bottom + margin)
        boxes.append(_within("text", area, pixels))
    return boxes


def faces_in(pixels: Array) -> list[Box]:
    """A proposal for each face that is found: by YuNet (OpenCV's `FaceDetectorYN`), without its
    file by the cascade that scikit-image ships, which sees faces from the front. Raises
    `MissingExtra` without either, `WeightsError` for another file.
    """
    from editgauge.networks.weights import AbsentWeights, locate

    if min(pixels.shape[:2]) < 48:
        return []
    scale = min(1.0, _LONGEST / max(pixels.shape[:2]))
    small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    try:
        (model,) = locate(YUNET).paths.values()
        areas = _by_yunet(small, model)
    except AbsentWeights:
        areas = _by_cascade(small)
    ends = [[x / scale, y / scale, (x + w) / scale, (y + h) / scale] for x, y, w, h in areas]
    return [_within("face", area, pixels) for area in ends]


def _by_yunet(pixels: Array, model: Path) -> list[list[float]]:
    try:
        size = (pixels.shape[1], pixels.shape[0])
        detector = cv2.FaceDetectorYN.create(str(model), "", size, LEAST_SCORE)
        _, rows = detector.detect(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))
    except cv2.error as error:
        raise WeightsError(f"{model}: no face detector ({error.err}); fetch it anew") from error
    return [] if rows is None else [row[:4].tolist() for row in rows]


def _by_cascade(pixels: Array) -> list[list[float]]:
    try:
        from skimage.data import lbp_frontal_face_cascade_filename
        from skimage.feature import Cascade
    except ImportError as error:
        raise MissingExtra("finding faces", "scikit-image", "study") from error
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    longest = min(grey.shape)
    faces = Cascade(lbp_frontal_face_cascade_filename()).detect_multi_scale(
        img=grey, scale_factor=1.2, step_ratio=1, min_size=(36, 36), max_size=(longest, longest)
    )
    return [[float(face[key]) for key in ("c", "r", "width", "height")] for face in faces]


def _within(kind: Literal["text", "face"], area: Sequence[float], pixels: Array) -> Box:
    """An area (left, top, right, bottom) in whole pixels within the picture: at least one."""
    height, width = pixels.shape[:2]
    left, top = min(max(0, int(area[0])), width - 1), min(max(0, int(area[1])), height - 1)
    right, bottom = min(width, math.ceil(area[2])), min(height, math.ceil(area[3]))
    return Box(kind, (left, top, max(1, right - left), max(1, bottom - top)))


def search(
    data: DataSet, samples: Sequence[str], who: str, *, engine: Any = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, int]:  # fmt: skip
    """Look for texts (with an OCR engine) and faces in samples' pictures once more; returns sample
    -> how many proposals are open. What was found newly is looked at again.
    """
    proposals = {}
    for number, sample in enumerate(samples, start=1):
        shown = data.record(sample).shown
        seen = {path: searched(read_image(data.path(path)), engine) for path in shown}
        record = data.update(sample, partial(_with_proposals, seen), Act(who, "searched"))
        proposals[sample] = sum(len(open_proposals(about)) for about in record.pictures.values())
        if progress is not None:
            progress(number, len(samples), "looking at pictures")
    return proposals


def _with_proposals(seen: Mapping[str, Picture], newest: Record) -> dict[str, Any]:
    pictures = dict(newest.pictures)
    for path in set(seen) & set(newest.shown):  # some may have been hidden meanwhile
        about, found = newest.facts(path), seen[path]
        new = [box for box in found.proposals if box not in about.proposals]
        pictures[path] = msgspec.structs.replace(
            about,
            proposals=[*about.proposals, *new],
            searched=about.searched or found.searched,
            looked="" if new else about.looked,
        )
    return {"pictures": pictures}


def open_proposals(about: Picture) -> list[Box]:
    """The proposals of a picture that nobody has looked at."""
    return [] if about.looked else list(about.proposals)


def hide(
    data: DataSet,
    sample: str,
    version: int,
    path: str,
    boxes: Sequence[Box],
    who: str,
    *,
    nonce: str = "",
    keep_original: bool = False,
) -> Record:
    """Hide boxes of a picture and note that `who` looked at it.

    A text is painted over, and a face becomes a few coloured squares. The picture as it was is
    deleted, unless `keep_original`: then it waits for the owner (`delete_originals`). Raises
    `Conflict`, `UsageError` for a picture that is none of the sample's, and `DataError` for a box
    outside of the picture.
    """
    record = data.record(sample)
    if path not in record.shown:
        raise UsageError(f"{sample}: {path!r} is no picture of it")
    pixels = read_image(data.path(path))
    for box in boxes:
        pixels = covered(pixels, box)
    new = data.keep(pixels)
    old = record.facts(path)
    before = [*old.originals, path] if new != path else list(old.originals)
    about = msgspec.structs.replace(
        old,
        looked=who,
        hidden=[*old.hidden, *boxes],
        originals=before if keep_original else [],
    )
    fields = {
        "images": [new if one == path else one for one in record.images],
        "reference": new if record.reference == path else record.reference,
        "pictures": {k: v for k, v in record.pictures.items() if k != path} | {new: about},
    }
    changed = data.change(sample, version, fields, Act(who, "hidden", nonce=nonce))
    if not keep_original:
        data.purge(before)
    return changed


def delete_originals(data: DataSet, sample: str, who: str) -> Record:
    """Delete the pictures of a sample as they were before something was hidden in them."""
    waiting = data.record(sample).originals

    def without_originals(record: Record) -> dict[str, Any]:
        pictures = {}
        for path, about in record.pictures.items():
            pictures[path] = msgspec.structs.replace(about, originals=[])
        return {"pictures": pictures}

    record = data.update(sample, without_originals, Act(who, "originals deleted"))
    data.purge(waiting)
    return record


def covered(pixels: Array, item: Box) -> Array:
    """The picture with one box made unreadable. Raises `DataError` for a box outside of it."""
    height, width = pixels.shape[:2]
    x, y, w, h = item.box
    if x < 0 or y < 0 or w < 1 or h < 1 or x + w > width or y + h > height:
        raise DataError(f"box {list(item.box)}: outside of the picture ({width} x {height})")
    picture = pixels.copy()
    part = picture[y : y + h, x : x + w]
    if item.kind == "face":
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
    named = [word for word in words if _hash(data, word) in known or _old_hash(data, word) in known]
    return sorted(named)


def words_of(text: str) -> list[str]:
    """The words in a text that may name somebody: numbers of four digits, words of three letters
    (Kim), of two in another script, and more.
    """
    words = "".join(c if c.isalnum() else " " for c in text).split()
    return [w for w in words if len(w) >= (4 if w.isdecimal() else 3 if w.isascii() else 2)]


def _known(data: DataSet) -> set[str]:
    place = data.root / _NAMES
    return set(place.read_text("ascii").split()) if place.is_file() else set()


def _hash(data: DataSet, word: str) -> str:
    """Return the keyed hash of a name: nobody without the set's secret can find it by trying."""
    return data.log.mac("name", word.casefold())


def _old_hash(data: DataSet, word: str) -> str:
    """Return the hash that sets had until November 2026; its key, the set's name, is public."""
    text = f"{data.about.name}\n{word.casefold()}".encode()
    return hashlib.blake2b(text, digest_size=12).hexdigest()
