"""Separate a line's glyphs from what lies behind them: how opaque each pixel's ink is, its colour,
the ground.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.editors.typeset import grounds
from editgauge.editors.typeset.find import Points
from editgauge.images import Array, Mask

LEAST = 0.25
"""The likeness to the line's words below which a separation is not believed: the picture is better
left alone.
"""
_TRIALS = 12
"""How many separations are compared with the line's words."""
_MOSTLY = 0.8
_SAME_INK = 12.0
"""The distance in OpenCV's 8-bit Lab within which two pixels are of one ink."""
Alpha = npt.NDArray[np.float32]


@dataclass(slots=True, kw_only=True)
class Glyphs:
    """The ink of one line in the rectangle that starts at (`left`, `top`); arrays of shape (h, w[,
    3]).
    """

    left: int
    top: int
    alpha: Alpha
    """0 = ground, 1 = ink."""
    ground: Array
    """The rectangle without the ink (made up where the ink was, the picture's own pixels
    elsewhere).
    """
    erased: Mask
    """Where `ground` differs from the picture: ink, its soft edge and the compression ringing
    around it.
    """
    colour: tuple[int, int, int]
    """The ink's typical colour, RGB."""
    ink: Array
    """The ink's colour at every pixel (for moving ink that is not of one colour)."""
    doubt: float = 0.0
    """How far the ground may be off, in levels of 255 (see `grounds.doubt`)."""


_OTHER = 64.0
"""Levels of 255 by which a pixel is off every mixture of ink and ground: it is something else."""
_INTRUDES = 0.004
"""The part of the pixels to be erased that is something else, where that is at one spot."""
_SPOT = 0.15
"""The part of their rectangle that other pixels take, at most, where they are at one spot: a letter
of many colours has them everywhere.
"""
Judge = Callable[[Mask, int, int], float]
"""How much a mask at (left, top) looks like the line's own words, about -1 to 1."""


def intruded(glyphs: Glyphs, crop: Array) -> bool:
    """Whether something that is no letter would be erased with the ink: a line or a ring of another
    colour that touches the letters. `crop`: the glyphs' rectangle of the picture.
    """
    solid = glyphs.ink[glyphs.alpha > 0.9]
    ys, xs = np.nonzero(glyphs.erased)
    if len(solid) < 8 or not len(ys):
        return False
    seen, ground = (a[ys, xs].astype(np.float64) for a in (crop, glyphs.ground))
    along = np.median(solid, axis=0) - ground
    share = ((seen - ground) * along).sum(axis=1) / np.maximum(1.0, (along**2).sum(axis=1))
    off = np.abs(seen - ground - np.clip(share, 0.0, 1.15)[:, None] * along).max(axis=1)
    other = off > _OTHER
    if float(other.mean()) < _INTRUDES:
        return False
    low, high = np.percentile(np.column_stack([ys, xs])[other], (2, 98), axis=0)
    area = float(np.prod(high - low + 1))
    return area < _SPOT * float((np.ptp(ys) + 1) * (np.ptp(xs) + 1))


