"""The picture being edited: its lines as ink in an upright frame; erase, set, lift and drop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.editors.typeset import faces
from editgauge.editors.typeset.faces import Alpha, Drawn, Face, Style, covers, ink_box
from editgauge.editors.typeset.find import Box, Line, Match, Span
from editgauge.editors.typeset.ink import Glyphs, extract
from editgauge.images import Array, Mask
from editgauge.instructions import Colour

Matrix = npt.NDArray[np.float64]
_LEVEL = 1.2
"""Degrees within which a line counts as level: OCR's corners are not better than this."""
_EVERYWHERE = (-9999.0, 9999.0)


class Frame(NamedTuple):
    """Upright coordinates of a line: (x along the text, y down from it) to the picture, 2 x 3."""

    matrix: Matrix
    width: int
    height: int

    @property
    def level(self) -> bool:
        return bool(self.matrix[0, 0] == 1.0)


def median_colour(pixels: Array) -> Colour:
    red, green, blue = np.median(pixels, axis=0)
    return int(red), int(green), int(blue)


@dataclass(frozen=True, slots=True, eq=False)
class Inked:
    """A line with its ink: in the picture (`glyphs`), upright in its frame, and its ink's box."""

    line: Line
    glyphs: Glyphs
    frame: Frame
    upright: Alpha
    box: tuple[int, int, int, int]

    def is_whole(self, span: Span) -> bool:
        return span.start == 0 and span.end == len(self.line.text)

    def pen(self, style: Style) -> tuple[float, float]:
        """Where the pen stood when the line was set: x of its start, y of its baseline."""
        drawn, (left, top, _, bottom) = faces.set_text(style, self.line.text), self.box
        if drawn is None or (box := ink_box(drawn.alpha)) is None:
            return float(left), float(bottom)
        return left - (drawn.left + box[0]), (top + bottom - box[1] - box[3]) / 2 - drawn.top

    def between(self, reach: tuple[float, float]) -> tuple[float, float]:
        """The first and last x of the frame that has ink, between two."""
        low, high = int(max(0, reach[0])), int(min(self.frame.width, np.ceil(reach[1])))
        columns = np.nonzero((self.upright[:, low:high] > 0.4).any(axis=0))[0]
        if not len(columns):
            return float(low), float(high)
        return float(low + columns.min()), float(low + columns.max() + 1)

    def reach(self, span: Span, style: Style | None) -> tuple[float, float]:
        """From where to where a span's ink runs, in x of the frame: by the font's widths, then to
        the nearest gap.
        """
        if self.is_whole(span) or style is None:
            return _EVERYWHERE
        text, pen = self.line.text, self.pen(style)[0]
        columns = (self.upright > 0.35).sum(axis=0).astype(np.float64)
        edges = list(_EVERYWHERE)
        for side, position in enumerate((span.start, span.end)):
            if position in (0, len(text)):
                continue
            blank = text[position - 1].isspace() or text[position].isspace()
            before = text[:position].rstrip() if blank else text[:position]
            at = pen + faces.width_of(style, before) + blank * faces.width_of(style, " ") / 2
            edges[side] = _gap(columns, at, reach=(0.5 if blank else 0.3) * style.size)
        return edges[0], max(edges[0] + 1, edges[1])

    def portion(self, reach: tuple[float, float]) -> Mask:
        """The part of the ink's rectangle between two x of the frame."""
        g, low, high = self.glyphs, *_EVERYWHERE
        ends = [(reach[0], low), (reach[1], low), (reach[1], high), (reach[0], high)]
        corners = np.array([self.frame.matrix @ (x, y, 1.0) for x, y in ends]) - (g.left, g.top)
        mask = np.zeros(g.alpha.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(corners * 16).astype(np.int32), 1, shift=4)
        return np.asarray(mask, bool)


@dataclass(slots=True, eq=False)
class Lifted:
    """Ink cut out of a picture: opacity (h, w), colour (h, w, 3), where its top left corner was."""

    alpha: Alpha
    paint: Array
    left: float
    top: float

    @property
    def size(self) -> tuple[int, int]:
        return self.alpha.shape[1], self.alpha.shape[0]

    @property
    def centre(self) -> tuple[float, float]:
        return self.left + self.size[0] / 2, self.top + self.size[1] / 2


