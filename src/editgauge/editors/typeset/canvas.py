"""The picture being edited: lines as ink in an upright frame, and the four strokes (erase, set,
lift, drop).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.editors.typeset import fonts
from editgauge.editors.typeset.faces import Face, Setting, covers, ink_box
from editgauge.editors.typeset.find import Line, Match, Points
from editgauge.editors.typeset.glyphs import LEAST, Alpha, Glyphs, extract
from editgauge.editors.typeset.request import Span
from editgauge.images import Array, Mask

Matrix = npt.NDArray[np.float64]

_LEVEL = 1.2
"""Degrees within which a line counts as level: OCR corners are not better than this."""

_SEEN = 0.004
"""The opacity from which ink changes a level of 255."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Upright coordinates of a line: (x along the text, y down from it) -> picture, as a 2 x 3
    matrix.
    """

    matrix: Matrix
    width: int
    height: int

    @property
    def level(self) -> bool:
        return bool(self.matrix[0, 0] == 1.0)

    def to_picture(self, points: Sequence[tuple[float, float]]) -> Points:
        return np.asarray([self.matrix @ (x, y, 1.0) for x, y in points])

    def from_picture(self, point: tuple[float, float]) -> tuple[float, float]:
        x, y = np.linalg.solve(self.matrix[:, :2], np.asarray(point) - self.matrix[:, 2])
        return float(x), float(y)


def slant(line: Line) -> float:
    """The angle of a line's upper edge, in degrees; positive runs down."""
    along = line.corners[1] - line.corners[0]
    return float(np.degrees(np.arctan2(along[1], along[0])))


def frame_of(line: Line, *, flipped: bool = False, angle: float | None = None) -> Frame:
    """The line's frame, with a margin of 0.35 of its height around it.

    `flipped`: an upended line that runs up. `angle`: at this slant, in degrees, instead of its own.
    """
    corners = np.roll(line.corners, -3 if flipped else -1, axis=0) if line.upended else line.corners
    along, down = corners[1] - corners[0], corners[3] - corners[0]
    angle = float(np.degrees(np.arctan2(along[1], along[0]))) if angle is None else angle
    nearest = round(angle / 90) * 90
    if abs(angle - nearest) < _LEVEL:
        angle = float(nearest)
    radians = np.radians(angle)
    u = np.array([np.cos(radians), np.sin(radians)]).round(12)
    v = np.array([-u[1], u[0]])
    centre = corners.mean(axis=0)
    width, height = float(np.linalg.norm(along)), float(np.linalg.norm(down))
    margin = 0.35 * height
    origin = centre - u * (width / 2 + margin) - v * (height / 2 + margin)
    if angle == 0:
        origin = np.floor(origin)
    matrix = np.column_stack([u, v, origin])
    return Frame(
        matrix, int(np.ceil(width + 2 * margin)) + 1, int(np.ceil(height + 2 * margin)) + 1
    )


@dataclass(slots=True, kw_only=True)
class Inked:
    """A line with its ink: in the picture (`glyphs`), and upright in its frame (`upright`, `box` =
    its ink box).
    """

    line: Line
    glyphs: Glyphs
    frame: Frame
    upright: Alpha
    box: tuple[int, int, int, int]


@dataclass(slots=True)
class Lifted:
    """Ink cut out of a picture: opacity (h, w), colour (h, w, 3), and where its top left corner
    was.
    """

    alpha: Alpha
    ink: Array
    left: float
    top: float

    @property
    def centre(self) -> tuple[float, float]:
        return self.left + self.alpha.shape[1] / 2, self.top + self.alpha.shape[0] / 2


