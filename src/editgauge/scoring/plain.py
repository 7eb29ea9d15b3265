"""A scorer out of a pure function on arrays: the shortest way to a metric of one's own.

::

    @metric("brightness_error", direction="lower", low=0, high=255)
    def brightness_error(original, edited):
        return abs(float(original.mean()) - float(edited.mean()))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from editgauge.scoring import NoScore
from editgauge.scoring.pixel import fitted, read_output, reference_of, source_of
from editgauge.scoring.scorer import Scorer
from editgauge.types import Direction, Edit, Metric, Sample, Score, Status, Track

Against = Literal["input", "reference"]
Function = Callable[..., float]
"""Two pictures of one shape (H, W, 3), uint8, RGB, and with ``masks=True`` a mask (H, W), bool,
True = may change; to a number.
"""


class PlainScorer(Scorer):
    """A scorer that calls a function on the pictures of a sample and its edit; see
    `metric`.

    It is pickled by the name of the function, which must be a name of its module.
    """

    def __init__(
        self,
        function: Function,
        metric: Metric,
        *,
        against: Against,
        masks: bool,
        track: Track,
        version: str,
    ) -> None:
        self.function = function
        self.name = metric.name
        self.track: Track = track
        self.metrics: tuple[Metric, ...] = (metric,)
        self.against, self.masks, self.version = against, masks, version
        place = "images" if against == "input" else "reference"
        self.inputs: tuple[str, ...] = (place, "masks") if masks else (place,)
        self.__module__ = function.__module__
        self.__qualname__ = function.__qualname__
        self.__doc__ = function.__doc__

    def __reduce__(self) -> str:
        return self.__qualname__

    def origin(self) -> Mapping[str, Any]:
        return {"function": f"{self.__module__}.{self.__qualname__}", "version": self.version}

    def applies(self, sample: Sample) -> str | None:
        if self.masks and not sample.masks:
            return "the sample has no mask"
        if self.against == "reference" and sample.reference is None:
            return "the sample has no reference"
        return None

    def score(self, sample: Sample, edit: Edit) -> Sequence[Score]:
        (metric,) = self.metrics
        value, detail = self._value(sample, edit)
        if value == math.inf and metric.high == math.inf:
            return [Score.infinite(metric.name, detail=detail)]
        if metric.low <= value <= metric.high:
            return [Score(metric=metric.name, value=value, detail=detail)]
        wanted = f"which is not in {metric.low:g} to {metric.high:g}"  # NaN, too
        raise NoScore(Status.FAILED, f"the function gives {value:g}, {wanted}")

    def _value(self, sample: Sample, edit: Edit) -> tuple[float, Mapping[str, Any]]:
        source = source_of(sample) if self.masks or self.against == "input" else None
        wanted = source.picture if source and self.against == "input" else reference_of(sample)
        output, _ = read_output(edit)
        same, detail = fitted(output, wanted)
        if source is None or not self.masks:
            return float(self.function(wanted, same)), detail
        source.need_every_mask()
        return float(self.function(wanted, same, source.area(wanted.shape))), detail


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
    """Make a scorer of a pure function on arrays.

    The function is given the sample's input (or, with ``against="reference"``, its reference) and
    the output: arrays of one shape (H, W, 3), uint8, RGB; an output of another size is resized to
    it first (Lanczos), and the row says so. With `masks` it is also given the union of the sample's
    masks: shape (H, W), bool, True = may change. It returns a finite number in `low` to `high`
    (+infinity where `high` is infinite); anything else is a row without a score. A sample without
    the mask or the reference is not applicable. The other arguments are those of `types.Metric`;
    raise `version` when the function changes, and its rows are made anew.

    The function must be at the top level of its module. The result is registered under the entry
    point group ``editgauge.scorers``.
    """
    described = Metric(
        name,
        direction=direction,
        low=low,
        high=high,
        heading=heading,
        digits=digits,
        unit=unit,
        failure=failure,
        note=note,
    )

    def make(function: Function) -> PlainScorer:
        return PlainScorer(
            function, described, against=against, masks=masks, track=track, version=version
        )

    return make
