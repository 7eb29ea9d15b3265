"""Operations on the ink itself: delete, recolour, move, swap, resize, rotate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editgauge.editors.typeset.canvas import Canvas, Lifted
from editgauge.editors.typeset.common import EDGE, Done, found_text, lift, report
from editgauge.editors.typeset.find import Match, find
from editgauge.editors.typeset.glyphs import stands_out
from editgauge.editors.typeset.grammar import Operation, Target

Matrix = npt.NDArray[np.float64]


def delete(canvas: Canvas, operation: Operation) -> Done:
    done = []
    for target in operation.targets:
        match = found_text(canvas, target)
        lift(canvas, match, target)
        done.append(report(canvas, match))
    return {"deleted": done}


def recolour(canvas: Canvas, operation: Operation) -> Done:
    assert operation.colour is not None
    done = []
    for target in operation.targets:
        match = found_text(canvas, target)
        lifted = lift(canvas, match, target)
        lifted.ink[:] = operation.colour
        canvas.drop(lifted)
        done.append(report(canvas, match))
    return {"recoloured": done, "colour": list(operation.colour)}


def _shifted(lifted: Lifted, dx: float, dy: float) -> Matrix:
    return np.array([[1, 0, round(lifted.left + dx)], [0, 1, round(lifted.top + dy)]], float)


def _about_centre(lifted: Lifted, linear: Matrix, to: tuple[float, float] | None = None) -> Matrix:
    """The matrix that applies a 2 x 2 one about the lifted ink's centre, and puts that centre at
    `to`.
    """
    own = np.array([lifted.alpha.shape[1] / 2, lifted.alpha.shape[0] / 2])
    goal = np.asarray(to if to is not None else lifted.centre)
    return np.column_stack([linear, goal - linear @ own])


def move(canvas: Canvas, operation: Operation) -> Done:
    target = operation.targets[0]
    match = found_text(canvas, target)
    anchor = _lifted_box(canvas, operation.anchor) if operation.anchor is not None else None
    height = canvas.lines[match.spans[0].line].height
    lifted = lift(canvas, match, target)
    place = operation.place or ""
    if anchor is not None:
        dx, dy = _beside(lifted, anchor, place, height)
    elif place.startswith("go "):
        step = operation.amount or height
        dx, dy = {
            "up": (0.0, -step),
            "down": (0.0, step),
            "left": (-step, 0.0),
            "right": (step, 0.0),
        }[place[3:]]
    else:
        dx, dy = _to_place(canvas, lifted, place)
    canvas.drop(lifted, _shifted(lifted, *_kept_inside(canvas, lifted, dx, dy)))
    return {"moved": report(canvas, match), "by": [round(dx), round(dy)]}


def _kept_inside(canvas: Canvas, lifted: Lifted, dx: float, dy: float) -> tuple[float, float]:
    width, height = canvas.size
    dx = min(max(dx, -lifted.left), max(0.0, width - lifted.left - lifted.alpha.shape[1]))
    dy = min(max(dy, -lifted.top), max(0.0, height - lifted.top - lifted.alpha.shape[0]))
    return dx, dy


def _lifted_box(canvas: Canvas, target: Target) -> tuple[float, float, float, float]:
    """Left, top, right, bottom of a text that only serves as a measure: its ink need not be told
    from the ground.
    """
    match = next(iter(find(canvas.lines, target, canvas.size)), None) or found_text(canvas, target)
    boxes = np.array([canvas.lines[s.line].box for s in match.spans])
    return (
        float(boxes[:, 0].min()),
        float(boxes[:, 1].min()),
        float(boxes[:, 2].max()),
        float(boxes[:, 3].max()),
    )


def _beside(
    lifted: Lifted, box: tuple[float, float, float, float], place: str, gap: float
) -> tuple[float, float]:
    high, wide = lifted.alpha.shape
    left, top, right, bottom = box
    x = {"before": left - 0.4 * gap - wide, "after": right + 0.4 * gap}.get(
        place, (left + right - wide) / 2
    )
    y = {"above": top - 0.3 * gap - high, "below": bottom + 0.3 * gap}.get(
        place, (top + bottom - high) / 2
    )
    return x - lifted.left, y - lifted.top


def _to_place(canvas: Canvas, lifted: Lifted, place: str) -> tuple[float, float]:
    """The shift to a corner or side; a text that is on the wanted side already keeps that
    coordinate.
    """
    width, height = canvas.size
    edge = EDGE * min(width, height)
    high, wide = lifted.alpha.shape
    cx, cy = lifted.centre
    words = place.split()
    x, y = lifted.left, lifted.top
    if "left" in words and cx > width / 3:
        x = edge
    elif "right" in words and cx < width * 2 / 3:
        x = width - edge - wide
    elif "center" in words and "left" not in words and "right" not in words:
        x = (width - wide) / 2
    if "top" in words and cy > height / 4:
        y = edge
    elif "bottom" in words and cy < height * 3 / 4:
        y = height - edge - high
    elif words == ["center"]:
        y = (height - high) / 2
    return x - lifted.left, y - lifted.top


def swap(canvas: Canvas, operation: Operation) -> Done:
    first, second = operation.targets
    matches = found_text(canvas, first), found_text(canvas, second)
    a, b = lift(canvas, matches[0], first), lift(canvas, matches[1], second)
    goals = a.centre, b.centre
    own, other = _typical(a), _typical(b)
    _drop_at(canvas, a, goals[1], own, other)
    _drop_at(canvas, b, goals[0], other, own)
    return {"swapped": [report(canvas, match) for match in matches]}


def _typical(lifted: Lifted) -> tuple[int, int, int] | None:
    solid = lifted.ink[lifted.alpha > 0.8]
    if not len(solid):
        return None
    red, green, blue = (int(c) for c in np.median(solid, axis=0))
    return red, green, blue


def _drop_at(
    canvas: Canvas,
    lifted: Lifted,
    goal: tuple[float, float],
    own: tuple[int, int, int] | None,
    other: tuple[int, int, int] | None,
) -> None:
    """Lay ink with its centre at `goal`; in the `other` text's colour where its own would not be
    seen there.
    """
    dx, dy = _kept_inside(canvas, lifted, goal[0] - lifted.centre[0], goal[1] - lifted.centre[1])
    left, top = round(lifted.left + dx), round(lifted.top + dy)
    box = [left, top, left + lifted.alpha.shape[1], top + lifted.alpha.shape[0]]
    if own is not None and other is not None and not stands_out(own, canvas.pixels, box):
        lifted.ink[:] = other
    canvas.drop(lifted, _shifted(lifted, dx, dy))


def resize(canvas: Canvas, operation: Operation) -> Done:
    done = []
    for target in operation.targets:
        match = found_text(canvas, target)
        parts = [Match((span,), 1.0) for span in match.spans] if target.role == "all" else [match]
        for part in parts:
            lifted = canvas.lift(part)
            if lifted is not None:
                _drop_resized(canvas, lifted, operation)
        done.append(report(canvas, match))
    return {"resized": done}


def _drop_resized(canvas: Canvas, lifted: Lifted, operation: Operation) -> None:
    high, wide = lifted.alpha.shape
    factor = operation.amount or 1.0
    if operation.anchor is not None:
        left, _, right, _ = _lifted_box(canvas, operation.anchor)
        factor = (right - left) / wide
    width, height = canvas.size
    factor = min(factor, 0.98 * width / wide, 0.98 * height / high)
    cx, cy = lifted.centre
    half = factor * wide / 2, factor * high / 2
    to = min(max(cx, half[0]), width - half[0]), min(max(cy, half[1]), height - half[1])
    canvas.drop(lifted, _about_centre(lifted, np.eye(2) * factor, to))


def rotate(canvas: Canvas, operation: Operation) -> Done:
    done = []
    radians = np.radians(
        -(operation.amount or 0.0)
    )  # rows run down: counterclockwise is negative there
    turn = np.array([[np.cos(radians), -np.sin(radians)], [np.sin(radians), np.cos(radians)]])
    for target in operation.targets:
        match = found_text(canvas, target)
        lifted = lift(canvas, match, target)
        reach = np.abs(turn) @ (lifted.alpha.shape[1] / 2, lifted.alpha.shape[0] / 2)
        to = [
            min(max(c, r), max(r, s - r))
            for c, r, s in zip(lifted.centre, reach, canvas.size, strict=True)
        ]
        canvas.drop(lifted, _about_centre(lifted, turn, (to[0], to[1])))
        done.append(report(canvas, match))
    return {"rotated": done, "degrees": operation.amount}
