"""Bringing a reference onto its input: the transform, how sure it is, and the picture it gives.

Keypoints (SIFT) that both pictures have are matched; the transform is the one that most of them
agree on (RANSAC), fitted again to all that do. What an edit changed has no partner and is outvoted.
An affine transform or a homography is then settled by the grey values of all that looks the same in
both pictures (enhanced correlation coefficient, Evangelidis and Psarakis 2008): keypoints are sure
of the place and a little unsure of the fraction of a pixel. Pictures with too little detail for
keypoints are aligned by their grey values alone. A transform that is not sure is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.errors import UsageError
from editgauge.images import Array, Mask
from editgauge.metrics.align import RATIO, Features, sift_features

Matrix = npt.NDArray[np.float64]
MODELS: tuple[str, ...] = ("similarity", "affine", "homography")
LEAST_INLIERS = 12
LEAST_SHARE = 0.25
"""Of the matches, those that agree on the transform."""
MOST_RESIDUAL = 1.0
"""Pixels: the root mean square distance of the agreeing matches."""
LEAST_CORRELATION = 0.9
LEAST_OVERLAP = 0.5
_REACH = 2.0
"""Pixels within which a match agrees."""
_LEVELS = 4
_CHANGED = 12
"""Levels of 255 in which two pictures differ where one was edited, at least."""
_LEAST_SAME = 0.1
"""Of the frame: what must look the same for its grey values to settle a transform."""
_FURTHEST = 5.0
"""Pixels by which grey values may move a corner from where keypoints put it."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Aligned:
    """How a moving picture lies on a fixed one."""

    matrix: Matrix
    """Shape (3, 3): (x, y, 1) of the fixed picture, up to a factor, from that of the moving one."""
    method: str
    """``sift`` or ``ecc``."""
    quality: float
    """0 to 1: for ``sift`` the share of matches that agree, for ``ecc`` the correlation."""
    residual: float | None
    """Pixels, root mean square over the agreeing matches; None for ``ecc``."""
    overlap: float
    """The share of the fixed frame that the moving picture covers."""
    refused: str = ""
    """Why it is not good enough to be used; empty when it is."""

    def as_dict(self) -> dict[str, Any]:
        """For the record of a sample."""
        return {
            "method": self.method,
            "quality": round(self.quality, 4),
            "residual": None if self.residual is None else round(self.residual, 3),
            "overlap": round(self.overlap, 4),
            "matrix": [[round(float(x), 8) for x in row] for row in self.matrix],
        }


def align(fixed: Array, moving: Array, model: str = "affine") -> Aligned:
    """The transform that lays `moving` over `fixed`: ndarrays of shape (H, W, 3), uint8, RGB, each
    of its own size.

    `model` is one of `MODELS`. The result says itself when it is refused. Raises `UsageError` for
    another model.
    """
    if model not in MODELS:
        raise UsageError(f"--align {model!r}: wanted one of {', '.join(MODELS)}, or none")
    size = (fixed.shape[1], fixed.shape[0])
    found = _by_features(sift_features(fixed), sift_features(moving), model)
    if found is not None:
        matrix = _settled(fixed, moving, found.matrix, model)
        overlap = _overlap(matrix, moving, size)
        refused = _why(found, overlap)
        made = Aligned(
            matrix=matrix, method="sift", quality=found.share, residual=found.residual(matrix),
            overlap=overlap, refused=refused,
        )  # fmt: skip
        if not refused:
            return made
    by_values = _by_values(fixed, moving, model)
    if by_values is None:
        if found is not None:
            return made
        return Aligned(
            matrix=np.eye(3), method="sift", quality=0.0, residual=None, overlap=1.0,
            refused="the pictures have nothing in common that can be found again",
        )  # fmt: skip
    matrix, correlation = by_values
    overlap = _overlap(matrix, moving, size)
    refused = _shape_fault(matrix, overlap)
    if correlation < LEAST_CORRELATION:
        refused = f"correlation {correlation:.2f}, wanted {LEAST_CORRELATION} or more"
    return Aligned(
        matrix=matrix, method="ecc", quality=correlation, residual=None, overlap=overlap,
        refused=refused,
    )  # fmt: skip


