"""TextEditBench: samples from the released files, and the scorers that its paper defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.benchmarks.base import Samples, make_scorers
from editgauge.types import DataSource, Scorer, Track

_DATA = DataSource("MATH-finding/TextEditBench", "stated on the data set's page")


@dataclass(frozen=True, slots=True)
class TextEditBench:
    """1,197 text edits: 691 synthetic ones with a reference, 506 photographs without."""

    name: str = "texteditbench"
    title: str = "TextEditBench"
    citation: str = (
        "TextEditBench: Evaluating Reasoning-aware Text Editing Beyond Rendering, arXiv 2512.16270"
    )
    published_counts: Mapping[str, int] = field(
        default_factory=lambda: {"": 1197, "synthetic": 691, "real": 506}
    )
    marks: tuple[str, ...] = ("data_manual_production", "data_web-sourced_instances", "canva")
    data: DataSource = _DATA

    def load(self, root: Path | None, *, split: str | None = None) -> Samples:
        """The samples below `root`; `split` is ``synthetic`` or ``real`` (or a folder name of one
        of them).
        """
        from editgauge.benchmarks.texteditbench.samples import load

        return load(root, split=split)

    def scorers(self, tracks: Sequence[Track], **options: Any) -> list[Scorer]:
        from editgauge.benchmarks.texteditbench.scorers import FACTORIES

        return make_scorers(FACTORIES, tracks, **options)


BENCHMARK = TextEditBench()
