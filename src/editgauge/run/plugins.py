"""Things of a file of the user's own: its metrics, editors and benchmarks, known by their names as
those of an installed package are.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

from editgauge import catalog
from editgauge.errors import EditgaugeError, PluginError, UsageError


def load(file: str | Path) -> list[str]:
    """Run a Python file and make what it holds known in this process and its workers: every
    `Benchmark`, every scorer (a function under ``@metric``) and every editor (a function under
    ``@editor``) that is a name of the file. Returns their kinds and names.

    Raises `UsageError` where there is no such file or nothing of the kind in it, `PluginError`
    where it cannot be run or a name is taken.
    """
    from editgauge.editors.editor import BaseEditor
    from editgauge.scoring.scorer import Scorer
    from editgauge.types import Benchmark

    place = Path(file).expanduser().absolute()
    if not place.is_file() or place.suffix != ".py":
        raise UsageError(f"{file}: wanted a Python file, found none there")
    kinds = {"benchmarks": Benchmark, "scorers": Scorer, "editors": BaseEditor}
    modules = []
    for thing in list(vars(_run(place)).values()):
        for kind, of in kinds.items():
            if isinstance(thing, of):
                catalog.hand_over(kind, thing.name, thing, place.name)  # type: ignore[attr-defined]
                modules.append(f"{kind[:-1]} {thing.name}")  # type: ignore[attr-defined]
    if not modules:
        raise UsageError(f"{file}: no benchmark, and nothing under @metric or @editor, is in it")
    return modules


def _run(place: Path) -> ModuleType:
    """The file as a module by its own name: so do workers import it, too."""
    folder = str(place.parent)
    if folder not in sys.path:
        sys.path.append(folder)  # behind all that is installed; workers are given the same path
    known = sys.modules.get(place.stem)
    if known is None and place.stem.isidentifier():
        try:
            known = importlib.import_module(place.stem)
        except EditgaugeError:
            raise
        except Exception as error:  # the user's file: its fault is one line
            raise PluginError(f"{place.name}: {type(error).__name__}: {error}") from error
    if known is None or Path(getattr(known, "__file__", None) or "").absolute() != place:
        raise PluginError(f"{place.name}: another module has its name; call the file otherwise")
    return known
