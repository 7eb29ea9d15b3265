"""TextEditBench: samples from the released files, and the scorers that its paper defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editgauge.benchmarks.base import Samples, make_scorers
from editgauge.types import DataSource, Sample, Scorer, Track

if TYPE_CHECKING:
    from editgauge.tables.frame import Frame

_DATA = DataSource("MATH-finding/TextEditBench", "stated on the data set's page")


@dataclass(frozen=True, slots=True)
class TextEditBench:
    """1,196 text edits: 691 synthetic ones with a reference, 505 photographs without."""

    name: str = "texteditbench"
    title: str = "TextEditBench"
    citation: str = (
        "TextEditBench: Evaluating Reasoning-aware Text Editing Beyond Rendering, arXiv 2512.16270"
    )
    published_counts: Mapping[str, int] = field(
        default_factory=lambda: {"": 1196, "synthetic": 691, "real": 505}
    )
    marks: tuple[str, ...] = ("data_manual_production", "data_web-sourced_instances", "canva")
    data: DataSource = _DATA
    measured: tuple[str, ...] = ("reference_outside",)

    def load(self, root: Path | None, *, split: str | None = None) -> Samples:
        """The samples below `root`; `split` is ``synthetic`` or ``real`` (or a folder name of one
        of them).
        """
        from editgauge.benchmarks.texteditbench.samples import load

        return load(root, split=split)

    def measure(self, sample: Sample) -> Mapping[str, bool]:
        """What a look at the sample's pictures tells: see `references.measure`."""
        from editgauge.benchmarks.texteditbench.references import measure

        return measure(sample)

    def settled(self, frame: Frame) -> Frame:
        """Samples of earlier versions as this one names them: see `words.settled`."""
        from editgauge.benchmarks.texteditbench.words import settled

        return settled(frame)

    def scorers(self, tracks: Sequence[Track], **options: Any) -> list[Scorer]:
        from editgauge.benchmarks.texteditbench.scorers import FACTORIES

        return make_scorers(FACTORIES, tracks, **options)


BENCHMARK = TextEditBench()
