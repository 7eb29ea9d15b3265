"""What is installed on this machine: for `editgauge doctor`. Reads, and changes nothing."""

from __future__ import annotations

import os
import platform
import re
import shutil
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from editgauge import __version__
from editgauge.environment import VARIABLES

BRINGS = {
    "ocr": "the OCR track (TextEdit's OA, OP, OR, F1, NED)",
    "paddleocr": "TextEdit's released OCR engine",
    "judge": "the judge track",
    "neural": "LPIPS, CLIP, FID, aesthetics; diffusion editors",
    "diffusion": "editors that need torchvision beside it (Qwen, OmniGen)",
    "hub": "fetching data sets",
    "study": "the human study; data sets of your own in the browser",
    "frames": "tables as pandas and polars data frames",
    "wandb": "logging a run to Weights & Biases",
    "mlflow": "logging a run to MLflow",
    "trackio": "logging a run to Trackio",
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


def inspect(weights: Path | None = None) -> dict[str, Any]:
    """Versions, extras with what is missing of them, GPU, weights, environment, disk."""
    return {
        "version": __version__,
        "python": platform.python_version(),
        "machine": {
            "system": platform.system(),
            "cores": os.cpu_count(),
            "disk_free_gb": shutil.disk_usage(Path.cwd()).free / 1e9,
        },
        "gpu": _gpu(),
        "extras": extras(),
        "weights": _weights(weights),
        "environment": [
            {"name": name, "set": bool(os.environ.get(name)), "meaning": meaning}
            for name, meaning in {
                name: variable.meaning for variable in VARIABLES for name in variable.names
            }.items()
        ],
    }


def extras() -> list[dict[str, Any]]:
    """Each extra for users: what it brings, and which of its packages are not installed."""
    wanted: dict[str, list[str]] = {name: [] for name in BRINGS}
    try:
        lines = requires("editgauge") or []
    except PackageNotFoundError:
        lines = []
    for line in lines:
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", line)
        package = re.match(r"[\w.-]+", line)
        if extra and package and extra.group(1) in wanted:
            within = re.match(r"editgauge\[([^]]*)\]", line)  # an extra made of others
            named = within.group(1).split(",") if within else [package.group(0)]
            wanted[extra.group(1)].extend(f"[{name.strip()}]" if within else name for name in named)
    wanted = {name: _resolved(name, wanted) for name in wanted}
    return [
        {
            "name": name,
            "brings": BRINGS[name],
            "missing": [package for package in packages if not _installed(package)],
        }
        for name, packages in wanted.items()
    ]


def _resolved(extra: str, wanted: dict[str, list[str]]) -> list[str]:
    """The packages of an extra, those of the extras that it is made of (``[name]``) included."""
    found: list[str] = []
    for name in wanted.get(extra, []):
        found += _resolved(name[1:-1], wanted) if name.startswith("[") else [name]
    return list(dict.fromkeys(found))


def _installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def _gpu() -> str:
    if find_spec("torch") is None:
        return "not looked for: PyTorch is not installed (extra neural)"
    import torch

    if not torch.cuda.is_available():
        return "none that PyTorch can use"
    names = [torch.cuda.get_device_name(n) for n in range(torch.cuda.device_count())]
    return ", ".join(names)


def _weights(folder: Path | None) -> dict[str, Any]:
    from editgauge.networks import weights as table

    files = []
    for name, entry in table.WEIGHTS.items():
        state = table.state(name, folder)
        files.append({"name": name, "state": state, "used_for": entry.used_for})
    return {"folder": str(table.folder(folder)), "files": files}
