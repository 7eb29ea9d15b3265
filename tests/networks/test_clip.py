"""CLIP against transformers used plainly, and the three mistakes that give wrong scores without an
error.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="CLIP needs torch")
transformers = pytest.importorskip("transformers", reason="CLIP needs transformers")

from editgauge.errors import WeightsError  # noqa: E402
from editgauge.networks.clip import ClipModel, crops_agree, preprocess  # noqa: E402
from editgauge.testing import make_picture  # noqa: E402
from tests.networks import tiny  # noqa: E402

LONG = "the red sign says remove the tube a " * 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_clip(tmp_path_factory.mktemp("clip"))


@pytest.fixture(scope="module")
def plain(folder: Path) -> Any:
    """The same checkpoint in transformers' own hands."""
    return transformers.CLIPModel.from_pretrained(folder).eval()


def embeddings(found: Any) -> np.ndarray:
    """transformers 5 gives an object with the projected features in it, earlier versions the
    tensor.
    """
    return np.asarray(getattr(found, "pooler_output", found).detach().numpy())


@pytest.mark.parametrize("size", [(64, 48), (101, 333), (640, 479), (225, 224), (30, 31)])
def test_preprocessing_equals_transformers(size: tuple[int, int]) -> None:
    from PIL import Image

    picture = make_picture(size)
    processor = transformers.CLIPImageProcessorPil()
    expected = processor(Image.fromarray(picture), return_tensors="np")["pixel_values"][0]
    found = preprocess(picture)
    assert found.shape == (3, 224, 224)
    assert np.abs(found - expected).max() < 1e-5


@pytest.mark.parametrize(
    ("width", "height", "shift"), [(227, 224, 1), (226, 224, 0), (225, 224, 0), (231, 224, 1)]
)
def test_the_other_crop_is_torchvisions(width: int, height: int, shift: int) -> None:
    """torchvision's centre crop starts at int(round((side - 224) / 2.0)), transformers' at (side -
    224) // 2.
    """
    picture = make_picture((width, height))
    left = round((width - 224) / 2.0)
    expected = picture[:, left : left + 224].astype(np.float32) / 255.0
    expected = (expected - np.array([0.48145466, 0.4578275, 0.40821073])) / np.array(
        [0.26862954, 0.26130258, 0.27577711]
    )
    assert np.abs(preprocess(picture, crop="round").transpose(1, 2, 0) - expected).max() < 1e-5
    assert left - (width - 224) // 2 == shift
    assert crops_agree(width, height) == (shift == 0)


def test_image_features_equal_transformers(folder: Path, plain: Any) -> None:
    inputs = [preprocess(make_picture((50 + n, 40), seed=n), side=32) for n in range(3)]
    expected = embeddings(plain.get_image_features(pixel_values=torch.from_numpy(np.stack(inputs))))
    assert np.abs(expected).max() > 0.1
    assert ClipModel(folder).image_features(inputs) == pytest.approx(expected, abs=1e-5)


def test_text_features_equal_transformers(folder: Path, plain: Any) -> None:
    texts = ["the red sign", "remove a tube, 2!", "A", LONG]
    model = ClipModel(folder)
    tokens = model.tokenize(texts)
    whole = plain.get_text_features(
        **transformers.CLIPTokenizer(
            vocab=json.loads((folder / "vocab.json").read_text()),
            merges=[
                tuple(line.split()) for line in (folder / "merges.txt").read_text().splitlines()[1:]
            ],
        )(texts, padding="max_length", truncation=True, max_length=77, return_tensors="pt")
    )
    assert model.text_features(tokens) == pytest.approx(embeddings(whole), abs=1e-5)


def test_a_long_text_keeps_its_end_token(folder: Path) -> None:
    """Cut by slicing, the end token would be gone, and the feature read at another token."""
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
    """The configuration is right, but the library builds something else."""
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
