"""Which text of a picture a description means: asked of its lines, their places, sizes, inks and
grounds.

One text has to fit clearly better than all others; where two may be meant, `CannotEdit` says so.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from rapidfuzz.distance import Levenshtein

from editgauge.editors.typeset.canvas import Canvas, Inked
from editgauge.editors.typeset.colours import may_be_called
from editgauge.editors.typeset.common import CannotEdit
from editgauge.editors.typeset.find import Line, find, plain, whole
from editgauge.editors.typeset.phrases import Description
from editgauge.editors.typeset.request import Operation, Span, Target
from editgauge.editors.typeset.vocabulary import PLAIN_KINDS

_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\.?"
KINDS: dict[str, str] = {
    "date": (
        rf"\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}|\d{{4}}-\d\d-\d\d|"
        rf"(?:\b[a-z]+day,? )?\b\d{{1,2}}(?:st|nd|rd|th)?\.?(?: of)? ?{_MONTHS}(?:,? ?\d{{4}})?|"
        rf"(?:\b[a-z]+day,? )?\b{_MONTHS} ?\d{{1,2}}(?:st|nd|rd|th)?\b(?:,? ?\d{{4}})?"
    ),
    "year": r"\b(?:1[5-9]|20)\d\d\b",
    "time": r"\b\d{1,2}[:h]\d\d(?: ?[ap]\.?m\.?)?\b|\b\d{1,2}(?:\.\d\d)? ?[ap]\.?m\b",
    "price": (
        r"(?:[$€£¥]|\b(?:eur|usd|gbp|chf|rs\.?) ?)\s?\d[\d.,]*|"
        r"\d[\d.,]*\s?(?:[$€£¥]|(?:eur|usd|gbp|chf|euros?|dollars?|pounds?)\b)|\b\d+[.,]\d\d\b(?![:.])"
    ),
    "weight": r"\b\d+(?:[.,]\d+)? ?(?:kg|kilos?|grams?|g|lbs?|oz)\b",
    "percentage": r"\d+(?:[.,]\d+)?\s?%",
    "phone": r"\+?\(?\d[\d ()/.-]{5,}\d",
    "email": r"(?<!\S)\S[^\s@]*@\S+\.\w+",
    "website": r"(?<![@\w.])(?:https?://)?(?:www\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,7}(?:/\S*)?(?![@\w])",
    "handle": r"(?<!\w)@\w[\w.]*",
    "hashtag": r"#\w+",
    "address": (
        r".*\b(?:\w*stra(?:ss|ß)e|street|st\.|road|rd\.|avenue|ave|lane|square|quay|place|boulevard|"
        r"blvd|drive|park|gasse|platz|rue|via|calle|plaza|weg|allee|terrace|court|hill)\b.*"
    ),
    "greeting": (
        r"^(?:happy|merry|dear|hello|hi|hey|welcome|congratulations|greetings|best wishes|"
        r"good (?:morning|evening|day|luck)|season|thank)\b.*"
    ),
}
"""What texts of a kind look like, in lower case."""
_WHOLE_LINE = ("address", "greeting")
_NUMERIC = 0.5
"""The part of a line's letters and digits that are digits, where the line is a figure."""
_SMALLER = 0.85
"""How much smaller a text is, at most, that is called the small one."""
_SOME = 0.05
"""The part of a line's box that has a colour, where the line may be of that colour."""
_LARGER = 1.15
"""How much larger than all other texts a title is that stands below one of them."""
_SURELY = 0.95
"""The similarity from which a quoted text is the one that the picture has."""
_CLEAR, _CLEAR_OF_A_KIND = 1.0, 0.6
"""Of a line's height: by how much one text stands further out than the next; less is asked where
its kind shows in what it reads.
"""
_OUTER = 1 / 3
"""Of the picture: how far in a text may stand that is "at the top"."""
_ABOVE_TITLE = 0.75
"""Of a title's height: how large a text above it may be, such as a publisher's name."""


_NO_LINES = re.compile(
    r"\b(?:messages?|comments?|replies|reply|posts?|bubbles?|sentences?|paragraphs?|phrases?|"
    r"sections?|parts?|verses?|stanzas?|questions?|answers?|steps?)\b"
)
"""What is counted and is not a line each: what people post stands beside other texts, a sentence
runs over several lines.
"""


@dataclass(frozen=True, slots=True)
class Spot:
    """A part of a line that may be meant."""

    line: Line
    span: Span

    @property
    def text(self) -> str:
        return self.line.text[self.span.start : self.span.end]


