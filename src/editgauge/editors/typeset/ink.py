"""Separate a line's letters from what lies behind them: opacity, colour, and the ground. Of several
separations the one that looks most like the line's own words is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.editors.typeset import faces
from editgauge.editors.typeset.faces import Alpha, Face, Style, ink_box
from editgauge.editors.typeset.find import Line, Span
from editgauge.images import Array, Mask
from editgauge.instructions import Colour

_LEAST = 0.25
"""The likeness to the line's words below which a separation is not believed."""
_CLEAR = 0.95
"""How much letters that no face is like must stand out (0 to 1) to be believed."""
_LEVEL = 1.2
"""Degrees within which a line counts as level: OCR's corners are not better than this."""
Lab = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float64]
EVERYWHERE = (0.0, 1e6)


@dataclass(frozen=True, slots=True, eq=False)
class Ink:
    """The letters of one line, in an upright rectangle around it; arrays (h, w[, 3]).

    `matrix` (2, 3) leads from the rectangle to the picture. `ground`: the rectangle without the
    ink; `hidden`: where that differs from the picture (ink, its soft edge and compression's
    ringing); `colour`: the ink's typical colour, and `paint` its colour at every pixel; `box`:
    left, top, right, bottom of the ink.
    """

    line: Line
    matrix: Matrix
    alpha: Alpha
    ground: Array
    hidden: Mask
    colour: Colour
    paint: Array
    box: tuple[int, int, int, int]

    @property
    def level(self) -> bool:
        return bool(self.matrix[0, 0] == 1.0)

    def is_whole(self, span: Span) -> bool:
        return span.start == 0 and span.end == len(self.line.text)

    def pen(self, style: Style) -> tuple[float, float]:
        """Where the pen stood when the line was set: x of its start, y of its baseline."""
        drawn, (left, top, _, bottom) = faces.set_text(style, self.line.text), self.box
        if drawn is None or (box := ink_box(drawn.alpha)) is None:
            return float(left), float(bottom)
        return left - (drawn.left + box[0]), (top + bottom - box[1] - box[3]) / 2 - drawn.top

    def between(self, reach: tuple[float, float]) -> tuple[float, float]:
        """The first and last x that has ink, between two."""
        low, high = (int(min(x, self.alpha.shape[1])) for x in reach)
        columns = np.nonzero((self.alpha[:, low:high] > 0.4).any(axis=0))[0]
        if not len(columns):
            return float(low), float(high)
        return float(low + columns[0]), float(low + columns[-1] + 1)

    def reach(self, span: Span, style: Style | None) -> tuple[float, float]:
        """From where to where a span's ink runs: by the font's widths, then to the nearest gap."""
        edges = list(EVERYWHERE)
        if style is None or self.is_whole(span):
            return EVERYWHERE
        text, pen = self.line.text, self.pen(style)[0]
        for side, position in enumerate((span.start, span.end)):
            if position not in (0, len(text)):
                blank = text[position - 1].isspace() or text[position].isspace()
                before = text[:position].rstrip() if blank else text[:position]
                at = pen + faces.width_of(style, before) + blank * faces.width_of(style, " ") / 2
                edges[side] = self._gap(at, (0.5 if blank else 0.3) * style.size)
        return edges[0], max(edges[0] + 1, edges[1])

    def _gap(self, at: float, reach: float) -> float:
        """The column near `at` with the least ink in it and around it."""
        columns = (self.alpha > 0.35).sum(axis=0).astype(np.float64)
        low, high = int(max(0, at - reach)), int(min(len(columns) - 1, at + reach)) + 1
        if high - low < 2:
            return at
        here = columns[low:high]
        width = max(3, int(reach / 2)) | 1
        around = np.convolve(here, np.ones(width) / width, mode="same")  # a wide gap's middle
        away = np.abs(np.arange(low, high) - at) / max(1.0, 2 * reach)
        return low + int(((here + around) / max(1.0, columns.max()) + 0.5 * away).argmin()) + 0.5


