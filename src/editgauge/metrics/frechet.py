"""The Fréchet distance between two sets of feature vectors (FID). Float64.

Heusel et al., GANs Trained by a Two Time-Scale Update Rule (NeurIPS 2017). 0 for identical sets,
lower is better, without an upper bound; biased: it grows as the number of samples falls.

The trace of the square root of a product of covariances AᵀA and BᵀB is the sum of the singular
values of A·Bᵀ: no matrix square root and no added diagonal, and exact also where the covariances
have not full rank, where the usual `sqrtm` loses half the digits or fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from editgauge.metrics import Floats

Features = npt.NDArray[np.floating[Any]]
FEW_SAMPLES = 2048
"""Under this number of samples an FID comes with a warning."""


@dataclass(frozen=True)
class Moments:
    """Mean (D,) and a factor A (r, D) of the covariance AᵀA."""

    mean: Floats
    factor: Floats


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
