"""What KRIS-Bench's released scripts make of a judge's reply: the faithful reading, beside the
strict one.

The scripts look for the first flat ``{…}`` that mentions the score's name and is JSON (``int()`` of
whatever it holds: ``4.6`` becomes 4, 7 and 0 pass), then for ``name: n``, ``n/5``, ``n out of 5``,
and then for **any** digit from 1 to 5 standing alone, so that a list's "1." or "2 people" becomes
the score. Kept for comparison with published numbers; the corrected variant is
`judging.reading.read`. Checked against the released parsers' results on 30 replies.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal

Script = Literal["common", "knowledge", "several"]
"""Which released script: one picture; knowledge tasks; several pictures (temporal, multi-element).
"""

_FLAT = re.compile(r"\{[^{}]*+\}")
_FRACTION = re.compile(r"([1-5])\s*+/\s*+5")
_OUT_OF = re.compile(r"([1-5])\s++out\s++of\s++5", re.IGNORECASE)
_DIGIT = re.compile(r"\b([1-5])\b")


def released_score(reply: str, name: str, script: Script = "common") -> int | None:
    """The integer that the released code takes from a reply for ``<name>_score``, or None when it
    takes none.

    `name` is ``consistency``, ``instruction`` or ``quality``. The value may lie outside 1 to 5. The
    scripts differ in two things: the one for knowledge tasks gives up at ``null`` where the others
    go on looking, and wants a colon after the name; the ones for several pictures do not look for
    the name outside of JSON.
    """
    key = f"{name}_score"
    known, value = _json_value(reply, key)
    if known and (value is not None or script == "knowledge"):
        return value
    patterns = [_FRACTION, _OUT_OF, _DIGIT]
    if script != "several":
        patterns.insert(0, _named(name, colon_needed=script == "knowledge"))
    for pattern in patterns:
        match = pattern.search(reply)
        if match:
            return int(match.group(1))
    return None


def released_pair(reply: str) -> tuple[int | None, int | None]:
    """What the released code takes from the joint reply: instruction and knowledge score, None
    where it takes none.
    """
    block = _flat_object(reply, "instruction_score")
    if block is not None:
        try:
            data = json.loads(block)
            return _whole(data.get("instruction_score")), _whole(data.get("knowledge_score"))
        except (ValueError, TypeError, OverflowError, AttributeError):
            pass  # the released code falls through to its patterns
    found = [_named(name, colon_needed=True).search(reply) for name in ("instruction", "knowledge")]
    first, second = (int(match.group(1)) if match else None for match in found)
    return first, second


def _json_value(reply: str, key: str) -> tuple[bool, int | None]:
    """Whether a flat JSON object with the key's name was read, and its value as the released code
    converts it.
    """
    block = _flat_object(reply, key)
    if block is None:
        return False, None
    try:
        return True, _whole(json.loads(block).get(key))
    except (ValueError, TypeError, OverflowError, AttributeError):
        return False, None


def _flat_object(reply: str, key: str) -> str | None:
    """The first ``{…}`` without inner braces that holds the key, as the released pattern finds it.

    The pattern itself needs time in the square of a reply that repeats the key and never closes.
    """
    for block in _FLAT.finditer(reply):
        if key in block[0]:
            return block[0]
    return None


def _named(name: str, *, colon_needed: bool) -> re.Pattern[str]:
    """``name score: n``; possessive blanks keep a long run of them cheap and match the same."""
    colon = r"[:：]\s*+" if colon_needed else r"(?:[:：]\s*+)?"
    return re.compile(rf"{name}[_\s]*+score\s*+{colon}([1-5])", re.IGNORECASE)


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)
