"""Diffusion models on this machine, through the diffusers library: a table of what each is and how
its authors run it.

A model is a line of `FAMILIES`. ``--model`` takes another hub id or a folder on disk in its place,
``--set`` overrides any default and reaches every argument of the pipeline's call. No revision is
written into the table that was not seen: where it is None, the hub's current commit is looked up
once, loaded by its hash, and recorded with every edit; pin it with ``--set revision=…`` to get the
same weights next year.

InstructPix2Pix and its kin are loaded without their safety checker, which takes medical pictures
for something else and blackens them; ``--set safety_checker=true`` keeps it, and what it withholds
is then refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.editors.asking import numbered, shots_for
from editgauge.editors.delivery import faulty, flag, known, received, whole
from editgauge.errors import DataError, MissingExtra, UsageError
from editgauge.images import read_image
from editgauge.types import Edit, Sample, Status

OWN = (
    "model",
    "revision",
    "name",
    "seed",
    "device",
    "dtype",
    "batch_size",
    "side",
    "shots",
    "pictures",
    "offload",
    "safety_checker",
)
"""Settings that are ours; all others must be arguments of the pipeline's call."""


@dataclass(frozen=True, slots=True)
class Family:
    """One model: its pipeline's class in diffusers, where its weights are, and its authors'
    settings.

    `revision` is the hub's commit as at least three unrelated public repositories name it, or None
    where none was found. `defaults` are arguments of the call, `origin` says where they come from.
    `side` is the longer side that pictures are brought to before (None: the pipeline does it).
    `sized`: the call is told the input's width and height, without which it would make a square.
    """

    pipeline: str
    hub: str
    origin: str
    defaults: Mapping[str, Any] = field(default_factory=dict)
    revision: str | None = None
    dtype: str = "bfloat16"
    pictures: int = 1
    argument: str = "image"
    side: int | None = None
    sized: bool = False
    batches: bool = False
    checked: bool = False
    """It comes with a safety checker."""
    tuning: Mapping[str, Any] = field(default_factory=dict)
    """How it is fitted to each picture before it edits it (Imagic); settings as well."""


_PIX2PIX = Family(
    "StableDiffusionInstructPix2PixPipeline",
    "timbrooks/instruct-pix2pix",
    "arXiv 2211.09800, section 4: 100 steps, guidance 7.5 for the text and 1.5 for the picture, "
    "512 pixels",
    {"num_inference_steps": 100, "guidance_scale": 7.5, "image_guidance_scale": 1.5},
    "31519b5cb02a7fd89b906d88731cd4d6a7bbf88d",
    dtype="float16",
    side=512,
    batches=True,
    checked=True,
)
FAMILIES: dict[str, Family] = {
    "instructpix2pix": _PIX2PIX,
    "magicbrush": Family(
        _PIX2PIX.pipeline,
        "vinesmsuic/magicbrush-jul7",
        "arXiv 2306.10012: InstructPix2Pix fine-tuned, run with InstructPix2Pix's settings",
        _PIX2PIX.defaults,
        dtype="float16",
        side=512,
        batches=True,
        checked=True,
    ),
    "paint-by-inpaint": Family(
        _PIX2PIX.pipeline,
        "paint-by-inpaint/general-finetuned-mb",
        "the model card of arXiv 2404.18212: 50 steps, guidance 7 for the text and 1.5 for the "
        "picture",
        {"num_inference_steps": 50, "guidance_scale": 7.0, "image_guidance_scale": 1.5},
        dtype="float16",
        side=512,
        batches=True,
        checked=True,
    ),
    "flux-kontext": Family(
        "FluxKontextPipeline",
        "black-forest-labs/FLUX.1-Kontext-dev",
        "the model card: guidance 2.5; diffusers' default of 28 steps",
        {"num_inference_steps": 28, "guidance_scale": 2.5},
        "24e9dedc4ef646698dc8eb4e18ae2cec3c9fea0d",
        sized=True,
    ),
    "qwen-image-edit": Family(
        "QwenImageEditPipeline",
        "Qwen/Qwen-Image-Edit",
        "the model card: 50 steps, true guidance 4, an empty negative prompt",
        {"num_inference_steps": 50, "true_cfg_scale": 4.0, "negative_prompt": " "},
        "ac7f9318f633fc4b5778c59367c8128225f1e3de",
    ),
    "qwen-image-edit-plus": Family(
        "QwenImageEditPlusPipeline",
        "Qwen/Qwen-Image-Edit-2509",
        "the model card: 40 steps, true guidance 4, one to three pictures",
        {"num_inference_steps": 40, "true_cfg_scale": 4.0, "negative_prompt": " "},
        "d3968ef930e841f4c73640fb8afa3b306a78167e",
        pictures=3,
    ),
    "omnigen": Family(
        "OmniGenPipeline",
        "Shitao/OmniGen-v1-diffusers",
        "diffusers' documentation of OmniGen for editing: 50 steps, guidance 2 for the text and "
        "1.6 for the picture",
        {
            "num_inference_steps": 50,
            "guidance_scale": 2.0,
            "img_guidance_scale": 1.6,
            "use_input_image_size_as_output": True,
        },
        pictures=5,
        argument="input_images",
    ),
    "imagic": Family(
        "StableDiffusionPipeline",
        "CompVis/stable-diffusion-v1-4",
        "arXiv 2210.09276, its settings for Stable Diffusion; eta in the middle of what its users "
        "preferred",
        {"num_inference_steps": 50, "guidance_scale": 7.5},
        "133a221b8aa7292a167afc5127cb63fb5005638b",
        dtype="float32",
        side=512,
        checked=True,
        tuning={
            "embedding_steps": 1000,
            "embedding_rate": 2e-3,
            "tuning_steps": 1500,
            "tuning_rate": 5e-7,
            "eta": 0.7,
        },
    ),
    "omnigen2": Family(
        "OmniGen2Pipeline",
        "OmniGen2/OmniGen2",
        "the model card: 50 steps, guidance 5 for the text and 2 for the picture",
        {"num_inference_steps": 50, "text_guidance_scale": 5.0, "image_guidance_scale": 2.0},
        pictures=3,
        argument="input_images",
    ),
}


