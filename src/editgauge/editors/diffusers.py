"""Diffusion models on this machine, through the diffusers library.

A model that has a name is a line of `families.FAMILIES`; the editor ``diffusers`` takes any other
pipeline of the installed library, by its class (``--set pipeline=Flux2KleinPipeline``) or by what
its weights say of themselves (``--model``, a hub id or a folder). ``--set`` overrides any default
and reaches every argument of the pipeline's call; one that the call does not take is refused by
name. ``--set revision=…`` gives the same weights next year; without it the hub's current commit is
looked up once, loaded by its hash, and recorded with every edit.

An output depends on its sample and the settings alone: noise is drawn anew from the seed for every
sample, whatever was edited before it or beside it. On a GPU, and in a batch on any machine, sums of
floats in another order may move a channel of a pixel by a level or two.

InstructPix2Pix and its kin are loaded without their safety checker, which takes medical pictures
for something else and blackens them; ``--set safety_checker=true`` keeps it, and what it withholds
is then refused.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import math
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from editgauge.editors.asking import numbered
from editgauge.editors.delivery import faulty, flag, known, received, typed, whole
from editgauge.editors.editor import BaseEditor, Mode
from editgauge.editors.families import FAMILIES, Family
from editgauge.editors.pipelines import (
    BATCHES,
    SEVERAL,
    Call,
    call_of,
    class_named_by,
    picture_of,
    pipeline_class,
    size_for,
)
from editgauge.errors import DataError, Unavailable, UsageError
from editgauge.images import read_image, read_mask
from editgauge.networks.runtime import PRECISIONS, Halving
from editgauge.types import Edit, Sample, Status

OWN = (
    "model",
    "revision",
    "name",
    "seed",
    "device",
    "devices",
    "dtype",
    "batch_size",
    "side",
    "pictures",
    "offload",
    "safety_checker",
)
"""Settings that are ours; all others must be arguments of the pipeline's call."""
Around = Callable[[Any, str], contextlib.AbstractContextManager[Any]]
"""From a pipeline and the prompt it is about to be given, to what surrounds its call."""


def factory(family: str, samples: Sequence[Sample], **settings: Any) -> DiffusersEditor:
    """A model of `FAMILIES` as an editor. Settings: those of `OWN`, and any argument of the
    pipeline's call.

    `model` (hub id or folder), `revision`, `seed` (0; the same for every sample), `device` (cuda,
    mps, cpu; the best there is) or `devices` (several, with commas: each holds the weights once and
    edits samples of its own), `dtype`, `batch_size`, `side` (longer side before editing),
    `pictures` (how many it is given at most), `offload` (keep the parts on the CPU until
    they are needed). Raises `UsageError` for a setting that nobody knows, `MissingExtra` without
    diffusers.
    """
    return _editor(family, FAMILIES[family], samples, settings)


def diffusers(samples: Sequence[Sample], **settings: Any) -> DiffusersEditor:
    """Any pipeline of the installed diffusers that takes a picture and a prompt.

    Settings: `model` (a hub id or a folder; required), `pipeline` (its class; default: what the
    model's own ``model_index.json`` names), those of `factory`, and every argument of the
    pipeline's call that has a plain value; the call's own defaults stand otherwise. The dtype is
    bfloat16 on a GPU. A class that takes a mask is given the sample's input mask. Raises
    `UsageError` for a class that the library has not or that edits nothing, and for a setting that
    its call does not take.
    """
    model = str(settings.get("model") or "")
    if not model:
        raise UsageError(
            "editor 'diffusers': wanted the setting model (a hub id or a folder), for example "
            "--model black-forest-labs/FLUX.2-klein-4B"
        )
    given = settings.pop("pipeline", None)
    revision = str(settings["revision"]) if settings.get("revision") else None
    name = str(given or class_named_by("diffusers", model, revision))
    line = Family(
        pipeline=name,
        hub=model,
        origin="the defaults of the pipeline's call",
        pictures=SEVERAL.get(name, 1),
        marks=next((f.marks for f in FAMILIES.values() if f.pipeline == name), ""),
    )
    settings.setdefault("name", Path(model).name.replace(":", "-"))
    return _editor("diffusers", line, samples, settings)


