"""Operations that set letters anew: change and insert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from editgauge.editors.typeset import fonts, ink_operations, limits
from editgauge.editors.typeset.canvas import Canvas, Frame, Inked, Lifted, alignment, extent, pen_of
from editgauge.editors.typeset.colours import Colour
from editgauge.editors.typeset.common import (
    EDGE,
    CannotEdit,
    Done,
    alone,
    found_text,
    of_one_ink,
    report,
    restorable,
)
from editgauge.editors.typeset.faces import FOLDERS_VARIABLE, Setting, covers, ink_box
from editgauge.editors.typeset.find import Line, likeness, plain
from editgauge.editors.typeset.glyphs import stands_out
from editgauge.editors.typeset.request import Operation, Span, Target
from editgauge.images import Array, Mask

OTHER = 32.0
"""Levels of 255 by which ground may differ from that under a line and still be like it."""
STRANGE = 0.1
"""The part of a place that may be other ground."""


def change(canvas: Canvas, operation: Operation) -> Done:
    target, text = operation.targets[0], operation.text or ""
    match = found_text(canvas, target)
    text = in_the_case_of(
        text, target.text or "", " ".join(_words_of(canvas, s) for s in match.spans)
    )
    alone(canvas, match)
    restorable(canvas, match)
    of_one_ink(canvas, match)
    done: dict[str, Any] = {"changed": report(canvas, match), "to": text}
    for span, part in zip(
        match.spans, split_text(text, [s.end - s.start for s in match.spans]), strict=True
    ):
        inked = canvas.inked(span.line)
        if inked is None:
            raise CannotEdit(f"{target} was read, but its letters cannot be told from the ground")
        where = (span, part) if operation.colour else trimmed(inked.line.text, span, part)
        style = _change_span(canvas, inked, *where, operation.colour)
        if style is not None:
            done["font"] = style.face.name
            done["size"] = round(style.size, 1)
            done["likeness"] = round(style.similarity, 3)
    return done


def restyle(canvas: Canvas, operation: Operation) -> Done:
    """As `ink_operations.restyle`; capitals and small letters are set anew."""
    if operation.manner not in ("upper", "lower"):
        return ink_operations.restyle(canvas, operation)
    done = []
    for target in operation.targets:
        match = found_text(canvas, target)
        for span in match.spans:
            inked = canvas.inked(span.line)
            words = _words_of(canvas, span)
            text = words.upper() if operation.manner == "upper" else words.lower()
            if inked is None:
                raise CannotEdit(f"{target} was read, but its letters cannot be told apart")
            if text != words:
                _change_span(canvas, inked, span, text)
        done.append(report(canvas, match))
    return {"restyled": done, "manner": operation.manner}


def _words_of(canvas: Canvas, span: Span) -> str:
    return canvas.lines[span.line].text[span.start : span.end]


def in_the_case_of(text: str, written: str, seen: str) -> str:
    """`text` in capitals (or small letters) where the picture's text is so and the instruction
    wrote it otherwise.
    """
    if likeness(plain(written), plain(seen)) > 0.8 and len(plain(seen)) > 1:
        if seen.isupper() and not written.isupper() and not text.isupper():
            return text.upper()
        if seen.islower() and not written.islower() and not text.islower():
            return text.lower()
    return text


def split_text(text: str, lengths: list[int]) -> list[str]:
    """`text` in as many parts as `lengths`, broken at blanks, each about as long as its share;
    parts may be empty.
    """
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
    """Without the words that old and new text share at their ends: what does not change is not
    touched.
    """
    start, end = span.start, span.end
    old, new = line[start:end].split(" "), text.split(" ")
    while len(old) > 1 and len(new) > 1 and old[0] == new[0]:
        start += len(old.pop(0)) + 1
        new.pop(0)
    while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
        end -= len(old.pop()) + 1
        new.pop()
    return Span(span.line, start, end), " ".join(new)


def _change_span(
    canvas: Canvas, inked: Inked, span: Span, text: str, wanted: Colour | None = None
) -> fonts.Style | None:
    """Set a text in place of a span, in its style and, unless another is `wanted`, its colour."""
    style = canvas.style(inked, text)
    if style is None:
        raise CannotEdit(
            f"no installed font has the letters of {text!r}; add one through {FOLDERS_VARIABLE}"
        )
    whole = span.start == 0 and span.end == len(inked.line.text)
    _like_the_old(inked, style, beside=not whole)
    reach = (0.0, float(inked.frame.width)) if whole else extent(inked, style, span)
    portion = np.ones(inked.glyphs.alpha.shape, bool) if whole else canvas.portion(inked, reach)
    ink_left, ink_right = _ink_between(inked, reach)
    colour = wanted or _colour(inked, portion)
    old_width = ink_right - ink_left
    canvas.erase(inked, portion)
    if not text:
        return None
    drawn = fonts.set_text(style, text)
    box = ink_box(drawn.alpha) if drawn is not None else None
    if drawn is None or box is None:
        raise CannotEdit(f"{text!r} has no visible letters")
    new_width = float(box[2] - box[0])
    x, room, shift = _placed(canvas, inked, span, style, (ink_left, ink_right), new_width)
    if shift:
        _shift(canvas, inked, (reach[1], 1e5), shift)
    if span.start > 0 and x != ink_left:  # a centred line grows, or shrinks, to both sides
        _shift(canvas, inked, (-1e5, reach[0]), x - ink_left)
    if new_width > room:
        if room / new_width < _NARROWEST:
            raise CannotEdit(f"{text!r} does not fit in {round(room)} pixels")
        style = narrowed(style, room / new_width)
        drawn = fonts.set_text(style, text)
        box = ink_box(drawn.alpha) if drawn is not None else None
        if drawn is None or box is None:
            raise CannotEdit(f"{text!r} does not fit in {round(old_width)} pixels")
        x = min(max(x, ink_left + old_width - (box[2] - box[0])), ink_left) if not shift else x
    baseline = pen_of(inked, canvas.style(inked, "") or style)[1]
    canvas.set(drawn, inked.frame, (x - (drawn.left + box[0]), baseline), colour)
    return style


_UNEVEN = 0.12
"""Of the em: by how much a line may grow to one side, and not be seen to."""
_NARROWEST = 0.75
"""The least width of a new text, as a part of what it would take at the old one's size."""


