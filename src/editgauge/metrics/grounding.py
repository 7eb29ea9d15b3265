"""A map over a picture (attention, change) against a mask of the region that is meant: from map to
numbers.

The recipe of the overlap is MedEBench's (arXiv 2506.01921, section 4, equation 2): min–max
normalised, cut at `ALPHA` times Otsu's threshold, intersection over union. The paper leaves open
how a coarse map meets a fine mask; here each cell of the map covers its part of the mask
(nearest-neighbour up-sampling), after the cut. The other numbers are not in the paper. Otsu's
threshold: N. Otsu, IEEE Trans. SMC 9(1), 1979.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editgauge.errors import ShapeMismatch

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

ALPHA = 1.3
"""The paper's factor of Otsu's threshold."""
BINS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """How well a map meets a mask. None where a number is not defined: see `grounding`."""

    iou: float
    """|A ∩ M| / |A ∪ M| of the region A over the cut and the mask M, in pixels of the mask: 0 to
    1.
    """
    chance: float
    """What `iou` is on average for as many pixels as A has, drawn at random: see `chance_iou`."""
    pointing: float | None
    """1 where the map's maximum lies in the mask, 0 where not; of equal maxima the share."""
    mass: float | None
    """The share of the map's sum that lies in the mask, 0 to 1."""
    lift: float | None
    """`mass` over the mask's share of the picture: 1 is chance, from 0 up."""
    auc: float | None
    """The probability that a pixel in the mask has a larger value than one outside, ties half."""
    threshold: float
    """The cut, on the normalised map's scale of 0 to 1."""
    share: float
    """The share of the picture that A covers."""
    area: float
    """The share of the picture that the mask covers."""


def grounding(values: Floats, mask: Mask, region: Mask, threshold: float = math.nan) -> Grounding:
    """The numbers of a map, of the region that was cut out of it, and of a mask.

    `values`: ndarray of shape (h, w), finite, not negative; `region`: the same shape; `mask`:
    ndarray of shape (H, W), H >= h, W >= w. `mass`, `lift` are None for a map of zeros; `pointing`
    and `auc` for a constant map, `auc` also for a mask of everything. Raises `ValueError` for a
    mask without a pixel or a map that is not as above, `ShapeMismatch` for other shapes.
    """
    _check(values, mask, region)
    inside, total = cells(mask, values.shape)
    meant, pixels = int(inside.sum()), int(total.sum())
    chosen, met = int(total[region].sum()), int(inside[region].sum())
    constant = bool(values.min() == values.max())
    whole = float(values.sum())
    mass = float((values * inside / total).sum() / whole) if whole > 0 else None
    area = meant / pixels
    return Grounding(
        iou=met / (chosen + meant - met),
        chance=chance_iou(pixels, meant, chosen),
        pointing=None if constant else pointing(values, mask),
        mass=mass,
        lift=None if mass is None else mass / area,
        auc=None if constant or meant == pixels else weighted_auc(values, inside, total - inside),
        threshold=threshold,
        share=chosen / pixels,
        area=area,
    )


def _check(values: Floats, mask: Mask, region: Mask) -> None:
    if values.ndim != 2 or mask.ndim != 2 or values.size == 0:
        raise ShapeMismatch(f"wanted two planes, found {values.shape} and {mask.shape}")
    if region.shape != values.shape:
        raise ShapeMismatch(f"region: wanted the map's shape {values.shape}, found {region.shape}")
    if mask.shape[0] < values.shape[0] or mask.shape[1] < values.shape[1]:
        raise ShapeMismatch(
            f"the mask of shape {mask.shape} is smaller than the map of shape {values.shape}"
        )
    if not np.isfinite(values).all() or values.min() < 0:
        raise ValueError("the map must be finite and not negative")
    if not mask.any():
        raise ValueError("the mask marks no pixel: there is nothing to find")


def normalised(values: Floats) -> Floats:
    """A map brought to 0 … 1 by its minimum and maximum; zeros for a constant one."""
    low, high = float(values.min()), float(values.max())
    if high <= low:
        return np.zeros_like(values, dtype=np.float64)
    return np.asarray((values - low) / (high - low), dtype=np.float64)


def otsu(values: Floats, bins: int = BINS) -> float:
    """Otsu's threshold of a map, on its own scale: the centre of the bin that parts its histogram
    into two classes of the largest variance between them; the first of several such bins.

    The same as `skimage.filters.threshold_otsu`. Bins go from the smallest to the largest value. A
    constant map's threshold is its value.
    """
    flat = np.asarray(values, dtype=np.float64).ravel()
    if flat.min() == flat.max():
        return float(flat[0])
    counts, edges = np.histogram(flat, bins)
    centres = (edges[:-1] + edges[1:]) / 2
    weights = counts.astype(np.float64)
    below, above = np.cumsum(weights), np.cumsum(weights[::-1])[::-1]
    mean_below = np.cumsum(weights * centres) / below
    mean_above = (np.cumsum((weights * centres)[::-1]) / above[::-1])[::-1]
    between = below[:-1] * above[1:] * (mean_below[:-1] - mean_above[1:]) ** 2
    return float(centres[int(np.argmax(between))])


