"""The picture being edited: its lines as ink; erase, set, lift and drop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from editgauge.editors.typeset import faces
from editgauge.editors.typeset.faces import Alpha, Drawn, Face, Style, covers
from editgauge.editors.typeset.find import Box, Line, Match
from editgauge.editors.typeset.ink import EVERYWHERE, Ink, Matrix, separated
from editgauge.images import Array, Mask
from editgauge.instructions import Colour

_CELLS = 8
"""Cells along each axis of the RGB cube by which grounds are compared."""
_FEW = 0.005
"""The share of a ground's pixels up to which a colour does not belong to it."""
_SEEN = 0.02
"""Opacity from which on a pixel counts as ink."""


class Lifted:
    """Ink cut out of a picture: of each line opacity (h, w), colour (h, w, 3) and the way of these
    into the picture; `box`: what it covered there.
    """

    def __init__(self, pieces: Sequence[tuple[Alpha, Array, Matrix]]) -> None:
        self.pieces, ends = pieces, []
        for alpha, _, matrix in pieces:
            y, x = np.nonzero(alpha > _SEEN)
            sides = (x.min(), x.max() + 1), (y.min(), y.max() + 1)
            ends += [matrix @ (x, y, 1.0) for x in sides[0] for y in sides[1]]
        (left, top), (right, bottom) = np.min(ends, axis=0), np.max(ends, axis=0)
        self.box = (float(left), float(top), float(right), float(bottom))

    @property
    def size(self) -> tuple[float, float]:
        left, top, right, bottom = self.box
        return right - left, bottom - top

    @property
    def centre(self) -> tuple[float, float]:
        left, top, right, bottom = self.box
        return (left + right) / 2, (top + bottom) / 2

    @property
    def colour(self) -> Colour:
        """The typical colour of its solid pixels."""
        solid = [paint[alpha > 0.9] for alpha, paint, _ in self.pieces]
        red, green, blue = np.median(np.concatenate(solid), axis=0).round().astype(int).tolist()
        return red, green, blue

    def recolour(self, colour: Colour) -> None:
        for _, paint, _ in self.pieces:
            paint[:] = colour


