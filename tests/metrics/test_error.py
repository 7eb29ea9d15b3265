"""Squared error and PSNR against hand-made values and their own definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editgauge.metrics.error import masked_mse, psnr_of_mse


def test_mean_of_hand_made_differences() -> None:
    """Differences 3, 4 and 0 in one of two pixels: (9 + 16 + 0) / 6."""
    first = np.zeros((1, 2, 3), np.uint8)
    second = first.copy()
    second[0, 1] = (3, 4, 0)
    assert masked_mse(first, second) == 25 / 6
    assert masked_mse(first, second, mask=np.array([[False, True]])) == 25 / 3
    assert masked_mse(first, second, mask=np.array([[True, False]])) == 0.0
    black = np.zeros((2000, 2300, 3), np.uint8)  # the sum is far over 32 bits
    assert masked_mse(black, ~black, mask=np.ones((2000, 2300), np.bool_)) == 65025.0


@pytest.mark.parametrize(("mse", "psnr"), [(65025.0, 0.0), (650.25, 20.0), (0.0, math.inf)])
def test_psnr_by_hand(mse: float, psnr: float) -> None:
    assert psnr_of_mse(mse) == pytest.approx(psnr, abs=1e-12)
