"""The built-in benchmark: its samples, splits and metrics."""

from __future__ import annotations

from dataclasses import replace

from editgauge.benchmarks import krisbench, medebench, textedit, texteditbench
from editgauge.scoring.metrics import BACKGROUND, FID, LPIPS, OCR, REFERENCE
from editgauge.types import Benchmark, Metric

SPLITS = ("plain", "textured")
"""Flat grounds and gradients; wood, walls and photographs."""
COUNTS = {
    "": 26, "plain": 13, "textured": 13, "Labels": 2, "Medical": 3, "Objects": 3, "Posters": 4,
    "Prints": 5, "Science": 1, "Screens": 2, "Signs": 6,
}  # fmt: skip
"""Samples in all, per split, and per topic."""
PROTOCOLS: dict[str, Benchmark] = {
    module.BENCHMARK.name: module.BENCHMARK
    for module in (texteditbench, textedit, medebench, krisbench)
}
JUDGE: dict[str, Metric] = {}
"""The four protocols' judged metrics; one name has the widest scale that it has in any of them."""
for metric in (
    *texteditbench.JUDGE,
    *textedit.JUDGE,
    *medebench.JUDGE["D"],
    *medebench.JUDGE["P"],
    *krisbench.JUDGE,
):
    known = JUDGE.get(metric.name, metric)
    low, high = min(known.low, metric.low), max(known.high, metric.high)
    wide = {"low": low, "high": high, "failure": low, "printed": (), "heading": "", "digits": 3}
    JUDGE[metric.name] = replace(metric, **wide)  # type: ignore[arg-type]
METRICS: tuple[Metric, ...] = (
    *BACKGROUND,
    *REFERENCE,
    *OCR,
    LPIPS,
    textedit.CLIP,
    textedit.AES,
    *medebench.EMBEDDING,
    medebench.CLIP_INSTRUCTION,
    FID,
    *JUDGE.values(),
)
