"""What `typeset` does: delete, recolour, resize, rotate, move (and swap); change and insert are in
`letters`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from editgauge.editors.typeset.canvas import Canvas, Lifted, Matrix, box_of
from editgauge.editors.typeset.find import Box, Match
from editgauge.editors.typeset.letters import EDGE, change, insert
from editgauge.editors.typeset.meant import CannotEdit, Done, is_seen, matched, named, report
from editgauge.instructions import Colour, Parsed


def perform(canvas: Canvas, asked: Parsed) -> Done:
    """Do what is asked on the canvas; what was done, for the record. Raises `CannotEdit`; the
    canvas may then be half done and is to be thrown away.
    """
    assert asked.operation is not None
    return {"operation": asked.operation, **_ACTS[asked.operation](canvas, asked)}


def _lifted(canvas: Canvas, asked: Parsed) -> Iterator[tuple[Match, Lifted]]:
    """Each text that is meant, its ink cut out of the picture."""
    count = 0
    for match in named(canvas, asked):
        if (lifted := canvas.lift(match)) is not None:
            count += 1
            yield match, lifted
    if not count:
        raise CannotEdit("the text was read, but its letters cannot be told from the ground")


# -------------------------------------------------------------------------------- the ink itself
def _delete(canvas: Canvas, asked: Parsed) -> Done:
    return {"texts": [report(canvas, match) for match, _ in _lifted(canvas, asked)]}


def _recolour(canvas: Canvas, asked: Parsed) -> Done:
    if asked.colour is None:
        raise CannotEdit("the instruction names no colour that is known")
    done = []
    for match, lifted in _lifted(canvas, asked):
        lifted.paint[:] = asked.colour
        canvas.drop(lifted, lifted.centre)
        done.append(report(canvas, match))
    return {"texts": done, "colour": list(asked.colour)}


def _resize(canvas: Canvas, asked: Parsed) -> Done:
    wide = None
    if len(asked.quotes) > len(asked.sources) == 1:  # as long as another text that is quoted
        left, _, right, _ = box_of(canvas, matched(canvas, asked.quotes[1].text))
        wide = right - left
    done = []
    for match, lifted in _lifted(canvas, asked):
        factor = wide / lifted.size[0] if wide else asked.amount or 1.0
        factor = min(factor, *(0.98 * s / t for s, t in zip(canvas.size, lifted.size, strict=True)))
        _drop(canvas, lifted, np.eye(2) * factor)
        done.append(report(canvas, match) | {"factor": round(factor, 3)})
    return {"texts": done}


def _rotate(canvas: Canvas, asked: Parsed) -> Done:
    radians = np.radians(-(asked.amount or 90.0))  # rows run down: counterclockwise is negative
    turn = np.array([[np.cos(radians), -np.sin(radians)], [np.sin(radians), np.cos(radians)]])
    done = []
    for match, lifted in _lifted(canvas, asked):
        _drop(canvas, lifted, turn)
        done.append(report(canvas, match))
    return {"texts": done, "degrees": asked.amount or 90.0}


def _drop(canvas: Canvas, lifted: Lifted, linear: Matrix) -> None:
    """Lay ink back about its own centre, moved as little as keeps it inside the picture."""
    reach = np.abs(linear) @ (np.asarray(lifted.size) / 2)
    sizes = zip(lifted.centre, reach, canvas.size, strict=True)
    x, y = (min(max(c, r), max(r, size - r)) for c, r, size in sizes)
    canvas.drop(lifted, (float(x), float(y)), linear)


def _move(canvas: Canvas, asked: Parsed) -> Done:
    if len(asked.sources) == 2 and asked.where is None:
        return _swap(canvas, asked)
    anchor = box_of(canvas, matched(canvas, asked.anchor)) if asked.anchor else None
    if anchor is None and asked.where is None:
        raise CannotEdit("the instruction does not say where the text is to go")
    done = []
    for match, lifted in _lifted(canvas, asked):
        height = canvas.lines[match.spans[0].line].height
        if anchor is not None:
            x, y = _beside(lifted.size, anchor, asked.place or "after", height)
        else:
            x, y = _to(canvas, lifted, asked.where or "", asked.amount or height)
        x, y = _inside(canvas, lifted.size, x, y)
        canvas.drop(lifted, (x + lifted.size[0] / 2, y + lifted.size[1] / 2))
        by = [round(x - lifted.left), round(y - lifted.top)]
        done.append(report(canvas, match) | {"by": by})
    return {"texts": done}


def _inside(canvas: Canvas, size: tuple[int, int], x: float, y: float) -> tuple[float, float]:
    width, height = canvas.size
    return min(max(x, 0.0), max(0.0, width - size[0])), min(max(y, 0.0), max(0.0, height - size[1]))


def _beside(size: tuple[int, int], box: Box, place: str, gap: float) -> tuple[float, float]:
    wide, high = size
    left, top, right, bottom = box
    x = {"before": left - 0.4 * gap - wide, "above": (left + right - wide) / 2}
    y = {"above": top - 0.3 * gap - high, "below": bottom + 0.3 * gap}
    x["below"] = x["above"]
    return x.get(place, right + 0.4 * gap), y.get(place, (top + bottom - high) / 2)


def _to(canvas: Canvas, lifted: Lifted, where: str, step: float) -> tuple[float, float]:
    """Where a text goes that is moved to a corner or side, or some way; a text that is on the
    wanted side already keeps that coordinate.
    """
    (width, height), (wide, high) = canvas.size, lifted.size
    edge, words = EDGE * min(width, height), where.split()
    x, y = lifted.left, lifted.top
    if words[0] == "go":
        dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[words[1]]
        return x + dx * step, y + dy * step
    if "left" in words and lifted.centre[0] > width / 3:
        x = edge
    elif "right" in words and lifted.centre[0] < width * 2 / 3:
        x = width - edge - wide
    elif "center" in words:
        x = (width - wide) / 2
    if "top" in words and lifted.centre[1] > height / 4:
        y = edge
    elif "bottom" in words and lifted.centre[1] < height * 3 / 4:
        y = height - edge - high
    elif words == ["center"]:
        y = (height - high) / 2
    return x, y


def _swap(canvas: Canvas, asked: Parsed) -> Done:
    """Two texts in each other's place, each in the other's colour where its own is not seen."""
    both = list(_lifted(canvas, asked))
    if len(both) < 2:
        raise CannotEdit("the letters of one text cannot be told from the ground")
    for (_, one), (_, other) in (both, both[::-1]):
        x, y = (goal - size / 2 for goal, size in zip(other.centre, one.size, strict=True))
        x, y = _inside(canvas, one.size, x, y)
        box = (x, y, x + one.size[0], y + one.size[1])
        kept = one.paint.copy()
        if not is_seen(_typical(one), canvas, box):
            one.paint[:] = _typical(other)
        canvas.drop(one, (x + one.size[0] / 2, y + one.size[1] / 2))
        one.paint[:] = kept
    return {"texts": [report(canvas, match) for match, _ in both], "swapped": True}


def _typical(lifted: Lifted) -> Colour:
    red, green, blue = np.median(lifted.paint[lifted.alpha >= lifted.alpha.max() * 0.9], axis=0)
    return int(red), int(green), int(blue)


_ACTS: dict[str, Callable[[Canvas, Parsed], Done]] = {
    "change": change,
    "insert": insert,
    "delete": _delete,
    "move": _move,
    "recolour": _recolour,
    "resize": _resize,
    "rotate": _rotate,
}
