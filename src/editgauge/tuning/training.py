"""The training of InstructPix2Pix's U-Net (arXiv 2211.09800, section 3.2) on one device. Killed, it
goes on at its last checkpoint, to the same weights (same bits on one CPU and thread number).
"""

from __future__ import annotations

import contextlib
import math
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta
from PIL import Image

from editgauge.editors.diffusers import DiffusersEditor
from editgauge.editors.loading import fitted
from editgauge.errors import MissingExtra, RunError
from editgauge.images import read_image
from editgauge.store import paths
from editgauge.types import JsonMapping, JsonObject, Sample

Progress = Callable[[int, int, str], None]
RATES = {"all": 5e-5, "lora": 1e-4}
"""Rates: of diffusers' InstructPix2Pix training, a common one of LoRA; the paper gives none."""
DROPOUT = 0.05
"""Share of draws without the instruction, of those without the picture, and of those without both;
of the InstructPix2Pix paper.
"""
CHECKPOINT = "checkpoint-"
"""How the folder of a checkpoint begins; its number is that of the last update."""
MOST_BYTES = 1 << 38
"""Of a file of weights."""
Count = Annotated[int, Meta(ge=1)]
Whole = Annotated[int, Meta(ge=0)]


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a U-Net is trained (in float32): updates for each sample (50 in MedEBench, section 3.4),
    the learning rate, the pictures' longer side, LoRA's rank.
    """

    steps_a_sample: Count = 50
    rate: Annotated[float, Meta(gt=0, lt=1e38)] = RATES["all"]
    resolution: Count = 512
    lora: Whole = 0
    seed: Whole = 0


class Triplet(NamedTuple):
    """One training sample, float32 on the CPU: the distribution of the reference's latents, shape
    (1, C, h, w), on the scale that the U-Net works at; the mode of the input's, unscaled, as the
    pipeline feeds it; the instruction's embedding (1, tokens, width).
    """

    mean: Any
    std: Any
    image: Any
    words: Any


def triplets(pipe: Any, samples: Sequence[Sample], side: int) -> tuple[list[Triplet], Any]:
    """The triplets of samples, and the embedding of no instruction (1, tokens, width).

    Pictures are brought to the longer side `side`, both sides multiples of 8; a reference of
    another size to its input's. Nothing is cropped or mirrored: in medicine left is not right.
    """
    import torch

    def latents(picture: Any) -> Any:
        pixels = pipe.image_processor.preprocess(picture)  # (1, 3, H, W) in -1..1
        return pipe.vae.encode(pixels.to(pipe.vae.device, pipe.vae.dtype)).latent_dist

    def words(text: str) -> Any:
        most = pipe.tokenizer.model_max_length
        tokens = pipe.tokenizer(
            text, padding="max_length", truncation=True, max_length=most, return_tensors="pt"
        )
        return kept(pipe.text_encoder(tokens.input_ids.to(pipe.text_encoder.device))[0])

    def kept(tensor: Any) -> Any:
        return tensor.detach().float().cpu().contiguous()

    def triplet(one: Sample) -> Triplet:
        assert one.reference is not None
        pair = (one.images[0], one.reference)
        before, after = (fitted(Image.fromarray(read_image(path)), side) for path in pair)
        target = latents(after if after.size == before.size else after.resize(before.size))
        scale, image = pipe.vae.config.scaling_factor, kept(latents(before).mode())
        mean, std = kept(target.mean * scale), kept(target.std * scale)
        return Triplet(mean, std, image, words(one.instruction))

    with torch.no_grad():
        return [triplet(one) for one in samples], words("")


class Place(NamedTuple):
    """Where a training keeps its checkpoint: the run, and a folder of it; updates between two."""

    run: Path
    folder: str
    every: int = 100


def learn(
    learner: DiffusersEditor,
    samples: Sequence[Sample],
    recipe: Recipe,
    place: Place,
    progress: Progress | None = None,
) -> tuple[str, list[float]]:
    """Train the U-Net (8 input channels) of an editor's pipeline on samples, from the last
    checkpoint in `place` where there is one, and write its weights; their file in the run, and the
    loss of each update.

    Raises `RunError` for a loss that is not finite, a device without memory, a checkpoint that does
    not fit.
    """
    import torch

    pipe, _ = learner.load()
    material, nothing = triplets(pipe, samples, recipe.resolution)
    for part in (pipe.vae, pipe.text_encoder):
        part.to("cpu")  # their work is done: the memory is the U-Net's
    device = torch.device(learner.device)
    with torch.random.fork_rng(devices=[device.index or 0] if device.type == "cuda" else []):
        run = _Run(pipe, recipe, learner.device)
        torch.manual_seed(recipe.seed)
        _resume(run, place)
        try:
            run.train(material, nothing, place, progress or (lambda *_: None))
        except torch.cuda.OutOfMemoryError as error:
            why = "the device has too little memory; take LoRA, or a lower resolution"
            raise RunError(f"training: {why}. What was trained is kept") from error
    pipe.unet = run.accelerator.unwrap_model(run.unet)
    run.accelerator.free_memory()
    return write_weights(place, pipe, recipe.lora), run.losses


class _Run:
    """A training while it runs; accelerate keeps its state with the checkpoint."""

    def __init__(self, pipe: Any, recipe: Recipe, device: str) -> None:
        import torch
        from diffusers import DDPMScheduler

        self.torch, self.losses, self.recipe = torch, list[float](), recipe
        self.accelerator = _accelerator(device)
        self.noise = DDPMScheduler.from_config(pipe.scheduler.config)
        pipe.unet.requires_grad_(not recipe.lora)
        if recipe.lora:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(recipe.seed)
                pipe.unet.add_adapter(lora_config(recipe.lora))
        pipe.unet.train()
        self.trained = [one for one in pipe.unet.parameters() if one.requires_grad]
        optimizer = torch.optim.AdamW(self.trained, lr=recipe.rate)
        self.unet, self.optimizer = self.accelerator.prepare(pipe.unet, optimizer)
        self.accelerator.register_for_checkpointing(self)

    def state_dict(self) -> JsonObject:
        return {"losses": self.losses, "random": self.torch.get_rng_state()}

    def load_state_dict(self, state: JsonObject) -> None:
        self.losses = list(state["losses"])
        self.torch.set_rng_state(state["random"])

    def train(
        self, material: Sequence[Triplet], nothing: Any, place: Place, progress: Progress
    ) -> None:
        steps = self.recipe.steps_a_sample * len(material)
        while (step := len(self.losses)) < steps:
            # every pass takes each sample once, in an order of its own
            turn, number = divmod(step, len(material))
            order = self.torch.Generator("cpu").manual_seed(self.recipe.seed * 1_000_003 + turn)
            chosen = int(self.torch.randperm(len(material), generator=order)[number])
            self.update(material[chosen], nothing)
            progress(step + 1, steps, f"training on {len(material)}")
            if (step + 1) % place.every == 0 and step + 1 < steps:
                _keep(self, place)

    def update(self, one: Triplet, nothing: Any) -> None:
        """One update of the weights by the gradients of a sample: predict the noise that was added
        to the reference's latents, given the input's latents as four further channels and the
        instruction; now and then without the one, the other or both.
        """
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
        given = torch.cat([noisy, image], dim=1).to(device)  # (1, 8, h, w)
        predicted = self.unet(given, at.to(device), encoder_hidden_states=words.to(device)).sample
        loss = torch.nn.functional.mse_loss(predicted, wanted.to(device))
        value = float(loss.detach())
        if not math.isfinite(value):
            raise RunError(
                f"training: the loss is {value} at step {len(self.losses) + 1}; take a lower "
                f"rate. What was trained before is kept"
            )
        self.accelerator.backward(loss)
        self.accelerator.clip_grad_norm_(self.trained, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.losses.append(value)


# -- checkpoints -----------------------------------------------------------------------------------


@contextlib.contextmanager
def _writing(place: Place) -> Iterator[Path]:
    """The folder of a training. Raises `RunError` when it cannot be written."""
    folder = paths.folder(place.run, place.folder)
    try:
        yield folder
    except Exception as error:  # what the libraries make of a full disk
        raise paths.unwritable(folder, OSError(str(error))) from error


def _keep(run: _Run, place: Place) -> None:
    """Write a checkpoint, whole or not at all, and remove the older ones."""
    older = checkpoints(place)
    with _writing(place) as folder:
        scratch = folder / ".writing"
        shutil.rmtree(scratch, ignore_errors=True)
        run.accelerator.save_state(str(scratch))
        scratch.rename(folder / f"{CHECKPOINT}{len(run.losses)}")
    for old in older:
        shutil.rmtree(old, ignore_errors=True)


def _resume(run: _Run, place: Place) -> None:
    """Go back to the last checkpoint, where there is one; `RunError` for one that does not fit."""
    paths.only_files(place.run, place.folder)
    for there in checkpoints(place)[-1:]:
        try:
            run.accelerator.load_state(str(there))
        except Exception as error:  # whatever the libraries say of a folder that is none
            raise RunError(
                f"{place.folder}/{there.name}: its checkpoint does not fit the model "
                f"({type(error).__name__}); remove it, and the training starts anew"
            ) from error


def checkpoints(place: Place) -> list[Path]:
    """The folders of a training's checkpoints, the oldest first: one, but for kills."""
    folders = (place.run / place.folder).glob(f"{CHECKPOINT}*")
    return sorted(folders, key=lambda path: (len(path.name), path.name))


