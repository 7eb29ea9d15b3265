"""TextEdit: samples from the released files, and the scorers that its paper defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editgauge.benchmarks.base import Samples, make_scorers
from editgauge.benchmarks.textedit.ocr import ocr_scores
from editgauge.types import DataSource, Scorer, Track

if TYPE_CHECKING:
    from editgauge.tables.frame import Frame

__all__ = ["BENCHMARK", "TextEdit", "ocr_scores"]

_MINISET = {
    "1.1.1": 13, "1.1.2": 17, "1.1.3": 25, "1.2.1": 16, "1.2.2": 6, "1.3.1": 16, "1.3.2": 17,
    "1.4.1": 32, "1.4.2": 10,
    "1.4.3": 11, "1.4.4": 14, "2.1": 39, "2.2": 79, "2.3": 55, "2.4": 45, "2.5": 59, "2.6": 16,
    "2.7": 30,
    "Virtual": 177, "Real": 323,
}  # fmt: skip
"""Samples of each category and half of the miniset, as its released judge answers have them."""
_COUNTS = {
    "": 2148,
    "fullset": 2148,
    "miniset": 500,
    **{f"miniset/{name}": count for name, count in _MINISET.items()},
}

_DATA = DataSource(
    "OpenGVLab/TextEdit",
    "stated on the data set's page",
    note="the README names a collection, not a data set: if this one is not it, say which with "
    "--repo; the prompts "
    "(eval_prompts/) are in the GitHub repository of the same name",
)


@dataclass(frozen=True, slots=True)
class TextEdit:
    """2,148 text replacements (500 in the miniset), in 11 virtual and 7 real categories."""

    name: str = "textedit"
    title: str = "TextEdit"
    citation: str = "TextEdit, in: InternVL-U, arXiv 2603.09877"
    published_counts: Mapping[str, int] = field(default_factory=lambda: dict(_COUNTS))
    marks: tuple[str, ...] = ("eval_prompts",)
    data: DataSource = _DATA
    main_tracks: tuple[Track, ...] = ("ocr",)
    """What `score` does without --tracks: the paper has no pixel metric."""

    def load(self, root: Path | None, *, split: str | None = None) -> Samples:
        """The samples below `root`; `split` is ``fullset`` or ``miniset``: the full set where both
        are there.
        """
        from editgauge.benchmarks.textedit.samples import load

        return load(root, split=split)

    def settled(self, frame: Frame) -> Frame:
        """Judged scores out of range as the released script reads them: see `tables.settled`."""
        from editgauge.benchmarks.textedit.tables import settled

        return settled(frame)

    def scorers(self, tracks: Sequence[Track], **options: Any) -> list[Scorer]:
        from editgauge.benchmarks.textedit.scorers import FACTORIES

        return make_scorers(FACTORIES, tracks, **options)


BENCHMARK = TextEdit()
