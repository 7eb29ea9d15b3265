"""A map and a mask as the scores of the track ``diagnosis``."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np

from editgauge.metrics.grounding import Floats, Grounding, normalised
from editgauge.types import Metric, Score, Status

VERSION = 1
"""Part of the origin of every row of the track: raised when a change here changes a value."""
MAP_SIDE = 64
"""The longer side of the map that a row keeps for drawing."""
_NOT_DEFINED = {
    "pointing": "the map is the same everywhere: it has no maximum",
    "mass": "the map is zero everywhere",
}


def scores(metrics: Sequence[Metric], found: Grounding, detail: Mapping[str, Any]) -> list[Score]:
    """A score for each metric of a kind (``<kind>_iou``…); `detail` goes with the first."""
    listed: list[Score] = []
    for metric in metrics:
        name = metric.name.partition("_")[2]
        value = getattr(found, name)
        listed.append(
            Score(
                metric=metric.name,
                value=None if value is None else float(value),
                status=Status.SCORED if value is not None else Status.NOT_APPLICABLE,
                reason="" if value is not None else _NOT_DEFINED[name],
                detail={} if listed else dict(detail),
            )
        )
    return listed


def facts(found: Grounding) -> dict[str, Any]:
    """What a row's detail says beside its number: the cut, and the mask's share."""
    return {"threshold": round(found.threshold, 6), "mask_share": round(found.area, 6)}


def kept_map(values: Floats, scale: float | None = None) -> dict[str, Any]:
    """A map for a row's detail: its shape and its levels of 0 to 255 in base64, at most `MAP_SIDE`
    cells a side. 255 stands for `scale`, by default after min–max normalisation for 1.
    """
    shown = normalised(values) if scale is None else np.clip(values / scale, 0.0, 1.0)
    share = MAP_SIDE / max(shown.shape)
    if share < 1:
        size = [max(1, round(side * share)) for side in shown.shape]
        shown = cv2.resize(shown, (size[1], size[0]), interpolation=cv2.INTER_AREA)
    levels = np.rint(shown * 255).astype(np.uint8)
    text = base64.b64encode(levels.tobytes()).decode("ascii")
    return {"height": levels.shape[0], "width": levels.shape[1], "levels": text}
