"""A Python function as an editor: ``--editor FILE.py:function``, with ``edit(image, instruction)``.
The file is run once in each worker: what it loads at its top (weights) is loaded once.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from PIL import Image

from editgauge.editors.delivery import faulty, settings_of
from editgauge.editors.editor import BaseEditor, Mode
from editgauge.errors import DataError, Unavailable, UsageError
from editgauge.images import Array, eight_bits, read_image, write_png
from editgauge.types import Edit, Sample

_TAKES = {"image", "images", "instruction", "seed"}


@dataclass
class FunctionEditor(BaseEditor):
    """An editor that is a function: ``function(image, instruction)``, also with ``images`` (all
    inputs, in order) and ``seed``, pictures as Pillow has them; or ``function(sample)``, of a
    `Sample`. It returns the edited picture: one of Pillow, or an array (H, W, 3), uint8, RGB. What
    it raises is a failed edit with the reason. Raises `Unavailable` for a function that wants
    something else.
    """

    function: Callable[..., Any]
    name: str
    seed: int = 0
    parallel: Mode = "serial"
    settings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.function, FromFile):  # a file is run by the process that edits
            self.prepare()

    def prepare(self) -> None:
        """Run the function's file. Raises `Unavailable` for a function that does not fit."""
        _ = self.takes

    @functools.cached_property
    def takes(self) -> set[str]:
        """Which of what could be given to it it takes; none: it takes the sample."""
        function = self.function.loaded if isinstance(self.function, FromFile) else self.function
        self.__doc__ = function.__doc__ or FunctionEditor.__doc__
        parameters = inspect.signature(function).parameters.values()
        named = {one.name: one for one in parameters if not one.kind.name.startswith("VAR_")}
        takes = _TAKES & named.keys()
        needed = {name for name, one in named.items() if one.default is inspect.Parameter.empty}
        of_sample = len(named) == 1 and not takes
        if not of_sample and (needed - _TAKES or not {"image", "images"} & takes):
            raise Unavailable(
                f"editor {self.name}: wanted a function of (image, instruction), perhaps with "
                f"images or seed, or of (sample); found ({', '.join(named)})"
            )
        return takes

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        pictures = 1 if "image" in self.takes and "images" not in self.takes else None
        if (fault := faulty(sample, self.name, pictures=pictures)) is not None:
            return fault
        if self.takes:
            images = [Image.fromarray(read_image(path)) for path in sample.images]
            given = {"image": images[0], "images": images, "seed": self.seed}
            given["instruction"] = sample.instruction
            picture = self.function(**{name: given[name] for name in self.takes})
        else:
            picture = self.function(sample)
        pixels, path = _pixels(picture, self.name), folder / "output.png"
        write_png(path, pixels)
        height, width = pixels.shape[:2]
        return Edit(
            sample=sample.id, editor=self.name, path=path, width=width, height=height,
            seed=self.seed, settings=dict(self.settings),
        )  # fmt: skip


def editor(name: str, *, seed: int = 0) -> Callable[[Callable[..., Any]], FunctionEditor]:
    """Make an editor of a function::

    @editor("invert")
    def invert(image, instruction):
        return 255 - np.asarray(image)
    """
    return lambda function: FunctionEditor(function, name, seed)


def _pixels(made: Any, editor: str) -> Array:
    """What a function gave, as pixels. Raises `UsageError` for what is no picture."""
    if isinstance(made, Image.Image):
        return np.asarray(eight_bits(made).convert("RGB"))
    if isinstance(made, np.ndarray) and made.dtype == np.uint8 and made.shape[2:] == (3,):
        return made
    what = f"{made.dtype} {made.shape}" if isinstance(made, np.ndarray) else type(made).__name__
    wanted = "wanted a picture of Pillow or an array (H, W, 3), uint8"
    raise UsageError(f"{editor}: {wanted}; found {what}")


class Settings(msgspec.Struct, kw_only=True, frozen=True):
    name: str = ""
    seed: int = 0
    workers: Literal["serial", "process"] = "serial"


def is_local(name: str) -> bool:
    """Whether an editor's name is a function in a file: ``FILE.py:function``."""
    path, colon, function = name.rpartition(":")
    return bool(colon) and path.endswith(".py") and function.isidentifier()


def factory(name: str) -> Callable[..., FunctionEditor]:
    """What makes the editor of a function in a file, as `editgauge.editors` have it.

    Settings: `name` (default: the file's and the function's), `seed` (0), `workers` (``serial``,
    one process with one copy of the weights, or ``process``, one copy in each worker). What the
    file loads at its top is not counted against a sample's time.
    """

    def made(samples: Sequence[Sample], **settings: Any) -> FunctionEditor:
        chosen = settings_of(name, settings, Settings)
        path, _, function = name.rpartition(":")
        place = Path(path).expanduser().absolute()
        if not place.is_file():
            raise DataError(f"editor {name!r}: {path}: wanted a Python file, found none there")
        return FunctionEditor(
            FromFile(place, function), chosen.name or f"{place.stem}-{function}", chosen.seed,
            chosen.workers, {"function": f"{place.name}:{function}"},
        )  # fmt: skip

    return made


@dataclass(frozen=True, slots=True)
class FromFile:
    """A function in a Python file. It can be pickled: each process runs the file for itself."""

    file: Path
    function: str

    @property
    def loaded(self) -> Callable[..., Any]:
        return _loaded(self.file, self.function)

    def __call__(self, *sample: Any, **given: Any) -> Any:
        with _beside(self.file):
            return self.loaded(*sample, **given)


@contextlib.contextmanager
def _beside(file: Path) -> Iterator[None]:
    """Within a `with` block what lies beside the file can be imported."""
    folder = str(file.parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the file may have taken it away itself
            sys.path.remove(folder)


@functools.lru_cache(maxsize=8)
def _loaded(file: Path, function: str) -> Callable[..., Any]:
    """The function, its file run once in a process. Raises `Unavailable` where there is none."""
    try:
        with _beside(file):
            values = runpy.run_path(str(file), run_name=f"editgauge_local_{file.stem}")
    except (Exception, SystemExit) as error:  # the user's file: its fault is one line
        raise Unavailable(f"{file.name}: {type(error).__name__}: {error}") from error
    found = values.get(function)
    if not callable(found):
        raise Unavailable(f"{file.name}: has no function {function!r}")
    return found  # type: ignore[no-any-return]
