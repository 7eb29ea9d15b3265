"""The installed fonts, and which of them, at which size, width, spacing and weight, looks most like given ink."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from editgauge.editors.typeset.glyphs import Alpha

FOLDERS_VARIABLE = "EDITGAUGE_FONTS"
"""Folders with further fonts, separated as in PATH."""
MAX_FONTS = 400
_EM = 96
"""Fonts are compared at this size in pixels."""
_HEIGHT = 40
"""Ink is brought to this height before it is compared."""
_LOOSE = 2.5
"""The blur under which ink is compared with letters of any face: handwriting has them only roughly there."""
_SUPER = 4
"""Text is drawn this many times larger and then reduced: soft edges, and weight in quarter pixels."""


@dataclass(frozen=True, slots=True)
class Face:
    """One face in one font file; `path` None is the one that comes with Pillow (Aileron Regular)."""

    path: str | None
    index: int = 0
    name: str = ""

    def at(self, size: float) -> ImageFont.FreeTypeFont:
        return _load(self.path, self.index, float(size))


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is set: the face, the em size in pixels, the width factor, extra spacing and weight, the score.

    `tracking` is in em; `weight` is added to each edge of a stroke, in em (negative = thinner); `blur` is the
    standard deviation of the edge in pixels; `similarity` (-1 to 1) is the correlation with the ink it was fitted to.
    """

    face: Face
    size: float
    stretch: float = 1.0
    tracking: float = 0.0
    weight: float = 0.0
    blur: float = 0.0
    similarity: float = 0.0


@dataclass(frozen=True, slots=True)
class Setting:
    """A text drawn in a style: its ink (h, w) in 0 to 1, and where its ink box lies from the pen on the baseline."""

    alpha: Alpha
    left: float
    top: float


def faces(extra: Sequence[Path] = ()) -> tuple[Face, ...]:
    """All faces that can be loaded, in a stable order: folders given, `EDITGAUGE_FONTS`, the system's, Pillow's."""
    named = [Path(p) for p in os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep) if p]
    return _faces(tuple(str(folder) for folder in [*extra, *named, *_system_folders()]))


