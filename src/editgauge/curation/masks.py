"""Masks: proposed from what is known, drawn by people, and checked against the reference. A mask is
an array of shape (H, W), bool, True = the area that may change; a person corrects and saves it.
"""

from __future__ import annotations

import cv2
import numpy as np

from editgauge.curation.dataset import DataSet
from editgauge.curation.records import Record
from editgauge.errors import DataError
from editgauge.images import Array, Mask, read_image, read_mask
from editgauge.metrics.outside import outside_difference
from editgauge.web.log import Act

THRESHOLD = 12
"""Levels of 255, the largest channel: above the noise of an 8-bit JPEG of usual quality."""
LEAST_AREA = 0.0002
"""Of the picture: a smaller component of a difference is noise."""


def propose(data: DataSet, record: Record) -> Mask:
    """A mask of the difference of input and reference. Raises `DataError` without a reference."""
    if not record.reference:
        raise DataError(f"{record.id}: no reference to compare with")
    return from_difference(
        *(read_image(data.path(p)) for p in (record.images[0], record.reference))
    )


def from_difference(image: Array, reference: Array) -> Mask:
    """Where two pictures of one size differ: levels above `THRESHOLD`, closed, without specks,
    grown by a margin. Raises `DataError` for pictures of two sizes.
    """
    if image.shape != reference.shape:
        raise DataError("the input and the reference are of two sizes: take them in as a pair")
    blurred = [cv2.GaussianBlur(pixels, (3, 3), 0) for pixels in (image, reference)]
    levels = cv2.absdiff(*blurred).max(axis=2)
    reach = max(3, round(min(levels.shape) * 0.012) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
    rough = (levels > THRESHOLD).astype(np.uint8)
    opened = cv2.morphologyEx(rough, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    closed = cv2.morphologyEx(opened, cv2.MORPH_CLOSE, kernel)
    least = max(4, int(LEAST_AREA * levels.size))
    count, labels, facts, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    large = [n for n in range(1, count) if facts[n, cv2.CC_STAT_AREA] >= least]
    return np.asarray(cv2.dilate(np.isin(labels, large).astype(np.uint8), kernel) > 0)


def save(
    data: DataSet, sample: str, version: int, name: str, mask: Mask, who: str, *, nonce: str = "",
    note: str = "",
) -> Record:  # fmt: skip
    """Keep a mask of a sample under its name (``input``, ``second``, ``roi``); an empty one takes
    it out. Raises `DataError` for a mask that is not of the picture's size, and `Conflict`.
    """
    record = data.record(sample)
    image = read_image(data.path(record.images[0]))
    if mask.shape != image.shape[:2]:
        raise DataError(f"{sample}: mask of {mask.shape}, the picture is {image.shape[:2]}")
    masks: dict[str, str] = {key: path for key, path in record.masks.items() if key != name}
    if mask.any():
        masks[name] = data.keep(mask, "masks")
    return data.change(sample, version, {"masks": masks}, Act(who, "masked", note, nonce))


def faults(data: DataSet, record: Record) -> list[str]:
    """What is wrong with a sample's masks, or with what its reference changes outside of them."""
    masks = {name: read_mask(data.path(path)) for name, path in record.masks.items()}
    image = read_image(data.path(record.images[0]))
    height, width = image.shape[:2]
    reasons = []
    for name, mask in masks.items():
        if mask.shape != (height, width):
            reasons.append(f"mask {name!r} is not of the input's size ({width} x {height})")
        elif mask.all() or not mask.any():
            reasons.append(f"mask {name!r} marks {'everything' if mask.any() else 'nothing'}")
    if masks and not reasons and record.reference:
        reference = read_image(data.path(record.reference))
        if reference.shape != image.shape:
            return ["the reference is of another size than the input"]
        if why := outside_difference(image, reference, np.logical_or.reduce([*masks.values()])):
            reasons.append(f"the reference: {why}")
    return reasons
