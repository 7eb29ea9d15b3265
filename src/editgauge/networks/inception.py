"""Inception-v3 of 2015 as the Fréchet distance uses it: TensorFlow's network in plain torch, 2,048
features a picture.

The weights are those of the TensorFlow graph of 2015-12-05 under the state-dict names of
pytorch-fid; published FID values rest on them, and torchvision's Inception-v3 gives other numbers.
The graph differs from torchvision's in three places: average pools do not count the padding, the
last block pools with the maximum, and there are 1,008 classes.

Preprocessing is pytorch-fid's: 8-bit values to [0, 1], bilinear resize to 299 × 299 without
anti-aliasing (whatever the picture's shape), then [-1, 1]. Batch normalisation is folded into the
convolutions when loading (1e-6 apart).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from editgauge.errors import ShapeMismatch, WeightsError
from editgauge.native import on_device
from editgauge.networks.runtime import Runtime, torch_for

FEATURES = 2048
SIDE = 299
_NORM_EPSILON = 1e-3

_Conv = tuple[str, tuple[int, int], tuple[int, int]]
"""(name, stride, padding)"""


def _conv(name: str, stride: int = 1, padding: tuple[int, int] = (0, 0)) -> _Conv:
    return name, (stride, stride), padding


_STEM: tuple[_Conv | None, ...] = (
    _conv("Conv2d_1a_3x3", 2),
    _conv("Conv2d_2a_3x3"),
    _conv("Conv2d_2b_3x3", padding=(1, 1)),
    None,
    _conv("Conv2d_3b_1x1"),
    _conv("Conv2d_4a_3x3"),
    None,
)
"""None is a 3 × 3 maximum pool of stride 2."""

_A = (
    (_conv("branch1x1"),),
    (_conv("branch5x5_1"), _conv("branch5x5_2", padding=(2, 2))),
    (
        _conv("branch3x3dbl_1"),
        _conv("branch3x3dbl_2", padding=(1, 1)),
        _conv("branch3x3dbl_3", padding=(1, 1)),
    ),
)
_B = (
    (_conv("branch3x3", 2),),
    (_conv("branch3x3dbl_1"), _conv("branch3x3dbl_2", padding=(1, 1)), _conv("branch3x3dbl_3", 2)),
)
_WIDE, _TALL = (0, 3), (3, 0)
_C = (
    (_conv("branch1x1"),),
    (
        _conv("branch7x7_1"),
        _conv("branch7x7_2", padding=_WIDE),
        _conv("branch7x7_3", padding=_TALL),
    ),
    (
        _conv("branch7x7dbl_1"),
        _conv("branch7x7dbl_2", padding=_TALL),
        _conv("branch7x7dbl_3", padding=_WIDE),
        _conv("branch7x7dbl_4", padding=_TALL),
        _conv("branch7x7dbl_5", padding=_WIDE),
    ),
)
_D = (
    (_conv("branch3x3_1"), _conv("branch3x3_2", 2)),
    (
        _conv("branch7x7x3_1"),
        _conv("branch7x7x3_2", padding=_WIDE),
        _conv("branch7x7x3_3", padding=_TALL),
        _conv("branch7x7x3_4", 2),
    ),
)
_BLOCKS: tuple[tuple[str, Sequence[Sequence[_Conv]], str], ...] = (
    ("Mixed_5b", _A, "mean"),
    ("Mixed_5c", _A, "mean"),
    ("Mixed_5d", _A, "mean"),
    ("Mixed_6a", _B, "shrink"),
    ("Mixed_6b", _C, "mean"),
    ("Mixed_6c", _C, "mean"),
    ("Mixed_6d", _C, "mean"),
    ("Mixed_6e", _C, "mean"),
    ("Mixed_7a", _D, "shrink"),
)
_FORKED = (("Mixed_7b", "mean"), ("Mixed_7c", "max"))


class Inception:
    """The network on one device. Raises `WeightsError` when the state dict does not fit."""

    def __init__(self, state: Mapping[str, Any], runtime: Runtime | None = None) -> None:
        torch = torch_for("FID")
        self.runtime = runtime or Runtime()
        dtype = getattr(torch, self.runtime.precision)
        try:
            folded = {name: _fold(state, name) for name in _names(state)}
            self._weights = {
                name: (
                    weight.to(self.runtime.device, dtype).contiguous(
                        memory_format=torch.channels_last
                    ),
                    bias.to(self.runtime.device, dtype),
                )
                for name, (weight, bias) in folded.items()
            }
            with torch.inference_mode():
                features = self._forward(torch.zeros(1, 3, 75, 75, device=self.runtime.device))
        except (KeyError, RuntimeError) as error:
            raise WeightsError(f"Inception-v3: the state dict does not fit ({error})") from error
        if features.shape[1] != FEATURES:
            raise WeightsError(
                f"Inception-v3: wanted {FEATURES} features, found {features.shape[1]}"
            )

    def features(self, pictures: Sequence[npt.NDArray[np.uint8]]) -> npt.NDArray[np.float32]:
        """Features (N, 2048), float32, of pictures (H, W, 3), uint8, RGB, each of any size."""
        return self.features_of([prepare(picture) for picture in pictures])

    def features_of(self, prepared: Sequence[npt.NDArray[np.float32]]) -> npt.NDArray[np.float32]:
        """Features (N, 2048), float32, of what `prepare` made."""
        torch = torch_for("FID")
        with torch.inference_mode():
            batch = on_device(np.stack(list(prepared)), self.runtime.device)
            return np.asarray(self._forward(batch).float().cpu().numpy(), np.float32)

    def _forward(self, batch: Any) -> Any:
        torch = torch_for("FID")
        functional = torch.nn.functional
        dtype = getattr(torch, self.runtime.precision)
        x = batch.to(dtype).contiguous(memory_format=torch.channels_last)
        for step in _STEM:
            x = functional.max_pool2d(x, 3, 2) if step is None else self._apply(x, "", step)
        for block, branches, pool in _BLOCKS:
            outs = [self._chain(x, block, branch) for branch in branches]
            outs.append(
                functional.max_pool2d(x, 3, 2) if pool == "shrink" else self._pooled(x, block, pool)
            )
            x = torch.cat(outs, 1)
        for block, pool in _FORKED:
            x = self._forked(x, block, pool)
        return x.mean(dim=(2, 3))

    def _apply(self, x: Any, block: str, step: _Conv) -> Any:
        name, stride, padding = step
        weight, bias = self._weights[f"{block}.{name}" if block else name]
        return torch_for("FID").nn.functional.conv2d(x, weight, bias, stride, padding).relu_()

    def _chain(self, x: Any, block: str, branch: Sequence[_Conv]) -> Any:
        for step in branch:
            x = self._apply(x, block, step)
        return x

    def _pooled(self, x: Any, block: str, pool: str) -> Any:
        functional = torch_for("FID").nn.functional
        if pool == "max":
            x = functional.max_pool2d(x, 3, 1, 1)
        else:
            x = functional.avg_pool2d(x, 3, 1, 1, count_include_pad=False)
        return self._apply(x, block, _conv("branch_pool"))

    def _forked(self, x: Any, block: str, pool: str) -> Any:
        short = self._chain(x, block, (_conv("branch3x3_1"),))
        deep = self._chain(
            x, block, (_conv("branch3x3dbl_1"), _conv("branch3x3dbl_2", padding=(1, 1)))
        )
        outs = [self._apply(x, block, _conv("branch1x1"))]
        for stem, letters in ((short, "branch3x3_2"), (deep, "branch3x3dbl_3")):
            outs.append(self._apply(stem, block, _conv(letters + "a", padding=(0, 1))))
            outs.append(self._apply(stem, block, _conv(letters + "b", padding=(1, 0))))
        outs.append(self._pooled(x, block, pool))
        return torch_for("FID").cat(outs, 1)


def prepare(picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """The network's input (3, 299, 299) of a picture (H, W, 3), uint8, RGB; always made on the CPU,
    whatever runs the network, so that a picture's memory is bounded and its values are the same.
    """
    torch = torch_for("FID")
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        raise ShapeMismatch(
            f"Inception-v3: wanted uint8 (H, W, 3), found {picture.dtype} {picture.shape}"
        )
    tensor = torch.from_numpy(np.require(picture, requirements=["C", "W"])).permute(2, 0, 1)[None]
    with torch.inference_mode():
        unit = tensor.float().div_(255.0)
        unit = torch.nn.functional.interpolate(
            unit, size=(SIDE, SIDE), mode="bilinear", align_corners=False
        )
        return np.asarray(unit.mul_(2.0).sub_(1.0)[0].numpy(), np.float32)


def _names(state: Mapping[str, Any]) -> list[str]:
    return [key.removesuffix(".conv.weight") for key in state if key.endswith(".conv.weight")]


def _fold(state: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    """Weight and bias of a convolution with its batch normalisation folded in, computed in
    float64.
    """
    weight = state[f"{name}.conv.weight"].double()
    scale = (
        state[f"{name}.bn.weight"].double()
        / (state[f"{name}.bn.running_var"].double() + _NORM_EPSILON).sqrt()
    )
    bias = state[f"{name}.bn.bias"].double() - state[f"{name}.bn.running_mean"].double() * scale
    return (weight * scale[:, None, None, None]).float(), bias.float()
