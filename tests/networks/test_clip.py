"""CLIP against transformers, and the mistakes that give wrong scores without an error."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="CLIP needs torch")
transformers = pytest.importorskip("transformers", reason="CLIP needs transformers")

from editgauge.errors import WeightsError  # noqa: E402
from editgauge.networks.clip import ClipModel, preprocess  # noqa: E402
from editgauge.testing import make_picture  # noqa: E402
from tests.networks import tiny  # noqa: E402

LONG = "the red sign says remove the tube a " * 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_clip(tmp_path_factory.mktemp("clip"))


@pytest.mark.parametrize("size", [(64, 48), (101, 333), (640, 479), (225, 224), (30, 31)])
def test_preprocessing_equals_transformers(size: tuple[int, int]) -> None:
    from PIL import Image

    picture = make_picture(size)
    processor = transformers.CLIPImageProcessorPil()
    expected = processor(Image.fromarray(picture), return_tensors="np")["pixel_values"][0]
    found = preprocess(picture)
    assert found.shape == (3, 224, 224)
    assert np.abs(found - expected).max() < 1e-5


def test_a_long_text_keeps_its_end_token(folder: Path) -> None:
    model = ClipModel(folder)
    tokens = model.tokenize([LONG, "a sign"])
    end = json.loads((folder / "vocab.json").read_text())["<|endoftext|>"]
    assert tokens.ids.shape == (2, 77)
    assert tokens.lengths[0] > 77 > tokens.lengths[1]
    assert tokens.ids[0, -1] == end
    assert int((tokens.ids[0] == end).sum()) == 1
    sliced = tokens.ids.clone()
    sliced[0, -1] = tokens.ids[0, -2]
    right = model.text_features(tokens)[0]
    wrong = model.text_features(tokens._replace(ids=sliced))[0]
    assert np.abs(right - wrong).max() > 1e-3


def test_a_wrong_activation_in_the_configuration_is_caught(tmp_path: Path) -> None:
    folder = tiny.write_clip(tmp_path, activation="gelu")
    with pytest.raises(WeightsError, match=r"'gelu'.*'quick_gelu'"):
        ClipModel(folder)


def test_a_network_that_computes_another_activation_is_caught(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(transformers.activations.ACT2FN, "quick_gelu", torch.nn.GELU)
    with pytest.raises(WeightsError, match="computes another activation"):
        ClipModel(folder).image_features([preprocess(make_picture((40, 40)), side=32)])


def test_damaged_checkpoints_are_named(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"config\.json"):
        ClipModel(tmp_path)
    folder = tiny.write_clip(tmp_path / "clip")
    path = folder / "model.safetensors"
    whole = path.read_bytes()
    inputs = [preprocess(make_picture((40, 40)), side=32)]
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(WeightsError, match="cannot be loaded"):
        ClipModel(folder).image_features(inputs)
    from safetensors.torch import load_file, save_file

    path.write_bytes(whole)
    tensors = {name: of for name, of in load_file(path).items() if "visual_projection" not in name}
    save_file(tensors, path, metadata={"format": "pt"})
    with pytest.raises(WeightsError, match="incomplete"):
        ClipModel(folder).image_features(inputs)
