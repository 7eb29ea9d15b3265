"""LPIPS: a learned perceptual distance between two pictures of one size. Plain torch.

Zhang et al., The Unreasonable Effectiveness of Deep Features as a Perceptual Metric (CVPR 2018),
version 0.1 of the linear heads. **0 for identical pictures, higher is more different**, about 1 for
unrelated ones. **faithful** averages a layer's map over all positions, as published; **corrected**
over those whose cell of the picture holds no masked pixel: the faithful mean counts an area that
was blackened before (TextEditBench) as preserved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from editgauge.errors import MissingExtra
from editgauge.images import Array, Mask
from editgauge.metrics import Floats
from editgauge.metrics.native import on_device
from editgauge.types import JsonMapping

_SHIFT, _SCALE = (-0.030, -0.088, -0.188), (0.458, 0.448, 0.450)
_EPSILON = 1e-8
_STRIP_BYTES = 1 << 21
"""Feature maps are compared in strips of about this size: they stay in the processor's cache."""

_TAP = "|"
_STEPS: Mapping[str, str] = {
    "squeeze": (
        "conv:0 | pool fire:3 fire:4 | pool fire:6 fire:7 | pool fire:9 | fire:10 | fire:11 | "
        "fire:12 |"
    ),
    "alex": "conv:0 | pool conv:3 | pool conv:6 | conv:8 | conv:10 |",
}
"""What is done in which of torchvision's layers; `_TAP` marks a map that is compared."""
_WINDOWS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "squeeze": {"0": (2, 0)},
    "alex": {"0": (4, 2), "3": (1, 2)},
}
"""Stride and padding of a convolution, where they are not 1 and 1."""
MIN_SIDE: Mapping[str, int] = {"squeeze": 17, "alex": 31}
"""Pictures with a shorter side have no position left in the deepest map."""


Features = tuple[Any, ...]
"""The unit-length feature maps of one or more frames: a tensor (N, h, w, C) a layer, on the
network's device (145 MB for squeeze and 43 MB for alex a megapixel).
"""


