"""TextEditBench's pixel scorers: both variants by their definitions, and every way to have no
value. Numbers of real outputs are in `tests/contract/test_numbers.py`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from editgauge.benchmarks.texteditbench.scorers import AGAINST_INPUT, AGAINST_REFERENCE, measure
from editgauge.images import Mask, oriented, write_png
from editgauge.scoring.scorer import Scorer
from editgauge.store.samples import measured
from editgauge.types import VARIANTS, Edit, Sample, Score, Status
from tests.fakes import scored
from tests.metrics.drawn import Array, blocks, noisy

SIZE = (200, 150)
Scores = dict[tuple[str, str], Score]
PICTURE = blocks(*SIZE)
AREA: Mask = np.zeros((SIZE[1], SIZE[0]), np.bool_)
AREA[60:90, 40:120] = True


def make(folder: Path, picture: Array = PICTURE, **masks: Mask) -> Sample:
    masks = masks or {"input": AREA, "second": AREA}
    paths = {name: folder / f"{name}_mask.png" for name in masks}
    write_png(folder / "1.png", picture)
    for name, mask in masks.items():
        write_png(paths[name], mask)
    return Sample(
        benchmark="texteditbench", id="a/001", split="real", category=("A",),
        instruction="Do it", images=(folder / "1.png",), output_stems=("a/001_edited",),
        masks=paths,
    )  # fmt: skip


def score(sample: Sample, output: Array | Path, scorer: Scorer = AGAINST_INPUT) -> Scores:
    path = output if isinstance(output, Path) else sample.image.parent / "output.png"
    if not isinstance(output, Path):
        write_png(path, output)
    edit = Edit(sample=sample.id, editor="tested", path=path)
    found = {(s.metric, s.variant): s for s in scored(scorer, sample, edit)}
    assert set(found) == {(m.name, v) for m in scorer.metrics for v in m.variants}
    return found


def statuses(scores: Scores, *names: str) -> set[Status]:
    return {score.status for (metric, _), score in scores.items() if metric in names}


@pytest.mark.parametrize("orientation", [3, 6, 8])
def test_faithful_errors_obey_exif_and_everything_else_sees_the_pixels(
    tmp_path: Path, orientation: int
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = tmp_path / "turned.png"
    undo = {3: 3, 6: 8, 8: 6}[orientation]
    Image.fromarray(oriented(PICTURE, undo)).save(path, exif=exif)
    scores = score(make(tmp_path), path)
    assert scores["mse", "faithful"].value == 0.0
    assert scores["psnr", "faithful"].number == math.inf
    assert scores["mse", "corrected"].value != 0.0  # aligned back by warping, or not found
    if orientation == 3:
        assert (scores["ssim", "faithful"].number or 0) < 0.6


def test_an_input_that_exif_turns_is_compared_as_it_is_shown(tmp_path: Path) -> None:
    exif, sample = Image.Exif(), make(tmp_path)
    exif[0x0112] = 3
    Image.fromarray(oriented(PICTURE, 3)).save(sample.image, exif=exif)
    assert score(sample, PICTURE)["mse", "faithful"].value == 0.0


def test_everything_masked(tmp_path: Path) -> None:
    """The released SSIM of two black frames is 1; nothing else has anything to compare."""
    sample = make(tmp_path, input=np.ones_like(AREA), second=AREA)
    scores = score(sample, noisy(PICTURE, 30))
    assert statuses(scores, "mse", "psnr") == {Status.DATASET_FAULT}
    assert scores["ssim", "corrected"].status is Status.DATASET_FAULT
    assert scores["ssim", "faithful"].value == 1.0
    assert scores["ssim", "faithful"].detail == {"all_masked": True}


@pytest.mark.parametrize("gone", ["input", "second"])
def test_a_mask_that_is_not_there(tmp_path: Path, gone: str) -> None:
    """The released error is taken outside the masks that are there; no corrected score guesses at
    the other one.
    """
    sample = make(tmp_path)
    sample.masks[gone].unlink()
    scores = score(sample, PICTURE)
    assert scores["ssim", "faithful"].status is Status.DATASET_FAULT
    assert scores["mse", "faithful"].value == 0.0
    for metric in ("mse", "psnr", "ssim"):
        assert scores[metric, "corrected"].status is Status.DATASET_FAULT
        assert scores[metric, "corrected"].reason.startswith(f"no mask {gone!r}")
    for mask in sample.masks.values():
        mask.unlink(missing_ok=True)
    assert {s.status for s in score(sample, PICTURE).values()} == {Status.DATASET_FAULT}


# -- against the reference edit (paper, 4.1) -------------------------------------------------------


def with_reference(folder: Path, *patches: tuple[slice, slice]) -> tuple[Sample, Array]:
    reference = PICTURE.copy()
    for patch in patches:
        reference[patch] = 255 - reference[patch]
    folder.mkdir(exist_ok=True)
    write_png(folder / "reference.png", reference)
    made = make(folder)
    return replace(made, split="synthetic", reference=folder / "reference.png"), reference


INSIDE = (slice(64, 80), slice(48, 96))
OUTSIDE = (slice(110, 140), slice(130, 190))


def test_the_reference_itself_is_best_and_a_no_op_is_not(tmp_path: Path) -> None:
    """It changes a patch outside the mask, too: by the released comparison a no-op is better."""
    sample, reference = with_reference(tmp_path, INSIDE, OUTSIDE)
    own, no_op = (score(sample, one, AGAINST_REFERENCE) for one in (reference, PICTURE))
    for variant in VARIANTS:
        assert own["reference_mse", variant].value == 0.0
        assert own["reference_ssim", variant].value == 1.0
        assert own["reference_psnr", variant].number == math.inf
        assert (no_op["reference_mse", variant].value or 0) > 100
        assert (no_op["reference_ssim", variant].value or 1) < 0.99
    assert (score(sample, reference)["mse", "faithful"].value or 0) > 100
    assert AGAINST_REFERENCE.applies(replace(sample, reference=None))


@pytest.mark.parametrize(("patch", "outside"), [(INSIDE, False), (OUTSIDE, True)])
def test_a_reference_outside_its_masks_is_an_attribute(
    tmp_path: Path, patch: tuple[slice, slice], outside: bool
) -> None:
    sample, _ = with_reference(tmp_path, patch)
    assert measure(sample) == {"reference_outside": outside}
    (found,) = measured([sample])
    assert found.attributes["reference_outside"] is outside
