"""Pipelines of diffusers with tiny random weights, saved to disk as published ones are."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import diffusers
import pytest
import torch
from tests.networks.tiny import write_vocabulary
from transformers import (
    CLIPTextConfig,
    CLIPTextModel,
    CLIPTokenizer,
    ProcessorMixin,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    T5Config,
    T5EncoderModel,
)


def clip_tokenizer(folder: Path) -> CLIPTokenizer:
    write_vocabulary(folder)
    return CLIPTokenizer(
        str(folder / "vocab.json"), str(folder / "merges.txt"), model_max_length=77
    )


def clip_text_model() -> CLIPTextModel:
    torch.manual_seed(0)
    config = CLIPTextConfig(
        vocab_size=100, hidden_size=32, intermediate_size=37, num_hidden_layers=2,
        num_attention_heads=4, projection_dim=32, bos_token_id=0, eos_token_id=1,
        pad_token_id=1,
    )  # fmt: skip
    return CLIPTextModel(config)


def instructpix2pix(folder: Path) -> Path:
    text = clip_text_model()
    torch.manual_seed(0)
    unet = diffusers.UNet2DConditionModel(
        block_out_channels=(8, 16), layers_per_block=1, sample_size=16, in_channels=8,
        out_channels=4, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=32,
        norm_num_groups=4, attention_head_dim=4,
    )  # fmt: skip
    vae = diffusers.AutoencoderKL(
        block_out_channels=[8, 8, 8, 8], in_channels=3, out_channels=3, latent_channels=4,
        norm_num_groups=4, down_block_types=["DownEncoderBlock2D"] * 4,
        up_block_types=["UpDecoderBlock2D"] * 4,
    )  # fmt: skip
    pipe = diffusers.StableDiffusionInstructPix2PixPipeline(
        vae=vae, text_encoder=text, tokenizer=clip_tokenizer(folder.parent / "tokenizer"),
        unet=unet, scheduler=diffusers.EulerDiscreteScheduler(), safety_checker=None,
        feature_extractor=None, requires_safety_checker=False,
    )  # fmt: skip
    pipe.save_pretrained(folder)
    return folder


def kontext(folder: Path) -> Path:
    text = clip_text_model()
    torch.manual_seed(0)
    transformer = diffusers.FluxTransformer2DModel(
        patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16,
        num_attention_heads=2, joint_attention_dim=32, pooled_projection_dim=32,
        axes_dims_rope=(4, 4, 8),
    )  # fmt: skip
    second = T5EncoderModel(
        T5Config(vocab_size=100, d_model=32, d_kv=8, d_ff=37, num_layers=2, num_heads=4)
    )
    vae = diffusers.AutoencoderKL(
        sample_size=32, in_channels=3, out_channels=3, block_out_channels=(4,),
        layers_per_block=1, latent_channels=1, norm_num_groups=1, use_quant_conv=False,
        use_post_quant_conv=False, shift_factor=0.06, scaling_factor=1.5,
    )  # fmt: skip
    tokenizer = clip_tokenizer(folder.parent / "tokenizer")
    pipe = diffusers.FluxKontextPipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(), vae=vae, text_encoder=text,
        tokenizer=tokenizer, text_encoder_2=second, tokenizer_2=tokenizer,
        transformer=transformer,
    )  # fmt: skip
    pipe.save_pretrained(folder)
    return folder


IMAGE = 90


class Answer(dict):  # type: ignore[type-arg]
    """A mapping whose keys are attributes too, as a processor's answer is."""

    def __getattr__(self, name: str) -> Any:
        return self[name]

    def to(self, device: Any) -> Answer:
        return self


class TinyProcessor(ProcessorMixin):
    """Stands for Qwen2VLProcessor, which needs torchvision even to be made: the tokens of its text,
    four patches of a picture where the template has one.
    """

    attributes: ClassVar[list[str]] = []

    def __init__(self, tokenizer: CLIPTokenizer) -> None:
        self.letters = tokenizer

    @classmethod
    def from_pretrained(cls, folder: Any, **kwargs: Any) -> TinyProcessor:
        return cls(CLIPTokenizer.from_pretrained(Path(folder).parent / "tokenizer"))

    def save_pretrained(self, save_directory: str, **kwargs: Any) -> None:
        Path(save_directory).mkdir(parents=True, exist_ok=True)
        (Path(save_directory) / "processor_config.json").write_text("{}")

    def __call__(self, text: list[str], images: Any, **options: Any) -> Answer:
        count = len(images) if isinstance(images, list) else 1
        rows = []
        for line in text:
            first, *rest = line.split("<|image_pad|>")
            rows.append(self.letters(first, add_special_tokens=False).input_ids)
            for part in rest:
                own = self.letters(part, add_special_tokens=False).input_ids
                rows[-1] += [IMAGE] * 4 + own
        ids = torch.tensor(rows)
        return Answer(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            pixel_values=torch.linspace(0, 1, count * 16 * 1176).reshape(count * 16, 1176),
            image_grid_thw=torch.tensor([[1, 4, 4]] * count),
            mm_token_type_ids=(ids == IMAGE).long(),
        )


def small_qwen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Qwen's pipelines bring every picture to a million pixels, which is slow for nothing here."""
    from diffusers.pipelines.qwenimage import pipeline_qwenimage_edit as one
    from diffusers.pipelines.qwenimage import pipeline_qwenimage_edit_plus as several

    before = one.calculate_dimensions
    monkeypatch.setattr(one, "calculate_dimensions", lambda a, r: before(min(a, 64 * 64), r))
    monkeypatch.setattr(several, "VAE_IMAGE_SIZE", 64 * 64)
    monkeypatch.setattr(several, "CONDITION_IMAGE_SIZE", 64 * 64)


def qwen(folder: Path, plus: bool = False) -> Path:
    """With a stand-in for its processor, which needs torchvision."""
    torch.manual_seed(0)
    tokenizer = clip_tokenizer(folder.parent / "tokenizer")
    transformer = diffusers.QwenImageTransformer2DModel(
        patch_size=2, in_channels=16, out_channels=4, num_layers=1, attention_head_dim=16,
        num_attention_heads=2, joint_attention_dim=16, guidance_embeds=False,
        axes_dims_rope=(8, 4, 4),
    )  # fmt: skip
    vae = diffusers.AutoencoderKLQwenImage(
        base_dim=12, z_dim=4, dim_mult=[1, 2, 4], num_res_blocks=1,
        temperal_downsample=[False, True], latents_mean=[0.0] * 4, latents_std=[1.0] * 4,
    )  # fmt: skip
    rope = {"mrope_section": [1, 1, 2], "rope_type": "default", "type": "default"}
    width = {"hidden_size": 16, "intermediate_size": 16}
    config = Qwen2_5_VLConfig(
        text_config={
            **width, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2,
            "vocab_size": 100, "rope_scaling": rope,
        },
        vision_config={
            **width, "depth": 1, "num_heads": 2, "out_hidden_size": 16, "fullatt_block_indexes": [0],
        },
        image_token_id=IMAGE, vision_start_token_id=91, vision_end_token_id=92, video_token_id=93,
        vocab_size=100,
    )  # fmt: skip
    kind = diffusers.QwenImageEditPlusPipeline if plus else diffusers.QwenImageEditPipeline
    pipe = kind(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(), vae=vae,
        transformer=transformer, text_encoder=Qwen2_5_VLForConditionalGeneration(config),
        tokenizer=tokenizer, processor=TinyProcessor(tokenizer),
    )  # fmt: skip
    pipe.save_pretrained(folder)
    return folder