def extract(
    picture: Array, corners: Points, others: Sequence[Points] = (), judge: Judge | None = None
) -> Glyphs | None:
    """The glyphs within the quadrilateral `corners` of `picture` ((H, W, 3), uint8), or None if
    none stand out.

    `others` are quadrilaterals of neighbouring lines: their ink is neither ground nor part of this
    line. `judge` tells which of several possible separations reads like the line's text; without it
    the clearest one is taken.
    """
    across = float(np.linalg.norm(corners[3] - corners[0]))
    along = float(np.linalg.norm(corners[1] - corners[0]))
    height = max(6.0, min(across, along))
    margin = int(max(4, round(0.45 * height)))
    low = np.floor(corners.min(axis=0)).astype(int) - margin
    high = np.ceil(corners.max(axis=0)).astype(int) + margin
    left, top = int(max(0, low[0])), int(max(0, low[1]))
    right, bottom = int(min(picture.shape[1], high[0])), int(min(picture.shape[0], high[1]))
    if right - left < 4 or bottom - top < 4:
        return None
    crop = np.ascontiguousarray(picture[top:bottom, left:right])
    inner = _filled(crop.shape[:2], corners - (left, top), round(0.08 * height))
    foreign = np.zeros(crop.shape[:2], bool)
    for other in others:
        theirs = _filled(crop.shape[:2], other - (left, top), 1)
        both = theirs & inner
        # boxes of slanted or tight lines overlap: a pixel belongs to the line whose middle is
        # nearer
        if both.any():
            nearer = _off_middle(crop.shape, other - (left, top)) < _off_middle(
                crop.shape, corners - (left, top)
            )
            inner &= ~(both & nearer)
            theirs &= ~(both & ~nearer)
        foreign |= theirs
    if inner.sum() < 24:
        return None
    core = _core(crop, inner, foreign, height, judge, left, top)
    if core is None:
        return None
    return _matte(crop, core, foreign, height, left, top)


def _off_middle(shape: tuple[int, ...], corners: Points) -> npt.NDArray[np.float64]:
    """How far each pixel is from a line's middle, as a share of half its height."""
    start, end = (corners[0] + corners[3]) / 2, (corners[1] + corners[2]) / 2
    half = float(np.linalg.norm(corners[3] - corners[0])) / 2
    along = (end - start) / max(1e-6, float(np.linalg.norm(end - start)))
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]]
    return np.asarray(
        np.abs((x - start[0]) * along[1] - (y - start[1]) * along[0]) / max(1.0, half), np.float64
    )


def _filled(shape: tuple[int, ...], corners: Points, grow: int) -> Mask:
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(corners).astype(np.int32)], 1)
    if grow > 0:
        mask = cv2.dilate(mask, np.ones((2 * grow + 1, 2 * grow + 1), np.uint8))
    return np.asarray(mask, bool)


def _core(
    crop: Array, inner: Mask, foreign: Mask, height: float, judge: Judge | None, left: int, top: int
) -> Mask | None:
    """The pixels that are surely ink: of colours common inside the line and rare just around it,
    and like its words.
    """
    lab = cv2.cvtColor(crop, cv2.COLOR_RGB2LAB).astype(np.float32)
    reach = int(
        max(2, round(0.12 * height))
    )  # tight: a sheet of paper around the text ends soon after it
    around = cv2.dilate(
        inner.astype(np.uint8), np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    ).astype(bool)
    ring = around & ~inner & ~foreign
    if ring.sum() < 12:
        ring = ~inner
    masks: list[Mask] = []
    for count in (2, 3, 4, 5):
        masks += _candidates(_clusters(lab, inner, count), inner, ring, count)
    masks += _local_contrast(lab, inner, height)
    kept = [part for mask in masks for part in (mask, _without_lines(mask, inner)) if part.any()]
    tidied = [tidy for mask in kept for tidy in _tidy(mask & inner, inner, height)]
    found = [(_stands_out(lab, mask, inner, ring, height), mask) for mask in _different(tidied)]
    found = sorted((item for item in found if item[0] > 0.004), key=lambda item: -item[0])[:_TRIALS]
    if judge is not None:
        judged = [
            (judge(mask, left, top) - _unlike(mask, inner, height), score, mask)
            for score, mask in found
        ]
        found = [
            (likeness + 0.15 * score, mask) for likeness, score, mask in judged if likeness > LEAST
        ]
    if not found:
        return None
    return _filled_out(max(found, key=lambda item: item[0])[1], lab, inner)


def _without_lines(mask: Mask, inner: Mask) -> Mask:
    """Without what runs on beyond the line to the crop's edge: a frame or a rule, no letter."""
    count, labels = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
    edges = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
    area = np.bincount(labels.ravel(), minlength=count)
    within = np.bincount(labels[inner], minlength=count)
    runs_on = [n for n in np.unique(edges) if n and within[n] < _MOSTLY * area[n]]
    return mask & ~np.isin(labels, runs_on)


