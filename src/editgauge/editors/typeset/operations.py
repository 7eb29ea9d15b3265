"""What each operation does to a canvas. Every function returns what it did, or raises `CannotEdit` with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from editgauge.editors.typeset import fonts
from editgauge.editors.typeset.canvas import Canvas, Frame, Inked, Lifted, extent, pen_of
from editgauge.editors.typeset.find import Match, Span, find, likeness, plain
from editgauge.editors.typeset.grammar import Operation, Target

Done = Mapping[str, Any]
_EDGE = 0.04
"""Of the picture's shorter side: how near to its border a text is put."""


class CannotEdit(Exception):
    """The operation was understood, but the picture does not allow it: its text is not there, no font has the letters."""


def perform(canvas: Canvas, operation: Operation) -> Done:
    """Do one operation. Raises `CannotEdit`; the canvas may then be half done and is to be thrown away."""
    return _ACTS[operation.kind](canvas, operation)


def _found(canvas: Canvas, target: Target) -> Match:
    matches = find(canvas.lines, target, canvas.size)
    for match in matches:
        if any(canvas.inked(span.line) is not None for span in match.spans):
            return match
    seen = ", ".join(repr(line.text) for line in canvas.lines[:6]) or "no text at all"
    if matches:
        raise CannotEdit(f"{target} was read, but its letters cannot be told from the ground")
    raise CannotEdit(f"{target} was not found; the picture reads {seen}")


def _report(canvas: Canvas, match: Match) -> dict[str, Any]:
    found = " / ".join(canvas.lines[s.line].text[s.start : s.end] for s in match.spans)
    return {"found": found, "similarity": round(match.similarity, 3)}


def _lift(canvas: Canvas, match: Match, target: Target) -> Lifted:
    lifted = canvas.lift(match)
    if lifted is None:
        raise CannotEdit(f"{target} was read, but its letters cannot be told from the ground")
    return lifted


# --- delete, recolour, move, swap, resize, rotate: on the ink itself --------------------------------------------------


def _delete(canvas: Canvas, operation: Operation) -> Done:
    done = []
    for target in operation.targets:
        match = _found(canvas, target)
        _lift(canvas, match, target)
        done.append(_report(canvas, match))
    return {"deleted": done}


def _recolour(canvas: Canvas, operation: Operation) -> Done:
    assert operation.colour is not None
    done = []
    for target in operation.targets:
        match = _found(canvas, target)
        lifted = _lift(canvas, match, target)
        lifted.ink[:] = operation.colour
        canvas.drop(lifted)
        done.append(_report(canvas, match))
    return {"recoloured": done, "colour": list(operation.colour)}