def laid_over(fixed: Array, moving: Array, aligned: Aligned) -> tuple[Array, Mask]:
    """The moving picture in the frame of the fixed one, and where it has pixels.

    Where it has none (the frame's border) the fixed picture's pixels stand: an edit is not known
    there. Returns arrays of shape (H, W, 3), uint8, and (H, W), bool.
    """
    return _warped(fixed, moving, aligned.matrix)


def _warped(fixed: Array, moving: Array, matrix: Matrix) -> tuple[Array, Mask]:
    size = (fixed.shape[1], fixed.shape[0])
    warped = cv2.warpPerspective(
        moving, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    covered = _covered(matrix, moving, size)
    return np.where(covered[:, :, None], warped, fixed).astype(np.uint8), covered


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """What the keypoints say."""

    matrix: Matrix
    share: float
    """Of the matches, those that agree."""
    source: Matrix
    """Shape (N, 2): the agreeing matches in the moving picture."""
    target: Matrix
    """Shape (N, 2): the same in the fixed one."""

    def residual(self, matrix: Matrix) -> float:
        """Root mean square distance of the agreeing matches under a transform, in pixels."""
        moved = cv2.perspectiveTransform(self.source[None], matrix)[0]
        return float(np.sqrt(((moved - self.target) ** 2).sum(axis=1).mean()))


def _by_features(fixed: Features, moving: Features, model: str) -> _Fit | None:
    """The transform that most matches agree on; None where nothing fits."""
    if len(fixed) < 2 or len(moving) < 2:
        return None
    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(moving.descriptors, fixed.descriptors, k=2)
    good = [
        (near.queryIdx, near.trainIdx)
        for near, far in pairs
        if near.distance < RATIO * far.distance
    ]
    if len(good) < 4:
        return None
    chosen = np.array(good)
    source = moving.points[chosen[:, 0]].astype(np.float64)
    target = fixed.points[chosen[:, 1]].astype(np.float64)
    cv2.setRNGSeed(1)  # the same pictures give the same transform
    matrix, agreeing = _fitted(source, target, model)
    if matrix is None or not np.isfinite(matrix).all() or agreeing.sum() < 4:
        return None
    return _Fit(
        np.asarray(matrix, dtype=np.float64),
        float(agreeing.mean()),
        source[agreeing],
        target[agreeing],
    )


def _settled(fixed: Array, moving: Array, matrix: Matrix, model: str) -> Matrix:
    """The transform that the grey values of what looks the same in both pictures give, beginning
    from that of the keypoints; the latter where they cannot say.
    """
    if model == "similarity" or abs(np.linalg.det(matrix)) < 1e-6:
        return matrix  # the coefficient has no motion with a scale and without shear
    over, covered = _warped(fixed, moving, matrix)
    blurred = [cv2.GaussianBlur(pixels, (5, 5), 0) for pixels in (fixed, over)]
    levels = cv2.absdiff(*blurred).max(axis=2)
    same = covered & (levels < max(_CHANGED, 3 * float(np.median(levels))))
    mask = cv2.erode(same.astype(np.uint8) * 255, np.ones((5, 5), np.uint8))
    if (mask > 0).mean() < _LEAST_SAME:
        return matrix
    greys = [cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY) for pixels in (fixed, moving)]
    rows = 3 if model == "homography" else 2
    motion = cv2.MOTION_HOMOGRAPHY if rows == 3 else cv2.MOTION_AFFINE
    backward = np.linalg.inv(matrix)
    begin = (backward / backward[2, 2])[:rows].astype(np.float32)
    everywhere = np.full(greys[1].shape, 255, np.uint8)
    rule = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 50, 1e-6)
    try:
        _, ended = cv2.findTransformECCWithMask(
            greys[0], greys[1], mask, everywhere, begin, motion, rule, 3
        )
    except cv2.error:  # it does not converge
        return matrix
    whole = np.eye(3)
    whole[:rows] = ended
    if not np.isfinite(whole).all() or abs(np.linalg.det(whole)) < 1e-6:
        return matrix
    made = np.asarray(np.linalg.inv(whole), dtype=np.float64)
    height, width = moving.shape[:2]
    corners = np.array([[[0, 0], [width, 0], [0, height], [width, height]]], dtype=np.float64)
    one, other = (cv2.perspectiveTransform(corners, each)[0] for each in (matrix, made))
    return made if np.hypot(*(one - other).T).max() <= _FURTHEST else matrix


