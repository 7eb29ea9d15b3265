"""The built-in benchmark: its samples, splits and metrics."""

from __future__ import annotations

from dataclasses import replace

from editgauge.benchmarks import krisbench, medebench, textedit, texteditbench
from editgauge.scoring.metrics import BACKGROUND, FID, KID, LPIPS, OCR, REFERENCE
from editgauge.types import Benchmark, Metric

SPLITS = ("plain", "textured")
"""Flat grounds and gradients; wood, walls and photographs."""
COUNTS = {
    "": 26, "plain": 13, "textured": 13, "Labels": 2, "Medical": 3, "Objects": 3, "Posters": 4,
    "Prints": 5, "Science": 1, "Screens": 2, "Signs": 6,
}  # fmt: skip
"""Samples in all, per split, and per topic."""

PROTOCOLS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        texteditbench.BENCHMARK,
        textedit.BENCHMARK,
        medebench.BENCHMARK,
        krisbench.BENCHMARK,
    )
}


def _judged() -> dict[str, Metric]:
    found: dict[str, Metric] = {}
    protocols = (
        texteditbench.JUDGE,
        textedit.JUDGE,
        *medebench.JUDGE.values(),
        krisbench.JUDGE,
    )
    for metric in (metric for protocol in protocols for metric in protocol):
        known = found.get(metric.name, metric)
        low, high = min(known.low, metric.low), max(known.high, metric.high)
        found[metric.name] = replace(
            metric, heading="", digits=3, low=low, high=high, failure=low, printed=()
        )
    return found


JUDGE = _judged()
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
    KID,
    *JUDGE.values(),
)
