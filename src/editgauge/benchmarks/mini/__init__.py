"""mini: the built-in benchmark, drawn by this package when it is first used. For trying the tool,
not for results.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editgauge.benchmarks import medebench, textedit
from editgauge.benchmarks.base import Samples, by_track
from editgauge.benchmarks.mini.metrics import JUDGE, METRICS, PROTOCOLS
from editgauge.benchmarks.mini.records import COUNTS
from editgauge.types import Benchmark, Plot, Variant


def _load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples; their files are drawn below `root`, or below the user's cache folder when it is
    None.

    `split` is ``plain`` or ``textured``. Raises `DataError` when the files can be neither found nor
    made.
    """
    from editgauge.benchmarks.mini.samples import load

    return load(root, split=split)


def _pixel(**options: Any) -> Sequence[Any]:
    from editgauge.scoring.pixel import background, reference

    return [*background(**options), *reference(**options)]


def _lpips(**options: Any) -> Sequence[Any]:
    from editgauge.scoring.neural import lpips

    return lpips(**options)


def _tables(frame: Any, variant: Variant) -> Sequence[Any]:
    from editgauge.benchmarks.mini.tables import layouts

    return layouts(frame, variant)


def _judging() -> Any:
    from editgauge.benchmarks.mini.judge import MiniJudging

    return MiniJudging(JUDGE)


BENCHMARK = Benchmark(
    name="mini",
    title="mini (built in: for trying the tool, not for comparing models)",
    citation="none: 26 pictures drawn by editgauge itself; no result on them says anything about a "
    "model",
    about="26 drawn samples, shaped like those of the four benchmarks, so that every track has "
    "something to do.",
    published_counts=COUNTS,
    marks=("mini-*",),
    metrics=METRICS,
    load=_load,
    scorers=by_track(
        {
            "pixel": [_pixel],
            "ocr": [textedit.reading, textedit.text_presence],
            "embedding": [_lpips, textedit.embedding, medebench.embedding],
        }
    ),
    tables=_tables,
    judging=_judging,
    rubrics={
        name: protocol.rubrics
        for name, protocol in PROTOCOLS.items()
        if isinstance(protocol.rubrics, Path)
    },
    figures=(
        Plot("radar", "operation", "by operation"),
        Plot("curve", "difficulty", "by difficulty"),
    ),
)
