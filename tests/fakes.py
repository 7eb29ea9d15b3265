"""An editor that paints, and several samples at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.images import read_header, write_png
from editgauge.testing import make_sample
from editgauge.types import Edit, Sample


@dataclass(frozen=True, slots=True)
class ConstantEditor:
    """An editor that answers every sample with one uniform picture of the input's size (or of
    `size`).

    `colour` is R, G, B, 0 to 255; `size` is (width, height). Writes ``constant.png``.
    """

    colour: tuple[int, int, int] = (128, 128, 128)
    size: tuple[int, int] | None = None
    name: str = "constant"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        if self.size is None:
            header = read_header(sample.image)
            width, height = header.width, header.height
        else:
            width, height = self.size
        pixels = np.empty((height, width, 3), dtype=np.uint8)
        pixels[:] = self.colour
        path = folder / "constant.png"
        write_png(path, pixels)
        return Edit(sample=sample.id, editor=self.name, path=path, width=width, height=height)


def make_samples(folder: Path, count: int, **fields: Any) -> Sequence[Sample]:
    """`count` samples as `make_sample` makes them: ``sample-1``, ``sample-2``…"""
    return [make_sample(folder, f"sample-{number}", **fields) for number in range(1, count + 1)]
