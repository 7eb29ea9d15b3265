"""MedEBench's pixel scorer: expected numbers of real outputs, scikit-image, both variants, and the
edges.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editgauge.benchmarks.medebench.scorers import PIXELS, darkened
from editgauge.images import write_png
from editgauge.metrics.ssim import UNIFORM, clear_windows, ssim_means
from editgauge.types import Edit, Sample, Score, Status
from tests.metrics.drawn import Array, noisy, scene
from tests.scoring.scored import scored

SIZE = (120, 90)
EXPECTED = {
    "masked_ssim": 0.659828042573397,
    "psnr": 14.479352010745954,
    "ssim_full": 0.5606327497812821,
}
"""What scikit-image 0.26 and plain single-precision NumPy give for `example()`;
`test_numbers_of_the_libraries` computes them again where scikit-image is there.
"""
Scores = dict[tuple[str, str], Score]


def region() -> Array:
    """A grey mask: 255 inside, a ramp at one side, 0 elsewhere."""
    grey = np.zeros((SIZE[1], SIZE[0]), np.uint8)
    grey[30:60, 40:80] = 255
    grey[30:60, 80:100] = np.linspace(250, 5, 20).astype(np.uint8)
    return grey


def make(folder: Path, picture: Array, reference: Array | None, grey: Array) -> Sample:
    write_png(folder / "previous" / "1.png", picture)
    write_png(folder / "mask" / "1.png", grey)
    if reference is not None:
        write_png(folder / "changed" / "1.png", reference)
    return Sample(
        benchmark="medebench",
        id="1",
        split="",
        category=("Teeth",),
        instruction="Do it",
        images=(folder / "previous" / "1.png",),
        output_stems=("1_0",),
        reference=None if reference is None else folder / "changed" / "1.png",
        masks={"roi": folder / "mask" / "1.png"},
    )


def score(sample: Sample, output: Array | Path) -> Scores:
    path = output if isinstance(output, Path) else sample.image.parent.parent / "output.png"
    if not isinstance(output, Path):
        write_png(path, output)
    found = {
        (s.metric, s.variant): s
        for s in scored(PIXELS, sample, Edit(sample="1", editor="tested", path=path))
    }
    assert set(found) == {(m.name, v) for m in PIXELS.metrics for v in m.variants}
    return found


def example() -> tuple[Array, Array, Array]:
    """Input, reference and output."""
    return scene(*SIZE), noisy(scene(*SIZE), 15), noisy(scene(*SIZE, shift=1), 25)


def test_numbers_of_the_libraries(tmp_path: Path) -> None:
    picture, reference, output = example()
    scores = score(make(tmp_path, picture, reference, region()), output)
    metrics = pytest.importorskip("skimage.metrics", reason="the reference is scikit-image")
    left = 1 - region()[:, :, None].astype(np.float32) / np.float32(255)

    def dark(array: Array) -> Array:
        return (array.astype(np.float32) / np.float32(255) * left * np.float32(255)).astype(
            np.uint8
        )

    expected = {
        "masked_ssim": metrics.structural_similarity(dark(picture), dark(output), channel_axis=-1),
        "psnr": metrics.peak_signal_noise_ratio(reference, output),
        "ssim_full": metrics.structural_similarity(reference, output, channel_axis=-1),
    }
    for name, value in expected.items():
        assert scores[name, "faithful"].value == pytest.approx(value, abs=1e-6)
        assert value == pytest.approx(EXPECTED[name], abs=1e-9)


def test_darkening_by_hand() -> None:
    """200/255 x (1 - 51/255) x 255 = 160, in single precision just below: cut, not rounded; 0 and
    255 are exact.
    """
    picture = np.array([[[200, 100, 255]]], np.uint8)
    assert darkened(picture, np.array([[0]], np.uint8)).tolist() == [[[200, 100, 255]]]
    assert darkened(picture, np.array([[255]], np.uint8)).tolist() == [[[0, 0, 0]]]
    for grey in (1, 51, 128, 254):
        left = np.float32(1) - np.float32(grey) / np.float32(255)
        by_hand = [
            int(np.float32(level) / np.float32(255) * left * np.float32(255))
            for level in (200, 100, 255)
        ]
        assert darkened(picture, np.array([[grey]], np.uint8)).tolist() == [[by_hand]]


@pytest.mark.parametrize("binary", [True, False])
def test_corrected_looks_at_clear_windows_of_the_pictures_as_they_are(
    tmp_path: Path, binary: bool
) -> None:
    picture, reference, output = example()
    grey = np.where(region() >= 128, 255, 0).astype(np.uint8) if binary else region()
    scores = score(make(tmp_path, picture, reference, grey), output)
    (expected,) = ssim_means(picture, output, UNIFORM, (clear_windows(grey >= 128, UNIFORM),))
    assert scores["masked_ssim", "corrected"].value == pytest.approx(expected, abs=1e-7)
    assert scores["masked_ssim", "corrected"].value != scores["masked_ssim", "faithful"].value


def test_what_is_not_there(tmp_path: Path) -> None:
    picture, reference, output = example()
    without = score(make(tmp_path / "a", picture, None, region()), output)
    assert {without[name, "faithful"].status for name in ("psnr", "ssim_full")} == {
        Status.NOT_APPLICABLE
    }
    assert without["masked_ssim", "faithful"].status is Status.SCORED
    sample = make(tmp_path / "b", picture, reference, region())
    sample.masks["roi"].write_text("no mask")
    broken = score(sample, output)
    assert {broken["masked_ssim", v].status for v in ("faithful", "corrected")} == {
        Status.DATASET_FAULT
    }
    assert broken["psnr", "faithful"].status is Status.SCORED
    assert {s.status for s in score(sample, sample.masks["roi"]).values()} == {Status.UNREADABLE}
    sample.image.unlink()
    assert {s.status for s in score(sample, output).values()} == {Status.DATASET_FAULT}
