"""From a map to numbers: worked by hand, against scikit-image, and by brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from editgauge.metrics.grounding import chance_iou, cut, grounding, normalised, otsu

MAP = np.array([[0.0, 0.0], [0.2, 1.0]])
MASK = np.zeros((4, 4), np.bool_)
MASK[2:, 1:] = True  # 2 pixels of the cell below left, 4 of the one below right


def test_every_number_worked_by_hand() -> None:
    found = grounding(MAP, MASK, MAP > 0.5)
    assert found.iou == 4 / 6  # the cell's 4 pixels, all in the mask's 6
    assert found.area == 6 / 16
    assert found.share == 4 / 16


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("bins", [256, 16])
def test_otsu_is_that_of_scikit_image(seed: int, bins: int) -> None:
    filters = pytest.importorskip("skimage.filters")
    random = np.random.default_rng(seed)
    values = np.concatenate([random.normal(0.2, 0.1, 200), random.normal(0.7, 0.05, 56)])
    values = values.reshape(16, 16)
    assert otsu(values, bins) == filters.threshold_otsu(values, nbins=bins)
    region, level = cut(values, 1.3, bins)
    even = normalised(values)
    assert level == 1.3 * filters.threshold_otsu(even, nbins=bins)
    assert (region == (even > level)).all()


@pytest.mark.parametrize(
    ("pixels", "meant", "chosen"), [(6, 2, 3), (7, 4, 4), (5, 5, 2), (6, 1, 6)]
)
def test_chance_is_the_mean_over_all_regions_of_the_size(
    pixels: int, meant: int, chosen: int
) -> None:
    mask = set(range(meant))
    every = [set(drawn) for drawn in itertools.combinations(range(pixels), chosen)]
    mean = sum(len(mask & drawn) / len(mask | drawn) for drawn in every) / len(every)
    assert chance_iou(pixels, meant, chosen) == pytest.approx(mean, rel=1e-12)
