"""A Python function of one's own as an editor: ``--editor FILE.py:function``.

The function is ``edit(image, instruction) -> image`` and takes and gives pictures of Pillow (or
gives an array of shape (H, W, 3), uint8). A function may also take ``images`` (all inputs of the
sample, a list) in the place of ``image``, and ``seed``. The file is run once in each worker: what
it loads at its top (weights) is loaded once::

    pipe = Pipeline.from_pretrained(...).to("cuda")

    def edit(image, instruction):
        return pipe(instruction, image=image).images[0]
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from editgauge.editors.delivery import faulty, known, whole
from editgauge.editors.editor import BaseEditor, Mode
from editgauge.errors import DataError, UsageError
from editgauge.images import Array, read_image, write_png
from editgauge.types import Edit, Sample

_TAKES = ("image", "images", "instruction", "seed")


def is_local(name: str) -> bool:
    """Whether an editor's name is a function in a file: ``FILE.py:function``."""
    path, colon, function = name.rpartition(":")
    return bool(colon) and path.endswith(".py") and function.isidentifier()


def factory(name: str) -> Callable[..., LocalEditor]:
    """What makes the editor of a function, as `editgauge.editors` have it.

    Settings: `name` (default: the file's and the function's), `seed` (0), `pictures` (how many
    inputs it takes; 1, or any where it takes ``images``), `workers` (``serial``, one process with
    one copy of the weights, or ``process``, one copy in each worker).
    """

    def made(samples: Sequence[Sample], **settings: Any) -> LocalEditor:
        del samples
        known(name, settings, "name", "seed", "pictures", "workers")
        path, _, function = name.rpartition(":")
        place = Path(path).expanduser().absolute()
        if not place.is_file():
            raise DataError(f"editor {name!r}: {path}: wanted a Python file, found none there")
        how: dict[str, Mode] = {"serial": "serial", "process": "process"}
        mode = str(settings.get("workers") or "serial")
        if mode not in how:
            raise UsageError(f"editor {name!r}: workers: wanted serial or process, found {mode!r}")
        many = "images" in arguments(place, function)
        return LocalEditor(
            name=str(settings.get("name") or f"{place.stem}-{function}"),
            file=place,
            function=function,
            seed=whole(name, settings, "seed", 0),
            pictures=whole(name, settings, "pictures", 1_000 if many else 1, least=1),
            parallel=how[mode],
        )

    return made


@functools.lru_cache(maxsize=8)
def loaded(file: Path, function: str) -> Callable[..., Any]:
    """The function, its file run once in a process. Raises `UsageError` where there is none."""
    name = f"editgauge_local_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(file.parent))  # what lies beside it can be imported
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the user's file: its fault is one line
        raise UsageError(f"{file.name}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(file.parent))
    found = vars(module).get(function)
    if not callable(found):
        raise UsageError(f"{file.name}: has no function {function!r}")
    return found  # type: ignore[no-any-return]


def arguments(file: Path, function: str) -> set[str]:
    """What a function takes, of ``image``, ``images``, ``instruction`` and ``seed``. Raises
    `UsageError` for one that needs anything else, or no picture.
    """
    parameters = inspect.signature(loaded(file, function)).parameters.values()
    stars = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    named = {one.name for one in parameters if one.kind not in stars}
    needed = {one.name for one in parameters if one.default is one.empty} & named
    if needed - set(_TAKES) or not {"image", "images"} & named or "instruction" not in named:
        raise UsageError(
            f"{file.name}:{function}: wanted {function}(image, instruction) -> image, perhaps with "
            f"images or seed; found {function}({', '.join(one.name for one in parameters)})"
        )
    return named & set(_TAKES)


@dataclass(frozen=True, kw_only=True)
class LocalEditor(BaseEditor):
    """See `factory`."""

    name: str
    file: Path
    function: str
    seed: int = 0
    pictures: int = 1
    parallel: Mode = "serial"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        if (fault := faulty(sample, self.name, pictures=self.pictures)) is not None:
            return fault
        began = time.perf_counter()
        images = [Image.fromarray(read_image(path)) for path in sample.images]
        words = {"instruction": sample.instruction, "seed": self.seed}
        given = {"image": images[0], "images": images, **words}
        takes = arguments(self.file, self.function)
        made = loaded(self.file, self.function)(**{name: given[name] for name in takes})
        pixels, path = pixels_of(made, self.function), folder / "local.png"
        write_png(path, pixels)
        return Edit(
            sample=sample.id,
            editor=self.name,
            path=path,
            width=pixels.shape[1],
            height=pixels.shape[0],
            seed=self.seed,
            seconds=time.perf_counter() - began,
            settings={"function": f"{self.file.name}:{self.function}"},
        )


def pixels_of(made: Any, function: str) -> Array:
    """What a function gave, as pixels. Raises `UsageError` for what is no picture."""
    if isinstance(made, Image.Image):
        return np.asarray(made.convert("RGB"))
    if isinstance(made, np.ndarray) and made.dtype == np.uint8 and made.shape[2:] == (3,):
        return made
    what = f"{made.dtype} {made.shape}" if isinstance(made, np.ndarray) else type(made).__name__
    raise UsageError(
        f"{function}: wanted a picture of Pillow or an array (H, W, 3), uint8; found {what}"
    )
