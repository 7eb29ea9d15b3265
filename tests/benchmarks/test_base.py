"""A data set that is read lazily."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from editgauge.benchmarks.base import Note, Samples
from editgauge.images import read_image
from editgauge.testing import make_sample
from editgauge.types import Sample


@pytest.mark.parametrize(("benchmark", "is_turned"), [("mine", True), ("krisbench", False)])
def test_what_exif_turns_is_turned_in_a_set_of_ones_own(
    benchmark: str, is_turned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shown = np.random.default_rng(1).integers(0, 255, (6, 4, 3), np.uint8)
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(np.rot90(shown)).save(tmp_path / "a.png", exif=exif)

    def read(note: Note) -> Iterator[Sample]:
        yield make_sample(tmp_path, images=(tmp_path / "a.png",), reference=tmp_path / "a.png")

    (sample,) = Samples(benchmark, tmp_path, read)
    for path in (sample.image, sample.reference):
        assert path is not None
        assert np.array_equal(read_image(path), shown) == is_turned
