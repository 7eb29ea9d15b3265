"""LPIPS: a learned perceptual distance between two pictures of one size. Plain torch, no
torchvision.

Zhang, Isola, Efros, Shechtman, Wang: The Unreasonable Effectiveness of Deep Features as a
Perceptual Metric (CVPR 2018), version 0.1 of the linear heads. A frozen ImageNet backbone gives
feature maps at several depths; at each position the feature vectors of both pictures are scaled to
length 1, their squared difference is weighted by the head (one number a channel), and the map is
averaged; the layers' averages are added up. **0 for identical pictures, higher is more different**,
about 1 for unrelated ones; no upper bound in theory.

Two ways to average a layer's map (see `distance`): **faithful**, over all positions, which is the
published definition; **corrected**, over the positions whose patch of the picture holds no masked
pixel. With frames whose masked area was blackened before (TextEditBench), the faithful mean counts
that area as perfectly preserved, so that the distance falls as the mask grows; the corrected one
leaves the area out.

The input picture's features can be kept and used for every further model's output (`features` once,
`distance` many times): that is where most of the time is saved. Imports torch when a network is
built, never before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from editgauge.errors import MissingExtra, ShapeMismatch
from editgauge.native import on_device

_SHIFT = (-0.030, -0.088, -0.188)
_SCALE = (0.458, 0.448, 0.450)
_EPSILON = 1e-8
_STRIP_BYTES = 1 << 21
"""Feature maps are compared in strips of about this size: they stay in the processor's cache."""

_Step = tuple[str, str, int, int]
"""(what, torchvision's name of the layer, stride, padding); ``tap`` marks a map that is compared.
"""


_STEPS: Mapping[str, Sequence[_Step]] = {
    "squeeze": (
        ("conv", "0", 2, 0), ("tap", "", 0, 0),
        ("pool", "", 2, 1), ("fire", "3", 0, 0), ("fire", "4", 0, 0), ("tap", "", 0, 0),
        ("pool", "", 2, 1), ("fire", "6", 0, 0), ("fire", "7", 0, 0), ("tap", "", 0, 0),
        ("pool", "", 2, 1), ("fire", "9", 0, 0), ("tap", "", 0, 0), ("fire", "10", 0, 0),
        ("tap", "", 0, 0),
        ("fire", "11", 0, 0), ("tap", "", 0, 0), ("fire", "12", 0, 0), ("tap", "", 0, 0),
    ),
    "alex": (
        ("conv", "0", 4, 2), ("tap", "", 0, 0),
        ("pool", "", 2, 0), ("conv", "3", 1, 2), ("tap", "", 0, 0),
        ("pool", "", 2, 0), ("conv", "6", 1, 1), ("tap", "", 0, 0), ("conv", "8", 1, 1),
        ("tap", "", 0, 0),
        ("conv", "10", 1, 1), ("tap", "", 0, 0),
    ),
}  # fmt: skip
NETWORKS: tuple[str, ...] = tuple(_STEPS)
MIN_SIDE: Mapping[str, int] = {"squeeze": 17, "alex": 31}
"""Pictures with a shorter side have no position left in the deepest map."""


@dataclass(frozen=True)
class Features:
    """The unit-length feature maps of one or more frames: a tensor (N, h, w, C) a layer, on the
    network's device.

    `bytes` is what they occupy: 145 MB for squeeze and 43 MB for alex a 1-megapixel frame in
    float32.
    """

    maps: tuple[Any, ...]
    size: tuple[int, int]
    """(height, width) of the frames."""

    @property
    def bytes(self) -> int:
        return sum(m.numel() * m.element_size() for m in self.maps)

    @classmethod
    def join(cls, several: Sequence[Features]) -> Features:
        """The features of several frames of one size as one batch."""
        torch = _torch()
        sizes = {features.size for features in several}
        if len(sizes) != 1:
            raise ShapeMismatch(
                f"LPIPS: features of frames of one size can be joined, found {sorted(sizes)}"
            )
        return cls(
            tuple(torch.cat(maps) for maps in zip(*(f.maps for f in several), strict=True)),
            several[0].size,
        )


