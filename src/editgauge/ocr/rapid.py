"""The default engine: RapidOCR's models (PP-OCRv6 small) on onnxruntime, inside the wheel, read
offline.

Reads Latin, Greek, Chinese and Japanese script. Text lines are recognised one by one (in a batch a
line's result depends on its neighbours' lengths), and every model runs on one thread.
"""

from __future__ import annotations

import importlib.util
import threading
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from editgauge.errors import MissingExtra, OcrError
from editgauge.images import Array
from editgauge.ocr.engine import BuiltIn, Identity, Text, clean, model_hashes
from editgauge.ocr.tiles import read_large

LIMIT, TILE, OVERLAP = 2000, 1600, 320
"""The library shrinks pictures with a longer side than the limit; we read them in tiles too."""
LEAST_SIDE, WIDEST = 64, 4
"""Smaller or narrower pictures get a margin: the library fails above 1 : 60, crawls above 1 : 8."""
_LANGUAGES: Final = ("en", "zh", "ja", "el")
_SETTINGS: Final[dict[str, Any]] = {
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    "Rec.rec_batch_num": 1,
    "Cls.cls_batch_num": 1,
    "Global.log_level": "error",
}
_LOCK = threading.Lock()


def engine() -> BuiltIn:
    """RapidOCR, its models in its wheel: Latin, Greek, Chinese, Japanese script. The default."""
    _need()
    return BuiltIn("rapidocr", dict.fromkeys(_LANGUAGES, "multilingual"), _identity, _read)


def _need() -> None:
    for package in ("rapidocr", "onnxruntime"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra("the OCR engine 'rapidocr'", package, "ocr")


@lru_cache(maxsize=1)
def _identity() -> Identity:
    """Versions and model hashes, without importing the library."""
    _need()
    spec = importlib.util.find_spec("rapidocr")
    folder = Path(str(spec.origin)).parent / "models" if spec else Path()
    settings = {key: value for key, value in _SETTINGS.items() if key != "Global.log_level"}
    settings |= {"onnxruntime": version("onnxruntime"), "opencv": cv2.__version__}
    settings["tile"] = [TILE, OVERLAP]
    models = model_hashes(sorted(folder.glob("*.onnx")))
    return Identity("rapidocr", version("rapidocr"), models, settings)


@lru_cache(maxsize=1)
def _reader() -> Any:
    import logging

    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return RapidOCR(params=dict(_SETTINGS))


def _read(image: Array, own: str) -> list[Text]:
    return read_large(image, _read_at_once, limit=LIMIT, side=TILE, overlap=OVERLAP)


def _read_at_once(image: Array) -> list[Text]:
    height, width = image.shape[:2]
    padded, x, y = _padded(image)
    with _LOCK:
        try:
            pixels = cv2.cvtColor(padded, cv2.COLOR_RGB2BGR)
            result = _reader()(pixels, use_det=True, use_cls=True, use_rec=True)
        except Exception as error:  # the library raises its own types, OpenCV's and onnxruntime's
            last = (str(error).strip().splitlines() or [type(error).__name__])[-1]
            raise OcrError(f"the OCR engine 'rapidocr' failed: {last}") from error
    if result.boxes is None or result.txts is None:
        return []
    boxes = np.asarray(result.boxes, dtype=np.float64) - (x, y)
    return clean(zip(boxes, result.txts, result.scores or (), strict=True), (width, height))


def _padded(image: Array) -> tuple[Array, int, int]:
    """The picture with the margin that it needs, in its border's colour, and where it lies."""
    height, width = image.shape[:2]
    wide, high = max(width, LEAST_SIDE, height // WIDEST), max(height, LEAST_SIDE, width // WIDEST)
    if (wide, high) == (width, height):
        return image, 0, 0
    border = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    colour = np.median(border, axis=0).astype(np.uint8).tolist()
    x, y = (wide - width) // 2, (high - height) // 2
    around = (y, high - height - y, x, wide - width - x)
    padded = cv2.copyMakeBorder(image, *around, cv2.BORDER_CONSTANT, value=colour)
    return np.asarray(padded, np.uint8), x, y
