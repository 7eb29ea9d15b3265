"""Bringing a reference onto its input: by keypoints (`metrics.align`), else by phase correlation,
settled by the grey values of what looks the same in both (ECC, Evangelidis and Psarakis 2008).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.images import Array, Mask
from editgauge.metrics.align import estimate_alignment, sift_features

Matrix = npt.NDArray[np.float64]
LEAST_MATCHES, LEAST_CORRELATION, LEAST_OVERLAP = 12, 0.9, 0.5
_CHANGED = 12
"""Levels of 255 in which two pictures differ where one was edited, at least."""
_NOTHING = "the pictures have nothing in common that can be found again"


class Aligned(NamedTuple):
    """How a moving picture lies on a fixed one: (x, y) of that = `matrix` (2, 3) @ (x, y, 1) of the
    moving. `method`: ``sift`` or ``phase``, where it began. `quality`, 0 to 1: the correlation
    of what looks the same. `overlap`: the share of the frame that is covered. `refused`: why not.
    """

    matrix: Matrix
    method: str = "sift"
    quality: float = 0.0
    overlap: float = 0.0
    refused: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For the record of a sample."""
        matrix, method, quality, overlap, _ = self
        return {"matrix": matrix.round(8).tolist(), "method": method, "quality": quality,
                "overlap": overlap}  # fmt: skip


def align(fixed: Array, moving: Array) -> Aligned:
    """The transform that lays `moving` over `fixed`: ndarrays of shape (H, W, 3), uint8, RGB, each
    of its own size. The result says itself when it is refused.
    """
    points = estimate_alignment(sift_features(fixed), sift_features(moving))
    if points.matrix is not None and points.matches >= LEAST_MATCHES:
        by_points = _settled(fixed, moving, points.matrix, "sift")
        if not by_points.refused:
            return by_points
    everywhere = np.full(fixed.shape[:2], 255, np.uint8)
    found = _correlated(fixed, moving, _shift(_grey(fixed), _grey(moving)), everywhere, blur=5)
    if found is None or found[1] < LEAST_CORRELATION:
        return Aligned(np.eye(2, 3), "phase", refused=_NOTHING)
    return _settled(fixed, moving, found[0], "phase")


def laid_over(fixed: Array, moving: Array, matrix: Matrix) -> tuple[Array, Mask]:
    """The moving picture in the frame of the fixed one, and where it has pixels: arrays of shape
    (H, W, 3), uint8, and (H, W), bool. Where it has none the fixed picture's pixels stand.
    """
    size = (fixed.shape[1], fixed.shape[0])
    warped = cv2.warpAffine(
        moving, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    covered = cv2.warpAffine(np.full(moving.shape[:2], 255, np.uint8), matrix, size) == 255
    return np.where(covered[:, :, None], warped, fixed).astype(np.uint8), np.asarray(covered)


def _shift(fixed: Array, moving: Array) -> Matrix:
    """The shift that phase correlation of the grey values finds."""
    height, width = fixed.shape
    one, other = (p.astype(np.float32) for p in (cv2.resize(moving, (width, height)), fixed))
    window = cv2.createHanningWindow((width, height), cv2.CV_32F)
    (x, y), _ = cv2.phaseCorrelate(one, other, window)
    return np.array([[width / moving.shape[1], 0.0, x], [0.0, height / moving.shape[0], y]])


def _settled(fixed: Array, moving: Array, matrix: Matrix, method: str) -> Aligned:
    """The transform near `matrix` under which what looks the same in both correlates best."""
    over, covered = laid_over(fixed, moving, matrix)
    blurred = [cv2.GaussianBlur(pixels, (5, 5), 0) for pixels in (fixed, over)]
    levels = cv2.absdiff(*blurred).max(axis=2)
    same = covered & (levels < max(_CHANGED, 3 * float(np.median(levels))))
    mask = np.asarray(cv2.erode(same.astype(np.uint8) * 255, np.ones((5, 5), np.uint8)))
    found = _correlated(fixed, moving, matrix, mask, blur=3) if mask.any() else None
    if found is None:
        return Aligned(matrix, method, refused=_NOTHING)
    settled, quality = found
    overlap, refused = float(laid_over(fixed, moving, settled)[1].mean()), ""
    if not quality >= LEAST_CORRELATION:
        refused = f"correlation {quality:.2f}, wanted {LEAST_CORRELATION} or more"
    elif overlap < LEAST_OVERLAP:
        refused = f"the pictures overlap by {overlap:.0%}, wanted {LEAST_OVERLAP:.0%} or more"
    return Aligned(settled, method, quality, overlap, refused)


def _correlated(
    fixed: Array, moving: Array, matrix: Matrix, mask: Array, *, blur: int
) -> tuple[Matrix, float] | None:
    """The affine transform near `matrix` that correlates best, and how well; None for none."""
    everywhere = np.full(moving.shape[:2], 255, np.uint8)
    rule = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 300, 1e-6)
    begin = cv2.invertAffineTransform(matrix).astype(np.float32)
    try:
        quality, ended = cv2.findTransformECCWithMask(
            _grey(fixed), _grey(moving), mask, everywhere, begin, cv2.MOTION_AFFINE, rule, blur
        )
        return np.asarray(cv2.invertAffineTransform(ended.astype(np.float64))), float(quality)
    except cv2.error:
        return None


def _grey(pixels: Array) -> Array:
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))
