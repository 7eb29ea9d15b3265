"""The pixel scorers of benchmarks without a released pixel script: what they measure, and when they
have nothing to.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from editgauge.images import read_image, read_mask, write_png
from editgauge.metrics.error import masked_mse, psnr_of_mse
from editgauge.scoring.pixel import OUTSIDE_MASKS, TO_REFERENCE
from editgauge.scoring.scorer import Scorer
from editgauge.testing import make_sample
from editgauge.types import Edit, Sample, Score, Status
from tests.metrics.drawn import blocks
from tests.scoring.scored import scored


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    sample = make_sample(tmp_path, size=(160, 120))
    write_png(sample.image, blocks(160, 120))
    reference = blocks(160, 120)
    mask = read_mask(sample.masks["input"])
    reference[mask] = 255 - reference[mask]
    assert sample.reference is not None
    write_png(sample.reference, reference)
    return sample


def score(scorer: Scorer, sample: Sample, path: Path) -> dict[str, Score]:
    return {
        found.metric: found
        for found in scored(scorer, sample, Edit(sample=sample.id, editor="tested", path=path))
    }


def test_the_reference_is_perfect_for_both(sample: Sample) -> None:
    assert sample.reference is not None
    near = score(TO_REFERENCE, sample, sample.reference)
    assert near["reference_psnr"].number == math.inf
    assert near["reference_ssim"].value == 1.0
    kept = score(OUTSIDE_MASKS, sample, sample.reference)
    assert kept["ssim"].value == 1.0
    assert kept["mse"].value == pytest.approx(0.0, abs=0.5)


def test_the_input_is_kept_but_not_near(sample: Sample) -> None:
    assert score(OUTSIDE_MASKS, sample, sample.image)["psnr"].number == math.inf
    assert sample.reference is not None
    found = score(TO_REFERENCE, sample, sample.image)["reference_psnr"].number
    assert found == psnr_of_mse(masked_mse(read_image(sample.reference), read_image(sample.image)))
    assert 5 < found < 30


@pytest.mark.parametrize("scorer", [OUTSIDE_MASKS, TO_REFERENCE], ids=lambda s: s.name)
def test_unreadable_files(scorer: Scorer, sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no picture")
    assert {s.status for s in score(scorer, sample, tmp_path / "text.png").values()} == {
        Status.UNREADABLE
    }
    for path in (sample.image, *sample.masks.values(), sample.reference):
        assert path is not None
        path.write_text("no picture")
    write_png(tmp_path / "fine.png", blocks(160, 120))
    assert {s.status for s in score(scorer, sample, tmp_path / "fine.png").values()} == {
        Status.DATASET_FAULT
    }


def test_without_masks_or_reference_there_is_nothing_to_say(tmp_path: Path) -> None:
    bare = make_sample(tmp_path, masks={}, reference=None)
    assert OUTSIDE_MASKS.applies(bare) == "the sample has no mask"
    assert TO_REFERENCE.applies(bare) == "the sample has no reference"
