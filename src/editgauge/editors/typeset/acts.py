"""What `typeset` does with ink as it is, and which text of the picture an instruction means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from editgauge.editors.typeset.canvas import Canvas, Lifted
from editgauge.editors.typeset.find import Box, Match, Span, by_role, find
from editgauge.editors.typeset.ink import Matrix
from editgauge.instructions import Parsed

Done = dict[str, Any]
"""What was done, for the record: JSON values."""
_SLIGHTLY = 0.3
"""The share of a usual step by which a text is moved "a little"."""
EDGE = 0.04
"""Of the picture's shorter side: how near to its border a text is put."""
Point = tuple[float, float]


class CannotEdit(Exception):
    """Why the picture does not allow what was asked: no such text, no face that has the letters."""


def matched(canvas: Canvas, text: str, where: str | None = None) -> Match:
    """The place of a text, of equals the one that `where` names. Raises `CannotEdit`."""
    if (match := find(canvas.lines, text, where or "")) is None:
        raise CannotEdit(f"{text!r} was not found")
    return match


def named(canvas: Canvas, asked: Parsed) -> list[Match]:
    """The texts that are quoted, or else those that a word such as "the title" names."""
    if asked.sources:
        where = None if asked.operation == "move" else asked.where
        return [matched(canvas, source, where) for source in asked.sources]
    if asked.role is None:
        raise CannotEdit(asked.reason or "the instruction does not say which text is meant")
    numbers = by_role(canvas.lines, asked.role)
    spans = tuple(Span(n, 0, len(canvas.lines[n].text)) for n in numbers)
    if not spans:
        raise CannotEdit(f"which text is meant by {asked.role!r} cannot be told in this picture")
    return [Match((span,), 1.0) for span in spans] if asked.role == "all" else [Match(spans, 1.0)]


def texts_of(canvas: Canvas, match: Match) -> list[str]:
    """The words of a match, one text for each of its lines."""
    return [canvas.lines[span.line].text[span.start : span.end] for span in match.spans]


def report(canvas: Canvas, match: Match) -> Done:
    words = " / ".join(texts_of(canvas, match))
    return {"found": words, "similarity": round(match.similarity, 3)}


def _lifted(canvas: Canvas, asked: Parsed) -> Iterator[tuple[Match, Lifted]]:
    """Each text that is meant, its ink cut out of the picture."""
    count = 0
    for match in named(canvas, asked):
        if (lifted := canvas.lift(match)) is not None:
            count += 1
            yield match, lifted
    if not count:
        raise CannotEdit("the text was read, but its letters cannot be told from the ground")


def delete(canvas: Canvas, asked: Parsed) -> Done:
    return {"texts": [report(canvas, match) for match, _ in _lifted(canvas, asked)]}


def recolour(canvas: Canvas, asked: Parsed) -> Done:
    if asked.colour is None:
        raise CannotEdit("the instruction names no colour that is known")
    done = []
    for match, lifted in _lifted(canvas, asked):
        lifted.recolour(asked.colour)
        canvas.drop(lifted, lifted.centre)
        done.append(report(canvas, match))
    return {"texts": done, "colour": list(asked.colour)}


def resize(canvas: Canvas, asked: Parsed) -> Done:
    if asked.amount is None:
        raise CannotEdit("the instruction does not say how large the text is to be")
    return _turned(canvas, asked, np.eye(2) * asked.amount) | {"factor": asked.amount}


def rotate(canvas: Canvas, asked: Parsed) -> Done:
    degrees = asked.amount or 90.0
    sine, cosine = np.sin(np.radians(-degrees)), np.cos(np.radians(degrees))  # rows run down
    return _turned(canvas, asked, np.array([[cosine, -sine], [sine, cosine]])) | {
        "degrees": degrees
    }


def _turned(canvas: Canvas, asked: Parsed, linear: Matrix) -> Done:
    """Lay ink back about its own centre, moved as little as keeps it inside the picture."""
    done = []
    for match, lifted in _lifted(canvas, asked):
        size = np.abs(linear) @ lifted.size
        fit = min(1.0, *(0.98 * np.asarray(canvas.size) / size))
        low = fit * size / 2
        x, y = np.clip(lifted.centre, low, np.asarray(canvas.size) - low)
        canvas.drop(lifted, (float(x), float(y)), linear * fit)
        done.append(report(canvas, match))
    return {"texts": done}


def move(canvas: Canvas, asked: Parsed) -> Done:
    if asked.place == "swapped":
        return _swapped(canvas, asked)
    anchor = canvas.box_of(matched(canvas, asked.anchor)) if asked.anchor else None
    if anchor is None and asked.where is None:
        raise CannotEdit("the instruction does not say where the text is to go")
    done = []
    for match, lifted in _lifted(canvas, asked):
        height = canvas.lines[match.spans[0].line].height
        if anchor is not None:
            corner = _beside(lifted.size, anchor, asked.place or "after", height)
        else:
            corner = _to(canvas, lifted, asked.where or "", asked.amount or height)
        room = np.maximum(0.0, np.subtract(canvas.size, lifted.size))  # as near as there is room
        x, y = np.clip(corner, 0.0, room) + np.asarray(lifted.size) / 2
        canvas.drop(lifted, (float(x), float(y)))
        done.append(report(canvas, match))
    return {"texts": done}


def _swapped(canvas: Canvas, asked: Parsed) -> Done:
    """Lay each of two texts where the other was, in the other's colour where its own would not
    stand out.
    """
    lifted = list(_lifted(canvas, asked))
    if len(lifted) != 2:
        raise CannotEdit("two texts are to change places, and not both can be told from the ground")
    (first_match, first), (second_match, second) = lifted
    first_colour, second_colour = first.colour, second.colour
    for text, place, colour in ((first, second, second_colour), (second, first, first_colour)):
        if not canvas.shows(text.colour, place.box):
            text.recolour(colour)
        canvas.drop(text, place.centre)
    return {"texts": [report(canvas, first_match), report(canvas, second_match)]}


def _beside(size: Point, box: Box, place: str, gap: float) -> Point:
    (wide, high), (left, top, right, bottom) = size, box
    x, y = (left + right - wide) / 2, (top + bottom - high) / 2
    near = {"above": (x, top - 0.3 * gap - high), "below": (x, bottom + 0.3 * gap)}
    return near.get(place, (left - 0.4 * gap - wide if place == "before" else right + 0.4 * gap, y))


def _to(canvas: Canvas, lifted: Lifted, where: str, step: float) -> Point:
    """Where a text goes that is moved to a corner or side, or some way."""
    (width, height), (wide, high) = canvas.size, lifted.size
    edge, words = EDGE * min(width, height), where.split()
    x, y = lifted.box[:2]
    if words[0] == "go":
        if words[-1] == "slightly":
            step *= _SLIGHTLY
        dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[words[1]]
        return x + dx * step, y + dy * step
    middle = (height - high) / 2 if words == ["center"] else y
    columns = {"left": edge, "right": width - edge - wide, "center": (width - wide) / 2}
    rows = {"top": edge, "bottom": height - edge - high}
    return columns.get(words[-1], x), rows.get(words[0], middle)
