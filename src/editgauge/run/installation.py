"""This installation, read only (`editgauge list installation`): extras, GPU, environment."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

from packaging.requirements import Requirement

from editgauge import __version__
from editgauge.networks import weights
from editgauge.types import JsonObject

BRINGS = {
    "ocr": "the OCR track (TextEdit's OA, OP, OR, F1, NED)",
    "paddleocr": "TextEdit's released OCR engine",
    "judge": "the judge track",
    "neural": "LPIPS, CLIP, FID, aesthetics; diffusion editors",
    "diffusion": "editors that need torchvision beside it (Qwen, OmniGen)",
    "hub": "fetching data sets",
    "study": "the human study; data sets of your own in the browser",
    "report": "figures as PDF, SVG and PNG",
    "tuning": "fine-tuning of diffusion editors (editgauge tune)",
    "ray": "scoring and editing on many machines",
    "remote": "data, outputs and runs on stores (s3://…)",
    "texteditbench": "what TextEditBench's tables need",
    "textedit": "what TextEdit's tables need",
    "medebench": "what MedEBench's tables need",
    "krisbench": "what KRIS-Bench's tables need",
}
"""Extra -> what it brings. An extra without a line is not for users (``dev``) and is not listed."""


def inspect() -> JsonObject:
    """Versions, extras with what is missing of them, GPU, environment, weights."""
    files = [
        {"name": name, "state": weights.state(name, None), "used_for": entry.used_for}
        for name, entry in weights.WEIGHTS.items()
    ]
    return {
        "version": __version__,
        "python": platform.python_version(),
        "gpu": _gpu(),
        "weights": {"folder": str(weights.folder(None)), "files": files},
        "extras": extras(),
        "environment": [
            {"name": name, "set": bool(os.environ.get(name)), "meaning": meaning}
            for names, meaning in VARIABLES.items()
            for name in names
        ],
    }


def extras() -> list[JsonObject]:
    """Each extra for users: what it brings, and which of its packages are not installed."""
    try:
        needs = [Requirement(line) for line in requires("editgauge") or []]
    except PackageNotFoundError:
        needs = []
    packages = {name: dict.fromkeys(_packages(name, needs)) for name in BRINGS}
    return [
        {"name": name, "brings": BRINGS[name], "missing": [p for p in wanted if not _installed(p)]}
        for name, wanted in packages.items()
    ]


def _packages(extra: str, needs: Sequence[Requirement]) -> Iterator[str]:
    """The packages of an extra and of the extras that it is made of."""
    for needed in needs:
        marker = needed.marker
        if marker and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""}):
            if needed.name != "editgauge":
                yield needed.name
            for inner in sorted(needed.extras) if needed.name == "editgauge" else ():
                yield from _packages(inner, needs)


def _installed(package: str) -> bool:
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def _gpu() -> str:
    if find_spec("torch") is None:
        return "not looked for: PyTorch is not installed (extra neural)"
    import torch

    if not torch.cuda.is_available():
        return "none that PyTorch can use"
    names = [torch.cuda.get_device_name(n) for n in range(torch.cuda.device_count())]
    return ", ".join(names)


_SERVICES = {
    "openai": ("OPENAI_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "chat": ("OPENROUTER_API_KEY",),
    "bfl": ("BFL_API_KEY",),
    "fal": ("FAL_KEY",),
    "replicate": ("REPLICATE_API_TOKEN",),
}
VARIABLES: dict[tuple[str, ...], str] = {
    ("EDITGAUGE_JUDGE_KEY", "OPENAI_API_KEY"): "key of the judge's server",
    **{
        ("EDITGAUGE_EDITOR_KEY", *names): f"key of the service that edits (editor `{editor}`)"
        for editor, names in _SERVICES.items()
    },
    ("HF_TOKEN",): "key of the hub, for gated data sets and weights",
    ("HF_ENDPOINT",): "a mirror of the hub",
    ("OPENAI_BASE_URL",): "the judge's server when `--base-url` is not given",
    ("EDITGAUGE_CACHE",): "where the pictures of `mini` and copies of stores are kept; default: "
    "`editgauge` in the user's cache folder",
    ("EDITGAUGE_PRIVATE",): "where the secrets of studies are kept, which belong into no run; "
    "default: `editgauge` in the user's data folder",
    ("EDITGAUGE_WEIGHTS",): "where network weights are kept; default: `editgauge/weights` in the "
    "user's cache folder",
    ("EDITGAUGE_MAX_PIXELS",): "the largest width × height that is decoded; default 50,000,000. "
    "A larger picture ends as a status, not in memory",
    ("EDITGAUGE_THREADS",): "CPU threads of a neural network; default: the cores",
    ("EDITGAUGE_OCR_CACHE",): "a folder for what OCR has read, shared by runs; default: each run "
    "keeps its own",
    ("EDITGAUGE_IMAGEREWARD",): "the command that starts the program which gives ImageReward "
    "scores, in an environment of its own",
    ("EDITGAUGE_MEDCLIP",): "the command that starts the program which gives MedCLIP scores, "
    "likewise",
    ("RAY_ADDRESS",): "the Ray cluster of `--engine ray`",
    ("NO_COLOR",): "any value: no colours on a terminal",
}
"""Environment variables by their names, in the order in which they are tried -> what they mean."""
