"""MedEBench: samples from the released files, the scorers that its paper defines, and its
tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from editgauge.benchmarks.base import Samples, by_track
from editgauge.benchmarks.medebench.facts import ORGANS, SIZE, TASKS
from editgauge.benchmarks.medebench.metrics import (
    CLIP_INSTRUCTION,
    EMBEDDING,
    JUDGE,
    LPIPS,
    PIXEL,
)
from editgauge.diagnosis.metrics import ATTENTION, CHANGE
from editgauge.scoring.metrics import FID, KID
from editgauge.types import Benchmark, DataSource, FailureReading, Plot, Sample, Variant

__all__ = ["BENCHMARK", "CLIP_INSTRUCTION", "EMBEDDING", "JUDGE", "embedding"]


def _load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`, the folder that holds ``editing/``; there are no splits."""
    from editgauge.benchmarks.medebench.samples import load

    return load(root, split=split)


def _pixel(**options: Any) -> Sequence[Any]:
    from editgauge.benchmarks.medebench.pixel import scorers

    return scorers(**options)


def _lpips(**options: Any) -> Sequence[Any]:
    from editgauge.benchmarks.medebench.neural import lpips

    return lpips(**options)


def embedding(**options: Any) -> Sequence[Any]:
    """CLIP, ImageReward, MedCLIP and FID; options as for `types.MakeScorers`."""
    from editgauge.benchmarks.medebench import neural

    return neural.embedding(**options)


def _change(**options: Any) -> Sequence[Any]:
    from editgauge.diagnosis.change import scorers

    return scorers(**options)


def _tables(frame: Any, variant: Variant) -> Sequence[Any]:
    from editgauge.benchmarks.medebench.tables import layouts

    return layouts(frame, variant)


def _judging() -> Any:
    from editgauge.benchmarks.medebench.judge import JUDGING

    return JUDGING


def _prompts() -> Any:
    from editgauge.benchmarks.medebench.paper import PROMPTS

    return PROMPTS


def _audits() -> Sequence[Any]:
    from editgauge.benchmarks.medebench.audit import AUDITS

    return AUDITS


def _agreement() -> Sequence[Any]:
    from editgauge.benchmarks.medebench.tables import correlations

    return correlations()


def _importers() -> Sequence[Any]:
    from editgauge.benchmarks.medebench.imports import read

    return [read]


def _settled(frame: Any) -> Any:
    from editgauge.benchmarks.medebench.organs import settled

    return settled(frame)


def _measure(sample: Sample) -> Mapping[str, str | int | float | bool]:
    from editgauge.benchmarks.medebench.region import measure

    return measure(sample)


BENCHMARK = Benchmark(
    name="medebench",
    title="MedEBench",
    citation="MedEBench, arXiv 2506.01921",
    about="1,182 medical edits of 13 organs and 70 tasks, each with a reference and the mask of "
    "its region.",
    published_counts={"": SIZE}
    | {f"{organ}/{task}": n for organ, tasks in TASKS.items() for task, n in tasks.items()},
    marks=("editing/editing_metadata.json", "editing_metadata.json"),
    data=DataSource("LIUMinghao/MedEBench", "stated on the data set's page"),
    metrics=(
        *PIXEL,
        LPIPS,
        *EMBEDDING,
        CLIP_INSTRUCTION,
        FID,
        KID,
        *JUDGE["D"],
        *JUDGE["P"],
        *ATTENTION,
        *CHANGE,
    ),
    load=_load,
    scorers=by_track(
        {"pixel": [_pixel, _lpips], "embedding": [_lpips, embedding], "diagnosis": [_change]}
    ),
    tables=_tables,
    judging=_judging,
    rubrics=Path(__file__).parent / "rubrics",
    prompts=_prompts,
    audits=_audits,
    agreement=_agreement,
    importers=_importers,
    figures=(
        Plot("bars", "organ", "by organ", ORGANS),
        Plot("counts", "organ", "Samples of each organ", ORGANS),
        Plot("histogram", "clip_instruction", "CLIP similarity of the instruction and the input"),
        Plot("histogram", "mask_ratio", "Share of the picture that the region's mask marks"),
    ),
    reading=FailureReading(
        accuracy="EA", accurate=5.0, preservation="masked_ssim", preserved=0.7, by="task_type"
    ),
    not_in_tables=("kid", "clip_instruction"),
    measured=("mask_ratio", "mask_band"),
    measure=_measure,
    settled=_settled,
)
