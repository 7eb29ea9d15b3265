"""LPIPS against torchmetrics' implementation, fed with the same seeded backbone and the published
heads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="LPIPS needs torch")
reference = pytest.importorskip(
    "torchmetrics.functional.image.lpips", reason="the reference is torchmetrics"
)

from editgauge.metrics.lpips import MIN_SIDE, Network  # noqa: E402
from editgauge.networks.loading import state_dict  # noqa: E402
from editgauge.networks.weights import find  # noqa: E402
from editgauge.testing import make_picture  # noqa: E402
from tests.metrics.drawn import noisy  # noqa: E402
from tests.networks import tiny  # noqa: E402


def lpips(network: Network, first: Any, second: Any) -> float:
    return float(network.distance(network.features(first), second)[0][0])


def masked_lpips(network: Network, first: Any, second: Any, mask: Any) -> float:
    return float(network.distance(network.features(first), second, mask[None])[1][0])


def heads(net: str) -> dict[str, Any]:
    """The published heads out of torchmetrics' wheel."""
    entry = find(f"lpips-{net}")
    path = entry.files[1].path(entry.name, Path("/nonexistent"))
    assert path is not None
    return state_dict(path)


@pytest.fixture(scope="module")
def pairs_of_networks() -> dict[str, tuple[Network, Any]]:
    """Our network and torchmetrics', same weights; theirs is given our stand-in for torchvision's
    constructor.
    """
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        given = {"_get_tv_model_features": lambda name, pretrained=False: _filled(name)}
        patch.setattr(reference, *given.popitem())
        for net in MIN_SIDE:
            theirs = reference._LPIPS(pretrained=True, net=net, pnet_rand=True)
            found[net] = Network(net, tiny.backbone_state(net), heads(net)), theirs.eval()
    return found


def _filled(name: str) -> Any:
    features = tiny.backbone(name)
    tiny.fill(features, 0)
    return features


def scaled(frame: np.ndarray) -> Any:
    return torch.from_numpy(frame).permute(2, 0, 1)[None].float() / 127.5 - 1.0


def frames(size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    return make_picture(size), noisy(make_picture(size), 30)


@pytest.mark.parametrize("net", MIN_SIDE)
@pytest.mark.parametrize("size", [(31, 33), (130, 66)])
def test_equals_torchmetrics(pairs_of_networks: Any, net: str, size: tuple[int, int]) -> None:
    ours, theirs = pairs_of_networks[net]
    first, second = frames(size)
    with torch.no_grad():
        expected = float(theirs(scaled(first), scaled(second)))
    assert expected > 1e-3, "a golden value near zero would prove nothing"
    assert lpips(ours, first, second) == pytest.approx(expected, abs=1e-5)
    assert lpips(ours, first, first) == 0.0


@pytest.mark.parametrize("net", MIN_SIDE)
def test_corrected_equals_the_mean_of_the_references_maps_over_open_cells(
    pairs_of_networks: Any, net: str
) -> None:
    ours, theirs = pairs_of_networks[net]
    first, second = frames((96, 80))
    mask = np.zeros((80, 96), bool)
    mask[10:30, 20:61] = True
    first[mask], second[mask] = 0, 0
    with torch.no_grad():
        layers = [theirs.net(theirs.scaling_layer(scaled(x))) for x in (first, second)]
        expected = 0.0
        for index, (a, b) in enumerate(zip(*layers, strict=True)):
            a, b = (x / torch.sqrt(1e-8 + (x**2).sum(1, keepdim=True)) for x in (a, b))
            values = theirs.lins[index]((a - b) ** 2)[0, 0].numpy()
            expected += values[_open_cells(mask, values.shape)].mean()
    assert masked_lpips(ours, first, second, mask) == pytest.approx(expected, abs=1e-5)
    assert lpips(ours, first, second) < expected, (
        "the black area counts as preserved in the faithful mean"
    )


def _open_cells(mask: np.ndarray, grid: tuple[int, int]) -> np.ndarray:
    def part(index: int, axis: int) -> slice:
        side = mask.shape[axis]
        return slice(index * side // grid[axis], -(-(index + 1) * side // grid[axis]))

    rows, columns = map(range, grid)
    return np.array([[not mask[part(r, 0), part(c, 1)].any() for c in columns] for r in rows])
