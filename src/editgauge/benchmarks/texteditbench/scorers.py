"""TextEditBench's scorers: MSE and PSNR after alignment, SSIM and LPIPS, all outside the masks, each
faithful to the released scripts and corrected (the table is in docs/protocols/texteditbench.md).

The paper (4.1) says that synthetic samples are compared with their reference edit; the released
code compares every sample with its input. Scorers against the reference follow the paper: the same
definitions with the reference in the input's place (``reference_mse``…).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from editgauge.benchmarks.texteditbench import facts
from editgauge.errors import ImageError
from editgauge.images import Array, read_image, read_mask
from editgauge.metrics.outside import outside_difference
from editgauge.metrics.ssim import GAUSSIAN, ssim, ssim_means
from editgauge.scoring import NoScore, pixel
from editgauge.scoring.lpips import LpipsScorer, black_frames
from editgauge.scoring.neural import place
from editgauge.types import Edit, Sample, Score, Status


def _outside(sample: Sample, edit: Edit, *, of_reference: bool = False) -> list[Score]:
    """MSE, PSNR and SSIM outside the masks, against the input or the reference."""
    source = pixel.reference_source_of(sample) if of_reference else pixel.source_of(sample)
    output, orientation = pixel.read_output(edit)
    scores = [*_errors(source, output, orientation), *_similarities(source, output)]
    prefix = facts.REFERENCE if of_reference else ""
    return [replace(score, metric=f"{prefix}{score.metric}") for score in scores]


def _errors(source: pixel.Source, output: Array, orientation: int) -> list[Score]:
    faithful, corrected = (
        partial(pixel.aligned_mse, source, output, orientation, turned=turned)
        for turned in (True, False)
    )
    scores = pixel.squared_error_scores("faithful", faithful)
    if source.orientation == 1 and orientation == 1 and not source.missing:
        return [*scores, *(replace(score, variant="corrected") for score in scores)]
    return [*scores, *pixel.squared_error_scores("corrected", corrected)]


def _similarities(source: pixel.Source, output: Array) -> list[Score]:
    means: list[float] = []

    def faithful() -> tuple[float, pixel.Detail]:
        check_released_conditions(source, output)
        area = source.area(source.picture.shape)
        black, edited = source.picture.copy(), output.copy()
        black[area] = edited[area] = 0
        if not source.clear.any():
            return ssim(black, edited, GAUSSIAN), {"all_masked": bool(area.all())}
        means.extend(ssim_means(black, edited, GAUSSIAN, (None, source.clear)))
        return means[0], {}

    def corrected() -> tuple[float, pixel.Detail]:
        pixel.need_clear(source.clear)
        return (means[1], {}) if means else pixel.clear_ssim(source, output)

    return [
        pixel.score_or_reason("ssim", "faithful", faithful),
        pixel.score_or_reason("ssim", "corrected", corrected),
    ]


def check_released_conditions(source: pixel.Source, output: Array) -> None:
    """Raise `NoScore` where the released script gives no SSIM: it wants five files of one size."""
    if len(source.masks) != 2 or "input" not in source.masks:
        found = ", ".join(source.masks) or "none"
        reason = f"the released code needs the input's mask and exactly one other, found: {found}"
        raise NoScore(Status.DATASET_FAULT, reason)
    wanted = "{} x {}".format(*pixel.size_of(source.picture))
    for name, mask in source.masks.items():
        if mask.shape != source.picture.shape[:2]:
            found = "{} x {}".format(*pixel.size_of(mask))
            reason = f"the mask {name!r} is {found}, the input {wanted}"
            raise NoScore(Status.DATASET_FAULT, reason)
    if output.shape != source.picture.shape:
        reason = (
            f"the output is {'{} x {}'.format(*pixel.size_of(output))}, the input {wanted}: "
            f"the released code gives no value for another size (the corrected variant does)"
        )
        raise NoScore(Status.NOT_APPLICABLE, reason)


AGAINST_INPUT = pixel.PixelScorer(
    name="pixel", metrics=facts.PIXEL, inputs=("images", "masks"), compute=_outside
)
"""The released code."""
AGAINST_REFERENCE = pixel.PixelScorer(
    name="pixel-reference",
    metrics=facts.REFERENCE_PIXEL,
    inputs=("reference", "masks"),
    compute=partial(_outside, of_reference=True),
    wants=("reference",),
)
"""The paper, 4.1."""


def lpips(**options: Any) -> list[LpipsScorer]:
    """LPIPS against the input (the released code) and against the reference edit (the paper).

    Options in use: ``weights`` (folder), ``device``.
    """
    frames = partial(black_frames, released=check_released_conditions)
    against_input = LpipsScorer(
        frames=frames,
        net="squeeze",
        inputs=("images", "masks"),
        metrics=(facts.LPIPS,),
        **place(options),
    )
    against_reference = replace(
        against_input,
        frames=partial(frames, read=pixel.reference_source_of),
        inputs=("reference", "masks"),
        metrics=(facts.REFERENCE_LPIPS,),
        wants=("reference",),
        name="lpips-reference",
    )
    return [against_input, against_reference]


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
