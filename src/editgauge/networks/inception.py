"""Inception-v3 of 2015 as the Fréchet distance uses it: 2,048 features a picture.

The weights are those of the TensorFlow graph of 2015-12-05 under the names of pytorch-fid. The
graph differs from torchvision's: average pools do not count the padding, the last block pools with
the maximum. Preprocessing is pytorch-fid's: [0, 1], bilinear resize to 299 × 299 without
anti-aliasing, then [-1, 1]. Batch normalisation is folded into the convolutions (1e-6 apart).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from editgauge.metrics.native import on_device
from editgauge.networks.runtime import Runtime, torch_for
from editgauge.types import JsonMapping

SIDE = 299
_NORM_EPSILON = 1e-3
_Conv = tuple[str, int, tuple[int, int]]
"""(name, stride, padding)"""


def _conv(name: str, stride: int = 1, padding: tuple[int, int] = (0, 0)) -> _Conv:
    return name, stride, padding


_ONE, _WIDE, _TALL = (1, 1), (0, 3), (3, 0)
_STEM: tuple[_Conv | None, ...] = (
    _conv("Conv2d_1a_3x3", 2), _conv("Conv2d_2a_3x3"), _conv("Conv2d_2b_3x3", padding=_ONE), None,
    _conv("Conv2d_3b_1x1"), _conv("Conv2d_4a_3x3"), None,
)  # fmt: skip
"""None is a 3 × 3 maximum pool of stride 2."""
_DOUBLE = (_conv("branch3x3dbl_1"), _conv("branch3x3dbl_2", padding=_ONE))
_A = (
    (_conv("branch1x1"),),
    (_conv("branch5x5_1"), _conv("branch5x5_2", padding=(2, 2))),
    (*_DOUBLE, _conv("branch3x3dbl_3", padding=_ONE)),
)
_B = ((_conv("branch3x3", 2),), (*_DOUBLE, _conv("branch3x3dbl_3", 2)))
_C = (
    (_conv("branch1x1"),),
    (
        _conv("branch7x7_1"), _conv("branch7x7_2", padding=_WIDE),
        _conv("branch7x7_3", padding=_TALL),
    ),
    (
        _conv("branch7x7dbl_1"), _conv("branch7x7dbl_2", padding=_TALL),
        _conv("branch7x7dbl_3", padding=_WIDE), _conv("branch7x7dbl_4", padding=_TALL),
        _conv("branch7x7dbl_5", padding=_WIDE),
    ),
)  # fmt: skip
_D = (
    (_conv("branch3x3_1"), _conv("branch3x3_2", 2)),
    (
        _conv("branch7x7x3_1"), _conv("branch7x7x3_2", padding=_WIDE),
        _conv("branch7x7x3_3", padding=_TALL), _conv("branch7x7x3_4", 2),
    ),
)  # fmt: skip
_BLOCKS: Mapping[str, tuple[Sequence[Sequence[_Conv]], str]] = {
    **{f"Mixed_5{letter}": (_A, "mean") for letter in "bcd"},
    "Mixed_6a": (_B, "shrink"),
    **{f"Mixed_6{letter}": (_C, "mean") for letter in "bcde"},
    "Mixed_7a": (_D, "shrink"),
}
_FORKED = (("Mixed_7b", "mean"), ("Mixed_7c", "max"))


class Inception:
    """The network on one device. Raises `KeyError` when the state dict lacks a tensor."""

    def __init__(self, state: JsonMapping, runtime: Runtime | None = None) -> None:
        torch = torch_for("FID")
        self._functional, self._join = torch.nn.functional, torch.cat
        self.runtime = runtime or Runtime()
        place = self.runtime.device, getattr(torch, self.runtime.precision)
        last = {"memory_format": torch.channels_last}
        names = [key.removesuffix(".conv.weight") for key in state if key.endswith(".conv.weight")]
        folded = {name: _fold(state, name) for name in names}
        self._weights = {
            name: (weight.to(*place).contiguous(**last), bias.to(*place))
            for name, (weight, bias) in folded.items()
        }

    def features_of(self, prepared: Sequence[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
        """Features (N, 2048), float32, of what `prepare` made."""
        with torch_for("FID").inference_mode():
            batch = on_device(np.stack(list(prepared)), self.runtime.device)
            return np.asarray(self._forward(batch).float().cpu().numpy(), np.float32)

    def _forward(self, batch: Any) -> Any:
        torch = torch_for("FID")
        x = batch.to(getattr(torch, self.runtime.precision))
        x = x.contiguous(memory_format=torch.channels_last)
        for step in _STEM:
            x = self._shrunk(x) if step is None else self._chain(x, "", step)
        for block, (branches, pool) in _BLOCKS.items():
            outs = [self._chain(x, f"{block}.", *branch) for branch in branches]
            outs.append(self._shrunk(x) if pool == "shrink" else self._pooled(x, block, pool))
            x = self._join(outs, 1)
        for block, pool in _FORKED:
            x = self._forked(x, block, pool)
        return x.mean(dim=(2, 3))

    def _shrunk(self, x: Any) -> Any:
        return self._functional.max_pool2d(x, 3, 2)

    def _chain(self, x: Any, block: str, *steps: _Conv) -> Any:
        for name, stride, padding in steps:
            weight, bias = self._weights[block + name]
            x = self._functional.conv2d(x, weight, bias, stride, padding).relu_()
        return x

    def _pooled(self, x: Any, block: str, pool: str) -> Any:
        if pool == "max":
            x = self._functional.max_pool2d(x, 3, 1, 1)
        else:
            x = self._functional.avg_pool2d(x, 3, 1, 1, count_include_pad=False)
        return self._chain(x, f"{block}.", _conv("branch_pool"))

    def _forked(self, x: Any, block: str, pool: str) -> Any:
        place = f"{block}."
        short = self._chain(x, place, _conv("branch3x3_1"))
        deep = self._chain(x, place, *_DOUBLE)
        outs = [self._chain(x, place, _conv("branch1x1"))]
        for stem, letters in ((short, "branch3x3_2"), (deep, "branch3x3dbl_3")):
            outs.append(self._chain(stem, place, _conv(letters + "a", padding=(0, 1))))
            outs.append(self._chain(stem, place, _conv(letters + "b", padding=(1, 0))))
        return self._join([*outs, self._pooled(x, block, pool)], 1)


def prepare(picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """The network's input (3, 299, 299) of a picture (H, W, 3), uint8, RGB; always made on the CPU,
    whatever runs the network: a picture's memory is bounded and its values are the same.
    """
    torch = torch_for("FID")
    tensor = torch.from_numpy(np.require(picture, requirements=["C", "W"])).permute(2, 0, 1)[None]
    how = {"size": (SIDE, SIDE), "mode": "bilinear", "align_corners": False}
    with torch.inference_mode():
        unit = torch.nn.functional.interpolate(tensor.float().div_(255.0), **how)
        return np.asarray(unit.mul_(2.0).sub_(1.0)[0].numpy(), np.float32)


def _fold(state: JsonMapping, name: str) -> tuple[Any, Any]:
    weight = state[f"{name}.conv.weight"].double()
    names = ("weight", "bias", "running_var", "running_mean")
    gain, bias, variance, mean = (state[f"{name}.bn.{one}"].double() for one in names)
    scale = gain / (variance + _NORM_EPSILON).sqrt()
    return (weight * scale[:, None, None, None]).float(), (bias - mean * scale).float()
