"""Neural metrics for benchmarks that have none of their own: what stayed outside the masks, likeness to text and
reference, beauty, and the whole set against its references. Not metrics of any paper.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from editgauge.benchmarks.common_pixel import NoScore as Unscored
from editgauge.benchmarks.common_pixel import fitted, read_output, source_of
from editgauge.models.clip_scorer import ClipScorer, Measure
from editgauge.models.fid_scorer import FidScorer
from editgauge.models.lpips_scorer import Frames, LpipsScorer
from editgauge.models.scoring import NoScore
from editgauge.types import Edit, Metric, Sample

LPIPS = Metric(
    "lpips", "lower", 0.0, math.inf, variants=("corrected",),
    note="SqueezeNet, v0.1 heads, against the input, over the positions outside the masks; other sizes are resized.",
)  # fmt: skip
MEASURES = (
    Measure(
        Metric("CLIP", "higher", 0.0, 2.5, note="2.5 · max(0, cos(output, caption)), CLIP ViT-L/14."),
        "clip_score",
        "caption",
    ),
    Measure(Metric("AES", "higher", 0.0, 10.0, note="LAION's linear aesthetic head on CLIP ViT-L/14."), "aesthetic"),
    Measure(Metric("isim", "higher", -1.0, 1.0, note="Cosine of the CLIP features of output and reference."), "image"),
    Measure(
        Metric("dalign_p", "higher", -1.0, 1.0, note="Cosine of (output - input) and instruction."),
        "direction",
        "instruction",
    ),
)


def place(options: dict[str, Any]) -> dict[str, Any]:
    """Where weights lie and networks run, out of a benchmark's options: the fields that every neural scorer has."""
    return {"folder": options.get("weights"), "device": options.get("device"), "precision": options.get("precision")}


def embedding(**options: Any) -> list[Any]:
    """For a benchmark's ``FACTORIES``. Options in use: ``weights``, ``cache``, ``device``, ``precision``."""
    here = place(options)
    return [
        LpipsScorer(frames=frames, net="squeeze", inputs=("images", "masks"), metrics=(LPIPS,), **here),
        ClipScorer(measures=MEASURES, cache=options.get("cache"), **here),
        FidScorer(cache=options.get("cache"), **here),
    ]


def frames(sample: Sample, edit: Edit) -> Frames:
    """Input and output with the masked area (if there is any) black. Raises `scoring.NoScore`."""
    try:
        source = source_of(sample)
        output, _ = read_output(edit)
        mask = source.area(source.picture.shape) if source.masks else np.zeros(source.picture.shape[:2], np.bool_)
    except Unscored as why:
        raise NoScore(why.status, why.reason) from why
    same, detail = fitted(output, source.picture)
    black = mask[:, :, None]
    return Frames(np.where(black, 0, source.picture), np.where(black, 0, same), mask, detail=detail)
