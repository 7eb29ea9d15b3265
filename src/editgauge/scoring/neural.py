"""LPIPS for benchmarks that have masks but no released script for it, and what all neural scorers
are told.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from editgauge.scoring.lpips import Frames, LpipsScorer
from editgauge.scoring.metrics import LPIPS
from editgauge.scoring.pixel import fitted, read_output, source_of
from editgauge.types import Edit, Sample


def place(options: dict[str, Any]) -> dict[str, Any]:
    """Where weights lie and networks run, out of a benchmark's options: the fields that every
    neural scorer has.
    """
    return {
        "folder": options.get("weights"),
        "device": options.get("device"),
        "precision": options.get("precision"),
    }


def lpips(**options: Any) -> list[LpipsScorer]:
    """For a benchmark's `scorers`. Options in use: ``weights``, ``device``, ``precision``."""
    inputs = ("images", "masks")
    return [
        LpipsScorer(frames=frames, net="squeeze", inputs=inputs, metrics=(LPIPS,), **place(options))
    ]


def frames(sample: Sample, edit: Edit) -> Frames:
    """Input and output with the masked area (if there is any) black. Raises `scoring.NoScore`."""
    source = source_of(sample)
    source.need_every_mask()
    output, _ = read_output(edit)
    mask = (
        source.area(source.picture.shape)
        if source.masks
        else np.zeros(source.picture.shape[:2], np.bool_)
    )
    same, detail = fitted(output, source.picture)
    black = mask[:, :, None]
    return Frames(
        reference=np.where(black, 0, source.picture),
        output=np.where(black, 0, same),
        mask=mask,
        detail=detail,
    )