def _like_the_old(inked: Inked, style: fonts.Style, *, beside: bool) -> None:
    """Raises `CannotEdit` where the old text set in a style does not look like its own ink: a new
    text would stand in another face. `beside`: letters of the old face stay next to it.
    """
    like = fonts.resemblance(style, inked.line.text, inked.upright)
    low, high = limits.STRETCHED
    lighter, heavier = limits.AS_HEAVY_BESIDE if beside else limits.AS_HEAVY
    least = limits.LIKE_BESIDE if beside else limits.LIKE
    heavy = lighter <= like.weight <= heavier
    if like.letters < least or not low <= style.stretch <= high or not heavy:
        raise CannotEdit(f"no installed font is like that of {inked.line.text!r}")


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


def _colour(inked: Inked, portion: Mask) -> tuple[int, int, int]:
    g = inked.glyphs
    solid = portion & (g.alpha > 0.95)
    if solid.sum() < 8:
        return g.colour
    red, green, blue = (int(c) for c in np.median(g.ink[solid], axis=0))
    return red, green, blue


def _placed(
    canvas: Canvas,
    inked: Inked,
    span: Span,
    style: fonts.Style,
    old: tuple[float, float],
    new: float,
) -> tuple[float, float, float]:
    """Where the new ink starts, how wide it may be, and how far what follows it in the line moves
    to the right.
    """
    head, tail = span.start > 0, span.end < len(inked.line.text)
    low, high = _free(canvas, inked)
    left, right = old
    if not head and not tail:
        align = alignment(canvas, inked.line)
        low, high = _on_one_ground(canvas, inked, (low, high))
        x = {"left": left, "right": right - new}.get(align, (left + right - new) / 2)
        x = min(max(x, low), max(low, high - new))
        return x, high - low, 0.0
    grow = new - (right - left)
    align = alignment(canvas, inked.line)
    if align == "center" and abs(grow) > _UNEVEN * style.size:
        within = _on_one_ground(canvas, inked, (low, high))
        if inked.box[0] - grow / 2 >= within[0] and inked.box[2] + grow / 2 <= within[1]:
            return left - grow / 2, new, grow / 2
    if head and not tail:
        high = _on_one_ground(canvas, inked, (low, high))[1]
        return left, max(high - left, right - left), 0.0
    if not head and align != "left" and right - new >= low:
        return right - new, new, 0.0
    spare = high - inked.box[2]
    if abs(grow) <= _UNEVEN * style.size:
        return left, right - left if grow > 0 else new, 0.0
    shift = min(grow, max(0.0, spare))
    return left, (right - left) + max(shift, 0.0) if grow > 0 else new, shift


