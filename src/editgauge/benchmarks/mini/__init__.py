"""mini: the built-in benchmark that comes with the package, to try the tool, not for results."""

from __future__ import annotations

from pathlib import Path

from editgauge.benchmarks.base import by_track
from editgauge.benchmarks.mini.facts import COUNTS, METRICS, PROTOCOLS
from editgauge.catalog import Parts
from editgauge.types import Benchmark, Plot

parts = Parts(__name__)
BENCHMARK = Benchmark(
    name="mini",
    title="mini (built in: for trying the tool, not for comparing models)",
    citation="none: 26 pictures drawn by editgauge itself; no result on them says anything about a "
    "model",
    about="26 drawn samples, shaped like those of the four benchmarks, so that every track has "
    "something to do.",
    published_counts=COUNTS,
    metrics=METRICS,
    load=parts(".samples:load"),
    scorers=by_track(
        {
            "pixel": [
                "editgauge.scoring.pixel:OUTSIDE_MASKS",
                "editgauge.scoring.pixel:TO_REFERENCE",
            ],
            "ocr": ["editgauge.scoring.ocr.scorers:ocr_scorers"],
            "embedding": [
                "editgauge.scoring.lpips:lpips",
                "editgauge.benchmarks.textedit.scorers:embedding",
                "editgauge.benchmarks.medebench.scorers:embedding",
            ],
        }
    ),
    tables=parts(".tables:tables"),
    judging=parts.constant(".judge:JUDGING"),
    rubrics={
        name: protocol.rubrics
        for name, protocol in PROTOCOLS.items()
        if isinstance(protocol.rubrics, Path)
    },
    figures=(
        Plot("radar", "operation", "by operation"),
        Plot("curve", "difficulty", "by difficulty"),
    ),
)
