"""Masks that are proposed, and what a reference changes outside of one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from editgauge.curation import masks
from editgauge.errors import DataError, UsageError
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


def test_an_object_in_a_box_and_by_a_click() -> None:
    pixels = np.full((120, 160, 3), 200, np.uint8)
    pixels[40:80, 60:110] = (180, 20, 20)
    wanted = np.zeros((120, 160), dtype=np.bool_)
    wanted[40:80, 60:110] = True
    assert overlap(masks.from_box(pixels, [50, 30, 75, 65]), wanted) > 0.9
    assert masks.from_box(pixels, [80, 60, 0, 0]).any()
    flat = np.full((50, 50, 3), 9, np.uint8)
    assert masks.from_box(flat, [5, 5, 20, 20]).sum() == 400
    for bad in ([500, 5, 20, 20], [1, 2, 3], [0.5, 1, 9, 9]):
        with pytest.raises(DataError, match="box"):
            masks.from_box(pixels, bad)  # type: ignore[arg-type]


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
    with pytest.raises(UsageError, match="wanted difference or box"):
        masks.propose(data, record, "magic")
    with pytest.raises(DataError, match="no reference"):
        masks.propose(data, structs.replace(record, reference=""), "difference")
