"""Diffusion models on this machine, through the diffusers library: lines of `models.MODELS`, and
the editor ``diffusers`` for any other pipeline. A setting reaches every argument of the pipeline's
call; one that it does not take is refused by name.

An output depends on its sample and the settings alone: samples are edited one by one, and noise is
drawn anew from the seed for each. On a GPU sums of floats in another order may move a channel of a
pixel by a level or two. One process holds one copy of the weights on one device.

InstructPix2Pix and its kin are loaded without their safety checker, which takes medical pictures
for something else and blackens them.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from editgauge.editors import loading
from editgauge.editors.calling import numbered
from editgauge.editors.delivery import Count, faulty, received, settings_of, typed
from editgauge.editors.editor import BaseEditor, Mode
from editgauge.editors.models import MODELS, Model
from editgauge.errors import Unavailable, UsageError
from editgauge.images import read_image
from editgauge.networks.runtime import free_memory, out_of_memory
from editgauge.types import Edit, JsonMapping, JsonObject, Sample, Status

Around = Callable[[Any, str], contextlib.AbstractContextManager[Any]]
"""From a pipeline and the prompt it is about to be given, to what surrounds its call."""


class Settings(msgspec.Struct, kw_only=True, frozen=True):
    """Settings that are ours; all others must be arguments of the pipeline's call.

    `model`: a hub id or a folder. `device`: cuda, mps, cpu; the best there is. `side`: the longer
    side before editing. `pictures`: how many it is given at most. `offload`: keep the parts on the
    processor until they are needed.
    """

    model: str = ""
    revision: str | None = None
    name: str = ""
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    device: str = ""
    dtype: Literal["float32", "bfloat16", "float16"] | None = None
    side: Annotated[int, msgspec.Meta(ge=0)] | None = None
    pictures: Count | None = None
    offload: bool = False


_OWN = Settings.__struct_fields__


def factory(family: str, samples: Sequence[Sample] = (), **settings: Any) -> DiffusersEditor:
    """A model of `MODELS` as an editor. Settings: `Settings`, and any argument of the pipeline's
    call. Raises `UsageError` for another, `MissingExtra` without diffusers.
    """
    return _editor(family, MODELS[family], settings)


def diffusers(samples: Sequence[Sample], **settings: Any) -> DiffusersEditor:
    """Any pipeline of the installed diffusers that takes a picture and a prompt.

    Settings: `model` (a hub id or a folder; required), `pipeline` (its class; default: what the
    model's own ``model_index.json`` names), those of `Settings`, and every argument of the
    pipeline's call that has a plain value. A model, or a class, that has a name here is run as
    under that name. For others the dtype is bfloat16 on a GPU. Raises `UsageError` for
    a class that the library has not or that edits nothing, and for a setting that its call does not
    take.
    """
    model = str(settings.get("model") or "")
    if not model:
        raise UsageError(
            "editor 'diffusers': wanted the setting model (a hub id or a folder), for example "
            "black-forest-labs/FLUX.2-klein-4B"
        )
    given = settings.pop("pipeline", None)
    line = _line_of(model, None if given is None else str(given), settings.get("revision"))
    return _editor("diffusers", line, {"name": Path(model).name.replace(":", "-"), **settings})


def _line_of(model: str, pipeline: str | None, revision: str | None) -> Model:
    """What is known of a model: its own line of `MODELS`, or what the first one with the same
    pipeline says of that class. The weights are those of `model`, and the side at which they were
    trained is not known.
    """
    own = next((line for line in MODELS.values() if line.hub.lower() == model.lower()), None)
    if own is not None and pipeline in (None, own.pipeline):
        return own
    name = pipeline or loading.class_named_by(model, revision)
    for family, line in MODELS.items():
        if line.pipeline == name:
            return dataclasses.replace(
                line,
                hub=model,
                revision=None,
                dtype="bfloat16",
                side=None,
                origin=f"as for {family}: {line.origin}",
            )
    return Model(pipeline=name, hub=model, origin="the pipeline's own defaults")


def _editor(family: str, line: Model, settings: JsonMapping) -> DiffusersEditor:
    argument, names = loading.call_of(family, loading.pipeline_class(family, line.pipeline))
    own = {name: typed(settings[name]) for name in names if name in settings}
    rest = {name: value for name, value in settings.items() if name not in own}
    told = settings_of(family, rest, Settings, *names)
    device = told.device or loading.best_device()
    if device.partition(":")[0] not in ("cpu", "cuda", "mps"):
        wanted = "wanted cpu, cuda, cuda:N or mps"
        raise UsageError(f"editor {family!r}: device: {wanted}; found {device!r}")
    told = replace(
        told,
        name=told.name or family,
        model=told.model or line.hub,
        device=device,
        dtype=told.dtype or (line.dtype if device.startswith("cuda") else "float32"),
        side=(line.side if told.side is None else told.side) or None,
        pictures=told.pictures or line.pictures,
    )
    return DiffusersEditor(family, line, argument, told, {**line.defaults, **own})


def _named(family: str) -> Callable[..., DiffusersEditor]:
    """The factory of one model, with a docstring that says what it is."""

    def make(samples: Sequence[Sample], **settings: Any) -> DiffusersEditor:
        return factory(family, samples, **settings)

    line = MODELS[family]
    pictures = "one picture" if line.pictures == 1 else f"up to {line.pictures} pictures"
    make.__doc__ = (
        f"`{line.hub}`, through `{line.pipeline}` of diffusers; takes {pictures}.\n\n"
        f"Defaults: {line.defaults} ({line.origin}). Settings: {', '.join(_OWN)}, and any "
        f"argument of the pipeline's call."
    )
    return make


(
    instructpix2pix, magicbrush, paint_by_inpaint, flux_kontext, qwen_image_edit,
    qwen_image_edit_plus, omnigen,
) = map(_named, MODELS)  # fmt: skip


@dataclass
class DiffusersEditor(BaseEditor):
    """See `factory`. The weights are loaded at the first sample; weights that cannot be loaded are
    an `Unavailable`, which is not tried again.
    """

    family: str
    line: Model
    argument: str
    told: Settings
    arguments: JsonMapping
    parallel: Mode = "serial"

    def __post_init__(self) -> None:
        self.name, self.model, self.device = self.told.name, self.told.model, self.told.device
        self.shows = self.told.pictures != 1
        self.num_gpus = float(self.device != "cpu")
        self._loaded: tuple[Any, str] | Unavailable | None = None

    def __reduce__(self) -> Any:
        """Without what is loaded; a worker sees its own GPU alone, whatever its number here."""
        copy = {one.name: getattr(self, one.name) for one in fields(self)}
        if self.device.startswith("cuda"):
            copy["told"] = replace(self.told, device="cuda")
        return type(self), tuple(copy.values())

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        return self.watched(sample, folder, lambda pipe, prompt: contextlib.nullcontext())

    def watched(self, sample: Sample, folder: Path, around: Around) -> Edit:
        """The edit of a sample, made inside of ``around(pipeline, prompt)``."""
        if (fault := faulty(sample, self.name, pictures=self.told.pictures)) is not None:
            return fault
        prompt, paths = numbered(sample)
        if self.line.marks:
            marks = (self.line.marks.format(n=n) for n in range(1, len(paths) + 1))
            prompt = f"{prompt} {' '.join(marks)}"
        pipe, revision = self.load()
        try:
            with around(pipe, prompt):
                result = self._run(pipe, prompt, [self._picture(path) for path in paths])
        except Exception as error:
            if not out_of_memory(error):
                raise
            result = None
        facts: JsonObject = {"seed": self.told.seed, "settings": self.facts(revision)}
        if result is None:  # outside of the handler: the traceback holds what filled the memory
            free_memory()
            reason = f"out of memory: {self.device} does not hold it; {loading.OFFLOAD}"
            return Edit.without(sample.id, self.name, Status.FAILED, reason, **facts)
        if any(getattr(result, "nsfw_content_detected", None) or [False]):
            reason = "the model's safety checker withheld the picture"
            return Edit.without(sample.id, self.name, Status.REFUSED, reason, **facts)
        path = folder / "output.png"
        result.images[0].save(path)
        return received(sample, self.name, path, cost=0.0, **facts)

    def _picture(self, path: Path) -> Any:
        from PIL import Image

        image = Image.fromarray(read_image(path))
        return loading.fitted(image, self.told.side) if self.told.side else image

    def _run(self, pipe: Any, prompt: str, pictures: list[Any]) -> Any:
        """What the pipeline returns; some also draw from the device's own random numbers."""
        import torch

        arguments = dict(self.arguments)
        if self.line.sized and not {"height", "width"} & set(arguments):
            arguments["width"], arguments["height"] = pictures[0].size
        several = self.argument != "image" or self.shows
        arguments[self.argument] = pictures if several else pictures[0]
        device = torch.device(self.device)
        index = [device.index or 0] if device.type == "cuda" else []
        with torch.random.fork_rng(devices=index), torch.inference_mode():
            torch.manual_seed(self.told.seed)
            generator = torch.Generator("cpu").manual_seed(self.told.seed)
            return pipe(prompt=prompt, generator=generator, **arguments)

    def facts(self, revision: str) -> JsonObject:
        """What every edit says of how it was made."""
        return {
            "family": self.family,
            "pipeline": self.line.pipeline,
            "model": loading.label(self.model),
            "revision": revision,
            "device": self.device,
            "dtype": self.told.dtype,
            **self.arguments,
            **({"side": self.told.side} if self.told.side else {}),
        }

    def load(self) -> tuple[Any, str]:
        """The pipeline on its device, and what tells its weights from others (a commit, or a
        folder's hash). Raises `Unavailable`, at once after the first time.
        """
        if self._loaded is None:
            try:
                self._loaded = self.load_now()
            except Exception as error:  # whatever a library says of weights that are amiss
                why = loading.told(error, self.model, self.line, self.told)
                self._loaded = Unavailable(f"editor {self.name!r}: {why}")
                raise self._loaded from error
        if isinstance(self._loaded, Unavailable):
            raise self._loaded
        return self._loaded

    def load_now(self) -> tuple[Any, str]:
        source = self.source()
        return loading.load(self.family, self.line, source, self.told), source[1]

    def source(self) -> tuple[str, str]:
        """Where the weights come from, and their revision: see `loading.source_of`."""
        return loading.source_of(self.model, self.line, self.told.revision)

    def prepare(self) -> None:
        self.load()

    def release(self) -> None:
        self._loaded = None
