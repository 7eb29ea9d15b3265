"""The typefaces of the built-in benchmark: all under free licences and installed with the package
itself.

=========  ==================================  ==================  ================================
name       face                                licence             comes with
=========  ==================================  ==================  ================================
sans       Rubik, any weight                   SIL OFL 1.1         OpenCV 5
italic     Rubik Italic, any weight            SIL OFL 1.1         OpenCV 5
chinese    WenQuanYi Micro Hei                 Apache 2.0          OpenCV 5
plain      Aileron                             CC0                 Pillow
serif      Caladea (also bold, italic)         Apache 2.0          font-caladea
round      Fredoka One                         SIL OFL 1.1         font-fredoka-one
hand       Amatic SC Bold                      SIL OFL 1.1         font-amatic-sc
=========  ==================================  ==================  ================================

No font of the machine is looked for: the pictures are the same on a bare server and on a desktop.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from editgauge.errors import DataError
from editgauge.images import Array

FILES = {
    "serif": ("font_caladea", "Caladea-Regular.ttf"),
    "serif-bold": ("font_caladea", "Caladea-Bold.ttf"),
    "serif-italic": ("font_caladea", "Caladea-Italic.ttf"),
    "round": ("font_fredoka_one", "FredokaOne-Regular.ttf"),
    "hand": ("font_amatic_sc", "AmaticSC-Bold.ttf"),
}
OPENCV = {"sans": "sans", "italic": "italic", "chinese": "uni"}
FACES = (*OPENCV, "plain", *FILES)
PAD = 8


@dataclass(frozen=True, slots=True)
class Written:
    """Coverage of one line of text: `pixels` (H, W) uint8, 255 = ink; `baseline` is a row of it."""

    pixels: Array
    baseline: int


def write(text: str, face: str, cap: float, *, weight: int = 500, spacing: float = 0.0) -> Written:
    """One line of text whose capital letters are `cap` pixels high, cut to its ink from left to
    right.

    `weight` is 300 to 900, for the two faces that have weights; `spacing` is extra room between
    letters, in pixels.
    """
    em = round(cap / _cap_ratio(face))
    draw = _opencv if face in OPENCV else _pillow
    pixels, baseline = draw(text, face, em, weight, spacing)
    columns = np.flatnonzero(pixels.max(axis=0) > 16)
    if not columns.size:
        raise ValueError(f"text {text!r} in face {face!r} has no ink")
    return Written(pixels[:, columns[0] : columns[-1] + 1], baseline)


@cache
def _cap_ratio(face: str) -> float:
    """How high a capital H is, as a share of the size a face is asked for."""
    draw = _opencv if face in OPENCV else _pillow
    pixels, _ = draw("H", face, 400, 500, 0.0)
    rows = np.flatnonzero(pixels.max(axis=1) > 128)
    return float(rows[-1] - rows[0] + 1) / 400


def _opencv(text: str, face: str, em: int, weight: int, spacing: float) -> tuple[Array, int]:
    if not hasattr(cv2, "FontFace"):
        raise DataError(
            f"the built-in benchmark draws text with OpenCV 5, found {cv2.__version__}; "
            "pip install 'opencv-python-headless>=5'"
        )
    font = _opencv_face(OPENCV[face])
    pixels = np.zeros(
        (round(em * 1.9), round(em * 1.3 * (len(text) + 2) + spacing * len(text))), dtype=np.uint8
    )
    baseline = round(em * 1.3)
    x = float(PAD)
    for part in text if spacing else (text,):
        end, _ = cv2.putText(pixels, part, (round(x), baseline), 255, font, em, weight)
        x = end[0] + spacing
    return pixels, baseline


@cache
def _opencv_face(name: str) -> Any:
    return cv2.FontFace(name)


def _pillow(text: str, face: str, em: int, weight: int, spacing: float) -> tuple[Array, int]:
    del weight
    font = _pillow_face(face, em)
    baseline = round(em * 1.3)
    image = Image.new(
        "L", (round(font.getlength(text) + spacing * len(text)) + em + 2 * PAD, round(em * 1.9))
    )
    pen = ImageDraw.Draw(image)
    x = float(PAD + em // 2)
    for part in text if spacing else (text,):
        pen.text((x, baseline), part, fill=255, font=font, anchor="ls")
        x += font.getlength(part) + spacing
    return np.asarray(image, dtype=np.uint8), baseline


@lru_cache(maxsize=64)
def _pillow_face(face: str, em: int) -> ImageFont.FreeTypeFont:
    if face == "plain":
        font = ImageFont.load_default(em)
        if not isinstance(font, ImageFont.FreeTypeFont):
            raise DataError(
                "the built-in benchmark needs a Pillow with FreeType; install Pillow from its wheel"
            )
        return font
    package, name = FILES[face]
    folder = Path(str(importlib.import_module(package).__file__)).parent / "files"
    return ImageFont.truetype(str(folder / name), em, layout_engine=ImageFont.Layout.BASIC)