def _filled_out(core: Mask, lab: npt.NDArray[np.float32], inner: Mask) -> Mask:
    """The core with what touches it and has its colour: a clustering may part one ink in two."""
    typical = np.median(lab[core], axis=0)
    near = np.linalg.norm(lab - typical, axis=2) < _SAME_INK
    if float(near[core].mean()) < _MOSTLY:  # of several colours
        return core
    both = core | (near & inner)
    _, labels = cv2.connectedComponents(both.astype(np.uint8), connectivity=8)
    return np.asarray(both & np.isin(labels, np.unique(labels[core])), bool)


def _different(masks: Sequence[Mask]) -> list[Mask]:
    """The masks without those that are nearly the same as an earlier one: in pixels, and in their
    extent, which a thin rule beside the letters changes.
    """
    kept: list[tuple[Mask, tuple[int, ...]]] = []
    for mask in masks:
        extent = _extent(mask)
        if not any(
            (mask & other).sum() >= 0.93 * (mask | other).sum()
            and max(abs(a - b) for a, b in zip(extent, ends, strict=True)) <= 2
            for other, ends in kept
        ):
            kept.append((mask, extent))
    return [mask for mask, _ in kept]


def _extent(mask: Mask) -> tuple[int, ...]:
    """First and last row and column of a mask that is not empty."""
    rows, columns = np.nonzero(mask)
    return int(rows.min()), int(rows.max()), int(columns.min()), int(columns.max())


def _local_contrast(lab: npt.NDArray[np.float32], inner: Mask, height: float) -> list[Mask]:
    """What is darker, and what is lighter, than its surroundings: for grounds that change along the
    line.
    """
    light = lab[..., 0]
    window = int(max(5, round(0.9 * height))) | 1
    above = light - cv2.blur(light, (window, window), borderType=cv2.BORDER_REPLICATE)
    masks = []
    for signed in (above, -above):
        values = np.clip(signed, 0, 255).astype(np.uint8)
        level, _ = cv2.threshold(
            values[inner].reshape(-1, 1), 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU
        )
        masks.append(np.asarray(values > max(level, 6), bool))
    return masks


def _clusters(lab: npt.NDArray[np.float32], inner: Mask, count: int) -> npt.NDArray[np.int32]:
    pixels = lab[inner]
    if len(pixels) > 6000:
        pixels = pixels[:: len(pixels) // 6000 + 1]
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 0.8)
    spread = np.argsort(pixels @ np.array([1.0, 0.5, 0.5], np.float32))
    start = np.zeros(
        (len(pixels), 1), np.int32
    )  # labels by lightness: no random start, the same result every time
    start[spread, 0] = np.arange(len(pixels)) * count // len(pixels)
    _, _, centres = cv2.kmeans(pixels, count, start, criteria, 1, cv2.KMEANS_USE_INITIAL_LABELS)
    distance = np.stack([((lab - centre) ** 2).sum(axis=2) for centre in centres])
    return np.asarray(distance.argmin(axis=0), np.int32)


def _candidates(labels: npt.NDArray[np.int32], inner: Mask, ring: Mask, count: int) -> list[Mask]:
    """Each colour alone, and all colours together that are rarer around the line than in it."""
    masks = [labels == n for n in range(count)]
    rare = [m for m in masks if m[ring].mean() < 0.35 * max(1e-6, m[inner].mean())]
    if len(rare) > 1 and len(rare) < count:
        masks.append(np.logical_or.reduce(rare))
    return masks


