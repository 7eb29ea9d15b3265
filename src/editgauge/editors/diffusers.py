"""Diffusion models on this machine, through the diffusers library.

A model that has a name is a line of `models.MODELS`; the editor ``diffusers`` takes any other
pipeline of the installed library, by its class (``--set pipeline=Flux2KleinPipeline``) or by what
its weights say of themselves (``--model``, a hub id or a folder). ``--set`` overrides any default
and reaches every argument of the pipeline's call; one that the call does not take is refused by
name. ``--set revision=…`` gives the same weights next year; without it the hub's current commit is
looked up once, loaded by its hash, and recorded with every edit.

An output depends on its sample and the settings alone: samples are edited one by one, and noise is
drawn anew from the seed for each. On a GPU sums of floats in another order may move a channel of a
pixel by a level or two.

InstructPix2Pix and its kin are loaded without their safety checker, which takes medical pictures
for something else and blackens them; ``--set safety_checker=true`` keeps it, and what it withholds
is then refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from editgauge import schema
from editgauge.editors import loading
from editgauge.editors.delivery import known, typed
from editgauge.editors.diffusion import DiffusersEditor
from editgauge.editors.models import MODELS, Model
from editgauge.editors.pipelines import SEVERAL, call_of, class_named_by, pipeline_class
from editgauge.errors import DataError, UsageError
from editgauge.types import Sample

Count = Annotated[int, msgspec.Meta(ge=1)]


class Settings(msgspec.Struct, kw_only=True, frozen=True):
    """Settings that are ours; all others must be arguments of the pipeline's call.

    `model`: a hub id or a folder. `device` (cuda, mps, cpu; the best there is) or `devices`
    (several, with commas: each holds the weights once and edits samples of its own). `side`: the
    longer side before editing. `pictures`: how many it is given at most. `offload`: keep the parts
    on the processor until they are needed.
    """

    model: str = ""
    revision: str | None = None
    name: str = ""
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    device: str = ""
    devices: str = ""
    dtype: Literal["float32", "bfloat16", "float16"] | None = None
    side: Annotated[int, msgspec.Meta(ge=0)] | None = None
    pictures: Count | None = None
    offload: bool = False
    safety_checker: bool = False

    def places(self, family: str) -> tuple[str, ...]:
        """The devices to edit on, each once. Raises `UsageError` where both words are given."""
        if self.devices and self.device:
            raise UsageError(f"editor {family!r}: give device or devices, not both")
        words = (part.strip() for part in self.devices.split(","))
        found = tuple(dict.fromkeys(word for word in words if word))
        return found or (self.device or loading.best_device(),)


def factory(family: str, samples: Sequence[Sample] = (), **settings: Any) -> DiffusersEditor:
    """A model of `MODELS` as an editor. Settings: `Settings`, and any argument of the pipeline's
    call. Raises `UsageError` for a setting that nobody knows, `MissingExtra` without diffusers.
    """
    del samples
    return _editor(family, MODELS[family], settings)


def diffusers(samples: Sequence[Sample], **settings: Any) -> DiffusersEditor:
    """Any pipeline of the installed diffusers that takes a picture and a prompt.

    Settings: `model` (a hub id or a folder; required), `pipeline` (its class; default: what the
    model's own ``model_index.json`` names), those of `factory`, and every argument of the
    pipeline's call that has a plain value; the call's own defaults stand otherwise. The dtype is
    bfloat16 on a GPU. A class that takes a mask is given the sample's input mask. Raises
    `UsageError` for a class that the library has not or that edits nothing, and for a setting that
    its call does not take.
    """
    del samples
    model = str(settings.get("model") or "")
    if not model:
        raise UsageError(
            "editor 'diffusers': wanted the setting model (a hub id or a folder), for example "
            "--model black-forest-labs/FLUX.2-klein-4B"
        )
    given = settings.pop("pipeline", None)
    name = str(given or class_named_by(model, settings.get("revision")))
    line = Model(
        pipeline=name,
        hub=model,
        origin="the defaults of the pipeline's call",
        pictures=SEVERAL.get(name, 1),
        marks=next((one.marks for one in MODELS.values() if one.pipeline == name), ""),
    )
    return _editor("diffusers", line, {"name": Path(model).name.replace(":", "-"), **settings})


def _editor(family: str, line: Model, settings: Mapping[str, Any]) -> DiffusersEditor:
    pipeline = pipeline_class(family, line.pipeline)
    call = call_of(family, pipeline)
    known(family, settings, *Settings.__struct_fields__, *call.settings)
    words = {name: settings[name] for name in Settings.__struct_fields__ if name in settings}
    try:
        told = schema.convert(words, Settings, f"editor {family!r}", strict=False)
    except DataError as error:
        raise UsageError(str(error)) from error
    own = {name: typed(value) for name, value in settings.items() if name not in words}
    arguments = {**line.defaults, **own}
    for name in call.required:
        if name not in arguments:
            raise UsageError(
                f"editor {family!r}: {line.pipeline} needs {name}; give it with --set {name}=…"
            )
    places = told.places(family)
    gpu = places[0].startswith("cuda")
    return DiffusersEditor(
        name=told.name or family,
        family=family,
        line=line,
        call=call,
        model=told.model or line.hub,
        revision=told.revision,
        seed=told.seed,
        devices=places,
        dtype=told.dtype or (line.dtype if gpu else "float32"),
        side=(line.side if told.side is None else told.side) or None,
        pictures=told.pictures or line.pictures,
        offload=told.offload,
        checker=told.safety_checker,
        arguments=arguments,
    )


def _named(family: str) -> Callable[..., DiffusersEditor]:
    """The factory of one model, with a docstring that says what it is."""

    def make(samples: Sequence[Sample], **settings: Any) -> DiffusersEditor:
        return factory(family, samples, **settings)

    line = MODELS[family]
    defaults = ", ".join(f"{name}={value!r}" for name, value in line.defaults.items())
    pictures = "one picture" if line.pictures == 1 else f"up to {line.pictures} pictures"
    make.__doc__ = (
        f"`{line.hub}` on this machine, through `{line.pipeline}` of diffusers; takes "
        f"{pictures}.\n\n"
        f"Defaults: {defaults} ({line.origin}). Settings: {', '.join(Settings.__struct_fields__)}, "
        f"and any argument of the pipeline's call."
    )
    return make


instructpix2pix = _named("instructpix2pix")
magicbrush = _named("magicbrush")
paint_by_inpaint = _named("paint-by-inpaint")
flux_kontext = _named("flux-kontext")
qwen_image_edit = _named("qwen-image-edit")
qwen_image_edit_plus = _named("qwen-image-edit-plus")
omnigen = _named("omnigen")
