"""Bringing a reference onto its input: the transform, how sure it is, and the picture it gives.

Keypoints (SIFT) that both pictures have are matched; the transform is the one that most of them
agree on (RANSAC), fitted again to all that do. What an edit changed has no partner and is outvoted.
Pictures with too little detail for that are aligned by their grey values (enhanced correlation
coefficient, Evangelidis and Psarakis 2008). A transform that is not sure is refused.
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
        matrix, share, inliers, residual = found
        overlap = _overlap(matrix, moving, size)
        refused = _why(share, inliers, residual, overlap, matrix)
        made = Aligned(
            matrix=matrix, method="sift", quality=share, residual=residual, overlap=overlap,
            refused=refused,
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
    size = (fixed.shape[1], fixed.shape[0])
    warped = cv2.warpPerspective(
        moving, aligned.matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    covered = _covered(aligned.matrix, moving, size)
    return np.where(covered[:, :, None], warped, fixed).astype(np.uint8), covered


def _by_features(
    fixed: Features, moving: Features, model: str
) -> tuple[Matrix, float, int, float] | None:
    """Matrix, share of agreeing matches, their number, their residual; None where nothing fits."""
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
    moved = cv2.perspectiveTransform(source[agreeing][None], matrix)[0]
    residual = float(np.sqrt(((moved - target[agreeing]) ** 2).sum(axis=1).mean()))
    return (
        np.asarray(matrix, dtype=np.float64),
        float(agreeing.mean()),
        int(agreeing.sum()),
        residual,
    )


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


def _why(share: float, inliers: int, residual: float, overlap: float, matrix: Matrix) -> str:
    if inliers < LEAST_INLIERS:
        return f"{inliers} matches agree, wanted {LEAST_INLIERS} or more"
    if share < LEAST_SHARE:
        return f"{share:.0%} of the matches agree, wanted {LEAST_SHARE:.0%} or more"
    if residual > MOST_RESIDUAL:
        return f"the matches agree within {residual:.2f} px only, wanted {MOST_RESIDUAL} px"
    return _shape_fault(matrix, overlap)


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
