"""Blind copies: one size, one length, no metadata; marked regions go back to an output's pixels."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from editgauge.study.answers import boxes_on_output
from editgauge.study.pictures import Pictures
from editgauge.study.studies import outputs_of
from tests.study.made_study import EDITORS, make_run


@pytest.fixture
def pictures(tmp_path: Path) -> Pictures:
    run = make_run(tmp_path, samples=2)
    outputs = outputs_of(run, "bench")
    # alpha's output becomes a JPEG that says who made it; beta's a large PNG with a text chunk
    path = run.path / outputs["s00", "alpha"]
    Image.new("RGB", (33, 50), "red").save(path, "JPEG", comment=b"made by alpha", quality=30)
    info = PngImagePlugin.PngInfo()
    info.add_text("model", "beta")
    noise = np.random.default_rng(0).integers(0, 255, (300, 200, 3), dtype=np.uint8)
    Image.fromarray(noise).save(run.path / outputs["s00", "beta"], "PNG", pnginfo=info)
    records = {str(record["id"]): record for record in run.samples("bench")}
    return Pictures(run, records, outputs)


def test_nothing_but_pixels_tells_copies_apart(pictures: Pictures) -> None:
    names = [*pictures.names("s00"), *EDITORS]
    assert names == ["input0", "reference", "mask", *EDITORS]
    files = [pictures.png("s00", name, EDITORS) for name in names]
    assert len({len(data) for data in files}) == 1
    opened = [Image.open(io.BytesIO(data)) for data in files]
    for image in opened:
        image.load()
    assert {image.size for image in opened} == {(60, 40)}
    assert {image.format for image in opened} == {"PNG"}
    assert {str(image.info) for image in opened} == {"{}"}
    assert not any(word in data for data in files for word in (b"alpha", b"beta", b"tEXt", b"eXIf"))


def test_the_pixels_are_the_outputs(pictures: Pictures) -> None:
    data = pictures.png("s00", "alpha", EDITORS)
    pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    # 33 x 50 in 60 x 40: 26 x 40 in the middle, grey at both sides
    assert (pixels[:, 0] == 127).all()
    assert pixels[20, 30, 0] > 240
    assert pixels[20, 30, 1] < 20


def test_a_copy_is_made_again_when_its_file_changed(pictures: Pictures) -> None:
    before = pictures.png("s01", "alpha", EDITORS)
    path = pictures.run.path / pictures.outputs["s01", "alpha"]
    Image.new("RGB", (60, 40), "blue").save(path, "PNG")
    assert pictures.png("s01", "alpha", EDITORS) != before


def test_a_box_goes_back_to_the_outputs_own_pixels(pictures: Pictures) -> None:
    # alpha is 33 x 50, shown 26 x 40 at x = 17: the right half of it is x from 30 to 43
    region = {"label": "artefact", "box": [30 / 60, 0.5, 1.0, 1.0]}
    (box,) = boxes_on_output([region], pictures, "s00", "alpha")
    assert box == [16.5, 25.0, 33.0, 50.0, "artefact"]
    bar = {"label": "artefact", "box": [0.0, 0.0, 0.1, 0.1]}
    assert boxes_on_output([bar], pictures, "s00", "alpha") == []
