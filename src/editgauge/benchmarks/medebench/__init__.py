"""MedEBench: samples from the released files, and the scorers that its paper defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editgauge.benchmarks.base import Samples, make_scorers
from editgauge.types import DataSource, Sample, Scorer, Track

if TYPE_CHECKING:
    from editgauge.tables.frame import Frame

_DATA = DataSource("LIUMinghao/MedEBench", "stated on the data set's page")


@dataclass(frozen=True, slots=True)
class MedEBench:
    """1,182 medical edits of 13 organs and 70 tasks, each with a reference and the mask of its
    region.
    """

    name: str = "medebench"
    title: str = "MedEBench"
    citation: str = "MedEBench, arXiv 2506.01921"
    published_counts: Mapping[str, int] = field(default_factory=lambda: {"": 1182})
    marks: tuple[str, ...] = ("editing/editing_metadata.json", "editing_metadata.json")
    data: DataSource = _DATA
    measured: tuple[str, ...] = ("mask_ratio", "mask_band")

    def load(self, root: Path | None, *, split: str | None = None) -> Samples:
        """The samples below `root`, the folder that holds ``editing/``; there are no splits."""
        from editgauge.benchmarks.medebench.samples import load

        return load(root, split=split)

    def settled(self, frame: Frame) -> Frame:
        """Samples of earlier versions as this one names them: see `organs.settled`."""
        from editgauge.benchmarks.medebench.organs import settled

        return settled(frame)

    def measure(self, sample: Sample) -> Mapping[str, str | float]:
        """What a look at the sample's mask tells: see `region.measure`."""
        from editgauge.benchmarks.medebench.region import measure

        return measure(sample)

    def scorers(self, tracks: Sequence[Track], **options: Any) -> list[Scorer]:
        from editgauge.benchmarks.medebench.scorers import FACTORIES

        return make_scorers(FACTORIES, tracks, **options)


BENCHMARK = MedEBench()
