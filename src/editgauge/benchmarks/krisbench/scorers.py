"""The scorers of KRIS-Bench, a line each: ``module:function``, called with every option (see
benchmarks.base).
"""

from __future__ import annotations

from editgauge.types import Track

FACTORIES: dict[Track, list[str]] = {
    "pixel": ["editgauge.scoring.pixel:reference"],
    "ocr": [],
    "embedding": [],
    "judge": [],
}