@dataclass
class Canvas:
    """A picture ((H, W, 3), uint8) that is edited in place, and the lines of text that were read in
    it.
    """

    original: Array
    lines: Sequence[Line]
    faces: Sequence[Face]
    pixels: Array = field(init=False)
    restored: Mask = field(init=False)
    """Where ground was put in the place of ink."""
    laid: Mask = field(init=False)
    """Where ink was laid."""
    _inked: dict[int, Inked | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.pixels = self.original.copy()
        self.restored = np.zeros(self.original.shape[:2], dtype=np.bool_)
        self.laid = np.zeros(self.original.shape[:2], dtype=np.bool_)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.pixels.shape[1], self.pixels.shape[0]

    def inked(self, number: int) -> Inked | None:
        """The ink of a line, or None where nothing stands out from the ground."""
        if number not in self._inked:
            self._inked[number] = self._ink(number)
        return self._inked[number]

    def _ink(self, number: int) -> Inked | None:
        line = self.lines[number]
        others = [
            other.corners
            for n, other in enumerate(self.lines)
            if n != number and _near(line, other)
        ]
        frames = self._frames(line)
        judge = _Judge(line.text, frames, self._sampler(line.text))
        glyphs = extract(self.original, line.corners, others, judge)
        if glyphs is None:
            return None
        fits = [judge.likeness(glyphs.alpha, frame, glyphs.left, glyphs.top) for frame in frames]
        best = max(range(len(frames)), key=lambda n: fits[n])
        if fits[best] < LEAST:  # what was taken in with the faint edges is more than letters
            return None
        return _upright(line, glyphs, frames[best])

    def _frames(self, line: Line) -> list[Frame]:
        """The line's own frame; turned over, if it runs up or down; at its neighbours' slant, where
        that is another.
        """
        if line.upended:
            return [frame_of(line), frame_of(line, flipped=True)]
        own = slant(line)
        others = [slant(other) for other in self.lines if other is not line and not other.upended]
        common = float(np.median(others)) if others else own
        if (
            abs(own - common) > _LEVEL
            and abs(own - common) < 15
            and max(abs(own), abs(common)) > _LEVEL
        ):
            return [frame_of(line), frame_of(line, angle=common)]
        return [frame_of(line)]

    def _sampler(self, text: str) -> list[Face]:
        """A few different faces: enough to tell letters from the gaps between them."""
        able = [face for face in self.faces if covers(face, text)] or list(self.faces)
        return able[:: max(1, len(able) // 5)][:6]

    # --- strokes ---

    def erase(self, inked: Inked, portion: Mask | None = None) -> None:
        """Put the ground where the line's ink (or the `portion` of it, in the glyphs' rectangle)
        is.
        """
        g = inked.glyphs
        where = g.erased if portion is None else g.erased & portion
        region = self.pixels[g.top : g.top + where.shape[0], g.left : g.left + where.shape[1]]
        region[where] = g.ground[where]
        at = slice(g.top, g.top + where.shape[0]), slice(g.left, g.left + where.shape[1])
        self.restored[at] |= where
        self.laid[at] &= ~where

    def set(
        self, drawn: Setting, frame: Frame, pen: tuple[float, float], colour: tuple[int, int, int]
    ) -> None:
        """Lay drawn text on the picture with the pen at `pen` (x, baseline) of the frame."""
        x, y = pen[0] + drawn.left, pen[1] + drawn.top
        if frame.level:
            x, y = round(x), round(y)
        shift = np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]])
        ink = np.empty((*drawn.alpha.shape, 3), np.uint8)
        ink[:] = colour
        self._lay(drawn.alpha, ink, (np.vstack([frame.matrix, (0, 0, 1)]) @ shift)[:2])

    def drop(self, lifted: Lifted, matrix: Matrix | None = None) -> None:
        """Lay lifted ink back, through a 2 x 3 matrix from its own pixels to the picture's
        (default: where it was).
        """
        place = np.array([[1, 0, lifted.left], [0, 1, lifted.top]], float)
        self._lay(lifted.alpha, lifted.ink, place if matrix is None else matrix)

    def _lay(self, alpha: Alpha, ink: Array, matrix: Matrix) -> None:
        height, width = alpha.shape
        ends = np.array([matrix @ (x, y, 1.0) for x in (0, width) for y in (0, height)])
        low = np.maximum(np.floor(ends.min(axis=0)).astype(int) - 1, 0)
        high = np.minimum(np.ceil(ends.max(axis=0)).astype(int) + 2, self.size)
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        if size[0] <= 0 or size[1] <= 0:
            return
        local = matrix.copy()
        local[:, 2] -= low
        scale = float(np.sqrt(abs(np.linalg.det(matrix[:, :2]))))
        if scale < 0.9:  # reduce softly first: linear interpolation alone would drop thin strokes
            alpha = cv2.GaussianBlur(alpha, (0, 0), 0.35 / scale)
        opacity = np.clip(cv2.warpAffine(alpha, local, size, flags=cv2.INTER_LINEAR), 0, 1)[
            ..., None
        ]
        paint = cv2.warpAffine(
            ink, local, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        region = self.pixels[low[1] : high[1], low[0] : high[0]]
        mixed = region * (1 - opacity) + paint * opacity
        region[:] = np.where(opacity > _SEEN, np.round(mixed), region).astype(np.uint8)
        self.laid[low[1] : high[1], low[0] : high[0]] |= opacity[..., 0] > _SEEN

    # --- parts of lines ---

    def style(self, inked: Inked, needed: str) -> fonts.Style | None:
        """The style of a line's own text, among faces that can also set `needed`."""
        return fonts.fit(inked.upright, inked.line.text, needed, self.faces)

    def portion(self, inked: Inked, reach: tuple[float, float]) -> Mask:
        """The part of the glyphs' rectangle between two x of the line's frame."""
        frame, g = inked.frame, inked.glyphs
        corners = frame.to_picture(
            [(reach[0], -9999), (reach[1], -9999), (reach[1], 9999), (reach[0], 9999)]
        )
        mask = np.zeros(g.alpha.shape, np.uint8)
        points = np.round((corners - (g.left, g.top)) * 16).astype(np.int32)
        cv2.fillConvexPoly(mask, points, 1, lineType=cv2.LINE_8, shift=4)
        return np.asarray(mask, bool)

    def lift(self, match: Match) -> Lifted | None:
        """Cut the ink of a match out of the picture and put the ground in its place; None where
        there is no ink.
        """
        pieces: list[tuple[Glyphs, Alpha]] = []
        for span in match.spans:
            inked = self.inked(span.line)
            if inked is None:
                continue
            portion = self.span_portion(inked, span)
            pieces.append(
                (inked.glyphs, np.where(portion, inked.glyphs.alpha, 0).astype(np.float32))
            )
            self.erase(inked, portion)
        return _joined(pieces)

    def span_portion(self, inked: Inked, span: Span) -> Mask:
        if span.start == 0 and span.end == len(inked.line.text):
            return np.ones(inked.glyphs.alpha.shape, bool)
        style = self.style(inked, "")
        reach = extent(inked, style, span) if style else (0.0, float(inked.frame.width))
        return self.portion(inked, (reach[0] - 1, reach[1] + 1))


@dataclass(frozen=True, slots=True)
class _Judge:
    """How much ink looks like a text, in whichever frame and face it looks most like it."""

    text: str
    frames: Sequence[Frame]
    faces: Sequence[Face]

    def __call__(self, mask: Mask, left: int, top: int) -> float:
        return max(
            self.likeness(mask.astype(np.float32), frame, left, top) for frame in self.frames
        )

    def likeness(self, alpha: Alpha, frame: Frame, left: int, top: int) -> float:
        return fonts.likeness(_warped(alpha, frame, left, top), self.text, self.faces)


def _near(a: Line, b: Line) -> bool:
    reach = 1.5 * max(a.height, 8)
    left, top, right, bottom = a.box
    x0, y0, x1, y1 = b.box
    return x0 < right + reach and x1 > left - reach and y0 < bottom + reach and y1 > top - reach


def alignment(canvas: Canvas, line: Line) -> str:
    """``left``, ``right`` or ``center``: what the line shares with the lines around it, or with the
    picture.
    """
    tolerance = max(3.0, 0.25 * line.height)
    left, _, right, _ = line.box
    votes = {"left": 0, "center": 0, "right": 0}
    for other in canvas.lines:
        if other is line:
            continue
        x0, _, x1, _ = other.box
        votes["left"] += abs(x0 - left) < tolerance
        votes["right"] += abs(x1 - right) < tolerance
        votes["center"] += abs((x0 + x1) - (left + right)) / 2 < tolerance
    votes["center"] += abs((left + right) / 2 - canvas.size[0] / 2) < 2 * tolerance
    best = max(votes, key=lambda name: votes[name])
    return best if votes[best] else "center"


def _upright(line: Line, glyphs: Glyphs, frame: Frame) -> Inked | None:
    upright = _warped(glyphs.alpha, frame, glyphs.left, glyphs.top)
    box = ink_box(upright)
    return (
        Inked(line=line, glyphs=glyphs, frame=frame, upright=upright, box=box)
        if box is not None
        else None
    )


def _warped(alpha: Alpha, frame: Frame, left: int, top: int) -> Alpha:
    local = frame.matrix.copy()
    local[:, 2] -= (left, top)
    flags = (cv2.INTER_NEAREST if frame.level else cv2.INTER_LINEAR) | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(alpha, local, (frame.width, frame.height), flags=flags), np.float32
    )


