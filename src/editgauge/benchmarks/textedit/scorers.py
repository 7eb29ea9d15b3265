"""TextEdit's CLIPScore and aesthetic score, on one CLIP ViT-L/14 feature of the output as it is."""

from __future__ import annotations

from typing import Any

from editgauge.benchmarks.textedit.facts import AES, CLIP
from editgauge.scoring.neural import ClipScorer, Measure, place


def embedding(**options: Any) -> ClipScorer:
    """CLIPScore and aesthetics. Options: ``weights``, ``cache``, ``device``."""
    measures = (Measure(CLIP, "clip_score", "caption", as_released=True), Measure(AES, "aesthetic"))
    return ClipScorer(measures=measures, **place(options))
