"""TextEdit: samples from the released files, and the scorers that its paper defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.benchmarks.base import Samples, make_scorers
from editgauge.benchmarks.textedit.ocr import ocr_scores
from editgauge.types import Scorer, Track

__all__ = ["BENCHMARK", "TextEdit", "ocr_scores"]


@dataclass(frozen=True, slots=True)
class TextEdit:
    """2,148 text replacements (500 in the miniset), in 11 virtual and 7 real categories."""

    name: str = "textedit"
    title: str = "TextEdit"
    citation: str = "TextEdit, in: InternVL-U, arXiv 2603.09877"
    published_counts: Mapping[str, int] = field(default_factory=lambda: {"": 2148, "fullset": 2148, "miniset": 500})
    marks: tuple[str, ...] = ("eval_prompts",)

    def load(self, root: Path | None, *, split: str | None = None) -> Samples:
        """The samples below `root`; `split` is ``fullset`` or ``miniset``: the full set where both are there."""
        from editgauge.benchmarks.textedit.samples import load

        return load(root, split=split)

    def scorers(self, tracks: Sequence[Track], **options: Any) -> list[Scorer]:
        from editgauge.benchmarks.textedit.scorers import FACTORIES

        return make_scorers(FACTORIES, tracks, **options)


BENCHMARK = TextEdit()
