"""Find the JSON objects in a judge's free text, and say of each whether it is whole, mended, or
broken.

A judge's reply is hostile by nature: prose, fences, half an object, an object that quotes another.
This module only finds and decodes; what an object means is decided in `answers`. Nothing in here
guesses a value: mending touches the punctuation that models get wrong (trailing commas, bare
``4/5``, single quotes) and never a quoted text.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

MAX_OBJECTS = 500
"""Objects looked at in one reply: a reply with more is an attack or a loop, and the rest is not
read.
"""
_MEND_LIMIT = 50_000
_STRING = r'"(?:\\.|[^"\\])*"'
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_BARE_VALUE = re.compile(
    rf"({_STRING}\s*:)(\s*)([^\s\"{{\[,}}\]'][^\",{{}}\[\]\n]*?)(?=\s*[,}}\n])|{_STRING}",
    re.DOTALL,
)
_JSON_WORDS = {"true", "false", "null"}
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\Z")


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
class Found:
    """One ``{…}`` in a reply: where it lies, and its decoded value; `value` is None when it cannot
    be read.

    `closed` is False for an object whose end never comes (a reply that was cut off).
    """

    start: int
    end: int
    value: Pairs | None
    closed: bool = True


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


def find_objects(text: str) -> list[Found]:
    """All outermost JSON objects in `text`, in order, the broken ones too (at most `MAX_OBJECTS`).

    An object that lies inside a broken one is never reported: in ``{"example": {"score": 5},
    "score": 3`` the inner object is complete and is not the verdict.
    """
    found: list[Found] = []
    position = 0
    cut_off = False
    while len(found) < MAX_OBJECTS:
        start = text.find("{", position)
        if start < 0:
            break
        position = start + 1
        if cut_off and not _stands_alone(text, start):
            continue
        decoded, end = _decode(text, start)
        if decoded is not None:
            found.append(Found(start, end, decoded))
            position = end
            continue
        if cut_off or not re.match(r"\{\s*[\"'“‘]", text[start : start + 40]):
            continue  # a brace in prose, not the start of an object
        closing = _matching_brace(text, start)
        if closing is None:
            found.append(Found(start, len(text), None, closed=False))
            cut_off = True
            continue
        found.append(Found(start, closing, _mend(text[start:closing])))
        position = closing
    return found


def decode_whole(text: str) -> Any:
    """The value when all of `text` is one valid JSON value, else None."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if not text[end:].strip() else None


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
    line = text.rfind("\n", 0, start) + 1
    return not text[line:start].strip(" \t`") and text[:start].rstrip(" \t\r\n")[-1:] not in (
        ":",
        ",",
        "[",
        "{",
    )


def _matching_brace(text: str, start: int) -> int | None:
    """One past the brace that closes the one at `start`, strings skipped; None when it never
    comes.
    """
    opening = text[start + 1 : start + 40].lstrip()[:1]
    quote = "'" if opening == "'" else '"'
    depth, inside, position = 0, False, start
    while position < len(text):
        character = text[position]
        if inside:
            if character == "\\":
                position += 1
            elif character == quote:
                inside = False
        elif character == quote:
            inside = True
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return None


def _mend(span: str) -> Pairs | None:
    """Decode an object with trailing commas, bare values such as ``4/5``, or Python's quotes; None
    if that fails.
    """
    if len(span) > _MEND_LIMIT:
        return None
    mended = _BARE_VALUE.sub(_quote_bare, span)
    mended = _TRAILING_COMMA.sub(lambda match: match.group(1) or "", mended)
    value, end = _decode(mended, 0)
    if value is not None and end == len(mended):
        return value
    return _python_literal(span)


def _quote_bare(match: re.Match[str]) -> str:
    key, space, value = match.group(1), match.group(2), match.group(3)
    if key is None or value in _JSON_WORDS or _JSON_NUMBER.match(value):
        return match.group(0)
    return f"{key}{space}{json.dumps(value)}"


def _python_literal(span: str) -> Pairs | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # odd escapes in a judge's prose are not our syntax errors
            tree = ast.parse(span, mode="eval").body
        value = _plain(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, Pairs) else None


def _plain(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool | None):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        return [_plain(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        pairs = []
        for key, value in zip(node.keys, node.values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                raise ValueError("a key that is no text")
            pairs.append((key.value, _plain(value)))
        return Pairs(pairs)
    raise ValueError(f"not a plain value: {type(node).__name__}")
