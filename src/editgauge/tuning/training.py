"""The training of InstructPix2Pix's U-Net on triplets (arXiv 2211.09800, section 3.2): predict the
noise that was added to the reference's latents, given the input's latents as four further channels
and the instruction; now and then without the one, the other or both.

A training is a plain function of its recipe and its samples: killed at any moment, it goes on at
its last checkpoint (`accelerate`'s) and ends with the same weights, to the bit on one CPU with one
number of threads. It runs on one device.
"""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from editgauge.errors import MissingExtra, RunError, UsageError
from editgauge.schema import convert
from editgauge.store import paths
from editgauge.tuning.triplets import Triplet

Progress = Callable[[int, int, str], None]
PRECISIONS = {"float32": "no", "bfloat16": "bf16", "float16": "fp16"}
"""Precision -> accelerate's word for it; weights and optimizer are float32 in all of them."""
RATES = {"all": 5e-5, "lora": 1e-4}
"""Learning rates: that of diffusers' own training of InstructPix2Pix, and a common one of LoRA; the
paper gives none.
"""
DROPOUT = 0.05
"""Share of draws without the instruction, of those without the picture, and of those without both;
of the InstructPix2Pix paper.
"""
ATTENTION = ["to_q", "to_k", "to_v", "to_out.0"]
"""What LoRA adds weights to."""
CHECKPOINT = "checkpoint-"
"""How the folder of a checkpoint begins; its number is that of the last update."""
Count = Annotated[int, Meta(ge=1)]
Whole = Annotated[int, Meta(ge=0)]


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a U-Net is trained. All of it is in the training's plan."""

    steps_a_sample: Count = 50
    """Updates for each training sample (MedEBench, section 3.4)."""
    rate: Annotated[float, Meta(gt=0, lt=1e38)] = RATES["all"]
    resolution: Count = 512
    """Longer side of the pictures."""
    precision: Literal["float32", "bfloat16", "float16"] = "float32"
    lora: Whole = 0
    """Rank of LoRA; 0 trains all weights."""
    seed: Whole = 0

    def record(self) -> dict[str, Any]:
        made: dict[str, Any] = msgspec.to_builtins(self)
        return made


def recipe_of(values: Mapping[str, Any]) -> Recipe:
    """A recipe of these values. Raises `DataError` for one that no training can have."""
    return convert(dict(values), Recipe, "training")


