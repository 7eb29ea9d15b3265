"""The scale and the name under which a metric is shown: the same in tables, figures, grids and the
report. Both follow from the metric's declaration alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from editgauge.types import Metric


def on_scale(metric: Metric, values: Any) -> Any:
    """Stored values, of any shape, NaN = none, on the scale on which the metric is printed
    (`Metric.printed`). Beyond the ends of a scale of two pairs the line goes on; a scale of more is
    held at its ends.
    """
    pairs = metric.printed
    if not pairs:
        return values
    values = np.asarray(values, np.float64)
    if len(pairs) > 2:
        stored, printed = zip(*pairs, strict=True)
        return np.where(np.isnan(values), np.nan, np.interp(values, stored, printed))
    (low, shown_low), (high, shown_high) = pairs
    stored_span, shown_span = high - low, shown_high - shown_low
    if shown_span >= stored_span:  # by the larger through the smaller: 7 on a scale of 10 is 0.7
        return (values - low) * (shown_span / stored_span) + shown_low
    return (values - low) / (stored_span / shown_span) + shown_low


def bounded(metric: Metric) -> bool:
    """Whether a value says by itself how good it is: a share, a percentage, a judge's score."""
    ends = (float(on_scale(metric, metric.low)), float(on_scale(metric, metric.high)))
    return all(math.isfinite(end) and abs(end) <= 100 for end in ends)


def titles(metrics: Mapping[str, Metric]) -> dict[str, str]:
    """What each metric of a benchmark is called: its heading; where an earlier one has the same,
    with its name behind it.
    """
    found: dict[str, str] = {}
    for name, metric in metrics.items():
        taken = metric.title in found.values()
        found[name] = f"{metric.title} ({name})" if taken else metric.title
    return found
