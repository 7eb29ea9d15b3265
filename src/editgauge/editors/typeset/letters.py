"""Letters set anew: change a text, insert one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from editgauge.editors.typeset import faces
from editgauge.editors.typeset.acts import EDGE, CannotEdit, Done, Point, matched, named, report
from editgauge.editors.typeset.canvas import Canvas, Frame, Inked, Lifted, median_colour
from editgauge.editors.typeset.faces import Drawn, Style, ink_box, set_text, width_of
from editgauge.editors.typeset.find import Span, plain
from editgauge.images import Mask
from editgauge.instructions import Colour, Parsed

_ENDLESS = 1e6


def change(canvas: Canvas, asked: Parsed) -> Done:
    if not asked.pairs:
        raise CannotEdit(asked.reason)
    matches = [(matched(canvas, source), source, target) for source, target in asked.pairs]
    done: list[Done] = []
    for match, source, target in matches:
        lines = [(canvas.lines[span.line].text, span) for span in match.spans]
        text = in_the_case_of(target, source, " ".join(t[s.start : s.end] for t, s in lines))
        parts = split_text(text, [span.end - span.start for span in match.spans])
        style = None
        for (line, span), part in zip(lines, parts, strict=True):
            style = _change_span(canvas, *trimmed(line, span, part), asked.colour) or style
        done.append(report(canvas, match) | {"to": text} | _told(style))
    return {"texts": done}


def _told(style: Style | None) -> Done:
    if style is None:
        return {}
    likeness = round(style.likeness, 3)
    return {"font": style.face.name, "size": round(style.size, 1), "likeness": likeness}


def in_the_case_of(text: str, written: str, seen: str) -> str:
    """`text` in capitals where the picture's text is so and the instruction wrote it otherwise."""
    same = plain(written) == plain(seen) and len(plain(seen)) > 1
    return text.upper() if same and seen.isupper() and not written.isupper() else text


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


def _inked(canvas: Canvas, span: Span, text: str) -> tuple[Inked, Style]:
    """A span's line, and the style of its text among faces that have the letters of `text`."""
    if (inked := canvas.inked(span.line)) is None:
        seen = canvas.lines[span.line].text
        raise CannotEdit(f"{seen!r} was read, but its letters cannot be told from the ground")
    if (style := canvas.style(inked, text)) is None:
        raise _no_face(text)
    return inked, style


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
    inked, style = _inked(canvas, span, text)
    reach = inked.reach(span, style)
    portion = inked.portion(reach)
    left, right = inked.between(reach)
    baseline = inked.pen(canvas.style(inked) or style)[1]
    colour = colour or _colour_in(inked, portion)
    canvas.erase(inked, portion)
    if not text.strip():
        return None
    low, high = _free(canvas, inked)
    _, _, wide = _drawn(style, text)
    tail = span.end < len(inked.line.text)
    shift = min(wide - (right - left), max(0.0, high - inked.box[2])) if tail else 0.0
    shift = shift if abs(shift) > 0.12 * style.size else 0.0
    room = right - left + max(shift, 0.0) if tail else high - (left if span.start else low)
    drawn, offset, wide = _drawn(style, text, room)
    x = left
    if inked.is_whole(span):
        x = _aligned(canvas, inked, (left, right), wide, (low, high))
    if shift:
        _shift_tail(canvas, inked, reach[1], shift)
    canvas.set(drawn, inked.frame, (x - offset, baseline), colour)
    return style


def _colour_in(inked: Inked, portion: Mask) -> Colour:
    solid = portion & (inked.glyphs.alpha > 0.95)
    few = solid.sum() < 8
    return inked.glyphs.colour if few else median_colour(inked.glyphs.paint[solid])


def _free(canvas: Canvas, inked: Inked) -> Point:
    """How far the line may reach to both sides, in x of its frame; a slanted one by a third."""
    left, top, right, bottom = inked.box
    if not inked.frame.level:
        spare = 0.3 * (right - left)
        return left - spare, right + spare
    ox, oy = (float(v) for v in inked.frame.matrix[:, 2])
    low, high = 2.0 - ox, canvas.size[0] - 2.0 - ox
    gap, middle = 0.25 * max(8.0, inked.line.height), (left + right) / 2
    for other in canvas.lines:
        x0, y0, x1, y1 = np.asarray(other.box) - (ox, oy, ox, oy)
        if other is inked.line or y1 <= top or y0 >= bottom:
            continue
        if x0 >= middle:
            high = min(high, x0 - gap)
        elif x1 <= middle:
            low = max(low, x1 + gap)
    return min(low, float(left)), max(high, float(right))


