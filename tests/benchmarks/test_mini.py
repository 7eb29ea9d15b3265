"""The built-in benchmark: whole, small, and true to what it says."""

from __future__ import annotations

import numpy as np
import pytest

from editgauge.benchmarks.base import Samples
from editgauge.benchmarks.mini import BENCHMARK
from editgauge.images import read_image, read_mask
from editgauge.types import Sample

IDS = [sample.id for sample in BENCHMARK.load(None)]


@pytest.fixture(scope="session")
def by_id(mini: Samples) -> dict[str, Sample]:
    return {sample.id: sample for sample in mini}


@pytest.mark.parametrize("id", IDS)
def test_the_reference_differs_from_the_input_inside_the_masks_and_nowhere_else(
    id: str, by_id: dict[str, Sample]
) -> None:
    sample = by_id[id]
    pixels, edited = read_image(sample.image), read_image(sample.reference)
    assert edited.shape == pixels.shape
    masks = [read_mask(path) for path in sample.masks.values()]
    assert {mask.shape for mask in masks} == {pixels.shape[:2]}
    changed = (pixels != edited).any(axis=2)
    allowed = np.logical_or.reduce(masks)
    assert not (changed & ~allowed).any()
    assert all(0.005 < mask.mean() < 0.75 for mask in masks)
    # Each mask earns its place: the picture does change inside it, and visibly.
    difference = np.abs(pixels.astype(int) - edited.astype(int)).max(axis=2)
    for mask in masks:
        assert (difference[mask] > 40).mean() > 0.02
