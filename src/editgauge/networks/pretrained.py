"""Networks of transformers from a folder of checked files: loaded whole, or not at all.

A checkpoint that lacks tensors is otherwise completed with random ones, and every number made with
it is wrong without an error.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from editgauge.errors import MissingExtra, WeightsError
from editgauge.networks.runtime import Runtime, torch_for


def transformers_for(what: str) -> Any:
    """The package. Raises `MissingExtra`, which names what needs it."""
    try:
        import transformers
    except ImportError as error:
        raise MissingExtra(what, "transformers", "neural") from error
    return transformers


def pretrained(folder: Path, kind: str, what: str, runtime: Runtime) -> Any:
    """The network of a class of transformers, ready to be asked. Nothing is fetched.

    Raises `WeightsError` when files do not fit or tensors are missing.
    """
    transformers = transformers_for(what)
    try:
        with quiet(transformers):
            model, report = getattr(transformers, kind).from_pretrained(
                folder,
                local_files_only=True,
                dtype=getattr(torch_for(what), runtime.precision),
                output_loading_info=True,
            )
    except Exception as error:  # of many kinds: all mean that these files do not load
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise WeightsError(f"{folder}: {what} cannot be loaded ({lines[0]})") from error
    missing = sorted(k for k in report["missing_keys"] if "position_ids" not in k)
    if missing or report["mismatched_keys"]:
        raise WeightsError(
            f"{folder}: {what} weights are incomplete ({', '.join(missing[:3]) or 'other shapes'})"
        )
    return model.to(runtime.device).eval()


@contextlib.contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """No progress bars and no advice while a checkpoint is loaded: what matters is checked here and
    raised.
    """
    before = transformers.logging.get_verbosity()
    bars = transformers.logging.is_progress_bar_enabled()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers.logging.set_verbosity(before)
        if bars:
            transformers.logging.enable_progress_bar()