def _accelerator(device: str) -> Any:
    """accelerate for one device; it is made to forget the last training's choice."""
    import torch

    try:
        from accelerate import Accelerator
        from accelerate.state import AcceleratorState
    except ImportError as error:
        raise MissingExtra("editgauge tune", error.name or "accelerate", "neural") from error
    AcceleratorState._reset_state(reset_partial_state=True)
    if device.startswith("cuda"):
        torch.cuda.set_device(torch.device(device))
    return Accelerator(cpu=device == "cpu", mixed_precision="no")


def lora_config(rank: int) -> Any:
    """peft's words for our LoRA. Raises `MissingExtra` without it."""
    try:
        from peft import LoraConfig
    except ImportError as error:
        raise MissingExtra("LoRA", error.name or "peft", "tuning") from error
    layers = ["to_q", "to_k", "to_v", "to_out.0"]
    return LoraConfig(r=rank, lora_alpha=rank, init_lora_weights="gaussian", target_modules=layers)


def write_weights(place: Place, pipe: Any, rank: int) -> str:
    """Write the trained weights of a pipeline as diffusers reads them; the file's path in the run.
    Raises `RunError` when it cannot be written.
    """
    with _writing(place) as folder:
        if not rank:
            pipe.unet.save_pretrained(folder / "unet", safe_serialization=True)
            return f"{place.folder}/unet/diffusion_pytorch_model.safetensors"
        from peft.utils import get_peft_model_state_dict

        layers = get_peft_model_state_dict(pipe.unet)
        pipe.save_lora_weights(folder, unet_lora_layers=layers, safe_serialization=True)
        return f"{place.folder}/pytorch_lora_weights.safetensors"


@dataclass
class TunedEditor(DiffusersEditor):
    """An editor with the weights of a file in a run, and what every edit's settings say of it."""

    weights: Path = Path()
    rank: int = 0
    training: JsonMapping = field(default_factory=dict)

    def facts(self, revision: str) -> JsonObject:
        return {**super().facts(revision), "tuned": dict(self.training)}

    def load_now(self) -> tuple[Any, str]:
        pipe, revision = super().load_now()
        if self.rank:
            pipe.load_lora_weights(self.weights.parent, weight_name=self.weights.name)
        else:
            from safetensors.torch import load_file

            pipe.unet.load_state_dict(load_file(self.weights))
        return pipe, revision


def tuned(base: DiffusersEditor, weights: Path, rank: int, facts: JsonMapping) -> TunedEditor:
    """An editor as `base`, with trained weights."""
    settings = {one.name: getattr(base, one.name) for one in fields(base)}
    return TunedEditor(**settings, weights=weights, rank=rank, training=facts)
