"""MedEBench's scorers: contextual preservation (masked SSIM), PSNR, SSIM and LPIPS to the reference,
CLIP similarities with prompt (P) and change description (D), ImageReward, MedCLIP, and FID.

Source: the benchmark's released evaluation script. Output and reference are resized to the input's
size (bicubic), the mask with nearest neighbours; pictures and masks as Pillow reads them, EXIF
orientation not applied.

============  ==================================================  ==================================================
metric        faithful                                            corrected
============  ==================================================  ==================================================
masked_ssim   input and output times (1 - grey/255), cut down to  both as they are, mean over the windows that touch
(CP)          whole levels, mean over the whole frame: rises      no pixel whose grey is 128 or more
              with the size of the mask
psnr          output and reference, whole frame                   (the same: its defect, the infinite value of an
                                                                  identical pair, is one of the
                                                                  mean)
ssim_full     output and reference, whole frame                   (the same)
============  ==================================================  ==================================================

SSIM is scikit-image's, 7 x 7 uniform (`metrics.ssim.UNIFORM`). No value: `not_applicable` below 7 x
7, `dataset_fault` when input, mask or reference cannot be read or the mask leaves nothing to
compare.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from editgauge.benchmarks.medebench.facts import (
    CLIP_INSTRUCTION,
    DALIGN_D,
    DALIGN_P,
    IMAGEREWARD,
    ISIM,
    LPIPS,
    MEDCLIP,
    PIXEL,
    TALIGN_D,
    TALIGN_P,
)
from editgauge.errors import ImageError
from editgauge.images import Array, Mask, read_grey, read_header, read_image, resize
from editgauge.metrics.error import masked_mse
from editgauge.metrics.ssim import UNIFORM, clear_windows, ssim, ssim_means
from editgauge.scoring import NoScore
from editgauge.scoring.adapter import AdapterScorer
from editgauge.scoring.lpips import Frames, LpipsScorer
from editgauge.scoring.neural import ClipScorer, FidScorer, Measure, place
from editgauge.scoring.pixel import (
    kept,
    need_clear,
    picture_of_set,
    pixel_origin,
    psnr_score,
    read_output,
    score_or_reason,
)
from editgauge.scoring.scorer import Scorer
from editgauge.types import Edit, Metric, Sample, Score, Status, Track


def darkened(picture: Array, grey: Array) -> Array:
    """`picture` times (1 - `grey`/255), in single precision, cut (not rounded) to whole levels.

    `picture`: ndarray of shape (H, W, 3), uint8; `grey`: ndarray of shape (H, W), uint8. The result
    has the picture's shape and type: 0 where grey is 255, the picture where it is 0.
    """
    if not np.any((grey != 0) & (grey != 255)):
        return np.asarray(picture * (grey == 0)[:, :, None], dtype=np.uint8)
    return _DARKENED[picture, grey[:, :, None]]


def _darkened_table() -> npt.NDArray[np.uint8]:
    levels = np.arange(256, dtype=np.float32) / np.float32(255)
    return ((levels[:, None] * (1 - levels)) * np.float32(255)).astype(np.uint8)


_DARKENED = _darkened_table()


@dataclass(frozen=True, slots=True, eq=False)
class _Region:
    """The mask at the input's size, and what follows from it and the input alone."""

    grey: Array
    dark: Array
    """The input, darkened by the mask."""
    clear: Mask


@dataclass(frozen=True, slots=True)
class PixelScorer(Scorer):
    """Masked SSIM (CP), and PSNR and SSIM to the reference (see the module)."""

    name: str = "pixel"
    track: Track = "pixel"
    metrics: tuple[Metric, ...] = PIXEL
    inputs: tuple[str, ...] = ("images", "masks", "reference")

    def origin(self) -> dict[str, Any]:
        return pixel_origin()

    def score(self, sample: Sample, edit: Edit) -> list[Score]:
        picture, (output, _) = picture_of_set(sample.image), read_output(edit)
        size = (picture.shape[1], picture.shape[0])
        detail = _resized(output, size)
        same = resize(output, size, "bicubic")
        return [
            *_preservation(sample, picture, same, detail),
            *_nearness(sample, same, size, detail),
        ]


def _resized(output: Array, size: tuple[int, int]) -> dict[str, Any]:
    """What to note about an output of another size (width, height)."""
    height, width = output.shape[:2]
    return {} if (width, height) == size else {"resized_from": f"{width}x{height}"}


