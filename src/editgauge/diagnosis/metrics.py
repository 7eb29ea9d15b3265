"""The metrics of the track ``diagnosis``: a map against the region's mask, for attention and for
change.
"""

from __future__ import annotations

from editgauge.types import Metric


def _metrics(kind: str, heading: str, note: str) -> tuple[Metric, ...]:
    def metric(name: str, title: str, said: str) -> Metric:
        return Metric(
            f"{kind}_{name}",
            heading=f"{heading} {title}",
            direction="lower" if name in ("chance", "share") else "higher",
            low=0.0,
            high=1.0,
            digits=3,
            note=f"{said} {note}",
        )

    return (
        metric("iou", "IoU", "Overlap of the mask and the region over 1.3 × Otsu's threshold."),
        metric(
            "chance",
            "IoU by chance",
            "Mean IoU of as many pixels drawn at random: what the IoU is to be read against, no "
            "quality of a model.",
        ),
        metric("share", "share", "The region's share of the picture; no quality of a model."),
        metric("pointing", "pointing", "Whether the map's maximum lies in the mask."),
        metric("mass", "mass", "The share of the map's sum that lies in the mask."),
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
