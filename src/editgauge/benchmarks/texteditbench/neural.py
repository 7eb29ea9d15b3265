"""TextEditBench's LPIPS: SqueezeNet, whole frames whose masked area was made black.

*Faithful*: input and output with the union of both masks set to black, compared whole; an output of
another size has no value. *Corrected*: an output of another size is resized to the input's
(Lanczos, and the row says so), and each layer's map is averaged only over positions whose cell
holds no masked pixel, because the black area, which is equal in both frames by construction,
otherwise counts as perfectly preserved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from editgauge.benchmarks.texteditbench.metrics import LPIPS
from editgauge.benchmarks.texteditbench.pixel import check_released_conditions
from editgauge.scoring.failures import NoScore
from editgauge.scoring.lpips import Frames, LpipsScorer
from editgauge.scoring.neural import place
from editgauge.scoring.pixel import NoScore as Unscored
from editgauge.scoring.pixel import fitted, read_output, source_of
from editgauge.types import Edit, Sample, Status


def scorers(**options: Any) -> list[LpipsScorer]:
    """LPIPS. Options in use: ``weights`` (folder), ``device``, ``precision``."""
    return [
        LpipsScorer(
            frames=frames,
            net="squeeze",
            inputs=("images", "masks"),
            metrics=(LPIPS,),
            **place(options),
        )
    ]


def frames(sample: Sample, edit: Edit) -> Frames:
    """Input and output with the masked area black, and the mask: the same area, and the same
    conditions, as SSIM's.

    Raises `scoring.NoScore` when a picture cannot be read or there is no mask.
    """
    try:
        source = source_of(sample)
        output, _ = read_output(edit)
        source.need_every_mask()
        mask = source.area(source.picture.shape)
    except Unscored as why:
        raise NoScore(why.status, why.reason) from why
    no_faithful = _why_not(lambda: check_released_conditions(source, output))
    no_corrected = _why_not(source.need_every_mask)
    same, detail = fitted(output, source.picture)
    black = mask[:, :, None]
    return Frames(
        np.where(black, 0, source.picture),
        np.where(black, 0, same),
        mask,
        no_faithful,
        no_corrected,
        detail,
    )


def _why_not(check: Callable[[], None]) -> tuple[Status, str] | None:
    try:
        check()
    except Unscored as why:
        return why.status, why.reason
    return None
