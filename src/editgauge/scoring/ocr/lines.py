"""Recognised text as boxes and lines: the geometry of TextEdit's OCR scores (protocols, section 2,
classic track).

`corrected` in these functions is the scores' variant: see `ocr` for the rules ``line-height`` and
``right-to-left``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isfinite
from operator import itemgetter
from typing import Any, Final, NamedTuple

from editgauge.metrics.text import is_right_to_left

LINE_PIXELS: Final = 10.0
LINE_HEIGHTS: Final = 0.5
REGION_IOU: Final = 0.5

Polygon = Sequence[Sequence[float]]
Recognised = tuple[Polygon, str, float] | Sequence[Any]
"""(polygon, text, confidence): a tuple, a list as JSON gives it, or `editgauge.ocr.Text`."""
Rect = tuple[float, float, float, float]
"""Left, top, right, bottom."""


class Box(NamedTuple):
    """A recognised text with its axis-aligned box."""

    left: float
    top: float
    right: float
    bottom: float
    middle: float
    """The vertical centre."""
    text: str
    number: int
    """Where it stands in the list of recognised text."""


_box = partial(tuple.__new__, Box)
"""`Box(*values)` from one tuple, at half the price."""
LEFT, MIDDLE = itemgetter(0), itemgetter(4)


def boxes_of(page: Sequence[Recognised], corrected: bool) -> list[Box]:
    """The axis-aligned boxes of a page, in its order; `corrected` leaves out what has no finite
    box.
    """
    boxes: list[Box] = []
    for index, item in enumerate(page):
        polygon, text = item[0], item[1]
        if not isinstance(text, str):
            raise TypeError(f"number {index}: wanted text, found {type(text).__name__}")
        if len(polygon) == 4:
            (ax, ay), (bx, by), (cx, cy), (dx, dy) = polygon
            left, right = (ax, bx) if ax < bx else (bx, ax)
            low, high = (cx, dx) if cx < dx else (dx, cx)
            if low < left:
                left = low
            if high > right:
                right = high
            top, bottom = (ay, by) if ay < by else (by, ay)
            low, high = (cy, dy) if cy < dy else (dy, cy)
            if low < top:
                top = low
            if high > bottom:
                bottom = high
        elif corrected and not len(polygon):
            continue
        else:
            left, right = min(p[0] for p in polygon), max(p[0] for p in polygon)
            top, bottom = min(p[1] for p in polygon), max(p[1] for p in polygon)
        if corrected and not (isfinite(left + right) and isfinite(top + bottom)):
            continue
        boxes.append(_box((left, top, right, bottom, (top + bottom) / 2, text, index)))
    return boxes


def lines_of(boxes: list[Box], corrected: bool) -> list[list[Box]]:
    """Boxes as lines, from the top down, each from left to right; equal places keep the order of
    the page.
    """
    if not boxes:
        return []
    ordered = sorted(boxes, key=MIDDLE)
    line = [ordered[0]]
    lines = [line]
    before = ordered[0]
    for box in ordered[1:]:
        reach = (
            LINE_HEIGHTS * (box[3] - box[1] + before[3] - before[1]) / 2
            if corrected
            else LINE_PIXELS
        )
        if box[4] - before[4] < reach:
            line.append(box)
        else:
            line = [box]
            lines.append(line)
        before = box
    for line in lines:
        if len(line) > 1:
            line.sort(key=LEFT)
    return lines


def line_text(line: list[Box], corrected: bool, joint: str = "") -> str:
    """A line's text; `corrected` reads a line of mostly right-to-left text from its right end."""
    if len(line) == 1:
        return line[0][5]
    text = joint.join([box[5] for box in line])
    if corrected and is_right_to_left(text):
        return joint.join([box[5] for box in sorted(line, key=lambda box: -box[2])])
    return text


def union(boxes: list[Box]) -> Rect:
    if len(boxes) == 1:
        return boxes[0][:4]
    return (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )


def overlap(a: Rect, b: Rect) -> float:
    """Intersection over union, 0 where the union has no area."""
    width = (a[2] if a[2] < b[2] else b[2]) - (a[0] if a[0] > b[0] else b[0])
    height = (a[3] if a[3] < b[3] else b[3]) - (a[1] if a[1] > b[1] else b[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return shared / union if union > 0 else 0.0


def split(boxes: list[Box], region: Rect) -> tuple[list[Box], list[Box]]:
    """The output's boxes inside the edited region (IoU > 0.5, or the centre in it, borders
    included), and the rest.
    """
    left, top, right, bottom = region
    inside: list[Box] = []
    outside: list[Box] = []
    for box in boxes:
        centred = top <= box[4] <= bottom and left <= (box[0] + box[2]) / 2 <= right
        if centred or overlap(box[:4], region) > REGION_IOU:
            inside.append(box)
        else:
            outside.append(box)
    return inside, outside