def _joined(pieces: Sequence[tuple[Glyphs, Alpha]]) -> Lifted | None:
    if not pieces:
        return None
    left, top = min(g.left for g, _ in pieces), min(g.top for g, _ in pieces)
    right = max(g.left + a.shape[1] for g, a in pieces)
    bottom = max(g.top + a.shape[0] for g, a in pieces)
    alpha = np.zeros((bottom - top, right - left), np.float32)
    ink = np.zeros((*alpha.shape, 3), np.uint8)
    for g, part in pieces:
        rows, columns = (
            slice(g.top - top, g.top - top + part.shape[0]),
            slice(g.left - left, g.left - left + part.shape[1]),
        )
        stronger = part > alpha[rows, columns]
        ink[rows, columns][stronger] = g.ink[stronger]
        alpha[rows, columns] = np.maximum(alpha[rows, columns], part)
    visible = np.nonzero(alpha > 0.02)
    if not len(visible[0]):
        return None
    y0, y1, x0, x1 = visible[0].min(), visible[0].max() + 1, visible[1].min(), visible[1].max() + 1
    ink = _spread(ink[y0:y1, x0:x1], alpha[y0:y1, x0:x1])
    return Lifted(alpha[y0:y1, x0:x1], ink, float(left + x0), float(top + y0))


