"""Find the JSON objects in a judge's free text, and say of each whether it is whole, mended, or
broken.

A judge's reply is hostile by nature: prose, fences, half an object, an object that quotes another.
This module only finds and decodes; what an object means is decided in `answers`. Nothing in here
guesses a value: mending touches the punctuation that models get wrong (trailing commas, bare keys,
bare ``4/5``, single quotes, unescaped quotes inside a text, comments).

The work is bounded: a reply with more braces than any verdict has, or one that takes too long to
make sense of, raises `Tangled`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

MAX_OBJECTS = 500
"""Objects read in one reply: a reply with more is an attack or a loop."""
MAX_STARTS = 5_000
"""Braces in one reply that look like the beginning of an object."""
MAX_BROKEN = 200
"""Failed attempts to decode an object in one reply."""
MEND_LIMIT = 20_000
"""Characters of a broken object that are looked at; verdicts have a few hundred."""
MAX_DEPTH = 20
_START = re.compile(r"\{(?=\s{0,200}+(?:[\"'“”‘’}]|//|/\*|[A-Za-z_][\w\- ]{0,60}+[:：]))")
_BRACKET = re.compile(r"[\"'\\{}]")


class Tangled(ValueError):
    """A reply has more braces than can be made sense of; the message says which limit it passed."""


class Pairs(dict[str, Any]):
    """A decoded object that remembers keys that came twice with different values."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__()
        self.contradicted: set[str] = set()
        for key, value in pairs:
            if key in self and (type(self[key]) is not type(value) or self[key] != value):
                self.contradicted.add(key)
            self[key] = value


class NotANumber:
    """What ``NaN`` and ``Infinity`` decode to: a value that is no number and equals nothing."""

    def __init__(self, word: str = "NaN") -> None:
        self.word = word

    def __repr__(self) -> str:
        return self.word


@dataclass(frozen=True, slots=True)
class JsonPart:
    """One ``{…}`` in a reply: where it lies, and its decoded value.

    `value` is None when it cannot be read. `closed` is False for an object whose end never comes (a
    reply that was cut off). `mended` says that its punctuation was put right.
    """

    start: int
    end: int
    value: Pairs | None
    closed: bool = True
    mended: bool = False


def _exact(text: str) -> float | NotANumber:
    """A float, unless the nearest float is an integer that the text is not
    (4.9999999999999999999).
    """
    value = float(text)
    try:
        exact = not value.is_integer() or Decimal(text) == Decimal(value)
    except ArithmeticError:  # an exponent beyond all bounds
        exact = False
    return value if exact else NotANumber(text[:30])


_DECODER = json.JSONDecoder(
    object_pairs_hook=Pairs, parse_constant=NotANumber, parse_float=_exact, strict=False
)


