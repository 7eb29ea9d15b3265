"""A map over a picture (attention, change) against a mask of the region that is meant.

The overlap is MedEBench's (arXiv 2506.01921, section 4, equation 2): min–max normalised, cut at
`ALPHA` times Otsu's threshold (IEEE Trans. SMC 9(1), 1979), intersection over union. Each cell of a
coarse map covers its part of a fine mask, after the cut. The other numbers are not in the paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editgauge.errors import ShapeMismatch
from editgauge.images import Mask
from editgauge.metrics import Floats

Counts = npt.NDArray[np.int64]
ALPHA = 1.3
"""The paper's factor of Otsu's threshold."""
BINS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """How well a map meets a mask.

    `iou`: |A ∩ M| / |A ∪ M| of the region A over the cut and the mask M, in pixels of the mask;
    `chance`: see `chance_iou`; `threshold`: the cut, on the normalised map's scale of 0 to 1;
    `share`, `area`: the shares of the picture that A and the mask cover.
    """

    iou: float
    chance: float
    threshold: float
    share: float
    area: float


def grounding(values: Floats, mask: Mask, region: Mask, threshold: float = math.nan) -> Grounding:
    """The numbers of a map, of the region that was cut out of it, and of a mask.

    `values`: ndarray of shape (h, w), finite, not negative; `region`: the same shape; `mask`:
    ndarray of shape (H, W). Raises `ShapeMismatch` for a mask that is smaller than the map and
    `ValueError` for one without a pixel.
    """
    if mask.shape[0] < values.shape[0] or mask.shape[1] < values.shape[1]:
        shapes = f"shape {mask.shape} is smaller than the map of shape {values.shape}"
        raise ShapeMismatch(f"the mask of {shapes}")
    if not mask.any():
        raise ValueError("the mask marks no pixel: there is nothing to find")
    inside, total = cells(mask, values.shape)
    meant, pixels = int(inside.sum()), int(total.sum())
    chosen, met = int(total[region].sum()), int(inside[region].sum())
    return Grounding(
        iou=met / (chosen + meant - met),
        chance=chance_iou(pixels, meant, chosen),
        threshold=threshold,
        share=chosen / pixels,
        area=meant / pixels,
    )


def normalised(values: Floats) -> Floats:
    """A map brought to 0 … 1 by its minimum and maximum; zeros for a constant one."""
    low, high = float(values.min()), float(values.max())
    if high <= low:
        return np.zeros_like(values, dtype=np.float64)
    return np.asarray((values - low) / (high - low), dtype=np.float64)


def otsu(values: Floats, bins: int = BINS) -> float:
    """Otsu's threshold of a map, on its own scale, as `skimage.filters.threshold_otsu` gives it:
    the centre of the first bin that parts the histogram into two classes of the largest variance
    between them. A constant map's threshold is its value.
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
    starts = [
        np.searchsorted(_cell_of(pixels, parts), np.arange(parts))
        for pixels, parts in zip(mask.shape, shape, strict=True)
    ]
    rows = np.add.reduceat(mask.astype(np.int64), starts[0], axis=0)
    ends = zip(starts, mask.shape, strict=True)
    heights, widths = (np.diff(np.append(start, end)) for start, end in ends)
    return np.add.reduceat(rows, starts[1], axis=1), np.outer(heights, widths).astype(np.int64)


def enlarged(plane: npt.NDArray[np.generic], size: tuple[int, int]) -> npt.NDArray[np.generic]:
    """A plane of shape (h, w) up-sampled to `size` = (H, W) as `cells` lays it."""
    return np.asarray(plane[np.ix_(*map(_cell_of, size, plane.shape))])


def _cell_of(pixels: int, parts: int) -> Counts:
    return ((2 * np.arange(pixels) + 1) * parts) // (2 * pixels)


def chance_iou(pixels: int, meant: int, chosen: int) -> float:
    """The mean IoU of a mask of `meant` pixels and `chosen` pixels drawn at random out of `pixels`:
    exact, over the hypergeometric distribution of what they share; 0 where nothing is chosen.
    """
    if chosen < 1 or meant < 1:
        return 0.0
    low, high = max(0, chosen + meant - pixels), min(chosen, meant)
    mean = chosen * meant / pixels
    spread = math.sqrt(mean * (1 - meant / pixels) * (1 - chosen / pixels)) + 1
    low, high = max(low, int(mean - 40 * spread)), min(high, int(mean + 40 * spread) + 1)
    shared = np.arange(low, high + 1, dtype=np.float64)
    before, left = shared[:-1], pixels - chosen - meant
    steps = np.log((meant - before) * (chosen - before))
    steps -= np.log((before + 1) * (left + before + 1))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logs - logs.max())
    return float((weights * shared / (chosen + meant - shared)).sum() / weights.sum())
