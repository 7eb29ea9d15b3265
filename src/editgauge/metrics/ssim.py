"""Structural similarity of 8-bit RGB pictures in the two definitions that the papers use.

=========  ==========================================  ==============================  ==========================
window     weights                                     variances                       averaged over
=========  ==========================================  ==============================  ==========================
GAUSSIAN   11x11, sigma 1.5                            population                      every pixel, the border
                                                                                       continued by
                                                                                       reflection
UNIFORM    7x7, equal                                  sample (49/48)                  windows that lie inside
=========  ==========================================  ==============================  ==========================

`GAUSSIAN` is torchmetrics' `StructuralSimilarityIndexMeasure` since 1.4.2 (earlier versions left
the border out), `UNIFORM` is scikit-image's `structural_similarity(..., channel_axis=-1)`. Both
with K1 = 0.01, K2 = 0.03 and the range of 8 bits; channels are averaged. Z. Wang et al., "Image
quality assessment: from error visibility to structural similarity", IEEE TIP 13(4), 2004.

Everything is computed in strips of rows, so that memory does not grow with the picture and the
intermediate arrays stay in the processor's cache, from the sum and the difference of the two
pictures: that takes four blurs instead of five, and where the pictures agree numerator and
denominator are equal bit by bit, so rounding costs nothing there. Values agree with the libraries
in double precision to 1e-6 (tests/metrics/test_ssim.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.errors import ShapeMismatch
from editgauge.metrics.error import Array, Mask, check_pair

FloatArray = npt.NDArray[np.float32]

STRIP_ROWS = 64
_C1 = (
    2 * (0.01 * 255) ** 2
)  # both doubled: sums and differences carry twice the means and variances
_C2 = 2 * (0.03 * 255) ** 2
_SAMPLE = (slice(None, None, 7), slice(None, None, 11))
_DOUBT = 2e-6  # of the mean of a strip; above it the strip is computed in double precision


def _gaussian(pixels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.asarray(
        cv2.GaussianBlur(pixels, (11, 11), 1.5, sigmaY=1.5, borderType=cv2.BORDER_REFLECT_101)
    )


def _uniform(pixels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.asarray(cv2.boxFilter(pixels, -1, (7, 7)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One definition of SSIM: its weights, and what happens at the border."""

    name: str
    radius: int
    reflected: bool
    """True: a value for every pixel, the picture continued by reflection; False: only windows that
    lie inside.
    """
    covariance_factor: float
    blur: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]
    """Of floats of shape (h, w, 3); the result is a new array of the same type."""
    rounding: float
    """The relative error of `blur` in single precision, as measured on even grounds (OpenCV sums
    boxes in double).
    """

    @property
    def smallest(self) -> int:
        """The least height and width of a picture: the reflection, or one window, must fit."""
        return self.radius + 1 if self.reflected else 2 * self.radius + 1

    def map_size(self, height: int, width: int) -> tuple[int, int]:
        """Height and width of the map of a picture of this height and width."""
        lost = 0 if self.reflected else 2 * self.radius
        return height - lost, width - lost


GAUSSIAN = Window(
    name="gaussian", radius=5, reflected=True, covariance_factor=1.0, blur=_gaussian, rounding=2e-7
)
UNIFORM = Window(
    name="uniform",
    radius=3,
    reflected=False,
    covariance_factor=49 / 48,
    blur=_uniform,
    rounding=6e-8,
)


def ssim(first: Array, second: Array, window: Window) -> float:
    """Mean structural similarity of two pictures; higher is better, and 1 exactly when they are
    identical.

    `first`, `second`: ndarray of shape (H, W, 3), uint8, both sides at least `window.smallest`.
    `window`: `GAUSSIAN` or `UNIFORM`. Returns a float in [-1, 1]; symmetric to the last bit.

    Raises `ShapeMismatch` when the shapes differ, `ValueError` when they are not such pictures or
    too small.
    """
    return ssim_means(first, second, window, (None,))[0]


def ssim_means(
    first: Array, second: Array, window: Window, where: Sequence[Mask | None]
) -> list[float]:
    """Means of the map of `ssim` over several sets of windows, for the price of one.

    `where`: for each wanted mean None (all windows) or an ndarray of shape `window.map_size(H, W)`,
    bool, True = the window belongs to the set (see `clear_windows`). Returns one float in [-1, 1]
    for each, ``nan`` never.

    Raises as `ssim` does, `ShapeMismatch` when a set has another shape than the map, and
    `ValueError` for a set without windows.
    """
    check_pair(first, second)
    _check_size(first.shape, window)
    sets = [None if chosen is None else _set(chosen, first, window) for chosen in where]
    counts = [
        math.prod(window.map_size(*first.shape[:2]))
        if chosen is None
        else int(np.count_nonzero(chosen))
        for chosen in sets
    ]
    if 0 in counts:
        raise ValueError("no window to average over: every window touches the masked area")
    totals = [0.0] * len(sets)
    for rows, strip in _strips(first, second, window):
        for index, chosen in enumerate(sets):
            if chosen is None:
                totals[index] += sum(cv2.sumElems(strip)[:3])
            elif inside := int(np.count_nonzero(chosen[rows])):
                totals[index] += sum(cv2.mean(strip, chosen[rows])[:3]) * inside
    return [
        min(max(total / (3 * count), -1.0), 1.0)
        for total, count in zip(totals, counts, strict=True)
    ]


