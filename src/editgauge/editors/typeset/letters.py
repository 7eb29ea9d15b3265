"""Letters set anew: change a text, insert one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from editgauge.editors.typeset import faces
from editgauge.editors.typeset.acts import (
    EDGE,
    CannotEdit,
    Done,
    Point,
    matched,
    named,
    report,
    texts_of,
)
from editgauge.editors.typeset.canvas import Canvas
from editgauge.editors.typeset.faces import Drawn, Style, ink_box, set_text, width_of
from editgauge.editors.typeset.find import Span
from editgauge.editors.typeset.ink import Ink
from editgauge.instructions import Colour, Parsed

_ENDLESS = 1e6
LEAST_LIKENESS = 0.4
"""Below this likeness of a line's letters to those of the best face, either the face is another or
the letters were not told from the ground: no text is set in such a style.
"""


def change(canvas: Canvas, asked: Parsed) -> Done:
    if not asked.pairs:
        raise CannotEdit(asked.reason)
    matches = [
        (matched(canvas, source, asked.where), _in_case(canvas, source, target))
        for source, target in asked.pairs
    ]
    done: list[Done] = []
    for match, text in matches:
        words = np.array_split(np.array(text.split(), object), len(match.spans))
        parts = [" ".join(part) for part in words] if match.spans[1:] else [text]
        styles = [
            _change_span(canvas, span, part, asked.colour)
            for span, part in zip(match.spans, parts, strict=True)
        ]
        done.append(report(canvas, match) | {"to": text} | _told(styles[0]))
    return {"texts": done}


def _in_case(canvas: Canvas, source: str, target: str) -> str:
    """The new text in capitals, where the picture has the old one in capitals and the instruction
    does not write it so.
    """
    found = texts_of(canvas, matched(canvas, source))
    is_capital = all(text.isupper() for text in found)
    return target.upper() if is_capital and not source.isupper() else target


def _told(style: Style | None) -> Done:
    if style is None:
        return {}
    likeness = round(style.likeness, 3)
    return {"font": style.face.name, "size": round(style.size, 1), "likeness": likeness}


def _inked(canvas: Canvas, span: Span, text: str) -> tuple[Ink, Style]:
    """A span's line, and the style of its text among faces that have the letters of `text`."""
    if (ink := canvas.ink(span.line)) is None:
        seen = canvas.lines[span.line].text
        raise CannotEdit(f"{seen!r} was read, but its letters cannot be told from the ground")
    if (style := canvas.style(ink, text)) is None:
        raise _no_face(text)
    if style.likeness < LEAST_LIKENESS:
        raise CannotEdit(f"no installed font looks like the letters of {ink.line.text!r}")
    return ink, style


def _no_face(text: str) -> CannotEdit:
    return CannotEdit(
        f"no installed font has the letters of {text!r}; name a folder with one (fonts)"
    )


def _drawn(style: Style, text: str, room: float = _ENDLESS) -> tuple[Drawn, float, float]:
    """`text` as it is drawn in a style, narrowed to the `room`; its ink's left edge and width."""
    drawn = set_text(style, text)
    if drawn is None or (box := ink_box(drawn.alpha)) is None:
        raise CannotEdit(f"{text!r} has no visible letters at this size")
    wide = float(box[2] - box[0])
    if wide > room + 1:  # a pixel is what rounding takes
        return _drawn(replace(style, stretch=style.stretch * max(room, 4.0) / wide), text)
    return drawn, drawn.left + box[0], wide


def _change_span(canvas: Canvas, span: Span, text: str, colour: Colour | None) -> Style | None:
    """Set `text` in a span's place; what follows it in its line moves as far as there is room."""
    ink, style = _inked(canvas, span, text)
    reach = ink.reach(span, style)
    left, right = ink.between(reach)
    baseline = ink.pen(canvas.style(ink) or style)[1]
    canvas.erase(ink, reach)
    if not text.strip():
        return None
    low, high = _free(canvas, ink)
    wide, tail = _drawn(style, text)[2], span.end < len(ink.line.text)
    shift = min(wide - (right - left), max(0.0, high - ink.box[2])) if tail else 0.0
    shift = shift if abs(shift) > 0.12 * style.size else 0.0
    room = right - left + max(shift, 0.0) if tail else high - (left if span.start else low)
    drawn, offset, wide = _drawn(style, text, room)
    x = left
    if ink.is_whole(span):
        x = _aligned(canvas, ink, (left, right), wide, (low, high))
    if shift:
        follows = canvas.cut(ink, (reach[1], _ENDLESS))
        if follows is not None:
            dx, dy = ink.matrix[:, 0] * shift
            canvas.drop(follows, (follows.centre[0] + dx, follows.centre[1] + dy))
    canvas.set(drawn, ink.matrix, (x - offset, baseline), colour or ink.colour)
    return style


def _free(canvas: Canvas, ink: Ink) -> Point:
    """How far the line may reach to both sides, in x of its rectangle; a slanted one by a third."""
    left, top, right, bottom = ink.box
    if not ink.level:
        spare = 0.3 * (right - left)
        return left - spare, right + spare
    ox, oy = (float(v) for v in ink.matrix[:, 2])
    low, high = 2.0 - ox, canvas.size[0] - 2.0 - ox
    gap, middle = 0.25 * max(8.0, ink.line.height), (left + right) / 2
    for other in canvas.lines:
        x0, y0, x1, y1 = np.asarray(other.box) - (ox, oy, ox, oy)
        if other is ink.line or y1 <= top or y0 >= bottom:
            continue
        if x0 >= middle:
            high = min(high, x0 - gap)
        elif x1 <= middle:
            low = max(low, x1 + gap)
    return min(low, float(left)), max(high, float(right))


