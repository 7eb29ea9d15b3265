"""Separate a line's letters from what lies behind them: opacity, colour, and the ground. Of several
separations the one that looks most like the line's own words is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.editors.typeset.faces import Alpha
from editgauge.editors.typeset.find import Points
from editgauge.images import Array, Mask
from editgauge.instructions import Colour

_LEAST = 0.25
"""The likeness to the line's words below which a separation is not believed."""
_TRIALS = 10
"""How many separations are compared with the line's words."""
Lab = npt.NDArray[np.float32]
Judge = Callable[[Mask, int, int], float]
"""How much a mask whose corner is at (left, top) looks like the line's words, about -1 to 1."""


class Glyphs(NamedTuple):
    """The ink of one line in the rectangle that starts at (`left`, `top`); arrays (h, w[, 3]).

    `ground`: the rectangle without the ink; `hidden`: where that differs from the picture (ink, its
    soft edge and compression's ringing); `colour`: the ink's typical colour, and `paint` its colour
    at every pixel.
    """

    left: int
    top: int
    alpha: Alpha
    ground: Array
    hidden: Mask
    colour: Colour
    paint: Array


def extract(
    picture: Array, corners: Points, others: Sequence[Points], judge: Judge
) -> Glyphs | None:
    """The glyphs within the quadrilateral `corners`, or None where none stand out. `others`:
    quadrilaterals of neighbouring lines, whose ink is neither ground nor this line's.
    """
    sides = np.linalg.norm(corners[[1, 3]] - corners[0], axis=1)
    height = max(6.0, float(sides.min()))
    margin = int(max(4, round(0.45 * height)))
    left, top = np.maximum(np.floor(corners.min(axis=0)).astype(int) - margin, 0).tolist()
    right, bottom = (np.ceil(corners.max(axis=0)).astype(int) + margin).tolist()
    crop = np.ascontiguousarray(picture[top:bottom, left:right])
    if min(crop.shape[:2]) < 4:
        return None
    inner = _filled(crop, corners - (left, top), round(0.08 * height))
    foreign = np.zeros(crop.shape[:2], bool)
    for other in others:
        foreign |= _filled(crop, other - (left, top), 1)
    foreign &= ~inner
    best, rank = None, (-np.inf, 0.0)
    for clear, mask in _trials(crop, inner, foreign, height):
        # parts too thick for strokes (gaps between letters have them) count against a mask
        alike = judge(mask, left, top) - max(0.0, 2 * (_thickness(mask, height) - 0.12))
        if alike + 0.3 * clear > rank[0]:  # a script's letters are only roughly a face's
            best, rank = mask, (alike + 0.3 * clear, alike)
    if best is None or rank[1] <= _LEAST:
        return None
    return _matte(crop, best, foreign, height, (left, top))


def _filled(crop: Array, corners: Points, grow: int) -> Mask:
    mask = np.zeros(crop.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 1)
    return _grown(mask, grow) if grow > 0 else np.asarray(mask, bool)


def _grown(mask: npt.NDArray[np.bool_] | npt.NDArray[np.uint8], by: int, shape: int = 0) -> Mask:
    """The mask and what is within `by` pixels of it; `shape` is OpenCV's (0 = square)."""
    kernel = cv2.getStructuringElement(shape, (2 * by + 1, 2 * by + 1))
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel), bool)


# ------------------------------------------------------------------------------------- separations
def _trials(crop: Array, inner: Mask, foreign: Mask, height: float) -> list[tuple[float, Mask]]:
    """Masks that may be the line's ink, with how much they stand out, the clearest first."""
    lab = cv2.cvtColor(crop, cv2.COLOR_RGB2LAB).astype(np.float32)
    reach = int(max(2, round(0.12 * height)))  # a sheet of paper around the text ends soon after it
    ring = _grown(inner, reach) & ~inner & ~foreign
    if ring.sum() < 12:
        ring = ~inner
    if not ring.any():
        return []
    masks = _local_contrast(lab, inner, height)
    for count in (2, 3, 4, 5):
        masks += _clusters(lab, inner, ring, count)
    kept: list[Mask] = []
    for mask in (t for m in masks for t in _tidy(m & inner, inner, height)):
        if all((mask & other).sum() < 0.93 * (mask | other).sum() for other in kept):
            kept.append(mask)
    scored = [(_stands_out(lab, mask, inner, ring, height), mask) for mask in kept]
    scored = sorted((one for one in scored if one[0] > 0.004), key=lambda one: -one[0])
    return scored[:_TRIALS]


