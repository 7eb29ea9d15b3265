"""Faces are proposed, and hidden once a person has confirmed it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from editgauge.curation import privacy
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import About, Box
from editgauge.errors import DataError
from editgauge.images import read_image
from editgauge.networks import weights


@pytest.fixture(autouse=True)
def no_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EDITGAUGE_WEIGHTS", str(tmp_path / "weights"))


def test_a_face_is_proposed_and_hidden_once_confirmed(tmp_path: Path) -> None:
    photograph = pytest.importorskip("skimage.data").astronaut()
    data = DataSet.create(tmp_path / "set", About(name="wards"))
    pixels = np.ascontiguousarray(photograph[:320, 60:380])
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
    face, edge = (one.box for one in privacy.faces_in(np.zeros((320, 320, 3), np.uint8)))
    assert (face, edge) == ((80, 60, 160, 200), (300, 300, 20, 20)), "what lies in the picture"


def test_a_name_cannot_be_found_by_trying_with_what_is_public(tmp_path: Path) -> None:
    data = DataSet.create(tmp_path / "set", About(name="wards"))
    privacy.remember(data, ["Mustermann"])
    stored = (data.root / ".curate/names").read_text()
    assert privacy._old_hash(data, "mustermann") not in stored
    assert privacy.names_in(data, ["Erika MUSTERMANN"]) == ["MUSTERMANN"]
    other = DataSet.create(tmp_path / "other", About(name="wards"))
    privacy.remember(other, ["Mustermann"])
    assert (other.root / ".curate/names").read_text() != stored


def test_names_of_an_older_set_are_still_found(tmp_path: Path) -> None:
    data = DataSet.create(tmp_path / "set", About(name="wards"))
    (data.root / ".curate").mkdir()
    (data.root / ".curate/names").write_text(privacy._old_hash(data, "mustermann"))
    assert privacy.names_in(data, ["Mustermann, Erika"]) == ["Mustermann"]
