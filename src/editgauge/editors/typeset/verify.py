"""Whether an edit holds: the result is read again, and compared with what was asked for.

Each question has a reason in words when the answer is no: is the new text there to be read; is what
was to go gone, without stains; is every other line as it was; does the new text lie on one ground;
and did pixels change only where the operation had to change some? An edit that fails one of them is
handed back: a picture that is visibly wrong is worse than the input.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz

from editgauge.editors.typeset import limits
from editgauge.editors.typeset.find import Line, find, likeness, plain
from editgauge.editors.typeset.request import Operation, Target
from editgauge.images import Array

Mask = npt.NDArray[np.bool_]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A picture before and after an edit, with the lines that were read in both."""

    before: Array
    after: Array
    lines: Sequence[Line]
    read: Sequence[Line]
    restored: Mask | None = None
    """Where ground was put in the place of ink; None where that is not known."""
    laid: Mask | None = None
    """Where ink was laid."""


def fault(reading: Reading, operations: Sequence[Operation]) -> str:
    """What is wrong with an edit, in a few words; empty where it holds."""
    changed = np.any(reading.before != reading.after, axis=2)
    if not changed.any():
        return "nothing changed"
    for operation in operations:
        told = _missing(reading, operation) or _left(reading, operation)
        if told:
            return told
    return (
        _unforeseen(reading, changed)
        or _torn(reading, operations)
        or _lost(reading, operations, changed)
        or _covered(reading, operations)
        or _touched(reading, operations, changed)
        or _stained(reading, operations, changed)
        or _remains(reading, operations, changed)
        or _across(reading, operations, changed)
        or _touching(reading)
        or _crowding(reading, operations)
        or _crossing(reading, operations)
        or _emptied(reading, operations)
        or _strayed(reading, operations, changed)
        or _faint(reading, operations, changed)
    )


def _unforeseen(reading: Reading, changed: Mask) -> str:
    """A pixel that differs though neither ground nor ink was put there."""
    if reading.restored is None or reading.laid is None:
        return ""
    if bool((changed & ~(reading.restored | reading.laid)).any()):
        return "pixels would have changed that no operation touched"
    return ""


def _torn(reading: Reading, operations: Sequence[Operation]) -> str:
    """Words of an edited line that had to stay and are no longer read as they were."""
    page = plain("".join(line.text for line in reading.read))
    edited: dict[int, list[tuple[int, int]]] = {}
    for operation in operations:
        for target in operation.targets if operation.kind in ("change", "delete") else ():
            for match in find(reading.lines, target)[:1]:
                for span in match.spans:
                    edited.setdefault(span.line, []).append((span.start, span.end))
    for number, spans in edited.items():
        text = reading.lines[number].text
        ends = [0, *itertools.chain.from_iterable(sorted(spans)), len(text)]
        for start, end in zip(ends[::2], ends[1::2], strict=True):
            rest = plain(text[start:end])
            if len(rest) > 2 and fuzz.partial_ratio(rest, page) / 100 < limits.KEPT:
                return f"{text[start:end].strip()!r} could no longer be read"
    return ""


def _missing(reading: Reading, operation: Operation) -> str:
    """The text that should be read in the result and is not."""
    if operation.kind == "delete" or operation.manner == "struck":
        return ""
    if _unread(operation):
        return ""
    wanted = [operation.text] if operation.text else _texts(reading, operation.targets)
    page = plain("".join(line.text for line in reading.read))
    for text in wanted:
        query = plain(text or "")
        if query and not _reads(query, page, reading.read):
            return f"{text!r} cannot be read in the result"
    return ""


def _texts(reading: Reading, targets: Iterable[Target]) -> list[str]:
    """The words of targets as they were read before, line by line."""
    return [
        reading.lines[span.line].text[span.start : span.end]
        for target in targets
        for match in find(reading.lines, target)[:1]
        for span in match.spans
    ]


