"""The training of InstructPix2Pix's U-Net on triplets (arXiv 2211.09800, section 3.2): predict the
noise that was added to the reference's latents, given the input's latents as four further channels
and the instruction; now and then without the one, the other or both.

A training is a plain function of its plan: killed at any moment, it goes on at its last checkpoint
and ends with the same weights, to the bit on one CPU with one number of threads. It runs on one
device, through accelerate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from editgauge.errors import MissingExtra, RunError, UsageError
from editgauge.tuning import checkpoint
from editgauge.tuning.checkpoint import Checkpoint
from editgauge.tuning.triplets import Triplet

Progress = Callable[[int, int, str], None]
PRECISIONS = {"float32": "no", "bfloat16": "bf16", "float16": "fp16"}
"""Precision -> accelerate's word for it; weights and optimizer are float32 in all of them."""
SCHEDULES = ("constant", "linear", "cosine")
RATES = {"all": 5e-5, "lora": 1e-4}
"""Learning rates: that of diffusers' own training of InstructPix2Pix, and a common one of LoRA; the
paper gives none.
"""
ATTENTION = ("to_q", "to_k", "to_v", "to_out.0")
"""What LoRA adds weights to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a U-Net is trained. All of it is in the training's mark."""

    steps_a_sample: int = 50
    """Updates for each training sample (MedEBench, section 3.4)."""
    rate: float = RATES["all"]
    resolution: int = 512
    """Longer side of the pictures."""
    precision: str = "float32"
    accumulate: int = 1
    """Samples whose gradients make one update."""
    dropout: float = 0.05
    """Share of draws without the instruction, of those without the picture, and of those without
    both; of the InstructPix2Pix paper.
    """
    lora: int = 0
    """Rank of LoRA; 0 trains all weights."""
    schedule: str = "constant"
    warmup: int = 0
    seed: int = 0

    def steps(self, samples: int) -> int:
        """Updates for a number of samples."""
        return self.steps_a_sample * samples

    def record(self) -> dict[str, Any]:
        return asdict(self)


