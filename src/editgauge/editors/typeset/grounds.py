"""The ground under a text, made up: its colours from those around, its grain copied from beside it,
and how far such a guess is off where the ground is known.

A fill without grain shows as smooth letters on clouds, wood or paper; a fill of stripes or across
an edge shows as stains. The first is mended here, the second is told by `doubt`: the same guess is
made for a rim of pixels around the letters, which are known.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.images import Array, Mask

Colours = npt.NDArray[np.float32]
"""(h, w, 3), levels of 255."""
_SMOOTH = 1.5
"""The standard deviation, in pixels, below which a difference is grain."""
_LIMIT = 4.0
"""Standard deviations of grain; more is no grain, but something that stands there, and is not
copied.
"""

SOMETHING = 255.0
"""The doubt where something stands beside the letters that is no ground."""
_ANOTHER = 40.0
"""Levels of 255 from which a known pixel is something else than the guess."""
_CLEARLY = 60.0
"""The same beside the letters, where their soft edges and compression leave something."""
_SPOT = 10
"""Pixels of one spot."""


def filled(crop: Array, hidden: Mask, unused: Mask) -> Array:
    """`crop` ((h, w, 3), uint8) with the hidden pixels made up; those of `unused` (other texts) are
    not looked at. The same crop gives the same fill.
    """
    seen = ~(hidden | unused)
    colours = _colours(crop, seen)
    made = colours + _grain(crop, colours, hidden, seen)
    result = crop.copy()
    result[hidden] = np.clip(np.round(made[hidden]), 0, 255).astype(np.uint8)
    return result


def doubt(crop: Array, hidden: Mask, unused: Mask, others: Mask, rim: int) -> float:
    """How far a guess is off, in levels of 255: the 95th percentile over the known pixels within
    `rim` of the hidden ones, guessed from those beyond; `SOMETHING` where another colour stands in
    one spot there, off the `others` (the texts beside it): a shadow, an underline, a part of a
    letter. 0 where none are known.
    """
    seen = ~(hidden | unused)
    known = _grown(hidden, rim) & seen
    if int(known.sum()) < 16 or int((seen & ~known).sum()) < 16:
        return 0.0
    guess = _colours(crop, seen & ~known)
    soft = _softened(crop.astype(np.float32), seen)
    away = np.abs(guess - soft).max(axis=2)[known]
    spots = (np.abs(guess - soft).max(axis=2) > _ANOTHER) & known
    edge = _grown(hidden, rim) & ~hidden & ~others
    spots |= (np.abs(guess - crop).max(axis=2) > _CLEARLY) & edge
    _, _, stats, _ = cv2.connectedComponentsWithStats(spots.astype(np.uint8), connectivity=8)
    if int(stats[1:, cv2.CC_STAT_AREA].max(initial=0)) > max(_SPOT, 0.03 * rim * rim * _SPOT):
        return SOMETHING
    return float(np.percentile(away, 95))


def _grown(mask: Mask, radius: int) -> Mask:
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel), np.bool_)


def _softened(values: Colours, seen: Mask) -> Colours:
    """The mean of the seen pixels around each; 0 where there are none near."""
    weight = seen.astype(np.float32)
    total = cv2.GaussianBlur(weight, (0, 0), _SMOOTH)[..., None]
    sums = cv2.GaussianBlur(values * weight[..., None], (0, 0), _SMOOTH)
    return np.asarray(np.where(total > 1e-3, sums / np.maximum(total, 1e-3), 0.0), np.float32)


def _colours(crop: Array, seen: Mask) -> Colours:
    """The crop without grain, and made up where it is not seen: a plane, and what the pixels around
    differ from it, carried inwards from coarse to fine.
    """
    plane = _plane(crop, seen)
    off = _softened(crop.astype(np.float32) - plane, seen)
    return np.asarray(plane + _spread(off, seen.astype(np.float32)), np.float32)


def _plane(crop: Array, seen: Mask) -> Colours:
    height, width = seen.shape
    rows, columns = np.nonzero(seen)
    if len(rows) < 3:
        return np.full(crop.shape, 128.0, np.float32)
    step = max(1, len(rows) // 4000)
    rows, columns = rows[::step], columns[::step]
    terms = np.column_stack([np.ones(len(rows)), columns / width, rows / height])
    fitted, *_ = np.linalg.lstsq(terms, crop[rows, columns].astype(np.float64), rcond=None)
    y, x = np.mgrid[0:height, 0:width]
    surface = fitted[0] + x[..., None] / width * fitted[1] + y[..., None] / height * fitted[2]
    return np.asarray(surface, np.float32)


def _spread(values: Colours, weight: npt.NDArray[np.float32]) -> Colours:
    """Values where there is weight, and elsewhere the mean of what is near, from ever coarser
    grids.
    """
    height, width = weight.shape
    if min(height, width) < 2 or bool((weight > 0).all()):
        return values
    half = ((width + 1) // 2, (height + 1) // 2)
    less = cv2.resize(weight, half, interpolation=cv2.INTER_AREA)
    sums = cv2.resize(values * weight[..., None], half, interpolation=cv2.INTER_AREA)
    mean = np.where(less[..., None] > 0, sums / np.maximum(less[..., None], 1e-6), 0.0)
    coarse = _spread(mean.astype(np.float32), (less > 0).astype(np.float32))
    fine = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR)
    mixed = np.where(weight[..., None] > 0, values, fine)
    soft = cv2.GaussianBlur(mixed, (0, 0), 1.0)
    return np.asarray(np.where(weight[..., None] > 0, values, soft), np.float32)


def _grain(crop: Array, colours: Colours, hidden: Mask, seen: Mask) -> Colours:
    """What the seen pixels differ from their colours, copied to the hidden ones from beside them:
    from the few shifts that bring the most known pixels there.
    """
    rest = np.where(seen[..., None], crop.astype(np.float32) - colours, 0.0)
    spread = 1.4826 * np.median(np.abs(rest[seen]), axis=0) + 0.5 if seen.any() else np.ones(3)
    objects = np.asarray((np.abs(rest) > _LIMIT * spread).any(axis=2), np.bool_)
    source = seen & ~_grown(objects, 2)
    grain = np.zeros_like(rest)
    wanted = hidden.copy()
    ys, xs = np.nonzero(hidden)
    if not len(ys):
        return grain
    high, wide = int(np.ptp(ys)) + 1, int(np.ptp(xs)) + 1
    shifts = [
        (dy, dx)
        for dy in (0, -high // 3, high // 3, -high, high, -high // 2, high // 2)
        for dx in (0, 7, -7, 17, -17, wide // 5, -wide // 5, wide // 2, -wide // 2)
        if dy or dx
    ]
    for _ in range(6):
        gains = [int((_shifted(source, shift) & wanted).sum()) for shift in shifts]
        best = int(np.argmax(gains))
        if not gains[best]:
            break
        here = _shifted(source, shifts[best]) & wanted
        grain[here] = _shifted(rest, shifts[best])[here]
        wanted &= ~here
    return grain


def _shifted(values: npt.NDArray[Any], shift: tuple[int, int]) -> npt.NDArray[Any]:
    """Values moved down and right; what comes from outside is 0."""
    height, width = values.shape[:2]
    dy, dx = shift
    result: npt.NDArray[Any] = np.zeros_like(values)
    if abs(dy) >= height or abs(dx) >= width:
        return result
    to = slice(max(0, dy), height + min(0, dy)), slice(max(0, dx), width + min(0, dx))
    come = slice(max(0, -dy), height - max(0, dy)), slice(max(0, -dx), width - max(0, dx))
    result[to] = values[come]
    return result
