"""Where `typeset` gets its lines of text from: one of the OCR engines of `editgauge.ocr`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from editgauge import catalog
from editgauge.editors.typeset.find import Line, Reader
from editgauge.images import Array
from editgauge.ocr import Engine


def reader(engine: str) -> Reader:
    """A picklable reader. Raises `UnknownName` for an unknown engine, `MissingExtra` without its
    library.
    """
    found: Engine = catalog.find("ocr_engines", engine)()
    found.identity()  # says now, not in the middle of a run, that a library is missing
    return EngineReader(found)


@dataclass(frozen=True, slots=True)
class EngineReader:
    """See `reader`."""

    engine: Engine

    def __call__(self, picture: Array) -> Sequence[Line]:
        return [
            Line(np.asarray(text.polygon, np.float64), text.text) for text in self.engine(picture)
        ]
