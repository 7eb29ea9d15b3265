"""Tesseract 4 or later, through its program: for those who have it, and for scripts that the
default engine lacks.

The program is looked for on PATH, or named by ``EDITGAUGE_TESSERACT``; languages are those whose
data it has. Pieces of text are lines, split where a gap is wider than the line is high; it runs on
one thread.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image

from editgauge.errors import OcrError, UsageError
from editgauge.images import Array
from editgauge.ocr.engine import Identity, Text, clean, model_hashes

_DATA: Final[dict[str, tuple[str, ...]]] = {
    "en": ("eng",),
    "zh": ("chi_sim", "eng"),
    "ja": ("jpn", "eng"),
    "ko": ("kor", "eng"),
    "ru": ("rus", "eng"),
    "ar": ("ara", "eng"),
    "he": ("heb", "eng"),
    "el": ("ell", "eng"),
    "th": ("tha", "eng"),
    "hi": ("hin", "eng"),
}
"""Our language -> Tesseract's data files; the first of each must be there, English is added when it
is.
"""
_SETTINGS: Final[dict[str, Any]] = {
    "psm": 11,
    "oem": 1,
    "least_height": 1000,
    "least_confidence": 30,
}
_SECONDS: Final = 120
LARGEST: Final = 32_000
"""The program takes no picture with a longer side; such a one is shrunk."""


@dataclass(frozen=True, slots=True)
class Tesseract:
    """The engine ``tesseract``; see the module."""

    name: str = "tesseract"

    def identity(self) -> Identity:
        return _identity(_program())

    def own_language(self, language: str) -> str | None:
        wanted = _DATA.get(language)
        there = _languages(_program())
        if wanted is None or wanted[0] not in there:
            return None
        return "+".join(name for name in wanted if name in there)

    def __call__(self, image: Array, language: str = "en") -> list[Text]:
        if image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
            raise ValueError(
                f"image: wanted shape (H, W, 3) with pixels in it, found {image.shape}"
            )
        own = self.own_language(language)
        if own is None:
            raise OcrError(
                f"tesseract has no data for the language {language!r}; it has "
                f"{', '.join(_languages(_program()))}"
            )
        height, width = image.shape[:2]
        factor = _factor(width, height)
        table = _run(_program(), own, _png(image, factor))
        found = ((np.asarray(box) / factor, text, sure) for box, text, sure in _pieces(table, own))
        return clean(found, (width, height))


def engine() -> Tesseract:
    """Tesseract 4 or later, through its program: the languages whose data it has, Arabic and Hebrew
    among them.
    """
    _program()
    return Tesseract()


@lru_cache(maxsize=1)
def _program() -> str:
    name = os.environ.get("EDITGAUGE_TESSERACT", "tesseract")
    found = shutil.which(name)
    if found is None:
        raise UsageError(
            f"the OCR engine 'tesseract' needs the program {name!r}, which is not on PATH: install "
            f"Tesseract 5, name "
            "the program in EDITGAUGE_TESSERACT, or use --ocr-engine rapidocr"
        )
    return found


def _ask(program: str, *arguments: str) -> str:
    try:
        done = subprocess.run(
            [program, *arguments], capture_output=True, timeout=_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise OcrError(f"tesseract {' '.join(arguments)} failed: {error}") from error
    return (done.stdout + done.stderr).decode("utf-8", "replace")


@lru_cache(maxsize=4)
def _listing(program: str) -> tuple[Path | None, tuple[str, ...]]:
    """Where the language data lie, as far as the program says, and the languages."""
    lines = _ask(program, "--list-langs").splitlines()
    place = re.search(r'"(.+)"', lines[0]) if lines else None
    return (Path(place.group(1)) if place else None), tuple(
        sorted(line.strip() for line in lines[1:] if line.strip())
    )


def _languages(program: str) -> tuple[str, ...]:
    return _listing(program)[1]


@lru_cache(maxsize=4)
def _identity(program: str) -> Identity:
    match = re.search(r"tesseract\s+v?(\d[\w.\-]*)", _ask(program, "--version"))
    folder, languages = _listing(program)
    wanted = {name for names in _DATA.values() for name in names} & set(languages)
    paths = [folder / f"{name}.traineddata" for name in sorted(wanted)] if folder else []
    models = model_hashes([path for path in paths if path.is_file()])
    return Identity("tesseract", match.group(1) if match else "unknown", models, _SETTINGS)


def _factor(width: int, height: int) -> float:
    """Small pictures are enlarged, as the program's models want letters about 30 px high; very
    large ones shrunk.
    """
    least = int(_SETTINGS["least_height"])
    return min(max(1.0, min(3.0, least / min(width, height))), LARGEST / max(width, height))


def _png(image: Array, factor: float) -> bytes:
    picture = Image.fromarray(np.ascontiguousarray(image))
    if factor != 1.0:
        size = (max(1, round(picture.width * factor)), max(1, round(picture.height * factor)))
        picture = picture.resize(size, Image.Resampling.BICUBIC)
    buffer = io.BytesIO()
    picture.save(buffer, format="PNG", compress_level=1, dpi=(300, 300))
    return buffer.getvalue()


def _run(program: str, language: str, png: bytes) -> str:
    command = [
        program,
        "stdin",
        "stdout",
        "-l",
        language,
        "--psm",
        str(_SETTINGS["psm"]),
        "--oem",
        str(_SETTINGS["oem"]),
    ]
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    try:
        done = subprocess.run(
            [*command, "tsv"],
            input=png,
            capture_output=True,
            timeout=_SECONDS,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise OcrError(f"the OCR engine 'tesseract' failed: {error}") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = lines[-1] if lines else f"exit code {done.returncode}"
        raise OcrError(f"the OCR engine 'tesseract' failed: {why}")
    return done.stdout.decode("utf-8", "replace")


def _pieces(table: str, language: str) -> Iterator[tuple[list[list[float]], str, float]]:
    """Words of the program's table as lines, split at wide gaps: corners, text and confidence of
    each.
    """
    joint = "" if language.split("+")[0] in ("chi_sim", "jpn", "tha") else " "
    line: list[tuple[float, float, float, float, str, float]] = []
    current: tuple[str, ...] = ()
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        try:
            sure, x, y, width, height = (
                float(row[name]) for name in ("conf", "left", "top", "width", "height")
            )
        except (KeyError, TypeError, ValueError):
            continue
        if sure < float(_SETTINGS["least_confidence"]) or not (row["text"] or "").strip():
            continue
        here = (row["block_num"], row["par_num"], row["line_num"])
        if line and (
            here != current or _gap(line[-1], x, width) > max(height, line[-1][3] - line[-1][1])
        ):
            yield _piece(line, joint)
            line = []
        current = here
        line.append((x, y, x + width, y + height, row["text"].strip(), sure / 100))
    if line:
        yield _piece(line, joint)


def _gap(word: tuple[float, float, float, float, str, float], x: float, width: float) -> float:
    """The blank between a word and the next, on whichever side it stands."""
    return max(x - word[2], word[0] - (x + width))


def _piece(
    line: list[tuple[float, float, float, float, str, float]], joint: str
) -> tuple[list[list[float]], str, float]:
    left, top = min(word[0] for word in line), min(word[1] for word in line)
    right, bottom = max(word[2] for word in line), max(word[3] for word in line)
    corners = [[left, top], [right, top], [right, bottom], [left, bottom]]
    return corners, joint.join(word[4] for word in line), min(word[5] for word in line)
