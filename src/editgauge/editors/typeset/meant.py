"""Which text of the picture an instruction means, and why something cannot be done."""

from __future__ import annotations

from typing import Any

import numpy as np

from editgauge.editors.typeset.canvas import Canvas
from editgauge.editors.typeset.find import Box, Match, Span, by_role, find, nearest
from editgauge.instructions import Colour, Parsed

Done = dict[str, Any]
"""What was done, for the record: JSON values."""


class CannotEdit(Exception):
    """Why the picture does not allow what was asked: no such text, no face that has the letters."""


def matched(canvas: Canvas, text: str) -> Match:
    match = find(canvas.lines, text)
    if match is None:
        seen = nearest(canvas.lines, text)
        raise CannotEdit(f"{text!r} was not found; the text most like it is {seen!r}")
    return match


def named(canvas: Canvas, asked: Parsed) -> list[Match]:
    """The texts that are quoted, or else those that a word such as "the title" names."""
    if asked.sources:
        return [matched(canvas, source) for source in asked.sources]
    if asked.role is None:
        raise CannotEdit(asked.reason or "the instruction does not say which text is meant")
    numbers = by_role(canvas.lines, asked.role, canvas.size)
    spans = [Span(n, 0, len(canvas.lines[n].text)) for n in numbers]
    if not spans:
        raise CannotEdit(f"which text is meant by {asked.role!r} cannot be told in this picture")
    if asked.role == "all":
        return [Match((span,), 1.0) for span in spans]
    return [Match(tuple(spans), 1.0)]


def report(canvas: Canvas, match: Match) -> Done:
    words = " / ".join(canvas.lines[s.line].text[s.start : s.end] for s in match.spans)
    return {"found": words, "similarity": round(match.similarity, 3)}


def is_seen(colour: Colour, canvas: Canvas, box: Box) -> bool:
    """Whether a colour can be read on what is inside `box` now."""
    left, top, right, bottom = (max(0, round(v)) for v in box)
    under = canvas.pixels[top:bottom, left:right].reshape(-1, 3)
    return not under.size or float(np.linalg.norm(under.mean(axis=0) - colour)) > 150
