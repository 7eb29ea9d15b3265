"""When an output is the input handed back: decided by pixels, not by bytes, names or formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editgauge.images import read_image, write_png
from editgauge.store.outputs import given_back
from editgauge.testing import make_sample

Pixels = np.ndarray[Any, Any]


def one_level_off(pixels: Pixels) -> Pixels:
    pixels[-1, -1, 2] ^= 1
    return pixels


@pytest.mark.parametrize(
    ("change", "form", "told"),
    [
        (lambda pixels: pixels, {"format": "PNG", "compress_level": 0, "dpi": (300, 300)}, True),
        (lambda pixels: pixels, {"format": "WEBP", "lossless": True}, True),
        (one_level_off, {"format": "PNG"}, False),
        (lambda pixels: pixels[:, :-1], {"format": "PNG"}, False),
        (lambda pixels: pixels[::-1], {"format": "PNG"}, False),
    ],
)
def test_given_back(
    tmp_path: Path, change: Callable[[Pixels], Pixels], form: dict[str, Any], told: bool
) -> None:
    sample, output = make_sample(tmp_path, size=(64, 48)), tmp_path / "output"
    pixels = np.ascontiguousarray(change(read_image(sample.image).copy()))
    Image.fromarray(pixels).save(output, **form)
    assert given_back(output, sample) is told


def test_any_of_several_inputs_counts_and_what_cannot_be_read_tells_nothing(tmp_path: Path) -> None:
    first, second = (make_sample(tmp_path, name, size=(64, 48)) for name in ("a", "b"))
    both, output = replace(first, images=(first.image, second.image)), tmp_path / "output"
    write_png(output, read_image(second.image))
    assert given_back(output, both) is True
    assert given_back(output, first) is False
    first.image.write_text("no picture")
    assert given_back(output, first) is None
    output.write_text("<html>")
    assert given_back(output, second) is None
