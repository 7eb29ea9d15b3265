"""What MedEBench's released script makes of a judge's reply: the faithful reading, beside the
strict one.

Every line that holds a score's name is cut at its first colon and then at the first slash; what
lies between is the score if it is a number. The last such line wins, fractions and numbers out of
range pass, and one score without a number drops the sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

NAMES: tuple[str, ...] = ("Editing Accuracy", "Visual Quality")
CONTEXT = "Contextual Preservation"
"""The third score that the released script asks for (the paper's Table 3, not its CP)."""


def released_scores(reply: str, names: Sequence[str] = NAMES) -> dict[str, float | None]:
    """The numbers that the released code takes from a reply, all None unless every one of `names`
    has a number.
    """
    found: dict[str, float | None] = dict.fromkeys(names)
    for line in reply.split("\n"):
        for name in names:
            if name in line:
                number = _number(line)
                found[name] = found[name] if number is None else number
                break
    if any(value is None for value in found.values()):
        return dict.fromkeys(names)
    return found


def _number(line: str) -> float | None:
    parts = line.split(":")
    if len(parts) < 2:
        return None
    try:
        value = float(parts[1].split("/")[0].strip())
    except ValueError:
        return None
    return value if math.isfinite(value) else None