def frame_of(line: Line) -> Frame:
    """The line's frame, with a margin of 0.35 of its height around it."""
    corners = np.roll(line.corners, -1, axis=0) if line.upended else line.corners
    along, down = corners[1] - corners[0], corners[3] - corners[0]
    angle = float(np.degrees(np.arctan2(along[1], along[0])))
    if abs(angle - round(angle / 90) * 90) < _LEVEL:
        angle = round(angle / 90) * 90.0
    u = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))]).round(12)
    v = np.array([-u[1], u[0]])
    width, height = float(np.linalg.norm(along)), float(np.linalg.norm(down))
    margin = 0.35 * height
    origin = corners.mean(axis=0) - u * (width / 2 + margin) - v * (height / 2 + margin)
    matrix = np.column_stack([u, v, np.floor(origin) if angle == 0 else origin])
    size = np.ceil([width + 2 * margin, height + 2 * margin]).astype(int) + 1
    return Frame(matrix, int(size[0]), int(size[1]))


@dataclass
class Canvas:
    """A picture ((H, W, 3), uint8) that is edited, and the lines of text that were read in it."""

    original: Array
    lines: Sequence[Line]
    faces: Sequence[Face]
    pixels: Array = field(init=False)
    _inked: dict[int, Inked | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.pixels = self.original.copy()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.pixels.shape[1], self.pixels.shape[0]

    def inked(self, number: int) -> Inked | None:
        """The ink of a line, or None where nothing stands out from the ground."""
        if number not in self._inked:
            self._inked[number] = self._ink(self.lines[number])
        return self._inked[number]

    def _ink(self, line: Line) -> Inked | None:
        frame = frame_of(line)
        others = [other.corners for other in self.lines if other is not line and _near(line, other)]
        able = [face for face in self.faces if covers(face, line.text)] or list(self.faces)
        some = able[:: max(1, len(able) // 5)][:6]  # enough to tell letters from gaps between them

        def judge(mask: Mask, left: int, top: int) -> float:
            upright = _upright(mask.astype(np.float32), frame, left, top)
            return faces.likeness(upright, line.text, some)

        glyphs = extract(self.original, line.corners, others, judge)
        if glyphs is None:
            return None
        upright = _upright(glyphs.alpha, frame, glyphs.left, glyphs.top)
        box = ink_box(upright)
        return None if box is None else Inked(line, glyphs, frame, upright, box)

    def style(self, inked: Inked, needed: str = "") -> Style | None:
        """The style of a line's own text, among faces that can also set `needed`."""
        return faces.fit(inked.upright, inked.line.text, needed, self.faces)

    def erase(self, inked: Inked, portion: Mask) -> None:
        """Put the ground where the `portion` of the line's ink is (a mask of its rectangle)."""
        g = inked.glyphs
        where = g.hidden & portion
        region = self.pixels[g.top : g.top + where.shape[0], g.left : g.left + where.shape[1]]
        region[where] = g.ground[where]

    def set(self, drawn: Drawn, frame: Frame, pen: tuple[float, float], colour: Colour) -> None:
        """Lay drawn text on the picture with the pen at `pen` (x, baseline) of the frame."""
        x, y = pen[0] + drawn.left, pen[1] + drawn.top
        if frame.level:
            x, y = round(x), round(y)
        paint = np.broadcast_to(np.asarray(colour, np.uint8), (*drawn.alpha.shape, 3)).copy()
        shift = np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]])
        self._lay(drawn.alpha, paint, (np.vstack([frame.matrix, (0, 0, 1)]) @ shift)[:2])

    def drop(self, lifted: Lifted, at: tuple[float, float], linear: Matrix | None = None) -> None:
        """Lay lifted ink back with its centre at `at`, perhaps through a 2 x 2 matrix."""
        turned = np.eye(2) if linear is None else linear
        origin = np.asarray(at) - turned @ (np.asarray(lifted.size) / 2)
        origin = np.round(origin) if linear is None else origin
        self._lay(lifted.alpha, lifted.paint, np.column_stack([turned, origin]))

    def _lay(self, alpha: Alpha, paint: Array, matrix: Matrix) -> None:
        height, width = alpha.shape
        ends = np.array([matrix @ (x, y, 1.0) for x in (0, width) for y in (0, height)])
        low = np.maximum(np.floor(ends.min(axis=0)).astype(int) - 1, 0)
        high = np.minimum(np.ceil(ends.max(axis=0)).astype(int) + 2, self.size)
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        if min(size) <= 0:
            return
        local = matrix.copy()
        local[:, 2] -= low
        scale = float(np.sqrt(abs(np.linalg.det(matrix[:, :2]))))
        if scale < 0.9:  # reduce softly first: interpolation alone would drop thin strokes
            alpha = cv2.GaussianBlur(alpha, (0, 0), 0.35 / scale)
        opacity = np.clip(cv2.warpAffine(alpha, local, size), 0, 1)[..., None]
        laid = cv2.warpAffine(paint, local, size, borderMode=cv2.BORDER_REPLICATE)
        region = self.pixels[low[1] : high[1], low[0] : high[0]]
        mixed = np.round(region * (1 - opacity) + laid * opacity)
        region[:] = np.where(opacity > 0.004, mixed, region).astype(np.uint8)

    def lift(self, match: Match) -> Lifted | None:
        """Cut a match's ink out and put the ground in its place; None where there is no ink."""
        alpha = np.zeros(self.pixels.shape[:2], np.float32)
        paint = np.zeros_like(self.pixels)
        for span in match.spans:
            if (inked := self.inked(span.line)) is None:
                continue
            style = None if inked.is_whole(span) else self.style(inked)
            portion, g = inked.portion(inked.reach(span, style)), inked.glyphs
            place = np.s_[g.top : g.top + portion.shape[0], g.left : g.left + portion.shape[1]]
            part = np.where(portion, g.alpha, 0)
            paint[place][part > alpha[place]] = g.paint[part > alpha[place]]
            alpha[place] = np.maximum(alpha[place], part)
            self.erase(inked, portion)
        rows, columns = np.nonzero(alpha > 0.02)
        if not len(rows):
            return None
        box = np.s_[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
        spread = _spread(paint[box], alpha[box])
        return Lifted(alpha[box], spread, float(columns.min()), float(rows.min()))

    def box_of(self, match: Match) -> Box:
        """What the lines of a match cover of the picture."""
        left, top, right, bottom = np.array([self.lines[span.line].box for span in match.spans]).T
        return float(left.min()), float(top.min()), float(right.max()), float(bottom.max())

    def shows(self, colour: Colour, box: Box) -> bool:
        """Whether a colour can be read on what is inside `box` now."""
        left, top, right, bottom = (max(0, round(v)) for v in box)
        under = self.pixels[top:bottom, left:right].reshape(-1, 3)
        return not under.size or float(np.linalg.norm(under.mean(axis=0) - colour)) > 150


def _near(a: Line, b: Line) -> bool:
    reach = 1.5 * max(a.height, 8)
    left, top, right, bottom = a.box
    x0, y0, x1, y1 = b.box
    return x0 < right + reach and x1 > left - reach and y0 < bottom + reach and y1 > top - reach


def _upright(alpha: Alpha, frame: Frame, left: int, top: int) -> Alpha:
    local = frame.matrix.copy()
    local[:, 2] -= (left, top)
    flags = (cv2.INTER_NEAREST if frame.level else cv2.INTER_LINEAR) | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(alpha, local, (frame.width, frame.height), flags=flags))


