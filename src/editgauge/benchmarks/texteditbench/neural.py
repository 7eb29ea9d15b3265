"""TextEditBench's LPIPS: SqueezeNet, whole frames whose masked area was made black.

*Faithful*: input and output with the union of both masks set to black, compared whole; an output of another size has no
value. *Corrected*: an output of another size is resized to the input's (Lanczos, and the row says so), and each layer's
map is averaged only over positions whose cell holds no masked pixel, because the black area, which is equal in both
frames by construction, otherwise counts as perfectly preserved.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from editgauge.images import Mask, read_image, read_mask, resize
from editgauge.models.lpips_scorer import Frames, LpipsScorer
from editgauge.models.scoring import NoScore
from editgauge.types import Edit, Metric, Sample, Status

LPIPS = Metric(
    "lpips",
    "lower",
    0.0,
    math.inf,
    variants=("faithful", "corrected"),
    note="SqueezeNet, v0.1 heads, masked area black. Faithful averages the whole frame, so that the black area counts "
    "as preserved, and has no value for another size; corrected averages unmasked positions and resizes (Lanczos).",
)


def scorers(**options: Any) -> list[LpipsScorer]:
    """LPIPS. Options in use: ``weights`` (folder), ``device``, ``precision``."""
    return [
        LpipsScorer(
            frames=frames,
            net="squeeze",
            inputs=("images", "masks"),
            metrics=(LPIPS,),
            folder=options.get("weights"),
            device=options.get("device"),
            precision=options.get("precision"),
        )
    ]


def frames(sample: Sample, edit: Edit) -> Frames:
    """Input and output with the masked area black, and the mask.

    Raises `NoScore` without the input mask and exactly one other, `ImageError` for files that cannot be read.
    """
    if edit.path is None:
        raise NoScore(edit.status, edit.reason)
    original = read_image(sample.image)
    mask = _union(sample, (original.shape[1], original.shape[0]))
    output = read_image(edit.path)
    no_faithful, detail = "", {}
    if output.shape != original.shape:
        size = f"{output.shape[1]} x {output.shape[0]}"
        wanted = f"{original.shape[1]} x {original.shape[0]}"
        no_faithful = f"the output is {size}, the input {wanted}"
        detail = {"resized": f"{size} to {wanted}, Lanczos"}
        output = resize(output, (original.shape[1], original.shape[0]), "lanczos")
    black = mask[:, :, None]
    return Frames(np.where(black, 0, original), np.where(black, 0, output), mask, no_faithful, detail)


def _union(sample: Sample, size: tuple[int, int]) -> Mask:
    """The union of the input mask and the one other mask, at the input's size (nearest)."""
    if "input" not in sample.masks or len(sample.masks) != 2:
        raise NoScore(
            Status.DATASET_FAULT,
            f"wanted the input mask and exactly one other, found {', '.join(sorted(sample.masks)) or 'none'}",
        )
    union = np.zeros((size[1], size[0]), np.bool_)
    for path in sample.masks.values():
        mask = read_mask(path)
        if mask.shape != union.shape:
            mask = resize(mask.astype(np.uint8), size, "nearest").astype(np.bool_)
        union |= mask
    return union
