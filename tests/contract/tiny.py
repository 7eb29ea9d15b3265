"""A tiny InstructPix2Pix with random weights, saved to disk as published ones are, and a task to
learn: squares that are to become green. Nothing is downloaded.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tests.contract.datasets import organ_record
from tests.contract.support import rectangle, save

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,'\"!?-"
TASK = "Reconstruct ear."


def pipeline(folder: Path) -> Path:
    import torch
    from diffusers import (
        AutoencoderKL,
        EulerDiscreteScheduler,
        StableDiffusionInstructPix2PixPipeline,
        UNet2DConditionModel,
    )
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer

    words = folder.parent / "words"
    words.mkdir(parents=True)
    known = ["<|startoftext|>", "<|endoftext|>", *LETTERS, *(f"{letter}</w>" for letter in LETTERS)]
    (words / "vocab.json").write_text(json.dumps({word: n for n, word in enumerate(known)}))
    (words / "merges.txt").write_text("#version: 0.2\n")
    tokenizer = CLIPTokenizer(
        str(words / "vocab.json"), str(words / "merges.txt"), model_max_length=77
    )
    torch.manual_seed(0)
    text = CLIPTextModel(
        CLIPTextConfig(
            vocab_size=100,
            hidden_size=32,
            intermediate_size=37,
            num_hidden_layers=2,
            num_attention_heads=4,
            projection_dim=32,
            bos_token_id=0,
            eos_token_id=1,
            pad_token_id=1,
        )
    )
    unet = UNet2DConditionModel(
        block_out_channels=(8, 16),
        layers_per_block=1,
        sample_size=16,
        in_channels=8,
        out_channels=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=32,
        norm_num_groups=4,
        attention_head_dim=4,
    )
    vae = AutoencoderKL(
        block_out_channels=[8, 8, 8, 8],
        latent_channels=4,
        norm_num_groups=4,
        down_block_types=["DownEncoderBlock2D"] * 4,
        up_block_types=["UpDecoderBlock2D"] * 4,
    )
    StableDiffusionInstructPix2PixPipeline(
        vae=vae,
        text_encoder=text,
        tokenizer=tokenizer,
        unet=unet,
        scheduler=EulerDiscreteScheduler(),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    ).save_pretrained(folder)
    return folder


def squares(root: Path, count: int) -> Path:
    """MedEBench with `count` samples of `TASK`."""
    rng, records = np.random.default_rng(0), []
    folder = root / "editing"
    for number in range(1, count + 1):
        before = np.full((16, 16, 3), rng.integers(0, 256, 3), np.uint8)
        before[0, 0, 0] = number
        after = np.full((16, 16, 3), (40, 200, 60), np.uint8)
        after[0, 0, 0] = number
        save(folder / "previous" / f"{number}.png", before)
        save(folder / "changed" / f"{number}.png", after)
        save(folder / "previous_mask" / f"{number}.png", rectangle(16, 16, (4, 4, 12, 12)))
        records.append(organ_record(number, Organ="Ears", Task=TASK, prompt="make it green"))
    (folder / "editing_metadata.json").write_text(json.dumps({"samples": records}))
    return root
