"""Bringing an edited picture back onto its input, the same every time: TextEditBench's recipe
(released scoring code): SIFT on grey, FLANN kd-trees from the input's descriptors to the output's,
Lowe's ratio test (IJCV 60(2), 2004), least-median-of-squares partial affine transform, linear warp
with a reflected border.

FLANN's random numbers are set to their initial state before each match: the result is that of a
fresh process. It also depends on OpenCV's version and kernels: record `provenance()` with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from editgauge.images import Array
from editgauge.metrics import Floats, Singles
from editgauge.metrics.native import settle_opencv

RATIO = 0.7
LEAST_MATCHES = 4
_KDTREE, _SEARCH = {"algorithm": 1, "trees": 5}, {"checks": 50}


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """SIFT features of one picture: points (N, 2), x and y in pixels, and descriptors (N, 128)."""

    points: Singles
    descriptors: Singles

    def __len__(self) -> int:
        return len(self.points)


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """A similarity transform, or the reason why there is none: (x, y) of the fixed picture = matrix
    (2, 3) @ (x, y, 1) of the moving one. `matches` passed the ratio test.
    """

    matrix: Floats | None
    matches: int
    reason: str = ""


def provenance() -> dict[str, str]:
    """What an alignment depends on besides the pictures: OpenCV's version, its linear algebra
    kernels, and the widest instructions that its SIFT uses on this processor.

    Keypoints are rounded otherwise with other instructions: after alignment the mean squared error
    of 9 in 318 pairs differed by up to 7 % with and without AVX and FMA, by the released code, too.
    """
    there = cv2.getCPUFeaturesLine().replace("*", "").split()  # those that lack end with "?"
    widest = next((one for one in ("AVX512-SKX", "AVX2", "SSE4.1") if one in there), "")
    return {"opencv": str(cv2.__version__), "blas": settle_opencv(), "instructions": widest}


def sift_features(picture: Array) -> Features:
    """SIFT keypoints and descriptors of a picture (H, W, 3), uint8, RGB, perhaps none. Needs about
    270 bytes of memory a pixel while it works.
    """
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    keypoints, descriptors = cv2.SIFT.create().detectAndCompute(grey, None)
    if descriptors is None or len(keypoints) == 0:
        return Features(np.empty((0, 2), np.float32), np.empty((0, 128), np.float32))
    points = np.asarray(cv2.KeyPoint.convert(keypoints), dtype=np.float32).reshape(-1, 2)
    return Features(points, np.asarray(descriptors, dtype=np.float32))


def estimate_alignment(fixed: Features, moving: Features) -> Alignment:
    """The transform that lays the picture of `moving` over that of `fixed`; the same features give
    the same transform to the last bit.
    """
    if len(fixed) == 0 or len(moving) < 2:
        numbers = f"{len(fixed)} and {len(moving)}"
        return Alignment(None, 0, f"too few SIFT features to match ({numbers})")
    settle_opencv()
    cv2.setRNGSeed(0)  # OpenCV turns it into the state that a thread starts with
    matcher = cv2.FlannBasedMatcher(_KDTREE, _SEARCH)
    try:
        pairs = matcher.knnMatch(fixed.descriptors, moving.descriptors, k=2)
    except cv2.error as error:
        return Alignment(None, 0, f"matching failed ({error.err})")
    if any(len(pair) != 2 for pair in pairs):
        return Alignment(None, 0, "matching gave fewer than two neighbours")
    near = [first for first, second in pairs if first.distance < RATIO * second.distance]
    good = [(match.queryIdx, match.trainIdx) for match in near]
    if len(good) < LEAST_MATCHES:
        return Alignment(None, len(good), f"{len(good)} matches, {LEAST_MATCHES} are needed")
    chosen = np.array(good)
    matrix, _ = cv2.estimateAffinePartial2D(
        moving.points[chosen[:, 1]].reshape(-1, 1, 2),
        fixed.points[chosen[:, 0]].reshape(-1, 1, 2),
        method=cv2.LMEDS,
    )
    if matrix is None or not np.isfinite(matrix).all():
        return Alignment(None, len(good), f"no similarity transform fits the {len(good)} matches")
    return Alignment(np.asarray(matrix, dtype=np.float64), len(good))


def warp(picture: Array, matrix: Floats, size: tuple[int, int]) -> Array:
    """`picture` laid over a frame of `size` = (width, height): linear interpolation, reflected
    border.

    `picture`: ndarray of shape (H, W, 3), uint8; returns the same of shape (height, width, 3).
    Raises `cv2.error` above OpenCV's limit of 32,767 pixels a side.
    """
    warped = cv2.warpAffine(
        picture, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    return np.asarray(warped, dtype=np.uint8)
