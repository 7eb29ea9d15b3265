"""The diffusion models that have a name here: what each is, where its weights are, and how its
authors run it. ``--editor diffusers`` takes any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model: its pipeline's class in diffusers, where its weights are, and its authors'
    settings.

    `revision`: the hub's commit as at least three unrelated public repositories name it; None where
    none was found: the current one is looked up once, loaded by its hash, and recorded with every
    edit. `defaults`: arguments of the call, whose `origin` is said. `side`: the longer side that
    pictures are brought to before (None: the pipeline does it). `sized`: the call is told the
    input's width and height, without which it would make a square. `checked`: it comes with a
    safety checker. `marks`: how a picture is named in the prompt, ``{n}`` being its number from 1.
    """

    pipeline: str
    hub: str
    origin: str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    revision: str | None = None
    dtype: str = "bfloat16"
    pictures: int = 1
    side: int | None = None
    sized: bool = False
    checked: bool = False
    marks: str = ""


_PIX2PIX = Model(
    pipeline="StableDiffusionInstructPix2PixPipeline",
    hub="timbrooks/instruct-pix2pix",
    origin="arXiv 2211.09800, section 4: 100 steps, guidance 7.5 for the text and 1.5 for the "
    "picture, 512 pixels",
    defaults={"num_inference_steps": 100, "guidance_scale": 7.5, "image_guidance_scale": 1.5},
    revision="31519b5cb02a7fd89b906d88731cd4d6a7bbf88d",
    dtype="float16",
    side=512,
    checked=True,
)
MODELS: dict[str, Model] = {
    "instructpix2pix": _PIX2PIX,
    "magicbrush": replace(
        _PIX2PIX,
        hub="vinesmsuic/magicbrush-jul7",
        origin="arXiv 2306.10012: InstructPix2Pix fine-tuned, run with InstructPix2Pix's settings",
        revision=None,
    ),
    "paint-by-inpaint": replace(
        _PIX2PIX,
        hub="paint-by-inpaint/general-finetuned-mb",
        origin="the model card of arXiv 2404.18212: 50 steps, guidance 7 for the text and 1.5 for "
        "the picture",
        defaults={"num_inference_steps": 50, "guidance_scale": 7.0, "image_guidance_scale": 1.5},
        revision=None,
    ),
    "flux-kontext": Model(
        pipeline="FluxKontextPipeline",
        hub="black-forest-labs/FLUX.1-Kontext-dev",
        origin="the model card: guidance 2.5; diffusers' default of 28 steps",
        defaults={"num_inference_steps": 28, "guidance_scale": 2.5},
        revision="24e9dedc4ef646698dc8eb4e18ae2cec3c9fea0d",
        sized=True,
    ),
    "qwen-image-edit": Model(
        pipeline="QwenImageEditPipeline",
        hub="Qwen/Qwen-Image-Edit",
        origin="the model card: 50 steps, true guidance 4, an empty negative prompt",
        defaults={"num_inference_steps": 50, "true_cfg_scale": 4.0, "negative_prompt": " "},
        revision="ac7f9318f633fc4b5778c59367c8128225f1e3de",
    ),
    "qwen-image-edit-plus": Model(
        pipeline="QwenImageEditPlusPipeline",
        hub="Qwen/Qwen-Image-Edit-2509",
        origin="the model card: 40 steps, true guidance 4, one to three pictures",
        defaults={"num_inference_steps": 40, "true_cfg_scale": 4.0, "negative_prompt": " "},
        revision="d3968ef930e841f4c73640fb8afa3b306a78167e",
        pictures=3,
    ),
    "omnigen": Model(
        pipeline="OmniGenPipeline",
        hub="Shitao/OmniGen-v1-diffusers",
        origin="diffusers' documentation of OmniGen for editing: 50 steps, guidance 2 for the text "
        "and 1.6 for the picture",
        defaults={
            "num_inference_steps": 50,
            "guidance_scale": 2.0,
            "img_guidance_scale": 1.6,
            "use_input_image_size_as_output": True,
        },
        pictures=5,
        marks="<img><|image_{n}|></img>",
    ),
}