def _shifted(lifted: Lifted, dx: float, dy: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([[1, 0, round(lifted.left + dx)], [0, 1, round(lifted.top + dy)]], float)


def _about_centre(lifted: Lifted, linear: np.ndarray[Any, np.dtype[np.float64]], to: tuple[float, float] | None = None) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The matrix that applies a 2 x 2 one about the lifted ink's centre, and puts that centre at `to`."""
    own = np.array([lifted.alpha.shape[1] / 2, lifted.alpha.shape[0] / 2])
    goal = np.asarray(to if to is not None else lifted.centre)
    return np.column_stack([linear, goal - linear @ own])


def _move(canvas: Canvas, operation: Operation) -> Done:
    target = operation.targets[0]
    match = _found(canvas, target)
    anchor = _lifted_box(canvas, operation.anchor) if operation.anchor is not None else None
    height = canvas.lines[match.spans[0].line].height
    lifted = _lift(canvas, match, target)
    place = operation.place or ""
    if anchor is not None:
        dx, dy = _beside(lifted, anchor, place, height)
    elif place.startswith("go "):
        step = operation.amount or height
        dx, dy = {"up": (0.0, -step), "down": (0.0, step), "left": (-step, 0.0), "right": (step, 0.0)}[place[3:]]
    else:
        dx, dy = _to_place(canvas, lifted, place)
    canvas.drop(lifted, _shifted(lifted, *_kept_inside(canvas, lifted, dx, dy)))
    return {"moved": _report(canvas, match), "by": [round(dx), round(dy)]}


def _kept_inside(canvas: Canvas, lifted: Lifted, dx: float, dy: float) -> tuple[float, float]:
    width, height = canvas.size
    dx = min(max(dx, -lifted.left), max(0.0, width - lifted.left - lifted.alpha.shape[1]))
    dy = min(max(dy, -lifted.top), max(0.0, height - lifted.top - lifted.alpha.shape[0]))
    return dx, dy


def _lifted_box(canvas: Canvas, target: Target) -> tuple[float, float, float, float]:
    match = _found(canvas, target)
    boxes = np.array([canvas.lines[s.line].box for s in match.spans])
    return float(boxes[:, 0].min()), float(boxes[:, 1].min()), float(boxes[:, 2].max()), float(boxes[:, 3].max())


def _beside(lifted: Lifted, box: tuple[float, float, float, float], place: str, gap: float) -> tuple[float, float]:
    high, wide = lifted.alpha.shape
    left, top, right, bottom = box
    x = {"before": left - 0.4 * gap - wide, "after": right + 0.4 * gap}.get(place, (left + right - wide) / 2)
    y = {"above": top - 0.3 * gap - high, "below": bottom + 0.3 * gap}.get(place, (top + bottom - high) / 2)
    return x - lifted.left, y - lifted.top


def _to_place(canvas: Canvas, lifted: Lifted, place: str) -> tuple[float, float]:
    """The shift to a corner or side; a text that is on the wanted side already keeps that coordinate."""
    width, height = canvas.size
    edge = _EDGE * min(width, height)
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


def _swap(canvas: Canvas, operation: Operation) -> Done:
    first, second = operation.targets
    matches = _found(canvas, first), _found(canvas, second)
    a, b = _lift(canvas, matches[0], first), _lift(canvas, matches[1], second)
    for ink, goal in ((a, b.centre), (b, a.centre)):
        dx, dy = _kept_inside(canvas, ink, goal[0] - ink.centre[0], goal[1] - ink.centre[1])
        canvas.drop(ink, _shifted(ink, dx, dy))
    return {"swapped": [_report(canvas, match) for match in matches]}


def _resize(canvas: Canvas, operation: Operation) -> Done:
    done = []
    for target in operation.targets:
        match = _found(canvas, target)
        parts = [Match((span,), 1.0) for span in match.spans] if target.role == "all" else [match]
        for part in parts:
            lifted = canvas.lift(part)
            if lifted is not None:
                _drop_resized(canvas, lifted, operation)
        done.append(_report(canvas, match))
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


def _rotate(canvas: Canvas, operation: Operation) -> Done:
    done = []
    radians = np.radians(-(operation.amount or 0.0))  # rows run down: counterclockwise is negative there
    turn = np.array([[np.cos(radians), -np.sin(radians)], [np.sin(radians), np.cos(radians)]])
    for target in operation.targets:
        match = _found(canvas, target)
        lifted = _lift(canvas, match, target)
        reach = np.abs(turn) @ (lifted.alpha.shape[1] / 2, lifted.alpha.shape[0] / 2)
        to = [min(max(c, r), max(r, s - r)) for c, r, s in zip(lifted.centre, reach, canvas.size, strict=True)]
        canvas.drop(lifted, _about_centre(lifted, turn, (to[0], to[1])))
        done.append(_report(canvas, match))
    return {"rotated": done, "degrees": operation.amount}


# --- change and insert: with letters that are set anew ----------------------------------------------------------------


def _change(canvas: Canvas, operation: Operation) -> Done:
    target, text = operation.targets[0], operation.text or ""
    match = _found(canvas, target)
    text = in_the_case_of(text, target.text or "", " ".join(_words_of(canvas, s) for s in match.spans))
    done: dict[str, Any] = {"changed": _report(canvas, match), "to": text}
    for span, part in zip(match.spans, split_text(text, [s.end - s.start for s in match.spans]), strict=True):
        inked = canvas.inked(span.line)
        if inked is None:
            raise CannotEdit(f"{target} was read, but its letters cannot be told from the ground")
        style = _change_span(canvas, inked, *trimmed(inked.line.text, span, part))
        if style is not None:
            done["font"] = style.face.name
            done["size"] = round(style.size, 1)
            done["likeness"] = round(style.similarity, 3)
    return done


def _words_of(canvas: Canvas, span: Span) -> str:
    return canvas.lines[span.line].text[span.start : span.end]


def in_the_case_of(text: str, written: str, seen: str) -> str:
    """`text` in capitals (or small letters) where the picture's text is so and the instruction only wrote it otherwise."""
    if likeness(plain(written), plain(seen)) > 0.8 and len(plain(seen)) > 1:
        if seen.isupper() and not written.isupper() and not text.isupper():
            return text.upper()
        if seen.islower() and not written.islower() and not text.islower():
            return text.lower()
    return text


def split_text(text: str, lengths: list[int]) -> list[str]:
    """`text` in as many parts as `lengths`, broken at blanks, each about as long as its share; parts may be empty."""
    if len(lengths) == 1:
        return [text]
    words, parts = text.split(), []
    total, used, given = sum(lengths), 0, 0.0
    for number, length in enumerate(lengths):
        given += len(text) * length / max(1, total)
        part: list[str] = []
        while words and (number == len(lengths) - 1 or used + len(words[0]) / 2 <= given):
            used += len(words[0]) + 1
            part.append(words.pop(0))
        parts.append(" ".join(part))
    return parts


def trimmed(line: str, span: Span, text: str) -> tuple[Span, str]:
    """Without the words that old and new text share at their ends: what does not change is not touched."""
    start, end = span.start, span.end
    old, new = line[start:end].split(" "), text.split(" ")
    while len(old) > 1 and len(new) > 1 and old[0] == new[0]:
        start += len(old.pop(0)) + 1
        new.pop(0)
    while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
        end -= len(old.pop()) + 1
        new.pop()
    return Span(span.line, start, end), " ".join(new)


def _change_span(canvas: Canvas, inked: Inked, span: Span, text: str) -> fonts.Style | None:
    style = canvas.style(inked, text)
    if style is None:
        raise CannotEdit(f"no installed font has the letters of {text!r}; add one through {fonts.FOLDERS_VARIABLE}")
    whole = span.start == 0 and span.end == len(inked.line.text)
    reach = (0.0, float(inked.frame.width)) if whole else extent(inked, style, span)
    portion = np.ones(inked.glyphs.alpha.shape, bool) if whole else canvas.portion(inked, reach)
    ink_left, ink_right = _ink_between(inked, reach)
    colour = _colour(inked, portion)
    old_width = ink_right - ink_left
    canvas.erase(inked, portion)
    if not text:
        return None
    drawn = fonts.set_text(style, text)
    box = fonts.ink_box(drawn.alpha) if drawn is not None else None
    if drawn is None or box is None:
        raise CannotEdit(f"{text!r} has no visible letters")
    new_width = float(box[2] - box[0])
    x, room, shift = _placed(canvas, inked, span, style, (ink_left, ink_right), new_width)
    if shift:
        _shift_tail(canvas, inked, reach[1], shift)
    if new_width > room:
        style = narrowed(style, room / new_width)
        drawn = fonts.set_text(style, text)
        box = fonts.ink_box(drawn.alpha) if drawn is not None else None
        if drawn is None or box is None:
            raise CannotEdit(f"{text!r} does not fit in {round(old_width)} pixels")
        x = min(max(x, ink_left + old_width - (box[2] - box[0])), ink_left) if not shift else x
    baseline = pen_of(inked, canvas.style(inked, "") or style)[1]
    canvas.set(drawn, inked.frame, (x - (drawn.left + box[0]), baseline), colour)
    return style


def narrowed(style: fonts.Style, factor: float) -> fonts.Style:
    """The style so much narrower: down to 0.8 by width alone, and by size for the rest."""
    by_width = max(factor, 0.8)
    by_size = factor / by_width
    return replace(style, stretch=style.stretch * by_width, size=style.size * by_size)


def _ink_between(inked: Inked, reach: tuple[float, float]) -> tuple[float, float]:
    low, high = int(max(0, reach[0])), int(min(inked.frame.width, np.ceil(reach[1])))
    columns = np.nonzero((inked.upright[:, low:high] > 0.4).any(axis=0))[0]
    if not len(columns):
        return float(low), float(high)
    return float(low + columns.min()), float(low + columns.max() + 1)


def _colour(inked: Inked, portion: np.ndarray[Any, np.dtype[np.bool_]]) -> tuple[int, int, int]:
    g = inked.glyphs
    solid = portion & (g.alpha > 0.95)
    if solid.sum() < 8:
        return g.colour
    red, green, blue = (int(c) for c in np.median(g.ink[solid], axis=0))
    return red, green, blue


def _placed(canvas: Canvas, inked: Inked, span: Span, style: fonts.Style, old: tuple[float, float], new: float) -> tuple[float, float, float]:
    """Where the new ink starts, how wide it may be, and how far what follows it in the line moves to the right."""
    head, tail = span.start > 0, span.end < len(inked.line.text)
    low, high = _free(canvas, inked)
    left, right = old
    if not head and not tail:
        align = _alignment(canvas, inked)
        x = {"left": left, "right": right - new}.get(align, (left + right - new) / 2)
        x = min(max(x, low), max(low, high - new))
        return x, high - low, 0.0
    if head and not tail:
        return left, max(high - left, right - left), 0.0
    grow = new - (right - left)
    if not head and _alignment(canvas, inked) != "left" and right - new >= low:
        return right - new, new, 0.0
    spare = high - inked.box[2]
    if abs(grow) <= 0.12 * style.size:
        return left, right - left if grow > 0 else new, 0.0
    shift = min(grow, max(0.0, spare))
    return left, (right - left) + max(shift, 0.0) if grow > 0 else new, shift


def _free(canvas: Canvas, inked: Inked) -> tuple[float, float]:
    """How far the line may reach to its left and right, in x of its frame: to the picture's edge or the next text."""
    height = max(8.0, inked.line.height)
    low, high = -1e6, 1e6
    width, tall = canvas.size
    for x, y in ((0, 0), (width, 0), (width, tall), (0, tall)):
        if inked.frame.level:
            edge = inked.frame.from_picture((x, y))[0]
            low, high = (max(low, edge + 2) if x == 0 else low), (min(high, edge - 2) if x else high)
    for other in canvas.lines:
        if other is inked.line:
            continue
        points = [inked.frame.from_picture((float(p[0]), float(p[1]))) for p in other.corners]
        top, bottom = min(p[1] for p in points), max(p[1] for p in points)
        if bottom <= inked.box[1] or top >= inked.box[3]:
            continue
        left, right = min(p[0] for p in points), max(p[0] for p in points)
        if left >= (inked.box[0] + inked.box[2]) / 2:
            high = min(high, left - 0.25 * height)
        elif right <= (inked.box[0] + inked.box[2]) / 2:
            low = max(low, right + 0.25 * height)
    low, high = min(low, float(inked.box[0])), max(high, float(inked.box[2]))
    if low < -1e5 or high > 1e5:  # a slanted line: as far as its own length on either side
        length = inked.box[2] - inked.box[0]
        low, high = max(low, inked.box[0] - 0.3 * length), min(high, inked.box[2] + 0.3 * length)
    return low, high


def _alignment(canvas: Canvas, inked: Inked) -> str:
    """``left``, ``right`` or ``center``: what the line shares with the lines around it, or with the picture."""
    tolerance = max(3.0, 0.25 * inked.line.height)
    left, _, right, _ = inked.line.box
    votes = {"left": 0, "center": 0, "right": 0}
    for other in canvas.lines:
        if other is inked.line:
            continue
        x0, _, x1, _ = other.box
        votes["left"] += abs(x0 - left) < tolerance
        votes["right"] += abs(x1 - right) < tolerance
        votes["center"] += abs((x0 + x1) - (left + right)) / 2 < tolerance
    votes["center"] += abs((left + right) / 2 - canvas.size[0] / 2) < 2 * tolerance
    best = max(votes, key=lambda name: votes[name])
    return best if votes[best] else "center"


def _shift_tail(canvas: Canvas, inked: Inked, start: float, shift: float) -> None:
    text = inked.line.text
    number = next(n for n, line in enumerate(canvas.lines) if line is inked.line)
    del text, number
    portion = canvas.portion(inked, (start, 1e5))
    g = inked.glyphs
    alpha = np.where(portion, g.alpha, 0).astype(np.float32)
    canvas.erase(inked, portion)
    along = inked.frame.matrix[:, 0] * shift
    if inked.frame.level:
        along = np.round(along)
    canvas.drop(Lifted(alpha, g.ink, g.left + along[0], g.top + along[1]))


def _insert(canvas: Canvas, operation: Operation) -> Done:
    text, place = operation.text or "", operation.place or ""
    if operation.targets:
        match = _found(canvas, operation.targets[0])
        span = match.spans[0] if place in ("before", "above") else match.spans[-1]
        inked = canvas.inked(span.line)
        if inked is None:
            raise CannotEdit(f"{operation.targets[0]} was read, but its letters cannot be told from the ground")
        style = _insert_beside(canvas, inked, span, text, place)
        return {"inserted": text, "place": place, "anchor": _report(canvas, match), "font": style.face.name}
    return _insert_at(canvas, text, place)


def _insert_beside(canvas: Canvas, inked: Inked, span: Span, text: str, place: str) -> fonts.Style:
    if place in ("before", "after"):
        blank = "" if _is_cjk(text[:1]) and _is_cjk(inked.line.text[span.start]) else " "
        old = _text_of(inked, span)
        style = canvas.style(inked, text + old)
        if style is not None:
            drawn = _inline(canvas, inked, span, style, text, blank, place)
            if drawn:
                return style
        changed = _change_span(canvas, inked, span, f"{text}{blank}{old}" if place == "before" else f"{old}{blank}{text}")
        assert changed is not None
        return changed
    style = canvas.style(inked, text)
    if style is None:
        raise CannotEdit(f"no installed font has the letters of {text!r}; add one through {fonts.FOLDERS_VARIABLE}")
    baseline = pen_of(inked, style)[1]
    pitch = 1.25 * style.size
    low, high = _free_row(inked.frame, canvas)
    align = _alignment(canvas, inked)
    drawn_at = _row(style, text, (float(inked.box[0]), float(inked.box[2])), align, low, high)
    canvas.set(drawn_at[0], inked.frame, (drawn_at[1], baseline + (pitch if place == "below" else -pitch)), inked.glyphs.colour)
    return style


def _text_of(inked: Inked, span: Span) -> str:
    return inked.line.text[span.start : span.end]


def _inline(canvas: Canvas, inked: Inked, span: Span, style: fonts.Style, text: str, blank: str, place: str) -> bool:
    """Put `text` before or after a span where there is room; False where there is none."""
    ink_left, ink_right = _ink_between(inked, extent(inked, style, span))
    if (place == "before" and span.start > 0) or (place == "after" and span.end < len(inked.line.text)):
        return False
    drawn = fonts.set_text(style, text)
    box = fonts.ink_box(drawn.alpha) if drawn is not None else None
    if drawn is None or box is None:
        return False
    gap = fonts.width_of(style, blank) if blank else 0.06 * style.size
    width = box[2] - box[0]
    x = ink_left - gap - width if place == "before" else ink_right + gap
    low, high = _free(canvas, inked)
    if x < low or x + width > high:
        return False
    canvas.set(drawn, inked.frame, (x - drawn.left - box[0], pen_of(inked, style)[1]), inked.glyphs.colour)
    return True


def _is_cjk(text: str) -> bool:
    return any("⺀" <= c <= "鿿" for c in text)


def _free_row(frame: Frame, canvas: Canvas) -> tuple[float, float]:
    if not frame.level:
        return -1e6, 1e6
    low, high = frame.from_picture((0.0, 0.0))[0] + 2, frame.from_picture((float(canvas.size[0]), 0.0))[0] - 2
    return low, high


def _row(style: fonts.Style, text: str, span: tuple[float, float], align: str, low: float, high: float) -> tuple[fonts.Setting, float]:
    drawn = fonts.set_text(style, text)
    box = fonts.ink_box(drawn.alpha) if drawn is not None else None
    if drawn is not None and box is not None and box[2] - box[0] > high - low:
        drawn = fonts.set_text(narrowed(style, (high - low) / (box[2] - box[0])), text)
        box = fonts.ink_box(drawn.alpha) if drawn is not None else None
    if drawn is None or box is None:
        raise CannotEdit(f"{text!r} has no visible letters")
    width = box[2] - box[0]
    x = {"left": span[0], "right": span[1] - width}.get(align, (span[0] + span[1] - width) / 2)
    x = min(max(x, low), max(low, high - width))
    return drawn, x - drawn.left - box[0]


def _insert_at(canvas: Canvas, text: str, place: str) -> Done:
    """Set a text into a corner or along a side, in the style of the picture's most common size of line."""
    width, height = canvas.size
    style, colour = _house_style(canvas, text)
    edge = _EDGE * min(width, height)
    share = 0.45 if len(place.split()) == 2 and "center" not in place else 0.9
    rows = wrapped(text, style, max(share * width, 40.0))
    pitch = 1.3 * style.size
    words = place.split()
    top = edge + style.size if "top" in words else height - edge - pitch * (len(rows) - 1)
    if "top" not in words and "bottom" not in words:
        top = (height - pitch * (len(rows) - 1) + style.size) / 2
    align = "left" if "left" in words else "right" if "right" in words else "center"
    frame = Frame(np.array([[1.0, 0, 0], [0, 1.0, 0]]), width, height)
    for number, row in enumerate(rows):
        drawn, x = _row(style, row, (edge, width - edge), align, edge / 2, width - edge / 2)
        baseline = top + number * pitch
        box = [round(x), round(baseline - style.size), round(x + drawn.alpha.shape[1]), round(baseline)]
        canvas.set(drawn, frame, (x, baseline), readable(colour, canvas.pixels, box))
    return {"inserted": text, "place": place, "font": style.face.name, "rows": len(rows)}


def _house_style(canvas: Canvas, text: str) -> tuple[fonts.Style, tuple[int, int, int]]:
    order = sorted(range(len(canvas.lines)), key=lambda n: canvas.lines[n].height)
    for number in order[len(order) // 2 :]:
        inked = canvas.inked(number)
        style = canvas.style(inked, text) if inked is not None and not inked.line.upended else None
        if inked is not None and style is not None:
            size = min(style.size, 0.06 * canvas.size[1])
            return replace(style, size=max(size, 10.0)), inked.glyphs.colour
    able = [face for face in canvas.faces if fonts.covers(face, text)]
    if not able:
        raise CannotEdit(f"no installed font has the letters of {text!r}; add one through {fonts.FOLDERS_VARIABLE}")
    return fonts.Style(able[0], max(12.0, 0.045 * canvas.size[1])), (0, 0, 0)


def wrapped(text: str, style: fonts.Style, room: float) -> list[str]:
    """`text` in rows that are not wider than `room` pixels, broken at blanks."""
    rows: list[str] = []
    for word in text.split():
        if rows and fonts.width_of(style, f"{rows[-1]} {word}") <= room:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    return rows or [text]


def readable(colour: tuple[int, int, int], pixels: np.ndarray[Any, np.dtype[np.uint8]], box: list[int]) -> tuple[int, int, int]:
    """`colour`, or black or white where it would not stand out from the pixels inside `box` (left, top, right, bottom)."""
    left, top, right, bottom = (max(0, v) for v in box)
    under = pixels[top:bottom, left:right]
    if not under.size:
        return colour
    ground = under.reshape(-1, 3).mean(axis=0)
    if np.linalg.norm(ground - colour) > 110:
        return colour
    return (0, 0, 0) if ground.mean() > 127 else (255, 255, 255)


_ACTS: dict[str, Callable[[Canvas, Operation], Done]] = {
    "change": _change, "insert": _insert, "delete": _delete, "move": _move, "swap": _swap,
    "resize": _resize, "recolour": _recolour, "rotate": _rotate,
}  # fmt: skip
