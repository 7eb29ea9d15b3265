"""What the pixel scorers of several benchmarks share: a sample's pictures read once, and scores or
reasons.

Pixels are as stored (see `editgauge.images`); masks are grey as OpenCV reads it, 128 and more = may
change. What depends on a sample alone – decoded pictures, masks, SIFT features – is kept for the
last few samples of a process: outputs of several editors for one sample are scored one after the
other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.errors import ImageError
from editgauge.images import (
    Array,
    Mask,
    free_memory,
    memory_limit,
    oriented,
    read_header,
    read_image,
    read_luma,
    resize,
)
from editgauge.metrics.align import Features, estimate_alignment, provenance, sift_features, warp
from editgauge.metrics.error import masked_mse, psnr_of_mse
from editgauge.metrics.ssim import GAUSSIAN, clear_windows, ssim, ssim_means
from editgauge.scoring import NoScore
from editgauge.scoring.metrics import BACKGROUND, REFERENCE
from editgauge.scoring.scorer import Scorer
from editgauge.types import Edit, Metric, Sample, Score, Status, Track, Variant

VERSION = 2
"""Part of every pixel score's origin: raised when a change here changes a value."""
ALIGN_BYTES = 270
"""Bytes a pixel that an alignment takes at its peak: SIFT's pyramids, above all. Measured with 2.5
to 16 million pixels. A picture for which `images.free_memory` is too small gets a reason instead.
"""

P = ParamSpec("P")
T = TypeVar("T")


def kept(make: Callable[P, T]) -> Callable[P, T]:
    """Remember what a function made of files, for its last two calls: few, because samples come
    one after the other. It is made anew when a file is another by its time, size or number.
    """

    @functools.lru_cache(maxsize=2)
    def made(marks: tuple[object, ...], *arguments: P.args, **named: P.kwargs) -> T:
        del marks
        return make(*arguments, **named)

    @functools.wraps(make)
    def call(*arguments: P.args, **named: P.kwargs) -> T:
        marks = tuple(_mark(one) for one in arguments if isinstance(one, Path))
        return made(marks, *arguments, **named)  # type: ignore[arg-type]

    return call


def _mark(path: Path) -> tuple[int, ...]:
    """What tells one state of a file from another; nothing where there is none."""
    try:
        state = path.stat()
    except OSError:
        return ()
    return state.st_mtime_ns, state.st_size, state.st_ino


@dataclass(slots=True, eq=False, kw_only=True)
class Source:
    """What depends on a sample alone: its input, and where it may change."""

    picture: Array
    """The input, pixels as stored."""
    orientation: int
    """Its EXIF orientation, not applied to `picture`."""
    masks: dict[str, Mask]
    """Every mask that has a file, at the file's own size, True = may change."""
    missing: tuple[str, ...] = ()
    """The masks that should be there and have no file."""
    _features: dict[bool, Features] = field(default_factory=dict)
    _area: dict[tuple[int, int], Mask] = field(default_factory=dict)
    _windows: Mask | None = None

    def upright(self, turned: bool) -> Array:
        """The input as stored, or, with `turned`, as its EXIF orientation shows it."""
        return oriented(self.picture, self.orientation) if turned else self.picture

    def features(self, turned: bool) -> Features:
        turned = turned and self.orientation != 1  # else the same features
        if turned not in self._features:
            _check_alignable(self.picture, "the input")
            self._features[turned] = sift_features(self.upright(turned))
        return self._features[turned]

    def area(self, shape: tuple[int, ...]) -> Mask:
        """The union of the masks as an ndarray of `shape` = (H, W), True = may change.

        Masks of another size are resized as the released code does it: to the first mask's, then to
        the picture's, nearest neighbour, OpenCV's rule. Raises `NoScore` when there is no mask.
        """
        size = (shape[0], shape[1])
        if size not in self._area:
            if not self.masks:
                raise NoScore(Status.DATASET_FAULT, "no mask can be read")
            first, *others = self.masks.values()
            union = first
            for other in others:
                union = union | _nearest(other, first.shape)
            self._area[size] = _nearest(union, size)
        return self._area[size]

    def need_every_mask(self) -> None:
        """Raise `NoScore` where a mask is missing: what lies outside the others may have been meant
        to change.
        """
        if self.missing:
            names = " and ".join(map(repr, self.missing))
            raise NoScore(
                Status.DATASET_FAULT, f"no mask {names}: where the picture may change is not known"
            )

    def clear(self) -> Mask:
        """The windows of Gaussian SSIM that touch no masked pixel; see
        `metrics.ssim.clear_windows`.

        Raises `NoScore` as `need_every_mask` and `area` do.
        """
        if self._windows is None:
            self.need_every_mask()
            self._windows = clear_windows(self.area(self.picture.shape), GAUSSIAN)
        return self._windows