def _stands_out(
    lab: npt.NDArray[np.float32], mask: Mask, inner: Mask, ring: Mask, height: float
) -> float:
    """How much a mask looks like a line of glyphs: absent around, present along the line, thin, in
    contrast.
    """
    inside = float(mask.sum()) / max(1.0, float(inner.sum()))
    if not 0.02 < inside < 0.75:
        return 0.0
    colours = lab[mask].mean(axis=0)
    near = np.linalg.norm(lab - colours, axis=2) < 12
    outside = float(near[ring].mean())
    columns = _along(mask, inner)
    thickness = _thickness(mask, height)
    contrast = float(np.linalg.norm(colours - np.median(lab[ring], axis=0)))
    thin = 1.0 if thickness < 0.15 else float(np.exp(-(thickness - 0.15) / 0.06))
    return (
        (1 - 0.8 * min(1.0, outside / max(inside, 1e-6))) * columns * thin * min(1.0, contrast / 40)
    )


def _thickness(mask: Mask, height: float) -> float:
    """Half the width of the thickest strokes, as a share of the line's height: a bold face has up
    to 0.12.
    """
    depth = np.asarray(cv2.distanceTransform(mask.astype(np.uint8), cv2.DIST_L2, 3), np.float32)
    return float(np.percentile(depth[mask], 98)) / height if mask.any() else 0.0