def _aligned(canvas: Canvas, inked: Inked, old: Point, wide: float, room: Point) -> float:
    """Where a new line starts: it keeps the edge (or centre) that it shares with those around."""
    near = max(3.0, 0.25 * inked.line.height)
    left, _, right, _ = inked.line.box
    votes = {"center": int(abs((left + right - canvas.size[0]) / 2) < 2 * near), "left": 0}
    votes["right"] = 0
    for x0, _, x1, _ in (other.box for other in canvas.lines if other is not inked.line):
        votes["left"] += abs(x0 - left) < near
        votes["right"] += abs(x1 - right) < near
        votes["center"] += abs((x0 + x1) - (left + right)) / 2 < near
    best = max(votes, key=lambda name: votes[name])
    x = {"left": old[0], "right": old[1] - wide}.get(best, (old[0] + old[1] - wide) / 2)
    return min(max(x, room[0]), max(room[0], room[1] - wide))


def _shift_tail(canvas: Canvas, inked: Inked, start: float, shift: float) -> None:
    portion, g = inked.portion((start, 9999)), inked.glyphs
    alpha = np.where(portion, g.alpha, 0).astype(np.float32)
    canvas.erase(inked, portion)
    along = inked.frame.matrix[:, 0] * shift
    moved = Lifted(alpha, g.paint, g.left + along[0], g.top + along[1])
    canvas.drop(moved, moved.centre)


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
    inked, style = _inked(canvas, span, text + old)
    drawn, offset, wide = _drawn(style, text)
    gap = width_of(style, blank) if blank else 0.06 * style.size
    left, right = inked.between(inked.reach(span, style))
    low, high = _free(canvas, inked)
    x = left - gap - wide if place == "before" else right + gap
    if outer and low <= x and x + wide <= high:
        at = (x - offset, inked.pen(style)[1])
        canvas.set(drawn, inked.frame, at, colour or inked.glyphs.colour)
        return style
    both = f"{text}{blank}{old}" if place == "before" else f"{old}{blank}{text}"
    return _change_span(canvas, span, both, colour)


def _insert_row(
    canvas: Canvas, span: Span, text: str, colour: Colour | None, place: str
) -> Style | None:
    """Above or below a line, aligned as it is."""
    inked, style = _inked(canvas, span, text)
    low, high = -_ENDLESS, _ENDLESS
    if inked.frame.level:
        low = 2 - float(inked.frame.matrix[0, 2])
        high = low + canvas.size[0] - 4
    drawn, offset, wide = _drawn(style, text, high - low)
    x = _aligned(canvas, inked, (inked.box[0], inked.box[2]), wide, (low, high))
    baseline = inked.pen(style)[1] + 1.25 * style.size * (1 if place == "below" else -1)
    canvas.set(drawn, inked.frame, (x - offset, baseline), colour or inked.glyphs.colour)
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
    frame = Frame(np.array([[1.0, 0, 0], [0, 1.0, 0]]), width, height)
    for number, row in enumerate(rows):
        drawn, offset, wide = _drawn(style, row, width - 2 * edge)
        x = edge if "left" in words else width - edge - wide
        x = x if "left" in words or "right" in words else (width - wide) / 2
        y = first + number * pitch
        box = (x, y - style.size, x + wide, y)  # black or white where its own would not stand out
        seen = [ink for ink in (lines, (0, 0, 0)) if canvas.shows(ink, box)]
        canvas.set(drawn, frame, (x - offset, y), wanted or [*seen, (255, 255, 255)][0])
    return {"inserted": text, "place": where, "rows": len(rows), **_told(style)}


def _house_style(canvas: Canvas, text: str) -> tuple[Style, Colour]:
    order = sorted(range(len(canvas.lines)), key=lambda n: canvas.lines[n].height)
    for number in order[len(order) // 2 :]:
        inked = canvas.inked(number)
        style = canvas.style(inked, text) if inked and not inked.line.upended else None
        if inked is not None and style is not None:
            size = max(10.0, min(style.size, 0.06 * canvas.size[1]))
            return replace(style, size=size), inked.glyphs.colour
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