def source_of(sample: Sample) -> Source:
    """The `Source` of a sample, from memory if it was among the last and its files are unchanged.

    Masks come in the sample's order, ``input`` first; one whose file is not there is
    `Source.missing`. Raises `NoScore` when the input, or a mask that is there, cannot be read.
    """
    return _source(sample, sample.image, _input_source)


def reference_source_of(sample: Sample) -> Source:
    """As `source_of`, with the reference edit in the input's place. Raises `NoScore` as
    `reference_of` does, too.
    """
    reference_of(sample)
    assert sample.reference is not None
    return _source(sample, sample.reference, _reference_source)


def _source(sample: Sample, image: Path, read: Callable[..., Source]) -> Source:
    names = sorted(sample.masks, key=lambda name: name != "input")
    return read(tuple(names), image, *(sample.masks[name] for name in names))


def _read_source(names: tuple[str, ...], image: Path, *paths: Path) -> Source:
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


_input_source, _reference_source = kept(_read_source), kept(_read_source)


def read_output(edit: Edit) -> tuple[Array, int]:
    """An edit's picture, pixels as stored, and its EXIF orientation. Raises `NoScore` when it
    cannot be read.
    """
    if edit.path is None:
        raise NoScore(Status.MISSING, edit.reason or "no output")
    try:
        return read_image(edit.path), read_header(edit.path).orientation
    except ImageError as error:
        raise NoScore(Status.UNREADABLE, str(error)) from error


def aligned_mse(source: Source, output: Array, orientation: int, *, turned: bool) -> float:
    """The mean squared error outside the masks after laying the output over the input
    (metrics.align).

    `turned`: read both as their EXIF orientation shows them, as OpenCV (and with it the released
    script) does. Raises `NoScore` when nothing lies outside the masks or the output cannot be
    aligned.
    """
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
    _check_alignable(edited, "the output")
    alignment = estimate_alignment(fixed, sift_features(edited))
    if alignment.matrix is None:
        why = f"the output cannot be aligned to the input: {alignment.reason}"
        raise NoScore(Status.FAILED, why)
    height, width = picture.shape[:2]
    try:
        warped = warp(edited, alignment.matrix, (width, height))
    except cv2.error as error:
        why = f"the output cannot be laid over the input: {error.err}"
        raise NoScore(Status.FAILED, why) from error
    return masked_mse(picture, warped, mask=background)


def corrected_mse(source: Source, output: Array, orientation: int) -> float:
    """`aligned_mse` of pixels as stored, outside all the masks that there should be. Raises
    `NoScore`.
    """
    source.need_every_mask()
    return aligned_mse(source, output, orientation, turned=False)


def squared_error_scores(variant: Variant, compute: Callable[[], float]) -> list[Score]:
    """The mean squared error and its PSNR, infinite at 0, or both without a value and with one
    reason.
    """
    try:
        mse = compute()
    except NoScore as why:
        return [
            Score(metric=name, value=None, variant=variant, status=why.status, reason=why.reason)
            for name in ("mse", "psnr")
        ]
    return [Score(metric="mse", value=mse, variant=variant), psnr_score("psnr", mse, variant)]


def psnr_score(name: str, mse: float, variant: Variant, **detail: Any) -> Score:
    """A PSNR from its mean squared error; 0 gives the infinite score."""
    if mse == 0:
        return Score.infinite(name, variant, detail=detail)
    return Score(metric=name, value=psnr_of_mse(mse), variant=variant, detail=detail)


def score_or_reason(
    name: str, variant: Variant, compute: Callable[[], tuple[float, dict[str, Any]]]
) -> Score:
    """One score from a value and its detail, or the reason why there is none (also for pictures
    that are too small).
    """
    try:
        value, detail = compute()
    except (NoScore, ValueError) as error:  # of the metrics: below the window, or none left
        why = error if isinstance(error, NoScore) else NoScore(Status.NOT_APPLICABLE, str(error))
        return Score(metric=name, value=None, variant=variant, status=why.status, reason=why.reason)
    return Score(metric=name, value=value, variant=variant, detail=detail)


def fitted(output: Array, like: Array) -> tuple[Array, dict[str, Any]]:
    """The output at the other picture's size (Lanczos), and what to note about it: nothing when it
    already was.
    """
    height, width = like.shape[:2]
    if output.shape == like.shape:
        return output, {}
    return resize(output, (width, height), "lanczos"), {
        "resized_from": f"{output.shape[1]}x{output.shape[0]}"
    }


