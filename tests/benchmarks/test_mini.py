"""The built-in benchmark: whole, small, and true to what it says."""

from __future__ import annotations

import numpy as np
import pytest

from editgauge.benchmarks.mini import BENCHMARK
from editgauge.images import read_image, read_mask
from editgauge.types import Sample


@pytest.mark.parametrize("sample", [*BENCHMARK.load(None)], ids=lambda sample: sample.id)
def test_the_reference_differs_from_the_input_inside_the_masks_and_nowhere_else(
    sample: Sample,
) -> None:
    assert sample.reference is not None
    pixels, edited = read_image(sample.image), read_image(sample.reference)
    masks = [read_mask(path) for path in sample.masks.values()]
    assert {edited.shape[:2], *(mask.shape for mask in masks)} == {pixels.shape[:2]}
    difference = np.abs(pixels.astype(int) - edited.astype(int)).max(axis=2)
    assert not difference[~np.logical_or.reduce(masks)].any()
    for mask in masks:  # each earns its place: the picture does change inside it, and visibly
        assert 0.005 < mask.mean() < 0.75
        assert (difference[mask] > 40).mean() > 0.02