def pointed(canvas: Canvas, operation: Operation) -> Operation:
    """The operation with each described target replaced by the words and the place that it means.

    A plural stands for each of its texts. Raises `CannotEdit` where nothing, or more than one text,
    fits.
    """
    operation = _or_moved(canvas, operation)
    targets = [one for target in operation.targets for one in _pointed(canvas, target)]
    anchor = _as_one(_pointed(canvas, operation.anchor)) if operation.anchor is not None else None
    if operation.kind == "insert" and operation.place != "between" and len(targets) > 1:
        if operation.place not in ("above", "below"):
            raise CannotEdit(f"{len(targets)} texts fit, and one text is inserted at one of them")
        targets = [_as_one(targets)]  # below three lines is below the last of them
    if operation.kind in _WHOLE_ONLY and any(t.description for t in operation.targets):
        _are_whole_lines(canvas, targets)
    if operation.kind == "swap" and any(map(_is_entry, operation.targets)):
        raise CannotEdit("what else belongs to an entry of a list is not seen")
    if operation.kind == "change":
        targets = [_without_bullet(canvas, target) for target in targets]
    if operation.kind in ("change", "move") and len(targets) > 1:
        raise CannotEdit(f"{len(targets)} texts fit, and one is changed or moved at a time")
    if operation.kind == "swap" and len(targets) != 2:
        raise CannotEdit(f"a swap is of two texts, and {len(targets)} fit")
    return replace(operation, targets=tuple(targets), anchor=anchor)


_WHOLE_ONLY = ("move", "swap", "rotate", "resize")
"""What is not done to a part of a line that only a description tells."""


def _are_whole_lines(canvas: Canvas, targets: Sequence[Target]) -> None:
    for target in targets:
        for span in target.spans:
            text = canvas.lines[span.line].text
            if plain(text) != plain(text[span.start : span.end]):
                raise CannotEdit(f"{target.text!r} is only a part of what stands there")


def _is_entry(target: Target) -> bool:
    return target.description is not None and target.description.kind == "entry"


def _or_moved(canvas: Canvas, operation: Operation) -> Operation:
    """ "Put A at the top" is a move where the picture has A already."""
    if not operation.perhaps_there or operation.place == "between":
        return operation
    own = Target(operation.text)
    found = [match for match in find(canvas.lines, own) if match.similarity > _SURELY]
    if not any(whole(canvas.lines, match) for match in found):
        return operation
    anchor = operation.targets[0] if operation.targets else None
    return Operation(kind="move", targets=(own,), place=operation.place, anchor=anchor)


def _without_bullet(canvas: Canvas, target: Target) -> Target:
    """Without the mark that a line begins with: a bullet, or a map's dot that was read as one."""
    if not target.spans:
        return target
    first = target.spans[0]
    text = canvas.lines[first.line].text[first.start : first.end]
    mark = re.match(r"[•·●○▪■◦*–-]\s*(?=\w)", text)
    if mark is None:
        return target
    first = replace(first, start=first.start + mark.end())
    return replace(target, text=(target.text or "")[mark.end() :], spans=(first, *target.spans[1:]))


def _guessed(description: Description) -> bool:
    """Whether a word without a rule is to tell which text is meant: that could only be guessed."""
    others = (description.within, description.beside[1] if description.beside else None)
    return bool(description.words) or any(_guessed(other) for other in others if other)


_ALONE = ("date", "price", "phone", "email", "website", "percentage", "weight")
"""Kinds whose form is so clear that whose they are need not be known where there is one."""


def _without_owner(canvas: Canvas, description: Description) -> Description:
    """The description without the words that tell whose a price or a date is, where the picture has
    one of the kind and no other text that could be it.
    """
    plainly = replace(description, words=())
    rest = (description.order, description.count, description.beside, description.within)
    owned = re.search(r" (?:of|for) (?:the|this|that|a|our|my|your) [\w' -]+$", description.told)
    if not description.words or description.kind not in _ALONE or description.plural or not owned:
        return description
    if any(value is not None for value in rest) or _guessed(plainly):
        return description
    said = owned[0].split()
    if any(word not in said for word in description.words):
        return description
    spots = _of_kind(canvas, plainly)
    if len(spots) != 1 or spots[0].span.start or _announced(canvas, spots[0]):
        return description
    return plainly


def _announced(canvas: Canvas, spot: Spot) -> bool:
    """Whether a label stands before a text in its row ("Due:"): it says which one it is."""
    line = spot.line
    return any(
        other.text.rstrip().endswith(":")
        and abs(other.centre[1] - line.centre[1]) < 0.5 * line.height
        and other.centre[0] < line.box[0]
        for other in canvas.lines
    )


def _as_one(targets: Sequence[Target]) -> Target:
    if len(targets) == 1:
        return targets[0]
    spans = tuple(span for target in targets for span in target.spans)
    return Target(" ".join(target.text or "" for target in targets), spans=spans)


