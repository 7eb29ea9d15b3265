"""Pipelines of diffusers: which class a name stands for, what its call takes, and the way from a
model's name to a pipeline on a device. Nothing here is special to a model.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.util
import inspect
import math
import re
from pathlib import Path
from typing import Any

from editgauge.editors.models import Model
from editgauge.errors import DataError, EditgaugeError, MissingExtra, Unavailable, UsageError
from editgauge.networks import runtime

OFFLOAD = (
    "keep its parts on the processor until they are needed (the setting offload=true), or edit "
    "smaller pictures (side=…)"
)
"""What to do where a device's memory does not suffice."""
_PICTURES = ("image", "images", "input_images")
"""The arguments under which pipelines take the picture to edit; the first that is there counts."""
_EDITORS = frozenset({
    "BriaFibo2Pipeline", "DreamLiteMobilePipeline", "DreamLitePipeline", "Flux2KleinKVPipeline",
    "Flux2KleinPipeline", "Flux2Pipeline", "GlmImagePipeline", "OmniGenPipeline",
    "QwenImage21Pipeline", "ZImageOmniPipeline",
})  # fmt: skip
"""Classes that edit a picture by an instruction, after diffusers' documentation (0.42), and whose
names do not say so.
"""
_EDITING = re.compile("Edit|InstructPix2Pix|Kontext|I2I|Img2Img|Depth2Img")
"""Names of classes that edit: by an instruction, or (img2img) by a description of the result."""
_VIDEO = re.compile("Video|I2V|ChronoEdit|V2V")
_OTHER_USES = re.compile("Upscale|SuperResolution|Refiner|Prior|UnCLIP|Layered|^Onnx")
"""Names of classes that take a picture and a prompt for something else than an edit."""
_GIVEN = {
    *_PICTURES, "self", "prompt", "generator", "latents", "prompt_embeds", "negative_prompt_embeds",
    "output_type", "return_dict", "callback_on_step_end", "callback_on_step_end_tensor_inputs",
    "args", "kwargs",
}  # fmt: skip
"""Arguments of a pipeline's call that are not settings."""


def library(feature: str) -> Any:
    """The diffusers package, without progress bars (the run has one) and warnings of its own.
    Raises `MissingExtra` naming the feature.
    """
    try:
        from transformers.utils import logging as transformers_logging

        transformers_logging.set_verbosity_error()
        import diffusers
        from diffusers.utils import logging as diffusers_logging
    except ImportError as error:
        raise MissingExtra(feature, error.name or "diffusers", "diffusion") from error
    for library in (transformers_logging, diffusers_logging):
        library.set_verbosity_error()
        library.disable_progress_bar()
    return diffusers


def pipeline_class(editor: str, name: str) -> Any:
    """The class of this name in the installed diffusers. Raises `UsageError` for one that it has
    not, and `Unavailable` where it cannot be imported.
    """
    diffusers = library(f"the editor {editor}")
    try:
        cls = getattr(diffusers, name, None)
    except RuntimeError as error:  # it imports what the class needs only now
        why = runtime.told(error)
        raise Unavailable(f"editor {editor!r}: {name} cannot be imported: {why}") from error
    if cls is not None and name.endswith("Pipeline"):
        return cls
    raise UsageError(
        f"editor {editor!r}: diffusers {diffusers.__version__} has no pipeline {name}; install one "
        f"that has it, or join the model's own code as a function in a file"
    )


def class_named_by(model: str, revision: str | None) -> str:
    """The class that a model's own ``model_index.json`` names, in a folder or on the hub. Raises
    `Unavailable` where it cannot be told.
    """
    pipeline = library("the editor diffusers").DiffusionPipeline
    try:
        return str(pipeline.load_config(model, revision=revision)["_class_name"])
    except Exception as error:  # no such file; offline, unknown, gated: all end in the same advice
        why = f"its model_index.json cannot be read ({type(error).__name__})"
        advice = "name the class by the setting pipeline=…, or give a folder by the setting model"
        raise Unavailable(f"editor 'diffusers': {model}: {why}; {advice}") from error


def call_of(editor: str, pipeline: Any) -> tuple[str, tuple[str, ...]]:
    """Of the call of a pipeline's class the name under which it takes the pictures, and those that
    a user may set. Raises `UsageError`, with what to use instead, for a class that cannot edit a
    picture by an instruction alone. Nothing is loaded.
    """
    if why := why_no_editor(pipeline):
        wanted = "wants a picture and a prompt, and nothing else such as a mask"
        raise UsageError(f"editor {editor!r}: {wanted}; {why}. {_recipe(pipeline.__name__)}")
    parameters = inspect.signature(pipeline.__call__).parameters
    argument = next(name for name in _PICTURES if name in parameters)
    return argument, tuple(name for name in parameters if name not in _GIVEN)


