"""Structural similarity of 8-bit RGB pictures in the two definitions that the papers use.

========  ===================  ================  ===============================================
window    weights              variances         averaged over
========  ===================  ================  ===============================================
GAUSSIAN  11x11, sigma 1.5     population        every pixel, the border continued by reflection
UNIFORM   7x7, equal           sample (49/48)    windows that lie inside
========  ===================  ================  ===============================================

`GAUSSIAN` is torchmetrics' `StructuralSimilarityIndexMeasure` since 1.4.2, `UNIFORM` scikit-image's
`structural_similarity(..., channel_axis=-1)`; both with K1 = 0.01, K2 = 0.03, the range of 8 bits,
channels averaged. Z. Wang et al., IEEE TIP 13(4), 2004. Computed in strips of rows, which stay in
the processor's cache, in single precision where that suffices: equal to the libraries in double
precision to 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.images import Array, Mask
from editgauge.metrics.error import check_pair

Floats = npt.NDArray[Any]
STRIP_ROWS = 64
# both doubled: sums and differences carry twice the means and variances
_C1, _C2 = 2 * (0.01 * 255) ** 2, 2 * (0.03 * 255) ** 2
_SAMPLE = (slice(None, None, 7), slice(None, None, 11))
_DOUBT = 2e-6
"""The error of a strip's mean above which the strip is computed in double precision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One definition of SSIM. `reflected`: a value for every pixel, else only windows that lie
    inside; `rounding`: the relative error of `blur` in single precision, as measured on even
    grounds (OpenCV sums boxes in double).
    """

    name: str
    radius: int
    reflected: bool
    covariance_factor: float
    blur: Callable[[Floats], Floats]
    rounding: float

    @property
    def smallest(self) -> int:
        """The least height and width of a picture: the reflection, or one window, must fit."""
        return self.radius + 1 if self.reflected else 2 * self.radius + 1

    def map_size(self, shape: Sequence[int]) -> tuple[int, int]:
        """Height and width of a picture's map. Raises `ValueError` for one that is too small."""
        height, width = shape[:2]
        if min(height, width) < self.smallest:
            raise ValueError(
                f"{self.name} SSIM needs pictures of at least {self.smallest} x {self.smallest} "
                f"pixels, found {width} x {height}"
            )
        lost = 0 if self.reflected else 2 * self.radius
        return height - lost, width - lost


def _gaussian(pixels: Floats) -> Floats:
    blurred = cv2.GaussianBlur(pixels, (11, 11), 1.5, sigmaY=1.5, borderType=cv2.BORDER_REFLECT_101)
    return np.asarray(blurred)


def _uniform(pixels: Floats) -> Floats:
    return np.asarray(cv2.boxFilter(pixels, -1, (7, 7)))


GAUSSIAN = Window(
    name="gaussian", radius=5, reflected=True, covariance_factor=1.0, blur=_gaussian, rounding=2e-7
)
UNIFORM = Window(
    name="uniform", radius=3, reflected=False, covariance_factor=49 / 48, blur=_uniform,
    rounding=6e-8,
)  # fmt: skip


def ssim(first: Array, second: Array, window: Window) -> float:
    """Mean structural similarity of two pictures; higher is better, and 1 exactly when they are
    identical.

    `first`, `second`: ndarray of shape (H, W, 3), uint8, both sides at least `window.smallest`.
    Returns a float in [-1, 1]; symmetric to the last bit. Raises `ShapeMismatch` when the shapes
    differ, `ValueError` when they are not such pictures or too small.
    """
    return ssim_means(first, second, window, (None,))[0]


def ssim_means(
    first: Array, second: Array, window: Window, where: Sequence[Mask | None]
) -> list[float]:
    """Means of the map of `ssim` over several sets of windows, for the price of one.

    `where`: for each wanted mean None (all windows) or an ndarray of shape
    `window.map_size(shape)`, bool, True = the window belongs to the set (see `clear_windows`).
    Returns one float in [-1, 1] for each. Raises as `ssim` does, and `ValueError` for a set without
    windows.
    """
    check_pair(first, second)
    size = window.map_size(first.shape)
    sets = [np.ones(size, np.bool_) if chosen is None else chosen for chosen in where]
    if not all(chosen.any() for chosen in sets):
        raise ValueError("no window to average over: every window touches the masked area")
    totals = np.zeros(len(sets))
    for rows, strip in _strips(first, second, window):
        for index, chosen in enumerate(where):
            if chosen is None:
                totals[index] += sum(cv2.sumElems(strip)[:3])
            elif inside := int(np.count_nonzero(chosen[rows])):
                part = np.ascontiguousarray(chosen[rows], dtype=np.bool_).view(np.uint8)
                totals[index] += sum(cv2.mean(strip, part)[:3]) * inside
    counts = [int(np.count_nonzero(chosen)) for chosen in sets]
    means = (float(total) / (3 * count) for total, count in zip(totals, counts, strict=True))
    return [min(max(mean, -1.0), 1.0) for mean in means]


