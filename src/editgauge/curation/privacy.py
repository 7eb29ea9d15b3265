"""What in a picture may tell who somebody is: found by machines, decided by a person.

A proposal is a box and what it may be: text burnt into a scan (OCR), a face, a pair of eyes.
Nothing is hidden by itself, and no picture with open proposals is exported. What was hidden is gone
from the set: the picture as it was is taken out of the folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from editgauge.curation.dataset import PRIVATE, DataSet
from editgauge.curation.faces import faces_in
from editgauge.curation.records import pictures_of
from editgauge.errors import DataError, EditgaugeError, MissingExtra, UsageError
from editgauge.images import Array, read_image
from editgauge.store import paths
from editgauge.web.log import Act

Box = tuple[int, int, int, int]
"""Left, top, width, height in pixels."""
KINDS: tuple[str, ...] = ("text", "face", "eyes", "other")
_MARGIN = 0.15
"""Of a text's height, on each side."""
_NAMES = f"{PRIVATE}/names"


def texts_in(pixels: Array, engine: Any) -> list[dict[str, Any]]:
    """A proposal for each text that the OCR engine reads. What it reads is not kept."""
    from editgauge.ocr.engine import box_of

    height, width = pixels.shape[:2]
    found = []
    for text in engine(pixels, "en"):
        left, top, right, bottom = box_of(text)
        margin = (bottom - top) * _MARGIN
        x, y = max(0, int(left - margin)), max(0, int(top - margin))
        right, bottom = min(width, int(right + margin) + 1), min(height, int(bottom + margin) + 1)
        found.append({"kind": "text", "box": [x, y, int(right) - x, int(bottom) - y]})
    return found


def propose(
    data: DataSet, sample: str, who: str, *, engine: Any = None, faces: bool = True,
    weights: Path | None = None,
) -> int:  # fmt: skip
    """Look for text (with an OCR engine) and faces in a sample's pictures; returns how many
    proposals are open. Boxes that were proposed or hidden before stay.
    """
    record = data.record(sample)
    masks = set((record.get("masks") or {}).values())
    seen = {
        path: _found_in(read_image(data.path(path)), engine, faces, weights)
        for path in pictures_of(record)
        if path not in masks
    }

    def made(newest: dict[str, Any]) -> Mapping[str, Any]:
        facts = {path: dict(about) for path, about in (newest.get("pictures") or {}).items()}
        for path, found in seen.items():
            if path not in pictures_of(newest):
                continue  # somebody has hidden something in it meanwhile
            about = facts.setdefault(path, {})
            if engine is not None:
                about["searched"] = True
            known = about.get("proposals", [])
            about["proposals"] = [*known, *(new := [item for item in found if item not in known])]
            if new:
                about.pop("looked", None)
        return {"pictures": facts}

    record = data.update(sample, made, Act(who, "searched"))
    return sum(len(open_proposals(about)) for about in (record.get("pictures") or {}).values())


def _found_in(
    pixels: Array, engine: Any, faces: bool, weights: Path | None
) -> list[dict[str, Any]]:
    found = faces_in(pixels, weights) if faces else []
    return found + (texts_in(pixels, engine) if engine is not None else [])


