"""The faces that text can be set in, drawn, and found by likeness to ink: installed fonts, OpenCV's
three (one has Chinese) and Pillow's own, so that a bare server has some too.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Alpha = npt.NDArray[np.float32]
"""Opacity, (h, w): 0 = ground, 1 = ink."""
_WIDEST = 20_000
"""Pixels that a drawn line may be wide."""
_EM, _HEIGHT = 96, 40
"""Fonts are compared at this size in pixels, and ink is brought to this height for it."""
_LOOSE = 2.5
"""The blur under which ink is compared with letters of any face: only roughly there in script."""
_BOLD = (0.01, 0.015, 0.02, 0.025, 0.03, 0.04)
"""What is added to each edge of a stroke, in em, where the face has no weight as heavy as the ink.
"""
_SUPER = 4
"""Text is drawn this many times larger and then reduced: soft edges, weight in quarter pixels."""


_FOLDERS = (
    "/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts",
    "/System/Library/Fonts", "/Library/Fonts", "~/Library/Fonts", "C:/Windows/Fonts",
)  # fmt: skip
"""Where systems keep their fonts."""


@dataclass(frozen=True, slots=True)
class Face:
    """Face of a file (`path`, `index`), OpenCV's (`opencv`, at a `weight`), else Pillow's own."""

    name: str
    path: str | None = None
    index: int = 0
    opencv: str = ""
    weight: int = 400


class Drawn(NamedTuple):
    """A text drawn: its opacity, and its top left corner from the pen on the baseline."""

    alpha: Alpha
    left: float
    top: float


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is set: face, em size in pixels, width factor.

    `weight` is added to each edge of a stroke, in em; `blur` is the standard deviation of the edge
    in pixels; `likeness` (-1 to 1) is the correlation with the ink that the style was fitted to.
    """

    face: Face
    size: float
    stretch: float = 1.0
    weight: float = 0.0
    blur: float = 0.0
    likeness: float = 0.0


@functools.lru_cache(maxsize=8)
def faces(extra: tuple[Path, ...] = ()) -> tuple[Face, ...]:
    """All faces that can be loaded, in a stable order: of folders named, of the system's."""
    system = [Path(folder).expanduser() for folder in _FOLDERS]
    files = [file for at in (*extra, *system) for file in sorted(at.rglob("*.[tToO][tT][cCfF]"))]
    once = {file.name: file for file in reversed(files)}
    installed = [face for file in reversed(once.values()) for face in _faces_of(file)]
    packaged = [
        Face(f"{name} {weight}", opencv=key, weight=weight)
        for name, key in (("Rubik", "sans"), ("Rubik Italic", "italic"))
        for weight in (300, 500, 700, 900)
    ]
    chinese = Face("WenQuanYi Micro Hei", opencv="uni")
    return (*installed, *packaged, chinese, Face("Aileron Regular"))


def _faces_of(file: Path) -> list[Face]:
    result: list[Face] = []
    for index in range(8 if file.suffix.lower() == ".ttc" else 1):
        try:
            font = ImageFont.truetype(str(file), 24, index=index)
            if font.getmask("Ag09").getbbox() is None:
                break
        except (OSError, ValueError):  # a damaged or bitmap-only file is no font for us
            break
        result.append(Face(" ".join(part or "" for part in font.getname()), str(file), index))
    return result


def covers(face: Face, text: str) -> bool:
    """Whether the face has a glyph for every visible character of the text."""
    return all(_has(face, c) for c in set(text) if not c.isspace())


@functools.lru_cache(maxsize=20_000)
def _has(face: Face, character: str) -> bool:
    if face.opencv in ("sans", "italic"):
        return ord(character) < 0x2E80  # OpenCV sets the rest in another face without saying so
    drawn, missing = draw(face, character, 24), draw(face, "\U0010fffe", 24)
    unlike = drawn and missing and not np.array_equal(drawn.alpha, missing.alpha)
    return drawn is not None if missing is None else bool(unlike)


# ----------------------------------------------------------------------------------------- drawing
@functools.lru_cache(maxsize=600)
def _font(face: Face, size: float) -> ImageFont.FreeTypeFont:
    if face.path is None:
        font = ImageFont.load_default(size)
        assert isinstance(font, ImageFont.FreeTypeFont)
        return font
    basic = ImageFont.Layout.BASIC
    return ImageFont.truetype(face.path, size, index=face.index, layout_engine=basic)


def _put(
    face: Face, pixels: npt.NDArray[np.uint8], text: str, at: tuple[int, int], em: float
) -> float:
    """Set `text` with one of OpenCV's faces; where the pen is then."""
    font = cv2.FontFace(face.opencv)
    return float(cv2.putText(pixels, text, at, 255, font, round(em), face.weight)[0][0])


def _advance(face: Face, text: str, size: float) -> float:
    """How far the pen moves over `text` at an em size in pixels."""
    if face.opencv:
        return _put(face, np.zeros((8, 8), np.uint8), text, (0, 4), size)
    return float(_font(face, float(size)).getlength(text))


@functools.lru_cache(maxsize=512)
def draw(face: Face, text: str, size: float) -> Drawn | None:
    """`text` at an em size in pixels, cut to its ink; None where it has none."""
    width = int(_advance(face, text, size) + 2.4 * size) + 8
    if not 4 < width < _WIDEST:
        return None
    x, y = int(1.2 * size) + 2, int(1.6 * size) + 2
    image = Image.new("L", (width, int(2.6 * size) + 8))
    if face.opencv:
        pixels = np.array(image)
        _put(face, pixels, text, (x, y), size)
    else:
        font = _font(face, float(size))
        ImageDraw.Draw(image).text((x, y), text, fill=255, font=font, anchor="ls")
        pixels = np.asarray(image)
    alpha = pixels.astype(np.float32) / np.float32(255)
    box = ink_box(alpha)
    if box is None:
        return None
    cut = np.ascontiguousarray(alpha[box[1] : box[3], box[0] : box[2]])
    return Drawn(cut, float(box[0] - x), float(box[1] - y))


