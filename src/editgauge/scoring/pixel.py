"""What the pixel scorers of several benchmarks share: a sample's pictures read once, and scores or
reasons. Pixels are as stored; masks are grey as OpenCV reads it, 128 and more = may change.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import cv2
import numpy as np

from editgauge.errors import ImageError
from editgauge.images import Array, Mask, oriented, read_header, read_image, read_luma, resize
from editgauge.metrics.align import Features, estimate_alignment, provenance, sift_features, warp
from editgauge.metrics.error import masked_mse, psnr_of_mse
from editgauge.metrics.ssim import GAUSSIAN, clear_windows, ssim, ssim_means
from editgauge.scoring import NoScore
from editgauge.scoring.metrics import BACKGROUND, REFERENCE
from editgauge.scoring.scorer import Scorer
from editgauge.types import (
    Edit,
    JsonMapping,
    JsonObject,
    Metric,
    Sample,
    Score,
    Status,
    Track,
    Variant,
)

VERSION = 2
"""Part of every pixel score's origin: raised when a change here changes a value."""
Detail = JsonObject
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class PixelScorer(Scorer):
    """Scores of pixels by a function of a module: `compute(sample, edit)`."""

    name: str
    metrics: tuple[Metric, ...]
    inputs: tuple[str, ...]
    compute: Callable[[Sample, Edit], Sequence[Score]]
    wants: tuple[str, ...] = ()
    track: Track = "pixel"

    def origin(self) -> JsonMapping:
        return {"version": VERSION, "numpy": np.__version__, **provenance()}

    def score(self, sample: Sample, edit: Edit) -> Sequence[Score]:
        return self.compute(sample, edit)


# -- reading ---------------------------------------------------------------------------------------


def kept(make: Callable[..., T]) -> Callable[..., T]:
    """Remember what a function made of files, for its last calls: outputs of several editors for
    one sample come one after the other. It is made anew when a file is another.
    """

    @functools.lru_cache(maxsize=3)
    def made(marks: tuple[object, ...], *arguments: Any) -> T:
        return make(*arguments)

    return lambda *arguments: made(tuple(map(_mark, arguments)), *arguments)


def _mark(path: object) -> object:
    try:
        state = os.stat(path) if isinstance(path, Path) else None
    except OSError:
        return None
    return state and (state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)


@dataclass(eq=False, kw_only=True)
class Source:
    """What depends on a sample alone: its input as stored, its EXIF orientation, every mask that
    has a file, at the file's own size, True = may change, and the names of those that have none.
    """

    picture: Array
    orientation: int
    masks: dict[str, Mask]
    missing: tuple[str, ...] = ()
    _features: dict[bool, Features] = field(default_factory=dict)
    _area: dict[tuple[int, ...], Mask] = field(default_factory=dict)

    def upright(self, turned: bool) -> Array:
        """The input as stored, or, with `turned`, as its EXIF orientation shows it."""
        return oriented(self.picture, self.orientation) if turned else self.picture

    def features(self, turned: bool) -> Features:
        turned = turned and self.orientation != 1  # else the same features
        if turned not in self._features:
            self._features[turned] = sift_features(self.upright(turned))
        return self._features[turned]

    def area(self, shape: tuple[int, ...]) -> Mask:
        """The union of the masks as an ndarray of `shape` = (H, W), True = may change; masks of
        another size go to the first mask's and then to the picture's, nearest neighbour, as in the
        released code. Raises `NoScore` when there is none.
        """
        size = shape[:2]
        if size not in self._area:
            if not self.masks:
                raise NoScore(Status.DATASET_FAULT, "no mask can be read")
            shape = next(iter(self.masks.values())).shape
            union = np.logical_or.reduce([_nearest(one, shape) for one in self.masks.values()])
            self._area[size] = _nearest(union, size)
        return self._area[size]

    def need_every_mask(self) -> None:
        """Raise `NoScore` where a mask is missing: the rest may have been meant to change."""
        if self.missing:
            names = " and ".join(map(repr, self.missing))
            why = f"no mask {names}: where the picture may change is not known"
            raise NoScore(Status.DATASET_FAULT, why)

    @functools.cached_property
    def clear(self) -> Mask:
        """The windows of Gaussian SSIM that touch no masked pixel. Raises `NoScore`."""
        self.need_every_mask()
        return clear_windows(self.area(self.picture.shape), GAUSSIAN)


