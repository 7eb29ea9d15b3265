"""What TextEditBench's released scripts make of a judge's reply: the faithful reading, beside the
strict one.

Two scripts. The one for the synthetic split (`with_reference`) removes fences and cuts from the
first ``{`` to the *last* ``}``. The one for the real split also removes the tags (not the content)
of a thinking block, and cuts the first balanced ``{…}``, without regard to strings. Both then want
the dimension's name and ``rationale`` in it.

What a failure records differs: where the call or the JSON of the last attempt failed, the score
**0**, which is averaged in; where the JSON lacks the keys, no value at all, which is left out of
the mean. The corrected variant says *failed* or *unparsable* instead of 0.

Checked against the released scripts themselves where they lie beside the project.
"""

from __future__ import annotations

import json
import math
import re

FAILED_SCORE = 0.0
"""What the released scripts record, and average in, when a call or its JSON failed."""
_BRACES = re.compile(r"\{+|\}+")


def released_score(
    reply: str | None, dimension: str, *, with_reference: bool = False
) -> float | None:
    """The number that the released code records and averages for one dimension.

    `FAILED_SCORE` for None (the call failed) and for what is no JSON; None for JSON without the
    keys, and for a value that the released average leaves out or stops at. A number outside 0 to 5,
    one that is no integer, and one that is written as a text are recorded as they are.
    """
    if reply is None:
        return FAILED_SCORE
    text = reply.strip()
    if not with_reference:
        text = text.replace("<think>", "").replace("</think>", "")
    text = text.replace("```json", "").replace("```", "").strip()
    try:
        data = json.loads(_outermost(text) if with_reference else _first_block(text))
        there = dimension in data and "rationale" in data
    except (ValueError, TypeError, RecursionError):
        return FAILED_SCORE
    if not there or not isinstance(data, dict):
        return None  # a text that holds both words is recorded, and left out of the average
    try:
        value = float(data[dimension])
    except (ValueError, TypeError, OverflowError):
        return None  # left out of the average, or the released average stops at it
    return value if math.isfinite(value) else None


def _outermost(text: str) -> str:
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if start != -1 and end != -1 else text


def _first_block(text: str) -> str:
    """The first balanced block; the whole text where none is balanced."""
    start, depth = text.find("{"), 0
    for run in _BRACES.finditer(text, max(start, 0)) if start >= 0 else ():
        count = run.end() - run.start()
        if run[0][0] == "{":
            depth += count
        elif count >= depth:
            return text[start : run.start() + depth]
        else:
            depth -= count
    return text
