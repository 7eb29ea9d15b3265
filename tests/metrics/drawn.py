"""Pictures for metric tests, from integer arithmetic alone: the same on every machine and with
every version.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.uint8]


def scene(width: int, height: int, shift: int = 0) -> Array:
    """A picture with gradients, edges and texture: ndarray of shape (height, width, 3), uint8."""
    y, x = np.mgrid[0:height, 0:width].astype(np.int64)
    x = x + shift
    red = (x * 5 + y * 3) % 256
    green = ((x // 9 + y // 7) % 2) * 160 + (x * y) % 61
    blue = (x * x // 17 + y * y // 23) % 256
    return np.stack([red, green, blue], axis=2).astype(np.uint8)


def page(width: int, height: int) -> Array:
    """Black marks on white: large even areas, where rounding errors would add up."""
    picture = np.full((height, width, 3), 255, np.uint8)
    for row in range(6, height - 8, 14):
        for column in range(5 + row % 11, width - 7, 12):
            picture[row : row + 7, column : column + 2 + (row * column) % 5] = (
                row * 3 + column
            ) % 60
    return picture


def noisy(picture: Array, amount: int) -> Array:
    """The picture with a fixed pattern of at most `amount` levels added or taken away."""
    steps = np.arange(picture.size, dtype=np.int64).reshape(picture.shape)
    pattern = (steps * steps * 7919 + steps * 104729) % (2 * amount + 1) - amount
    return np.clip(picture.astype(np.int64) + pattern, 0, 255).astype(np.uint8)


def blocks(width: int, height: int, seed: int = 0) -> Array:
    """Overlapping rectangles of many sizes and colours: plenty of corners for SIFT."""
    picture = np.full((height, width, 3), 128, np.uint8)
    state = 12345 + seed
    for _ in range(width * height // 250):
        numbers = []
        for _ in range(7):
            state = (state * 1103515245 + 12345) % 2**31
            numbers.append(state >> 8)
        left, top = numbers[0] % width, numbers[1] % height
        right, bottom = left + 3 + numbers[2] % 24, top + 3 + numbers[3] % 24
        picture[top:bottom, left:right] = (numbers[4] % 256, numbers[5] % 256, numbers[6] % 256)
    return picture
