"""Change grounding: where an output differs from its input, against where it should have. Of every
editor, from pixels alone.

Input and output are brought to at most `SIDE` pixels (bicubic). Where SIFT finds a similarity
transform after which fewer pixels differ, the output is laid over the input with it: a picture that
came back shifted has not changed everywhere. The map is the mean absolute difference of the three
channels in 8-bit levels, blurred, so that the grain of a decoder is no edit. What lies below
`FLOOR` counts as unchanged: an output that is the input has no region, and its IoU is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from editgauge.diagnosis.metrics import CHANGE, VERSION, scores
from editgauge.images import Array, Mask, resize
from editgauge.metrics import PEAK, Floats
from editgauge.metrics.align import estimate_alignment, provenance, sift_features, warp
from editgauge.metrics.grounding import ALPHA, cut, grounding
from editgauge.scoring import NoScore
from editgauge.scoring.pixel import Source, read_output, source_of
from editgauge.scoring.scorer import Scorer
from editgauge.types import Edit, JsonObject, Metric, Sample, Score, Status, Track, not_scored

SIDE = 512
"""The longer side at which pictures are compared, the width of MedEBench's."""
FLOOR = 10.0
"""Blurred mean differences up to this many 8-bit levels are no change."""
BLUR = 1 / 128
"""The standard deviation of the blur over the longer side: 4 pixels at 512."""
BETTER = 0.95
"""Aligning is kept where it leaves less than this share of the pixels that differ; no median: most
of a scan is its black ground, which is the same wherever it lies.
"""


def change_map(picture: Array, output: Array) -> tuple[Floats, bool]:
    """Where an output differs from its input, two pictures of shape (H, W, 3), uint8: shape (H, W),
    blurred, in 8-bit levels, 0 to 255; and whether the output was moved before.
    """
    plain = _difference(picture, output)
    matrix = estimate_alignment(sift_features(picture), sift_features(output)).matrix
    if matrix is not None:
        height, width = picture.shape[:2]
        other = _difference(picture, warp(output, matrix, (width, height)))
        if np.count_nonzero(other > FLOOR) < BETTER * np.count_nonzero(plain > FLOOR):
            return other, True
    return plain, False


def _difference(picture: Array, output: Array) -> Floats:
    values = np.asarray(cv2.absdiff(picture, output).mean(axis=2), dtype=np.float64)
    sigma = BLUR * max(values.shape)
    return np.asarray(cv2.GaussianBlur(values, (0, 0), sigma), dtype=np.float64).clip(0.0, 255.0)


def changed_region(
    values: Floats, alpha: float = ALPHA, floor: float = FLOOR
) -> tuple[Mask, float]:
    """The pixels over `alpha` times Otsu's threshold of the normalised map and over `floor` levels;
    that cut, on the normalised scale.
    """
    region, level = cut(values, alpha)
    return np.asarray(region & (values > floor)), level


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeScorer(Scorer):
    """Change grounding (see the module), one row for each metric of `CHANGE`."""

    alpha: float = ALPHA
    floor: float = FLOOR
    name: str = "change_grounding"
    track: Track = "diagnosis"
    metrics: tuple[Metric, ...] = CHANGE
    inputs: tuple[str, ...] = ("images", "masks")

    def origin(self) -> JsonObject:
        told = {"alpha": self.alpha, "floor": self.floor}
        return {"version": VERSION, **told, **provenance()}

    def applies(self, sample: Sample) -> str | None:
        return None if sample.masks else "the sample has no mask of where it should change"

    def score(self, sample: Sample, edit: Edit) -> list[Score]:
        try:
            source = masked_source(sample)
            output, _ = read_output(edit)
        except NoScore as why:
            return not_scored(self.metrics, why.status, why.reason)
        height, width = source.picture.shape[:2]
        share = min(1.0, SIDE / max(height, width))
        size = (max(1, round(width * share)), max(1, round(height * share)))
        picture = resize(source.picture, size, "bicubic")
        mask = resize(source.area((height, width)).astype(np.uint8), size, "nearest").astype(bool)
        if not mask.any():
            reason = "the mask marks no pixel: there is no region to find"
            return not_scored(self.metrics, Status.DATASET_FAULT, reason)
        values, aligned = change_map(picture, resize(output, size, "bicubic"))
        region, level = changed_region(values, self.alpha, self.floor)
        overlap = grounding(values, mask, region, level)
        low, high = float(values.min()), float(values.max())
        detail: JsonObject = {
            "largest": round(high, 2),
            "aligned": aligned,
            "cut": round(max(self.floor, low + level * (high - low)) / PEAK, 6),
        }
        if output.shape[:2] != (height, width):
            detail["resized_from"] = f"{output.shape[1]}x{output.shape[0]}"
        return scores(self.metrics, overlap, values, PEAK, **detail)


def masked_source(sample: Sample) -> Source:
    """The input and the masks of a sample. Raises `NoScore` where either cannot be read."""
    if lost := sample.lost("mask"):
        raise NoScore(Status.DATASET_FAULT, lost)
    source = source_of(sample)
    source.need_every_mask()
    return source


def scorers(**_: Any) -> list[ChangeScorer]:
    """The scorers that need no access to the model."""
    return [ChangeScorer()]