def _pointed(canvas: Canvas, target: Target) -> list[Target]:
    if target.description is None:
        return [target]
    description = _without_owner(canvas, target.description)
    if _guessed(description):
        raise CannotEdit(f"which text {description.told!r} means is not clear")
    groups = choose(canvas, description)
    return [
        Target(" ".join(spot.text for spot in group), spans=tuple(spot.span for spot in group))
        for group in groups
    ]


def choose(canvas: Canvas, description: Description) -> list[list[Spot]]:
    """The texts that are meant, each with its lines; one, unless the description is a plural."""
    if description.kind in ("title", "subtitle") and description.order is None:
        return [_the_title(canvas, description)]
    if description.within is not None:
        return [[_part_of(canvas, description)]]
    if description.order is not None and _NO_LINES.search(description.told):
        raise CannotEdit(f"{description.told!r}: what is counted there are no lines")
    if description.order is not None and (
        description.plural or description.kind in ("title", "subtitle")
    ):
        raise CannotEdit(f"{description.told!r}: which of several are meant is not clear")
    spots = _of_kind(canvas, description)
    spots = _fitting(canvas, description, spots)
    _are_whole(canvas, description, spots)
    if description.count is not None and len(spots) != description.count:
        spots = _equal_ones(spots, description.count)
    if not spots:
        raise CannotEdit(f"nothing in the picture fits {description.told!r}")
    spots = _placed(canvas, description, spots)
    spots = _sized(description, spots)
    if description.order is not None:
        spots = [_ordered(canvas, description, spots)]
    _is_whole_row(canvas, description, spots)
    if (description.plural or _in_its_colour(description)) and len(spots) > 1:
        return [[spot] for spot in spots]
    spots = _outermost(canvas, description, spots)
    _stands_there(canvas, description, spots)
    if description.kind == "word" and not description.colour and " " in spots[0].text.strip():
        raise CannotEdit(f"{description.told!r} may mean any word of {spots[0].text!r}")
    one = description.kind in ("word", "number") and not description.colour
    if len(spots) > 1 and (one or not _one_text(spots)):
        raise CannotEdit(f"{description.told!r} may mean any of {len(spots)} texts")
    _is_all_read(canvas, description, spots)
    return [spots]


def _in_its_colour(description: Description) -> bool:
    """Whether all the text of a colour is meant: "the white text", and no place, size or words."""
    plainly = re.fullmatch(r"(?:all )?the [\w-]+ (?:text|lettering|writing)", description.told)
    return bool(description.colour) and description.kind == "text" and plainly is not None


def _the_title(canvas: Canvas, description: Description) -> list[Spot]:
    """The lines of the title, or of the subtitle."""
    if description.plural:
        raise CannotEdit(f"{description.told!r}: several are meant, and one is told by its size")
    spots = _fitting(canvas, description, _titles(canvas, description))
    if not spots:
        raise CannotEdit(f"nothing in the picture fits {description.told!r}")
    spots = _placed(canvas, description, spots)
    _is_all_read(canvas, description, spots)
    return spots


def _is_whole_row(canvas: Canvas, description: Description, spots: list[Spot]) -> None:
    """Raises `CannotEdit` where a row or an entry is told and other texts stand in it, too."""
    if description.kind not in ("entry", "row") or description.plural:
        return
    own = [spot.line for spot in spots]
    for line in canvas.lines:
        beside = any(
            abs(line.centre[1] - one.centre[1]) < 0.5 * min(line.height, one.height) for one in own
        )
        if beside and not any(line is one for one in own):
            raise CannotEdit(f"{description.told!r} holds {line.text!r}, too")


def _is_all_read(canvas: Canvas, description: Description, spots: Sequence[Spot]) -> None:
    """Raises `CannotEdit` where letters of the same ink stand right beside a described text and
    were not read: what the engine missed of a title is a part of it. Kinds are told by their form.
    """
    if description.kind not in ("title", "subtitle", *PLAIN_KINDS):
        return
    for spot in spots:
        inked = canvas.inked(spot.span.line)
        if inked is None or spot.line.upended:
            continue
        high = spot.line.height
        left, top, right, bottom = (round(value) for value in spot.line.box)
        x0, y0 = max(0, left - round(_BESIDE * high)), max(0, top)
        place = canvas.original[y0:bottom, x0 : right + round(_BESIDE * high)].astype(float)
        ink = np.abs(place - np.asarray(inked.glyphs.colour)).max(axis=2) < _SAME_INK
        for line in canvas.lines:
            a, b, c, d = (round(value) for value in line.box)
            rim = round(0.1 * high)
            ink[max(0, b - rim - y0) : max(0, d + rim - y0),
                max(0, a - rim - x0) : max(0, c + rim - x0)] = False  # fmt: skip
        ground = np.median(place, axis=(0, 1))
        if np.abs(ground - np.asarray(inked.glyphs.colour)).max() < 2 * _SAME_INK:
            continue
        _, _, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
        tall, wide = stats[1:, cv2.CC_STAT_HEIGHT], stats[1:, cv2.CC_STAT_WIDTH]
        letters = (tall > _LETTER * high) & (tall < high) & (wide < 1.5 * high)
        if bool(letters.any()):
            raise CannotEdit(f"more than {spot.text!r} may stand there")


