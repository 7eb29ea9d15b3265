"""A metric and an editor of another package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from editgauge import Edit, Sample, metric, read_image, write_png


@metric("brightness_gap", direction="lower", low=0, high=255, unit="levels", note="of the means")
def brightness_gap(original: Any, edited: Any) -> float:
    """How far the mean brightness moved."""
    return abs(float(np.mean(original)) - float(np.mean(edited)))


@dataclass(frozen=True)
class Mirror:
    """Answers with the input, mirrored."""

    name: str = "mirror"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        path = folder / "mirror.png"
        write_png(path, read_image(sample.image)[:, ::-1])
        return Edit(sample=sample.id, editor=self.name, path=path)


def mirror(samples: Sequence[Sample], **settings: Any) -> Mirror:
    """The input, mirrored."""
    return Mirror()
