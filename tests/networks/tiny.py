"""Small and seeded stand-ins for published weights, written to disk so that the real loading code
reads them.

The backbones are built here from ordinary torch modules under torchvision's names: a second
implementation, independent of the one under test. Numbers come from NumPy's generator, whose stream
is the same in every version of torch.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from msgspec import structs
from torch import nn

from editgauge.networks import weights as table
from editgauge.networks.weights import WeightFile, Weights


class Fire(nn.Module):
    def __init__(self, inside: int, squeeze: int, expand: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(inside, squeeze, 1)
        self.expand1x1 = nn.Conv2d(squeeze, expand, 1)
        self.expand3x3 = nn.Conv2d(squeeze, expand, 3, padding=1)

    def forward(self, x: Any) -> Any:
        x = torch.relu(self.squeeze(x))
        return torch.cat([torch.relu(self.expand1x1(x)), torch.relu(self.expand3x3(x))], 1)


def backbone(name: str) -> nn.Sequential:
    """torchvision's `features` of squeezenet1_1 or alexnet, untrained."""
    if name == "squeezenet1_1":
        pool = lambda: nn.MaxPool2d(3, 2, ceil_mode=True)  # noqa: E731
        return nn.Sequential(
            nn.Conv2d(3, 64, 3, stride=2), nn.ReLU(), pool(), Fire(64, 16, 64), Fire(128, 16, 64),
            pool(), Fire(128, 32, 128), Fire(256, 32, 128), pool(), Fire(256, 48, 192),
            Fire(384, 48, 192), Fire(384, 64, 256), Fire(512, 64, 256),
        )  # fmt: skip
    pool, conv = (lambda: nn.MaxPool2d(3, 2)), nn.Conv2d
    return nn.Sequential(
        conv(3, 64, 11, 4, 2), nn.ReLU(), pool(), conv(64, 192, 5, padding=2), nn.ReLU(), pool(),
        conv(192, 384, 3, padding=1), nn.ReLU(), conv(384, 256, 3, padding=1), nn.ReLU(),
        conv(256, 256, 3, padding=1), nn.ReLU(), pool(),
    )  # fmt: skip


TORCHVISION = {"squeeze": "squeezenet1_1", "alex": "alexnet"}