def _reads(query: str, page: str, lines: Sequence[Line]) -> bool:
    if any(likeness(query, plain(line.text)) >= limits.READ for line in lines):
        return True
    return (
        len(page) >= limits.READ * len(query)
        and fuzz.partial_ratio(query, page) / 100 >= limits.READ
    )


def _left(reading: Reading, operation: Operation) -> str:
    """What stands where a text was deleted or replaced and should not."""
    if operation.kind not in ("delete", "change"):
        return ""
    new = plain(operation.text or "")
    for target in operation.targets:
        for match in find(reading.lines, target)[:1]:
            for span in match.spans:
                line = reading.lines[span.line]
                old = plain(line.text[span.start : span.end])
                if len(plain(line.text)) > len(old) or not old:
                    continue  # other words of the line stay, and are looked at as such
                rest = "".join(plain(o.text) for o in reading.read if _inside(o, line.box))
                if operation.kind == "delete" and rest:
                    return f"{rest!r} is still read where {target} was"
                if (
                    rest
                    and old not in new
                    and likeness(rest, old) > max(limits.READ, likeness(rest, new))
                ):
                    return f"{target} is still read in the result"
    return ""


def _inside(line: Line, box: Box) -> bool:
    x, y = line.centre
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _concerned(reading: Reading, operations: Sequence[Operation]) -> set[int]:
    """The lines that an operation is about."""
    return {
        span.line
        for operation in operations
        for target in (*operation.targets, *([operation.anchor] if operation.anchor else []))
        for match in find(reading.lines, target)[:1]
        for span in match.spans
    }


def _lost(reading: Reading, operations: Sequence[Operation], changed: Mask) -> str:
    """A line that had to stay, lies where pixels changed, and can no longer be read."""
    concerned = _concerned(reading, operations)
    for number, line in enumerate(reading.lines):
        text = plain(line.text)
        if number in concerned or len(text) < 2 or not _part(changed, line.box).any():
            continue
        here = [o for o in reading.read if _inside(o, line.box) or _inside(line, o.box)]
        seen = [plain(o.text) for o in here]
        best = max((likeness(text, other) for other in seen), default=0.0)
        within = any(text in other for other in seen)
        if best < limits.STILL and not within:
            return f"{line.text!r} beside it could no longer be read"
    return ""


def _covered(reading: Reading, operations: Sequence[Operation]) -> str:
    """A text that came to lie on another one which had to stay."""
    if all(operation.kind in ("delete", "recolour") for operation in operations):
        return ""
    concerned = _concerned(reading, operations)
    placed = [line for line in reading.read if _new(line, reading.lines)]
    for number, line in enumerate(reading.lines):
        if number in concerned or len(plain(line.text)) < 2:
            continue
        if any(_shared(line.box, other.box) > limits.COVERED for other in placed):
            here = [plain(o.text) for o in placed if _shared(line.box, o.box) > limits.COVERED]
            if max(likeness(plain(line.text), text) for text in here) < limits.STILL:
                return f"the new text would lie on {line.text!r}"
    return ""


