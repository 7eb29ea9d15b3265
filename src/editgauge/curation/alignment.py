"""Bringing a reference onto its input: by keypoints (SIFT, RANSAC: what an edit changed is
outvoted), settled by the grey values of what looks the same in both (enhanced correlation
coefficient, Evangelidis and Psarakis 2008); by grey values alone where keypoints are too few.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.images import Array, Mask
from editgauge.metrics.align import RATIO, sift_features

Matrix = npt.NDArray[np.float64]
LEAST_INLIERS, LEAST_SHARE, MOST_RESIDUAL = 12, 0.25, 1.0
"""Matches that agree on the transform, their share of all, and within how many pixels (root mean
square).
"""
LEAST_CORRELATION, LEAST_OVERLAP = 0.9, 0.5
_REACH = 2.0
"""Pixels within which a match agrees."""
_CHANGED = 12
"""Levels of 255 in which two pictures differ where one was edited, at least."""
_LEAST_SAME, _FURTHEST = 0.1, 5.0
"""Grey values settle a transform where so much of the frame looks the same, and where they move no
corner by more pixels.
"""


class Aligned(NamedTuple):
    """How a moving picture lies on a fixed one.

    `matrix`: shape (2, 3), (x, y) of the fixed picture = matrix @ (x, y, 1) of the moving one.
    `quality`, 0 to 1: for `method` ``sift`` the share of matches that agree, for ``ecc`` the
    correlation. `residual`: pixels, root mean square over the agreeing matches. `overlap`: the
    share of the fixed frame that is covered. `refused`: why it is not to be used; "" when it is.
    """

    matrix: Matrix
    method: str = "sift"
    quality: float = 0.0
    residual: float | None = None
    refused: str = ""
    overlap: float = 1.0

    def as_dict(self) -> dict[str, Any]:
        """For the record of a sample."""
        facts = {**self._asdict(), "matrix": self.matrix.round(8).tolist()}
        return {name: value for name, value in facts.items() if name != "refused"}


def align(fixed: Array, moving: Array) -> Aligned:
    """The transform that lays `moving` over `fixed`: ndarrays of shape (H, W, 3), uint8, RGB, each
    of its own size. The result says itself when it is refused.
    """
    by_points = _by_keypoints(fixed, moving)
    if by_points is not None and not by_points.refused:
        return by_points
    nothing = "the pictures have nothing in common that can be found again"
    return _by_values(fixed, moving) or by_points or Aligned(np.eye(2, 3), refused=nothing)


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


def _by_keypoints(fixed: Array, moving: Array) -> Aligned | None:
    """The transform that most matches agree on, settled; None where nothing fits."""
    one, other = sift_features(fixed), sift_features(moving)
    if len(one) < 2 or len(other) < 2:
        return None
    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(other.descriptors, one.descriptors, k=2)
    good = [(m.queryIdx, m.trainIdx) for m, far in pairs if m.distance < RATIO * far.distance]
    if len(good) < 4:
        return None
    chosen = np.array(good)
    source = other.points[chosen[:, 0]].astype(np.float64)
    target = one.points[chosen[:, 1]].astype(np.float64)
    cv2.setRNGSeed(1)  # the same pictures give the same transform
    matrix, inliers = cv2.estimateAffine2D(
        source, target, method=cv2.RANSAC, ransacReprojThreshold=_REACH, maxIters=5000,
        confidence=0.999,
    )  # fmt: skip
    if matrix is None or not np.isfinite(matrix).all() or inliers.sum() < 4:
        return None
    agreeing = inliers.ravel().astype(np.bool_)

    def residual(by: Matrix) -> float:
        moved = cv2.transform(source[agreeing][None], by)[0]
        return float(np.sqrt(((moved - target[agreeing]) ** 2).sum(axis=1).mean()))

    count, share, far = int(agreeing.sum()), float(agreeing.mean()), residual(matrix)
    if count < LEAST_INLIERS or share < LEAST_SHARE or far > MOST_RESIDUAL:
        refused = (
            f"{count} matches ({share:.0%}) agree within {far:.2f} px, wanted {LEAST_INLIERS} "
            f"({LEAST_SHARE:.0%}) or more within {MOST_RESIDUAL} px"
        )
        return Aligned(matrix, "sift", share, far, refused)
    settled = _settled(fixed, moving, matrix)
    return _checked(fixed, moving, Aligned(settled, "sift", share, residual(settled)))


def _settled(fixed: Array, moving: Array, matrix: Matrix) -> Matrix:
    """The transform that the grey values of what looks the same in both pictures give, beginning
    from that of the keypoints; the latter where they cannot say.
    """
    over, covered = laid_over(fixed, moving, matrix)
    blurred = [cv2.GaussianBlur(pixels, (5, 5), 0) for pixels in (fixed, over)]
    levels = cv2.absdiff(*blurred).max(axis=2)
    same = covered & (levels < max(_CHANGED, 3 * float(np.median(levels))))
    mask = cv2.erode(same.astype(np.uint8) * 255, np.ones((5, 5), np.uint8))
    refined = _correlated(_grey(fixed), _grey(moving), matrix, mask, steps=50, blur=3)
    if refined is None or (mask > 0).mean() < _LEAST_SAME:
        return matrix
    height, width = moving.shape[:2]
    corners = np.array([[[0, 0], [width, 0], [0, height], [width, height]]], dtype=np.float64)
    moved = cv2.transform(corners, refined[0]) - cv2.transform(corners, matrix)
    return refined[0] if np.hypot(*moved[0].T).max() <= _FURTHEST else matrix


def _by_values(fixed: Array, moving: Array) -> Aligned | None:
    """By grey values alone, from the shift that phase correlation finds."""
    one, other = _grey(fixed), _grey(moving)
    height, width = one.shape
    sized = [p.astype(np.float32) for p in (one, cv2.resize(other, (width, height)))]
    (x, y), _ = cv2.phaseCorrelate(sized[1], sized[0], cv2.createHanningWindow((width, height), 5))
    begin = np.array([[width / other.shape[1], 0.0, x], [0.0, height / other.shape[0], y]])
    everywhere = np.full(one.shape, 255, np.uint8)
    refined = _correlated(one, other, begin, everywhere, steps=300, blur=5)
    if refined is None:
        return None
    matrix, quality = refined
    refused = f"correlation {quality:.2f}, wanted {LEAST_CORRELATION} or more"
    if quality < LEAST_CORRELATION:
        return Aligned(matrix, "ecc", quality, refused=refused)
    return _checked(fixed, moving, Aligned(matrix, "ecc", quality))


def _correlated(
    fixed: Array, moving: Array, matrix: Matrix, mask: Array, *, steps: int, blur: int
) -> tuple[Matrix, float] | None:
    """The transform near `matrix` under which grey values correlate best where the mask is, and how
    well; None where it does not converge.
    """
    everywhere = np.full(moving.shape, 255, np.uint8)
    rule = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, steps, 1e-6)
    begin = cv2.invertAffineTransform(matrix).astype(np.float32)
    try:
        quality, ended = cv2.findTransformECCWithMask(
            fixed, moving, mask, everywhere, begin, cv2.MOTION_AFFINE, rule, blur
        )
    except cv2.error:
        return None
    if not np.isfinite(ended).all() or abs(np.linalg.det(ended[:, :2])) < 1e-6:
        return None
    inverse = cv2.invertAffineTransform(np.asarray(ended, dtype=np.float64))
    return np.asarray(inverse, dtype=np.float64), float(quality)


def _checked(fixed: Array, moving: Array, found: Aligned) -> Aligned:
    overlap, refused = float(laid_over(fixed, moving, found.matrix)[1].mean()), ""
    if overlap < LEAST_OVERLAP:
        refused = f"the pictures overlap by {overlap:.0%}, wanted {LEAST_OVERLAP:.0%} or more"
    elif np.linalg.det(found.matrix[:, :2]) <= 0:
        refused = "the transform mirrors the picture"
    return found._replace(overlap=overlap, refused=refused)


def _grey(pixels: Array) -> Array:
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))
