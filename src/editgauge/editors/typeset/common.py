"""What operations share: finding the text that is meant, lifting its ink, and saying why something
cannot be done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np

from editgauge.editors.typeset import limits
from editgauge.editors.typeset.canvas import Canvas, Lifted
from editgauge.editors.typeset.find import ALIKE, Match, find, letter_height, whole
from editgauge.editors.typeset.glyphs import intruded
from editgauge.editors.typeset.request import Target

Done = Mapping[str, Any]
_AS_LARGE = 0.6
"""The part of a text's height from which another one may be meant as well."""
_BEYOND = 0.45
"""Of a line's height: how far ink may reach beyond what was read."""
EDGE = 0.04
"""Of the picture's shorter side: how near to its border a text is put."""


class CannotEdit(Exception):
    """The operation was understood, but the picture does not allow it: no such text, no font that
    has the letters.
    """


def found_text(canvas: Canvas, target: Target) -> Match:
    matches = find(canvas.lines, target)
    if target.text is not None and matches:
        _surely_meant(canvas, target, matches)
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


def _surely_meant(canvas: Canvas, target: Target, matches: Sequence[Match]) -> None:
    """Raises `CannotEdit` where the best match is a part of a longer word, was read with doubt, or
    is written in other capitals than a text that is written exactly so.
    """
    text, best = target.text or "", matches[0]
    seen = report(canvas, best)["found"]
    if best.similarity < limits.SURE:
        raise CannotEdit(f"{target} is not surely what was read as {seen!r}")
    if not whole(canvas.lines, best) and not any(_unspaced(char) for char in text):
        raise CannotEdit(f"{target} was found only as a part of a longer word")
    alike = [m for m in matches[1:] if m.similarity >= best.similarity - ALIKE]
    careful = text != text.lower()  # small letters throughout are often written for capitals
    if (
        careful
        and text not in seen
        and any(text in report(canvas, match)["found"] for match in alike)
    ):
        raise CannotEdit(f"{target} is written so elsewhere than in {seen!r}")


def _unspaced(char: str) -> bool:
    """Whether a letter is of a script that sets no blanks between words."""
    return "\u2e80" <= char <= "\u9fff" or "\u0e00" <= char <= "\u0e7f"


def _twin(canvas: Canvas, first: Match, other: Match) -> bool:
    """Whether nothing tells which of two places is meant: as similar, as much a word, as large."""
    lines = canvas.lines
    return (
        other.similarity >= first.similarity - ALIKE
        and whole(lines, other) == whole(lines, first)
        and letter_height(lines, other) >= _AS_LARGE * letter_height(lines, first)
    )


_INNER, _OTHER_INK, _MIXED_INK = 40, 70.0, 0.2
"""Pixels inside of strokes from which a text's colour is told, the levels of 255 by which one is of
another colour, and the part of them that may be.
"""


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


def restorable(canvas: Canvas, match: Match) -> None:
    """Raises `CannotEdit` where the ground under a match cannot be made up, or its ink is more than
    its letters.
    """
    for span in match.spans:
        inked = canvas.inked(span.line)
        if inked is None:
            continue
        g = inked.glyphs
        if g.doubt > limits.DOUBT:
            raise CannotEdit(f"what lies behind {inked.line.text!r} cannot be made up")
        ys, xs = np.nonzero(g.alpha > 0.5)
        left, top, right, bottom = inked.line.box
        reach = _BEYOND * max(8.0, inked.line.height)
        if len(ys) and (
            xs.min() + g.left < left - reach
            or xs.max() + g.left > right + reach
            or ys.min() + g.top < top - reach
            or ys.max() + g.top > bottom + reach
        ):
            raise CannotEdit(f"more than letters would be taken with {inked.line.text!r}")


def of_one_ink(canvas: Canvas, match: Match) -> None:
    """Raises `CannotEdit` where letters are of several colours, or outlined."""
    for span in match.spans:
        inked = canvas.inked(span.line)
        if inked is None:
            continue
        g = inked.glyphs
        core = cv2.erode((g.alpha > 0.3).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        core &= canvas.span_portion(inked, span)
        if int(core.sum()) < _INNER:
            continue
        away = np.abs(g.ink[core].astype(float) - np.median(g.ink[core], axis=0)).max(axis=1)
        if float((away > _OTHER_INK).mean()) > _MIXED_INK:
            raise CannotEdit(f"the letters of {inked.line.text!r} are of several colours")


def lift(canvas: Canvas, match: Match, target: Target) -> Lifted:
    alone(canvas, match)
    lifted = canvas.lift(match)
    if lifted is None:
        raise CannotEdit(f"{target} was read, but its letters cannot be told from the ground")
    return lifted
