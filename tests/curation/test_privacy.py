"""Faces are proposed, and hidden once a person has confirmed it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter

from editgauge.curation import privacy
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import About, Box
from editgauge.errors import DataError
from editgauge.images import Array, read_image
from editgauge.networks import weights


def drawn_face(radius: float = 80) -> Array:
    """A face from the front in the middle of a picture, of ellipses and lines, our own drawing."""
    x, y, r = 160.0, 160.0, radius
    skin, hair, dark = (224, 182, 150), (60, 40, 30), (30, 20, 20)
    image = Image.new("RGB", (320, 320), (90, 120, 150))
    draw = ImageDraw.Draw(image)

    def ellipse(left: float, top: float, right: float, bottom: float, fill: Any) -> None:
        draw.ellipse((x + left * r, y + top * r, x + right * r, y + bottom * r), fill=fill)

    ellipse(-1.05, -1.45, 1.05, 0.4, hair)
    ellipse(-0.85, -1.15, 0.85, 1.15, skin)
    draw.pieslice((x - 0.87 * r, y - 1.2 * r, x + 0.87 * r, y - 0.1 * r), 180, 360, fill=hair)
    ellipse(-0.85, -0.95, 0.85, 0.9, skin)
    for side in (-0.36, 0.36):
        ellipse(side - 0.22, -0.28, side + 0.22, 0.0, (180, 140, 115))
        ellipse(side - 0.18, -0.21, side + 0.18, -0.03, (245, 245, 245))
        ellipse(side - 0.09, -0.21, side + 0.09, -0.03, dark)
        brow = (x + (side - 0.24) * r, y - 0.38 * r, x + (side + 0.24) * r, y - 0.4 * r)
        draw.line(brow, fill=hair, width=max(2, int(r * 0.09)))
    nose = [(x, y - 0.1 * r), (x - 0.13 * r, y + 0.3 * r), (x + 0.13 * r, y + 0.3 * r)]
    draw.polygon(nose, fill=(200, 155, 125))
    ellipse(-0.11, 0.24, -0.02, 0.32, (110, 70, 60))
    ellipse(0.02, 0.24, 0.11, 0.32, (110, 70, 60))
    ellipse(-0.32, 0.46, 0.32, 0.64, (160, 70, 70))
    return np.array(image.filter(ImageFilter.GaussianBlur(r * 0.03)))


@pytest.fixture(autouse=True)
def no_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EDITGAUGE_WEIGHTS", str(tmp_path / "weights"))


def test_a_face_is_proposed_and_hidden_once_confirmed(tmp_path: Path) -> None:
    pytest.importorskip("skimage")
    data = DataSet.create(tmp_path / "set", About(name="wards"))
    pixels = drawn_face()
    data.add({"id": "a", "instruction": "x", "images": [data.keep(pixels)]}, "ann")
    assert privacy.search(data, ["a"], "ann") == {"a": 1}
    record = data.record("a")
    (path,) = record.images
    proposals = record.pictures[path].proposals
    assert [item.kind for item in proposals] == ["face"]
    assert record.unseen
    x, y, w, h = proposals[0].box
    hidden = privacy.hide(data, "a", record.version, path, proposals[:1], "ann")
    assert not hidden.unseen
    assert not (data.root / path).exists(), "the picture as it was is gone from the set"
    part = read_image(data.path(hidden.images[0]))[y : y + h, x : x + w]
    assert len(np.unique(part.reshape(-1, 3), axis=0)) <= 16
    assert not privacy.faces_in(read_image(data.path(hidden.images[0]))), "it is no face now"
    with pytest.raises(DataError, match="outside"):
        privacy.covered(pixels, Box("face", (300, 300, 90, 90)))


def test_yunet_is_taken_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[40, 30, 80, 100, *[0] * 11], [150, 150, 40, 40, *[0] * 11]]
    detector = SimpleNamespace(detect=lambda _: (1, np.array(rows, np.float32)))
    model = SimpleNamespace(paths={"yunet.onnx": tmp_path / "yunet.onnx"})
    monkeypatch.setattr(privacy, "_LONGEST", 160)
    monkeypatch.setattr(cv2.FaceDetectorYN, "create", lambda *_: detector)
    monkeypatch.setattr(weights, "locate", lambda _: model)
    face, edge = (one.box for one in privacy.faces_in(drawn_face()))
    assert (face, edge) == ((80, 60, 160, 200), (300, 300, 20, 20)), "what lies in the picture"
