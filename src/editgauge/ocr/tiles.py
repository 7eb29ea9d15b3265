"""Pictures above an engine's limit: the whole picture shrunk finds what is large, tiles at full
size what is small. A text that a border cut is taken from elsewhere, its rest dropped.
"""

from __future__ import annotations

from collections.abc import Callable

from editgauge.images import Array
from editgauge.ocr.engine import Text, box_of

Read = Callable[[Array], list[Text]]
Box = tuple[float, float, float, float]

TOUCHES = 4.0
"""Pixels from a tile's inner border within which a text that ends there counts as cut by it."""


def windows(length: int, side: int, overlap: int) -> list[tuple[int, int]]:
    """Start and end of the tiles along one axis: `side` long, overlapping by `overlap` at least."""
    if length <= side:
        return [(0, length)]
    count = -(-(length - overlap) // (side - overlap))
    step = (length - side) / (count - 1)
    return [(round(index * step), round(index * step) + side) for index in range(count)]


def read_large(image: Array, read: Read, *, limit: int, side: int, overlap: int) -> list[Text]:
    """The text of a picture of any size; `read` shrinks pictures with a side over `limit`."""
    height, width = image.shape[:2]
    whole = read(image)
    if max(height, width) <= limit:
        return whole
    entire: list[Text] = []
    cut: list[Text] = []
    for top, bottom in windows(height, side, overlap):
        for left, right in windows(width, side, overlap):
            inner = (left > 0, top > 0, right < width, bottom < height)
            for text in read(image[top:bottom, left:right]):
                is_cut = _touches(box_of(text), (right - left, bottom - top), inner)
                (cut if is_cut else entire).append(_moved(text, left, top))
    kept: list[Text] = []
    for text in (text for part in (entire, whole, cut) for text in sorted(part, key=_size)):
        place = box_of(text)
        if sum(_share(place, box_of(other)) for other in kept) < 0.5:
            # a line of the shrunk picture takes the place of the few words that a tile had of it
            kept = [*(other for other in kept if _share(box_of(other), place) <= 0.5), text]
    return sorted(kept, key=lambda text: (text.polygon[0][1], text.polygon[0][0]))


def _touches(box: Box, size: tuple[int, int], inner: tuple[bool, bool, bool, bool]) -> bool:
    ends = (box[0], box[1], size[0] - box[2], size[1] - box[3])
    return any(end <= TOUCHES and side for end, side in zip(ends, inner, strict=True))


def _moved(text: Text, x: int, y: int) -> Text:
    return text._replace(polygon=tuple((round(a + x, 2), round(b + y, 2)) for a, b in text.polygon))


def _size(text: Text) -> tuple[float, float]:
    """The largest first, of equal ones the surest."""
    left, top, right, bottom = box_of(text)
    return (left - right) * (bottom - top), -text.confidence


def _share(part: Box, other: Box) -> float:
    """How much of `part` lies in `other`, from 0 to 1."""
    width = min(part[2], other[2]) - max(part[0], other[0])
    height = min(part[3], other[3]) - max(part[1], other[1])
    area = (part[2] - part[0]) * (part[3] - part[1])
    return width * height / area if width > 0 and height > 0 and area > 0 else 0.0
