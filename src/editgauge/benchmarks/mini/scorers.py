"""The scorers of the built-in benchmark, a line each: ``module:function`` (see benchmarks.base)."""

from __future__ import annotations

from editgauge.types import Track

FACTORIES: dict[Track, list[str]] = {
    "pixel": ["editgauge.scoring.pixel:background", "editgauge.scoring.pixel:reference"],
    "ocr": [
        "editgauge.benchmarks.textedit.ocr_scorer:ocr_scorers",
        "editgauge.benchmarks.textedit.ocr_scorer:presence_scorers",
    ],
    "embedding": [
        "editgauge.scoring.neural:lpips",
        "editgauge.benchmarks.textedit.neural:scorers",
        "editgauge.benchmarks.medebench.neural:embedding",
    ],
    "judge": [],
}