def _local_contrast(lab: Lab, inner: Mask, height: float) -> list[Mask]:
    """What is darker, and what is lighter, than its surroundings: for uneven grounds."""
    window = int(max(5, round(0.9 * height))) | 1
    blurred = cv2.blur(lab[..., 0], (window, window), borderType=cv2.BORDER_REPLICATE)
    masks = []
    for signed in (lab[..., 0] - blurred, blurred - lab[..., 0]):
        values = np.clip(signed, 0, 255).astype(np.uint8)
        kind = cv2.THRESH_BINARY + cv2.THRESH_OTSU
        level, _ = cv2.threshold(values[inner].reshape(-1, 1), 0, 255, kind)
        masks.append(np.asarray(values > max(level, 6), bool))
    return masks


def _clusters(lab: Lab, inner: Mask, ring: Mask, count: int) -> list[Mask]:
    """Each of `count` colours alone, and together those that are rarer around the line."""
    pixels = lab[inner]
    pixels = pixels[:: len(pixels) // 6000 + 1]
    if len(pixels) < 8 * count:
        return []
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 0.8)
    start = np.zeros((len(pixels), 1), np.int32)
    order = np.argsort(pixels @ np.array([1.0, 0.5, 0.5], np.float32))
    start[order, 0] = np.arange(len(pixels)) * count // len(pixels)
    flags = cv2.KMEANS_USE_INITIAL_LABELS
    _, _, centres = cv2.kmeans(pixels, count, start, criteria, 1, flags)
    labels = np.stack([((lab - centre) ** 2).sum(axis=2) for centre in centres]).argmin(axis=0)
    masks: list[Mask] = [labels == n for n in range(count)]
    rare = [m for m in masks if m[ring].mean() < 0.35 * max(1e-6, m[inner].mean())]
    return [*masks, np.logical_or.reduce(rare)] if 1 < len(rare) < count else masks


def _tidy(mask: Mask, inner: Mask, height: float) -> list[Mask]:
    """Without specks; and once more without what runs along the line's border (a sheet's edge)."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    area = stats[:, cv2.CC_STAT_AREA]
    large = [n for n in range(1, count) if area[n] >= max(2.0, 0.002 * height * height)]
    band = int(max(1, round(0.04 * height)))
    border = inner & _grown(~inner, band)
    touching = np.bincount(labels[border], minlength=count)
    inside = [n for n in large if touching[n] < min(0.35 * height * band, 0.5 * area[n])]
    chosen = [large] if len(inside) == len(large) else [large, inside]
    return [np.isin(labels, keep) for keep in chosen if keep]


def _stands_out(lab: Lab, mask: Mask, inner: Mask, ring: Mask, height: float) -> float:
    """How much a mask looks like letters: absent around, present along the line, thin, clear."""
    inside = float(mask.sum()) / max(1.0, float(inner.sum()))
    if not 0.02 < inside < 0.75:
        return 0.0
    colour = lab[mask].mean(axis=0)
    outside = float((np.linalg.norm(lab - colour, axis=2) < 12)[ring].mean())
    axis = 0 if np.ptp(np.nonzero(inner)[1]) >= np.ptp(np.nonzero(inner)[0]) else 1
    used = np.asarray(inner.any(axis=axis), bool)
    along = float(np.asarray(mask.any(axis=axis))[used].mean())
    thin = float(np.exp(-max(0.0, _thickness(mask, height) - 0.15) / 0.06))
    contrast = float(np.linalg.norm(colour - np.median(lab[ring], axis=0)))
    return (1 - 0.8 * min(1.0, outside / inside)) * along * thin * min(1.0, contrast / 40)


def _thickness(mask: Mask, height: float) -> float:
    """Half the width of the thickest strokes, as a share of the line's height: bold has to 0.12."""
    depth = cv2.distanceTransform(mask.astype(np.uint8), cv2.DIST_L2, 3)
    return float(np.percentile(depth[mask], 98)) / height if mask.any() else 0.0


