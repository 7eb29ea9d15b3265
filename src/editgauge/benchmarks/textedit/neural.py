"""TextEdit's CLIPScore and aesthetic score: both rest on one CLIP ViT-L/14 feature of the output as
delivered.
"""

from __future__ import annotations

from typing import Any

from editgauge.scoring.clip import ClipScorer, Measure
from editgauge.scoring.neural import place
from editgauge.types import Metric

CLIP = Metric(
    "CLIP",
    "higher",
    0.0,
    2.5,
    variants=("faithful", "corrected"),
    note="2.5 · max(0, cos(output, gt_caption)), CLIP ViT-L/14 of OpenAI; a caption over 77 tokens "
    "is cut so that the end token stays. Faithful crops as the released clip package does, whose "
    "rounding goes one pixel further on a quarter of the sizes; corrected crops at the middle, as "
    "transformers does.",
)
AES = Metric(
    "AES",
    "higher",
    0.0,
    10.0,
    note="LAION's linear aesthetic head (768 to 1) on the CLIP ViT-L/14 feature scaled to length "
    "1; about 1 to 10.",
)


def scorers(**options: Any) -> list[ClipScorer]:
    """CLIPScore and aesthetics. Options in use: ``weights``, ``cache``, ``device``,
    ``precision``.
    """
    return [
        ClipScorer(
            measures=(
                Measure(CLIP, "clip_score", "caption", as_released=True),
                Measure(AES, "aesthetic"),
            ),
            cache=options.get("cache"),
            **place(options),
        )
    ]