def _nearest(mask: Mask, shape: tuple[int, ...]) -> Mask:
    if mask.shape == shape:
        return mask
    grey = mask.view(np.uint8)
    return np.asarray(cv2.resize(grey, shape[::-1], interpolation=cv2.INTER_NEAREST) > 0)


def source_of(sample: Sample, image: Path | None = None) -> Source:
    """The `Source` of a sample, or with another picture in the input's place. Masks come in the
    sample's order, ``input`` first. Raises `NoScore` when the picture, or a mask that is there,
    cannot be read.
    """
    names = sorted(sample.masks, key=lambda name: name != "input")
    return _source(tuple(names), image or sample.image, *(sample.masks[name] for name in names))


def reference_source_of(sample: Sample) -> Source:
    """As `source_of`, with the reference edit in the input's place."""
    reference_of(sample)
    return source_of(sample, sample.reference)


@kept
def _source(names: tuple[str, ...], image: Path, *paths: Path) -> Source:
    masks = dict(zip(names, paths, strict=True))
    try:
        return Source(
            picture=read_image(image),
            orientation=read_header(image).orientation,
            masks={n: read_luma(path) >= 128 for n, path in masks.items() if path.is_file()},
            missing=tuple(name for name, path in masks.items() if not path.is_file()),
        )
    except ImageError as error:
        raise NoScore(Status.DATASET_FAULT, str(error)) from error


@kept
def picture_of_set(path: Path) -> Array:
    """A picture of the data set, pixels as stored. Raises `NoScore` when it cannot be read."""
    try:
        return read_image(path)
    except ImageError as error:
        raise NoScore(Status.DATASET_FAULT, str(error)) from error


def reference_of(sample: Sample) -> Array:
    """The reference's picture, pixels as stored. Raises `NoScore` when there is none to read."""
    if sample.reference is None:
        raise NoScore(Status.NOT_APPLICABLE, "the sample has no reference")
    if lost := sample.lost("reference"):
        raise NoScore(Status.DATASET_FAULT, lost)
    return picture_of_set(sample.reference)


def read_output(edit: Edit) -> tuple[Array, int]:
    """An edit's picture, pixels as stored, and its EXIF orientation. Raises `NoScore`."""
    if edit.path is None:
        raise NoScore(Status.MISSING, edit.reason or "no output")
    try:
        return read_image(edit.path), read_header(edit.path).orientation
    except ImageError as error:
        raise NoScore(Status.UNREADABLE, str(error)) from error


def fitted(output: Array, size: tuple[int, int], how: str = "lanczos") -> tuple[Array, Detail]:
    """The output at `size` = (width, height), and what to note where it had another."""
    height, width = output.shape[:2]
    if (width, height) == size:
        return output, {}
    return resize(output, size, how), {"resized_from": f"{width}x{height}"}


def size_of(picture: Array | Mask) -> tuple[int, int]:
    """Width and height."""
    return picture.shape[1], picture.shape[0]


# -- measuring -------------------------------------------------------------------------------------


def aligned_mse(source: Source, output: Array, orientation: int, *, turned: bool) -> float:
    """The mean squared error outside the masks after laying the output over the input
    (metrics.align).

    `turned`: read both as their EXIF orientation shows them, as OpenCV (and with it the released
    script) does; else as stored, and every mask is wanted. Raises `NoScore`.
    """
    if not turned:
        source.need_every_mask()
    picture = source.upright(turned)
    edited = oriented(output, orientation) if turned else output
    background = ~source.area(picture.shape)
    if not background.any():
        why = "the masks cover the whole picture: nothing is left to compare"
        raise NoScore(Status.DATASET_FAULT, why)
    fixed = source.features(turned)
    if len(fixed) == 0:
        why = "the input has no SIFT features: nothing can be aligned to it"
        raise NoScore(Status.NOT_APPLICABLE, why)
    alignment = estimate_alignment(fixed, sift_features(edited))
    if alignment.matrix is None:
        why = f"the output cannot be aligned to the input: {alignment.reason}"
        raise NoScore(Status.FAILED, why)
    warped = warp(edited, alignment.matrix, size_of(picture))
    return masked_mse(picture, warped, mask=background)


