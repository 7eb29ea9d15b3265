"""editgauge measures how well a model edits images by instruction.

Four published benchmarks from one command, the numbers of their papers where those can be
reproduced, and every picture behind every number. The names of `__all__` are the public API; each
is imported when it is first used, so that importing this package pulls in no heavy library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from editgauge.benchmarks.base import Samples, by_track, need_folder
    from editgauge.editors.function import editor
    from editgauge.errors import DataError, EditgaugeError
    from editgauge.images import read_image, write_png
    from editgauge.judging.options import JudgeOptions
    from editgauge.judging.protocol import Picture
    from editgauge.judging.questions import Question, Questions, output_alone
    from editgauge.run.evaluation import Evaluation
    from editgauge.scoring.plain import metric
    from editgauge.scoring.scorer import Scorer
    from editgauge.tables.spec import Column, Mean, PaperTable
    from editgauge.types import (
        Benchmark,
        Derived,
        Edit,
        Metric,
        Plot,
        Sample,
        Score,
        Status,
    )

__version__ = "0.1.0"

_HOMES = {
    "benchmarks.base": ("Samples", "by_track", "need_folder"),
    "run.evaluation": ("Evaluation",),
    "editors.function": ("editor",),
    "errors": ("DataError", "EditgaugeError"),
    "images": ("read_image", "write_png"),
    "judging.options": ("JudgeOptions",),
    "judging.protocol": ("Picture",),
    "judging.questions": ("Question", "Questions", "output_alone"),
    "scoring.plain": ("metric",),
    "scoring.scorer": ("Scorer",),
    "tables.spec": ("Column", "Mean", "PaperTable"),
    "types": (
        "Benchmark",
        "Derived",
        "Edit",
        "Metric",
        "Plot",
        "Sample",
        "Score",
        "Status",
    ),
}
"""Module -> the public names that live there."""
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Benchmark",
    "Column",
    "DataError",
    "Derived",
    "Edit",
    "EditgaugeError",
    "Evaluation",
    "JudgeOptions",
    "Mean",
    "Metric",
    "PaperTable",
    "Picture",
    "Plot",
    "Question",
    "Questions",
    "Sample",
    "Samples",
    "Score",
    "Scorer",
    "Status",
    "by_track",
    "editor",
    "metric",
    "need_folder",
    "output_alone",
    "read_image",
    "write_png",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'editgauge' has no attribute {name!r}")
    value = getattr(import_module(f"editgauge.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
