"""What may follow a verb and its object: a place, an amount, a colour, a manner, and what is said
of things that stay.

A tail is understood only as a whole: each complement takes its words from the front, and every
word has to belong to one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from editgauge.editors.typeset.clauses import QUOTE
from editgauge.editors.typeset.colours import COLOUR, shade
from editgauge.editors.typeset.naming import LOCATOR, Told, targets
from editgauge.editors.typeset.vocabulary import (
    ABOUT,
    AREAS,
    CONTAINERS,
    ENDS,
    FREE,
    LOOKS,
    MANNERS,
    MUCH,
    PICTURE,
    PLACES,
    PRAISE,
    ROWS,
    SAME,
    SHARES,
    SIDE_WORDS,
    SIDES,
    SLIGHT,
    SLIGHTLY,
    STAYING,
    STRONG,
    TENS,
    TIMES,
    USUAL,
    USUAL_LESS,
    WHOLE,
    any_of,
)

Said = dict[str, Any]
"""What complements say, by name: ``place``, ``anchor``, ``between``, ``colour``, ``manner``,
``factor``, ``up``, ``pixels``, ``share``, ``slight``, ``degrees``, ``centred``, ``like``.
"""
Reader = Callable[[str, Told], Iterator[tuple[int, Said]]]
_ABOUT = rf"(?:{any_of(ABOUT)} )*"
_LONGEST = 14
"""Words of a phrase that names the text beside which something is to stand."""


def understood(tail: str, told: Told, *readers: Reader) -> Said | None:
    """What a tail says, in the words of `readers` and of what may stand behind any command; None
    where some of it is not understood, or the same thing is told twice.
    """
    return _read(tail, told, (*readers, *_ANYWHERE))


def _read(tail: str, told: Told, readers: tuple[Reader, ...]) -> Said | None:
    tail = tail.strip(" ,.")
    if not tail:
        return {}
    for start in (tail, re.sub(r"^(?:and|but|while|as well as) (?:also )?", "", tail)):
        for reader in readers:
            for end, said in reader(start, told):
                if end == 0 or (end < len(start) and start[end] not in " ,."):
                    continue
                rest = _read(start[end:], told, readers)
                if rest is not None and (both := _both(said, rest)) is not None:
                    return both
        if start == tail and not re.match(r"(?:and|but|while|as well as) ", tail):
            break
    return None


def _both(one: Said, other: Said) -> Said | None:
    shared = one.keys() & other.keys()
    if shared == {"place"} and "anchor" not in one and "anchor" not in other:
        place = _one_place(one["place"], other["place"])
        return {**one, **other, "place": place} if place else None
    if shared - {"centred", "up"} or any(one[k] != other[k] for k in shared):
        return None
    return {**one, **other}


def _one_place(one: str, other: str) -> str | None:
    """ "in the center at the bottom" is one place."""
    words = {*one.split(), *other.split()}
    rows, columns = words & {"top", "bottom"}, words & {"left", "right", "center"}
    if len(rows) == 1 and len(columns) == 1 and len(words) == 2:
        return f"{rows.pop()} {columns.pop()}"
    return one if one == other else None


def _matching(pattern: str, said: Callable[[re.Match[str]], Said | None]) -> Reader:
    compiled = re.compile(pattern)

    def reader(text: str, told: Told) -> Iterator[tuple[int, Said]]:
        del told
        found = compiled.match(text)
        if found is not None and (values := said(found)) is not None:
            yield found.end(), values

    return reader


def _nothing(found: re.Match[str]) -> Said:
    del found
    return {}


# --- what stays, and why --------------------------------------------------------------------------

_CENTRED = re.compile(r"\bcent(?:er|re)")


def _kept(text: str, told: Told) -> Iterator[tuple[int, Said]]:
    if re.match(rf"(?:still )?{any_of(STAYING)}\b", text):
        told.context |= {told.quotes[int(n)] for n in re.findall(QUOTE, text)}
        yield len(text), {"centred": True} if _CENTRED.search(text) else {}


_IT = r"(?:it|they|the text|the texts|the words?|the title|the line|<\d+>)"
_STILL = r"(?:is|are|stays?|remains?|keeps?|becomes?|looks?)(?: still| also| exactly| perfectly)?"
_LOOKS_WELL = rf"(?:(?:much )?(?:more |easier to |better )?{any_of(PRAISE)}|readable|read)"
_PURPOSE = re.compile(
    rf"(?:so that|such that|so|in order that) {_IT} (?:(?P<centred>{_STILL} (?:in the |at the )?"
    rf"(?:horizontal(?:ly)? )?(?:cent(?:er|re)d?|middle)\b[^<]*)|"
    rf"{_STILL} {_LOOKS_WELL}(?: from [\w ]+)?|"
    r"(?:does not|doesn't|do not|don't|no longer) (?:touch|overlap|cover|hide|collide "
    r"with)(?:es|s)?\b.*)$|"
    r"so (?:that )?it (?:reads|runs|goes) (?:from \w+ to \w+|vertically|upwards|downwards)$|"
    r"so (?:that )?there is more (?:air|space|room)\b.*$|"
    rf"(?:in order to|so as to|to) (?:make it|be|become|look|stand out)(?: (?:more|much))? ?"
    rf"(?:{_LOOKS_WELL})?$|for (?:better|more) (?:readability|legibility|visibility|emphasis)$|"
    rf"(?:and|to be|to make it) (?:larger and |bigger and )?(?:more )?{any_of(PRAISE)}$"
)


def _purpose(text: str, told: Told) -> Iterator[tuple[int, Said]]:
    del told
    if found := _PURPOSE.match(text):
        yield found.end(), {"centred": True} if found["centred"] else {}


_same = _matching(
    rf"(?:(?:in|with|using|at|of) )?(?:exactly )?(?:the |its |their )?(?:same|original|existing|"
    rf"current|matching|corresponding) {any_of(SAME)}(?:(?:,| and|, and) (?:the )?(?:same )?"
    rf"{any_of(SAME)})*(?: (?:as|like|of) (?:the (?:other|others|original|rest|existing|"
    rf"old|lines?|text|"
    r"words?|rows?)(?: \w+){0,3}|before|now|it|<\d+>))?",
    _nothing,
)
_politely = _matching(
    r"(?:please|too|now|here|again|completely|entirely|altogether|for me|if possible|instead|"
    r"proportionally|a bit of|thanks|accurately|only|as a whole|directly|to it|"
    r"(?:instead of|rather than) (?:what it (?:says|reads) now|the (?:old|current|present) "
    r"(?:text|one|word|name)))\b",
    _nothing,
)
_picture = _matching(
    rf"(?:in|on|from|of|within|at) (?:the|this) (?:whole |entire )?{any_of(PICTURE)}\b", _nothing
)
_PLAIN_WORD = (
    rf"(?!(?:{any_of(PLACES)}|cent(?:er|re)|middle|same|{any_of(LOOKS)}|{any_of(AREAS)}|"
    rf"and|but|in|on|"
    rf"of|to|from|at|with|{COLOUR.replace('(', '(?:', 1)})\b)[\w'’-]+"
)
on_its_thing = _matching(
    rf"(?:in|on|of|from|within|for) (?:the|this|that) (?:{_PLAIN_WORD} ){{0,2}}{_PLAIN_WORD}\b",
    lambda found: {"on": found[0]},
)
"""What a text stands on, told where a place beside another text, or a direction, is told too."""
_ANYWHERE: tuple[Reader, ...] = (_kept, _purpose, _same, _politely, _picture)


def located(text: str, told: Told) -> Iterator[tuple[int, Said]]:
    """Where a quoted text stands: says nothing more than its words."""
    found = LOCATOR.match(f" {text}")
    if found is not None:
        end = found.end() - 1
        told.context |= {told.quotes[int(n)] for n in re.findall(QUOTE, text[:end])}
        yield end, {}


restored = _matching(
    r"(?:and )?(?:then )?(?:restor\w+|fill\w*|clean\w*|repair\w*|recover\w*|complet\w+|inpaint\w*) "
    r"(?:in |up )?(?:the|this|that|its) (?:[\w-]+ )*(?:background|area|space|texture|"
    r"place|gap|part|"
    r"pattern|surface)\b[^<]*$",
    _nothing,
)
"""What a deletion does anyway."""

# --- places ---------------------------------------------------------------------------------------

_SPOT = r"(?:top|bottom|upper|lower|left|right|cent(?:er|re)|middle)"
_WHERE = (
    rf"(?:to|into|in|at|onto|on|towards?|near|along) (?:the )?(?:{any_of(FREE)} )*"
    rf"(?:(?:{any_of(AREAS)}) (?:at|in|on) (?:the )?)?"
    rf"(?P<spot>{_SPOT}(?:most)?(?:[ -]?{_SPOT})?)(?:[ -]?hand)?(?: (?:{any_of(FREE)} "
    rf")?{any_of(AREAS)})?"
    rf"(?: of (?:the|this) (?:(?:whole|entire) )?(?:{any_of(CONTAINERS)} )?{any_of(WHOLE)}s?)?"
    r"(?P<axis> (?:horizontal|vertical)ly)?(?! (?:of|side|part|half|edge|corner|end)\b)"
)


def _spot(found: re.Match[str]) -> Said | None:
    words = re.findall(_SPOT, found["spot"])
    row = next((ROWS.get(w, w) for w in words if ROWS.get(w, w) in ("top", "bottom")), "")
    column = next((w for w in words if w in ("left", "right")), "")
    middle = "center" if any(w[0] in "cm" for w in words) and not column else ""
    if middle and found["axis"]:
        middle += " across" if "horizontal" in found["axis"] else " down"
    place = " ".join(word for word in (row, column, middle) if word)
    return {"place": place} if len(words) < 2 or " " in place else None


where = _matching(_WHERE, _spot)
"""A corner, side or the middle of the picture."""
across = _matching(
    r"(?:in|to|on|at|into) the horizontal (?:cent(?:er|re)|middle)(?: of the \w+)?|"
    r"horizontally(?: (?:over|in|on|across) the (?:whole |entire )?\w+)?",
    lambda found: {"place": "center across"},
)
_WAY = (
    rf"(?:(?P<slight>(?:{any_of(SLIGHTLY)})(?: further| more)?) )?(?:further |more )?"
    r"(?:(?:to|towards) the )?(?P<way>up|down|left|right|upwards?|downwards?|leftwards?|"
    r"rightwards?|"
    rf"higher|lower)(?P<slight2>,? (?:{any_of(SLIGHTLY)}))?"
    r"(?:,? (?:by )?(?P<amount>(?:\d+|[\w ]+? of (?:the|its) )[\w' ]*))?(?= |,|$)(?! "
    r"(?:of|side|corner|edge|part))"
)
_WAYS = {"higher": "up", "lower": "down"}


def way(text: str, told: Told) -> Iterator[tuple[int, Said]]:
    """A direction, with how far; a side of the picture may be meant by left and right."""
    del told
    found = re.match(_WAY, text)
    if found is None:
        return
    word = found["way"].removesuffix("s").removesuffix("ward")
    said: Said = {"place": f"go {_WAYS.get(word, word)}"}
    if found["slight"] or found["slight2"]:
        said["slight"] = True
    if found["amount"]:
        by = _how_far(found["amount"].strip(), said["place"])
        if by is not None:
            yield found.end(), {**said, **by}
        return
    yield found.end(), said


def _how_far(amount: str, place: str) -> Said | None:
    """Pixels, or a part of the picture."""
    if found := re.fullmatch(rf"{_ABOUT}(\d+) ?(?:px|pixels?)", amount):
        return {"pixels": float(found[1])}
    found = re.fullmatch(
        rf"{_ABOUT}(?:(?P<percent>\d+) ?(?:%|per ?cent)|(?P<part>{any_of(SHARES)})) of "
        r"(?:the|its) (?:\w+'?s? ){0,2}?(?P<of>width|height)(?: of the \w+)?",
        amount,
    )
    if found is None or (found["of"] == "width") != (place in ("go left", "go right")):
        return None
    part = float(found["percent"]) / 100 if found["percent"] else SHARES[found["part"]]
    return {"share": part}


by_pixels = _matching(
    rf"by {_ABOUT}(\d+) ?(?:px|pixels?)", lambda found: {"pixels": float(found[1])}
)
slightly = _matching(rf"(?:by )?{any_of(SLIGHTLY)}", lambda found: {"slight": True})
_FROM = re.compile(
    r"(?:away )?from (?:the |its )?[^<]*?(?= (?:to|into|in|onto) )|away from here|from "
    r"(?:here|there|its (?:\w+ )?(?:place|position))"
)  # fmt: skip


def source(text: str, told: Told) -> Iterator[tuple[int, Said]]:
    """Where a text is taken from: its words say more."""
    del told
    if found := _FROM.match(text):
        yield found.end(), {}


def _leading(text: str) -> Iterator[tuple[int, str]]:
    """The phrases that a text begins with, the longest first, and where they end."""
    words = [found.end() for found in re.finditer(r"\S+", text)][:_LONGEST]
    for end in reversed(words):
        yield end, text[:end]


def beside(text: str, told: Told) -> Iterator[tuple[int, Said]]:
    """On a side of another text, at an end of it, or ("append to") behind it."""
    found = re.match(
        rf"(?:(?:directly|right|just|immediately|exactly) )?(?P<side>{SIDE_WORDS}) |"
        rf"(?:to|at|on) the (?:very )?(?P<end>{any_of(ENDS)}) of ",
        text,
    )
    if found is None:
        return
    side = SIDES[found["side"]] if found["side"] else ENDS[found["end"]]
    for end, phrase in _leading(text[found.end() :]):
        anchors = targets(phrase, told, located=False)
        if len(anchors) == 1 and not (anchors[0].text is None and found["side"] == "on top of"):
            yield found.end() + end, {"place": side, "anchor": anchors[0]}


def between(text: str, told: Told) -> Iterator[tuple[int, Said]]:
    """Between two quoted texts."""
    found = re.match(r"(?:in )?between ", text)
    for end, phrase in _leading(text[found.end() :]) if found else ():
        pair = targets(phrase, told, located=False)
        if len(pair) == 2 and all(target.text for target in pair):
            yield found.end() + end, {"place": ("between"), "between": pair}  # type: ignore[union-attr]


centred = _matching(
    r"(?:horizontally )?cent(?:er|re)d(?: horizontally)?|cent(?:er|re)[ -]aligned",
    lambda found: {"centred": True},
)
aligned = _matching(r"(?:left|right)[ -]aligned|flush (?:left|right)", _nothing)

# --- qualities ------------------------------------------------------------------------------------

_FROM_COLOUR = rf"(?:from {COLOUR.replace('(', '(?:', 1)}(?: colou?r)? ?)?"
_PAINTED = (
    rf"{_FROM_COLOUR}(?:(?:in|to|into|as|with|be|using) )?(?:an? |the )?(?:colou?rs? )?(?:of )?"
    rf"{COLOUR}(?: (?:colou?rs?|tones?|ink|letters|type|font|text))?"
)
coloured = _matching(_PAINTED, lambda found: {"colour": shade(found[1])})
not_that = _matching(
    rf"(?:,? )?(?:instead of|rather than|not) (?:in )?{COLOUR.replace('(', '(?:', 1)}", _nothing
)
"""The colour that a text has now."""
like_another = _matching(
    r"(?:(?:in|to|with|into) )?the same colou?r as (?P<like>.+)$|"
    r"(?:in)?to (?:the colou?r|that) of (?P<like2>.+)$|like (?P<like3>.+)$",
    lambda found: {"like": found["like"] or found["like2"] or found["like3"]},
)


def styled(text: str, told: Told) -> Iterator[tuple[int, Said]]:
    """A manner of letters."""
    del told
    for manner, words in MANNERS.items():
        found = re.match(
            rf"(?:(?:in|into|to|as|with) )?(?:an? )?(?:{words})"
            r"(?: (?:type|letters|font|style|face|weight|print|text|typeface))?",
            text,
        )
        if found is not None:
            yield found.end(), {"manner": manner}


_AMOUNT = (
    rf"(?:a (?:little|bit),? )?(?:so (?:that )?(?:it|they) (?:is|are|becomes?) "
    rf")?{_ABOUT}(?:(?P<way>by|to) )?{_ABOUT}(?:(?P<percent>\d+(?:\.\d+)?) ?(?:%|per "
    rf"?cent)|"
    rf"(?P<part>{any_of(SHARES).replace(' ', '[ -]')})|"
    rf"(?P<times>(?:\d+(?:\.\d+)?|{any_of(TIMES)})(?=(?: times|x\b| ?×))|twice|"
    rf"double)(?: times|x| ?×)?(?: as)?)"
    r"(?P<of> (?:of |as )?(?:its|it's|the|their|big|large|high|tall|small)\b(?: (?:present|current|"
    r"original|actual|old|size|height|width|font size|as (?:it is|now|before|it was))\b)*)?"
    r"(?: (?:bigger|larger|smaller))?"
)
_TO_SIZE = r"to (?:a )?(?:smaller|larger|bigger) (?:font )?size"


def amount(text: str, told: Told) -> Iterator[tuple[int, Said]]:
    """How much larger or smaller, in words: as a part, in percent, as a factor; ``factor`` is a
    callable that takes whether the text becomes larger (None: not told).
    """
    del told
    plain = re.sub(rf"\b({any_of(TENS)})(?= per ?cent)", lambda f: f"{TENS[f[1]]}", text)
    shorter = len(text) - len(plain)
    for words, factor in ((SLIGHTLY, SLIGHT), (MUCH, STRONG)):
        if found := re.match(rf"(?:by )?{any_of(words)}", text):
            yield found.end(), {"factor": ("degree", factor)}
    if (found := re.match(_AMOUNT, plain)) and found.end():
        value = _value(found)
        if value is not None:
            yield found.end() + shorter, {"factor": value}
    if found := re.match(_TO_SIZE, text):
        yield found.end(), {"factor": ("degree", USUAL)}


def _value(found: re.Match[str]) -> tuple[str, float] | None:
    if found["times"]:
        value = TIMES.get(found["times"]) or float(found["times"])
        return ("times", value) if 0.01 <= value <= 1000 else None
    part = (
        float(found[("percent")]) / 100
        if found["percent"]
        else SHARES[found["part"].replace("-", " ")]
    )
    if not 0.01 <= part <= 10:
        return None
    named = found["way"] == "by"
    told = "by" if named else "to" if found["way"] == "to" or found["of"] else "part"
    return told, part


def scaled(said: Said, up: bool | None) -> float | None:
    """The factor of a change of size. `up`: whether it is told that the text becomes larger, None
    where the amount alone tells. None where the amount contradicts, or is missing with `up`.
    """
    told: tuple[str, float] | None = said.get("factor")
    if told is None:
        return None if up is None else USUAL if up else USUAL_LESS
    way, value = told
    if way == "degree":
        return None if up is None else value if up else 1 / value
    factor: float | None
    if way == "times":
        factor = value if up or up is None else 1 / value
    elif way == "by" or (way == "part" and up and value < 1):
        factor = (1 + value if up else max(0.1, 1 - value)) if up is not None else None
    else:
        factor = value
    if factor is None or (up is not None and (factor < 1) == up):
        return None  # larger, and by that amount smaller: one of the two is misread
    return factor


_BIGGER, _LESS = r"(?:bigger|larger)", r"smaller"


def sized(text: str, told: Told) -> Iterator[tuple[int, Said]]:
    """Larger or smaller, and by how much."""
    del told
    degree = rf"(?:(?P<slight>{any_of(SLIGHTLY)})|(?P<much>{any_of(MUCH)}))"
    found = re.match(
        (rf"(?:{degree} )?(?P<size>{_BIGGER}|{_LESS})(?: (?:in size|type|letters|font|size))?"),
        text,
    )
    if found is None:
        return
    said: Said = {"up": found["size"] != "smaller"}
    if found["slight"] or found["much"]:
        said["factor"] = ("degree", SLIGHT if found["slight"] else STRONG)
    yield found.end(), said


turned = _matching(
    (
        r"(?:by )?(?:about |around |some |approximately )?(?P<by>-?\d+(?:\.\d+)?) "
        r"?(?:degrees?|°|º|deg)"
    ),
    lambda found: {"degrees": float(found["by"])},
)
_TURNING = (
    r"(?:in (?:the |an? )?)?(?P<way>(?:counter-?|anti-?)?clockwise)(?: direction)?|to the "
    r"(?P<side>left|right)"
)
direction = _matching(
    _TURNING,
    lambda found: {"clockwise": found["way"] == "clockwise" or found["side"] == "right"},
)
upside_down = _matching(r"upside down", lambda found: {"degrees": 180.0})
about_itself = _matching(
    r"(?:around|about|round) its (?:own )?(?:middle|cent(?:er|re)|axis)(?: point)?", _nothing
)
