"""A scorer out of a pure function on arrays: the shortest way to a metric of one's own.

::

    @metric("brightness_error", direction="lower", low=0, high=255)
    def brightness_error(original, edited):
        return abs(float(original.mean()) - float(edited.mean()))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from editgauge.errors import UsageError
from editgauge.scoring import NoScore
from editgauge.scoring.pixel import fitted, read_output, reference_of, size_of, source_of
from editgauge.scoring.scorer import Scorer
from editgauge.types import Direction, Edit, JsonMapping, Metric, Sample, Score, Status, Track

Against = Literal["input", "reference"]
Function = Callable[..., float]
"""Two pictures of one shape (H, W, 3), uint8, RGB, and with ``masks=True`` a mask (H, W), bool,
True = may change; to a number.
"""


@dataclass(eq=False)
class PlainScorer(Scorer):
    """A scorer that calls a function on the pictures of a sample and its edit; see `metric`. It is
    pickled by the name of the function, which must be a name of its module.
    """

    function: Function
    metrics: tuple[Metric, ...]
    against: Against
    track: Track
    version: str
    inputs: tuple[str, ...]

    def __post_init__(self) -> None:
        self.name = self.metrics[0].name
        self.wants = tuple(one for one in self.inputs if one != "images")
        for name in ("__module__", "__qualname__", "__doc__"):
            setattr(self, name, getattr(self.function, name))

    def __reduce__(self) -> str:
        return self.function.__qualname__

    def origin(self) -> JsonMapping:
        name = f"{self.function.__module__}.{self.function.__qualname__}"
        return {"function": name, "version": self.version}

    def score(self, sample: Sample, edit: Edit) -> Sequence[Score]:
        (metric,) = self.metrics
        value, detail = self._value(sample, edit)
        if value == math.inf and metric.high == math.inf:
            return [Score.infinite(metric.name, **detail)]
        if metric.low <= value <= metric.high:
            return [Score(metric=metric.name, value=value, detail=detail)]
        wanted = f"which is not in {metric.low:g} to {metric.high:g}"  # NaN, too
        raise NoScore(Status.FAILED, f"the function gives {value:g}, {wanted}")

    def _value(self, sample: Sample, edit: Edit) -> tuple[float, JsonMapping]:
        of_input = self.against == "input"
        picture = source_of(sample).picture if of_input else reference_of(sample)
        same, detail = fitted(read_output(edit)[0], size_of(picture))
        if "masks" not in self.wants:
            return float(self.function(picture, same)), detail
        source = source_of(sample)
        source.need_every_mask()
        return float(self.function(picture, same, source.area(picture.shape))), detail


def metric(
    name: str,
    *,
    direction: Direction,
    low: float,
    high: float,
    masks: bool = False,
    against: Against = "input",
    heading: str = "",
    digits: int = 3,
    unit: str = "",
    failure: float | None = None,
    note: str = "",
    track: Track = "pixel",
    version: str = "1",
) -> Callable[[Function], PlainScorer]:
    """Make a scorer of a pure function on arrays, at the top level of its module.

    The function is given the sample's input (or, with ``against="reference"``, its reference) and
    the output: arrays of one shape (H, W, 3), uint8, RGB; an output of another size is resized to
    it first (Lanczos), and the row says so. With `masks` it is also given the union of the sample's
    masks: shape (H, W), bool, True = may change. It returns a finite number in `low` to `high`
    (+infinity where `high` is infinite); anything else is a row without a score. A sample without
    the mask or the reference is not applicable. The other arguments are those of `types.Metric`;
    raise `version` when the function changes, and its rows are made anew. The result is registered
    under the entry point group ``editgauge.scorers``.
    """
    if direction not in ("higher", "lower"):
        raise UsageError(f"{direction!r}: wanted 'higher' or 'lower'", argument="direction")
    if not low < high:
        raise UsageError(f"{low:g}: wanted less than high, {high:g}", argument="low")
    described = Metric(
        name, direction=direction, low=low, high=high, heading=heading, digits=digits, unit=unit,
        failure=failure, note=note,
    )  # fmt: skip
    inputs = ("images" if against == "input" else "reference", *["masks"] * masks)

    def make(function: Function) -> PlainScorer:
        return PlainScorer(function, (described,), against, track, version, inputs)

    return make