def separated(picture: Array, line: Line, some: Sequence[Face]) -> Ink | None:
    """The ink of a line, None where none stands out. `some`: faces to tell letters from gaps."""
    matrix, (width, height), margin = _frame(line)
    patch = cv2.warpAffine(
        picture, matrix, (width, height), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    tall, edge = line.height, round(margin - 0.08 * line.height)
    inner = np.zeros((height, width), bool)
    inner[edge : height - edge - 1, edge : width - edge - 1] = True
    best, rank = None, -np.inf
    plain_best, plain_clear = None, _CLEAR
    for clear, mask in _trials(np.asarray(patch), inner, tall):
        alike = faces.likeness(mask.astype(np.float32), line.text, some)
        # parts too thick for strokes (gaps between letters have them) count against a mask
        alike -= max(0.0, 2 * (_thickness(mask, tall) - 0.12))
        if alike > _LEAST and alike + 0.3 * clear > rank:  # a script's letters are only roughly so
            best, rank = mask, alike + 0.3 * clear
        if clear > plain_clear and _plane(np.asarray(patch), ~_grown(mask, 3)) is not None:
            plain_best, plain_clear = mask, clear
    if best is None:
        best = plain_best  # letters of no face that is installed, alone on a plain ground
    if best is None:
        return None
    alpha, ground, hidden, colour = _matte(np.asarray(patch), best, tall)
    paint = np.broadcast_to(np.asarray(colour, np.uint8), ground.shape).copy()
    core = alpha > 0.9
    paint[core] = patch[core]
    box = ink_box(alpha)
    return box and Ink(line, matrix, alpha, ground, hidden, colour, paint, box)


def _frame(line: Line) -> tuple[Matrix, tuple[int, int], float]:
    """From a line's upright coordinates to the picture; the rectangle's size; its margin."""
    along, down = line.upright[1] - line.upright[0], line.upright[3] - line.upright[0]
    angle = float(np.degrees(np.arctan2(along[1], along[0])))
    if abs(angle - round(angle / 90) * 90) < _LEVEL:
        angle = round(angle / 90) * 90
    u = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))]).round(12)
    v = np.array([-u[1], u[0]])
    margin = max(4.0, 0.45 * line.height)
    sides = np.array([np.linalg.norm(along), np.linalg.norm(down)]) + 2 * margin
    origin = line.corners.mean(axis=0) - u * sides[0] / 2 - v * sides[1] / 2
    matrix = np.column_stack([u, v, origin if u[0] != 1.0 else np.floor(origin)])
    width, height = (int(side) + 2 for side in sides)
    return matrix, (width, height), margin


def _grown(mask: npt.NDArray[np.bool_] | npt.NDArray[np.uint8], by: int, shape: int = 0) -> Mask:
    """The mask and what is within `by` pixels of it; `shape` is OpenCV's (0 = square)."""
    kernel = cv2.getStructuringElement(shape, (2 * by + 1, 2 * by + 1))
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel), bool)


# ------------------------------------------------------------------------------------- separations
def _trials(patch: Array, inner: Mask, height: float) -> Iterator[tuple[float, Mask]]:
    """Masks that may be the line's ink, with how much they stand out (0 to 1)."""
    lab = cv2.cvtColor(patch, cv2.COLOR_RGB2LAB).astype(np.float32)
    # a sheet of paper around the text ends soon after it
    ring = _grown(inner, int(max(2, round(0.12 * height)))) & ~inner
    masks = [mask for count in (2, 3, 4, 5) for mask in _clusters(lab, inner, count)]
    for mask in (_tidy(mask & inner, inner, height) for mask in masks):
        inside = float(mask.sum()) / float(inner.sum())
        if 0.02 < inside < 0.75:
            near = np.linalg.norm(lab - lab[mask].mean(axis=0), axis=2) < 12
            yield 1 - 0.8 * min(1.0, float(near[ring].mean()) / inside), mask