def factory(family: str, samples: Sequence[Sample], **settings: Any) -> DiffusersEditor:
    """A model of `FAMILIES` as an editor. Settings: those of `OWN`, and any argument of the
    pipeline's call.

    `model` (hub id or folder), `revision`, `seed` (0; the same for every sample), `device` (cuda,
    mps, cpu; the best there is), `dtype`, `batch_size`, `side` (longer side before editing),
    `pictures` (how many it is given at most), `shots`, `offload` (keep the parts on the CPU until
    they are needed). Raises `UsageError` for a setting that nobody knows, `MissingExtra` without
    diffusers.
    """
    line = FAMILIES[family]
    pipeline = _pipeline_class(family, line.pipeline)
    accepted = [
        name for name in inspect.signature(pipeline.__call__).parameters if name not in _GIVEN
    ]
    known(family, settings, *OWN, *line.tuning, *accepted)
    shots = whole(family, settings, "shots", 0)
    pictures = whole(family, settings, "pictures", line.pictures, least=1)
    if shots and pictures == 1:
        raise UsageError(
            f"editor {family!r} takes one picture: it cannot be shown demonstrations; leave out "
            f"--shots"
        )
    device = str(settings.get("device") or _best_device())
    kind = DiffusersEditor
    if line.tuning:
        from editgauge.editors.imagic import ImagicEditor

        kind = ImagicEditor
    return kind(
        name=str(settings.get("name") or family),
        family=family,
        model=str(settings.get("model") or line.hub),
        revision=str(settings["revision"]) if settings.get("revision") else None,
        seed=whole(family, settings, "seed", 0),
        device=device,
        dtype=str(
            settings.get("dtype") or (line.dtype if device.startswith("cuda") else "float32")
        ),
        batch_size=whole(
            family, settings, "batch_size", 4 if device.startswith("cuda") else 1, least=1
        )
        if line.batches
        else 1,
        side=whole(family, settings, "side", line.side or 0) or None,
        pictures=pictures,
        shots=shots,
        samples=samples if shots else (),
        offload=flag(family, settings, "offload", False),
        checker=flag(family, settings, "safety_checker", False),
        arguments={
            **line.defaults,
            **line.tuning,
            **{k: typed(v) for k, v in settings.items() if k not in OWN},
        },
    )


