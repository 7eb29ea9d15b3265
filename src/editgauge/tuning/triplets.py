"""Triplets of input, instruction and reference as the tensors that InstructPix2Pix is trained on.

Encoder and text model are frozen: what they give is computed once and kept, so that only the U-Net
is on the device while it trains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editgauge.editors.loading import fitted
from editgauge.images import read_image
from editgauge.types import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Triplet:
    """One training sample. Tensors are float32 on the CPU; h and w are the latents' sides.

    `mean`, `std`: (1, C, h, w), the distribution of the reference's latents, on the scale that the
    U-Net works at. `image`: (1, C, h, w), the mode of the input's latents, unscaled, as the
    pipeline feeds it. `words`: (1, tokens, width), the instruction's embedding.
    """

    id: str
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

    found = []
    with torch.no_grad():
        for sample in samples:
            assert sample.reference is not None
            before = _picture(sample.images[0], side)
            after = _picture(sample.reference, side)
            after = after if after.size == before.size else after.resize(before.size)
            target = _encoded(pipe, after)
            scale = pipe.vae.config.scaling_factor
            found.append(
                Triplet(
                    id=sample.id,
                    mean=_kept(target.mean * scale),
                    std=_kept(target.std * scale),
                    image=_kept(_encoded(pipe, before).mode()),
                    words=_kept(_words(pipe, sample.instruction)),
                )
            )
        return found, _kept(_words(pipe, ""))


def _picture(path: Path, side: int) -> Any:
    from PIL import Image

    return fitted(Image.fromarray(read_image(path)), side)


def _words(pipe: Any, text: str) -> Any:
    """The states (1, tokens, width) that a Stable Diffusion pipeline's text model gives a text, cut
    to the model's length as the pipeline does.
    """
    import torch

    tokens = pipe.tokenizer(
        text,
        padding="max_length",
        truncation=True,
        max_length=pipe.tokenizer.model_max_length,
        return_tensors="pt",
    )
    with torch.no_grad():
        return pipe.text_encoder(tokens.input_ids.to(pipe.text_encoder.device))[0]


def _encoded(pipe: Any, picture: Any) -> Any:
    pixels = pipe.image_processor.preprocess(picture)  # (1, 3, H, W) in -1..1
    return pipe.vae.encode(pixels.to(pipe.vae.device, pipe.vae.dtype)).latent_dist


def _kept(tensor: Any) -> Any:
    return tensor.detach().float().cpu().contiguous()