def why_no_editor(pipeline: Any) -> str:
    """Why a pipeline's class cannot edit a picture by an instruction alone; empty where it can.

    A class whose call takes a picture may also make a video of it, enlarge it, take it for a map of
    edges, or draw something like it. An editor is one that is known to edit (`_EDITORS`), or whose
    name says so.
    """
    name = pipeline.__name__
    parameters = inspect.signature(pipeline.__call__).parameters
    parts = inspect.signature(pipeline.__init__).parameters
    argument = next((one for one in _PICTURES if one in parameters), "")
    if not argument or "prompt" not in parameters or "mask_image" in parameters:
        return f"{name} does not take these alone"
    if {"num_frames", "frames", "video"} & set(parameters) or _VIDEO.search(name):
        return f"{name} makes a video"
    if "control_image" in parameters or {"controlnet", "adapter"} & set(parts):
        return f"{name} takes its picture for a map that guides it (edges, depth, poses)"
    needed = [
        one.name
        for one in parameters.values()
        if one.default is inspect.Parameter.empty and one.kind is one.POSITIONAL_OR_KEYWORD
    ]
    others = sorted(set(needed) - {"self", "prompt", argument})
    if others:
        return f"{name} also needs {', '.join(others)}"
    if _OTHER_USES.search(name) or not (name in _EDITORS or _EDITING.search(name)):
        return f"{name} does not edit its picture: it enlarges, splits or varies it"
    return ""


def _recipe(name: str) -> str:
    """What to use in place of a class that is no editor."""
    library = importlib.import_module("diffusers")
    stem = name.removesuffix("Pipeline")
    relatives = []
    for other in sorted(dir(library)):
        if other.startswith(stem) and other.endswith("Pipeline") and _EDITING.search(other):
            relative = getattr(library, other)
            if inspect.isclass(relative) and not why_no_editor(relative):
                relatives.append(other)
    own = "write a function that calls the model's own code (--editor FILE.py:function)"
    if not relatives:
        return f"To use this model, {own}"
    classes = " or ".join(relatives)
    return f"To use this model, name a class that edits (--set pipeline={classes}), or {own}"


def source_of(model: str, line: Model, revision: str | None) -> tuple[str, str]:
    """Where weights come from (a folder or a hub id) and what tells them from others: a commit, or
    a folder's hash. Raises `DataError` when the hub is to tell it and cannot be asked.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return str(folder), content_hash(folder)
    return model, revision or pinned(model, line) or _current_commit(model)


def pinned(model: str, line: Model) -> str | None:
    return line.revision if model == line.hub else None


def load(family: str, line: Model, source: tuple[str, str], told: Any) -> Any:
    """The pipeline of a `source_of` on its device; `told`: the editor's settings."""
    import torch
    from diffusers.utils import deprecation_utils

    renamed = hasattr(deprecation_utils, "_TORCH_DTYPE_DEPRECATION_MESSAGE")  # since 0.42
    options = {"dtype" if renamed else "torch_dtype": getattr(torch, told.dtype)}
    if line.checked:
        options |= {"safety_checker": None, "requires_safety_checker": False}
    place, revision = source
    options |= {"local_files_only": True} if Path(place).is_dir() else {"revision": revision}
    pipe = pipeline_class(family, line.pipeline).from_pretrained(place, **options)
    pipe.set_progress_bar_config(disable=True)
    if told.offload and told.device.startswith("cuda"):
        pipe.enable_model_cpu_offload(device=told.device)
    else:
        pipe.to(told.device)
    return pipe


def label(model: str) -> str:
    """The model as it may be written down: a hub id, or a folder's name."""
    folder = Path(model).expanduser()
    return folder.name if folder.is_dir() else model


def told(error: Exception, model: str, line: Model, settings: Any) -> str:
    """Why weights cannot be loaded, as one line, with what to do where that is known."""
    what, text = f"{label(model)} cannot be loaded", runtime.told(error)
    if isinstance(error, EditgaugeError):
        return f"{what}: {error}"
    if runtime.out_of_memory(error):
        return f"{what}: the memory of {settings.device} does not hold it: {OFFLOAD}"
    if isinstance(error, NameError) and importlib.util.find_spec("torchvision") is None:
        return (
            f"{what}: torchvision is not installed ({text})"  # diffusers leaves out what needs it
        )
    if isinstance(error, OSError) and label(model) == model:
        revision = settings.revision or pinned(model, line)
        commit = f" --revision {revision}" if revision else ""
        return (
            f"{what}: its weights are not whole on this machine, and the hub did not give them; "
            f"fetch them where there is a network (hf download {model}{commit} --local-dir DIR), "
            f"bring DIR here, and give it by the setting model ({text[:160]})"
        )
    return f"{what}: {text}"


def _current_commit(model: str) -> str:
    from huggingface_hub import HfApi, snapshot_download

    try:
        return str(HfApi().model_info(model).sha)
    except Exception as error:  # no name of the hub; offline, unknown, gated
        with contextlib.suppress(Exception):  # what was fetched before
            return Path(snapshot_download(model, local_files_only=True)).name
        raise DataError(
            f"{model}: no such folder, and the hub did not tell its revision "
            f"({type(error).__name__}); give a folder by the setting model, or a commit by "
            f"revision=…"
        ) from error


@functools.lru_cache(maxsize=4)
def content_hash(folder: Path) -> str:
    """What tells one folder of weights from another: all names and bytes, hashed once a process."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            file_digest = hashlib.file_digest(file, "blake2b").hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()} {file_digest}\n".encode())
    return f"folder-{digest.hexdigest()}"


def best_device() -> str:
    """``cuda``, ``mps`` or ``cpu``."""
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return next((name for name, is_there in there.items() if is_there), "cpu")


def fitted(image: Any, side: int) -> Any:
    """A Pillow picture brought to the longer side that a model works at, both multiples of 8."""
    from PIL import Image

    scale = side / max(image.size)
    size = tuple(max(8, math.ceil(s * scale / 8) * 8) for s in image.size)
    return image if image.size == size else image.resize(size, Image.Resampling.LANCZOS)