def fill(module: nn.Module, seed: int) -> None:
    """Seeded weights of a trained network's size, so that activations neither die nor explode."""
    random = np.random.default_rng(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            fan = int(np.prod(parameter.shape[1:])) or 1
            scale = np.sqrt(2.0 / fan) if parameter.ndim > 1 else 0.05
            parameter.copy_(torch.from_numpy(random.standard_normal(parameter.shape) * scale))


def backbone_state(net: str, seed: int = 0) -> dict[str, Any]:
    features = backbone(TORCHVISION[net])
    fill(features, seed)
    return {f"features.{key}": value for key, value in features.state_dict().items()}


def install(
    monkeypatch: Any, folder: Path, name: str, files: Mapping[str, Path], *more: WeightFile
) -> Weights:
    """Put files into the weights table as if they were the published ones, checksums and all."""
    hashes = {file: hashlib.sha256(path.read_bytes()).hexdigest() for file, path in files.items()}
    own = [
        WeightFile(name=file, url=f"http://127.0.0.1:9/{file}", sha256=digest)
        for file, digest in hashes.items()
    ]
    replaced = structs.replace(table.WEIGHTS[name], revision="test", files=(*own, *more))
    monkeypatch.setitem(table.WEIGHTS, name, replaced)
    monkeypatch.setenv(table.ENVIRONMENT, str(folder))
    return replaced


def install_lpips(monkeypatch: Any, folder: Path, net: str) -> Weights:
    """A seeded backbone with the published heads (out of torchmetrics' wheel)."""
    path = folder / f"lpips-{net}" / "backbone.pth"
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(backbone_state(net), path)
    head = table.WEIGHTS[f"lpips-{net}"].files[-1]
    return install(monkeypatch, folder, f"lpips-{net}", {path.name: path}, head)


LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,'\"!?-"


def write_vocabulary(folder: Path) -> int:
    """The files of a byte-pair tokenizer that knows letters and one pair; how many tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["<|startoftext|>", "<|endoftext|>", "th", *LETTERS]
    words += [f"{letter}</w>" for letter in LETTERS]
    (folder / "vocab.json").write_text(json.dumps({word: n for n, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\nt h\n")
    return len(words)


def write_clip(
    folder: Path, *, activation: str = "quick_gelu", side: int = 32, seed: int = 2
) -> Path:
    """A CLIP of 2 layers in transformers' layout, with `write_vocabulary`'s tokenizer; with the
    default seed no cosine of the tests is cut off at 0.
    """
    from transformers import CLIPConfig, CLIPModel

    shape = {
        "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "hidden_act": activation, "projection_dim": 24,
    }  # fmt: skip
    words = {
        "vocab_size": write_vocabulary(folder), "max_position_embeddings": 77,
        "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 1,
    }  # fmt: skip
    config = CLIPConfig(
        text_config={**shape, **words},
        vision_config={**shape, "image_size": side, "patch_size": 8},
        projection_dim=24,
    )
    model = CLIPModel(config)
    random = np.random.default_rng(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim:
                parameter.copy_(torch.from_numpy(random.standard_normal(parameter.shape) * 0.2))
    model.save_pretrained(folder)
    return folder


def install_clip(monkeypatch: Any, folder: Path, **options: Any) -> Path:
    place = write_clip(folder / "clip-vit-large-patch14", **options)
    files = {
        name: place / name
        for name in ("config.json", "model.safetensors", "vocab.json", "merges.txt")
    }
    install(monkeypatch, folder, "clip-vit-large-patch14", files)
    return place


def install_aesthetic(
    monkeypatch: Any, folder: Path, features: int = 24
) -> tuple[np.ndarray, float]:
    random = np.random.default_rng(5)
    weight = random.standard_normal((1, features)).astype(np.float32)
    path = folder / "laion-aesthetic-vit-l-14" / "sa_0_4_vit_l_14_linear.pth"
    path.parent.mkdir(parents=True)
    torch.save({"weight": torch.from_numpy(weight), "bias": torch.tensor([5.25])}, path)
    install(monkeypatch, folder, "laion-aesthetic-vit-l-14", {path.name: path})
    return weight.reshape(-1), 5.25


_A = lambda inside, pool: [  # noqa: E731
    ("branch1x1", 64, inside, 1, 1), ("branch5x5_1", 48, inside, 1, 1),
    ("branch5x5_2", 64, 48, 5, 5), ("branch3x3dbl_1", 64, inside, 1, 1),
    ("branch3x3dbl_2", 96, 64, 3, 3), ("branch3x3dbl_3", 96, 96, 3, 3),
    ("branch_pool", pool, inside, 1, 1),
]  # fmt: skip
_C = lambda mid: [  # noqa: E731
    ("branch1x1", 192, 768, 1, 1), ("branch7x7_1", mid, 768, 1, 1), ("branch7x7_2", mid, mid, 1, 7),
    ("branch7x7_3", 192, mid, 7, 1), ("branch7x7dbl_1", mid, 768, 1, 1),
    ("branch7x7dbl_2", mid, mid, 7, 1), ("branch7x7dbl_3", mid, mid, 1, 7),
    ("branch7x7dbl_4", mid, mid, 7, 1), ("branch7x7dbl_5", 192, mid, 1, 7),
    ("branch_pool", 192, 768, 1, 1),
]  # fmt: skip
_E = lambda inside: [  # noqa: E731
    ("branch1x1", 320, inside, 1, 1), ("branch3x3_1", 384, inside, 1, 1),
    ("branch3x3_2a", 384, 384, 1, 3), ("branch3x3_2b", 384, 384, 3, 1),
    ("branch3x3dbl_1", 448, inside, 1, 1), ("branch3x3dbl_2", 384, 448, 3, 3),
    ("branch3x3dbl_3a", 384, 384, 1, 3), ("branch3x3dbl_3b", 384, 384, 3, 1),
    ("branch_pool", 192, inside, 1, 1),
]  # fmt: skip
_INCEPTION: dict[str, list[tuple[str, int, int, int, int]]] = {
    "": [
        ("Conv2d_1a_3x3", 32, 3, 3, 3), ("Conv2d_2a_3x3", 32, 32, 3, 3),
        ("Conv2d_2b_3x3", 64, 32, 3, 3), ("Conv2d_3b_1x1", 80, 64, 1, 1),
        ("Conv2d_4a_3x3", 192, 80, 3, 3),
    ],
    "Mixed_5b": _A(192, 32), "Mixed_5c": _A(256, 64), "Mixed_5d": _A(288, 64),
    "Mixed_6a": [
        ("branch3x3", 384, 288, 3, 3), ("branch3x3dbl_1", 64, 288, 1, 1),
        ("branch3x3dbl_2", 96, 64, 3, 3), ("branch3x3dbl_3", 96, 96, 3, 3),
    ],
    "Mixed_6b": _C(128), "Mixed_6c": _C(160), "Mixed_6d": _C(160), "Mixed_6e": _C(192),
    "Mixed_7a": [
        ("branch3x3_1", 192, 768, 1, 1), ("branch3x3_2", 320, 192, 3, 3),
        ("branch7x7x3_1", 192, 768, 1, 1), ("branch7x7x3_2", 192, 192, 1, 7),
        ("branch7x7x3_3", 192, 192, 7, 1), ("branch7x7x3_4", 192, 192, 3, 3),
    ],
    "Mixed_7b": _E(1280), "Mixed_7c": _E(2048),
}  # fmt: skip


@functools.cache
def inception_state(seed: int = 0) -> dict[str, Any]:
    """A seeded Inception-v3 of full size under pytorch-fid's names (without the classifier)."""
    random = np.random.default_rng(seed)
    state: dict[str, Any] = {}
    norms = {"weight": (0.8, 1.2), "bias": (-0.1, 0.1), "running_mean": (-0.1, 0.1)}
    norms["running_var"] = (0.8, 1.2)
    for block, convolutions in _INCEPTION.items():
        for name, out, inside, height, width in convolutions:
            full = f"{block}.{name}" if block else name
            drawn = random.standard_normal((out, inside, height, width), np.float32)
            drawn = drawn * np.sqrt(2.0 / (inside * height * width))
            state[f"{full}.conv.weight"] = torch.from_numpy(drawn.astype(np.float32))
            for part, ends in norms.items():
                values = random.uniform(*ends, out).astype(np.float32)
                state[f"{full}.bn.{part}"] = torch.from_numpy(values)
    return state


def install_inception(monkeypatch: Any, folder: Path) -> Path:
    path = folder / "inception-fid" / "inception.pth"
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(inception_state(), path)
    install(monkeypatch, folder, "inception-fid", {path.name: path})
    return path
