"""Operations on the ink itself: delete, recolour, move, swap, resize, restyle, rotate."""

from __future__ import annotations

import re
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.editors.typeset import grounds, limits
from editgauge.editors.typeset.canvas import Canvas, Lifted, alignment, extent, pen_of, slant
from editgauge.editors.typeset.colours import Colour
from editgauge.editors.typeset.common import (
    EDGE,
    CannotEdit,
    Done,
    alone,
    found_text,
    lift,
    of_one_ink,
    report,
    restorable,
)
from editgauge.editors.typeset.faces import Setting
from editgauge.editors.typeset.find import Match, find, plain, reads_on
from editgauge.editors.typeset.glyphs import Alpha, stands_out
from editgauge.editors.typeset.request import Operation, Span, Target

Matrix = npt.NDArray[np.float64]


def delete(canvas: Canvas, operation: Operation) -> Done:
    done = []
    matches = [found_text(canvas, target) for target in operation.targets]
    gone = {span.line for match in matches for span in match.spans}
    for target, found in zip(operation.targets, matches, strict=True):
        described = bool(target.spans)  # a quoted text is deleted as quoted
        match = _with_brackets(canvas, _with_label(canvas, found) if described else found)
        _leaves_nothing_odd(canvas, match)
        _leaves_no_row_mate(canvas, match, gone)
        restorable(canvas, match)
        lift(canvas, match, target)
        done.append(report(canvas, match))
    return {"deleted": done}


_PAIRS = ("()", "[]", "{}", "«»", "“”", "‘’", "„“", '""', "''", "**")
_AMOUNT = re.compile(
    r"[\W_]*\d+(?:[.,/]\d+)?\s*(?:x|×|[a-z]{1,3}\.?|cups?|pcs)?[\W_]*", re.IGNORECASE
)
"""How much of something: ``80 g``."""
_LABEL = re.compile(r"(?:call|tel|phone|fax|mobile|e-?mail|mail|web)\W*|.*:\W*", re.IGNORECASE)
"""What announces a text and says nothing without it."""
_JOINED_ON = re.compile(r"[,;:&+/–—-]$|\b(?:and|or|of|the|to|with|for|at|in|on|by)$", re.IGNORECASE)
_JOINED_UP = re.compile(r"^(?:[,;:&+/–—-]|(?:and|or|of)\b)", re.IGNORECASE)
"""What goes on to a text after it, or from one before it."""
_VALUE = re.compile(r"[$€£¥+-]?\s?\d[\d.,:/ ]*\s?(?:[$€£¥%]|[a-z]{1,4}\.?)?", re.IGNORECASE)
"""A price, a number, a share: what a row tells of the text that it begins with."""


def _with_label(canvas: Canvas, match: Match) -> Match:
    """The match with what announces it in its line ("Tel. 555 0199") and says nothing without."""
    first = match.spans[0]
    before = canvas.lines[first.line].text[: first.start]
    if len(match.spans) > 1 or not before or not _LABEL.fullmatch(before.strip()):
        return match
    return Match((Span(first.line, 0, first.end),), match.similarity)


def _with_brackets(canvas: Canvas, match: Match) -> Match:
    """The match with the brackets or quotation marks that hold nothing else."""
    first, last = match.spans[0], match.spans[-1]
    before = canvas.lines[first.line].text[: first.start].rstrip()
    after = canvas.lines[last.line].text[last.end :]
    close = after.lstrip()
    if not before or not close or before[-1] + close[0] not in _PAIRS:
        return match
    spans = list(match.spans)
    spans[0] = Span(first.line, len(before) - 1, spans[0].end)
    end = last.end + len(after) - len(close) + 1
    spans[-1] = Span(last.line, spans[-1].start, end)
    return Match(tuple(spans), match.similarity)


