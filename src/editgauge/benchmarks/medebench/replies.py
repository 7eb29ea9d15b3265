"""What MedEBench's released script makes of a judge's reply: the faithful reading, beside the
strict one.

Every line that holds a score's name is cut at its first colon and then at the first slash; what
lies between is the score if it is a number. The last such line wins, fractions and numbers out of
range pass, and one score without a number drops the sample.
"""

from __future__ import annotations

import math

NAMES: tuple[str, ...] = ("Editing Accuracy", "Visual Quality")
CONTEXT = "Contextual Preservation"
"""The third score that the released script asks for (the paper's Table 3, not its CP)."""


ASKED = (NAMES[0], CONTEXT, NAMES[1])
"""The three scores in the order in which the released script asks and looks for them."""


def released_scores(reply: str) -> dict[str, float | None]:
    """The numbers that the released code takes from a reply, all None unless each of `ASKED` has a
    number (-1 is what the script writes for none).
    """
    found: dict[str, float | None] = dict.fromkeys(ASKED)
    for line in reply.split("\n"):
        for name in ASKED:
            if name in line:
                number = _number(line)
                found[name] = found[name] if number is None else number
                break
    if any(value is None or value == -1 for value in found.values()):
        return dict.fromkeys(ASKED)
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
