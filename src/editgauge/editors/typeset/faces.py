"""The faces that text can be set in: installed fonts, fonts that came as Python packages, OpenCV's
own, Pillow's own.

OpenCV 5 carries three (Rubik, Rubik Italic, and WenQuanYi Micro Hei for Chinese) and Pillow one
(Aileron), so that there is always something to set with, on a bare server too.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from editgauge.editors.typeset.glyphs import Alpha

FOLDERS_VARIABLE = "EDITGAUGE_FONTS"
"""Folders with further fonts, separated as in PATH."""
MAX_FACES = 400
_LARGEST = 20_000
"""Pixels that a drawn line may be wide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """One face: of a font file (`path`, `index`), OpenCV's (`opencv`, at a `weight`), or with
    neither Pillow's own.
    """

    name: str
    path: str | None = None
    index: int = 0
    opencv: str = ""
    weight: int = 400


@dataclass(frozen=True, slots=True)
class Setting:
    """A text drawn: its ink (h, w) in 0 to 1, and where its top left corner lies from the pen on
    the baseline.
    """

    alpha: Alpha
    left: float
    top: float


def faces(extra: Sequence[Path] = ()) -> tuple[Face, ...]:
    """All faces that can be loaded, in a stable order: folders given, `EDITGAUGE_FONTS`, packages',
    the system's.
    """
    named = [Path(p) for p in os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep) if p]
    return _faces(tuple(str(folder) for folder in [*extra, *named, *_system_folders()]))


