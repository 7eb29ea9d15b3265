"""A tuned U-Net on disk, and as an editor: the base model's pipeline with other weights, as
diffusers writes and reads them: a folder ``unet``, or ``pytorch_lora_weights.safetensors``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from editgauge.editors.diffusers import DiffusersEditor
from editgauge.errors import RunError
from editgauge.store import paths

MOST_BYTES = 1 << 38
"""Of a file of weights."""


def write_weights(root: Path, place: str, pipe: Any, rank: int) -> str:
    """Write the trained weights of a pipeline into the folder `place` of a run; returns the file's
    path in the run. Raises `RunError` when it cannot be written.
    """
    folder = paths.folder(root, place)
    try:
        if rank:
            from peft.utils import get_peft_model_state_dict

            layers = get_peft_model_state_dict(pipe.unet)
            pipe.save_lora_weights(folder, unet_lora_layers=layers, safe_serialization=True)
            return f"{place}/pytorch_lora_weights.safetensors"
        pipe.unet.save_pretrained(folder / "unet", safe_serialization=True)
        return f"{place}/unet/diffusion_pytorch_model.safetensors"
    except Exception as error:  # what the libraries make of a full disk
        raise paths.unwritable(folder, OSError(str(error))) from error


@dataclass(kw_only=True)
class TunedEditor(DiffusersEditor):
    """An editor with the weights of a file in a run; `training`: what every edit's settings say of
    it.
    """

    weights: Path
    rank: int = 0
    training: Mapping[str, Any] = field(default_factory=dict)

    def facts(self, revision: str) -> dict[str, Any]:
        return {**super().facts(revision), "tuned": dict(self.training)}

    def load_now(self) -> tuple[Any, str]:
        pipe, revision = super().load_now()
        name = self.weights.name
        why = paths.fault(self.weights.parent, name, limit=MOST_BYTES)
        if why is not None:
            raise RunError(f"{name}: {why}; train again")
        try:
            if self.rank:
                pipe.load_lora_weights(self.weights.parent, weight_name=name)
            else:
                from safetensors.torch import load_file

                pipe.unet.load_state_dict(load_file(self.weights))
        except Exception as error:  # whatever the libraries say of a file that is none
            told = f"{name}: no weights of this model ({type(error).__name__}); train again"
            raise RunError(told) from error
        return pipe, revision


def tuned(base: DiffusersEditor, weights: Path, rank: int, facts: Mapping[str, Any]) -> TunedEditor:
    """An editor as `base`, with trained weights."""
    own = {one.name: getattr(base, one.name) for one in fields(base) if one.init}
    return TunedEditor(**own, weights=weights, rank=rank, training=facts)
