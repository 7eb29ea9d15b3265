"""Recognised text as boxes and lines: the geometry of TextEdit's OCR scores (`scores`: the rules of
`corrected`). A box is a plain tuple: any class would take a third of the scores' time.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, Final

from editgauge.metrics.text import is_right_to_left

LINE_PIXELS: Final = 10.0
LINE_HEIGHTS: Final = 0.5
REGION_IOU: Final = 0.5

Recognised = tuple[Sequence[Sequence[float]], str, float] | Sequence[Any]
"""(polygon, text, confidence): a tuple, a list as JSON gives it, or `editgauge.ocr.Text`."""
Rect = tuple[float, float, float, float]
"""Left, top, right, bottom."""
Box = tuple[float, float, float, float, float, str, int]
"""A recognised text with its axis-aligned box: left, top, right, bottom, vertical centre, text, and
its place in the list of the page."""
MIDDLE: Final = 4
TEXT: Final = 5
NUMBER: Final = 6
from_the_left = itemgetter(0)


def boxes_of(page: Sequence[Recognised]) -> list[Box]:
    """The axis-aligned boxes of a page, in its order."""
    boxes: list[Box] = []
    for number, item in enumerate(page):
        polygon, text = item[0], item[1]
        if not isinstance(text, str):
            raise TypeError(f"number {number}: wanted text, found {type(text).__name__}")
        across, down = [point[0] for point in polygon], [point[1] for point in polygon]
        across.sort()  # of four numbers faster than min() and max()
        down.sort()
        top, bottom = down[0], down[-1]
        boxes.append((across[0], top, across[-1], bottom, (top + bottom) / 2, text, number))
    return boxes


def lines_of(boxes: list[Box], corrected: bool) -> list[list[Box]]:
    """Boxes as lines, top down, each left to right; equal places keep the order of the page."""
    lines: list[list[Box]] = []
    middle, height, reach = float("-inf"), 0.0, LINE_PIXELS
    for box in sorted(boxes, key=itemgetter(MIDDLE)):
        if corrected:
            before, height = height, box[3] - box[1]
            reach = LINE_HEIGHTS * (height + before) / 2
        if box[MIDDLE] - middle < reach:
            lines[-1].append(box)
        else:
            lines.append([box])
        middle = box[MIDDLE]
    for line in lines:
        if len(line) > 1:
            line.sort(key=from_the_left)
    return lines


def line_text(line: list[Box], corrected: bool, joint: str = "") -> str:
    """A line's text; `corrected` reads a line of mostly right-to-left text from its right end."""
    if len(line) == 1:
        return line[0][TEXT]
    text = joint.join([box[TEXT] for box in line])
    if corrected and is_right_to_left(text):
        return joint.join([box[TEXT] for box in sorted(line, key=lambda box: -box[2])])
    return text


def union(boxes: list[Box]) -> Rect:
    left, top, right, bottom, *_ = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def overlap(box: Box, rect: Rect) -> float:
    """Intersection over union, 0 where the union has no area."""
    left, top, right, bottom = rect
    width = (box[2] if box[2] < right else right) - (box[0] if box[0] > left else left)
    height = (box[3] if box[3] < bottom else bottom) - (box[1] if box[1] > top else top)
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    union = (box[2] - box[0]) * (box[3] - box[1]) + (right - left) * (bottom - top) - shared
    return shared / union if union > 0 else 0.0


def split(boxes: list[Box], region: Rect) -> tuple[list[Box], list[Box]]:
    """The output's boxes inside the region (IoU > 0.5, or centre in it, borders too), the rest."""
    left, top, right, bottom = region
    inside: list[Box] = []
    outside: list[Box] = []
    for box in boxes:
        centred = top <= box[MIDDLE] <= bottom and left <= (box[0] + box[2]) / 2 <= right
        if centred or overlap(box, region) > REGION_IOU:
            inside.append(box)
        else:
            outside.append(box)
    return inside, outside
