"""KRIS-Bench's rule for knowledge plausibility (KP): an edit that fails the instruction is
implausible.

Paper, section 3.4: such edits "are automatically considered implausible". Failing is an IF of 1 or
2 on the scale of 1 to 5, and KP is then 1, in both variants, whatever the judge gave for it: null,
a number or nothing. The released prompt states the same rule. KP is so never null, and never left
out of a mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from editgauge.judging.reading import Reading
from editgauge.types import Status

FAILED: Final = 2
"""IF up to this: the edit does not do what was asked."""
IMPLAUSIBLE: Final = 1
"""What KP is then: the lowest score."""
REASON: Final = "KP is 1 by rule where IF is 1 or 2 (paper, section 3.4)"


def strict(readings: Mapping[str, Reading]) -> dict[str, Reading]:
    """The strict readings of the joint reply with the rule applied: `REASON` where it decides."""
    settled = dict(readings)
    followed, known = readings["instruction_score"].value, readings["knowledge_score"].value
    if followed is not None and followed <= FAILED and known != IMPLAUSIBLE:
        settled["knowledge_score"] = Reading(IMPLAUSIBLE, Status.SCORED, REASON)
    return settled


def released(followed: int | None, known: int | None) -> int | None:
    """KP of the released reading of the joint reply, with the rule applied."""
    return IMPLAUSIBLE if followed is not None and followed <= FAILED else known
