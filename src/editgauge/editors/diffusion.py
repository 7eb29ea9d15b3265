"""A pipeline of diffusers at work: what it is given for a sample, and what comes of it."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from editgauge.editors import loading
from editgauge.editors.asking import numbered
from editgauge.editors.delivery import faulty, received
from editgauge.editors.editor import BaseEditor, Mode
from editgauge.editors.models import MODELS, Model
from editgauge.editors.pipelines import Call, fitted, picture_of, size_for
from editgauge.errors import Unavailable
from editgauge.images import read_image, read_mask
from editgauge.networks.runtime import free_memory, out_of_memory
from editgauge.types import Edit, Sample, Status

Around = Callable[[Any, str], contextlib.AbstractContextManager[Any]]
"""From a pipeline and the prompt it is about to be given, to what surrounds its call."""


@dataclass(frozen=True, slots=True)
class Job:
    """One sample ready for the pipeline: what it is asked and shown."""

    prompt: str
    pictures: list[Any]
    mask: Any


@dataclass(kw_only=True)
class DiffusersEditor(BaseEditor):
    """See `factory`. Runs in one process: on one device one batch after the other, on several
    devices one thread each. The weights are loaded at the first sample, once for each device;
    weights that cannot be loaded are an `Unavailable`, which is not tried again.
    """

    name: str
    family: str
    line: Model
    call: Call
    model: str
    revision: str | None = None
    seed: int = 0
    devices: tuple[str, ...] = ("cpu",)
    dtype: str = "float32"
    side: int | None = None
    pictures: int = 1
    offload: bool = False
    checker: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.shows = self.pictures > 1
        self.num_gpus = float(self.devices[0] != "cpu")
        self.concurrency = len(self.devices)
        self.parallel: Mode = "serial" if len(self.devices) == 1 else "thread"
        self._loaded: dict[str, tuple[Any, str]] = {}
        self._unavailable: Unavailable | None = None
        self._loading, self._sharing = threading.Lock(), threading.Lock()
        self._free: queue.SimpleQueue[str] = queue.SimpleQueue()
        for device in self.devices:
            self._free.put(device)

    def __getstate__(self) -> dict[str, Any]:
        """Without what is loaded: another process loads for itself."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.devices[0].startswith("cuda"):  # a worker sees its own GPU alone, whatever its
            self.devices = ("cuda",)  # number is where the command was typed
        self.__post_init__()

    # -- one sample --------------------------------------------------------------------------------

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        return self.watched(sample, folder, lambda pipe, prompt: contextlib.nullcontext())

    def watched(self, sample: Sample, folder: Path, around: Around) -> Edit:
        """The edit of a sample, made inside of ``around(pipeline, prompt)``."""
        job = self._prepared(sample)
        if isinstance(job, Edit):
            return job
        with self._device() as device:
            pipe, revision = self._load(device)
            try:
                with around(pipe, job.prompt):
                    image, withheld = self._run(pipe, device, job)
            except Exception as error:
                if not out_of_memory(error):
                    raise
                image = withheld = None
            if image is None:  # outside of the handler: the traceback holds what filled the memory
                free_memory()
        facts = {"seed": self.seed, "settings": self._settings(device, revision)}
        if image is None:
            reason = f"out of memory: {device} does not hold it; {loading.OFFLOAD}"
            return Edit.without(sample.id, self.name, Status.FAILED, reason, **facts)
        if withheld:
            reason = "the model's safety checker withheld the picture"
            return Edit.without(sample.id, self.name, Status.REFUSED, reason, **facts)
        path = folder / "output.png"
        image.save(path)
        return received(sample, self.name, path, cost=0.0, **facts)

    def _prepared(self, sample: Sample) -> Job | Edit:
        """What the pipeline is asked for a sample, or why it cannot be asked."""
        fault = faulty(sample, self.name, pictures=self.pictures)
        if fault is not None:
            return fault
        if self.call.masked and "input" not in sample.masks:
            reason = f"{self.line.pipeline} needs a mask of what may change, the sample has none"
            return Edit.without(sample.id, self.name, Status.NOT_APPLICABLE, reason)
        prompt, paths = numbered(sample, sample.shots)
        if len(paths) > self.pictures:
            reason = (
                f"{len(sample.shots)} demonstrations make {len(paths)} pictures, the editor takes "
                f"{self.pictures}"
            )
            return Edit.without(sample.id, self.name, Status.NOT_APPLICABLE, reason)
        if self.line.marks:
            marks = (self.line.marks.format(n=n) for n in range(1, len(paths) + 1))
            prompt = f"{prompt} {' '.join(marks)}"
        mask = self._mask(sample.masks["input"]) if self.call.masked else None
        return Job(prompt, [self._picture(path) for path in paths], mask)

    def _picture(self, path: Path) -> Any:
        from PIL import Image

        return self._fitted(Image.fromarray(read_image(path)), Image.Resampling.LANCZOS)

    def _mask(self, path: Path) -> Any:
        """The mask as pipelines want it: white may change."""
        from PIL import Image

        pixels = read_mask(path).astype("uint8") * 255
        return self._fitted(Image.fromarray(pixels), Image.Resampling.NEAREST)

    def _fitted(self, image: Any, method: Any) -> Any:
        return image if self.side is None else fitted(image, self.side, method)

    # -- the pipeline's call -----------------------------------------------------------------------

    def _run(self, pipe: Any, device: str, job: Job) -> tuple[Any, bool]:
        """The edited picture, and whether the model's safety checker withheld it."""
        import torch

        with self._drawn_alone(device), torch.inference_mode():
            result = pipe(
                prompt=job.prompt,
                generator=torch.Generator("cpu").manual_seed(self.seed),
                **self._arguments(pipe, job),
            )
        flagged = getattr(result, "nsfw_content_detected", None) or [False]
        return picture_of(result), bool(flagged[0])

    def _arguments(self, pipe: Any, job: Job) -> dict[str, Any]:
        """The arguments of the pipeline's call but for prompt and generator."""
        arguments = dict(self.arguments)
        if "height" not in arguments and "width" not in arguments:
            size = self._size(pipe, *job.pictures[0].size)
            if size is not None:
                arguments |= {"width": size[0], "height": size[1]}
        several = self.call.listed or self.pictures > 1
        arguments[self.call.argument] = job.pictures if several else job.pictures[0]
        return arguments if job.mask is None else {**arguments, "mask_image": job.mask}

    def _size(self, pipe: Any, width: int, height: int) -> tuple[int, int] | None:
        """The width and height that the call is told for a picture of that size, if any."""
        if self.line.sized:
            return width, height
        if self.family in MODELS:
            return None  # the line of a model with a name says all that it is told
        return size_for(pipe, self.call, width, height)

    def _settings(self, device: str, revision: str) -> dict[str, Any]:
        """What every edit says of how it was made."""
        return {
            "family": self.family,
            "pipeline": self.line.pipeline,
            "model": loading.portable(self.model),
            "revision": revision,
            "device": device,
            "dtype": self.dtype,
            **self.arguments,
            **({"side": self.side} if self.side else {}),
        }

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

    # -- weights -----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _device(self) -> Iterator[str]:
        """A device that nobody else uses, for as long as the block lasts."""
        device = self._free.get()
        try:
            yield device
        finally:
            self._free.put(device)

    def prepare(self) -> str:
        """Load the weights; what tells them from others (a commit, or a folder's hash). Raises
        `Unavailable`.
        """
        with self._device() as device:
            return self._load(device)[1]

    def pipeline(self, device: str) -> Any:
        """The loaded pipeline on a device. Raises `Unavailable`."""
        return self._load(device)[0]

    def release(self) -> None:
        """Let go of the loaded weights; they are loaded again when they are needed."""
        self._loaded = {}

    def source(self) -> tuple[str, str]:
        """Where the weights come from, and their revision: see `loading.source_of`."""
        return loading.source_of(self.model, self.line, self.revision)

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
                    why = loading.told(error, self.model, device)
                    name = loading.portable(self.model)
                    self._unavailable = Unavailable(
                        f"editor {self.name!r}: {name} cannot be loaded: {why}"
                    )
                    raise self._unavailable from error
            return self._loaded[device]

    def _load_now(self, device: str) -> tuple[Any, str]:
        source, revision = self.source()
        how = {"device": device, "dtype": self.dtype, "offload": self.offload}
        pipe = loading.load(self.family, self.line, source, revision, checker=self.checker, **how)
        return pipe, revision
