"""The scorers of TextEditBench, a line each: ``module:function``, called with every option (see
benchmarks.base).
"""

from __future__ import annotations

from editgauge.types import Track

FACTORIES: dict[Track, list[str]] = {
    "pixel": [
        "editgauge.benchmarks.texteditbench.pixel:scorers",
        "editgauge.benchmarks.texteditbench.neural:scorers",
    ],
    "ocr": [
        "editgauge.benchmarks.textedit.ocr_scorer:ocr_scorers",
        "editgauge.benchmarks.textedit.ocr_scorer:presence_scorers",
    ],
    "embedding": ["editgauge.benchmarks.texteditbench.neural:scorers"],
    "judge": [],
}
