"""A tuned U-Net on disk, and as an editor: the base model's pipeline with other weights.

Weights are what diffusers writes and reads: a folder ``unet`` for a whole U-Net,
``pytorch_lora_weights.safetensors`` for LoRA.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from editgauge.editors.diffusers import DiffusersEditor
from editgauge.errors import ImageError, RunError
from editgauge.store import paths
from editgauge.tuning import split
from editgauge.types import Edit, Sample, Status

WHOLE = "unet/diffusion_pytorch_model.safetensors"
LORA = "pytorch_lora_weights.safetensors"
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
            return f"{place}/{LORA}"
        pipe.unet.save_pretrained(folder / "unet", safe_serialization=True)
        return f"{place}/{WHOLE}"
    except Exception as error:  # what the libraries make of a full disk
        raise paths.unwritable(folder, OSError(str(error))) from error


@dataclass(kw_only=True)
class TunedEditor(DiffusersEditor):
    """The editor `base` with the weights of a file in a run. A sample whose input or reference it
    was trained on is not edited: its score would say nothing.
    """

    weights: Path
    rank: int = 0
    trained_on: frozenset[str] = frozenset()
    """Hashes of the pixels of all pictures that it saw (`split.pictures`)."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """What every edit's settings say of the training."""

    def cannot(self, sample: Sample) -> Edit | None:
        try:
            leaked = bool(split.pictures(sample) & self.trained_on)
        except ImageError:
            leaked = False  # the picture's own error is told below
        if leaked:
            reason = "the editor was trained on a picture of this sample"
            return Edit.without(sample.id, self.name, Status.NOT_APPLICABLE, reason)
        return super().cannot(sample)

    def facts(self, revision: str) -> dict[str, Any]:
        return {**super().facts(revision), "tuned": dict(self.training)}

    def load_now(self) -> tuple[Any, str]:
        pipe, revision = super().load_now()
        folder, name = self.weights.parent, self.weights.name
        why = paths.fault(folder, name, limit=MOST_BYTES)
        if why is not None:
            raise RunError(f"{name}: {why}; train again")
        try:
            if self.rank:
                pipe.load_lora_weights(folder, weight_name=name)
            else:
                from safetensors.torch import load_file

                pipe.unet.load_state_dict(load_file(self.weights))
        except Exception as error:  # whatever the libraries say of a file that is none
            raise RunError(
                f"{name}: no weights of this model ({type(error).__name__}); train again"
            ) from error
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
    return TunedEditor(**own, weights=weights, rank=rank, trained_on=trained_on, training=facts)
