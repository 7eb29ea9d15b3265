"""What TextEdit's released script makes of a judge's reply: the faithful reading, beside the strict
one.

Step 1 reads the reply with the package ``json_repair``, which mends what it can (a trailing comma,
single quotes, a reply that breaks off in the reason), and keeps the scores only of a reply that has
both ``score`` and ``reason``. Step 2 takes a score of 1 to 5; an answer that lacks one it needs
drops out of the means (see `facts.average`). We keep what step 1 keeps, so that step 2
stays the table's.

``json_repair`` needs time in the square of its input for hostile replies, so that one which is no
JSON and longer than `MAX_REPAIRED` characters, or has more than `MAX_MARKS` brackets and quotes,
gives no score. An ordinary answer has a tenth of that.
"""

from __future__ import annotations

import json
from typing import Any

from editgauge.benchmarks.textedit.facts import QUESTIONS
from editgauge.errors import MissingExtra

MAX_REPAIRED = 20_000
MAX_MARKS = 1_000


def released_scores(reply: str) -> dict[str, int | None]:
    """Q1 to Q5 as the released script keeps them from a reply: integers as they are (any range),
    None for the rest.

    ``4.0`` and ``true`` count as the integers that they equal, as they do in the script. Raises
    `MissingExtra` without ``json_repair``.
    """
    data = _repaired(reply.strip())
    scores = data.get("score") if isinstance(data, dict) and "reason" in data else None
    scores = scores if isinstance(scores, dict) else {}
    return {name: _whole(scores.get(name)) for name in QUESTIONS}


def require_repair() -> None:
    """Raises `MissingExtra` where ``json_repair`` is not installed: asked before anything is paid."""
    try:
        import json_repair  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "reading TextEdit's replies as its released script does", "json_repair", "judge"
        ) from None


def _repaired(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    marks = sum(text.count(mark) for mark in "{}[]\"'“”")
    if len(text) > MAX_REPAIRED or marks > MAX_MARKS:
        return None
    require_repair()
    import json_repair

    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):
        return None


def _whole(value: Any) -> int | None:
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None