_BESIDE, _LETTER = 1.0, 0.4
"""Of a line's height: how far beside it more of it may stand, and how tall a letter is at least."""
_SAME_INK = 40.0
"""Levels of 255 within which two pixels are of one ink."""


def _fitting(canvas: Canvas, description: Description, spots: list[Spot]) -> list[Spot]:
    for keep in (_saying, _coloured, _grounded, _beside):
        spots = keep(canvas, description, spots)
    return spots


def _part_of(canvas: Canvas, description: Description) -> Spot:
    """The word, number or line with an ordinal in another text."""
    assert description.within is not None
    groups = choose(canvas, description.within)
    spots = [spot for row in _rows([s for group in groups for s in group]) for spot in row]
    if description.kind == "word":
        spots = [Spot(spot.line, span) for spot in spots for span in _words(spot)]
    elif description.kind == "number":
        spots = [s for s in spots if _numeric(s.text)]
    order = description.order or 0
    at = {0: len(spots) // 2, -1: len(spots) - 1}.get(order, order - 1)
    if at >= len(spots) or not spots or (order == 0 and len(spots) % 2 == 0):
        raise CannotEdit(f"{description.told!r}: there are {len(spots)}")
    return spots[at]


def _all(canvas: Canvas) -> list[Spot]:
    return [
        Spot(line, Span(n, 0, len(line.text)))
        for n, line in enumerate(canvas.lines)
        if plain(line.text)
    ]


def _titles(canvas: Canvas, description: Description) -> list[Spot]:
    every = _all(canvas)
    found = find(canvas.lines, Target(role="title"))
    title = {span.line for match in found for span in match.spans}
    if description.kind == "title":
        _is_the_title(canvas, title)
        return [spot for spot in every if spot.span.line in title]
    below = max((canvas.lines[n].box[3] for n in title), default=0.0)
    size = min((canvas.lines[n].height for n in title), default=0.0)
    under = [
        spot
        for spot in every
        if spot.span.line not in title
        and -0.3 * size < spot.line.box[1] - below < 1.2 * size
        and spot.line.height < _SMALLER * size
    ]
    under.sort(key=lambda spot: spot.line.centre[1])
    for spot in sorted(every, key=lambda s: s.line.centre[1]) if under else ():
        seen = title | {one.span.line for one in under}
        if spot.span.line not in seen and _one_text([under[-1], spot]):
            under.append(spot)  # its second row
    if len(under) > 1 and not _one_text(under):
        raise CannotEdit("which text is the subtitle is not clear")
    return under


def _is_the_title(canvas: Canvas, title: set[int]) -> None:
    """Raises `CannotEdit` where size and place do not both tell a title: the largest text that is
    not a number, and above it nothing, or only what is much smaller.
    """
    lines = canvas.lines
    others = [line for n, line in enumerate(lines) if n not in title and plain(line.text)]
    if not title:
        return
    if any(_numeric(lines[n].text) for n in title):
        raise CannotEdit("a number is as large, and which text is the title is not clear")
    if not _stand_together([lines[n] for n in title]):
        raise CannotEdit("which text is the title is not clear")
    if not others:
        return
    largest = max(lines[n].height for n in title)
    top = min(lines[n].centre[1] for n in title)
    above = [line for line in others if line.centre[1] < top]
    clearly = largest > _LARGER * max(line.height for line in others)
    if not clearly or any(o.height > _ABOVE_TITLE * largest for o in above):
        raise CannotEdit("which text is the title is not clear")


def _stand_together(lines: Sequence[Line]) -> bool:
    """Whether lines share their left ends, their right ends or their middles, on a slanted sheet
    too.
    """
    boxes = np.array([line.box for line in lines])
    high = min(line.height for line in lines)
    across = (boxes[:, 0], boxes[:, 2], (boxes[:, 0] + boxes[:, 2]) / 2)
    down = float(np.ptp(boxes[:, 1]))
    return len(lines) < 2 or min(float(np.ptp(x)) for x in across) < high * 0.6 + 0.15 * down


_JOINT = r"[-–—/:&+]"
"""What joins a date, a number or an address to more of it."""


def _are_whole(canvas: Canvas, description: Description, spots: Sequence[Spot]) -> None:
    """Raises `CannotEdit` where a thing of a kind is only a part of what stands there: "14 August"
    of "12 - 14 August", or a number behind "Call".
    """
    if description.kind not in KINDS or description.kind in _WHOLE_LINE:
        return
    for spot in spots:
        text = spot.line.text
        before, after = text[: spot.span.start], text[spot.span.end :]
        joined = re.search(rf"{_JOINT}\s*$", before) or re.match(rf"\s*{_JOINT}\s*\w", after)
        beside = [
            line.text
            for line in canvas.lines
            if line is not spot.line
            and abs(line.centre[1] - spot.line.centre[1]) < 0.4 * spot.line.height
            and (
                (0 <= spot.line.box[0] - line.box[2] < 1.5 * spot.line.height and not before)
                or (0 <= line.box[0] - spot.line.box[2] < 1.5 * spot.line.height and not after)
            )
        ]
        torn = any(re.search(rf"{_JOINT}\s*$|^\s*{_JOINT}", other) for other in beside)
        label = re.search(r":\s*$", before) is not None
        if (joined and not label) or torn:
            raise CannotEdit(f"{spot.text!r} is only a part of what stands there")


def _of_kind(canvas: Canvas, description: Description) -> list[Spot]:
    every = _all(canvas)
    kind = description.kind
    if kind == "number":
        numbers = [spot for spot in every if _numeric(spot.text)]
        mixed = [s for s in every if re.search(r"\d", s.text) and not _numeric(s.text)]
        if description.plural and mixed and not description.place:
            raise CannotEdit(f"{description.told!r} may mean those of {mixed[0].text!r}, too")
        return numbers
    if kind == "small print":
        return _smallest(every)
    if kind == "entry":
        return _listed(every)
    if kind not in KINDS:
        return [spot for spot in every if _of_form(description.told, spot.text)]
    found: list[Spot] = []
    for spot in every:
        for part in re.finditer(KINDS[kind], spot.text.lower()):
            whole = kind in _WHOLE_LINE or re.search(r"\blines?\b", description.told) is not None
            span = spot.span if whole else Span(spot.span.line, part.start(), part.end())
            found.append(Spot(spot.line, span))
            if whole:
                break
    if kind == "phone":
        return [spot for spot in found if _is_phone(canvas, spot)]
    if kind == "price":  # among amounts with a currency, one without is something else
        return [spot for spot in found if re.search(_CURRENCY, spot.text.lower())] or found
    return found


_CURRENCY = r"[$€£¥]|\b(?:eur|usd|gbp|chf|rs|euros?|dollars?|pounds?)\b"
_PHONE_LABEL = re.compile(r"\b(?:tel|phone|call|mobile|cell|fax|contact|whatsapp)", re.IGNORECASE)
_FORMS: tuple[tuple[str, str], ...] = (
    (r"names?", r"(?:[^\W\d_][\w'’.&-]*)(?: (?:[^\W\d_][\w'’.-]*|&)){0,3}"),
    (r"sentences?|slogans?|tag ?lines?|quotes?|notes?|hints?|warnings?|captions?", r"\S+ \S.*"),
)
"""What a text has to look like that is called so."""


def _of_form(told: str, text: str) -> bool:
    """Whether a text may be what its noun says: a name has no digits and begins with a capital."""
    for nouns, form in _FORMS:
        if re.search(rf"\b(?:{nouns})\b", told):
            named = nouns != "names?" or text[:1].isupper()
            return named and re.fullmatch(form, text.strip()) is not None
    return True


def _is_phone(canvas: Canvas, spot: Spot) -> bool:
    """Whether more than its digits tells a phone number: how it begins, or a label before it. An
    order's or a card's number has as many digits.
    """
    text = spot.text.strip()
    if any(re.search(KINDS[kind], text) for kind in ("date", "time")):
        return False
    if not 7 <= sum(c.isdigit() for c in text) <= 15:
        return False
    if re.match(r"\+|\(?0", text) or _PHONE_LABEL.search(spot.line.text[: spot.span.start]):
        return spot.span.start == 0 or not re.search(r"\w$", spot.line.text[: spot.span.start])
    left, top, _, _ = spot.line.box
    return any(
        _PHONE_LABEL.search(line.text)
        for line in canvas.lines
        if line is not spot.line
        and (0 <= left - line.box[2] < 3 * spot.line.height or 0 <= top - line.box[3] < 20)
        and abs(line.centre[1] - spot.line.centre[1]) < 2 * spot.line.height
    )


def _numeric(text: str) -> bool:
    letters = plain(text)
    return sum(c.isdigit() for c in letters) >= _NUMERIC * max(1, len(letters))


def _smallest(spots: list[Spot]) -> list[Spot]:
    height = min((spot.line.height for spot in spots), default=0.0)
    return [spot for spot in spots if spot.line.height < height / _SMALLER]


def _listed(spots: list[Spot]) -> list[Spot]:
    """The longest column of at least three texts that begin at one x and are about as large."""
    best: list[Spot] = []
    for first in spots:
        high = first.line.height
        column = [
            spot
            for spot in spots
            if abs(spot.line.box[0] - first.line.box[0]) < 0.4 * high
            and _SMALLER * high < spot.line.height < high / _SMALLER
        ]
        best = max(best, column, key=len)
    best = sorted(best, key=lambda spot: spot.line.centre[1])
    return best if len(best) >= 3 and _is_regular(best) else []


def _is_regular(column: Sequence[Spot]) -> bool:
    """Whether texts one below the other are one list: as far apart, and all words or all
    numbers.
    """
    apart = [two.line.centre[1] - one.line.centre[1] for one, two in itertools.pairwise(column)]
    kinds = {_numeric(spot.text) for spot in column}
    return len(kinds) == 1 and max(apart) < _REGULAR * max(1.0, min(apart))


_REGULAR = 1.5
"""How much further than the others two neighbours of a list may stand apart."""


def _saying(canvas: Canvas, description: Description, spots: list[Spot]) -> list[Spot]:
    """Those with the words of the description: at least half of the words that no rule knows have
    to be there.
    """
    del canvas
    if description.says:
        spots = [s for s in spots if plain(description.says) in plain(s.line.text)]
    if not description.words:
        return spots
    shared = [
        sum(any(_akin(word, seen) for seen in s.line.text.split()) for word in description.words)
        for s in spots
    ]
    most = max(shared, default=0)
    if 2 * most < len(description.words) or most == 0:
        return []
    return [spot for spot, count in zip(spots, shared, strict=True) if count == most]


def _akin(word: str, seen: str) -> bool:
    """Whether two words are one, or forms of one (``recipes`` and ``Recipe``)."""
    one, other = plain(word), plain(seen)
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return (
        len(short) >= 4
        and len(long) - len(short) <= 3
        and (long.startswith(short) or (len(short) > 6 and Levenshtein.distance(short, long) <= 1))
    )


def _coloured(canvas: Canvas, description: Description, spots: list[Spot]) -> list[Spot]:
    if not description.colour:
        return spots
    found: list[Spot] = []
    for spot in spots:
        inked = canvas.inked(spot.span.line)
        if inked is None:
            if _shows(canvas, spot.line, description.colour):
                raise CannotEdit(f"{spot.line.text!r} may be what {description.told!r} means")
            continue
        words = _words(spot)
        fits = [may_be_called(_ink(inked, word), description.colour) for word in words]
        if all(fits):
            found.append(spot)
        elif any(fits) and description.kind in ("word", "text", "number"):
            runs = [word for word, fit in zip(words, fits, strict=True) if fit]
            found += [Spot(spot.line, span) for span in _joined(spot.line.text, runs)]
    if not found and "label" in description.told.split():  # a label may be a text or its ground
        return _on_ground(canvas, description.colour, spots)
    return found


def _shows(canvas: Canvas, line: Line, colour: str) -> bool:
    """Whether a line whose ink cannot be told from its ground has some of a colour."""
    left, top, right, bottom = (max(0, int(value)) for value in line.box)
    step = max(1, (bottom - top) // 12)
    seen = canvas.original[top:bottom:step, left:right:step].reshape(-1, 3)
    fits = [may_be_called(_median(pixel), colour) for pixel in seen]
    return sum(fits) > _SOME * max(1, len(fits))


def _words(spot: Spot) -> list[Span]:
    return [
        Span(spot.span.line, spot.span.start + word.start(), spot.span.start + word.end())
        for word in re.finditer(r"\S+", spot.text)
    ]


def _joined(text: str, words: list[Span]) -> list[Span]:
    """Words that follow each other as one span."""
    runs: list[Span] = []
    for word in words:
        if runs and not text[runs[-1].end : word.start].strip():
            runs[-1] = Span(word.line, runs[-1].start, word.end)
        else:
            runs.append(word)
    return runs


def _ink(inked: Inked, span: Span) -> tuple[int, int, int]:
    """The typical ink of a span; its place in the line is told by the count of letters alone."""
    whole = span.start == 0 and span.end == len(inked.line.text)
    g = inked.glyphs
    solid = g.alpha > 0.9
    if not whole:
        left, right = inked.box[0], inked.box[2]
        letter = (right - left) / max(1, len(inked.line.text))
        mask = np.zeros(g.alpha.shape, bool)
        frame = inked.frame
        ys, xs = np.nonzero(solid)
        points = np.column_stack([xs + g.left, ys + g.top]) - frame.matrix[:, 2]
        along = points @ np.linalg.inv(frame.matrix[:, :2]).T[:, 0]
        low, high = left + (span.start + 0.5) * letter, left + (span.end - 0.5) * letter
        inside = (along >= low) & (along <= high)
        mask[ys[inside], xs[inside]] = True
        solid = mask
    pixels = g.ink[solid]
    if len(pixels) < 8:
        return g.colour
    red, green, blue = (int(c) for c in np.median(pixels, axis=0))
    return red, green, blue


def _grounded(canvas: Canvas, description: Description, spots: list[Spot]) -> list[Spot]:
    return _on_ground(canvas, description.ground, spots) if description.ground else spots


def _on_ground(canvas: Canvas, ground: str, spots: list[Spot]) -> list[Spot]:
    found = []
    for spot in spots:
        inked = canvas.inked(spot.span.line)
        if inked is None:
            continue
        g = inked.glyphs
        under = g.ground[g.erased]
        if len(under) and may_be_called(_median(under), ground):
            found.append(spot)
    return found


def _median(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> tuple[int, int, int]:
    red, green, blue = (int(c) for c in np.median(pixels.reshape(-1, 3), axis=0))
    return red, green, blue


def _beside(canvas: Canvas, description: Description, spots: list[Spot]) -> list[Spot]:
    """The nearest text on a side of another."""
    if description.beside is None:
        return spots
    side, of = description.beside
    anchor = [spot for group in choose(canvas, of) for spot in group]
    if side in ("before", "after") and of.says == of.told:
        longer = [s.text for s in anchor if plain(s.text) != plain(of.says)]
        if longer:
            raise CannotEdit(f"{of.says!r} stands inside {longer[0]!r}")
    boxes = np.array([spot.line.box for spot in anchor])
    left, top = boxes[:, :2].min(axis=0)
    right, bottom = boxes[:, 2:].max(axis=0)
    own = {spot.span.line for spot in anchor}
    near: list[tuple[float, Spot]] = []
    for spot in spots:
        x0, y0, x1, y1 = spot.line.box
        x, y = spot.line.centre
        beside_x, beside_y = x1 > left and x0 < right, top < y < bottom
        away = {
            "below": y0 - bottom if beside_x and y > bottom else None,
            "above": top - y1 if beside_x and y < top else None,
            "after": x0 - right if beside_y and x > right else None,
            "before": left - x1 if beside_y and x < left else None,
        }[side]
        if away is not None and spot.span.line not in own:
            near.append((float(away), spot))
    near.sort(key=lambda item: item[0])
    return [near[0][1]] if near else []


def _equal_ones(spots: list[Spot], count: int) -> list[Spot]:
    """Of all texts the one group of `count` that are as large as each other; none where there is no
    such group, or several.
    """
    groups: list[list[Spot]] = []
    for spot in sorted(spots, key=lambda s: s.line.height):
        if groups and spot.line.height < groups[-1][0].line.height / _SMALLER:
            groups[-1].append(spot)
        else:
            groups.append([spot])
    fits = [group for group in groups if len(group) == count]
    return fits[0] if len(fits) == 1 else []


def _placed(canvas: Canvas, description: Description, spots: list[Spot]) -> list[Spot]:
    """Those in the half of the picture (the middle third, the corners) that is told."""
    width, height = canvas.size
    place = description.place
    if len(spots) == 1:
        return spots
    tests: dict[str, Callable[[float, float], bool]] = {
        "top": lambda x, y: y < height / 2,
        "bottom": lambda x, y: y > height / 2,
        "left": lambda x, y: x < width / 2,
        "right": lambda x, y: x > width / 2,
        "middle": lambda x, y: _central(x, y, width, height),
        "corner": lambda x, y: (
            min(x, width - x) < 0.35 * width and min(y, height - y) < 0.25 * height
        ),
    }
    kept = [s for s in spots if all(tests[name](*s.line.centre) for name in place)]
    if not kept:
        raise CannotEdit(f"nothing in the picture fits {description.told!r}")
    return kept


def _central(x: float, y: float, width: float, height: float) -> bool:
    return abs(x - width / 2) < width / 4 and abs(y - height / 2) < height / 5


def _sized(description: Description, spots: list[Spot]) -> list[Spot]:
    if len(spots) < 2 or not description.size:
        return spots
    heights = sorted(spot.line.height for spot in spots)
    if description.size == "small":
        kept = [s for s in spots if s.line.height < heights[0] / _SMALLER]
    else:
        kept = [s for s in spots if s.line.height > heights[-1] * _SMALLER]
    if len(kept) == len(spots):
        raise CannotEdit(f"{description.told!r}: {len(spots)} texts are about as large")
    return kept


def _ordered(canvas: Canvas, description: Description, spots: list[Spot]) -> Spot:
    """The one with the ordinal, down the page or, where all stand side by side, along their row."""
    rows, order = _rows(spots), description.order or 0
    if len(rows) == 1:
        rows = [[spot] for spot in rows[0]]
    if order == 0 and len(rows) % 2 == 0:
        raise CannotEdit(f"{description.told!r}: of {len(rows)} texts none is in the middle")
    counted = re.search(r"\bfrom (?:the )?(?:top|bottom)\b", description.told)
    if order and description.kind in PLAIN_KINDS and not description.place and not counted:
        listed = _listed(spots)  # a title is not its list's first line, a footer not its last
        if len(listed) < len(spots):
            raise CannotEdit(f"{description.told!r}: it is not clear where the count begins")
        rows = [[spot] for spot in listed]
    at = len(rows) // 2 if order == 0 else order - 1 if order > 0 else len(rows) + order
    if not 0 <= at < len(rows):
        raise CannotEdit(f"{description.told!r}: there are {len(rows)} texts")
    if len(rows[at]) > 1:
        raise CannotEdit(f"{description.told!r}: {len(rows[at])} texts stand side by side there")
    return rows[at][0]


def _rows(spots: Sequence[Spot]) -> list[list[Spot]]:
    rows: list[list[Spot]] = []
    for spot in sorted(spots, key=lambda s: s.line.centre[1]):
        last = rows[-1][0] if rows else None
        if last and spot.line.centre[1] - last.line.centre[1] < 0.5 * min(
            spot.line.height, last.line.height
        ):
            rows[-1].append(spot)
        else:
            rows.append([spot])
    return [sorted(row, key=lambda s: s.line.box[0]) for row in rows]


def _outermost(canvas: Canvas, description: Description, spots: list[Spot]) -> list[Spot]:
    """Of several the one that stands furthest to the told side, where it does so clearly."""
    width, height = canvas.size
    if len(spots) < 2 or not description.place:
        return spots
    out: dict[str, Callable[[Spot], float]] = {
        "top": lambda s: -s.line.centre[1],
        "bottom": lambda s: s.line.centre[1],
        "left": lambda s: -s.line.centre[0],
        "right": lambda s: s.line.centre[0],
        "middle": lambda s: -abs(s.line.centre[0] - width / 2) - abs(s.line.centre[1] - height / 2),
        "corner": lambda s: (
            -min(s.line.centre[0], width - s.line.centre[0])
            - min(s.line.centre[1], height - s.line.centre[1])
        ),
    }
    ranked = sorted(spots, key=lambda s: -sum(out[name](s) for name in description.place))
    first, second = ranked[0], ranked[1]
    ahead = sum(out[name](first) - out[name](second) for name in description.place)
    clear = _CLEAR if description.kind in PLAIN_KINDS else _CLEAR_OF_A_KIND
    return [first] if ahead > clear * min(first.line.height, second.line.height) else spots


def _stands_there(canvas: Canvas, description: Description, spots: Sequence[Spot]) -> None:
    """Raises `CannotEdit` where a text that only its place tells does not stand near that side."""
    width, height = canvas.size
    if description.kind not in PLAIN_KINDS or description.size or description.colour:
        return
    for spot in spots:
        y = spot.line.centre[1]
        off = {
            "top": y / height,
            "bottom": 1 - y / height,
            "left": spot.line.box[0] / width,
            "right": 1 - spot.line.box[2] / width,
        }
        if any(off[side] > _OUTER for side in description.place & off.keys()):
            raise CannotEdit(f"nothing in the picture fits {description.told!r}")
        if description.kind != "text" or not description.place:
            continue
        chosen = {one.span.line for one in spots}
        for other in _all(canvas):
            if other.span.line not in chosen and _one_text([spot, other]):
                raise CannotEdit(f"{spot.text!r} is only a part of what stands there")


def _one_text(spots: list[Spot]) -> bool:
    """Whether lines read on as one text: as large, one below the other, next to each other."""
    if len({spot.span.line for spot in spots}) != len(spots):
        return False
    spots = sorted(spots, key=lambda s: s.line.centre[1])
    for one, other in itertools.pairwise(spots):
        high = max(one.line.height, other.line.height)
        same = min(one.line.height, other.line.height) > _SMALLER * high
        near = 0.5 * high < other.line.centre[1] - one.line.centre[1] < 1.7 * high
        if not (same and near):
            return False
    return _stand_together([spot.line for spot in spots])
