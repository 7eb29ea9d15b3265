"""Change grounding on pictures made here: where something was changed is where it is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from editgauge.diagnosis.change import FLOOR, ChangeScorer, change_map, changed_region
from editgauge.diagnosis.metrics import CHANGE
from editgauge.images import write_png
from editgauge.testing import make_sample
from editgauge.types import Edit, Sample, Score, Status

SIZE = (160, 120)


def busy(seed: int = 0) -> np.ndarray:  # type: ignore[type-arg]
    """A picture with enough corners to be aligned by."""
    random = np.random.default_rng(seed)
    small = random.integers(0, 256, (15, 20, 3), dtype=np.uint8)
    return cv2.GaussianBlur(cv2.resize(small, SIZE, interpolation=cv2.INTER_NEAREST), (5, 5), 0)


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    made = make_sample(tmp_path, size=SIZE)
    write_png(made.image, busy())
    return replace(made, masks={"roi": made.masks["input"]})  # below, right: from (80, 60) on


def scored(sample: Sample, output: np.ndarray, folder: Path) -> dict[str, Score]:  # type: ignore[type-arg]
    write_png(folder / "out.png", output)
    edit = Edit(sample=sample.id, editor="m", path=folder / "out.png")
    return {score.metric: score for score in ChangeScorer().score(sample, edit)}


def square(top: int, left: int) -> np.ndarray:  # type: ignore[type-arg]
    picture = busy()
    picture[top : top + 30, left : left + 30] = 255 - picture[top : top + 30, left : left + 30]
    return picture


def test_a_change_in_the_mask_is_found_there(sample: Sample, tmp_path: Path) -> None:
    found = scored(sample, square(75, 100), tmp_path)
    assert set(found) == {metric.name for metric in CHANGE}
    share = 30 * 30 / (160 * 120)
    assert found["change_share"].value == pytest.approx(share, rel=0.35)
    # all of the changed square lies in the mask
    assert found["change_iou"].value == pytest.approx(found["change_share"].value / 0.25, rel=0.02)


def test_the_input_handed_back_has_changed_nowhere(sample: Sample, tmp_path: Path) -> None:
    found = scored(sample, busy(), tmp_path)
    assert (found["change_iou"].value, found["change_share"].value) == (0.0, 0.0)
    assert found["change_chance"].value == 0.0


def test_grain_below_the_floor_is_no_change(sample: Sample, tmp_path: Path) -> None:
    noisy = busy().astype(int) + np.random.default_rng(1).integers(-6, 7, busy().shape)
    found = scored(sample, np.clip(noisy, 0, 255).astype(np.uint8), tmp_path)
    assert found["change_share"].value == 0.0
    region, _ = changed_region(np.full((4, 4), FLOOR))
    assert not region.any()


def test_a_scan_on_a_flat_ground_is_aligned_too() -> None:
    picture = np.zeros((360, 480, 3), np.uint8)
    picture[90:270, 120:360] = cv2.resize(busy(), (240, 180))
    output = picture.copy()
    output[150:190, 200:250] = (0, 200, 255)
    moved = np.roll(output, 12, axis=1)
    values, is_moved = change_map(picture, moved)
    assert is_moved
    region, _ = changed_region(values)
    wanted = np.zeros_like(region)
    wanted[150:190, 200:250] = True
    assert (region & wanted).sum() / (region | wanted).sum() > 0.7


def test_masks_that_are_not_there_or_empty_are_the_data_s_fault(
    sample: Sample, tmp_path: Path
) -> None:
    write_png(tmp_path / "empty.png", np.zeros((120, 160), np.bool_))
    for masks, words in (
        ({"roi": tmp_path / "empty.png"}, "marks no pixel"),
        ({"roi": tmp_path / "gone.png"}, "no mask 'roi'"),
    ):
        found = scored(replace(sample, masks=masks), busy(1), tmp_path)
        assert {score.status for score in found.values()} == {Status.DATASET_FAULT}
        assert words in found["change_iou"].reason
    assert ChangeScorer().applies(replace(sample, masks={})) is not None
