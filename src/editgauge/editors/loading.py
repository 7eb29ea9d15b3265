"""From a model's name to a pipeline on a device: which commit, how it is loaded, and what is told
where it cannot be.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from editgauge.editors.models import Model
from editgauge.editors.pipelines import pipeline_class
from editgauge.errors import DataError
from editgauge.networks import runtime

OFFLOAD = (
    "keep its parts on the processor until they are needed with --set offload=true, or edit "
    "smaller pictures with --set side=…"
)
"""What to do where a device's memory does not suffice."""


def source_of(model: str, line: Model, revision: str | None) -> tuple[str, str]:
    """Where weights come from (a folder or a hub id) and what tells them from others: a commit, or
    a folder's hash. Raises `DataError` when the hub is to tell it and cannot be asked.
    """
    folder = Path(model).expanduser()
    if folder.is_dir():
        return str(folder), content_hash(folder)
    pinned = line.revision if model == line.hub else None
    return model, revision or pinned or current_commit(model)


def load(family: str, line: Model, source: str, revision: str, **how: Any) -> Any:
    """The pipeline on its device. `how`: device, dtype (words), offload, checker (flags)."""
    import torch

    options: dict[str, Any] = {_dtype_word(): getattr(torch, how["dtype"])}
    if line.checked and not how["checker"]:
        options |= {"safety_checker": None, "requires_safety_checker": False}
    options |= {"local_files_only": True} if Path(source).is_dir() else {"revision": revision}
    with _quiet():
        pipe = pipeline_class(family, line.pipeline).from_pretrained(source, **options)
    pipe.set_progress_bar_config(disable=True)
    if how["offload"] and how["device"].startswith("cuda"):
        pipe.enable_model_cpu_offload(device=how["device"])
    else:
        pipe.to(how["device"])
    return pipe


def told(error: Exception, model: str, device: str = "") -> str:
    """A library's error as one line, with what to do where that is known."""
    if isinstance(error, DataError):
        return str(error)
    if runtime.out_of_memory(error):
        return f"the memory of {device} does not hold it: {OFFLOAD}"
    # Diffusers leaves out what needs torchvision where there is none, and then misses its name.
    if isinstance(error, NameError) and importlib.util.find_spec("torchvision") is None:
        error = ImportError(f"torchvision is not installed ({error})")
    text = runtime.told(error)
    if isinstance(error, OSError) and not Path(model).expanduser().is_dir():
        return (
            f"its weights are not whole on this machine, and the hub did not give them; fetch them "
            f"(hf download {model}), or give a folder with --model ({text[:160]})"
        )
    return text


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
            f"({type(error).__name__}); give a folder with --model, or a commit with --set "
            f"revision=…"
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


def portable(model: str) -> str:
    """A model's name as a run may hold it: of a folder its own name alone."""
    path = Path(model).expanduser()
    return path.name if path.is_dir() else model


def best_device() -> str:
    """``cuda``, ``mps`` or ``cpu``."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _dtype_word() -> str:
    """What `from_pretrained` calls the weights' type: renamed, with a warning for the old word, in
    diffusers 0.42.
    """
    from diffusers.utils import deprecation_utils

    new = hasattr(deprecation_utils, "_TORCH_DTYPE_DEPRECATION_MESSAGE")
    return "dtype" if new else "torch_dtype"


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