def _clusters(lab: Lab, inner: Mask, count: int) -> list[Mask]:
    """What has each of `count` colours."""
    pixels = lab[inner]
    pixels = pixels[:: len(pixels) // 6000 + 1]
    if len(pixels) < 8 * count:
        return []
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 0.8)
    cv2.setRNGSeed(0)
    _, _, centres = cv2.kmeans(pixels, count, None, criteria, 1, cv2.KMEANS_PP_CENTERS)
    labels = np.stack([((lab - centre) ** 2).sum(axis=2) for centre in centres]).argmin(axis=0)
    return [labels == n for n in range(count)]


def _tidy(mask: Mask, inner: Mask, height: float) -> Mask:
    """Without specks, and without what runs along the line's border (a sheet's edge)."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    area = stats[:, cv2.CC_STAT_AREA]
    large = [n for n in range(1, count) if area[n] >= max(2.0, 0.002 * height * height)]
    band = int(max(1, round(0.04 * height)))
    touching = np.bincount(labels[inner & _grown(~inner, band)], minlength=count)
    inside = [n for n in large if touching[n] < min(0.35 * height * band, 0.5 * area[n])]
    return np.isin(labels, inside or large)


def _thickness(mask: Mask, height: float) -> float:
    """Half the width of the thickest strokes, as a share of the line's height: bold has to 0.12."""
    depth = cv2.distanceTransform(mask.astype(np.uint8), cv2.DIST_L2, 3)
    return float(np.percentile(depth[mask], 98)) / height


# ------------------------------------------------------------------------------- opacity and ground
def _matte(patch: Array, core: Mask, height: float) -> tuple[Alpha, Array, Mask, Colour]:
    """Opacity, the ground (a plane, or inpainted), what of it is hidden, and the ink's colour."""
    hidden = _grown(core, int(max(2, round(0.045 * height))), cv2.MORPH_ELLIPSE)
    wider = _grown(hidden, 2, cv2.MORPH_ELLIPSE)
    ground = _plane(patch, ~wider)
    if ground is None:
        ground = np.asarray(cv2.inpaint(patch, wider.astype(np.uint8), 3, cv2.INPAINT_TELEA))
    shade = patch.astype(np.float32) - ground.astype(np.float32)
    strength = np.abs(shade).sum(axis=2)
    strong = core & (strength >= np.percentile(strength[core], 70))  # pure only inside strokes
    typical = np.median(patch[strong], axis=0)
    span = typical.astype(np.float32) - ground.astype(np.float32)
    shares = (shade * span).sum(axis=2) / np.maximum((span * span).sum(axis=2), 60.0)
    alpha = np.where(hidden, np.clip(shares, 0, 1), 0).astype(np.float32)
    solid = (alpha > 0.8) & ~_grown(~core, 1)
    alpha[solid] = np.maximum(alpha[solid], 0.97)
    ground[~hidden] = patch[~hidden]
    red, green, blue = (round(float(c)) for c in typical)
    return alpha, ground, hidden, (red, green, blue)


def _plane(patch: Array, seen: Mask) -> Array | None:
    """Planes fitted to the `seen` pixels, less a few of another text; None if they do not fit."""
    rows, columns = np.nonzero(seen)
    step = len(rows) // 4000 + 1
    rows, columns = rows[::step], columns[::step]
    terms = np.column_stack([np.ones(len(rows)), columns, rows])
    values, near = patch[rows, columns].astype(np.float64), np.ones(len(rows), bool)
    for _ in range(3):
        if near.sum() < max(40, 0.7 * len(rows)):
            return None
        fitted, *_ = np.linalg.lstsq(terms[near], values[near], rcond=None)
        missed = np.abs(terms @ fitted - values).max(axis=1)
        near = missed <= max(8.0, 1.5 * float(np.median(missed)))
    if float(missed[near].mean()) > 2 or float(np.percentile(missed[near], 99)) > 8:
        return None
    y, x = np.mgrid[0 : seen.shape[0], 0 : seen.shape[1]]
    surface = fitted[0] + x[..., None] * fitted[1] + y[..., None] * fitted[2]
    return np.asarray(np.clip(np.round(surface), 0, 255), np.uint8)
