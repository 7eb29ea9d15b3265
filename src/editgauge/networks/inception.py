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

from editgauge.images import Array
from editgauge.metrics import Singles
from editgauge.metrics.native import on_device
from editgauge.networks.runtime import Runtime, torch_for
from editgauge.types import JsonMapping

SIDE = 299
_NORM_EPSILON = 1e-3
_STEM = (
    "Conv2d_1a_3x3 Conv2d_2a_3x3 Conv2d_2b_3x3", "Conv2d_3b_1x1 Conv2d_4a_3x3"
)  # fmt: skip
"""Convolutions in a row; each row ends in a 3 × 3 maximum pool of stride 2."""
_DOUBLE = "branch3x3dbl_1 branch3x3dbl_2"
_A = ("branch1x1", "branch5x5_1 branch5x5_2", f"{_DOUBLE} branch3x3dbl_3")
_B = ("branch3x3", f"{_DOUBLE} branch3x3dbl_3")
_C = (
    "branch1x1",
    "branch7x7_1 branch7x7_2 branch7x7_3",
    "branch7x7dbl_1 branch7x7dbl_2 branch7x7dbl_3 branch7x7dbl_4 branch7x7dbl_5",
)
_D = ("branch3x3_1 branch3x3_2", "branch7x7x3_1 branch7x7x3_2 branch7x7x3_3 branch7x7x3_4")
_BLOCKS: Mapping[str, tuple[Sequence[str], str]] = {
    **{f"Mixed_5{letter}": (_A, "mean") for letter in "bcd"},
    "Mixed_6a": (_B, "shrink"),
    **{f"Mixed_6{letter}": (_C, "mean") for letter in "bcde"},
    "Mixed_7a": (_D, "shrink"),
}
"""The branches of a block, and the pool beside them."""
_FORKED = (("Mixed_7b", "mean"), ("Mixed_7c", "max"))
_HALVING = (
    "Conv2d_1a_3x3", "Mixed_6a.branch3x3", "Mixed_6a.branch3x3dbl_3", "Mixed_7a.branch3x3_2",
    "Mixed_7a.branch7x7x3_4",
)  # fmt: skip
"""Of stride 2; these and `_SHRINKING` have no padding, all others keep the size."""
_SHRINKING = ("Conv2d_2a_3x3", "Conv2d_4a_3x3")


class Inception:
    """The network on one device. Raises `KeyError` when the state dict lacks a tensor."""

    def __init__(self, state: JsonMapping, runtime: Runtime | None = None) -> None:
        torch = torch_for("FID")
        self._functional, self._join = torch.nn.functional, torch.cat
        self.runtime = runtime or Runtime()
        place = self.runtime.device, torch.float32
        last = {"memory_format": torch.channels_last}
        names = [key.removesuffix(".conv.weight") for key in state if key.endswith(".conv.weight")]
        folded = {name: _fold(state, name) for name in names}
        self._weights = {
            name: (weight.to(*place).contiguous(**last), bias.to(*place))
            for name, (weight, bias) in folded.items()
        }

    def features_of(self, prepared: Sequence[Singles]) -> Singles:
        """Features (N, 2048), float32, of what `prepare` made."""
        with torch_for("FID").inference_mode():
            batch = on_device(np.stack(list(prepared)), self.runtime.device)
            return np.asarray(self._forward(batch).float().cpu().numpy(), np.float32)

    def _forward(self, batch: Any) -> Any:
        torch = torch_for("FID")
        x = batch.to(torch.float32).contiguous(memory_format=torch.channels_last)
        for row in _STEM:
            x = self._shrunk(self._chain(x, "", row))
        for block, (branches, pool) in _BLOCKS.items():
            outs = [self._chain(x, f"{block}.", branch) for branch in branches]
            outs.append(self._shrunk(x) if pool == "shrink" else self._pooled(x, block, pool))
            x = self._join(outs, 1)
        for block, pool in _FORKED:
            x = self._forked(x, block, pool)
        return x.mean(dim=(2, 3))

    def _shrunk(self, x: Any) -> Any:
        return self._functional.max_pool2d(x, 3, 2)

    def _chain(self, x: Any, block: str, names: str) -> Any:
        for name in names.split():
            weight, bias = self._weights[block + name]
            stride = 1 + (block + name in _HALVING)
            kept = block + name not in _HALVING + _SHRINKING
            padding = [side // 2 * kept for side in weight.shape[2:]]
            x = self._functional.conv2d(x, weight, bias, stride, padding).relu_()
        return x

    def _pooled(self, x: Any, block: str, pool: str) -> Any:
        if pool == "max":
            x = self._functional.max_pool2d(x, 3, 1, 1)
        else:
            x = self._functional.avg_pool2d(x, 3, 1, 1, count_include_pad=False)
        return self._chain(x, f"{block}.", "branch_pool")

    def _forked(self, x: Any, block: str, pool: str) -> Any:
        place = f"{block}."
        outs = [self._chain(x, place, "branch1x1")]
        for names, last in (("branch3x3_1", "branch3x3_2"), (_DOUBLE, "branch3x3dbl_3")):
            stem = self._chain(x, place, names)
            outs += [self._chain(stem, place, last + letter) for letter in "ab"]
        return self._join([*outs, self._pooled(x, block, pool)], 1)


def prepare(picture: Array) -> Singles:
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
