"""What is trained on is not tested: drawn so, stored so, refused otherwise, down to the pixels."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from editgauge.errors import DataError, UsageError
from editgauge.images import read_image, write_png
from editgauge.store.run import Run
from editgauge.testing import make_sample
from editgauge.tuning import split
from editgauge.tuning.split import Split
from editgauge.types import Sample

TASK = "Turn it."


@pytest.fixture
def samples(tmp_path: Path) -> list[Sample]:
    return [made(tmp_path, f"s{number}") for number in range(10)]


def made(folder: Path, name: str) -> Sample:
    """A sample of its own pixels: `make_sample` draws from the sum of a name's letters alone."""
    sample = make_sample(folder / "data", name, size=(16, 16), attributes={"task": TASK})
    for place, path in enumerate((sample.images[0], sample.reference)):
        assert path is not None
        pixels = read_image(path).copy()
        pixels[0, 0] = (int(name[1:]), place, 7)
        write_png(path, pixels)
    return sample


def draw(samples: list[Sample], most: int = 4, tests: int | None = None, seed: int = 0) -> Split:
    return split.draw(TASK, samples, most=most, tests=tests, seed=seed)


def test_no_sample_is_on_both_sides_and_the_seed_decides(samples: list[Sample]) -> None:
    found = draw(samples)
    assert len(found.training) == 4
    assert len(found.test) == 6
    assert not set(found.training) & set(found.test)
    assert {*found.training, *found.test} == {sample.id for sample in samples}
    assert draw(samples) == found
    assert draw(samples[::-1]).training == found.training, "the data's order does not matter"
    assert {draw(samples, seed=seed).training for seed in range(5)} != {found.training}
    assert draw(samples, most=6).training[:4] == found.training, "4 are among the 6"
    assert len(draw(samples, tests=2).test) == 2


def test_samples_that_share_a_picture_stay_together(samples: list[Sample], tmp_path: Path) -> None:
    again = tmp_path / "again.bmp"
    Image.open(samples[0].images[0]).save(again)
    twin = replace(samples[1], images=(again,))
    assert samples[2].reference is not None
    third = replace(samples[3], images=(samples[2].reference,))  # a reference there, an input here
    mixed = [samples[0], twin, samples[2], third, *samples[4:]]
    for seed in range(8):
        found = draw(mixed, seed=seed)
        sides = dict.fromkeys(found.training, "training") | dict.fromkeys(found.test, "test")
        assert sides["s0"] == sides["s1"], seed
        assert sides["s2"] == sides["s3"], seed
        split.check(found, {sample.id: sample for sample in mixed})


def test_the_guard_refuses_leaks(samples: list[Sample], tmp_path: Path) -> None:
    known = {sample.id: sample for sample in samples}
    good = Split(task=TASK, seed=0, training=("s0", "s1"), test=("s2", "s3"))
    split.check(good, known)
    with pytest.raises(DataError, match="sample s1 has a picture of training sample s1"):
        split.check(Split(task=TASK, seed=0, training=good.training, test=("s1", "s2")), known)
    with pytest.raises(DataError, match="the data have not"):
        split.check(Split(task=TASK, seed=0, training=good.training, test=("gone",)), known)
    copied = tmp_path / "copied.png"
    shutil.copy(samples[0].images[0], copied)
    leak = {**known, "s3": replace(known["s3"], images=(copied,))}
    with pytest.raises(DataError, match="test sample s3 has a picture of training sample s0"):
        split.check(good, leak)


def test_the_split_is_stored_and_never_drawn_again(samples: list[Sample], tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")

    def kept(most: int = 4, seed: int = 0, mine: list[Sample] = samples) -> Split:
        return split.kept(run, "mini", TASK, mine, most=most, tests=None, seed=seed)

    first = kept()
    assert split.stored(Run.open(run.path), "mini") == {TASK: first}
    more = [*samples, made(tmp_path, "s77")]
    assert kept(mine=more) == first, "a sample that came later changes nothing"
    assert kept(most=2) == first
    with pytest.raises(UsageError, match="has seed 0 and 4 training samples, wanted seed 1"):
        kept(seed=1)
    with pytest.raises(UsageError, match="use another run"):
        kept(most=6)
    training, test = split.held_out(run, "mini", samples)
    assert [sample.id for sample in training] == list(first.training)
    assert [sample.id for sample in test] == list(first.test)
    with pytest.raises(UsageError, match="has no split of other"):
        split.held_out(run, "other", samples)