def _free(canvas: Canvas, inked: Inked) -> tuple[float, float]:
    """How far the line may reach to its left and right, in x of its frame: to the picture's edge or
    the next text.
    """
    height = max(8.0, inked.line.height)
    low, high = -1e6, 1e6
    width, tall = canvas.size
    for x, y in ((0, 0), (width, 0), (width, tall), (0, tall)):
        if inked.frame.level:
            edge = inked.frame.from_picture((x, y))[0]
            low, high = (
                (max(low, edge + 2) if x == 0 else low),
                (min(high, edge - 2) if x else high),
            )
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


def _shift(canvas: Canvas, inked: Inked, reach: tuple[float, float], by: float) -> None:
    """Move a part of a line along it, by pixels to the right."""
    portion = canvas.portion(inked, reach)
    g = inked.glyphs
    alpha = np.where(portion, g.alpha, 0).astype(np.float32)
    canvas.erase(inked, portion)
    along = inked.frame.matrix[:, 0] * by
    if inked.frame.level:
        along = np.round(along)
    canvas.drop(Lifted(alpha, g.ink, g.left + along[0], g.top + along[1]))


def insert(canvas: Canvas, operation: Operation) -> Done:
    text, place = operation.text or "", operation.place or ""
    if place == "between":
        return _insert_between(canvas, operation.targets, text)
    if operation.targets:
        match = found_text(canvas, operation.targets[0])
        span = match.spans[0] if place in ("before", "above") else match.spans[-1]
        inked = canvas.inked(span.line)
        if inked is None:
            raise CannotEdit(
                f"{operation.targets[0]} was read, but its letters cannot be told from the ground"
            )
        if operation.amount and place not in ("above", "below"):
            raise CannotEdit(f"{text!r} would stand in one line with letters of another size")
        colour = operation.colour or inked.glyphs.colour
        style = _insert_beside(canvas, inked, span, text, place, colour, operation.amount or 1.0)
        return {
            "inserted": text,
            "place": place,
            "anchor": report(canvas, match),
            "font": style.face.name,
        }
    return _insert_at(canvas, text, place, operation.colour)


def _insert_between(canvas: Canvas, targets: Sequence[Target], text: str) -> Done:
    """Set a text between two that follow each other in one line; a centred line is set anew, to
    stay centred.
    """
    first, second = (target.text or "" for target in targets)
    match = found_text(canvas, Target(f"{first} {second}"))
    if len(match.spans) != 1:
        raise CannotEdit(f"{first!r} and {second!r} do not stand in one line")
    span = match.spans[0]
    inked = canvas.inked(span.line)
    if plain(_words_of(canvas, span)) != plain(first + second) or inked is None:
        raise CannotEdit(f"{first!r} and {second!r} were read, but not exactly")
    alone(canvas, match)
    restorable(canvas, match)
    whole = span.end - span.start == len(inked.line.text)
    words = f"{first} {text} {second}"
    if whole and alignment(canvas, inked.line) == "center":
        _change_span(canvas, inked, span, words)
    else:
        _change_span(canvas, inked, *trimmed(inked.line.text, span, words))
    return {"inserted": text, "place": "between", "anchor": report(canvas, match)}


