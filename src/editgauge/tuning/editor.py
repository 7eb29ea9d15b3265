"""A tuned U-Net on disk, and as an editor: the base model's pipeline with other weights.

Weights are safetensors files in the forms that diffusers reads: a folder ``unet`` for a whole
U-Net, ``pytorch_lora_weights.safetensors`` for LoRA.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import orjson

from editgauge.editors.diffusion import DiffusersEditor
from editgauge.errors import ImageError, RunError
from editgauge.store import paths
from editgauge.tuning import checkpoint, split
from editgauge.tuning.training import Trained, lora_config
from editgauge.types import Edit, Sample, Status

WHOLE = "unet/diffusion_pytorch_model.safetensors"
LORA = "pytorch_lora_weights.safetensors"
_ADAPTER = ".default."
"""What peft puts into the names of an adapter's weights; files go without."""


def write_weights(root: Path, place: str, trained: Trained, unet: Any, rank: int) -> str:
    """Write trained weights into the folder `place` of a run; returns the file's path in the run.
    Raises `RunError` when it cannot be written.
    """
    if rank:
        told = {f"unet.{name.replace(_ADAPTER, '.')}": one for name, one in trained.tensors.items()}
        checkpoint.save(root, f"{place}/{LORA}", told, {"format": "pt"})
        return f"{place}/{LORA}"
    config = {name: value for name, value in unet.config.items() if name != "_name_or_path"}
    data = orjson.dumps(config, option=orjson.OPT_INDENT_2, default=str)
    paths.write(root, f"{place}/unet/config.json", data)
    checkpoint.save(root, f"{place}/{WHOLE}", trained.tensors, {"format": "pt"})
    return f"{place}/{WHOLE}"


@dataclass(kw_only=True)
class TunedEditor(DiffusersEditor):
    """The editor `base` with the weights of a file in a run. A sample whose input or reference it
    was trained on is not edited: its score would say nothing.
    """

    weights: Path
    rank: int = 0
    trained_on: frozenset[str] = frozenset()
    """Hashes of the pixels of all pictures that it saw (`split.pictures`)."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What every edit's settings say of the training."""

    def _weights(self) -> tuple[Any, ...]:
        return (*super()._weights(), self.weights)

    def _prepared(self, sample: Sample) -> Any:
        try:
            leaked = bool(split.pictures(sample) & self.trained_on)
        except ImageError:
            leaked = False  # the picture's own error is told below
        if leaked:
            reason = "the editor was trained on a picture of this sample"
            return Edit.without(sample.id, self.name, Status.NOT_APPLICABLE, reason)
        return super()._prepared(sample)

    def _settings(self, device: str, revision: str) -> dict[str, Any]:
        return {**super()._settings(device, revision), "tuned": dict(self.facts)}

    def _load_now(self, device: str) -> tuple[Any, str]:
        pipe, revision = super()._load_now(device)
        _put_in(pipe.unet, self.weights, self.rank)
        return pipe, revision


def tuned(
    base: DiffusersEditor,
    weights: Path,
    *,
    rank: int,
    trained_on: frozenset[str],
    facts: Mapping[str, Any],
) -> TunedEditor:
    """An editor as `base`, with trained weights."""
    own = {one.name: getattr(base, one.name) for one in fields(base) if one.init}
    return TunedEditor(**own, weights=weights, rank=rank, trained_on=trained_on, facts=facts)


def _put_in(unet: Any, file: Path, rank: int) -> None:
    """Give a U-Net the weights of a file. Raises `RunError` for a file that is no such weights."""
    import torch
    from safetensors.torch import load_file

    why = paths.fault(file.parents[0], file.name, limit=checkpoint.LIMIT)
    if why is not None:
        raise RunError(f"{file.name}: {why}; train again")
    try:
        found = load_file(file)
    except Exception as error:  # whatever the library says of a file that is none
        raise RunError(f"{file.name}: no safetensors file ({type(error).__name__})") from error
    if rank:
        device, dtype = unet.device, unet.dtype
        unet.add_adapter(lora_config(rank))
        for name, one in unet.named_parameters():
            if ".lora_" in name:
                one.data = one.data.to(device, dtype)
    mine = dict(unet.named_parameters())
    named = {f"unet.{n.replace(_ADAPTER, '.')}" if rank else n: one for n, one in mine.items()}
    wanted = {n for n, one in named.items() if not rank or ".lora_" in n}
    if set(found) != wanted or any(found[n].shape != named[n].shape for n in wanted):
        raise RunError(f"{file.name}: its weights are not those of the model; train again")
    with torch.no_grad():
        for name in wanted:
            named[name].copy_(found[name])
