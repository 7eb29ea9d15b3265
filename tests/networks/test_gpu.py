"""The same values on a GPU: float32 to 1e-4 of the CPU's, any batch to 1e-5, half precision near
it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="networks need torch")

from editgauge.metrics.lpips import Network  # noqa: E402
from editgauge.networks.clip import ClipModel, preprocess  # noqa: E402
from editgauge.networks.inception import Inception, prepare  # noqa: E402
from editgauge.networks.runtime import resolve  # noqa: E402
from editgauge.testing import make_picture  # noqa: E402
from tests.metrics.test_lpips import (  # noqa: E402
    frames,
    heads,
    lpips,
)
from tests.networks import tiny  # noqa: E402

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("net", ["squeeze", "alex"])
def test_lpips(net: str) -> None:
    resolve("cuda")
    made = [frames((96, 80), seed) for seed in range(4)]
    networks = {
        device: Network(net, tiny.backbone_state(net), heads(net), device=device)
        for device in ("cpu", "cuda")
    }
    cpu, gpu = ([lpips(network, a, b) for a, b in made] for network in networks.values())
    assert gpu == pytest.approx(cpu, rel=1e-4)
    network = networks["cuda"]
    joined = network.features(np.stack([a for a, _ in made]))
    masks = np.zeros((4, 80, 96), np.bool_)
    together = network.distance(joined, np.stack([b for _, b in made]), masks)
    assert together[0] == pytest.approx(gpu, abs=1e-5)
    assert together[1] == pytest.approx(gpu, abs=1e-5)


@pytest.mark.parametrize(
    ("precision", "tolerance"), [("float32", 1e-4), ("bfloat16", 0.05), ("float16", 0.005)]
)
def test_features(precision: str, tolerance: float, tmp_path: Path) -> None:
    runtime = resolve("cuda", precision)
    pictures = [make_picture((120, 90), seed=seed) for seed in range(5)]
    ready = [prepare(picture) for picture in pictures]

    def close(found: Any, expected: Any, bound: float) -> bool:
        return bool(np.abs(found - expected).max() <= bound * np.abs(expected).max())

    slow, fast = Inception(tiny.inception_state()), Inception(tiny.inception_state(), runtime)
    whole = fast.features_of(ready)
    assert close(whole, slow.features_of(ready), tolerance)
    if precision == "float32":
        assert close(np.concatenate([fast.features_of([one]) for one in ready]), whole, 1e-5)
    folder = tiny.write_clip(tmp_path)
    inputs = [preprocess(picture, side=32) for picture in pictures]
    own, plain = ClipModel(folder, runtime=runtime), ClipModel(folder)
    assert close(own.image_features(inputs), plain.image_features(inputs), tolerance)
    tokens = own.tokenize(["the red sign", "a"])
    assert close(own.text_features(tokens), plain.text_features(tokens), tolerance)
