"""mini: the built-in benchmark, drawn by this package when it is first used. For trying the tool,
not for results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.benchmarks.base import Samples, make_scorers
from editgauge.benchmarks.mini.records import COUNTS
from editgauge.types import Scorer, Track


@dataclass(frozen=True, slots=True)
class Mini:
    """26 drawn samples, shaped like those of the four benchmarks, so that every track has something
    to do.
    """

    name: str = "mini"
    title: str = "mini (built in: for trying the tool, not for comparing models)"
    citation: str = (
        "none: 26 pictures drawn by editgauge itself; no result on them says anything about a model"
    )
    published_counts: Mapping[str, int] = field(default_factory=lambda: dict(COUNTS))
    marks: tuple[str, ...] = ("mini-*",)

    def load(self, root: Path | None, *, split: str | None = None) -> Samples:
        """The samples; their files are drawn below `root`, or below the user's cache folder when it
        is None.

        `split` is ``plain`` or ``textured``. Raises `DataError` when the files can be neither found
        nor made.
        """
        from editgauge.benchmarks.mini.samples import load

        return load(root, split=split)

    def scorers(self, tracks: Sequence[Track], **options: Any) -> list[Scorer]:
        from editgauge.benchmarks.mini.scorers import FACTORIES

        return make_scorers(FACTORIES, tracks, **options)


BENCHMARK = Mini()