def cut(values: Floats, alpha: float = ALPHA, bins: int = BINS) -> tuple[Mask, float]:
    """The region of a map above `alpha` times Otsu's threshold of the normalised map, and that
    cut, on the scale of 0 to 1. A constant map has no region.
    """
    even = normalised(values)
    level = alpha * otsu(even, bins)
    region = even > level if even.any() else np.zeros(even.shape, np.bool_)
    return np.asarray(region), float(level)


def cells(mask: Mask, shape: tuple[int, ...]) -> tuple[Counts, Counts]:
    """For each cell of a map of `shape` (h, w) laid over a mask: the pixels of the mask in it, and
    all pixels in it. A pixel belongs to the cell in which its centre lies.
    """
    rows, columns = _starts(mask.shape[0], shape[0]), _starts(mask.shape[1], shape[1])
    inside = np.add.reduceat(
        np.add.reduceat(mask.astype(np.int64), rows, axis=0), columns, axis=1
    )  # (h, w)
    heights = np.diff(np.append(rows, mask.shape[0]))
    widths = np.diff(np.append(columns, mask.shape[1]))
    return inside, np.outer(heights, widths).astype(np.int64)


def _starts(pixels: int, parts: int) -> npt.NDArray[np.intp]:
    """The first pixel of each part along one axis."""
    part = ((2 * np.arange(pixels) + 1) * parts) // (2 * pixels)
    return np.searchsorted(part, np.arange(parts)).astype(np.intp)


def enlarged(plane: npt.NDArray[np.generic], size: tuple[int, int]) -> npt.NDArray[np.generic]:
    """A plane of shape (h, w) up-sampled to `size` = (H, W) as `cells` lays it: nearest
    neighbours.
    """
    rows = ((2 * np.arange(size[0]) + 1) * plane.shape[0]) // (2 * size[0])
    columns = ((2 * np.arange(size[1]) + 1) * plane.shape[1]) // (2 * size[1])
    return np.asarray(plane[np.ix_(rows, columns)])


def pointing(values: Floats, mask: Mask) -> float:
    """1.0 where the mask has the pixel at the centre of the map's largest cell, else 0.0; of
    several equally large cells the share.
    """
    rows, columns = np.nonzero(values == values.max())
    down = ((2 * rows + 1) * mask.shape[0]) // (2 * values.shape[0])
    right = ((2 * columns + 1) * mask.shape[1]) // (2 * values.shape[1])
    return float(mask[down, right].mean())


def weighted_auc(values: Floats, inside: Counts, outside: Counts) -> float:
    """The area under the ROC curve of a map, each cell counting as often as it has pixels inside
    and outside; ties count half. Raises `ZeroDivisionError` where there are none of either.
    """
    _, place = np.unique(values, return_inverse=True)
    place = place.ravel()
    hits = np.bincount(place, weights=inside.ravel())
    misses = np.bincount(place, weights=outside.ravel())
    lower = np.cumsum(misses) - misses
    pairs = float(inside.sum()) * float(outside.sum())
    return float((hits * (lower + misses / 2)).sum()) / pairs


def chance_iou(pixels: int, meant: int, chosen: int) -> float:
    """The mean IoU of a mask of `meant` pixels and `chosen` pixels drawn at random, without putting
    back, out of `pixels`: exact, over the hypergeometric distribution of what they share.

    0 where nothing is chosen. About ``s / (chosen + meant - s)`` with ``s = chosen * meant /
    pixels``, to which it tends in large pictures. A drawn region is scattered and a real one is
    not: the mean hardly differs, the spread does.
    """
    if chosen < 1 or meant < 1:
        return 0.0
    low, high = max(0, chosen + meant - pixels), min(chosen, meant)
    mean = chosen * meant / pixels
    spread = math.sqrt(mean * (1 - meant / pixels) * (1 - chosen / pixels)) + 1
    low, high = max(low, int(mean - 40 * spread)), min(high, int(mean + 40 * spread) + 1)
    shared = np.arange(low, high + 1, dtype=np.float64)
    left = pixels - chosen - meant
    steps = np.log((meant - shared[:-1]) * (chosen - shared[:-1])) - np.log(
        (shared[:-1] + 1) * (left + shared[:-1] + 1)
    )
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logs - logs.max())
    return float((weights * shared / (chosen + meant - shared)).sum() / weights.sum())
