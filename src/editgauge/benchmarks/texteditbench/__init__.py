"""TextEditBench: samples from the released files, the scorers that its paper defines, and its
tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from editgauge.benchmarks import textedit
from editgauge.benchmarks.base import Samples, by_track
from editgauge.benchmarks.texteditbench.facts import SIZE, SIZES
from editgauge.benchmarks.texteditbench.metrics import (
    ALL_FULL,
    JUDGE,
    LPIPS,
    OVERALL,
    PIXEL,
    REFERENCE_LPIPS,
    REFERENCE_PIXEL,
)
from editgauge.types import Benchmark, DataSource, Plot, Sample, Variant

__all__ = ["BENCHMARK", "JUDGE"]


def _load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`; `split` is ``synthetic`` or ``real`` (or a folder name of one of
    them).
    """
    from editgauge.benchmarks.texteditbench.samples import load

    return load(root, split=split)


def _pixel(**options: Any) -> Sequence[Any]:
    from editgauge.benchmarks.texteditbench.pixel import scorers

    return scorers(**options)


def _lpips(**options: Any) -> Sequence[Any]:
    from editgauge.benchmarks.texteditbench.neural import scorers

    return scorers(**options)


def _tables(frame: Any, variant: Variant) -> Sequence[Any]:
    from editgauge.benchmarks.texteditbench.tables import layouts

    return layouts(frame, variant)


def _judging() -> Any:
    from editgauge.benchmarks.texteditbench.judge import JUDGING

    return JUDGING


def _prompts() -> Any:
    from editgauge.benchmarks.texteditbench.paper import PROMPTS

    return PROMPTS


def _audits() -> Sequence[Any]:
    from editgauge.benchmarks.texteditbench.audit import AUDITS

    return AUDITS


def _measurements() -> Sequence[Any]:
    from editgauge.benchmarks.texteditbench.measured import READERS

    return READERS


def _importers() -> Sequence[Any]:
    from editgauge.benchmarks.texteditbench.imports import read

    return [read]


def _settled(frame: Any) -> Any:
    from editgauge.benchmarks.texteditbench.words import settled

    return settled(frame)


def _measure(sample: Sample) -> Mapping[str, str | int | float | bool]:
    from editgauge.benchmarks.texteditbench.references import measure

    return measure(sample)


BENCHMARK = Benchmark(
    name="texteditbench",
    title="TextEditBench",
    citation="TextEditBench: Evaluating Reasoning-aware Text Editing Beyond Rendering, arXiv "
    "2512.16270",
    about="1,196 text edits: 691 synthetic ones with a reference, 505 photographs without.",
    published_counts={"": SIZE, **SIZES},
    marks=("data_manual_production", "data_web-sourced_instances", "canva"),
    data=DataSource("MATH-finding/TextEditBench", "stated on the data set's page"),
    metrics=(
        *PIXEL,
        LPIPS,
        *REFERENCE_PIXEL,
        REFERENCE_LPIPS,
        *textedit.OCR,
        *textedit.PRESENCE,
        *JUDGE,
    ),
    load=_load,
    scorers=by_track(
        {
            "pixel": [_pixel, _lpips],
            "ocr": [textedit.reading, textedit.text_presence],
            "embedding": [_lpips],
        }
    ),
    tables=_tables,
    judging=_judging,
    rubrics=Path(__file__).parent / "rubrics",
    prompts=_prompts,
    derived=(OVERALL, ALL_FULL),
    audits=_audits,
    importers=_importers,
    measurements=_measurements,
    figures=(
        Plot("radar", "operation", "by operation", each="split"),
        Plot("curve", "difficulty_total", "by difficulty score"),
        Plot("counts", "operation", "Samples of each operation and split", each="split"),
    ),
    not_in_tables=(*(metric.name for metric in (*textedit.OCR, *textedit.PRESENCE)), "all_full"),
    measured=("reference_outside",),
    measure=_measure,
    settled=_settled,
)
