"""TextEditBench's pixel scorer: expected numbers of real outputs, both variants, and every way to
have no value.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from editgauge.benchmarks.texteditbench.scorers import AGAINST_INPUT, AGAINST_REFERENCE, measure
from editgauge.images import Mask, oriented, write_png
from editgauge.metrics.ssim import GAUSSIAN, clear_windows, ssim, ssim_means
from editgauge.scoring import pixel as common_pixel
from editgauge.store.measured import measured
from editgauge.types import VARIANTS, Edit, Sample, Score, Status
from tests.metrics.drawn import Array, blocks, noisy
from tests.scoring.scored import scored

SIZE = (200, 150)
KEYS = {(m.name, v) for m in AGAINST_INPUT.metrics for v in m.variants}
Scores = dict[tuple[str, str], Score]


@pytest.fixture
def picture() -> Array:
    return blocks(*SIZE)


@pytest.fixture
def area() -> Mask:
    mask = np.zeros((SIZE[1], SIZE[0]), np.bool_)
    mask[60:90, 40:120] = True
    return mask


def make(folder: Path, picture: Array, **masks: Mask) -> Sample:
    write_png(folder / "1.png", picture)
    for name, mask in masks.items():
        write_png(folder / f"{name}_mask.png", mask)
    paths = {name: folder / f"{name}_mask.png" for name in masks}
    return Sample(
        benchmark="texteditbench",
        id="a/001",
        split="real",
        category=("A",),
        instruction="Do it",
        images=(folder / "1.png",),
        output_stems=("a/001_edited",),
        masks=paths,
    )


def score(sample: Sample, output: Array | Path) -> Scores:
    path = output if isinstance(output, Path) else sample.image.parent / "output.png"
    if not isinstance(output, Path):
        write_png(path, output)
    found = {
        (s.metric, s.variant): s
        for s in scored(AGAINST_INPUT, sample, Edit(sample=sample.id, editor="tested", path=path))
    }
    assert set(found) == KEYS
    return found


def statuses(scores: Scores) -> dict[str, set[Status]]:
    return {
        name: {s.status for (metric, _), s in scores.items() if metric == name}
        for name in ("mse", "psnr", "ssim")
    }


class TestValues:
    def test_the_two_ssims_by_their_definitions(
        self, tmp_path: Path, picture: Array, area: Mask
    ) -> None:
        second = np.roll(area, 30, axis=1)
        output = noisy(picture, 20)
        scores = score(make(tmp_path, picture, input=area, second=second), output)
        union = area | second
        black, edited = picture.copy(), output.copy()
        black[union] = edited[union] = 0
        assert scores["ssim", "faithful"].value == ssim(black, edited, GAUSSIAN)
        (corrected,) = ssim_means(picture, output, GAUSSIAN, (clear_windows(union, GAUSSIAN),))
        assert scores["ssim", "corrected"].value == pytest.approx(corrected, abs=1e-6)


class TestFormats:
    @pytest.mark.parametrize("orientation", [3, 6, 8])
    def test_exif(self, tmp_path: Path, picture: Array, area: Mask, orientation: int) -> None:
        """Stored upside down with a note that says so: faithful MSE obeys the note, everything else
        sees the pixels.
        """
        sample = make(tmp_path, picture, input=area, second=area)
        exif = Image.Exif()
        exif[0x0112] = orientation
        path = tmp_path / "turned.png"
        undo = {3: 3, 6: 8, 8: 6}[orientation]
        Image.fromarray(oriented(picture, undo)).save(path, exif=exif)
        scores = score(sample, path)
        assert scores["mse", "faithful"].value == 0.0
        assert scores["psnr", "faithful"].number == math.inf
        if (
            scores["mse", "corrected"].value is not None
        ):  # aligned back: turned by warping, or not found
            assert scores["mse", "corrected"].value > 0.0
        if orientation == 3:
            assert (scores["ssim", "faithful"].number or 0) < 0.6


class TestNoValue:
    def test_everything_masked(self, tmp_path: Path, picture: Array, area: Mask) -> None:
        """The released SSIM of two black frames is 1; nothing else has anything to compare."""
        full = np.ones_like(area)
        scores = score(make(tmp_path, picture, input=full, second=area), noisy(picture, 30))
        assert statuses(scores)["mse"] == statuses(scores)["psnr"] == {Status.DATASET_FAULT}
        assert scores["ssim", "corrected"].status is Status.DATASET_FAULT
        assert scores["ssim", "faithful"].value == 1.0
        assert scores["ssim", "faithful"].detail == {"all_masked": True}

    @pytest.mark.parametrize("gone", ["input", "second"])
    def test_a_mask_that_is_not_there(
        self, tmp_path: Path, picture: Array, area: Mask, gone: str
    ) -> None:
        """The released error is taken outside the masks that are there; no corrected score guesses
        at the other one.
        """
        sample = make(tmp_path, picture, input=area, second=area)
        sample.masks[gone].unlink()
        scores = score(sample, picture)
        assert scores["ssim", "faithful"].status is Status.DATASET_FAULT
        assert scores["mse", "faithful"].value == 0.0
        for metric in ("mse", "psnr", "ssim"):
            assert scores[metric, "corrected"].status is Status.DATASET_FAULT
            assert scores[metric, "corrected"].reason.startswith(f"no mask {gone!r}")
        for mask in sample.masks.values():
            mask.unlink(missing_ok=True)
        assert {s.status for s in score(sample, picture).values()} == {Status.DATASET_FAULT}

    def test_an_output_that_cannot_be_aligned(
        self, tmp_path: Path, picture: Array, area: Mask
    ) -> None:
        blank = np.full_like(picture, 90)
        scores = score(make(tmp_path, picture, input=area, second=area), blank)
        assert statuses(scores) == {
            "mse": {Status.FAILED},
            "psnr": {Status.FAILED},
            "ssim": {Status.SCORED},
        }
        assert "cannot be aligned" in scores["mse", "faithful"].reason
        assert (scores["ssim", "corrected"].number or 0) < 0.5


class TestScorer:
    def test_work_on_the_input_is_done_once(
        self, tmp_path: Path, picture: Array, area: Mask, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Two editors' outputs of one sample: two pairs of features less one; changed files are
        read again.
        """
        counted = []
        real = common_pixel.sift_features
        monkeypatch.setattr(common_pixel, "sift_features", lambda p: counted.append(1) or real(p))
        sample = make(tmp_path, picture, input=area, second=area)
        score(sample, noisy(picture, 5))
        score(sample, noisy(picture, 9))
        assert len(counted) == 3
        write_png(sample.image, blocks(*SIZE, seed=8))
        os.utime(sample.image, ns=(1, 1))
        assert score(sample, blocks(*SIZE, seed=8))["mse", "faithful"].value == 0.0
        assert len(counted) == 5


