"""OCR engines behind one small protocol, and a store of what they have read."""

from editgauge.ocr.engine import Engine, Identity, Text
from editgauge.ocr.reader import Reader, open_reader
from editgauge.ocr.store import TextStore

__all__ = ["Engine", "Identity", "Reader", "Text", "TextStore", "open_reader"]