def _aligned(canvas: Canvas, ink: Ink, old: Point, wide: float, room: Point) -> float:
    """Where a new line starts: at the edge that others begin or end at too, or about its centre."""
    near = max(3.0, 0.25 * ink.line.height)
    boxes = np.array([line.box for line in canvas.lines])
    begin_alike = (np.abs(boxes[:, 0] - ink.line.box[0]) < near).sum() > 1  # itself is one
    end_alike = (np.abs(boxes[:, 2] - ink.line.box[2]) < near).sum() > 1
    x = (old[0] + old[1] - wide) / 2
    if begin_alike:
        x = old[0]
    elif end_alike:
        x = old[1] - wide
    return min(max(x, room[0]), max(room[0], room[1] - wide))


def insert(canvas: Canvas, asked: Parsed) -> Done:
    if not asked.target:
        raise CannotEdit(asked.reason or "the instruction quotes no text that is to be added")
    if asked.anchor is not None:
        match = matched(canvas, asked.anchor)
    elif asked.place and asked.role and asked.role != "all":
        match = named(canvas, replace(asked, sources=()))[0]
    elif asked.where is None and asked.reason:
        raise CannotEdit(asked.reason)
    else:
        return _insert_at(canvas, asked.target, asked.colour, asked.where or "bottom")
    place = asked.place if asked.place in ("before", "above", "below") else "after"
    span = match.spans[0] if place in ("before", "above") else match.spans[-1]
    beside = _insert_in_row if place in ("before", "after") else _insert_row
    style = beside(canvas, span, asked.target, asked.colour, place)
    return {"inserted": asked.target, "place": place, "at": report(canvas, match), **_told(style)}


def _insert_in_row(
    canvas: Canvas, span: Span, text: str, colour: Colour | None, place: str
) -> Style | None:
    """Before or after a text: in the room beside its line, or the line is set anew with it."""
    line = canvas.lines[span.line].text
    old = line[span.start : span.end]
    blank = "" if max(text[:1] + old[:1]) > "⺀" else " "  # Chinese and Japanese set none
    ink, style = _inked(canvas, span, text + old)
    drawn, offset, wide = _drawn(style, text)
    gap = width_of(style, blank) if blank else 0.06 * style.size
    left, right = ink.between(ink.reach(span, style))
    low, high = _free(canvas, ink)
    before = place == "before"
    x = left - gap - wide if before else right + gap
    outer = span.start == 0 if before else span.end == len(line)
    if outer and low <= x and x + wide <= high:
        canvas.set(drawn, ink.matrix, (x - offset, ink.pen(style)[1]), colour or ink.colour)
        return style
    return _change_span(canvas, span, blank.join((text, old) if before else (old, text)), colour)


def _insert_row(
    canvas: Canvas, span: Span, text: str, colour: Colour | None, place: str
) -> Style | None:
    """Above or below a line, aligned as it is."""
    ink, style = _inked(canvas, span, text)
    low = 2 - float(ink.matrix[0, 2])
    room = (low, low + canvas.size[0] - 4) if ink.level else (-_ENDLESS, _ENDLESS)
    drawn, offset, wide = _drawn(style, text, room[1] - room[0])
    x = _aligned(canvas, ink, (ink.box[0], ink.box[2]), wide, room)
    baseline = ink.pen(style)[1] + 1.25 * style.size * (1 if place == "below" else -1)
    canvas.set(drawn, ink.matrix, (x - offset, baseline), colour or ink.colour)
    return style


def _insert_at(canvas: Canvas, text: str, wanted: Colour | None, where: str) -> Done:
    """Into a corner or along a side, in the style of the picture's lines of middling size."""
    words, (width, height) = where.split(), canvas.size
    style, colour = _house_style(canvas, text)
    edge = EDGE * min(width, height)
    drawn, offset, wide = _drawn(style, text, width - 2 * edge)
    x = {"left": edge, "right": width - edge - wide}.get(words[-1], (width - wide) / 2)
    middle = (height + style.size) / 2
    y = {"top": edge + style.size, "bottom": height - edge}.get(words[0], middle)
    box = (x, y - style.size, x + wide, y)  # black or white where its own would not stand out
    seen = [ink for ink in (colour, (0, 0, 0)) if canvas.shows(ink, box)]
    canvas.set(drawn, np.eye(2, 3), (x - offset, y), wanted or [*seen, (255, 255, 255)][0])
    return {"inserted": text, "place": where, **_told(style)}


def _house_style(canvas: Canvas, text: str) -> tuple[Style, Colour]:
    order = sorted(range(len(canvas.lines)), key=lambda n: canvas.lines[n].height)
    for number in order[len(order) // 2 :]:
        ink = canvas.ink(number)
        style = canvas.style(ink, text) if ink else None
        if ink and style and style.likeness >= LEAST_LIKENESS:
            size = max(10.0, min(style.size, 0.06 * canvas.size[1]))
            return replace(style, size=size), ink.colour
    able = next((face for face in canvas.faces if faces.covers(face, text)), None)
    if able is None:
        raise _no_face(text)
    return Style(able, max(12.0, 0.045 * canvas.size[1])), (0, 0, 0)