def clear_windows(mask: Mask, window: Window) -> Mask:
    """The windows that touch no masked pixel: ndarray of shape `window.map_size(H, W)`, bool, for
    `ssim_means`.

    `mask`: ndarray of shape (H, W), bool, True = masked. A reflected window touches only pixels
    that the window without the reflection touches too. May be all False; raises `ValueError` when
    the mask is smaller than a window.
    """
    _check_size(mask.shape, window)
    side = 2 * window.radius + 1
    touched = cv2.dilate(
        np.ascontiguousarray(mask, dtype=np.bool_).view(np.uint8),
        np.ones((side, side), np.uint8),
        borderType=cv2.BORDER_CONSTANT,
        borderValue=(0, 0, 0, 0),
    )
    if not window.reflected:
        touched = touched[window.radius : -window.radius, window.radius : -window.radius]
    return np.asarray(touched == 0, dtype=np.bool_)


def _check_size(shape: Sequence[int], window: Window) -> None:
    if min(shape[:2]) < window.smallest:
        raise ValueError(
            f"{window.name} SSIM needs pictures of at least {window.smallest} x {window.smallest} "
            f"pixels, found "
            f"{shape[1]} x {shape[0]}"
        )


def _set(chosen: Mask, picture: Array, window: Window) -> npt.NDArray[np.uint8]:
    wanted = window.map_size(*picture.shape[:2])
    if chosen.shape != wanted:
        raise ShapeMismatch(
            f"a set of windows must have the map's shape {wanted}, found {chosen.shape}"
        )
    return np.ascontiguousarray(chosen, dtype=np.bool_).view(np.uint8)


def _strips(first: Array, second: Array, window: Window) -> Iterator[tuple[slice, FloatArray]]:
    """The map of checked pictures from top to bottom: (rows of the map, values), at most
    `STRIP_ROWS` at a time.
    """
    height = first.shape[0]
    radius = window.radius
    rows = window.map_size(*first.shape[:2])[0]
    for start in range(0, rows, STRIP_ROWS):
        stop = min(start + STRIP_ROWS, rows)
        if (
            window.reflected
        ):  # the strip and as much of a halo as there is: only true borders are reflected
            top, bottom = max(start - radius, 0), min(stop + radius, height)
            keep = (slice(start - top, stop - top), slice(None))
        else:
            top, bottom = start, stop + 2 * radius
            keep = (slice(radius, -radius), slice(radius, -radius))
        yield slice(start, stop), _strip(first[top:bottom], second[top:bottom], window, keep)


def _strip(first: Array, second: Array, window: Window, keep: tuple[slice, slice]) -> FloatArray:
    """SSIM of the windows of one strip, in single precision where that is precise enough, else in
    double.
    """
    values, doubt = _similarity(first, second, window, keep, np.float32)
    if doubt > _DOUBT:
        values, _ = _similarity(first, second, window, keep, np.float64)
    return np.asarray(values, dtype=np.float32)


def _similarity(
    first: Array,
    second: Array,
    window: Window,
    keep: tuple[slice, slice],
    precision: type[np.floating[Any]],
) -> tuple[npt.NDArray[Any], float]:
    """SSIM from s = x + y and d = x - y, and a bound of what rounding may have done to its mean.

    With means m and variances v of s and d: 2 mx my = (ms² - md²)/2, mx² + my² = (ms² + md²)/2, and
    the same for the variances, so both fractions come from four blurs. A variance is a small
    difference of large squares: subtracting an integer from all of s or d changes no variance, and
    the median makes an even ground 0, where nothing is rounded. What is left grows with the squared
    mean of d and shrinks with the variances: that is the bound.
    """
    depth = cv2.CV_32F if precision is np.float32 else cv2.CV_64F
    total = np.asarray(cv2.add(first, second, dtype=depth))
    difference = np.asarray(cv2.subtract(first, second, dtype=depth))
    offset_s, offset_d = _ground(total), _ground(difference)
    total -= offset_s
    if shifted := bool(offset_d.any()):
        difference -= offset_d
    mean_s, mean_d = window.blur(total)[keep], window.blur(difference)[keep]
    total *= total
    difference *= difference
    var_s, var_d = window.blur(total)[keep], window.blur(difference)[keep]
    var_s -= mean_s * mean_s  # the blurs made these arrays for us: in place from here on
    mean_s += offset_s[keep[1]]
    mean_s *= mean_s
    square = mean_d * mean_d
    var_d -= square
    if shifted:
        mean_d += offset_d[keep[1]]
        mean_d *= mean_d
    if window.covariance_factor != 1.0:
        var_s *= precision(window.covariance_factor)
        var_d *= precision(window.covariance_factor)
    values = _numerator(mean_s, mean_d if shifted else square, precision(_C1))
    values *= _numerator(var_s, var_d, precision(_C2))
    mean_s *= var_s
    values /= mean_s
    return values, window.rounding * float(np.mean(square[_SAMPLE] / var_s[_SAMPLE]))


def _ground(pixels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The median of each channel in a sample, a level that is there; repeated for a row: shape (w,
    3).

    The sample's size is odd, so that the negated pixels have the negated median: `ssim` stays
    symmetric.
    """
    sample = pixels[_SAMPLE].reshape(-1, 3)
    sample = np.sort(sample[: len(sample) - 1 + len(sample) % 2], axis=0)
    # repeated, because NumPy is slow where the innermost axis has 3 elements
    row: npt.NDArray[Any] = np.tile(sample[len(sample) // 2], pixels.shape[1])
    return row.reshape(pixels.shape[1:])


def _numerator(
    of_sum: npt.NDArray[Any], of_difference: npt.NDArray[Any], constant: np.floating[Any]
) -> npt.NDArray[Any]:
    """a - b + c for a fraction (a - b + c) / (a + b + c); `of_sum` holds the denominator
    afterwards.
    """
    of_sum += constant
    numerator: npt.NDArray[Any] = of_sum - of_difference
    of_sum += of_difference
    return numerator