# ------------------------------------------------------------------------------- opacity and ground
def _matte(
    crop: Array, core: Mask, foreign: Mask, height: float, corner: tuple[int, int]
) -> Glyphs:
    """Ground, colour and opacity, twice: first the strokes' fainter parts, then the edges."""
    near = _grown(core, int(max(3, round(0.12 * height))), cv2.MORPH_ELLIPSE) & ~foreign
    alpha, _, _ = _separated(crop, core, near, foreign)
    fainter = core | ((alpha > 0.25) & near)
    _, labels = cv2.connectedComponents(fainter.astype(np.uint8))
    core = np.isin(labels, np.unique(labels[core])) & fainter
    hidden = _grown(core, int(max(2, round(0.045 * height))), cv2.MORPH_ELLIPSE)
    alpha, colour, ground = _separated(crop, core, hidden, foreign)
    ground[~hidden] = crop[~hidden]
    solid = (alpha > 0.8) & ~_grown(~core, 1)
    alpha[solid] = np.maximum(alpha[solid], 0.97)
    paint = np.broadcast_to(np.asarray(colour, np.uint8), crop.shape).copy()
    paint[core] = crop[core]
    return Glyphs(*corner, alpha, ground, hidden, colour, paint)


def _separated(crop: Array, core: Mask, hidden: Mask, foreign: Mask) -> tuple[Alpha, Colour, Array]:
    """Opacity inside `hidden`, the ink's colour, and the ground: a plane, or inpainted."""
    wider = _grown(hidden | foreign, 2, cv2.MORPH_ELLIPSE)
    ground = _plane(crop, ~wider)
    if ground is None:
        ground = np.asarray(cv2.inpaint(crop, wider.astype(np.uint8), 3, cv2.INPAINT_TELEA))
    shade = crop.astype(np.float32) - ground.astype(np.float32)
    strength = np.abs(shade).sum(axis=2)
    strong = core & (strength >= np.percentile(strength[core], 70))  # pure only inside strokes
    typical = np.median(crop[strong], axis=0)
    span = typical.astype(np.float32) - ground.astype(np.float32)
    alpha = (shade * span).sum(axis=2) / np.maximum((span * span).sum(axis=2), 60.0)
    red, green, blue = (round(float(c)) for c in typical)
    opacity = np.where(hidden, np.clip(alpha, 0, 1), 0).astype(np.float32)
    return opacity, (red, green, blue), ground


def _plane(crop: Array, seen: Mask) -> Array | None:
    """Each channel as a plane fitted to the `seen` pixels; None where they do not lie on it."""
    rows, columns = np.nonzero(seen)
    if len(rows) < 40:
        return None
    step = len(rows) // 4000 + 1
    rows, columns = rows[::step], columns[::step]
    terms = np.column_stack([np.ones(len(rows)), columns, rows])
    values = crop[rows, columns].astype(np.float64)
    fitted, *_ = np.linalg.lstsq(terms, values, rcond=None)
    missed = np.abs(terms @ fitted - values)
    if float(missed.mean()) > 1.5 or float(np.percentile(missed, 99)) > 8:
        return None
    y, x = np.mgrid[0 : seen.shape[0], 0 : seen.shape[1]]
    surface = fitted[0] + x[..., None] * fitted[1] + y[..., None] * fitted[2]
    return np.asarray(np.clip(np.round(surface), 0, 255), np.uint8)
