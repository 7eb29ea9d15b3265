"""Masks that are proposed, and what a reference changes outside of one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from editgauge.curation import masks
from editgauge.errors import DataError
from editgauge.images import Mask, read_mask
from editgauge.web.log import Conflict
from tests.curation.made_set import BOX, SIZE, area, edited, make_set, scene


def overlap(one: Mask, two: Mask) -> float:
    return float((one & two).sum() / (one | two).sum())


def test_the_difference_of_a_pair() -> None:
    pixels = scene(1)
    noisy = edited(pixels).astype(int) + np.random.default_rng(1).integers(-3, 4, pixels.shape)
    found = masks.from_difference(pixels, np.clip(noisy, 0, 255).astype(np.uint8))
    assert (found & area()).sum() / area().sum() > 0.97
    assert overlap(found, area()) > 0.8, "a margin of two or three pixels"
    assert not masks.from_difference(pixels, pixels).any()
    with pytest.raises(DataError, match="two sizes"):
        masks.from_difference(pixels, pixels[:50])


def test_a_mask_is_saved_under_its_name_and_checked(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 1)
    record = masks.save(data, "s00", 1, "roi", area(), "ann")
    assert read_mask(data.path(record.masks["roi"])).sum() == area().sum()
    assert masks.faults(data, record) == []
    with pytest.raises(Conflict):
        masks.save(data, "s00", 1, "roi", area(), "ben")
    with pytest.raises(DataError, match="mask of"):
        masks.save(data, "s00", 2, "roi", np.ones((4, 4), bool), "ann")
    gone = masks.save(data, "s00", 2, "roi", np.zeros(SIZE[::-1], bool), "ann")
    assert set(gone.masks) == {"input"}
    small = area()
    small[:, BOX[0] + 20 :] = False
    record = masks.save(data, "s00", 3, "input", small, "ann")
    assert any("outside the mask differ" in why for why in masks.faults(data, record))
    with pytest.raises(DataError, match="no reference"):
        masks.propose(data, structs.replace(record, reference=""))