def _spread(paint: Array, alpha: Alpha) -> Array:
    """The ink's colour carried out over its soft edge: a move does not bring the old ground."""
    weight = (alpha > 0.85).astype(np.float32)
    if not weight.any():
        return paint
    sums = cv2.GaussianBlur(paint.astype(np.float32) * weight[..., None], (0, 0), 3)
    total = cv2.GaussianBlur(weight, (0, 0), 3)[..., None]
    typical = np.median(paint[weight > 0], axis=0)
    carried = np.where(total > 1e-3, sums / np.maximum(total, 1e-3), typical)
    return np.where(weight[..., None] > 0, paint, np.clip(carried, 0, 255)).astype(np.uint8)


def _gap(columns: npt.NDArray[np.float64], at: float, reach: float) -> float:
    """The column near `at` with the least ink in it and around it."""
    low, high = int(max(0, at - reach)), int(min(len(columns) - 1, at + reach)) + 1
    if high - low < 2:
        return at
    here = columns[low:high]
    width = max(3, int(reach / 2)) | 1
    around = np.convolve(here, np.ones(width) / width, mode="same")  # prefers a wide gap's middle
    away = np.abs(np.arange(low, high) - at) / max(1.0, 2 * reach)
    cost = (here + around) / max(1.0, columns.max()) + 0.5 * away
    return float(low + int(cost.argmin())) + 0.5
