"""Verdicts in other spellings, put into the one that is read: ``NAME: 4``.

`plainer` goes from the outside in: digits and letters of every style and script (`forms`), stars,
boxes, tables and elements (`forms`), other names of the fields as keys and in cells (`names`), marks
of a final answer (``\\boxed{3}``), and sentences (`sayings`). Nothing is decided here: whether the
line is a verdict, and whether the words around it speak against it, is decided as for any other
(see `answers`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from editgauge.judging import forms, sayings
from editgauge.judging.lexicon import ANY_NUMBERS, NUMBER_ARTICLES, SCORE
from editgauge.judging.names import field_called

LONGEST = 20_000
"""Characters of a reply whose spelling is looked at; a longer one is read as it is."""
_I = re.IGNORECASE
_NUMBER = rf"(?P<number>(?:10|[0-9])(?:\.0)?(?!\d)|{'|'.join(sorted(map(re.escape, ANY_NUMBERS), key=len, reverse=True))})"
_TOLD = re.compile(rf"(?:{SCORE})[^\w\n]{{1,6}}{_NUMBER}(?![\w.,]\d|\s?[-–—]\s?\d)", _I)
_BOXED = re.compile(
    r"(?:\$\$?|\\\[|\\\()?\s{0,3}\\boxed\{\s?(?:\\text\{)?\s?(\d{1,2})(?:\s?/\s?(\d{1,2}))?\s?\}?\s?\}\s{0,3}(?:\$\$?|\\\]|\\\))?"
)
_TAGS = re.compile(r"</?(?:p|b|i|u|em|strong|span|div|li|ul|ol)>", _I)
_DOUBLE = re.compile(r"\[\[\s?([0-9]{1,2})(?:\s?/\s?(\d{1,2}))?\s?\]\]")
_BREAKS = re.compile(r"</(?:p|div|li|tr|h\d)>|<br\s?/?>", _I)


def plainer(reply: str, fields: Mapping[str, tuple[int, int]]) -> str:
    """The reply with every verdict of another spelling on a line of its own, as ``NAME: 4``."""
    if len(reply) > LONGEST:
        return reply
    text = forms.plain_marks(reply)
    text = forms.in_lines(text, fields)
    text = _TAGS.sub("", _BREAKS.sub("\n", text))
    text = _renamed(text, fields)
    single = next(iter(fields)) if len(fields) == 1 else ""
    if single:
        text = _single(text, single, fields[single][1])
    return sayings.in_lines(text, fields)


def scores_told(text: str) -> set[int | None]:
    """Every number that a word of scores stands before, in any of the languages."""
    return {
        _value(found["number"])
        for found in _TOLD.finditer(text[:LONGEST])
        if found["number"].casefold() not in NUMBER_ARTICLES
    }


def _single(text: str, name: str, high: int) -> str:
    """Forms that need no name where one number was asked for."""
    for mark in (_BOXED, _DOUBLE):
        found = mark.findall(text)
        if len(found) == 1 and (not found[0][1] or int(found[0][1]) == high):
            text = mark.sub(rf"\n{name}: \1\n", text)
    text = re.sub(
        rf"<(answer|score|rating)>\s?([0-9]{{1,2}})(?:\s?/\s?{high})?\s?</\1>",
        rf"\n{name}: \2\n",
        text,
    )
    bare = re.fullmatch(r"[\s*_`]{0,9}(\d{1,2}(?:\s?/\s?\d{1,2})?)[\s*_`.]{0,9}", text)
    return f"{name}: {bare[1]}" if bare else text


def _value(text: str) -> int | None:
    word = text.casefold()
    return int(float(text)) if word[0].isdecimal() else ANY_NUMBERS.get(word)


_KEY = re.compile(
    r"(?P<before>[\"'|]\s{0,3}[*_]{0,2})(?P<key>[^\W\d][^\"'|:\n]{1,40}?)(?P<after>[*_]{0,2}\s{0,3}(?:[\"']\s{0,3}[:：]|\|))"
)


def _renamed(text: str, fields: Mapping[str, tuple[int, int]]) -> str:
    """The text with other names as keys of objects and in cells of tables put right."""
    names = tuple(fields)

    def rename(found: re.Match[str]) -> str:
        name = field_called(found["key"], names)
        return found[0] if name is None else f"{found['before']}{name}{found['after']}"

    return _KEY.sub(rename, text)