def ink_box(ink: Alpha) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom of what is more ink than ground; None when there is none."""
    rows, columns = np.nonzero(ink > 0.4)
    if not len(rows):
        return None
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def set_text(style: Style, text: str) -> Drawn | None:
    """`text` drawn in a style at its final size, cut to its ink; None when it has none."""
    drawn = draw(style.face, text, style.size * _SUPER)
    if drawn is None:
        return None
    edge = round(style.weight * style.size * _SUPER)
    pad = _SUPER * 3 + max(0, edge)
    alpha = np.pad(drawn.alpha, pad)
    if edge:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(edge) + 1,) * 2)
        alpha = cv2.dilate(alpha, kernel) if edge > 0 else cv2.erode(alpha, kernel)
    width = max(2, round(alpha.shape[1] * style.stretch / _SUPER))
    height = max(2, round(alpha.shape[0] / _SUPER))
    small = cv2.resize(alpha, (width, height), interpolation=cv2.INTER_AREA)
    if style.blur:
        small = cv2.GaussianBlur(small, (0, 0), style.blur)
    left = (drawn.left - pad) * style.stretch / _SUPER
    return Drawn(np.asarray(small, np.float32), left, (drawn.top - pad) / _SUPER)


def width_of(style: Style, text: str) -> float:
    """How far the pen moves over `text`, in pixels."""
    return _advance(style.face, text, style.size * _SUPER) / _SUPER * style.stretch


# --------------------------------------------------------------------------------------- comparing
def fit(ink: Alpha, text: str, needed: str, candidates: Sequence[Face]) -> Style | None:
    """The style in which `text` looks most like `ink` ((h, w), upright, nothing else in it), among
    faces that have all characters of `needed` (and of `text`, where any has both); None where none
    has them.
    """
    able = [face for face in candidates if covers(face, needed)]
    able = [face for face in able if covers(face, text)] or able
    if not able:
        return None
    crop = _cut(ink)
    wanted = _brought(crop, 1200, 1.0)
    styles = [style for face in able if (style := _fitted(face, text, wanted, crop.shape))]
    if not styles:
        return Style(able[0], max(8.0, float(crop.shape[0])))
    return _weighed(max(styles, key=_rank), text, crop)


def _fitted(
    face: Face, text: str, wanted: Alpha, shape: tuple[int, ...], blur: float = 1.0
) -> Style | None:
    """The face stretched to the ink's shape."""
    if (drawn := draw(face, text, _EM)) is None:
        return None
    high, wide = drawn.alpha.shape
    stretch = shape[1] / shape[0] * high / wide
    small = cv2.resize(drawn.alpha, (wanted.shape[1], _HEIGHT), interpolation=cv2.INTER_AREA)
    alike = float((_normal(small, blur) * wanted).mean())
    return Style(face, _EM * shape[0] / high, stretch=stretch, likeness=alike)


def _rank(style: Style) -> float:
    return style.likeness - 0.12 * abs(float(np.log(style.stretch)))


def likeness(ink: Alpha, text: str, some: Sequence[Face]) -> float:
    """How much `ink` looks like `text` in the most similar of a few faces, about -1 to 1."""
    crop = _cut(ink)
    wanted = _brought(crop, 600, _LOOSE)
    styles = (_fitted(face, text, wanted, crop.shape, _LOOSE) for face in some)
    return max((_rank(style) for style in styles if style), default=-1.0)


def _cut(ink: Alpha) -> Alpha:
    left, top, right, bottom = ink_box(ink) or (0, 0, ink.shape[1], ink.shape[0])
    return ink[top:bottom, left:right]


def _brought(crop: Alpha, widest: int, blur: float) -> Alpha:
    width = int(min(widest, max(4, round(crop.shape[1] * _HEIGHT / crop.shape[0]))))
    return _normal(cv2.resize(crop, (width, _HEIGHT), interpolation=cv2.INTER_AREA), blur)


def _normal(values: Alpha, blur: float) -> Alpha:
    blurred = cv2.GaussianBlur(values, (0, 0), blur)
    deviation = max(1e-6, float(blurred.std()))
    return np.asarray((blurred - blurred.mean()) / deviation, np.float32)


def _weighed(style: Style, text: str, crop: Alpha) -> Style:
    """The same style with the strokes as heavy, and the edges as soft, as the ink's."""

    def drawn(one: Style) -> Alpha:
        alpha = result.alpha if (result := set_text(one, text)) else np.zeros((4, 4), np.float32)
        size = crop.shape[::-1]
        return np.asarray(cv2.resize(_cut(alpha), size, interpolation=cv2.INTER_AREA))

    wanted = float(crop.mean())
    fine = [0.25 * step / style.size for step in (0, 1, -1, 2, -2, 3)]
    bold = [weight for weight in _BOLD if weight > max(fine)]
    heavier = [replace(style, weight=weight) for weight in [*fine, *bold]]
    style = min(heavier, key=lambda one: abs(float(drawn(one).mean()) - wanted))
    softer = [replace(style, blur=blur) for blur in (0.0, 0.5, 0.8, 1.2, 1.8)]
    return min(softer, key=lambda one: float(np.abs(drawn(one) - crop).mean()))
