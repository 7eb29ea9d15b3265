"""Blind copies: one size, no metadata."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from editgauge.study.pictures import Pictures, outputs_of
from tests.study.made_study import EDITORS, make_run


@pytest.fixture
def pictures(tmp_path: Path) -> Pictures:
    run = make_run(tmp_path, samples=2)
    outputs = outputs_of(run, "bench")
    # alpha's output becomes a JPEG that says who made it; beta's a large PNG with a text chunk
    path = run.path / outputs["s00"]["alpha"]
    Image.new("RGB", (33, 50), "red").save(path, "JPEG", comment=b"made by alpha", quality=30)
    info = PngImagePlugin.PngInfo()
    info.add_text("model", "beta")
    noise = np.random.default_rng(0).integers(0, 255, (300, 200, 3), dtype=np.uint8)
    Image.fromarray(noise).save(run.path / outputs["s00"]["beta"], "PNG", pnginfo=info)
    return Pictures(run, "bench")


def test_nothing_but_pixels_tells_copies_apart(pictures: Pictures) -> None:
    names = [*pictures.files("s00")]
    assert names == ["input0", "reference", "mask"]
    files = [pictures.png("s00", name) for name in names]
    files += [pictures.png("s00", editor=editor) for editor in EDITORS]
    opened = [Image.open(io.BytesIO(data)) for data in files]
    for image in opened:
        image.load()
    assert {image.size for image in opened} == {(60, 40)}
    assert {image.format for image in opened} == {"PNG"}
    assert {str(image.info) for image in opened} == {"{}"}
    assert not any(word in data for data in files for word in (b"alpha", b"beta", b"tEXt", b"eXIf"))
