"""The MedCLIP adapter on the real package's model with random weights: the cosine that the package
itself computes, on a machine without CUDA.

The package is used where it is installed (``pip install --no-deps medclip``), and fetched with
``--run-network``. Its model code is run as it is; BERT and Swin are small and untrained. Its
processor needs transformers of 2022 and is not run here.
"""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="MedCLIP needs torch")
transformers = pytest.importorskip("transformers", reason="MedCLIP needs transformers")
pytest.importorskip("requests", reason="MedCLIP's model code imports requests")

ADAPTER = Path(__file__).resolve().parents[2] / "examples" / "medclip_adapter.py"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """The folder of the package's code."""
    found = importlib.util.find_spec("medclip")
    if found is not None and found.origin is not None:
        return Path(found.origin).parent
    if not request.config.getoption("--run-network"):
        pytest.skip("medclip is not installed; --run-network fetches it")
    folder = tmp_path_factory.mktemp("medclip")
    words = ["-m", "pip", "download", "-q", "--no-deps", "MedCLIP==0.0.3", "-d", str(folder)]
    subprocess.run([sys.executable, *words], check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder)
    return folder / "medclip"


def _tiny(name: str, **options: Any) -> Any:
    torch.manual_seed(0)
    if "swin" in name.lower():
        config = transformers.SwinConfig(depths=[1, 1, 1, 1])
        return transformers.SwinModel(config)
    sizes = {"num_hidden_layers": 3, "intermediate_size": 64, "vocab_size": 50}
    return transformers.BertModel(
        transformers.BertConfig(hidden_size=768, output_hidden_states=True, **sizes)
    )


@pytest.fixture
def model(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """`medclip.MedCLIPModel` with the vision tower that the adapter names."""
    package = types.ModuleType("medclip")
    package.__path__ = [str(place)]
    monkeypatch.setitem(sys.modules, "medclip", package)
    if importlib.util.find_spec("torchvision") is None:  # for the other vision tower only
        monkeypatch.setitem(sys.modules, "torchvision", types.ModuleType("torchvision"))
    monkeypatch.setattr(transformers.AutoModel, "from_pretrained", _tiny)
    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", lambda name: None)
    code = importlib.import_module("medclip.modeling_medclip")
    yield code.MedCLIPModel(vision_cls=code.MedCLIPVisionModelViT).eval()
    for name in ("medclip.modeling_medclip", "medclip.constants"):
        sys.modules.pop(name, None)


def test_the_adapter_gives_the_package_s_own_cosine(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = importlib.util.spec_from_file_location("medclip_adapter", ADAPTER)
    assert spec is not None
    assert spec.loader is not None
    monkeypatch.syspath_prepend(str(ADAPTER.parent))
    adapter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(adapter)
    torch.manual_seed(1)
    inputs = {
        "pixel_values": torch.randn(1, 1, 224, 224),
        "input_ids": torch.tensor([[2, 17, 30, 3, 0]]),
        "attention_mask": torch.tensor([[1, 1, 1, 1, 0]]),
    }
    with torch.no_grad():
        picture, words = adapter.embeddings(model, inputs, "cpu")
        if not torch.cuda.is_available():
            with pytest.raises((AssertionError, RuntimeError)):
                model(**inputs)
        monkeypatch.setattr(torch.Tensor, "cuda", lambda tensor, *args, **options: tensor)
        wanted = model(**inputs)
    assert picture.shape == words.shape == (512,)
    found = torch.nn.functional.cosine_similarity(picture, words, dim=0)
    own = (wanted["img_embeds"] * wanted["text_embeds"]).sum()
    assert float(found) == pytest.approx(float(own), abs=1e-6)
    assert abs(float(found)) < 1
