"""Descriptions of a text by where it stands, what it looks like or what kind of text it is: ``the
small print in the corner``, ``the red word``, ``the last line on the left``.

A phrase is taken apart word by word. A word that no rule knows is kept in `Description.words`: the
picture must have it, or the description means nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from editgauge.editors.typeset.colours import COLOUR
from editgauge.editors.typeset.vocabulary import (
    CARRIERS,
    CONTAINERS,
    COUNTS,
    KIND_WORDS,
    NO_MEANING,
    ORDERS,
    PARTS_OF_A_TEXT,
    PLACES,
    PLAIN_KINDS,
    PURPOSES,
    ROWS,
    SIDE_WORDS,
    SIDES,
    SIZES,
    Side,
    any_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What is told of a text; a field that is not told is empty.

    `kind`: a key of `choose.KINDS` or ``title``, ``subtitle``, ``row`` (a line of the picture),
    ``entry`` (one of a list's), ``word`` or ``text``. `place`: top, bottom, left, right, middle,
    corner. `order`: 1 for the first, 2, 3 and so on, -1 for the last, 0 for the middle one.
    `count`: of how many. `size`: small or large. `colour` of the ink and `ground` behind it.
    `beside`: on which side of what other text. `within`: a part of what
    other text. `says`: a quoted text in it. `carrier`: what is named carries the text (a button).
    `words`: all others.
    """

    told: str
    kind: str = "text"
    place: frozenset[str] = frozenset()
    order: int | None = None
    count: int | None = None
    size: str = ""
    colour: str = ""
    ground: str = ""
    beside: tuple[Side, Description] | None = None
    within: Description | None = None
    says: str = ""
    carrier: bool = False
    words: tuple[str, ...] = ()
    plural: bool = False

    def __str__(self) -> str:
        return self.told


_CONTAINER = any_of(CONTAINERS)
_BOX = any_of(CARRIERS)
_SPOT = (
    r"(?:(?P<row>top|bottom|upper|lower)(?:[ -]?most)?)?(?:[ -]?(?P<column>left|right)(?:most)?)?"
    r"(?P<middle>middle|cent(?:er|re))?(?P<corner> ?corner)?"
)
_PLACE = re.compile(
    rf"\b(?:at|in|on|to|from|near|along|by) (?:the )?(?:very |far |extreme )?{_SPOT}"
    r"(?:[ -]?hand)?(?: (?:side|edge|part|half|third|quarter|area|end|border|margin|corner))?\b"
    rf"(?: of (?:the|this|that) (?:(?:whole|entire) )?(?:{_CONTAINER}))?"
)
_BESIDE = re.compile(
    rf"^(?P<what>.+?) (?:(?:directly|right|just) )?(?P<side>{SIDE_WORDS}) (?P<of>.+)$"
)
_WITHIN = re.compile(
    rf"\b(?:on|in|of|inside|across|from|for) (?:the|this|that|an?|our|my|your) "
    rf"(?:{COLOUR} )?(?:{any_of(PURPOSES)} )?(?P<box>{_BOX}|{_CONTAINER})\b"
)
_LIST = re.compile(r"\b(?:of|in|on) (?:the|this) (?:list|menu|column|rows?)\b")
_COUNTED = re.compile(r" (first|second|third|fourth|fifth|last) (\w+) from (?:the )?(top|bottom)\b")
_PART = re.compile(
    rf"^(?P<part>(?:the )?(?:very )?(?:{any_of(ORDERS)}|middle) (?:word|line|number|"
    rf"row)) (?:of|in) "
    rf"(?P<whole>(?:the|this) (?:[\w'-]+ ){{0,3}}?{any_of(PARTS_OF_A_TEXT)}\b.*)$"
)
_OF_MANY = re.compile(r"\b(?:of|among) (?:the|these|those|all) (\w+)(?: \w+)?\b")
_SAYS = re.compile(
    r"\b(?:that|which) (?:says|reads|shows|displays|contains|has|names|gives|mentions) |"
    r"\b(?:saying|reading|with|containing|starting with|beginning with|called|showing|naming|"
    r"giving|mentioning) "
)
_OF_THE_TEXT = re.compile(rf"^((?:the )?{any_of(ORDERS)} (?:line|row)) (?:of|in) the text$")
_QUOTE = re.compile(r"<(\d+)>")


def describe(phrase: str, quotes: list[str], *, bare: bool = False) -> Description | None:
    """What a phrase (lower case, quoted texts as ``<0>``) says of a text; None where it says
    nothing that a picture can be asked. `bare`: "the text" alone will do.
    """
    told = re.sub(r"\s+", " ", phrase).strip(" ,.")
    told = _OF_THE_TEXT.sub(r"\1", told)
    if _BESIDE.match(told) or _PART.match(told):
        return _related(told, quotes)
    rest = f" {told} "
    if re.search(r" (?:and|or|not|except) ", rest):
        return None
    fields: dict[str, Any] = {}
    rest, place = _place_of(_counted(rest, fields))
    while found := _WITHIN.search(rest):
        if found[1]:
            fields["ground"] = found[1]
        rest = rest[: found.start()] + " " + rest[found.end() :]
    rest = _saying(rest, quotes, fields)
    head, _, more = rest.partition(",")
    if more.strip():  # "the last line on the left, the years"
        other = describe(more, quotes)
        if other is None or other.words or other.kind in PLAIN_KINDS:
            return None
        fields["kind"] = other.kind
    return _headed(told, head, place, {**fields, "bare": bare})


