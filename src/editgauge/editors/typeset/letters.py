"""Letters set anew: change a text, insert one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from editgauge.editors.typeset import faces
from editgauge.editors.typeset.acts import EDGE, CannotEdit, Done, Point, matched, named, report
from editgauge.editors.typeset.canvas import Canvas
from editgauge.editors.typeset.faces import Drawn, Style, ink_box, set_text, width_of
from editgauge.editors.typeset.find import Span
from editgauge.editors.typeset.ink import Ink
from editgauge.instructions import Colour, Parsed

_ENDLESS = 1e6


def change(canvas: Canvas, asked: Parsed) -> Done:
    if not asked.pairs:
        raise CannotEdit(asked.reason)
    matches = [(matched(canvas, source), target) for source, target in asked.pairs]
    done: list[Done] = []
    for match, text in matches:
        parts = split_text(text, [span.end - span.start for span in match.spans])
        style = None
        for span, part in zip(match.spans, parts, strict=True):
            line = canvas.lines[span.line].text
            style = _change_span(canvas, *trimmed(line, span, part), asked.colour) or style
        done.append(report(canvas, match) | {"to": text} | _told(style))
    return {"texts": done}


def _told(style: Style | None) -> Done:
    if style is None:
        return {}
    likeness = round(style.likeness, 3)
    return {"font": style.face.name, "size": round(style.size, 1), "likeness": likeness}


def split_text(text: str, lengths: Sequence[int]) -> list[str]:
    """`text` in as many parts as `lengths`, broken at blanks, each about as long as its share;
    parts may be empty.
    """
    words, parts, used, share = text.split(), [], 0.0, 0.0
    for length in lengths[:-1]:
        share += len(text) * length / max(1, sum(lengths))
        part: list[str] = []
        while words and used + len(words[0]) / 2 <= share:
            used += len(words[0]) + 1
            part.append(words.pop(0))
        parts.append(" ".join(part))
    return [*parts, " ".join(words)] if parts else [text]


def trimmed(line: str, span: Span, text: str) -> tuple[Span, str]:
    """Without the words that old and new text share at their ends: what stays is not touched."""
    start, end = span.start, span.end
    old, new = line[start:end].split(" "), text.split(" ")
    while len(old) > 1 and len(new) > 1 and old[0] == new[0]:
        start += len(old.pop(0)) + 1
        new.pop(0)
    while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
        end -= len(old.pop()) + 1
        new.pop()
    return Span(span.line, start, end), " ".join(new)


def _inked(canvas: Canvas, span: Span, text: str) -> tuple[Ink, Style]:
    """A span's line, and the style of its text among faces that have the letters of `text`."""
    if (ink := canvas.ink(span.line)) is None:
        seen = canvas.lines[span.line].text
        raise CannotEdit(f"{seen!r} was read, but its letters cannot be told from the ground")
    if (style := canvas.style(ink, text)) is None:
        raise _no_face(text)
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
    """Where a new line starts: it keeps the edge (or centre) that it shares with those around."""
    near, (left, _, right, _) = max(3.0, 0.25 * ink.line.height), ink.line.box
    others = [(o.box[0], o.box[2]) for o in canvas.lines if o is not ink.line]
    votes = {
        "center": sum(abs((x0 + x1) - (left + right)) / 2 < near for x0, x1 in others),
        "left": sum(abs(x0 - left) < near for x0, _ in others),
        "right": sum(abs(x1 - right) < near for _, x1 in others),
    }
    votes["center"] += abs((left + right - canvas.size[0]) / 2) < 2 * near
    best = max(votes, key=lambda name: votes[name])
    x = {"left": old[0], "right": old[1] - wide}.get(best, (old[0] + old[1] - wide) / 2)
    return min(max(x, room[0]), max(room[0], room[1] - wide))


def insert(canvas: Canvas, asked: Parsed) -> Done:
    if not asked.target:
        raise CannotEdit(asked.reason or "the instruction quotes no text that is to be added")
    if asked.anchor is not None:
        match = matched(canvas, asked.anchor)
    elif asked.place and asked.role and asked.role != "all":
        match = named(canvas, replace(asked, sources=()))[0]
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
    outer = span.start == 0 if place == "before" else span.end == len(line)
    ink, style = _inked(canvas, span, text + old)
    drawn, offset, wide = _drawn(style, text)
    gap = width_of(style, blank) if blank else 0.06 * style.size
    left, right = ink.between(ink.reach(span, style))
    low, high = _free(canvas, ink)
    x = left - gap - wide if place == "before" else right + gap
    if outer and low <= x and x + wide <= high:
        at = (x - offset, ink.pen(style)[1])
        canvas.set(drawn, ink.matrix, at, colour or ink.colour)
        return style
    both = f"{text}{blank}{old}" if place == "before" else f"{old}{blank}{text}"
    return _change_span(canvas, span, both, colour)


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
    style, lines = _house_style(canvas, text)
    edge = EDGE * min(width, height)
    corner = len(words) == 2 and "center" not in words
    rows = wrapped(text, style, max((0.45 if corner else 0.9) * width, 40.0))
    pitch = 1.3 * style.size
    tall = pitch * (len(rows) - 1)
    first = height - edge - tall if "bottom" in words else (height - tall + style.size) / 2
    first = edge + style.size if "top" in words else first
    for number, row in enumerate(rows):
        drawn, offset, wide = _drawn(style, row, width - 2 * edge)
        x = edge if "left" in words else width - edge - wide
        x = x if "left" in words or "right" in words else (width - wide) / 2
        y = first + number * pitch
        box = (x, y - style.size, x + wide, y)  # black or white where its own would not stand out
        seen = [ink for ink in (lines, (0, 0, 0)) if canvas.shows(ink, box)]
        colour = wanted or [*seen, (255, 255, 255)][0]
        canvas.set(drawn, np.eye(2, 3), (x - offset, y), colour)
    return {"inserted": text, "place": where, "rows": len(rows), **_told(style)}


def _house_style(canvas: Canvas, text: str) -> tuple[Style, Colour]:
    order = sorted(range(len(canvas.lines)), key=lambda n: canvas.lines[n].height)
    for number in order[len(order) // 2 :]:
        ink = canvas.ink(number)
        style = canvas.style(ink, text) if ink else None
        if ink and style and style.likeness > 0.4:
            size = max(10.0, min(style.size, 0.06 * canvas.size[1]))
            return replace(style, size=size), ink.colour
    able = [face for face in canvas.faces if faces.covers(face, text)]
    if not able:
        raise _no_face(text)
    return Style(able[0], max(12.0, 0.045 * canvas.size[1])), (0, 0, 0)


def wrapped(text: str, style: Style, room: float) -> list[str]:
    """`text` in rows that are not wider than `room` pixels, broken at blanks."""
    rows: list[str] = []
    for word in text.split():
        if rows and width_of(style, f"{rows[-1]} {word}") <= room:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    return rows or [text]