def _insert_beside(
    canvas: Canvas, inked: Inked, span: Span, text: str, place: str, colour: Colour, factor: float
) -> fonts.Style:
    """`factor`: the size of the new text, of that of the text beside it."""
    if place in ("before", "after"):
        blank = "" if _is_cjk(text[:1]) and _is_cjk(inked.line.text[span.start]) else " "
        old = _text_of(inked, span)
        style = canvas.style(inked, text + old)
        if style is not None:
            _like_the_old(inked, style, beside=True)
            drawn = _inline(canvas, inked, span, style, text, blank, place, colour)
            if drawn:
                return style
        raise CannotEdit(f"there is no room for {text!r} {place} {old!r}")
    style = canvas.style(inked, text)
    if style is None:
        raise CannotEdit(
            f"no installed font has the letters of {text!r}; add one through {FOLDERS_VARIABLE}"
        )
    _like_the_old(inked, style, beside=True)
    baseline = pen_of(inked, style)[1]
    pitch = _pitch(canvas, inked) or 1.25 * style.size
    if factor != 1.0:
        apart = {"below": 0.4 + 0.85 * factor, "above": 0.95 + 0.3 * factor}[place]
        style, pitch = replace(style, size=factor * style.size), apart * style.size
    low, high = _free_row(inked.frame, canvas)
    align = alignment(canvas, inked.line)
    drawn_at = _row(style, text, (float(inked.box[0]), float(inked.box[2])), align, low, high)
    canvas.set(
        drawn_at[0],
        inked.frame,
        (drawn_at[1], baseline + (pitch if place == "below" else -pitch)),
        colour,
    )
    return style


def _pitch(canvas: Canvas, inked: Inked) -> float | None:
    """The distance of a line to the next one of its block, above or below it, in pixels along its
    frame; None for a line by itself.
    """
    line, frame = inked.line, inked.frame

    def ends(other: Line) -> npt.NDArray[np.float64]:
        return np.array([frame.from_picture((float(x), float(y))) for x, y in other.corners])

    def apart(one: npt.NDArray[np.float64], two: npt.NDArray[np.float64]) -> float:
        """How far two lines are from sharing their left ends, right ends or middles."""
        lefts, rights = one[[0, 3], 0].mean(), one[[1, 2], 0].mean()
        others = two[[0, 3], 0].mean(), two[[1, 2], 0].mean()
        sides = lefts - others[0], rights - others[1], (lefts + rights - sum(others)) / 2
        return float(min(abs(side) for side in sides))

    own = ends(line)
    found = [
        abs(float(ends(other)[:, 1].mean() - own[:, 1].mean()))
        for other in canvas.lines
        if other is not line
        and abs(other.height - line.height) < 0.25 * line.height
        and apart(own, ends(other)) < 0.4 * line.height
    ]
    near = [far for far in found if 0.6 * line.height < far < 2.0 * line.height]
    return min(near) if near else None


def _text_of(inked: Inked, span: Span) -> str:
    return inked.line.text[span.start : span.end]


def _inline(
    canvas: Canvas,
    inked: Inked,
    span: Span,
    style: fonts.Style,
    text: str,
    blank: str,
    place: str,
    colour: Colour,
) -> bool:
    """Put `text` before or after a span where there is room; False where there is none."""
    ink_left, ink_right = _ink_between(inked, extent(inked, style, span))
    if (place == "before" and span.start > 0) or (
        place == "after" and span.end < len(inked.line.text)
    ):
        return False
    drawn = fonts.set_text(style, text)
    box = ink_box(drawn.alpha) if drawn is not None else None
    if drawn is None or box is None:
        return False
    gap = max(fonts.width_of(style, blank), 0.28 * style.size) if blank else 0.06 * style.size
    width = box[2] - box[0]
    x = ink_left - gap - width if place == "before" else ink_right + gap
    low, high = _free(canvas, inked)
    if x < low or x + width > high:
        return False
    if not _same_ground(canvas, inked, (x, x + width)):
        return False
    canvas.set(drawn, inked.frame, (x - drawn.left - box[0], pen_of(inked, style)[1]), colour)
    return True


