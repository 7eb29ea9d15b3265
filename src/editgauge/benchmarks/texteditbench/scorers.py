"""TextEditBench's scorers: MSE and PSNR after alignment, SSIM and LPIPS, all outside the masks.

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
lpips      the same black frames, SqueezeNet; no value where  each layer's map averaged over the positions whose cell
           SSIM has none                                      holds no masked pixel; resized as for SSIM
=========  =================================================  ========================================================

No value: `not_applicable` when the definition gives none for this output (another size for faithful
SSIM, a picture below 6 x 6, an input without SIFT features); `failed` when the output cannot be
aligned; `dataset_fault` when the masks leave nothing to compare, cannot be read, or are not the
ones that there should be.

The paper (4.1) says that synthetic samples are compared with their reference edit; the released
code compares every sample with its input. Scorers against the reference follow the paper: the same
definitions with the reference in the input's place, as metrics of their own (``reference_mse``…),
for samples that have one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from editgauge.benchmarks.texteditbench.facts import (
    LPIPS,
    PIXEL,
    REFERENCE,
    REFERENCE_LPIPS,
    REFERENCE_PIXEL,
)
from editgauge.errors import ImageError
from editgauge.images import Array, read_image, read_mask
from editgauge.metrics.outside import outside_difference
from editgauge.metrics.ssim import GAUSSIAN, ssim, ssim_means
from editgauge.scoring import NoScore
from editgauge.scoring.lpips import Frames, LpipsScorer
from editgauge.scoring.neural import place
from editgauge.scoring.pixel import (
    Source,
    aligned_mse,
    clear_ssim,
    corrected_mse,
    fitted,
    need_clear,
    pixel_origin,
    read_output,
    reference_source_of,
    score_or_reason,
    source_of,
    squared_error_scores,
)
from editgauge.scoring.scorer import Scorer
from editgauge.types import Edit, Metric, Sample, Score, Status, Track

NO_REFERENCE = "the sample has no reference edit"
Read = Callable[[Sample], Source]


# -- MSE, PSNR, SSIM -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PixelScorer(Scorer):
    """MSE, PSNR and SSIM outside the masks, faithful and corrected (see the module); `read` gives
    what the output is compared with, `prefix` begins the metrics' names.
    """

    name: str = "pixel"
    track: Track = "pixel"
    metrics: tuple[Metric, ...] = PIXEL
    inputs: tuple[str, ...] = ("images", "masks")
    read: Read = source_of
    prefix: str = ""

    def origin(self) -> dict[str, Any]:
        return pixel_origin()

    def applies(self, sample: Sample) -> str | None:
        return NO_REFERENCE if self.prefix and sample.reference is None else None

    def score(self, sample: Sample, edit: Edit) -> list[Score]:
        source, (output, orientation) = self.read(sample), read_output(edit)
        found = [*_errors(source, output, orientation), *_similarities(source, output)]
        return [replace(score, metric=f"{self.prefix}{score.metric}") for score in found]


def pixel(**_: Any) -> list[PixelScorer]:
    """Against the input (the released code) and against the reference edit (the paper, 4.1)."""
    reference = PixelScorer(
        name="pixel-reference",
        metrics=REFERENCE_PIXEL,
        inputs=("reference", "masks"),
        read=reference_source_of,
        prefix=REFERENCE,
    )
    return [PixelScorer(), reference]


def _errors(source: Source, output: Array, orientation: int) -> list[Score]:
    faithful = squared_error_scores(
        "faithful", lambda: aligned_mse(source, output, orientation, turned=True)
    )
    if source.orientation == 1 and orientation == 1 and not source.missing:
        return [*faithful, *(replace(score, variant="corrected") for score in faithful)]
    return [
        *faithful,
        *squared_error_scores("corrected", lambda: corrected_mse(source, output, orientation)),
    ]


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
            f"the released code gives no value for another size (the corrected variant does)"
        )
        raise NoScore(Status.NOT_APPLICABLE, reason)


# -- LPIPS -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceLpips(LpipsScorer):
    """LPIPS against the reference edit, for samples that have one (paper, 4.1)."""

    def applies(self, sample: Sample) -> str | None:
        return NO_REFERENCE if sample.reference is None else None


def lpips(**options: Any) -> list[LpipsScorer]:
    """LPIPS against the input (the released code) and against the reference edit (the paper).

    Options in use: ``weights`` (folder), ``device``, ``precision``.
    """
    settings: dict[str, Any] = {"net": "squeeze", **place(options)}
    return [
        LpipsScorer(frames=frames, inputs=("images", "masks"), metrics=(LPIPS,), **settings),
        ReferenceLpips(
            frames=partial(frames, read=reference_source_of),
            inputs=("reference", "masks"),
            metrics=(REFERENCE_LPIPS,),
            name="lpips-reference",
            **settings,
        ),
    ]


def frames(sample: Sample, edit: Edit, *, read: Read = source_of) -> Frames:
    """Input and output with the masked area black, and the mask: the same area, and the same
    conditions, as SSIM's.

    Raises `scoring.NoScore` when a picture cannot be read or there is no mask.
    """
    source = read(sample)
    output, _ = read_output(edit)
    source.need_every_mask()
    mask = source.area(source.picture.shape)
    no_faithful = None
    try:
        check_released_conditions(source, output)
    except NoScore as why:
        no_faithful = why.status, why.reason
    same, detail = fitted(output, source.picture)
    black = mask[:, :, None]
    return Frames(
        reference=np.where(black, 0, source.picture),
        output=np.where(black, 0, same),
        mask=mask,
        no_faithful=no_faithful,
        detail=detail,
    )


# -- what only a look at the pictures tells --------------------------------------------------------


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
