"""TextEditBench: samples from the released files, the scorers that its paper defines, its tables."""

from __future__ import annotations

from editgauge.benchmarks.base import by_track, published
from editgauge.benchmarks.texteditbench.facts import (
    JUDGE,
    LPIPS,
    OVERALL,
    PIXEL,
    REFERENCE_LPIPS,
    REFERENCE_PIXEL,
    SIZE,
    SIZES,
)
from editgauge.catalog import Parts
from editgauge.scoring.metrics import OCR
from editgauge.types import DataSource, Plot

__all__ = ["BENCHMARK", "JUDGE"]


parts = Parts(__name__)
BENCHMARK = published(
    __name__,
    __file__,
    title="TextEditBench",
    citation="TextEditBench: Evaluating Reasoning-aware Text Editing Beyond Rendering, arXiv "
    "2512.16270",
    about="1,196 text edits: 691 synthetic ones with a reference, 505 photographs without.",
    published_counts={"": SIZE, **SIZES},
    data=DataSource("MATH-finding/TextEditBench", "stated on the data set's page"),
    metrics=(*PIXEL, LPIPS, *REFERENCE_PIXEL, REFERENCE_LPIPS, *OCR, *JUDGE),
    scorers=by_track(
        {
            "pixel": [".scorers:AGAINST_INPUT", ".scorers:AGAINST_REFERENCE", ".scorers:lpips"],
            "ocr": ["editgauge.scoring.ocr.scorers:ocr_scorers"],
            "embedding": [".scorers:lpips"],
        },
        __name__,
    ),
    derived=(OVERALL,),
    audits=parts.constant("..audits:TEXTEDITBENCH"),
    figures=(
        Plot("radar", "operation", "by operation", each="split"),
        Plot("curve", "difficulty_total", "by difficulty score"),
        Plot("counts", "topic", "Samples of each topic and split", each="split"),
        Plot("counts", "operation", "Samples of each operation and split", each="split"),
    ),
    not_in_tables=tuple(metric.name for metric in OCR),
    measured=("reference_outside",),
    measure=parts(".scorers:measure"),
)
