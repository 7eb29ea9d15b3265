"""`typeset`: a classical editor that edits text for real, offline, on one core, with no network of its own.

It reads the instruction with a small grammar (`grammar`), finds the text by OCR (`find`), separates its ink from the
ground (`glyphs`), inpaints the ground, and sets the new text in the installed font that looks most like the old
(`fonts`), or moves, resizes, turns or recolours the ink itself (`operations`). Every other pixel keeps its value. What
it does not understand, or cannot find, gives the input back, and the record says why.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.editors.typeset import fonts
from editgauge.editors.typeset.canvas import Canvas
from editgauge.editors.typeset.find import Reader
from editgauge.editors.typeset.grammar import Operation, read_operations
from editgauge.editors.typeset.operations import CannotEdit, perform
from editgauge.images import Array, read_image, write_png
from editgauge.types import Edit, Sample

__all__ = ["TypesetEditor", "typeset"]


@dataclass
class TypesetEditor:
    """`read` gives a picture's lines of text; `faces` are the fonts to choose from."""

    read: Reader
    faces: Sequence[fonts.Face] = field(default_factory=fonts.faces)
    name: str = "typeset"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        """The sample's first picture, edited, as PNG below `folder`. Status scored also when the input came back.

        `reason` is then not empty, and ``detail["edited"]`` is False. Raises `ImageError` when the input is unreadable.
        """
        started = time.perf_counter()
        before = read_image(sample.image)
        after, detail, reason = self.edit(before, sample.instruction)
        path = folder / (sample.id.replace("/", "_") + ".png")
        write_png(path, after)
        seconds = time.perf_counter() - started
        return Edit(
            sample.id, self.name, path, reason=reason, width=after.shape[1], height=after.shape[0],
            settings={"fonts": len(self.faces)}, seconds=seconds, cost=0.0, detail=detail,
        )  # fmt: skip

    def edit(self, picture: Array, instruction: str) -> tuple[Array, dict[str, Any], str]:
        """The edited picture ((H, W, 3), uint8), what was done, and why nothing was (empty where something was)."""
        operations = read_operations(instruction)
        if not operations:
            return picture, {"edited": False}, "instruction not understood: the input is given back"
        canvas = Canvas(picture, list(self.read(picture)), self.faces)
        done: list[dict[str, Any]] = []
        for operation in operations:
            try:
                done.append({"operation": operation.kind, **perform(canvas, operation)})
            except CannotEdit as error:
                return picture, {"edited": False, "operations": [_told(o) for o in operations]}, f"{error}: the input is given back"
        return canvas.pixels, {"edited": True, "operations": done}, ""


def _told(operation: Operation) -> dict[str, Any]:
    return {"operation": operation.kind, "targets": [str(t) for t in operation.targets], "text": operation.text}