def _same_ground(canvas: Canvas, inked: Inked, reach: tuple[float, float]) -> bool:
    """Whether the picture between two x of a line's frame is ground like that under the line."""
    left, right = int(inked.box[0]), int(inked.box[2])
    rows = range(int(inked.box[1]), int(inked.box[3]), 2)
    g = inked.glyphs
    own = g.ground[g.erased].astype(float)
    low, high = np.percentile(own, 2, axis=0) - OTHER, np.percentile(own, 98, axis=0) + OTHER
    columns = np.linspace(*reach, max(8, (right - left) // 4))
    points = inked.frame.to_picture([(float(x), float(y)) for x in columns for y in rows])
    at = np.round(points).astype(int)
    width, height = canvas.size
    at = at[(at >= 0).all(axis=1) & (at[:, 0] < width) & (at[:, 1] < height)]
    seen = canvas.pixels[at[:, 1], at[:, 0]].astype(float)
    strange = ((seen < low) | (seen > high)).any(axis=1)
    return not len(seen) or float(strange.mean()) < STRANGE


def _on_one_ground(canvas: Canvas, inked: Inked, reach: tuple[float, float]) -> tuple[float, float]:
    """As much of a reach in x of a line's frame as is ground like that under the line; all of it
    where that ground is no plain one.
    """
    g = inked.glyphs
    own = g.ground[g.erased].astype(float)
    if not len(own) or np.ptp(np.percentile(own, (2, 98), axis=0), axis=0).max() > 2 * OTHER:
        return reach
    step = max(2.0, 0.15 * inked.line.height)
    low, high = float(inked.box[0]), float(inked.box[2])
    while low - step > reach[0] and _same_ground(canvas, inked, (low - step, low)):
        low -= step
    while high + step < reach[1] and _same_ground(canvas, inked, (high, high + step)):
        high += step
    rim = min(step, 0.5 * (high - inked.box[2]))
    high -= rim if high + step < reach[1] else 0.0
    rim = min(step, 0.5 * (inked.box[0] - low))
    low += rim if low - step > reach[0] else 0.0
    return max(reach[0], low), min(reach[1], high)


def _is_cjk(text: str) -> bool:
    return any("⺀" <= c <= "鿿" for c in text)


def _free_row(frame: Frame, canvas: Canvas) -> tuple[float, float]:
    if not frame.level:
        return -1e6, 1e6
    low, high = (
        frame.from_picture((0.0, 0.0))[0] + 2,
        frame.from_picture((float(canvas.size[0]), 0.0))[0] - 2,
    )
    return low, high


def _row(
    style: fonts.Style, text: str, span: tuple[float, float], align: str, low: float, high: float
) -> tuple[Setting, float]:
    drawn = fonts.set_text(style, text)
    box = ink_box(drawn.alpha) if drawn is not None else None
    if drawn is not None and box is not None and box[2] - box[0] > high - low:
        drawn = fonts.set_text(narrowed(style, (high - low) / (box[2] - box[0])), text)
        box = ink_box(drawn.alpha) if drawn is not None else None
    if drawn is None or box is None:
        raise CannotEdit(f"{text!r} has no visible letters")
    width = box[2] - box[0]
    x = {"left": span[0], "right": span[1] - width}.get(align, (span[0] + span[1] - width) / 2)
    x = min(max(x, low), max(low, high - width))
    return drawn, x - drawn.left - box[0]


def _insert_at(canvas: Canvas, text: str, place: str, wanted: Colour | None) -> Done:
    """Set a text into a corner or along a side, in the style of the picture's most common size of
    line.
    """
    width, height = canvas.size
    style, colour = _house_style(canvas, text)
    edge = EDGE * min(width, height)
    share = 0.45 if len(place.split()) == 2 and "center" not in place else 0.9
    rows = wrapped(text, style, max(share * width, 40.0))
    pitch = 1.3 * style.size
    words = place.split()
    top = edge + style.size if "top" in words else height - edge - pitch * (len(rows) - 1)
    if "top" not in words and "bottom" not in words:
        top = (height - pitch * (len(rows) - 1) + style.size) / 2
    align = "left" if "left" in words else "right" if "right" in words else "center"
    frame = Frame(np.array([[1.0, 0, 0], [0, 1.0, 0]]), width, height)
    if len(rows) == 1:
        edge, top = _clear_of_frames(canvas, style, rows[0], words, (edge, top))
    for number, row in enumerate(rows):
        drawn, x = _row(style, row, (edge, width - edge), align, edge / 2, width - edge / 2)
        baseline = top + number * pitch
        box = [
            round(x),
            round(baseline - style.size),
            round(x + drawn.alpha.shape[1]),
            round(baseline),
        ]
        canvas.set(drawn, frame, (x, baseline), wanted or readable(colour, canvas.pixels, box))
    return {"inserted": text, "place": place, "font": style.face.name, "rows": len(rows)}


def _clear_of_frames(
    canvas: Canvas, style: fonts.Style, row: str, words: list[str], place: tuple[float, float]
) -> tuple[float, float]:
    """The distance to the edge and the baseline at which a row lies on plain ground, as near to the
    wanted place as there is one: a picture's own frame is not written on.
    """
    width, height = canvas.size
    wanted_edge, wanted_top = place
    wide = fonts.width_of(style, row)
    step = 0.02 * min(width, height)
    places: list[tuple[float, int, tuple[float, float]]] = []
    for number in range(6):
        edge = wanted_edge + number * step
        down = {"top": 1.0, "bottom": -1.0}.get(words[0], 0.0)
        top = wanted_top + down * number * step
        left = {"left": edge, "right": width - edge - wide}.get(words[-1], (width - wide) / 2)
        box = canvas.pixels[
            max(0, int(top - 1.1 * style.size)) : int(top + 0.4 * style.size),
            max(0, int(left - 0.2 * style.size)) : int(left + wide + 0.2 * style.size),
        ].astype(float)
        if box.size:
            away = np.abs(box - np.median(box, axis=(0, 1))).max(axis=2) > OTHER
            places.append((round(float(away.mean()), 2), number, (edge, top)))
    return min(places)[2] if places else place


def _house_style(canvas: Canvas, text: str) -> tuple[fonts.Style, tuple[int, int, int]]:
    order = sorted(range(len(canvas.lines)), key=lambda n: canvas.lines[n].height)
    for number in order[len(order) // 2 :]:
        inked = canvas.inked(number)
        style = canvas.style(inked, text) if inked is not None and not inked.line.upended else None
        if inked is not None and style is not None:
            size = min(style.size, 0.06 * canvas.size[1])
            return replace(style, size=max(size, 10.0)), inked.glyphs.colour
    able = [face for face in canvas.faces if covers(face, text)]
    if not able:
        raise CannotEdit(
            f"no installed font has the letters of {text!r}; add one through {FOLDERS_VARIABLE}"
        )
    return fonts.Style(face=able[0], size=max(12.0, 0.045 * canvas.size[1])), (0, 0, 0)


def wrapped(text: str, style: fonts.Style, room: float) -> list[str]:
    """`text` in rows that are not wider than `room` pixels, broken at blanks."""
    rows: list[str] = []
    for word in text.split():
        if rows and fonts.width_of(style, f"{rows[-1]} {word}") <= room:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    return rows or [text]


def readable(colour: tuple[int, int, int], pixels: Array, box: list[int]) -> tuple[int, int, int]:
    """`colour`, or black or white where it would not stand out inside `box` (left, top, right,
    bottom).
    """
    if stands_out(np.asarray(colour, float), pixels, box):
        return colour
    left, top, right, bottom = (max(0, v) for v in box)
    return (0, 0, 0) if pixels[top:bottom, left:right].mean() > 127 else (255, 255, 255)
