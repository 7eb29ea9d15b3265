"""Where `typeset` gets its lines of text from: an OCR engine by name, loaded once in each process."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from editgauge.editors.typeset.find import Line, Reader
from editgauge.errors import MissingExtra, UsageError
from editgauge.images import Array

ENGINES = ("rapidocr",)


def reader(engine: str) -> Reader:
    """A picklable reader. Raises `UsageError` for an unknown engine, `MissingExtra` without its library."""
    if engine not in ENGINES:
        raise UsageError(f"editor 'typeset': ocr={engine!r} is not known; there are: {', '.join(ENGINES)}")
    try:
        import rapidfuzz
        import rapidocr
    except ImportError as error:
        raise MissingExtra("the editor typeset", error.name or "rapidocr", "ocr") from error
    del rapidfuzz, rapidocr
    return EngineReader(engine)


@dataclass(frozen=True, slots=True)
class EngineReader:
    """See `reader`."""

    engine: str

    def __call__(self, picture: Array) -> Sequence[Line]:
        found = _load(self.engine)(np.ascontiguousarray(picture[..., ::-1]))
        if found.boxes is None:
            return []
        return [Line(np.asarray(box, np.float64), str(text)) for box, text in zip(found.boxes, found.txts, strict=True)]


@functools.lru_cache(maxsize=1)
def _load(engine: str) -> Any:
    del engine
    from rapidocr import RapidOCR

    one = {f"EngineConfig.onnxruntime.{name}_op_num_threads": 1 for name in ("intra", "inter")}
    return RapidOCR(params={"Global.log_level": "error", "Rec.rec_batch_num": 1, **one})