def clear_ssim(source: Source, output: Array) -> tuple[float, dict[str, Any]]:
    """Gaussian SSIM over the windows that touch no masked pixel, the output resized to the input
    where it differs.
    """
    same, detail = fitted(output, source.picture)
    clear = source.clear()
    need_clear(clear)
    return ssim_means(source.picture, same, GAUSSIAN, (clear,))[0], detail


def need_clear(clear: Mask) -> None:
    """Raise `NoScore` when a mask leaves no window free."""
    if not clear.any():
        raise NoScore(
            Status.DATASET_FAULT, "no window is free of masked pixels: nothing is left to compare"
        )


def pixel_origin() -> dict[str, Any]:
    """Versions that the values depend on."""
    return {"version": VERSION, "numpy": np.__version__, **provenance()}


def _nearest(mask: Mask, shape: Sequence[int]) -> Mask:
    if mask.shape == tuple(shape[:2]):
        return mask
    grey: npt.NDArray[np.uint8] = mask.view(np.uint8)
    return np.asarray(cv2.resize(grey, (shape[1], shape[0]), interpolation=cv2.INTER_NEAREST) > 0)


def _check_alignable(picture: Array, name: str) -> None:
    """Raises `NoScore` where a process may not use the memory that an alignment takes."""
    height, width = picture.shape[:2]
    wanted = height * width * ALIGN_BYTES
    if wanted > free_memory():
        raise NoScore(
            Status.FAILED,
            f"{name} has {width} x {height} pixels: to align it takes {wanted >> 20:,} MB, a "
            f"process may use {memory_limit() >> 20:,} MB, its libraries included; score again "
            f"with a larger EDITGAUGE_MEMORY and --retry failed",
        )


# -- scorers for benchmarks that have masks or references, but no released pixel script ------------


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundScorer(Scorer):
    """What stayed as it was outside the masks: TextEditBench's corrected MSE, PSNR and SSIM for
    other benchmarks.
    """

    name: str = "background"
    track: Track = "pixel"
    metrics: tuple[Metric, ...] = BACKGROUND
    inputs: tuple[str, ...] = ("images", "masks")

    def origin(self) -> dict[str, Any]:
        return pixel_origin()

    def applies(self, sample: Sample) -> str | None:
        return None if sample.masks else "the sample has no mask"

    def score(self, sample: Sample, edit: Edit) -> list[Score]:
        source, (output, orientation) = source_of(sample), read_output(edit)
        return [
            *squared_error_scores("corrected", lambda: corrected_mse(source, output, orientation)),
            score_or_reason("ssim", "corrected", lambda: clear_ssim(source, output)),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceScorer(Scorer):
    """How near the output comes to the reference: PSNR and SSIM of the whole picture, at the
    reference's size.
    """

    name: str = "reference"
    track: Track = "pixel"
    metrics: tuple[Metric, ...] = REFERENCE
    inputs: tuple[str, ...] = ("reference",)

    def origin(self) -> dict[str, Any]:
        return pixel_origin()

    def applies(self, sample: Sample) -> str | None:
        return None if sample.reference is not None else "the sample has no reference"

    def score(self, sample: Sample, edit: Edit) -> list[Score]:
        reference, (output, _) = reference_of(sample), read_output(edit)
        same, detail = fitted(output, reference)
        return [
            psnr_score("reference_psnr", masked_mse(reference, same), "corrected", **detail),
            score_or_reason(
                "reference_ssim", "corrected", lambda: (ssim(reference, same, GAUSSIAN), detail)
            ),
        ]


def reference_of(sample: Sample) -> Array:
    """The reference's picture, pixels as stored. Raises `NoScore` when there is none or it cannot
    be read.
    """
    if sample.reference is None:
        raise NoScore(Status.NOT_APPLICABLE, "the sample has no reference")
    if lost := sample.lost("reference"):
        raise NoScore(Status.DATASET_FAULT, lost)
    return picture_of_set(sample.reference)


@kept
def picture_of_set(path: Path) -> Array:
    """A picture of the data set, pixels as stored. Raises `NoScore` when it cannot be read."""
    try:
        return read_image(path)
    except ImageError as error:
        raise NoScore(Status.DATASET_FAULT, str(error)) from error


def background(**_: Any) -> list[BackgroundScorer]:
    """For a benchmark's `scorers`: needs masks."""
    return [BackgroundScorer()]


def reference(**_: Any) -> list[ReferenceScorer]:
    """For a benchmark's `scorers`: needs references."""
    return [ReferenceScorer()]