def _leaves_nothing_odd(canvas: Canvas, match: Match) -> None:
    """Raises `CannotEdit` where what stays of a line makes no text: an amount without its thing, a
    label without its number, half of a pair of brackets, two halves with a gap.
    """
    _leaves_no_joint(canvas, match)
    for span in match.spans:
        text = canvas.lines[span.line].text
        before, after = text[: span.start].strip(), text[span.end :].strip()
        rest = f"{before} {after}".strip()
        if not rest:
            continue
        left = CannotEdit(f"of {text!r} only {rest!r} would be left")
        if not after and (_LABEL.fullmatch(rest) or _AMOUNT.fullmatch(rest)):
            raise left
        if not plain(rest) or (before and after):  # the gap would be seen
            raise left
        if _JOINED_ON.search(before) or _JOINED_UP.search(after):
            raise left
        if any(rest.count(pair[0]) != rest.count(pair[1]) for pair in _PAIRS[:4]):
            raise left


def _leaves_no_joint(canvas: Canvas, match: Match) -> None:
    """Raises `CannotEdit` where the line above would end with what goes on ("Challenges &"), or the
    line below begin with it.
    """
    first, last = match.spans[0], match.spans[-1]
    own = {span.line for span in match.spans}
    for number, line in enumerate(canvas.lines):
        if number in own:
            continue
        above, below = canvas.lines[first.line], canvas.lines[last.line]
        goes_on = first.start == 0 and reads_on(line, above) and _JOINED_ON.search(line.text)
        went_on = last.end == len(below.text) and reads_on(below, line)
        if goes_on or (went_on and _JOINED_UP.search(line.text)):
            raise CannotEdit(f"{line.text!r} would be left and goes on with it")


def _leaves_no_row_mate(canvas: Canvas, match: Match, gone: set[int]) -> None:
    """Raises `CannotEdit` where the price or the number of a row would stay, or its bullet, and
    what it belongs to goes: a row is one thing.
    """
    for span in match.spans:
        line = canvas.lines[span.line]
        if span.end - span.start < len(line.text) or _VALUE.fullmatch(line.text.strip()):
            continue
        for number, other in enumerate(canvas.lines):
            beside = abs(other.centre[1] - line.centre[1]) < 0.5 * min(line.height, other.height)
            of_it = number not in gone and beside and other.centre[0] > line.box[2]
            if of_it and _VALUE.fullmatch(other.text.strip()):
                raise CannotEdit(f"{other.text!r} beside {line.text!r} would be left")
        if _bullet(canvas, span.line):
            raise CannotEdit(f"the mark before {line.text!r} would be left")


def _bullet(canvas: Canvas, number: int) -> bool:
    """Whether a small mark, and nothing else, stands before a line: a bullet, a box, a dot."""
    line, inked = canvas.lines[number], canvas.inked(number)
    if inked is None or line.upended:
        return False
    high = line.height
    left, top, _, bottom = (round(value) for value in line.box)
    start = max(0, left - round(_BEFORE * high))
    place = canvas.original[max(0, top) : bottom, start : max(start, left - round(0.1 * high))]
    if place.shape[1] < 0.3 * high or not place.shape[0]:
        return False
    away = np.abs(place.astype(np.float64) - np.median(place, axis=(0, 1))).max(axis=2)
    marks = (away > _MARK).astype(np.uint8)
    count, _, stats, centres = cv2.connectedComponentsWithStats(marks, connectivity=8)
    sizes = stats[1:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1, initial=0)
    seen = [n for n, size in enumerate(sizes, 1) if size > 0.1 * high]
    if len(seen) != 1 or count - 1 > _FEW:
        return False
    wide, tall = stats[seen[0], [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]]
    middle = abs(centres[seen[0]][1] - place.shape[0] / 2) < 0.3 * high
    apart = stats[seen[0], cv2.CC_STAT_LEFT] > 0 and tall < 0.95 * place.shape[0]
    return bool(middle and apart and max(wide, tall) < 0.9 * high and wide < 2 * tall)