def checked(recipe: Recipe, device: str = "cuda") -> Recipe:
    """The recipe. Raises `UsageError` for a value that no training can have, or none on the
    device.
    """
    whole = ("steps_a_sample", "resolution", "accumulate")
    wrong = [name for name in whole if getattr(recipe, name) < 1]
    wrong += [name for name in ("lora", "warmup", "seed") if getattr(recipe, name) < 0]
    if wrong:
        raise UsageError(f"--{wrong[0].replace('_', '-')}: {getattr(recipe, wrong[0])} is too low")
    if not 0 < recipe.rate < math.inf:
        raise UsageError(f"--rate {recipe.rate}: wanted a number above 0")
    if not 0 <= recipe.dropout <= 1 / 3:
        raise UsageError(f"--dropout {recipe.dropout}: wanted 0 to 1/3, of which three are made")
    if recipe.precision not in PRECISIONS:
        raise UsageError(f"--precision {recipe.precision}: wanted one of {', '.join(PRECISIONS)}")
    if recipe.precision == "float16" and not device.startswith("cuda"):
        raise UsageError(f"--precision float16: needs a GPU, found {device}; take bfloat16")
    if recipe.schedule not in SCHEDULES:
        raise UsageError(f"--schedule {recipe.schedule}: wanted one of {', '.join(SCHEDULES)}")
    return recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a training keeps its checkpoint: the run, a folder of it, and the plan's mark."""

    run: Path
    folder: str
    fingerprint: str
    every: int = 100
    """Updates between two checkpoints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """The end of a training: the trained weights by name (all of the U-Net's, or LoRA's), and of
    each update its loss (the mean over its samples) and its learning rate.
    """

    tensors: Mapping[str, Any]
    losses: Sequence[float]
    rates: Sequence[float]


def train(
    pipe: Any,
    triplets: Sequence[Triplet],
    nothing: Any,
    recipe: Recipe,
    place: Place,
    *,
    device: str = "cpu",
    progress: Progress | None = None,
) -> Trained:
    """Train the U-Net of a pipeline (float32, 8 input channels), from the last checkpoint in
    `place` where there is one of the same mark. `nothing` is the embedding of no instruction.

    The pipeline's U-Net is changed. Raises `RunError` for a loss that is not finite, a device
    without memory, a checkpoint of another plan.
    """
    import torch

    cuda = [torch.device(device).index or 0] if device.startswith("cuda") else []
    with torch.random.fork_rng(devices=cuda):
        run = _Run(pipe, recipe, place, device, recipe.steps(len(triplets)))
        run.resume()
        _learn(run, triplets, nothing, progress)
        return run.end()


def _learn(run: _Run, triplets: Sequence[Triplet], nothing: Any, progress: Progress | None) -> None:
    """Make the updates that are left."""
    import torch

    recipe, place = run.recipe, run.place
    try:
        while run.step < run.steps:
            losses = []
            for number in range(recipe.accumulate):
                position = run.step * recipe.accumulate + number
                one = triplets[_turn(position, len(triplets), recipe.seed)]
                losses.append(run.learn(one, nothing))
            run.finish_step(sum(losses) / len(losses))
            if progress is not None:
                progress(run.step, run.steps, f"training on {len(triplets)}")
            if run.step % place.every == 0 and run.step < run.steps:
                run.keep()
    except torch.cuda.OutOfMemoryError as error:
        raise RunError(
            "training: the device has too little memory; take --lora 8, a lower --resolution or "
            "--precision bfloat16. What was trained is kept"
        ) from error


def _turn(position: int, count: int, seed: int) -> int:
    """The number of the sample whose turn it is: every pass takes each once, in an order of its
    own.
    """
    import torch

    turn, number = divmod(position, count)
    order = torch.Generator("cpu").manual_seed(seed * 1_000_003 + turn)
    return int(torch.randperm(count, generator=order)[number])


class _Run:
    """A training while it runs."""

    def __init__(self, pipe: Any, recipe: Recipe, place: Place, device: str, steps: int) -> None:
        import torch
        from diffusers import DDPMScheduler
        from diffusers.optimization import get_scheduler

        self.recipe, self.place, self.steps, self.step = recipe, place, steps, 0
        self.accelerator = _accelerator(recipe, device)
        self.noise = DDPMScheduler.from_config(pipe.scheduler.config)
        unet = pipe.unet
        if recipe.lora:
            _add_lora(unet, recipe.lora, recipe.seed)
        else:
            unet.requires_grad_(True)
        unet.train()
        self.trained = {name: one for name, one in unet.named_parameters() if one.requires_grad}
        self.optimizer = torch.optim.AdamW(self.trained.values(), lr=recipe.rate)
        self.rates = get_scheduler(
            "constant_with_warmup" if recipe.schedule == "constant" else recipe.schedule,
            optimizer=self.optimizer,
            num_warmup_steps=recipe.warmup,
            num_training_steps=max(steps, 1),
        )
        self.bare = self.optimizer
        self.unet, self.optimizer = self.accelerator.prepare(unet, self.optimizer)
        self.random = torch.Generator("cpu").manual_seed(recipe.seed)
        self.losses: list[float] = []
        self.rate_of: list[float] = []

    def learn(self, one: Triplet, nothing: Any) -> float:
        """Add the gradients of one sample; the update follows with the last of them."""
        import torch

        device, random = self.accelerator.device, self.random

        def drawn(shape: Any) -> Any:
            return torch.randn(shape, generator=random)

        clean = one.mean + one.std * drawn(one.mean.shape)
        added = drawn(clean.shape)
        last = self.noise.config.num_train_timesteps
        at = torch.randint(0, last, (1,), generator=random)
        share, dropout = float(torch.rand((), generator=random)), self.recipe.dropout
        words = nothing if share < 2 * dropout else one.words
        image = torch.zeros_like(one.image) if dropout <= share < 3 * dropout else one.image
        noisy = self.noise.add_noise(clean, added, at)
        wanted = added
        if self.noise.config.prediction_type == "v_prediction":
            wanted = self.noise.get_velocity(clean, added, at)
        given = torch.cat([noisy, image], dim=1)  # (1, 8, h, w)
        with self.accelerator.accumulate(self.unet):
            with self.accelerator.autocast():
                predicted = self.unet(
                    given.to(device), at.to(device), encoder_hidden_states=words.to(device)
                ).sample
            loss = torch.nn.functional.mse_loss(predicted.float(), wanted.to(device).float())
            value = float(loss.detach())
            if not math.isfinite(value):
                raise RunError(
                    f"training: the loss is {value} at step {self.step + 1}; take a lower --rate, "
                    f"or --precision bfloat16. What was trained before is kept"
                )
            self.accelerator.backward(loss)
            if self.accelerator.sync_gradients:
                self.accelerator.clip_grad_norm_(self.trained.values(), 1.0)
            self.optimizer.step()
            self.optimizer.zero_grad()
        return value

    def finish_step(self, loss: float) -> None:
        self.losses.append(loss)
        self.rate_of.append(float(self.rates.get_last_lr()[0]))
        self.rates.step()
        self.step += 1

    # -- keeping -----------------------------------------------------------------------------------

    def keep(self) -> None:
        """Write a checkpoint."""
        import torch

        tensors = {f"weight.{name}": one.detach().cpu() for name, one in self.trained.items()}
        for name, one in self.trained.items():
            for part, value in self.bare.state.get(one, {}).items():
                tensors[f"optimizer.{part}.{name}"] = torch.as_tensor(value).detach().cpu()
        tensors["random.own"] = self.random.get_state()
        tensors["random.torch"] = torch.get_rng_state()
        if self.accelerator.device.type == "cuda":
            tensors["random.cuda"] = torch.cuda.get_rng_state()
        tensors["losses"] = torch.tensor(self.losses, dtype=torch.float64)
        tensors["rates"] = torch.tensor(self.rate_of, dtype=torch.float64)
        scaler = self.accelerator.scaler
        facts = {
            "schedule": {k: v for k, v in self.rates.state_dict().items() if k != "lr_lambdas"},
            "scaler": None if scaler is None else scaler.state_dict(),
        }
        made = Checkpoint(
            fingerprint=self.place.fingerprint, step=self.step, tensors=tensors, facts=facts
        )
        checkpoint.write(self.place.run, self.place.folder, made)

    def resume(self) -> None:
        """Go back to the last checkpoint, where there is one. Raises `RunError` for one of another
        plan or with other weights.
        """
        import torch

        found = checkpoint.read(self.place.run, self.place.folder)
        torch.manual_seed(self.recipe.seed)
        if found is None:
            return
        if found.fingerprint != self.place.fingerprint:
            raise RunError(
                f"{self.place.folder}: its checkpoint is of another plan; remove it, and the "
                f"training starts anew"
            )
        try:
            self._take(found)
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise RunError(
                f"{self.place.folder}: its checkpoint does not fit the model "
                f"({type(error).__name__}); remove it, and the training starts anew"
            ) from error

    def _take(self, found: Checkpoint) -> None:
        import torch

        tensors = found.tensors
        with torch.no_grad():
            for name, one in self.trained.items():
                one.copy_(tensors[f"weight.{name}"])
        state: dict[int, dict[str, Any]] = {}
        for number, name in enumerate(self.trained):
            parts = ("step", "exp_avg", "exp_avg_sq")
            state[number] = {part: tensors[f"optimizer.{part}.{name}"] for part in parts}
        self.bare.load_state_dict(
            {"state": state, "param_groups": self.bare.state_dict()["param_groups"]}
        )
        self.rates.load_state_dict({**found.facts["schedule"], "lr_lambdas": [None]})
        for group, rate in zip(self.bare.param_groups, self.rates.get_last_lr(), strict=True):
            group["lr"] = rate
        if self.accelerator.scaler is not None:
            self.accelerator.scaler.load_state_dict(found.facts["scaler"])
        self.random.set_state(tensors["random.own"])
        torch.set_rng_state(tensors["random.torch"])
        if "random.cuda" in tensors and self.accelerator.device.type == "cuda":
            torch.cuda.set_rng_state(tensors["random.cuda"])
        self.losses = [float(value) for value in tensors["losses"]]
        self.rate_of = [float(value) for value in tensors["rates"]]
        self.step = found.step

    def end(self) -> Trained:
        """The trained weights, on the CPU, in float32."""
        tensors = {name: one.detach().float().cpu().clone() for name, one in self.trained.items()}
        self.accelerator.free_memory()
        return Trained(tensors=tensors, losses=self.losses, rates=self.rate_of)


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
    return Accelerator(
        cpu=device == "cpu",
        mixed_precision=PRECISIONS[recipe.precision],
        gradient_accumulation_steps=recipe.accumulate,
    )


def _add_lora(unet: Any, rank: int, seed: int) -> None:
    """Freeze the U-Net and add LoRA to its attention; the new weights are drawn from the seed."""
    import torch

    unet.requires_grad_(False)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        unet.add_adapter(lora_config(rank))


def lora_config(rank: int) -> Any:
    """peft's words for our LoRA. Raises `MissingExtra` without it."""
    try:
        from peft import LoraConfig
    except ImportError as error:
        raise MissingExtra("--lora", error.name or "peft", "tuning") from error
    return LoraConfig(
        r=rank, lora_alpha=rank, init_lora_weights="gaussian", target_modules=list(ATTENTION)
    )