def _spread(ink: Array, alpha: Alpha) -> Array:
    """The ink's colour carried outwards over its soft edge, so that a move does not bring the old
    ground along.
    """
    weight = np.where(alpha > 0.85, 1.0, 0.0).astype(np.float32)
    if not weight.any():
        return ink
    sums = cv2.GaussianBlur(ink.astype(np.float32) * weight[..., None], (0, 0), 3)
    total = cv2.GaussianBlur(weight, (0, 0), 3)[..., None]
    typical = np.median(ink[weight > 0], axis=0)
    carried = np.where(total > 1e-3, sums / np.maximum(total, 1e-3), typical)
    return np.where(weight[..., None] > 0, ink, np.clip(carried, 0, 255)).astype(np.uint8)


def pen_of(inked: Inked, style: fonts.Style) -> tuple[float, float]:
    """Where the pen stood when the line was set: x of its start, y of its baseline, in the line's
    frame.
    """
    drawn = fonts.set_text(style, inked.line.text)
    box = ink_box(drawn.alpha) if drawn is not None else None
    if drawn is None or box is None:
        return float(inked.box[0]), float(inked.box[3])
    x = inked.box[0] - (drawn.left + box[0])
    y = ((inked.box[1] - (drawn.top + box[1])) + (inked.box[3] - (drawn.top + box[3]))) / 2
    return x, y


def extent(inked: Inked, style: fonts.Style, span: Span) -> tuple[float, float]:
    """From where to where a span's ink runs, in x of the line's frame: by the font's widths, then
    the nearest gap.
    """
    text = inked.line.text
    pen = pen_of(inked, style)[0]
    columns = (inked.upright > 0.35).sum(axis=0).astype(np.float64)
    edges: list[float] = []
    for position, default in ((span.start, 0.0), (span.end, float(inked.frame.width))):
        if position in (0, len(text)):
            edges.append(default)
            continue
        blank = text[position - 1].isspace() or text[position].isspace()
        at = pen + fonts.width_of(style, text[:position].rstrip() if blank else text[:position])
        if blank:
            at += fonts.width_of(style, " ") / 2
        edges.append(_gap(columns, at, reach=(0.5 if blank else 0.3) * style.size))
    return edges[0], max(edges[0] + 1, edges[1])


def _gap(columns: npt.NDArray[np.float64], at: float, reach: float) -> float:
    """The middle of the widest blank near `at`, or the thinnest column where there is no blank."""
    low, high = int(max(0, at - reach)), int(min(len(columns) - 1, at + reach)) + 1
    if high - low < 2:
        return at
    best, start = (0.0, at), None
    for x in range(low, high + 1):
        if x < high and columns[x] == 0:
            start = x if start is None else start
        elif start is not None:
            middle = (start + x) / 2
            best = max(
                best, ((x - start) - 0.5 * abs(middle - at), middle), key=lambda item: item[0]
            )
            start = None
    if best[0] > 0:
        return best[1]
    cost = columns[low:high] / max(1.0, columns.max()) + np.abs(np.arange(low, high) - at) / max(
        1.0, 2 * reach
    )
    return float(low + int(cost.argmin()))
