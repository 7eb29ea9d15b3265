"""The pixel scorers of benchmarks without a released pixel script: what they measure, and when they
have nothing to.
"""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from editgauge import catalog
from editgauge.images import read_image, read_mask, write_png
from editgauge.metrics.error import masked_mse, psnr_of_mse
from editgauge.scoring.pixel import BackgroundScorer, Recent, ReferenceScorer
from editgauge.scoring.scorer import Scorer
from editgauge.testing import make_sample
from editgauge.types import Edit, Sample, Score, Status
from tests.metrics.drawn import blocks, noisy


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
        for found in scorer.score(sample, Edit(sample=sample.id, editor="tested", path=path))
    }


def test_the_reference_is_perfect_for_both(sample: Sample) -> None:
    assert sample.reference is not None
    near = score(ReferenceScorer(), sample, sample.reference)
    assert near["reference_psnr"].number == math.inf
    assert near["reference_ssim"].value == 1.0
    kept = score(BackgroundScorer(), sample, sample.reference)
    assert kept["ssim"].value == 1.0
    assert kept["mse"].value == pytest.approx(0.0, abs=0.5)


def test_the_input_is_kept_but_not_near(sample: Sample) -> None:
    assert score(BackgroundScorer(), sample, sample.image)["psnr"].number == math.inf
    assert sample.reference is not None
    found = score(ReferenceScorer(), sample, sample.image)["reference_psnr"].number
    assert found == psnr_of_mse(masked_mse(read_image(sample.reference), read_image(sample.image)))
    assert 5 < found < 30


def test_another_size_is_resized_and_noted(sample: Sample, tmp_path: Path) -> None:
    write_png(tmp_path / "large.png", np.repeat(np.repeat(blocks(160, 120), 2, axis=0), 2, axis=1))
    for found in score(ReferenceScorer(), sample, tmp_path / "large.png").values():
        assert found.detail["resized_from"] == "320x240"


def test_more_noise_is_worse(sample: Sample, tmp_path: Path) -> None:
    values = []
    for amount in (4, 12, 30):
        write_png(tmp_path / "noisy.png", noisy(blocks(160, 120), amount))
        found = score(BackgroundScorer(), sample, tmp_path / "noisy.png")
        values.append([found[name].number or 0.0 for name in ("psnr", "ssim")])
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("scorer", [BackgroundScorer(), ReferenceScorer()], ids=lambda s: s.name)
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
    assert BackgroundScorer().applies(bare) == "the sample has no mask"
    assert ReferenceScorer().applies(bare) == "the sample has no reference"


@pytest.mark.parametrize("name", ["mini", "textedit", "krisbench", "texteditbench", "medebench"])
def test_every_benchmark_has_a_pixel_track_that_travels(name: str) -> None:
    scorers = [s for s in catalog.find("benchmarks", name).scorers(["pixel"]) if s.name != "lpips"]
    assert scorers
    for scorer in scorers:
        if scorer.name in ("pixel", "background", "reference"):
            assert isinstance(scorer, Scorer)
            assert pickle.loads(pickle.dumps(scorer)) == scorer


def test_recent_keeps_the_last_ones() -> None:
    made: list[str] = []
    recent: Recent[str] = Recent(2)
    for key in "aabaca":
        assert recent.get(key, lambda key=key: made.append(key) or key) == key  # type: ignore[misc]
    assert made == ["a", "b", "c"]
    recent.get("b", lambda: made.append("b") or "b")  # type: ignore[func-returns-value]
    assert made == ["a", "b", "c", "b"]