def clear_windows(mask: Mask, window: Window) -> Mask:
    """The windows that touch no masked pixel: ndarray of shape `window.map_size(shape)`, bool, for
    `ssim_means`.

    `mask`: ndarray of shape (H, W), bool, True = masked. May be all False; raises `ValueError` when
    the mask is smaller than a window.
    """
    window.map_size(mask.shape)
    side, radius = 2 * window.radius + 1, window.radius
    pixels = np.ascontiguousarray(mask, dtype=np.bool_).view(np.uint8)
    kernel = np.ones((side, side), np.uint8)
    border = {"borderType": cv2.BORDER_CONSTANT, "borderValue": (0, 0, 0, 0)}
    touched = cv2.dilate(pixels, kernel, **border)  # type: ignore[call-overload]
    if not window.reflected:
        touched = touched[radius:-radius, radius:-radius]
    return np.asarray(touched == 0, dtype=np.bool_)


def _strips(first: Array, second: Array, window: Window) -> Iterator[tuple[slice, Floats]]:
    """The map of checked pictures from top to bottom: (rows of the map, values)."""
    radius, (height, _) = window.radius, window.map_size(first.shape)
    for start in range(0, height, STRIP_ROWS):
        stop = min(start + STRIP_ROWS, height)
        top, bottom = start, stop + 2 * radius
        keep = (slice(radius, -radius), slice(radius, -radius))
        if window.reflected:  # as much of a halo as there is: only true borders are reflected
            top, bottom = max(start - radius, 0), stop + radius
            keep = (slice(start - top, stop - top), slice(None))
        pair = first[top:bottom], second[top:bottom]
        values, doubt = _similarity(*pair, window, keep, np.float32)
        if doubt > _DOUBT:
            values, _ = _similarity(*pair, window, keep, np.float64)
        yield slice(start, stop), np.asarray(values, dtype=np.float32)


def _similarity(
    first: Array,
    second: Array,
    window: Window,
    keep: tuple[slice, slice],
    precision: type[np.floating[Any]],
) -> tuple[Floats, float]:
    """SSIM from s = x + y and d = x - y, and a bound of what rounding may have done to its mean.

    With means m and variances v of s and d: 2 mx my = (ms² - md²)/2, mx² + my² = (ms² + md²)/2, and
    the same for the variances: four blurs instead of five, and where the pictures agree numerator
    and denominator are equal bit by bit. A variance is a small difference of large squares:
    subtracting an integer from all of s or d changes none, and the median makes an even ground 0,
    where nothing is rounded. What is left grows with the squared mean of d and shrinks with the
    variances: that is the bound.
    """
    depth = cv2.CV_32F if precision is np.float32 else cv2.CV_64F
    total = np.asarray(cv2.add(first, second, dtype=depth))
    difference = np.asarray(cv2.subtract(first, second, dtype=depth))
    ground_s, ground_d = _ground(total), _ground(difference)
    total -= ground_s
    difference -= ground_d
    mean_s, mean_d = window.blur(total)[keep], window.blur(difference)[keep]
    square = mean_d * mean_d
    factor = precision(window.covariance_factor)
    var_s = (window.blur(total * total)[keep] - mean_s * mean_s) * factor
    var_d = (window.blur(difference * difference)[keep] - square) * factor
    mean_s += ground_s[keep[1]]
    mean_d += ground_d[keep[1]]
    of_s, of_d = mean_s * mean_s + precision(_C1), mean_d * mean_d
    var_s += precision(_C2)
    values = (of_s - of_d) * (var_s - var_d)
    var_s += var_d
    of_s += of_d
    of_s *= var_s
    values /= of_s
    return values, window.rounding * float(np.mean(square[_SAMPLE] / var_s[_SAMPLE]))


def _ground(pixels: Floats) -> Floats:
    """Each channel's median, repeated for a row (innermost axes of 3 are slow): (w, 3). The
    sample's size is odd: negated pixels have the negated median, so `ssim` stays symmetric.
    """
    sample = pixels[_SAMPLE].reshape(-1, 3)
    sample = np.sort(sample[: len(sample) - 1 + len(sample) % 2], axis=0)
    row: Floats = np.tile(sample[len(sample) // 2], pixels.shape[1])
    return row.reshape(pixels.shape[1:])
