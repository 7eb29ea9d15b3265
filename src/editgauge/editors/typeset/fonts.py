"""Which of the faces, at which size, width, spacing and weight, looks most like given ink; and text
set in it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from editgauge.editors.typeset.faces import Face, Setting, advance, covers, draw, ink_box
from editgauge.editors.typeset.glyphs import Alpha

_EM = 96
"""Fonts are compared at this size in pixels."""
_HEIGHT = 40
"""Ink is brought to this height before it is compared."""
_LETTER = (24, _HEIGHT)
"""The width and height at which two letters are compared."""
_LETTERS = 0.5
"""What the likeness of the letters counts, beside that of the line."""
_LEANS = 0.12
"""The shear, as the tangent of its angle, from which letters are italic."""
_CLEARLY = 1.4
"""How much sharper letters have to be at their best shear than upright, or than leaning."""
_UPRIGHT = 0.3
"""What an italic face loses where the ink is upright, and the other way round."""
_HEAVINESS = 0.4
"""What a face loses for strokes that are heavier or lighter than the ink's, for each factor e."""
_LOOSE = 2.5
"""The blur under which ink is compared with letters of any face: handwriting has them only roughly
there.
"""
_SUPER = 4
"""Text is drawn this many times larger and then reduced: soft edges, and weight in quarter pixels.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a text is set: the face, the em size in pixels, the width factor, extra spacing and
    weight, the score.

    `tracking` is in em; `weight` is added to each edge of a stroke, in em (negative = thinner);
    `blur` is the standard deviation of the edge in pixels; `similarity` (-1 to 1) is the
    correlation with the ink it was fitted to.
    """

    face: Face
    size: float
    stretch: float = 1.0
    tracking: float = 0.0
    weight: float = 0.0
    blur: float = 0.0
    similarity: float = 0.0


def fit(ink: Alpha, text: str, needed: str, candidates: Sequence[Face]) -> Style | None:
    """The style in which `text` looks most like `ink` ((h, w), 0 to 1, upright, nothing else in
    it).

    Only faces that have all characters of `needed` count (and of `text`, where any face has both).
    None when no face has them.
    """
    able = [face for face in candidates if covers(face, needed)]
    able = [face for face in able if covers(face, text)] or able
    box = ink_box(ink)
    if not able or box is None or not text.strip():
        return Style(face=able[0], size=max(8.0, ink.shape[0] * 0.8)) if able else None
    left, top, right, bottom = box
    crop = ink[top:bottom, left:right]
    wide = int(min(1200, max(4, round(crop.shape[1] * _HEIGHT / crop.shape[0]))))
    wanted = _normal(cv2.resize(crop, (wide, _HEIGHT), interpolation=cv2.INTER_AREA))
    seen, leaning = _letters(crop), _lean(crop)
    best: tuple[float, Style] | None = None
    for face in able:
        by_letter = _by_letter(face, text, seen)
        for style, rank in _trials(face, text, wanted, crop.shape, float(crop.mean())):
            rank += _LETTERS * (style.similarity if by_letter is None else by_letter)
            rank -= _UPRIGHT * (leaning is not None and _slanted(face) != leaning)
            if best is None or rank > best[0]:
                best = (rank, style)
    assert best is not None
    return _weigh(best[1], text, crop)


@dataclass(frozen=True, slots=True)
class Resemblance:
    """How like a text's own ink the text in a style is: `letters`, the correlation of the line or
    of its letters, whichever is higher (-1 to 1), and `weight`, its ink as a part of the style's.
    """

    letters: float
    weight: float


def resemblance(style: Style, text: str, ink: Alpha) -> Resemblance:
    """See `Resemblance`; of a text without ink, nothing."""
    box = ink_box(ink)
    if box is None:
        return Resemblance(-1.0, 1.0)
    left, top, right, bottom = box
    crop = ink[top:bottom, left:right]
    drawn = _as_large(style, text, crop)
    by_letter = _by_letter(style.face, text, _letters(crop))
    weight = float(crop.mean()) / max(1e-6, float(drawn.mean())) if drawn is not None else 1.0
    return Resemblance(max(style.similarity, by_letter or -1.0), weight)