_GIVEN = frozenset(
    {
        "self",
        "prompt",
        "image",
        "input_images",
        "generator",
        "latents",
        "prompt_embeds",
        "negative_prompt_embeds",
        "output_type",
        "return_dict",
        "callback_on_step_end",
        "callback_on_step_end_tensor_inputs",
        "kwargs",
    }
)
"""Arguments of a pipeline's call that are not settings."""


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
omnigen2 = _named("omnigen2")
imagic = _named("imagic")


@dataclass
class DiffusersEditor:
    """See `factory`. Runs in one process, one batch after the other; the weights are loaded at the
    first sample.
    """

    name: str
    family: str
    model: str
    revision: str | None = None
    seed: int = 0
    device: str = "cpu"
    dtype: str = "float32"
    batch_size: int = 1
    side: int | None = None
    pictures: int = 1
    shots: int = 0
    samples: Sequence[Sample] = ()
    offload: bool = False
    checker: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)
    parallel: str = "serial"
    _loaded: tuple[Any, str] | None = field(default=None, repr=False, compare=False)

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        return self.edit_batch([sample], [folder])[0]

    def edit_batch(self, samples: Sequence[Sample], folders: Sequence[Path]) -> list[Edit]:
        """One edit a sample, in order; pictures of one size go through the network together."""
        edits: dict[int, Edit] = {}
        ready: dict[int, tuple[Sample, str, list[Any], list[str]]] = {}
        for number, sample in enumerate(samples):
            fault = faulty(sample, self.name, pictures=self.pictures)
            if fault is not None:
                edits[number] = fault
                continue
            shots = shots_for(sample, self.samples, self.shots)
            prompt, paths = numbered(sample, shots)
            if len(paths) > self.pictures:
                reason = (
                    f"{len(shots)} demonstrations make {len(paths)} pictures, the editor "
                    f"takes {self.pictures}"
                )
                edits[number] = Edit(sample.id, self.name, None, Status.NOT_APPLICABLE, reason)
                continue
            ready[number] = (
                sample,
                prompt,
                [self._picture(path) for path in paths],
                [shot.id for shot in shots],
            )
        for group in self._groups(ready):
            made = self._run([ready[n][1] for n in group], [ready[n][2] for n in group])
            for number, (image, withheld) in zip(group, made, strict=True):
                sample, _, _, shown = ready[number]
                edits[number] = self._delivered(sample, folders[number], image, withheld, shown)
        return [edits[number] for number in range(len(samples))]

    def _groups(
        self, ready: Mapping[int, tuple[Sample, str, list[Any], list[str]]]
    ) -> list[list[int]]:
        groups: dict[Any, list[int]] = {}
        for number, (_, _, pictures, _) in ready.items():
            alone = self.batch_size == 1 or len(pictures) > 1
            groups.setdefault(number if alone else pictures[0].size, []).append(number)
        return list(groups.values())

    def _delivered(
        self, sample: Sample, folder: Path, image: Any, withheld: bool, shown: list[str]
    ) -> Edit:
        _, revision = self._load()
        settings = {
            "family": self.family,
            "model": _portable(self.model),
            "revision": revision,
            "device": self.device,
            "dtype": self.dtype,
            **self.arguments,
        }
        if self.side:
            settings["side"] = self.side
        facts: dict[str, Any] = {
            "seed": self.seed,
            "settings": settings,
            "detail": {"shots": shown} if shown else {},
        }
        if withheld:
            reason = "the model's safety checker withheld the picture"
            return Edit(sample.id, self.name, None, Status.REFUSED, reason, **facts)
        path = folder / "output.png"
        image.save(path)
        return received(sample, self.name, path, cost=0.0, **facts)

    def _run(self, prompts: list[str], pictures: list[list[Any]]) -> list[tuple[Any, bool]]:
        """Each edited picture, and whether the safety checker withheld it."""
        import torch

        pipe, _ = self._load()
        line = FAMILIES[self.family]
        arguments = dict(self.arguments)
        if line.sized and "height" not in arguments and "width" not in arguments:
            arguments |= {"width": pictures[0][0].width, "height": pictures[0][0].height}
        generators = [torch.Generator("cpu").manual_seed(self.seed) for _ in prompts]
        if line.argument == "input_images":
            given: Any = [pictures[0]]
            prompts = (
                [_with_marks(prompts[0], len(pictures[0]))] if self.family == "omnigen" else prompts
            )
            arguments |= {"input_images": given if self.family == "omnigen" else pictures[0]}
        elif len(prompts) == 1:
            arguments["image"] = pictures[0] if self.pictures > 1 else pictures[0][0]
        else:
            arguments["image"] = [own[0] for own in pictures]
        with torch.inference_mode():
            result = pipe(
                prompt=prompts if len(prompts) > 1 else prompts[0],
                generator=generators if len(prompts) > 1 else generators[0],
                **arguments,
            )
        flagged = getattr(result, "nsfw_content_detected", None) or [False] * len(prompts)
        return list(zip(result.images, map(bool, flagged), strict=True))

    def _picture(self, path: Path) -> Any:
        from PIL import Image

        image = Image.fromarray(read_image(path))
        if self.side is None:
            return image
        scale = self.side / max(image.size)
        width, height = (max(8, math.ceil(s * scale / 8) * 8) for s in image.size)
        return (
            image
            if image.size == (width, height)
            else image.resize((width, height), Image.Resampling.LANCZOS)
        )

    def _load(self) -> tuple[Any, str]:
        if self._loaded is None:
            self._loaded = self._load_now()
        return self._loaded

    def _load_now(self) -> tuple[Any, str]:
        import torch

        line = FAMILIES[self.family]
        dtype = getattr(torch, self.dtype, None)
        if not isinstance(dtype, torch.dtype):
            raise UsageError(
                f"editor {self.family!r}: dtype: wanted float16, bfloat16 or float32, found "
                f"{self.dtype!r}"
            )
        options: dict[str, Any] = {_dtype_word(): dtype}
        if line.checked and not self.checker:
            options |= {"safety_checker": None, "requires_safety_checker": False}
        folder = Path(self.model).expanduser()
        if folder.is_dir():
            source, revision = str(folder), content_hash(folder)
            options["local_files_only"] = True
        else:
            source, revision = (
                self.model,
                self.revision or (line.revision if self.model == line.hub else None) or "",
            )
            revision = revision or current_commit(self.model)
            options["revision"] = revision
        with _quiet():
            pipe = _pipeline_class(self.family, line.pipeline).from_pretrained(source, **options)
        pipe.set_progress_bar_config(disable=True)
        if self.offload and self.device.startswith("cuda"):
            pipe.enable_model_cpu_offload(device=self.device)
        else:
            pipe.to(self.device)
        return pipe, revision


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
    """The hub's current commit of a model. Raises `DataError` when the hub cannot be asked, saying
    what to do.
    """
    try:
        from huggingface_hub import HfApi

        return str(HfApi().model_info(model).sha)
    except Exception as error:  # offline, unknown, gated: all end in the same advice
        raise DataError(
            f"{model}: its revision is not pinned and the hub did not tell it "
            f"({type(error).__name__}); give a folder "
            "with --model, or a commit with --set revision=…"
        ) from error


