"""From checked files to networks, one loader a family. A checkpoint that lacks tensors is refused:
it would be completed with random ones, and every number be wrong without an error.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from editgauge.errors import MissingExtra, WeightsError
from editgauge.metrics import Floats
from editgauge.metrics.lpips import Network
from editgauge.networks.runtime import Runtime, told, torch_for
from editgauge.networks.weights import locate


def state_dict(path: Path) -> dict[str, Any]:
    """The tensors of a ``.pth`` or ``.safetensors`` file, on the CPU; no code in the file is run.
    Raises `WeightsError` when the file is no state dict.
    """
    torch = torch_for("weights")
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            state: Any = load_file(path)
        else:
            state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # pickle, zip and header errors of many kinds
        raise WeightsError(f"{path}: cannot be loaded as weights ({told(error)})") from error
    if not isinstance(state, dict) or not all(hasattr(v, "shape") for v in state.values()):
        raise WeightsError(f"{path}: wanted a state dict of tensors, found something else")
    return state


@functools.lru_cache(maxsize=4)
def lpips_network(net: str, folder: Path | None, runtime: Runtime) -> Network:
    """LPIPS with the published weights (`net`: squeeze or alex), loaded once in a process. Raises
    `WeightsError` when weights are missing or other ones.
    """
    local = locate(f"lpips-{net}", folder)
    backbone, head = (state_dict(local.paths[file.name]) for file in local.weights.files)
    return Network(net, backbone, head, device=runtime.device)


def aesthetic_head(folder: Path | None) -> tuple[Floats, float]:
    """Weight (D,) and bias of LAION's linear head. Raises `WeightsError` for another file."""
    (path,) = locate("laion-aesthetic-vit-l-14", folder).paths.values()
    tensors = state_dict(path)
    try:
        weight = tensors["weight"].double().numpy().reshape(-1)
        return weight, float(tensors["bias"].double().reshape(()))
    except (KeyError, RuntimeError) as error:
        raise WeightsError(f"{path}: wanted weight (1, D) and bias (1,), found others") from error


def transformers_for(what: str) -> Any:
    """The package. Raises `MissingExtra`, which names what needs it."""
    try:
        import transformers
    except ImportError as error:
        raise MissingExtra(what, "transformers", "neural") from error
    # no progress bars and no advice: what matters is checked here and raised
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    return transformers


def pretrained(folder: Path, kind: str, what: str, runtime: Runtime) -> Any:
    """The network of a class of transformers, ready to be asked; nothing is fetched. Raises
    `WeightsError` when files do not fit or tensors are missing.
    """
    transformers = transformers_for(what)
    float32 = torch_for(what).float32
    how = {"local_files_only": True, "dtype": float32, "output_loading_info": True}
    try:
        model, report = getattr(transformers, kind).from_pretrained(folder, **how)
    except Exception as error:  # of many kinds: all mean that these files do not load
        raise WeightsError(f"{folder}: {what} cannot be loaded ({told(error)})") from error
    missing = sorted(k for k in report["missing_keys"] if "position_ids" not in k)
    if missing or report["mismatched_keys"]:
        why = ", ".join(missing[:3]) or "other shapes"
        raise WeightsError(f"{folder}: {what} weights are incomplete ({why})")
    return model.to(runtime.device).eval()
