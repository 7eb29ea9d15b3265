"""`typeset`: a classical editor that edits text for real, offline, on one core, with no network of
its own.

It reads the instruction with a small grammar (`grammar`), finds the text by OCR (`find`), separates
its ink from the ground (`glyphs`), inpaints the ground, and sets the new text in the installed font
that looks most like the old (`fonts`), or moves, resizes, turns or recolours the ink itself
(`operations`). Every other pixel keeps its value. What it does not understand, or cannot find,
gives the input back, and the record says why.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editgauge.editors.typeset.canvas import Canvas
from editgauge.editors.typeset.faces import faces
from editgauge.editors.typeset.find import Reader
from editgauge.editors.typeset.grammar import Operation, read_operations
from editgauge.editors.typeset.operations import CannotEdit, perform
from editgauge.editors.typeset.reading import reader
from editgauge.errors import UsageError
from editgauge.images import Array, read_image, write_png
from editgauge.types import Edit, Sample, Status

__all__ = ["TypesetEditor", "typeset"]


def typeset(samples: Sequence[Sample], **settings: Any) -> TypesetEditor:
    """The classical editor. Settings: `ocr`, the engine's name (default ``rapidocr``); `fonts`,
    folders with further fonts, joined as in PATH. Raises `UsageError` for another setting,
    `MissingExtra` without the engine's library.
    """
    del samples
    unknown = sorted(set(settings) - {"ocr", "fonts"})
    if unknown:
        raise UsageError(
            f"editor 'typeset': wanted the settings ocr and fonts, found {', '.join(unknown)}"
        )
    folders = [Path(part) for part in str(settings.get("fonts", "")).split(os.pathsep) if part]
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"editor 'typeset': fonts={folder}: wanted a folder, found none there")
    return TypesetEditor(reader(str(settings.get("ocr", "rapidocr"))), tuple(folders))


@dataclass(frozen=True, slots=True)
class TypesetEditor:
    """`read` gives a picture's lines of text; `folders` hold fonts beside the system's (see
    `faces`).
    """

    read: Reader
    folders: tuple[Path, ...] = ()
    name: str = "typeset"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        """The sample's first picture, edited, as PNG below `folder`. Status scored also when the
        input came back.

        `reason` is then not empty, and ``detail["edited"]`` is False. Raises `ImageError` when the
        input is unreadable.
        """
        if not sample.images:
            return Edit(
                sample.id, self.name, None, Status.DATASET_FAULT, "the sample has no input image"
            )
        if len(sample.images) > 1:
            return Edit(
                sample.id,
                self.name,
                None,
                Status.NOT_APPLICABLE,
                "typeset edits one picture; the sample has several",
            )
        started = time.perf_counter()
        before = read_image(sample.image)
        after, detail, reason = self.edit(before, sample.instruction)
        path = folder / "typeset.png"
        write_png(path, after)
        seconds = time.perf_counter() - started
        return Edit(
            sample.id,
            self.name,
            path,
            reason=reason,
            width=after.shape[1],
            height=after.shape[0],
            seconds=seconds,
            cost=0.0,
            detail=detail,
        )

    def edit(self, picture: Array, instruction: str) -> tuple[Array, dict[str, Any], str]:
        """The edited picture ((H, W, 3), uint8), what was done, and why nothing was (empty where
        something was).
        """
        operations = read_operations(instruction)
        if not operations:
            return picture, {"edited": False}, "instruction not understood: the input is given back"
        canvas = Canvas(picture, list(self.read(picture)), faces(self.folders))
        done: list[dict[str, Any]] = []
        for operation in operations:
            try:
                done.append({"operation": operation.kind, **perform(canvas, operation)})
            except CannotEdit as error:
                return (
                    picture,
                    {"edited": False, "operations": [_told(o) for o in operations]},
                    f"{error}: the input is given back",
                )
        return canvas.pixels, {"edited": True, "operations": done}, ""


def _told(operation: Operation) -> dict[str, Any]:
    return {
        "operation": operation.kind,
        "targets": [str(t) for t in operation.targets],
        "text": operation.text,
    }
