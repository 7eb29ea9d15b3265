"""`typeset`: a classical offline editor of text, the bar that a model has to clear. Only what
cannot be read, found or drawn gives the input back; pixels away from the text keep their value.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from editgauge import catalog
from editgauge.editors.delivery import faulty, settings_of
from editgauge.editors.typeset import acts, letters
from editgauge.editors.typeset.acts import CannotEdit, Done
from editgauge.editors.typeset.canvas import Canvas
from editgauge.editors.typeset.faces import faces
from editgauge.editors.typeset.find import Line, find
from editgauge.errors import UsageError
from editgauge.images import Array, read_image, write_png
from editgauge.instructions import Operation, Parsed, read_instruction
from editgauge.ocr import Engine
from editgauge.types import Edit, JsonObject, Sample

_ACTS: Mapping[Operation, Callable[[Canvas, Parsed], Done]] = {
    "change": letters.change, "insert": letters.insert, "delete": acts.delete, "move": acts.move,
    "recolour": acts.recolour, "resize": acts.resize, "rotate": acts.rotate,
}  # fmt: skip


class Settings(msgspec.Struct, kw_only=True, frozen=True):
    ocr: str = "rapidocr"
    fonts: str = ""


def typeset(samples: Sequence[Sample], **settings: Any) -> TypesetEditor:
    """Edits quoted text without any network, by OCR and installed fonts.

    Settings: `ocr`, the engine's name (default ``rapidocr``); `fonts`, folders with further fonts,
    joined as in PATH. Raises `UsageError` for another setting, `MissingExtra` without the
    engine's library.
    """
    chosen = settings_of("typeset", settings, Settings)
    folders = [Path(part) for part in chosen.fonts.split(os.pathsep) if part]
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"editor 'typeset': fonts={folder}: wanted a folder, found none there")
    engine: Engine = catalog.find("ocr_engines", chosen.ocr)()
    engine.identity()  # says now, not in the middle of a run, that a library is missing
    return TypesetEditor(engine, tuple(folders))


@dataclass(frozen=True, slots=True)
class TypesetEditor:
    """`engine` reads a picture's text; `folders` hold fonts beside the system's."""

    engine: Engine
    folders: tuple[Path, ...] = ()
    name: str = "typeset"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        """The sample's picture, edited, as PNG below `folder`. Where the input came back the status
        is scored too, ``detail["edited"]`` False and `reason` not empty. Raises `ImageError` when
        the input is unreadable.
        """
        if (fault := faulty(sample, self.name, pictures=1)) is not None:
            return fault
        started = time.perf_counter()
        after, detail, reason = self.edit(read_image(sample.image), sample.instruction)
        path = folder / "typeset.png"
        write_png(path, after)
        return Edit(
            sample=sample.id, editor=self.name, path=path, reason=reason, width=after.shape[1],
            height=after.shape[0], seconds=time.perf_counter() - started, cost=0.0, detail=detail,
        )  # fmt: skip

    def edit(self, picture: Array, instruction: str) -> tuple[Array, JsonObject, str]:
        """The edited picture ((H, W, 3), uint8), what was done, why nothing was (else empty)."""
        asked = read_instruction(instruction)
        if asked.operation is None:
            return picture, {"edited": False}, f"{asked.reason}: the input is given back"
        canvas = Canvas(picture, self._lines(picture), faces(self.folders))
        try:
            done = {"operation": asked.operation, **_ACTS[asked.operation](canvas, asked)}
            done["read"] = self._reads(canvas.pixels, asked, done)
        except CannotEdit as error:
            detail = {"edited": False, "operation": asked.operation}
            return picture, detail, f"{error}: the input is given back"
        return canvas.pixels, {"edited": True, **done}, ""

    def _lines(self, picture: Array) -> list[Line]:
        texts = self.engine(picture)
        return [Line(np.asarray(text.polygon, np.float64), text.text) for text in texts]

    def _reads(self, picture: Array, asked: Parsed, done: JsonObject) -> bool:
        """Whether the result reads as asked: new texts are there, deleted ones are not, all others
        are as they were.
        """
        texts = [target for _, target in asked.pairs] or [asked.target or ""]
        if asked.operation not in ("change", "insert"):
            texts = [one["found"] for one in done["texts"]]
        lines = self._lines(picture)
        there = [find(lines, text) is not None for text in texts if text]
        return not any(there) if asked.operation == "delete" else all(there)