def open_proposals(about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The proposals of a picture that nobody has looked at."""
    return [] if about.get("looked") else list(about.get("proposals", []))


def unseen(record: Mapping[str, Any]) -> list[str]:
    """The pictures of a sample that a person must look at before they leave the house: those with
    open proposals, every scan, and those that nothing was searched for names and faces.
    """
    facts, masks = record.get("pictures") or {}, set((record.get("masks") or {}).values())
    return [
        path for path in pictures_of(record) if path not in masks and _waits(facts.get(path, {}))
    ]


def _waits(about: Mapping[str, Any]) -> bool:
    """Whether a picture with these facts still wants a look."""
    if about.get("looked"):
        return False
    return bool(about.get("proposals") or about.get("needs_look")) or not about.get("searched")


def facts_of(pixels: Array, engine: Any) -> dict[str, Any]:
    """What a new picture's search for texts and faces gives: its proposals, and that it was
    searched. Without an OCR engine nothing was searched: a person must look.
    """
    if engine is None:
        return {}
    try:
        faces = faces_in(pixels)
    except MissingExtra:  # the person who looks for texts looks for faces, too
        return {"proposals": texts_in(pixels, engine), "needs_look": True}
    return {"searched": True, "proposals": [*faces, *texts_in(pixels, engine)]}


def hide(
    data: DataSet,
    sample: str,
    version: int,
    path: str,
    boxes: Sequence[Mapping[str, Any]],
    who: str,
    *,
    nonce: str = "",
) -> dict[str, Any]:
    """Hide boxes of a picture (``kind``, ``box``), note that `who` looked at it, and take the
    picture as it was out of the set. Without boxes: only note that it was looked at.

    Text is painted over, faces and eyes become a few coloured squares. Raises `Conflict`,
    `UsageError` for a picture that is no input or reference of the sample, or a box outside of it.
    """
    record = data.record(sample)
    if path not in (*record["images"], record.get("reference")):
        raise UsageError(f"{sample}: {path!r} is no picture of it")
    fields = dict(_replaced(data, record, path, boxes, who))
    made = data.change(sample, version, fields, Act(who, "hidden", nonce=nonce))
    purge(data, [path])
    return made


def _replaced(
    data: DataSet,
    record: Mapping[str, Any],
    path: str,
    boxes: Sequence[Mapping[str, Any]],
    who: str,
) -> Mapping[str, Any]:
    pixels = read_image(data.path(path))
    for item in boxes:
        pixels = covered(pixels, item)
    new = data.keep(pixels)
    facts = {key: dict(value) for key, value in (record.get("pictures") or {}).items()}
    about = facts.pop(path, {})
    about["looked"] = who
    if boxes:
        about["hidden"] = [*about.get("hidden", []), *(dict(item) for item in boxes)]
    facts[new] = about
    return {
        "images": [new if one == path else one for one in record["images"]],
        "reference": new if record.get("reference") == path else record.get("reference"),
        "pictures": facts,
    }


def covered(pixels: Array, item: Mapping[str, Any]) -> Array:
    """The picture with one box made unreadable. Raises `DataError` for a box that is none."""
    height, width = pixels.shape[:2]
    box, kind = item.get("box"), item.get("kind", "other")
    if kind not in KINDS or not isinstance(box, list | tuple) or len(box) != 4:
        raise DataError(f"box: wanted a kind of {', '.join(KINDS)} and four numbers")
    if not all(isinstance(x, int) and not isinstance(x, bool) for x in box):
        raise DataError("box: wanted whole pixels")
    x, y, w, h = box
    if x < 0 or y < 0 or w < 1 or h < 1 or x + w > width or y + h > height:
        raise DataError(f"box {list(box)}: outside of the picture ({width} x {height})")
    made = pixels.copy()
    part = made[y : y + h, x : x + w]
    if kind in ("face", "eyes"):
        squares = (min(w, 4), min(h, 4))
        small = cv2.resize(part, squares, interpolation=cv2.INTER_AREA)
        part[:] = cv2.resize(small, (w, h), interpolation=cv2.INTER_NEAREST)
    else:
        edge = np.concatenate([part[0], part[-1], part[:, 0], part[:, -1]])
        part[:] = np.median(edge, axis=0).astype(np.uint8)
    return made


def purge(data: DataSet, candidates: Iterable[str]) -> int:
    """Remove picture files that no sample names any more; returns how many."""
    used = {path for record in data.records(withdrawn=True) for path in pictures_of(record)}
    gone = 0
    for path in set(candidates) - used:
        if paths.fault(data.root, path) is None:
            (data.root / path).unlink()
            gone += 1
    return gone


# -- names that must not leave ---------------------------------------------------------------------


def remember(data: DataSet, words: Iterable[str]) -> None:
    """Keep hashes of names (of patients, from DICOM elements), to look for them before an export.
    They lie in the private part of the set and are never exported.
    """
    place = data.root / _NAMES
    known = set(place.read_text("ascii").split()) if place.is_file() else set()
    every = known | {_hash(data, word) for word in words}
    if every != known:
        paths.write(data.root, _NAMES, "\n".join(sorted(every)).encode(), sync=True)


def names_in(data: DataSet, texts: Iterable[str]) -> list[str]:
    """The words of texts that are such names."""
    place = data.root / _NAMES
    known = set(place.read_text("ascii").split()) if place.is_file() else set()
    words = {
        word
        for text in texts
        for word in "".join(c if c.isalnum() else " " for c in text).split()
        if len(word) >= 4
    }
    return sorted(word for word in words if _hash(data, word) in known) if known else []


def _hash(data: DataSet, word: str) -> str:
    text = f"{data.about.name}\n{word.casefold()}".encode()
    return hashlib.blake2b(text, digest_size=12).hexdigest()


def engine_of(name: str) -> Any:
    """The OCR engine of a name (`catalog.OCR_ENGINES`), None for ``none``. Raises as
    `ocr.reader.open_reader` does.
    """
    from editgauge.ocr.reader import open_reader

    if name in ("", "none"):
        return None
    try:
        return open_reader(name).engine
    except EditgaugeError as error:
        raise UsageError(
            f"{error} Or say --ocr none: a person must then find the texts alone"
        ) from error