def _shared(one: Box, other: Box) -> float:
    """The part of the smaller of two boxes that lies in both, 0 to 1."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return max(0.0, width) * max(0.0, height) / max(1.0, min(areas))


def _touched(reading: Reading, operations: Sequence[Operation], changed: Mask) -> str:
    """A line that had to stay and has other pixels now, though it may still be read."""
    concerned = _concerned(reading, operations)
    for number, line in enumerate(reading.lines):
        left, top, right, bottom = line.box
        rim = 0.2 * (bottom - top)
        middle = _part(changed, (left, top + rim, right, bottom - rim))
        if number not in concerned and middle.size and float(middle.mean()) > limits.TOUCHED:
            return f"{line.text!r} beside it would be touched"
    return ""


def _stained(reading: Reading, operations: Sequence[Operation], changed: Mask) -> str:
    """What a text left behind where it stood: its place is unlike the ground around it."""
    if any(o.kind in ("recolour", "restyle") or _unread(o) for o in operations):
        return ""
    own = [reading.lines[number] for number in _concerned(reading, operations)]
    placed = np.zeros(changed.shape, dtype=np.bool_)
    for line in _now(reading, own):
        _part(placed, _grown(line, 0.2))[...] = True
    for line in own:
        place = _part(changed & ~placed, _grown(line, 0.2))
        ground = reading.before[_ring(reading, line)].astype(np.float64)
        if not place.any() or len(ground) < limits.LEAST_GROUND:
            continue
        seen = _part(reading.after, _grown(line, 0.2))[place]
        if float(_unlike(seen, ground).mean()) > limits.STAINED:
            return f"stains would be left where {line.text!r} was"
    return ""


def _remains(reading: Reading, operations: Sequence[Operation], changed: Mask) -> str:
    """Ink of a text that was to go, or to take another colour, and stands where it stood: of a
    letter and its shadow only the shadow was taken, for example.

    Where new ink came, ink of its colour may be its own and is not counted.
    """
    kinds = ("delete", "change", "recolour", "move", "resize", "rotate", "swap")
    gone = all(operation.kind in ("delete", "recolour") for operation in operations)
    set_anew = all(operation.kind == "change" for operation in operations)
    for number in _whole_lines(reading, [o for o in operations if o.kind in kinds]):
        line = reading.lines[number]
        ground = reading.before[_ring(reading, line)].astype(np.float64)
        if len(ground) < limits.LEAST_GROUND:
            continue
        before, after = _part(reading.before, line.box), _part(reading.after, line.box)
        ink, fresh = _unlike(before, ground), _part(changed, line.box)
        left = ink & ~fresh
        new = after[fresh & _unlike(after, ground)]
        if len(new) and not gone:
            away = np.abs(before.astype(np.float64) - np.median(new, axis=0)).max(axis=2)
            left &= away > 2 * limits.GROUND
        if float(left.sum()) > limits.REMAINS * max(1, int(ink.sum())):
            return f"parts of {line.text!r} would be left"
        if len(new) and set_anew and _lighter(before[ink], ground) != _lighter(new, ground):
            return f"{line.text!r} would be set in the colour of its shadow"
    return ""


def _lighter(ink: Array, ground: npt.NDArray[np.float64]) -> bool:
    """Whether most of some pixels are lighter than their ground."""
    return bool(np.median(ink.mean(axis=1)) > np.median(ground.mean(axis=1)))


def _unlike(pixels: Array, ground: npt.NDArray[np.float64]) -> Mask:
    """Which pixels (…, 3) are of no colour that some ground (n, 3) has; of a ground that is mostly
    one colour, that colour alone counts.
    """
    most = 1.0 if _apart(ground) > limits.MIXED else 25.0
    low, high = np.percentile(ground, most, axis=0), np.percentile(ground, 100 - most, axis=0)
    return np.asarray(
        ((pixels < low - limits.GROUND) | (pixels > high + limits.GROUND)).any(axis=-1), np.bool_
    )


def _whole_lines(reading: Reading, operations: Sequence[Operation]) -> set[int]:
    """The lines of which operations take every word; a change leaves the words alone that old and
    new text share at an end.
    """
    return {
        span.line
        for operation in operations
        for target in operation.targets
        if not _shares_an_end(target.text or "", operation.text or "")
        for match in find(reading.lines, target)[:1]
        for span in match.spans
        if len(plain(reading.lines[span.line].text))
        == len(plain(reading.lines[span.line].text[span.start : span.end]))
    }


def _shares_an_end(old: str, new: str) -> bool:
    before, after = old.lower().split(), new.lower().split()
    return bool(before and after) and (before[0] == after[0] or before[-1] == after[-1])


def _across(reading: Reading, operations: Sequence[Operation], changed: Mask) -> str:
    """A text that stood on one ground and would now lie across an edge of it."""
    own = [reading.lines[number] for number in _concerned(reading, operations)]
    rings = [reading.before[_ring(reading, line)] for line in own]
    if not rings or any(len(ring) < limits.LEAST_GROUND for ring in rings):
        return ""
    was = max(_apart(ring) for ring in rings)
    larger = any(o.kind == "resize" and (o.amount or 0.0) > 1.0 for o in operations)
    if larger and was > limits.MIXED and any(abs(_slope(line)) > limits.SLANTED for line in own):
        return "a slanted text would outgrow its ground"
    place = changed.copy()
    for line in reading.lines:
        _part(place, _grown(line, 0.2))[...] = False
    under = reading.before[place]
    if (
        was < limits.MIXED
        and len(under) >= limits.LEAST_GROUND
        and _apart(under) > was + limits.ACROSS
    ):
        return "the new text would lie across an edge of its ground"
    if was < limits.PLAIN and _struck(reading, own, changed) > was + limits.PLAIN:
        return "the new text would lie on a line"
    return ""


def _touching(reading: Reading) -> str:
    """New ink that would lie on, or beside, something that is no plain ground, though the old text
    stood on plain ground.
    """
    if reading.restored is None or reading.laid is None:
        return ""
    own = _near(reading.restored, limits.RIM)
    for line in reading.lines:
        _part(own, _grown(line, 0.05))[...] = True
    place = _near(reading.laid, limits.RIM) & ~own
    under = reading.before[place]
    if len(under) < limits.LEAST_GROUND:
        return ""
    texts = [
        line for line in reading.lines if _part(_near(reading.laid, 4 * limits.RIM), line.box).any()
    ]
    rings = [reading.before[_ring(reading, line, 0.15)] for line in texts or reading.lines]
    usual = [_apart(ring) for ring in rings if len(ring) >= limits.LEAST_GROUND]
    if (
        usual
        and min(usual) < limits.MIXED
        and _apart(under) > max(limits.ON_OTHER, min(usual) + limits.ON_OTHER)
    ):
        return "the new text would touch something that is no plain ground"
    return ""


def _crowding(reading: Reading, operations: Sequence[Operation]) -> str:
    """A line that had to stay, and into whose own place new ink came, however little: letters that
    touch each other are seen.
    """
    if reading.restored is None or reading.laid is None:
        return ""
    concerned = _concerned(reading, operations)
    own = _near(reading.restored, limits.RIM)
    for number in concerned:
        _part(own, reading.lines[number].box)[...] = True
    fresh = reading.laid & ~own
    for number, line in enumerate(reading.lines):
        if number in concerned or line.upended or abs(_slope(line)) > limits.SLANTED:
            continue
        if int(_part(fresh, _grown(line, -limits.CROWDED)).sum()) > limits.CROWDED * line.height:
            return f"the new text would touch {line.text!r}"
    return ""


_PLACING = ("insert", "move", "swap", "resize", "rotate", "change")


def _crossing(reading: Reading, operations: Sequence[Operation]) -> str:
    """An edge or a line of the picture that new ink would cross, or touch, and that the old text
    (for an insertion, the one beside it) did not: the rim of a panel or a package, a divider.

    An edge is told by its steepness and length, however pale it is: a colour's distance tells
    nothing of a hair line.
    """
    if reading.restored is None or reading.laid is None or not reading.laid.any():
        return ""
    if not any(operation.kind in _PLACING for operation in operations):
        return ""
    own = [reading.lines[number] for number in _concerned(reading, operations)]
    heights = [line.height for line in own] or [_high(reading.laid)]
    height = max(8.0, min(heights))
    edges = _edges(reading, own, height)
    was = _hull(reading.restored, height)
    for line in own:
        _part(was, _grown(line, 0.0))[...] = True
    known = np.unique(edges[_near(was, max(2, round(limits.MARGIN * height)))])
    rough = len(known[known > 0])
    now = _near(_hull(reading.laid, height), max(2, round(limits.MARGIN * height)))
    found, pixels = np.unique(edges[now & ~was], return_counts=True)
    new = [
        number
        for number, count in zip(found, pixels, strict=True)
        if number and number not in known and count >= limits.EDGE_LENGTH * height
    ]
    return "the new text would cross an edge or a line" if len(new) > rough else ""


def _emptied(reading: Reading, operations: Sequence[Operation]) -> str:
    """A badge or a button that would stay behind, empty, when its text moves off it."""
    if reading.restored is None or reading.laid is None:
        return ""
    if not reading.laid.any() or all(operation.kind != "move" for operation in operations):
        return ""
    for number in _concerned(reading, [o for o in operations if o.kind == "move"]):
        line = reading.lines[number]
        ring = _ring(reading, line)
        if int(ring.sum()) < limits.LEAST_GROUND or not _part(reading.restored, line.box).any():
            continue
        usual = np.median(reading.before[ring], axis=0)
        away = np.abs(reading.before.astype(np.float32) - usual).max(axis=2)
        alike = (away < limits.GROUND) | reading.restored
        _, labels = cv2.connectedComponents(alike.astype(np.uint8), connectivity=4)
        numbers = np.unique(labels[ring & (labels > 0)])
        panel = np.isin(labels, numbers)
        inside = float(panel[reading.laid].mean())
        if float(panel.mean()) < limits.BADGE and inside < 0.5:
            return f"what {line.text!r} stands on would be left empty"
    return ""


def _high(mask: Mask) -> float:
    rows = np.nonzero(mask.any(axis=1))[0]
    return float(rows[-1] - rows[0] + 1)


def _hull(mask: Mask, height: float) -> Mask:
    """The convex hull of each text whose ink is in a mask: letters nearer than a line's height."""
    joined = _near(mask, max(1, round(0.35 * height)))
    count, labels = cv2.connectedComponents(joined.astype(np.uint8), connectivity=8)
    hulls = np.zeros(mask.shape, np.uint8)
    for number in range(1, count):
        ys, xs = np.nonzero((labels == number) & mask)
        if len(ys):
            hull = cv2.convexHull(np.column_stack([xs, ys]).astype(np.int32))
            cv2.fillConvexPoly(hulls, hull, 1)
    return np.asarray(hulls, np.bool_)


