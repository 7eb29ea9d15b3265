"""From checked files to networks: one loader a family, each failing with one clear line."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from editgauge.errors import WeightsError
from editgauge.metrics.lpips import Network
from editgauge.networks.runtime import Runtime, torch_for
from editgauge.networks.weights import Local, locate


def state_dict(path: Path) -> dict[str, Any]:
    """The tensors of a ``.pth`` or ``.safetensors`` file, on the CPU. No code in the file is run.

    Raises `WeightsError` when the file is no state dict.
    """
    torch = torch_for("weights")
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            found: Any = load_file(path)
        else:
            found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # pickle, zip and header errors of many kinds
        line = str(error).strip().splitlines()
        raise WeightsError(
            f"{path}: cannot be loaded as weights ({line[0] if line else type(error).__name__})"
        ) from error
    if not isinstance(found, dict) or not all(hasattr(v, "shape") for v in found.values()):
        raise WeightsError(f"{path}: wanted a state dict of tensors, found something else")
    return found


@functools.lru_cache(maxsize=4)
def lpips_network(net: str, folder: Path | None, runtime: Runtime) -> Network:
    """LPIPS with the published weights (`net`: squeeze, alex or vgg), loaded once in a process.

    Raises `WeightsError` when weights are missing, other ones, or do not fit, and `MissingExtra`
    without torch.
    """
    local = locate(f"lpips-{net}", folder)
    backbone, head = (local.paths[file.name] for file in local.weights.files)
    try:
        return Network(
            net,
            state_dict(backbone),
            state_dict(head),
            device=runtime.device,
            dtype=runtime.precision,
        )
    except ValueError as error:
        raise WeightsError(f"weights 'lpips-{net}': {error}") from error


def aesthetic_head(folder: Path | None) -> tuple[npt.NDArray[np.float64], float, Local]:
    """Weight (D,), bias and files of LAION's linear head. Raises `WeightsError` when it is not a
    linear head.
    """
    local = locate("laion-aesthetic-vit-l-14", folder)
    (file,) = local.weights.files
    tensors = state_dict(local.paths[file.name])
    try:
        weight = tensors["weight"].double().numpy().reshape(-1)
        bias = float(tensors["bias"].double().reshape(()))
    except (KeyError, RuntimeError) as error:
        raise WeightsError(
            f"{local.paths[file.name]}: wanted weight (1, D) and bias (1,), found others"
        ) from error
    return weight, bias, local
