"""Recognised text as boxes and lines: the geometry of TextEdit's OCR scores. `corrected` is the
scores' variant: see `scores` for its rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from operator import attrgetter
from typing import Any, Final, NamedTuple

from editgauge.metrics.text import is_right_to_left

LINE_PIXELS: Final = 10.0
LINE_HEIGHTS: Final = 0.5
REGION_IOU: Final = 0.5

Recognised = tuple[Sequence[Sequence[float]], str, float] | Sequence[Any]
"""(polygon, text, confidence): a tuple, a list as JSON gives it, or `editgauge.ocr.Text`."""
Rect = tuple[float, float, float, float]
"""Left, top, right, bottom."""


class Box(NamedTuple):
    """A recognised text with its axis-aligned box, and its place in the list of the page."""

    rect: Rect
    text: str
    number: int

    @property
    def left(self) -> float:
        return self.rect[0]

    @property
    def middle(self) -> float:
        """The vertical centre."""
        return (self.rect[1] + self.rect[3]) / 2

    @property
    def height(self) -> float:
        return self.rect[3] - self.rect[1]


def boxes_of(page: Sequence[Recognised], corrected: bool) -> list[Box]:
    """The axis-aligned boxes of a page, in its order; `corrected` leaves out what has no finite
    box.
    """
    boxes: list[Box] = []
    for number, (polygon, text, *_) in enumerate(page):
        if not isinstance(text, str):
            raise TypeError(f"number {number}: wanted text, found {type(text).__name__}")
        if corrected and not len(polygon):
            continue
        across, down = [point[0] for point in polygon], [point[1] for point in polygon]
        rect = (min(across), min(down), max(across), max(down))
        if not corrected or all(map(isfinite, rect)):
            boxes.append(Box(rect, text, number))
    return boxes


def lines_of(boxes: list[Box], corrected: bool) -> list[list[Box]]:
    """Boxes as lines, from the top down, each from left to right; equal places keep the order of
    the page.
    """
    lines: list[list[Box]] = []
    before = None
    for box in sorted(boxes, key=attrgetter("middle")):
        reach = LINE_PIXELS
        if corrected and before is not None:
            reach = LINE_HEIGHTS * (box.height + before.height) / 2
        if before is not None and box.middle - before.middle < reach:
            lines[-1].append(box)
        else:
            lines.append([box])
        before = box
    return [sorted(line, key=attrgetter("left")) for line in lines]


def line_text(line: list[Box], corrected: bool, joint: str = "") -> str:
    """A line's text; `corrected` reads a line of mostly right-to-left text from its right end."""
    text = joint.join(box.text for box in line)
    if corrected and len(line) > 1 and is_right_to_left(text):
        return joint.join(box.text for box in sorted(line, key=lambda box: -box.rect[2]))
    return text


def union(boxes: list[Box]) -> Rect:
    left, top, right, bottom = zip(*(box.rect for box in boxes), strict=True)
    return min(left), min(top), max(right), max(bottom)


def overlap(a: Rect, b: Rect) -> float:
    """Intersection over union, 0 where the union has no area."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
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
    sides: tuple[list[Box], list[Box]] = ([], [])
    for box in boxes:
        centre = (box.rect[0] + box.rect[2]) / 2
        centred = top <= box.middle <= bottom and left <= centre <= right
        sides[not (centred or overlap(box.rect, region) > REGION_IOU)].append(box)
    return sides
