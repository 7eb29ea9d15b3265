"""SSIM against torchmetrics and scikit-image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from editgauge.metrics.ssim import GAUSSIAN, UNIFORM, Window, _strips, clear_windows, ssim
from tests.metrics.drawn import Array, noisy, page, scene

BOTH = pytest.mark.parametrize("window", [GAUSSIAN, UNIFORM], ids=lambda window: window.name)


def ssim_map(first: Any, second: Any, window: Window) -> Any:
    return np.concatenate([values for _, values in _strips(first, second, window)])


def pairs() -> dict[str, tuple[Array, Array]]:
    """Also even grounds, where every window makes the same rounding error."""
    column, text = np.arange(101)[None, :, None], page(101, 83)
    stripes = np.hstack([even(3), even(250)])
    return {
        "texture": (scene(101, 83), noisy(scene(101, 83), 25)),
        "shifted": (scene(101, 83), scene(101, 83, 3)),
        "page": (text, noisy(text, 12)),
        "page and grey": (text, np.full((83, 101, 3), 128, np.uint8)),
        "two grounds": (
            np.where(column < 50, text, 200).astype(np.uint8),
            np.where(column < 60, 90, text).astype(np.uint8),
        ),
        "tall": (scene(9, 200), noisy(scene(9, 200), 40)),
        "thinner than a halo": (scene(6, 7), noisy(scene(6, 7), 30)),
        "even": (even(255), even(128)),
        "even halves": (np.hstack([even(255), even(200)]), np.hstack([even(105), even(100)])),
        "stripes": (stripes, stripes[:, ::-1]),
    }


def torchmetrics_ssim(first: Array, second: Array) -> float:
    functional = pytest.importorskip("torchmetrics.functional.image")
    import torch

    pixels = (one.astype(np.float64).transpose(2, 0, 1)[None] / 255 for one in (first, second))
    tensors = map(torch.from_numpy, pixels)
    return float(functional.structural_similarity_index_measure(*tensors, data_range=1.0))


def skimage_ssim(first: Array, second: Array) -> float:
    metrics = pytest.importorskip("skimage.metrics", reason="the reference is scikit-image")
    return float(metrics.structural_similarity(first, second, channel_axis=-1))


def even(colour: int, size: tuple[int, int] = (70, 90)) -> Array:
    return np.full((*size, 3), colour, np.uint8)


@pytest.mark.parametrize("name", pairs())
def test_the_numbers_are_those_of_the_libraries(name: str) -> None:
    first, second = pairs()[name]
    found = ssim(first, second, GAUSSIAN)
    assert found == pytest.approx(torchmetrics_ssim(first, second), abs=5e-7)
    if min(first.shape[:2]) >= 7:
        assert ssim(first, second, UNIFORM) == pytest.approx(skimage_ssim(first, second), abs=5e-7)


@BOTH
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_symmetric_to_the_last_bit_and_in_range(window: Window, data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(7, 70), st.integers(7, 12), st.just(3)))
    first = data.draw(arrays.arrays(np.uint8, shape))
    second = data.draw(arrays.arrays(np.uint8, shape))
    value = ssim(first, second, window)
    assert ssim(first, first.copy(), window) == 1.0
    assert value == ssim(second, first, window)
    assert -1.0 <= value <= 1.0


@BOTH
def test_clear_windows_see_no_masked_pixel(window: Window) -> None:
    """By definition: changing masked pixels changes no value of a clear window, and every other
    window has one.
    """
    mask = np.zeros((40, 50), np.bool_)
    mask[15:20, 20:24] = True
    mask[0, 49] = True
    clear = clear_windows(mask, window)
    first, second = scene(50, 40), noisy(scene(50, 40), 20)
    changed = second.copy()
    changed[mask] = 255 - changed[mask]
    before, after = ssim_map(first, second, window), ssim_map(first, changed, window)
    assert np.allclose(before[clear], after[clear], atol=1e-6)
    side = 2 * window.radius + 1
    padded = np.pad(mask, window.radius) if window.reflected else mask
    touched = np.lib.stride_tricks.sliding_window_view(padded, (side, side)).any(axis=(2, 3))
    assert np.array_equal(clear, ~touched)
