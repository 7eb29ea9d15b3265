"""The MedCLIP adapter asks the model's towers, never the package's methods that move to CUDA."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="MedCLIP needs torch")
ADAPTER = Path(__file__).resolve().parents[2] / "examples" / "medclip_adapter.py"


class Model:
    """As `medclip.MedCLIPModel` 0.0.3: two towers, and methods that call ``.cuda()``."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.vision_model = torch.nn.Linear(12, 8)
        self.words = torch.nn.Embedding(10, 8)

    def encode_image(self, pixel_values: Any) -> Any:
        made = self.vision_model(pixel_values.flatten(1))
        return made / made.norm(dim=-1, keepdim=True)

    def text_model(self, input_ids: Any, attention_mask: Any) -> Any:
        return (self.words(input_ids) * attention_mask[..., None]).sum(1)

    def encode_text(self, input_ids: Any, attention_mask: Any) -> Any:
        raise AssertionError("Torch not compiled with CUDA enabled")

    __call__ = encode_text


def test_a_pair_is_embedded_on_the_cpu() -> None:
    spec = importlib.util.spec_from_file_location("medclip_adapter", ADAPTER)
    assert spec is not None
    assert spec.loader is not None
    adapter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(adapter)
    inputs = {
        "pixel_values": torch.ones(1, 3, 2, 2),
        "input_ids": torch.tensor([[1, 2, 3]]),
        "attention_mask": torch.tensor([[1, 1, 0]]),
    }
    model = Model()
    picture, words = adapter.embeddings(model, inputs, "cpu")
    assert picture.shape == words.shape == (8,)
    assert torch.allclose(words, model.words(torch.tensor([1, 2])).sum(0))
