"""MedEBench: samples from the released files, the scorers that its paper defines, its tables."""

from __future__ import annotations

from editgauge.benchmarks.base import by_track, published
from editgauge.benchmarks.medebench.facts import (
    CLIP_INSTRUCTION,
    EMBEDDING,
    JUDGE,
    LPIPS,
    ORGANS,
    PIXEL,
    SIZE,
    tasks,
)
from editgauge.catalog import Parts
from editgauge.diagnosis.metrics import ATTENTION, CHANGE
from editgauge.scoring.metrics import FID
from editgauge.types import DataSource, FailureReading, Plot

__all__ = ["BENCHMARK", "CLIP_INSTRUCTION", "EMBEDDING", "JUDGE"]


parts = Parts(__name__)
BENCHMARK = published(
    __name__,
    __file__,
    title="MedEBench",
    citation="MedEBench, arXiv 2506.01921",
    about="1,182 medical edits of 13 organs and 70 tasks, each with a reference and the mask of "
    "its region.",
    published_counts={"": SIZE, **tasks()},
    data=DataSource("LIUMinghao/MedEBench", "stated on the data set's page"),
    metrics=(
        *PIXEL,
        LPIPS,
        *EMBEDDING,
        CLIP_INSTRUCTION,
        FID,
        *JUDGE["D"],
        *JUDGE["P"],
        *ATTENTION,
        *CHANGE,
    ),
    scorers=by_track(
        {
            "pixel": [".scorers:PIXELS", ".scorers:lpips"],
            "embedding": [".scorers:lpips", ".scorers:embedding"],
            "diagnosis": ["editgauge.diagnosis.change:scorers"],
        },
        __name__,
    ),
    agreement=parts(".tables:correlations"),
    figures=(
        Plot("bars", "organ", "by organ", ORGANS),
        Plot("counts", "organ", "Samples of each organ", ORGANS),
        Plot("histogram", "clip_instruction", "CLIP similarity of the instruction and the input"),
        Plot("histogram", "mask_ratio", "Share of the picture that the region's mask marks"),
    ),
    reading=FailureReading(
        accuracy="EA", accurate=5.0, preservation="masked_ssim", preserved=0.7, by="task_type"
    ),
    not_in_tables=("clip_instruction",),
    measured=("mask_ratio", "mask_band"),
    measure=parts(".samples:measure"),
)
