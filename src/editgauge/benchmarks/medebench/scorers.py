"""The scorers of MedEBench, a line each: ``module:function``, called with every option (see
benchmarks.base).
"""

from __future__ import annotations

from editgauge.types import Track

FACTORIES: dict[Track, list[str]] = {
    "pixel": [
        "editgauge.benchmarks.medebench.pixel:scorers",
        "editgauge.benchmarks.medebench.neural:lpips",
    ],
    "ocr": [],
    "embedding": [
        "editgauge.benchmarks.medebench.neural:lpips",
        "editgauge.benchmarks.medebench.neural:embedding",
    ],
    "judge": [],
}