def _preservation(
    sample: Sample, picture: Array, output: Array, detail: dict[str, Any]
) -> list[Score]:
    shared: list[float] = []

    def faithful() -> tuple[float, dict[str, Any]]:
        region = _region_of(sample)
        dark = darkened(output, region.grey)
        binary = not np.any((region.grey != 0) & (region.grey != 255))
        if (
            binary and region.clear.any()
        ):  # then clear windows see the same pixels in both variants: one pass
            shared.extend(ssim_means(region.dark, dark, UNIFORM, (None, region.clear)))
            return shared[0], detail
        return ssim(region.dark, dark, UNIFORM), detail

    def corrected() -> tuple[float, dict[str, Any]]:
        if shared:
            return shared[1], detail
        region = _region_of(sample)
        need_clear(region.clear)
        return ssim_means(picture, output, UNIFORM, (region.clear,))[0], detail

    return [
        score_or_reason("masked_ssim", "faithful", faithful),
        score_or_reason("masked_ssim", "corrected", corrected),
    ]


def _nearness(
    sample: Sample, output: Array, size: tuple[int, int], detail: dict[str, Any]
) -> list[Score]:
    try:
        reference = _reference(sample, size)
    except NoScore as why:
        return [
            Score(metric=name, value=None, variant="faithful", status=why.status, reason=why.reason)
            for name in ("psnr", "ssim_full")
        ]
    return [
        psnr_score("psnr", masked_mse(reference, output), "faithful", **detail),
        score_or_reason(
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


@kept
def _region(image: Path, mask: Path) -> _Region:
    picture = picture_of_set(image)
    try:
        grey = resize(read_grey(mask), (picture.shape[1], picture.shape[0]), "nearest")
    except ImageError as error:
        raise NoScore(Status.DATASET_FAULT, str(error)) from error
    return _Region(grey, darkened(picture, grey), clear_windows(grey >= 128, UNIFORM))


def _reference(sample: Sample, size: tuple[int, int]) -> Array:
    if sample.reference is None:
        raise NoScore(Status.NOT_APPLICABLE, "the sample has no reference")
    if lost := sample.lost("reference"):
        raise NoScore(Status.DATASET_FAULT, lost)
    return _sized(sample.reference, size)


@kept
def _sized(path: Path, size: tuple[int, int]) -> Array:
    return resize(picture_of_set(path), size, "bicubic")


def pixel(**_: Any) -> list[PixelScorer]:
    """The scorer of the track ``pixel`` without LPIPS; there are no options."""
    return [PixelScorer()]


# -- networks --------------------------------------------------------------------------------------

MEASURES = (
    Measure(ISIM, "image"),
    Measure(TALIGN_P, "text", "instruction"),
    Measure(TALIGN_D, "text", "change"),
    Measure(DALIGN_P, "direction", "instruction"),
    Measure(DALIGN_D, "direction", "change"),
    Measure(CLIP_INSTRUCTION, "input", "instruction"),
)


def lpips(**options: Any) -> list[LpipsScorer]:
    """LPIPS, which stands under ``pixel`` and ``embedding``. Options: ``weights``, ``device``,
    ``precision``.
    """
    return [
        LpipsScorer(
            frames=frames,
            net="alex",
            inputs=("images", "reference"),
            metrics=(LPIPS,),
            **place(options),
        )
    ]


def embedding(**options: Any) -> list[Any]:
    """CLIP, ImageReward, MedCLIP and FID. Options in use: ``weights``, ``cache``, ``device``,
    ``precision``.
    """
    here = place(options)
    return [
        ClipScorer(measures=MEASURES, **here),
        _adapter("imagereward", "ImageReward", IMAGEREWARD),
        _adapter("medclip", "MedCLIP", MEDCLIP),
        FidScorer(**here),
    ]


def _adapter(name: str, title: str, metrics: tuple[Metric, ...]) -> AdapterScorer:
    return AdapterScorer(
        name=name,
        title=title,
        variable=f"EDITGAUGE_{name.upper()}",
        example=f"examples/{name}_adapter.py",
        measures=tuple(zip(metrics, ("instruction", "change"), strict=True)),
    )


def frames(sample: Sample, edit: Edit) -> Frames:
    """Reference and output at the input's size. Raises `NoScore` without a reference, `ImageError`
    as reading does.
    """
    if edit.path is None:
        raise NoScore(edit.status, edit.reason)
    if sample.reference is None:
        raise NoScore(Status.NOT_APPLICABLE, "the sample has no reference")
    header = read_header(sample.image)
    size = (header.width, header.height)
    reference, output = read_image(sample.reference), read_image(edit.path)
    return Frames(
        reference=resize(reference, size, "bicubic"),
        output=resize(output, size, "bicubic"),
        detail=_resized(output, size),
    )
