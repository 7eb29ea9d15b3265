"""The pixel scorers of benchmarks without a released pixel script."""

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
    reference = blocks(160, 120)
    write_png(sample.image, reference)
    mask = read_mask(sample.masks["input"])
    reference[mask] = 255 - reference[mask]
    write_png(sample.image.parent / "other.png", reference)
    assert sample.reference is not None
    write_png(sample.reference, reference)
    return sample


def score(scorer: Scorer, sample: Sample, path: Path | None) -> dict[str, Score]:
    edit = Edit(sample=sample.id, editor="tested", path=path)
    return {found.metric: found for found in scored(scorer, sample, edit)}


def test_the_reference_is_perfect_for_both_and_the_input_is_kept_but_not_near(
    sample: Sample,
) -> None:
    near, kept = (score(one, sample, sample.reference) for one in (TO_REFERENCE, OUTSIDE_MASKS))
    assert (near["reference_psnr"].number, near["reference_ssim"].value) == (math.inf, 1.0)
    assert kept["ssim"].value == 1.0
    assert kept["mse"].value == pytest.approx(0.0, abs=0.5)
    assert score(OUTSIDE_MASKS, sample, sample.image)["psnr"].number == math.inf
    assert sample.reference is not None
    found = score(TO_REFERENCE, sample, sample.image)["reference_psnr"].number
    assert found == psnr_of_mse(masked_mse(read_image(sample.reference), read_image(sample.image)))


@pytest.mark.parametrize("scorer", [OUTSIDE_MASKS, TO_REFERENCE], ids=lambda s: s.name)
def test_unreadable_files(scorer: Scorer, sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no picture")
    scores = score(scorer, sample, tmp_path / "text.png")
    assert {one.status for one in scores.values()} == {Status.UNREADABLE}
    for path in (sample.image, *sample.masks.values(), sample.reference):
        assert path is not None
        path.write_text("no picture")
    scores = score(scorer, sample, sample.image.parent / "other.png")
    assert {one.status for one in scores.values()} == {Status.DATASET_FAULT}
