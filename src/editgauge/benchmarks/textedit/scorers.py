"""The scorers of TextEdit, a line each: ``module:function``, called with every option (see
benchmarks.base).
"""

from __future__ import annotations

from editgauge.types import Track

FACTORIES: dict[Track, list[str]] = {
    "pixel": ["editgauge.scoring.pixel:reference"],
    "ocr": ["editgauge.benchmarks.textedit.ocr_scorer:ocr_scorers"],
    "embedding": ["editgauge.benchmarks.textedit.neural:scorers"],
    "judge": [],
}