def _system_folders() -> list[Path]:
    home = Path.home()
    if sys.platform == "darwin":
        return [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    if sys.platform == "win32":
        return [Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts"]
    return [
        Path("/usr/share/fonts"),
        Path("/usr/local/share/fonts"),
        home / ".fonts",
        home / ".local/share/fonts",
    ]


@functools.lru_cache(maxsize=8)
def _faces(folders: tuple[str, ...]) -> tuple[Face, ...]:
    files = [
        file
        for folder in folders
        for file in sorted(Path(folder).rglob("*"))
        if file.suffix.lower() in (".ttf", ".otf", ".ttc")
    ]
    found: list[Face] = []
    for file in _once([*_packaged(), *files]):
        if len(found) >= MAX_FACES:
            break
        found += _faces_of(file)
    return (*found, *_opencv_faces(), Face(name="Aileron Regular"))


def _packaged() -> list[Path]:
    """Font files of installed packages that announce them (entry points in the group
    ``fonts_ttf``).
    """
    files: list[Path] = []
    for entry in sorted(entry_points(group="fonts_ttf"), key=lambda e: e.name):
        try:
            files += [Path(str(file)) for file in entry.load().values()]
        except Exception:  # somebody's broken package is no reason not to set text in another face
            continue
    return sorted(file for file in files if file.is_file())


def _once(files: Iterable[Path]) -> list[Path]:
    return list({file.name: file for file in reversed(list(files))}.values())[::-1]


def _faces_of(file: Path) -> list[Face]:
    result: list[Face] = []
    for index in range(8 if file.suffix.lower() == ".ttc" else 1):
        try:
            font = ImageFont.truetype(str(file), 24, index=index)
            if font.getmask("Ag09").getbbox() is None:
                break
        except (OSError, ValueError):  # a damaged or bitmap-only file is no font for us
            break
        result.append(
            Face(name=" ".join(part or "" for part in font.getname()), path=str(file), index=index)
        )
    return result


def _opencv_faces() -> list[Face]:
    if not hasattr(cv2, "FontFace"):
        return []
    latin = [("Rubik", "sans"), ("Rubik Italic", "italic")]
    found = [
        Face(name=f"{name} {weight}", path=None, index=0, opencv=key, weight=weight)
        for name, key in latin
        for weight in (300, 500, 700, 900)
    ]
    return [*found, Face(name="WenQuanYi Micro Hei", path=None, index=0, opencv="uni", weight=400)]


@functools.lru_cache(maxsize=600)
def _load(path: str | None, index: int, size: float) -> ImageFont.FreeTypeFont:
    if path is None:
        font = ImageFont.load_default(size)
        assert isinstance(font, ImageFont.FreeTypeFont)
        return font
    return ImageFont.truetype(path, size, index=index, layout_engine=ImageFont.Layout.BASIC)


@functools.lru_cache(maxsize=20_000)
def _has(face: Face, character: str) -> bool:
    if face.opencv in ("sans", "italic"):
        return ord(character) < 0x2E80  # OpenCV sets the rest in another face without saying so
    drawn, missing = draw(face, character, 24), draw(face, "\U0010fffe", 24)
    if drawn is None:
        return False
    return (
        missing is None
        or drawn.alpha.shape != missing.alpha.shape
        or not np.allclose(drawn.alpha, missing.alpha)
    )


def covers(face: Face, text: str) -> bool:
    """Whether the face has a glyph for every visible character of the text."""
    return all(_has(face, c) for c in set(text) if not c.isspace())


def advance(face: Face, text: str, size: float) -> float:
    """How far the pen moves over `text` at an em size in pixels."""
    if not text:
        return 0.0
    if face.opencv:
        font = cv2.FontFace(face.opencv)
        scratch = np.zeros((8, 8), np.uint8)
        end, _ = cv2.putText(scratch, text, (0, 4), 255, font, round(size), face.weight)
        return float(end[0])
    return float(_load(face.path, face.index, float(size)).getlength(text))


def draw(face: Face, text: str, size: float, tracking: float = 0.0) -> Setting | None:
    """`text` at an em size in pixels, cut to its ink; None where it has none. `tracking`: more
    space, in em.
    """
    pens = [(0.0, text)] if tracking == 0 else _spread(face, text, size, tracking)
    length = pens[-1][0] + advance(face, pens[-1][1], size)
    width, height = int(length + 2.4 * size) + 8, int(2.6 * size) + 8
    if not 4 < width < _LARGEST:
        return None
    origin = int(1.2 * size) + 2, int(1.6 * size) + 2
    paint = _opencv if face.opencv else _pillow
    alpha = paint(face, pens, size, (width, height), origin).astype(np.float32) / np.float32(255)
    box = ink_box(alpha)
    if box is None:
        return None
    x0, y0, x1, y1 = box
    return Setting(
        np.ascontiguousarray(alpha[y0:y1, x0:x1]), float(x0 - origin[0]), float(y0 - origin[1])
    )


def _spread(face: Face, text: str, size: float, tracking: float) -> list[tuple[float, str]]:
    pens: list[tuple[float, str]] = []
    pen = 0.0
    for character in text:
        pens.append((pen, character))
        pen += advance(face, character, size) + tracking * size
    return pens


def _pillow(
    face: Face,
    pens: list[tuple[float, str]],
    size: float,
    canvas: tuple[int, int],
    origin: tuple[int, int],
) -> Alpha:
    image = Image.new("L", canvas)
    pencil = ImageDraw.Draw(image)
    font = _load(face.path, face.index, float(size))
    for pen, part in pens:
        pencil.text((origin[0] + pen, origin[1]), part, fill=255, font=font, anchor="ls")
    return np.asarray(image, np.float32)


def _opencv(
    face: Face,
    pens: list[tuple[float, str]],
    size: float,
    canvas: tuple[int, int],
    origin: tuple[int, int],
) -> Alpha:
    pixels = np.zeros((canvas[1], canvas[0]), np.uint8)
    font = cv2.FontFace(face.opencv)
    for pen, part in pens:
        cv2.putText(
            pixels, part, (round(origin[0] + pen), origin[1]), 255, font, round(size), face.weight
        )
    return pixels.astype(np.float32)


def ink_box(ink: Alpha) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom of what is more ink than ground; None when there is none."""
    rows, columns = np.nonzero(ink > 0.4)
    if not len(rows):
        return None
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1
