"""OCR engines behind one small protocol, and what they have read before."""

from editgauge.ocr.engine import Engine, Identity, Text
from editgauge.ocr.reader import Reader, open_reader

__all__ = ["Engine", "Identity", "Reader", "Text", "open_reader"]