def _editor(
    family: str, line: Family, samples: Sequence[Sample], settings: Mapping[str, Any]
) -> DiffusersEditor:
    pipeline = pipeline_class(family, line.pipeline)
    call = None if line.tuning else call_of(family, pipeline)
    accepted = _settings_of(pipeline) if call is None else call.settings
    known(family, settings, *OWN, *line.tuning, *accepted)
    pictures = whole(family, settings, "pictures", line.pictures, least=1)
    devices = _devices(family, settings)
    gpu = devices[0].startswith("cuda")
    dtype = str(settings.get("dtype") or (line.dtype if gpu else "float32"))
    if dtype not in PRECISIONS:
        raise UsageError(
            f"editor {family!r}: dtype: wanted {', '.join(PRECISIONS)}, found {dtype!r}"
        )
    kind = DiffusersEditor
    if line.tuning:
        from editgauge.editors.imagic import ImagicEditor

        kind = ImagicEditor
    made = kind(
        name=str(settings.get("name") or family),
        family=family,
        line=line,
        call=call,
        model=str(settings.get("model") or line.hub),
        revision=str(settings["revision"]) if settings.get("revision") else None,
        seed=whole(family, settings, "seed", 0),
        devices=devices,
        dtype=dtype,
        batch_size=_batch_size(family, line, settings, 4 if gpu else 1),
        side=whole(family, settings, "side", line.side or 0) or None,
        pictures=pictures,
        offload=flag(family, settings, "offload", False),
        checker=flag(family, settings, "safety_checker", False),
        arguments={
            **line.defaults,
            **line.tuning,
            **{k: typed(v) for k, v in settings.items() if k not in OWN},
        },
    )
    lacking = [name for name in (call.required if call else ()) if name not in made.arguments]
    if lacking:
        raise UsageError(
            f"editor {family!r}: {line.pipeline} needs {', '.join(lacking)}; give it with "
            f"--set {lacking[0]}=…"
        )
    return made


def _settings_of(pipeline: Any) -> tuple[str, ...]:
    """The settings of a class that makes pictures without being given one (Imagic's)."""
    import inspect

    own = ("self", "prompt", "generator", "latents", "kwargs")
    parameters = inspect.signature(pipeline.__call__).parameters
    return tuple(name for name in parameters if name not in own)


