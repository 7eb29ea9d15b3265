"""Masks: proposed from what is known, drawn by people, and checked against the reference.

A mask is an array of shape (H, W), bool, True = the area that may change. A proposal is never kept
by itself: a person looks at it, corrects it and saves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, NamedTuple

import cv2
import numpy as np

from editgauge.curation.dataset import DataSet
from editgauge.curation.records import Record
from editgauge.errors import DataError, UsageError, WeightsError
from editgauge.images import Array, Mask, read_image, read_mask
from editgauge.instructions import quoted
from editgauge.metrics.outside import outside_difference
from editgauge.metrics.text import similarity
from editgauge.web.log import Act

THRESHOLD = 12
"""Levels of 255, the largest channel: above the noise of an 8-bit JPEG of usual quality."""
LEAST_AREA = 0.0002
"""Of the picture: a smaller component of a difference is noise."""
SURE = 0.6
"""Similarity of what was read and what is quoted, from which on a box is proposed."""
HOWS: tuple[str, ...] = ("difference", "text", "box", "segment", "words")
_ITERATIONS = 5
_CLICK = 4
"""Pixels: a box with a shorter side is a click."""


class Proposal(NamedTuple):
    """One mask that a machine proposes, and what a network expects of it, 0 to 1; None for ways
    that expect nothing.
    """

    mask: Mask
    score: float | None = None


def propose(
    data: DataSet, record: Record, how: str, *, box: Sequence[int] = (), engine: Any = None
) -> list[Proposal]:
    """Masks for a sample's first input by one of `HOWS`, of which a person chooses: one, or the
    three of a network. ``words`` are the sample's concept, else its instruction.

    Raises `UsageError` for another way and `DataError` where what it needs is not there; networks
    raise as `from_network` does.
    """
    image = read_image(data.path(record.images[0]))
    words = (record.concept or record.instruction).strip() if how == "words" else ""
    if how == "segment" or words:
        return from_network(image, box=box, words=words)
    if how == "words":
        raise DataError(f"{record.id}: no concept and no instruction to look for")
    if how == "box":
        return [Proposal(from_box(image, box))]
    if how == "difference" and record.reference:
        return [Proposal(from_difference(image, read_image(data.path(record.reference))))]
    if how == "difference":
        raise DataError(f"{record.id}: no reference to compare with")
    if how == "text" and engine is not None:
        return [Proposal(from_text(image, record.instruction, engine))]
    needs = "needs an OCR engine" if how == "text" else f"wanted one of {', '.join(HOWS)}"
    raise UsageError(f"mask from {how!r}: {needs}")


def from_difference(image: Array, reference: Array, threshold: int = THRESHOLD) -> Mask:
    """Where two pictures of one size differ: levels above `threshold`, closed, without specks,
    grown by a margin.

    Raises `DataError` for pictures of two sizes: align them first.
    """
    if image.shape != reference.shape:
        raise DataError("the input and the reference are of two sizes: take them in as a pair")
    blurred = [cv2.GaussianBlur(pixels, (3, 3), 0) for pixels in (image, reference)]
    levels = cv2.absdiff(*blurred).max(axis=2)
    reach = max(3, round(min(levels.shape) * 0.012) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
    rough = (levels > threshold).astype(np.uint8)
    opened = cv2.morphologyEx(rough, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    closed = cv2.morphologyEx(opened, cv2.MORPH_CLOSE, kernel)
    least = max(4, int(LEAST_AREA * levels.size))
    count, labels, facts, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    large = [n for n in range(1, count) if facts[n, cv2.CC_STAT_AREA] >= least]
    return np.asarray(cv2.dilate(np.isin(labels, large).astype(np.uint8), kernel) > 0)


def from_text(image: Array, instruction: str, engine: Any) -> Mask:
    """The boxes of texts in the picture that the instruction quotes, as an OCR engine reads them.

    Empty where none is read. Raises `DataError` for an instruction that quotes nothing.
    """
    words = [quote.text.casefold().strip() for quote in quoted(instruction)]
    if not any(words):
        raise DataError("the instruction quotes no text: put it between quotation marks")
    made = np.zeros(image.shape[:2], np.uint8)
    for text in engine(image, "en"):
        read = text.text.casefold().strip()
        if any(word and (word in read or similarity(read, word) >= SURE) for word in words):
            cv2.fillPoly(made, [np.rint(np.array(text.polygon)).astype(np.int32)], 1)
    reach = max(3, round(min(made.shape) * 0.02) | 1)
    return np.asarray(cv2.dilate(made, np.ones((reach, reach), np.uint8)) > 0)


def from_box(image: Array, box: Sequence[int]) -> Mask:
    """The object in a box (left, top, width, height), by GrabCut; the whole box where GrabCut finds
    nothing in it.

    A box of no size is a click: the object is looked for around it. Raises `DataError` for a box
    outside of the picture.
    """
    height, width = image.shape[:2]
    x, y, w, h = _box(image, box)
    if w < _CLICK or h < _CLICK:
        reach = max(8, min(height, width) // 5)
        x, y, w, h = max(0, x - reach), max(0, y - reach), 2 * reach, 2 * reach
    w, h = min(w, width - x), min(h, height - y)
    whole = np.zeros((height, width), dtype=np.bool_)
    whole[y : y + h, x : x + w] = True
    if w >= width - 1 and h >= height - 1:
        return whole  # nothing is left that is surely background
    labels = np.zeros((height, width), np.uint8)
    models = np.zeros((1, 65), np.float64), np.zeros((1, 65), np.float64)
    cv2.setRNGSeed(1)
    try:
        cv2.grabCut(image, labels, (x, y, w, h), *models, _ITERATIONS, cv2.GC_INIT_WITH_RECT)
    except cv2.error:  # all of one colour
        return whole
    made = np.asarray((labels == cv2.GC_FGD) | (labels == cv2.GC_PR_FGD))
    return made if made.sum() >= 0.02 * w * h else whole


def from_network(image: Array, *, box: Sequence[int] = (), words: str = "") -> list[Proposal]:
    """The three masks that Segment Anything gives for a box or a click, as `from_box` has them, or
    for the surest of the places that Grounding DINO finds for `words`; surest first.

    Raises `DataError` where no place is found, `WeightsError` with the command that fetches what is
    not here, `MissingExtra` without transformers.
    """
    from editgauge.curation import segment
    from editgauge.networks.runtime import resolve
    from editgauge.networks.weights import locate

    # what is missing is said before torch is loaded
    dino = locate(segment.DINO, None).folder if words else None
    sam = locate(segment.SAM, None).folder
    runtime = resolve()
    if dino is not None:
        places = segment.places(dino, runtime, image, words)
        if not places:
            raise DataError(f"nothing in the picture is found for {words[:80]!r}: draw a box")
        found = segment.segments(sam, runtime, image, box=places[0][0])
    else:
        x, y, w, h = _box(image, box)
        click = w < _CLICK or h < _CLICK
        found = segment.segments(
            sam, runtime, image, box=None if click else (x, y, x + w, y + h), point=(x, y)
        )
    return [Proposal(one.mask, one.score) for one in found]


def networks_here() -> tuple[str, ...]:
    """Those of `HOWS` that need networks and can be used: their files and packages are here."""
    from editgauge.curation.segment import DINO, SAM
    from editgauge.networks.weights import locate

    if find_spec("torch") is None or find_spec("transformers") is None:
        return ()
    made: list[str] = []
    with suppress(WeightsError):
        for how, name in (("segment", SAM), ("words", DINO)):  # words need both
            locate(name, None)
            made.append(how)
    return tuple(made)


def save(
    data: DataSet,
    sample: str,
    version: int,
    name: str,
    mask: Mask,
    who: str,
    *,
    nonce: str = "",
    note: str = "",
) -> Record:
    """Keep a mask of a sample under its name (``input``, ``second``, ``roi``); an empty one takes
    it out. Raises `DataError` for a mask that is not of the picture's size, and `Conflict`.
    """
    record = data.record(sample)
    second = name == "second" and record.reference
    image = read_image(data.path(record.reference if second else record.images[0]))
    if mask.shape != image.shape[:2]:
        raise DataError(f"{sample}: mask of {mask.shape}, the picture is {image.shape[:2]}")
    masks: dict[str, str] = {key: path for key, path in record.masks.items() if key != name}
    if mask.any():
        masks[name] = data.keep(mask, "masks")
    return data.change(sample, version, {"masks": masks}, Act(who, "masked", note, nonce))


def faults(data: DataSet, record: Record) -> list[str]:
    """What is wrong with a sample's masks: empty, full, of another size, or a reference that
    changes more than they allow.
    """
    masks = {name: read_mask(data.path(path)) for name, path in record.masks.items()}
    image = read_image(data.path(record.images[0]))
    said = []
    for name, mask in masks.items():
        if mask.shape != image.shape[:2]:
            said.append(f"mask {name!r} is {mask.shape[1]} x {mask.shape[0]}, not the input's size")
        elif not mask.any() or mask.all():
            said.append(f"mask {name!r} marks {'nothing' if not mask.any() else 'everything'}")
    if masks and not said and record.reference:
        reference = read_image(data.path(record.reference))
        if reference.shape != image.shape:
            return ["the reference is of another size than the input"]
        union = np.logical_or.reduce(list(masks.values()))
        if difference := outside_difference(image, reference, union):
            said.append(f"the reference: {difference}")
    return said


def share_of(data: DataSet, record: Record) -> float | None:
    """The share of the picture that the masks allow to change; None without a mask."""
    masks = [read_mask(data.path(path)) for path in record.masks.values()]
    fitting = [mask for mask in masks if mask.shape == masks[0].shape]
    return float(np.logical_or.reduce(fitting).mean()) if fitting else None


def _box(image: Array, box: Sequence[int]) -> tuple[int, int, int, int]:
    """A box whose corner lies in the picture. Raises `DataError` for another."""
    height, width = image.shape[:2]
    if len(box) != 4 or not all(type(number) is int for number in box):
        raise DataError("box: wanted four whole numbers: left, top, width, height")
    x, y, w, h = box
    if not (0 <= x < width and 0 <= y < height):
        raise DataError(f"box {list(box)}: outside of the picture ({width} x {height})")
    return x, y, min(w, width - x), min(h, height - y)