def check_device(recipe: Recipe, device: str) -> None:
    """Raise `UsageError` where none can follow the recipe on the device."""
    if recipe.precision == "float16" and not device.startswith("cuda"):
        raise UsageError(f"precision float16: needs a GPU, found {device}; take bfloat16")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a training keeps its checkpoint: the run, and a folder of it; updates between two."""

    run: Path
    folder: str
    every: int = 100


def train(
    pipe: Any,
    triplets: Sequence[Triplet],
    nothing: Any,
    recipe: Recipe,
    place: Place,
    *,
    device: str = "cpu",
    progress: Progress | None = None,
) -> list[float]:
    """Train the U-Net of a pipeline (float32, 8 input channels), from the last checkpoint in
    `place` where there is one; returns the loss of each update. `nothing` is the embedding of no
    instruction.

    The pipeline's U-Net is changed. Raises `RunError` for a loss that is not finite, a device
    without memory, a checkpoint that does not fit.
    """
    import torch

    steps = recipe.steps_a_sample * len(triplets)
    cuda = [torch.device(device).index or 0] if device.startswith("cuda") else []
    with torch.random.fork_rng(devices=cuda), _told_memory():
        run = _Run(pipe, recipe, device)
        torch.manual_seed(recipe.seed)
        _resume(run, place)
        while (step := len(run.losses)) < steps:
            run.update(triplets[_turn(step, len(triplets), recipe.seed)], nothing)
            if progress is not None:
                progress(step + 1, steps, f"training on {len(triplets)}")
            if (step + 1) % place.every == 0 and step + 1 < steps:
                _keep(run, place, step + 1)
        return run.end()


class _Run:
    """A training while it runs. accelerate keeps its state with the checkpoint: the losses so far,
    and the random numbers, of whose loss it only warns.
    """

    def __init__(self, pipe: Any, recipe: Recipe, device: str) -> None:
        import torch
        from diffusers import DDPMScheduler

        self.pipe = pipe
        self.losses: list[float] = []
        self.accelerator = _accelerator(recipe, device)
        self.noise = DDPMScheduler.from_config(pipe.scheduler.config)
        unet = pipe.unet
        unet.requires_grad_(not recipe.lora)
        if recipe.lora:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(recipe.seed)
                unet.add_adapter(lora_config(recipe.lora))
        unet.train()
        self.trained = [one for one in unet.parameters() if one.requires_grad]
        self.unet, self.optimizer = self.accelerator.prepare(
            unet, torch.optim.AdamW(self.trained, lr=recipe.rate)
        )
        self.accelerator.register_for_checkpointing(self)

    def state_dict(self) -> dict[str, Any]:
        import torch

        return {"losses": self.losses, "random": torch.get_rng_state()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        import torch

        self.losses = list(state["losses"])
        torch.set_rng_state(state["random"])

    def update(self, one: Triplet, nothing: Any) -> None:
        """One update of the weights by the gradients of a sample."""
        import torch

        device = self.accelerator.device
        clean = one.mean + one.std * torch.randn(one.mean.shape)
        added = torch.randn(clean.shape)
        at = torch.randint(0, self.noise.config.num_train_timesteps, (1,))
        share = float(torch.rand(()))
        words = nothing if share < 2 * DROPOUT else one.words
        image = torch.zeros_like(one.image) if DROPOUT <= share < 3 * DROPOUT else one.image
        noisy = self.noise.add_noise(clean, added, at)
        velocity = self.noise.config.prediction_type == "v_prediction"
        wanted = self.noise.get_velocity(clean, added, at) if velocity else added
        given = torch.cat([noisy, image], dim=1)  # (1, 8, h, w)
        with self.accelerator.autocast():
            predicted = self.unet(
                given.to(device), at.to(device), encoder_hidden_states=words.to(device)
            ).sample
        loss = torch.nn.functional.mse_loss(predicted.float(), wanted.to(device).float())
        value = float(loss.detach())
        if not math.isfinite(value):
            raise RunError(
                f"training: the loss is {value} at step {len(self.losses) + 1}; take a lower "
                f"rate, or bfloat16. What was trained before is kept"
            )
        self.accelerator.backward(loss)
        self.accelerator.clip_grad_norm_(self.trained, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.losses.append(value)

    def end(self) -> list[float]:
        self.pipe.unet = self.accelerator.unwrap_model(self.unet, keep_fp32_wrapper=False)
        self.accelerator.free_memory()
        return self.losses


def _turn(position: int, count: int, seed: int) -> int:
    """The number of the sample whose turn it is: every pass takes each once, in an order of its
    own.
    """
    import torch

    turn, number = divmod(position, count)
    order = torch.Generator("cpu").manual_seed(seed * 1_000_003 + turn)
    return int(torch.randperm(count, generator=order)[number])


@contextmanager
def _told_memory() -> Iterator[None]:
    import torch

    try:
        yield
    except torch.cuda.OutOfMemoryError as error:
        raise RunError(
            "training: the device has too little memory; take LoRA, a lower resolution or "
            "bfloat16. What was trained is kept"
        ) from error


# -- checkpoints -----------------------------------------------------------------------------------


def _keep(run: _Run, place: Place, step: int) -> None:
    """Write a checkpoint, whole or not at all, and remove the older ones. Raises `RunError` where
    it cannot be written.
    """
    folder = paths.folder(place.run, place.folder)
    made = folder / ".writing"
    shutil.rmtree(made, ignore_errors=True)
    older = checkpoints(place)
    try:
        run.accelerator.save_state(str(made))
        for file in made.iterdir():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())
        os.replace(made, folder / f"{CHECKPOINT}{step}")
    except Exception as error:  # what the libraries make of a full disk
        raise paths.unwritable(folder, OSError(str(error))) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    for old in older:
        shutil.rmtree(old, ignore_errors=True)


def _resume(run: _Run, place: Place) -> None:
    """Go back to the last checkpoint, where there is one. Raises `RunError` for one that does not
    fit. Nothing of it is run: accelerate opens tensors and plain values only.
    """
    paths.only_files(place.run, place.folder)
    there = checkpoints(place)
    if not there:
        return
    try:
        run.accelerator.load_state(str(there[-1]))
        if len(run.losses) != int(there[-1].name.removeprefix(CHECKPOINT)):
            raise ValueError("another number of updates")
    except Exception as error:  # whatever the libraries say of a folder that is none
        raise RunError(
            f"{place.folder}/{there[-1].name}: its checkpoint does not fit the model "
            f"({type(error).__name__}); remove it, and the training starts anew"
        ) from error


def checkpoints(place: Place) -> list[Path]:
    """The folders of a training's checkpoints, the oldest first: one, but for kills."""
    found = (place.run / place.folder).glob(f"{CHECKPOINT}*")
    numbered = [path for path in found if path.name.removeprefix(CHECKPOINT).isdecimal()]
    return sorted(numbered, key=lambda path: int(path.name.removeprefix(CHECKPOINT)))


# -- libraries -------------------------------------------------------------------------------------


def _accelerator(recipe: Recipe, device: str) -> Any:
    """accelerate for one device. It keeps its choice for the whole process: it is made to forget
    the last one's.
    """
    import torch

    try:
        from accelerate import Accelerator
        from accelerate.state import AcceleratorState
    except ImportError as error:
        raise MissingExtra("editgauge tune", error.name or "accelerate", "neural") from error
    AcceleratorState._reset_state(reset_partial_state=True)
    if device.startswith("cuda"):
        torch.cuda.set_device(torch.device(device))
    return Accelerator(cpu=device == "cpu", mixed_precision=PRECISIONS[recipe.precision])


def lora_config(rank: int) -> Any:
    """peft's words for our LoRA. Raises `MissingExtra` without it."""
    try:
        from peft import LoraConfig
    except ImportError as error:
        raise MissingExtra("LoRA", error.name or "peft", "tuning") from error
    return LoraConfig(
        r=rank, lora_alpha=rank, init_lora_weights="gaussian", target_modules=ATTENTION
    )