def _unlike(mask: Mask, inner: Mask, height: float) -> float:
    """What is taken off a mask's likeness for parts that no letters have: thicker than strokes, or
    along the border.
    """
    border = inner & (cv2.erode(inner.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0)
    contact = float(mask[border].mean()) if border.any() else 0.0
    return max(0.0, 2 * (_thickness(mask, height) - 0.12)) + max(0.0, contact - 0.1)


def _along(mask: Mask, inner: Mask) -> float:
    """The share of the line's length (along its longer side) that has ink."""
    axis = 0 if np.ptp(np.nonzero(inner)[1]) >= np.ptp(np.nonzero(inner)[0]) else 1
    used = np.asarray(inner.any(axis=axis), bool)
    inked = np.asarray(mask.any(axis=axis), bool)
    return float(inked[used].mean()) if used.any() else 0.0


def _tidy(mask: Mask, inner: Mask, height: float) -> list[Mask]:
    """Without specks; and once more without what runs along the line's border (a sheet's edge, a
    sleeve).
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        mask.astype(np.uint8), connectivity=8
    )
    least = max(2.0, 0.002 * height * height)
    large = [n for n in range(1, count) if stats[n, cv2.CC_STAT_AREA] >= least]
    band = int(max(1, round(0.04 * height)))
    kernel = np.ones((2 * band + 1, 2 * band + 1), np.uint8)
    border = inner & (cv2.erode(inner.astype(np.uint8), kernel) == 0)
    touching = np.bincount(labels[border], minlength=count)
    area = stats[:, cv2.CC_STAT_AREA]
    inside = [
        n for n in large if touching[n] < 0.35 * height * band and touching[n] < 0.5 * area[n]
    ]
    chosen = [large] if len(inside) == len(large) else [large, inside]
    return [np.isin(labels, keep) for keep in chosen if keep]


def _matte(crop: Array, core: Mask, foreign: Mask, height: float, left: int, top: int) -> Glyphs:
    """Ground, colour and opacity in two passes: the first finds the strokes' fainter parts, the
    second the edges.
    """
    near = (
        cv2.dilate(core.astype(np.uint8), _disc(int(max(3, round(0.12 * height))))).astype(bool)
        & ~foreign
    )
    alpha, colour, _ = _separate(crop, core, near, foreign)
    fainter = (alpha > 0.25) & near
    _, labels = cv2.connectedComponents((fainter | core).astype(np.uint8), connectivity=8)
    core = np.isin(labels, np.unique(labels[core])) & (fainter | core)
    erased = cv2.dilate(core.astype(np.uint8), _disc(int(max(2, round(0.045 * height))))).astype(
        bool
    )
    alpha, colour, ground = _separate(crop, core, erased, foreign)
    other = cv2.dilate((erased | foreign).astype(np.uint8), _disc(2)).astype(bool) & ~erased
    texts = cv2.dilate(foreign.astype(np.uint8), _disc(2)).astype(bool)
    guessed = grounds.doubt(
        crop, erased, other, texts, 2 + int(np.clip(round(0.06 * height), 2, 8))
    )
    ground = grounds.filled(crop, erased, other)
    solid = (alpha > 0.8) & cv2.erode(core.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool)
    alpha[solid] = np.maximum(alpha[solid], 0.97)
    ink = np.broadcast_to(colour, crop.shape).copy()
    ink[core] = crop[core]
    red, green, blue = (round(float(c)) for c in colour)
    return Glyphs(
        left=left,
        top=top,
        alpha=alpha,
        ground=ground,
        doubt=guessed,
        erased=erased,
        colour=(red, green, blue),
        ink=ink.astype(np.uint8),
    )


def _separate(
    crop: Array, core: Mask, hidden: Mask, foreign: Mask
) -> tuple[Alpha, npt.NDArray[np.float64], Array]:
    """Opacity inside `hidden`, the ink's colour, and the ground under it."""
    ground = _ground(crop, hidden, foreign)
    shade = crop.astype(np.float32) - ground.astype(np.float32)
    strength = np.abs(shade).sum(axis=2)
    strong = core & (
        strength >= np.percentile(strength[core], 70)
    )  # thin strokes are pure only in their middle
    colour = np.median(crop[strong], axis=0)
    span = colour.astype(np.float32) - ground.astype(np.float32)
    alpha = (shade * span).sum(axis=2) / np.maximum((span * span).sum(axis=2), 60.0)
    return np.where(hidden, np.clip(alpha, 0, 1), 0).astype(np.float32), colour, ground


def _ground(crop: Array, hidden: Mask, foreign: Mask) -> Array:
    """What lies behind: a plane through the colours around where those lie on one, inpainted
    otherwise.

    The pixels next to the hidden ones are made up too, but only to keep compression ringing out of
    the guess.
    """
    wider = cv2.dilate((hidden | foreign).astype(np.uint8), _disc(2)).astype(bool)
    plane = _plane(crop, ~wider)
    if plane is not None:
        return plane
    return inpaint(crop, wider)


def _plane(crop: Array, seen: Mask) -> Array | None:
    """Each channel as a plane over x and y fitted to the `seen` pixels; None where they do not lie
    on it.
    """
    rows, columns = np.nonzero(seen)
    if len(rows) < 40:
        return None
    step = max(1, len(rows) // 4000)
    rows, columns = rows[::step], columns[::step]
    height, width = seen.shape
    terms = np.column_stack([np.ones(len(rows)), columns / width, rows / height])
    values = crop[rows, columns].astype(np.float64)
    fitted, *_ = np.linalg.lstsq(terms, values, rcond=None)
    missed = np.abs(terms @ fitted - values)
    if float(missed.mean()) > 1.5 or float(np.percentile(missed, 99)) > 8:
        return None
    y, x = np.mgrid[0:height, 0:width]
    surface = fitted[0] + x[..., None] / width * fitted[1] + y[..., None] / height * fitted[2]
    return np.asarray(np.clip(np.round(surface), 0, 255), np.uint8)


def inpaint(crop: Array, hidden: Mask) -> Array:
    """`crop` with the hidden pixels made up from those around (OpenCV, Telea's method)."""
    filled = cv2.inpaint(np.ascontiguousarray(crop), hidden.astype(np.uint8), 3, cv2.INPAINT_TELEA)
    return np.asarray(filled, np.uint8)


def _disc(radius: int) -> npt.NDArray[np.uint8]:
    return np.asarray(
        cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1)), np.uint8
    )


def stands_out(colour: npt.ArrayLike, pixels: Array, box: list[int]) -> bool:
    """Whether a colour can be read on the pixels inside `box` (left, top, right, bottom)."""
    left, top, right, bottom = (max(0, v) for v in box)
    under = pixels[top:bottom, left:right].reshape(-1, 3)
    return not under.size or float(np.linalg.norm(under.mean(axis=0) - np.asarray(colour))) > 110
