"""KRIS-Bench: samples from the released files, and the scorers that its paper defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editgauge.benchmarks.base import Samples, make_scorers
from editgauge.types import DataSource, Scorer, Track

if TYPE_CHECKING:
    from editgauge.tables.frame import Frame

_DATA = DataSource("Liang0223/KRIS_Bench", "stated on the data set's page")


@dataclass(frozen=True, slots=True)
class KrisBench:
    """1,267 edits that need knowledge: 22 tasks in 20 folders, three types of knowledge, seven
    dimensions.
    """

    name: str = "krisbench"
    title: str = "KRIS-Bench"
    citation: str = (
        "KRIS-Bench: Benchmarking Next-Level Intelligent Image Editing Models, arXiv 2505.16707"
    )
    published_counts: Mapping[str, int] = field(
        default_factory=lambda: {
            "": 1267,
            "Factual": 449,
            "Factual/Attribute Perception": 275,
            "Factual/Spatial Perception": 100,
            "Factual/Temporal Prediction": 74,
            "Conceptual": 518,
            "Conceptual/Social Science": 125,
            "Conceptual/Natural Science": 393,
            "Procedural": 300,
            "Procedural/Logical Reasoning": 150,
            "Procedural/Instruction Decomposition": 150,
        }
    )
    marks: tuple[str, ...] = ("KRIS_Bench", "*/annotation.json")
    data: DataSource = _DATA

    def load(self, root: Path | None, *, split: str | None = None) -> Samples:
        """The samples below `root`, the folder ``KRIS_Bench`` or its parent; there are no
        splits.
        """
        from editgauge.benchmarks.krisbench.samples import load

        return load(root, split=split)

    def settled(self, frame: Frame) -> Frame:
        """Rows of earlier versions as this one reads them: see `plausibility.settled`."""
        from editgauge.benchmarks.krisbench.plausibility import settled

        return settled(frame)

    def scorers(self, tracks: Sequence[Track], **options: Any) -> list[Scorer]:
        from editgauge.benchmarks.krisbench.scorers import FACTORIES

        return make_scorers(FACTORIES, tracks, **options)


BENCHMARK = KrisBench()
