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
import re
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

from editgauge.errors import MissingExtra, Unavailable, UsageError

PICTURES = ("image", "images", "input_images")
"""The arguments under which pipelines take the picture to edit, in the order in which they are
looked for.
"""
_LISTS = ("images", "input_images")
_GIVEN = frozenset(
    {
        "self",
        "prompt",
        *PICTURES,
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
    }
)
"""Arguments of a pipeline's call that are not settings."""
BATCHES = frozenset(
    {"StableDiffusionInstructPix2PixPipeline", "StableDiffusionXLInstructPix2PixPipeline"}
)
"""Classes that edit a list of pictures by a list of instructions, one by one. Others take a list
for several pictures of one instruction, which no signature tells: they are never given a batch.
"""
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

    name: str
    """The pipeline's class."""
    argument: str
    settings: tuple[str, ...]
    """The arguments that a user may set."""
    required: tuple[str, ...]
    """Those of `settings` that have no default."""
    masked: bool
    """It takes a mask of what may change."""
    listed: bool
    """It takes a list even of one picture."""
    shape: tuple[str, str] | None
    """Height and width that it makes whatever the shape of the picture, unless it is told others:
    products of numbers and of attributes of the pipeline; None where the picture gives the shape.
    """


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
    found = getattr(diffusers, name, None)
    if found is None or not name.endswith("Pipeline"):
        there = [other for other in dir(diffusers) if other.endswith("Pipeline")]
        near = difflib.get_close_matches(name, there, n=3, cutoff=0.6)
        hint = f"did you mean {' or '.join(near)}? Else install" if near else "install"
        raise UsageError(
            f"editor {editor!r}: diffusers {diffusers.__version__} has no pipeline {name}; {hint} "
            f"one that has it, or join the model's own code with --editor command"
        )
    return found


def class_named_by(editor: str, model: str, revision: str | None) -> str:
    """The class that a model's own ``model_index.json`` names, in a folder or on the hub.

    Raises `UsageError` for a folder without one, and `Unavailable` when the hub cannot tell.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        try:
            told = json.loads((folder / "model_index.json").read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise UsageError(
                f"editor {editor!r}: {folder.name}: wanted a folder with a model_index.json "
                f"({type(error).__name__}); name the class with --set pipeline=…"
            ) from error
    else:
        try:
            told = library(f"the editor {editor}").DiffusionPipeline.load_config(
                model, revision=revision
            )
        except Exception as error:  # offline, unknown, gated: all end in the same advice
            raise Unavailable(
                f"editor {editor!r}: {model}: the hub did not tell its pipeline "
                f"({type(error).__name__}); give a folder with --model, or name the class with "
                f"--set pipeline=…"
            ) from error
    name = told.get("_class_name") if isinstance(told, dict) else None
    if not isinstance(name, str):
        raise UsageError(
            f"editor {editor!r}: {Path(model).name}: its model_index.json names no pipeline; name "
            f"the class with --set pipeline=…"
        )
    return name


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
    return Call(
        name=pipeline.__name__,
        argument=argument,
        settings=settings,
        required=tuple(name for name in settings if parameters[name].default is bare),
        masked="mask_image" in parameters,
        listed=argument in _LISTS,
        shape=_shape(pipeline, parameters),
    )


def _shape(pipeline: Any, parameters: Mapping[str, inspect.Parameter]) -> tuple[str, str] | None:
    """See `Call.shape`: the defaults of the signature, or what the call's source puts in the place
    of none before it looks at anything else.
    """
    if not {"height", "width"} <= set(parameters):
        return None
    found: list[str] = []
    for name in ("height", "width"):
        default = parameters[name].default
        if type(default) is int:
            found.append(str(default))
            continue
        try:
            source = inspect.getsource(pipeline.__call__)
        except (OSError, TypeError):
            return None
        told = re.search(rf"\b{name} *= *{name} or (.*)", source)
        if told is None or not re.fullmatch(r"self\.[\w.]+( \* self\.[\w.]+)*", told[1].strip()):
            return None
        found.append(told[1].strip().replace("self.", ""))
    return found[0], found[1]


def size_for(pipe: Any, shape: tuple[str, str], width: int, height: int) -> tuple[int, int] | None:
    """Width and height, multiples of 16, in the proportions of a picture and with about as many
    pixels as the pipeline makes by itself; None where it does not say how many.
    """
    try:
        pixels = math.prod(_product(pipe, text) for text in shape)
    except (AttributeError, TypeError, ValueError):
        return None
    scale = math.sqrt(pixels / (width * height))
    wide, high = (max(16, round(side * scale / 16) * 16) for side in (width, height))
    return wide, high


def _product(pipe: Any, text: str) -> int:
    parts = text.split(" * ")
    return math.prod(int(p) if p.isdigit() else int(attrgetter(p)(pipe)) for p in parts)


def picture_of(result: Any, index: int) -> Any:
    """The picture (of Pillow) of one instruction in what a pipeline returned.

    Of frames, which some models of edits as little films give, the last one. Raises `ValueError`
    for a result without pictures.
    """
    made = getattr(result, "images", None)
    if made is None:
        frames = getattr(result, "frames", None)
        made = None if frames is None else [film[-1] for film in frames]
    if made is None or len(made) <= index:
        raise ValueError(f"{type(result).__name__}: no picture in what the pipeline returned")
    return as_picture(made[index])


def as_picture(value: Any) -> Any:
    """A picture of Pillow from one, or from an array of shape (H, W, 3) with values in 0 … 1."""
    import numpy as np
    from PIL import Image

    if isinstance(value, Image.Image):
        return value
    pixels = np.asarray(value)
    if pixels.dtype != np.uint8:
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
