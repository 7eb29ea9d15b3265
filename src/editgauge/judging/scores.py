"""A stored reply becomes the scores of both variants: *corrected* by the strict reading of the last
reply, *faithful* by the released code's reading of the first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from editgauge.judging.protocol import Call
from editgauge.judging.reading import read
from editgauge.types import Score, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeResult:
    """What came of asking: the first reply (after more room, if it was cut off), the last one, or
    why there is none.

    `cut_off` says that the last reply still ended at its token limit: such a reply is never a
    verdict, whatever it seems to say.
    """

    first: str | None = None
    last: str | None = None
    status: Status = Status.SCORED
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    cut_off: bool = False


def to_scores(call: Call, exchange: ExchangeResult) -> tuple[Score, ...]:
    """Scores of one call in both variants, the corrected one of each metric first.

    Without a reply every score has the status of the failure; only a protocol whose released code
    records a number for a failed call (TextEditBench: 0) has one in its faithful variant, with the
    reason saying so. A reader of released code that fails on a reply takes no score from it.
    """
    replied = exchange.status is Status.SCORED
    readings = read(call, exchange.last, cut_off=exchange.cut_off).readings if replied else {}
    released = _released(call, exchange)
    scores: list[Score] = []
    for name, metric in call.metrics.items():
        value, status, reason = readings.get(name) or (None, exchange.status, exchange.reason)
        corrected = Score(
            metric=metric,
            value=value,
            variant="corrected",
            status=status,
            reason=reason,
            detail=dict(exchange.detail),
        )
        scores += [corrected, _faithful(call, corrected, released.get(name), replied)]
    return tuple(scores)


def _released(call: Call, exchange: ExchangeResult) -> dict[str, float]:
    """What the released code takes from the first reply, by field: finite numbers only.

    Released scripts record something for a call that failed or was refused; for pictures that
    cannot be read they have no entry at all.
    """
    asked = (Status.SCORED, Status.FAILED, Status.REFUSED)
    if call.released is None or exchange.status not in asked:
        return {}
    try:
        values = call.released(exchange.first if exchange.status is Status.SCORED else None)
        numbers = {name: float(value) for name, value in values.items() if value is not None}
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError):
        return {}  # a plug-in's reader may fail on odd replies: no score is taken then
    return {name: value for name, value in numbers.items() if math.isfinite(value)}


def _faithful(call: Call, corrected: Score, value: float | None, replied: bool) -> Score:
    """The faithful score beside the corrected one; `value` is what the released code takes."""
    score = replace(corrected, variant="faithful", detail=dict(corrected.detail))
    if call.released is None:
        return score
    if value is not None:
        note = f"what the released code records; strictly: {corrected.reason}"
        reason = note if corrected.value is None else ""
        return replace(score, value=value, status=Status.SCORED, reason=reason)
    if not replied or corrected.status is Status.NOT_APPLICABLE:
        return score
    reason = "the released code takes no score from this reply"
    return replace(score, value=None, status=Status.UNPARSABLE, reason=reason)