def decode_whole(text: str) -> Any:
    """The value when all of `text` is one valid JSON value, else None."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if not text[end:].strip() else None


def find_objects(text: str) -> list[JsonPart]:
    """All outermost JSON objects in `text`, in order, the broken ones too.

    An object that lies inside a broken one is never reported: in ``{"example": {"score": 5},
    "score": 3`` the inner object is complete and is not the verdict. Raises `Tangled` where there
    are more than `MAX_OBJECTS`, or `MAX_BROKEN` that cannot be decoded.
    """
    found: list[JsonPart] = []
    position = broken = seen = 0
    cut_off = False
    while (brace := _START.search(text, position)) is not None:
        start = brace.start()
        position = start + 1
        seen += 1
        if seen > MAX_STARTS:
            raise Tangled(f"more than {MAX_STARTS:,} beginnings of objects")
        if cut_off and not _stands_alone(text, start):
            continue
        value, end = _decode(text, start)
        item = JsonPart(start, end, value) if value is not None else None
        if item is None:
            broken += 1
            if not cut_off:
                item = _broken(text, start)
                cut_off = not item.closed
                position = position if cut_off else item.end
        else:
            position = end
        if item is not None:
            found.append(item)
        if len(found) > MAX_OBJECTS or broken > MAX_BROKEN:
            raise Tangled(
                f"more than {MAX_OBJECTS} objects, or {MAX_BROKEN} that cannot be decoded"
            )
    return found


def _decode(text: str, start: int) -> tuple[Pairs | None, int]:
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start
    return (value, end) if isinstance(value, Pairs) else (None, start)


def _stands_alone(text: str, start: int) -> bool:
    """Whether an object after a cut-off one begins a line of its own, and not as a part of what was
    cut off.
    """
    before = text[max(0, start - 200) : start]
    line = before.rpartition("\n")[2]
    return not line.strip(" \t`") and before.rstrip(" \t\r\n")[-1:] not in (":", ",", "[", "{")


def _broken(text: str, start: int) -> JsonPart:
    """The broken object at `start`, mended if its punctuation can be put right."""
    span = text[start : start + MEND_LIMIT]
    try:
        value, length = _Mender(span).object(0, 0)
        return JsonPart(start, start + length, value, mended=True)
    except (_Unmendable, RecursionError):
        pass
    closing = _matching_brace(span)
    if closing is None:
        return JsonPart(start, len(text), None, closed=False)
    return JsonPart(start, start + closing, None)


def _matching_brace(span: str) -> int | None:
    """One past the brace that closes the first one, texts in quotes skipped; None when it never
    comes.
    """
    quote = "'" if span[1:40].lstrip()[:1] == "'" else '"'
    depth, inside, skipped = 0, False, -1
    for mark in _BRACKET.finditer(span):
        character = mark[0]
        if mark.start() == skipped:
            continue
        if character == "\\":
            skipped = mark.end()
        elif character == quote:
            inside = not inside
        elif not inside and character in "{}":
            depth += 1 if character == "{" else -1
            if depth == 0:
                return mark.end()
    return None


class _Unmendable(ValueError):
    """The text is no object with bad punctuation."""


_BLANK = re.compile(r"(?:\s++|//[^\n]{0,500}+|/\*[^*]{0,500}+\*/)*+")
_BARE_KEY = re.compile(r"[^\W\d][\w \-]{0,60}?(?=\s{0,9}[:：])")
_NEXT_KEY = re.compile(
    # quoted or bare, and a colon
    r"\s{0,200}+(?:[\"'“”‘’][^\"'“”‘’\n:\uff1a{}]{1,60}+[\"'“”‘’]|[A-Za-z_][\w \-]{0,60}+)"
    r"\s{0,20}+[:=\uff1a]"
)
_QUOTED_KEY = re.compile(r"\s{1,200}+\"[A-Za-z_][\w \-]{0,60}+\"\s{0,20}+[:\uff1a]")
_NUMBER_FIRST = re.compile(r"\d{1,3}(?=\s{1,200}+\"[A-Za-z_][\w \-]{0,60}+\"\s{0,20}+[:\uff1a])")
"""A number whose comma before the next key is missing."""
_LINE_END = re.compile(r"[ \t]{0,20}+\r?\n")
_BARE_END = re.compile(r"[,;{}\[\]\n]")
_AFTER_TEXT = re.compile(r"\s{0,200}+([,;}\]])")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\Z", re.ASCII)
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_QUOTES = {'"': '"', "'": "'", "“": "”", "”": "”", "‘": "’", "’": "’"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class _Mender:
    """Reads one object whose punctuation is wrong, from left to right and without going back."""

    def __init__(self, span: str) -> None:
        self.span = span

    def object(self, at: int, depth: int) -> tuple[Pairs, int]:
        """The object that begins at `at`, and where it ends."""
        pairs: list[tuple[str, Any]] = []
        at = self._blank(at + 1)
        if depth > MAX_DEPTH:
            raise _Unmendable
        while not self.span.startswith("}", at):
            key, at = self._key(at)
            value, at = self._value(self._blank(at), depth, listed=False)
            pairs.append((key, value))
            at = self._comma(at, "}")
        return Pairs(pairs), at + 1

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        at = self._blank(at + 1)
        if depth > MAX_DEPTH:
            raise _Unmendable
        while not self.span.startswith("]", at):
            value, at = self._value(at, depth, listed=True)
            items.append(value)
            at = self._comma(at, "]")
        return items, at + 1

    def _blank(self, at: int) -> int:
        match = _BLANK.match(self.span, at)
        return match.end() if match else at

    def _comma(self, at: int, closing: str) -> int:
        """Past the comma; a line break is taken for one before another key."""
        after = self._blank(at)
        if self.span.startswith((",", ";"), after):
            after = self._blank(after + 1)
            return self._blank(after + 1) if self.span.startswith(",", after) else after
        if self.span.startswith(closing, after):
            return after
        if _QUOTED_KEY.match(self.span, at):
            return after
        if "\n" in self.span[at:after] and _NEXT_KEY.match(self.span, after):
            return after
        raise _Unmendable

    def _key(self, at: int) -> tuple[str, int]:
        letter = self.span[at : at + 1]
        if letter in _QUOTES and letter:
            end = self.span.find(_QUOTES[letter], at + 1, at + 80)
            if end < 0:
                raise _Unmendable
            key, at = self.span[at + 1 : end], end + 1
        elif bare := _BARE_KEY.match(self.span, at):
            key, at = bare[0], bare.end()
        else:
            raise _Unmendable
        at = self._blank(at)
        if self.span[at : at + 1] not in (":", "：", "="):
            raise _Unmendable
        return key, at + 1

    def _value(self, at: int, depth: int, *, listed: bool) -> tuple[Any, int]:
        letter = self.span[at : at + 1]
        if letter == "{":
            return self.object(at, depth + 1)
        if letter == "[":
            return self._list(at, depth + 1)
        if letter in _QUOTES and letter:
            return self._text(at, listed)
        return self._bare(at, listed)

    def _text(self, at: int, listed: bool) -> tuple[str, int]:
        """A text in quotes; a quote inside it that no comma or brace follows belongs to it."""
        quote = _QUOTES[self.span[at]]
        end = at + 1
        while True:
            end = self.span.find(quote, end)
            if end < 0:
                raise _Unmendable
            if not self._escaped(end) and self._ends_text(end + 1, listed):
                text = self.span[at + 1 : end]
                return _ESCAPE.sub(_unescape, text), end + 1
            end += 1

    def _escaped(self, at: int) -> bool:
        before = self.span[max(0, at - 20) : at]
        return (len(before) - len(before.rstrip("\\"))) % 2 == 1

    def _ends_text(self, at: int, listed: bool) -> bool:
        """Whether a value can end at `at`: a brace follows, or a comma (or line break) and what
        may come after it.
        """
        after = _AFTER_TEXT.match(self.span, at)
        if after is None:
            if _QUOTED_KEY.match(self.span, at):
                return True
            line_end = _LINE_END.match(self.span, at)
            return line_end is not None and _NEXT_KEY.match(self.span, at) is not None
        if after[1] not in ",;":
            return True
        rest = self._blank(after.end())
        if self.span[rest : rest + 1] == ",":
            rest = self._blank(rest + 1)
        if listed or self.span[rest : rest + 1] in ("}", "]"):
            return True
        return _NEXT_KEY.match(self.span, rest) is not None

    def _bare(self, at: int, listed: bool) -> tuple[Any, int]:
        """A value without quotes: a number, a word, or a text up to the next key or brace."""
        end = at
        if first := _NUMBER_FIRST.match(self.span, at):
            return int(first[0]), first.end()
        while True:
            stop = _BARE_END.search(self.span, end)
            if stop is None or stop[0] in "{[":
                raise _Unmendable
            if stop[0] not in ",;" or self._ends_text(stop.start(), listed):
                break
            end = stop.end()
        text = self.span[at : stop.start()].partition("//")[0].partition("/*")[0].strip()
        if not text:
            raise _Unmendable
        if text in _WORDS:
            return _WORDS[text], stop.start()
        if text in ("NaN", "Infinity", "-Infinity"):
            return NotANumber(text), stop.start()
        if _NUMBER.match(text) and len(text) < 40:
            return _exact(text) if set(text) & set(".eE") else int(text), stop.start()
        return text, stop.start()


def _unescape(match: re.Match[str]) -> str:
    letter = match[1]
    if len(letter) == 5:
        return chr(int(letter[1:], 16))
    return _LETTERS.get(letter, letter)
