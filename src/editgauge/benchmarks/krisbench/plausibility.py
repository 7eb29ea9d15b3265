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

import numpy as np

from editgauge.judging.answers import Reading
from editgauge.tables.frame import STATUSES, Frame
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


def settled(frame: Frame) -> Frame:
    """The rows of a frame with the rule applied, for runs that were made before it.

    Earlier versions asked the judge for null where the instruction was not carried out, and stored
    it as *not applicable*. Such a row is read as `IMPLAUSIBLE` where the same judge gave the same
    edit an IF of `FAILED` or less (same variant and repeat). A null without such an IF stays one, and
    so do rows of any other status, numbers included.
    """
    if not {"IF", "KP"} <= set(frame.metrics):
        return frame
    columns = frame.columns
    keys = np.stack(
        [columns.sample, columns.editor, columns.variant, columns.source, columns.repeat], axis=1
    )
    fails = (columns.metric == frame.metrics.index("IF")) & (columns.value <= FAILED)
    null = columns.status == STATUSES.index(Status.NOT_APPLICABLE)
    open_rows = (columns.metric == frame.metrics.index("KP")) & null
    failed = {tuple(key) for key in keys[fails].tolist()}
    hit = np.zeros(len(frame), dtype=np.bool_)
    places = np.flatnonzero(open_rows)
    hit[places] = [tuple(key) in failed for key in keys[places].tolist()]
    if not hit.any():
        return frame
    value = np.where(hit, float(IMPLAUSIBLE), columns.value)
    status = np.where(hit, np.int32(STATUSES.index(Status.SCORED)), columns.status)
    return frame.with_columns(columns._replace(value=value, status=status.astype(np.int32)))
