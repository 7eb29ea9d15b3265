"""KRIS-Bench: samples from the released files, the judge that its paper defines, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editgauge.benchmarks.base import Samples, by_track
from editgauge.benchmarks.krisbench.facts import SAMPLES, SIZE, TASKS, TAXONOMY
from editgauge.benchmarks.krisbench.metrics import AVERAGE, JUDGE
from editgauge.scoring.metrics import REFERENCE
from editgauge.types import Benchmark, DataSource, Plot, Variant

__all__ = ["BENCHMARK", "JUDGE"]


def _load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`, the folder ``KRIS_Bench`` or its parent; there are no splits."""
    from editgauge.benchmarks.krisbench.samples import load

    return load(root, split=split)


def _reference(**options: Any) -> Sequence[Any]:
    from editgauge.scoring.pixel import reference

    return reference(**options)


def _tables(frame: Any, variant: Variant) -> Sequence[Any]:
    from editgauge.benchmarks.krisbench.tables import layouts

    return layouts(frame, variant)


def _judging() -> Any:
    from editgauge.benchmarks.krisbench.judge import JUDGING

    return JUDGING


def _prompts() -> Any:
    from editgauge.benchmarks.krisbench.paper import PROMPTS

    return PROMPTS


def _audits() -> Sequence[Any]:
    from editgauge.benchmarks.krisbench.audit import AUDITS

    return AUDITS


def _importers() -> Sequence[Any]:
    from editgauge.benchmarks.krisbench.imports import read, read_lmms_eval

    return [read, read_lmms_eval]


def _settled(frame: Any) -> Any:
    from editgauge.benchmarks.krisbench.plausibility import settled

    return settled(frame)


BENCHMARK = Benchmark(
    name="krisbench",
    title="KRIS-Bench",
    citation="KRIS-Bench: Benchmarking Next-Level Intelligent Image Editing Models, arXiv "
    "2505.16707",
    about="1,267 edits that need knowledge: 22 tasks in 20 folders, three types of knowledge, "
    "seven dimensions.",
    published_counts={"": SIZE}
    | {
        place: count
        for knowledge, dimensions in TAXONOMY.items()
        for place, count in {
            knowledge: sum(SAMPLES[dimension] for dimension in dimensions),
            **{f"{knowledge}/{dimension}": SAMPLES[dimension] for dimension in dimensions},
        }.items()
    },
    marks=("KRIS_Bench", "*/annotation.json"),
    data=DataSource("Liang0223/KRIS_Bench", "stated on the data set's page"),
    metrics=(*JUDGE, *REFERENCE),
    load=_load,
    scorers=by_track({"pixel": [_reference]}),
    tables=_tables,
    judging=_judging,
    rubrics=Path(__file__).parent / "rubrics",
    prompts=_prompts,
    derived=(AVERAGE,),
    audits=_audits,
    importers=_importers,
    figures=(
        Plot("radar", "dimension", "by knowledge dimension", tuple(SAMPLES)),
        Plot("radar", "task", "by task", TASKS),
        Plot("bars", "task", "by task", TASKS),
        Plot("counts", "task", "Samples of each task", TASKS),
    ),
    not_in_tables=("reference_psnr", "reference_ssim"),
    settled=_settled,
)