def _system_folders() -> list[Path]:
    home = Path.home()
    if sys.platform == "darwin":
        return [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    if sys.platform == "win32":
        return [Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts"]
    return [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".fonts", home / ".local/share/fonts"]


@functools.lru_cache(maxsize=8)
def _faces(folders: tuple[str, ...]) -> tuple[Face, ...]:
    found: list[Face] = []
    for folder in folders:
        files = sorted(p for p in Path(folder).rglob("*") if p.suffix.lower() in (".ttf", ".otf", ".ttc"))
        for file in files:
            if len(found) >= MAX_FONTS:
                break
            found += _faces_of(file)
    return (*found, Face(None, 0, "Aileron Regular"))


def _faces_of(file: Path) -> list[Face]:
    result: list[Face] = []
    for index in range(8 if file.suffix.lower() == ".ttc" else 1):
        try:
            font = ImageFont.truetype(str(file), 24, index=index)
            if font.getmask("Ag09").getbbox() is None:
                break
        except (OSError, ValueError):  # a damaged or bitmap-only file is no font for us
            break
        result.append(Face(str(file), index, " ".join(part or "" for part in font.getname())))
    return result


@functools.lru_cache(maxsize=600)
def _load(path: str | None, index: int, size: float) -> ImageFont.FreeTypeFont:
    if path is None:
        font = ImageFont.load_default(size)
        assert isinstance(font, ImageFont.FreeTypeFont)
        return font
    return ImageFont.truetype(path, size, index=index, layout_engine=ImageFont.Layout.BASIC)


@functools.lru_cache(maxsize=20_000)
def _has(face: Face, character: str) -> bool:
    font = face.at(24)
    mask = font.getmask(character)
    if mask.getbbox() is None:
        return False
    missing = font.getmask("\U0010fffe")
    return mask.size != missing.size or bytes(mask) != bytes(missing)


def covers(face: Face, text: str) -> bool:
    """Whether the face has a glyph for every visible character of the text."""
    return all(_has(face, c) for c in set(text) if not c.isspace())


def fit(ink: Alpha, text: str, needed: str, candidates: Sequence[Face]) -> Style | None:
    """The style in which `text` looks most like `ink` ((h, w), 0 to 1, upright, nothing else in it).

    Only faces that have all characters of `needed` count (and of `text`, where any face has both). None when no face
    has them.
    """
    able = [face for face in candidates if covers(face, needed)]
    able = [face for face in able if covers(face, text)] or able
    box = ink_box(ink)
    if not able or box is None or not text.strip():
        return Style(able[0], max(8.0, ink.shape[0] * 0.8)) if able else None
    left, top, right, bottom = box
    crop = ink[top:bottom, left:right]
    wide = int(min(1200, max(4, round(crop.shape[1] * _HEIGHT / crop.shape[0]))))
    wanted = _normal(cv2.resize(crop, (wide, _HEIGHT), interpolation=cv2.INTER_AREA))
    best: tuple[float, Style] | None = None
    for face in able:
        for style, rank in _trials(face, text, wanted, crop.shape):
            if best is None or rank > best[0]:
                best = (rank, style)
    assert best is not None
    return _weigh(best[1], text, crop)


def likeness(ink: Alpha, text: str, faces: Sequence[Face]) -> float:
    """How much `ink` looks like `text` in the most similar of a few faces: correlation, less for a wrong proportion."""
    box = ink_box(ink)
    if box is None or not text.strip():
        return -1.0
    left, top, right, bottom = box
    crop = ink[top:bottom, left:right]
    wide = int(min(600, max(4, round(crop.shape[1] * _HEIGHT / crop.shape[0]))))
    wanted = _normal(cv2.resize(crop, (wide, _HEIGHT), interpolation=cv2.INTER_AREA), _LOOSE)
    best = -1.0
    for face in faces:
        drawn = _drawn(face, text, 48, 0.0)
        if drawn is not None:
            ratio = crop.shape[1] / crop.shape[0] * drawn.alpha.shape[0] / drawn.alpha.shape[1]
            best = max(best, _alike(drawn.alpha, wanted, _LOOSE) - 0.1 * abs(float(np.log(ratio))))
    return best


def ink_box(ink: Alpha) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom of what is more ink than ground; None when there is none."""
    rows, columns = np.nonzero(ink > 0.4)
    if not len(rows):
        return None
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def _trials(face: Face, text: str, wanted: Alpha, shape: tuple[int, ...]) -> list[tuple[Style, float]]:
    """The face stretched to the ink's width, and, where the ink is wider, spaced out to it."""
    drawn = _drawn(face, text, _EM, 0.0)
    if drawn is None:
        return []
    natural = drawn.alpha.shape[1] / drawn.alpha.shape[0]
    aspect = shape[1] / shape[0]
    ratio = aspect / natural
    size = _EM * shape[0] / drawn.alpha.shape[0]
    distortion = abs(np.log(ratio))
    trials = [(Style(face, size, stretch=ratio, similarity=(s := _alike(drawn.alpha, wanted))), s - 0.12 * distortion)]
    if ratio > 1.04 and len(text) > 1:
        tracking = (aspect - natural) * drawn.alpha.shape[0] / (_EM * (len(text) - 1))
        spaced = _draw(face, text, _EM, tracking)
        if spaced is not None:
            alike = _alike(spaced.alpha, wanted)
            trials.append((Style(face, size, tracking=tracking, similarity=alike), alike - 0.04 * distortion))
    return trials


def _alike(drawn: Alpha, wanted: Alpha, blur: float = 1.0) -> float:
    small = cv2.resize(drawn, (wanted.shape[1], _HEIGHT), interpolation=cv2.INTER_AREA)
    return float((_normal(small, blur) * wanted).mean())


def _normal(values: Alpha, blur: float = 1.0) -> Alpha:
    blurred = cv2.GaussianBlur(values, (0, 0), blur)
    return np.asarray((blurred - blurred.mean()) / max(1e-6, float(blurred.std())), np.float32)


@functools.lru_cache(maxsize=256)
def _drawn(face: Face, text: str, size: float, tracking: float) -> Setting | None:
    return _draw(face, text, size, tracking)


def _draw(face: Face, text: str, size: float, tracking: float) -> Setting | None:
    """`text` in white on black, cut to its ink; `left` and `top` are the ink's place from the pen on the baseline."""
    font = face.at(size)
    if tracking == 0:
        left, top, right, bottom = font.getbbox(text, anchor="ls")
        pens = [(0.0, text)]
    else:
        pens, pen = [], 0.0
        for character in text:
            pens.append((pen, character))
            pen += font.getlength(character) + tracking * size
        boxes = [font.getbbox(c, anchor="ls") for _, c in pens]
        left = min(p + b[0] for (p, _), b in zip(pens, boxes, strict=True))
        right = max(p + b[2] for (p, _), b in zip(pens, boxes, strict=True))
        top, bottom = min(b[1] for b in boxes), max(b[3] for b in boxes)
    width, height = int(np.ceil(right - left)) + 4, int(np.ceil(bottom - top)) + 4
    if not 4 < width < 20_000 or not 4 < height < 8_000:
        return None
    image = Image.new("L", (width, height))
    draw = ImageDraw.Draw(image)
    for pen, part in pens:
        draw.text((pen - left + 2, -top + 2), part, fill=255, font=font, anchor="ls")
    alpha = (np.asarray(image, np.float32) / 255).astype(np.float32)
    box = ink_box(alpha)
    if box is None:
        return None
    x0, y0, x1, y1 = box
    return Setting(alpha[y0:y1, x0:x1], left - 2 + x0, top - 2 + y0)


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
    softened = {b: cv2.GaussianBlur(sharp, (0, 0), b) if b else sharp for b in (0.0, 0.5, 0.8, 1.2, 1.8)}
    return replace(chosen, blur=min(softened, key=lambda b: float(np.abs(softened[b] - crop).mean())))


def _as_large(style: Style, text: str, crop: Alpha) -> Alpha | None:
    """The text drawn in a style, its ink box brought to the size of `crop`."""
    drawn = set_text(style, text)
    box = ink_box(drawn.alpha) if drawn is not None else None
    if drawn is None or box is None:
        return None
    left, top, right, bottom = box
    small = cv2.resize(drawn.alpha[top:bottom, left:right], crop.shape[::-1], interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32)


def set_text(style: Style, text: str) -> Setting | None:
    """`text` drawn in a style at its final size; None when it has no ink (blanks only)."""
    drawn = _draw(style.face, text, style.size * _SUPER, style.tracking)
    if drawn is None:
        return None
    alpha = drawn.alpha
    edge = round(style.weight * style.size * _SUPER)
    pad = _SUPER * 3 + max(0, edge)
    alpha = np.pad(alpha, pad)
    if edge:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * abs(edge) + 1, 2 * abs(edge) + 1))
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
    length = style.face.at(style.size * _SUPER).getlength(text) / _SUPER
    return float(length + style.tracking * style.size * len(text)) * style.stretch
