"""PaddleOCR 2, the engine of TextEdit's released scores (2.10, ``lang="en"``, angle classifier on).

It fetches its models when it first runs. Pictures are given to it as B, G, R, its own convention;
the released script gives the output as R, G, B: strongly coloured text may be read differently
there.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import cv2

from editgauge.errors import MissingExtra, OcrError
from editgauge.images import Array
from editgauge.ocr.engine import BuiltIn, Identity, Text, clean, model_hashes

_OWN: Final[dict[str, str]] = {
    "en": "en", "zh": "ch", "ja": "japan", "ko": "korean", "ru": "ru", "ar": "ar", "hi": "hi",
}  # fmt: skip
_SETTINGS: Final[dict[str, Any]] = {
    "use_angle_cls": True, "show_log": False, "use_gpu": False, "cpu_threads": 1,
}  # fmt: skip
_LOCK = threading.Lock()


def engine() -> BuiltIn:
    """PaddleOCR 2, the engine of TextEdit's released scores; it fetches its models."""
    _version()
    return BuiltIn("paddleocr", _OWN, _identity, _read)


def _read(image: Array, own: str) -> list[Text]:
    pixels = cv2.cvtColor(image, cv2.COLOR_RGB2BGR)
    with _LOCK:
        reader = _reader(own)
        try:  # a list a page of [polygon, (text, confidence)], or None instead of an empty page
            pages = [page or () for page in reader.ocr(pixels, cls=True) or ()]
        except Exception as error:  # the library has no error type of its own
            raise OcrError(f"the OCR engine 'paddleocr' failed: {error}") from error
    lines = ((polygon, *words) for page in pages for polygon, words in page)
    return clean(lines, (image.shape[1], image.shape[0]))


def _version() -> str:
    try:
        found = version("paddleocr")
    except PackageNotFoundError as error:
        raise MissingExtra("the OCR engine 'paddleocr'", "paddleocr", "paddleocr") from error
    if not found.startswith("2."):
        raise OcrError(f"the OCR engine 'paddleocr': wanted version 2, as released; found {found}")
    return found


@lru_cache(maxsize=2)
def _reader(own: str) -> Any:
    """The library's object for one of its languages; making it loads the models."""
    _version()
    try:
        from paddleocr import PaddleOCR

        return PaddleOCR(lang=own, **_SETTINGS)
    except Exception as error:  # no network, no models, a device that is not there
        why = f"cannot be started for {own!r}: {error}"
        raise OcrError(f"the OCR engine 'paddleocr' {why}") from error


@lru_cache(maxsize=1)
def _identity() -> Identity:
    """Versions, settings and the hashes of the English models: the object knows where they lie."""
    with _LOCK:
        arguments = vars(_reader("en").args)
    models: dict[str, str] = {}
    for name in ("det", "rec", "cls"):
        folder = Path(str(arguments.get(f"{name}_model_dir") or "-"))
        files = sorted(folder.glob("*.pd*"))
        models |= {f"{name}/{file}": value for file, value in model_hashes(files).items()}
    settings = dict(_SETTINGS)
    for package in ("paddlepaddle", "paddlepaddle-gpu"):
        try:
            settings[package] = version(package)
        except PackageNotFoundError:
            continue
    return Identity("paddleocr", _version(), models, settings)
