"""Large pictures: nothing is lost at a tile's border, nothing is found twice."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from editgauge.images import Array
from editgauge.ocr.engine import Text, box_of
from editgauge.ocr.tiles import read_large


class Printed:
    """An engine that reads what was printed: rectangles whose colour is the number of their text.

    Like a real one it shrinks pictures with a side over `limit`, does not see what is then below
    `least` px high, and reads of a text that the border cuts only the part that it sees.
    """

    def __init__(self, limit: int, least: int) -> None:
        self.limit, self.least = limit, least
        self.sizes: list[tuple[int, int]] = []

    def __call__(self, image: Array) -> list[Text]:
        height, width = image.shape[:2]
        self.sizes.append((width, height))
        scale = min(1.0, self.limit / max(height, width))
        texts = []
        for number in np.unique(image[..., 0])[1:]:
            ys, xs = np.nonzero(image[..., 0] == number)
            left, top, right, bottom = (
                float(xs.min()),
                float(ys.min()),
                float(xs.max() + 1),
                float(ys.max() + 1),
            )
            if (bottom - top) * scale >= self.least:
                corners = ((left, top), (right, top), (right, bottom), (left, bottom))
                texts.append(Text(corners, f"{number}: {right - left:.0f}", 0.9))
        return texts


def printed(size: tuple[int, int], boxes: list[tuple[int, int, int, int]]) -> Array:
    image = np.zeros((size[1], size[0], 3), np.uint8)
    for number, (left, top, right, bottom) in enumerate(boxes, start=1):
        image[top:bottom, left:right] = number
    return image


def test_small_print_is_found_once_and_whole() -> None:
    boxes = [
        (50, 50, 250, 64),  # small, in the first tile
        (780, 300, 880, 314),  # small, across a border, whole in the next tile
        (700, 500, 820, 514),  # small, in the overlap: two tiles see it
        (100, 900, 2900, 960),  # a long line that no tile holds
        (200, 1200, 2500, 1900),  # letters larger than a tile
    ]
    image = printed((3000, 2000), boxes)
    texts = read_large(image, Printed(1000, 12), limit=1000, side=800, overlap=160)
    assert sorted(box_of(text) for text in texts) == sorted(tuple(map(float, box)) for box in boxes)
    lost = Printed(1000, 12)(image)
    assert len(lost) == 2  # without tiles the small print is gone


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 2300), st.integers(0, 14), st.integers(5, 500)),
        min_size=1,
        max_size=8,
    )
)
def test_lines_anywhere_are_found_exactly_once(lines: list[tuple[int, int, int]]) -> None:
    rows: dict[int, tuple[int, int, int, int]] = {}
    for left, row, width in lines:
        rows[row] = (left, row * 100 + 20, left + width, row * 100 + 60)
    boxes = list(rows.values())
    texts = read_large(
        printed((2900, 1500), boxes), Printed(1000, 8), limit=1000, side=800, overlap=160
    )
    assert sorted(box_of(text) for text in texts) == sorted(tuple(map(float, box)) for box in boxes)
