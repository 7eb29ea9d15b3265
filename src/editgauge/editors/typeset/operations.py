"""Which function does which operation."""

from __future__ import annotations

from collections.abc import Callable

from editgauge.editors.typeset.canvas import Canvas
from editgauge.editors.typeset.common import CannotEdit, Done
from editgauge.editors.typeset.ink_operations import delete, move, recolour, resize, rotate, swap
from editgauge.editors.typeset.request import Operation
from editgauge.editors.typeset.text_operations import change, insert, restyle

__all__ = ["CannotEdit", "perform"]

_ACTS: dict[str, Callable[[Canvas, Operation], Done]] = {
    "change": change, "insert": insert, "delete": delete, "move": move, "swap": swap,
    "resize": resize, "recolour": recolour, "rotate": rotate, "restyle": restyle,
}  # fmt: skip


def perform(canvas: Canvas, operation: Operation) -> Done:
    """Do one operation. Raises `CannotEdit`; the canvas may then be half done and is to be thrown
    away.
    """
    return _ACTS[operation.kind](canvas, operation)
