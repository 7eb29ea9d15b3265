"""A Python function as an editor: handed over from Python, or found in the file of ``--plugin``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from editgauge.editors.editor import BaseEditor, Mode
from editgauge.editors.local import pixels_of
from editgauge.errors import UsageError
from editgauge.images import read_image, write_png
from editgauge.types import Edit, Sample

_PICTURES = ("image", "images", "instruction", "seed")


@dataclass
class FunctionEditor(BaseEditor):
    """An editor that is a function: ``function(image, instruction)``, also with ``images`` (all
    inputs, in order) and ``seed``, pictures as Pillow has them; or ``function(sample)``, of a
    `Sample`. It returns the edited picture: one of Pillow, or an array (H, W, 3), uint8, RGB. What
    it raises is a failed edit with the reason.
    """

    function: Callable[..., Any]
    name: str
    seed: int = 0
    parallel: Mode = "serial"

    def __post_init__(self) -> None:
        self.__doc__ = self.function.__doc__ or FunctionEditor.__doc__
        takes = list(inspect.signature(self.function).parameters)
        self._of_sample = len(takes) == 1 and takes[0] not in _PICTURES
        self._takes = [name for name in takes if name in _PICTURES]
        if not self._of_sample and self._takes != takes:
            raise UsageError(
                f"editor {self.name}: wanted a function of (image, instruction), perhaps with "
                f"images or seed, or of (sample); found ({', '.join(takes)})"
            )

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        if self._of_sample:
            made = self.function(sample)
        else:
            images = [Image.fromarray(read_image(path)) for path in sample.images]
            words = {"instruction": sample.instruction, "seed": self.seed}
            given = {"image": images[0], "images": images, **words}
            made = self.function(**{name: given[name] for name in self._takes})
        path = folder / "output.png"
        write_png(path, pixels_of(made, self.name))
        return Edit(sample=sample.id, editor=self.name, path=path, seed=self.seed)


def editor(name: str, *, seed: int = 0) -> Callable[[Callable[..., Any]], FunctionEditor]:
    """Make an editor of a function::

    @editor("invert")
    def invert(image, instruction):
        return 255 - np.asarray(image)
    """

    def make(function: Callable[..., Any]) -> FunctionEditor:
        return FunctionEditor(function, name, seed)

    return make