@dataclass
class Canvas:
    """A picture ((H, W, 3), uint8) that is edited, and the lines of text that were read in it."""

    original: Array
    lines: Sequence[Line]
    faces: Sequence[Face]
    pixels: Array = field(init=False)
    laid: Mask = field(init=False)
    """Where letters were set or dropped, (H, W)."""
    _inks: dict[int, Ink | None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.pixels = self.original.copy()
        self.laid = np.zeros(self.original.shape[:2], bool)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.pixels.shape[1], self.pixels.shape[0]

    def ink(self, number: int) -> Ink | None:
        """The ink of a line, or None where nothing stands out from the ground."""
        if number not in self._inks:
            line = self.lines[number]
            able = [face for face in self.faces if covers(face, line.text)] or list(self.faces)
            some = able[:: max(1, len(able) // 5)][:6]
            self._inks[number] = separated(self.original, line, some)
        return self._inks[number]

    def style(self, ink: Ink, needed: str = "") -> Style | None:
        """The style of a line's own text, among faces that can also set `needed`."""
        return faces.fit(ink.alpha, ink.line.text, needed, self.faces)

    def erase(self, ink: Ink, reach: tuple[float, float]) -> None:
        """Put the ground where the ink is, between two x of its rectangle."""
        hidden = _part(ink.hidden.astype(np.float32), reach)
        self._lay(hidden, ink.ground, ink.matrix)

    def set(self, drawn: Drawn, matrix: Matrix, pen: tuple[float, float], colour: Colour) -> None:
        """Lay drawn text on the picture with the pen at `pen` (x, baseline), in the coordinates
        from which `matrix` leads to the picture.
        """
        x, y = pen[0] + drawn.left, pen[1] + drawn.top
        if matrix[0, 0] == 1.0:
            x, y = round(x), round(y)
        paint = np.broadcast_to(np.asarray(colour, np.uint8), (*drawn.alpha.shape, 3)).copy()
        origin = matrix @ (x, y, 1.0)
        self._lay(drawn.alpha, paint, np.column_stack([matrix[:, :2], origin]), letters=True)

    def drop(self, lifted: Lifted, at: tuple[float, float], linear: Matrix | None = None) -> None:
        """Lay lifted ink back with its centre at `at`, perhaps through a 2 x 2 matrix."""
        turned = np.eye(2) if linear is None else linear
        shift = np.asarray(at) - turned @ np.asarray(lifted.centre)
        shift = np.round(shift) if linear is None else shift
        for alpha, paint, matrix in lifted.pieces:
            moved = turned @ matrix
            moved[:, 2] += shift
            self._lay(alpha, paint, moved, letters=True)

    def _lay(self, alpha: Alpha, paint: Array, matrix: Matrix, *, letters: bool = False) -> None:
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
        if letters:
            self.laid[low[1] : high[1], low[0] : high[0]] |= opacity[..., 0] > 0.5

    def lift(self, match: Match) -> Lifted | None:
        """Cut a match's ink out and put the ground in its place; None where there is no ink."""
        parts = []
        for span in match.spans:
            if (ink := self.ink(span.line)) is not None:
                reach = ink.reach(span, None if ink.is_whole(span) else self.style(ink))
                parts.append(self.cut(ink, reach))
        pieces = [piece for part in parts if part for piece in part.pieces]
        return Lifted(pieces) if pieces else None

    def cut(self, ink: Ink, reach: tuple[float, float]) -> Lifted | None:
        """The ink between two x of its rectangle, cut out as `lift` does."""
        alpha = _part(ink.alpha, reach)
        if not (alpha > _SEEN).any():
            return None
        self.erase(ink, reach)
        return Lifted([(alpha, ink.paint.copy(), ink.matrix)])

    def strangeness(self) -> float:
        """The share (0 to 1) of the letters' new pixels that lie on another ground than the text
        had: beyond the edge of its sign, or on other things.
        """
        inks = [ink for ink in self._inks.values() if ink is not None]
        if not inks or not self.laid.any():
            return 0.0
        old = np.zeros(self.laid.shape, np.uint8)
        grounds = []
        for ink in inks:
            cv2.fillPoly(old, [np.round(ink.line.corners).astype(np.int32)], 1)
            left, top, right, bottom = ink.box
            grounds.append(ink.ground[top:bottom, left:right].reshape(-1, 3))
        new = self.original[self.laid & (old == 0)]
        known = _colour_cells(np.concatenate(grounds))
        cells = new // (256 // _CELLS)
        strange = ~known[cells[:, 0], cells[:, 1], cells[:, 2]]
        return float(strange.sum()) / float(self.laid.sum())

    def box_of(self, match: Match) -> Box:
        """What the lines of a match cover of the picture."""
        left, top, right, bottom = np.array([self.lines[span.line].box for span in match.spans]).T
        return float(left.min()), float(top.min()), float(right.max()), float(bottom.max())

    def shows(self, colour: Colour, box: Box) -> bool:
        """Whether a colour can be read on what is inside `box` now."""
        left, top, right, bottom = (max(0, round(v)) for v in box)
        under = self.pixels[top:bottom, left:right].reshape(-1, 3)
        return not under.size or float(np.linalg.norm(under.mean(axis=0) - colour)) > 150


def _colour_cells(colours: Array) -> Mask:
    """Which cells of the RGB cube more than a few of the colours (n, 3) are in, or beside."""
    cells = colours // (256 // _CELLS)
    counts = np.zeros((_CELLS,) * 3, np.int64)
    np.add.at(counts, (cells[:, 0], cells[:, 1], cells[:, 2]), 1)
    known = counts > _FEW * len(colours)
    for axis in range(3):
        along = np.moveaxis(known, axis, 0)
        grown = along.copy()
        grown[1:] |= along[:-1]
        grown[:-1] |= along[1:]
        known = np.moveaxis(grown, 0, axis)
    return known


def _part(values: Alpha, reach: tuple[float, float]) -> Alpha:
    """The values between two x; nothing elsewhere."""
    if reach == EVERYWHERE:
        return values
    part = np.zeros_like(values)
    columns = slice(*(round(min(x, values.shape[1])) for x in reach))
    part[:, columns] = values[:, columns]
    return part
