"""The metrics of the track ``diagnosis``: a map against the region's mask."""

from __future__ import annotations

from editgauge.types import Metric

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
