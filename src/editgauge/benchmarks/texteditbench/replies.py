"""What TextEditBench's released script makes of a judge's reply: the faithful reading, beside the
strict one.

The script removes fences and the tags (not the content) of a thinking block, takes the first
balanced ``{…}`` without regard to strings, and wants both the dimension's name and ``rationale`` in
it. Three attempts without success record the score **0**, which is averaged in; the corrected
variant says *failed* or *unparsable* instead.
"""

from __future__ import annotations

import json

FAILED_SCORE = 0
"""What the released script records, and averages in, when the judge gave nothing that it can read.
"""


def released_score(reply: str | None, dimension: str) -> float:
    """The number that the released code records for one dimension; `FAILED_SCORE` when it can read
    none.

    A number outside 0 to 5, or one that is no integer, is recorded as it is.
    """
    text = (reply or "").strip()
    for mark in ("<think>", "</think>", "```json", "```"):
        text = text.replace(mark, "")
    try:
        data = json.loads(_first_block(text))
    except (ValueError, RecursionError):
        return FAILED_SCORE
    if not isinstance(data, dict) or "rationale" not in data:
        return FAILED_SCORE
    value = data.get(dimension)
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or value != value
        or abs(value) > 1e9
    ):
        return (
            FAILED_SCORE  # the released summary crashes on a text; nothing better to be faithful to
        )
    return value


def _first_block(text: str) -> str:
    start, depth = text.find("{"), 0
    for position in range(max(start, 0), len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if start >= 0 and depth == 0:
            return text[start : position + 1]
    return text