class TestAgainstTheReference:
    """Paper, 4.1: synthetic samples against their reference edits, outside the masks."""

    NAMES = frozenset(f"reference_{name}" for name in ("mse", "psnr", "ssim"))

    def sample(self, folder: Path, picture: Array, reference: Array, area: Mask) -> Sample:
        folder.mkdir(parents=True, exist_ok=True)
        write_png(folder / "reference.png", reference)
        sample = make(folder, picture, input=area, second=area)
        return replace(sample, split="synthetic", reference=folder / "reference.png")

    def scores(self, sample: Sample, output: Array) -> Scores:
        path = sample.image.parent / "output.png"
        write_png(path, output)
        found = scored(
            AGAINST_REFERENCE, sample, Edit(sample=sample.id, editor="tested", path=path)
        )
        return {(score.metric, score.variant): score for score in found}

    def test_the_reference_itself_is_best_and_a_no_op_is_not(
        self, tmp_path: Path, picture: Array, area: Mask
    ) -> None:
        """The reference changes a patch outside the mask, too: by the released comparison a no-op
        is better than it, by the paper's it is worse.
        """
        reference = picture.copy()
        reference[64:80, 44:100] = 255 - reference[64:80, 44:100]
        reference[110:140, 130:190] = 255 - reference[110:140, 130:190]
        sample = self.sample(tmp_path, picture, reference, area)
        own, no_op = self.scores(sample, reference), self.scores(sample, picture)
        assert {name for name, _ in own} == self.NAMES
        for variant in VARIANTS:
            assert own["reference_mse", variant].value == 0.0
            assert own["reference_ssim", variant].value == 1.0
            assert own["reference_psnr", variant].number == math.inf
            assert (no_op["reference_mse", variant].value or 0) > 100
            assert (no_op["reference_ssim", variant].value or 1) < 0.99
        by_input = score(sample, reference)
        assert (by_input["mse", "faithful"].value or 0) > 100

    def test_a_sample_without_a_reference_is_not_asked(
        self, tmp_path: Path, picture: Array, area: Mask
    ) -> None:
        sample = make(tmp_path, picture, input=area, second=area)
        assert AGAINST_REFERENCE.applies(sample) == "the sample has no reference"
        assert AGAINST_INPUT.applies(sample) is None


class TestReferencesOutsideTheirMasks:
    def sample(self, folder: Path, picture: Array, reference: Array, area: Mask) -> Sample:
        return TestAgainstTheReference().sample(folder, picture, reference, area)

    def test_the_rule_is_that_of_check(self, tmp_path: Path, picture: Array, area: Mask) -> None:
        inside, outside = picture.copy(), picture.copy()
        inside[64:80, 48:96] = 255 - inside[64:80, 48:96]
        outside[110:140, 130:190] = 255 - outside[110:140, 130:190]
        for reference, expected in ((inside, False), (outside, True)):
            sample = self.sample(tmp_path, picture, reference, area)
            assert measure(sample) == {"reference_outside": expected}
            (found,) = measured([sample])
            assert found.attributes["reference_outside"] is expected
