"""What the neural scorers of all benchmarks share: texts for missing weights, one score list for a
failure, notes.
"""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from editgauge.errors import EditgaugeError, ImageError, MissingExtra, WeightsError
from editgauge.networks.weights import find, locate, state
from editgauge.scoring import NoScore
from editgauge.types import Edit, Metric, Sample, Score, Status, not_scored


def failure(error: Exception, sample: Sample, edit: Edit) -> tuple[Status, str]:
    """Status and reason for whatever went wrong with one pair.

    A picture of the data set that cannot be read is the data set's fault, the output's is the
    output's.
    """
    if isinstance(error, NoScore):
        return error.status, error.reason
    if isinstance(error, ImageError):
        status = (
            Status.UNREADABLE
            if error.path is not None and error.path == edit.path
            else Status.DATASET_FAULT
        )
        where = sample.id if status is Status.DATASET_FAULT else edit.editor
        text = (
            str(error)
            if error.path is None
            else str(error).replace(str(error.path), error.path.name)
        )
        return status, f"{where}: {text}"
    if isinstance(error, EditgaugeError):
        return status_of(error), str(error)
    text = str(error).strip().splitlines()[0] if str(error).strip() else ""
    return Status.FAILED, f"{type(error).__name__}: {text}"[:500]


def status_of(error: Exception) -> Status:
    """*Not measured* where weights, a library or a program are not here; else *failed*."""
    lacks = isinstance(error, WeightsError | MissingExtra)
    return Status.NOT_MEASURED if lacks else Status.FAILED


def all_without(metrics: Sequence[Metric], count: int, error: Exception) -> list[list[Score]]:
    """The same reason for every pair of a batch, so that it is reported as one line."""
    return [not_scored(metrics, status_of(error), str(error)) for _ in range(count)]


def origin_of(names: Sequence[str], folder: Path | None, **parameters: Any) -> dict[str, Any]:
    """Checksums of the weights, versions of the libraries, parameters. Missing weights are part of
    it, so that their arrival makes another fingerprint and the rows are computed.
    """
    origin: dict[str, Any] = {}
    for name in names:
        try:
            origin[name] = locate(name, folder).identity
        except EditgaugeError:
            origin[name] = {"weights": name, "state": state(name, folder)}
    return (
        origin | {package: _version(package) for package in ("torch", "transformers")} | parameters
    )


def lacking(origin: Mapping[str, Any]) -> str:
    """What a scorer with this origin (see `origin_of`) cannot work without and has not, with the
    command that brings it; "" where nothing is known to be lacking.
    """
    absent = [
        (value["weights"], value["state"])
        for value in origin.values()
        if isinstance(value, Mapping)
        and value.get("state") in ("not here", "wrong")
        and "weights" in value
    ]
    told = [
        f"weights {name!r} are not here: {find(name).command}"
        if state == "not here"
        else f"weights {name!r} are other files than their checksums say; remove them, then: "
        f"{find(name).command}"
        for name, state in absent
    ]
    if "torch" in origin and origin["torch"] is None:
        told.append("torch is not installed: pip install 'editgauge[neural]'")
    return "; ".join(told)


@functools.cache
def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def field_of(sample: Sample, name: str) -> str:
    """The text that a metric compares with: a field of the sample.

    Raises `NoScore` (not_applicable) where the sample has none.
    """
    text = getattr(sample, name)
    if not isinstance(text, str) or not text.strip():
        raise NoScore(Status.NOT_APPLICABLE, f"the sample has no {name}")
    return text


def detail_of(**entries: Any) -> Mapping[str, Any]:
    """A row's detail without the entries that say nothing."""
    return {key: value for key, value in entries.items() if value not in (None, "", False)}
