"""Names for objects, for the command line: built-in tables, and entry points of other packages in
the groups ``editgauge.benchmarks``, ``.editors``, ``.scorers`` and ``.ocr_engines``.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from editgauge.errors import BenchmarkError, DataError, PluginError, UnknownName, meant
from editgauge.types import Benchmark, Dataset, Sample

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

BENCHMARKS: dict[str, str] = {
    "mini": "editgauge.benchmarks.mini:BENCHMARK",
    "texteditbench": "editgauge.benchmarks.texteditbench:BENCHMARK",
    "textedit": "editgauge.benchmarks.textedit:BENCHMARK",
    "medebench": "editgauge.benchmarks.medebench:BENCHMARK",
    "krisbench": "editgauge.benchmarks.krisbench:BENCHMARK",
}
ANCHORS: dict[str, str] = {
    "copy": "editgauge.editors.anchors:copy",
    "reference": "editgauge.editors.anchors:reference",
    "blank": "editgauge.editors.anchors:blank",
    "shuffle": "editgauge.editors.anchors:shuffle",
}
"""Editors that are no models: the ends of every scale, to read the models against."""
EDITORS: dict[str, str] = {
    **ANCHORS,
    "typeset": "editgauge.editors.typeset:typeset",
    "openai": "editgauge.editors.providers:openai",
    "gemini": "editgauge.editors.providers:gemini",
    "chat": "editgauge.editors.providers:chat",
    "bfl": "editgauge.editors.jobs:bfl",
    "fal": "editgauge.editors.jobs:fal",
    "replicate": "editgauge.editors.jobs:replicate",
    "jobs": "editgauge.editors.jobs:jobs",
    "command": "editgauge.editors.command:command",
    "http": "editgauge.editors.providers:http",
    "instructpix2pix": "editgauge.editors.diffusers:instructpix2pix",
    "magicbrush": "editgauge.editors.diffusers:magicbrush",
    "paint-by-inpaint": "editgauge.editors.diffusers:paint_by_inpaint",
    "flux-kontext": "editgauge.editors.diffusers:flux_kontext",
    "qwen-image-edit": "editgauge.editors.diffusers:qwen_image_edit",
    "qwen-image-edit-plus": "editgauge.editors.diffusers:qwen_image_edit_plus",
    "omnigen": "editgauge.editors.diffusers:omnigen",
    "diffusers": "editgauge.editors.diffusers:diffusers",
}
OCR_ENGINES: dict[str, str] = {
    "rapidocr": "editgauge.ocr.rapid:engine",
    "paddleocr": "editgauge.ocr.paddle:engine",
}
TABLES: dict[str, dict[str, str]] = {
    "benchmarks": BENCHMARKS,
    "editors": EDITORS,
    "ocr_engines": OCR_ENGINES,
}
DATA_SETS = ("dir:", "dir.")
"""How the name of a data set of one's own begins: a folder, or what runs call it."""
_DATA_SET = "editgauge.curation.benchmark:named"
_IS_LOCAL, _LOCAL = (f"editgauge.editors.function:{word}" for word in ("is_local", "factory"))


class Package(NamedTuple):
    """The distribution that a thing comes from; without a name it is this one."""

    name: str = ""
    version: str = ""


def names(kind: str) -> list[str]:
    """All names of a kind (``benchmarks``, ``editors``…), built in first, then other packages'."""
    known = list(TABLES.get(kind, {}))
    outside = {entry.name for entry in _installed(f"editgauge.{kind}", tuple(sys.path))}
    outside |= {name for of, name in _given if of == kind}
    return [*known, *sorted(outside - set(known))]