def _fitted(source: Matrix, target: Matrix, model: str) -> tuple[Matrix | None, Mask]:
    if model == "homography":
        matrix, inliers = cv2.findHomography(source, target, cv2.RANSAC, _REACH)
    else:
        fit = cv2.estimateAffine2D if model == "affine" else cv2.estimateAffinePartial2D
        matrix, inliers = fit(
            source, target, method=cv2.RANSAC, ransacReprojThreshold=_REACH, maxIters=5000,
            confidence=0.999,
        )  # fmt: skip
    if matrix is None:
        return None, np.zeros(len(source), dtype=np.bool_)
    whole = np.eye(3)
    whole[: matrix.shape[0]] = matrix
    return whole, inliers.ravel().astype(np.bool_)


def _by_values(fixed: Array, moving: Array, model: str) -> tuple[Matrix, float] | None:
    """Matrix and correlation, from coarse to fine; None where it does not converge."""
    motion = cv2.MOTION_EUCLIDEAN if model == "similarity" else cv2.MOTION_AFFINE
    greys = [cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY) for pixels in (fixed, moving)]
    scales = [greys]
    while len(scales) < _LEVELS and min(min(grey.shape) for grey in scales[-1]) > 64:
        scales.append([cv2.pyrDown(grey) for grey in scales[-1]])
    backward = np.eye(2, 3, dtype=np.float32)  # from the fixed frame to the moving one
    correlation = 0.0
    rule = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 200, 1e-6)
    for one, other in reversed(scales):
        backward[:, 2] *= 2.0 if one is not scales[-1][0] else 1.0
        try:
            correlation, backward = cv2.findTransformECC(
                one, other, backward, motion, rule, None, 5
            )
        except cv2.error:
            return None
    whole = np.eye(3)
    whole[:2] = backward
    if abs(np.linalg.det(whole)) < 1e-6:
        return None
    return np.asarray(np.linalg.inv(whole), dtype=np.float64), float(correlation)


def _why(found: _Fit, overlap: float) -> str:
    inliers, residual = len(found.source), found.residual(found.matrix)
    if inliers < LEAST_INLIERS:
        return f"{inliers} matches agree, wanted {LEAST_INLIERS} or more"
    if found.share < LEAST_SHARE:
        return f"{found.share:.0%} of the matches agree, wanted {LEAST_SHARE:.0%} or more"
    if residual > MOST_RESIDUAL:
        return f"the matches agree within {residual:.2f} px only, wanted {MOST_RESIDUAL} px"
    return _shape_fault(found.matrix, overlap)


def _shape_fault(matrix: Matrix, overlap: float) -> str:
    if overlap < LEAST_OVERLAP:
        return f"the pictures overlap by {overlap:.0%}, wanted {LEAST_OVERLAP:.0%} or more"
    if np.linalg.det(matrix[:2, :2]) <= 0:
        return "the transform mirrors the picture"
    return ""


def _covered(matrix: Matrix, moving: Array, size: tuple[int, int]) -> Mask:
    there = np.full(moving.shape[:2], 255, np.uint8)
    return np.asarray(cv2.warpPerspective(there, matrix, size, flags=cv2.INTER_LINEAR) == 255)


def _overlap(matrix: Matrix, moving: Array, size: tuple[int, int]) -> float:
    return float(_covered(matrix, moving, size).mean())
