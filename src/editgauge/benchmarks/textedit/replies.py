"""What TextEdit's released script makes of a judge's reply: the faithful reading, beside the strict
one.

It takes the text between the first ``{`` and the last ``}`` as JSON and the five integers under
``score``; a question whose score is missing or no integer has none (and drops out of the means: see
`facts.average`).
"""

from __future__ import annotations

import json

from editgauge.benchmarks.textedit.facts import QUESTIONS


def released_scores(reply: str) -> dict[str, int | None]:
    """Q1 to Q5 as the released script takes them from a reply: integers as they are (any range),
    None for the rest.
    """
    start, end = reply.find("{"), reply.rfind("}")
    try:
        data = json.loads(reply[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        data = None
    scores = data.get("score") if isinstance(data, dict) else None
    scores = scores if isinstance(scores, dict) else {}
    return {
        name: value
        if isinstance(value := scores.get(name), int) and not isinstance(value, bool)
        else None
        for name in QUESTIONS
    }
