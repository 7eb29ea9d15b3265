"""The metrics of the track ``diagnosis``: a map against the region's mask, and their scores."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from editgauge.metrics import Floats
from editgauge.metrics.grounding import Grounding, normalised
from editgauge.types import JsonObject, Metric, Score

VERSION = 1
"""Part of the origin of every row of the track: raised when a change here changes a value."""
MAP_SIDE = 64
"""The longer side of the map that a row keeps for drawing."""

_SAID = {
    "iou": ("IoU", "Overlap of the mask and the region over 1.3 × Otsu's threshold."),
    "chance": (
        "IoU by chance",
        "Mean IoU of as many pixels drawn at random: no quality of a model, the IoU's measure.",
    ),
    "share": ("share", "The region's share of the picture; no quality of a model."),
}


def _metrics(kind: str, heading: str, note: str) -> tuple[Metric, ...]:
    return tuple(
        Metric(
            f"{kind}_{name}",
            heading=f"{heading} {title}",
            direction="higher" if name == "iou" else "lower",
            low=0.0,
            high=1.0,
            digits=3,
            note=f"{meaning} {note}",
        )
        for name, (title, meaning) in _SAID.items()
    )


ATTENTION = _metrics(
    "attention",
    "Attention",
    "Attention to the last token of the key concept, mean over steps, heads and layers (arXiv "
    "2506.01921, section 4; the details are ours).",
)
CHANGE = _metrics(
    "change",
    "Change",
    "Where the output differs from the input; from pixels, of every editor. Ours.",
)


def scores(
    metrics: Sequence[Metric], found: Grounding, values: Floats, scale: float | None = None,
    /, **detail: Any,
) -> list[Score]:  # fmt: skip
    """A score for each metric of a kind (``<kind>_iou``…). The first one's detail has the cut, the
    mask's share and the map (see `kept_map`) beside what is given.
    """
    kept = {
        "threshold": round(found.threshold, 6),
        "mask_share": round(found.area, 6),
        "map": kept_map(values, scale),
        **detail,
    }
    return [
        Score(
            metric=metric.name,
            value=float(getattr(found, metric.name.partition("_")[2])),
            detail={} if number else kept,
        )
        for number, metric in enumerate(metrics)
    ]


def kept_map(values: Floats, scale: float | None = None) -> JsonObject:
    """A map for a row's detail: its shape and its levels of 0 to 255 in base64, at most `MAP_SIDE`
    cells a side. 255 stands for `scale`, by default after min–max normalisation for 1.
    """
    shown = normalised(values) if scale is None else np.clip(values / scale, 0.0, 1.0)
    share = MAP_SIDE / max(shown.shape)
    if share < 1:
        import cv2

        size = [max(1, round(side * share)) for side in shown.shape]
        shown = cv2.resize(shown, (size[1], size[0]), interpolation=cv2.INTER_AREA)
    levels = np.rint(shown * 255).astype(np.uint8)
    text = base64.b64encode(levels.tobytes()).decode("ascii")
    return {"height": levels.shape[0], "width": levels.shape[1], "levels": text}
