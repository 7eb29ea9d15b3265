"""What operations share: finding the text that is meant, lifting its ink, and saying why something
cannot be done.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editgauge.editors.typeset.canvas import Canvas, Lifted
from editgauge.editors.typeset.find import ALIKE, Match, find, letter_height, whole
from editgauge.editors.typeset.glyphs import intruded
from editgauge.editors.typeset.request import Target

Done = Mapping[str, Any]
EDGE = 0.04
"""Of the picture's shorter side: how near to its border a text is put."""


class CannotEdit(Exception):
    """The operation was understood, but the picture does not allow it: no such text, no font that
    has the letters.
    """


def found_text(canvas: Canvas, target: Target) -> Match:
    matches = find(canvas.lines, target)
    twins = [match for match in matches[1:] if _twin(canvas, matches[0], match)]
    if target.text is not None and twins:
        raise CannotEdit(f"{target} stands {len(twins) + 1} times in the picture, and one is meant")
    for match in matches:
        if any(canvas.inked(span.line) is not None for span in match.spans):
            return match
    seen = ", ".join(repr(line.text) for line in canvas.lines[:6]) or "no text at all"
    if matches:
        raise CannotEdit(f"{target} was read, but its letters cannot be told from the ground")
    raise CannotEdit(f"{target} was not found; the picture reads {seen}")


def _twin(canvas: Canvas, first: Match, other: Match) -> bool:
    """Whether nothing tells which of two places is meant: as similar, as much a word, as large."""
    lines = canvas.lines
    return (
        other.similarity >= first.similarity - ALIKE
        and whole(lines, other) == whole(lines, first)
        and letter_height(lines, other) >= 0.7 * letter_height(lines, first)
    )


def report(canvas: Canvas, match: Match) -> dict[str, Any]:
    found = " / ".join(canvas.lines[s.line].text[s.start : s.end] for s in match.spans)
    return {"found": found, "similarity": round(match.similarity, 3)}


def alone(canvas: Canvas, match: Match) -> None:
    """Raises `CannotEdit` where something else would be erased with the ink of a match."""
    for span in match.spans:
        inked = canvas.inked(span.line)
        if inked is None:
            continue
        g = inked.glyphs
        high, wide = g.alpha.shape
        if intruded(g, canvas.original[g.top : g.top + high, g.left : g.left + wide]):
            raise CannotEdit(f"something of another colour touches {inked.line.text!r}")


def lift(canvas: Canvas, match: Match, target: Target) -> Lifted:
    alone(canvas, match)
    lifted = canvas.lift(match)
    if lifted is None:
        raise CannotEdit(f"{target} was read, but its letters cannot be told from the ground")
    return lifted
