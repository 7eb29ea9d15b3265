"""When an output is the input handed back: decided by pixels, not by bytes, names or formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from editgauge.images import read_image, write_png
from editgauge.store.outputs import given_back
from editgauge.testing import make_sample
from editgauge.types import Sample


def as_png(sample: Sample, path: Path) -> None:
    path.write_bytes(sample.image.read_bytes())


def as_webp(sample: Sample, path: Path) -> None:
    Image.open(sample.image).save(path, format="WEBP", lossless=True)


def with_comment(sample: Sample, path: Path) -> None:
    image = Image.open(sample.image)
    image.save(path, format="PNG", compress_level=0, dpi=(300, 300))


def one_level_off(sample: Sample, path: Path) -> None:
    pixels = read_image(sample.image).copy()
    pixels[-1, -1, 2] ^= 1
    write_png(path, pixels)


def smaller(sample: Sample, path: Path) -> None:
    write_png(path, np.ascontiguousarray(read_image(sample.image)[:, :-1]))


def turned(sample: Sample, path: Path) -> None:
    write_png(path, np.ascontiguousarray(read_image(sample.image)[::-1]))


def no_picture(sample: Sample, path: Path) -> None:
    path.write_text("<html>")


@pytest.mark.parametrize(
    ("write", "told"),
    [
        (as_png, True),
        (as_webp, True),
        (with_comment, True),
        (one_level_off, False),
        (smaller, False),
        (turned, False),
        (no_picture, None),
    ],
)
def test_given_back(
    tmp_path: Path, write: Callable[[Sample, Path], None], told: bool | None
) -> None:
    sample = make_sample(tmp_path, size=(64, 48))
    write(sample, tmp_path / "output")
    assert given_back(tmp_path / "output", sample) is told


def test_any_of_several_inputs_counts(tmp_path: Path) -> None:
    first, second = (make_sample(tmp_path, name, size=(64, 48)) for name in ("a", "b"))
    both = replace(first, images=(first.image, second.image))
    write_png(tmp_path / "output", read_image(second.image))
    assert given_back(tmp_path / "output", both) is True
    assert given_back(tmp_path / "output", first) is False


def test_an_input_that_cannot_be_read_tells_nothing(tmp_path: Path) -> None:
    sample = make_sample(tmp_path, size=(64, 48))
    as_png(sample, tmp_path / "output")
    sample.image.write_text("no picture")
    assert given_back(tmp_path / "output", sample) is None
