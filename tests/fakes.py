"""An editor that paints, several samples at once, and scores as a worker takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.images import read_header, write_png
from editgauge.scoring import failure
from editgauge.scoring.scorer import Scorer
from editgauge.testing import make_sample
from editgauge.types import Edit, Sample, Score, not_scored


@dataclass(frozen=True, slots=True)
class ConstantEditor:
    """An editor that answers every sample with a grey picture of the input's size."""

    name: str = "constant"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        header, path = read_header(sample.image), folder / "constant.png"
        write_png(path, np.full((header.height, header.width, 3), 128, np.uint8))
        return Edit(sample=sample.id, editor=self.name, path=path)


def make_samples(folder: Path, count: int, **fields: Any) -> Sequence[Sample]:
    """`count` samples as `make_sample` makes them: ``sample-1``, ``sample-2``…"""
    return [make_sample(folder, f"sample-{number}", **fields) for number in range(1, count + 1)]


def scored(scorer: Scorer, sample: Sample, edit: Edit) -> Sequence[Score]:
    """What a scorer raises is a status and a reason."""
    try:
        return scorer.score(sample, edit)
    except Exception as error:
        return not_scored(scorer.metrics, *failure(error, edit))
