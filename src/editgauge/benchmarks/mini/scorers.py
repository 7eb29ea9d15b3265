"""The scorers of the built-in benchmark, a line each: ``module:function`` (see benchmarks.base)."""

from __future__ import annotations

from editgauge.types import Track

FACTORIES: dict[Track, list[str]] = {
    "pixel": ["editgauge.benchmarks.common_pixel:background", "editgauge.benchmarks.common_pixel:reference"],
    "ocr": [],
<<<<<<< HEAD
    "embedding": ["editgauge.benchmarks.textedit.neural:scorers", "editgauge.benchmarks.medebench.neural:embedding"],
=======
    "embedding": ["editgauge.benchmarks.common_neural:embedding"],
>>>>>>> f0f2eba (LPIPS shares the pixel track's area and conditions; mini gets neural metrics; score --weights --device --precision)
    "judge": [],
}
