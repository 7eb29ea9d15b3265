"""The metrics of the track ``diagnosis``: a map against the region's mask, for attention and for
change.
"""

from __future__ import annotations

import math

from editgauge.types import Metric

_WHERE = {
    "attention": (
        "Attention",
        "Cross-attention to the last token of the key concept, mean over steps, heads and layers "
        "(arXiv 2506.01921, section 4; the details are ours).",
    ),
    "change": (
        "Change",
        "Where the output differs from the input. Ours; needs no access to the model.",
    ),
}


def _metrics(kind: str) -> tuple[Metric, ...]:
    heading, note = _WHERE[kind]

    def metric(name: str, title: str, high: float, said: str, *, lower: bool = False) -> Metric:
        return Metric(
            f"{kind}_{name}",
            heading=f"{heading} {title}",
            direction="lower" if lower else "higher",
            low=0.0,
            high=high,
            digits=3,
            note=f"{said} {note}",
        )

    return (
        metric("iou", "IoU", 1.0, "Overlap of the region over 1.3 × Otsu's threshold and the mask."),
        metric(
            "chance",
            "IoU by chance",
            1.0,
            "Mean IoU of as many pixels drawn at random: what the IoU is to be read against, and "
            "no quality of a model.",
            lower=True,
        ),
        metric("pointing", "pointing", 1.0, "Whether the map's maximum lies in the mask."),
        metric("mass", "mass", 1.0, "The share of the map's sum that lies in the mask."),
        metric("lift", "lift", math.inf, "That share over the mask's share of the picture; 1 is chance."),
        metric("auc", "AUC", 1.0, "How well the map's values part the mask from the rest; 0.5 is chance."),
    )  # fmt: skip


ATTENTION = _metrics("attention")
CHANGE = _metrics("change")