@lru_cache(maxsize=64)
def _installed(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """The entry points of a group on a search path: reading them takes 30 ms each time."""
    from importlib.metadata import entry_points  # 10 ms, which few commands need

    return tuple(entry_points(group=group))


def is_anchor(editor: str) -> bool:
    """Whether a run's editor of that name is an anchor, with or without the words in brackets that
    a prompt track or a setting adds.
    """
    return editor.partition("[")[0] in ANCHORS


def find(kind: str, name: str) -> Any:
    """The object behind a name; an editor may also be ``FILE.py:function``. A benchmark is checked
    when it is first handed out.

    Raises `UnknownName` with the nearest names when there is none, `PluginError` when a package
    that has it cannot be imported, and `BenchmarkError` when a benchmark's declaration is wrong.
    """
    if kind == "benchmarks" and name.startswith(DATA_SETS):
        return part(_DATA_SET)(name)
    if (kind, name) in _given:
        return _given[kind, name][0]
    if kind == "editors" and part(_IS_LOCAL)(name):
        return part(_LOCAL)(name)
    if target := TABLES.get(kind, {}).get(name):
        return _checked(kind, part(target), "editgauge")
    if entry := _entry(kind, name):
        try:
            thing = entry.load()
        except Exception as error:  # somebody's package: its fault is one line, not ours
            message = f"cannot be imported: {type(error).__name__}: {error}"
            raise broken(kind, name, message) from error
        return _checked(kind, thing, _package_of(entry).name)
    known = names(kind)
    hint = meant(name, known, f"there are: {', '.join(known)}")
    raise UnknownName(f"{_word(kind)} {name!r} is not known; {hint}")


def _entry(kind: str, name: str) -> EntryPoint | None:
    """The entry point of a name. Raises `PluginError` where two packages have it."""
    entries = {
        _package_of(entry).name: entry
        for entry in _installed(f"editgauge.{kind}", tuple(sys.path))
        if entry.name == name
    }
    if len(entries) > 1:
        both = " and ".join(sorted(entries))
        raise PluginError(f"{_word(kind)} {name}: claimed by the packages {both}; uninstall one")
    return next(iter(entries.values()), None)


def _package_of(entry: EntryPoint) -> Package:
    """Under the module's name where it is in no distribution."""
    dist = entry.dist
    return Package(dist.name, dist.version) if dist else Package(entry.module.partition(".")[0])


_given: dict[tuple[str, str], tuple[Any, str]] = {}
"""(kind, name) -> what a program handed over, and the file that it is from."""


def take(benchmark: Benchmark) -> None:
    """Check a benchmark that is a program's own object. In this process it is known by its name
    from now on, unless an installed one has that name. Raises `BenchmarkError`.
    """
    _checked("benchmarks", benchmark, "")
    key = ("benchmarks", benchmark.name)
    if key in _given or benchmark.name not in names("benchmarks"):  # a notebook changes its own
        _given[key] = benchmark, ""


def hand_over(kind: str, name: str, thing: Any, source: str) -> None:
    """Make a thing of the file `source` known by its name in this process. Raises `PluginError`
    where another has the name, and `BenchmarkError`.
    """
    if name in names(kind) and source_of(kind, name).name != source:
        raise PluginError(f"{source}: another {_word(kind)} is called {name!r}; give yours a name")
    _checked(kind, thing, source)
    factory = (lambda samples, **settings: thing) if kind == "editors" else thing
    _given[kind, name] = factory, source


def source_of(kind: str, name: str) -> Package:
    """The package that the thing of a name comes from; empty for what is built in."""
    if (kind, name) in _given:
        return Package(_given[kind, name][1])
    entry = None if name in TABLES.get(kind, {}) else _entry(kind, name)
    return _package_of(entry) if entry else Package()


def broken(kind: str, name: str, said: str) -> PluginError:
    """The error for a thing of another package that cannot be used."""
    package = source_of(kind, name).name
    of = f" (package {package})" if package else ""  # a program's own object is of none
    return PluginError(f"{_word(kind)} {name}{of}: {said}")


def _word(kind: str) -> str:
    return kind[:-1].replace("_", " ")


_passed: dict[int, Any] = {}
"""What has passed its check, by identity; kept, so that an identity stays one object's."""


def _checked(kind: str, thing: Any, package: str) -> Any:
    if kind == "benchmarks" and id(thing) not in _passed:
        part("editgauge.tables.contract:verify")(thing, package)
        _passed[id(thing)] = thing
    return thing


def open_data(
    name: str, data: Path | None, split: str | None
) -> tuple[Benchmark, Dataset, list[Sample]]:
    """The benchmark, its data set and all its samples. `data` may be an address (see
    `store.remote`). Raises `DataError` when there are none.
    """
    benchmark: Benchmark = find("benchmarks", name)
    dataset = benchmark.load(part("editgauge.store.remote:local_folder")(data), split=split)
    if samples := list(dataset):
        return benchmark, dataset, samples
    raise DataError(_no_samples(name, data, split))


def _no_samples(name: str, data: Path | None, split: str | None) -> str:
    """What is wrong where a benchmark has no samples, and what to do next."""
    of_split = f" in the split {split!r}" if split else ""
    if name.startswith(DATA_SETS) and data is None:
        folder = name.removeprefix(DATA_SETS[0])
        advice = f"take some pictures in: editgauge curate add {folder} PICTURES"
        return f"{name}: the data set has no samples yet{of_split}; {advice}"
    place = f"{data}: " if data is not None else ""
    words = f"{name} {data}" if data is not None else name
    return f"{place}no samples of {name} found{of_split}; run: editgauge check {words}"


# -- parts by dotted name --------------------------------------------------------------------------


def part(target: str, package: str | None = None) -> Any:
    """What a dotted name stands for; ``.module:name`` is below `package`.

    Raises `BenchmarkError` where there is no such module or nothing of that name in it.
    """
    module, _, name = target.partition(":")
    wanted = importlib.util.resolve_name(module, package)
    try:
        return getattr(importlib.import_module(wanted), name)
    except ModuleNotFoundError as error:
        if not f"{wanted}.".startswith(f"{error.name}."):
            raise  # of something that the module imports
        raise BenchmarkError(f"{target!r}: there is no module {error.name}") from error
    except AttributeError as error:
        raise BenchmarkError(f"{target!r}: {error}") from error


class Parts(NamedTuple):
    """The parts of a package: ``parts = Parts(__name__)``, then ``parts(".samples:load")``."""

    package: str

    def __call__(self, target: str) -> Callable[..., Any]:
        """A function that calls the function of that name."""
        return partial(_call, target, self.package)

    def constant(self, target: str) -> Callable[[], Any]:
        """A function that gives the thing of that name."""
        return partial(part, target, self.package)


def _call(target: str, package: str, /, *arguments: Any, **options: Any) -> Any:
    return part(target, package)(*arguments, **options)
