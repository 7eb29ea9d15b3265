"""What gives an output scores: the one `Scorer`, and the scorers that several benchmarks share."""

from __future__ import annotations

from editgauge.errors import EditgaugeError, ImageError, MissingExtra, ShapeMismatch, WeightsError
from editgauge.types import Edit, Sample, Score, Status, Variant


class NoScore(Exception):
    """Raised where a pair cannot be scored: with the status and the reason that its rows get."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason

    def score(self, metric: str, variant: Variant = "faithful") -> Score:
        """The score that says so."""
        status, reason = self.status, self.reason
        return Score(metric=metric, value=None, variant=variant, status=status, reason=reason)


_STATUSES: dict[type[EditgaugeError], Status] = {
    WeightsError: Status.NOT_MEASURED,
    MissingExtra: Status.NOT_MEASURED,
    ShapeMismatch: Status.NOT_APPLICABLE,
    EditgaugeError: Status.FAILED,
}


def failure(error: BaseException, edit: Edit) -> tuple[Status, str]:
    """Status and reason for whatever went wrong with one pair, the same everywhere.

    A picture of the data set that cannot be read is the data set's fault, the output's is the
    output's; what lacks weights, a library or a program is not measured.
    """
    if isinstance(error, NoScore):
        return error.status, error.reason
    if isinstance(error, ImageError):
        of_output = error.path in (None, edit.path)
        return Status.UNREADABLE if of_output else Status.DATASET_FAULT, str(error)
    for kind, status in _STATUSES.items():
        if isinstance(error, kind):
            return status, str(error)
    first = (str(error).strip().splitlines() or [""])[0]
    return Status.FAILED, f"{type(error).__name__}: {first}"[:500]


def text_of(sample: Sample, name: str) -> str:
    """The sample's field that a metric compares with. Raises `NoScore` where there is none."""
    text = getattr(sample, name)
    if not isinstance(text, str) or not text.strip():
        raise NoScore(Status.NOT_APPLICABLE, f"the sample has no {name}")
    return text
