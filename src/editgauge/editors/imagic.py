"""Imagic (arXiv 2210.09276) on Stable Diffusion: the model is fitted to each picture before it
edits it.

Three steps, for every sample: the embedding of the instruction is moved until the frozen network
rebuilds the input from it; the network is tuned on the input with that embedding; a picture is made
from a mixture of the instruction's own embedding and the moved one, `eta` = 1 being the instruction
alone. The network's weights are put back afterwards, so that no sample depends on the one before
it. Slow by nature: thousands of steps a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from editgauge.editors.diffusers import DiffusersEditor
from editgauge.editors.families import FAMILIES
from editgauge.editors.pipelines import text_states


@dataclass(kw_only=True)
class ImagicEditor(DiffusersEditor):
    """See the module. Its own settings are those of `FAMILIES["imagic"].tuning`."""

    def _run(self, device: str, jobs: Sequence[Any]) -> list[tuple[Any, bool]]:
        with self._drawn_alone(device):
            return [self._fitted_to(device, job) for job in jobs]

    def _fitted_to(self, device: str, job: Any) -> tuple[Any, bool]:
        """The edited picture of one sample, and whether the safety checker withheld it."""
        import torch

        pipe, _ = self._load(device)
        picture = job.pictures[0]
        tuning = {name: self.arguments[name] for name in FAMILIES["imagic"].tuning}
        drawing = {name: value for name, value in self.arguments.items() if name not in tuning}
        generator = torch.Generator("cpu").manual_seed(self.seed)
        latents = self._latents(pipe, picture)
        wanted = text_states(pipe, job.prompt)
        before = {name: value.detach().clone() for name, value in pipe.unet.state_dict().items()}
        try:
            moved = self._move(
                pipe,
                latents,
                wanted,
                generator,
                tuning["embedding_steps"],
                tuning["embedding_rate"],
            )
            self._tune(
                pipe, latents, moved, generator, tuning["tuning_steps"], tuning["tuning_rate"]
            )
            mixed = tuning["eta"] * wanted + (1 - tuning["eta"]) * moved
            with torch.inference_mode():
                result = pipe(
                    prompt_embeds=mixed,
                    negative_prompt_embeds=text_states(pipe, ""),
                    width=picture.width,
                    height=picture.height,
                    generator=torch.Generator("cpu").manual_seed(self.seed),
                    **drawing,
                )
        finally:
            pipe.unet.load_state_dict(before)
            pipe.unet.requires_grad_(False)
        return result.images[0], bool((result.nsfw_content_detected or [False])[0])

    def _latents(self, pipe: Any, picture: Any) -> Any:
        import torch

        with torch.no_grad():
            pixels = pipe.image_processor.preprocess(picture).to(
                pipe.vae.device, pipe.vae.dtype
            )  # (1, 3, H, W) in -1..1
            return pipe.vae.encode(pixels).latent_dist.mode() * pipe.vae.config.scaling_factor

    def _move(
        self, pipe: Any, latents: Any, wanted: Any, generator: Any, steps: int, rate: float
    ) -> Any:
        """The embedding from which the frozen network rebuilds the input best, starting from the
        instruction's.
        """
        import torch

        pipe.unet.requires_grad_(False)
        moved = wanted.detach().clone().requires_grad_(True)
        optimizer = torch.optim.Adam([moved], lr=rate)
        for _ in range(steps):
            optimizer.zero_grad()
            self._loss(pipe, latents, moved, generator).backward()
            optimizer.step()
        return moved.detach()

    def _tune(
        self, pipe: Any, latents: Any, moved: Any, generator: Any, steps: int, rate: float
    ) -> None:
        """Fit the network itself to the input, with the moved embedding held."""
        import torch

        pipe.unet.requires_grad_(True)
        optimizer = torch.optim.Adam(pipe.unet.parameters(), lr=rate)
        for _ in range(steps):
            optimizer.zero_grad()
            self._loss(pipe, latents, moved, generator).backward()
            optimizer.step()

    def _loss(self, pipe: Any, latents: Any, embedding: Any, generator: Any) -> Any:
        """How far the network is from the noise (or velocity) that was added, at a step drawn at
        random.
        """
        import torch

        scheduler = training_scheduler(pipe.scheduler)
        noise = torch.randn(latents.shape, generator=generator).to(latents)
        step = torch.randint(0, scheduler.config.num_train_timesteps, (1,), generator=generator).to(
            latents.device
        )
        noisy = scheduler.add_noise(latents, noise, step)
        if scheduler.config.prediction_type == "v_prediction":
            noise = scheduler.get_velocity(latents, noise, step)
        predicted = pipe.unet(noisy, step, encoder_hidden_states=embedding).sample
        return torch.nn.functional.mse_loss(predicted.float(), noise.float())


def training_scheduler(scheduler: Any) -> Any:
    """The noise of training that belongs to a pipeline's scheduler, whatever that draws with."""
    from diffusers import DDPMScheduler

    return DDPMScheduler.from_config(scheduler.config)