def _related(told: str, quotes: list[str]) -> Description | None:
    """A text told by another one: "the price below the title", "the last word of the title"."""
    if found := _BESIDE.match(told):
        own = describe(found["what"], quotes, bare=True)
        other = _quoted(found["of"], quotes) or describe(found["of"], quotes)
        if own is not None and own.kind == "row" and other is not None and other.says == other.told:
            return None  # "the line under A" may be a drawn one
        if own is None or other is None or own.beside is not None:
            return None
        return replace(own, told=told, beside=(SIDES[found["side"]], other))
    found = _PART.match(told)
    own = describe(found["part"], quotes) if found else None
    whole = describe(found["whole"], quotes) if found else None
    return replace(own, told=told, within=whole) if own is not None and whole is not None else None


def _quoted(phrase: str, quotes: list[str]) -> Description | None:
    """The text that a phrase quotes, where it does no more."""
    found = _QUOTE.fullmatch(phrase.strip())
    text = quotes[int(found[1])] if found else ""
    return Description(told=text, says=text) if text else None


def _counted(rest: str, fields: dict[str, Any]) -> str:
    """A phrase without its counts: "from the bottom", "of the list", "of the three"."""
    if found := _COUNTED.search(rest):
        fields["order"] = ORDERS[found[1]] * (-1 if found[3] == "bottom" else 1)
        rest = rest.replace(found[0], f" {found[2]} ", 1)
    if _LIST.search(rest):
        rest = _LIST.sub(" ", rest)
        fields["kind"] = "entry"
    if (found := _OF_MANY.search(rest)) and found[1] in COUNTS:
        fields["count"] = COUNTS[found[1]]
        rest = rest.replace(found[0], " ")
    return rest


def _saying(rest: str, quotes: list[str], fields: dict[str, Any]) -> str:
    """A phrase without "that says A" and "with the date"."""
    found = _SAYS.search(rest)
    if found is None:
        return rest
    inner = rest[found.end() :].strip()
    if quote := _QUOTE.fullmatch(inner.removeprefix("the ").removeprefix("word ")):
        fields["says"] = quotes[int(quote[1])]
        return rest[: found.start()]
    other = describe(inner, quotes)
    if other is not None and other.kind not in PLAIN_KINDS:
        fields["kind"] = other.kind
        return rest[: found.start()]
    return f"{rest[: found.start()]} {inner} "


def _headed(told: str, rest: str, place: set[str], fields: dict[str, Any]) -> Description | None:
    """The noun of a phrase and what stands before it."""
    rest = re.sub(rf"\b(?:{_CONTAINER}|[\w-]+) ?['’]s\b", _owner, rest)
    if found := re.search(rf"\b{COLOUR}", rest):
        fields["colour"] = found[1]
        rest = rest.replace(found[0], " ", 1)
    rest, named = _noun(rest, fields, place)
    if found := re.search(rf"\b(?:{_BOX})\b", rest):
        if "colour" in fields:  # "the blue button": its text stands on blue
            fields["ground"] = fields.pop("colour")
        fields["carrier"] = not named
        rest = rest.replace(found[0], " ", 1)
    words = [word for word in re.findall(r"[\w@#&+-]+", rest) if not _word(word, fields, place)]
    asked = re.match(r"(?:who|what|when|where|how)\b", told) and words
    bare = fields.pop("bare")
    if not (named or "carrier" in fields or "ground" in fields or "kind" in fields or asked):
        return None
    known = bare or place or any(k in fields for k in ("order", "colour", "ground", "says", "size"))
    if not words and not known and fields.get("kind", "text") in PLAIN_KINDS:
        return None
    return Description(told=told, place=frozenset(place), words=tuple(words), **fields)


def _noun(rest: str, fields: dict[str, Any], place: set[str]) -> tuple[str, bool]:
    """A phrase without the noun that says what kind of text it is, and whether it has one."""
    for kind, words in KIND_WORDS.items():
        found = re.search(rf"\b(?:{words})\b", rest)
        if found is None:
            continue
        before = fields.get("kind")
        if kind == "title" or (kind != "text" and before in (None, "entry")):
            fields["kind"] = "entry" if before == "entry" and kind == "row" else kind
        if found[0] in ("footer", "header"):
            fields["kind"] = "row"
            place.add("bottom" if found[0] == "footer" else "top")
        fields["plural"] = found[0].endswith("s") and not found[0].endswith(("ss", "address"))
        rest = rest.replace(found[0], " ", 1)
        if kind not in PLAIN_KINDS:  # "the address line", "the price text"
            rest = re.sub(r"\b(?:lines?|texts?)\b", " ", rest)
        return rest, True
    return rest, False


def _word(word: str, fields: dict[str, Any], place: set[str]) -> bool:
    """Whether a word before the noun is known; what it says goes into `fields` or `place`."""
    if word in ORDERS:
        fields["order"] = ORDERS[word]
    elif word in ("middle", "centre", "center", "central"):
        fields["order"] = 0
    elif word in PLACES:
        place.add(ROWS.get(word, word.removesuffix("most")))
    elif word in SIZES:
        fields["size"] = SIZES[word]
    elif word in COUNTS:
        fields["count"] = COUNTS[word]
    else:
        return word in NO_MEANING
    return True


def _owner(found: re.Match[str]) -> str:
    """ "the chart's title" is the title; whose a name is, the picture must say."""
    word = found[0].replace("’", "'").removesuffix("'s").strip()
    return " " if re.fullmatch(_CONTAINER, word) else f" {word} "


def _place_of(rest: str) -> tuple[str, set[str]]:
    """A phrase without its places, and these."""
    place: set[str] = set()
    for found in list(_PLACE.finditer(rest)):
        spots = {
            ROWS.get(found["row"] or "", found["row"] or ""),
            found["column"] or "",
            "middle" if found["middle"] else "",
            "corner" if found["corner"] or found[0].strip().endswith("corner") else "",
        } - {""}
        if spots:
            place |= spots
            rest = rest.replace(found[0], " ", 1)
    return rest, place