def content_hash(folder: Path) -> str:
    """What tells one folder of weights from another: a hash of its configuration files and of all
    names and sizes.
    """
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{file.relative_to(folder).as_posix()} {file.stat().st_size}\n".encode())
        if file.suffix == ".json" and file.stat().st_size < 1 << 20:
            digest.update(file.read_bytes())
    return f"folder-{digest.hexdigest()}"


def typed(value: Any) -> Any:
    """A setting from the command line as Python would have it: 7, 2.5, True, None, or the word
    itself.
    """
    if not isinstance(value, str):
        return value
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if value.lower() in words:
        return words[value.lower()]
    kinds: tuple[Callable[[str], Any], ...] = (int, float)
    for kind in kinds:
        try:
            return kind(value)
        except ValueError:
            continue
    return value


def _with_marks(prompt: str, count: int) -> str:
    """OmniGen wants every picture named in the prompt."""
    return f"{prompt} " + " ".join(f"<img><|image_{n}|></img>" for n in range(1, count + 1))


def _portable(model: str) -> str:
    path = Path(model).expanduser()
    return path.name if path.is_dir() else model


def _best_device() -> str:
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _pipeline_class(family: str, name: str) -> Any:
    try:
        import diffusers as library
    except ImportError as error:
        raise MissingExtra(f"the editor {family}", error.name or "diffusers", "neural") from error
    if not hasattr(library, name):
        raise UsageError(
            f"editor {family!r}: diffusers {library.__version__} has no {name}; install one that "
            f"has, or join the "
            "model's own code with --editor command"
        )
    return getattr(library, name)
