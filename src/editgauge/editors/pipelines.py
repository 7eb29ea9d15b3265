"""Pipelines of the installed diffusers, as an editor sees them: which class a name stands for, and
what its call takes.

Nothing here is special to a model. A class is found by its own name, or by what the weights say of
themselves (``model_index.json``); its call is inspected, so that a model which appeared after this
was written can be edited with, and a setting that it does not take is refused by name.
"""

from __future__ import annotations

import difflib
import inspect
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editgauge.errors import MissingExtra, Unavailable, UsageError
from editgauge.networks.runtime import told

PICTURES = ("image", "images", "input_images")
"""The arguments under which pipelines take the picture to edit, in the order in which they are
looked for.
"""
_GIVEN = frozenset(
    [
        "self",
        "prompt",
        "mask_image",
        "generator",
        "latents",
        "prompt_embeds",
        "negative_prompt_embeds",
        "output_type",
        "return_dict",
        "callback_on_step_end",
        "callback_on_step_end_tensor_inputs",
        "args",
        "kwargs",
    ]
) | frozenset(PICTURES)
"""Arguments of a pipeline's call that are not settings."""
SEVERAL = {
    "QwenImageEditPlusPipeline": 3,
    "OmniGenPipeline": 5,
    "Flux2Pipeline": 10,
    "Flux2KleinPipeline": 4,
    "JoyImageEditPlusPipeline": 3,
}
"""How many pictures of one instruction a class takes, where its documentation tells; one of
others.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a pipeline's call takes. `argument`: the name under which it takes the pictures."""

    argument: str
    settings: tuple[str, ...]
    """The arguments that a user may set."""
    required: tuple[str, ...]
    """Those of `settings` that have no default."""
    masked: bool
    """It takes a mask of what may change."""
    listed: bool
    """It takes a list even of one picture."""
    shape: tuple[int, int] | None
    """Height and width that it makes by default whatever the picture; None: it names none."""


def library(feature: str) -> Any:
    """The diffusers package. Raises `MissingExtra` naming the feature."""
    try:
        import diffusers
    except ImportError as error:
        raise MissingExtra(feature, error.name or "diffusers", "diffusion") from error
    return diffusers


def pipeline_class(editor: str, name: str) -> Any:
    """The class of this name in the installed diffusers. Raises `UsageError` with the nearest names
    for one that it has not.
    """
    diffusers = library(f"the editor {editor}")
    try:
        found = getattr(diffusers, name, None)
    except RuntimeError as error:  # it imports what the class needs only now
        raise Unavailable(f"editor {editor!r}: {name} cannot be imported: {told(error)}") from error
    if found is not None and name.endswith("Pipeline"):
        return found
    there = [other for other in dir(diffusers) if other.endswith("Pipeline")]
    near = difflib.get_close_matches(name, there, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}? Else install" if near else "install"
    raise UsageError(
        f"editor {editor!r}: diffusers {diffusers.__version__} has no pipeline {name}; {hint} one "
        f"that has it, or join the model's own code with --editor FILE.py:function"
    )


def class_named_by(model: str, revision: str | None) -> str:
    """The class that a model's own ``model_index.json`` names, in a folder or on the hub. Raises
    `UsageError` for a folder without one, and `Unavailable` when the hub cannot tell.
    """
    folder, advice = Path(model).expanduser(), "name the class with --set pipeline=…"
    there = folder.is_dir()
    try:
        if there:
            index = json.loads((folder / "model_index.json").read_text("utf-8"))
        else:
            pipeline = library("the editor diffusers").DiffusionPipeline
            index = pipeline.load_config(model, revision=revision)
        return str(index["_class_name"])
    except MissingExtra:
        raise
    except Exception as error:  # no such file; offline, unknown, gated: all end in the same advice
        why = f"({type(error).__name__}); {advice}"
        if there:
            raise UsageError(
                f"editor 'diffusers': {folder.name}: wanted a folder with a model_index.json {why}"
            ) from error
        raise Unavailable(
            f"editor 'diffusers': {model}: the hub did not tell its pipeline {why}, or give a "
            f"folder with --model"
        ) from error


def call_of(editor: str, pipeline: Any) -> Call:
    """What the call of a pipeline's class takes. Raises `UsageError` for one that edits no
    picture by an instruction.
    """
    parameters = inspect.signature(pipeline.__call__).parameters
    argument = next((name for name in PICTURES if name in parameters), None)
    if argument is None or "prompt" not in parameters:
        raise UsageError(
            f"editor {editor!r}: {pipeline.__name__} takes no "
            f"{'picture' if argument is None else 'prompt'}: it cannot edit by an instruction"
        )
    settings = tuple(name for name in parameters if name not in _GIVEN)
    bare = inspect.Parameter.empty
    own = [parameters[n].default for n in ("height", "width") if n in parameters]
    return Call(
        argument=argument,
        settings=settings,
        required=tuple(name for name in settings if parameters[name].default is bare),
        masked="mask_image" in parameters,
        listed=argument != "image",
        shape=(own[0], own[1]) if [type(side) for side in own] == [int, int] else None,
    )


def size_for(pipe: Any, call: Call, width: int, height: int) -> tuple[int, int] | None:
    """Width and height, multiples of 16, in the proportions of a picture and with about as many
    pixels as the pipeline makes by itself; None where it takes the picture's own.

    Pipelines with a mask make a square by themselves, those of films a shape of their own.
    """
    if call.shape is not None:
        pixels = math.prod(call.shape)
    elif call.masked and {"height", "width"} <= set(call.settings):
        unet = getattr(pipe, "unet", None)
        side = unet.config.sample_size if unet is not None else pipe.default_sample_size
        pixels = (int(side) * int(pipe.vae_scale_factor)) ** 2
    else:
        return None
    scale = math.sqrt(pixels / (width * height))
    wide, high = (max(16, round(side * scale / 16) * 16) for side in (width, height))
    return wide, high


def picture_of(result: Any) -> Any:
    """The picture (of Pillow) in what a pipeline returned.

    Of frames, which some models of edits as little films give, the last one. Raises `ValueError`
    for a result without pictures.
    """
    import numpy as np
    from PIL import Image

    made = getattr(result, "images", None)
    if made is None:
        frames = getattr(result, "frames", None)
        made = None if frames is None else [film[-1] for film in frames]
    if made is None or not len(made):
        raise ValueError(f"{type(result).__name__}: no picture in what the pipeline returned")
    if isinstance(made[0], Image.Image):
        return made[0]
    pixels = np.asarray(made[0])
    if pixels.dtype != np.uint8:  # 0 … 1
        pixels = np.rint(np.clip(pixels.astype(np.float64), 0.0, 1.0) * 255).astype(np.uint8)
    return Image.fromarray(pixels)


def text_states(pipe: Any, text: str) -> Any:
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


def fitted(image: Any, side: int, method: Any) -> Any:
    """A picture of Pillow brought to the longer side that a model works at, both sides multiples of
    8.
    """
    scale = side / max(image.size)
    width, height = (max(8, math.ceil(s * scale / 8) * 8) for s in image.size)
    return image if image.size == (width, height) else image.resize((width, height), method)
