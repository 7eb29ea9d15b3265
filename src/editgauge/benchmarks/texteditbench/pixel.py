"""TextEditBench's pixel track without LPIPS: MSE and PSNR after alignment, SSIM, all outside the
masks.

Source: the benchmark's released scoring scripts (MSE and PSNR; SSIM and LPIPS), as docs and tests
describe them.

=========  =================================================  ========================================================
metric     faithful                                           corrected
=========  =================================================  ========================================================
mse, psnr  both pictures as their EXIF orientation shows      pixels as stored; otherwise the same value: the defects
           them (the script reads through OpenCV), outside    of these two lie in their means (`metrics.error`); no
           the masks that are there; the value that a fresh   value when a mask is missing
           process of the script gives
ssim       masked area black in both, mean over the whole     mean over the windows that touch no masked pixel; an
           frame: rises with the size of the mask, and is 1   output of another size is resized to the input
           when all is masked; no value when the output has   (Lanczos), noted in the row's detail
           another size than the input, or there is not
           exactly one mask beside the input's
=========  =================================================  ========================================================

No value: `not_applicable` when the definition gives none for this output (another size for faithful
SSIM, a picture below 6 x 6, an input without SIFT features); `failed` when the output cannot be
aligned; `dataset_fault` when the masks leave nothing to compare, cannot be read, or are not the
ones that there should be.

The paper (4.1) says that synthetic samples are compared with their reference edit; the released
code compares every sample with its input. `PixelScorer` follows the code, `ReferencePixelScorer`
the paper: the same definitions with the reference in the input's place, as metrics of their own
(``reference_mse``…), for samples that have one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from editgauge.benchmarks.texteditbench.facts import PIXEL, REFERENCE, REFERENCE_PIXEL
from editgauge.errors import ImageError
from editgauge.images import Array, read_image, read_mask
from editgauge.metrics.outside import outside_difference
from editgauge.metrics.ssim import GAUSSIAN, ssim, ssim_means
from editgauge.scoring import NoScore
from editgauge.scoring.pixel import (
    Source,
    aligned_mse,
    clear_ssim,
    corrected_mse,
    need_clear,
    pixel_origin,
    read_output,
    reference_source_of,
    score_or_reason,
    source_of,
    squared_error_scores,
)
from editgauge.scoring.scorer import Scorer
from editgauge.types import Edit, Metric, Sample, Score, Status, Track, not_scored

NO_REFERENCE = "the sample has no reference edit"


@dataclass(frozen=True, slots=True)
class PixelScorer(Scorer):
    """MSE, PSNR and SSIM outside the masks, faithful and corrected (see the module)."""

    name: str = "pixel"
    track: Track = "pixel"
    metrics: tuple[Metric, ...] = PIXEL
    inputs: tuple[str, ...] = ("images", "masks")

    def origin(self) -> dict[str, Any]:
        return pixel_origin()

    def score(self, sample: Sample, edit: Edit) -> list[Score]:
        try:
            source = source_of(sample)
            output, orientation = read_output(edit)
        except NoScore as why:
            return not_scored(self.metrics, why.status, why.reason)
        return [*_errors(source, output, orientation), *_similarities(source, output)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePixelScorer(Scorer):
    """The same against the reference edit, for samples that have one (see the module)."""

    name: str = "pixel-reference"
    track: Track = "pixel"
    metrics: tuple[Metric, ...] = REFERENCE_PIXEL
    inputs: tuple[str, ...] = ("reference", "masks")

    def origin(self) -> dict[str, Any]:
        return pixel_origin()

    def applies(self, sample: Sample) -> str | None:
        return NO_REFERENCE if sample.reference is None else None

    def score(self, sample: Sample, edit: Edit) -> list[Score]:
        try:
            source = reference_source_of(sample)
            output, orientation = read_output(edit)
        except NoScore as why:
            return not_scored(self.metrics, why.status, why.reason)
        found = [*_errors(source, output, orientation), *_similarities(source, output)]
        return [replace(score, metric=f"{REFERENCE}{score.metric}") for score in found]


def _errors(source: Source, output: Array, orientation: int) -> list[Score]:
    faithful = squared_error_scores(
        "faithful", lambda: aligned_mse(source, output, orientation, turned=True)
    )
    if source.orientation == 1 and orientation == 1 and not source.missing:
        return [*faithful, *(_as_corrected(score) for score in faithful)]
    return [
        *faithful,
        *squared_error_scores("corrected", lambda: corrected_mse(source, output, orientation)),
    ]


def _as_corrected(score: Score) -> Score:
    return Score(
        metric=score.metric,
        value=score.value,
        variant="corrected",
        status=score.status,
        reason=score.reason,
        detail=score.detail,
    )


def _similarities(source: Source, output: Array) -> list[Score]:
    means: list[float] = []

    def faithful() -> tuple[float, dict[str, Any]]:
        check_released_conditions(source, output)
        area = source.area(source.picture.shape)
        black, edited = source.picture.copy(), output.copy()
        black[area] = edited[area] = 0
        if area.all() or not source.clear().any():
            return ssim(black, edited, GAUSSIAN), {"all_masked": bool(area.all())}
        means.extend(ssim_means(black, edited, GAUSSIAN, (None, source.clear())))
        return means[0], {}

    def corrected() -> tuple[float, dict[str, Any]]:
        need_clear(source.clear())
        return (means[1], {}) if means else clear_ssim(source, output)

    return [
        score_or_reason("ssim", "faithful", faithful),
        score_or_reason("ssim", "corrected", corrected),
    ]


def check_released_conditions(source: Source, output: Array) -> None:
    """Raise `NoScore` where the released script gives no SSIM: it wants five files of one size."""
    if len(source.masks) != 2 or "input" not in source.masks:
        found = ", ".join(source.masks) or "none"
        reason = f"the released code needs the input's mask and exactly one other, found: {found}"
        raise NoScore(Status.DATASET_FAULT, reason)
    height, width = source.picture.shape[:2]
    for name, mask in source.masks.items():
        if mask.shape != (height, width):
            reason = (
                f"the mask {name!r} is {mask.shape[1]} x {mask.shape[0]}, the input {width} "
                f"x {height}"
            )
            raise NoScore(Status.DATASET_FAULT, reason)
    if output.shape != source.picture.shape:
        reason = (
            f"the output is {output.shape[1]} x {output.shape[0]}, the input {width} x {height}: "
            f"the released code "
            "gives no value for another size (the corrected variant does)"
        )
        raise NoScore(Status.NOT_APPLICABLE, reason)


def scorers(**_: Any) -> list[PixelScorer | ReferencePixelScorer]:
    """The scorers of the track ``pixel``; there are no options."""
    return [PixelScorer(), ReferencePixelScorer()]


def measure(sample: Sample) -> Mapping[str, bool]:
    """``reference_outside``: whether the reference differs from the input outside the union of the
    sample's masks (`metrics.outside`: some block of 16 x 16 pixels by more than 6 of 255 levels).

    The same rule as ``editgauge check``. Empty for a sample without a reference, or where a file
    cannot be read or has another size than the input: nothing can be told there.
    """
    if sample.reference is None or not sample.masks:
        return {}
    try:
        image, reference = read_image(sample.image), read_image(sample.reference)
        masks = [read_mask(path) for path in sample.masks.values()]
    except ImageError:
        return {}
    if reference.shape != image.shape or any(mask.shape != image.shape[:2] for mask in masks):
        return {}
    outside = outside_difference(image, reference, np.logical_or.reduce(masks))
    return {"reference_outside": outside is not None}
