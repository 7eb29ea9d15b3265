"""Squared error and PSNR of 8-bit pictures."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.errors import ShapeMismatch
from editgauge.images import Array, Mask
from editgauge.metrics import PEAK


def check_pair(reference: npt.NDArray[np.generic], edited: npt.NDArray[np.generic]) -> None:
    """Raises `ShapeMismatch` for two sizes, `ValueError` for one that is not (H, W, 3), uint8."""
    if reference.shape != edited.shape:
        raise ShapeMismatch(
            f"reference and edited must have one shape, found {reference.shape} and "
            f"{edited.shape}; resize one first"
        )
    if reference.ndim != 3 or reference.shape[2] != 3 or reference.size == 0:
        raise ValueError(f"wanted pictures of shape (H, W, 3), found {reference.shape}")
    if reference.dtype != np.uint8 or edited.dtype != np.uint8:
        raise ValueError(f"wanted uint8 pictures, found {reference.dtype} and {edited.dtype}")


def masked_mse(reference: Array, edited: Array, *, mask: Mask | None = None) -> float:
    """Mean squared error over the pixels that should not change; lower is better.

    `reference`, `edited`: ndarray of shape (H, W, 3), uint8, sRGB. `mask`: ndarray of shape (H, W),
    bool, True = compared; None compares everywhere. (Masks of samples mark what *may* change: pass
    their inverse.) Returns a float in [0, 65025], in squared 8-bit levels, from an exact integer
    sum. Raises `ShapeMismatch` when shapes differ, `ValueError` when the mask selects no pixel.
    """
    check_pair(reference, edited)
    if mask is None:
        # OpenCV may take the root and square it again: rounded, it is the integer that it was
        return round(cv2.norm(reference, edited, cv2.NORM_L2SQR)) / reference.size
    if mask.shape != reference.shape[:2]:
        wanted = f"must have the pictures' size {reference.shape[:2]}"
        raise ShapeMismatch(f"mask {wanted}, found {mask.shape}")
    selected = int(np.count_nonzero(mask))
    if selected == 0:
        raise ValueError("the mask selects no pixel: there is nothing to compare")
    weights = np.ascontiguousarray(mask, dtype=np.bool_).view(np.uint8)
    return round(cv2.norm(reference, edited, cv2.NORM_L2SQR, weights)) / (3 * selected)


def psnr_of_mse(mse: float) -> float:
    """Peak signal-to-noise ratio of 8-bit pictures in decibels, 10 log10(255² / mse), in [0, inf];
    higher is better, ``math.inf`` at 0.
    """
    return math.inf if mse == 0 else 10.0 * math.log10(PEAK * PEAK / mse)