def _edges(reading: Reading, own: Sequence[Line], height: float) -> npt.NDArray[np.int32]:
    """The edges of the picture before, without those of its texts: a number for each, 0 elsewhere,
    (H, W). What is shorter than a part of the text's height is grain.
    """
    assert reading.restored is not None
    assert reading.laid is not None
    found = np.zeros(reading.before.shape[:2], np.int32)
    rows, columns = np.nonzero(reading.restored | reading.laid)
    reach = round(height)
    at = (
        slice(max(0, int(rows.min()) - reach), int(rows.max()) + reach + 1),
        slice(max(0, int(columns.min()) - reach), int(columns.max()) + reach + 1),
    )
    soft = cv2.GaussianBlur(reading.before[at].astype(np.float32), (0, 0), 1.0)
    along, down = (cv2.Sobel(soft, cv2.CV_32F, *way, scale=1 / 8) for way in ((1, 0), (0, 1)))
    steep = np.hypot(along, down).max(axis=2)
    texts = _near(reading.restored, limits.RIM)
    for line in reading.lines:
        _part(texts, _grown(line, 0.05))[...] = True
    seen = ~texts[at]
    usual = float(np.median(steep[seen])) if seen.any() else 0.0
    mask = (steep > max(limits.STEP, limits.ABOVE_GRAIN * usual)) & seen
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    extent = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
    extent[0] = 0
    found[at] = np.where(extent[labels] >= limits.EDGE_LENGTH * height, labels, 0)
    return found