class Network:
    """A backbone with its linear heads, in evaluation mode, on one device.

    Parameters: `name` is one of `NETWORKS`; `backbone` a torchvision state dict of squeezenet1_1 or
    alexnet (``features.0.weight``…; a classifier in it is ignored); `heads` the published
    heads (``lin0.model.1.weight``…, shape (1, C, 1, 1)). `dtype` float32 reproduces the reference;
    bfloat16 or float16 are for a GPU and differ, see docs. Raises `ValueError` when a tensor is
    missing or has another shape: never a silent other model.
    """

    def __init__(
        self,
        name: str,
        backbone: Mapping[str, Any],
        heads: Mapping[str, Any],
        *,
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        torch = _torch()
        if name not in _STEPS:
            raise ValueError(f"network {name!r} is not known; there are: {', '.join(NETWORKS)}")
        self.name = name
        self.device = device
        self.dtype = getattr(torch, dtype)
        self._weights = {
            key.removeprefix("features."): self._place(value)
            for key, value in backbone.items()
            if key.startswith("features.")
        }
        self._heads = _heads(name, heads, device)
        options = {"device": device}
        self._shift = torch.tensor(_SHIFT, **options).view(1, 3, 1, 1)
        self._scale = torch.tensor(_SCALE, **options).view(1, 3, 1, 1)
        self._check()

    def _place(self, value: Any) -> Any:
        torch = _torch()
        moved = value.detach().to(device=self.device, dtype=self.dtype)
        return moved.contiguous(memory_format=torch.channels_last) if moved.ndim == 4 else moved

    def _check(self) -> None:
        """Run a black frame of the smallest size through: wrong names and shapes show here, not in
        the run.
        """
        torch = _torch()
        side = MIN_SIDE[self.name]
        try:
            with torch.inference_mode():
                depths = [
                    m.shape[1]
                    for m in self._layers(torch.zeros(1, 3, side, side, device=self.device))
                ]
        except (KeyError, RuntimeError) as error:
            raise ValueError(
                f"LPIPS {self.name}: the backbone's state dict does not fit ({error})"
            ) from error
        wanted = [int(head.shape[0]) for head in self._heads]
        if depths != wanted:
            raise ValueError(
                f"LPIPS {self.name}: the backbone gives {depths} channels, the heads are for "
                f"{wanted}"
            )

    def _layers(self, frames: Any) -> Iterator[Any]:
        """The compared maps of frames (N, 3, H, W) in [-1, 1], one after the other: only one is
        alive at a time.
        """
        torch = _torch()
        functional = torch.nn.functional
        x = (
            ((frames - self._shift) / self._scale)
            .to(self.dtype)
            .contiguous(memory_format=torch.channels_last)
        )
        for what, layer, stride, padding in _STEPS[self.name]:
            if what == "conv":
                x = functional.conv2d(
                    x,
                    self._weights[f"{layer}.weight"],
                    self._weights[f"{layer}.bias"],
                    stride=stride,
                    padding=padding,
                ).relu_()
            elif what == "fire":
                x = self._fire(x, layer)
            elif what == "tap":
                yield x
            # padding of a pool step means "keep a partial window at the edge", as squeezenet does
            else:
                x = functional.max_pool2d(x, 3, stride, ceil_mode=bool(padding))

    def _fire(self, x: Any, layer: str) -> Any:
        torch = _torch()
        conv, w = torch.nn.functional.conv2d, self._weights
        squeezed = conv(x, w[f"{layer}.squeeze.weight"], w[f"{layer}.squeeze.bias"]).relu_()
        return torch.cat(
            (
                conv(squeezed, w[f"{layer}.expand1x1.weight"], w[f"{layer}.expand1x1.bias"]),
                conv(
                    squeezed,
                    w[f"{layer}.expand3x3.weight"],
                    w[f"{layer}.expand3x3.bias"],
                    padding=1,
                ),
            ),
            dim=1,
        ).relu_()

    def features(self, frames: npt.NDArray[np.uint8]) -> Features:
        """Unit-length features of frames, to be kept.

        `frames` : ndarray of shape (N, H, W, 3) or (H, W, 3), uint8, RGB; both sides at least
        `MIN_SIDE`. Raises `ShapeMismatch` for another layout or a smaller frame.
        """
        torch = _torch()
        batch, size = self._batch(frames)
        with torch.inference_mode():
            return Features(tuple(self._unit(m) for m in self._layers(batch)), size)

    def _batch(self, frames: npt.NDArray[np.uint8]) -> tuple[Any, tuple[int, int]]:
        _torch()
        array = np.require(frames[None] if frames.ndim == 3 else frames, requirements=["C", "W"])
        if array.ndim != 4 or array.shape[3] != 3 or array.dtype != np.uint8:
            raise ShapeMismatch(
                f"LPIPS frames: wanted uint8 (N, H, W, 3), found {array.dtype} {array.shape}"
            )
        if min(array.shape[1:3]) < MIN_SIDE[self.name]:
            raise ShapeMismatch(
                f"LPIPS {self.name}: wanted sides of at least {MIN_SIDE[self.name]}, found "
                f"{array.shape[1:3]}"
            )
        tensor = on_device(array, str(self.device)).permute(0, 3, 1, 2)
        return tensor.float().div_(127.5).sub_(1.0), (int(array.shape[1]), int(array.shape[2]))

    def _unit(self, features: Any) -> Any:
        """Feature vectors scaled to length 1 (zero vectors stay zero): (N, C, h, w) to (N, h, w,
        C).
        """
        torch = _torch()
        x = features.permute(0, 2, 3, 1)
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        for rows in _strips(x):
            out[:, rows] = x[:, rows] * _inverse_length(x[:, rows])
        return out

    def distance(
        self,
        kept: Features,
        frames: npt.NDArray[np.uint8],
        masks: npt.NDArray[np.bool_] | None = None,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """LPIPS of kept features and frames of the same number and size: (faithful, corrected),
        each of shape (N,).

        `frames` : as for `features`. `masks` : ndarray of shape (N, H, W), bool, True = masked;
        without masks both results are equal. A layer's position counts for *corrected* when the
        cell of the frame that it stands for (the frame cut into the map's grid) holds no masked
        pixel; NaN where a layer has no such position left. Raises `ShapeMismatch` when numbers or
        sizes differ.
        """
        torch = _torch()
        batch, size = self._batch(frames)
        if size != kept.size or len(batch) != len(kept.maps[0]):
            raise ShapeMismatch(
                f"LPIPS: features of {len(kept.maps[0])} frames of {kept.size}, found {len(batch)} "
                f"of {size}"
            )
        open_cells = None if masks is None else _open_pixels(masks, size, self.device)
        faithful = torch.zeros(len(batch), dtype=torch.float64, device=self.device)
        corrected = torch.zeros_like(faithful)
        with torch.inference_mode():
            for index, layer in enumerate(self._layers(batch)):
                values = self._map(kept.maps[index], layer.permute(0, 2, 3, 1), self._heads[index])
                faithful += values.mean(dim=(1, 2), dtype=torch.float64)
                if open_cells is not None:
                    weight = _cells(open_cells, values.shape[1:])
                    corrected += (values * weight).sum(
                        dim=(1, 2), dtype=torch.float64
                    ) / weight.sum(dim=(1, 2))
        result = faithful.cpu().numpy()
        return result, result.copy() if open_cells is None else corrected.cpu().numpy()

    def _map(self, kept: Any, layer: Any, head: Any) -> Any:
        """Weighted squared difference at each position: (N, h, w) in float32."""
        torch = _torch()
        out = torch.empty(layer.shape[:3], dtype=torch.float32, device=layer.device)
        for rows in _strips(layer):
            part = layer[:, rows]
            difference = (part * _inverse_length(part)).sub_(kept[:, rows]).square_()
            out[:, rows] = torch.matmul(difference.float(), head)
        return out


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("LPIPS", "torch", "neural") from error
    return torch


def _heads(name: str, heads: Mapping[str, Any], device: str) -> list[Any]:
    found = []
    for index in range(sum(step[0] == "tap" for step in _STEPS[name])):
        key = f"lin{index}.model.1.weight"
        if key not in heads:
            raise ValueError(f"LPIPS {name}: the heads have no {key}")
        found.append(heads[key].detach().to(device=device).float().reshape(-1))
    return found


def _strips(x: Any) -> Iterator[slice]:
    """Slices of rows of (N, h, w, C) that fit the cache on a CPU; everything at once on a GPU."""
    rows = x.shape[1]
    step = (
        rows
        if x.is_cuda
        else max(1, _STRIP_BYTES // max(1, x.shape[0] * x.shape[2] * x.shape[3] * 4))
    )
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def _inverse_length(x: Any) -> Any:
    torch = _torch()
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float32)
    return (length.square_().add_(_EPSILON)).rsqrt_().to(x.dtype)


def _open_pixels(masks: npt.NDArray[np.bool_], size: tuple[int, int], device: str) -> Any:
    if masks.ndim != 3 or masks.shape[1:] != size:
        raise ShapeMismatch(f"LPIPS masks: wanted (N, {size[0]}, {size[1]}), found {masks.shape}")
    return on_device(np.ascontiguousarray(masks), str(device))


def _cells(masked: Any, grid: Sequence[int]) -> Any:
    """1.0 for every cell of the grid without a masked pixel, else 0.0: (N, h, w)."""
    torch = _torch()
    pooled = torch.nn.functional.adaptive_max_pool2d(masked.float().unsqueeze(1), tuple(grid))
    return 1.0 - pooled.squeeze(1)
