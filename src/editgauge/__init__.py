"""editgauge measures how well a model edits images by instruction. The names of `__all__` are the
public API, each imported when it is first used: this package pulls in no heavy library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from editgauge.benchmarks.base import Samples as Samples
    from editgauge.benchmarks.base import by_track as by_track
    from editgauge.benchmarks.base import need_folder as need_folder
    from editgauge.editors.function import editor as editor
    from editgauge.errors import DataError as DataError
    from editgauge.errors import EditgaugeError as EditgaugeError
    from editgauge.images import read_image as read_image
    from editgauge.images import write_png as write_png
    from editgauge.judging.options import JudgeOptions as JudgeOptions
    from editgauge.judging.protocol import Picture as Picture
    from editgauge.judging.questions import Question as Question
    from editgauge.judging.questions import Questions as Questions
    from editgauge.judging.questions import output_alone as output_alone
    from editgauge.run.evaluation import Evaluation as Evaluation
    from editgauge.scoring.plain import metric as metric
    from editgauge.scoring.scorer import Scorer as Scorer
    from editgauge.tables.spec import Column as Column
    from editgauge.tables.spec import Mean as Mean
    from editgauge.tables.spec import PaperTable as PaperTable
    from editgauge.types import Benchmark as Benchmark
    from editgauge.types import Derived as Derived
    from editgauge.types import Edit as Edit
    from editgauge.types import Metric as Metric
    from editgauge.types import Plot as Plot
    from editgauge.types import Sample as Sample
    from editgauge.types import Score as Score
    from editgauge.types import Status as Status

__version__ = "0.1.0"

_HOMES = {
    "benchmarks.base": "Samples by_track need_folder",
    "editors.function": "editor",
    "errors": "DataError EditgaugeError",
    "images": "read_image write_png",
    "judging.options": "JudgeOptions",
    "judging.protocol": "Picture",
    "judging.questions": "Question Questions output_alone",
    "run.evaluation": "Evaluation",
    "scoring.plain": "metric",
    "scoring.scorer": "Scorer",
    "tables.spec": "Column Mean PaperTable",
    "types": "Benchmark Derived Edit Metric Plot Sample Score Status",
}
"""Module -> the public names that live there."""
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}
__all__ = sorted(_HOME_OF)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'editgauge' has no attribute {name!r}")
    value = getattr(import_module(f"editgauge.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
