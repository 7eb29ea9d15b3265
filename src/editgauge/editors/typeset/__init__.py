"""`typeset`: a classical offline editor of text, the bar that a model has to clear. What cannot be
read, found or drawn gives the input back, and so does an edited picture that does not read as asked
(see `readback`). Pixels away from the text keep their value.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from editgauge.editors.typeset.find import Line
from editgauge.editors.typeset.readback import objection
from editgauge.errors import UsageError
from editgauge.images import Array, read_image, write_png
from editgauge.instructions import (
    LARGER,
    SLIGHTLY_LARGER,
    Operation,
    Parsed,
    read_instruction,
)
from editgauge.ocr import Engine
from editgauge.types import Edit, JsonObject, Sample

_ACTS: Mapping[Operation, Callable[[Canvas, Parsed], Done]] = {
    "change": letters.change, "insert": letters.insert, "delete": acts.delete, "move": acts.move,
    "recolour": acts.recolour, "resize": acts.resize, "rotate": acts.rotate,
}  # fmt: skip


_IN_PLACE = ("change", "resize", "rotate")
"""Operations after which a text stands on the ground that it stood on before."""
_MOST_STRANGE = 0.02
"""See `Canvas.strangeness`."""


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
        lines = self._lines(picture)
        for attempt in _attempts(asked):
            canvas = Canvas(picture, lines, faces(self.folders))
            try:
                done = self._done(canvas, attempt)
                return canvas.pixels, {"edited": True, **done, "read": True}, ""
            except CannotEdit as error:
                why = str(error)
        detail = {"edited": False, "operation": asked.operation}
        return picture, detail, f"{why}: the input is given back"

    def _done(self, canvas: Canvas, asked: Parsed) -> Done:
        """Edit the canvas, and return what was done. Raises `CannotEdit`, also where the edited
        picture does not read as asked.
        """
        assert asked.operation is not None
        done = {"operation": asked.operation, **_ACTS[asked.operation](canvas, asked)}
        is_step = asked.operation == "move" and (asked.where or "").startswith("go ")
        if (asked.operation in _IN_PLACE or is_step) and canvas.strangeness() > _MOST_STRANGE:
            raise CannotEdit("the text would run beyond the ground that it stands on")
        if why := objection(canvas, asked, self._lines):
            raise CannotEdit(why)
        return done

    def _lines(self, picture: Array) -> list[Line]:
        texts = self.engine(picture)
        return [Line(np.asarray(text.polygon, np.float64), text.text) for text in texts]


def _attempts(asked: Parsed) -> list[Parsed]:
    """The instruction, and a smaller step where it leaves the size of an enlargement open."""
    attempts = [asked]
    if asked.operation == "resize" and asked.amount == LARGER:
        attempts.append(replace(asked, amount=SLIGHTLY_LARGER))
    return attempts
