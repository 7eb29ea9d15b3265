"""MedEBench's pixel scorer: scikit-image, both variants, and the edges. Numbers of real outputs are
in `tests/contract/test_numbers.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editgauge.benchmarks.medebench.scorers import PIXELS, darkened
from editgauge.images import write_png
from editgauge.types import Edit, Sample, Score, Status
from tests.fakes import scored
from tests.metrics.drawn import Array, noisy, scene

SIZE = (120, 90)
Scores = dict[tuple[str, str], Score]
PICTURE, REFERENCE = scene(*SIZE), noisy(scene(*SIZE), 15)
OUTPUT = noisy(scene(*SIZE, shift=1), 25)
REGION = np.zeros((SIZE[1], SIZE[0]), np.uint8)
REGION[30:60, 40:80] = 255
REGION[30:60, 80:100] = np.linspace(250, 5, 20).astype(np.uint8)


def make(folder: Path, grey: Array = REGION, reference: Array | None = REFERENCE) -> Sample:
    write_png(folder / "input.png", PICTURE)
    write_png(folder / "mask.png", grey)
    if reference is not None:
        write_png(folder / "reference.png", reference)
    return Sample(
        benchmark="medebench", id="1", split="", category=("Teeth",), instruction="Do it",
        images=(folder / "input.png",), output_stems=("1_0",), masks={"roi": folder / "mask.png"},
        reference=None if reference is None else folder / "reference.png",
    )  # fmt: skip


def score(sample: Sample, path: Path | None = None) -> Scores:
    write_png(output := sample.image.parent / "output.png", OUTPUT)
    found = scored(PIXELS, sample, Edit(sample="1", editor="tested", path=path or output))
    return {(s.metric, s.variant): s for s in found}


@pytest.mark.parametrize("grey", [0, 1, 51, 128, 254, 255])
def test_darkening_by_hand(grey: int) -> None:
    """200/255 x (1 - 51/255) x 255 = 160, in single precision just below: cut, not rounded; 0 and
    255 are exact.
    """
    levels, full = (200, 100, 255), np.float32(255)
    left = np.float32(1) - np.float32(grey) / full
    by_hand = [int(np.float32(level) / full * left * full) for level in levels]
    dark = darkened(np.array([[levels]], np.uint8), np.array([[grey]], np.uint8))
    assert dark.tolist() == [[by_hand]]
    assert grey not in (0, 255) or by_hand == [0 if grey else level for level in levels]


def test_what_is_not_there(tmp_path: Path) -> None:
    without = score(make(tmp_path / "a", reference=None))
    assert without["psnr", "faithful"].status is Status.NOT_APPLICABLE
    assert without["ssim_full", "faithful"].status is Status.NOT_APPLICABLE
    assert without["masked_ssim", "faithful"].status is Status.SCORED
    sample = make(tmp_path / "b")
    sample.masks["roi"].write_text("no mask")
    broken = score(sample)
    for variant in ("faithful", "corrected"):
        assert broken["masked_ssim", variant].status is Status.DATASET_FAULT
    assert broken["psnr", "faithful"].status is Status.SCORED
    assert {s.status for s in score(sample, sample.masks["roi"]).values()} == {Status.UNREADABLE}
    sample.image.unlink()
    assert {s.status for s in score(sample).values()} == {Status.DATASET_FAULT}
