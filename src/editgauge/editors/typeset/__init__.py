"""`typeset`: a classical editor that edits text for real, offline, on one core, with no network of
its own.

It reads the instruction with a small grammar (`grammar`, and `sentences` for ordinary ones), finds
the text by OCR (`find`, and `choose` where it is described), separates its ink from the ground
(`glyphs`), inpaints the ground, and sets the new text in the installed font that looks most like
the old (`fonts`), or moves, resizes, turns or recolours the ink itself (`operations`). Every other
pixel keeps its value. Then it reads its own result (`verify`). What it does not understand, cannot
find, or what does not hold gives the input back, and the record says why.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.editors.delivery import flag, known
from editgauge.editors.typeset.canvas import Canvas
from editgauge.editors.typeset.choose import pointed
from editgauge.editors.typeset.faces import faces
from editgauge.editors.typeset.find import Reader
from editgauge.editors.typeset.grammar import read_request, why_not
from editgauge.editors.typeset.operations import CannotEdit, perform
from editgauge.editors.typeset.reading import reader
from editgauge.editors.typeset.request import Operation
from editgauge.editors.typeset.verify import Reading, fault
from editgauge.errors import UsageError
from editgauge.images import (
    Array,
    free_memory,
    memory_limit,
    read_header,
    read_image,
    write_png,
)
from editgauge.types import Edit, Sample, Status

__all__ = ["TypesetEditor", "typeset"]
PIXEL_BYTES = 30
"""Bytes a pixel that an edit takes, OCR's networks not counted: with 47 million pixels a worker had
1.3 GB, of which the networks are 0.45.
"""


def typeset(samples: Sequence[Sample], **settings: Any) -> TypesetEditor:
    """The classical editor. Settings: `ocr`, the engine's name (default ``rapidocr``); `fonts`,
    folders with further fonts, joined as in PATH; `verify` (true), whether the result is read again
    and what does not hold is handed back. Raises `UsageError` for another setting,
    `MissingExtra` without the engine's library.
    """
    del samples
    known("typeset", settings, "ocr", "fonts", "verify")
    folders = [Path(part) for part in str(settings.get("fonts", "")).split(os.pathsep) if part]
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"editor 'typeset': fonts={folder}: wanted a folder, found none there")
    engine = reader(str(settings.get("ocr", "rapidocr")))
    check = flag("typeset", settings, "verify", True)
    return TypesetEditor(engine, tuple(folders), verify=check)


@dataclass(frozen=True, slots=True)
class TypesetEditor:
    """`read` gives a picture's lines of text; `folders` hold fonts beside the system's (see
    `faces`).
    """

    read: Reader
    folders: tuple[Path, ...] = ()
    name: str = "typeset"
    verify: bool = True
    """Read the result again, and give the input back where it does not hold."""

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        """The sample's first picture, edited, as PNG below `folder`. Status scored also when the
        input came back.

        `reason` is then not empty, and ``detail["edited"]`` is False. Raises `ImageError` when the
        input is unreadable.
        """
        if not sample.images:
            return Edit.without(
                sample.id, self.name, Status.DATASET_FAULT, "the sample has no input image"
            )
        if len(sample.images) > 1:
            return Edit.without(
                sample.id,
                self.name,
                Status.NOT_APPLICABLE,
                "typeset edits one picture; the sample has several",
            )
        started = time.perf_counter()
        header = read_header(sample.image)
        wanted = header.width * header.height * PIXEL_BYTES
        if wanted > free_memory():
            return Edit.without(
                sample.id,
                self.name,
                Status.FAILED,
                f"the input has {header.width} x {header.height} pixels: to edit it takes "
                f"{wanted >> 20:,} MB, a process may use {memory_limit() >> 20:,} MB, its "
                f"libraries included; edit again with a larger --memory and --retry failed",
            )
        before = read_image(sample.image)
        after, detail, reason = self.edit(before, sample.instruction)
        path = folder / "typeset.png"
        write_png(path, after)
        seconds = time.perf_counter() - started
        return Edit(
            sample=sample.id,
            editor=self.name,
            path=path,
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
        operations = list(read_request(instruction))
        if not operations:
            return picture, {"edited": False}, f"{why_not(instruction)}: the input is given back"
        lines = list(self.read(picture))
        canvas = Canvas(picture, list(lines), faces(self.folders))
        drawn = [canvas]
        done: list[dict[str, Any]] = []
        for number, operation in enumerate(operations):
            try:
                operation = pointed(canvas, operation)
                if _again(operation, operations[:number]):  # its ink is another now
                    canvas = Canvas(canvas.pixels, list(lines), faces(self.folders))
                    drawn.append(canvas)
                operations[number] = operation
                done.append({"operation": operation.kind, **perform(canvas, operation)})
            except CannotEdit as error:
                return (
                    picture,
                    {"edited": False, "operations": [_told(o) for o in operations]},
                    f"{error}: the input is given back",
                )
        reading = Reading(
            before=picture,
            after=canvas.pixels,
            lines=lines,
            read=(),
            restored=np.logical_or.reduce([one.restored for one in drawn]),
            laid=np.logical_or.reduce([one.laid for one in drawn]),
        )
        told = self._fault(reading, operations)
        if told:
            return (
                picture,
                {"edited": False, "operations": done, "undone": told},
                f"the result did not hold ({told}): the input is given back",
            )
        return canvas.pixels, {"edited": True, "operations": done}, ""

    def _fault(self, reading: Reading, operations: Sequence[Operation]) -> str:
        """Why the result does not hold; empty where it does, or is not looked at."""
        if not self.verify:
            return ""
        return fault(replace(reading, read=list(self.read(reading.after))), operations)


def _again(operation: Operation, before: Sequence[Operation]) -> bool:
    """Whether earlier operations were about the same text."""
    texts = {target.text for other in before for target in other.targets}
    return any(target.text in texts for target in operation.targets)


def _told(operation: Operation) -> dict[str, Any]:
    return {
        "operation": operation.kind,
        "targets": [str(t) for t in operation.targets],
        "text": operation.text,
    }
