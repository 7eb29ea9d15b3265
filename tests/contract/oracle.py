"""The pixel metrics written down plainly from the protocols, in double precision and without any
regard to speed: NumPy, and OpenCV for the alignment that is defined by its functions.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

Array = np.ndarray[Any, Any]


def ssim_map(one: Array, two: Array, *, gaussian: bool) -> Array:
    """SSIM of every window, a channel a plane. `gaussian`: 11 x 11, sigma 1.5, the border continued
    by reflection (torchmetrics since 1.4.2); else 7 x 7, even, sample variances, windows that lie
    inside (scikit-image).
    """
    side = 11 if gaussian else 7
    if gaussian:
        line = np.exp(-((np.arange(side) - side // 2) ** 2) / (2 * 1.5**2))
        weights, factor = np.outer(line, line) / line.sum() ** 2, 1.0
    else:
        weights, factor = np.full((side, side), 1 / side**2), side**2 / (side**2 - 1)

    def mean(plane: Array) -> Array:
        if gaussian:
            edge = side // 2
            plane = np.pad(plane, ((edge, edge), (edge, edge), (0, 0)), mode="reflect")
        windows = sliding_window_view(plane, (side, side), axis=(0, 1))
        return np.einsum("hwcij,ij->hwc", windows, weights)

    a, b = one.astype(float), two.astype(float)
    ma, mb = mean(a), mean(b)
    va, vb = factor * (mean(a * a) - ma * ma), factor * (mean(b * b) - mb * mb)
    cov = factor * (mean(a * b) - ma * mb)
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    return ((2 * ma * mb + c1) * (2 * cov + c2)) / ((ma**2 + mb**2 + c1) * (va + vb + c2))


def clear(area: Array, *, gaussian: bool) -> Array:
    """Which windows touch no pixel of `area` (True: masked)."""
    side = 11 if gaussian else 7
    if gaussian:
        area = np.pad(area, side // 2, mode="reflect")
    return ~sliding_window_view(area, (side, side)).any(axis=(2, 3))


def black_ssim(one: Array, two: Array, area: Array) -> float:
    """TextEditBench's SSIM, faithful: the masked area black in both, the whole frame averaged."""
    one, two = one.copy(), two.copy()
    one[area] = two[area] = 0
    return float(ssim_map(one, two, gaussian=True).mean())


def clear_ssim(one: Array, two: Array, area: Array, *, gaussian: bool) -> float:
    """SSIM, corrected: averaged over the windows that touch no masked pixel."""
    found = ssim_map(one, two, gaussian=gaussian)
    return float(found[clear(area, gaussian=gaussian)].mean())


def darkened_ssim(one: Array, two: Array, grey: Array) -> float:
    """MedEBench's contextual preservation, faithful: both times (1 - mask), cut to whole levels."""

    def dark(pixels: Array) -> Array:
        left = np.float32(1) - grey.astype(np.float32)[..., None] / np.float32(255)
        return (pixels.astype(np.float32) / np.float32(255) * left * np.float32(255)).astype(
            np.uint8
        )

    return float(ssim_map(dark(one), dark(two), gaussian=False).mean())


def squared_error(one: Array, two: Array) -> float:
    return float(((one.astype(float) - two.astype(float)) ** 2).mean())


def psnr(error: float) -> float:
    return float(10 * np.log10(255**2 / error))


def aligned_error(picture: Array, output: Array, area: Array) -> float:
    """TextEditBench's MSE: the output laid over the input by SIFT matches, outside the area. OpenCV's
    random numbers are those of a fresh process.
    """
    cv2.setRNGSeed(0)
    sift = cv2.SIFT.create()
    (near, first), (far, second) = (
        sift.detectAndCompute(cv2.cvtColor(one, cv2.COLOR_RGB2GRAY), None)
        for one in (picture, output)
    )
    matcher = cv2.FlannBasedMatcher({"algorithm": 1, "trees": 5}, {"checks": 50})
    pairs = matcher.knnMatch(first, second, k=2)
    good = [a for a, b in pairs if a.distance < 0.7 * b.distance]
    assert len(good) >= 4
    fixed = np.float32([near[match.queryIdx].pt for match in good]).reshape(-1, 1, 2)
    moving = np.float32([far[match.trainIdx].pt for match in good]).reshape(-1, 1, 2)
    matrix, _ = cv2.estimateAffinePartial2D(moving, fixed, method=cv2.LMEDS)
    size = (picture.shape[1], picture.shape[0])
    laid = cv2.warpAffine(
        output, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    return squared_error(picture[~area], laid[~area])