class Network:
    """A backbone with its linear heads, in evaluation mode, on one device.

    `name`: squeeze or alex; `backbone`: a torchvision state dict of squeezenet1_1 or alexnet;
    `heads`: the published heads (``lin0.model.1.weight``…, shape (1, C, 1, 1)). In float32, as the
    reference. Raises `KeyError` when a tensor is missing.
    """

    def __init__(
        self, name: str, backbone: JsonMapping, heads: JsonMapping, *, device: str = "cpu"
    ) -> None:
        torch = _torch()
        self.name, self.device = name, device
        self._weights = {
            key.removeprefix("features."): self._place(value) for key, value in backbone.items()
        }
        self._shift = torch.tensor(_SHIFT, device=device).view(1, 3, 1, 1)
        self._scale = torch.tensor(_SCALE, device=device).view(1, 3, 1, 1)
        keys = [f"lin{index}.model.1.weight" for index in range(_STEPS[name].count(_TAP))]
        self._heads = [heads[key].detach().to(device=device).float().reshape(-1) for key in keys]

    def _place(self, value: Any) -> Any:
        moved = value.detach().to(device=self.device, dtype=_torch().float32)
        channels_last = _torch().channels_last
        return moved.contiguous(memory_format=channels_last) if moved.ndim == 4 else moved

    def _layers(self, frames: Any) -> Iterator[Any]:
        """The compared maps of frames (N, 3, H, W) in [-1, 1]: only one is alive at a time."""
        torch = _torch()
        x = ((frames - self._shift) / self._scale).float()
        x = x.contiguous(memory_format=torch.channels_last)
        for step in _STEPS[self.name].split():
            what, _, layer = step.partition(":")
            if what == _TAP:
                yield x
            elif what == "conv":
                stride, padding = _WINDOWS[self.name].get(layer, (1, 1))
                x = self._conv(x, layer, stride=stride, padding=padding).relu_()
            elif what == "fire":
                x = self._conv(x, f"{layer}.squeeze").relu_()
                wide = self._conv(x, f"{layer}.expand3x3", padding=1)
                x = torch.cat((self._conv(x, f"{layer}.expand1x1"), wide), dim=1).relu_()
            else:  # squeezenet keeps a partial window at the edge
                x = torch.nn.functional.max_pool2d(x, 3, 2, ceil_mode=self.name == "squeeze")

    def _conv(self, x: Any, layer: str, **how: int) -> Any:
        weight, bias = self._weights[f"{layer}.weight"], self._weights[f"{layer}.bias"]
        return _torch().nn.functional.conv2d(x, weight, bias, **how)

    def features(self, frames: Array) -> Features:
        """Unit-length features of frames, to be kept.

        `frames`: ndarray of shape (N, H, W, 3) or (H, W, 3), uint8, RGB; both sides at least
        `MIN_SIDE`.
        """
        with _torch().inference_mode():
            return tuple(_unit(layer) for layer in self._layers(self._batch(frames)))

    def _batch(self, frames: Array) -> Any:
        array = np.require(frames[None] if frames.ndim == 3 else frames, requirements=["C", "W"])
        tensor = on_device(array, str(self.device)).permute(0, 3, 1, 2)
        return tensor.float().div_(127.5).sub_(1.0)

    def distance(
        self,
        kept: Features,
        frames: Array,
        masks: Mask | None = None,
    ) -> tuple[Floats, Floats]:
        """LPIPS of kept features and frames of the same number and size: (faithful, corrected),
        each of shape (N,).

        `frames`: as for `features`. `masks`: ndarray of shape (N, H, W), bool, True = masked;
        without masks both results are equal. A layer's position counts for *corrected* when the
        cell of the frame that it stands for (the frame cut into the map's grid) holds no masked
        pixel; NaN where a layer has no such position left.
        """
        torch, batch = _torch(), self._batch(frames)
        covered = None
        if masks is not None:
            covered = on_device(np.ascontiguousarray(masks), str(self.device)).float().unsqueeze(1)
        faithful = torch.zeros(len(batch), dtype=torch.float64, device=self.device)
        corrected, double = torch.zeros_like(faithful), {"dtype": torch.float64}
        with torch.inference_mode():
            for index, layer in enumerate(self._layers(batch)):
                values = _map(kept[index], layer.permute(0, 2, 3, 1), self._heads[index])
                faithful += values.mean(dim=(1, 2), **double)
                if covered is not None:
                    grid = tuple(values.shape[1:])
                    pooled = torch.nn.functional.adaptive_max_pool2d(covered, grid)
                    weight = 1.0 - pooled.squeeze(1)
                    total = (values * weight).sum(dim=(1, 2), **double)
                    corrected += total / weight.sum(dim=(1, 2))
        result = faithful.cpu().numpy()
        return result, result.copy() if covered is None else corrected.cpu().numpy()


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("LPIPS", "torch", "neural") from error
    return torch


def _unit(features: Any) -> Any:
    """Feature vectors scaled to length 1 (zeros stay zeros): (N, C, h, w) to (N, h, w, C)."""
    x = features.permute(0, 2, 3, 1)
    out = _torch().empty(x.shape, dtype=x.dtype, device=x.device)
    for rows in _strips(x):
        out[:, rows] = x[:, rows] * _inverse_length(x[:, rows])
    return out


def _map(kept: Any, layer: Any, head: Any) -> Any:
    """Weighted squared difference at each position: (N, h, w) in float32."""
    torch = _torch()
    out = torch.empty(layer.shape[:3], dtype=torch.float32, device=layer.device)
    for rows in _strips(layer):
        part = layer[:, rows]
        difference = (part * _inverse_length(part)).sub_(kept[:, rows]).square_()
        out[:, rows] = torch.matmul(difference, head)
    return out


def _strips(x: Any) -> Iterator[slice]:
    """Slices of rows of (N, h, w, C) that fit the cache on a CPU; everything at once on a GPU."""
    number, rows, columns, depth = x.shape
    step = rows if x.is_cuda else max(1, _STRIP_BYTES // max(1, number * columns * depth * 4))
    return (slice(start, min(rows, start + step)) for start in range(0, rows, step))


def _inverse_length(x: Any) -> Any:
    length = _torch().linalg.vector_norm(x, dim=-1, keepdim=True)
    return length.square_().add_(_EPSILON).rsqrt_()