def _devices(family: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The devices to edit on, each once. Raises `UsageError` where both words are given."""
    several = str(settings.get("devices") or "")
    if several and settings.get("device"):
        raise UsageError(f"editor {family!r}: give device or devices, not both")
    if not several:
        return (str(settings.get("device") or best_device()),)
    found = tuple(dict.fromkeys(part.strip() for part in several.split(",") if part.strip()))
    if not found:
        raise UsageError(f"editor {family!r}: devices: wanted cuda:0,cuda:1 …, found {several!r}")
    return found


def _batch_size(family: str, line: Family, settings: Mapping[str, Any], default: int) -> int:
    """How many samples go through the network at once. Raises `UsageError` where a class would
    take the pictures of several samples for those of one.
    """
    if line.pipeline in BATCHES:
        return whole(family, settings, "batch_size", default, least=1)
    if whole(family, settings, "batch_size", 1, least=1) > 1:
        raise UsageError(
            f"editor {family!r}: batch_size: {line.pipeline} takes a list of pictures for one "
            f"instruction; wanted 1"
        )
    return 1


def _named(family: str) -> Callable[..., DiffusersEditor]:
    """The factory of one family, with a docstring that says what it is."""

    def make(samples: Sequence[Sample], **settings: Any) -> DiffusersEditor:
        return factory(family, samples, **settings)

    line = FAMILIES[family]
    values = {**line.defaults, **line.tuning}
    defaults = ", ".join(f"{name}={value!r}" for name, value in values.items())
    pictures = "one picture" if line.pictures == 1 else f"up to {line.pictures} pictures"
    make.__doc__ = (
        f"`{line.hub}` on this machine, through `{line.pipeline}` of diffusers; takes "
        f"{pictures}.\n\n"
        f"Defaults: {defaults} ({line.origin}). Settings: {', '.join(OWN)}, and any argument of "
        f"the pipeline's call."
    )
    return make


instructpix2pix = _named("instructpix2pix")
magicbrush = _named("magicbrush")
paint_by_inpaint = _named("paint-by-inpaint")
flux_kontext = _named("flux-kontext")
qwen_image_edit = _named("qwen-image-edit")
qwen_image_edit_plus = _named("qwen-image-edit-plus")
omnigen = _named("omnigen")
imagic = _named("imagic")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """One sample ready for the pipeline: what it is asked and shown."""

    sample: Sample
    prompt: str
    pictures: list[Any]
    mask: Any
    shown: list[str]


@dataclass(kw_only=True)
class DiffusersEditor(BaseEditor):
    """See `factory`. Runs in one process: on one device one batch after the other, on several
    devices one thread each. The weights are loaded at the first sample, once for each device;
    weights that cannot be loaded are an `Unavailable`, which is not tried again.
    """

    name: str
    family: str
    line: Family
    call: Call | None
    model: str
    revision: str | None = None
    seed: int = 0
    devices: tuple[str, ...] = ("cpu",)
    dtype: str = "float32"
    batch_size: int = 1
    side: int | None = None
    pictures: int = 1
    offload: bool = False
    checker: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)
    parallel: Mode = field(init=False, default="serial")
    concurrency: int = field(init=False, default=1)
    shows: bool = field(init=False, default=False)
    num_gpus: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.shows = self.pictures > 1
        # what a worker of a cluster needs; it sees the GPU that it is given as its first
        self.num_gpus = float(self.devices[0] != "cpu")
        self.concurrency = len(self.devices)
        self.parallel = "serial" if len(self.devices) == 1 else "thread"
        self._loaded: dict[str, tuple[Any, str]] = {}
        self._unavailable: Unavailable | None = None
        self._loading = threading.Lock()
        self._sharing = threading.Lock()
        self._free: queue.SimpleQueue[str] = queue.SimpleQueue()
        for device in self.devices:
            self._free.put(device)
        self._halving = {device: Halving() for device in self.devices}

    def __getstate__(self) -> dict[str, Any]:
        """Without what is loaded: another process loads for itself."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        return self.edit_batch([sample], [folder])[0]

    def edit_batch(self, samples: Sequence[Sample], folders: Sequence[Path]) -> list[Edit]:
        """One edit a sample, in order; pictures of one size go through the network together, fewer
        at once where the device's memory does not hold them.
        """
        edits: dict[int, Edit] = {}
        ready: dict[int, _Job] = {}
        for number, sample in enumerate(samples):
            job = self._prepared(sample)
            if isinstance(job, Edit):
                edits[number] = job
            else:
                ready[number] = job
        with self._device() as device:
            for group in self._groups(ready):
                made = self._halving[device](
                    lambda part: self._run(device, part), [ready[n] for n in group]
                )
                for number, (image, withheld) in zip(group, made, strict=True):
                    edits[number] = self._delivered(
                        ready[number], folders[number], device, image, withheld
                    )
        return [edits[number] for number in range(len(samples))]

    def prepare(self) -> str:
        """Load the weights; what tells them from others (a commit, or a folder's hash). Raises
        `Unavailable`.
        """
        with self._device() as device:
            return self._load(device)[1]

    def watched(self, sample: Sample, folder: Path, around: Around) -> Edit:
        """The edit of one sample, alone, made inside of ``around(pipeline, prompt)``."""
        job = self._prepared(sample)
        if isinstance(job, Edit):
            return job
        with self._device() as device:
            pipe, _ = self._load(device)
            with around(pipe, job.prompt):
                image, withheld = self._run(device, [job])[0]
            return self._delivered(job, folder, device, image, withheld)

    def _prepared(self, sample: Sample) -> _Job | Edit:
        """What the pipeline is asked for a sample, or why it cannot be asked."""
        fault = faulty(sample, self.name, pictures=self.pictures)
        if fault is not None:
            return fault
        masked = self.call is not None and self.call.masked
        if masked and "input" not in sample.masks:
            reason = f"{self.line.pipeline} needs a mask of what may change, the sample has none"
            return Edit.without(sample.id, self.name, Status.NOT_APPLICABLE, reason)
        shots = sample.shots
        prompt, paths = numbered(sample, shots)
        if len(paths) > self.pictures:
            reason = (
                f"{len(shots)} demonstrations make {len(paths)} pictures, the editor "
                f"takes {self.pictures}"
            )
            return Edit.without(sample.id, self.name, Status.NOT_APPLICABLE, reason)
        if self.line.marks:
            marks = (self.line.marks.format(n=n) for n in range(1, len(paths) + 1))
            prompt = f"{prompt} {' '.join(marks)}"
        return _Job(
            sample=sample,
            prompt=prompt,
            pictures=[self._picture(path) for path in paths],
            mask=self._mask(sample.masks["input"]) if masked else None,
            shown=[shot.id for shot in shots],
        )

    def _groups(self, ready: Mapping[int, _Job]) -> list[list[int]]:
        groups: dict[Any, list[int]] = {}
        for number, job in ready.items():
            alone = self.batch_size == 1 or len(job.pictures) > 1
            groups.setdefault(number if alone else job.pictures[0].size, []).append(number)
        return list(groups.values())

    @contextlib.contextmanager
    def _device(self) -> Iterator[str]:
        """A device that nobody else uses, for as long as the block lasts."""
        device = self._free.get()
        try:
            yield device
        finally:
            self._free.put(device)

    def _delivered(self, job: _Job, folder: Path, device: str, image: Any, withheld: bool) -> Edit:
        _, revision = self._load(device)
        settings = {
            "family": self.family,
            "pipeline": self.line.pipeline,
            "model": _portable(self.model),
            "revision": revision,
            "device": device,
            "dtype": self.dtype,
            **self.arguments,
        }
        if self.side:
            settings["side"] = self.side
        facts: dict[str, Any] = {
            "seed": self.seed,
            "settings": settings,
            "detail": {"shots": job.shown} if job.shown else {},
        }
        if withheld:
            reason = "the model's safety checker withheld the picture"
            return Edit.without(job.sample.id, self.name, Status.REFUSED, reason, **facts)
        path = folder / "output.png"
        image.save(path)
        return received(job.sample, self.name, path, cost=0.0, **facts)

    def _run(self, device: str, jobs: Sequence[_Job]) -> list[tuple[Any, bool]]:
        """Each edited picture, and whether the safety checker withheld it."""
        import torch

        pipe, _ = self._load(device)
        arguments = self._arguments(pipe, jobs)
        generators = [torch.Generator("cpu").manual_seed(self.seed) for _ in jobs]
        alone = len(jobs) == 1
        with self._drawn_alone(device), torch.inference_mode():
            result = pipe(
                prompt=jobs[0].prompt if alone else [job.prompt for job in jobs],
                generator=generators[0] if alone else generators,
                **arguments,
            )
        flagged = getattr(result, "nsfw_content_detected", None) or [False] * len(jobs)
        return [(picture_of(result, n), bool(flagged[n])) for n in range(len(jobs))]

    def _arguments(self, pipe: Any, jobs: Sequence[_Job]) -> dict[str, Any]:
        """The arguments of the pipeline's call but for prompt and generator."""
        assert self.call is not None
        arguments = dict(self.arguments)
        first = jobs[0].pictures
        if "height" not in arguments and "width" not in arguments:
            size = self._size(pipe, first[0].size)
            if size is not None:
                arguments |= {"width": size[0], "height": size[1]}
        if len(jobs) > 1:
            arguments[self.call.argument] = [job.pictures[0] for job in jobs]
        elif self.call.listed or self.pictures > 1:
            arguments[self.call.argument] = list(first)
        else:
            arguments[self.call.argument] = first[0]
        if jobs[0].mask is not None:
            arguments["mask_image"] = jobs[0].mask
        return arguments

    def _size(self, pipe: Any, size: tuple[int, int]) -> tuple[int, int] | None:
        """The width and height that the call is told for a picture of that size, if any."""
        assert self.call is not None
        if self.line.sized:
            return size
        if self.family in FAMILIES or self.call.shape is None:
            return None  # the line of a model with a name says all that it is told
        return size_for(pipe, self.call.shape, *size)

    @contextlib.contextmanager
    def _drawn_alone(self, device: str) -> Iterator[None]:
        """The device's own random numbers start at the seed and are put back afterwards: some
        pipelines draw from them beside the generator they are given.

        Threads share the CPU's numbers, so that a CPU edits one sample at a time.
        """
        import torch

        index = torch.device(device).index or 0
        cuda = device.startswith("cuda")
        with contextlib.ExitStack() as stack:
            if not cuda:
                stack.enter_context(self._sharing)
            stack.enter_context(torch.random.fork_rng(devices=[index] if cuda else []))
            if cuda:
                stack.enter_context(torch.cuda.device(index))
                torch.cuda.manual_seed(self.seed)
            else:
                torch.manual_seed(self.seed)
            yield

    def _picture(self, path: Path) -> Any:
        from PIL import Image

        return self._fitted(Image.fromarray(read_image(path)), Image.Resampling.LANCZOS)

    def _mask(self, path: Path) -> Any:
        """The mask as pipelines want it: white may change."""
        import numpy as np
        from PIL import Image

        pixels = np.where(read_mask(path), 255, 0).astype(np.uint8)
        return self._fitted(Image.fromarray(pixels), Image.Resampling.NEAREST)

    def _fitted(self, image: Any, method: Any) -> Any:
        return image if self.side is None else fitted(image, self.side, method)

    def adopt(self, other: BaseEditor) -> None:
        """Take over the weights that another editor has loaded, where they are the same ones in the
        same form: variants of one model load them once.
        """
        if isinstance(other, DiffusersEditor) and other._weights() == self._weights():
            self._loaded, self._unavailable = other._loaded, other._unavailable

    def release(self) -> None:
        """Let go of the loaded weights; they are loaded again when they are needed."""
        self._loaded = {}

    def _weights(self) -> tuple[Any, ...]:
        """What two editors share that can use the same loaded pipelines."""
        return (
            self.line.pipeline,
            self.model,
            self.revision,
            self.devices,
            self.dtype,
            self.offload,
            self.checker,
        )

    def _load(self, device: str) -> tuple[Any, str]:
        """The pipeline on a device and its revision. Raises `Unavailable`, at once after the first
        time.
        """
        with self._loading:
            if self._unavailable is not None:
                raise self._unavailable
            if device not in self._loaded:
                try:
                    self._loaded[device] = self._load_now(device)
                except Exception as error:  # whatever a library says of weights that are amiss
                    told = str(error) if isinstance(error, DataError) else _told(error, self.model)
                    self._unavailable = Unavailable(
                        f"editor {self.name!r}: {_portable(self.model)} cannot be loaded: {told}"
                    )
                    raise self._unavailable from error
            return self._loaded[device]

    def source(self) -> tuple[str, str]:
        """Where the weights come from (a folder or a hub id) and their revision. Raises `DataError`
        when the hub is to tell it and cannot be asked.
        """
        folder = Path(self.model).expanduser()
        if folder.is_dir():
            return str(folder), content_hash(folder)
        pinned = self.line.revision if self.model == self.line.hub else None
        return self.model, self.revision or pinned or current_commit(self.model)

    def pipeline(self, device: str) -> Any:
        """The loaded pipeline on a device. Raises `Unavailable`."""
        return self._load(device)[0]

    def _load_now(self, device: str) -> tuple[Any, str]:
        import torch

        line = self.line
        options: dict[str, Any] = {_dtype_word(): getattr(torch, self.dtype)}
        if line.checked and not self.checker:
            options |= {"safety_checker": None, "requires_safety_checker": False}
        source, revision = self.source()
        if Path(source).is_dir():
            options["local_files_only"] = True
        else:
            options["revision"] = revision
        with _quiet():
            pipe = pipeline_class(self.family, line.pipeline).from_pretrained(source, **options)
        pipe.set_progress_bar_config(disable=True)
        if self.offload and device.startswith("cuda"):
            pipe.enable_model_cpu_offload(device=device)
        else:
            pipe.to(device)
        return pipe, revision


def fitted(image: Any, side: int, method: Any) -> Any:
    """A picture of Pillow brought to the longer side that a model works at, both sides multiples of
    8.
    """
    scale = side / max(image.size)
    width, height = (max(8, math.ceil(s * scale / 8) * 8) for s in image.size)
    return image if image.size == (width, height) else image.resize((width, height), method)


def _told(error: Exception, model: str) -> str:
    """A library's error as one line, with what to do where that is known."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    # Diffusers leaves out what needs torchvision where there is none, and then misses its name.
    missed = isinstance(error, NameError) and importlib.util.find_spec("torchvision") is None
    if missed or "torchvision" in text.lower():
        return f"it needs torchvision: pip install 'editgauge[diffusion]' ({text[:400]})"
    if isinstance(error, OSError) and not Path(model).expanduser().is_dir():
        return (
            f"its weights are not whole on this machine, and the hub did not give them; fetch them "
            f"(hf download {model}), or give a folder with --model ({text[:160]})"
        )
    return text[:400]


def _dtype_word() -> str:
    """What `from_pretrained` calls the weights' type: renamed, with a warning for the old word, in
    diffusers 0.42.
    """
    from diffusers.utils import deprecation_utils

    return (
        "dtype" if hasattr(deprecation_utils, "_TORCH_DTYPE_DEPRECATION_MESSAGE") else "torch_dtype"
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without the libraries' own progress bars: the run has one."""
    from diffusers.utils import logging as diffusers_logging
    from transformers.utils import logging as transformers_logging

    for library in (diffusers_logging, transformers_logging):
        library.disable_progress_bar()
    try:
        yield
    finally:
        for library in (diffusers_logging, transformers_logging):
            library.enable_progress_bar()


def current_commit(model: str) -> str:
    """The hub's current commit of a model. Raises `DataError` when the hub cannot be asked, or when
    the name is none of the hub (a folder that is not there), saying what to do.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HFValidationError

    try:
        return str(HfApi().model_info(model).sha)
    except HFValidationError as error:
        raise DataError(
            f"{model}: wanted a folder with weights, or a model of the hub (OWNER/NAME); found "
            "no such folder"
        ) from error
    except Exception as error:  # offline, unknown, gated: all end in the same advice
        raise DataError(
            f"{model}: its revision is not pinned and the hub did not tell it "
            f"({type(error).__name__}); give a folder "
            "with --model, or a commit with --set revision=…"
        ) from error


@functools.lru_cache(maxsize=4)
def content_hash(folder: Path) -> str:
    """What tells one folder of weights from another: all names and bytes, hashed once a process."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            own = hashlib.file_digest(file, "blake2b").hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()} {own}\n".encode())
    return f"folder-{digest.hexdigest()}"


def _portable(model: str) -> str:
    path = Path(model).expanduser()
    return path.name if path.is_dir() else model


def best_device() -> str:
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