def _letters(ink: Alpha) -> list[Alpha]:
    """The parts of a line between its blank columns, each brought to one small size and normal: of
    most faces, its letters.
    """
    inked = np.concatenate([[False], (ink > 0.35).any(axis=0), [False]])
    starts, ends = np.nonzero(inked[1:] & ~inked[:-1])[0], np.nonzero(inked[:-1] & ~inked[1:])[0]
    return [
        _normal(cv2.resize(ink[:, a:b], _LETTER, interpolation=cv2.INTER_AREA))
        for a, b in zip(starts, ends, strict=True)
    ]


def _lean(ink: Alpha) -> bool | None:
    """Whether letters lean to the right, as an italic face's do: their stems stand upright, and
    their columns apart, after a shear and not before it. None where that is not clear: letters
    without stems (O, A, Y) tell nothing.
    """
    high = _HEIGHT
    wide = max(4, round(ink.shape[1] * high / ink.shape[0]))
    small = cv2.resize(ink, (wide, high), interpolation=cv2.INTER_AREA)
    sharp: dict[float, float] = {}
    for shear in (-0.1, -0.05, 0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3):
        matrix = np.array([[1.0, shear, 0.0], [0.0, 1.0, 0.0]])
        columns = cv2.warpAffine(small, matrix, (wide + high, high)).sum(axis=0)
        sharp[shear] = float(np.square(np.diff(columns)).sum())
    best = max(sharp, key=lambda shear: sharp[shear])
    if best < _LEANS:
        clear = sharp[best] > _CLEARLY * sharp[0.2]
    else:
        clear = sharp[best] > _CLEARLY * sharp[0.0]
    return best > _LEANS if clear else None


def _slanted(face: Face) -> bool:
    return any(word in face.name.lower() for word in ("italic", "oblique", "slanted"))


def _by_letter(face: Face, text: str, seen: Sequence[Alpha]) -> float | None:
    """How much each part of a line looks like the same part in a face, on average; None where the
    two fall into different parts. A whole line is compared at positions that drift along it.
    """
    if len(seen) < 2:
        return None
    drawn = _drawn(face, text, _EM)
    own = _letters(drawn.alpha) if drawn is not None else []
    if len(own) != len(seen):
        return None
    return float(np.mean([(a * b).mean() for a, b in zip(own, seen, strict=True)]))


def likeness(ink: Alpha, text: str, faces: Sequence[Face]) -> float:
    """How much `ink` looks like `text` in the most similar of a few faces: correlation, less for a
    wrong proportion.
    """
    box = ink_box(ink)
    if box is None or not text.strip():
        return -1.0
    left, top, right, bottom = box
    crop = ink[top:bottom, left:right]
    wide = int(min(600, max(4, round(crop.shape[1] * _HEIGHT / crop.shape[0]))))
    wanted = _normal(cv2.resize(crop, (wide, _HEIGHT), interpolation=cv2.INTER_AREA), _LOOSE)
    best = -1.0
    for face in faces:
        drawn = _drawn(face, text, 48)
        if drawn is not None:
            ratio = crop.shape[1] / crop.shape[0] * drawn.alpha.shape[0] / drawn.alpha.shape[1]
            best = max(best, _alike(drawn.alpha, wanted, _LOOSE) - 0.1 * abs(float(np.log(ratio))))
    return best


def _trials(
    face: Face, text: str, wanted: Alpha, shape: tuple[int, ...], density: float
) -> list[tuple[Style, float]]:
    """The face stretched to the ink's width, and, where the ink is wider, spaced out to it."""
    drawn = _drawn(face, text, _EM)
    if drawn is None:
        return []
    natural = drawn.alpha.shape[1] / drawn.alpha.shape[0]
    aspect = shape[1] / shape[0]
    ratio = aspect / natural
    size = _EM * shape[0] / drawn.alpha.shape[0]
    distortion = abs(np.log(ratio))
    heavier = _HEAVINESS * abs(float(np.log(max(0.02, drawn.alpha.mean()) / max(0.02, density))))
    trials = [
        (
            Style(
                face=face, size=size, stretch=ratio, similarity=(s := _alike(drawn.alpha, wanted))
            ),
            s - 0.12 * distortion - heavier,
        )
    ]
    if ratio > 1.04 and len(text) > 1:
        tracking = (aspect - natural) * drawn.alpha.shape[0] / (_EM * (len(text) - 1))
        spaced = draw(face, text, _EM, tracking)
        if spaced is not None:
            alike = _alike(spaced.alpha, wanted)
            trials.append(
                (
                    Style(face=face, size=size, tracking=tracking, similarity=alike),
                    alike - 0.04 * distortion - heavier,
                )
            )
    return trials