_BEFORE = 1.8
"""Of a line's height: how far before it a mark of it may stand."""
_MARK, _FEW = 32.0, 3
"""Levels of 255 by which a mark stands out from its ground, and how many spots a plain ground may
have beside it.
"""


def recolour(canvas: Canvas, operation: Operation) -> Done:
    colour = operation.colour or _ink_of(canvas, operation.anchor)
    done = []
    for target in operation.targets:
        match = found_text(canvas, target)
        lifted = lift(canvas, match, target)
        _solid(canvas, match)
        lifted.ink[:] = colour
        canvas.drop(lifted)
        done.append(report(canvas, match))
    return {"recoloured": done, "colour": list(colour)}


def _solid(canvas: Canvas, match: Match) -> None:
    """Raises `CannotEdit` where letters would be painted through: their outline was taken for their
    ink, and what it surrounds has another colour.
    """
    for span in match.spans:
        inked = canvas.inked(span.line)
        if inked is None:
            continue
        g = inked.glyphs
        if g.doubt >= grounds.SOMETHING:
            raise CannotEdit(f"something else stands at the letters of {inked.line.text!r}")
        inner = cv2.erode((g.alpha > 0.1).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        if int(inner.sum()) >= 40 and float((g.alpha[inner] < 0.75).mean()) > _THIN:
            raise CannotEdit(f"the letters of {inked.line.text!r} are of several colours")


_THIN = 0.2
"""The part of letters' inside that may be fainter than their ink."""


def _ink_of(canvas: Canvas, anchor: Target | None) -> Colour:
    """The colour of another text."""
    assert anchor is not None
    inked = canvas.inked(found_text(canvas, anchor).spans[0].line)
    if inked is None:
        raise CannotEdit(f"the colour of {anchor} cannot be told from its ground")
    solid = inked.glyphs.ink[inked.glyphs.alpha > 0.95]
    if len(solid) < 8:
        return inked.glyphs.colour
    red, green, blue = (int(c) for c in np.median(solid, axis=0))
    return red, green, blue


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
    restorable(canvas, match)
    lifted = lift(canvas, match, target)
    place = operation.place or ""
    if anchor is not None:
        dx, dy = _beside(lifted, anchor, place, height)
        if operation.centred and place in ("above", "below"):
            dx = canvas.size[0] / 2 - lifted.centre[0]
    elif place.startswith("go "):
        across = place in ("go left", "go right")
        told = operation.amount or (operation.share or 0.0) * canvas.size[0 if across else 1]
        step = told or _step(canvas, match, place[3:], operation.slight)
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


def _step(canvas: Canvas, match: Match, way: str, slight: bool) -> float:
    """How far a text moves that is told only a direction: its height, half of it for a little, but
    so far that it is seen, and never onto the next text. Raises `CannotEdit` where there is no
    room.
    """
    own = [canvas.lines[span.line] for span in match.spans]
    height = own[0].height
    axis, ahead = (1 if way in ("up", "down") else 0), way in ("down", "right")
    wanted = max(height * (0.5 if slight else 1.0), _SEEN_STEP * canvas.size[axis])
    boxes = np.array([line.box for line in own])
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    room = wanted
    for other in canvas.lines:
        if any(other is line for line in own):
            continue
        start, end = np.array(other.box[:2]), np.array(other.box[2:])
        if end[1 - axis] <= low[1 - axis] or start[1 - axis] >= high[1 - axis]:
            continue
        gap = start[axis] - high[axis] if ahead else low[axis] - end[axis]
        if gap > -0.5 * height:
            room = min(room, float(gap) - 0.1 * height)
    if room < 0.15 * height:
        raise CannotEdit("there is no room to move it that way")
    return room


_SEEN_STEP = 0.025
"""Of the picture: the least step that is seen to be one."""


def _kept_inside(canvas: Canvas, lifted: Lifted, dx: float, dy: float) -> tuple[float, float]:
    width, height = canvas.size
    dx = min(max(dx, -lifted.left), max(0.0, width - lifted.left - lifted.alpha.shape[1]))
    dy = min(max(dy, -lifted.top), max(0.0, height - lifted.top - lifted.alpha.shape[0]))
    return dx, dy


def _lifted_box(canvas: Canvas, target: Target) -> tuple[float, float, float, float]:
    """Left, top, right, bottom of a text that only serves as a measure: its ink need not be told
    from the ground.
    """
    match = next(iter(find(canvas.lines, target)), None) or found_text(canvas, target)
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
    aside = _margin(canvas, lifted)
    high, wide = lifted.alpha.shape
    cx, cy = lifted.centre
    words = place.split()
    x, y = lifted.left, lifted.top
    if "left" in words and cx > width / 3:
        x = aside
    elif "right" in words and cx < width * 2 / 3:
        x = width - aside - wide
    elif "center" in words and "down" not in words:
        x = (width - wide) / 2
    if "top" in words and cy > height / 8:
        y = edge
    elif "bottom" in words and cy < height * 7 / 8:
        y = height - edge - high
    elif words in (["center"], ["center", "down"]):
        y = (height - high) / 2
    return x - lifted.left, y - lifted.top


_WIDEST_MARGIN = 0.15
"""Of the picture's width: a text further in stands there for another reason than the margin."""


def _margin(canvas: Canvas, lifted: Lifted) -> float:
    """How far from a side of the picture its texts keep: as the text itself did, or the nearest of
    the others.
    """
    width = canvas.size[0]
    least, most = EDGE * min(canvas.size), _WIDEST_MARGIN * width
    own = float(min(lifted.left, width - lifted.left - lifted.alpha.shape[1]))
    if least <= own <= most:
        return own
    sides = [min(line.box[0], width - line.box[2]) for line in canvas.lines]
    others = [side for side in sides if least <= side <= most]
    return min(others, default=least)


_TILTED = 2.0
"""Degrees between two texts from which one cannot stand in the other's place."""


def swap(canvas: Canvas, operation: Operation) -> Done:
    first, second = operation.targets
    matches = found_text(canvas, first), found_text(canvas, second)
    for match in matches:
        restorable(canvas, match)
    slants = [slant(canvas.lines[match.spans[0].line]) for match in matches]
    if abs(slants[0] - slants[1]) > _TILTED:
        raise CannotEdit("the two texts do not run in the same direction")
    above = [_above_baseline(canvas, match) for match in matches]
    a, b = lift(canvas, matches[0], first), lift(canvas, matches[1], second)
    level = max(abs(angle) for angle in slants) < _LEVEL
    goals = _goals(a, b, above, level=level)
    own, other = _typical(a), _typical(b)
    places = [_landing(canvas, a, goals[1]), _landing(canvas, b, goals[0])]
    seen = [
        colour is None or stands_out(colour, canvas.pixels, box)
        for colour, (_, box) in zip((own, other), places, strict=True)
    ]
    if not all(seen) and own is not None and other is not None:  # each place keeps its own ink
        a.ink[:], b.ink[:] = other, own
    for lifted, (shift, _) in zip((a, b), places, strict=True):
        canvas.drop(lifted, _shifted(lifted, *shift))
    return {"swapped": [report(canvas, match) for match in matches]}


def _landing(
    canvas: Canvas, lifted: Lifted, goal: tuple[float, float]
) -> tuple[tuple[float, float], list[int]]:
    """The shift that brings ink with its centre to `goal`, inside the picture, and its box
    there.
    """
    dx, dy = _kept_inside(canvas, lifted, goal[0] - lifted.centre[0], goal[1] - lifted.centre[1])
    left, top = round(lifted.left + dx), round(lifted.top + dy)
    return (dx, dy), [left, top, left + lifted.alpha.shape[1], top + lifted.alpha.shape[0]]


def _goals(
    a: Lifted, b: Lifted, above: Sequence[float], *, level: bool
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The centre of the place that each of two texts leaves to the other (first: a's, for b).

    Texts that begin or end at the same x keep that edge; texts of about one size stand on each
    other's baseline; else centre comes to centre.
    """
    (high_a, wide_a), (high_b, wide_b) = a.alpha.shape, b.alpha.shape
    size = min(high_a, high_b)
    (ax, ay), (bx, by) = a.centre, b.centre
    for_b, for_a = [ax, ay], [bx, by]
    right_a, right_b = a.left + wide_a, b.left + wide_b
    at_left, at_right = abs(a.left - b.left), abs(right_a - right_b)
    if at_left < min(0.3 * size, at_right, abs(ax - bx)):
        for_b[0], for_a[0] = a.left + wide_b / 2, b.left + wide_a / 2
    elif at_right < min(0.3 * size, abs(ax - bx)):
        for_b[0], for_a[0] = right_a - wide_b / 2, right_b - wide_a / 2
    if size > 0.6 * max(high_a, high_b):
        if level and abs(ay - by) < _ONE_ROW * size:  # each keeps its height in their row
            for_b[1], for_a[1] = by, ay
        else:
            base_a, base_b = a.top + above[0], b.top + above[1]
            for_b[1], for_a[1] = base_a - above[1] + high_b / 2, base_b - above[0] + high_a / 2
    return (for_b[0], for_b[1]), (for_a[0], for_a[1])


_ONE_ROW = 0.4
"""Of the smaller text: how far apart the middles of two texts of one row may be."""
_LEVEL = 0.5
"""Degrees up to which a text runs level."""


def _above_baseline(canvas: Canvas, match: Match) -> float:
    """How much of a text's ink lies above its baseline, in pixels: as its letters do in the face
    that is like it; by the usual proportions (ascender 0.73, x-height 0.53, descender 0.21 of the
    em) where none is.
    """
    inked = canvas.inked(match.spans[-1].line)
    if inked is None:
        return 0.0
    span = match.spans[-1]
    text = inked.line.text[span.start : span.end]
    top, bottom = float(inked.box[1]), float(inked.box[3])
    if not any(letter in "gjpqyQ,;()[]$@" for letter in text):
        return bottom - top
    style = canvas.style(inked, "") if inked.frame.level else None
    if style is not None and len(match.spans) == 1:
        return float(pen_of(inked, style)[1]) - top
    tall = any(letter.isupper() or letter.isdigit() or letter in "bdfhijklt()" for letter in text)
    body = 0.73 if tall else 0.53
    return (bottom - top) * body / (body + 0.21)


def _typical(lifted: Lifted) -> tuple[int, int, int] | None:
    solid = lifted.ink[lifted.alpha > 0.8]
    if not len(solid):
        return None
    red, green, blue = (int(c) for c in np.median(solid, axis=0))
    return red, green, blue


def resize(canvas: Canvas, operation: Operation) -> Done:
    done = []
    matches = [found_text(canvas, target) for target in operation.targets]
    common = "center" if operation.centred else _side_shared(canvas, matches)
    for target, match in zip(operation.targets, matches, strict=True):
        parts = [Match((span,), 1.0) for span in match.spans] if target.role == "all" else [match]
        for part in parts:
            alone(canvas, part)
            restorable(canvas, part)
            align = common or _side_kept(canvas, part)
            lifted = canvas.lift(part)
            if lifted is not None:
                _drop_resized(canvas, lifted, operation, align)
        done.append(report(canvas, match))
    return {"resized": done}


def _side_shared(canvas: Canvas, matches: Sequence[Match]) -> str:
    """The side at which three texts or more, each a line of its own, stand one below the other, on
    a slanted sheet too; empty where they do not.
    """
    lines = [canvas.lines[match.spans[0].line] for match in matches if len(match.spans) == 1]
    if len(lines) < max(3, len(matches)) or any(
        match.spans[0].end - match.spans[0].start < len(line.text)
        for match, line in zip(matches, lines, strict=True)
    ):
        return ""
    height = min(line.height for line in lines)
    down = np.array([line.centre[1] for line in lines])
    if np.diff(np.sort(down)).min() < 0.5 * height:
        return ""  # two of them stand in one row
    off = {}
    for side, across in (("left", 0), ("center", None), ("right", 2)):
        ends = np.array([line.centre[0] if across is None else line.box[across] for line in lines])
        straight = np.polyval(np.polyfit(down, ends, 1), down)
        off[side] = float(np.abs(ends - straight).max())
    best = min(off, key=lambda side: off[side])
    return best if off[best] < 0.25 * height else ""


def _side_kept(canvas: Canvas, match: Match) -> str:
    """The side that a text shares with others, where its lines are whole; of several lines, the one
    that they share with each other.
    """
    lines = [canvas.lines[span.line] for span in match.spans]
    whole = all(
        span.end - span.start == len(line.text)
        for span, line in zip(match.spans, lines, strict=True)
    )
    if not whole or any(line.upended for line in lines):
        return "center"
    if len(lines) == 1:
        return alignment(canvas, lines[0])
    boxes = np.array([line.box for line in lines])
    off = {
        "left": float(np.ptp(boxes[:, 0])),
        "center": float(np.ptp(boxes[:, 0] + boxes[:, 2])) / 2,
        "right": float(np.ptp(boxes[:, 2])),
    }
    side = min(off, key=lambda name: off[name])
    others = {alignment(canvas, line) for line in lines}
    return others.pop() if len(others) == 1 else side


def _drop_resized(canvas: Canvas, lifted: Lifted, operation: Operation, align: str) -> None:
    """`align`: the side that stays where it is, ``left``, ``right`` or ``center``."""
    high, wide = lifted.alpha.shape
    factor = operation.amount or 1.0
    if operation.anchor is not None:
        left, right = _ends_of_ink(canvas, operation.anchor)
        factor = (right - left) / wide
    width, height = canvas.size
    factor = min(factor, 0.98 * width / wide, 0.98 * height / high)
    cx, cy = lifted.centre
    cx += {"left": 1, "right": -1}.get(align, 0) * (factor - 1) * wide / 2
    half = factor * wide / 2, factor * high / 2
    to = min(max(cx, half[0]), width - half[0]), min(max(cy, half[1]), height - half[1])
    was = _to_border(canvas, lifted.centre, (wide / 2, high / 2))
    if factor > 1.0 and _to_border(canvas, to, half) < min(was, 0.5 * EDGE * min(width, height)):
        raise CannotEdit("it would reach the picture's edge")
    if factor <= 1.0:
        canvas.drop(lifted, _about_centre(lifted, np.eye(2) * factor, to))
        return
    larger = _enlarged(_unmixed(canvas, lifted), factor)
    canvas.drop(larger, _about_centre(larger, np.eye(2), to))


def _to_border(canvas: Canvas, centre: tuple[float, float], half: tuple[float, float]) -> float:
    """How far a box, told by its centre and half its size, keeps from the picture's border."""
    return min(
        min(c - h, size - c - h) for c, h, size in zip(centre, half, canvas.size, strict=True)
    )


def _ends_of_ink(canvas: Canvas, target: Target) -> tuple[float, float]:
    """From where to where a text's ink runs in the picture; an engine's box is some pixels
    wider.
    """
    match = next(iter(find(canvas.lines, target)), None) or found_text(canvas, target)
    ends: list[float] = []
    for span in match.spans:
        inked = canvas.inked(span.line)
        line = canvas.lines[span.line]
        whole = span.end - span.start == len(line.text)
        if inked is None or not whole:
            left, _, right, _ = _lifted_box(canvas, target)
            return left, right
        columns = np.nonzero((inked.glyphs.alpha > 0.5).any(axis=0))[0] + inked.glyphs.left
        ends += [float(columns.min()), float(columns.max()) + 1.0]
    return min(ends), max(ends)


def _unmixed(canvas: Canvas, lifted: Lifted) -> Lifted:
    """Ink of one colour as that colour and how much of it lies on each pixel: small letters have
    hardly a pixel that is ink alone, and enlarged they would be as pale. Ink of several colours as
    it is.
    """
    high, wide = lifted.alpha.shape
    at = (
        slice(int(lifted.top), int(lifted.top) + high),
        slice(int(lifted.left), int(lifted.left) + wide),
    )
    seen, ground = (a[at].astype(np.float64) for a in (canvas.original, canvas.pixels))
    if seen.shape[:2] != lifted.alpha.shape:
        return lifted
    core = lifted.alpha > 0.5
    away = np.abs(seen - ground).sum(axis=2)
    depth = cv2.distanceTransform(core.astype(np.uint8), cv2.DIST_L2, 3)
    if int(core.sum()) < _CORE or float((depth[core] > _DEEP).mean()) > _SOLID:
        return lifted  # enough of it is ink alone
    purest = core & (away >= np.percentile(away[core], _PUREST))
    pure = np.median(seen[purest], axis=0)
    axis = pure - ground
    share = ((seen - ground) * axis).sum(axis=2) / np.maximum((axis**2).sum(axis=2), 60.0)
    off = np.abs(seen - ground - np.clip(share, 0, 1.1)[..., None] * axis).max(axis=2)
    if float(np.percentile(off[core], 90)) > limits.GROUND:
        return lifted
    alpha = np.where(lifted.alpha > 0.02, np.clip(share, 0.0, 1.0), 0.0).astype(np.float32)
    ink = np.empty_like(lifted.ink)
    ink[:] = np.round(pure).astype(np.uint8)
    return Lifted(alpha, ink, lifted.left, lifted.top)


_DEEP, _SOLID = 1.5, 0.25
"""Pixels from the edge of a stroke at which its ink is alone, and the part of it that has to be."""
_CORE, _PUREST = 24, 75
"""Pixels of ink from which its colour is told, and the percentile of those farthest from the ground
that are taken for ink alone.
"""


def _enlarged(lifted: Lifted, factor: float) -> Lifted:
    """The ink at a larger scale, its edges about as steep as they were."""
    pad = 2
    alpha = np.pad(lifted.alpha, pad)
    ink = np.pad(lifted.ink, ((pad, pad), (pad, pad), (0, 0)), mode="edge")
    size = (round(alpha.shape[1] * factor), round(alpha.shape[0] * factor))
    larger = cv2.resize(alpha, size, interpolation=cv2.INTER_CUBIC)
    steeper = 1.0 + 0.5 * (min(factor, 3.0) - 1.0)
    larger = np.clip((larger - 0.5) * steeper + 0.5, 0.0, 1.0).astype(np.float32)
    colours = np.asarray(cv2.resize(ink, size, interpolation=cv2.INTER_LINEAR), np.uint8)
    return Lifted(larger, colours, lifted.left, lifted.top)


_LEAN = 0.21
"""Of an oblique face, as the tangent of its angle: 12 degrees."""
_STEEPER = 3.0
"""How much steeper edges are made before strokes are widened."""
_LEAST_BOLD = 24.0
"""The height in pixels of a line whose strokes can be made heavier."""
_HEAVIER = 0.02
"""What a bold face adds to each side of a stroke, of the line's height."""


def restyle(canvas: Canvas, operation: Operation) -> Done:
    """Bold, italic, underlined or struck through, made of the text's own ink."""
    done = []
    for target in operation.targets:
        match = found_text(canvas, target)
        for span in match.spans:
            if operation.manner in ("underlined", "struck"):
                _ruled(canvas, span, operation.manner == "struck")
                continue
            if operation.manner == "bold":
                if canvas.lines[span.line].height < _LEAST_BOLD:
                    raise CannotEdit("letters as small as these would smear when made bold")
                of_one_ink(canvas, Match((span,), 1.0))
            lifted = canvas.lift(Match((span,), 1.0))
            if lifted is None:
                continue
            if operation.manner == "italic":
                canvas.drop(lifted, _about_centre(lifted, np.array([[1.0, -_LEAN], [0.0, 1.0]])))
            else:
                canvas.drop(_bolder(lifted, _HEAVIER * canvas.lines[span.line].height))
        done.append(report(canvas, match))
    return {"restyled": done, "manner": operation.manner}


def _bolder(lifted: Lifted, more: float) -> Lifted:
    """The ink with `more` pixels on each side of its strokes."""
    fine, pad = 4, int(np.ceil(more)) + 1
    alpha = np.pad(lifted.alpha, pad)
    large = cv2.resize(alpha, None, fx=fine, fy=fine, interpolation=cv2.INTER_LINEAR)
    large = np.clip((large - 0.5) * _STEEPER + 0.5, 0.0, 1.0)  # soft edges would become a haze
    reach = 2 * max(1, round(more * fine)) + 1
    large = cv2.dilate(large, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
    heavy = cv2.resize(large, alpha.shape[::-1], interpolation=cv2.INTER_AREA)
    if _parts(heavy) != _parts(alpha):
        raise CannotEdit("letters made bold would grow together")
    ink = np.pad(lifted.ink, ((pad, pad), (pad, pad), (0, 0)), mode="edge")
    ink[:] = (
        np.median(lifted.ink[lifted.alpha > 0.8], axis=0) if (lifted.alpha > 0.8).any() else ink
    )
    return Lifted(heavy.astype(np.float32), ink, lifted.left - pad, lifted.top - pad)


def _parts(alpha: Alpha) -> tuple[int, int]:
    """How many strokes there are apart from each other, and how many gaps in and around them,
    without specks.
    """
    counts = []
    for mask in (alpha > 0.5, alpha <= 0.5):
        _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
        counts.append(int((stats[1:, cv2.CC_STAT_AREA] >= _SPECK).sum()))
    return counts[0], counts[1]


_SPECK = 6
"""Pixels of a stroke, or of a gap, at least."""


def _ruled(canvas: Canvas, span: Span, through: bool) -> None:
    """Draw a line below the baseline of a span, or through the middle of its small letters."""
    inked = canvas.inked(span.line)
    style = canvas.style(inked, "") if inked is not None else None
    if inked is None or style is None:
        raise CannotEdit("its letters cannot be told from the ground")
    baseline = pen_of(inked, style)[1]
    left, right = extent(inked, style, span)
    columns = np.nonzero((inked.upright[:, int(left) : int(np.ceil(right))] > 0.4).any(axis=0))[0]
    if not len(columns):
        raise CannotEdit("its letters cannot be told from the ground")
    thick = max(1, round(0.06 * style.size))
    rule = np.ones((thick, int(columns.max() - columns.min()) + 1), np.float32)
    y = baseline + (-0.27 * style.size if through else 0.12 * style.size)
    place = (int(left) + float(columns.min()), y)
    canvas.set(Setting(rule, 0.0, 0.0), inked.frame, place, inked.glyphs.colour)


def rotate(canvas: Canvas, operation: Operation) -> Done:
    done = []
    radians = np.radians(
        -(operation.amount or 0.0)
    )  # rows run down: counterclockwise is negative there
    turn = np.array([[np.cos(radians), -np.sin(radians)], [np.sin(radians), np.cos(radians)]])
    for target in operation.targets:
        match = found_text(canvas, target)
        restorable(canvas, match)
        lifted = lift(canvas, match, target)
        reach = np.abs(turn) @ (lifted.alpha.shape[1] / 2, lifted.alpha.shape[0] / 2)
        to = [
            min(max(c, r), max(r, s - r))
            for c, r, s in zip(lifted.centre, reach, canvas.size, strict=True)
        ]
        canvas.drop(lifted, _about_centre(lifted, turn, (to[0], to[1])))
        done.append(report(canvas, match))
    return {"rotated": done, "degrees": operation.amount}
