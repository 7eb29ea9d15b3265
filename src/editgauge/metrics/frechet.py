"""Distances between two sets of feature vectors: Fréchet (FID) and kernel (KID). Float64.

Heusel et al., GANs Trained by a Two Time-Scale Update Rule (NeurIPS 2017); Bińkowski et al.,
Demystifying MMD GANs (ICLR 2018). Both are 0 for identical sets, lower is better, without an upper
bound. FID is biased: it grows as the number of samples falls. KID's estimate is not, at the price
of being slightly negative now and then.

The trace of the square root of a product of covariances AᵀA and BᵀB is the sum of the singular
values of A·Bᵀ: no matrix square root and no added diagonal, and exact also where the covariances
have not full rank, where the usual `sqrtm` loses half the digits or fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Features = npt.NDArray[np.floating[Any]]
FEW_SAMPLES = 2048
"""Under this number of samples an FID comes with a warning, and KID is the number to read."""
_BLOCK = 2048


@dataclass(frozen=True)
class Moments:
    """Mean (D,) and a factor A (r, D) of the covariance AᵀA."""

    mean: Array
    factor: Array


def moments(features: Features) -> Moments:
    """Mean and covariance factor of features (N, D), N >= 2; the covariance divides by N - 1.
    Raises `ValueError` for values that are not finite.
    """
    x = np.asarray(features, dtype=np.float64)
    if not np.isfinite(x).all():
        raise ValueError("Fréchet distance: features must be finite")
    mean = x.mean(axis=0)
    factor = (x - mean) / np.sqrt(x.shape[0] - 1)
    if factor.shape[0] > factor.shape[1]:
        factor = np.linalg.qr(factor, mode="r")
    return Moments(mean, np.asarray(factor, dtype=np.float64))


def frechet_distance(first: Moments, second: Moments) -> float:
    """|m₁ - m₂|² + tr(C₁ + C₂ - 2·(C₁C₂)^½), at least 0; lower is better."""
    difference = first.mean - second.mean
    cross = np.linalg.svd(first.factor @ second.factor.T, compute_uv=False).sum()
    traces = np.square(first.factor).sum() + np.square(second.factor).sum()
    return max(0.0, float(difference @ difference + traces - 2.0 * cross))


def kernel_distance(first: Features, second: Features) -> float:
    """KID: the unbiased squared maximum mean discrepancy with the kernel (x·y/D + 1)³; lower is
    better, may be below 0.

    `first`, `second`: features (N, D) and (M, D), N and M >= 2. All pairs are used, not the random
    subsets of the usual implementations, whose average this is in expectation.
    """
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    n, m = len(x), len(y)
    within_x = (_kernel_sum(x, x) - _kernel_diagonal(x)) / (n * (n - 1))
    within_y = (_kernel_sum(y, y) - _kernel_diagonal(y)) / (m * (m - 1))
    return float(within_x + within_y - 2.0 * _kernel_sum(x, y) / (n * m))


def _kernel_sum(x: Array, y: Array) -> float:
    total = 0.0
    for start in range(0, len(x), _BLOCK):
        total += float(((x[start : start + _BLOCK] @ y.T / x.shape[1] + 1.0) ** 3).sum())
    return total


def _kernel_diagonal(x: Array) -> float:
    return float(((np.square(x).sum(axis=1) / x.shape[1] + 1.0) ** 3).sum())
