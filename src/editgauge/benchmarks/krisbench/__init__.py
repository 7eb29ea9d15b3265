"""KRIS-Bench: samples from the released files, the judge that its paper defines, and its tables."""

from __future__ import annotations

from editgauge.benchmarks.base import by_track, published
from editgauge.benchmarks.krisbench.facts import AVERAGE, JUDGE, SAMPLES, SIZE, TASKS, TAXONOMY
from editgauge.catalog import Parts
from editgauge.scoring.metrics import REFERENCE
from editgauge.types import DataSource, Plot

__all__ = ["BENCHMARK", "JUDGE"]


parts = Parts(__name__)
BENCHMARK = published(
    __name__,
    __file__,
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
    data=DataSource("Liang0223/KRIS_Bench", "stated on the data set's page"),
    metrics=(*JUDGE, *REFERENCE),
    scorers=by_track({"pixel": ["editgauge.scoring.pixel:TO_REFERENCE"]}),
    derived=(AVERAGE,),
    audits=parts.constant("..audits:KRISBENCH"),
    figures=(
        Plot("radar", "dimension", "by knowledge dimension", tuple(SAMPLES)),
        Plot("radar", "task", "by task", TASKS),
        Plot("bars", "task", "by task", TASKS),
        Plot("counts", "category1", "Samples of each type of knowledge", tuple(TAXONOMY)),
        Plot("counts", "dimension", "Samples of each dimension", tuple(SAMPLES)),
        Plot("counts", "task", "Samples of each task", TASKS),
    ),
    not_in_tables=("reference_psnr", "reference_ssim"),
)