def _near(mask: Mask, radius: int) -> Mask:
    kernel = np.ones((2 * radius + 1, 2 * radius + 1), np.uint8)
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel), np.bool_)


def _struck(reading: Reading, own: Sequence[Line], changed: Mask) -> float:
    """The part of the place that new texts take which was neither ground nor old text, 0 to 1."""
    place = np.zeros(reading.before.shape[:2], dtype=np.bool_)
    for line in _now(reading, own):
        if _part(changed, line.box).any():
            _part(place, _grown(line, -0.15))[...] = True
    for line in reading.lines:
        _part(place, _grown(line, 0.25))[...] = False
    under = reading.before[place]
    return _apart(under) if len(under) >= limits.LEAST_GROUND else 0.0


def _slope(line: Line) -> float:
    """How much a line rises or falls, as a part of its length."""
    along = line.corners[1] - line.corners[0]
    return float(along[1] / max(1.0, abs(along[0])))


def _apart(pixels: npt.NDArray[Any]) -> float:
    """The part of some pixels that is not of their common ground, 0 to 1."""
    away = np.abs(pixels.astype(np.float64) - np.median(pixels, axis=0)).max(axis=1) > limits.GROUND
    return float(away.mean())


def _ring(reading: Reading, line: Line, share: float = 0.4) -> Mask:
    """What lies around a line, within a share of its height, and is no text."""
    ring = np.zeros(reading.before.shape[:2], dtype=np.bool_)
    _part(ring, _grown(line, share))[...] = True
    for other in reading.lines:
        _part(ring, _grown(other, 0.05))[...] = False
    return ring


