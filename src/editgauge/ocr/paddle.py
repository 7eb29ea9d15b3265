"""PaddleOCR 2.x and 3.x, the engine of TextEdit's released scores (2.10, ``lang="en"``, angle
classifier on).

It fetches its models when it first runs. Pictures are given to it as B, G, R, its own convention;
the released script gives the output as R, G, B: strongly coloured text may be read differently
there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import cv2

from editgauge.errors import MissingExtra, OcrError
from editgauge.images import Array
from editgauge.ocr.engine import Identity, Text, check_picture, clean, model_hashes

_OWN: Final[dict[str, str]] = {
    "en": "en", "zh": "ch", "ja": "japan", "ko": "korean", "ru": "ru", "ar": "ar", "el": "el",
    "th": "th", "hi": "hi",
}  # fmt: skip
_OLD: Final[dict[str, Any]] = {
    "use_angle_cls": True, "show_log": False, "use_gpu": False, "cpu_threads": 1,
}  # fmt: skip
_NEW: Final[dict[str, Any]] = {
    "use_doc_orientation_classify": False, "use_doc_unwarping": False,
    "use_textline_orientation": True, "device": "cpu", "cpu_threads": 1,
}  # fmt: skip
_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class PaddleOcr:
    """The engine ``paddleocr``; see the module."""

    name: str = "paddleocr"

    def identity(self) -> Identity:
        return _identity()

    def own_language(self, language: str) -> str | None:
        name = _OWN.get(language)
        lacks = ("el", "th") if _major() < 3 else ("ar",)  # 3.x writes it in the order of pixels
        return None if name in lacks else name

    def __call__(self, image: Array, language: str = "en") -> list[Text]:
        check_picture(image)
        language_name = self.own_language(language)
        if language_name is None:
            raise OcrError(f"the OCR engine 'paddleocr' has no model for the language {language!r}")
        pixels = cv2.cvtColor(image, cv2.COLOR_RGB2BGR)
        with _LOCK:
            reader = _reader(language_name)
            try:
                lines = list(_old(reader, pixels) if _major() < 3 else _new(reader, pixels))
            except Exception as error:  # the library has no error type of its own
                raise OcrError(f"the OCR engine 'paddleocr' failed: {error}") from error
        return clean(lines, (image.shape[1], image.shape[0]))


def engine() -> PaddleOcr:
    """PaddleOCR 2.x or 3.x, the engine of TextEdit's released scores; it fetches its models."""
    _version()
    return PaddleOcr()


def _module() -> Any:
    try:
        import paddleocr
    except ImportError as error:
        raise MissingExtra("the OCR engine 'paddleocr'", "paddleocr", "paddleocr") from error
    return paddleocr


def _version() -> str:
    module = _module()
    try:
        return version("paddleocr")
    except PackageNotFoundError:
        return str(getattr(module, "__version__", "") or getattr(module, "VERSION", "0"))


def _major() -> int:
    first = _version().split(".")[0]
    return int(first) if first.isdigit() else 0


@lru_cache(maxsize=2)
def _reader(own: str) -> Any:
    """The library's object for one of its languages; making it loads the models."""
    try:
        return _module().PaddleOCR(lang=own, **(_OLD if _major() < 3 else _NEW))
    except MissingExtra:
        raise
    except Exception as error:  # no network, no models, a device that is not there
        why = f"cannot be started for {own!r}: {error}"
        raise OcrError(f"the OCR engine 'paddleocr' {why}") from error


@lru_cache(maxsize=1)
def _identity() -> Identity:
    """Versions, settings and the hashes of the English models: the object knows where they lie."""
    with _LOCK:
        folders = _model_folders(_reader("en"))
    models: dict[str, str] = {}
    for name, folder in sorted(folders.items()):
        kinds = (".pdiparams", ".pdmodel", ".json")
        files = sorted(file for file in folder.iterdir() if file.suffix in kinds)
        models |= {f"{name}/{file}": value for file, value in model_hashes(files).items()}
    settings: dict[str, Any] = dict(_OLD if _major() < 3 else _NEW)
    for name in ("paddlepaddle", "paddlepaddle-gpu"):
        try:
            settings[name] = version(name)
        except PackageNotFoundError:
            continue
    return Identity("paddleocr", _version(), models, settings)


def _model_folders(reader: Any) -> dict[str, Path]:
    """Where the models of a library object lie: 2.x in its arguments, 3.x in its parameters."""
    places: dict[str, Path] = {}
    for holder in (getattr(reader, "args", None), getattr(reader, "_params", None), reader):
        values = holder if isinstance(holder, Mapping) else getattr(holder, "__dict__", {})
        for key, value in values.items():
            is_place = isinstance(value, str | Path) and "model_dir" in str(key)
            if is_place and str(value) and Path(value).is_dir():
                places.setdefault(str(key).removesuffix("_model_dir"), Path(value))
    return places


def _old(reader: Any, pixels: Any) -> Iterator[tuple[Any, Any, Any]]:
    """2.x: a list a page of [polygon, (text, confidence)], or None instead of an empty page."""
    for page in reader.ocr(pixels, cls=True) or ():
        for polygon, (text, confidence) in page or ():
            yield polygon, text, confidence


def _new(reader: Any, pixels: Any) -> Iterator[tuple[Any, Any, Any]]:
    """3.x: a mapping a page, with one list each of polygons, texts and confidences."""
    for page in reader.predict(pixels) or ():
        yield from zip(page["rec_polys"], page["rec_texts"], page["rec_scores"], strict=True)
