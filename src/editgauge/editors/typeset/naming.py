"""Which texts a phrase names: quoted ones in a list, all of them, or one that is described.

A quoted text may be told of further ("the word <0> on the red sign"): where it stands is not needed
while the picture has it once, and asked of nobody else (see `common.found_text`). But a thing that
is told by a text ("the logo <0>", "the price of <0>") is not that text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from editgauge.editors.typeset.clauses import QUOTE, VERB
from editgauge.editors.typeset.colours import COLOUR
from editgauge.editors.typeset.phrases import describe
from editgauge.editors.typeset.request import Target
from editgauge.editors.typeset.vocabulary import (
    ALL,
    CARRIERS,
    KIND_WORDS,
    LOOKS,
    NAMELESS,
    NO_DESCRIPTION,
    NO_TEXT,
    ORDERS,
    SIDE_WORDS,
    WHOLE,
    WRITING,
    any_of,
)


@dataclass(slots=True)
class Told:
    """What was said so far: the quoted texts, what "it" means, the quoted texts that only told
    where or what something is, and the phrases that were looked at already.
    """

    quotes: list[str]
    subject: str = ""
    context: set[str] = field(default_factory=set)
    known: dict[tuple[str, bool, bool], tuple[Target, ...]] = field(default_factory=dict)


_TEXT_NOUN = any_of(KIND_WORDS.values())
_SAYING = (
    r"(?: (?:that|which) (?:says|reads)|,? reading|,? saying|,? called|,? named| with "
    r"the (?:text|words?))"
)
_ADJECTIVE = (
    rf"(?!(?:{any_of(NAMELESS)}|{VERB}|and|or|of|in|on|at|to|from|with|by|as|for|than|but|its|"
    rf"their|except|without|between|around|containing|starting|beginning|ending|{SIDE_WORDS})\b)"
    r"[\w'’&-]+"
)
_OF_ITSELF = (
    r"(?:texts?|words?|lettering|letters|characters|content|spelling|phrase|sentence|wording)"
)
_ITEM = re.compile(
    rf"(?:both )?(?:(?:all )?(?:the|this|that|these|a|an|our|my|your|its) )?(?:of )?"
    rf"(?P<adjectives>(?:{_ADJECTIVE} ){{0,5}}?)"
    rf"(?:(?:{_OF_ITSELF} of (?:the )?)?(?P<noun>{_TEXT_NOUN}|{_ADJECTIVE}){_SAYING}? "
    rf"?:? ?|{_OF_ITSELF} of (?:the )?)?"
    rf"<(?P<quote>\d+)>(?: (?:{_OF_ITSELF}|title|line|label|heading|section title|caption))?"
)
_AND = re.compile(
    r" ?(?:,|&|/|;|\band\b|\bplus\b|\bas well as\b|\balong with\b)+ ?(?:and |also |"
    r"then )?"
)  # fmt: skip
_QUALITIES = rf"{any_of(LOOKS)}|{COLOUR.replace('(', '(?:', 1)} (?:colou?rs?|letters|type|ink|font)"
_IN_WORDS = (
    rf"(?:(?:the|this|that|an?) (?!(?:{_QUALITIES})\b)[\w'’.&/-]+|"
    rf"(?!(?:and|but|or|while|so|to|into|with|as|{VERB}|its|their|except|{_QUALITIES})\b)"
    r"[\w'’.&/-]+|<\d+>)"
)
LOCATOR = re.compile(
    r"(?:,? (?:that is|which is|that are|located|shown|displayed|printed|written|placed|standing|"
    r"situated|positioned|appearing))?,? "
    rf"(?:(?:on|in|at|of|from|inside|within|near|across|along|by|throughout|between|around|for)|"
    rf"{SIDE_WORDS})(?: {_IN_WORDS}){{1,9}}"
)
"""Where a quoted text stands. What is to be done with it cannot hide in one: no verb, no quality,
no goal ("to"), no second thing ("and").
"""
_OF_A_WORD = re.compile(rf"(?:in|of|from|inside|within) (?:the )?(?:[\w'-]+ ){{0,3}}?{QUOTE}")
_PRONOUN = re.compile(r"(?:it|them|this|that|these|those|this one|that one|both|both of them)")
_ON_IT = rf"(?:,? (?:in|on|of|from|within) (?:the|this|that) {any_of(WHOLE)})?"
_ALL_WRITING = re.compile(
    rf"(?:{ALL}|the whole|the entire)(?: of)?(?: the| these)? {WRITING}{_ON_IT}"
)
_ONLY = re.compile(rf"(?:the|this) {WRITING}{_ON_IT}")
_OF_LETTERS = re.compile(
    rf"\b(?:{any_of(ORDERS)}|capital|initial|each|every) (?:letter|character)s?\b|"
    r"\b(?:letter|character|initial)s? (?:of|in) "
)
"""A letter of a text is not told from the text."""
_SINGLE = re.compile(rf"(?:the|this) (?:{_TEXT_NOUN}|name){_ON_IT}")


def targets(
    phrase: str, told: Told, *, carried: bool = False, located: bool = True
) -> tuple[Target, ...]:
    """The texts that a phrase names; none where it names no text. `carried`: a button may stand for
    its text. `located`: where a quoted text stands may be told, too.
    """
    phrase = phrase.strip(" ,")
    if _PRONOUN.fullmatch(phrase):
        subject = told.subject
        if not subject or _PRONOUN.fullmatch(subject):
            return ()
        return targets(subject, told, carried=carried, located=located)
    if re.search(r"(?:^|\b)(?:the|an?|of|in|on|at|to|from|by|with|for)$", phrase):
        return ()
    key = phrase, carried, located
    if key not in told.known:
        named = _quoted(phrase, told, carried, located) if "<" in phrase else ()
        told.known[key] = named or _described(phrase, told, carried)
    return told.known[key]


def _quoted(phrase: str, told: Told, carried: bool, located: bool) -> tuple[Target, ...]:
    found: list[Target] = []
    rest = phrase
    while True:
        item = _ITEM.match(rest)
        if item is None or not _is_a_text(item, carried):
            return ()
        found.append(Target(told.quotes[int(item["quote"])]))
        rest = rest[item.end() :]
        joined = _AND.match(rest)
        if joined is None or not rest[joined.end() :]:
            break
        rest = rest[joined.end() :]
    while rest and located:
        place = LOCATOR.match(rest)
        if place is None:
            return ()
        if not _holds(place[0], found, told):
            return ()
        whole = _OF_A_WORD.match(place[0].strip(" ,"))
        if whole is not None:
            longer = told.quotes[int(whole[1])]
            found = [replace(target, inside=longer) for target in found]
        rest = rest[place.end() :]
    return tuple(found) if not rest.strip() and all(t.text for t in found) else ()


def _is_a_text(item: re.Match[str], carried: bool) -> bool:
    """Whether the words before a quoted text call it a text, or nothing at all."""
    head = (item["noun"] or (item["adjectives"] or "").strip().rpartition(" ")[2]).strip()
    if carried and head in CARRIERS:
        return True
    words = [*(item["adjectives"] or "").split(), head]
    if head in NO_TEXT and head not in ("paragraph", "label"):
        return False
    return not any(word in NAMELESS for word in words)


def _holds(place: str, found: list[Target], told: Told) -> bool:
    """Whether a place that quotes another text does not cut one of its words; notes what it
    quotes.
    """
    cut = _OF_A_WORD.match(place.strip(" ,"))
    for number in re.findall(QUOTE, place):
        other = told.quotes[int(number)]
        told.context.add(other)
        for target in found if cut else ():
            text = target.text or ""
            if text not in other or not re.search(rf"(?<!\w){re.escape(text)}(?!\w)", other):
                return False
    return True


def _described(phrase: str, told: Told, carried: bool) -> tuple[Target, ...]:
    if _ALL_WRITING.fullmatch(phrase):
        return (Target(role="all"),)
    if _ONLY.fullmatch(phrase):
        return (Target(role="only"),)
    if re.search(r"\b(?:containing|starting|beginning|ending|except|without)\b", phrase):
        return ()
    if _OF_LETTERS.search(phrase):
        return ()
    description = describe(phrase, told.quotes)
    if description is not None:
        if description.carrier and not carried:
            return ()
        unknown = any(word in NO_DESCRIPTION or word.isdigit() for word in description.words)
        if unknown or re.search(r" a (?:little|bit)$", phrase):
            return ()
        return (Target(description=description),)
    return (Target(role="single"),) if _SINGLE.fullmatch(phrase) else ()