def _grown(line: Line, share: float) -> Box:
    left, top, right, bottom = line.box
    more = share * min(right - left, bottom - top)
    return left - more, top - more, right + more, bottom + more


def _now(reading: Reading, own: Sequence[Line]) -> list[Line]:
    """The lines of the result that are new, or are `own` ones at another place or size."""
    texts = [plain(line.text) for line in own]
    return [
        line
        for line in reading.read
        if _new(line, reading.lines)
        or any(likeness(plain(line.text), t) > limits.STILL for t in texts)
    ]


def _unread(operation: Operation) -> bool:
    """Whether the text is turned further than an engine reads."""
    return operation.kind == "rotate" and abs(operation.amount or 0.0) > limits.TILTED


def _strayed(reading: Reading, operations: Sequence[Operation], changed: Mask) -> str:
    """Whether too much changed away from the texts that were to change and to appear."""
    allowed = np.zeros(changed.shape, dtype=np.bool_)
    own = [reading.lines[number] for number in _concerned(reading, operations)]
    for line in (*own, *_now(reading, own)):
        left, top, right, bottom = line.box
        more = 0.6 * max(line.height, min(right - left, bottom - top))
        _part(allowed, (left - more, top - more, right + more, bottom + more))[...] = True
    stray = int((changed & ~allowed).sum())
    if stray > limits.STRAY * int(changed.sum()):
        return "the picture would have changed away from the text"
    return ""


def _faint(reading: Reading, operations: Sequence[Operation], changed: Mask) -> str:
    """A text that hardly stands out from its new ground, though it did from its old one.

    A reader by machine makes out black on navy, where people see nothing.
    """
    if all(operation.kind in ("delete", "recolour") for operation in operations):
        return ""
    concerned = _concerned(reading, operations)
    usual = [_contrast(reading.before, reading.lines[n].box) for n in concerned]
    if not usual:
        return ""
    for line in reading.read:
        moved = _new(line, reading.lines) and _part(changed, line.box).any()
        if moved and _contrast(reading.after, line.box) < limits.FAINT * min(usual):
            return f"{line.text!r} would hardly stand out from the ground"
    return ""


def _contrast(picture: Array, box: Box) -> float:
    """How far the darkest and the brightest tenth of a box lie apart, in levels of 255."""
    left, top, right, bottom = (max(0, int(value)) for value in box)
    grey = picture[top : bottom + 1, left : right + 1].mean(axis=2)
    low, high = np.percentile(grey, (10, 90)) if grey.size else (0.0, 0.0)
    return float(high - low)


def _new(line: Line, before: Sequence[Line]) -> bool:
    """Whether nothing like a line was read at its place before."""
    text = plain(line.text)
    return not any(
        _inside(other, line.box) and likeness(text, plain(other.text)) > 0.9 for other in before
    )


def _part(pixels: npt.NDArray[Any], box: Box) -> npt.NDArray[Any]:
    left, top, right, bottom = (max(0, int(value)) for value in box)
    return pixels[top : bottom + 1, left : right + 1]