def _alike(drawn: Alpha, wanted: Alpha, blur: float = 1.0) -> float:
    small = cv2.resize(drawn, (wanted.shape[1], _HEIGHT), interpolation=cv2.INTER_AREA)
    return float((_normal(small, blur) * wanted).mean())


def _normal(values: Alpha, blur: float = 1.0) -> Alpha:
    blurred = cv2.GaussianBlur(values, (0, 0), blur)
    return np.asarray((blurred - blurred.mean()) / max(1e-6, float(blurred.std())), np.float32)


@functools.lru_cache(maxsize=512)
def _drawn(face: Face, text: str, size: float) -> Setting | None:
    return draw(face, text, size)


def _weigh(style: Style, text: str, crop: Alpha) -> Style:
    """The same style with the strokes as heavy, and the edges as soft, as the ink's."""
    wanted = float(crop.mean())
    best = (float("inf"), style)
    for step in (-2, -1, 0, 1, 2, 3):
        heavier = replace(style, weight=0.25 * step / style.size)
        drawn = _as_large(heavier, text, crop)
        if drawn is not None:
            away = abs(float(drawn.mean()) - wanted)
            best = min(best, (away + 0.002 * abs(step), heavier), key=lambda item: item[0])
    chosen = best[1]
    sharp = _as_large(chosen, text, crop)
    if sharp is None:
        return chosen
    softened = {
        b: cv2.GaussianBlur(sharp, (0, 0), b) if b else sharp for b in (0.0, 0.5, 0.8, 1.2, 1.8)
    }
    nearest = min(softened, key=lambda b: float(np.abs(softened[b] - crop).mean()))
    # Letters of another shape are nearer the more they are blurred: edges must be as soft, too.
    as_steep = min(softened, key=lambda b: abs(_steepness(softened[b]) - _steepness(crop)))
    return replace(chosen, blur=min(nearest, as_steep))


def _steepness(alpha: Alpha) -> float:
    """How steep the edges of some ink are: the mean of the squared steps over that of the steps, 0
    to 1.
    """
    steps = np.abs(np.concatenate([np.diff(alpha, axis=axis).ravel() for axis in (0, 1)]))
    return float((steps**2).sum() / max(1e-6, float(steps.sum())))


def _as_large(style: Style, text: str, crop: Alpha) -> Alpha | None:
    """The text drawn in a style, its ink box brought to the size of `crop`."""
    drawn = set_text(style, text)
    box = ink_box(drawn.alpha) if drawn is not None else None
    if drawn is None or box is None:
        return None
    left, top, right, bottom = box
    small = cv2.resize(
        drawn.alpha[top:bottom, left:right], crop.shape[::-1], interpolation=cv2.INTER_AREA
    )
    return np.asarray(small, np.float32)


def set_text(style: Style, text: str) -> Setting | None:
    """`text` drawn in a style at its final size; None when it has no ink (blanks only)."""
    drawn = draw(style.face, text, style.size * _SUPER, style.tracking)
    if drawn is None:
        return None
    alpha = drawn.alpha
    edge = round(style.weight * style.size * _SUPER)
    pad = _SUPER * 3 + max(0, edge)
    alpha = np.pad(alpha, pad)
    if edge:
        kernel = cv2.getStructuringElement(
            cv2.MORPH_ELLIPSE, (2 * abs(edge) + 1, 2 * abs(edge) + 1)
        )
        alpha = cv2.dilate(alpha, kernel) if edge > 0 else cv2.erode(alpha, kernel)
    width = max(2, round(alpha.shape[1] * style.stretch / _SUPER))
    height = max(2, round(alpha.shape[0] / _SUPER))
    small = cv2.resize(alpha, (width, height), interpolation=cv2.INTER_AREA)
    if style.blur:
        small = cv2.GaussianBlur(small, (0, 0), style.blur)
    left = (drawn.left - pad) * style.stretch / _SUPER
    return Setting(np.asarray(small, np.float32), left, (drawn.top - pad) / _SUPER)


def width_of(style: Style, text: str) -> float:
    """How far the pen moves over `text`, in pixels."""
    length = advance(style.face, text, style.size * _SUPER) / _SUPER
    return float(length + style.tracking * style.size * len(text)) * style.stretch
