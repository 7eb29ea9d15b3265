"""Does a picture differ from another one outside a mask, by more than JPEG can account for?"""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np

from editgauge.images import Array, Mask
from editgauge.metrics import Singles

BLOCK: Final = 16
TOLERANCE: Final = 6.0
"""Levels (of 255) by which the mean of a block of 16 x 16 pixels, none of them masked, must differ.

Why that forgives JPEG and nothing else: a block's mean is its DC coefficient, which JPEG rounds to
a step. With the standard tables at quality 50 the steps are 16 (luma) and 17 (chroma), a mean is an
eighth of its coefficient, so one encoding moves a mean by at most 16 / 2 / 8 = 1.0 in luma and 1.1
in chroma, thus 1.0 + 1.772 * 1.1 = 2.9 levels in RGB; twice that where both pictures are encoded.
16 pixels are the unit in which 4:2:0 keeps chroma. Blocks that touch the mask are left out: JPEG
spreads an edit over the blocks it lies in. In the samples of TextEditBench at hand 20 of 24
references stay below 2 levels and the other four are above 6.
"""


class Difference(NamedTuple):
    """How many of the blocks outside a mask differ, and by how many levels the worst one does."""

    over: int
    blocks: int
    worst: float

    def __str__(self) -> str:
        return (
            f"{self.over:,} of {self.blocks:,} blocks outside the mask differ, by up to "
            f"{self.worst:.0f} of 255 levels"
        )


def outside_difference(image: Array, other: Array, mask: Mask) -> Difference | None:
    """How a picture differs from another one of its size outside a mask; None where it does not
    (see `TOLERANCE`).

    `image`, `other`: ndarrays of shape (H, W, 3), uint8; `mask`: shape (H, W), bool, True = may
    differ. Raises `ValueError` where the shapes do not fit.
    """
    if image.shape != other.shape or mask.shape != image.shape[:2]:
        found = f"{image.shape}, {other.shape} and {mask.shape}"
        raise ValueError(f"pictures of one size and their mask are needed, found {found}")
    touched = _block_means(mask.astype(np.uint8)) > 0
    differences = np.abs(_block_means(image) - _block_means(other)).max(axis=2)[~touched]
    over = int((differences > TOLERANCE).sum())
    return Difference(over, int(differences.size), float(differences.max())) if over else None


def _block_means(pixels: Array) -> Singles:
    """The mean of each block; the last row and column are repeated to fill the last blocks."""
    rest = (-pixels.shape[0] % BLOCK, -pixels.shape[1] % BLOCK)
    padded = cv2.copyMakeBorder(pixels, 0, rest[0], 0, rest[1], cv2.BORDER_REPLICATE)
    size = (padded.shape[1] // BLOCK, padded.shape[0] // BLOCK)
    # INTER_AREA by a whole factor is the mean
    return np.asarray(cv2.resize(padded.astype(np.float32), size, interpolation=cv2.INTER_AREA))
