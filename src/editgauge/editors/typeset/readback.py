"""The check of an edited picture: it is read again, and must say what the instruction wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from rapidfuzz import fuzz

from editgauge.editors.typeset.acts import matched, named, texts_of
from editgauge.editors.typeset.canvas import Canvas
from editgauge.editors.typeset.find import Box, Line, Match, find, plain
from editgauge.images import Array
from editgauge.instructions import Parsed

Reader = Callable[[Array], list[Line]]
"""An engine's lines of a picture."""
_LEAST_LETTERS = 3
"""Lines with fewer letters are not looked for again: engines find and lose them by chance."""
_STILL_THERE = 60.0
"""The least likeness (0 to 100) of a line that was not edited to what is read in its place now."""
_SHOWN = 60
"""Letters of a text that a reason repeats."""


def objection(canvas: Canvas, asked: Parsed, read: Reader) -> str:
    """Why the edited picture does not say what the instruction wants; empty where it does.

    The new text must be read where the old one was, a deleted one must be gone, a moved or changed
    one must still be legible, and no other line of the picture may be lost.
    """
    before, after = canvas.lines, read(canvas.pixels)
    if asked.operation == "change":
        matches = [matched(canvas, source, asked.where) for source, _ in asked.pairs]
        targets = [target for _, target in asked.pairs]
        why = _not_replaced(canvas, after, matches, targets)
    elif asked.operation == "insert":
        matches = [matched(canvas, asked.anchor)] if asked.anchor else []
        why = _not_inserted(before, after, asked)
    else:
        matches = named(canvas, asked)
        texts = [text for match in matches for text in texts_of(canvas, match)]
        if asked.operation == "delete":
            why = _not_deleted(before, after, texts)
        elif asked.operation == "rotate":
            turned = read(_turned(canvas.pixels, -(asked.amount or 90.0)))
            why = _not_legible([*after, *turned], texts)
        else:
            why = _not_legible(after, texts)
    edited = {span.line for match in matches for span in match.spans}
    others = [line for number, line in enumerate(before) if number not in edited]
    return why or _lost(others, after, covered=asked.operation in ("move", "rotate"))


def _shown(lines: Sequence[Line]) -> str:
    text = " / ".join(line.text for line in lines)
    return f"{text[:_SHOWN]!r} is read" if text else "nothing is read"


def _count(lines: Sequence[Line], text: str) -> int:
    """How often the lines have a text, by its letters and digits."""
    letters = plain(text)
    if not letters:
        return 0
    return sum(plain(line.text).count(letters) for line in lines)


def _not_replaced(
    canvas: Canvas, after: Sequence[Line], matches: Sequence[Match], targets: Sequence[str]
) -> str:
    for match, target in zip(matches, targets, strict=True):
        near = _near(after, canvas.box_of(match))
        if not target:
            continue
        if plain(target) and find(near, target) is None:
            return f"{target!r} cannot be read in the edited picture: {_shown(near)} in its place"
    return ""


def _not_inserted(before: Sequence[Line], after: Sequence[Line], asked: Parsed) -> str:
    target = asked.target or ""
    is_new = _count(after, target) > _count(before, target)
    if plain(target) and not is_new and (find(after, target) is None or find(before, target)):
        return f"{target!r} cannot be read in the edited picture"
    if asked.anchor and find(after, asked.anchor) is None:
        return f"{asked.anchor!r} can no longer be read beside the inserted text"
    return ""


def _not_deleted(before: Sequence[Line], after: Sequence[Line], texts: Sequence[str]) -> str:
    for text in texts:
        deleted = texts.count(text)
        if _count(after, text) > max(0, _count(before, text) - deleted):
            return f"{text!r} can still be read in the edited picture"
    return ""


def _not_legible(after: Sequence[Line], texts: Sequence[str]) -> str:
    """Which text, whose letters have kept their shape, is not read any more: engines read unusual
    letters differently in another colour or size.
    """
    for text in texts:
        if plain(text) and _likeness(after, text) < _STILL_THERE:
            return f"{text!r} can no longer be read in the edited picture"
    return ""


def _likeness(lines: Sequence[Line], text: str) -> float:
    """How much the line that is most like a text is like it, 0 to 100."""
    letters = plain(text)
    return max((fuzz.partial_ratio(letters, plain(line.text)) for line in lines), default=0.0)


def _near(lines: Sequence[Line], box: Box) -> list[Line]:
    """The lines in the rows of a box: a longer text may begin and end beside it."""
    _, top, _, bottom = box
    slack = 0.5 * (bottom - top)
    return [line for line in lines if top - slack < line.centre[1] < bottom + slack]


def _lost(others: Sequence[Line], after: Sequence[Line], *, covered: bool) -> str:
    """Which line that was not edited is gone. `covered`: look for it in the whole picture, since
    engines order lines anew around a text that has moved.
    """
    for line in others:
        if len(plain(line.text)) < _LEAST_LETTERS:
            continue
        near = after if covered else _near(after, line.box)
        if _likeness(near, line.text) < _STILL_THERE:
            return f"{line.text[:_SHOWN]!r} can no longer be read, and was not to be edited"
    return ""


def _turned(picture: Array, degrees: float) -> Array:
    """The picture turned counterclockwise about its centre, on a ground that holds all of it."""
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    cosine, sine = np.abs(matrix[0, :2])
    size = (int(height * sine + width * cosine), int(height * cosine + width * sine))
    matrix[:, 2] += (size[0] - width) / 2, (size[1] - height) / 2
    return np.asarray(cv2.warpAffine(picture, matrix, size, borderMode=cv2.BORDER_REPLICATE))
