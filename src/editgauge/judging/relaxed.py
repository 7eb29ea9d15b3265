"""JSON objects as models write them, with the habits that a strict parser refuses.

Read beside strict JSON: single and typographic quotes, quotes inside a text that are not escaped,
keys and values without quotes, ``True`` and ``None``, comments, commas too many or missing,
Markdown around keys and values, and a missing brace after a complete value. Nothing is guessed:
a text or number that does not end makes the object unreadable.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

DEEPEST = 50
"""Objects and arrays inside one another; a verdict has three."""
LONGEST_TEXT = 20_000
"""Letters of one text in such an object: what is longer has no end that could be told."""


class Members(list[tuple[str, Any]]):
    """The members of an object in order: a key that stands twice is there twice."""


class ObjectAt(NamedTuple):
    """An object of a text, and the position behind it."""

    members: Members
    end: int


class Unreadable(ValueError):
    """No object can be read here. `position` is where reading ended."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“”", "「": "」"}  # fmt: skip
"""Opening quotes and what closes them; a plain ``"`` closes a typographic one, too."""
_BLANK = re.compile(r"(?:[\s*`\u200b\ufeff]|//[^\n]*|/\*[^*]*\*/)*")
"""Between two parts of an object: blanks, Markdown's marks, comments."""
_BARE_KEY = re.compile(r"[A-Za-z_][\w .()-]{0,60}?(?=[*`]*\s{0,4}[:：])")
_KEY_BEHIND = re.compile(
    r"""[\s*`]{0,40}(?:"[^"\n]{1,80}"|'[^'\n]{1,80}'|“[^”\n]{1,80}”|[A-Za-z_]\w{0,60})[\s*`]{0,8}[:：]"""
)
_BARE_VALUE = re.compile(r"[^,，{}\[\]\n\"“]{1,200}")
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_THINKING_ENDS = re.compile(r"</?think|\[/?think|<unused9|<\|channel", re.IGNORECASE)


def object_at(text: str, start: int) -> ObjectAt:
    """Read the object that begins at `start`, where a ``{`` stands. Raises `Unreadable`."""
    return _Reader(text).object(start, depth=0)


class _Reader:
    """One text that is read; every method takes a position and returns the one behind."""

    def __init__(self, text: str) -> None:
        self.text = text

    def object(self, start: int, depth: int) -> ObjectAt:
        if depth > DEEPEST:
            raise Unreadable("nested too deep", start)
        members = Members()
        position = start + 1
        is_closed_value = False
        while True:
            position = self._skip(position)
            mark = self.text[position : position + 1]
            if mark == "}":
                return ObjectAt(members, position + 1)
            if not mark:
                if members and is_closed_value:
                    return ObjectAt(members, position)
                raise Unreadable("the object does not end", position)
            if mark in ",，":
                position += 1
                continue
            key, position = self._key(position)
            value, position = self._value(position, depth, in_array=False)
            members.append((key, value))
            # a number at the very end of a reply may be the beginning of a longer one
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            is_closed_value = not is_number or position < len(self.text)

    def array(self, start: int, depth: int) -> tuple[list[Any], int]:
        if depth > DEEPEST:
            raise Unreadable("nested too deep", start)
        values: list[Any] = []
        position = start + 1
        while True:
            position = self._skip(position)
            mark = self.text[position : position + 1]
            if mark == "]":
                return values, position + 1
            if not mark:
                raise Unreadable("the list does not end", position)
            if mark in ",，":
                position += 1
                continue
            value, position = self._value(position, depth, in_array=True)
            values.append(value)

    def _skip(self, position: int) -> int:
        match = _BLANK.match(self.text, position)
        return match.end() if match else position

    def _key(self, position: int) -> tuple[str, int]:
        """A key and the position behind its colon."""
        text = self.text
        quote = text[position]
        if quote in _CLOSING:
            end = position + 1
            closing = _CLOSING[quote] + '"'
            while end < len(text) and text[end] not in closing:
                if text[end] == "\n" or end - position > 200:
                    raise Unreadable("a key does not end", position)
                end += 1
            key = text[position + 1 : end]
            position = end + 1
        else:
            match = _BARE_KEY.match(text, position)
            if match is None:
                raise Unreadable("wanted a key", position)
            key = match[0]
            position = match.end()
        position = self._skip(position)
        if text[position : position + 1] not in (":", "："):
            raise Unreadable("wanted a colon behind a key", position)
        return key.strip(), position + 1

    def _value(self, position: int, depth: int, *, in_array: bool) -> tuple[Any, int]:
        position = self._skip(position)
        text = self.text
        mark = text[position : position + 1]
        if mark == "{":
            return self.object(position, depth + 1)
        if mark == "[":
            return self.array(position, depth + 1)
        if mark in _CLOSING:
            return self._string(position, in_array=in_array)
        match = _BARE_VALUE.match(text, position)
        if match is None:
            raise Unreadable("wanted a value", position)
        end = match.end()
        bare = match[0].partition("//")[0].strip(" \t\r*`_\u200b")
        if end == len(text):
            raise Unreadable("a value does not end", end)
        if not bare:
            raise Unreadable("wanted a value", position)
        return _bare(bare), end

    def _string(self, start: int, *, in_array: bool) -> tuple[str, int]:
        """A text and the position behind it. A quote ends it only where the object goes on there,
        so that a quoted word inside a text needs no escape.
        """
        text = self.text
        opening = text[start]
        closing = _CLOSING[opening]
        if opening not in "\"'":
            closing += '"'
        parts: list[str] = []
        position = start + 1
        limit = min(len(text), start + LONGEST_TEXT)
        while position < limit:
            letter = text[position]
            if letter == "\\":
                escaped, position = _escaped(text, position)
                parts.append(escaped)
                continue
            if letter in closing and self._goes_on(position + 1, in_array=in_array):
                value = "".join(parts)
                if _THINKING_ENDS.search(value):
                    raise Unreadable("a text holds a mark of thinking", start + 1)
                return value, position + 1
            parts.append(letter)
            position += 1
        raise Unreadable("a text does not end", start + 1)

    def _goes_on(self, position: int, *, in_array: bool) -> bool:
        """Whether an object or array goes on here as it does behind a complete value."""
        text = self.text
        position = self._skip(position)
        mark = text[position : position + 1]
        if not mark:
            return True
        if in_array:
            return mark in ",，]"
        if mark == "}":
            return True
        if mark in ",，":
            behind = self._skip(position + 1)
            return text[behind : behind + 1] in ("}", "") or bool(_KEY_BEHIND.match(text, behind))
        return bool(_KEY_BEHIND.match(text, position))


def _escaped(text: str, position: int) -> tuple[str, int]:
    """The letter that a backslash at `position` means, and the position behind."""
    letter = text[position + 1 : position + 2]
    if letter == "u":
        digits = text[position + 2 : position + 6]
        try:
            return chr(int(digits, 16)), position + 6
        except ValueError:
            return "u", position + 2
    return _ESCAPED.get(letter, letter), position + 2


def _bare(text: str) -> Any:
    """A value without quotes: a number or a word of JSON, else the text as it is."""
    lower = text.lower()
    if lower in _WORDS:
        return _WORDS[lower]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number else text
