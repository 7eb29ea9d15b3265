"""What a training keeps so that a kill costs it some steps and nothing else: one safetensors file
with weights, optimizer, random numbers and losses, and words about the rest in its header.

The file is written under another name, synced and renamed: a reader finds the old one or the new
one, never half of one. Nothing here is pickled, so that a run folder from anybody can be opened.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.errors import RunError
from editgauge.store import paths

FILE = "checkpoint.safetensors"
LIMIT = 1 << 38
"""The largest file of weights that is read, in bytes."""
_TEMPORARY = ".writing.safetensors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A training between two steps. `mark` is that of its plan: another plan's is not resumed."""

    fingerprint: str
    step: int
    tensors: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    """JSON values: the states of the learning rate's schedule and of the scaler."""


def write(root: Path, place: str, made: Checkpoint) -> None:
    """Write a checkpoint into the folder `place` of a run. Raises `RunError` when it cannot."""
    told = {
        "fingerprint": made.fingerprint,
        "step": str(made.step),
        "facts": json.dumps(dict(made.facts)),
    }
    save(root, f"{place}/{FILE}", made.tensors, told)


def read(root: Path, place: str) -> Checkpoint | None:
    """The checkpoint in the folder `place` of a run; None where there is none. Raises `RunError`
    for a file that is none.
    """
    why = paths.fault(root, f"{place}/{FILE}", "tuning", limit=LIMIT)
    if why == "not there":
        return None
    if why is not None:
        raise RunError(f"{place}/{FILE}: {why}; it is not opened")
    try:
        from safetensors import safe_open

        with safe_open(str(root / place / FILE), "pt") as file:
            told = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return Checkpoint(
            fingerprint=told["fingerprint"],
            step=int(told["step"]),
            tensors=tensors,
            facts=json.loads(told["facts"]),
        )
    except Exception as error:  # whatever the library says of a file that is none
        raise RunError(
            f"{place}/{FILE}: no checkpoint of ours ({type(error).__name__}); remove it, and the "
            f"training starts anew"
        ) from error


def save(root: Path, relative: str, tensors: Mapping[str, Any], told: Mapping[str, str]) -> Path:
    """Write tensors as a safetensors file below a run, whole or not at all."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    above, _, name = relative.rpartition("/")
    folder = paths.folder(root, above)
    temporary = folder / _TEMPORARY
    try:
        save_file({k: v.contiguous() for k, v in tensors.items()}, temporary, dict(told))
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, folder / name)
    except OSError as error:
        raise paths.unwritable(folder / name, error) from error
    except SafetensorError as error:  # what the library makes of a full disk
        raise paths.unwritable(folder / name, OSError(str(error))) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return folder / name


def remove(root: Path, place: str) -> None:
    """Remove the checkpoint of a training that has ended."""
    with contextlib.suppress(OSError):
        (root / place / FILE).unlink()
