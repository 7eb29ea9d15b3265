"""MedEBench's scorers. Output and reference are resized to the input's size (bicubic), the mask with
nearest neighbours; EXIF orientation is not applied. Of masked SSIM (CP), *faithful* (the released
script) takes input and output times (1 - grey/255), cut down to whole levels, and the mean over the
whole frame; *corrected* the mean over the windows that touch no pixel of 128 or more, as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.benchmarks.medebench import facts
from editgauge.errors import ImageError
from editgauge.images import Array, Mask, read_grey, read_header, read_image, resize
from editgauge.metrics.error import masked_mse
from editgauge.metrics.ssim import UNIFORM, clear_windows, ssim, ssim_means
from editgauge.scoring import NoScore, pixel
from editgauge.scoring.adapter import AdapterScorer
from editgauge.scoring.lpips import Frames, LpipsScorer
from editgauge.scoring.neural import ClipScorer, FidScorer, Measure, place
from editgauge.scoring.scorer import Scorer
from editgauge.types import Edit, Sample, Score, Status

_LEVELS = np.arange(256, dtype=np.float32) / np.float32(255)
_DARKENED = ((_LEVELS[:, None] * (1 - _LEVELS)) * np.float32(255)).astype(np.uint8)


def darkened(picture: Array, grey: Array) -> Array:
    """`picture` times (1 - `grey`/255), in single precision, cut (not rounded) to whole levels.

    `picture`: ndarray of shape (H, W, 3), uint8; `grey`: ndarray of shape (H, W), uint8. The result
    has the picture's shape and type: 0 where grey is 255, the picture where it is 0.
    """
    return np.asarray(_DARKENED[picture, grey[:, :, None]])


@dataclass(frozen=True, slots=True, eq=False)
class _Region:
    """The mask at the input's size, and what follows from it and the input alone."""

    grey: Array
    dark: Array
    """The input, darkened by the mask."""
    clear: Mask
    binary: bool
    """Whether the mask has no shades: clear windows then see the same pixels in both variants."""


def _pixels(sample: Sample, edit: Edit) -> list[Score]:
    """Masked SSIM (CP), and PSNR and SSIM to the reference (see the module)."""
    picture = pixel.picture_of_set(sample.image)
    same, detail = pixel.fitted(pixel.read_output(edit)[0], pixel.size_of(picture), "bicubic")
    return [*_preservation(sample, picture, same, detail), *_nearness(sample, same, detail)]


def _preservation(
    sample: Sample, picture: Array, output: Array, detail: pixel.Detail
) -> list[Score]:
    shared: list[float] = []

    def faithful() -> tuple[float, pixel.Detail]:
        region = _region_of(sample)
        dark = darkened(output, region.grey)
        if region.binary and region.clear.any():  # one pass for both
            shared.extend(ssim_means(region.dark, dark, UNIFORM, (None, region.clear)))
            return shared[0], detail
        return ssim(region.dark, dark, UNIFORM), detail

    def corrected() -> tuple[float, pixel.Detail]:
        if shared:
            return shared[1], detail
        region = _region_of(sample)
        pixel.need_clear(region.clear)
        return ssim_means(picture, output, UNIFORM, (region.clear,))[0], detail

    return [
        pixel.score_or_reason("masked_ssim", "faithful", faithful),
        pixel.score_or_reason("masked_ssim", "corrected", corrected),
    ]


def _nearness(sample: Sample, output: Array, detail: pixel.Detail) -> list[Score]:
    try:
        reference, _ = pixel.fitted(pixel.reference_of(sample), pixel.size_of(output), "bicubic")
    except NoScore as why:
        return [why.score("psnr"), why.score("ssim_full")]
    return [
        pixel.psnr_score("psnr", masked_mse(reference, output), "faithful", **detail),
        pixel.score_or_reason(
            "ssim_full", "faithful", lambda: (ssim(reference, output, UNIFORM), detail)
        ),
    ]


def _region_of(sample: Sample) -> _Region:
    path = sample.masks.get("roi") or next(iter(sample.masks.values()), None)
    if path is None:
        raise NoScore(Status.DATASET_FAULT, "the sample has no region mask")
    if lost := sample.lost("mask"):
        raise NoScore(Status.DATASET_FAULT, lost)
    return _region(sample.image, path)


@pixel.kept
def _region(image: Path, mask: Path) -> _Region:
    picture = pixel.picture_of_set(image)
    try:
        grey = resize(read_grey(mask), pixel.size_of(picture), "nearest")
    except ImageError as error:
        raise NoScore(Status.DATASET_FAULT, str(error)) from error
    binary = not np.any((grey != 0) & (grey != 255))
    return _Region(grey, darkened(picture, grey), clear_windows(grey >= 128, UNIFORM), binary)


PIXELS = pixel.PixelScorer(
    name="pixel", metrics=facts.PIXEL, inputs=("images", "masks", "reference"), compute=_pixels
)


# -- networks --------------------------------------------------------------------------------------


def lpips(**options: Any) -> LpipsScorer:
    """LPIPS, which stands under ``pixel`` and ``embedding``. Options: ``weights``, ``device``."""
    inputs, metrics = ("images", "reference"), (facts.LPIPS,)
    return LpipsScorer(frames=frames, net="alex", inputs=inputs, metrics=metrics, **place(options))


def embedding(**options: Any) -> Sequence[Scorer]:
    """CLIP, ImageReward, MedCLIP and FID. Options in use: ``weights``, ``cache``, ``device``."""
    here = place(options)
    measures = (
        Measure(facts.ISIM, "image"),
        Measure(facts.TALIGN_P, "text", "instruction"),
        Measure(facts.TALIGN_D, "text", "change"),
        Measure(facts.DALIGN_P, "direction", "instruction"),
        Measure(facts.DALIGN_D, "direction", "change"),
        Measure(facts.CLIP_INSTRUCTION, "input", "instruction"),
    )
    return [
        ClipScorer(measures=measures, **here),
        *(
            AdapterScorer(
                name=title.lower(),
                title=title,
                metrics=metrics,
                inputs=("instruction", "change"),
            )
            for title, metrics in (("ImageReward", facts.IMAGEREWARD), ("MedCLIP", facts.MEDCLIP))
        ),
        FidScorer(**here),
    ]


def frames(sample: Sample, edit: Edit) -> Frames:
    """Reference and output at the input's size. Raises `NoScore`, and `ImageError` as reading does."""
    if edit.path is None:
        raise NoScore(edit.status, edit.reason)
    if sample.reference is None:
        raise NoScore(Status.NOT_APPLICABLE, "the sample has no reference")
    header = read_header(sample.image)
    size = (header.width, header.height)
    output, detail = pixel.fitted(read_image(edit.path), size, "bicubic")
    reference = resize(read_image(sample.reference), size, "bicubic")
    return Frames(reference=reference, output=output, detail=detail)
