"""What a scorer's failure becomes: a status and a reason, the same everywhere."""

from __future__ import annotations

from editgauge.errors import (
    EditgaugeError,
    ImageError,
    MissingExtra,
    ShapeMismatch,
    WeightsError,
)
from editgauge.scoring import NoScore
from editgauge.types import Edit, Sample, Status


def failure(error: Exception, edit: Edit) -> tuple[Status, str]:
    """Status and reason for whatever went wrong with one pair.

    A picture of the data set that cannot be read is the data set's fault, the output's is the
    output's; what lacks weights, a library or a program is not measured.
    """
    if isinstance(error, NoScore):
        return error.status, error.reason
    if isinstance(error, ImageError):
        theirs = error.path is not None and error.path != edit.path
        return Status.DATASET_FAULT if theirs else Status.UNREADABLE, str(error)
    if isinstance(error, WeightsError | MissingExtra):
        return Status.NOT_MEASURED, str(error)
    if isinstance(error, ShapeMismatch):
        return Status.NOT_APPLICABLE, str(error)
    if isinstance(error, EditgaugeError):
        return Status.FAILED, str(error)
    text = str(error).strip().splitlines()[0] if str(error).strip() else ""
    return Status.FAILED, f"{type(error).__name__}: {text}"[:500]


def text_of(sample: Sample, name: str) -> str:
    """The text that a metric compares with: a field of the sample.

    Raises `NoScore` (not_applicable) where the sample has none.
    """
    text = getattr(sample, name)
    if not isinstance(text, str) or not text.strip():
        raise NoScore(Status.NOT_APPLICABLE, f"the sample has no {name}")
    return text