def clear_ssim(source: Source, output: Array) -> tuple[float, Detail]:
    """Gaussian SSIM over windows without a masked pixel, at the input's size. Raises `NoScore`."""
    same, detail = fitted(output, size_of(source.picture))
    need_clear(source.clear)
    return ssim_means(source.picture, same, GAUSSIAN, (source.clear,))[0], detail


def need_clear(clear: Mask) -> None:
    """Raise `NoScore` when a mask leaves no window free."""
    if not clear.any():
        why = "no window is free of masked pixels: nothing is left to compare"
        raise NoScore(Status.DATASET_FAULT, why)


def squared_error_scores(variant: Variant, compute: Callable[[], float]) -> list[Score]:
    """The mean squared error and its PSNR, or one reason why there is neither."""
    try:
        mse = compute()
    except (NoScore, cv2.error) as error:  # OpenCV's: of memory, of a transform beyond its range
        message = f"the output cannot be laid over the input: {error}"
        why = error if isinstance(error, NoScore) else NoScore(Status.FAILED, message)
        return [why.score("mse", variant), why.score("psnr", variant)]
    return [Score(metric="mse", value=mse, variant=variant), psnr_score("psnr", mse, variant)]


def psnr_score(name: str, mse: float, variant: Variant, **detail: Any) -> Score:
    """A PSNR from its mean squared error; 0 gives the infinite score."""
    if mse == 0:
        return Score.infinite(name, variant, **detail)
    return Score(metric=name, value=psnr_of_mse(mse), variant=variant, detail=detail)


def score_or_reason(
    name: str, variant: Variant, compute: Callable[[], tuple[float, Detail]]
) -> Score:
    """One score from a value and its detail, or the reason why there is none."""
    try:
        value, detail = compute()
    except NoScore as why:
        return why.score(name, variant)
    except ValueError as error:  # of the metrics: below the window, or none left
        return NoScore(Status.NOT_APPLICABLE, str(error)).score(name, variant)
    return Score(metric=name, value=value, variant=variant, detail=detail)


# -- scorers for benchmarks that have masks or references, but no released pixel script ------------


def _outside_masks(sample: Sample, edit: Edit) -> list[Score]:
    source, (output, orientation) = source_of(sample), read_output(edit)
    error = functools.partial(aligned_mse, source, output, orientation, turned=False)
    return [
        *squared_error_scores("corrected", error),
        score_or_reason("ssim", "corrected", lambda: clear_ssim(source, output)),
    ]


def _to_reference(sample: Sample, edit: Edit) -> list[Score]:
    reference, (output, _) = reference_of(sample), read_output(edit)
    same, detail = fitted(output, size_of(reference))
    return [
        psnr_score("reference_psnr", masked_mse(reference, same), "corrected", **detail),
        score_or_reason(
            "reference_ssim", "corrected", lambda: (ssim(reference, same, GAUSSIAN), detail)
        ),
    ]


OUTSIDE_MASKS = PixelScorer(
    name="background",
    metrics=BACKGROUND,
    inputs=("images", "masks"),
    compute=_outside_masks,
    wants=("masks",),
)
"""What stayed as it was outside the masks: TextEditBench's corrected MSE, PSNR and SSIM."""
TO_REFERENCE = PixelScorer(
    name="reference",
    metrics=REFERENCE,
    inputs=("reference",),
    compute=_to_reference,
    wants=("reference",),
)
"""How near the output comes to the reference: PSNR and SSIM of the whole picture, at its size."""
